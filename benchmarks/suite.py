"""Measure the tests: minutes, and CPU seconds by what they are spent on.

Runs pytest with the arguments that are given, with an empty cache and again with what that run has
kept, then `make test` on files that have not changed, and writes docs/results/suite.md. Nothing
else should run meanwhile.
"""

import json
import os
import re
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory

from rich.console import Console

from residua.toolchain.commit import source_commit

ROOT = Path(__file__).parent.parent
RESULT = ROOT / "docs" / "results" / "suite.md"
LOG = ROOT / "build" / "suite.log"
KINDS = ("compile", "simulate", "prove", "synthesise", "solve", "Python", "other programs")

_COUNT = re.compile(r"(\d+) passed")
_SLOW = re.compile(r"^ *([\d.]+)s (call|setup|teardown) +(.+)$", re.MULTILINE)

HEADER = """# How long the tests take

Made by `make bench-suite` at commit `{commit}`: the tests of `make test` on {machine},
with an empty cache and with what that run has kept. CPU seconds by what they are spent on: C++
compilers and Verilator; simulators; SymbiYosys and ABC; Yosys and nextpnr; CP-SAT; Python, of
which Amaranth's simulator and its emission of Verilog are the larger part; cocotb and whatever else
tests start.

| cache | tests | minutes | CPU s | {kinds} |
|---|--:|--:|--:|{rules}|
"""

AGAIN = """
`make test` after that, with formatting, lint, types and documentation: {minutes:.1f} minutes.
Modules of tests that have passed with the same files are not run again.
"""


def _minutes(command: list[str], more: dict[str, str]) -> float:
    """How long a command takes with more variables; what it says is in `LOG`, told if it fails."""
    LOG.parent.mkdir(exist_ok=True)
    start = time.monotonic()
    with LOG.open("w", encoding="utf-8") as log:
        code = subprocess.run(
            command, cwd=ROOT, env={**os.environ, **more}, stdout=log, check=False
        ).returncode
    minutes = (time.monotonic() - start) / 60
    if code:
        sys.exit(LOG.read_text(encoding="utf-8"))
    return minutes


def run(cache: Path, console: Console) -> tuple[str, str]:
    """A row of the table, and the slowest tests."""
    with TemporaryDirectory() as times:
        more = {"XDG_CACHE_HOME": str(cache), "RESIDUA_SUITE_TIMES": times}
        more["PYTHONPATH"] = os.pathsep.join([str(ROOT / "benchmarks"), str(ROOT / "src")])
        plugins = ["-p", "suite_times", "-p", "tests.kept_verdicts", "--anew"]
        command = [sys.executable, "-m", "pytest", *plugins, "--quiet", *sys.argv[1:]]
        minutes = _minutes(command, more)
        seconds: Counter[str] = Counter()
        for path in Path(times).iterdir():
            seconds.update(json.loads(path.read_text(encoding="utf-8")))
    text = LOG.read_text(encoding="utf-8")
    found = _COUNT.search(text)
    assert found is not None
    cells = [found[1], f"{minutes:.1f}", f"{seconds.total():.0f}"]
    cells += [f"{seconds[kind]:.0f}" for kind in KINDS]
    console.print(cells)
    slow = [f"| `{test}` | {phase} | {s} |" for s, phase, test in _SLOW.findall(text)]
    return " | ".join(cells), "\n".join(slow)


def run_again(cache: Path, console: Console) -> float:
    """Minutes of `make test`, all of it, when every module of tests has passed with these files."""
    minutes = _minutes(["make", "test"], {"XDG_CACHE_HOME": str(cache)})
    console.print(f"again: {minutes:.1f}")
    return minutes


def main() -> None:
    """Measure and write the page."""
    console = Console()
    with TemporaryDirectory() as work:
        cold, slow = run(Path(work), console)
        warm, _ = run(Path(work), console)
        again = run_again(Path(work), console)
    header = HEADER.format(
        commit=source_commit(),
        machine=f"{os.cpu_count()} processors",
        kinds=" | ".join(KINDS),
        rules="|".join("--:" for _ in KINDS),
    )
    table = f"| empty | {cold} |\n| warm | {warm} |\n{AGAIN.format(minutes=again)}"
    slowest = "\nThe slowest, with an empty cache:\n\n| test | phase | seconds |\n|---|---|--:|\n"
    RESULT.write_text(f"{header}{table}{slowest}{slow}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
