"""The comparison of check residues: what was kept, what comes later, and what is cleared."""

import pytest
from amaranth.sim import Simulator

from residua.hardware.residue_check import ResidueCheck

BITS, DEPTH = 5, 4


def differs(*events, depth=DEPTH):
    """Whether anything differs in each cycle: (keeps, compares, register, word, clear) a cycle."""
    check = ResidueCheck(BITS, depth)
    seen = []

    async def bench(ctx):
        before = 0
        for keeps, compares, register, word, clear in (*events, *[(0, 0, 0, 0, 0)] * 4):
            ctx.set(check.keeps, keeps)
            ctx.set(check.compares, compares)
            ctx.set(check.kept_register, register)
            ctx.set(check.residue, before)
            ctx.set(check.clear, clear)
            ctx.set(check.clear_register, register)
            before = word
            await ctx.tick()
            seen.append(ctx.get(check.differs))

    simulation = Simulator(check)
    simulation.add_clock(1e-6)
    simulation.add_testbench(bench)
    simulation.run()
    return any(seen)


def keep(register, word):
    return 1, 0, register, word, 0


def compare(register, word):
    return 0, 1, register, word, 0


IDLE = (0, 0, 0, 9, 0)


def test_equal_words_are_no_difference():
    words = (-16, 15, 0, -1)
    kept = [keep(register, word) for register, word in enumerate(words)]
    again = [compare(register, words[register]) for register in (2, 0, 3, 1)]
    assert not differs(*kept, IDLE, *again)


def test_one_place_is_enough_for_one_word():
    for word, again in ((3, 3), (3, 4)):
        found = differs(keep(0, word), IDLE, IDLE, compare(0, again), depth=1)
        assert found == (word != again)


@pytest.mark.parametrize("bit", range(BITS))
def test_each_wrong_bit_is_one(bit):
    word = 0b01101
    assert differs(keep(1, word), IDLE, IDLE, compare(1, word ^ 1 << bit))


def test_what_is_cleared_is_zero():
    clear = [(0, 0, register, 7, 1) for register in range(DEPTH)]
    assert not differs(keep(3, 5), *clear, IDLE, compare(3, 0))
    assert differs(keep(3, 5), *clear, IDLE, compare(3, 5))
