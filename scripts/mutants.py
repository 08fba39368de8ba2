"""Mutants of every kind of core, and what the default verification says of each.

Writes docs/results/mutants.md and .json. Mutants that are there, or in build/mutants, for the same
mutated Verilog are not run again, so that an interrupted campaign goes on where it stopped;
``--rows`` limits it to some kinds.
"""

import argparse
import json
import sys
from concurrent.futures import as_completed
from pathlib import Path
from typing import Any

from campaign_rows import RESULTS, ROOT, TINY, current_commit, workers
from rich.console import Console

from residua.cores.directory import Directory, build
from residua.cores.specification.reading import check_any
from residua.evidence.mutants import page, run_mutants, tally
from residua.output import write_whole

WORK = ROOT / "build" / "mutants"
COUNT = 200
SEED = 1

SMALL = {"modulus": "0x1000b", "width": 12}
PRIME = {"algorithm": "inversion", "modulus": "0x10001"}
CURVE = {"bus": "stream", "curve": [TINY]}

SBMM_CURVE = {
    "bus": "stream",
    "curve": [{"form": "weierstrass", "name": "tiny", "prime": 0xFFEFFD8E1591D0EF,
               "a": 0x9C5BAAA890D7FE93, "b": 0x2DAAC36F3189B8D9, "x": 0x52E91B813FD76BC0,
               "y": 0xA1DCE732593AF8DD, "order": 0x7FF7FEC6F95D826F, "cofactor": 2}],
}  # fmt: skip
"""The same over the prime (65551 * 65513)^2 - 2."""

KINDS: dict[str, dict[str, Any]] = {
    "RNS Montgomery, residues": SMALL,
    "RNS Montgomery, words": SMALL | {"interface": "words"},
    "RNS Montgomery, hierarchical": {"modulus": "0x1000b", "width": 12, "channels": 4,
                                     "extension": "hierarchical"},
    "base extension": {"algorithm": "base-extension", "channels": 4, "width": 12},
    "SBMM": {"algorithm": "sbmm", "channels": 4, "width": 12},
    "R2MM": {"algorithm": "r2mm", "modulus": "0x1000b"},
    "MWR2MM": {"algorithm": "mwr2mm", "modulus": "0x1000b", "digit": 5},
    "IDDMM, architecture 1": {"algorithm": "iddmm", "modulus": "0x1000b", "digit": 5,
                              "architecture": 1},
    "IDDMM, architecture 2": {"algorithm": "iddmm", "modulus": "0x1000b", "digit": 5,
                              "architecture": 2},
    "exponentiation on digits": {"algorithm": "modexp", "modulus": "0x1000b", "digit": 5},
    "RSA with CRT": {"algorithm": "rsa-crt", "bits": 64, "digit": 11},
    "exponentiation on the engine": SMALL | {"algorithm": "modexp", "unit": "rns-montgomery"},
    "inversion, Fermat": PRIME | {"width": 12, "inversion": "fermat"},
    "inversion, division steps": PRIME | {"inversion": "division-steps"},
    "inversion, plus-minus": SMALL | {"algorithm": "inversion", "inversion": "plus-minus-ct"},
    "ECPM of 2006": {"algorithm": "ecpm-2006", "curve": [TINY], "channels": 3},
    "coprocessor on the engine": CURVE,
    "coprocessor, division steps": CURVE | {"inversion": "division-steps"},
    "coprocessor, plus-minus": CURVE | {"inversion": "plus-minus-ct"},
    "coprocessor on digits": CURVE | {"algorithm": "iddmm"},
    "coprocessor on SBMM": SBMM_CURVE | {"algorithm": "sbmm"},
    "AXI4-Lite and AXI4-Stream": CURVE | {"bus": "axi"},
    "Wishbone": CURVE | {"bus": "wishbone"},
}  # fmt: skip
"""A small core of each kind; of those on a bus, mutants are made of what is around the core."""


def measure(name: str, count: int, kept: dict[str, Any] | None) -> dict[str, Any]:
    """Build the core of a kind, and run its mutants but those that were run before."""
    path = WORK / "".join(c if c.isalnum() else "_" for c in name)
    store = path.with_suffix(".json")
    specification = check_any(KINDS[name])
    directory = Directory.open(path) if path.exists() else build(specification, path)
    if store.exists():
        kept = json.loads(store.read_text(encoding="utf-8"))

    def keep(row: dict[str, Any]) -> None:
        write_whole(store, json.dumps(row, indent=1) + "\n")

    row = run_mutants(directory, count, seed=SEED, kept=kept, keep=keep)
    return {"row": name, "core": directory.name, "commit": current_commit()} | row


def main() -> int:
    """Run the kinds that are asked for; 0 if no mutant is open."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", nargs="*", choices=KINDS, default=list(KINDS), metavar="NAME")
    parser.add_argument("--count", type=int, default=COUNT, help="mutants of each kind")
    parser.add_argument("--jobs", type=int, default=2, help="kinds at once")
    parser.add_argument("--results", type=Path, default=RESULTS, help="where the page goes")
    options = parser.parse_args()
    store = options.results / "mutants.json"
    rows = {}
    if store.exists():
        rows = {row["row"]: row for row in json.loads(store.read_text(encoding="utf-8"))}
    console = Console()
    failed = False
    with workers(options.jobs) as pool:
        tasks = {
            pool.submit(measure, name, options.count, rows.get(name)): name for name in options.rows
        }
        for task in as_completed(tasks):
            if task.exception():
                failed = True
                console.print(f"{tasks[task]}: {task.exception()}", markup=False)
                continue
            rows[tasks[task]] = task.result()
            console.print(tasks[task], tally(task.result()))
            ordered = [rows[name] for name in KINDS if name in rows]
            write_whole(store, json.dumps(ordered, indent=1) + "\n")
            write_whole(options.results / "mutants.md", page(ordered))
    return int(failed or any(tally(row)["open"] for row in rows.values()))


if __name__ == "__main__":
    sys.exit(main())
