import json
import re
import subprocess
import tomllib
from pathlib import Path

import pytest
from tests.small_curves import TINY

from residua.cores.coprocessor import verification as ecc_verification
from residua.cores.coprocessor.cases import Case
from residua.cores.coprocessor.outcomes import given_outcome, outcome
from residua.cores.coprocessor.simulator import Answer
from residua.cores.coprocessor.specification import CoprocessorSpecification
from residua.cores.directory import Directory, build
from residua.cores.drawing import gantt
from residua.cores.drawing.routines import extension_results
from residua.cores.simulation.runs import EVERY
from residua.cores.specification.reading import check, load_any
from residua.cores.verification import verify_directory
from residua.curves.catalogue import find_curve
from residua.curves.operations.codes import Operation, Status
from residua.errors import SpecificationError
from residua.report import page
from residua.toolchain.verilator import lint

pytestmark = pytest.mark.usefixtures("quick")

SMALL = {"curve": TINY, "width": 12, "blinding": 0}


def contents(path: Path) -> dict[str, bytes]:
    return {
        str(p.relative_to(path)): p.read_bytes() for p in sorted(path.rglob("*")) if p.is_file()
    }


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    return build(check(CoprocessorSpecification, SMALL), tmp_path_factory.mktemp("built") / "core")


def test_specification_can_be_fed_back_and_gives_the_same_bytes(built, tmp_path):
    again = build(load_any(built.path / "spec.toml", {}), tmp_path / "again")
    assert contents(again.path) == contents(built.path)
    resolved = tomllib.loads((built.path / "spec.toml").read_text())
    channels = built.manifest["parameters"]["n"]
    assert (resolved["channels"], resolved["rowers"]) == (channels, channels)
    assert resolved["bases"] == "sparse"


def test_files_of_a_bus(built):
    files = set(contents(built.path))
    assert built.top == f"{built.name}_axi"
    assert {f"rtl/{built.name}.v", f"rtl/{built.top}.v", "rtl/primitives.v"} <= files
    assert {"driver/residua_ecc.c", "driver/residua_ecc_registers.h", "registers.html"} <= files
    assert {"registers.rdl", f"vhdl/{built.top}.vhd"} <= files
    assert sorted(built.manifest["files"]) == sorted(files - {"manifest.json"})
    assert str(built.path.parent).encode() not in b"".join(contents(built.path).values())


def test_verilog_has_no_lint(built):
    assert lint(built.sources(), built.top) == []
    assert lint(built.sources(top=built.name), built.name) == []


def test_driver_compiles(built, tmp_path):
    sources = sorted((built.path / "driver").glob("*.c"))
    command = ["cc", "-std=c99", "-Wall", "-Wextra", "-Werror", "-c", *map(str, sources)]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_manifest_tells_curves_codes_and_ports(built):
    manifest = json.loads((built.path / "manifest.json").read_text())
    assert manifest["kind"] == "coprocessor"
    assert [curve["name"] for curve in manifest["parameters"]["curves"]] == ["tiny"]
    assert manifest["interface"]["words"] == 1
    codes = {one["name"]: one["code"] for one in manifest["interface"]["operations"]}
    assert codes["POINT_MULTIPLY"] == 1
    assert codes["ORDER_MULTIPLY_ADD"] == 11
    widths = {port["name"]: port["width"] for port in manifest["raw_ports"]}
    assert (widths["command_payload"], widths["result_payload"]) == (16, 33)
    assert {"s_axi_awaddr", "m_axis_result_tdata", "irq"} <= {
        port["name"] for port in manifest["ports"]
    }
    steps = manifest["cycles"]["ladder_steps"]
    assert manifest["parameters"]["blinding"] == [0]
    assert steps == manifest["cycles"]["ladder_bits"] == [17]
    operations = manifest["cycles"]["operations"][0]
    assert operations["POINT_MULTIPLY"] > steps[0] * manifest["cycles"]["ladder_step"]


def test_readme_lists_every_operation_and_status(built):
    text = (built.path / "README.md").read_text()
    for operation in built.manifest["interface"]["operations"]:
        assert f"| {operation['code']} | {operation['name']} |" in text
        cycles = built.manifest["cycles"]["operations"][0][operation["name"]]
        assert f"| {operation['name']} | {cycles} |" in text
    for status in Status:
        code = built.made.core.design.status_codes.of(status)
        assert f"| {code} | {status.name} |" in text


