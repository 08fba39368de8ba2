"""The full verification campaign: a million runs for most configurations.

Half of them back to back, half with stalls. Writes docs/results/campaign.md and .json with the
commit. Rows that are in the .json for the same commit, or for the same Verilog, are not run again,
so that an interrupted campaign goes on where it stopped; ``--rows`` limits it to some of them.
"""

import argparse
import sys
from math import isqrt
from typing import Any

from campaign_rows import ROOT, Page, Row, campaign, mismatches
from gmpy2 import next_prime
from rich.console import Console
from rich.table import Table

from residua.cores.directory import Directory
from residua.papers.hbe.synthesis import CHANNELS, specification

WORK = ROOT / "build" / "campaign"
VECTORS = 1_000_000
SEED = 20

RSA_1024 = int(next_prime(isqrt(2 << 1022)) * next_prime(isqrt(3 << 1022)))
"""A modulus of 1024 bits: the primes after sqrt(2) 2^511 and sqrt(3) 2^511."""

ROWS: dict[str, dict[str, Any]] = {
    "192 (12, 17)": {"modulus": "P-192", "channels": 12, "width": 17},
    "256 (16, 17)": {"modulus": "P-256", "channels": 16, "width": 17},
    "256 (8, 33)": {"modulus": "P-256", "channels": 8, "width": 33},
    "384 (12, 33)": {"modulus": "P-384", "channels": 12, "width": 33},
    "512 (16, 33)": {"modulus": "brainpoolP512r1", "channels": 16, "width": 33},
    "521 (smallest n, 18)": {"modulus": "P-521", "width": 18},
    "1024 RSA (32, 33)": {"modulus": RSA_1024, "channels": 32, "width": 33},
    "192 (12, 17), shortest interval": {
        "modulus": "P-192",
        "channels": 12,
        "width": 17,
        "schedule": "interval",
    },
    "192 (12, 17), any h": {
        "modulus": "P-192",
        "channels": 12,
        "width": 17,
        "bases": "any",
        "reduction": "multiply",
    },
    "192 (12, 17), 3 rowers": {"modulus": "P-192", "channels": 12, "width": 17, "rowers": 3},
}
"""Specification by the name of the row."""


def hierarchical(bits: int, width: int, columns: int) -> tuple[str, dict[str, Any]]:
    """Products over hierarchical extensions in one of the configurations of HBE's Table III."""
    # The next number of channels that makes rows of c.
    channels = -(-CHANNELS[bits, width] // columns) * columns
    keys = {"modulus": f"P-{bits}", "width": width, "channels": channels}
    name = f"{bits} ({channels}, {width}), HBE c = {columns}"
    return name, {**keys, "extension": "hierarchical", "columns": columns}


def extension(bits: int, width: int) -> tuple[str, dict[str, Any]]:
    """The hierarchical base extension of Table III alone."""
    keys = specification(bits, width, "HBE").items()
    return f"{bits} ({CHANNELS[bits, width]}, {width}), HBE alone", keys


PRODUCTS = dict(hierarchical(*size, columns) for columns in (2, 3, 4) for size in CHANNELS)
ROWS |= PRODUCTS
ROWS |= dict(extension(*size) for size in CHANNELS)


FEWER = {name: VECTORS // 10 for name, keys in PRODUCTS.items() if keys["columns"] > 2}
"""Rows of which so many vectors are enough."""

INTRODUCTION = """\
The Verilog of each core, simulated with Verilator, against the bit-exact model: every residue of
every output word of every product, or base extension where a row says “alone”. HBE stands for
hierarchical extensions over rows of c moduli. Half of the runs are back to back, half with random
gaps between operands and random values of `enable`. The oracle checks a sample, every pair of the
most adversarial operands among it, with plain integers. Latency and interval are measured, in
cycles; seconds are those of one processor core, without building the simulator. A + after the
commit says that the sources differed from it. `make campaign` writes this page."""


PAGE = Page(
    "campaign",
    "Verification campaign",
    INTRODUCTION,
    {
        "Configuration (n, w)": lambda row: row["configuration"],
        "Rowers": lambda row: row["parameters"]["rowers"],
        "Runs": lambda row: f"{row['vectors']:,}",
        "Mismatches": mismatches,
        "Oracle checks": lambda row: f"{row['oracle_checks']:,}",
        "Latency": lambda row: row["cycles"]["latency"],
        "Interval": lambda row: row["cycles"]["interval"],
        "Seconds": lambda row: f"{row['seconds']:.0f}",
        "Commit": lambda row: f"`{row['commit']}`",
    },
    texts=2,
)


def sizes(directory: Directory, _vectors: int) -> Row:
    """What the page says of a core's size."""
    parameters = directory.manifest["parameters"]
    return {"parameters": {key: parameters[key] for key in ("n", "w", "rowers", "t")}}


def wanted(name: str, vectors: int) -> int:
    """How many vectors a row gets if most get so many."""
    return min(vectors, FEWER.get(name, vectors))


def main() -> int:
    """Run the rows that are missing; 0 if every row is without fault."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", nargs="*", choices=ROWS, default=list(ROWS), metavar="NAME")
    parser.add_argument("--vectors", type=int, default=VECTORS, help="runs of each row")
    parser.add_argument("--jobs", type=int, default=2, help="rows at once")
    options = parser.parse_args()
    requests = {name: (wanted(name, options.vectors), ROWS[name]) for name in options.rows}
    rows = campaign(PAGE, requests, list(ROWS), work=WORK, seed=SEED, jobs=options.jobs, more=sizes)
    table = Table("configuration", "runs", "mismatches", "latency", "interval", "seconds")
    for row in rows.values():
        cells = [row["vectors"], row["mismatches"], *row["cycles"].values(), row["seconds"]]
        table.add_row(row["configuration"], *(str(cell) for cell in cells))
    Console().print(table)
    return int(any(row["failures"] for row in rows.values()))


if __name__ == "__main__":
    sys.exit(main())
