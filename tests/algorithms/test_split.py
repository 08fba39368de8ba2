"""Split against plain division, and the case K = -1."""

import random
from dataclasses import replace
from fractions import Fraction

import pytest

from algorithms.positions import ends, evaluate
from residua.algorithms.montgomery import Element
from residua.algorithms.program import Program, ProgramError
from residua.algorithms.split import SplitDomain, remainder_range, split
from residua.algorithms.terms import Correction, Interval
from residua.errors import SpecificationError
from residua.machines.bounds import analyse
from residua.machines.counts import count
from residua.numbers.cox import Cox, canonical_ranges, deviation
from residua.numbers.primes.position_primes import nearest_base
from residua.numbers.residues import Canonical, Redundant, Representation

PUBLISHED = Cox(8, Fraction(0)), Cox(8, Fraction(1, 2))
CENTRED = Cox(8, Fraction(1, 2)), Cox(8, Fraction(1, 2))
FORMS = ["lean", "short", "quadratic"]


def bases(width=17, channels=4, wider=2):
    base_a = nearest_base(width, channels, odd=True)
    return base_a, nearest_base(width + wider, channels, base_a)


def split_program(
    domain: SplitDomain,
    interval: Interval,
    representation: Representation | None = None,
    *,
    squared: bool = False,
) -> tuple[Program, tuple[Element, Element]]:
    """Split of an input x; ``squared``: with the factor of products."""
    program = Program("split", representation or Canonical())
    factor = [f * f for f in domain.factor_a] if squared else domain.factor_a
    value = Element(
        program.input("x_a", domain.base_a, factor, interval),
        program.input("x_b", domain.base_b, domain.factor_b, interval),
    )
    parts = split(program, domain, value)
    for part in parts:
        program.output(part.a, part.b)
    return program, parts


def checked(program, parts, domain, value, generator=None):
    """K and R of ``value``: the one division X = K M_a + R that the ranges allow."""
    quotient, remainder = evaluate(program, parts, {"x": value}, generator)
    assert quotient * domain.base_a.product + remainder == value
    return quotient, remainder


