"""What a directory ships is run as it lies there: a fault that the emitter makes is found."""

import functools
import shutil
from types import SimpleNamespace

import pytest
from tests.cores.planted import replaced
from tests.cores.test_tampering import COPROCESSOR

from residua.cores.bus import bench as shipped_bench
from residua.cores.bus.bench import verify_bench
from residua.cores.bus.host import Fault, Host
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
from residua.toolchain.process import ToolError

OF_A_BUS = {"axi": {"bus": "axi", "blinding": 0}, "wishbone": {"bus": "wishbone"}}


@pytest.fixture(scope="module")
def directories(tmp_path_factory):
    """A coprocessor on a bus."""
    return functools.cache(
        lambda bus: build(
            check_any({**COPROCESSOR, **OF_A_BUS[bus]}), tmp_path_factory.mktemp(bus) / "core"
        )
    )


@pytest.fixture(scope="module")
def models(directories):
    return functools.cache(lambda bus: directory_model(directories(bus), optimise=False))


def copied(directory, tmp_path):
    return shutil.copytree(directory.path, tmp_path / "core")


@pytest.mark.parametrize("bus", ["axi", "wishbone"])
def test_bus_and_driver_pass(bus, directories, models):
    design = directories(bus).made.core.design
    operations, faults = verify_bus(models(bus), design, 3)
    assert faults == []
    assert operations > 3 * len(design.operation_codes)
    assert verify_driver(directories(bus), design) == []


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("assign irq = n3 | n4;", "assign irq = n3;", "no interrupt tells of a refused access"),
        (
            "core (\n    .clk(clk),\n    .rst(rst)",
            "core (\n    .clk(clk),\n    .rst(1'b0)",
            "reset",
        ),
    ],
)
def test_a_fault_of_the_bus_is_found(old, new, message, directories, tmp_path, monkeypatch):
    made = directories("axi")
    design, path = made.made.core.design, copied(made, tmp_path)
    broken = replaced(monkeypatch, path, f"rtl/{made.top}.v", old, new)
    broken.check()
    model = directory_model(broken, optimise=False)
    _, faults = verify_bus(model, design, 3)
    assert len(faults) == 1
    assert message in faults[0]


ALONE_FAULTS = {
    ".random_payload(random_payload)": (".random_payload(random_payload ^ 1 << 31)", "random word"),
    ".operands_payload(operands_payload)": (
        ".operands_payload(operands_payload & ~(operands_payload[3] << 30))",
        "operand word",
    ),
    ".command_payload(command_payload)": (".command_payload(command_payload & 16'h7fff)", "status"),
    ".zeroise(zeroise)": (".zeroise(1'b0)", "busy"),
    "{8{write_strobe[1]}}": ("{8{write_strobe[0]}}", "bytes"),
}
"""Faults between bus and core, and what is said of them, by what they replace."""


@pytest.mark.parametrize("old", [None, *ALONE_FAULTS])
@pytest.mark.parametrize("bus", ["axi", "wishbone"])
def test_a_bus_around_a_stand_in(bus, old, directories, tmp_path, monkeypatch):
    """A bus passes on each bit, whether or not a result depends on it."""
    made = directories(bus)
    new, message = ALONE_FAULTS.get(old, ("", None))
    if old:
        path = copied(made, tmp_path)
        made = replaced(monkeypatch, path, f"rtl/{made.top}.v", old, new)
    faults = verify_bus_alone(stand_in_model(made), 3)
    assert len(faults) == (old is not None)
    assert all(message in fault for fault in faults)


LINGERING = """      else begin
        output_payload <= 32'h00000000;"""
CLOSE_FAULTS = {
    "write_valid <= n8": ("write_valid <= n5", "too early or too late"),
    "n2 = n1 | bus_rready": ("n2 = 1'b1", "too early or too late"),
    "bus_rdata <= 32'h00000000": ("bus_rdata <= bus_rdata", "beside no answer"),
    "? n48 : 32'h00000000": ("? n48 : 32'h00000001", "beside a refusal"),
    LINGERING: (LINGERING.replace("00;", "01;"), "stays in a buffer"),
    "result_valid = output_valid_81 & n5": ("result_valid = output_valid_81", "zeroisation"),
    "write_data == 32'h5a45524f": ("write_data[30:0] == 31'h5a45524f", "not refused"),
    "n68 | interrupt_state_set_done": ("n68", "INTERRUPT_STATE"),
}
"""Faults of AXI that show when accesses, or flags, follow closely, or come near to a key."""


@pytest.mark.parametrize("old", CLOSE_FAULTS)
def test_close_accesses(old, directories, tmp_path, monkeypatch):
    made = directories("axi")
    new, message = CLOSE_FAULTS[old]
    broken = replaced(monkeypatch, copied(made, tmp_path), f"rtl/{made.top}.v", old, new)
    (fault,) = verify_bus_alone(stand_in_model(broken), 3)
    assert message in fault


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


def test_faults_of_the_bench_are_found(directories, tmp_path):
    made = directories("axi")
    path = copied(made, tmp_path)
    assert verify_bench(path, Operation.FIELD_MULTIPLY) == []
    vectors = path / "sim" / "vectors.hex"
    lines = vectors.read_text().splitlines()
    status = lines[-2].split()[3]
    wrong = lines[-2].replace(status, f"{int(status, 16) ^ 1:08x}")
    vectors.write_text("\n".join([*lines[:-2], wrong, lines[-1], ""]))
    makefile = path / "sim" / "Makefile"
    makefile.write_text(makefile.read_text().replace("../rtl/primitives.v", "../primitives.v"))
    faults = verify_bench(path, Operation.FIELD_MULTIPLY)
    for told in ("WRONG", "SOURCES"):
        assert any(told in fault for fault in faults)


def test_a_bench_that_is_killed_says_nothing(tmp_path):
    """And nothing is kept of it: it is run again."""
    program, sim = tmp_path / "bench", tmp_path / "core" / "sim"
    sim.mkdir(parents=True)
    program.write_text("#!/bin/sh\nkill -KILL $$\n")
    program.chmod(0o755)
    for _ in range(2):
        with pytest.raises(ToolError, match="the test bench failed"):
            shipped_bench._run(program, sim)


def test_a_bench_that_passes_whatever_comes_is_found(directories, tmp_path):
    made = directories("axi")
    path = copied(made, tmp_path)
    bench = path / "sim" / "bench.v"
    text = bench.read_text()
    assert "right = 1'b0" in text
    bench.write_text(text.replace("right = 1'b0", "right = right"))
    faults = verify_bench(path, Operation.FIELD_MULTIPLY)
    assert any("it does not fail" in fault for fault in faults)


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
