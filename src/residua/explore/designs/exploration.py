"""Explorations: all points of a space modelled, those that may be best mapped and placed.

A point goes on to the next step while it can still be on the front, as far as estimates tell. What
is done next follows from what was found alone, by batches of a fixed size, so that neither the
number of workers nor an interruption changes the outcome.
"""

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from residua.errors import SpecificationError
from residua.explore.designs.conditions import filtered
from residua.explore.designs.doer import Doer, OutOfTimeError, Told, doer
from residua.explore.designs.estimates import Estimate, encoded, errors, estimates
from residua.explore.designs.figures import (
    COLUMNS,
    FIGURES,
    MAPPED,
    PLACED,
    Known,
    Step,
    cost,
    derived,
)
from residua.explore.designs.fronts import Costs, dominators, front, spread
from residua.explore.designs.measures import Found, Task
from residua.explore.designs.space import Keys, Space

BATCH = 4
"""Points whose next step is done before it is decided anew what is next."""

FIRST = 8
"""Points, far from each other, that do all steps before anything is estimated."""

STEPS = tuple(Step)

_ESTIMATED = (*MAPPED, *PLACED)


@dataclass
class Point:
    """A core of a space, and what is known of it.

    Attributes:
        keys: as the space has them.
        model: what follows from them.
        step: that it has come to.
        figures: those found so far, without what follows from others.
        clocks: the MHz of each placement.
        verilog: digest of its hardware, once that was made.
        refusal: why a tool failed on it; "" if none did.
    """

    keys: Keys
    model: Found
    step: Step = Step.MODEL
    figures: dict[str, float] = field(default_factory=dict)
    clocks: list[float] = field(default_factory=list)
    verilog: str = ""
    refusal: str = ""

    def take(self, step: Step, found: Found) -> None:
        """Take over what a step found."""
        self.refusal = found.refusal
        if not found.refusal:
            self.step, self.verilog, self.clocks = step, found.verilog, found.clocks
            self.figures |= found.figures


@dataclass(frozen=True)
class Outcome:
    """Outcome of an exploration.

    Attributes:
        points: all different cores of the space.
        settled: the places of those that have done all steps and meet the limits.
        front: those of them that none surpasses, the best by the first objective first.
        refused: how many points there is no core of, by reason, the most frequent first.
        same: points that give the same core as another one.
        finished: whether no other point can be on the front, as far as estimates tell.
        errors: of each figure that is estimated, by what part of it estimates from other cores are
            wrong, in rising order.
    """

    points: list[Point]
    settled: list[int]
    front: list[int]
    refused: dict[str, int]
    same: int
    finished: bool
    errors: dict[str, list[float]]


def check_last(space: Space, last: Step) -> None:
    """Refuse a last step that does not find all figures that objectives and limits need.

    Raises:
        SpecificationError: a figure among them comes later, or the target has no such step.
    """
    if last is Step.PLACEMENT:
        if not space.is_placed:
            raise SpecificationError(f"target '{space.target}' has no {last}: end with synthesis")
        return
    late = {*PLACED} if last is Step.SYNTHESIS else {*PLACED, *MAPPED}
    limits = {word for limit in space.limits for word in _WORD.findall(limit)}
    for name in (*space.objectives, *(name for name in FIGURES if name in limits)):
        if lacking := sorted({name, *FIGURES[name].needs} & late):
            raise SpecificationError(
                f"'{name}' needs {lacking[0]}, which comes after the step {last}: end with a later "
                "one, or take other objectives and limits"
            )


_WORD = re.compile(r"\w+")


def explore(
    space: Space,
    directory: Path,
    *,
    last: Step = Step.PLACEMENT,
    hours: float | None = None,
    jobs: int | None = None,
    scheduler: str | None = None,
    progress: Told = lambda step, done, total: None,
) -> Outcome:
    """Find the best cores of a space.

    Args:
        space: what is explored.
        directory: takes what is found; an earlier exploration in it goes on.
        last: the last step that is done.
        hours: CPU hours of this run, counted as if workers were never idle, after which no step
            begins.
        jobs: local processes; by default as many as there are cores.
        scheduler: the address of a Dask scheduler, on whose workers steps are done instead.
        progress: called as points have done a step.

    Raises:
        SpecificationError: the space is empty, no point of it is a core, the last step does not
            find its objectives, the scheduler does not answer, or the directory has other points.
    """
    check_last(space, last)
    keys = space.points
    with doer(directory, hours, jobs, scheduler, progress) as does:
        return _Exploration(space, last, does).run(keys)


