"""Division steps against Python's own inverses and greatest common divisors."""

import math
import random
from dataclasses import replace
from fractions import Fraction

import pytest

from residua.algorithms.division_steps import Inversion, sufficient_steps, transition
from residua.algorithms.step_bounds.division_steps import RATE, shrinking_shape
from residua.algorithms.step_bounds.shapes import Shape
from residua.errors import SpecificationError

PRIMES = [3, 5, 7, 101, 65537, 2**61 - 1, 2**127 - 1, 2**255 - 19, 2**521 - 1]


def operands(modulus, seed=1):
    generator = random.Random(seed)
    near = [1 << bit for bit in range(modulus.bit_length())]
    edges = {0, 1, 2, modulus - 1, modulus - 2, modulus // 2, (modulus + 1) // 2}
    edges |= {bit + delta for bit in near[:: len(near) // 12 + 1] for delta in (-1, 0, 1)}
    edges |= {generator.randrange(modulus) for _ in range(20)}
    return sorted(x for x in edges if 0 <= x < modulus)


@pytest.mark.parametrize("steps", [1, 2, 7, 16, 32])
@pytest.mark.parametrize("modulus", PRIMES)
def test_inverses(modulus, steps):
    inversion = Inversion(modulus, steps, modulus.bit_length())
    for x in operands(modulus):
        found = inversion.invert(x)
        if x:
            assert 0 <= found < modulus
            assert found == pow(x, -1, modulus)
        else:
            assert found in (0, modulus)


def test_every_operand_of_small_moduli():
    for modulus in range(3, 120, 2):
        inversion = Inversion(modulus, 5, 7)
        for x in range(1, modulus):
            if math.gcd(x, modulus) == 1:
                assert inversion.invert(x) * x % modulus == 1
            else:
                with pytest.raises(SpecificationError, match="no inverse"):
                    inversion.invert(x)


@pytest.fixture(scope="module")
def shape():
    return shrinking_shape()


def test_published_numbers_of_steps():
    """Safegcd-bounds has 590 for moduli that are a hundredth longer than 2^255."""
    assert sufficient_steps(255) == 588
    assert sufficient_steps(256) == 591


def test_steps_are_proved(shape):
    assert shape.shrinks
    assert all(shape.suffices(bits, sufficient_steps(bits)) for bits in (*range(1, 600), 8192))


def test_fewer_steps_are_not_proved(shape):
    assert not any(shape.suffices(bits, sufficient_steps(bits) - 2) for bits in range(1, 600))


def test_what_steps_do_not_shrink_is_refused(shape):
    assert not replace(shape, rate=RATE - Fraction(1, 10**9)).shrinks


def test_other_shapes_are_refused(shape):
    """Whose corner is a unit off, or which are no hull of what steps make of their corners."""
    moved = [(f - (i in (0, 80)), g) for i, (f, g) in enumerate(shape.shape.corners)]
    square = [(1, -1), (1, 1), (-1, 1), (-1, -1)]
    for corners in (moved, square, square[:3]):
        assert not replace(shape, shape=Shape(tuple(corners))).shrinks


@pytest.mark.parametrize("bits", range(1, 9))
def test_steps_suffice_for_all_short_operands(bits):
    for f in range(1, 1 << bits, 2):
        for g in range(f + 1):
            above, a, b = 0, f, g
            for _ in range(sufficient_steps(bits)):
                above, step = transition(1, above, a, b)
                a, b = (step.u * a + step.v * b) // 2, (step.q * a + step.r * b) // 2
            assert b == 0
            assert abs(a) == math.gcd(f, g)


def test_a_batch_is_its_steps():
    generator = random.Random(2)
    for _ in range(200):
        f, g = generator.getrandbits(64) | 1, generator.getrandbits(64)
        above = generator.randint(-5, 5)
        after, matrix = transition(16, above, f % 2**16, g % 2**16)
        a, b, single = f, g, above
        for _ in range(16):
            single, step = transition(1, single, a, b)
            a, b = (step.u * a + step.v * b) // 2, (step.q * a + step.r * b) // 2
        assert after == single
        assert (matrix.u * f + matrix.v * g, matrix.q * f + matrix.r * g) == (a << 16, b << 16)
        assert abs(matrix.u) + abs(matrix.v) <= 1 << 16
        assert abs(matrix.q) + abs(matrix.r) <= 1 << 16


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((10, 4, 8), "odd modulus, not 10"),
        ((1, 4, 8), "odd modulus, not 1"),
        ((11, 0, 8), "at least 1 step, not 0"),
        ((257, 4, 8), "9 bits is too long for steps that are enough for 8 bits"),
    ],
)
def test_refusals(arguments, message):
    with pytest.raises(SpecificationError, match=message):
        Inversion(*arguments)


def test_operands_out_of_range():
    for x in (-1, 11, 12):
        with pytest.raises(SpecificationError, match=r"not in \[0, P\)"):
            Inversion(11, 4, 4).invert(x)
