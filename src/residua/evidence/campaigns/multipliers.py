"""Multipliers on the engine: a million products each, against the bit-exact model."""

from math import isqrt
from typing import Any

from gmpy2 import next_prime

from residua.cores.directory import Directory
from residua.evidence.campaign import Campaign, Figures, Request
from residua.evidence.pages import RowTable, commit, mismatches, table_page
from residua.evidence.simulation import simulated
from residua.evidence.subjects import core

VECTORS = 1_000_000
SEED = 20

RSA_1024 = int(next_prime(isqrt(2 << 1022)) * next_prime(isqrt(3 << 1022)))
"""A modulus of 1024 bits: the primes after sqrt(2) 2^511 and sqrt(3) 2^511."""

CORES: dict[str, dict[str, Any]] = {
    "192 (12, 17)": {"modulus": "P-192", "channels": 12, "width": 17},
    "256 (16, 17)": {"modulus": "P-256", "channels": 16, "width": 17},
    "256 (8, 33)": {"modulus": "P-256", "channels": 8, "width": 33},
    "384 (12, 33)": {"modulus": "P-384", "channels": 12, "width": 33},
    "512 (16, 33)": {"modulus": "brainpoolP512r1", "channels": 16, "width": 33},
    "521 (smallest n, 18)": {"modulus": "P-521", "width": 18},
    "1024 RSA (32, 33)": {"modulus": RSA_1024, "channels": 32, "width": 33},
    "192 (12, 17), shortest interval": {
        "modulus": "P-192", "channels": 12, "width": 17, "schedule": "interval",
    },
    "192 (12, 17), any h": {
        "modulus": "P-192", "channels": 12, "width": 17, "bases": "any", "reduction": "multiply",
    },
    "192 (12, 17), 3 rowers": {"modulus": "P-192", "channels": 12, "width": 17, "rowers": 3},
}  # fmt: skip
"""Specifications by the names of the rows."""

HOW = """\
The Verilog of each core is simulated with Verilator and compared with the bit-exact model: every
residue of every output word. Half of the runs are back to back, half have random gaps between
operands and random values of `enable`. The oracle checks a sample, every pair of the most
adversarial operands among it, with plain integers. Latency and interval are measured, in cycles.
A + after the commit says that the sources differed from it."""

TABLE = RowTable(
    {
        "Configuration (n, w)": lambda row: row.name,
        "Rowers": lambda row: row["parameters"]["rowers"],
        "Runs": lambda row: f"{row['vectors']:,}",
        "Mismatches": mismatches,
        "Oracle checks": lambda row: f"{row['oracle_checks']:,}",
        "Latency": lambda row: row["cycles"]["latency"],
        "Interval": lambda row: row["cycles"]["interval"],
        "Commit": commit,
    }
)


def sizes(directory: Directory, _vectors: int) -> Figures:
    """The size of a core."""
    parameters = directory.manifest["parameters"]
    return {"parameters": {key: parameters[key] for key in ("n", "w", "rowers", "t")}}


def measure(request: Request) -> Figures:
    """Simulate the core of a row."""
    return simulated(request, SEED, sizes)


CAMPAIGN = Campaign(
    table_page(
        "campaign",
        "Multipliers on the engine",
        f"RNS Montgomery products. {HOW} `make campaign` writes this page.",
        (TABLE,),
    ),
    dict.fromkeys(CORES, VECTORS),
    lambda name: core(CORES[name]),
    measure,
)
