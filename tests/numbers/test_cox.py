"""The Cox's quotient against exact fractions."""

from fractions import Fraction
from math import ceil

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from residua.errors import SpecificationError
from residua.numbers.bases import Base
from residua.numbers.cox import Cox, canonical_ranges, deviation, redundant_ranges
from residua.numbers.moduli import Modulus

BASES = [
    Base(tuple(Modulus(17, offset) for offset in (0, 1, -1, 9, -9, 15, -17, 31))),
    Base(tuple(Modulus(8, offset) for offset in (5, -1, -13, 0))),
    Base(tuple(Modulus(8, offset) for offset in (15, 13, 11, 9))),
    Base((Modulus(64, 59), Modulus(64, -13))),
]


@st.composite
def situations(draw):
    """A base, a Cox, ranges, weights, and residues in them that are often extreme."""
    base = draw(st.sampled_from(BASES))
    truncation = draw(st.integers(1, base.width + 2))
    sigma0 = Fraction(draw(st.integers(0, 2**truncation - 1)), 2**truncation)
    ranges = draw(st.sampled_from([canonical_ranges(base), redundant_ranges(base)]))
    weights = [draw(st.integers(-3, 3)) for _ in base] if draw(st.booleans()) else [1] * len(base)
    residues = [draw(st.sampled_from((low, high)) | st.integers(low, high)) for low, high in ranges]
    return base, Cox(truncation, sigma0), ranges, weights, residues


def exact_sum(base, weights, residues):
    return sum(
        Fraction(weight * residue, modulus.value)
        for weight, residue, modulus in zip(weights, residues, base, strict=True)
    )


@given(situations())
@settings(max_examples=500, deadline=None)
def test_the_sum_stays_within_the_deviation(situation):
    base, cox, ranges, weights, residues = situation
    error = deviation(base, cox, ranges, weights)
    estimate = Fraction(
        sum(w * cox.leading(x, base.width) for w, x in zip(weights, residues, strict=True)),
        2**cox.truncation,
    )
    true = exact_sum(base, weights, residues)
    assert true - error.under <= estimate <= true + error.over


@given(situations())
@settings(max_examples=500, deadline=None)
def test_results_and_exactness(situation):
    base, cox, ranges, weights, residues = situation
    error = deviation(base, cox, ranges, weights)
    true = exact_sum(base, weights, residues)
    result = true - cox.quotient(residues, weights, base.width)
    low, high = error.result(cox.sigma0)
    assert low <= result < high
    # Every integer quotient that leaves the exact interval is the one that the Cox finds.
    exact_low, exact_high = error.exact(cox.sigma0)
    for quotient in range(int(true) - 3, int(true) + 4):
        if exact_low <= true - quotient < exact_high:
            assert result == true - quotient


@pytest.mark.parametrize("base", BASES)
@pytest.mark.parametrize("truncation", [1, 3, 6, 8])
@pytest.mark.parametrize("ranges_of", [canonical_ranges, redundant_ranges])
def test_the_deviation_is_reached(base, truncation, ranges_of):
    """The bound is no larger than what some residues do, but for the last bit of truncation."""
    cox = Cox(truncation, Fraction(0))
    ranges = ranges_of(base)
    error = deviation(base, cox, ranges)
    step = 1 << max(base.width - truncation, 0)
    worst_under = worst_over = Fraction(0)
    for modulus, (low, high) in zip(base, ranges, strict=True):
        # Extreme residues, with all and with none of the dropped bits set.
        tops = {high, (high + 1) // step * step - 1, high // step * step}
        bottoms = {low, low + step - 1, -(-low // step) * step}
        errors = [
            Fraction(cox.leading(x, base.width), 2**truncation) - Fraction(x, modulus.value)
            for x in tops | bottoms
            if low <= x <= high
        ]
        worst_under -= min(errors)
        worst_over += max(errors)
    tolerance = Fraction(2 * len(base) * step, 1 << base.width) * Fraction(16, 1 << base.width // 2)
    assert error.under - tolerance <= worst_under <= error.under
    assert error.over - tolerance <= worst_over <= error.over


def extended(base, cox, number):
    """What the extension of an integer's canonical residues returns."""
    residues = [
        number * inverse % modulus.value
        for inverse, modulus in zip(base.cofactor_inverses, base, strict=True)
    ]
    total = sum(x * cofactor for x, cofactor in zip(residues, base.cofactors, strict=True))
    return total - cox.quotient(residues, [1] * len(base), base.width) * base.product


@pytest.mark.parametrize("sigma0", [Fraction(0), Fraction(1, 2), Fraction(37, 64)])
def test_exact_at_its_edges_and_wrong_beyond(sigma0):
    base, cox = BASES[1], Cox(6, sigma0)
    error = deviation(base, cox, canonical_ranges(base))
    low, high = (ceil(edge * base.product) for edge in error.exact(sigma0))
    numbers = {*range(low, low + 2000), *range(high - 2000, high), *range(low, high, 999_983)}
    assert all(extended(base, cox, number) == number for number in numbers)
    # The error's whole width beyond the edges, no residues can make up for it.
    margin = ceil((error.under + error.over) * base.product)
    for number in (
        *range(low - margin - 500, low - margin),
        *range(high + margin, high + margin + 500),
    ):
        assert extended(base, cox, number) != number
        assert (extended(base, cox, number) - number) % base.product == 0


def test_the_published_error():
    """Kawamura's n (d + e) for canonical residues bounds ours, and ours is not far below."""
    base = BASES[2]
    t, w = 5, base.width
    error = deviation(base, Cox(t, Fraction(0)), canonical_ranges(base))
    published = sum(
        Fraction(2 ** (w - t) - 1, m.value) + Fraction(2**w - m.value, 2**w) for m in base
    )
    assert error.over == 0
    assert published * Fraction(9, 10) < error.under <= published


@pytest.mark.parametrize(
    ("truncation", "sigma0", "message"),
    [
        (0, Fraction(0), "keeps at least 1 bit, not t = 0"),
        (4, Fraction(1), r"lies in \[0, 1\), not 1"),
        (4, Fraction(-1, 2), r"lies in \[0, 1\), not -1/2"),
        (3, Fraction(1, 16), r"1/16 is no multiple of 2\^-3"),
    ],
)
def test_impossible_parameters_are_refused(truncation, sigma0, message):
    with pytest.raises(SpecificationError, match=message):
        Cox(truncation, sigma0)
