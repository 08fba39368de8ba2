"""Programs whose constants are held: their counts, what they need, and their slots."""

import pytest
from tests.algorithms.fields.test_random_bases import (
    CHANNELS,
    CHOICES,
    KIND,
    domain,
    formula,
    programs,
)

from residua.algorithms.fields.base_choice import prepare
from residua.algorithms.fields.random_bases import lower
from residua.algorithms.terms import HeldBroadcast, Rotated
from residua.errors import SpecificationError
from residua.machines.bounds import analyse
from residua.machines.counts import count
from residua.machines.held_ranges import analyse_held
from residua.machines.scheduling.liveness import without_dead_steps
from residua.machines.scheduling.sequences import SequenceBuilder
from residua.machines.slots import Left, Machine

MACHINE = Machine(CHANNELS, 7, 3, 6, 1)


def made():
    return [prepare(domain(), CHOICES[3], KIND), lower(formula(), domain(), KIND)]


def slots(program, term, machine=MACHINE):
    """The slots of the first sum that has such a term."""
    builder = SequenceBuilder(program, machine, serial=False)
    for step, (sequence, *_) in zip(program.steps, builder.choices(), strict=True):
        if any(isinstance(one, term) for one in step.terms):
            return sequence.slots
    raise AssertionError


def test_a_rotation_takes_two_slots():
    """The word is there for the neighbour, and adds nothing to its own sum."""
    own, ahead = slots(made()[0].program, Rotated)
    assert (own.left, own.right_word, own.constants) == (Left.REGISTER, None, None)
    assert (ahead.left, ahead.constants) == (Left.NEIGHBOUR, (1,) * CHANNELS)


def test_an_extension_reads_its_matrix_from_registers():
    found = slots(made()[1].program, HeldBroadcast)
    read = [slot for slot in found if slot.right_word]
    # A quotient is none of the first extension, but the product of what is divided.
    assert len({slot.right_word for slot in read}) == len(read) == CHANNELS + 1
    assert all(slot.constants is None for slot in read)


def test_channels_do_not_share_a_rower():
    with pytest.raises(SpecificationError, match="4 channels whose factors are held take 4 rowers"):
        slots(made()[1].program, HeldBroadcast, Machine(CHANNELS // 2, 7, 3, 6, 1))


def test_a_reduction_has_a_product_more_than_the_reordered_form_counts():
    """Its constants are words of nobody's."""
    found = count(lower(formula(), domain(), KIND).program)
    reductions = formula().reductions
    products = sum(len(one.products) for one in formula().operations if hasattr(one, "products"))
    per_product = 2 * CHANNELS
    per_reduction = 2 * CHANNELS**2 + 2 * CHANNELS
    # Once, three times a product.
    scaled = 2 * CHANNELS
    assert found.emm == products * per_product + reductions * per_reduction + scaled
    assert found.cox == CHANNELS * reductions
    assert found.emw == scaled


def test_nothing_of_a_preparation_is_dead_but_what_nobody_asks_for():
    for program in programs(CHOICES[6]):
        assert without_dead_steps(program).steps == program.steps
    program = prepare(domain(), CHOICES[6], KIND).program
    program.outputs = program.outputs[:1]
    assert len(without_dead_steps(program).steps) == 1


def test_held_words_are_as_narrow_as_they_are_made():
    """Which takes no more folds, and shorter sums."""
    lowered = made()
    alone = [analyse(each.program) for each in lowered]
    held = analyse_held(lowered)
    assert {each.folds for each in held} == {min(each.folds for each in held)}
    assert held[1].folds <= alone[1].folds
    widest = [
        max(high for sums in each.accumulators for _, high in sums) for each in (held[1], alone[1])
    ]
    assert widest[0] < widest[1]
