"""The range condition against simulated products and against its own inequality."""

from fractions import Fraction
from math import gcd, isqrt, log2

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from residua.errors import SpecificationError
from residua.numbers.bases import Base
from residua.numbers.cox import Cox, canonical_ranges, deviation, redundant_ranges
from residua.numbers.moduli import Modulus
from residua.numbers.ranges import (
    centred_sigma0,
    kawamura_range,
    montgomery_range,
    smallest_cox,
)

PRIME = 2**61 - 1


def base(width, *offsets):
    return Base(tuple(Modulus(width, offset) for offset in offsets))


# Offsets of either sign, and all positive for the published form.
MIXED = base(17, 0, 1, -9, 15), base(17, -1, 9, -17, 31)
PLAIN = base(17, 1, 9, 13, 31), base(17, 15, 21, 49, 61)
NARROW = base(8, 5, -1, -13, 0), base(8, 15, 3, 13, -7)


def xi(base, number, extreme):
    """Representatives of the first step of an extension; ``extreme`` picks signed ones."""
    residues = []
    for position, (inverse, modulus) in enumerate(zip(base.cofactor_inverses, base, strict=True)):
        residue = number * inverse % modulus.value
        if extreme >> position & 1:
            residue -= modulus.value
        residues.append(residue)
    return residues


def extend(base, cox, residues):
    total = sum(x * cofactor for x, cofactor in zip(residues, base.cofactors, strict=True))
    return total - cox.quotient(residues, [1] * len(base), base.width) * base.product


def product_of(modulus, bases, coxes, value, extremes=(0, 0)):
    """One reduction as the engine does it, on integers; returns S and what base a gets for it."""
    base_a, base_b = bases
    q = -value * pow(modulus, -1, base_a.product)
    q = extend(base_a, coxes[0], xi(base_a, q, extremes[0]))
    assert (value + q * modulus) % base_a.product == 0
    result = (value + q * modulus) // base_a.product
    return result, extend(base_b, coxes[1], xi(base_b, result, extremes[1]))


def signed_condition(modulus, bases, truncation, products=1):
    ranges = [redundant_ranges(each) for each in bases]
    sigma0 = centred_sigma0(bases[1], truncation, ranges[1])
    cox = Cox(truncation, sigma0)
    condition = montgomery_range(modulus, *bases, cox, cox, *ranges, products=products)
    return cox, condition


