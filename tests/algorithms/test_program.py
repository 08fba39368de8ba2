"""What a program refuses to record, and how its messages name the place."""

import inspect
from fractions import Fraction
from itertools import product

import pytest

from algorithms.domains import P192, papers_bases
from residua.algorithms.base_extension import cofactor_form
from residua.algorithms.program import Program, ProgramError, rational_residue
from residua.algorithms.terms import Interval
from residua.numbers.cox import Cox
from residua.numbers.residues import Redundant

BASE_A, BASE_B = papers_bases(P192, 17, 12)
ONES = [1] * 12
SMALL = Interval.of(0, P192)
HALF = Cox(8, Fraction(1, 2))


PLACE = r"demo, test_program\.py line \d+: "
"""How a message names the line that made the call."""


def vector(program, name="x", base=BASE_A, factor=ONES, range=SMALL):
    return program.input(name, base, factor, range)


def test_terms_with_different_factors_are_refused():
    program = Program("demo")
    x, y = vector(program), vector(program, "y", factor=[-1] * 12)
    terms = program.scaled(x, 1), program.scaled(y, 1)
    with pytest.raises(ProgramError, match=PLACE + "the terms of z carry different factors"):
        program.reduce("z", *terms)
    # A constant product brings both to one factor.
    z = program.reduce("z", program.scaled(x, 1, [-1] * 12), program.scaled(y, 1))
    assert z.factor == y.factor


def test_messages_name_the_line_of_the_algorithm():
    program = Program("demo")
    x, y = vector(program), vector(program, "y", base=BASE_B)
    with pytest.raises(ProgramError) as caught:
        program.product(x, y)
    first = inspect.currentframe().f_lineno - 1
    assert f"test_program.py line {first}: " in str(caught.value)


def test_a_product_carries_the_product_of_the_factors():
    program = Program("demo")
    z = program.reduce(
        "z",
        program.product(vector(program, factor=[2] * 12), vector(program, "y", factor=[3] * 12)),
    )
    assert z.factor == (6,) * 12
    assert z.range == Interval.of(0, P192**2)


def test_operands_over_different_bases_are_refused():
    program = Program("demo")
    x, y = vector(program), vector(program, "y", base=BASE_B)
    shorter = program.channels(x, 0, 11)
    with pytest.raises(ProgramError, match=PLACE + "operands over different bases"):
        program.product(x, y)
    with pytest.raises(ProgramError, match=PLACE + r"operands over different bases, of 12 and 11"):
        program.product(x, shorter)
    with pytest.raises(ProgramError, match=PLACE + "operands over different bases"):
        program.reduce("z", program.scaled(x, 1), program.scaled(y, 1))


def test_a_source_without_the_cofactor_form_is_refused():
    program = Program("demo")
    x = vector(program)
    with pytest.raises(
        ProgramError, match=PLACE + r"x does not carry the factor M_i\^-1 modulo 2\^"
    ):
        program.extension(x, BASE_B, HALF)
    xi = cofactor_form(program, x)
    program.extension(xi, BASE_B, HALF, exact=True)
    with pytest.raises(ProgramError, match=PLACE + r"xi\(x\) does not carry the factor"):
        program.extension(xi, BASE_B, HALF, weights=[2] * 12)


def test_a_part_of_a_base_is_no_source():
    program = Program("demo")
    xi = cofactor_form(program, vector(program))
    with pytest.raises(ProgramError, match=r"does not carry the factor M_i\^-1"):
        program.extension(program.channels(xi, 0, 6), BASE_B, HALF)


def test_exact_extension_of_too_large_values_is_refused():
    for top in (Fraction(99, 100), 4, 2**40, 2**2000):
        program = Program("demo")
        xi = cofactor_form(
            program, vector(program, range=Interval.of(0, int(top * BASE_A.product)))
        )
        with pytest.raises(
            ProgramError, match=PLACE + r"xi\(x\) reaches \[0, 2\^.*bits? too narrow"
        ):
            program.extension(xi, BASE_B, HALF, exact=True)


@pytest.mark.parametrize(("bits", "text"), [(1, "1 bit"), (5, "5 bits"), (2000, "2000 bits")])
def test_shortage_is_counted_in_bits(bits, text):
    """3/8 of M is exact, 3/8 of M * 2^k lacks k bits."""
    program = Program("demo", Redundant(2))
    limit = (BASE_A.product << bits) * 3 // 8
    xi = cofactor_form(program, vector(program, range=Interval.of(-limit, limit)))
    with pytest.raises(ProgramError, match=f"17 bits is {text} too narrow"):
        program.extension(xi, BASE_B, HALF, exact=True)


def test_exact_extension_without_quotient_is_refused():
    program = Program("demo")
    xi = cofactor_form(program, vector(program))
    with pytest.raises(ProgramError, match="without the Cox's quotient it never is"):
        program.extension(xi, BASE_B, None, exact=True)


def test_exact_extension_by_a_coarse_cox_is_refused():
    program = Program("demo", Redundant(2))
    xi = cofactor_form(program, vector(program))
    with pytest.raises(ProgramError, match="the Cox needs more than t = 3 bits"):
        program.extension(xi, BASE_B, Cox(3, Fraction(1, 2)), exact=True)


