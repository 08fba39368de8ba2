"""The dispatcher of several cores: steered by public inputs alone, and reset in one cycle."""

from amaranth.hdl import Signal
from tests.hardware.bus.test_dispatcher import TRAFFIC, TRAILER

from residua.cores.proofs.boundary import Boundary
from residua.cores.proofs.constant_time import prove_constant_time, prove_netlist
from residua.cores.proofs.netlist import read_netlist, write_verilog
from residua.cores.proofs.reset import prove_reset
from residua.hardware.bus.dispatcher import Dispatcher

CORES = range(2)
BOUNDARY = Boundary(
    "dispatcher",
    (
        "front_operands_payload",
        "front_random_payload",
        *(f"cores_{i}_result_payload" for i in CORES),
    ),
    {
        "front_result_payload": 32,
        **{f"cores_{i}_{name}_payload": 32 for i in CORES for name in ("operands", "random")},
    },
    {},
)
"""Operands, random words and results are secret; who gets them, and when, is not."""


class Peeking(Dispatcher):
    """Gives a request to core 0 alone if the first bit of its operands is 1."""

    def elaborate(self, platform):
        m = super().elaborate(platform)
        with m.If(self.buffer.given.payload[0]):
            m.d.comb += self.cores[1].operands.valid.eq(0)
        return m


class Unreset(Dispatcher):
    """Remembers through a reset that there was a request."""

    def elaborate(self, platform):
        m = super().elaborate(platform)
        seen = Signal(reset_less=True)
        m.d.sync += seen.eq(seen | self.front.command.valid)
        m.d.comb += self.waiting.eq(seen)
        return m


def made(kind, folder):
    return read_netlist(
        *write_verilog(kind(len(CORES), TRAFFIC, TRAILER), folder), folder, BOUNDARY
    )


def test_nothing_secret_steers_the_dispatcher(tmp_path):
    netlist = made(Dispatcher, tmp_path)
    found = prove_netlist(netlist, out_dir=tmp_path, timeout=200)
    assert found.leaks == ()
    assert found.passed
    assert found.observed > 20


def test_one_cycle_of_reset_is_enough(tmp_path):
    assert prove_reset(made(Dispatcher, tmp_path), out_dir=tmp_path, timeout=200).passed


def test_dispatcher_that_looks_at_operands_is_refused(tmp_path):
    component = Peeking(len(CORES), TRAFFIC, TRAILER)
    found = prove_constant_time(component, BOUNDARY, out_dir=tmp_path, timeout=200)
    assert found.leaks
    assert not found.proof.passed


def test_dispatcher_that_is_not_reset_is_refused(tmp_path):
    assert not prove_reset(made(Unreset, tmp_path), out_dir=tmp_path, timeout=200).passed
