"""The digit recoder against the digits of plain integers."""

import random

import pytest
from tests.hardware.traffic import assert_refused, choose, pulse, simulate, ticks

from residua.curves.fixed_window import WINDOW, digit_flags, digits
from residua.hardware.coprocessor.scalars.digit_recoder import DIGIT_LATENCY, FLAGS, DigitRecoder
from residua.hardware.coprocessor.scalars.unit import BIT_LATENCY


class Bits:
    """Gives out the bits of a scalar as a `ScalarUnit` does; the lowest one stays."""

    def __init__(self, recoder):
        self.recoder, self.scalar, self.position = recoder, 0, 0
        self.asked = 0

    def load(self, scalar, count):
        self.scalar, self.position, self.asked = scalar, count - 1, 0

    async def serve(self, ctx):
        on_the_way = [0] * BIT_LATENCY
        async for _, _, advance in ctx.tick().sample(self.recoder.advance):
            self.asked += advance
            self.position = max(self.position - advance, 0)
            on_the_way = [*on_the_way[1:], self.scalar >> self.position & 1]
            ctx.set(self.recoder.bit, on_the_way[0])


def flags_of(ctx, recoder):
    value = ctx.get(recoder.flags)
    return {flag.name: bool(value >> index & 1) for index, flag in enumerate(FLAGS)}


def run(counts, tasks):
    """For each (curve, scalar, plain) the flags of all digits and whether they are in use."""
    recoder = DigitRecoder(counts)
    bits, found = Bits(recoder), []

    async def main(ctx):
        for select, scalar, plain in tasks:
            bits.load(scalar, counts[select] or 8)
            await ticks(ctx, BIT_LATENCY + 1)
            choose(ctx, recoder, select)
            ctx.set(recoder.plain, plain)
            await pulse(ctx, recoder.start)
            ctx.set(recoder.plain, 0)
            choose(ctx, recoder, 0)
            await ticks(ctx, BIT_LATENCY + 2)
            flags = [flags_of(ctx, recoder)]
            for _ in range(counts[select] // WINDOW):
                await pulse(ctx, recoder.take)
                await ticks(ctx, DIGIT_LATENCY - 1)
                flags.append(flags_of(ctx, recoder))
            found.append((bool(ctx.get(recoder.active)), flags, bits.asked))

    simulate(recoder, main, bits.serve)
    return found


@pytest.mark.parametrize("count", [4, 8])
def test_every_scalar(count):
    """Where the sign of the digit 0 does not count, it is that of the recoder."""
    scalars = range(1 << count)
    for scalar, (active, flags, _) in zip(
        scalars, run((count,), [(0, k, False) for k in scalars]), strict=True
    ):
        assert active
        for digit, found in zip(digits(scalar, count), flags, strict=True):
            wanted = digit_flags(digit)
            if digit == 0:
                wanted["digit_positive"] = found["digit_positive"]
            assert found == wanted, (scalar, digit)


def test_long_scalars_of_several_curves():
    counts, chooser = (36, 0, 324, 96), random.Random(1)
    tasks = []
    for select in (0, 1, 2, 3, 2, 1, 0):
        most = (1 << counts[select]) - 1
        tasks += [(select, k, False) for k in (0, most, most // 3, chooser.randint(0, most))]
        tasks.append((select, most, True))
    for (select, scalar, plain), (active, flags, asked) in zip(
        tasks, run(counts, tasks), strict=True
    ):
        assert active == (counts[select] > 0 and not plain)
        if not active:
            assert asked == 0
            continue
        sizes = [[f[flag.name] for flag in FLAGS[:8]] for f in flags]
        found = [
            (1 if f["digit_positive"] else -1) * (size.index(True) + 1 if True in size else 0)
            for size, f in zip(sizes, flags, strict=True)
        ]
        assert found == digits(scalar, counts[select])
        assert asked == counts[select] + 1


def test_what_makes_no_whole_digits_is_refused():
    assert_refused(
        lambda: DigitRecoder([8, 6]), "6 bits do not make digits of 4 bits; take a multiple"
    )
