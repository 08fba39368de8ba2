"""The scalar unit against its model, the model against plain integers."""

import random
from typing import NamedTuple

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
from residua.errors import SpecificationError
from residua.hardware.coprocessor.scalars.unit import ScalarUnit
from residua.machines.blinded_scalar import ScalarForm

N256 = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551
N192 = 0xFFFFFFFFFFFFFFFFFFFFFFFF99DEF836146BC9B1B4D22831
N96 = 2**96 - 2**31 - 1
N64 = 2**64 - 59
L95 = 8 * (2**92 - 83)

SHAPES = [
    ((ScalarForm(96, N96, 65),), 3),
    ((ScalarForm(96, N96, 40), ScalarForm(64, N64, 7), ScalarForm(95, L95, 30)), 3),
    ((ScalarForm(64), ScalarForm(96)), 3),
    ((ScalarForm(64, N64, 32),), 4),
    ((ScalarForm(7, 97, 32), ScalarForm(3, 5, 1)), 1),
    ((ScalarForm(32, 2**32 - 1, 64), ScalarForm(32, 3 * 2**30, 64)), 1),
    ((ScalarForm(33, 1, 32),), 2),
    ((ScalarForm(2),), 1),
    # Multiples that are longer than the scalars.
    ((ScalarForm(20, 8 * (2**97 - 3), 33), ScalarForm(32, 97, 5)), 1),
]
"""Forms, and words of a scalar."""
MOST = 0xFFFFFFFF


def scalars_of(order, bits, room, generator):
    """Edges of the range and of the words, and random ones; too large ones are included."""
    most = (1 << room) - 1
    edges = [0, 1, order - 1, order, (1 << bits) - 1, 1 << bits, most, 1 << room - 1]
    edges += [1 << generator.randrange(room), generator.getrandbits(bits), order >> 1]
    return [edge & most for edge in edges]


class Task(NamedTuple):
    """A scalar for a curve, with the random number that blinds it; None for a plain one."""

    select: int
    k: int
    r: int | None
    base: bool = False


