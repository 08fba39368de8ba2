"""Multiples of p - 1 that are added to exponents, factors of messages, and roots with them."""

import random
from typing import Any, ClassVar

import pytest
from amaranth.sim import Simulator
from tests.hardware.exponentiation.open_guard import open_guards
from tests.hardware.exponentiation.rsa_bench import SMALL, Bench, key_of, of_depth, recorded, rsa

from residua.algorithms.conversion import split_words
from residua.hardware.exponentiation.exponent_blinding import BlindingShape, ExponentBlinding
from residua.hardware.exponentiation.exponentiator import ExponentDigits
from residua.hardware.exponentiation.rsa_engine_design import RsaEngineDesign
from residua.hardware.exponentiation.rsa_engine_model import Drawn, private_operation
from residua.hardware.exponentiation.rsa_sequence import Source, Target
from residua.numbers.digits import join_digits

BLINDED = {"blinding": 5}
"""A few bits, which are no multiple of a word's."""


async def blinded(ctx, dut, prime, exponent, random_words, negative=0):
    """One exponent, with secrets of no meaning above p and d."""
    shape = dut.shape
    ctx.set(dut.negative, negative)

    async def over(strobe, number):
        words = [*split_words(number, shape.half_words, shape.width)]
        words += [(1 << shape.width) - 1] * (shape.words - shape.half_words)
        found = []
        ctx.set(strobe, 1)
        for index, word in enumerate(words):
            ctx.set(dut.index, index)
            ctx.set(dut.secret, word)
            found.append(ctx.get(dut.blinded))
            await ctx.tick()
        ctx.set(strobe, 0)
        return join_digits(found, shape.width)

    for word in random_words:
        ctx.set(dut.random, word)
        ctx.set(dut.take, 1)
        await ctx.tick()
        ctx.set(dut.take, 0)
    for _ in range(shape.random_bits):
        await over(dut.adds, prime)
    return await over(dut.gives, exponent)


