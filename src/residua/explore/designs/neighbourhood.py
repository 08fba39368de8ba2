"""The neighbourhood of a measured core: cores that differ from it in one key."""

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from residua.cores.kinds import kind_asked
from residua.cores.specification import reading
from residua.cores.specification.keys import described
from residua.evidence.rows import Row, Store
from residua.explore.designs import results, space
from residua.explore.designs.choice import Wish, pick, ranked, read
from residua.explore.designs.doer import Told
from residua.explore.designs.exploration import explore
from residua.explore.designs.figures import FIGURES, Step
from residua.explore.designs.measures import Task, measure
from residua.explore.designs.space import Keys, Space

CHANGED = (
    "width", "channels", "rowers", "bases", "extension", "columns", "schedule", "reduction",
    "levels_per_register", "product_registers", "cox_registers", "register_memory", "formula",
    "inversion", "inverter_rowers", "digit", "lanes", "architecture", "pipeline", "multiplier",
    "window",
)  # fmt: skip
"""Keys that trade time against logic. All others say what a core does, or are seldom wanted."""

STEPS = (-2, -1, 1, 2)
"""By which numbers are changed; they are doubled and halved, too."""

_WORD = re.compile(r"`([\w-]+)`")
"""Values that the description of a key names."""


NAME = "neighbourhood"
"""Of the rows in a directory."""


def improve(
    stores: Sequence[Path],
    wish: Wish,
    directory: Path,
    *,
    hours: float | None = None,
    jobs: int | None = None,
    scheduler: str | None = None,
    progress: Told = lambda step, done, total: None,
) -> dict[str, Any]:
    """Choose the best core among rows, and those of its neighbours that may be better.

    Args:
        stores: directories of rows.
        wish: what is wanted.
        directory: takes what is found, and has rows, too, if it was found earlier.
        hours: CPU hours after which no step begins, see `explore`.
        jobs: local processes.
        scheduler: the address of a Dask scheduler, if there is one.
        progress: called as points have done a step.

    Returns:
        What `pick` does, with ``explored``: the name of the core ``around`` which it was, how many
        specifications were tried, its own among them, as ``points``, different ``cores``, ``same``,
        ``refused`` and ``failed``, by reason, and ``placed``; whether it is ``finished``, and by
        which part the best is ``better``.

    Raises:
        SpecificationError: see `pick` and `explore`.
    """
    kept = Store(directory)
    rows = {row.name: row for row in read([*stores, *([directory] if kept.campaigns() else [])])}
    before = ranked([*rows.values()], wish)[0]
    near = around(before, wish)
    outcome = explore(
        near, directory, hours=hours, jobs=jobs, scheduler=scheduler, progress=progress
    )
    fresh = {row.name: row for row in results.rows(near, outcome)}
    kept.write(NAME, (kept.read(NAME) | fresh).values())
    rows |= fresh
    found = pick([*rows.values()], wish)
    told = results.summary(near, outcome)
    names = ("points", "cores", "same", "refused", "placed", "failed", "finished")
    own = rows[before.name][wish.by]
    better = abs(found["best"]["figures"][wish.by] / own - 1) if own else 0.0
    explored = {"around": before.name, **{name: told[name] for name in names}}
    return found | {"explored": explored | {"better": round(better, 4)}}


def around(row: Row, wish: Wish) -> Space:
    """Make the space of a core and its neighbours.

    Args:
        row: of the core, see `residua.explore.designs.results.rows`.
        wish: that it is the best for; the keys of it stay as they are.
    """
    limits = [
        f"{name} {'>=' if FIGURES[name].rises else '<='} {bound!r}"
        for name, bound in wish.bounds.items()
    ]
    every = [dict(row.specification or {}), *neighbours(row, wish.keys)]
    parts = [{name: [value] for name, value in keys.items()} for keys in every]
    return space.check(
        {"keys": parts, "objectives": [wish.by], "limits": limits, "target": wish.target}
    )


def neighbours(row: Row, asked: Mapping[str, str]) -> list[Keys]:
    """List the specifications that differ from a core's in one key, perhaps refused ones.

    Args:
        row: of the core.
        asked: keys that stay as they are.
    """
    keys, chosen = _loose(dict(row.specification or {}), asked), row["chosen"]
    taken = described(kind_asked(keys).specification)
    found = []
    for name in (name for name in CHANGED if name in taken and name not in asked):
        # An inverter of another method may take a time that depends on its operand.
        if name == "inversion" and "curve" not in keys:
            continue
        value = keys.get(name, chosen.get(name))
        found += [keys | {name: other} for other in _alternatives(name, value)]
        if name in keys:
            found.append({other: own for other, own in keys.items() if other != name})
    different = {json.dumps(one, sort_keys=True): one for one in found}
    return list(different.values())


def _loose(keys: Keys, asked: Mapping[str, str]) -> Keys:
    """Leave out keys that say what is so anyway: they would keep others from being changed."""
    core = _chosen(keys)
    for name in [name for name in keys if name in CHANGED and name not in asked]:
        without = {other: value for other, value in keys.items() if other != name}
        if _chosen(without) == core:
            keys = without
    return keys


def _chosen(keys: Keys) -> Keys:
    return measure(Task(keys, Step.MODEL, space.TARGET, 1)).specification


def _alternatives(name: str, value: Any) -> list[Any]:  # noqa: ANN401 - of any key
    """Other values of a key, near a number or all words; none if its value is not known."""
    if isinstance(value, int):
        near = {value + step for step in STEPS} | {2 * value, value // 2}
        return sorted(one for one in near - {value} if one >= 0)
    words = _WORD.findall(reading.keys()[name].allowed)
    return [word for word in words if word not in (value, "auto")]
