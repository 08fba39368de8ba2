"""Two lanes: sequences that the halves of an engine execute at once, with words of their own.

A pair of steps (`Program.together`) becomes one sequence. Its results share a register: lane 0
holds the first there, lane 1 the second. What a lane wants of the other comes in a slot of its own:
in the slot before, each lane takes for its left operand what the other one wants, if it can
together with a product of its own.
"""

from collections.abc import Sequence as Listed
from dataclasses import replace
from itertools import zip_longest

from residua.algorithms.program import Program
from residua.algorithms.terms import Reduction
from residua.errors import SpecificationError
from residua.machines.slots import Left, Slot, Word


class Lanes:
    """Lanes of values, and pairs of steps that go together."""

    def __init__(self, program: Program, count: int) -> None:
        steps = {id(step.result): step for step in program.steps}
        self.count = count
        self.pairs: dict[int, tuple[Reduction, Reduction]] = {}
        self._lane: dict[int, int] = {}
        if count == 1:
            return
        for pair in program.pairs:
            both = steps[id(pair[0])], steps[id(pair[1])]
            for lane, value in enumerate(pair):
                self.pairs[id(value)] = both
                self._lane[id(value)] = lane

    def lane(self, value: object) -> int | None:
        """The lane of a stored vector, None if both have it."""
        return self._lane.get(id(value))

    def together(self, step: Reduction) -> tuple[Reduction, ...]:
        """Steps of all lanes while this step is done; the step alone in engines of one lane."""
        if self.count == 1:
            return (step,)
        return self.pairs.get(id(step.result), (step,) * self.count)


Scaling = tuple[Word, tuple[int, ...], bool]
"""A word, its constants, and whether it is the other lane's."""


def scaling_slots(lanes: Listed[Listed[Scaling]], units: int) -> list[Slot]:
    """The slots of all lanes' scaled words."""
    if len(lanes) == 1:
        return [
            Slot(Left.REGISTER, left_word=word, constants=constants)
            for word, constants, _ in lanes[0]
        ]
    own = [[(w, c) for w, c, crosses in lane if not crosses] for lane in lanes]
    other = [[(w, c) for w, c, crosses in lane if crosses] for lane in lanes]
    slots: list[Slot] = []
    for zero, one in zip_longest(*other):
        # Lane 0 carries what lane 1 wants, and the other way round.
        carried = [
            _taken(own[lane], wanted[0] if wanted else None, units)
            for lane, wanted in enumerate((one, zero))
        ]
        slots.append(replace(carried[0], other=carried[1]))
        partners = [Slot(Left.PARTNER, constants=w[1] if w else None) for w in (zero, one)]
        slots.append(replace(partners[0], other=partners[1]))
    for pair in zip_longest(*own):
        made = [
            Slot(Left.REGISTER, left_word=term[0], constants=term[1])
            if term
            else Slot(Left.REGISTER)
            for term in pair
        ]
        slots.append(replace(made[0], other=made[1]))
    return slots


def _taken(own: list[tuple[Word, tuple[int, ...]]], word: Word | None, units: int) -> Slot:
    """The slot in which a lane takes a word for the other one, with its own use of it if any."""
    if word is None:
        return Slot(Left.REGISTER)
    for position, (held, constants) in enumerate(own):
        if held == word:
            del own[position]
            return Slot(Left.REGISTER, left_word=word, constants=constants)
    return Slot(Left.REGISTER, left_word=word, constants=(0,) * units)


def joined(lanes: Listed[list[Slot]], name: str) -> list[Slot]:
    """The slots of all lanes at once; products that one lane has more meet a zero.

    Raises:
        SpecificationError: the lanes do different things.
    """
    if len(lanes) == 1:
        return lanes[0]
    slots = []
    for pair in zip_longest(*lanes):
        first, second = (slot or Slot(Left.REGISTER) for slot in pair)
        alike = replace(
            second,
            left_word=first.left_word,
            right_word=first.right_word,
            constants=first.constants,
        )
        if alike != first:
            raise SpecificationError(f"{name}: two lanes cannot do different things at once")
        slots.append(replace(first, other=second))
    return slots
