"""What is seen of a coprocessor does not depend on secrets; cores that leak are found out."""

from copy import deepcopy
from dataclasses import dataclass
from pathlib import Path

import pytest
from tests.schedules import quick_schedules

from formal.tiny import tiny_core
from residua.cores.exponentiation import ExponentiationCore
from residua.cores.proofs import constant_time
from residua.cores.proofs.constant_time import (
    Netlist,
    prove_coprocessor,
    prove_exponentiator,
    prove_netlist,
    read_netlist,
    write_verilog,
)
from residua.cores.specification import check_any
from residua.curves.inversion import Inversion
from residua.errors import SpecificationError
from residua.hardware.coprocessor import Coprocessor
from residua.hardware.processor import Processor


@dataclass
class Made:
    """A core's netlist, and a place for proofs."""

    netlist: Netlist
    folder: Path

    def broken(self, victim, secret, gate):
        """The netlist in which everything that reads a net reads ``victim gate secret``."""
        module = deepcopy(self.netlist.module)
        victim, secret = self.netlist.wire(victim), self.netlist.wire(secret)
        nets = [bit for net in module["netnames"].values() for bit in net["bits"]]
        new = 1 + max(bit for bit in nets if isinstance(bit, int))
        places = [p for p in module["ports"].values() if p["direction"] == "output"]
        for place in places:
            place["bits"] = [new if bit == victim else bit for bit in place["bits"]]
        for cell in module["cells"].values():
            for pin, bits in cell["connections"].items():
                if cell["port_directions"][pin] == "input":
                    cell["connections"][pin] = [new if bit == victim else bit for bit in bits]
        module["cells"]["leak"] = {
            "hide_name": 0,
            "type": gate,
            "parameters": {},
            "attributes": {},
            "port_directions": {"A": "input", "B": "input", "Y": "output"},
            "connections": {"A": [victim], "B": [secret], "Y": [new]},
        }
        module["netnames"]["leaking"] = {"hide_name": 0, "bits": [new], "attributes": {}}
        return Netlist(module)


@pytest.fixture(scope="module", autouse=True)
def _quick():
    with quick_schedules():
        yield


@pytest.fixture(
    scope="module",
    params=[(1, Inversion.FERMAT), (2, Inversion.DIVISION_STEPS)],
    ids=["residues", "rows"],
)
def core(request):
    return tiny_core(*request.param)


@pytest.fixture(scope="module")
def made(core, tmp_path_factory):
    folder = tmp_path_factory.mktemp("tiny")
    return Made(read_netlist(*write_verilog(Coprocessor(core.design), folder), folder), folder)


def test_a_coprocessor(made):
    result = prove_netlist(made.netlist, out_dir=made.folder)
    assert result.passed, (result.leaks, result.proof.log.read_text())
    assert result.observed > 200
    assert result.registers > 400


def test_inversion_of_residues(tmp_path):
    """Within the unit much depends on the operand, outside nothing."""
    result = prove_coprocessor(tiny_core(1, Inversion.PLUS_MINUS).design, out_dir=tmp_path)
    assert result.passed, (result.leaks, result.proof.log.read_text())
    assert result.registers > 400


def test_everything_that_steers_a_memory_is_seen(made):
    kinds = {"RD_ADDR", "RD_EN", "WR_ADDR", "WR_EN"}
    seen = {tuple(name.rsplit(".", 1)) for name in made.netlist.observed if "." in name}
    for memory in ("controller.instructions", "processor.sequencer.bank_0", "scalar_unit.words"):
        assert (memory, "RD_ADDR") in seen
    for rower in ("processor.rower_0", "processor.rower_1"):
        assert {(f"{rower}.registers", kind) for kind in ("RD_ADDR", "WR_ADDR", "WR_EN")} <= seen
        assert (f"{rower}.constants", "RD_ADDR") in seen
    for port in ("busy", "done", "status", "command_ready", "operands_ready", "result_valid"):
        assert port in made.netlist.observed
    assert {kind for _, kind in seen} <= kinds
    unseen = made.netlist.memories.keys() - {memory for memory, _ in seen}
    # A memory of one word has no address.
    assert all(made.netlist.memories[name]["connections"]["RD_ADDR"] == [] for name in unseen)


