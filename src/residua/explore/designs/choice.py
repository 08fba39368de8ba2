"""The choice of a core among those that were measured."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from residua.cores.specification.command import flags
from residua.cores.specification.reading import check_any
from residua.errors import SpecificationError
from residua.evidence.rows import Row, Store
from residua.explore.designs.figures import FIGURES, cost
from residua.toolchain.placement.devices import TOTALS, target_of

RUNNERS_UP = 3
"""Cores that are told of beside the best one."""

_NAMING = ("algorithm", "curve", "modulus", "bits")
"""Keys of which one says what a core is for."""

SHIPPED = Path(__file__).parent / "measured"
"""The directory of the rows that come with Residua."""

GOALS: Mapping[str, str] = {"speed": "ms", "balanced": "lut_ms", "area": "lut"}
"""The figure of which the best is wanted, by the goal of ``residua build``."""

_FREE = ("bus", "blinding", "name")
"""Keys that do not tell which core is best: they may be others than in the rows."""


@dataclass(frozen=True)
class Wish:
    """What a core has to be.

    Attributes:
        keys: of its specification, as text.
        by: the figure of which the best is wanted.
        limits: what figures may be: at most, or at least if more of it is better.
        device: on which it has to fit; "" if on any ECP5.
    """

    keys: Mapping[str, str]
    by: str
    limits: Mapping[str, float]
    device: str = ""

    @property
    def target(self) -> str:
        """The device family whose cores are chosen from."""
        return target_of(self.device)

    @property
    def bounds(self) -> dict[str, float]:
        """The limits, those of the device among them.

        Raises:
            SpecificationError: nothing is known of such a device.
        """
        found = dict(self.limits)
        if self.device:
            if self.device not in TOTALS:
                raise SpecificationError(
                    f"device '{self.device}' is unknown: one of {', '.join(TOTALS)}"
                )
            for name, total in TOTALS[self.device].items():
                found[name] = min(found.get(name, total), total)
        return found


def read(directories: Iterable[Path]) -> list[Row]:
    """Read the rows of explorations in some directories.

    Raises:
        SpecificationError: there is no such directory, or a file in it is none of a store.
    """
    rows = []
    for directory in directories:
        if not directory.is_dir():
            raise SpecificationError(f"there are no rows in {directory}: no such directory")
        store = Store(directory)
        rows += [row for name in store.campaigns() for row in store.read(name).values()]
    return [row for row in rows if row.get("mhz") and row.specification]


def pick(rows: Sequence[Row], wish: Wish) -> dict[str, Any]:
    """Choose the best core.

    Args:
        rows: of explorations, see `residua.explore.designs.results.rows`.
        wish: what is wanted.

    Returns:
        The ``best`` and the ``runners_up``, each with its ``name``, ``keys``, ``command``,
        ``figures``, ``clocks`` and ``commit``; runners-up with ``worse``: by how much, as a part.

    Raises:
        SpecificationError: it does not say what the core is for, or no row is such a core; the
            message has the nearest one.
    """
    able = ranked(rows, wish)
    best, *others = able
    return {
        "by": wish.by,
        "cores": len(able),
        "best": _told(best),
        "runners_up": [
            {**_told(row), "worse": round(_ratio(row, best, wish.by) - 1, 4)}
            for row in others[:RUNNERS_UP]
        ],
    }


def ranked(rows: Sequence[Row], wish: Wish) -> list[Row]:
    """List the rows of cores that fit, the best one first.

    Raises:
        SpecificationError: see `pick`.
    """
    if not any(name in wish.keys for name in _NAMING):
        raise SpecificationError(
            "what is the core for? Give " + ", ".join(f"--{name}" for name in _NAMING[:-1])
            + " or --bits, with other keys if they matter"
        )  # fmt: skip
    bounds = wish.bounds
    asked = _asked([row for row in rows if row["target"] == wish.target], wish.keys)
    able = [row for row in asked if all(_excess(row, *one) <= 1 for one in bounds.items())]
    if not able:
        raise SpecificationError(_nearest(asked, bounds))
    return sorted(able, key=lambda row: (cost(wish.by, row[wish.by]), row["lut"], row.name))


def for_goal(rows: Sequence[Row], asked: Mapping[str, Any], goal: str) -> dict[str, Any]:
    """Choose the keys that nobody asked for.

    Args:
        rows: of explorations.
        asked: keys of a specification, which stay as they are.
        goal: one of `GOALS`.

    Returns:
        The keys of the best core among the rows, with those that were asked for on top of them.

    Raises:
        SpecificationError: no such goal, or no row is such a core.
    """
    if goal not in GOALS:
        raise SpecificationError(f"goal '{goal}' is none: one of {', '.join(GOALS)}")
    told = {name: str(value) for name, value in asked.items() if name not in _FREE}
    best = pick(rows, Wish(told, GOALS[goal], {}))["best"]["keys"]
    return {name: value for name, value in best.items() if name not in _FREE} | dict(asked)


def _asked(rows: Sequence[Row], keys: Mapping[str, str]) -> list[Row]:
    """The rows of cores that have these keys.

    Raises:
        SpecificationError: there are none.
    """
    found = [row for row in rows if _has(row, keys)]
    if not found:
        measured = dict.fromkeys(flags(_naming(row)) for row in rows)
        others = f"what was: {'; '.join(measured)}" if measured else "nothing was"
        raise SpecificationError(f"no core with {flags(keys)} was measured, {others}")
    return found


def _naming(row: Row) -> dict[str, Any]:
    """The keys that say what the core of a row is for."""
    keys = row.specification or {}
    return {name: keys[name] for name in _NAMING if name in keys}


def _has(row: Row, keys: Mapping[str, str]) -> bool:
    """Whether the core of a row stays as it is if these keys are asked for, too."""
    chosen = row["chosen"]
    try:
        return check_any({**chosen, **keys}).items() == check_any(chosen).items()
    except SpecificationError:
        return False


def _excess(row: Row, figure: str, bound: float) -> float:
    """How much of a limit a figure takes: not above 1 if it is met."""
    value = float(row[figure])
    if FIGURES[figure].rises:
        return bound / value if value else float("inf")
    if not bound:
        return float("inf") if value else 0.0
    return value / bound


def _nearest(rows: Sequence[Row], bounds: Mapping[str, float]) -> str:
    def worst(row: Row) -> float:
        return max(_excess(row, *one) for one in bounds.items())

    row = min(rows, key=lambda row: (worst(row), row.name))
    missed = [
        f"{name} = {row[name]:g} ({'at least' if FIGURES[name].rises else 'at most'} {bound:g})"
        for name, bound in bounds.items()
        if _excess(row, name, bound) > 1
    ]
    return f"no core of {len(rows)} fits; the nearest has {', '.join(missed)}: {command(row)}"


def _ratio(row: Row, best: Row, figure: str) -> float:
    """By what factor a core is worse than another one."""
    own, other = float(row[figure]), float(best[figure])
    if FIGURES[figure].rises:
        own, other = other, own
    return own / other if other else 1.0


def _told(row: Row) -> dict[str, Any]:
    return {
        "name": row.name,
        "keys": row.specification,
        "command": command(row),
        "figures": {name: row[name] for name in FIGURES if name in row.figures},
        "operation": row["operation"],
        "clocks": row["clocks"],
        "commit": row.commit,
    }


def command(row: Row) -> str:
    """The command that builds the core of a row."""
    return "residua build " + flags(row.specification or {})
