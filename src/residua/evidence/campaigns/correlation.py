"""Correlation attacks on coprocessors: scalars that many traces tell, and what hides them."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from residua.evidence.attacks.correlation import Correlated, correlation
from residua.evidence.campaign import Campaign, Figures, Request
from residua.evidence.pages import RowTable, commit, table_page
from residua.evidence.small_curves import SMALL
from residua.evidence.subjects import core

SEED = 28

_WORD = 0x1234567
"""What every random word is where the port is stuck."""


@dataclass(frozen=True)
class Attacked:
    """A core, and how it is attacked."""

    keys: Mapping[str, Any]
    asked: Correlated


_LADDER = {"curve": [SMALL], "formula": "xz-ladder"}
_BARE = _LADDER | {"blinding": 0, "protections": "none"}
_P256 = {"curve": "P-256", "formula": "xz-ladder"}

_STEPS = 40
"""Steps of P-256 that are attacked: as many as a ladder of 40 bits has."""

CORES: dict[str, Attacked] = {
    "40 bits, bare, random words known": Attacked(_BARE, Correlated(100, random_word=_WORD)),
    "40 bits, bare, random words known, noise of 30 bits": Attacked(
        _BARE, Correlated(1000, random_word=_WORD, noise=30)
    ),
    "40 bits, blinded, random words known": Attacked(
        _LADDER | {"protections": "none"}, Correlated(300, random_word=_WORD)
    ),
    "40 bits, bare": Attacked(_BARE, Correlated(1000)),
    "40 bits, high": Attacked(_LADDER | {"protections": "high"}, Correlated(1000)),
    "P-256, bare, random words known": Attacked(
        _P256 | {"blinding": 0, "protections": "none"},
        Correlated(300, random_word=_WORD, steps=_STEPS),
    ),
    "P-256, high": Attacked(_P256 | {"protections": "high"}, Correlated(200, steps=_STEPS)),
}
"""What is attacked, by the names of the rows."""

INTRODUCTION = """\
Points that are known are multiplied by one scalar; for each cycle a trace has the bits of registers
that changed. Step by step of the ladder, the words that it would leave are computed for both values
of the bit that it chooses by, and that value is taken whose words' weights correlate more with the
samples. What is right beyond the bound is no chance. *Random words known* are those of a port that
is stuck at a word that the attacker knows: coordinates are random no more, and blinding adds the
same number each time. Where random words are fresh the attacker has to take some for granted. More
is told in [Faults and leakage](../faults.md#correlation). `residua attack correlation` does the
same to any directory, and `make campaign-correlation` writes this page."""


def measure(request: Request) -> Figures:
    """Attack the core of a row."""
    asked = replace(CORES[request.name].asked, traces=request.amount, seed=SEED)
    return {"correlation": correlation(request.directory(), asked)}


TABLE = RowTable(
    {
        "Core": lambda row: row.name,
        "Noise, bits": lambda row: f"{row['correlation']['noise']:g}",
        "Traces": lambda row: f"{row['correlation']['traces']:,}",
        "Steps": lambda row: row["correlation"]["bits"],
        "Right (bound)": lambda row: (
            f"{row['correlation']['right']:.1%} ({row['correlation']['bound']:.1%})"
        ),
        "All of them": lambda row: "yes" if row["correlation"]["whole"] else "no",
        "Correlation, chosen": lambda row: f"{row['correlation']['chosen']:.2f}",
        "Of the other value": lambda row: f"{row['correlation']['other']:.2f}",
        "Commit": commit,
    },
)

CAMPAIGN = Campaign(
    table_page("correlation", "Correlation with running cores", INTRODUCTION, (TABLE,)),
    {name: own.asked.traces for name, own in CORES.items()},
    lambda name: core({**CORES[name].keys, "bus": "stream"}),
    measure,
)
"""Bits of scalars that many traces tell to who can predict words."""
