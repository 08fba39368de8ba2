"""The inverter on residues against its model, and against Python's inverses."""

import random
from itertools import product
from math import gcd

import pytest
from amaranth.hdl import Fragment, ResetInserter, Signal
from tests.hardware.traffic import assert_refused, choose, pulse, simulate, ticks, ticks_until

from residua.algorithms.plus_minus import settled
from residua.errors import SpecificationError
from residua.hardware.inverters.residue_inverter import (
    VECTORS_OUT,
    ResidueInverter,
    channels_of_a_rower,
    default_rowers,
)
from residua.hardware.inverters.residue_inverter_tags import look_ahead
from residua.machines.plus_minus import HatWords
from residua.numbers.bases import Base
from residua.numbers.hats import hat_form
from residua.numbers.moduli import Modulus
from residua.numbers.selection.coprime import MOST_CHANNELS

SHAPES = [
    # moduli, width, rowers
    ((3,), 8, None),
    ((101,), 8, None),
    ((65537, 257, 3), 8, None),
    ((3 * 5 * 7,), 9, 1),
    ((2**31 - 1, 2**31 - 19), 9, None),
    ((2**31 - 1, 2**31 - 19), 9, 2),
    ((2**31 - 1, 2**31 - 19), 9, 4),
    ((2**31 - 1,), 9, 1),
    ((2**61 - 1,), 10, None),
    ((2**61 - 1,), 10, 3),
    ((2**31 - 1,), 33, None),
]


def unit_of(moduli, width, rowers=None, channels=None):
    return ResidueInverter(moduli, hat_form(max(moduli), width, channels).base, rowers)


def words_of(form, numbers, chooser):
    """Words of w + 1 signed bits, of either sign."""
    words = [w for number in numbers for w in form.words(number)]
    pairs = zip(words, [*form.base] * len(numbers), strict=True)
    return [word - chooser.choice((0, m.value)) for word, m in pairs]


def invert(unit, tasks, pace=1.0):
    """(U1, U3) in words for each (select, x, f), with the cycles after the last word given."""
    results, chooser = [], random.Random(3)

    async def main(ctx):
        await ticks_until(ctx, ~unit.busy)
        for select, x, first in tasks:
            choose(ctx, unit, select)
            await pulse(ctx, unit.start)
            form = unit.forms[select]
            for word in words_of(form, (4 * x, 4 * first, form.modulus), chooser):
                while chooser.random() > pace:
                    ctx.set(unit.residue, chooser.randrange(100))
                    await ctx.tick()
                ctx.set(unit.residue, word)
                ctx.set(unit.residue_valid, 1)
                assert ctx.get(unit.busy)
                await ctx.tick()
                ctx.set(unit.residue_valid, 0)
            cycles, found, edges = 0, [], aiter(ctx.tick())
            while ctx.get(unit.busy):
                if ctx.get(unit.word_valid):
                    found.append(ctx.get(unit.word))
                await anext(edges)
                cycles += 1
                assert cycles <= unit.latency
            assert len(found) == VECTORS_OUT * unit.channels
            # U3 leaves first.
            halves = found[unit.channels :], found[: unit.channels]
            results.append((*map(tuple, halves), cycles))

    simulate(unit, main)
    return results