def random_number(form, generator):
    """r: all zero, all one, one bit, or random."""
    count = 32 * -(-form.length // 32)
    most = (1 << count) - 1
    bit = 1 << generator.randrange(max(count, 1))
    return generator.choice([0, most, bit & most, generator.getrandbits(count or 1) & most])


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
    """(in_range, number, cycles) for each task."""
    scalars = [word for task in tasks for word in split_words(task.k, unit.count, 32)]
    randoms = [
        word
        for select, _, r, _ in tasks
        if r is not None
        for word in split_words(r, unit.random_words[select], 32)
    ]
    results = []

    async def main(ctx):
        assert ctx.get(unit.clearing)
        assert await ticks_until(ctx, ~unit.clearing) == unit.depth
        for select, _, r, base in tasks:
            choose(ctx, unit, select)
            if r is None and unit.changes:
                ctx.set(unit.plain, 1)
            if unit.distinguishes:
                ctx.set(unit.base, base)
            await pulse(ctx, unit.start)
            if unit.changes:
                ctx.set(unit.plain, 0)
            if unit.distinguishes:
                ctx.set(unit.base, 0)
            choose(ctx, unit, 0)
            assert ctx.get(unit.busy)
            cycles = 1 + await ticks_until(ctx, unit.done)
            assert not ctx.get(unit.busy)
            served = unit.forms[select].bits if r is None else unit.served[select]
            number = await bits_of(ctx, unit, served, gap)
            results.append((ctx.get(unit.in_range), number, cycles))

    simulate(
        unit, main, sender(unit.scalar, scalars, pace), sender(unit.random, randoms, pace, seed=8)
    )
    return results


def tasks_of(unit, most=None, seed=1):
    generator = random.Random(seed)
    tasks = [
        Task(select, k, random_number(form, generator), generator.random() < 0.5)
        for select, form in enumerate(unit.forms)
        for k in scalars_of(form.multiple, form.bits, 32 * unit.count, generator)
    ]
    generator.shuffle(tasks)
    return tasks[:most]


def expected_number(form, task):
    """k + r F, where r is a multiple of 2^v unless the point is the base point."""
    r = (task.r or 0) & (1 << form.length) - 1
    if not task.base:
        r = r >> form.kept << form.kept
    return task.k + r * form.factor


def check(unit, tasks, results, *, stalled=False):
    for task, (in_range, number, cycles) in zip(tasks, results, strict=True):
        form = unit.forms[task.select]
        assert in_range == (task.k < 1 << form.bits)
        if in_range:
            assert number == expected_number(form, task)
            if task.r is not None:
                assert number == form.number(task.k, task.r, base=task.base)
        least = unit.plain_latency if task.r is None else unit.latencies[task.select]
        assert cycles >= least if stalled else cycles == least


@pytest.mark.parametrize("shape", SHAPES)
def test_bits_range_and_cycles(shape):
    unit = ScalarUnit(*shape)
    tasks = tasks_of(unit, most=9)
    check(unit, tasks, run(unit, tasks))


def test_plain_scalars_among_blinded_ones():
    for shape in (SHAPES[1], SHAPES[-1]):
        unit = ScalarUnit(*shape)
        tasks = [each for task in tasks_of(unit, most=4) for each in (task, task._replace(r=None))]
        check(unit, tasks, run(unit, tasks))


LENGTHENED = [
    ((ScalarForm(96, N96, 63, lengthened=True),), 3),
    ((ScalarForm(96, N96, lengthened=True),), 3),
    (
        (
            ScalarForm(96, N96, 5, lengthened=True),
            ScalarForm(34, 2**33 + 1, 31, lengthened=True),
            ScalarForm(64, 8 * N96, 33),
            ScalarForm(90, N96),
        ),
        3,
    ),
    ((ScalarForm(7, 97, 2, lengthened=True), ScalarForm(3, 5, 64)), 1),
    (
        (
            ScalarForm(32, 2**31 + 1, lengthened=True),
            ScalarForm(32, 2**32 - 1, 20, lengthened=True),
        ),
        1,
    ),
]


@pytest.mark.parametrize("shape", LENGTHENED)
def test_numbers_of_fixed_length(shape):
    """Scalars near 0 and n with numbers r of zeros and ones are those that need a change of r."""
    unit, generator = ScalarUnit(*shape), random.Random(4)
    tasks = []
    for select, form in enumerate(unit.forms):
        order = form.multiple
        most = order if form.lengthened else 1 << form.bits
        edges = [2, 3, 4, 7, most - 3, most - 4, most - 5, most - 8, most // 2]
        scalars = [k for k in edges if 0 <= k < most] + [generator.randrange(most)]
        words = 1 << 32 * unit.random_words[select]
        fixed = [r % words for r in (0, -1, 1, -2, 4, -5)]
        tasks += [
            Task(select, k, generator.choice(fixed) if i % 3 else generator.randrange(words))
            for i, k in enumerate(scalars)
        ]
        tasks.append(Task(select, generator.randrange(most), None))
    results = run(unit, tasks)
    for task, (in_range, number, cycles) in zip(tasks, results, strict=True):
        form = unit.forms[task.select]
        assert in_range
        plain = task.r is None
        assert number == (task.k if plain else form.number(task.k, task.r))
        assert cycles == (unit.plain_latency if plain else unit.latencies[task.select])


@pytest.mark.parametrize("random_bits", [0, 2, 3, 4, 5])
@pytest.mark.parametrize("order", [131, 193, 251, 257])
def test_no_leading_part_makes_the_ladder_on_differences_fail(order, random_bits):
    """All scalars with all r, and what the number is modulo the order."""
    form = ScalarForm(order.bit_length(), order, random_bits, lengthened=True)
    assert order.bit_length() > random_bits + 2
    most = form.bits + form.length
    for k in range(2, order - 2):
        if k == order // 2:
            continue
        for r in range(1 << form.length):
            number = form.number(k, r) | 1 << most
            assert number % order == k
            parts = {(number >> shift) % order for shift in range(most)}
            assert not parts & {0, order - 1}, (k, r)


def test_a_long_scalar():
    order = 2**1024 - 105
    unit = ScalarUnit((ScalarForm(1024, order, 33), ScalarForm(192, N192, 20)), 32)
    tasks = [Task(0, 2**1024 - 1, 2**64 - 1), Task(1, 2**192 - 1, 2**32 - 1), Task(0, order - 1, 3)]
    results = run(unit, tasks)
    check(unit, tasks, results)
    assert [in_range for in_range, *_ in results] == [1, 1, 1]


@pytest.mark.parametrize("pace", [0.2, 0.7])
def test_stalls(pace):
    unit = ScalarUnit((ScalarForm(96, N96, 32), ScalarForm(61, 2**61 - 1, 9)), 3)
    tasks = tasks_of(unit, most=5, seed=3)
    check(unit, tasks, run(unit, tasks, pace, gap=5), stalled=True)


def test_bits_served():
    unit = ScalarUnit((ScalarForm(256, N256, 64), ScalarForm(192, N192, 20)), 8)
    assert unit.served == (320, 212)
    assert unit.latencies == (13 + 64 * 13, 12 + 20 * 12)
    plain = ScalarUnit((ScalarForm(256), ScalarForm(192)), 8)
    assert plain.served == (256, 192)
    for component in (unit, plain):
        Fragment.get(component, None)


@pytest.mark.parametrize("random_bits", [0, 24])
def test_leading_zeros_make_whole_digits(random_bits):
    orders, bits = (N96, 97, N64), (96, 7, 64)
    forms = [
        ScalarForm(*form, digit=digit)
        for *form, digit in zip(bits, orders, [random_bits] * 3, (4, 4, 1), strict=True)
    ]
    unit = ScalarUnit(forms, 3)
    assert unit.served == ((120, 32, 88) if random_bits else (96, 8, 64))
    tasks = [
        Task(select, k, ((1 << random_bits) - 1) >> shift)
        for select, (order, size) in enumerate(zip(orders, bits, strict=True))
        for k, shift in ((0, 0), (order - 1 & (1 << size) - 1, random_bits), ((1 << size) - 1, 0))
    ]
    tasks += [Task(select, (1 << size) - 1, None) for select, size in enumerate(bits)]
    check(unit, tasks, run(unit, tasks))


def test_advance_has_no_effect_at_the_lowest_bit():
    unit, found = ScalarUnit((ScalarForm(2),), 1), []

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


@pytest.mark.parametrize("asked", [0, 1, 5, 40])
def test_a_rewind_begins_again(asked):
    """At any bit, the lowest one too, and with a plain scalar as with a blinded one."""
    form = ScalarForm(33, 2**33 - 9, 32)
    unit = ScalarUnit((form,), 2, rewinds=True)
    k, found = 0x1A5A5_00FF, []

    async def main(ctx):
        await ticks_until(ctx, ~unit.clearing)
        for plain in (1, 0):
            ctx.set(unit.plain, plain)
            await pulse(ctx, unit.start)
            await ticks_until(ctx, unit.done)
            for _ in range(asked):
                await pulse(ctx, unit.advance)
                await ticks(ctx, 2)
            await pulse(ctx, unit.rewind)
            await ticks(ctx, 2)
            found.append(await bits_of(ctx, unit, form.bits if plain else form.served, 3))

    words = split_words(k, 2, 32)
    simulate(unit, main, sender(unit.scalar, words * 2), sender(unit.random, [3] * 2))
    assert found == [k, expected_number(form, Task(0, k, 3 | 3 << 32))]


@pytest.mark.parametrize("after", [0, 3, 8, 9, 10, 11, 50, 150, 399, 405, 440])
def test_clear_wipes_everything(after):
    """Wherever it comes, nothing of scalar or random words is left in the memory."""
    unit = ScalarUnit((ScalarForm(256, N256, 31, lengthened=True),), 8)
    registers = ("left", "right", "before", "carry", "odd", "is_one", "is_highest", "short")
    opened = Opened(unit, registers)

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
    unit = ScalarUnit((ScalarForm(256),), 8)
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


def test_impossible_forms_are_refused():
    def refused(message, *form, **more):
        with pytest.raises(SpecificationError, match=message):
            ScalarForm(*form, **more)

    refused("a scalar of 0 bits", 0)
    refused("-1 random bits are no blinding", 192, N192, -1)
    refused("no multiple to blind scalars by", 192, 0, 64)
    refused("190 bits cannot be lengthened by", 190, N192, lengthened=True)
    refused("an odd order of 4 bits above 8", 4, 10, lengthened=True)
    message = "224 bits of words hold scalars of 1 to 224 bits, not 256"
    assert_refused(lambda: ScalarUnit((ScalarForm(256),), 7), message)
