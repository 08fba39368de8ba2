"""The scalar unit against plain integers."""

import random

import pytest
from amaranth.hdl import Fragment
from tests.hardware.traffic import (
    Opened,
    assert_refused,
    choose,
    pulse,
    sender,
    simulate,
    ticks,
    ticks_until,
)

from residua.algorithms.conversion import split_words
from residua.hardware.scalar_unit import ScalarUnit, served_bits

N256 = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551
N192 = 0xFFFFFFFFFFFFFFFFFFFFFFFF99DEF836146BC9B1B4D22831
L255 = 8 * (2**252 + 27742317777372353535851937790883648493)

SHAPES = [
    # orders, bits, words, blinding
    ((N256,), (256,), 8, 64),
    ((N256, N192, L255), (256, 192, 255), 8, 32),
    ((N192, N256), (192, 256), 8, 0),
    ((N192,), (192,), 7, 96),
    ((97, 5), (7, 3), 1, 32),
    ((2**32 - 1, 2**31), (32, 32), 1, 64),
    ((1,), (33,), 2, 32),
    ((3,), (2,), 1, 0),
]
MOST = 0xFFFFFFFF


def scalars_of(order, bits, room, generator):
    """Edges of the range and of the words, and random ones; too large ones are included."""
    most = (1 << room) - 1
    edges = [0, 1, order - 1, order, (1 << bits) - 1, 1 << bits, most, 1 << room - 1]
    edges += [1 << generator.randrange(room), generator.getrandbits(bits), order >> 1]
    return [edge & most for edge in edges]


def random_words(unit, generator):
    """r: all zero, all one, one bit, or random."""
    most = (1 << unit.blinding) - 1
    bit = 1 << generator.randrange(max(unit.blinding, 1))
    return generator.choice([0, most, bit & most, generator.getrandbits(unit.blinding or 1) & most])


async def bits_of(ctx, unit, count, gap):
    """The number that the bits make, highest first."""
    number = 0
    for index in range(count):
        number = number << 1 | ctx.get(unit.bit)
        if index < count - 1:
            await pulse(ctx, unit.advance)
            await ticks(ctx, gap - 1)
    return number


def run(unit, tasks, pace=1.0, gap=3):
    """(in_range, number, cycles) for each (select, k, r); r is None for a plain k."""
    scalars = [word for _, k, _ in tasks for word in split_words(k, unit.count, 32)]
    randoms = [
        word for *_, r in tasks if r is not None for word in split_words(r, unit.random_count, 32)
    ]
    results = []

    async def main(ctx):
        assert ctx.get(unit.clearing)
        assert await ticks_until(ctx, ~unit.clearing) == unit.depth
        for select, _, r in tasks:
            choose(ctx, unit, select)
            if r is None:
                ctx.set(unit.plain, 1)
            await pulse(ctx, unit.start)
            if r is None:
                ctx.set(unit.plain, 0)
            choose(ctx, unit, 0)
            assert ctx.get(unit.busy)
            cycles = 1 + await ticks_until(ctx, unit.done)
            assert not ctx.get(unit.busy)
            served = (unit.bits if r is None else unit.served)[select]
            number = await bits_of(ctx, unit, served, gap)
            results.append((ctx.get(unit.in_range), number, cycles))

    simulate(
        unit, main, sender(unit.scalar, scalars, pace), sender(unit.random, randoms, pace, seed=8)
    )
    return results


def tasks_of(unit, most=None, seed=1):
    generator = random.Random(seed)
    tasks = [
        (select, k, random_words(unit, generator))
        for select, (order, bits) in enumerate(zip(unit.orders, unit.bits, strict=True))
        for k in scalars_of(order, bits, 32 * unit.count, generator)
    ]
    generator.shuffle(tasks)
    return tasks[:most]


def check(unit, tasks, results):
    for (select, k, r), (in_range, number, _) in zip(tasks, results, strict=True):
        assert in_range == (k < 1 << unit.bits[select])
        if in_range:
            assert number == k + (r or 0) * unit.orders[select]


