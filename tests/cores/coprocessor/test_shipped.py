"""What a directory ships is run as it lies there: a fault that the emitter makes is found."""

import functools
import shutil
from types import SimpleNamespace

import pytest
from tests.cores.coprocessor.test_ecc_directory import SMALL
from tests.cores.planted import replaced, switched
from tests.cores.test_tampering import COPROCESSOR
from tests.small_curves import SBMM_TINY

from residua.cores.bus import bench as shipped_bench
from residua.cores.bus.bench import verify_bench
from residua.cores.bus.host import Fault, Host
from residua.cores.bus.simulator import BusSimulator
from residua.cores.coprocessor import verification
from residua.cores.coprocessor.driver.simulated import directory_model
from residua.cores.coprocessor.shipped import verification as evidence
from residua.cores.coprocessor.shipped.bus import verify_bus
from residua.cores.coprocessor.shipped.bus_alone import stand_in_model, verify_bus_alone
from residua.cores.coprocessor.shipped.driver import verify_driver
from residua.cores.coprocessor.verification import EccResult
from residua.cores.directory import Directory, build
from residua.cores.specification.reading import check_any
from residua.cores.texts import verify_texts
from residua.cores.verification import verify_directory
from residua.curves.operations.codes import Operation
from residua.hardware.bus.register_map import Capabilities, RegisterMap
from residua.toolchain.planted.mutation import VARIABLE
from residua.toolchain.process import ToolError

pytestmark = pytest.mark.usefixtures("quick")

CORE = {**COPROCESSOR, "blinding": 0}
CORES = {
    "axi": SMALL,
    "wishbone": CORE | {"bus": "wishbone"},
    "sbmm": {"curve": SBMM_TINY, "algorithm": "sbmm", "blinding": 0},
}
"""On AXI the core that `test_ecc_directory` verifies, whole; numbers of two words on Wishbone.

One on SBMM computes nothing modulo the order.
"""


@pytest.fixture(scope="module")
def directories(tmp_path_factory):
    """A coprocessor on a bus."""
    return functools.cache(
        lambda name: build(check_any(CORES[name]), tmp_path_factory.mktemp(name) / "core")
    )


def copied(directory, tmp_path):
    return shutil.copytree(directory.path, tmp_path / "core")


@pytest.mark.parametrize("name", ["wishbone", "sbmm"])
def test_bus_and_driver_pass(name, directories):
    made = directories(name)
    design = made.made.core.design
    operations, faults = verify_bus(directory_model(made), design, 3)
    assert faults == []
    assert operations > 3 * len(design.operation_codes)
    assert verify_driver(made, design) == []


@pytest.fixture(scope="module")
def planted(directories, tmp_path_factory):
    """A directory whose top module has faults, one of which `VARIABLE` switches on."""

    def made_of(bus, faults):
        made = directories(bus)
        path = copied(made, tmp_path_factory.mktemp("planted"))
        top = path / f"rtl/{made.top}.v"
        top.write_text(switched(top.read_text(), [[fault[:3]] for fault in faults]))
        return Directory(path, made.manifest)

    return made_of


BUS_FAULTS = (
    ("assign irq = @;", "n3 | n4", "n3", "no interrupt tells of a refused access"),
    ("core (\n    .clk(clk),\n    .rst(@)", "rst", "1'b0", "reset"),
)
"""Faults of AXI that show with the core: a place, what stands there, what is wrong, its message."""

ALONE_FAULTS = (
    (".random_payload(@)", "random_payload", "random_payload ^ 1 << 31", "random word"),
    (
        ".operands_payload(@)",
        "operands_payload",
        "operands_payload & ~(operands_payload[3] << 30)",
        "operand word",
    ),
    (".command_payload(@)", "command_payload", "command_payload & 16'h7fff", "status"),
    (".zeroise(@)", "zeroise", "1'b0", "busy"),
    ("{8{@}}", "write_strobe[1]", "write_strobe[0]", "bytes"),
    ("assign n1 = @;", "control_start | signal_25", "control_start", "is not busy"),
)
"""Faults between bus and core."""

