"""The solver's answers that are part of the package: src/residua/numbers/answers.json.xz.

They are those that the catalogue's coprocessors need, by default and as the README has them, and
whatever else is in a cache that ``--cache`` names, such as that of a run of the tests.
"""

import argparse
import json
import lzma
import os
import sys
import tempfile
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path
from typing import Any

from rich.console import Console

from residua import cache
from residua.cores.coprocessor.core import CurveBuild
from residua.cores.kinds import core_of
from residua.cores.specification.reading import check_any
from residua.curves.standard import CATALOGUE
from residua.numbers import solver

FAST = {"extension": "hierarchical", "inversion": "plus-minus-ct"}
"""The fast coprocessor of the README."""


def specifications() -> list[dict[str, Any]]:
    """What is asked for of the catalogue."""
    names = [entry.name for entry in CATALOGUE]
    return [
        *({"curve": name} for name in names),
        *({"curve": name} | FAST for name in ("P-256", "P-384", "secp256k1", "brainpoolP256r1")),
        {"curve": ["P-384", "brainpoolP384r1"]} | FAST,
        {"curve": ["P-256", "Curve25519"]},
        *(
            {"curve": "P-256", "blinding": 0} | options
            for options in (
                {},
                FAST,
                {"extension": "hierarchical", "inversion": "division-steps"},
            )
        ),
    ]


def forget() -> None:
    """Look for what is shipped again: it may not be asked for any more."""
    solver.SHIPPED = solver.SHIPPED.with_name("none")


def made(specification: dict[str, Any]) -> None:
    """Have the solver asked for everything that the core of a specification needs."""
    core = core_of(check_any(specification))
    assert isinstance(core, CurveBuild)
    assert core.facts["parameters"]["microcode_words"]


def main() -> int:
    """Build the cores and write the file."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cache", type=Path, help="a directory like XDG_CACHE_HOME")
    parser.add_argument("--jobs", type=int, default=2, help="cores at once")
    options = parser.parse_args()
    console = Console()
    with tempfile.TemporaryDirectory() as work:
        os.environ["XDG_CACHE_HOME"] = str(options.cache or work)
        with ProcessPoolExecutor(options.jobs, initializer=forget) as pool:
            tasks = {pool.submit(made, each): each for each in specifications()}
            for task in as_completed(tasks):
                task.result()
                console.print(tasks[task])
        found = {
            path.name.split("-")[1]: json.loads(path.read_text(encoding="utf-8"))
            for path in cache.entries()[solver.KIND]
        }
    text = json.dumps(dict(sorted(found.items())), separators=(",", ":"))
    solver.SHIPPED.write_bytes(lzma.compress(text.encode(), preset=9))
    console.print(f"{len(found)} answers, {solver.SHIPPED.stat().st_size} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main())
