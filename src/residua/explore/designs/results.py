"""What an exploration found: rows of cores for a store, and a summary."""

import statistics
from collections.abc import Mapping, Sequence
from typing import Any

from residua.errors import SpecificationError
from residua.evidence.rows import Row
from residua.explore.designs.conditions import filtered
from residua.explore.designs.exploration import Outcome
from residua.explore.designs.figures import COLUMNS, derived
from residua.explore.designs.measures import Found
from residua.explore.designs.search import Point
from residua.explore.designs.space import Space
from residua.toolchain.commit import source_commit
from residua.toolchain.process import versions

SHARE = 0.8
"""Of estimates that are wrong by no more than what is told of them."""

_DIGITS = 6
"""Significant digits of figures that are calculated."""


def rows(space: Space, outcome: Outcome) -> list[Row]:
    """Make a row of each core that has done all steps and meets the limits.

    Its specification has the keys that the space gave it; its figures are those of
    `residua.explore.designs.figures.FIGURES`, with the ``kind`` of core, its ``chosen`` keys, the
    ``operation`` that they are of, the ``clocks`` of all placements, the ``target``, and whether it
    is on the ``front``.
    """
    commit, tools = source_commit(), versions()
    front = {*outcome.front}
    return [
        _row(space, outcome.points[place], commit, tools, is_best=place in front)
        for place in outcome.settled
    ]


def _row(space: Space, point: Point, commit: str, tools: dict[str, str], *, is_best: bool) -> Row:
    model = point.model
    return Row(
        name=model.name,
        specification=point.keys,
        verilog=point.verilog,
        commit=commit,
        tools=tools,
        amount=len(point.clocks),
        seconds=None,
        failures=[],
        figures=row_figures(model, point.figures, space.target, point.clocks, is_best=is_best),
    )


def row_figures(
    model: Found,
    figures: Mapping[str, float],
    target: str,
    clocks: Sequence[float],
    *,
    is_best: bool,
) -> dict[str, Any]:
    """The figures of a row, see `rows`."""
    return {
        **shown(figures),
        "kind": model.kind,
        "operation": model.operation,
        "chosen": model.specification,
        "target": target,
        "clocks": list(clocks),
        "front": is_best,
    }


def check_front(space: Space, outcome: Outcome) -> None:
    """Refuse a finished exploration that found no core.

    Raises:
        SpecificationError: tools failed on all cores, or none meets all limits; the message tells
            how many meet each of them.
    """
    if outcome.front or not outcome.finished:
        return
    figures = [derived(point.figures) for point in outcome.points if not point.refusal]
    if not figures:
        raise SpecificationError(f"tools failed on all cores: {outcome.points[0].refusal}")
    met = [f"{len(filtered(figures, COLUMNS, [one]))} meet '{one}'" for one in space.limits]
    raise SpecificationError(
        f"no core of the space meets all limits: of {len(figures)}, as far as they went on, "
        + ", ".join(met)
    )


def cores(rows: Sequence[Row]) -> list[dict[str, Any]]:
    """What the page of an exploration shows of rows."""
    return [{"name": row.name, "keys": row.specification, **row.figures} for row in rows]


def shown(figures: Mapping[str, float]) -> dict[str, float]:
    """All figures, those that are calculated rounded."""
    return {name: float(f"{value:.{_DIGITS}g}") for name, value in derived(figures).items()}


def summary(space: Space, outcome: Outcome) -> dict[str, Any]:
    """Sum an exploration up.

    Returns:
        The ``space`` and its ``combinations`` of alternatives; what ``chosen_by`` those that were
        tried, "" if all were; how many of them were ``excluded`` by conditions; the ``points`` that
        are left, how many of them are different ``cores``, the ``same`` as another one, or
        ``refused``, by reason; how many were ``synthesised`` and ``placed``, and on
        how many a tool ``failed``, by reason; whether it is ``finished``; the ``errors`` of
        estimates, the median and what four in five are below; the cores of the ``front``.
    """
    failed = [point.refusal for point in outcome.points if point.refusal]
    return {
        "space": space.model_dump(),
        "combinations": space.size,
        "chosen_by": outcome.optimiser,
        "excluded": outcome.excluded,
        "points": len(outcome.points) + outcome.same + sum(outcome.refused.values()),
        "cores": len(outcome.points),
        "same": outcome.same,
        "refused": outcome.refused,
        "synthesised": sum("lut" in point.figures for point in outcome.points),
        "placed": sum("mhz" in point.figures for point in outcome.points),
        "failed": {reason: failed.count(reason) for reason in dict.fromkeys(failed)},
        "finished": outcome.finished,
        "errors": {name: _spread(found) for name, found in outcome.errors.items() if found},
        "front": [
            {
                "name": point.model.name,
                "operation": point.model.operation,
                "keys": point.keys,
                **shown(point.figures),
                "clocks": point.clocks,
            }
            for point in (outcome.points[place] for place in outcome.front)
        ],
    }


def _spread(errors: list[float]) -> dict[str, float]:
    """The median, and what four in five are below."""
    most = errors[min(int(SHARE * len(errors)), len(errors) - 1)]
    return {"median": round(statistics.median(errors), 4), "four_in_five": round(most, 4)}
