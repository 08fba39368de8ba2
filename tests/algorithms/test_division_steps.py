"""Division steps against Python's own inverses and greatest common divisors."""

import math
import random

import pytest

from residua.algorithms.division_steps import Inversion, sufficient_steps, transition
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


def test_published_numbers_of_steps():
    """Bernstein and Yang, sections 11 and 12: 738 steps for 255 bits."""
    assert sufficient_steps(255) == 738
    assert sufficient_steps(256) == 741


@pytest.mark.parametrize("bits", range(1, 9))
def test_steps_suffice_for_all_short_operands(bits):
    for f in range(1, 1 << bits, 2):
        for g in range(1 << bits):
            delta, a, b = 1, f, g
            for _ in range(sufficient_steps(bits)):
                delta, step = transition(1, delta, a, b)
                a, b = (step.u * a + step.v * b) // 2, (step.q * a + step.r * b) // 2
            assert b == 0
            assert abs(a) == math.gcd(f, g)


def test_a_batch_is_its_steps():
    generator = random.Random(2)
    for _ in range(200):
        f, g = generator.getrandbits(64) | 1, generator.getrandbits(64)
        delta = generator.randint(-5, 5)
        after, matrix = transition(16, delta, f % 2**16, g % 2**16)
        a, b, single = f, g, delta
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
