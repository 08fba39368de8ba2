"""Two lanes: what goes into one slot, and what is refused."""

import pytest

from residua.algorithms.program import Program, ProgramError
from residua.algorithms.terms import Interval
from residua.errors import SpecificationError
from residua.machines.scheduling.lanes import joined, scaling_slots
from residua.machines.scheduling.sequences import SequenceBuilder
from residua.machines.slots import Left, Machine, Slot, Word
from residua.numbers.bases import Base
from residua.numbers.moduli import Modulus

BASE = Base((Modulus(17, 1), Modulus(17, -1)))
MACHINE = Machine(2, 7, 3, 6, 1, lanes=2)
A, B, C = Word(1, 0), Word(2, 0), Word(3, 0)
ONES, TWOS, ZEROS = (1, 1), (2, 2), (0, 0)


def test_a_word_for_the_other_lane_takes_the_slot_of_an_own_product():
    """Both have A and want the other's: two slots, the first with the own product."""
    lane = [(A, ONES, False), (A, TWOS, True)]
    first, second = scaling_slots([lane, lane], 2)
    assert first == Slot(
        Left.REGISTER, A, constants=ONES, other=Slot(Left.REGISTER, A, constants=ONES)
    )
    partner = Slot(Left.PARTNER, constants=TWOS)
    assert second == Slot(Left.PARTNER, constants=TWOS, other=partner)


def test_a_word_that_only_one_lane_wants():
    """Lane 0 wants C of lane 1, which has no product of it; lane 1 wants nothing."""
    slots = scaling_slots([[(A, ONES, False), (C, TWOS, True)], [(B, ONES, False)]], 2)
    carried, partner, own = slots
    assert (carried.left_word, carried.other.left_word) == (None, C)
    assert carried.other.constants == ZEROS
    assert (partner.left, partner.constants, partner.other.constants) == (Left.PARTNER, TWOS, None)
    assert (own.left_word, own.other.left_word) == (A, B)


def test_the_longer_lane_meets_zeros():
    product = Slot(Left.REGISTER, A, B)
    slots = joined([[product, product], [product]], "x")
    assert slots[1].other == Slot(Left.REGISTER)
    with pytest.raises(SpecificationError, match="cannot do different things"):
        joined([[product], [Slot(Left.BUS)]], "x")


def pair(steps):
    """A program with an input and two steps beside each other."""
    program = Program("pair")
    x = program.input("x", BASE, (1, 1), Interval.of(0, 9))
    first = program.reduce("a", program.scaled(x, 2))
    second = program.reduce("b", program.scaled(x, 3))
    program.together(0, 1)
    steps(program, first, second)
    return program


def test_results_of_a_pair_share_a_place():
    program = pair(lambda *_: None)
    builder = SequenceBuilder(program, MACHINE, serial=False)
    ((sequence,),) = builder.choices()
    assert sequence.name == "a | b"
    assert [slot.constants for slot in sequence.slots[0].lanes()] == [(2, 2), (3, 3)]
    assert [v.name for v in builder.held(sequence.result)] == ["a", "b"]
    alone = SequenceBuilder(program, Machine(2, 7, 3, 6, 1), serial=False)
    assert [orders[0].name for orders in alone.choices()] == ["a", "b"]


def test_what_a_lane_cannot_have_is_refused():
    def product(program, first, _):
        program.reduce("c", program.product(first, first))

    def ring(program, first, _):
        other = Base((Modulus(17, 3), Modulus(17, 7)))
        program.reduce("c", program.spread(first, other, (1, 1), (1, 1), Interval.of(0, 1)))

    for steps, message in ((product, "which the other lane has"), (ring, "ring of the other")):
        with pytest.raises(SpecificationError, match=message):
            SequenceBuilder(pair(steps), MACHINE, serial=False).choices()


def test_unequal_pairs_are_refused():
    program = Program("unequal")
    x = program.input("x", BASE, (1, 1), Interval.of(0, 9))
    for name in "abc":
        program.reduce(name, program.scaled(x, 2))
    with pytest.raises(ProgramError, match="1 steps cannot run beside 2 others"):
        program.together(0, 1)
