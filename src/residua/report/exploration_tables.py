"""Tables of `residua explore` and `residua pick` for a terminal."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

from rich.box import SIMPLE
from rich.console import RenderableType
from rich.table import Table

from residua.cores.specification.command import flags
from residua.cores.templating import grouped
from residua.report.clocks import Clock
from residua.report.prime_tables import pairs

Result = dict[str, Any]
Text = list[RenderableType]

_FIGURES = ("cycles", "lut", "dsp", "bram", "mhz", "ms", "per_second")

_COUNTLESS = 10**15
"""Number from which on its digits are not told."""

_FLAGS = 24
"""Characters for flags, at least."""


def explored(found: Result) -> Text:
    """An exploration: how many points came how far, and the front."""
    rows = [
        ("tried", tried(found)),
        ("points", f"{found['points']}, {found['cores']} different cores"),
        ("synthesised, placed", f"{found['synthesised']}, {found['placed']}"),
        *_reasons(found),
        *[(f"estimates of {name}", _error(own)) for name, own in found["errors"].items()],
        ("front", _state(found)),
    ]
    if common := common_keys(found["front"]):
        rows.append(("flags" if len(found["front"]) == 1 else "flags in common", flags(common)))
    return [pairs(rows), front_table(found["front"])]


def tried(found: Mapping[str, Any]) -> str:
    """How many combinations of a space were tried, and what chose them."""
    every, excluded = _many(found["combinations"]), found["excluded"]
    told = f"all {every} combinations"
    if found["chosen_by"]:
        chosen = _many(found["points"] + excluded)
        told = f"{chosen} of {every} combinations, chosen by {found['chosen_by']}"
    return told + (f"; {_many(excluded)} of them do not meet the conditions" if excluded else "")


def _many(number: int) -> str:
    """A number of combinations; of a very large one about how large it is."""
    return grouped(number) if number < _COUNTLESS else f"10^{math.log10(number):.0f}"


def _state(found: Result) -> str:
    size = len(found["front"])
    number = f"{size} core{'' if size == 1 else 's'}"
    return number if found["finished"] else f"{number} so far; the same command goes on"


def differing_keys(cores: Sequence[Mapping[str, Any]]) -> list[str]:
    """The keys that not all cores have alike, in order."""
    keys = dict.fromkeys(key for core in cores for key in core["keys"])
    return [key for key in keys if len({str(core["keys"].get(key)) for core in cores}) > 1]


def common_keys(cores: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """The keys that all cores have alike, with their values."""
    differing = differing_keys(cores)
    return {
        key: value
        for core in cores[:1]
        for key, value in core["keys"].items()
        if key not in differing
    }


def own_keys(core: Mapping[str, Any], keys: Sequence[str]) -> dict[str, Any]:
    """Those of the keys that a core has, with their values."""
    return {key: core["keys"][key] for key in keys if key in core["keys"]}


def front_table(front: Sequence[Mapping[str, Any]]) -> Table:
    """Cores, a line for each: the flags by which they differ, if they do, and figures."""
    keys = differing_keys(front)
    figures = [name for name in _FIGURES if any(name in core for core in front)]
    table = Table(box=SIMPLE, pad_edge=False, collapse_padding=True)
    if keys:
        table.add_column("flags", overflow="fold", min_width=_FLAGS)
    for name in figures:
        table.add_column(name.replace("_", " "), justify="right")
    for core in front:
        own = [flags(own_keys(core, keys))] if keys else []
        table.add_row(*own, *(number(core.get(name)) for name in figures))
    return table


def picked(found: Result) -> Text:
    """The core that was chosen, and those that came after it."""
    best = found["best"]
    rows = [
        ("core", best["name"]),
        ("best by", f"{found['by'].replace('_', ' ')} of {found['cores']} that fit"),
        *[(name.replace("_", " "), number(value)) for name, value in best["figures"].items()],
        ("clock", Clock(best["figures"]["mhz"], sorted(best["clocks"])).text),
        ("command", f"{best['command']} -o DIR"),
        *[
            (f"worse by {core['worse']:.1%}", f"{_short(core['figures'])}: {core['command']}")
            for core in found["runners_up"]
        ],
    ]
    explored = found.get("explored")
    return [pairs([*rows, *(_neighbours(explored) if explored else [])])]


def _neighbours(found: Result) -> list[tuple[str, str]]:
    """What came of the neighbours of a core."""
    state = "" if found["finished"] else "; the same command goes on"
    better = f"{found['better']:.1%} better" if found["better"] else "none is better"
    return [
        ("explored around", found["around"]),
        ("tried", f"{found['points']} with its own, {found['cores']} different cores"),
        *_reasons(found),
        ("placed", f"{found['placed']}{state}"),
        ("best of them", better),
    ]


def _reasons(found: Result) -> list[tuple[str, str]]:
    """Why there are no cores of points."""
    return [
        (kind, f"{count}: {reason}")
        for kind in ("refused", "failed")
        for reason, count in found[kind].items()
    ]


def _short(figures: Mapping[str, float]) -> str:
    return ", ".join(f"{number(figures[name])} {name}" for name in ("ms", "lut", "dsp", "mhz"))


def number(value: float | None) -> str:
    """A figure, short."""
    if value is None:
        return ""
    return f"{value:.0f}" if value == int(value) or value >= 1000 else f"{value:.4g}"


def _error(found: Mapping[str, float]) -> str:
    return f"{found['median']:.1%} wrong, four in five below {found['four_in_five']:.1%}"
