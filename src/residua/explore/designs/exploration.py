"""Explorations of spaces: of all points, or of those that an optimiser chooses of too many."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from residua.errors import SpecificationError
from residua.explore.designs import optimiser, trials
from residua.explore.designs.doer import OutOfTimeError, Told, doer
from residua.explore.designs.figures import FIGURES, MAPPED, PLACED, Step
from residua.explore.designs.search import Point, Search
from residua.explore.designs.space import Keys, Space
from residua.toolchain.placement.devices import DEVICES


@dataclass(frozen=True)
class Outcome:
    """Outcome of an exploration.

    Attributes:
        points: all different cores of the space.
        settled: the places of those that have done all steps and meet the limits.
        front: those of them that none surpasses, the best by the first objective first.
        refused: how many points there is no core of, by reason, the most frequent first.
        same: points that give the same core as another one.
        excluded: combinations, of those that were tried, that do not meet the conditions on keys.
        optimiser: what chose the combinations that were tried; "" if all were.
        finished: whether no other point can be on the front, as far as estimates tell.
        errors: of each figure that is estimated, by what part of it estimates from other cores are
            wrong, in rising order.
    """

    points: list[Point]
    settled: list[int]
    front: list[int]
    refused: dict[str, int]
    same: int
    excluded: int
    optimiser: str
    finished: bool
    errors: dict[str, list[float]]


def check_last(space: Space, last: Step) -> None:
    """Refuse a last step that does not find all figures that objectives and limits need.

    Raises:
        SpecificationError: a figure among them comes later, the target has no such step, or what
            places on it is not installed.
    """
    if last is Step.PLACEMENT:
        if not space.is_placed:
            raise SpecificationError(f"target '{space.target}' has no {last}: end with synthesis")
        DEVICES[space.target].check()
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
    tries: int | None = None,
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
        tries: combinations that an optimiser chooses, unless all points are as few; by default all
            points are tried, and `trials.TRIALS` of a space of more than can be enumerated.
        hours: CPU hours of this run, counted as if workers were never idle, after which no step
            begins.
        jobs: local processes; by default as many as there are cores.
        scheduler: the address of a Dask scheduler, on whose workers steps are done instead.
        progress: called as points have done a step.

    Raises:
        SpecificationError: the space is empty, no point of it is a core, the last step does not
            find its objectives, a library is not installed, the scheduler does not answer, or the
            directory has other points.
    """
    check_last(space, last)
    keys = space.points
    if keys is None:
        tries = tries or trials.TRIALS
    elif tries and tries >= len(keys):
        tries = None
    chosen_by = optimiser.name() if tries else ""
    with doer(directory, hours, jobs, scheduler, progress) as does:
        search = Search(space, last, does)
        try:
            if tries:
                trials.choose(space, search, tries)
            else:
                _try_all(space, search, keys or [])
            finished = True
        except OutOfTimeError:
            finished = False
        return Outcome(
            search.points,
            search.settled(),
            search.front(),
            dict(search.refused.most_common()),
            search.same,
            search.excluded,
            chosen_by,
            finished,
            search.errors(),
        )


def _try_all(space: Space, search: Search, keys: Sequence[Keys]) -> None:
    search.excluded = space.size - len(keys)
    search.model(keys, len(keys))
    search.check()
    search.begin()
    search.go_on()
