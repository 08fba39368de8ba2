"""The verification campaign of the extended-RNS point multiplier of 2006.

Additions, doublings and whole multiplications of points in simulated Verilog, half of them back to
back, half with stalls. Writes docs/results/extended-rns.md and .json with the commit. Rows that are
in the .json for the same commit, or for the same Verilog, are not run again; ``--rows`` limits it
to rows with a part of their names, ``--most`` the runs of each.
"""

import argparse
import random
import sys
from itertools import islice
from typing import Any

from campaign_rows import ROOT, Page, Row, campaign, mismatches

from residua.cores.directory import Directory
from residua.cores.extended_rns.core import ExtendedCore
from residua.cores.extended_rns.verification import negatives, operands

WORK = ROOT / "build" / "ecpm_campaign"
SEED = 8

ROWS: dict[str, tuple[int, dict[str, Any]]] = {
    "multiples, 160 bits": (200, {"curve": "brainpoolP160r1"}),
    "additions, 160 bits": (100_000, {"curve": "brainpoolP160r1", "operation": "add"}),
    "doublings, 160 bits": (100_000, {"curve": "brainpoolP160r1", "operation": "double"}),
    "multiples, 192 bits": (50, {"curve": "P-192"}),
    "multiples, radix 2": (
        50,
        {"curve": "secp160r1", "product_digit": 1, "conversion_digit": 1},
    ),
    "multiples, radix 64": (
        50,
        {"curve": "secp160k1", "product_digit": 6, "conversion_digit": 3},
    ),
}
"""Vectors and keys by the name of the row."""

INTRODUCTION = """\
The Verilog of each core, simulated with Verilator: every word of every result against the formulas
(10), (9) and Algorithm 1 on integers, and every result against affine arithmetic, the textbook
chord and tangent. Some runs are back to back, others with random gaps between operand words and
waiting results. Additions and doublings begin with all combinations of coordinates 0, 1 and
p - 1, and go on with others near 0, p / 2 and p, points of the curve (equal and opposite ones among
them) and any coordinates. Scalars begin with 0, 1, 2, 3 and those around the order, its halves and
its double, for which the loop adds P to O, to P and to -P; the neutral element is multiplied, too.
Radices are those of products and of the conversion to binary. Negative: runs in which a value
before a reduction is negative. Latency and interval are measured, in cycles, and the same for all
operands."""


def measured(directory: Directory, vectors: int) -> Row:
    """What the page says of a core, and of its operands."""
    parameters = directory.manifest["parameters"]
    negative = None
    if parameters["operation"] != "multiply":
        negative = negative_runs(directory.core(ExtendedCore), vectors)
    return {
        "curve": parameters["curve"],
        "moduli": f"{parameters['n']} x {parameters['w']}",
        "radix": f"{1 << parameters['product_digit']}, {1 << parameters['conversion_digit']}",
        "negative": negative,
    }


def negative_runs(core: ExtendedCore, vectors: int) -> int:
    """In how many of the runs that `simulate` makes a value before a reduction is negative."""
    half = -(-vectors // 2)
    given = (islice(operands(core, random.Random(SEED + k)), half) for k in (0, 1))
    return sum(negatives(core, numbers) > 0 for part in given for numbers in part)


PAGE = Page(
    "extended-rns",
    "Extended-RNS point multiplier",
    INTRODUCTION,
    {
        "Configuration": lambda row: row["configuration"],
        "Curve": lambda row: row["curve"],
        "Moduli": lambda row: row["moduli"],
        "Radices": lambda row: row["radix"],
        "Runs": lambda row: f"{row['vectors']:,}",
        "Mismatches": mismatches,
        "Oracle checks": lambda row: f"{row['oracle_checks']:,}",
        "Negative": lambda row: "–" if row["negative"] is None else f"{row['negative']:,}",
        "Latency": lambda row: f"{row['cycles']['latency']:,}",
        "Interval": lambda row: f"{row['cycles']['interval'] or '–'}",
        "Commit": lambda row: f"`{row['commit']}`",
    },
    texts=4,
)


def main() -> int:
    """Run the rows that are missing; 0 if every row is without fault."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", nargs="*", default=[""], metavar="PART")
    parser.add_argument("--most", type=int, default=100_000, metavar="N", help="runs of a row")
    parser.add_argument("--jobs", type=int, default=2, help="rows at once")
    options = parser.parse_args()
    requests = {
        name: (min(vectors, options.most), {"algorithm": "ecpm-2006", **keys})
        for name, (vectors, keys) in ROWS.items()
        if any(part in name for part in options.rows)
    }
    rows = campaign(
        PAGE, requests, list(ROWS), work=WORK, seed=SEED, jobs=options.jobs, more=measured
    )
    return int(any(row["failures"] for row in rows.values()))


if __name__ == "__main__":
    sys.exit(main())
