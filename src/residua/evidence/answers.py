"""Write the solver's answers that are part of the package: residua/numbers/answers.json.xz.

The answers are those that the catalogue's coprocessors need, by default and as the README has them,
and whatever else is in a cache that ``--cache`` names, such as that of a run of the tests; with
``--add`` those of the cache are added to what is there.
"""

import argparse
import json
import lzma
import os
import sys
import tempfile
from collections.abc import Iterable, Mapping
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path
from typing import Any

from rich.console import Console

from residua.cores.kinds import core_of
from residua.cores.specification.reading import check_any
from residua.curves.standard import CATALOGUE
from residua.evidence.benchmarks.coprocessors import FEWEST, PLUS_MINUS
from residua.numbers import solver
from residua.output import Progress
from residua.toolchain.executors import submitted


def specifications() -> list[dict[str, Any]]:
    """The coprocessors of the catalogue's curves whose answers are shipped."""
    names = [entry.name for entry in CATALOGUE]
    return [
        *({"curve": name} for name in names),
        *(
            {"curve": name} | PLUS_MINUS
            for name in ("P-256", "P-384", "secp256k1", "brainpoolP256r1")
        ),
        {"curve": ["P-384", "brainpoolP384r1"]} | PLUS_MINUS,
        *({"curve": name, "fixed_base": "comb"} | PLUS_MINUS for name in ("P-256", "secp256k1")),
        {"curve": "P-256", "fixed_base": "comb"},
        *({"curve": "P-256", "ecdsa": "verify"} | options for options in (PLUS_MINUS, FEWEST)),
        *(
            {"curve": "secp256k1", "formula": "endomorphism"} | FEWEST | options
            for options in ({}, {"ecdsa": "verify"}, {"ecdsa": "verify", "blinding": 0})
        ),
        *(
            {"curve": "P-256", "register_memory": "block"} | PLUS_MINUS | options
            for options in ({}, {"blinding": 0})
        ),
        {"curve": ["P-256", "Curve25519"]},
        *({"curve": name, "protections": "random-bases"} for name in ("P-256", "Curve25519")),
        *(
            {"curve": "P-256", "blinding": 0} | options
            for options in (
                {},
                PLUS_MINUS,
                {"extension": "hierarchical", "inversion": "division-steps"},
            )
        ),
    ]


def write_answers(
    path: Path,
    asked: Iterable[Mapping[str, Any]],
    *,
    jobs: int = 2,
    known: Path | None = None,
    progress: Progress = lambda step: None,
) -> int:
    """Make the cores of specifications, and write every answer that the solver gave.

    Args:
        path: of the file; nothing is taken from one that is there.
        asked: specifications, as `check_any` takes them.
        jobs: cores that are made at once.
        known: a directory like ``XDG_CACHE_HOME`` whose answers are taken and written, too; the new
            ones are added to it.
        progress: called after each core.

    Returns:
        The number of answers.

    Raises:
        SpecificationError: a specification cannot be met.
    """
    with tempfile.TemporaryDirectory() as work:
        home = str(known or work)
        with ProcessPoolExecutor(jobs, initializer=_begin, initargs=(home,)) as pool:
            for task in as_completed([submitted(pool, _made, dict(each)) for each in asked]):
                progress(task.result())
        return _write(path, _kept(Path(home)))


def add_answers(path: Path, known: Path) -> int:
    """Add what a cache holds to the answers of the file, and make nothing.

    Arguments and result are those of `write_answers`.
    """
    return _write(path, json.loads(lzma.decompress(path.read_bytes())) | _kept(known))


def _kept(home: Path) -> dict[str, Any]:
    """The answers in a directory like ``XDG_CACHE_HOME``, by their keys."""
    return {
        kept.name.split("-")[1]: json.loads(kept.read_text(encoding="utf-8"))
        # An answer of a search for a schedule takes the place of one that is older.
        for name in (solver.SEARCHED, solver.SCHEDULED)
        for kept in (home / "residua" / solver.KIND).rglob(f"{name}-*")
    }


def _write(path: Path, answers: Mapping[str, Any]) -> int:
    text = json.dumps(dict(sorted(answers.items())), separators=(",", ":"))
    path.write_bytes(lzma.compress(text.encode(), preset=9))
    return len(answers)


def _begin(home: str) -> None:
    """Keep what this process makes in a directory of its own, and take nothing that is shipped."""
    os.environ["XDG_CACHE_HOME"] = home
    solver.SHIPPED = solver.SHIPPED.with_name("none")
    solver.shipped.cache_clear()


def _made(asked: dict[str, Any]) -> str:
    """Have the solver asked for everything that the core of a specification needs; its name."""
    core = core_of(check_any(asked))
    assert core.facts["parameters"]["microcode_words"]
    return core.name


def main() -> int:
    """Write the file of the package."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cache", type=Path, help="a directory like XDG_CACHE_HOME")
    parser.add_argument("--jobs", type=int, default=2, help="cores at once")
    parser.add_argument(
        "--add", action="store_true", help="add the cache's answers to those that are there"
    )
    options = parser.parse_args()
    if options.add and options.cache is None:
        parser.error("--add needs the --cache whose answers it adds")
    console = Console()
    if options.add:
        count = add_answers(solver.SHIPPED, options.cache)
    else:
        count = write_answers(
            solver.SHIPPED,
            specifications(),
            jobs=options.jobs,
            known=options.cache,
            progress=console.print,
        )
    console.print(f"{count} answers, {solver.SHIPPED.stat().st_size} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main())
