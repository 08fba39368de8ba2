"""Faults in running cores: coprocessors, with protections and without, and RSA."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from residua.cores.synthesis import map_directory
from residua.curves.protections.protection import Level
from residua.evidence.attacks.drawing import FaultKind
from residua.evidence.attacks.faults import Attack, attack
from residua.evidence.attacks.victims.choice import has_invalid
from residua.evidence.attacks.victims.victim import HARMFUL, Effect
from residua.evidence.campaign import Campaign, Figures, Request
from residua.evidence.pages import RowTable, commit, table_page
from residua.evidence.rows import Row
from residua.evidence.small_curves import TINY
from residua.evidence.subjects import core

SEED = 26

NONE = {"protections": "none"}

EXIT = {"protections": ["exit-check"]}

ALL = {"protections": ["exit-check", "control-signature", "scalar-check"]}

STANDARD, HIGH = {"protections": "standard"}, {"protections": "high"}

REDUNDANT = {"protections": ["redundant-residue"]}

MOST = {"protections": [*map(str, Level.HIGH.protections), "redundant-residue"]}

RSA = {"algorithm": "rsa-crt", "bits": 64}

ON_ENGINE = {"unit": "rns-montgomery"}

CORES: dict[str, tuple[dict[str, Any], int]] = {
    "tiny curve": ({"curve": [TINY], "blinding": 0} | NONE, 20_000),
    "tiny curve, exit-check": ({"curve": [TINY], "blinding": 0} | EXIT, 20_000),
    "tiny curve, all": ({"curve": [TINY], "blinding": 0} | ALL, 20_000),
    "tiny curve, standard": ({"curve": [TINY], "blinding": 0} | STANDARD, 20_000),
    "tiny curve, high": ({"curve": [TINY], "blinding": 0} | HIGH, 20_000),
    "tiny curve, redundant-residue": ({"curve": [TINY], "blinding": 0} | REDUNDANT, 20_000),
    "tiny curve, high, redundant-residue": ({"curve": [TINY], "blinding": 0} | MOST, 20_000),
    "P-256": ({"curve": "P-256"} | NONE, 1000),
    "P-256, exit-check": ({"curve": "P-256"} | EXIT, 1000),
    "P-256, all": ({"curve": "P-256"} | ALL, 1000),
    "P-256, redundant-residue": ({"curve": "P-256"} | REDUNDANT, 1000),
    "Curve25519, exit-check": ({"curve": "Curve25519"} | EXIT, 1000),
    "P-256 on digits, exit-check": ({"curve": "P-256", "algorithm": "iddmm"} | EXIT, 500),
    "RSA on an engine": (RSA | ON_ENGINE, 10_000),
    "RSA on an engine, blinding": (RSA | ON_ENGINE | {"blinding": "auto"}, 10_000),
    "RSA on digits": (RSA, 10_000),
}
"""Specifications and faults of each kind by the names of the rows."""

ATTACKS = {
    "flips in registers": Attack(FaultKind.FLIP),
    "flips in memories": Attack(FaultKind.MEMORY),
    "flips, invalid point": Attack(FaultKind.FLIP, invalid=True),
}
"""What is tried on each core; on a Montgomery curve every point is valid."""

WRONG_KEY = "flips, wrong key"
"""What RSA has to refuse in place of a point."""

LISTED = 12
"""Registers or memories of a row that are named, those with the most harmful faults."""

INTRODUCTION = """\
A point is multiplied, and in each run a bit is inverted, once: of a register as it is stored, of a
word of a memory, and of a register while the core has to refuse a point that is none of its curve.
RSA makes a root with a key of 64 bits, which it loads first; what it has to withhold are the roots
of a key with a wrong exponent, each of which gives a factor of N away. Bits and cycles are drawn
with equal chances. What the outcomes mean, and what the protections are, is told in
[Faults](../faults.md); *all* are `exit-check`, `control-signature` and `scalar-check`,
*standard* and *high* are levels.
`residua attack faults` does the same to any directory, and `make campaign-faults` writes this
page."""


def _keys(own: Mapping[str, Any]) -> dict[str, Any]:
    """The specification of a row's core, on plain streams."""
    return {**own, "bus": "stream"} if "curve" in own else dict(own)


def measure(request: Request) -> Figures:
    """Try all kinds of faults on the core of a row, and find what it takes."""
    directory = request.directory()
    found = {}
    for name, asked in ATTACKS.items():
        if asked.invalid and not has_invalid(directory):
            continue
        result = attack(directory, replace(asked, count=request.amount, seed=SEED))
        result["harmful"] = dict(list(result["harmful"].items())[:LISTED])
        found[WRONG_KEY if asked.invalid and "curve" not in result else name] = result
    mapped = map_directory(directory, "ecp5", request.folder("synth"))
    return {"attacks": found, "ecp5": mapped["resources"]}


@dataclass(frozen=True)
class _Line:
    """An attack on the core of a row."""

    row: Row
    name: str
    found: Mapping[str, Any]

    def count(self, *effects: Effect) -> int:
        """How many faults came to one of these."""
        return sum(self.found["effects"].get(effect, 0) for effect in effects)


def _lines(row: Row) -> Iterator[_Line]:
    for name, found in row["attacks"].items():
        yield _Line(row, name, found)


def _harmful(line: _Line) -> str:
    count = line.count(*HARMFUL)
    return f"{count:,} ({count / line.found['faults']:.2%})"


TABLE = RowTable(
    {
        "Core": lambda line: line.row.name,
        "Faults": lambda line: line.name,
        "Cycles": lambda line: f"{line.found['cycles']:,}",
        "Tried": lambda line: f"{line.found['faults']:,}",
        "Harmless": lambda line: f"{line.count(Effect.HARMLESS):,}",
        "Detected": lambda line: f"{line.count(Effect.DETECTED):,}",
        "Hang": lambda line: f"{line.count(Effect.HANG):,}",
        "On the curve": lambda line: f"{line.count(Effect.ON_CURVE):,}",
        "A factor": lambda line: f"{line.count(Effect.FACTOR):,}",
        "Harmful": _harmful,
        "Commit": lambda line: commit(line.row),
    },
    texts=2,
    lines=_lines,
)

PLACES = RowTable(
    {
        "Core": lambda line: line.row.name,
        "Faults": lambda line: line.name,
        "Registers or memories, and harmful faults": lambda line: (
            ", ".join(f"`{name}` {count}" for name, count in line.found["harmful"].items())
            or "none"
        ),
    },
    title="Where harmful faults are",
    introduction="Those with the most of them.",
    texts=3,
    lines=_lines,
)

COSTS = RowTable(
    {
        "Core": lambda row: row.name,
        "Cycles": lambda row: f"{row['attacks']['flips in registers']['cycles']:,}",
        "LUT4": lambda row: f"{row['ecp5']['lut']:,}",
        "FF": lambda row: f"{row['ecp5']['ff']:,}",
        "MULT18": lambda row: row["ecp5"]["dsp"],
        "Block memories": lambda row: row["ecp5"]["bram"],
    },
    title="What protections cost",
    introduction="On plain streams, after synthesis for an ECP5.",
    lines=lambda row: (row,) if "ecp5" in row.figures else (),
    closing_texts=0,
)

CAMPAIGN = Campaign(
    table_page("faults", "Faults in running cores", INTRODUCTION, (TABLE, COSTS, PLACES)),
    {name: amount for name, (_, amount) in CORES.items()},
    lambda name: core(_keys(CORES[name][0])),
    measure,
    is_complete=lambda row: "ecp5" in row.figures,
)
