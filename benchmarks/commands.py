"""Measure how long a user waits for commands.

Runs each of them several times, and writes docs/results/commands.md: the least, the median and the
largest. Each group of commands starts with an empty cache, which its later ones find as the
earlier ones have left it. With names of groups it measures those alone, and keeps the others as
they are on the page. Nothing else should run meanwhile.
"""

import json
import os
import shlex
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from rich.console import Console

from residua.toolchain.commit import source_commit

ROOT = Path(__file__).parent.parent
WATCH = Path(__file__).with_name("used.py")
RESULT = ROOT / "docs" / "results" / "commands.md"
RUNS = 3

HEADER = """# How long commands take

Made by `make bench-commands` on {processors} processors: each command {runs} times, the least, the
median and the largest figure. Seconds are those of a clock, CPU seconds those of all programs that
a command starts, MB what the largest of them takes. Before the first command of a group the cache
is empty; the others find what those above them have left in it.

| group | command | s | CPU s | MB | commit |
|---|---|--:|--:|--:|---|
"""

FAST = "--extension hierarchical --inversion plus-minus-ct --bus axi"
ONE, TWO = f"--curve P-256 {FAST}", f"--curve P-384,brainpoolP384r1 {FAST}"
MULTIPLIER = "--modulus P-256 --width 17"

GROUPS = {
    "help": ("residua --help", "residua build --help"),
    "a coprocessor": (
        "residua build --curve P-256 --bus axi -o core",
        "residua build --curve P-256 --bus axi -o again",
        "residua verify core",
    ),
    "hierarchical": (f"residua build {ONE} -o core", f"residua build {ONE} -o again"),
    "two curves": (f"residua build {TWO} -o core", f"residua build {TWO} -o again"),
    "a core without shipped placements": (
        f"residua build --curve P-521 {FAST} -o core",
        f"residua build --curve P-521 {FAST} -o again",
    ),
    "a multiplier": (
        f"residua build {MULTIPLIER} -o core",
        "residua verify core",
        "residua synth core --target ecp5 --seeds 1",
        "residua synth core --target ecp5 --seeds 1",
    ),
    "a clean clone, set-up included": ("make demo",),
}
"""Commands by their groups, in order."""


@dataclass(frozen=True)
class Used:
    """What a command has used; ``megabytes``: of the largest of its processes."""

    seconds: float
    cpu_seconds: float
    megabytes: float


def run(commands: Iterable[str], work: Path) -> list[Used]:
    """What the commands of a group use, which find an empty folder and an empty cache."""
    folder = work / "folder"
    folder.mkdir()
    return [_measured(command, folder, work) for command in commands]


def _measured(command: str, folder: Path, work: Path) -> Used:
    """Run a command: the package's own in a folder, any other one in a clean clone in it."""
    words = shlex.split(command)
    if words[0] == "residua":
        words[0] = str(Path(sys.executable).parent / words[0])
    else:
        subprocess.run(["git", "clone", "--quiet", str(ROOT), str(folder)], check=True)
    log, used = work / "log", work / "used.json"
    with log.open("wb") as output:
        status = subprocess.call(
            [sys.executable, str(WATCH), str(used), *words],
            cwd=folder,
            env={**os.environ, "XDG_CACHE_HOME": str(work / "cache")},
            stdout=output,
            stderr=subprocess.STDOUT,
        )
    if status:
        sys.exit(f"{command}:\n{log.read_text(encoding='utf-8')}")
    return Used(**json.loads(used.read_text(encoding="utf-8")))


def row(group: str, command: str, found: Sequence[Used], commit: str) -> str:
    """A row of the table."""
    figures = [[getattr(used, name) for used in found] for name in Used.__dataclass_fields__]
    cells = [_spread(numbers, 1) for numbers in figures[:2]]
    cells += [_spread(figures[2], 0), f"`{commit}`"]
    return " | ".join(["", group, f"`{command}`", *cells, ""]).strip()


def kept_rows(page: str) -> dict[str, list[str]]:
    """The rows of a page by their groups."""
    found: dict[str, list[str]] = defaultdict(list)
    group = ""
    for line in page.splitlines():
        cells = line.split("|")
        if line.startswith("|") and "`" in line:
            group = cells[1].strip() or group
            found[group].append(line)
    return found


def _spread(numbers: Sequence[float], digits: int) -> str:
    return " – ".join(
        f"{number:.{digits}f}" for number in (min(numbers), median(numbers), max(numbers))
    )


def measured(group: str, commit: str) -> list[str]:
    """The rows of a group."""
    found: dict[int, list[Used]] = defaultdict(list)
    for _ in range(RUNS):
        with TemporaryDirectory() as folder:
            for place, used in enumerate(run(GROUPS[group], Path(folder))):
                found[place].append(used)
    return [
        row(group if not place else "", command, found[place], commit)
        for place, command in enumerate(GROUPS[group])
    ]


def main(*groups: str) -> None:
    """Measure groups, all by default, and write the page."""
    if unknown := set(groups) - GROUPS.keys():
        sys.exit(f"no group is called {', '.join(sorted(unknown))}: {', '.join(GROUPS)}")
    console, commit = Console(), source_commit()
    rows = kept_rows(RESULT.read_text(encoding="utf-8")) if groups else {}
    for group in groups or GROUPS:
        rows[group] = measured(group, commit)
        console.print(*rows[group], sep="\n")
    header = HEADER.format(processors=os.cpu_count(), runs=RUNS)
    lines = [line for group in GROUPS for line in rows.get(group, ())]
    RESULT.write_text(header + "\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
