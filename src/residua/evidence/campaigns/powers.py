"""Powers on simulated engines against plain integers."""

from collections.abc import Mapping
from typing import Any

from residua.cores.directory import Directory
from residua.evidence.campaign import Campaign, Figures, Request
from residua.evidence.pages import RowTable, commit, mismatches, table_page
from residua.evidence.rows import Row
from residua.evidence.simulation import simulated
from residua.evidence.subjects import core

SEED = 31


RSA = {"algorithm": "rsa-crt"}
PUBLIC = {"width": 34, "exponent": "loaded"}

CORES: dict[str, tuple[int, dict[str, Any]]] = {
    "256 bits (P-256)": (200, {"modulus": "P-256", "width": 17}),
    "1024 bits, w = 17": (8, {"modulus": "MODP-1024", "width": 17}),
    "1024 bits": (8, {"modulus": "MODP-1024", "width": 34}),
    "2048 bits": (2, {"modulus": "MODP-2048", "width": 34}),
    "2048 bits, short exponent": (
        4, {"modulus": "MODP-2048", "width": 34, "exponent_bits": 225},
    ),
    "2048 bits, 65537": (8, {"modulus": "MODP-2048", "width": 34, "exponent": 65537}),
    "2048 bits, rows of 2 moduli": (
        2, {"modulus": "MODP-2048", "width": 34, "extension": "hierarchical", "columns": 2},
    ),
    "2048 bits, rows of 4 moduli": (
        2, {"modulus": "MODP-2048", "width": 34, "extension": "hierarchical", "columns": 4},
    ),
    "loaded, 256 bits": (200, {"bits": 256, "width": 17}),
    "loaded, 1024 bits": (8, {"bits": 1024, "width": 34}),
    "loaded, 2048 bits": (2, {"bits": 2048, "width": 34}),
    "loaded, 2048 bits, 65537": (8, {"bits": 2048, "width": 34, "exponent": 65537}),
    "public keys, 1024 bits": (100, PUBLIC | {"bits": 1024}),
    "public keys, 2048 bits": (100, PUBLIC | {"bits": 2048}),
    "public keys, 2048 bits, rows of 2 moduli": (
        100, PUBLIC | {"bits": 2048, "extension": "hierarchical", "columns": 2},
    ),
    "RSA, 1024 bits, w = 17": (
        100, RSA | {"bits": 1024, "width": 17, "extension": "hierarchical", "columns": 2},
    ),
    "RSA, 1024 bits": (100, RSA | {"bits": 1024, "width": 34}),
    "RSA, 1024 bits, rows of 2 moduli": (
        100, RSA | {"bits": 1024, "width": 34, "extension": "hierarchical", "columns": 2},
    ),
    "RSA, 1024 bits, 8 rowers": (
        100, RSA | {"bits": 1024, "width": 34, "channels": 16, "rowers": 8},
    ),
    "RSA, 2048 bits": (20, RSA | {"bits": 2048, "width": 34}),
}  # fmt: skip
"""Powers and specifications by the names of the rows."""

INTRODUCTION = """\
The Verilog of each exponentiator on an engine, simulated with Verilator: every word of every power
is compared with plain integers, and some powers residue by residue with the model. Half of the
powers are back to back, half have random gaps between words and results that wait. Moduli that are
built in are the prime of P-256 and those of the Oakley groups 2 and 14 (RFC 2409, RFC 3526); others
are loaded. Latency is measured, in cycles, from the last word of the exponent to the last one of
the result, and the same for all operands. A step is a digit of the exponent, of `window` bits; of a
public exponent it is a squaring, of RSA a digit of both exponents. Public keys are loaded, with all
kinds of exponents; latency is that with 65537. RSA is the private operation,
with the check, for several keys, also wrong ones. Utilisation: EMM / (rowers × interval).
`make campaign-powers` writes this page."""


def keys(name: str) -> dict[str, Any]:
    """The keys of the core of a row."""
    return {"algorithm": "modexp", "unit": "rns-montgomery", **CORES[name][1]}


def sizes(directory: Directory, _powers: int) -> Figures:
    """The size of a core, and the cycles of a step."""
    manifest = directory.manifest
    parameters: Mapping[str, Any] = manifest["parameters"]
    names = ("algorithm", "modulus_bits", "exponent", "exponent_bits", "n", "w", "rowers", "window")
    cycles = manifest["cycles"]
    return {
        "parameters": {key: parameters.get(key) for key in names},
        "step": cycles.get("step", cycles.get("square")),
        "utilisation": manifest["utilisation"],
    }


def measure(request: Request) -> Figures:
    """Simulate the core of a row."""
    return simulated(request, SEED, sizes)


def exponent(row: Row) -> str:
    """Make the cell of the exponent: the only one, its bits, or those of both private ones."""
    parameters = row["parameters"]
    if parameters.get("algorithm") == RSA["algorithm"]:
        return f"2 × {parameters['exponent_bits']} bits"
    return parameters["exponent"] or f"{parameters['exponent_bits']} bits"


TABLE = RowTable(
    {
        "N": lambda row: row.name,
        "Exponent": exponent,
        "Bases": lambda row: f"{row['parameters']['n']} × {row['parameters']['w']}",
        "Rowers": lambda row: row["parameters"]["rowers"],
        "Window": lambda row: row["parameters"]["window"] or "–",
        "Powers": lambda row: row["vectors"],
        "Mismatches": mismatches,
        "Model": lambda row: row["model_checks"],
        "Latency": lambda row: f"{row['cycles']['latency']:,}",
        "Step": lambda row: row["step"],
        "Utilisation": lambda row: f"{row['utilisation']:.0%}",
        "Commit": commit,
    },
    texts=3,
)

CAMPAIGN = Campaign(
    table_page("powers", "Powers on the engine", INTRODUCTION, (TABLE,)),
    {name: powers for name, (powers, _) in CORES.items()},
    lambda name: core(keys(name)),
    measure,
)
