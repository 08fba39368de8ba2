"""Exponentiators on an engine, cycle by cycle, against Python's powers."""

import random

import pytest
from amaranth.sim import Simulator
from tests.hardware.digit_streams import multiply

from residua.algorithms.conversion import split_words
from residua.cores.coprocessor.engine.rns_montgomery import montgomery_domains
from residua.errors import SpecificationError
from residua.hardware.engine.datapath_design import EngineOptions
from residua.hardware.exponentiation.exponentiator import ExponentDigits, ExponentiatorDesign
from residua.numbers.search import search_bases

COMPOSITE = 3 * 65521


def design(modulus, width, channels, *exponent):
    pair = search_bases(modulus, width, channels, style="any")
    (domain,) = montgomery_domains(pair, [modulus])
    options = EngineOptions(rowers=pair.channels, reduction="multiply")
    return ExponentiatorDesign(domain, options, *exponent)


def operands(made):
    """Bases and exponents at the ends of their ranges; a first digit 0; random ones."""
    chooser, n, most = random.Random(3), made.modulus, made.largest
    words = (1 << made.width * made.words) - 1
    pairs = [(0, 0), (0, most), (1, most), (n - 1, most), (n, 1), (words, most), (3, 0)]
    # Bits above those of the exponent are ignored.
    pairs += [(2, 1), (5, most >> made.window), (n + 1, words)]
    return pairs + [(chooser.randint(0, words), chooser.randint(0, most)) for _ in range(2)]


@pytest.mark.parametrize(
    ("modulus", "width", "channels", "bits", "window"),
    [(COMPOSITE, 12, 3, 1, 1), (COMPOSITE, 12, 3, 7, 2), (2**17 - 1, 9, 4, 5, 3)],
)
def test_powers_and_cycles(modulus, width, channels, bits, window):
    made = design(modulus, width, channels, bits, window)
    pairs = operands(made)
    expected = [pow(x, y % (1 << bits), modulus) for x, y in pairs]
    assert [made.model(x, y % (1 << bits)) for x, y in pairs] == expected
    found = multiply(made.component(), made, pairs)
    assert found.results == expected
    assert {b - a for a, b in zip(found.taken, found.finished, strict=True)} == {made.latency}
    gaps = {b - a for a, b in zip(found.finished, found.finished[1:], strict=False)}
    assert gaps == {made.interval}


@pytest.mark.parametrize("exponent", [2, 11])
def test_public_exponents(exponent):
    made = design(COMPOSITE, 12, 3, exponent.bit_length(), 1, exponent)
    bases = [(0,), (1,), (COMPOSITE - 1,), (COMPOSITE,), (2**24 - 1,), (31337,)]
    expected = [pow(x, exponent, COMPOSITE) for (x,) in bases]
    assert [made.model(x, 0) for (x,) in bases] == expected
    found = multiply(made.component(), made, bases)
    assert found.results == expected
    assert {b - a for a, b in zip(found.taken, found.finished, strict=True)} == {made.latency}
    # Squarings, a product for all ones but the first, conversions.
    assert made.products <= exponent.bit_length() + exponent.bit_count()


@pytest.mark.parametrize(("bits", "window"), [(24, 5), (13, 3), (4, 4), (2, 1)])
def test_digits_of_an_exponent(bits, window):
    made = design(COMPOSITE, 12, 3, bits, window)
    unit, chooser = ExponentDigits(made), random.Random(bits)
    seen = []

    async def main(ctx):
        for exponent in (0, 2**24 - 1, chooser.getrandbits(24), 1 << bits - 1):
            ctx.set(unit.start, 1)
            await ctx.tick()
            ctx.set(unit.start, 0)
            ctx.set(unit.write, 1)
            for word in split_words(exponent, made.words, made.width):
                ctx.set(unit.word, word)
                await ctx.tick()
            ctx.set(unit.write, 0)
            await ctx.tick().repeat(window + 3)
            found = [ctx.get(unit.flags)]
            for _ in range(made.digits - 1):
                await ctx.tick().repeat(window + 1)
                ctx.set(unit.advance, 1)
                await ctx.tick()
                ctx.set(unit.advance, 0)
                found.append(ctx.get(unit.flags))
            assert found == [
                1 << ((exponent % (1 << bits)) >> window * place & (1 << window) - 1)
                for place in reversed(range(made.digits))
            ]
            seen.append(exponent)

    simulator = Simulator(unit)
    simulator.add_clock(1e-6)
    simulator.add_testbench(main)
    simulator.run()
    assert len(seen) == 4


@pytest.mark.parametrize(
    ("exponent", "message"),
    [
        ((25, 1), "exponent_bits = 25: the words of an operand hold 1 to 24"),
        ((0, 1), "exponent_bits = 0: the words of an operand hold 1 to 24"),
        ((4, 9), "window = 9: 1 to 4 bits"),
        ((12, 9), "window = 9: 1 to 8 bits"),
        ((1, 1, 1), "exponent = 1: a public exponent is at least 2, and has 1 bits, not 1"),
        ((2, 1, 5), "exponent = 5: a public exponent is at least 2, and has 3 bits, not 2"),
    ],
)
def test_refusals(exponent, message):
    with pytest.raises(SpecificationError) as caught:
        design(COMPOSITE, 12, 3, *exponent)
    assert str(caught.value) == message
