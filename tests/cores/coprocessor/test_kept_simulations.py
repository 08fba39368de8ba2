"""Answers of a simulated coprocessor are kept by the simulator and its script alone."""

import pytest

from residua.cores.coprocessor.simulator import Answer, CoprocessorSimulator, Request
from residua.curves.operations.codes import Operation, Status
from residua.toolchain import process
from residua.toolchain.planted.mutation import VARIABLE
from residua.toolchain.process import ToolError

SAYS = "#!/bin/sh\necho '0 5 1 00000007'\n"
ANSWER = Answer(Status.OK, (7,), 5, 1)


@pytest.fixture(autouse=True)
def runs(monkeypatch, tmp_path):
    """The simulations that ran, in a cache of this test alone."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    found, ever = [], process.run

    def run(command, **options):
        found.append(command)
        return ever(command, **options)

    monkeypatch.setattr(process, "run", run)
    return found


def simulator(folder, text=SAYS):
    path = folder / "simulator"
    path.write_text(text)
    path.chmod(0o755)
    return CoprocessorSimulator(path, words=1, patience=9)


def asked(operand=3):
    return [Request(Operation.FIELD_INVERT, (operand,))]


def test_the_same_script_runs_once(tmp_path, runs):
    assert [simulator(tmp_path).run(asked()) for _ in range(2)] == [[ANSWER]] * 2
    assert len(runs) == 1


def test_another_script_or_simulator_runs(tmp_path, runs):
    simulator(tmp_path).run(asked())
    simulator(tmp_path).run(asked(4))
    (answer,) = simulator(tmp_path, SAYS.replace("5", "6")).run(asked())
    assert answer.cycles == 6
    assert len(runs) == 3


def test_another_mutant_runs(tmp_path, runs, monkeypatch):
    """A simulator with mutants is one file: what it says depends on the one that is chosen."""
    text = f'#!/bin/sh\necho "0 5${VARIABLE} 1 00000007"\n'
    cycles = []
    for chosen in ("0", "1", "1", "2"):
        monkeypatch.setenv(VARIABLE, chosen)
        (answer,) = simulator(tmp_path, text).run(asked())
        cycles.append(answer.cycles)
    assert cycles == [50, 51, 51, 52]
    assert len(runs) == 3


def test_one_that_hangs_is_not_kept(tmp_path, runs):
    for _ in range(2):
        with pytest.raises(ToolError, match="simulator failed"):
            simulator(tmp_path, "#!/bin/sh\necho hang\nexit 1\n").run(asked())
    assert len(runs) == 2
