"""The scalar reducer against plain integers."""

import random

import pytest
from tests.hardware.traffic import (
    Opened,
    assert_refused,
    choose,
    pulse,
    receiver,
    sender,
    simulate,
    ticks,
    ticks_until,
)

from residua.algorithms.conversion import split_words
from residua.hardware.coprocessor.scalars.reducer import ScalarReducer

N256 = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551
N192 = 0xFFFFFFFFFFFFFFFFFFFFFFFF99DEF836146BC9B1B4D22831

SHAPES = [
    # orders, bits, words
    ((N256,), (256,), 8),
    ((N256, N192, 0), (256, 192, 255), 8),
    ((11,), (4,), 1),
    ((127, 2**31 - 1), (7, 31), 1),
    ((2**32 + 15, 2**33 + 17), (33, 34), 2),
]
MOST = 0xFFFFFFFF


def replaced(k, order):
    """The number given out and the flags (neutral, own, negate)."""
    k %= order
    flags = k == 0, k in (1, order - 1), k in (order - 1, order - 2, order // 2)
    if k in (0, 1, order - 1, order - 2):
        return 2, flags
    return (order // 2 + 1 if k == order // 2 else k), flags


def run(unit, tasks, pace=1.0):
    """(number, in_range, flags, cycles) for each (select, k, plain)."""
    words = [word for _, k, _ in tasks for word in split_words(k, unit.count, 32)]
    given, results = [], []

    async def main(ctx):
        await ticks_until(ctx, ~unit.clearing)
        for select, _, plain in tasks:
            choose(ctx, unit, select)
            ctx.set(unit.plain, plain)
            await pulse(ctx, unit.start)
            ctx.set(unit.plain, 0)
            choose(ctx, unit, 0)
            cycles = 1 + await ticks_until(ctx, unit.reduced.valid)
            flags = tuple(map(bool, map(ctx.get, (unit.neutral, unit.own, unit.negate))))
            in_range = bool(ctx.get(unit.in_range))
            await ticks_until(ctx, ~unit.busy)
            await ticks(ctx, 1)
            number = sum(word << 32 * i for i, word in enumerate(given[-unit.count :]))
            results.append((number, in_range, flags, cycles))

    simulate(unit, main, sender(unit.scalar, words, pace), receiver(unit.reduced, given, pace))
    return results


def tasks_of(unit, seed=1):
    generator = random.Random(seed)
    tasks = []
    for select, (order, bits) in enumerate(zip(unit.orders, unit.bits, strict=True)):
        largest = (1 << bits) - 1
        edges = {0, 1, 2, 3, largest, largest - 1, generator.getrandbits(bits)}
        for centre in (order // 2, order, 3 * order // 2, 2 * order):
            edges |= set(range(centre - 3, centre + 4))
        tasks += [(select, k, order == 0) for k in sorted(edges) if 0 <= k <= largest]
        tasks.append((select, generator.getrandbits(bits), True))
    generator.shuffle(tasks)
    return tasks


@pytest.mark.parametrize("shape", SHAPES)
def test_numbers_and_flags(shape):
    unit = ScalarReducer(*shape)
    tasks = tasks_of(unit)
    for (select, k, plain), (number, in_range, flags, cycles) in zip(
        tasks, run(unit, tasks), strict=True
    ):
        right = (k, (False,) * 3) if plain else replaced(k, unit.orders[select])
        assert in_range
        assert (number, flags) == right
        assert cycles == (unit.plain_latency if plain else unit.latency)


def test_the_ladder_is_right_for_what_is_given_out():
    """k P is O, +-P or +-s P, as the flags say, for every k modulo some orders."""
    for order in (11, 13, 67):
        for k in range(order):
            s, (neutral, own, negate) = replaced(k, order)
            sign = -1 if negate else 1
            assert k == (0 if neutral else sign * (1 if own else s) % order)
            assert s not in (0, 1, order - 1, order - 2, order // 2)


@pytest.mark.parametrize("pace", [0.2, 0.7])
def test_stalls(pace):
    unit = ScalarReducer((N256, N192), (256, 192), 8)
    tasks = [(0, N256 - 1, False), (1, N192 // 2, False), (0, 2**256 - 1, True), (1, 5, False)]
    for (select, k, plain), (number, _, flags, _) in zip(
        tasks, run(unit, tasks, pace), strict=True
    ):
        right = (k, (False,) * 3) if plain else replaced(k, unit.orders[select])
        assert (number, flags) == right


def test_range():
    unit = ScalarReducer((N192, N256), (192, 256), 8)
    tasks = [(0, 1 << 192, False), (0, 1 << 255, False), (0, 2**192 - 1, False), (1, 1 << 255, 0)]
    assert [in_range for _, in_range, *_ in run(unit, tasks)] == [False, False, True, True]


@pytest.mark.parametrize("after", [0, 3, 8, 9, 12, 40, 88, 91])
def test_clear_wipes_everything(after):
    unit = ScalarReducer((N256,), (256,), 8)
    opened = Opened(unit, ("left", "right", "word", "carry", "equal", "borrow", "small", "half"))

    async def main(ctx):
        await ticks_until(ctx, ~unit.clearing)
        ctx.set(unit.scalar.payload, MOST)
        ctx.set(unit.scalar.valid, 1)
        await pulse(ctx, unit.start)
        await ticks(ctx, after)
        ctx.set(unit.scalar.valid, 0)
        assert any(ctx.get(row) for row in opened.rows) == (after > 0)
        await pulse(ctx, unit.clear)
        assert await ticks_until(ctx, ~unit.clearing) == unit.count
        assert not any(ctx.get(row) for row in opened.rows)
        assert not any(ctx.get(register) for register in opened.registers)
        assert not ctx.get(unit.reduced.payload)
        assert not ctx.get(unit.busy)
        for flag in (unit.in_range, unit.neutral, unit.own, unit.negate):
            assert not ctx.get(flag)

    simulate(opened.fragment, main)


@pytest.mark.parametrize("order", [7, N192 - 1, N256])
def test_impossible_orders_are_refused(order):
    assert_refused(lambda: ScalarReducer((order,), (192,), 8), "an odd order of 192 bits above 8")
