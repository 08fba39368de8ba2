"""Trials: points that an optimiser chooses, by what is known and estimated of those before them.

Their models are quick, so that the optimiser has thousands of them. In between, a few cores are
measured, by which the estimates of all others get better; at the end, all that may be best.
"""

import json
from collections.abc import Sequence

from residua.explore.designs.fronts import Costs, dominators
from residua.explore.designs.optimiser import GENERATION, Genes, Optimiser, Verdict, point
from residua.explore.designs.search import Search
from residua.explore.designs.space import Keys, Space

TRIALS = 4000
"""Combinations that are tried of a space that is too large to try all."""

ROUNDS = 8
"""Parts of the trials, at most, after each of which cores are measured."""

BATCHES = 2
"""Batches of cores that are measured after a part, unless it is the last one."""

STALE = 8
"""Generations without a new combination after which a part ends."""

_EXCLUDED, _NO_CORE, _NO_USE = 3, 2, 1
"""Faults of a combination that meets no conditions on keys, of a point that is no core, and of a
core that does not meet the limits: the optimiser leaves them in this order."""


def choose(space: Space, search: Search, trials: int) -> None:
    """Have an optimiser choose so many different combinations, and find the best cores among them.

    Raises:
        SpecificationError: none of them is a core.
    """
    made = _Trials(space, search, trials)
    rounds = max(1, min(ROUNDS, trials // GENERATION))
    has_begun = False
    for number in range(1, rounds + 1):
        made.go_on(trials * number // rounds, number)
        if number == rounds:
            search.check()
        if search.points and not has_begun:
            search.begin()
            has_begun = True
        search.go_on(None if number == rounds else BATCHES)


class _Trials:
    """The combinations that were tried."""

    def __init__(self, space: Space, search: Search, trials: int) -> None:
        self._space, self._search, self._trials = space, search, trials
        self._places: dict[str, int | None] = {}
        self._excluded: set[str] = set()
        self._genes: dict[int, Genes] = {}

    def go_on(self, enough: int, seed: int) -> None:
        """Try more, until they are so many in all or no new ones are found."""
        optimiser = Optimiser(self._space, seed, self._elite())
        stale, likely = 0, self._search.likely()
        while len(self._places) < enough and stale < STALE:
            known = len(self._places)
            generation = optimiser.ask()
            names = self._tried(generation, enough - known)
            if len(names) < len(generation):
                return
            if len(self._places) > known:
                stale, likely = 0, self._search.likely()
            else:
                stale += 1
            optimiser.tell([self._verdict(name, *likely) for name in names])

    def _tried(self, generation: Sequence[Genes], most: int) -> list[str]:
        """Try those of a generation that are new, up to so many; the names of all up to there."""
        names, fresh = [], dict[str, Keys]()
        genes = {}
        for own in generation:
            keys = point(self._space, own)
            name = json.dumps(keys, sort_keys=True)
            if name not in self._places and name not in fresh:
                if len(fresh) == most:
                    break
                fresh[name], genes[name] = keys, own
            names.append(name)
        self._try(fresh)
        for name in fresh:
            place = self._places[name]
            if place is not None:
                self._genes.setdefault(place, genes[name])
        return names

    def _try(self, fresh: dict[str, Keys]) -> None:
        names, keys = list(fresh), list(fresh.values())
        excluded = self._space.excluded(keys)
        asked = [place for place in range(len(names)) if place not in excluded]
        found = self._search.model([keys[place] for place in asked], self._trials)
        self._places |= dict.fromkeys(names) | dict(
            zip((names[place] for place in asked), found, strict=True)
        )
        self._excluded |= {names[place] for place in excluded}
        self._search.excluded += len(excluded)

    def _verdict(self, name: str, costs: Costs, useless: set[int]) -> Verdict:
        """What came of a combination, as far as it is known or estimated."""
        place = self._places[name]
        if place is None:
            nothing = (0.0,) * len(self._space.objectives)
            return Verdict(nothing, _EXCLUDED if name in self._excluded else _NO_CORE)
        return Verdict(tuple(map(float, costs[place])), _NO_USE if place in useless else 0)

    def _elite(self) -> list[Genes]:
        """Points of cores that are probably best, as many as a generation has at most."""
        costs, useless = self._search.likely()
        able = [place for place in range(len(costs)) if place not in useless]
        surpassed = {place: dominators(costs[place], costs[able]) for place in able}
        best = sorted(able, key=lambda place: surpassed[place])
        return [self._genes[place] for place in best[:GENERATION]]
