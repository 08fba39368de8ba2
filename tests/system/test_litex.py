"""Cores in a system that LiteX makes: its Verilog boots, and passes the same self-test."""

import contextlib
import re
import subprocess
from pathlib import Path

import pytest
import serial
from cryptography.hazmat.primitives.asymmetric import ec
from litex.build.generic_platform import GenericPlatform, Pins, Subsignal
from litex.gen import LiteXModule
from litex.soc.integration.builder import Builder
from litex.soc.integration.soc_core import SoCCore
from migen import ClockDomain
from tests.cores.generated import RSA
from tests.small_curves import TINY

from residua.cores.directory import build
from residua.cores.specification.reading import check_any
from residua.errors import SpecificationError
from residua.systems import simulation
from residua.systems.frames import FrameError
from residua.systems.host import Host
from residua.systems.litex.cores import add_cores, add_library, add_program

MEGAHERTZ, BAUD = 50, 500_000
TIMEOUT = 120.0
"""Seconds for an answer."""

PATIENCE, SHORT = 1_000_000, 20.0
"""Cycles in which a short root is found, and seconds that they take at most."""

CORES = {
    "p256": {"curve": ["P-256"]},
    "tiny": {"curve": [TINY]},
    "rsa": RSA,
}

PINS = [
    ("clk", 0, Pins(1)),
    ("rst", 0, Pins(1)),
    ("noise", 0, Pins(1)),
    ("serial", 0, Subsignal("tx", Pins(1)), Subsignal("rx", Pins(1))),
]

WRAPPER = """
module system (
  input wire clk, input wire rst, input wire uart_receive, input wire noise,
  output wire uart_send, output wire trap
);
  assign trap = 1'b0;
  {name} soc (
    .clk(clk), .rst(rst), .noise(noise), .serial_rx(uart_receive), .serial_tx(uart_send)
  );
endmodule
"""
"""The ports that `residua.systems.simulation.compile_simulator` drives."""


class Platform(GenericPlatform):
    """Pins without a board; the Verilog is all that is made."""

    def __init__(self, device="any"):
        super().__init__(device, PINS, name="litex")

    def build(self, fragment, build_dir, build_name="litex", **_):
        self.finalize(fragment)
        with contextlib.chdir(build_dir):
            self.get_verilog(fragment, name=build_name).write(f"{build_name}.v")
        self.path = f"{build_dir}/{build_name}.v"


class Clock(LiteXModule):
    def __init__(self, platform):
        self.cd_sys = ClockDomain()
        self.comb += [
            self.cd_sys.clk.eq(platform.request("clk")),
            self.cd_sys.rst.eq(platform.request("rst")),
        ]


def system(device="any"):
    platform = Platform(device)
    soc = SoCCore(
        platform,
        MEGAHERTZ * 1_000_000,
        cpu_type="picorv32",
        integrated_rom_size=0x8000,
        integrated_sram_size=0x4000,
        uart_baudrate=BAUD,
    )
    soc.crg = Clock(platform)
    return soc


@pytest.fixture(scope="module")
def cores(tmp_path_factory):
    folder = tmp_path_factory.mktemp("cores")
    for name, keys in CORES.items():
        build(check_any({**keys, "bus": "wishbone", "name": name}), folder / name)
    return [folder / name for name in CORES]


def made(cores, folder, *changes):
    """The builder of a system, after it has run; with changes of the program's file board.c."""
    soc = system()
    added = add_cores(soc, cores, noise=soc.platform.request("noise"))
    builder = Builder(soc, output_dir=str(folder))
    add_library(builder, added)
    board = add_program(builder, added) / "board.c"
    for old, new in changes:
        assert old in board.read_text()
        board.write_text(board.read_text().replace(old, new))
    builder.build(run=False)
    return builder


@contextlib.contextmanager
def simulated(builder, timeout, patience=simulation.PATIENCE):
    folder = Path(builder.gateware_dir)
    wrapper = folder / "system.v"
    wrapper.write_text(WRAPPER.format(name="litex"))
    platform = builder.soc.platform
    sources = [wrapper, Path(platform.path), *(Path(source[0]) for source in platform.sources)]
    divisor = MEGAHERTZ * 1_000_000 // BAUD
    executable = simulation.compile_simulator(sources, "system", divisor, patience=patience)
    with (
        simulation.running(executable, folder) as terminal,
        serial.Serial(terminal, BAUD, timeout=timeout) as line,
    ):
        yield Host(line)


