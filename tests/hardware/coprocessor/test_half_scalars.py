"""Half scalars against plain integers: digits of both halves, ranges, cycles, stalls."""

import random
from typing import NamedTuple

import pytest
from amaranth.hdl import ResetInserter, Signal
from tests.hardware.traffic import choose, pulse, sender, simulate, ticks, ticks_until
from tests.small_curves import NEARLY_THREE_WORDS, THREE_WORDS, WITHOUT_A

from residua.algorithms.conversion import split_words
from residua.curves.blinding import needed_bits
from residua.curves.catalogue import find_curve
from residua.curves.endomorphism.joint import HALVES, entry, half_bits
from residua.curves.endomorphism.lattice import endomorphism
from residua.curves.endomorphism.split import Split, masked_bits
from residua.curves.fixed_window import WINDOW, digit_flags, digits
from residua.curves.formulas import Formula, scalar_bits
from residua.curves.parameters import curve_from_parameters
from residua.hardware.coprocessor.scalars import split_program
from residua.hardware.coprocessor.scalars.digit_recoder import DIGIT_LATENCY, DIGITS_AHEAD, FLAGS
from residua.hardware.coprocessor.scalars.half_scalars import HalfScalars
from residua.hardware.coprocessor.scalars.split_program import split_shift
from residua.hardware.coprocessor.scalars.unit import BIT_LATENCY
from residua.hardware.unbuilt import unbuilt

SMALL = curve_from_parameters(WITHOUT_A)
LARGE = curve_from_parameters(THREE_WORDS)
MIDDLE = curve_from_parameters(NEARLY_THREE_WORDS)


def splits_of(curves, words, random_bits=None):
    """The halves for each curve, None for none; as many random bits as it needs by default."""
    given = []
    for curve in filter(None, curves):
        bits = scalar_bits(curve, Formula.ENDOMORPHISM)
        needed = needed_bits(curve, Formula.ENDOMORPHISM)
        count = needed if random_bits is None else random_bits
        given.append((curve, bits, count, needed_bits(curve) if count else 0))
    shift = split_shift(max(masked_bits(bits, c.order, whole) for c, bits, _, whole in given))
    odd = not any(count for _, _, count, _ in given)
    splits = {
        c: Split(endomorphism(c), bits, count, shift, whole, odd) for c, bits, count, whole in given
    }
    assert all(32 * words >= split.bits for split in splits.values())
    return tuple(map(splits.get, curves))


def unit_of(curves, words, random_bits=None, below=None):
    """The unit, with halves of sums that are not blinded."""
    splits = splits_of(curves, words, random_bits), splits_of(curves, words, 0)
    return HalfScalars(*splits, words, below)


SHAPES = [
    ((SMALL,), 1, 0),
    ((SMALL,), 1, None),
    ((LARGE,), 3, 0),
    ((LARGE,), 3, None),
    ((MIDDLE, None, LARGE), 3, None),
    ((SMALL,), 2, 33),
]
"""Curves, words of a scalar, random bits."""


class Task(NamedTuple):
    """A scalar, which may be too long, with the random numbers that blind it."""

    select: int
    k: int
    random: tuple[int, int, int]


