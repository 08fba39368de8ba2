"""Counts against the published cost formulas, as corrected by the errata (section 4)."""

from fractions import Fraction

import pytest

from algorithms.domains import P192, papers_bases, signed_domain
from residua.algorithms.base_extension import bajard_imbert, kawamura, mixed_radix, shenoy_kumaresan
from residua.algorithms.montgomery import Form, MontgomeryDomain, operand, sum_of_products
from residua.algorithms.program import Program
from residua.algorithms.terms import Interval
from residua.machines.counts import count
from residua.numbers.bases import Base
from residua.numbers.cox import Cox
from residua.numbers.moduli import Modulus

REDUNDANT = Modulus(33, 9)
SIZES = [4, 7, 8, 9, 12, 16, 32]
REDUCTIONS = {
    "plain": lambda n: 2 * n**2 + 5 * n,
    "reordered": lambda n: 2 * n**2 + 2 * n,
    "quadratic": lambda n: 2 * n**2 + n,
}


def domain_of(channels: int, form: Form) -> MontgomeryDomain:
    """n channels of 33 bits; what a product costs depends on n alone."""
    modulus = 2 ** (33 * channels - 12) - 1
    if form == "quadratic":
        return signed_domain(modulus, 33, channels, form, 4)
    base_a, base_b = papers_bases(modulus, 33, channels)
    cox = Cox(12, Fraction(1, 2))
    return MontgomeryDomain(modulus, base_a, base_b, cox, cox, 2 * modulus, form)


def product_counts(channels, form, signs=(1,)):
    domain = domain_of(channels, form)
    program = Program("product")
    pairs = [
        (operand(program, domain, f"x{k}"), operand(program, domain, f"y{k}"), sign)
        for k, sign in enumerate(signs)
    ]
    sum_of_products(program, domain, pairs)
    return count(program)


@pytest.mark.parametrize("form", REDUCTIONS)
@pytest.mark.parametrize("channels", SIZES)
def test_product(channels, form):
    counts = product_counts(channels, form)
    assert counts.emm == REDUCTIONS[form](channels) + 2 * channels
    assert counts.cox == 2 * channels
    # All products but those of operands take a stored constant; a corrected word is one more.
    assert counts.emw == REDUCTIONS[form](channels) + 2 * channels


def test_product_of_twelve_channels():
    found = {form: product_counts(12, form).emm for form in REDUCTIONS}
    assert found == {"plain": 372, "reordered": 336, "quadratic": 324}


@pytest.mark.parametrize(("channels", "emm"), [(12, 336), (9, 198), (7, 126)])
def test_product_of_the_inversion_tables(channels, emm):
    assert product_counts(channels, "reordered").emm == emm


@pytest.mark.parametrize("form", REDUCTIONS)
@pytest.mark.parametrize("signs", [(1, 1), (1, -1), (1, 1, 1, -1)])
@pytest.mark.parametrize("channels", [4, 12])
def test_sum_of_products_costs_one_reduction(channels, signs, form):
    emm = product_counts(channels, form, signs).emm
    assert emm == REDUCTIONS[form](channels) + 2 * channels * len(signs)


def extension_counts(channels, extend):
    source, target = papers_bases(REDUNDANT.value, 33, channels)
    program = Program("extension")
    value = program.input("x", source, [1] * channels, Interval.of(0, 1))
    extend(program, value, target)
    return count(program)


@pytest.mark.parametrize("n", SIZES)
def test_extensions(n):
    cox = Cox(12, Fraction(1, 2))
    extended = extension_counts(n, lambda p, x, base: kawamura(p, x, base, cox))
    assert extended.emm == n**2 + n
    assert extended.cox == n
    assert extended.ema == n**2
    assert extended.emw == n**2 + 2 * n
    assert extension_counts(n, bajard_imbert).emm == n**2 + n
    assert extension_counts(n, mixed_radix).emm == 3 * n * (n - 1) // 2


def test_extensions_of_twelve_channels():
    cox = Cox(12, Fraction(1, 2))
    assert extension_counts(12, lambda p, x, base: kawamura(p, x, base, cox)).emm == 156
    assert extension_counts(12, mixed_radix).emm == 198


@pytest.mark.parametrize("n", SIZES)
def test_shenoy_kumaresan_adds_the_redundant_channel(n):
    def extend(program, value, base):
        redundant = Base((REDUNDANT,))
        extra = program.input("x_r", redundant, [1], Interval.of(0, 1))
        return shenoy_kumaresan(program, value, extra, base)

    # xi, n products into base b and one into p_r for each channel, q * M, and q itself.
    assert extension_counts(n, extend).emm == n + n * n + n + n + 1


def test_additions_are_no_products():
    base, _ = papers_bases(P192, 17, 12)
    program = Program("sum")
    x = program.input("x", base, [1] * 12, Interval.of(0, 1))
    y = program.input("y", base, [1] * 12, Interval.of(0, 1))
    program.reduce("z", program.scaled(x, 1), program.scaled(y, -1))
    program.reduce("t", program.scaled(x, 2), program.scaled(y, 1))
    counts = count(program)
    assert (counts.emm, counts.ema, counts.emw, counts.cox) == (12, 24, 12, 0)


def test_selections_are_additions():
    """A bit chooses one of two values; either way they cost one addition and no product."""
    base, _ = papers_bases(P192, 17, 12)
    program = Program("choice")
    bit = program.bit("bit")
    x, y = (program.input(name, base, [1] * 12, Interval.of(0, 1)) for name in "xy")
    program.reduce("z", program.select(bit, x, y))
    counts = count(program)
    assert (counts.emm, counts.ema, counts.emw, counts.cox) == (0, 12, 0, 0)
    program.reduce("t", program.select(bit, x, y, -1), program.product(x, y))
    counts = count(program)
    assert (counts.emm, counts.ema, counts.emw, counts.cox) == (12, 36, 0, 0)


def test_a_stored_value_is_a_word_of_each_channel():
    base, _ = papers_bases(P192, 17, 12)
    program = Program("constant")
    x = program.input("x", base, [1] * 12, Interval.of(0, 1))
    program.reduce("z", program.stored(5, base, [1] * 12))
    counts = count(program)
    assert (counts.emm, counts.ema, counts.emw, counts.cox) == (0, 0, 12, 0)
    program.reduce("t", program.stored(5, base, [1] * 12), program.scaled(x, 2))
    counts = count(program)
    assert (counts.emm, counts.ema, counts.emw, counts.cox) == (12, 12, 36, 0)
