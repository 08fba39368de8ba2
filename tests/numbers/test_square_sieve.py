"""The sieve against division by each prime, and its primes against all their residues."""

from math import gcd, prod

import numpy as np
import pytest
import sympy

from residua.numbers.primes.square_sieve import _blocks, survivors

FORMS = [(1, 2), (2, 1), (2, 3), (3, 2), (1, 6), (6, 1), (2, 7), (1, -2), (5, -4), (1, 30)]
"""(d, c), those of ERRATA E9 among them."""


def strikers(d, c, limit):
    """The odd primes that divide d t^2 - c for some t."""
    return [
        p for p in sympy.primerange(3, limit) if any((d * t * t - c) % p == 0 for t in range(p))
    ]


@pytest.mark.parametrize(("d", "c"), FORMS)
@pytest.mark.parametrize("shared", [1, 3 * 5 * 7, 2**31 - 1])
@pytest.mark.parametrize("count", [40, 600])
def test_multiples_of_primes_are_struck(d, c, shared, count):
    """With small primes that divide the other moduli, and with few places and many."""
    factor, width, limit = shared * (2**20 - 3), 20, 512
    alive = survivors(d, c, width, factor, count=count, limit=limit)
    common = prod(p for p in strikers(d, c, limit) if factor % p == 0)
    primes = list(sympy.primerange(3, limit))
    for index in range(count):
        modulus = 2**width - 2 * index - 1
        value = d * (factor * modulus) ** 2 - c
        divided = any(value % prime == 0 for prime in primes)
        assert alive[index] == (not divided and gcd(modulus, common) == 1)


def test_large_primes_strike():
    """Against common factors with the product of all primes, of which there are several blocks."""
    factor, width, count, limit = prod(2**32 - h for h in (3, 17, 65, 99)), 32, 300, 1 << 19
    alive = survivors(1, 2, width, factor, count=count, limit=limit)
    primorial = prod(sympy.primerange(3, limit))
    common = prod(
        p for p in sympy.primefactors(factor) if p < limit and sympy.jacobi_symbol(2, p) == 1
    )
    for index in range(count):
        modulus = 2**width - 2 * index - 1
        divided = gcd((factor * modulus) ** 2 - 2, primorial) > 1
        assert alive[index] == (not divided and gcd(modulus, common) == 1)


@pytest.mark.parametrize(("d", "c"), FORMS)
def test_primes_that_strike(d, c):
    primes = np.concatenate([block.fields.primes for block in _blocks(d, c, 16, 3000)])
    assert primes.tolist() == strikers(d, c, 3000)