def random_counts(unit):
    """Words of 32 bits of each random number."""
    counts = [words // 2 for words in (unit.program.random,) * 2 + (unit.program.whole,)]
    assert sum(counts) == unit.random_words
    return counts


def tasks_of(unit, count=4, seed=1):
    draw = random.Random(seed)
    most = [(1 << 32 * count) - 1 for count in random_counts(unit)]
    tasks = []
    for select, split in enumerate(unit.splits):
        if split is None:
            continue
        order, root = split.endomorphism.order, split.endomorphism.eigenvalue
        edges = [0, 1, order - 1, order, root, order - root, (1 << split.bits) - 1]
        scalars = [*edges, *(draw.getrandbits(split.bits) for _ in range(count))]
        if split.bits < 32 * unit.words:
            scalars += [1 << split.bits, (1 << 32 * unit.words) - 1]
        for k in scalars:
            extreme = tuple(draw.choice((0, 1 & each, each)) for each in most)
            fresh = tuple(draw.randint(0, each) for each in most)
            tasks.append(Task(select, k, draw.choice((extreme, fresh))))
    draw.shuffle(tasks)
    return tasks


def number_of(ctx, flags):
    """The digit that flags tell."""
    value = ctx.get(flags)
    named = {flag.name: bool(value >> index & 1) for index, flag in enumerate(FLAGS)}
    sizes = [size for size in range(1, 9) if named[f"digit_{size}"]]
    assert len(sizes) <= 1
    digit = (sizes[0] if sizes else 0) * (1 if named["digit_positive"] else -1)
    wanted = digit_flags(digit)
    if digit == 0:
        wanted["digit_positive"] = named["digit_positive"]
    assert named == wanted
    return digit


def run(unit, tasks, pace=1.0):
    """(in_range, digits of k1, digits of k2, cycles) for each task."""
    scalars = [word for task in tasks for word in split_words(task.k, unit.words, 32)]
    randoms = [
        word
        for task in tasks
        for r, count in zip(task.random, random_counts(unit), strict=True)
        if count
        for word in split_words(r, count, 32)
    ]
    results = []

    async def main(ctx):
        assert ctx.get(unit.clearing)
        assert await ticks_until(ctx, ~unit.clearing) == unit.depth
        for select, _, _ in tasks:
            choose(ctx, unit, select)
            await pulse(ctx, unit.start)
            choose(ctx, unit, 0)
            assert ctx.get(unit.busy)
            cycles = 1 + await ticks_until(ctx, unit.done)
            await ticks(ctx, BIT_LATENCY + 3)
            first, second = [number_of(ctx, unit.first)], [number_of(ctx, unit.second)]
            for _ in range(unit.splits[select].rounds):
                await pulse(ctx, unit.take)
                await ticks(ctx, DIGIT_LATENCY - 1)
                first.append(number_of(ctx, unit.first))
                second.append(number_of(ctx, unit.second))
            if unit.checked:
                assert not ctx.get(unit.agrees)
                await pulse(ctx, unit.take)
                await ticks(ctx, DIGIT_LATENCY)
                assert ctx.get(unit.agrees)
            results.append((ctx.get(unit.in_range), first, second, cycles))

    simulate(
        unit, main, sender(unit.scalar, scalars, pace), sender(unit.random, randoms, pace, seed=8)
    )
    return results


def check(unit, tasks, results, *, stalled=False):
    for task, (in_range, first, second, cycles) in zip(tasks, results, strict=True):
        split = unit.splits[task.select]
        assert in_range == (task.k < 1 << split.bits)
        assert cycles >= unit.latency if stalled else cycles == unit.latency
        if in_range:
            halves = split.halves(task.k, task.random)
            assert [first, second] == [digits(half, split.served) for half in halves]
            assert second[0] == first[0] == 0


def assert_all_selected(curves, tasks):
    """Few are enough where numbers are long, but of every curve."""
    assert {task.select for task in tasks} == {i for i, curve in enumerate(curves) if curve}


@pytest.mark.parametrize(("curves", "words", "random_bits"), SHAPES)
def test_digits_range_and_cycles(curves, words, random_bits):
    unit = unit_of(curves, words, random_bits)
    tasks = tasks_of(unit)[: 8 if words == 3 else 9]
    assert_all_selected(curves, tasks)
    check(unit, tasks, run(unit, tasks))


def test_a_long_scalar():
    unit = unit_of((find_curve("secp256k1"),), 8)
    tasks = tasks_of(unit)[:1]
    check(unit, tasks, run(unit, tasks))


@pytest.mark.parametrize(("curves", "words", "random_bits"), SHAPES)
def test_served_bits_are_those_that_were_there(curves, words, random_bits):
    """Once a loop has asked for as many as it does; a digit less is found."""
    unit = unit_of(curves, words, random_bits, DIGITS_AHEAD * WINDOW + 1)
    unchecked = unbuilt(unit_of(curves, words, random_bits))
    assert unit.latency == unchecked.latency + unit.review
    tasks = tasks_of(unit)[2:6]
    assert_all_selected(curves, tasks)
    check(unit, tasks, run(unit, tasks))


def test_quotients_that_have_not_settled_are_seen(monkeypatch):
    """Without steps in between, the last word of a quotient is read before it is there."""
    monkeypatch.setattr(split_program, "SETTLING", 0)
    unit = unit_of((SMALL,), 1, 0)
    tasks = tasks_of(unit)
    with pytest.raises(AssertionError):
        check(unit, tasks, run(unit, tasks))


def test_stalls():
    unit = unit_of((SMALL,), 1)
    tasks = tasks_of(unit, seed=3)
    check(unit, tasks, run(unit, tasks, 0.3), stalled=True)


class Sum(NamedTuple):
    """Two scalars, which may be too long."""

    select: int
    k: int
    other: int


def sums_of(unit, count=6, seed=1):
    draw, sums = random.Random(seed), []
    for select, split in enumerate(unit.plain_splits):
        if split is None:
            continue
        most, order = (1 << split.bits) - 1, split.endomorphism.order
        edges = [0, 1, 2, order - 1, order, most, *split.edges]
        edges += [draw.getrandbits(split.bits) for _ in range(6)]
        if split.bits < 32 * unit.words:
            edges += [most + 1, (1 << 32 * unit.words) - 1]
        sums += [Sum(select, draw.choice(edges), draw.choice(edges)) for _ in range(count)]
    draw.shuffle(sums)
    return sums


def bits_of_sums(unit, sums, pace=1.0):
    """For each sum the range and the cycles of both scalars, and the bits and flags of halves."""
    scalars = [w for own in sums for k in own[1:] for w in split_words(k, unit.words, 32)]
    results = []

    async def main(ctx):
        await ticks_until(ctx, ~unit.clearing)
        for select, _, _ in sums:
            found = []
            for later in (0, 1):
                choose(ctx, unit, select)
                ctx.set(unit.plain, 1)
                ctx.set(unit.later, later)
                await pulse(ctx, unit.start)
                ctx.set(unit.plain, 0)
                ctx.set(unit.later, 0)
                choose(ctx, unit, 0)
                cycles = 1 + await ticks_until(ctx, unit.done)
                found.append((ctx.get(unit.in_range), cycles))
            await ticks(ctx, BIT_LATENCY)
            bits, flags = [], []
            count = half_bits(unit.plain_splits[select])
            # Once with the requests of a loop, once with those of windows.
            for ask in (unit.take, unit.advance):
                for _ in range(count):
                    bits.append(ctx.get(unit.bits))
                    await ticks(ctx, 1)
                    flags.append(number_of(ctx, unit.first))
                    await pulse(ctx, ask)
                    await ticks(ctx, BIT_LATENCY - 1)
                assert ctx.get(unit.bits) == bits[-1]
                await pulse(ctx, unit.rewind)
                await ticks(ctx, BIT_LATENCY - 1)
            results.append((found, bits, flags))

    simulate(unit, main, sender(unit.scalar, scalars, pace))
    return results


@pytest.mark.parametrize(
    ("curves", "words", "random_bits", "pace"),
    [*((*shape, 1.0) for shape in SHAPES), *((*shape, 0.3) for shape in (SHAPES[1], SHAPES[5]))],
)
def test_the_halves_of_sums(curves, words, random_bits, pace):
    """They are odd; whether scalars of one multiplication are blinded makes no difference."""
    unit = unit_of(curves, words, random_bits)
    sums, in_range_all = sums_of(unit, 2 if words == 3 else 6), 0
    assert_all_selected(curves, sums)
    for own, (found, bits, flags) in zip(sums, bits_of_sums(unit, sums, pace), strict=True):
        split = unit.plain_splits[own.select]
        for k, (in_range, cycles) in zip(own[1:], found, strict=True):
            assert in_range == (k < 1 << split.bits)
            assert cycles == unit.plain_latency if pace == 1 else cycles >= unit.plain_latency
        if all(in_range for in_range, _ in found):
            in_range_all += 1
            halves = [*split.halves(own.k), *split.halves(own.other)]
            assert all(half & 1 for half in halves)
            places = range(half_bits(split) - 1, -1, -1)
            expected = [[half >> place & 1 for half in halves] for place in places]
            numbers = [sum(b << i for i, b in enumerate(each)) for each in expected]
            assert bits == [*numbers, *numbers]
            assert flags == [*map(entry, expected)] * 2
    assert in_range_all > 1


def test_halves_that_are_not_made_odd_are_seen(monkeypatch):
    """With the lowest bits of the quotients as they come, the bits are those of other halves."""
    monkeypatch.setattr(HalfScalars, "_parity", lambda self, bit: bit)
    unit = unit_of((SMALL,), 1)
    sums = sums_of(unit)
    found = [bits[half_bits(unit.plain_splits[0]) - 1] for _, bits, _ in bits_of_sums(unit, sums)]
    assert set(found) != {(1 << HALVES) - 1}


def test_one_program_for_scalars_that_are_not_blinded():
    plain, blinded = (unit_of((SMALL,), 1, random_bits) for random_bits in (0, None))
    assert plain.latency == plain.plain_latency < blinded.latency
    assert len(plain.programs) == 1
    assert len(blinded.programs) == 2
    assert blinded.plain_latency == plain.latency
    for unit in map(unbuilt, (plain, blinded)):
        assert unit.random_words == sum(random_counts(unit))


def test_a_reset_wipes_the_words():
    """Wherever it comes, only the constant one is left."""
    unit, reset = unit_of((SMALL,), 1), Signal()
    wrapped = ResetInserter(reset)(unit)

    async def main(ctx):
        for instant in (3, 12, unit.latency - 8, unit.latency + 5):
            await ticks_until(ctx, ~unit.busy)
            await pulse(ctx, unit.start)
            await ticks(ctx, instant)
            await pulse(ctx, reset)
            assert ctx.get(unit.clearing)
            assert not ctx.get(unit.in_range)
            assert await ticks_until(ctx, ~unit.clearing) == unit.depth
            await ticks(ctx, 3)
            assert (ctx.get(unit.first), ctx.get(unit.second)) == (zero := 1 << 8 | 1 << 9, zero)

    words = [(1 << 32) - 1] * 40
    simulate(
        wrapped,
        main,
        sender(unit.scalar, [0x1FFFF] * 8),
        sender(unit.random, words),
    )


def test_every_part_of_a_digit_is_seen():
    """The halves are as long as they are said to be: whole digits with a highest bit of 0."""
    for curves, words, random_bits in SHAPES:
        for split in splits_of(curves, words, random_bits):
            if split:
                assert split.served % WINDOW == 0
                assert max(split.largest) < 1 << (split.served - 1)
