"""Simulations that are kept: by what they depend on, and by nothing else."""

import os
from pathlib import Path

import pytest

from residua.toolchain.kept.simulations import keep_simulation
from residua.toolchain.planted.mutation import VARIABLE


@pytest.fixture(autouse=True)
def own_cache(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


def said(folder: Path, executable: Path, script: str = "") -> tuple[str, bool]:
    """The log of a run, and whether it took place."""
    log, runs = folder / "log", []
    log.unlink(missing_ok=True)

    def run() -> None:
        runs.append(log.write_text(f"{script} {os.environ.get(VARIABLE, '')}"))

    return keep_simulation(executable, [script], log, run), bool(runs)


@pytest.fixture
def simulator(tmp_path: Path) -> Path:
    path = tmp_path / "simulator"
    path.write_bytes(b"one")
    return path


def test_the_same_runs_once(tmp_path: Path, simulator: Path) -> None:
    assert said(tmp_path, simulator) == (" ", True)
    assert said(tmp_path, simulator) == (" ", False)
    assert said(tmp_path, simulator, "script") == ("script ", True)


def test_another_simulator_under_the_same_name_runs(tmp_path: Path, simulator: Path) -> None:
    said(tmp_path, simulator)
    simulator.write_bytes(b"another")
    assert said(tmp_path, simulator)[1]


@pytest.mark.parametrize("has_mutants", [True, False])
def test_a_mutant_matters_where_there_are_some(
    tmp_path: Path, simulator: Path, monkeypatch: pytest.MonkeyPatch, has_mutants: bool
) -> None:
    """What is beside a module with mutants need not run again for each of them."""
    if has_mutants:
        simulator.write_bytes(b"... getenv " + VARIABLE.encode() + b" ...")
    monkeypatch.setenv(VARIABLE, "1")
    assert said(tmp_path, simulator) == (" 1", True)
    monkeypatch.setenv(VARIABLE, "2")
    assert said(tmp_path, simulator)[1] == has_mutants