def test_plain_streams_have_neither_bus_nor_driver(tmp_path):
    made = build(
        check(CoprocessorSpecification, {**SMALL, "bus": "stream", "name": "unit"}),
        tmp_path / "core",
    )
    assert made.top == made.name == "unit"
    assert sorted(contents(made.path)) == [
        "README.md",
        "constraints/out_of_context.tcl",
        "constraints/unit.lpf",
        "constraints/unit.xdc",
        "manifest.json",
        "rtl/ecp5/primitives.v",
        "rtl/primitives.v",
        "rtl/unit.v",
        "sim/Makefile",
        "sim/bench.v",
        "sim/vectors.hex",
        "spec.toml",
        "unit.core",
        "vhdl/unit.vhd",
    ]
    opened = Directory.open(made.path)
    assert opened.made.core.channels == made.manifest["parameters"]["n"]


def test_verification_passes_and_is_kept(built):
    found = verify_directory(Directory.open(built.path), vectors=1)
    assert found["passed"], found["failures"]
    assert (found["mismatches"], found["constant_time"]) == (0, True)
    assert found["cycles"]["tiny"].keys() == {
        one["name"] for one in built.manifest["interface"]["operations"]
    }
    assert [found["cycles"]["tiny"]] == built.manifest["cycles"]["operations"]
    assert set(built.results()) == {"verify"}
    text = page.render(built)
    step = built.manifest["cycles"]["ladder_step"]
    for part in ("A step of the ladder", f"the step takes {step},", "Routines", "ladder_step</td>"):
        assert part in text
    assert f"{found['operations']} operations compared" in text
    assert "POINT_MULTIPLY" in text


def test_chart_of_the_ladder_step_shows_every_slot_once(built):
    routine = built.made.core.design.processor.routines["ladder_step"]
    rows = gantt._elements(routine)
    assert [placed for _, members in rows for placed in members] == list(routine.placed)
    cycles = [
        cycle
        for placed in routine.placed
        for bar in gantt.slot_bars(placed)
        for cycle in range(bar.start, bar.start + bar.length)
    ]
    assert len(cycles) == len(set(cycles)) <= routine.length
    reductions = [name for name, members in rows if members[-1].sequence.name == "s_a"]
    assert extension_results(routine) == 2 * len(reductions)
    kinds = {kind for kind, _ in gantt.legend(routine)}
    assert {"product", "broadcast", "gate"} <= kinds
    drawn = set(re.findall(r'<rect class="(\w+)"', gantt.one_routine(routine)))
    assert drawn == kinds


def test_report_shows_the_times_of_a_synthesis(built, monkeypatch):
    found = {
        "target": "ecp5", "tool": "yosys, nextpnr-ecp5", "device": "LFE5U-85F speed 8",
        "resources": {"lut": 4321, "ff": 99, "dsp": 5, "bram": 7, "carry": 8},
        "fmax_mhz": 123.4, "seeds": [{"seed": 1, "mhz": 131.5}],
        "points": [{
            "curve": "tiny", "operation": "POINT_MULTIPLY", "cycles": 17626, "microseconds": 142.8,
            "area_time": 617,
        }],
    }  # fmt: skip
    monkeypatch.setattr(Directory, "results", lambda _directory: {"synth-ecp5": found})
    text = page.render(built)
    for part in ("0.143 ms", "142.8", "123.4 MHz", "4 321", "131.5 MHz", "17626", "617", "speed 8"):
        assert part in text


def test_wrong_results_are_told(built, monkeypatch):
    def wrong(design, curve, operation, operands):
        status, results = given_outcome(design, curve, operation, operands)
        return status, tuple(number ^ 1 for number in results)

    monkeypatch.setattr("residua.cores.coprocessor.cases.given_outcome", wrong)
    monkeypatch.setattr(Directory, "store", lambda *_arguments: None)
    found = verify_directory(Directory.open(built.path), vectors=1)
    assert not found["passed"]
    assert found["mismatches"] > ecc_verification.MOST_FAILURES
    *told, through_bus = found["failures"]
    assert len(told) == ecc_verification.MOST_FAILURES
    assert told[0].startswith("POINT_MULTIPLY on tiny of (0x")
    assert through_bus.startswith("through the bus, after 0 operations: operation 1 on curve 0")


