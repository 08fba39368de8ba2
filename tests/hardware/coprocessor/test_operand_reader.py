"""The operand reader against plain integers."""

import random

import pytest
from tests.hardware.traffic import (
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
from residua.hardware.coprocessor.operand_reader import OperandReader

P256 = 2**256 - 2**224 + 2**192 + 2**96 - 1
P192 = 2**192 - 2**64 - 1
P255 = 2**255 - 19
N256 = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551

SHAPES = [
    # moduli, words of 32 bits, width, words of that width
    ((P256, P192, N256), 8, 17, None),
    ((P256, P192), 8, 33, None),
    ((P192, P255), 8, 24, 11),
    ((P255,), 8, 17, 15),
    ((P192, P256), 9, 32, 8),
    ((P192, 97), 6, 17, 14),
    ((97, 3), 2, 7, 1),
    ((1 << 64,), 3, 64, 2),
]


def numbers_of(modulus, bits, length_bits, generator):
    """Edges around the modulus, powers of two and the ends of words, then random numbers."""
    most = (1 << bits) - 1
    edges = [0, 1, modulus - 1, modulus, modulus + 1, 2 * modulus, most, most ^ 1]
    for size in (17, 32, 33, 64, modulus.bit_length() - 1, modulus.bit_length(), length_bits):
        edges += [(1 << size) - 1, 1 << size]
    # One word differs from the modulus, in either direction.
    edges += [modulus ^ 1 << generator.randrange(bits) for _ in range(6)]
    edges += [generator.randrange(modulus), generator.getrandbits(bits)]
    return [edge & most for edge in edges]


def read(reader, tasks, pace=(1.0, 1.0)):
    """What comes out for each (select, number): number, in_range, cycles from start to done."""
    words = [word for _, number in tasks for word in split_words(number, reader.count, 32)]
    found, results = [], []

    async def main(ctx):
        for select, _ in tasks:
            choose(ctx, reader, select)
            await pulse(ctx, reader.start)
            choose(ctx, reader, 0)
            cycles = 1 + await ticks_until(ctx, reader.done)
            assert not ctx.get(reader.busy)
            await ticks(ctx, 0)
            assert len(found) == reader.length
            number = sum(word << reader.width * i for i, word in enumerate(found))
            found.clear()
            results.append((number, ctx.get(reader.in_range), cycles))

    simulate(
        reader,
        main,
        sender(reader.words, words, pace[0]),
        receiver(reader.operand, found, pace[1]),
    )
    return results


def tasks_of(reader, seed=1):
    generator = random.Random(seed)
    tasks = [
        (select, number)
        for select, modulus in enumerate(reader.moduli)
        for number in numbers_of(
            modulus, 32 * reader.count, reader.width * reader.length, generator
        )
    ]
    generator.shuffle(tasks)
    return tasks


@pytest.mark.parametrize("shape", SHAPES)
def test_words_range_and_cycles(shape):
    moduli, count, width, length = shape
    reader = OperandReader(moduli, count, width, length)
    tasks = tasks_of(reader)
    mask = (1 << width * reader.length) - 1
    for (select, number), (found, in_range, cycles) in zip(tasks, read(reader, tasks), strict=True):
        assert found == number & mask
        assert in_range == (number < moduli[select])
        assert cycles == reader.latency


@pytest.mark.parametrize("pace", [(0.3, 1.0), (1.0, 0.3), (0.6, 0.4)])
def test_stalls(pace):
    reader = OperandReader((P192, P256), 8, 17)
    tasks = tasks_of(reader, seed=4)[:25]
    results = [(found, in_range) for found, in_range, _ in read(reader, tasks, pace)]
    assert results == [(number, number < reader.moduli[select]) for select, number in tasks]


def test_nothing_is_taken_before_start():
    reader = OperandReader((P192,), 6, 17)

    async def main(ctx):
        ctx.set(reader.words.valid, 1)
        for _ in range(5):
            await ctx.tick()
            assert not ctx.get(reader.words.ready)
        await pulse(ctx, reader.start)
        assert ctx.get(reader.words.ready)

    simulate(reader, main)


@pytest.mark.parametrize("after", [0, 1, 5, 12, 20])
def test_clear_abandons_a_number(after):
    reader, found = OperandReader((P192,), 6, 17), []

    async def main(ctx):
        ctx.set(reader.words.valid, 1)
        ctx.set(reader.operand.ready, 1)
        ctx.set(reader.words.payload, 0xFFFFFFFF)
        await pulse(ctx, reader.start)
        await ticks(ctx, after)
        await pulse(ctx, reader.clear)
        assert not ctx.get(reader.busy)
        assert not ctx.get(reader.in_range)
        assert not ctx.get(reader.operand.valid)
        ctx.set(reader.words.payload, 0)
        await pulse(ctx, reader.start)
        for _ in range(reader.latency - 1):
            _, _, valid, word = await ctx.tick().sample(
                reader.operand.valid, reader.operand.payload
            )
            if valid:
                found.append(word)
        assert ctx.get(reader.done)
        assert ctx.get(reader.in_range)

    simulate(reader, main)
    assert found == [0] * reader.length


def test_words_that_cannot_hold_a_modulus_are_refused():
    assert_refused(lambda: OperandReader((P256,), 7, 17), "7 words of 32 bits cannot hold")
    assert_refused(lambda: OperandReader((P256,), 8, 17, 15), "15 words of 17 bits cannot hold")