def adversarial(domain, interval, generator):
    """Edges of the range, multiples of M_a and what is near them, the Cox's error around them."""
    radix = domain.base_a.product
    near = [0, 1, -1, radix // 2, -radix // 2, radix // 50, radix // 1000, radix - 1]
    turns = [0, 1, -1, 2, int(interval.low) // radix, int(interval.high) // radix]
    values = ends(interval) + [turn * radix + each for turn in turns for each in near]
    values += [generator.randint(int(interval.low), int(interval.high)) for _ in range(60)]
    return [value for value in values if interval.low <= value <= interval.high]


@pytest.mark.parametrize("columns", [1, 2, 4])
@pytest.mark.parametrize("representation", [Canonical(), Redundant(1)])
@pytest.mark.parametrize("squared", [False, True])
@pytest.mark.parametrize("form", FORMS)
def test_signed_values(form, squared, representation, columns):
    base_a, base_b = bases()
    cox = Cox(12, Fraction(1, 2))
    domain = SplitDomain(base_a, base_b, cox, cox, columns, form)
    interval = Interval.of(-40 * base_a.product**2, 50 * base_a.product**2)
    program, parts = split_program(domain, interval, representation, squared=squared)
    if isinstance(representation, Redundant):
        representation = analyse(program).representation
        program, parts = split_program(domain, interval, representation, squared=squared)
    generator = random.Random(1)
    weights = domain.weights if squared else (1,) * len(base_a)
    least = remainder_range(program, domain, weights)
    for value in adversarial(domain, interval, generator):
        _, remainder = checked(program, parts, domain, value, generator)
        assert least.low <= remainder <= least.high


@pytest.mark.parametrize("columns", [1, 2])
@pytest.mark.parametrize("form", FORMS[:2])
def test_unsigned_values(form, columns):
    base_a, base_b = bases()
    domain = SplitDomain(base_a, base_b, *PUBLISHED, columns, form, unsigned=True)
    interval = Interval.of(base_a.product // 4, 40 * base_a.product**2)
    program, parts = split_program(domain, interval)
    for value in adversarial(domain, interval, random.Random(2)):
        quotient, remainder = checked(program, parts, domain, value)
        assert quotient >= 0
        assert 0 <= remainder < base_a.product * 1.1


def test_minus_one_comes_out_of_the_published_extensions():
    """ERRATA E6: K = -1 for X < err M_a and sigma0 = (0, 1/2); read as signed it is no error."""
    base_a, base_b = bases()
    domain = SplitDomain(base_a, base_b, *PUBLISHED)
    program, parts = split_program(domain, Interval.of(0, 8 * base_a.product**2))
    error = deviation(base_a, PUBLISHED[0], canonical_ranges(base_a)).under * base_a.product
    seen = {
        value: checked(program, parts, domain, value)
        for value in [*range(1, 200), *(int(error) // k for k in range(2, 200))]
    }
    assert {k for k, _ in seen.values()} == {0, -1}
    assert seen[1] == (-1, 1 + base_a.product)
    assert checked(program, parts, domain, 0) == (0, 0)
    for value in (int(error) + 1, int(error) * 2, base_a.product - 1):
        assert checked(program, parts, domain, value) == (0, value)


def test_minus_one_is_wrong_where_the_second_extension_starts_from_zero():
    """What the program refuses does go wrong: K = -1 becomes M_b - 1 in base a."""
    base_a, base_b = bases()
    first, second = PUBLISHED
    with pytest.raises(ProgramError, match=r"k\(x\) reaches .* sigma0 = 0 is below the Cox's err"):
        split_program(
            SplitDomain(base_a, base_b, first, first), Interval.of(0, 8 * base_a.product**2)
        )
    domain = SplitDomain(base_a, base_b, first, second)
    program, parts = split_program(domain, Interval.of(0, 8 * base_a.product**2))
    for step in program.steps:
        for term in step.terms:
            if isinstance(term, Correction) and term.quotient.cox == second:
                object.__setattr__(term.quotient, "cox", first)
    wrong = 0
    for value in range(1, 50):
        try:
            checked(program, parts, domain, value)
        except AssertionError:
            wrong += 1
    assert wrong == 49


def test_signed_form_needs_no_correction_exactly_above_the_error():
    """-1 is exact if and only if sigma0 >= under + 1 / M_b."""
    base_a, base_b = bases()
    error = deviation(base_b, Cox(10, Fraction(0)), canonical_ranges(base_b)).under
    steps = -(-(error * 2**10 + Fraction(2**10, base_b.product)) // 1)
    interval = Interval.of(0, base_a.product**2)
    enough = replace(PUBLISHED[1], truncation=10, sigma0=Fraction(int(steps), 2**10))
    domain = SplitDomain(base_a, base_b, PUBLISHED[0], enough)
    program, parts = split_program(domain, interval)
    assert checked(program, parts, domain, 1)[0] == -1
    less = replace(enough, sigma0=enough.sigma0 - Fraction(1, 2**10))
    assert less.sigma0 > 0
    with pytest.raises(ProgramError, match="is below the Cox's error"):
        split_program(replace(domain, second=less), interval)


def test_centred_start_returns_values_near_zero_as_their_own_remainder():
    base_a, base_b = bases()
    domain = SplitDomain(base_a, base_b, *CENTRED)
    program, parts = split_program(domain, Interval.of(-(base_a.product**2), base_a.product**2))
    near = base_a.product * 4 // 10
    for value in (0, 1, -1, 2, -2, near, -near):
        assert checked(program, parts, domain, value) == (0, value)


def test_unsigned_split_refuses_a_value_that_may_be_small():
    base_a, base_b = bases()
    domain = SplitDomain(base_a, base_b, *PUBLISHED, unsigned=True)
    with pytest.raises(ProgramError, match=r"quotient -1 .* add a multiple of P before"):
        split_program(domain, Interval.of(0, base_a.product**2))


def test_unsigned_split_refuses_a_centred_first_extension():
    base_a, base_b = bases()
    domain = SplitDomain(base_a, base_b, *CENTRED, unsigned=True)
    with pytest.raises(ProgramError, match=r"the remainder reaches .* needs sigma0 = 0"):
        split_program(domain, Interval.of(3 * base_a.product, base_a.product**2))


@pytest.mark.parametrize("columns", [1, 2])
@pytest.mark.parametrize("excess", [1, 3, 9])
def test_narrow_base_b_is_refused_by_its_missing_bits(excess, columns):
    base_a, base_b = bases(wider=0)
    cox = Cox(14, Fraction(1, 2))
    domain = SplitDomain(base_a, base_b, cox, cox, columns)
    fits = Interval.of(-(base_a.product**2) * 45 // 100, base_a.product**2 * 45 // 100)
    split_program(domain, fits)
    bits = f"the base of 4 moduli of 17 bits is {excess} bits? too narrow"
    with pytest.raises(ProgramError, match=rf"split\.py line \d+: k\(x\) reaches .*{bits}"):
        split_program(domain, fits.scaled(Fraction(2**excess * 9, 10)))


@pytest.mark.parametrize("channels", [2, 6, 8])
def test_counts(channels):
    """ERRATA E5: n^2 / 2 + 3 n / 2 with n / 2 moduli in each base."""
    base_a, base_b = bases(24, channels)
    interval = Interval.of(0, base_a.product**2)
    n = 2 * channels
    expected = {
        "lean": n * n // 2 + 3 * n // 2,
        "short": n * n // 2 + 2 * n,
        "quadratic": n * n // 2 + 2 * n,
    }
    for form, emm in expected.items():
        if form == "quadratic" and channels > 2:
            continue
        domain = SplitDomain(base_a, base_b, *CENTRED, 1, form)
        program, _ = split_program(domain, interval, squared=form == "quadratic")
        assert count(program).emm == emm
        assert count(program).cox == n


def test_hierarchical_counts():
    """c = 2: each extension has half the products, and as many reductions."""
    base_a, base_b = bases(24, 8)
    domain = SplitDomain(base_a, base_b, *CENTRED, 2)
    program, _ = split_program(domain, Interval.of(0, base_a.product**2))
    counts = count(program)
    assert (counts.emm, counts.cmr) == (16 * 16 // 4 + 3 * 8, 16 * 16 // 4)
    assert counts.cmul == counts.cadd == 16


def test_bases_that_share_a_factor_are_refused():
    base_a, _ = bases()
    with pytest.raises(SpecificationError, match="share a factor"):
        SplitDomain(base_a, base_a, *CENTRED)


def test_columns_have_to_divide_the_moduli():
    base_a, base_b = bases()
    domain = SplitDomain(base_a, base_b, *CENTRED, 3)
    with pytest.raises(SpecificationError, match="4 moduli do not make rows of c = 3"):
        split_program(domain, Interval.of(0, base_a.product**2))


def test_unsigned_quadratic_form_is_refused():
    base_a, base_b = bases()
    with pytest.raises(SpecificationError, match="use the lean or the short form"):
        SplitDomain(base_a, base_b, *PUBLISHED, 1, "quadratic", unsigned=True)


def test_quadratic_form_without_roots_is_refused():
    base_a, base_b = bases(24, 6)
    domain = SplitDomain(base_a, base_b, *CENTRED, 1, "quadratic")
    with pytest.raises(
        SpecificationError, match=r"multiple of a square modulo 2\^24 - .* short form"
    ):
        split_program(domain, Interval.of(0, base_a.product**2))