@given(
    st.integers(2, 14),
    st.integers(1, 5),
    st.lists(st.tuples(st.integers(-8, 8), st.integers(-8, 8)), min_size=5, max_size=5),
    st.integers(0, 2**16 - 1),
    st.data(),
)
@settings(max_examples=300, deadline=None)
def test_signed_products_stay_in_range_and_are_exact(truncation, products, shares, extreme, data):
    modulus = data.draw(st.integers(2**40, PRIME).map(lambda value: value | 1))
    assume(gcd(modulus, MIXED[0].product) == 1)
    try:
        cox, condition = signed_condition(modulus, MIXED, truncation, products)
    except SpecificationError:
        assume(False)
    bound = condition.bound
    value = sum(one * bound // 8 * (two * bound // 8) for one, two in shares[:products])
    extremes = (extreme & 15, extreme >> 4 & 15)
    result, extended = product_of(modulus, MIXED, (cox, cox), value, extremes)
    assert -bound <= result <= bound
    assert extended == result
    assert (result * MIXED[0].product - value) % modulus == 0


@given(st.integers(0, 8), st.integers(0, 8), st.integers(4, 17))
def test_unsigned_products_stay_in_range_and_are_exact(one, two, truncation):
    condition = kawamura_range(PRIME, *PLAIN, truncation)
    assert condition.lowest == 0
    value = (one * condition.bound // 8) * (two * condition.bound // 8)
    coxes = Cox(truncation, Fraction(0)), Cox(truncation, Fraction(1, 2))
    result, extended = product_of(PRIME, PLAIN, coxes, value)
    assert 0 <= result <= condition.bound
    assert extended == result


@given(
    st.integers(2**16, 2**70).map(lambda value: value | 1), st.integers(3, 17), st.integers(1, 9)
)
def test_the_bound_is_the_smallest(modulus, truncation, products):
    try:
        cox, condition = signed_condition(modulus, MIXED, truncation, products)
    except SpecificationError:
        return
    size_a, size_b = (each.product for each in MIXED)
    low, high = deviation(MIXED[0], cox, redundant_ranges(MIXED[0])).result(cox.sigma0)
    # The largest integer |Q| of the half-open interval [low, high) M_a.
    largest = max(int(-low * size_a), -int(-high * size_a // 1) - 1)

    def holds(bound):
        return Fraction(products * bound**2 + largest * modulus, size_a) <= bound

    assert holds(condition.bound)
    assert not holds(condition.bound - 1)
    exact_low, exact_high = deviation(MIXED[1], cox, redundant_ranges(MIXED[1])).exact(cox.sigma0)
    assert exact_low * size_b <= -condition.bound <= condition.bound < exact_high * size_b
    assert condition.reach == min(-exact_low, exact_high)
    # Slacks against floating-point logarithms.
    slack_a = log2(size_a) * 2 - log2(4 * products * largest * modulus)
    assert slack_a - 0.07 < condition.slack_a < slack_a + 0.001
    slack_b = log2(size_b) + log2(condition.reach) - log2(condition.bound)
    assert slack_b - 0.07 < condition.slack_b < slack_b + 0.001


def test_the_widest_modulus_that_fits_is_found_exactly():
    """Just below the limit there is a bound, just above there is none."""
    cox = Cox(17, Fraction(1, 2))
    ranges = [redundant_ranges(each) for each in MIXED]
    low, high = 0, 2**70
    while high - low > 1:
        middle = (low + high) // 2
        try:
            montgomery_range(middle, *MIXED, cox, cox, *ranges)
        except SpecificationError as error:
            # Base b fails earlier, which does not matter here.
            if "base a" in str(error):
                high = middle
                continue
        low = middle
    size = MIXED[0].product
    error = deviation(MIXED[0], cox, ranges[0])
    largest = max(abs(share) for share in error.result(cox.sigma0)) * size
    # D = M_a^2 - 4 max|Q| P is zero there, up to the integers' grain.
    assert abs(low - size**2 / (4 * largest)) < 2 * isqrt(size)


@pytest.mark.parametrize(
    ("first", "second", "message"),
    [
        (Fraction(0), Fraction(0), "the Cox error of base b is too large: sigma0 = 0"),
        (Fraction(1, 2), Fraction(1, 2), "negative Q, down to -0.5 M_a"),
        (Fraction(1, 2), Fraction(0), "it needs sigma0 = 0, not 1/2"),
    ],
)
def test_the_pairs_of_sigma0_that_give_wrong_products_are_refused(first, second, message):
    """And they do give wrong products of unsigned values; only (0, 1/2) does not."""
    with pytest.raises(SpecificationError) as error:
        kawamura_range(PRIME, *PLAIN, 6, first=first, second=second)
    assert message in str(error.value)
    bound = kawamura_range(PRIME, *PLAIN, 6).bound

    def wrong(*sigmas):
        coxes = [Cox(6, sigma0) for sigma0 in sigmas]
        count = 0
        for i in range(300):
            value = (i * 7919 * bound // 3_000_000) * (i * 104_729 * bound // 32_000_000)
            result, extended = product_of(PRIME, PLAIN, coxes, value)
            count += result != extended or not 0 <= result <= bound
        return count

    assert wrong(Fraction(0), Fraction(1, 2)) == 0
    assert wrong(first, second) > 0


def test_kawamura_refuses_moduli_above_the_power_of_two():
    with pytest.raises(SpecificationError, match=r"negative Q.*moduli up to 2\^w"):
        kawamura_range(PRIME, *MIXED, 6)


def test_a_base_that_hardly_holds_the_modulus_is_refused():
    """384 bits in 16 moduli of 24 bits: M_a is smaller than P-384."""
    offsets: list[int] = []
    for offset in range(1, 4095, 2):
        if all(gcd(2**24 - offset, 2**24 - other) == 1 for other in offsets) and len(offsets) < 16:
            offsets.append(offset)
    wide = base(24, *offsets)
    assert wide.product < 2**384 - 2**128 - 2**96 + 2**32 - 1
    with pytest.raises(SpecificationError) as error:
        kawamura_range(2**384 - 2**128 - 2**96 + 2**32 - 1, wide, wide, 8)
    assert str(error.value).startswith("base a is 3 bits too narrow: M_a has 384 bits and must")


@pytest.mark.parametrize(
    ("modulus", "bases", "truncation", "sigma0", "message"),
    [
        (2**70 + 1, MIXED, 6, Fraction(1, 2), "base a is 4 bits too narrow: M_a has 68 bits"),
        (
            2**55 + 1,
            (MIXED[0], base(17, -1, 9, -17)),
            6,
            Fraction(1, 2),
            "base b is 5 bits too narrow: results reach 9 M_b",
        ),
        (PRIME, MIXED, 2, Fraction(1, 2), "; t = 4 instead of 2 would do"),
        (PRIME, MIXED, 6, Fraction(0), "sigma0 = 0 must be at least"),
    ],
)
def test_failing_conditions_are_named(modulus, bases, truncation, sigma0, message):
    cox = Cox(truncation, sigma0)
    ranges = [redundant_ranges(each) for each in bases]
    with pytest.raises(SpecificationError) as error:
        montgomery_range(modulus, *bases, cox, cox, *ranges)
    assert message in str(error.value)


def test_the_stated_shortage_is_right():
    """A base a with exactly the missing bits added is no longer too narrow."""
    cox = Cox(10, Fraction(1, 2))
    ranges = [redundant_ranges(each) for each in MIXED]
    for bits in range(1, 8):
        modulus = (MIXED[0].product << bits) // 4 | 1
        with pytest.raises(SpecificationError, match="base a is") as error:
            montgomery_range(modulus, *MIXED, cox, cox, *ranges)
        stated = int(str(error.value).split()[3])
        smaller = modulus >> stated | 1
        montgomery_range(smaller >> 1 | 1, *MIXED, cox, cox, *ranges)
        with pytest.raises(SpecificationError, match="base a is 1 bit too narrow"):
            montgomery_range(modulus >> stated - 1 | 1, *MIXED, cox, cox, *ranges)


def test_weights_widen_the_error():
    ranges = [redundant_ranges(each) for each in MIXED]
    cox = Cox(8, Fraction(1, 2))
    plain = montgomery_range(PRIME, *MIXED, cox, cox, *ranges)
    weighted = montgomery_range(PRIME, *MIXED, cox, cox, *ranges, weights_a=[5, -7, 1, 3])
    assert weighted.bound > plain.bound
    heavier = montgomery_range(PRIME, *MIXED, cox, cox, *ranges, weights_b=[5, 7, 1, 3])
    assert heavier.reach < plain.reach


@pytest.mark.parametrize("bases", [MIXED, PLAIN, NARROW])
@pytest.mark.parametrize("ranges_of", [canonical_ranges, redundant_ranges])
def test_centred_sigma0_is_the_most_symmetric(bases, ranges_of):
    for truncation in range(4, 9):
        chosen = centred_sigma0(bases[1], truncation, ranges_of(bases[1]))
        error = deviation(bases[1], Cox(truncation, chosen), ranges_of(bases[1]))

        def imbalance(steps, error=error, truncation=truncation):
            low, high = error.exact(Fraction(steps, 2**truncation))
            return abs(low + high)

        best = min(range(2**truncation), key=imbalance)
        assert imbalance(int(chosen * 2**truncation)) == imbalance(best)


def test_the_smallest_cox_is_the_smallest():
    ranges = [redundant_ranges(each) for each in MIXED]
    cox, condition = smallest_cox(PRIME, *MIXED, *ranges)
    assert (cox.truncation, cox.sigma0) == (3, Fraction(3, 4))
    assert min(condition.slack_a, condition.slack_b) >= 1
    with pytest.raises(SpecificationError, match=r"; t = 3 instead of 2 would do"):
        smallest_cox(PRIME, *MIXED, *ranges, truncation=2)
    wide, _ = smallest_cox(PRIME, *MIXED, *ranges, truncation=9)
    assert wide.truncation == 9
    given_start, _ = smallest_cox(PRIME, *MIXED, *ranges, sigma0=Fraction(1, 2))
    assert given_start.sigma0 == Fraction(1, 2)
    with pytest.raises(SpecificationError, match="sigma0 = 0 must be at least"):
        smallest_cox(PRIME, *MIXED, *ranges, sigma0=Fraction(0))


def test_a_reduction_needs_a_product():
    ranges = [redundant_ranges(each) for each in MIXED]
    with pytest.raises(SpecificationError, match="at least 1 product, not 0"):
        smallest_cox(PRIME, *MIXED, *ranges, products=0)
