"""The benchmark of the tests: what it counts of a run of a few tests."""

import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

from rich.console import Console

SUITE = Path(__file__).parents[2] / "benchmarks" / "suite.py"


def test_a_run_is_told_by_kinds_and_slowest_tests(monkeypatch, tmp_path):
    spec = spec_from_file_location("suite", SUITE)
    suite = module_from_spec(spec)
    spec.loader.exec_module(suite)
    monkeypatch.setattr(suite, "LOG", tmp_path / "suite.log")
    monkeypatch.setattr(
        sys, "argv", ["suite", "tests/toolchain/test_verilator.py", "-k", "kept", "--durations=1"]
    )
    cells, slowest = suite.run(tmp_path / "cache", Console(quiet=True))
    count, minutes, total, *seconds = cells.split(" | ")
    assert int(count) > 0
    assert float(minutes) >= 0
    assert len(seconds) == len(suite.KINDS)
    assert abs(sum(map(float, seconds)) - float(total)) <= len(seconds)
    spent = dict(zip(suite.KINDS, map(float, seconds), strict=True))
    assert min(spent["Python"], spent["compile"]) > 0
    assert spent["prove"] == spent["solve"] == 0
    assert "tests/toolchain/test_verilator.py" in slowest
