"""Primes of the form M_a^d - c: form, seeds, refusals."""

from itertools import islice
from math import gcd, prod

import pytest
import sympy

from residua.errors import SpecificationError
from residua.numbers.bases import Base
from residua.numbers.moduli import Modulus
from residua.numbers.primes.position_primes import (
    check_form,
    find_prime,
    is_probable_prime,
    nearest_base,
    primes,
)


@pytest.mark.parametrize(
    ("bits", "width", "degree", "offset"),
    [
        (192, 16, 2, 2),
        (384, 32, 2, 2),
        (512, 32, 2, -2),
        (256, 16, 4, 2),
        (256, 32, 4, -6),
        (144, 16, 3, 4),
    ],
)
def test_form(bits, width, degree, offset):
    found = find_prime(bits, width, degree, offset, seed=1)
    values = [modulus.value for modulus in found.base]
    assert found.value == prod(values) ** degree - offset
    assert found.value.bit_length() == bits
    assert len(values) == bits // (degree * width)
    assert all(value % 2 and 0 < 2**width - value < 2 ** (width // 2) for value in values)
    assert all(gcd(a, b) == 1 for i, a in enumerate(values) for b in values[:i])
    assert sympy.isprime(found.value)
    if (degree, offset) == (2, 2):
        assert found.value % 8 == 7


def test_seed_decides():
    first, again, other = (
        [found.value for found in islice(primes(192, 16, seed=seed), 5)] for seed in (7, 7, 8)
    )
    assert first == again
    assert not set(first) & set(other)
    assert len(set(first)) == 5


def test_known_prime():
    """The same bytes on every machine and in every version."""
    found = find_prime(64, 16, seed=0)
    assert [modulus.offset for modulus in found.base] == KNOWN_OFFSETS


KNOWN_OFFSETS = [125, 205]


def test_largest_offset():
    found = find_prime(192, 16, seed=2, largest=63)
    assert max(modulus.offset for modulus in found.base) <= 63


@pytest.mark.parametrize(
    "number", [1, 9, 561, 3215031751, 2**61 + 1, (2**61 - 1) * (2**89 - 1), 3825123056546413051]
)
def test_composites_do_not_pass(number):
    assert not is_probable_prime(number)


@pytest.mark.parametrize("number", [2, 3, 4093, 2**61 - 1, 2**521 - 1])
def test_primes_pass(number):
    assert is_probable_prime(number)


@pytest.mark.parametrize(
    ("degree", "offset", "text"),
    [
        (1, 2, "at least 2, not 1"),
        (2, 0, "has the factor M_a"),
        (2, 1, "1 is a 2-th power"),
        (2, 16, "16 is a 2-th power"),
        (3, -8, "-8 is a 3-th power"),
        (6, 8, "8 is a 3-th power"),
        (4, -4, "4 is 4 times a fourth power"),
        (4, -64, "64 is 4 times a fourth power"),
    ],
)
def test_polynomials_with_factors_are_refused(degree, offset, text):
    with pytest.raises(SpecificationError, match=text):
        check_form(degree, offset)


@pytest.mark.parametrize("degree", [2, 3, 4, 5, 6, 8])
def test_form_agrees_with_factorisation(degree):
    t = sympy.Symbol("t")
    for offset in range(-70, 71):
        if offset == 0:
            continue
        irreducible = sympy.Poly(t**degree - offset, t).is_irreducible
        try:
            check_form(degree, offset)
        except SpecificationError:
            assert not irreducible
        else:
            assert irreducible


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ((200, 16, 2), "multiple of d \\* w = 32 bits, not 200; 192 or 224 bits work"),
        ((16, 16, 2), "not 16; 32 bits work"),
        ((192, 4, 2), "w = 4 bits are too narrow"),
        ((192, 16, 1), "at least 2, not 1"),
        ((192, 16, 2, 3), "c = 3 is odd: .* c = 2 or c = 4 works"),
        ((192, 8, 2), "w = 8 gives only \\d pairwise coprime moduli .* M_a needs 12; w = 12 works"),
    ],
)
def test_refusals(arguments, text):
    with pytest.raises(SpecificationError, match=text):
        next(primes(*arguments))


def test_exhausted_search_says_so():
    with pytest.raises(SpecificationError, match=r"after \d+ primes, \d+ more choices of 1 moduli"):
        list(primes(16, 8, 2))


def test_nearest_base():
    base_a = nearest_base(16, 6, odd=True)
    assert base_a.moduli[:3] == (Modulus(16, 1), Modulus(16, 3), Modulus(16, 5))
    base_b = nearest_base(16, 6, base_a)
    assert base_b.moduli[0] == Modulus(16, 0)
    assert base_a.coprime_to(base_b)
    with pytest.raises(
        SpecificationError, match=r"w = 8 gives only \d+ moduli .* other base; 9 are"
    ):
        nearest_base(8, 9, Base((Modulus(8, 1),)))
