"""Digit multipliers: a million products each, and a random sample of the design space."""

import random
from functools import cache
from typing import Any

from residua.cores.specification.reading import check_any
from residua.errors import SpecificationError
from residua.evidence.campaign import Campaign, Figures, Request
from residua.evidence.pages import RowTable, commit, mismatches, table_page
from residua.evidence.rows import Row
from residua.evidence.simulation import simulated
from residua.evidence.subjects import core

SEED = 22
POINTS = 200

LONG: dict[str, dict[str, Any]] = {
    "IDDMM 256, 16": {"bits": 256, "digit": 16},
    "IDDMM 1024, 64": {"bits": 1024, "digit": 64},
    "IDDMM 256, 17, 2 lanes": {"bits": 256, "digit": 17, "lanes": 2},
}
"""Specifications of the cores that run for a million products."""

INTRODUCTION = """\
The Verilog of each core, simulated with Verilator, against plain integers: every word of every
product. Half of the products are back to back, half with random gaps between operand words and
waiting results. Moduli are loaded, several for each row, those of full length and adversarial ones
among them, or built in (mod). For some operands the algorithm's own values are compared, too.
Rows: N, k, and the choices; “1 p2 schoolbook” is architecture 1, two pipeline levels, multipliers
of logic. Latency and interval are measured, in cycles, and the same for all operands. A + after
the commit says that the sources differed from it. `make campaign-digits` writes this page."""


@cache
def cores() -> dict[str, dict[str, Any]]:
    """Specifications by the names of the rows: the long runs, then the sample."""
    chooser, sample = random.Random(SEED), dict[str, dict[str, Any]]()
    while len(sample) < POINTS:
        keys = _point(chooser)
        try:
            check_any({"algorithm": "iddmm", **keys})
        except SpecificationError:
            continue
        sample[_name(keys)] = keys
    return LONG | sample


def _point(chooser: random.Random) -> dict[str, Any]:
    """A random point of the design space, which need not be allowed."""
    bits = chooser.choice((16, 31, 64, 127, 128, 160, 192, 255, 256, 384, 512, 521, 1024))
    digit = chooser.choice((*range(2, 33), 40, 48, 63, 64, 65, 96, 127, 128))
    # No more cycles than a simulator has time for.
    digit = max(digit, bits // 64, 2)
    keys: dict[str, Any] = {"digit": digit, "variant": chooser.choice(("subtract", "closed"))}
    if chooser.random() < 0.5:
        keys["modulus"] = hex((1 << bits) - 1 - 2 * chooser.randrange(1 << bits - 2))
    else:
        keys |= {"bits": bits, "inverse": chooser.choice(("computed", "supplied"))}
    digits = -(-bits // digit)
    if chooser.random() < 0.3:
        return keys | {"lanes": chooser.randint(1, min(digits, 8))}
    logic = digit & (digit - 1) == 0 and digit <= 64
    kinds = ("inferred", "schoolbook", "karatsuba") if logic else ("inferred",)
    return keys | {
        "architecture": chooser.randint(1, 2),
        "pipeline": chooser.randint(0, 2),
        "multiplier": chooser.choice(kinds),
    }


def _name(keys: dict[str, Any]) -> str:
    """The name of a row of the sample."""
    datapath = (
        f"{keys['lanes']} lanes"
        if "lanes" in keys
        else f"{keys['architecture']} p{keys['pipeline']} {keys['multiplier']}"
    )
    modulus = "mod" if "modulus" in keys else keys["inverse"]
    bits = keys.get("bits") or int(keys["modulus"], 16).bit_length()
    return f"{bits}, {keys['digit']}, {datapath}, {keys['variant']}, {modulus}"


def measure(request: Request) -> Figures:
    """Simulate the core of a row."""
    return simulated(request, SEED)


def _total(rows: list[Row]) -> tuple[str]:
    return (f"{len(rows)} cores, {sum(row['vectors'] for row in rows):,} products.",)


TABLE = RowTable(
    {
        "Configuration": lambda row: row.name,
        "Products": lambda row: f"{row['vectors']:,}",
        "Mismatches": mismatches,
        "Model": lambda row: row["model_checks"],
        "Latency": lambda row: row["cycles"]["latency"],
        "Interval": lambda row: row["cycles"]["interval"],
        "Commit": commit,
    },
    notes=_total,
)

CAMPAIGN = Campaign(
    table_page("digits", "Digit multipliers", INTRODUCTION, (TABLE,)),
    {name: 1_000_000 if name in LONG else 500 for name in cores()},
    lambda name: core({"algorithm": "iddmm", **cores()[name]}),
    measure,
)
