"""The register that sums up what happens."""

import random

import pytest
from amaranth.hdl import Module, Signal
from amaranth.sim import Simulator

from residua.hardware.signature_register import WIDTH, folded, record, repeated, step


def summed(words):
    value = 0
    for word in words:
        value = step(value, folded(word))
    return value


def test_the_polynomial_is_primitive():
    """A single wrong bit never goes away, and comes back to its place after all others."""
    value, period = step(1, 0), 1
    while value != 1:
        value, period = step(value, 0), period + 1
    assert period == (1 << WIDTH) - 1


@pytest.mark.parametrize("rounds", [0, 1, 2, 3, 6, 387])
def test_rounds_are_summed_up_at_once(rounds):
    draw = random.Random(rounds)
    words = [draw.getrandbits(16) for _ in range(40)]
    assert repeated(0, words, rounds) == summed(words * rounds)
    assert repeated(summed(words[:7]), words[7:], rounds) == summed(words[:7] + words[7:] * rounds)


def test_every_bit_of_a_long_word_counts():
    word = random.Random(1).getrandbits(45)
    assert len({folded(word ^ 1 << bit) for bit in range(16)} | {folded(word)}) == 17
    assert all(folded(word ^ 1 << bit) != folded(word) for bit in range(45))


@pytest.mark.parametrize("length", [1, 7, 300])
def test_histories_that_differ_in_one_event_differ(length):
    draw = random.Random(length)
    words = [draw.getrandbits(16) | 1 for _ in range(length)]
    whole = summed(words)
    for place in range(length):
        assert summed([*words[:place], words[place] ^ 4, *words[place + 1 :]]) != whole
        assert summed(words[:place] + words[place + 1 :]) != whole
        assert summed([*words[:place], 9, *words[place:]]) != whole


def test_the_register_is_what_the_model_says():
    draw, events = random.Random(3), []
    m = Module()
    register, word = Signal(WIDTH), Signal(37)
    event, clear = Signal(), Signal()
    record(m, register, word, event, clear)

    async def bench(ctx):
        for _ in range(400):
            given, happens, cleared = (
                draw.getrandbits(37),
                draw.random() < 0.6,
                draw.random() < 0.01,
            )
            ctx.set(word, given)
            ctx.set(event, happens)
            ctx.set(clear, cleared)
            await ctx.tick()
            if cleared:
                events.clear()
            elif happens:
                events.append(given)
            assert ctx.get(register) == summed(events)

    simulator = Simulator(m)
    simulator.add_clock(1e-6)
    simulator.add_testbench(bench)
    simulator.run()
