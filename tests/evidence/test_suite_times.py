"""The benchmark of the tests: what it counts of a run of a few tests."""

import shutil
import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from tempfile import TemporaryDirectory

from rich.console import Console

from residua import cache
from residua.toolchain import verilator_runtime

SUITE = Path(__file__).parents[2] / "benchmarks" / "suite.py"


def take_shared_parts(own_cache):
    """What all simulators share is not compiled again."""
    with TemporaryDirectory() as work:
        verilator_runtime.headers(Path(work))
        parts = [verilator_runtime.runtime(), *Path(work).glob("*.gch")]
        for part in (link.resolve() for link in parts):
            copy = own_cache / "residua" / part.relative_to(cache.folder())
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(part, copy)


def test_a_run_is_told_by_kinds_and_slowest_tests(monkeypatch, tmp_path):
    spec = spec_from_file_location("suite", SUITE)
    suite = module_from_spec(spec)
    spec.loader.exec_module(suite)
    monkeypatch.setattr(suite, "LOG", tmp_path / "suite.log")
    monkeypatch.setattr(
        sys,
        "argv",
        [
            "suite",
            "tests/toolchain/test_verilator.py",
            "-k",
            "kept or bench or log",
            "--durations=1",
        ],
    )
    own_cache = tmp_path / "cache"
    take_shared_parts(own_cache)
    cells, slowest = suite.run(own_cache, Console(quiet=True))
    count, minutes, total, *seconds = cells.split(" | ")
    assert int(count) > 0
    assert float(minutes) >= 0
    assert len(seconds) == len(suite.KINDS)
    assert abs(sum(map(float, seconds)) - float(total)) <= len(seconds)
    spent = dict(zip(suite.KINDS, map(float, seconds), strict=True))
    assert min(spent["Python"], spent["compile"]) > 0
    assert spent["prove"] == spent["solve"] == 0
    assert "tests/toolchain/test_verilator.py" in slowest
