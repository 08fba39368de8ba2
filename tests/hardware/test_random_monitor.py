"""Tests of random words against models of them, and their false alarms."""

import random
from math import comb, log2

import pytest
from amaranth.sim import Simulator

from residua.hardware.random_monitor import (
    FALSE_ALARM,
    SAMPLE,
    WINDOW,
    WORD,
    RandomMonitor,
    proportion_cutoff,
    repetition_cutoff,
)


def folded(word):
    return (word ^ word >> 8 ^ word >> 16 ^ word >> 24) & 0xFF


def refused_at(words):
    """The number of words with which both tests of SP 800-90B, 4.4, as they are written, fail."""
    last = first = None
    again = equal = 0
    for index, word in enumerate(words):
        sample = folded(word)
        again = again + 1 if sample == last else 1
        last = sample
        if index % WINDOW == 0:
            first, equal = sample, 1
        else:
            equal += sample == first
        if again >= repetition_cutoff() or equal >= proportion_cutoff():
            return index + 1
    return None


def unfit_at(words, *, gap=0, clear_before=()):
    """The number of words after which `unfit` is set in hardware."""
    dut, found = RandomMonitor(4), []

    async def feed(ctx):
        for index, word in enumerate(words):
            if index in clear_before:
                ctx.set(dut.clear, 1)
                await ctx.tick()
                ctx.set(dut.clear, 0)
            ctx.set(dut.word, word)
            ctx.set(dut.valid, 1)
            ctx.set(dut.ready, 1)
            await ctx.tick()
            ctx.set(dut.valid, 0)
            await ctx.tick()
            for _ in range(gap):
                await ctx.tick()
            if ctx.get(dut.unfit):
                found.append(index + 1)
        assert ctx.get(dut.unfit) == bool(found)

    simulator = Simulator(dut)
    simulator.add_clock(1e-6)
    simulator.add_testbench(feed)
    simulator.run()
    return found[0] if found else None


def every(period, cycle, count=600):
    """Random words, of which each so many-th of a window is the same."""
    draw = random.Random(cycle)
    return [7 if i % period == 0 else draw.getrandbits(WORD) for i in range(count)]


@pytest.mark.parametrize(
    "words",
    [
        [5] * 20,
        [0x01010101 * n for n in (1, 2, 2, 2, 2, 2, 3, 3, 3, 3, 3, 3, 3)],
        [3, 4] * 40,
        every(20, 1),
        every(29, 2),
        [random.Random(3).getrandbits(WORD) for _ in range(3 * WINDOW)],
    ],
    ids=["stuck", "repeated", "alternating", "biased", "less biased", "sound"],
)
@pytest.mark.parametrize("gap", [0, 3])
def test_words_are_refused_as_the_standard_has_it(words, gap):
    assert unfit_at(words, gap=gap) == refused_at(words)


def test_a_clearing_begins_both_tests_anew():
    words = [9] * 5 + [9] * 5
    assert unfit_at(words) == 6
    assert unfit_at(words, clear_before=(5,)) is None


def test_an_other_bit_of_a_word_counts_wherever_it_is():
    """Every bit of a word is part of its sample."""
    assert all(unfit_at([0] * 5 + [1 << bit]) is None for bit in range(WORD))


def test_cutoffs_follow_from_the_false_alarm():
    """The tail of the binomial distribution, added up the other way round."""
    assert repetition_cutoff() == 1 + FALSE_ALARM // SAMPLE
    chance = 2.0**-SAMPLE

    def tail(least):
        counts = range(least, WINDOW + 1)
        terms = (comb(WINDOW, c) * chance**c * (1 - chance) ** (WINDOW - c) for c in counts)
        return log2(sum(terms))

    assert tail(proportion_cutoff()) <= -FALSE_ALARM < tail(proportion_cutoff() - 1)


def test_it_starves_after_its_patience():
    dut = RandomMonitor(4)

    async def watch(ctx):
        ctx.set(dut.ready, 1)
        # A cycle in which it is noted that there is no word, and those of its patience.
        for _ in range(1 + 16):
            assert not ctx.get(dut.starved)
            await ctx.tick()
        assert ctx.get(dut.starved)
        ctx.set(dut.valid, 1)
        await ctx.tick().repeat(2)
        assert not ctx.get(dut.starved)
        ctx.set(dut.valid, 0)
        ctx.set(dut.ready, 0)
        for _ in range(40):
            await ctx.tick()
            assert not ctx.get(dut.starved)

    simulator = Simulator(dut)
    simulator.add_clock(1e-6)
    simulator.add_testbench(watch)
    simulator.run()


@pytest.mark.parametrize(
    ("words", "zero"), [([0], 1), ([0, 0, 0], 1), ([0, 1 << 31, 0], 0), ([], 0)]
)
def test_it_tells_a_number_of_zeros(words, zero):
    dut = RandomMonitor(4)

    async def watch(ctx):
        ctx.set(dut.ready, 1)
        for before in ([], [0], [4]):
            for word in before:
                ctx.set(dut.word, word)
                ctx.set(dut.valid, 1)
                await ctx.tick()
            ctx.set(dut.valid, 0)
            await ctx.tick()
            ctx.set(dut.begin, 1)
            await ctx.tick()
            ctx.set(dut.begin, 0)
            for word in words:
                ctx.set(dut.word, word)
                ctx.set(dut.valid, 1)
                await ctx.tick()
            ctx.set(dut.valid, 0)
            await ctx.tick().repeat(2)
            assert ctx.get(dut.zero) == zero

    simulator = Simulator(dut)
    simulator.add_clock(1e-6)
    simulator.add_testbench(watch)
    simulator.run()
