"""Searches for the best cores among points: all are modelled, few are mapped and placed.

A point goes on to the next step while it can still be on the front, as far as estimates tell. What
is done next follows from what was found alone, by batches of a fixed size, so that neither the
number of workers nor an interruption changes the outcome.
"""

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from residua.errors import SpecificationError
from residua.explore.designs.conditions import filtered
from residua.explore.designs.doer import Doer
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


class Search:
    """The different cores among the points so far, and what is known of them.

    Attributes:
        points: different cores, in the order in which they were found.
        refused: how many points there is no core of, by reason.
        same: points that give the same core as another one.
        excluded: combinations that do not meet the conditions on keys.
    """

    def __init__(self, space: Space, last: Step, does: Doer) -> None:
        self._space, self._last, self._does = space, last, does
        self.points: list[Point] = []
        self.refused: Counter[str] = Counter()
        self.same = self.excluded = 0
        self._places: dict[str, int] = {}
        self._traits = np.zeros((0, 1))
        names = FIGURES if space.limits else space.objectives
        needed = {own for name in names for own in (name, *FIGURES[name].needs)}
        self._wanted = [name for name in _ESTIMATED if name in needed]
        self._estimates: dict[str, tuple[object, list[Estimate | None]]] = {}

    def model(self, keys: Sequence[Keys], total: int) -> list[int | None]:
        """Find the places of the cores of more points; None where there is no core.

        Args:
            keys: of the points.
            total: points that are modelled in all.
        """
        found = self._done(keys, Step.MODEL, total)
        places = [self._place(*one) for one in zip(keys, found, strict=True)]
        if self.points:
            self._traits = encoded([point.model.traits for point in self.points])
        return places

    def _place(self, keys: Keys, found: Found) -> int | None:
        """The place of a core, which may be a new one."""
        if found.refusal:
            self.refused[_reason(found.refusal)] += 1
            return None
        core = repr(found.specification)
        if core in self._places:
            self.same += 1
        else:
            self._places[core] = len(self.points)
            self.points.append(Point(keys, found, figures=dict(found.figures)))
        return self._places[core]

    def check(self) -> None:
        """Refuse points none of which is a core.

        Raises:
            SpecificationError: there is no core.
        """
        if not self.points:
            reasons = "; ".join(f"{reason} ({n} points)" for reason, n in self.refused.items())
            raise SpecificationError(f"no point of the space is a core: {reasons}")

    def begin(self) -> None:
        """Take the first points, far from each other, through all steps."""
        first = [self.points[place] for place in spread(self._traits, FIRST)]
        for step in STEPS[1 : STEPS.index(self._last) + 1]:
            self._go_on([point for point in first if not point.refusal], step)

    def go_on(self, batches: int | None = None) -> None:
        """Take points on, those first that are probably best, until no other can be.

        Args:
            batches: after which it ends in any case, if it does.
        """
        if self._last is Step.MODEL:
            return
        done = 0
        while done != batches and (batch := self._next()):
            following = [STEPS[STEPS.index(point.step) + 1] for point in batch]
            for step in STEPS[1:]:
                pairs = zip(batch, following, strict=True)
                self._go_on([point for point, own in pairs if own is step], step)
            done += 1

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
        settled = self._costs([self.points[place].figures for place in self.settled()])
        estimated = self._estimated()
        left = [
            place
            for place, point in enumerate(self.points)
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
        return [self.points[left[n]] for n in able[:BATCH]]

    def settled(self) -> list[int]:
        """List the places of points that have done all steps and meet the limits."""
        done = [n for n, point in enumerate(self.points) if point.step is self._last]
        figures = [derived(self.points[place].figures) for place in done]
        return [done[n] for n in filtered(figures, COLUMNS, self._space.limits)]

    def front(self) -> list[int]:
        """List the places of the settled points that none surpasses, by their first objective."""
        settled = self.settled()
        costs = self._costs([self.points[place].figures for place in settled])
        best = sorted(front(costs), key=lambda place: tuple(costs[place]))
        return [settled[place] for place in best]

    def likely(self) -> tuple[Costs, set[int]]:
        """Tell the costs that all points probably have, and the places of those that are no use.

        Tools failed on these, or they probably do not meet the limits.
        """
        estimated = self._estimated()
        figures = [self._guess(place, estimated, _likely) for place in range(len(self.points))]
        able = filtered([derived(own) for own in figures], COLUMNS, self._space.limits)
        failed = {place for place, point in enumerate(self.points) if point.refusal}
        return self._costs(figures), failed | ({*range(len(figures))} - {*able})

    def errors(self) -> dict[str, list[float]]:
        """Tell how wrong estimates from other cores are, by figure, see `estimates.errors`."""
        return {name: errors(self._traits, self._known(name)) for name in self._wanted}

    def _estimated(self) -> dict[str, list[Estimate | None]]:
        return {name: self._estimates_of(name) for name in self._wanted}

    def _estimates_of(self, name: str) -> list[Estimate | None]:
        """The estimates of a figure, anew only after more is known: a fit takes long."""
        known = self._known(name)
        made_of = len(self.points), known
        if name not in self._estimates or self._estimates[name][0] != made_of:
            self._estimates[name] = made_of, estimates(self._traits, known)
        return self._estimates[name][1]

    def _known(self, name: str) -> dict[int, float]:
        """Look up a figure of all points that have it, by their places."""
        return {
            place: point.figures[name]
            for place, point in enumerate(self.points)
            if name in point.figures
        }

    def _guess(
        self,
        place: int,
        estimated: Mapping[str, Sequence[Estimate | None]],
        choose: Callable[[str, Estimate | None], float],
    ) -> dict[str, float]:
        """The figures of a point, those that are not known by their estimates."""
        known = self.points[place].figures
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


def _likely(_name: str, estimate: Estimate | None) -> float:
    """What a figure probably is: the same for all cores as long as nothing is known of it."""
    return estimate.likely if estimate else 1.0


_NUMBER = re.compile(r"\b(0x[0-9a-fA-F]+|\d[\d.]*(e-?\d+)?)\b")
_NUMBERS = re.compile(r"\bN(?:(?:, | or )N\b)+")


def _reason(refusal: str) -> str:
    """What refusals for the same reason have in common: all but the numbers, and how many."""
    return _NUMBERS.sub("N, …", _NUMBER.sub("N", refusal))
