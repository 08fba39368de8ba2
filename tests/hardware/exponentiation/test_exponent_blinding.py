"""Multiples of p - 1 that are added to exponents, and roots with them."""

import random
from typing import Any, ClassVar

import pytest
from amaranth.lib.memory import Memory
from amaranth.sim import Simulator
from tests.hardware.exponentiation.rsa_bench import SMALL, Bench, key_of, rsa

from residua.algorithms.conversion import split_words
from residua.hardware.exponentiation.exponent_blinding import BlindingShape, ExponentBlinding
from residua.hardware.exponentiation.exponentiator import ExponentDigits
from residua.hardware.exponentiation.rsa_engine_design import Target
from residua.hardware.exponentiation.rsa_engine_model import private_operation
from residua.numbers.digits import join_digits

BLINDED = {"blinding": 11}
"""A few bits, which are no multiple of a word's."""


async def blinded(ctx, dut, prime, exponent, random_words):
    """One exponent, with secrets of no meaning above p and d."""
    shape = dut.shape

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

    simulator = Simulator(dut)
    simulator.add_clock(1e-6)
    simulator.add_testbench(bench)
    simulator.run()


@pytest.mark.parametrize("size", [SMALL, (44, 12, 4, 3, 3, 2, None, 2)])
def test_roots_and_cycles(size):
    """The same roots in as many cycles as ever, by the model with the multiples that were drawn."""
    plain, design = rsa(*size), rsa(*size, **BLINDED)
    key, chooser = key_of(design), random.Random(1)
    messages = [0, 1, key.modulus - 1, key.p, key.q, chooser.randrange(key.modulus)]
    shape, multiples = design.blinding_shape, []
    assert design.latency > plain.latency

    async def script(ctx, bench):
        await bench.load(ctx, design.load_words(key))
        for message in messages:
            assert await bench.root(ctx, message) == (key.root(message), 0, design.latency)
            given = bench.given[-2 * shape.random_words :]
            half = len(given) // 2
            own = tuple(shape.multiple(part) for part in (given[:half], given[half:]))
            root = private_operation(design, design.numbers(key), message, own)
            assert root == (key.root(message), True)
            multiples.append(own)

    Bench(design).run(script)
    # Fresh ones each time.
    assert len(set(multiples)) == len(messages)


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


def test_what_the_engine_goes_through(digits):
    """Other exponents each time, which are those of the key modulo p - 1 and q - 1."""
    design = rsa(*SMALL, **BLINDED)
    key, found = key_of(design), []

    async def script(ctx, bench):
        await bench.load(ctx, design.load_words(key))
        for _ in range(3):
            await bench.root(ctx, 4711)
            words = [[ctx.get(m.data[i]) for i in range(m.data.depth)] for m in digits]
            found.append([join_digits(own, design.width) for own in words])

    Bench(design).run(script)
    for place, prime in enumerate((key.p, key.q)):
        own = [each[place] for each in found]
        assert len(set(own)) == 3
        assert {number % (prime - 1) for number in own} == {key.exponents[place]}
        assert max(own) > prime << 5


def test_faults_of_the_blinding_let_nothing_out(digits, monkeypatch):
    """A bit flips in the sum so far, in a prime or an exponent, or in what has come of it."""
    made = []

    class Recorded(Memory):
        def __init__(self, **options):
            super().__init__(**options)
            made.append(self)

    for module in ("exponent_blinding", "rsa_engine"):
        monkeypatch.setattr(f"residua.hardware.exponentiation.{module}.Memory", Recorded)
    design = rsa(*SMALL, **BLINDED)
    key, message, targets = key_of(design), 1234567, [step.target for step in design.steps]

    async def script(ctx, bench):
        (total,) = (m for m in made if m.data.depth == design.exponent_shape.words)
        (secret,) = (m for m in made if m.data.depth == design.secret_words)
        half, adds = design.half_words, targets.index(Target.PASS)
        gives, found = targets.index(Target.EXPONENT_P), []
        for at, memory, place, bit in (
            (adds, total, 0, 5),
            (adds, secret, 2 * half, 3),
            (adds, secret, 0, 4),
            (gives + 1, digits[0], 0, 2),
            (gives + 1, secret, half, 7),
        ):
            await bench.load(ctx, design.load_words(key))
            while ctx.get(bench.core._address) != at:
                await ctx.tick()
            await ctx.tick().repeat(8)
            word = ctx.get(memory.data[place]) & (1 << design.width) - 1
            ctx.set(memory.data[place], word ^ 1 << bit)
            found.append(await bench.root(ctx, message))
        assert found == [(0, 1, design.latency)] * 5
        await bench.load(ctx, design.load_words(key))
        assert await bench.root(ctx, message) == (key.root(message), 0, design.latency)

    Bench(design).run(script)
