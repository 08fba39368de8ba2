"""Resets in every cycle of a run, on a core of every kind: what follows must be right."""

from typing import Any

from residua.cores.simulation.runs import EVERY, Resets
from residua.cores.verification import run_directory
from residua.evidence.campaign import Campaign, Figures, Request
from residua.evidence.pages import RowTable, commit, mismatches, table_page
from residua.evidence.small_curves import TINY
from residua.evidence.subjects import core

SEED = 7
VECTORS = 64

CORES: dict[str, dict[str, Any]] = {
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
    "RSA with CRT on an engine": {
        "algorithm": "rsa-crt", "unit": "rns-montgomery", "bits": 36, "window": 2, "exponent": 5,
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
"""Specifications by the names of the rows."""

SPREAD = {"MWR2MM, 777 bits, digit 23": 300}
"""Rows whose runs are too long for a reset in each cycle: so many, spread over a run."""

INTRODUCTION = """\
The Verilog of each core, simulated with Verilator from random registers on. In every cycle of an
operation (of each operation of a coprocessor) a reset comes, once of one cycle, once of two and
once of three; the results of the runs after it are compared with the model, or with plain integers.
Where a modulus is loaded it is loaded again. The multiplier of 777 bits, whose runs are long, has
300 resets spread over a run. `make campaign-resets` writes this page."""


def measure(request: Request) -> Figures:
    """Reset the core of a row everywhere."""
    directory = request.directory()
    vectors = 1 if directory.made.complete_run else VECTORS
    resets: Resets = SPREAD.get(request.name, EVERY)
    found = run_directory(directory, vectors=vectors, seed=SEED, resets=resets)
    return {key: found[key] for key in ("resets", "mismatches", "failures")}


TABLE = RowTable(
    {
        "Core": lambda row: row.name,
        "Resets": lambda row: f"{row['resets']:,}",
        "Wrong": mismatches,
        "Commit": commit,
    }
)

CAMPAIGN = Campaign(
    table_page("resets", "Resets in mid-run", INTRODUCTION, (TABLE,)),
    dict.fromkeys(CORES, 1),
    lambda name: core(CORES[name]),
    measure,
)