@pytest.mark.parametrize(
    ("width", "prime_bits", "random_bits"), [(5, 8, 1), (5, 10, 5), (8, 17, 12), (17, 40, 34)]
)
def test_the_unit(width, prime_bits, random_bits):
    """One exponent after the other, extreme ones among them."""
    words = -(-(prime_bits + random_bits) // width)
    shape = BlindingShape(width, -(-prime_bits // width), words, random_bits)
    dut, draw, most = ExponentBlinding(shape), random.Random(width), (1 << prime_bits) - 1
    ones = [(1 << width) - 1] * shape.random_words
    cases = [(most, most - 1, ones), (3, 0, ones), (most, 5, [0] * len(ones))]
    for _ in range(5):
        numbers = draw.randrange(most) | 1, draw.randrange(most)
        cases.append((*numbers, [draw.getrandbits(width) for _ in ones]))

    async def bench(ctx):
        for prime, exponent, given in cases:
            k = shape.multiple(given)
            assert k < 1 << random_bits
            found = await blinded(ctx, dut, prime, exponent, given)
            assert found == exponent + k * (prime - 1)
            highest = 1 << random_bits - 1
            found = await blinded(ctx, dut, prime, exponent, given, negative=1)
            wanted = (k | highest) * (prime - 1) - exponent
            assert found == wanted % (1 << width * words)

    simulator = Simulator(dut)
    simulator.add_clock(1e-6)
    simulator.add_testbench(bench)
    simulator.run()


@pytest.mark.parametrize(
    ("size", "edges"),
    [
        (SMALL, lambda key: (0, key.p)),
        ((44, 12, 4, 3, 3, 2, None, 2), lambda key: (key.q,)),
    ],
    ids=["small", "rows of two moduli"],
)
def test_roots_and_cycles(size, edges):
    """The same roots in as many cycles as ever, by the model with the multiples that were drawn."""
    plain, design = rsa(*size), rsa(*size, **BLINDED)
    key = key_of(design)
    messages, found = edges(key), []
    assert design.latency > plain.latency

    async def script(ctx, bench):
        for message in messages:
            await bench.load(ctx, design.load_words(key))
            bench.given.clear()
            assert await ready_after(ctx, bench.core) == design.preparation
            assert await bench.root(ctx, message) == (key.root(message), 0, design.latency)
            found.append(drawn(design, bench.given))

    Bench(design).run(script)
    # Fresh ones for each key and message.
    assert len({own.factor for own in found}) == len(found)
    multiples = {each for own in found for each in (own.first, own.multiples)}
    assert len(multiples) == 2 * len(found)
    for message, own in zip(messages, found, strict=True):
        root = private_operation(design, design.numbers(key), message, own)
        assert root == (key.root(message), True)


async def ready_after(ctx, core):
    """Cycles from the last word of a key until a message is taken."""
    cycles = 0
    while not ctx.get(core.operands.ready):
        await ctx.tick()
        cycles += 1
    return cycles


def drawn(design, words):
    """What was drawn for a key and a message, by the words that were taken."""
    shape, left = design.blinding_shape, list(words)

    def taken(count):
        own, left[:count] = left[:count], []
        return own

    first, factor = [taken(shape.random_words) for _ in "pq"], taken(design.words)
    second = [taken(shape.random_words) for _ in "pq"]
    assert left == []
    number = join_digits(factor, design.width) % (1 << design.bits)
    return Drawn(number, *(tuple(map(shape.multiple, own)) for own in (first, second)))


def test_a_factor_is_one_of_all():
    """Without it on one side the root is withheld; without any it is right."""
    made = rsa(*SMALL, **BLINDED)
    key = key_of(made)
    for left_out, expected in (
        ({"hide"}, (0, 1)),
        ({"reveal"}, (0, 1)),
        ({"hide", "reveal"}, (key.root(4711), 0)),
    ):
        design = RsaEngineDesign(made.domain, made.options, *SMALL[:1], 2, 5, **BLINDED)
        design.processor = made.processor
        design.steps = tuple(step for step in made.steps if step.routine not in left_out)

        async def script(ctx, bench, design=design, expected=expected):
            await bench.load(ctx, design.load_words(key))
            assert (await bench.root(ctx, 4711))[:2] == expected

        Bench(design).run(script)


@pytest.mark.parametrize("guarded", [True, False])
def test_blinding_is_not_left_out(guarded, monkeypatch):
    """Nobody but the signature of the steps sees a flip that leaves out the multiple of p - 1."""
    if not guarded:
        open_guards(monkeypatch)
    made, design = recorded(monkeypatch, "exponentiation.rsa_engine"), rsa(*SMALL, **BLINDED)
    key, released = key_of(design), []
    place, flip = design.first_of_operation + 1, Target.PASS ^ Target.EXPONENT_P
    assert flip.bit_count() == 1

    async def script(ctx, bench):
        instructions = made[0].data
        lowest = Source.BLINDED.bit_length()
        ctx.set(instructions[place], ctx.get(instructions[place]) ^ flip << lowest)
        await bench.load(ctx, design.load_words(key))
        released.append(await bench.root(ctx, 4711))

    Bench(design).run(script)
    assert [one[:2] for one in released] == [(0, 1) if guarded else (key.root(4711), 0)]


class Noted(ExponentDigits):
    """Digits of an exponent whose memory a test can look at."""

    made: ClassVar[list[Any]] = []

    def elaborate(self, platform):
        m = super().elaborate(platform)
        Noted.made.append(m.submodules.memory)
        return m


@pytest.fixture
def digits(monkeypatch):
    """The memories of the digits of both exponents in cores that are made from now on."""
    monkeypatch.setattr("residua.hardware.exponentiation.rsa_engine.ExponentDigits", Noted)
    monkeypatch.setattr(Noted, "made", [])
    return Noted.made


def flip(ctx, memory, place, bit, width):
    """One bit of a word in a memory."""
    word = ctx.get(memory.data[place]) & (1 << width) - 1
    ctx.set(memory.data[place], word ^ 1 << bit)


def test_what_the_engine_goes_through(digits, monkeypatch):
    """Each message has other exponents, which are those of the key modulo p - 1 and q - 1, and
    another factor; one that is not that of its root withholds it."""
    made = recorded(monkeypatch, "engine.rower")
    design = rsa(*SMALL, **BLINDED)
    key, exponents, factors = key_of(design), [], []
    (place,) = design.processor.places.registers["p.hiding"]["a"][:1]

    async def script(ctx, bench):
        registers = of_depth(made, design.processor.shape.registers)
        await bench.load(ctx, design.load_words(key))
        for _ in range(2):
            assert await bench.root(ctx, 4711) == (key.root(4711), 0, design.latency)
            words = [[ctx.get(m.data[i]) for i in range(m.data.depth)] for m in digits]
            exponents.append([join_digits(own, design.width) for own in words])
            factors.append(tuple(ctx.get(memory.data[place]) for memory in registers))
        flip(ctx, registers[0], place, 2, design.width)
        assert await bench.root(ctx, 4711) == (0, 1, design.latency)

    Bench(design).run(script)
    assert len(set(factors)) == 2
    for own, prime, exponent in zip(
        zip(*exponents, strict=True), (key.p, key.q), key.exponents, strict=True
    ):
        assert len(set(own)) == 2
        assert {number % (prime - 1) for number in own} == {exponent}
        assert max(own) > prime << 3


def test_faults_of_the_blinding_let_nothing_out(digits, monkeypatch):
    """A bit flips in the sum so far, in a prime or an exponent, or in what has come of it."""
    modules = ("exponent_blinding", "rsa_engine")
    made = recorded(monkeypatch, *(f"exponentiation.{module}" for module in modules))
    design = rsa(*SMALL, **BLINDED)
    key, message, targets = key_of(design), 1234567, [step.target for step in design.steps]

    async def script(ctx, bench):
        (total,) = of_depth(made, design.exponent_shape.words)
        (secret,) = of_depth(made, design.sequence.secret_words)
        half, first = design.half_words, design.first_of_operation
        adds, gives = (targets.index(own, first) for own in (Target.PASS, Target.EXPONENT_P))
        found = []
        await bench.load(ctx, design.load_words(key))
        for at, memory, place, bit in (
            (adds, total, 0, 5),
            (adds, secret, 2 * half, 3),
            (adds, secret, 0, 4),
            (gives + 1, digits[0], 0, 2),
            (gives + 1, secret, half, 7),
        ):
            while ctx.get(bench.core._address) != at:
                await ctx.tick()
            await ctx.tick().repeat(8)
            flip(ctx, memory, place, bit, design.width)
            found.append(await bench.root(ctx, message))
            if memory is secret:
                flip(ctx, memory, place, bit, design.width)
        assert found == [(0, 1, design.latency)] * 5
        assert await bench.root(ctx, message) == (key.root(message), 0, design.latency)

    Bench(design).run(script)