@pytest.fixture(scope="module")
def builder(cores, tmp_path_factory):
    return made(cores, tmp_path_factory.mktemp("litex"))


@pytest.fixture(scope="module")
def host(builder):
    with simulated(builder, TIMEOUT) as host:
        yield host


def test_the_self_test(host):
    assert [curve.core for curve in host.curves] == ["p256", "tiny"]
    assert [core.name for core in host.rsa_cores] == ["rsa"]
    assert host.self_test() == 4 + 4 + 1


def test_key_agreement_with_openssl(host):
    curve = host.find("P-256")
    ours, theirs = ec.generate_private_key(ec.SECP256R1()), ec.generate_private_key(ec.SECP256R1())
    peer = theirs.public_key().public_numbers()
    point = b"\x04" + peer.x.to_bytes(32) + peer.y.to_bytes(32)
    key = ours.private_numbers().private_value.to_bytes(32)
    assert host.ecdh(curve, key, point) == ours.exchange(ec.ECDH(), theirs.public_key())


def test_signatures_have_fresh_nonces(host):
    """They come of the random words of the system."""
    curve = host.find("P-256")
    key, digest = (7).to_bytes(32), bytes(range(32))
    first, second = (host.sign(curve, key, digest) for _ in range(2))
    assert first != second
    public = host.public_key(curve, key)
    assert host.verify(curve, public, first, digest)
    assert host.verify(curve, public, second, digest)


def test_what_litex_tells_of_the_cores(builder):
    """Regions, interrupts and events have the names of the cores."""
    generated = Path(builder.generated_dir)
    memory = (generated / "mem.h").read_text()
    assert all(f"#define {name.upper()}_BASE " in memory for name in (*CORES, "residua_random"))
    constants = (generated / "soc.h").read_text()
    numbers = [re.search(rf"{name.upper()}_INTERRUPT (\d+)", constants)[1] for name in CORES]
    assert len(set(numbers)) == len(CORES)
    registers = (generated / "csr.h").read_text()
    assert all(f"{name}_ev_pending_read" in registers for name in CORES)


def test_an_event_ends_a_wait(cores, tmp_path):
    """Of a core that wants no random words, so that the program can wait for nothing else."""
    builder = made(cores[-1:], tmp_path, ("#define LOOKS 256u", "#define LOOKS 0xFFFFFFFFu"))
    with simulated(builder, TIMEOUT, PATIENCE) as host:
        assert host.self_test() == 1
    path = Path(builder.soc.platform.path)
    text, replaced = re.subn(r"(\.irq +)\(\w*trigger\)", r"\1()", path.read_text())
    assert replaced == 1
    path.write_text(text)
    with simulated(builder, SHORT, PATIENCE) as host, pytest.raises(FrameError, match="no answer"):
        host.self_test()


def test_names_that_are_taken(cores, tmp_path):
    soc = system()
    with pytest.raises(SpecificationError, match="a module or a region p256 already"):
        add_cores(soc, [cores[0], cores[0]], noise=soc.platform.request("noise"))
    build(check_any({"curve": [TINY], "bus": "wishbone", "name": "uart"}), tmp_path / "uart")
    with pytest.raises(SpecificationError, match="a module or a region uart already"):
        add_cores(soc, [tmp_path / "uart"], noise=soc.platform.request("noise", loose=True))


def test_devices_of_lattice_have_their_primitives(cores):
    soc = system("LFE5U-85F-8BG381C")
    add_cores(soc, cores[:1], noise=soc.platform.request("noise"))
    names = [str(source[0]) for source in soc.platform.sources]
    assert any(name.endswith("rtl/ecp5/primitives.v") for name in names)


def test_a_program_that_does_not_fit(cores, tmp_path):
    soc = system()
    soc.bus.regions["sram"].size = 0x800
    added = add_cores(soc, cores[:1], noise=soc.platform.request("noise"))
    builder = Builder(soc, output_dir=str(tmp_path))
    add_library(builder, added)
    add_program(builder, added)
    with pytest.raises(subprocess.CalledProcessError):
        builder.build(run=False)
