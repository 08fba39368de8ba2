"""Arithmetic modulo many primes against plain integers, up to the largest primes."""

import numpy as np
import pytest
import sympy
from hypothesis import given, settings
from hypothesis import strategies as st

from residua.numbers.primes.prime_fields import LARGEST_PRIME, PrimeFields

SMALL = list(sympy.primerange(3, 600))
LARGE = list(sympy.primerange(LARGEST_PRIME - 2000, LARGEST_PRIME))


@pytest.fixture(scope="module", params=[SMALL, LARGE, SMALL + LARGE], ids=["small", "large", "all"])
def fields(request):
    return PrimeFields(np.array(request.param))


def least(number, p):
    """The residue of least absolute value."""
    return (number + p // 2) % p - p // 2


def equal(found, expected, fields):
    assert found.tolist() == [
        least(number, p) for number, p in zip(expected, fields.primes.tolist(), strict=True)
    ]


def extremes(fields):
    """Residues of each kind that is easily wrong, for every prime."""
    half = fields.primes // 2
    one = np.ones_like(half)
    return [each.astype(np.float64) for each in (0 * one, one, -one, half, -half, half - 1)]


@given(number=st.integers(-(2**600), 2**600))
@settings(max_examples=60, deadline=None)
def test_residues(fields, number):
    equal(fields.residues(number), [number] * len(fields.primes), fields)


@given(value=st.integers(-(2**50), 2**50))
@settings(max_examples=60, deadline=None)
def test_reduced(fields, value):
    values = np.full(len(fields.primes), float(value))
    equal(fields.reduced(values), [value] * len(fields.primes), fields)


@pytest.mark.parametrize("half", [-1, 1])
def test_reduced_beside_the_middle(fields, half):
    """The largest multiples of each prime, and half of it more: the hardest to round."""
    values = [2**50 // p * p + half * (p // 2) - p for p in fields.primes.tolist()]
    equal(fields.reduced(np.array(values, dtype=np.float64)), values, fields)


def test_non_negative(fields):
    primes = fields.primes.tolist()
    for offset in (0, 1, 2):
        for values in ([offset] * len(primes), [p - 1 - offset for p in primes]):
            found = fields.non_negative(np.array(values, dtype=np.float64))
            assert found.tolist() == values
            found = fields.non_negative(-np.array(values, dtype=np.float64))
            assert found.tolist() == [-v % p for v, p in zip(values, primes, strict=True)]


def test_inverses(fields):
    for residues in (*extremes(fields), fields.residues(3**50), fields.residues(2**300 + 1)):
        before = residues.copy()
        inverses = fields.inverses(residues)
        assert np.array_equal(residues, before)
        products = [
            (int(x) * int(y)) % p
            for x, y, p in zip(residues, inverses, fields.primes.tolist(), strict=True)
        ]
        assert products == [int(x != 0) for x in residues]
        assert np.all(2 * np.abs(inverses) < fields.primes)


def test_powers(fields):
    primes = fields.primes.tolist()
    for bases in (*extremes(fields), fields.residues(3**50)):
        for exponents in ([0] * len(primes), [p - 2 for p in primes], [p % 7 for p in primes]):
            expected = [pow(int(x), e, p) for x, e, p in zip(bases, exponents, primes, strict=True)]
            equal(fields.powers(bases, np.array(exponents)), expected, fields)


@pytest.mark.parametrize("number", [2, 3, -1, 5, 15, 1155, 2**20 + 7, 0, 1, 49])
def test_square_roots(fields, number):
    """Of numbers that some primes divide, too."""
    kept, roots = fields.square_roots(fields.residues(number))
    primes = fields.primes.tolist()
    assert kept.primes.tolist() == [
        p for p in primes if number % p == 0 or sympy.jacobi_symbol(number % p, p) == 1
    ]
    assert all(
        (int(root) ** 2 - number) % p == 0
        for root, p in zip(roots, kept.primes.tolist(), strict=True)
    )
    assert np.all(2 * np.abs(roots) < kept.primes)