@pytest.mark.parametrize("shape", SHAPES)
def test_bits_range_and_cycles(shape):
    unit = ScalarUnit(*shape)
    tasks = tasks_of(unit, most=11)
    results = run(unit, tasks)
    check(unit, tasks, results)
    assert {cycles for *_, cycles in results} == {unit.latency}


def test_plain_scalars_among_blinded_ones():
    for shape in SHAPES[:2]:
        unit = ScalarUnit(*shape)
        tasks = [task for s, k, r in tasks_of(unit, most=5) for task in ((s, k, r), (s, k, None))]
        results = run(unit, tasks)
        check(unit, tasks, results)
        assert {cycles for *_, cycles in results[1::2]} == {unit.plain_latency}
        assert {cycles for *_, cycles in results[::2]} == {unit.latency}


LENGTHENED = [
    # orders, bits, words, blinding, curves whose scalars are lengthened
    ((N256,), (256,), 8, 64, {0}),
    ((N256,), (256,), 8, 0, {0}),
    ((N256, N192, L255), (256, 192, 255), 8, 32, {0, 1}),
    ((97, 5), (7, 3), 1, 32, {0}),
    ((2**31 + 1, 2**32 - 1), (32, 32), 1, 0, {0, 1}),
    ((2**33 + 1,), (34,), 2, 32, {0}),
]


def expected_number(unit, curve, k, r):
    """What is served of k + r n, and what is left out at its top."""
    order, top = unit.orders[curve], unit.bits[curve] + unit.blinding
    if r is None:
        return k, 0
    if unit.lengthened:
        r = r & ~3 | 2 if unit.blinding else 0
    number = k + r * order
    if curve in unit.lengthened:
        number += order << unit.blinding
        number += 0 if number >> top else order << unit.blinding
        return number & (1 << top) - 1, number >> top
    return number, 0


@pytest.mark.parametrize("shape", LENGTHENED)
def test_numbers_of_fixed_length(shape):
    unit, generator = ScalarUnit(*shape), random.Random(4)
    tasks = []
    for select, (order, bits) in enumerate(zip(unit.orders, unit.bits, strict=True)):
        most = order if select in unit.lengthened else 1 << bits
        edges = {
            0,
            1,
            most - 1,
            most // 2,
            most - 2,
            (1 << bits) - order,
            generator.randrange(most),
        }
        scalars = [k for k in sorted(edges) if 0 <= k < most]
        tasks += [(select, k, random_words(unit, generator)) for k in scalars]
        tasks.append((select, generator.randrange(most), None))
    results = run(unit, tasks)
    for (select, k, r), (in_range, number, cycles) in zip(tasks, results, strict=True):
        right, above = expected_number(unit, select, k, r)
        assert in_range
        assert number == right
        assert above == (select in unit.lengthened and r is not None)
        assert cycles == (unit.plain_latency if r is None else unit.latency)


def test_a_long_scalar():
    order = 2**1024 - 105
    unit = ScalarUnit((order, N192), (1024, 192), 32, 64)
    tasks = [(0, 2**1024 - 1, 2**64 - 1), (1, 2**192 - 1, 2**64 - 1), (0, order - 1, 3)]
    results = run(unit, tasks)
    check(unit, tasks, results)
    assert [in_range for in_range, *_ in results] == [1, 1, 1]


@pytest.mark.parametrize("pace", [0.2, 0.7])
def test_stalls(pace):
    unit = ScalarUnit((N192, 2**61 - 1), (192, 61), 6, 32)
    tasks = tasks_of(unit, most=8, seed=3)
    check(unit, tasks, run(unit, tasks, pace, gap=5))


def test_bits_served():
    unit = ScalarUnit((N256, N192), (256, 192), 8, 64)
    assert unit.served == (321, 257)
    assert unit.latency == 10 + 64 * 12 + 3
    plain = ScalarUnit((N256, N192), (256, 192), 8)
    assert plain.served == (256, 192)
    for component in (unit, plain):
        Fragment.get(component, None)


