"""The gearbox against plain integers."""

import random
from itertools import pairwise

import pytest
from amaranth.hdl import Fragment
from tests.hardware.traffic import assert_refused, pulse, receiver, sender, simulate, ticks_until

from residua.algorithms.conversion import split_words
from residua.hardware.converters.word_gearbox import WordGearbox

SHAPES = [
    # bits in, bits out, words in, words out
    (32, 17, 8, 16),
    (32, 17, 8, 15),
    (17, 32, 16, 8),
    (32, 33, 6, 7),
    (33, 32, 6, 8),
    (32, 24, 3, 4),
    (24, 32, 4, 3),
    (32, 32, 4, 4),
    (32, 32, 4, 2),
    (64, 1, 1, 64),
    (1, 64, 65, 2),
    (64, 63, 3, 1),
    (1, 1, 3, 5),
    (32, 17, 17, 31),
    (8, 17, 1, 4),
    (32, 16, 8, 16),
    (16, 32, 15, 8),
    (24, 16, 3, 4),
    (12, 18, 4, 2),
]
PACES = [(1.0, 1.0), (0.4, 1.0), (1.0, 0.3), (0.5, 0.5)]


def numbers_of(bits, kept, seed=1):
    generator = random.Random(seed)
    most = (1 << bits) - 1
    edges = {0, 1, most, most - 1, most >> 1, 1 << bits - 1, most >> 1 << 1}
    for size in (kept - 1, kept, kept + 1):
        edges |= {(1 << size) - 1 & most, (1 << size) & most} if size >= 0 else set()
    return [*sorted(edges), most, 0, *(generator.getrandbits(bits) for _ in range(3))]


def convert(gearbox, numbers, pace=(1.0, 1.0)):
    """Numbers out, overflow flags, and the cycles of ``done``."""
    words = [w for x in numbers for w in split_words(x, gearbox.count_in, gearbox.width_in)]
    found, flags, cycles = [], [], []

    async def watch(ctx):
        cycle = 0
        while len(flags) < len(numbers):
            _, _, done, overflow = await ctx.tick().sample(gearbox.done, gearbox.overflow)
            if done:
                flags.append(overflow)
                cycles.append(cycle)
            cycle += 1

    simulate(
        gearbox,
        watch,
        sender(gearbox.words_in, words, pace[0]),
        receiver(gearbox.words_out, found, pace[1]),
    )
    count = gearbox.count_out
    assert len(found) == count * len(numbers)
    groups = [found[i : i + count] for i in range(0, len(found), count)]
    values = [sum(w << gearbox.width_out * i for i, w in enumerate(group)) for group in groups]
    return values, flags, cycles


@pytest.mark.parametrize(("width_in", "width_out", "count_in", "count_out"), SHAPES)
def test_numbers_and_cycles(width_in, width_out, count_in, count_out):
    gearbox = WordGearbox(width_in, width_out, count_in, count_out)
    kept = width_out * count_out
    numbers = numbers_of(width_in * count_in, kept)
    values, flags, cycles = convert(gearbox, numbers)
    assert values == [number & (1 << kept) - 1 for number in numbers]
    assert flags == [number >> kept != 0 for number in numbers]
    assert cycles[0] == gearbox.interval
    assert {b - a for a, b in pairwise(cycles)} == {gearbox.interval}


@pytest.mark.parametrize("pace", PACES)
@pytest.mark.parametrize("shape", [*SHAPES[1:4], SHAPES[8], SHAPES[12], *SHAPES[15:]])
def test_stalls(shape, pace):
    gearbox = WordGearbox(*shape)
    kept = gearbox.width_out * gearbox.count_out
    numbers = numbers_of(gearbox.width_in * gearbox.count_in, kept, seed=5)
    values, flags, _ = convert(gearbox, numbers, pace)
    assert values == [number & (1 << kept) - 1 for number in numbers]
    assert flags == [number >> kept != 0 for number in numbers]


@pytest.mark.parametrize("taken", range(9))
def test_clear_forgets_a_part_of_a_number(taken):
    gearbox, found = WordGearbox(32, 17, 3, 6), []

    async def main(ctx):
        ctx.set(gearbox.words_in.payload, 0xFFFFFFFF)
        ctx.set(gearbox.words_in.valid, 1)
        ctx.set(gearbox.words_out.ready, 1)
        for _ in range(taken):
            await ctx.tick()
        await pulse(ctx, gearbox.clear)
        ctx.set(gearbox.words_in.payload, 0)
        for _ in range(gearbox.interval):
            _, _, valid, payload, done, overflow = await ctx.tick().sample(
                gearbox.words_out.valid, gearbox.words_out.payload, gearbox.done, gearbox.overflow
            )
            assert not done
            assert not overflow
            if valid:
                found.append(payload)
        assert ctx.get(gearbox.done)

    simulate(gearbox, main)
    assert found == [0] * 6


def test_overflow_lasts_until_the_next_number():
    gearbox = WordGearbox(8, 4, 2, 1)

    async def main(ctx):
        ctx.set(gearbox.words_out.ready, 1)
        for word in (0, 0x80):
            ctx.set(gearbox.words_in.payload, word)
            ctx.set(gearbox.words_in.valid, 1)
            await ctx.tick().until(gearbox.words_in.ready)
        ctx.set(gearbox.words_in.valid, 0)
        await ticks_until(ctx, gearbox.done)
        for _ in range(3):
            assert ctx.get(gearbox.overflow)
            await ctx.tick()
        ctx.set(gearbox.words_in.valid, 1)
        await ctx.tick()
        assert not ctx.get(gearbox.overflow)

    simulate(gearbox, main)


def test_length_follows_from_the_number():
    gearboxes = WordGearbox(32, 17, 8), WordGearbox(17, 32, 16)
    assert [gearbox.count_out for gearbox in gearboxes] == [16, 9]
    for gearbox in gearboxes:
        Fragment.get(gearbox, None)


@pytest.mark.parametrize(
    ("shape", "message"),
    [
        ((65, 1, 1, 1), "words of 1 to 64 bits, not 65"),
        ((1, 0, 1, 1), "words of 1 to 64 bits, not 0"),
        ((32, 17, 0), "at least 1 word, not 0 in and 0 out"),
        ((32, 17, 2, 0), "at least 1 word, not 2 in and 0 out"),
    ],
)
def test_impossible_shapes_are_refused(shape, message):
    assert_refused(lambda: WordGearbox(*shape), message)
