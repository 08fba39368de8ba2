import os
import subprocess

import pytest
from tests.cores.coprocessor.test_ecc_directory import SMALL

from residua.cores.bus.vectors import END, HEADER
from residua.cores.coprocessor.specification import CoprocessorSpecification
from residua.cores.core import BENCH
from residua.cores.directory import build
from residua.cores.specification.reading import check
from residua.curves.operations.codes import Status
from residua.curves.protections.status_codes import StatusCodes
from residua.toolchain import verilator
from residua.toolchain.verilator import bench_compiler
from residua.toolchain.verilator_runtime import ROOT

pytestmark = pytest.mark.usefixtures("quick")

BUSES = {
    "stream": {"bus": "stream", "name": "unit"},
    "axi": {},
    "wishbone": {"bus": "wishbone"},
}
CODES = StatusCodes(sparse=True)
STATUSES = CODES.statuses
ENDS = ("NEUTRAL", "NOT_ON_CURVE", "ZEROISED")


def built(bus, folder):
    return build(check(CoprocessorSpecification, SMALL | BUSES[bus]), folder / "core").path


@pytest.fixture(scope="module", params=BUSES)
def simulation(request, tmp_path_factory):
    """The folder of a bench, its program, and what it printed."""
    path = built(request.param, tmp_path_factory.mktemp(request.param))
    sources = [path / BENCH, *sorted((path / "rtl").glob("*.v"))]
    bench = verilator.build_bench(path / "sim", sources)
    done = subprocess.run([bench], cwd=path / "sim", capture_output=True, text=True, check=True)
    return path / "sim", bench, done.stdout


def records(text):
    return [
        [int(word, 16) for word in line.split()]
        for line in text.splitlines()
        if not line.startswith("//")
    ]


def few(simulation, chosen):
    """The first vector that is chosen, among cheap ones, and all of them in their order."""
    vectors = records((simulation[0] / "vectors.hex").read_text())
    found = next(record for record in vectors[:-1] if chosen(record))
    cheap = [record for record in vectors[:-1] if record[0] == 6 and record is not found]
    return found, [*cheap, found, *cheap, vectors[-1]]


def run(simulation, work, vectors):
    """The exit code and the output of a compiled bench with other vectors."""
    (work / "vectors.hex").write_text(
        "\n".join(" ".join(f"{word:08x}" for word in record) for record in vectors)
    )
    command = [simulation[1]]
    done = subprocess.run(
        command,
        cwd=work,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    return done.returncode, done.stdout + done.stderr


def test_bench_passes(simulation):
    path, _, output = simulation
    vectors = records((path / "vectors.hex").read_text())
    assert vectors[-1] == [END]
    assert f"PASS: {len(vectors) - 1} operations" in output
    assert output.count("ok ") == len(vectors) - 1
    assert "WRONG" not in output
    statuses = {STATUSES[record[3]].name for record in vectors[:-1]}
    assert statuses == {"OK", "OPERAND_RANGE", "SCALAR_RANGE", "BAD_OPERATION", "NO_INVERSE", *ENDS}


def test_a_makefile_runs_its_bench_and_has_nothing_left_to_do(tmp_path):
    sim = built("stream", tmp_path) / "sim"
    tool = bench_compiler(tmp_path)
    command = ["make", "-C", str(sim), "JOBS=1", f"VERILATOR={tool}"]
    environment = {**os.environ, "VERILATOR_ROOT": str(ROOT)}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "PASS: " in done.stdout
    command = ["make", "-C", str(sim), "--question", "obj_dir/bench"]
    assert subprocess.run(command, check=False, capture_output=True).returncode == 0


@pytest.mark.parametrize("position", [0, -1])
def test_a_wrong_word_of_a_result_is_found(simulation, tmp_path, position):
    wrong, vectors = few(simulation, lambda record: record[0] == 1 and record[5])
    results = len(wrong) - wrong[5]
    wrong[results + position if position >= 0 else -1] ^= 1 << 31
    code, output = run(simulation, tmp_path, vectors)
    assert code != 0
    assert (output.count("WRONG"), "FAIL: 1 of" in output, "PASS" in output) == (1, True, False)


@pytest.mark.parametrize("status", ENDS)
def test_a_wrong_status_is_found(simulation, tmp_path, status):
    record, vectors = few(simulation, lambda record: STATUSES[record[3]].name == status)
    record[3] = CODES.of(Status.OPERAND_RANGE)
    code, output = run(simulation, tmp_path, vectors)
    assert code != 0
    assert "FAIL: 1 of" in output


def test_a_result_that_should_not_be_there_is_found(simulation, tmp_path):
    record, vectors = few(simulation, lambda record: record[0] == 6 and record[5])
    del record[HEADER + record[4] :]
    record[5] = 0
    code, output = run(simulation, tmp_path, vectors)
    assert code != 0
    # On Wishbone the word that nobody takes is in the way of what follows.
    assert "FAIL: " in output
    assert "WRONG" in output


def test_an_operation_without_its_operands_hangs(simulation, tmp_path):
    record, vectors = few(simulation, lambda record: record[0] == 6 and record[5])
    del record[HEADER + record[4] - 1]
    record[4] -= 1
    code, output = run(simulation, tmp_path, vectors)
    assert code != 0
    assert "FAIL: operation 6 hangs" in output


def test_missing_vectors_are_told(simulation, tmp_path):
    code, output = run(simulation, tmp_path, [])
    assert code != 0
    assert "there are no vectors in vectors.hex" in output


def test_vectors_without_an_end_are_told(simulation, tmp_path):
    _, vectors = few(simulation, lambda record: record[0] == 6)
    code, output = run(simulation, tmp_path, [*vectors[:-1], [255, 0, 0, 6, 0, 0]])
    assert code != 0
    assert "PASS" not in output