def tasks_of(unit, count):
    generator, tasks = random.Random(5), []
    for select, form in enumerate(unit.forms):
        p = form.modulus
        edges = [0, p, -p, 1, -1, p - 1, 2, p - 2, p // 2, (p + 1) // 2]
        edges.append(1 << generator.randrange(p.bit_length()))
        edges += [generator.randrange(-p, p) for _ in range(count)]
        edges = [x for x in edges if abs(x) <= p]
        tasks += [(select, x, generator.randrange(p) - p // 2) for x in edges]
    generator.shuffle(tasks)
    return tasks


def check(unit, tasks, pace=1.0):
    for (select, x, first), (u1, u3, cycles) in zip(tasks, invert(unit, tasks, pace), strict=True):
        assert cycles == unit.latency
        form = unit.forms[select]
        model, p = HatWords(form, 0), form.modulus
        expected = settled(model, model.constant(x), model.constant(first), unit.steps)
        assert [form.number(u1), form.number(u3)] == [form.number(each) for each in expected]
        assert form.number(u1) * form.number(u3) * x % p == (first % p if x % p else 0)
        if x % p == 0:
            assert form.number(u1) * form.number(u3) % p == 0


@pytest.mark.parametrize(("moduli", "width", "rowers"), SHAPES)
def test_inverses(moduli, width, rowers):
    unit = unit_of(moduli, width, rowers)
    tasks = tasks_of(unit, 2)
    if moduli == (105,):
        tasks = [task for task in tasks if gcd(task[1], 105) in {1, 105}]
    # An inversion modulo a long number takes many cycles.
    check(unit, tasks[: 14 if max(moduli) < 1 << 20 else 6])


def test_every_tag_is_there_when_it_is_followed():
    """The stages of a step work between the two tags that the first of them must not mix up."""
    for share, rowers in product(range(1, 129), repeat=2):
        if share * rowers < 2 * MOST_CHANNELS:
            told, ahead, period, follows = look_ahead(share, rowers)
            oldest = follows - (ahead - 1)
            assert oldest >= 1
            assert told - ahead * period <= oldest < told - (ahead - 1) * period
            assert 2 <= follows < period
            # The choice of a cycle ago is that of the stage's own step.
            assert ahead == 1 or oldest == 1


def test_two_steps_ahead_with_a_vacant_place():
    unit = unit_of((65537,), 11, 9, channels=17)
    assert (unit.share, unit.ahead, unit.period) == (2, 2, 4)
    check(unit, tasks_of(unit, 1)[:4])


@pytest.mark.parametrize(
    ("rowers", "ahead", "period", "latency"), [(None, 1, 4, 1726), (16, 2, 3, 1304)]
)
def test_latency_of_full_size(rowers, ahead, period, latency):
    unit = unit_of((2**256 - 2**224 + 2**192 + 2**96 - 1,), 17, rowers)
    Fragment.get(unit, None)
    assert (unit.ahead, unit.period, unit.latency) == (ahead, period, latency)


@pytest.mark.parametrize("rowers", [1, 2])
def test_words_that_wait(rowers):
    unit = unit_of((2**31 - 1,), 17, rowers)
    assert unit.share == 2 // rowers
    check(unit, tasks_of(unit, 1)[:4], pace=0.3)


def memories_of(fragment):
    """The memories of words of all rowers."""
    found = []
    for part, name, _ in fragment.subfragments:
        if name.startswith("rower"):
            found += [inner for inner, each, _ in part.subfragments if each.endswith("_words")]
    return [inner._data for inner in found]


@pytest.mark.parametrize("rowers", [2, 4])
def test_an_end_leaves_nothing(rowers):
    unit = unit_of((2**31 - 1,), 9, rowers)
    fragment = Fragment.get(unit, None)
    memories = memories_of(fragment)
    assert len(memories) == 2 * unit.rowers

    async def main(ctx):
        def words():
            return [ctx.get(memory[i]) for memory in memories for i in range(memory.depth)]

        await begin(ctx, unit)
        for _ in range(unit.latency - 2):
            await ctx.tick()
        assert any(words())
        for _ in range(2):
            assert ctx.get(unit.busy)
            await ctx.tick()
        assert not ctx.get(unit.busy)
        assert not any(words())

    simulate(fragment, main)


@pytest.mark.parametrize("rowers", [None, 1, 4])
@pytest.mark.parametrize("share", [0.02, 0.5, 0.98])
def test_a_reset_leaves_nothing(rowers, share):
    """At the beginning, in the middle and near the end of an inversion."""
    unit = unit_of((2**31 - 1,), 9, rowers)
    fragment, reset = Fragment.get(unit, None), Signal()
    memories = memories_of(fragment)

    async def main(ctx):
        await begin(ctx, unit)
        await ticks(ctx, int(share * unit.latency))
        held = [memory[i] for memory in memories for i in range(memory.depth)]
        assert any(ctx.get(word) for word in held)
        await pulse(ctx, reset)
        assert ctx.get(unit.busy)
        await ticks_until(ctx, ~unit.busy)
        assert not any(ctx.get(word) for word in held)

    simulate(ResetInserter(reset)(fragment), main)


async def begin(ctx, unit):
    """Start an inversion when the unit has forgotten what was before, and give it its words."""
    await ticks_until(ctx, ~unit.busy)
    await pulse(ctx, unit.start)
    ctx.set(unit.residue_valid, 1)
    for word in words_of(unit.forms[0], (4 * 5, 4 * 7, 2**31 - 1), random.Random(1)):
        ctx.set(unit.residue, word)
        await ctx.tick()
    ctx.set(unit.residue_valid, 0)


def test_shares():
    assert [default_rowers(n) for n in (1, 2, 7, 12)] == [1, 1, 4, 6]
    assert [channels_of_a_rower(12, each) for each in (1, 3, 4, 6, 12)] == [12, 4, 3, 2, 1]
    assert [channels_of_a_rower(7, each) for each in (1, 2, 3, 4, 7)] == [7, 4, 3, 2, 1]
    for rowers in (0, 5, 7, 13):
        with pytest.raises(SpecificationError, match=r"possible: 1, 2, 3, 4, 6, 12$"):
            channels_of_a_rower(12, rowers)


@pytest.mark.parametrize(
    ("moduli", "base", "message"),
    [
        ((10,), (251, 241), "odd modulus above 2, not 10"),
        ((101,), (256, 251), r"odd moduli below 2\^8 in base b, not 256"),
        ((101,), (257, 251), r"odd moduli below 2\^8 in base b, not 257"),
        ((2**16 + 1,), (251, 241), "cannot tell numbers of up to 17 bits"),
    ],
)
def test_refusals(moduli, base, message):
    channels = Base(tuple(Modulus.of_value(value, 8) for value in base))
    assert_refused(lambda: ResidueInverter(moduli, channels), message)