@pytest.mark.parametrize("blinding", [0, 64])
def test_leading_zeros_make_whole_digits(blinding):
    orders, bits = (N256, 97, N192), (256, 7, 192)
    unit = ScalarUnit(orders, bits, 8, blinding, digits=(4, 4, 1))
    assert unit.served == served_bits(bits, blinding, digits=(4, 4, 1))
    assert unit.served == ((324, 72, 257) if blinding else (256, 8, 192))
    tasks = [
        (select, k, ((1 << blinding) - 1) >> shift)
        for select, (order, size) in enumerate(zip(orders, bits, strict=True))
        for k in (0, order - 1 & (1 << size) - 1, (1 << size) - 1)
        for shift in (0, blinding)[: 1 + (k > 0)]
    ]
    tasks += [(select, (1 << size) - 1, None) for select, size in enumerate(bits)]
    check(unit, tasks, run(unit, tasks))


def test_advance_has_no_effect_at_the_lowest_bit():
    unit, found = ScalarUnit((3,), (2,), 1), []

    async def main(ctx):
        await ticks_until(ctx, ~unit.clearing)
        await pulse(ctx, unit.start)
        await ticks_until(ctx, unit.done)
        for _ in range(5):
            found.append(ctx.get(unit.bit))
            await pulse(ctx, unit.advance)
            await ctx.tick()

    simulate(unit, main, sender(unit.scalar, [0b10]))
    assert found == [1, 0, 0, 0, 0]


@pytest.mark.parametrize("after", [0, 3, 8, 9, 10, 11, 50, 150, 399, 405, 440])
def test_clear_wipes_everything(after):
    """Wherever it comes, nothing of scalar or random words is left in the memory."""
    unit = ScalarUnit((N256,), (256,), 8, 32)
    opened = Opened(unit, ("left", "right", "before", "carry", "odd"))

    async def main(ctx):
        await ticks_until(ctx, ~unit.clearing)
        ctx.set(unit.scalar.payload, MOST)
        ctx.set(unit.scalar.valid, 1)
        ctx.set(unit.random.payload, MOST)
        ctx.set(unit.random.valid, 1)
        await pulse(ctx, unit.start)
        await ticks(ctx, after)
        ctx.set(unit.scalar.valid, 0)
        assert any(ctx.get(row) for row in opened.rows) == (after > 0)
        await pulse(ctx, unit.clear)
        assert ctx.get(unit.clearing)
        assert not ctx.get(unit.in_range)
        assert await ticks_until(ctx, ~unit.clearing) == unit.depth
        assert not any(ctx.get(row) for row in opened.rows)
        assert not any(ctx.get(register) for register in opened.registers)
        assert not ctx.get(unit.bit)
        assert not ctx.get(unit.busy)

    simulate(opened.fragment, main)


def test_a_clear_that_is_held_wipes_too():
    unit = ScalarUnit((N256,), (256,), 8)
    opened = Opened(unit)

    async def main(ctx):
        await ticks_until(ctx, ~unit.clearing)
        await pulse(ctx, unit.start)
        await ticks_until(ctx, unit.done)
        assert all(ctx.get(row) for row in opened.rows)
        ctx.set(unit.clear, 1)
        await ticks(ctx, 1 + unit.depth)
        assert not any(ctx.get(row) for row in opened.rows)

    simulate(opened.fragment, main, sender(unit.scalar, [MOST] * 8))


@pytest.mark.parametrize(
    ("shape", "message"),
    [
        (((N256,), (256,), 8, 33), "a multiple of 32 bits, 0 or more, not 33"),
        (((N256,), (256,), 8, -32), "a multiple of 32 bits, 0 or more, not -32"),
        (((N256,), (256,), 7), "224 bits of words cannot hold an order"),
        (((N192,), (256,), 6), "1 to 192 bits, not 256"),
        (((N192,), (190,), 6, 0, {0}), "190 bits cannot be lengthened by an order of 192"),
        (((N192,), (190,), 6, 64), "longer than 190 \\+ 64 \\+ 1 bits"),
    ],
)
def test_impossible_shapes_are_refused(shape, message):
    assert_refused(lambda: ScalarUnit(*shape), message)