def test_cycles_that_vary_are_no_success(built):
    design = built.made.core.design
    cases = [Case(0, Operation.VALIDATE, (1, 2), (Status.OK, ())) for _ in range(2)]
    answers = [Answer(Status.OK, (), cycles, 0) for cycles in (100, 101)]
    judged = ecc_verification._judged(design, cases, answers, [True, True])
    assert (judged.mismatches, judged.passed) == (0, False)
    same = ecc_verification._judged(design, cases, [answers[1]] * 2, [True, True])
    told = built.manifest["cycles"]["operations"][0]["VALIDATE"]
    assert (same.mismatches, same.passed) == (1, False)
    assert same.failures == [f"VALIDATE on tiny takes 101 cycles instead of {told}"]
    assert judged.failures == ["VALIDATE on tiny with status OK takes 100 to 101 cycles"]


def test_cycles_are_those_of_operations_without_pauses(built):
    design = built.made.core.design
    cases = [Case(0, Operation.VALIDATE, (1, 2), (Status.OK, ())) for _ in range(41)]
    pauses = list(ecc_verification._pauses(cases, None))
    assert [index for index, paused in enumerate(pauses) if paused] == [10, 20, 30, 40]
    answers = [Answer(Status.OK, (), 200 if paused else 100, 0) for paused in pauses]
    judged = ecc_verification._judged(design, cases, answers, [not paused for paused in pauses])
    assert judged.constant_time is True
    assert judged.cycles == [{"VALIDATE": 100}]
    none = ecc_verification._judged(design, cases, answers, [False] * len(cases))
    assert (none.constant_time, none.passed) == (None, True)


def test_no_runs_are_refused(built):
    with pytest.raises(SpecificationError, match="at least 1 run, not 0"):
        verify_directory(Directory.open(built.path), vectors=0)


@pytest.mark.parametrize(
    ("operation", "operands", "expected"),
    [
        (Operation.FIELD_MULTIPLY, (3, 5), (Status.OK, (15,))),
        (Operation.FIELD_MULTIPLY, (1 << 256, 5), (Status.OPERAND_RANGE, ())),
        (Operation.ORDER_INVERT, (0,), (Status.NO_INVERSE, ())),
        (Operation.BASE_MULTIPLY, (0,), (Status.NEUTRAL, ())),
        (Operation.BASE_MULTIPLY, (1 << 256,), (Status.SCALAR_RANGE, ())),
        (Operation.POINT_MULTIPLY, (2, 3, 4), (Status.NOT_ON_CURVE, ())),
        (Operation.VALIDATE, (1 << 256, 4), (Status.OPERAND_RANGE, ())),
    ],
)
def test_outcomes(operation, operands, expected):
    assert outcome(find_curve("P-256"), 256, operation, operands) == expected


def test_outcomes_on_a_montgomery_curve():
    curve = find_curve("Curve25519")
    assert outcome(curve, 255, Operation.VALIDATE, (1,)) == (Status.SMALL_ORDER, ())
    assert outcome(curve, 255, Operation.VALIDATE, (9,)) == (Status.OK, ())
    assert outcome(curve, 255, Operation.BASE_MULTIPLY, (1,)) == (Status.OK, (9,))
    assert outcome(curve, 255, Operation.X_MULTIPLY, (curve.order, 9)) == (Status.NEUTRAL, ())


def test_resets_in_every_cycle_before_an_operation_ends():
    case = Case(0, Operation.VALIDATE, (1, 2), (Status.OK, ()))
    (answer,) = answers = [Answer(Status.OK, (), 5, 0)]
    found = list(ecc_verification._interruptions([case], answers, EVERY))
    pulses = sorted((each.instant, each.reset) for each in found)
    assert pulses == [(cycle, long) for cycle in range(1, answer.cycles) for long in (1, 2, 3)]


@pytest.mark.parametrize("early", [False, True])
def test_an_operation_that_ends_before_its_reset_is_judged(early):
    class Core:
        def outcomes(self, requests):
            assert [request.abort for request in requests] == [3, 0]
            return [answer if early else None, answer]

    case = Case(0, Operation.VALIDATE, (1, 2), (Status.OK, ()))
    answer = Answer(Status.OK, (), 2, 0)
    interruption = ecc_verification._Interruption(case, 3, 1, 0, case)
    judged = list(ecc_verification._around_resets(Core(), [interruption]))
    assert judged == [(case, answer)] * (1 + early)
