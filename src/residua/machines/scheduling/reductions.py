"""Placement of reductions: the narrowest range that a number of reductions in a formula allows.

A range is the largest magnitude of any value of the formula, reduced or not, so that M has to
exceed it. All of it is exact: intervals of integers, and parities for the halves.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from residua.algorithms.integer_program import IntegerProgram, placed, run
from residua.errors import SpecificationError
from residua.machines.integers import Intervals, Parities, Polynomial
from residua.numbers.cox import Range

MOST_SETS = 20_000
"""Placements of one size that are looked at; a search with more ends."""


@dataclass(frozen=True)
class Placement:
    """A choice of values to reduce beside the outputs, and what it leads to.

    Attributes:
        names: the values, in the order of the formula.
        largest: the largest magnitude of any value.
        widest: a value that has it.
        reductions: of the program, those of outputs among them.
    """

    names: tuple[str, ...]
    largest: int
    widest: str
    reductions: int

    @property
    def bits(self) -> int:
        """Bits of the largest magnitude; any M of more bits holds all values with their signs."""
        return self.largest.bit_length()


class PlacementSearch:
    """The placements of a formula.

    Args:
        program: without reductions.
        modulus: p; inputs and reduced values are in [0, p - 1].
        fixed: inputs that are small numbers instead.

    Raises:
        SpecificationError: there is no such input, or a half is not exact even without reductions.
    """

    def __init__(
        self, program: IntegerProgram, modulus: int, fixed: Mapping[str, int] | None = None
    ) -> None:
        self.program, self.modulus, self.fixed = program, modulus, dict(fixed or {})
        for name in self.fixed:
            if name not in program.inputs:
                raise SpecificationError(
                    f"{program.name} has no input '{name}': its inputs are "
                    f"{', '.join(program.inputs)}"
                )
        self._order = {step.result: index for index, step in enumerate(program.steps)}
        self._halves = any(step.kind == "halve" for step in program.steps)
        if not self._exact(program):
            raise SpecificationError(
                f"{program.name} halves a value that can be odd, even without reductions"
            )

    def placement(self, names: frozenset[str] | set[str] = frozenset()) -> Placement:
        """Placement that reduces these values beside the outputs.

        Raises:
            SpecificationError: there is no such value, or a half is no longer exact.
        """
        found = self._evaluated(frozenset(names))
        if found is None:
            raise SpecificationError(
                f"{self.program.name}: reduced at {', '.join(self._sorted(frozenset(names)))}, a "
                "value that is halved can be odd; reduce what its terms have in common instead"
            )
        return found

    def front(self, most: int) -> list[Placement]:
        """The narrowest placement for 0 to ``most`` values, as long as each is narrower.

        No placement with as few values is narrower: one that is must reduce something on the way to
        the widest value of each of its subsets, which is how sets grow here. Ends early if there
        are more than `MOST_SETS` of one size.
        """
        level = {frozenset[str](): self.placement()}
        best = [level[frozenset()]]
        for _ in range(most):
            following: dict[frozenset[str], Placement] = {}
            for names, found in level.items():
                for name in self._ancestors(names, found.widest):
                    grown = names | {name}
                    if grown in following or (one := self._evaluated(grown)) is None:
                        continue
                    following[grown] = one
                if len(following) > MOST_SETS:
                    return best
            if not following:
                break
            level = following
            narrowest = min(level.values(), key=lambda one: (one.largest, one.names))
            if narrowest.largest < best[-1].largest:
                best.append(narrowest)
        return best

    def _evaluated(self, names: frozenset[str]) -> Placement | None:
        """Placement of these reductions; None if a half is not exact, whatever else is reduced."""
        program = placed(self.program, names)
        if not self._exact(program):
            return None
        reduced: Range = (0, self.modulus - 1)
        inputs = {
            name: (self.fixed[name],) * 2 if name in self.fixed else reduced
            for name in program.inputs
        }
        values = run(program, Intervals(reduced), inputs)
        sizes = {name: max(-low, high) for name, (low, high) in values.items()}
        widest = max(sizes, key=lambda name: sizes[name])
        return Placement(self._sorted(names), sizes[widest], widest, program.reductions)

    def _sorted(self, names: frozenset[str]) -> tuple[str, ...]:
        return tuple(sorted(names, key=lambda name: self._order.get(name, -1)))

    def _exact(self, program: IntegerProgram) -> bool:
        if not self._halves:
            return True
        parities = Parities()
        inputs: dict[str, Polynomial] = {}
        for name in program.inputs:
            known = frozenset({frozenset[str]()}) if self.fixed.get(name, 0) % 2 else frozenset()
            inputs[name] = known if name in self.fixed else parities.unknown()
        run(program, parities, inputs)
        return not parities.odd

    def _ancestors(self, names: frozenset[str], value: str) -> list[str]:
        """The values, not reduced yet, from which a value is made without a reduction."""
        stop = names | set(self.program.outputs.values())
        found: set[str] = set()
        waiting = [value.removesuffix(" mod p")]
        while waiting:
            index = self._order.get(waiting.pop())
            for name in () if index is None else self.program.steps[index].arguments:
                if name in self._order and name not in stop and name not in found:
                    found.add(name)
                    waiting.append(name)
        return sorted(found, key=lambda name: self._order[name])
