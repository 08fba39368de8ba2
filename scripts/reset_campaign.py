"""One cycle of reset in every cycle of a run, on a core of every kind: what follows must be right.

Resets of 1, 2 and 3 cycles come in each cycle of an operation, on a simulation that begins with
random registers; the runs after each are compared. Writes docs/results/resets.md and .json. Rows
hold while their Verilog is the same; ``--rows`` limits the campaign to some of them.
"""

import argparse
import sys
from functools import partial
from typing import Any

from campaign_rows import ROOT, TINY, Page, Row, complete, current_commit, holds, prepare, verilog

from residua.cores.coprocessor.core import CurveBuild
from residua.cores.simulation.runs import EVERY
from residua.cores.verification import run_directory

WORK = ROOT / "build" / "resets"
SEED = 7
VECTORS = 64

ROWS: dict[str, dict[str, Any]] = {
    "multiplier, P-256": {"modulus": "P-256", "width": 17},
    "multiplier, P-256, hierarchical": {"modulus": "P-256", "extension": "hierarchical"},
    "multiplier, P-256, 2 rowers": {"modulus": "P-256", "width": 17, "rowers": 2},
    "words, P-256, w = 17": {"modulus": "P-256", "width": 17, "interface": "words"},
    "words, brainpoolP320r1, w = 31": {
        "modulus": "brainpoolP320r1", "width": 31, "interface": "words",
    },
    "words, 2^96 - 1, w = 23, 1 rower": {
        "modulus": 2**96 - 1, "width": 23, "rowers": 1, "interface": "words",
    },
    "base extension, P-256": {"algorithm": "base-extension", "modulus": "P-256", "width": 17},
    "SBMM, 8 channels": {"algorithm": "sbmm", "channels": 8, "width": 17, "compress": True},
    "R2MM, P-192": {"algorithm": "r2mm", "modulus": "P-192"},
    "MWR2MM, 777 bits, digit 23": {"algorithm": "mwr2mm", "bits": 777, "digit": 23},
    "MWR2MM, 97 bits, digit 23": {"algorithm": "mwr2mm", "bits": 97, "digit": 23},
    "IDDMM, 33 bits, digit 5": {"algorithm": "iddmm", "bits": 33, "digit": 5},
    "IDDMM, P-256, digit 16": {"algorithm": "iddmm", "modulus": "P-256", "digit": 16},
    "IDDMM, P-192, closed": {
        "algorithm": "iddmm", "modulus": "P-192", "digit": 16, "variant": "closed",
    },
    "IDDMM, 61 bits, digit 37, tiles, pipeline 2": {
        "algorithm": "iddmm", "bits": 61, "digit": 37, "multiplier": "tiles", "pipeline": 2,
    },
    "IDDMM, 256 bits in 2 lanes": {"algorithm": "iddmm", "bits": 256, "digit": 16, "lanes": 2},
    "exponentiation on digits, 33 bits": {
        "algorithm": "modexp", "bits": 33, "digit": 5, "window": 3,
    },
    "RSA with CRT, 65 bits": {"algorithm": "rsa-crt", "bits": 65, "digit": 11},
    "exponentiation on an engine": {
        "algorithm": "modexp", "unit": "rns-montgomery", "modulus": 2**31 - 1, "width": 12,
        "window": 2, "exponent_bits": 9,
    },
    "inversion, plus-minus": {
        "algorithm": "inversion", "modulus": "P-192", "inversion": "plus-minus",
    },
    "inversion, plus-minus-ct": {
        "algorithm": "inversion", "modulus": "P-192", "inversion": "plus-minus-ct",
    },
    "inversion, division steps": {
        "algorithm": "inversion", "modulus": 2**61 - 1, "inversion": "division-steps",
    },
    "inversion, Fermat": {
        "algorithm": "inversion", "modulus": 2**31 - 1, "width": 12, "inversion": "fermat",
    },
    "ECPM of 2006, secp112r1": {
        "algorithm": "ecpm-2006", "curve": "secp112r1", "operation": "add",
    },
    "coprocessor, tiny curve": {"curve": [TINY], "bus": "stream", "blinding": 0},
    "coprocessor, tiny curve, division steps": {
        "curve": [TINY], "bus": "stream", "blinding": 0, "inversion": "division-steps",
    },
    "coprocessor on digits, tiny curve": {
        "curve": [TINY], "algorithm": "iddmm", "digit": 16, "bus": "stream", "blinding": 0,
    },
}  # fmt: skip
"""Specification by the name of the row."""

SPREAD = {"MWR2MM, 777 bits, digit 23": 300}
"""Rows whose runs are too long for a reset in each cycle: so many, spread over a run."""

INTRODUCTION = """\
The Verilog of each core, simulated with Verilator from random registers on. In every cycle of an
operation (of each operation of a coprocessor) a reset comes, once of one cycle, once of two and
once of three; the results of the runs after it are compared with the model, or with plain integers.
Where a modulus is loaded it is loaded again. The multiplier of 777 bits, whose runs are long, has
300 resets spread over a run. `make campaign-resets` writes this page."""

PAGE = Page(
    "resets",
    "Resets in mid-run",
    INTRODUCTION,
    {
        "Core": lambda row: row["configuration"],
        "Resets": lambda row: f"{row['resets']:,}",
        "Wrong": lambda row: f"{row['mismatches']}, FAILED" if row["failures"] else "0",
        "Seconds": lambda row: f"{row['seconds']:.0f}",
        "Commit": lambda row: f"`{row['commit']}`",
    },
)


def swept(name: str, known: Row | None, commit: str) -> Row:
    """Build the core of a row and reset it everywhere, unless what is known holds."""
    directory = prepare(name, ROWS[name], WORK)
    hardware = verilog(directory)
    if known is not None and holds(known, hardware, "resets", 1):
        return known
    # Of a coprocessor a multiplication of a point is enough: every operation is reset.
    vectors = 1 if isinstance(directory.made, CurveBuild) else VECTORS
    found = run_directory(directory, vectors=vectors, seed=SEED, resets=SPREAD.get(name, EVERY))
    return {
        "configuration": name,
        "commit": commit,
        "verilog": hardware,
        **{key: found[key] for key in ("resets", "mismatches", "failures")},
        "seconds": round(found["seconds"], 1),
    }


def main() -> int:
    """Run the rows that are missing; 0 if every row is without fault."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", nargs="*", choices=ROWS, default=list(ROWS), metavar="NAME")
    parser.add_argument("--jobs", type=int, default=2, help="rows at once")
    options = parser.parse_args()
    rows, commit = PAGE.rows(), current_commit()
    tasks = {name: partial(swept, name, rows.get(name), commit) for name in options.rows}
    complete(PAGE, rows, list(ROWS), tasks, options.jobs)
    return int(any(row["failures"] for row in rows.values()))


if __name__ == "__main__":
    sys.exit(main())