CLOSE_FAULTS = (
    ("write_valid <= @;", "n8", "n5", "too early or too late"),
    ("n2 = @;", "n1 | bus_rready", "1'b1", "too early or too late"),
    ("bus_rdata <= @;", "32'h00000000", "bus_rdata", "beside no answer"),
    ("? n48 : @;", "32'h00000000", "32'h00000001", "beside a refusal"),
    (
        "      else begin\n        output_payload <= @;",
        "32'h00000000",
        "32'h00000001",
        "stays in a buffer",
    ),
    ("result_valid = @;", "output_valid_81 & n5", "output_valid_81", "zeroisation"),
    ("@", "write_data == 32'h5a45524f", "write_data[30:0] == 31'h5a45524f", "not refused"),
    ("@", "n68 | interrupt_state_set_done", "n68", "INTERRUPT_STATE"),
    ("@;", "core_done & n8", "core_done", "is done while"),
)
"""Faults of AXI that show when accesses, or flags, follow closely, or come near to a key."""

ANSWER_FAULTS = (
    ("@;", "core_done & n11", "core_done", "is done while"),
    ("bus_ack_o = @;", "n6 & n7", "n6", "acknowledged and refused"),
    ("n7 = @;", "write_valid & addressed_zeroise", "addressed_zeroise", "leave STATUS at"),
    ("n6 = @;", "signal_signal & signal_4", "signal_4 | ~signal_signal", "too early or too late"),
)
"""Faults of Wishbone: of its answers, of an end, and of what a read does."""

AROUND_A_STAND_IN = {
    "axi": ALONE_FAULTS + CLOSE_FAULTS,
    "wishbone": ALONE_FAULTS + ANSWER_FAULTS,
}


@pytest.fixture(scope="module")
def faulty_bus(planted):
    """The bus with its core."""
    return directory_model(planted("axi", BUS_FAULTS))


@pytest.fixture(scope="module")
def stand_ins(planted):
    """Each bus around the stand-in."""
    return functools.cache(lambda bus: stand_in_model(planted(bus, AROUND_A_STAND_IN[bus])))


@pytest.mark.parametrize("number", range(len(BUS_FAULTS)))
def test_a_fault_of_the_bus_is_found(number, faulty_bus, directories, monkeypatch):
    monkeypatch.setenv(VARIABLE, str(1 + number))
    _, (fault,) = verify_bus(faulty_bus, directories("axi").made.core.design, 3)
    assert BUS_FAULTS[number][-1] in fault


@pytest.mark.parametrize("bus", AROUND_A_STAND_IN)
def test_a_bus_around_a_stand_in(bus, directories):
    """A bus passes on each bit, whether or not a result depends on it."""
    assert verify_bus_alone(stand_in_model(directories(bus)), 3) == []


@pytest.mark.parametrize(
    ("bus", "number"),
    [(bus, number) for bus, faults in AROUND_A_STAND_IN.items() for number in range(len(faults))],
)
def test_a_fault_of_the_bus_alone_is_found(bus, number, stand_ins, monkeypatch):
    monkeypatch.setenv(VARIABLE, str(1 + number))
    (fault,) = verify_bus_alone(stand_ins(bus), 3)
    assert AROUND_A_STAND_IN[bus][number][-1] in fault


def test_each_random_word_of_a_stream_is_another_one(stand_ins):
    host = Host(BusSimulator(stand_ins("axi")), 1000)
    host.idle()
    host.write("CONTROL", 15 << 4 | host.mask("CONTROL", "start"))
    host.moved([], 1000)
    words = host.simulator.taken()
    assert len(set(words)) == len(words) >= 15


def test_no_fault_is_there_unless_it_is_switched_on(stand_ins):
    assert verify_bus_alone(stand_ins("axi"), 3) == []


def test_a_result_without_an_end_is_found():
    ones = SimpleNamespace(
        model=SimpleNamespace(registers=RegisterMap(Capabilities(1, 8, range(1, 12)))),
        read32=lambda offset: 0xFFFFFFFF,
    )
    with pytest.raises(Fault, match="does not end"):
        Host(ones, 100).rest()


