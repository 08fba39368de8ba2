"""The test bench of a directory, run as it lies there."""

import re
import shutil
import signal
from pathlib import Path
from tempfile import TemporaryDirectory

from residua.cores.bus.vectors import END, HEADER
from residua.cores.core import BENCH, VECTORS
from residua.toolchain import process, verilator
from residua.toolchain.kept.simulations import keep_simulation
from residua.toolchain.process import ToolError

_LIMIT = 3600.0
"""Seconds after which the bench is stopped."""

_ENDS = (*range(256), -signal.SIGABRT)
"""Exit codes of a bench that came to its end: a simulator aborts where a bench is fatal, and what
another signal ended says nothing."""


def verify_bench(directory: Path, operation: int, *, setup: int | None = None) -> list[str]:
    """Check the test bench of a directory; return what goes wrong.

    It must compile by its makefile, pass with its vectors, all of them, and fail with a wrong one.

    Args:
        directory: the core's.
        operation: a quick one with a result, of which the wrong one is.
        setup: the operation without which it has none, which comes before it among the vectors.
    """
    with TemporaryDirectory() as work:
        folder = Path(work) / "core"
        for name in ("rtl", "sim"):
            shutil.copytree(directory / name, folder / name, ignore=_outputs)
        sim = folder / Path(BENCH).parent
        sources = [folder / BENCH, *sorted((folder / "rtl").glob("*.v"))]
        found = _missing(sim)
        try:
            bench = verilator.build_bench(sim, sources)
            return found + _passes(bench, sim) + _fails(bench, sim, operation, setup)
        except ToolError as error:
            return [*found, f"bench: {error}"]


def _outputs(_folder: str, names: list[str]) -> set[str]:
    return {"obj_dir", "bench.vvp"} & set(names)


def _missing(sim: Path) -> list[str]:
    """Files that the makefile reads and that are not there; it may have no other sources."""
    text = (sim / "Makefile").read_text(encoding="utf-8")
    sources = re.findall(r"^SOURCES := (.*)$", text, re.MULTILINE)
    if len(sources) != 1:
        return ["sim/Makefile: SOURCES is not there once"]
    named = {(sim / name).resolve() for name in sources[0].split()}
    right = {*sim.glob("*.v"), *(sim.parent / "rtl").glob("*.v")}
    if named != {path.resolve() for path in right}:
        return [f"sim/Makefile: SOURCES are not the files of sim/ and rtl/: {sources[0]}"]
    return []


def _passes(bench: Path, sim: Path) -> list[str]:
    """The bench with its own vectors."""
    output = _run(bench, sim)
    count = len(_records(sim.parent / VECTORS))
    if f"PASS: {count} operations" not in output or output.count("ok ") < count:
        told = [line for line in output.splitlines() if "WRONG" in line or "FAIL" in line]
        return [f"bench: {line.strip()}" for line in told[:10]] or [
            f"bench: no PASS of {count} operations"
        ]
    return []


def _fails(bench: Path, sim: Path, operation: int, setup: int | None) -> list[str]:
    """The bench with a wrong bit in a result, and with a wrong status."""
    found = []
    records = _records(sim.parent / VECTORS)
    place, product = next(
        (place, one) for place, one in enumerate(records) if one[0] == operation and one[5]
    )
    before = [one for one in records[:place] if one[0] == setup and one[3] == 0][-1:]
    first = [word for one in before for word in one]
    for index in (3, HEADER + product[4], len(product) - 1):
        wrong = list(product)
        wrong[index] ^= 1
        words = " ".join(f"{word:08x}" for word in (*first, *product, *wrong, END))
        (sim / "vectors.hex").write_text(f"{words}\n", encoding="utf-8")
        if f"FAIL: 1 of {len(before) + 2} operations" not in _run(bench, sim):
            found.append(f"bench: word {index} of a vector is wrong, and it does not fail")
    return found


def _run(bench: Path, sim: Path) -> str:
    """Output of the bench, whether it passes or fails; it is kept by all that it may read."""
    log = sim.parent / "bench.log"
    parts: list[str | bytes] = []
    for path in sorted(path for path in sim.iterdir() if path.is_file()):
        parts += [path.name, path.read_bytes()]

    def simulate() -> None:
        process.run([bench], tool="the test bench", cwd=sim, log=log, timeout=_LIMIT, accept=_ENDS)

    return keep_simulation(bench, parts, log, simulate)


def _records(path: Path) -> list[list[int]]:
    """The records of a file of vectors, without its end."""
    lines = path.read_text(encoding="utf-8").splitlines()
    rows = [[int(w, 16) for w in line.split()] for line in lines if not line.startswith("//")]
    return [row for row in rows if row != [END]]
