"""The extended-RNS point multiplier of 2006: additions, doublings, whole multiplications."""

import random
from itertools import islice
from typing import Any

from residua.cores.directory import Directory
from residua.cores.ecpm.core import EcpmCore
from residua.cores.ecpm.verification import negatives, operands
from residua.evidence.campaign import Campaign, Figures, Request
from residua.evidence.pages import RowTable, commit, mismatches, table_page
from residua.evidence.simulation import simulated
from residua.evidence.subjects import core

SEED = 8

CORES: dict[str, tuple[int, dict[str, Any]]] = {
    "multiples, 160 bits": (200, {"curve": "brainpoolP160r1"}),
    "additions, 160 bits": (100_000, {"curve": "brainpoolP160r1", "operation": "add"}),
    "doublings, 160 bits": (100_000, {"curve": "brainpoolP160r1", "operation": "double"}),
    "multiples, 192 bits": (50, {"curve": "P-192"}),
    "multiples, radix 2": (
        50, {"curve": "secp160r1", "product_digit": 1, "conversion_digit": 1},
    ),
    "multiples, radix 64": (
        50, {"curve": "secp160k1", "product_digit": 6, "conversion_digit": 3},
    ),
}  # fmt: skip
"""Runs and specifications by the names of the rows."""

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
operands. `make campaign-ecpm` writes this page."""


def measure(request: Request) -> Figures:
    """Simulate the core of a row."""
    return simulated(request, SEED, _told)


def _told(directory: Directory, vectors: int) -> Figures:
    """What the page says of a core, and of its operands."""
    parameters = directory.manifest["parameters"]
    negative = None
    if parameters["operation"] != "multiply":
        negative = negative_runs(directory.core(EcpmCore), vectors)
    return {
        "curve": parameters["curve"],
        "moduli": f"{parameters['n']} x {parameters['w']}",
        "radix": f"{1 << parameters['product_digit']}, {1 << parameters['conversion_digit']}",
        "negative": negative,
    }


def negative_runs(core: EcpmCore, vectors: int) -> int:
    """Count the runs of `simulated` in which a value before a reduction is negative."""
    half = -(-vectors // 2)
    given = (islice(operands(core, random.Random(SEED + k)), half) for k in (0, 1))
    return sum(negatives(core, numbers) > 0 for part in given for numbers in part)


TABLE = RowTable(
    {
        "Configuration": lambda row: row.name,
        "Curve": lambda row: row["curve"],
        "Moduli": lambda row: row["moduli"],
        "Radices": lambda row: row["radix"],
        "Runs": lambda row: f"{row['vectors']:,}",
        "Mismatches": mismatches,
        "Oracle checks": lambda row: f"{row['oracle_checks']:,}",
        "Negative": lambda row: "–" if row["negative"] is None else f"{row['negative']:,}",
        "Latency": lambda row: f"{row['cycles']['latency']:,}",
        "Interval": lambda row: f"{row['cycles']['interval'] or '–'}",
        "Commit": commit,
    },
    texts=4,
)

CAMPAIGN = Campaign(
    table_page("ecpm-campaign", "Extended-RNS point multiplier", INTRODUCTION, (TABLE,)),
    {name: runs for name, (runs, _) in CORES.items()},
    lambda name: core({"algorithm": "ecpm-2006", **CORES[name][1]}),
    measure,
)