def test_a_bus_that_is_no_verilog_is_found(directories, tmp_path, monkeypatch):
    made = directories("axi")
    path = copied(made, tmp_path)
    broken = replaced(monkeypatch, path, f"rtl/{made.top}.v", "endmodule", "end of module")
    with pytest.raises(ToolError):
        verify_directory(broken, vectors=1)


DRIVER_FAULTS = {
    "no-c": ("residua_ecc.c", "static int run(", "static in run(", "failed"),
    "operands": ("residua_ecc.c", "p->count += p->words;", "p->count += 2 * p->words;", "WRONG"),
    "curve": ("{name}_core.c", "0x", "1 ^ 0x", "WRONG"),
    "signature": (
        "residua_ecc_protocols.c",
        "RESIDUA_ECC_INVALID",
        "RESIDUA_ECC_STATUS_OK",
        "WRONG",
    ),
}


@pytest.mark.parametrize("name", DRIVER_FAULTS)
def test_a_fault_of_the_driver_is_found(name, directories, tmp_path):
    made = directories("axi")
    path = copied(made, tmp_path)
    file, old, new, message = DRIVER_FAULTS[name]
    source = path / "driver" / file.format(name=made.name)
    text = source.read_text()
    assert old in text
    source.write_text(text.replace(old, new))
    broken = Directory(path, made.manifest)
    faults = verify_driver(broken, made.made.core.design)
    assert faults
    assert message in faults[0]


@pytest.fixture
def bench(directories, tmp_path):
    """A directory whose bench can be made to pass whatever comes."""
    path = copied(directories("axi"), tmp_path)
    file = path / "sim" / "bench.v"
    file.write_text(switched(file.read_text(), [[("right = @;", "1'b0", "right")]]))
    return path


def test_a_wrong_vector_is_found(bench):
    assert verify_bench(bench, Operation.FIELD_MULTIPLY) == []
    vectors = bench / "sim" / "vectors.hex"
    lines = vectors.read_text().splitlines()
    status = lines[-2].split()[3]
    wrong = lines[-2].replace(status, f"{int(status, 16) ^ 1:08x}")
    vectors.write_text("\n".join([*lines[:-2], wrong, lines[-1], ""]))
    assert any("WRONG" in fault for fault in verify_bench(bench, Operation.FIELD_MULTIPLY))


def test_a_bench_that_passes_whatever_comes_is_found(bench, monkeypatch):
    monkeypatch.setenv(VARIABLE, "1")
    faults = verify_bench(bench, Operation.FIELD_MULTIPLY)
    assert any("it does not fail" in fault for fault in faults)


def test_sources_that_a_makefile_lacks_are_told(directories, tmp_path, monkeypatch):
    """Also if the bench cannot be compiled."""

    def refuse(*_arguments, **_options):
        raise ToolError("it is not compiled", [], None, "")

    path = copied(directories("axi"), tmp_path)
    makefile = path / "sim" / "Makefile"
    makefile.write_text(makefile.read_text().replace("../rtl/primitives.v", "../primitives.v"))
    monkeypatch.setattr(shipped_bench.verilator, "build_bench", refuse)
    sources, compiled = verify_bench(path, Operation.FIELD_MULTIPLY)
    assert "SOURCES are not the files" in sources
    assert "it is not compiled" in compiled


def test_a_bench_that_is_killed_says_nothing(tmp_path):
    """And nothing is kept of it: it is run again."""
    program, sim = tmp_path / "bench", tmp_path / "core" / "sim"
    sim.mkdir(parents=True)
    program.write_text("#!/bin/sh\nkill -KILL $$\n")
    program.chmod(0o755)
    for _ in range(2):
        with pytest.raises(ToolError, match="the test bench failed"):
            shipped_bench._run(program, sim)


