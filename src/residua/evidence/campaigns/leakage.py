"""Traces of coprocessors, with protections against them and without."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from math import inf
from typing import Any

from residua.cores.synthesis import map_directory
from residua.evidence.attacks.groups import Compared
from residua.evidence.attacks.leakage import leakage
from residua.evidence.campaign import Campaign, Figures, Request
from residua.evidence.pages import RowTable, commit, table_page
from residua.evidence.rows import Row
from residua.evidence.small_curves import SMALL
from residua.evidence.subjects import core

SEED = 26

AT_THE_END = ("recovery_result", "unload", "receive")
"""Phases with the result of a multiplication, which is fixed where the scalar is."""


@dataclass(frozen=True)
class Measured:
    """What is measured on a core: an operation's traces, so many."""

    keys: Mapping[str, Any]
    traces: int
    asked: Compared


_SMALL = {"curve": [SMALL], "formula": "xz-ladder"}
_P256 = {"curve": "P-256", "formula": "xz-ladder"}
_BARE = {"protections": "none"}
_MASKED = {"protections": ["masked-scalar"]}
_CHOSEN = {"protections": ["random-bases"]}
_BOTH = {"protections": ["masked-order", "masked-scalar"]}
_K, _D = Compared(operation="ORDER_SIGN"), Compared(operation="ORDER_SIGN", operand=1)

CORES: dict[str, Measured] = {
    "40 bits": Measured(_SMALL | _BARE, 2000, Compared()),
    "40 bits, masked-scalar": Measured(_SMALL | _MASKED, 2000, Compared()),
    "40 bits, masked-scalar, random words stuck": Measured(
        _SMALL | _MASKED, 400, Compared(random_word=1)
    ),
    "40 bits, k inverted": Measured(_SMALL | _BARE, 2000, Compared(operation="ORDER_INVERT")),
    "40 bits, d multiplied": Measured(
        _SMALL | _BARE, 2000, Compared(operation="ORDER_MULTIPLY_ADD", operand=1)
    ),
    "40 bits, masked-order, d": Measured(_SMALL | {"protections": ["masked-order"]}, 2000, _D),
    "40 bits, masked-order, masked-scalar, k": Measured(_SMALL | _BOTH, 2000, _K),
    "40 bits, masked-order, masked-scalar, d": Measured(_SMALL | _BOTH, 2000, _D),
    "P-256": Measured(_P256 | _BARE, 400, Compared()),
    "P-256, masked-scalar": Measured(_P256 | _MASKED, 400, Compared()),
    "40 bits, random-bases": Measured(_SMALL | _CHOSEN, 2000, Compared()),
    "P-256, random-bases": Measured(_P256 | _CHOSEN, 400, Compared()),
}
"""What is measured, by the names of the rows."""

INTRODUCTION = """\
For each cycle of an operation a trace has the bits of registers that changed. Traces with a fixed
secret and with random ones are compared cycle by cycle by Welch's t, of means (first order) and of
variances (second order); above the threshold they are told apart. A fixed scalar has a fixed
result, so that of multiplications the cycles count that come before its coordinates are there. What
is done, and what the protections are, is told in [Faults and leakage](../faults.md).
`residua attack leakage` does the same to any directory, and `make campaign-leakage` writes this
page."""


def measure(request: Request) -> Figures:
    """Compare the traces of a row, and find what its core takes."""
    directory, own = request.directory(), CORES[request.name]
    asked = replace(own.asked, traces=request.amount, seed=SEED)
    found = leakage(directory, asked)
    mapped = map_directory(directory, "ecp5", request.folder("synth"))
    return {"leakage": found, "ecp5": mapped["resources"]}


def _before_the_end(row: Row, order: str) -> dict[str, float]:
    """The largest t of each phase that the result has no part in."""
    found = row["leakage"]
    told: dict[str, float | str] = found[order]["phases"]
    # Constants that differ have no finite one.
    phases = {name: inf if isinstance(t, str) else t for name, t in told.items()}
    if found["operation"] == "ORDER_SIGN":
        return phases
    return {name: t for name, t in phases.items() if name not in AT_THE_END}


def _largest(row: Row, order: str) -> str:
    """The largest t and its phase."""
    name, t = max(_before_the_end(row, order).items(), key=lambda phase: phase[1])
    return f"{t:.1f}, {name}"


def _reading(row: Row, order: str) -> str:
    """The largest t while numbers are read."""
    phases = _before_the_end(row, order)
    return f"{max(t for name, t in phases.items() if name.startswith(('read', 'load'))):.1f}"


TABLE = RowTable(
    {
        "Core": lambda row: row.name,
        "Secret": lambda row: f"{row['leakage']['operand']} of {row['leakage']['operation']}",
        "Traces": lambda row: f"{row['leakage']['traces']:,}",
        "Threshold": lambda row: f"{row['leakage']['threshold']:.1f}",
        "Reading, first order": lambda row: _reading(row, "first"),
        "second": lambda row: _reading(row, "second"),
        "Largest t, first order": lambda row: _largest(row, "first"),
        "second order": lambda row: _largest(row, "second"),
        "Commit": commit,
    },
    texts=2,
)

COSTS = RowTable(
    {
        "Core": lambda row: row.name,
        "Operation": lambda row: row["leakage"]["operation"],
        "Cycles": lambda row: f"{row['leakage']['cycles']:,}",
        "LUT4": lambda row: f"{row['ecp5']['lut']:,}",
        "FF": lambda row: f"{row['ecp5']['ff']:,}",
        "Block memories": lambda row: row["ecp5"]["bram"],
    },
    title="What protections cost",
    introduction="On plain streams, after synthesis for an ECP5.",
    texts=2,
    closing_texts=0,
)

CAMPAIGN = Campaign(
    table_page("leakage", "Leakage of running cores", INTRODUCTION, (TABLE, COSTS)),
    {name: own.traces for name, own in CORES.items()},
    lambda name: core({**CORES[name].keys, "bus": "stream"}),
    measure,
)
