"""The sieve for primes d M_a^2 - c: form, nothing lost, seeds, refusals."""

import random
from itertools import combinations
from math import gcd, prod

import pytest
import sympy

from residua.errors import SpecificationError
from residua.numbers.moduli import signed_digits
from residua.numbers.primes.square_primes import SquareForm, SquarePrimeSearch

FORMS = [(1, 2), (2, 1), (2, 3), (3, 2), (1, 6), (6, 1), (2, 7), (1, -2), (5, -4), (1, 30)]
"""(d, c), those of ERRATA E9 among them."""


@pytest.mark.parametrize(("d", "c"), FORMS)
def test_form(d, c):
    search = SquarePrimeSearch(SquareForm(d, c), 16, 8, seed=1)
    found = [offsets for index in range(60) for offsets in search.unit(index)]
    assert found
    for offsets in found:
        prime = search.prime(offsets)
        values = [2**16 - h for h in offsets]
        assert prime.value == d * prod(values) ** 2 - c
        assert sympy.isprime(prime.value)
        assert prime.value.bit_length() == search.bits
        assert len(values) == 4
        assert all(h % 2 and 0 < h < 2**8 for h in offsets)
        assert all(gcd(x, y) == 1 for x, y in combinations(values, 2))
        assert list(offsets) == sorted(offsets)


WINDOWS = [
    (3, {"width": 16, "channels": 6}),
    (4, {"width": 32, "channels": 4, "largest": 2047}),
    (5, {"width": 32, "channels": 12, "largest": 1023, "form": SquareForm(3, -2)}),
    (6, {"width": 32, "channels": 6, "style": "sparse", "weight": 2}),
    (7, {"width": 12, "channels": 8, "form": SquareForm(2, 1)}),
    (12, {"width": 8, "channels": 4}),
]
"""Searches by their seeds."""


@pytest.mark.parametrize(("seed", "arguments"), WINDOWS)
def test_unit_is_all_primes_of_its_window(seed, arguments):
    """What plain tests find with the moduli that are drawn and any last one, in its order."""
    search = SquarePrimeSearch(**{"form": SquareForm(), "seed": seed} | arguments)
    drawn = search._drawn(random.Random(f"{seed}/5"))
    expected = []
    for last in search._allowed:
        values = [2**search.width - h for h in (*drawn, last)]
        coprime = all(gcd(x, y) == 1 for x, y in combinations(values, 2))
        if coprime and sympy.isprime(search.form.value(prod(values))):
            expected.append(tuple(sorted((*drawn, last))))
    assert search.unit(5) == expected
    assert expected


def test_seed_decides():
    one, again, other = (
        SquarePrimeSearch(SquareForm(), 32, 16, seed=seed, largest=2047).unit(0)
        for seed in (7, 7, 8)
    )
    assert one == again
    assert one
    assert not set(one) & set(other)


def test_sparse_moduli():
    search = SquarePrimeSearch(SquareForm(), 32, 8, style="sparse", weight=3)
    found = [offsets for index in range(6) for offsets in search.unit(index)]
    assert found
    assert all(len(signed_digits(h)) <= 3 for offsets in found for h in offsets)
    assert all(sympy.isprime(search.prime(offsets).value) for offsets in found)


def test_widest_moduli():
    search = SquarePrimeSearch(SquareForm(), 64, 4, largest=4095)
    assert all(sympy.isprime(search.prime(offsets).value) for offsets in search.unit(0))


def test_given_moduli():
    """Every choice of three of seven moduli."""
    moduli = tuple(2**20 - h for h in (3, 5, 17, 27, 59, 69, 1))
    search = SquarePrimeSearch(SquareForm(), 20, 6, moduli=moduli)
    expected = {
        tuple(sorted(2**20 - value for value in choice))
        for choice in combinations(moduli, 3)
        if sympy.isprime(prod(choice) ** 2 - 2)
        and all(gcd(x, y) == 1 for x, y in combinations(choice, 2))
    }
    assert set(search.unit(0)) == expected
    assert search.unit(1) is None


def test_one_modulus_is_one_unit():
    search = SquarePrimeSearch(SquareForm(), 16, 2)
    expected = [h for h in range(1, 256, 2) if sympy.isprime((2**16 - h) ** 2 - 2)]
    assert [offsets[0] for offsets in search.unit(0)] == expected
    assert search.unit(1) is None


@pytest.mark.parametrize(
    ("d", "c", "text"),
    [
        (1, 3, "c \\+ d = 4 is even: M_a is odd"),
        (3, 1, "c \\+ d = 4 is even"),
        (1, 0, "c = 0: .* needs a small c"),
        (1, 256, "c = 256"),
        (0, 1, "d = 0"),
        (3, 6, "share the factor 3"),
        (1, 4, "d c = 4 is a square"),
        (2, 2, "is even"),
    ],
)
def test_forms_without_primes(d, c, text):
    with pytest.raises(SpecificationError, match=text):
        SquareForm(d, c)


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ((7, 4), "w = 7 is out of range: 8 to 64"),
        ((16, 5), "n = 5: two half-bases have an even number"),
        (
            (8, 12),
            "w = 8 is too small: it gives only \\d .* n / 2 = 6; w = 9 has enough",
        ),
    ],
)
def test_refusals(arguments, text):
    with pytest.raises(SpecificationError, match=text):
        SquarePrimeSearch(SquareForm(), *arguments)


@pytest.mark.parametrize(
    ("moduli", "text"),
    [
        ((2**16 - 2, 2**16 - 1), "is even"),
        ((2**16 - 1, 2**16 - 1), "given twice"),
        ((2**16 - 1,), "n / 2 = 2 moduli, but only 1"),
        ((2**16 - 1, 2**15 - 1), "no pseudo-Mersenne modulus"),
    ],
)
def test_bad_moduli(moduli, text):
    with pytest.raises(SpecificationError, match=text):
        SquarePrimeSearch(SquareForm(), 16, 4, moduli=moduli)