@pytest.mark.parametrize(
    ("victim", "secret", "gate"),
    [
        # A routine ends early, or late, when a bit of the scalar is set.
        ("controller.ready", "scalar_unit.bit_signal", "$_OR_"),
        # The bit is part of an address.
        ("processor.rower_1.left_register", "scalar_unit.bit_signal", "$_XOR_"),
        # An operand's word decides whether the next one is taken.
        ("operands_ready", "operands_payload", "$_AND_"),
    ],
)
def test_a_leak_is_found_by_both_methods(made, victim, secret, gate):
    result = prove_netlist(made.broken(victim, secret, gate), out_dir=made.folder)
    assert result.leaks
    assert all(" -> leaking -> " in leak for leak in result.leaks), result.leaks
    assert not result.proof.passed


def test_a_verdict_that_is_used_untested_is_found(made):
    """The analysis takes verdicts for public; when they may be used, the induction knows."""
    netlist = made.broken("controller.ready", "controller.zero", "$_OR_")
    result = prove_netlist(netlist, out_dir=made.folder)
    assert not result.leaks
    assert not result.proof.passed


@pytest.mark.parametrize("verdict", ["controller.zero", "controller.scalar_in_range"])
def test_verdicts_have_to_be_equal(made, monkeypatch, verdict):
    """They change what is seen: without its assumption nothing is proved."""
    never = (("controller.busy", True), ("controller.busy", False))
    monkeypatch.setitem(constant_time.VERDICTS, verdict, never)
    assert not prove_netlist(made.netlist, out_dir=made.folder).proof.passed


def test_a_processor_that_stops_early_is_found(core, monkeypatch, tmp_path):
    elaborate = Processor.elaborate

    def leaky(self, platform):
        m = elaborate(self, platform)
        m.d.comb += self.ready.eq(self.sequencer.ready | self.gates[0])
        return m

    monkeypatch.setattr(Processor, "elaborate", leaky)
    result = prove_coprocessor(core.design, out_dir=tmp_path)
    assert any(leak.endswith("controller.instructions.RD_ADDR") for leak in result.leaks)
    assert not result.proof.passed


EXPONENTIATORS = [
    {"modulus": 2**31 - 1, "window": 2, "exponent_bits": 9},
    {"modulus": 2**31 - 1, "exponent": 5},
    {"bits": 30, "window": 2, "exponent_bits": 9},
]


@pytest.fixture(scope="module", params=EXPONENTIATORS)
def exponentiator(request):
    values = {"algorithm": "modexp", "unit": "rns-montgomery", "width": 12}
    return ExponentiationCore(check_any(values | request.param)).design


def test_an_exponentiator(exponentiator, tmp_path):
    result = prove_exponentiator(exponentiator, out_dir=tmp_path)
    assert result.passed, (result.leaks, result.proof.log.read_text())
    assert result.observed > 150
    assert result.registers > 350


def test_an_exponentiator_that_skips_a_digit_is_found(monkeypatch, tmp_path):
    elaborate = Processor.elaborate

    def leaky(self, platform):
        m = elaborate(self, platform)
        m.d.comb += self.ready.eq(self.sequencer.ready | self.gates[0])
        return m

    monkeypatch.setattr(Processor, "elaborate", leaky)
    values = {"algorithm": "modexp", "unit": "rns-montgomery", "modulus": 2**31 - 1, "width": 12}
    core = ExponentiationCore(check_any({**values, "window": 1, "exponent_bits": 4}))
    result = prove_exponentiator(core.design, out_dir=tmp_path)
    assert any(leak.endswith("instructions.RD_ADDR") for leak in result.leaks)
    assert not result.proof.passed


def test_only_coprocessors_are_asked(made):
    module = deepcopy(made.netlist.module)
    del module["netnames"]["controller.zero"]
    with pytest.raises(SpecificationError, match=r"has the wires controller\.zero"):
        Netlist(module)
