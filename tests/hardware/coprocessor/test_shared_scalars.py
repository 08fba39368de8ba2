"""The scalar unit with scalars in two shares, against its model and plain integers."""

import random
from itertools import product

import pytest
from tests.hardware.coprocessor.test_scalar_unit import N192, N256, bits_of
from tests.hardware.traffic import assert_refused, choose, pulse, sender, simulate, ticks_until

from residua.algorithms.conversion import split_words
from residua.hardware.coprocessor.scalars.unit import ScalarUnit
from residua.machines.blinded_scalar import ScalarForm

LITTLE = 65563


def shared(bits, order, random_bits, digit=1):
    return ScalarForm(bits, order, random_bits, digit=digit, shared=True)


SHAPES = {
    "one word": ((shared(17, LITTLE, 75),), 1),
    "no shift": ((shared(17, LITTLE, 64),), 1),
    "digits": ((shared(61, 2**61 - 1, 9, 4),), 2),
    "full words": ((shared(64, 2**64 - 59, 33),), 2),
    "two curves": ((shared(192, N192, 32), shared(61, 2**61 - 1, 9)), 6),
    "P-256": ((shared(256, N256, 129),), 8),
}
"""Forms, and words of a share."""


def pairs_of(form, count, generator):
    """Shares that are 0, that carry through all words, too long ones, and random ones."""
    n, largest = form.multiple, (1 << form.bits) - 1
    k = generator.randrange(n)
    pairs = [(0, 0), (0, k), (k, 0), (1, n - 1), (n - 1, n - 1), (largest, largest), (largest, 1)]
    if form.bits < 32 * count:
        pairs += [(largest + 1, 1), (1, largest + 1), (k, (1 << 32 * count) - 1)]
    return [*pairs, *((generator.randrange(n), generator.randrange(n)) for _ in range(2))]


def run(unit, tasks, pace=1.0, plain=False):
    """(in_range, number, cycles) of each (select, shares, r); of a plain scalar after each, too."""
    kinds = [False, True] if plain else [False]
    scalars, randoms, results = [], [], []
    for select, shares, r in tasks:
        for is_plain in kinds:
            for share in shares[:1] if is_plain else shares:
                scalars += split_words(share, unit.count, 32)
        randoms += split_words(r, unit.random_words[select], 32)

    async def main(ctx):
        await ticks_until(ctx, ~unit.clearing)
        for (select, _, _), is_plain in product(tasks, kinds):
            choose(ctx, unit, select)
            ctx.set(unit.plain, is_plain)
            await pulse(ctx, unit.start)
            ctx.set(unit.plain, 0)
            choose(ctx, unit, 0)
            cycles = 1 + await ticks_until(ctx, unit.done)
            served = unit.forms[select].bits if is_plain else unit.served[select]
            number = await bits_of(ctx, unit, served, 3)
            results.append((ctx.get(unit.in_range), number, cycles))

    simulate(
        unit, main, sender(unit.scalar, scalars, pace), sender(unit.random, randoms, pace, seed=8)
    )
    return results


def tasks_of(unit, generator, most):
    tasks = [
        (select, pair, generator.choice([0, -1, generator.getrandbits(999)]) % (1 << 32 * words))
        for select, (form, words) in enumerate(zip(unit.forms, unit.random_words, strict=True))
        for pair in pairs_of(form, unit.count, generator)
    ]
    generator.shuffle(tasks)
    return tasks[:most]


def check(unit, tasks, results, *, stalled=False):
    for (select, shares, drawn), (in_range, number, cycles) in zip(tasks, results, strict=True):
        form = unit.forms[select]
        assert in_range == all(share < 1 << form.bits for share in shares)
        r = drawn % (1 << form.length)
        if in_range:
            assert number == sum(shares) + r * form.factor
            assert number == form.number(shares[0], r, share=shares[1])
        least = unit.latencies[select]
        assert cycles >= least if stalled else cycles == least


@pytest.mark.parametrize("name", SHAPES)
def test_bits_range_and_cycles(name):
    unit, generator = ScalarUnit(*SHAPES[name]), random.Random(name)
    tasks = tasks_of(unit, generator, 4 if name == "P-256" else 12)
    check(unit, tasks, run(unit, tasks))


@pytest.mark.parametrize("pace", [0.2, 0.7])
def test_stalls(pace):
    unit = ScalarUnit(*SHAPES["two curves"])
    tasks = tasks_of(unit, random.Random(pace), 5)
    check(unit, tasks, run(unit, tasks, pace), stalled=True)


def test_a_plain_scalar_is_one_number():
    unit = ScalarUnit(*SHAPES["two curves"])
    tasks = tasks_of(unit, random.Random(3), 4)
    results = run(unit, tasks, plain=True)
    check(unit, tasks, results[::2])
    for (select, shares, _), (in_range, number, cycles) in zip(tasks, results[1::2], strict=True):
        assert in_range == (shares[0] < 1 << unit.forms[select].bits)
        assert not in_range or number == shares[0]
        assert cycles == unit.plain_latency


def test_all_bits_are_seen_before_they_are_served():
    unit = ScalarUnit(*SHAPES["digits"], checked=(0,))
    tasks = tasks_of(unit, random.Random(4), 4)
    check(unit, tasks, run(unit, tasks))


def test_a_second_share_takes_a_pass():
    """A cycle for each word of r and z, and two."""
    form = shared(256, N256, 129)
    unit = ScalarUnit((form,), 8)
    whole = ScalarUnit((ScalarForm(256, N256, 129),), 8)
    for component in (unit, whole):
        component.elaborate(None)
    assert unit.served == whole.served == (385,)
    assert unit.latencies[0] - whole.latencies[0] == 8 + 5 + 2


def test_registers_hold_nothing_of_both_shares_alone():
    """What any register or word holds while k stays the same does not follow k0 and k1 = k - k0.

    Without random bits the sum would be k: with r = 0, which has that chance of 2^-64, it is.
    """
    form = shared(61, 2**61 - 1, 64)
    n, generator = form.multiple, random.Random(5)
    k = generator.randrange(n)
    seen = []
    for r in (0, generator.getrandbits(64)):
        unit, first = ScalarUnit((form,), 2), generator.randrange(n)
        words = []
        shares = (first, (k - first) % n)

        async def main(ctx, unit=unit, words=words):
            await ticks_until(ctx, ~unit.clearing)
            await pulse(ctx, unit.start)
            while not ctx.get(unit.done):
                words.append(ctx.get(unit._write.data))
                await ctx.tick()

        sent = [word for share in shares for word in split_words(share, 2, 32)]
        simulate(unit, main, sender(unit.scalar, sent), sender(unit.random, split_words(r, 2, 32)))
        bare = {k & 0xFFFFFFFF, (k + n) & 0xFFFFFFFF}
        seen.append(bool(bare & set(words)))
    assert seen == [True, False]


@pytest.mark.parametrize("form", [(17, LITTLE, 0), (17, LITTLE, 64, True)])
def test_without_what_hides_the_sum_shares_are_refused(form):
    assert_refused(lambda: ScalarForm(*form, shared=True), "two shares are added to what random")


def test_a_unit_has_shares_or_fixed_lengths():
    forms = (shared(17, LITTLE, 64), ScalarForm(17, LITTLE, 64, lengthened=True))
    assert_refused(lambda: ScalarUnit(forms, 1), "not for a unit that takes shares")
