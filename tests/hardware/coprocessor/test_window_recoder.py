"""The window recoder against the windows of plain integers."""

import random

import pytest
from tests.hardware.traffic import assert_refused, choose, simulate, ticks

from residua.curves.operations.instructions import Events
from residua.curves.signatures.sliding_windows import BASE_WIDTH, windows
from residua.hardware.coprocessor.scalars.unit import BIT_LATENCY
from residua.hardware.coprocessor.scalars.window_recoder import WIDTHS, WindowRecoder


class Bits:
    """Gives out the bits of scalars as `ScalarUnit` and `HalfScalars` do."""

    def __init__(self, recoder):
        self.recoder = recoder
        self.rewound = 0

    def load(self, scalars, count):
        self.scalars, self.count, self.position = scalars, count, count - 1

    async def serve(self, ctx):
        recoder = self.recoder
        signals = recoder.bits
        ways = [[0] * BIT_LATENCY for _ in signals]
        async for _, _, advance, rewind in ctx.tick().sample(recoder.advance, recoder.rewind):
            self.position = max(self.position - advance, 0)
            if rewind:
                self.position, self.rewound = self.count - 1, self.rewound + 1
            for way, scalar, signal in zip(ways, self.scalars, signals, strict=True):
                way[:] = [*way[1:], scalar >> self.position & 1]
                ctx.set(signal, way[0])


def expected(scalars, count):
    """The events, with their count, or with the digit that is added."""
    codes = Events(len(scalars))
    due = [
        dict(windows(scalar, count, WIDTHS[number % 2])) for number, scalar in enumerate(scalars)
    ]
    events, doublings, started = [], 0, False
    for place in range(count, -1, -1):
        for number, digits in enumerate(due):
            if place in digits:
                if doublings:
                    events.append((codes.DOUBLE, doublings))
                code = codes.add if started else codes.begin
                events.append((code(number), digits[place]))
                doublings, started = 0, True
        doublings += started and place > 0
    if doublings:
        events.append((codes.DOUBLE, doublings))
    return [*events, (codes.end, 0)]


def run(counts, tasks, *, public=1, pauses=lambda: 0):
    """For each (curve, scalars) the events as `expected` has them."""
    number = len(tasks[0][1])
    recoder, codes = WindowRecoder(counts, number), Events(number)
    bits, found = Bits(recoder), []
    bits.load([0] * number, 8)

    async def event(ctx):
        await ticks(ctx, pauses())
        ctx.set(recoder.follow, 1)
        while not ctx.get(recoder.ready):
            await ticks(ctx, 1)
        code = ctx.get(recoder.code)
        await ticks(ctx, 1)
        ctx.set(recoder.follow, 0)
        # What is told of an event stays while the next one is looked for.
        await ticks(ctx, pauses())
        if code == codes.end:
            assert ctx.get(recoder.positive)
            return code, 0
        if code == codes.DOUBLE:
            return code, ctx.get(recoder.count) + 1
        digit = 2 * ctx.get(recoder.index) + 1
        return code, digit if ctx.get(recoder.positive) else -digit

    async def main(ctx):
        ctx.set(recoder.public, public)
        assert ctx.get(recoder.positive)
        for select, scalars in tasks:
            bits.load(scalars, counts[select])
            await ticks(ctx, BIT_LATENCY + 1)
            choose(ctx, recoder, select)
            events = [await event(ctx)]
            while events[-1][0] != codes.end:
                events.append(await event(ctx))
            await ticks(ctx, BIT_LATENCY + 1)
            assert bits.position == counts[select] - 1
            found.append(events)

    simulate(recoder, main, bits.serve)
    assert bits.rewound == len(tasks)
    return found


def test_all_digits_of_short_scalars():
    draw, count = random.Random(1), 9
    pairs = [(draw.randrange(1 << count), draw.randrange(1 << count)) for _ in range(150)]
    pairs += [(0, 0), (0, 1), (1, 0), (511, 511), (256, 256), (0, 256), (255, 0), (1, 511)]
    for pair, events in zip(pairs, run((count,), [(0, pair) for pair in pairs]), strict=True):
        assert events == expected(pair, count), pair


def test_long_scalars_of_several_curves_with_pauses():
    draw, counts = random.Random(2), (40, 17, 64)
    tasks = [
        (index, (draw.getrandbits(counts[index]), draw.getrandbits(counts[index])))
        for index in (0, 1, 2, 2, 1, 0)
    ]
    found = run(counts, tasks, pauses=lambda: draw.choice((0, 0, 1, 3, 300)))
    for (index, scalars), events in zip(tasks, found, strict=True):
        assert events == expected(scalars, counts[index])


def test_two_windows_over_halves():
    """Four scalars, the first two of them with the windows of whole ones; any may be due alone."""
    draw, counts = random.Random(3), (9, 20)
    tasks = [
        (index, tuple(draw.getrandbits(counts[index]) for _ in range(4))) for index in (0, 1) * 40
    ]
    tasks += [(0, tuple(256 * (i == j) for i in range(4))) for j in range(4)]
    tasks += [(1, (0, 0, 0, 0)), (1, (1, 1, 1, 1)), (0, (511,) * 4), (0, (0, 0, 0, 5))]
    found = run(counts, tasks, pauses=lambda: draw.choice((0, 0, 1, 3)))
    for (index, scalars), events in zip(tasks, found, strict=True):
        assert events == expected(scalars, counts[index]), scalars


def test_codes_of_events():
    """Each has its own, and the last one is the end."""
    for number in (2, 4):
        codes = Events(number)
        told = [codes.DOUBLE, *map(codes.begin, range(number)), *map(codes.add, range(number))]
        assert [*told, codes.end] == list(range(2 * number + 2))


@pytest.mark.parametrize("count", [2, 4])
def test_no_bit_that_is_not_public_is_seen(count):
    scalars = (0xFFFFFFFF, 0x12345678, 0x87654321, 0x0F0F0F0F)[:count]
    (events,) = run((32,), [(0, scalars)], public=0)
    assert events == expected([0] * count, 32)


@pytest.mark.parametrize("counts", [(BASE_WIDTH - 1,), (64, 3)])
def test_scalars_shorter_than_a_window_are_refused(counts):
    assert_refused(lambda: WindowRecoder(counts), "shorter than a window of 8")
