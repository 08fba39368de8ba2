"""The comb reader against the digits of plain integers: places, entries, signs, cycles."""

import random

import pytest
from tests.hardware.traffic import choose, pulse, simulate, ticks

from residua.curves.comb import Comb
from residua.hardware.coprocessor.scalars.comb_reader import (
    SEEK_CYCLES,
    CombReader,
    gather_cycles,
    period,
    table_bases,
    table_words,
)
from residua.hardware.coprocessor.scalars.unit import BIT_LATENCY
from residua.hardware.engine.entry_keeper import KEEP_DELAY, MATCH_DELAY

WORDS = 4


class Surroundings:
    """A scalar, whose bits are asked for by place, and memories that note what matches."""

    def __init__(self, reader, number, low):
        self.reader, self.memory, self.found = reader, number << low, []
        self.asked = []

    async def serve(self, ctx):
        """A place is in force for the cycles of its request and the one after it."""
        reader, places = self.reader, [0] * BIT_LATENCY
        async for _, _, seek, place in ctx.tick().sample(reader.seek, reader.place):
            places = [*places[1:], place if seek else places[-1]]
            if seek:
                self.asked.append(place)
            ctx.set(reader.bit, self.memory >> places[0] & 1)

    async def watch(self, ctx):
        reader, addresses, kept = self.reader, [0] * (MATCH_DELAY + 1), None
        sampled = ctx.tick().sample(reader.address, reader.matches, reader.first, reader.keep)
        async for _, _, address, matches, first, keep in sampled:
            addresses = [*addresses[1:], address]
            if keep:
                self.found.append(kept)
            if first:
                kept = None
            if matches:
                assert kept is None
                kept = addresses[0]


def run(reader, curve, number, wait=0):
    """Addresses and signs of all entries, and the cycles from each ``take`` to readiness."""
    comb, low = reader.combs[curve], reader.lowest[curve]
    around, signs, times = Surroundings(reader, number, low), [], []

    async def load(ctx):
        for _ in range(WORDS):
            await ticks(ctx, wait)
            while not ctx.get(reader.loading):
                await ctx.tick()
            await pulse(ctx, reader.loaded)

    async def main(ctx):
        choose(ctx, reader, curve)
        await ticks(ctx, 2)
        await pulse(ctx, reader.start)
        await load(ctx)
        signs.append(ctx.get(reader.positive))
        cycles = 0
        while not ctx.get(reader.done):
            cycles += 1
            assert cycles < 1000
            await ctx.tick()
        for _ in range(comb.columns - 1):
            await ticks(ctx, period(comb.teeth, WORDS) - WORDS)
            times.append(ctx.get(reader.loading))
            await pulse(ctx, reader.take)
            signs.append(ctx.get(reader.positive))
            await load(ctx)
        await ticks(ctx, 2 * period(comb.teeth, WORDS))

    simulate(reader, main, around.serve, around.watch)
    assert not any(times)
    return around.found, signs, around.asked


@pytest.mark.parametrize(
    ("combs", "lowest"),
    [
        ([Comb(3, 2, 3)], [5]),
        ([Comb(2, 1, 4)], [0]),
        ([Comb(4, 3, 1)], [7]),
        ([Comb(5, 1, 1)], [7]),
        ([Comb(3, 2, 2), None, Comb(3, 3, 3)], [1, 0, 9]),
    ],
)
@pytest.mark.parametrize("wait", [0, 3])
def test_every_column_brings_its_entry(combs, lowest, wait):
    draw = random.Random(f"{combs} {wait}")
    for curve, comb in enumerate(combs):
        if comb is None:
            continue
        most = (1 << comb.bits) - 1
        for number in (0, most, most // 3, *(draw.getrandbits(comb.bits) for _ in range(3))):
            reader = CombReader(combs, lowest, 64, WORDS)
            found, signs, asked = run(reader, curve, number, wait)
            base, expected = table_bases(combs, WORDS)[curve], []
            for order, column in enumerate(comb.order()):
                index, positive = comb.digit(number, column)
                assert signs[order] == positive
                table = base + (order % comb.tables) * WORDS * comb.entries
                expected += [table + word * comb.entries + index for word in range(WORDS)]
            assert found == expected
            places = [
                lowest[curve] + column + tooth * comb.columns
                for column in comb.order()
                for tooth in range(comb.teeth)
                for _ in range(SEEK_CYCLES)
            ]
            assert asked == places


def test_cycles_and_addresses_depend_on_no_bit():
    """All that is public is the same, cycle by cycle, for every number."""
    seen = []
    for number in (0, (1 << 18) - 1, 0x2A5F3):
        reader, trace = CombReader([Comb(3, 2, 3)], [5], 64, WORDS), []

        async def record(ctx, reader=reader, trace=trace):
            names = ("address", "first", "keep", "loading", "done", "seek", "place")
            sampled = ctx.tick().sample(*(getattr(reader, name) for name in names))
            async for _, _, *values in sampled:
                trace.append(tuple(values))

        around = Surroundings(reader, number, 5)

        async def main(ctx, reader=reader):
            ctx.set(reader.loaded, 1)
            await pulse(ctx, reader.start)
            for _ in range(5):
                await ticks(ctx, 2 * period(3, WORDS))
                await pulse(ctx, reader.take)

        simulate(reader, main, around.serve, record)
        seen.append(trace)
    assert seen[0] == seen[1] == seen[2]
    assert len(seen[0]) > 10 * period(3, WORDS)


def test_sizes():
    combs = [Comb(3, 2, 2), None, Comb(3, 5, 1)]
    assert table_bases(combs, WORDS) == [0, 2 * 4 * WORDS, 2 * 4 * WORDS]
    assert table_words(combs, WORDS) == 7 * 4 * WORDS
    assert gather_cycles(6) == 5 * SEEK_CYCLES + BIT_LATENCY + 1
    assert period(6, 6) == 1 + 6 + gather_cycles(6) + 6 * 32 + KEEP_DELAY
