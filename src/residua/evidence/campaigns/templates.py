"""Templates of coprocessors, with protections and without, in traces with noise and without."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from residua.evidence.attacks.templates import Profile, templates
from residua.evidence.campaign import Campaign, Figures, Request
from residua.evidence.pages import RowTable, commit, table_page
from residua.evidence.rows import Row
from residua.evidence.small_curves import SMALL
from residua.evidence.subjects import core

SEED = 27


@dataclass(frozen=True)
class Learned:
    """What is learned and attacked of a core; ``traces`` are learned from."""

    keys: Mapping[str, Any]
    asked: Profile


_SMALL = {"curve": [SMALL], "formula": "xz-ladder"}
_BARE = _SMALL | {"blinding": 0, "protections": "none"}
_HIGH = _SMALL | {"protections": "high"}
_MASKED = _SMALL | {"protections": ["masked-order", "masked-scalar", "exit-check"]}
_CHOSEN = _SMALL | {"protections": ["random-bases"]}

_TRACES = 1000

CORES: dict[str, Learned] = {
    "40 bits, bare": Learned(_BARE, Profile(_TRACES)),
    "40 bits, high": Learned(_HIGH, Profile(_TRACES)),
    "40 bits, high, noise of 30 bits": Learned(_HIGH, Profile(_TRACES, noise=30)),
    "40 bits, high, noise of 100 bits": Learned(_HIGH, Profile(_TRACES, noise=100)),
    "40 bits, masked": Learned(_MASKED, Profile(_TRACES)),
    "40 bits, random-bases": Learned(_CHOSEN, Profile(_TRACES)),
    "P-256, high": Learned(
        {"curve": "P-256", "formula": "xz-ladder", "protections": "high"},
        Profile(200, attacked=20),
    ),
}
"""What is attacked, by the names of the rows."""

INTRODUCTION = """\
For each cycle of a multiplication a trace has the bits of registers that changed. A classifier
learns from traces of known random scalars, and guesses bits of others, each by itself: those of the
scalar, from the cycles in which it is read and blinded, and those that the ladder takes, from the
cycles of the step that takes each. What is right beyond the bound is no chance. A trace of which
all of the ladder's bits are right gives the scalar away, blinded or not. More is told in [Faults
and leakage](../faults.md#templates). `residua attack templates` does the same to any directory, and
`make campaign-templates` writes this page."""


def measure(request: Request) -> Figures:
    """Attack the core of a row."""
    asked = replace(CORES[request.name].asked, traces=request.amount, seed=SEED)
    return {"templates": templates(request.directory(), asked)}


def _right(row: Row, goal: str) -> str:
    """The share of right guesses, and the bound of chance."""
    found = row["templates"][goal]
    return f"{found['right']:.1%} ({found['bound']:.1%})"


TABLE = RowTable(
    {
        "Core": lambda row: row.name,
        "Noise, bits": lambda row: f"{row['templates']['noise']:g}",
        "Learned from": lambda row: f"{row['templates']['traces']:,}",
        "Attacked": lambda row: f"{row['templates']['attacked']:,}",
        "Bits of the scalar, right (bound)": lambda row: _right(row, "scalar"),
        "Bits of the ladder": lambda row: _right(row, "loop"),
        "Whole scalars": lambda row: row["templates"]["loop"]["whole"],
        "Commit": commit,
    },
)

CAMPAIGN = Campaign(
    table_page("templates", "Templates of running cores", INTRODUCTION, (TABLE,)),
    {name: own.asked.traces for name, own in CORES.items()},
    lambda name: core({**CORES[name].keys, "bus": "stream"}),
    measure,
)
"""Bits of scalars that single traces tell to who has learned from others."""