class _Exploration:
    """One run."""

    def __init__(self, space: Space, last: Step, does: Doer) -> None:
        self._space, self._last, self._does = space, last, does
        self._points: list[Point] = []
        self._traits = np.zeros((0, 1))
        self._refused: Counter[str] = Counter()
        self._same = 0
        names = FIGURES if space.limits else space.objectives
        needed = {own for name in names for own in (name, *FIGURES[name].needs)}
        self._wanted = [name for name in _ESTIMATED if name in needed]

    def run(self, keys: Sequence[Keys]) -> Outcome:
        """Explore the points with these keys."""
        try:
            self._model(keys)
            self._search()
            finished = True
        except OutOfTimeError:
            finished = False
        settled = self._settled()
        costs = self._costs([self._points[place].figures for place in settled])
        best = sorted(front(costs), key=lambda place: tuple(costs[place]))
        return Outcome(
            self._points,
            settled,
            [settled[place] for place in best],
            dict(self._refused.most_common()),
            self._same,
            finished,
            {name: errors(self._traits, self._known(name)) for name in self._wanted},
        )

    def _model(self, keys: Sequence[Keys]) -> None:
        """Find the different cores among the points."""
        seen = set()
        for own, found in zip(keys, self._done(keys, Step.MODEL, len(keys)), strict=True):
            if found.refusal:
                self._refused[_reason(found.refusal)] += 1
            elif (core := repr(found.specification)) in seen:
                self._same += 1
            else:
                seen.add(core)
                self._points.append(Point(own, found, figures=dict(found.figures)))
        if not self._points:
            reasons = "; ".join(f"{reason} ({n} points)" for reason, n in self._refused.items())
            raise SpecificationError(f"no point of the space is a core: {reasons}")
        self._traits = encoded([point.model.traits for point in self._points])

    def _search(self) -> None:
        """Take points on, those first that are probably best, until no other can be."""
        if self._last is Step.MODEL:
            return
        first = [self._points[place] for place in spread(self._traits, FIRST)]
        for step in STEPS[1 : STEPS.index(self._last) + 1]:
            self._go_on([point for point in first if not point.refusal], step)
        while batch := self._next():
            following = [STEPS[STEPS.index(point.step) + 1] for point in batch]
            for step in STEPS[1:]:
                pairs = zip(batch, following, strict=True)
                self._go_on([point for point, own in pairs if own is step], step)

    def _go_on(self, points: Sequence[Point], step: Step) -> None:
        """Have points do a step."""
        found = self._done([point.keys for point in points], step)
        for point, own in zip(points, found, strict=True):
            point.take(step, own)

    def _done(self, keys: Sequence[Keys], step: Step, total: int | None = None) -> list[Found]:
        target, seeds = self._space.target, self._space.seeds
        return self._does.done([Task(own, step, target, seeds) for own in keys], total)

    def _next(self) -> list[Point]:
        """Choose points that have not done all steps and may be on the front."""
        settled = self._costs([self._points[place].figures for place in self._settled()])
        estimated = {name: estimates(self._traits, self._known(name)) for name in self._wanted}
        left = [
            place
            for place, point in enumerate(self._points)
            if point.step is not self._last and not point.refusal
        ]
        best, likely = (
            [self._guess(place, estimated, choose) for place in left] for choose in (_best, _likely)
        )
        costs, likely_costs = self._costs(best), self._costs(likely)
        able = filtered([derived(one) for one in best], COLUMNS, self._space.limits)
        able = [n for n in able if not dominators(costs[n], settled)]
        rivals = np.concatenate([settled, likely_costs[able]])
        able.sort(key=lambda n: (dominators(likely_costs[n], rivals), left[n]))
        return [self._points[left[n]] for n in able[:BATCH]]

    def _settled(self) -> list[int]:
        """List the places of points that have done all steps and meet the limits."""
        done = [n for n, point in enumerate(self._points) if point.step is self._last]
        figures = [derived(self._points[place].figures) for place in done]
        return [done[n] for n in filtered(figures, COLUMNS, self._space.limits)]

    def _known(self, name: str) -> dict[int, float]:
        """Look up a figure of all points that have it, by their places."""
        return {
            place: point.figures[name]
            for place, point in enumerate(self._points)
            if name in point.figures
        }

    def _guess(
        self,
        place: int,
        estimated: Mapping[str, Sequence[Estimate | None]],
        choose: Callable[[str, Estimate | None], float],
    ) -> dict[str, float]:
        """The figures of a point, those that are not known by their estimates."""
        known = self._points[place].figures
        guesses = {name: choose(name, own[place]) for name, own in estimated.items()}
        return guesses | known

    def _costs(self, figures: Sequence[Known]) -> Costs:
        """A line for each point with the costs of its objectives."""
        names = self._space.objectives
        lines = [[cost(name, own[name]) for name in names] for own in map(derived, figures)]
        return np.array(lines, dtype=float).reshape(len(lines), len(names))


def _best(name: str, estimate: Estimate | None) -> float:
    """The best that a figure may be."""
    if FIGURES[name].rises:
        return estimate.high if estimate else np.inf
    return estimate.low if estimate else 0.0


def _likely(name: str, estimate: Estimate | None) -> float:
    return estimate.likely if estimate else _best(name, None)


_NUMBER = re.compile(r"\b(0x[0-9a-fA-F]+|\d[\d.]*)\b")


def _reason(refusal: str) -> str:
    """What refusals for the same reason have in common: all but the numbers."""
    return _NUMBER.sub("N", refusal)
