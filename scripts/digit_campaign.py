"""The verification campaign of digit multipliers: a million products, and a random sample of cores.

Half of the products back to back, half with stalls. Writes docs/results/digits.md and .json with
the commit. Rows that are in the .json for the same commit, or for the same Verilog, are not run
again, so that an interrupted campaign goes on where it stopped; ``--rows`` limits it to rows with a
part of their names, ``--points`` the sample.
"""

import argparse
import random
import sys
from typing import Any

from campaign_rows import ROOT, Page, Row, campaign, mismatches

from residua.cores.specification.reading import check_any
from residua.errors import SpecificationError

WORK = ROOT / "build" / "digit_campaign"
SEED = 22
POINTS = 200
POINT_VECTORS = 500

LONG: dict[str, tuple[int, dict[str, Any]]] = {
    "IDDMM 256, 16": (1_000_000, {"bits": 256, "digit": 16}),
    "IDDMM 1024, 64": (1_000_000, {"bits": 1024, "digit": 64}),
    "IDDMM 256, 17, 2 lanes": (1_000_000, {"bits": 256, "digit": 17, "lanes": 2}),
}
"""Vectors and keys by the name of the row."""

INTRODUCTION = """\
The Verilog of each core, simulated with Verilator, against plain integers: every word of every
product. Half of the products are back to back, half with random gaps between operand words and
waiting results. Moduli are loaded, several for each row, those of full length and adversarial ones
among them, or built in (mod). For some operands the algorithm's own values are compared, too.
Rows: N, k, and the choices; “1 p2 schoolbook” is architecture 1, two pipeline levels, multipliers
of logic. Latency and interval are measured, in cycles, and the same for all operands."""


def sample(count: int) -> dict[str, tuple[int, dict[str, Any]]]:
    """Random points of the design space, the same for the same count."""
    chooser, found = random.Random(SEED), dict[str, tuple[int, dict[str, Any]]]()
    while len(found) < count:
        keys = _point(chooser)
        try:
            check_any({"algorithm": "iddmm", **keys})
        except SpecificationError:
            continue
        choice = (
            f"{keys['lanes']} lanes"
            if "lanes" in keys
            else f"{keys['architecture']} p{keys['pipeline']} {keys['multiplier']}"
        )
        modulus = "mod" if "modulus" in keys else keys["inverse"]
        bits = keys.get("bits") or int(keys["modulus"], 16).bit_length()
        found[f"{bits}, {keys['digit']}, {choice}, {keys['variant']}, {modulus}"] = (
            POINT_VECTORS,
            keys,
        )
    return found


def _point(chooser: random.Random) -> dict[str, Any]:
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


def total(rows: list[Row]) -> str:
    """The last line of the page."""
    return f"\n{len(rows)} cores, {sum(row['vectors'] for row in rows):,} products.\n"


PAGE = Page(
    "digits",
    "Digit multipliers",
    INTRODUCTION,
    {
        "Configuration": lambda row: row["configuration"],
        "Products": lambda row: f"{row['vectors']:,}",
        "Mismatches": mismatches,
        "Model": lambda row: row["model_checks"],
        "Latency": lambda row: row["cycles"]["latency"],
        "Interval": lambda row: row["cycles"]["interval"],
        "Commit": lambda row: f"`{row['commit']}`",
    },
    closing=total,
)


def main() -> int:
    """Run the rows that are missing; 0 if every row is without fault."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", nargs="*", default=[""], metavar="PART")
    parser.add_argument("--points", type=int, default=POINTS, help="cores of the sample")
    parser.add_argument("--jobs", type=int, default=2, help="rows at once")
    options = parser.parse_args()
    every = LONG | sample(options.points)
    requests = {
        name: (vectors, {"algorithm": "iddmm", **keys})
        for name, (vectors, keys) in every.items()
        if any(part in name for part in options.rows)
    }
    rows = campaign(PAGE, requests, list(every), work=WORK, seed=SEED, jobs=options.jobs)
    return int(any(row["failures"] for row in rows.values()))


if __name__ == "__main__":
    sys.exit(main())
