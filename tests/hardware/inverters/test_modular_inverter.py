"""The inverter against the model of division steps, and against Python's inverses."""

import random

import pytest
from amaranth.hdl import Fragment, ResetInserter, Signal
from tests.hardware.traffic import assert_refused, choose, pulse, simulate, ticks_until

from residua.algorithms.conversion import split_words
from residua.hardware.inverters.division_stepper import DivisionStepper
from residua.hardware.inverters.modular_inverter import NUMBERS, ModularInverter

P256 = 2**256 - 2**224 + 2**192 + 2**96 - 1
SHAPES = [
    # moduli, width, length
    ((3,), 4, None),
    ((101,), 4, None),
    ((65537, 257, 3), 8, None),
    ((2**31 - 1, 2**31 - 19), 9, 5),
    ((2**61 - 1,), 17, None),
    ((2**127 - 1,), 17, None),
    ((2**61 - 1,), 33, None),
    # Words for which the steps and what follows them fill a counter.
    ((8191,), 7, None),
    ((2**61 - 1,), 15, None),
]


def invert(unit, tasks, pace=1.0):
    """(result, cycles after the last word) for each (select, x)."""
    results, chooser = [], random.Random(3)

    async def main(ctx):
        await ticks_until(ctx, ~unit.clearing)
        for select, x in tasks:
            choose(ctx, unit, select)
            await pulse(ctx, unit.start)
            words = split_words(x, unit.length, unit.width)
            for index, word in enumerate(words):
                while chooser.random() > pace:
                    await ctx.tick()
                ctx.set(unit.words.payload, {"word": word, "last": index == unit.length - 1})
                ctx.set(unit.words.valid, 1)
                assert ctx.get(unit.words.ready)
                await ctx.tick()
                ctx.set(unit.words.valid, 0)
            cycles, found, edges = 1, [], aiter(ctx.tick())
            while not ctx.get(unit.done):
                if ctx.get(unit.word_valid):
                    found.append(ctx.get(unit.word))
                await anext(edges)
                cycles += 1
                assert cycles <= unit.latency
            assert len(found) == unit.length
            results.append((sum(w << unit.width * i for i, w in enumerate(found)), cycles))
            await ctx.tick()
            assert not ctx.get(unit.busy)

    simulate(unit, main)
    return results


def tasks_of(unit, count):
    generator, tasks = random.Random(5), []
    for select, inversion in enumerate(unit.inversions):
        modulus = inversion.modulus
        edges = [0, 1, 2, modulus - 1, modulus - 2, modulus // 2, (modulus + 1) // 2]
        edges += [generator.randrange(modulus) for _ in range(count)]
        tasks += [(select, x % modulus) for x in edges]
    generator.shuffle(tasks)
    return tasks


@pytest.mark.parametrize(("moduli", "width", "length"), SHAPES)
def test_inverses(moduli, width, length):
    unit = ModularInverter(moduli, width, length)
    tasks = tasks_of(unit, 2)[: 27 if max(moduli) < 1 << 20 else 6]
    for (select, x), (found, cycles) in zip(tasks, invert(unit, tasks), strict=True):
        assert cycles == unit.latency
        assert found == unit.inversions[select].invert(x)
        assert found * x % moduli[select] == (x != 0)


def test_full_size():
    unit = ModularInverter((P256,), 17)
    assert unit.latency <= 3200
    tasks = [(0, P256 - 1), (0, 0x123456789ABCDEF << 190)]
    for (_, x), (found, cycles) in zip(tasks, invert(unit, tasks), strict=True):
        assert cycles == unit.latency
        assert found == pow(x, -1, P256)


def test_words_that_wait():
    unit = ModularInverter((2**61 - 1,), 17)
    tasks = tasks_of(unit, 2)
    for (_, x), (found, cycles) in zip(tasks, invert(unit, tasks, pace=0.3), strict=True):
        assert cycles == unit.latency
        assert found * x % (2**61 - 1) == (x != 0)


def test_a_reset_leaves_nothing():
    unit = ModularInverter((2**31 - 1,), 9)
    fragment, reset = Fragment.get(unit, None), Signal()
    rows = [
        part._data[row]
        for part, name, _ in fragment.subfragments
        if name in {f"number_{number}" for number in NUMBERS}
        for row in range(part._data.depth)
    ]
    assert len(rows) == len(NUMBERS) * 8

    async def main(ctx):
        await ticks_until(ctx, ~unit.clearing)
        await pulse(ctx, unit.start)
        ctx.set(unit.words.payload, {"word": 0x1AB, "last": 0})
        ctx.set(unit.words.valid, 1)
        for _ in range(3):
            await ctx.tick()
        ctx.set(unit.words.payload, {"word": 0x0AB, "last": 1})
        await ctx.tick()
        ctx.set(unit.words.valid, 0)
        for _ in range(60):
            await ctx.tick()
        assert any(ctx.get(row) for row in rows)
        await pulse(ctx, reset)
        await ticks_until(ctx, ~unit.clearing)
        assert not any(ctx.get(row) for row in rows)

    simulate(ResetInserter(reset)(fragment), main)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (((10,), 8), "odd modulus, not 10"),
        (((101,), 3), "words of at least 4 bits, not 3"),
        (((101,), 4, 1), "1 words of 4 bits cannot hold a modulus of 7 bits"),
    ],
)
def test_refusals(arguments, message):
    assert_refused(lambda: ModularInverter(*arguments), message)


def test_stepper_has_its_latency():
    unit = DivisionStepper(6, 100)

    async def main(ctx):
        ctx.set(unit.f, 0b100101)
        ctx.set(unit.g, 0b011011)
        ctx.set(unit.take_f, 1)
        ctx.set(unit.first, 1)
        await pulse(ctx, unit.take_g)
        ctx.set(unit.take_f, 0)
        seen = []
        for _ in range(unit.latency + 3):
            seen.append(tuple(map(ctx.get, (unit.u, unit.v, unit.q, unit.r))))
            await ctx.tick()
        assert seen[unit.latency - 1] == seen[-1]
        assert seen[unit.latency - 2] != seen[-1]

    simulate(unit, main)