TEXT_FAULTS = [
    ("{top}.core", "CAPI=2:", "CAPI=1:"),
    ("{top}.core", "toplevel: {top}", "toplevel: {name}_bus"),
    ("{top}.core", "- rtl/{name}.v", "- rtl/{name}_core.v"),
    ("{top}.core", "      - rtl/{name}.v\n", ""),
    ("{top}.core", "- rtl/primitives.v", "- rtl/ecp5/primitives.v\n      - rtl/primitives.v"),
    ("{top}.core", "filesets: [rtl, primitives]", "filesets: [rtl]"),
    ("{top}.core", "filesets: [rtl, primitives]", "filesets: [rtl, primitive]"),
    ("{top}.core", "file_type: LPF", "file_type: lfp"),
    ("{top}.core", "filesets:\n", "filesets\n"),
    ("{top}.core", "name: residua:cores:", "name: residua:"),
    ("constraints/{top}.lpf", 'PORT "clk"', 'PORT "clock"'),
    ("constraints/{top}.lpf", "MHZ;", "MHZ"),
    ("constraints/{top}.lpf", "BLOCK ASYNCPATHS", "BLOCK ALL"),
    ("constraints/{top}.xdc", "[get_ports clk]", "[get_ports clock]"),
    ("constraints/{top}.xdc", "[get_ports clk]", "[get_ports clk"),
    ("constraints/{top}.xdc", "create_clock", "make_clock"),
    ("constraints/{top}.xdc", "$inputs", "$ins"),
    ("constraints/{top}.xdc", "-period 5", "-period -5"),
    ("constraints/{top}.xdc", "read_xdc -ref {top}", "read_xdc -ref {name}"),
    ("constraints/out_of_context.tcl", "{STEPS", "STEPS"),
    ("vhdl/{top}.vhd", "  component {top} is", "  component {name} is"),
    ("vhdl/{top}.vhd", "      clk : in std_logic;\n", ""),
    ("vhdl/{top}.vhd", "      clk : in ", "      clk : out "),
    ("vhdl/{top}.vhd", "std_logic_vector(", "std_logic_vector(1"),
    ("vhdl/{top}.vhd", "rst => rst", "rst => clk"),
    ("vhdl/{top}.vhd", "end package;", ""),
]


@pytest.mark.parametrize("fault", TEXT_FAULTS, ids=str)
def test_faults_of_what_takes_the_core_into_a_design_are_found(fault, directories, tmp_path):
    made = directories("axi")
    path = copied(made, tmp_path)
    assert verify_texts(path, made.manifest) == []
    names = {"top": made.top, "name": made.name}
    name, old, new = (
        text.replace("{top}", names["top"]).replace("{name}", names["name"]) for text in fault
    )
    text = (path / name).read_text()
    assert old in text
    (path / name).write_text(text.replace(old, new, 1))
    assert verify_texts(path, made.manifest)


SEAMS = {
    "verify_bus": (7, ["wrong"]),
    "verify_bus_alone": ["wrong"],
    "verify_driver": ["wrong"],
    "verify_bench": ["wrong"],
    "verify_texts": ["wrong"],
}


@pytest.mark.parametrize("broken", [None, *SEAMS])
def test_any_seam_that_fails_fails_the_verification(broken, directories, monkeypatch, tmp_path):
    made = Directory.open(copied(directories("axi"), tmp_path))
    monkeypatch.setattr(Directory, "made", directories("axi").made)
    for model in ("directory_model", "stand_in_model"):
        monkeypatch.setattr(evidence, model, lambda *_a, **_k: None)
    passed = EccResult(cycles=[{}], constant_time=True)
    monkeypatch.setattr(verification, "verify_coprocessor", lambda *_a, **_k: passed)
    for seam, failing in SEAMS.items():
        answer = failing if seam == broken else ((7, []) if seam == "verify_bus" else [])
        monkeypatch.setattr(evidence, seam, lambda *_a, answer=answer, **_k: answer)
    found = verify_directory(made, vectors=1)
    assert found["passed"] == (broken is None)
    assert found["failures"] == ([] if broken is None else ["wrong"])
    assert found["bus_operations"] == 7