def test_views_share_the_stored_vector():
    program = Program("demo")
    x = vector(program)
    part = program.channels(program.channels(x, 2, 12), 3, 6)
    assert part.root() == (x, 5)
    assert part.base.moduli == BASE_A.moduli[5:8]
    twice = program.restate(part, 2)
    assert twice.root() == (x, 5)
    assert twice.range == Interval.of(0, 2 * P192)
    for factor, m in zip(twice.factor, twice.base, strict=True):
        assert 2 * factor % m.value == 1


def test_a_selection_has_the_range_of_both():
    program = Program("demo")
    bit = program.bit("bit")
    x = vector(program, range=Interval.of(-3, 10))
    y = vector(program, "y", range=Interval.of(5, 20))
    assert program.select(bit, x, y).range == Interval.of(-3, 20)
    assert program.select(bit, x, y, -1).range == Interval.of(-20, 10)
    chosen = program.select(bit, x, y, -1)
    assert chosen.factor == x.factor
    assert [(t.value, t.inverted, t.sign) for t in chosen.terms] == [(x, False, 1), (y, True, -1)]


def test_a_choice_has_the_range_of_all_and_zero():
    program = Program("demo")
    bits = [program.bit(name) for name in "abc"]
    ranges = [Interval.of(5, 9), Interval.of(-3, 10), Interval.of(2, 30)]
    values = [vector(program, name, range=r) for name, r in zip("xyz", ranges, strict=True)]
    chosen = program.choose(*zip(bits, values, strict=True))
    assert chosen.range == Interval.of(-3, 30)
    assert program.choose((bits[0], values[0])).range == Interval.of(0, 9)
    assert chosen.factor == values[0].factor
    assert [(t.value, t.bit, t.inverted, t.sign) for t in chosen.terms] == [
        (value, bit, False, 1) for bit, value in zip(bits, values, strict=True)
    ]


def test_a_bit_is_one_input_however_often_it_is_used():
    program = Program("demo")
    assert program.bit("bit") == program.bit("bit")
    assert program.bit("other") != program.bit("bit")
    assert [bit.name for bit in program.bits] == ["bit", "other"]


def test_selections_of_unlike_values_are_refused():
    program = Program("demo")
    bit, x = program.bit("bit"), vector(program)
    scaled, elsewhere = vector(program, "y", factor=[2] * 12), vector(program, "z", base=BASE_B)
    with pytest.raises(ProgramError, match=PLACE + "x and y carry different factors"):
        program.select(bit, x, scaled)
    with pytest.raises(ProgramError, match=PLACE + "operands over different bases"):
        program.select(bit, x, elsewhere)
    with pytest.raises(ProgramError, match=PLACE + "x and y carry different factors"):
        program.choose((bit, x), (program.bit("other"), scaled))
    with pytest.raises(ProgramError, match=PLACE + "operands over different bases"):
        program.choose((bit, x), (program.bit("other"), elsewhere))


def test_stored_values():
    program = Program("demo")
    summand = program.stored(-5, BASE_A, [3] * 12)
    assert summand.range == Interval.of(-5, -5)
    assert summand.factor == (3,) * 12
    (term,) = summand.terms
    assert all((c + 15) % m.value == 0 for c, m in zip(term.constant, BASE_A, strict=True))
    with pytest.raises(ProgramError, match=PLACE + "the terms of z carry different factors"):
        program.reduce("z", summand, program.scaled(vector(program), 1))


def test_demands():
    program = Program("demo", Redundant(2))
    x = vector(program)
    program.demand(x, SMALL, "fits")
    with pytest.raises(
        ProgramError, match=PLACE + r"x reaches \[0, 2\^192\.00\], outside .*; because"
    ):
        program.demand(x, Interval.of(0, P192 - 1), "because")
    with pytest.raises(ProgramError, match=PLACE + "residues must be canonical"):
        program.demand_canonical(BASE_A)
    Program("demo").demand_canonical(BASE_A)


def test_intervals():
    one = Interval.of(-2, 3)
    assert one + Interval.of(1, 1) == Interval.of(-1, 4)
    assert one * one == Interval.of(-6, 9)
    assert one.scaled(Fraction(-1, 2)) == Interval.of(Fraction(-3, 2), 1)
    assert one.scaled(Fraction(-1, 2)).integers() == Interval.of(-1, 1)
    assert one.magnitude == 3
    assert Interval.of(-2, 2).within(one)
    assert not Interval.of(-3, 2).within(one)


def test_rational_residues():
    for modulus in (7, 97, 2**17 - 1):
        value = rational_residue(Fraction(-5, 3), modulus)
        assert (3 * value + 5) % modulus == 0


def test_products_of_intervals_are_as_wide_as_they_must_be():
    ends = range(-3, 4)
    intervals = [(low, high) for low in ends for high in ends if low <= high]
    for one, other in product(intervals, repeat=2):
        corners = [a * b for a in one for b in other]
        found = Interval.of(*one) * Interval.of(*other)
        assert found == Interval.of(min(corners), max(corners)), (one, other)
