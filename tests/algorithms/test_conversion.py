"""Conversions between binary and residues, into and out of Montgomery form."""

import random
from fractions import Fraction

import pytest

from algorithms.domains import P17, P64, P192, papers_domain, signed_domain, words_of
from residua.algorithms.conversion import (
    decode,
    encode,
    from_cofactors,
    from_montgomery,
    split_words,
    to_binary,
    to_montgomery,
    to_residues,
)
from residua.algorithms.montgomery import operand
from residua.algorithms.program import Program
from residua.algorithms.terms import Interval, Residues
from residua.errors import SpecificationError
from residua.machines.bounds import analyse
from residua.machines.counts import count
from residua.machines.values import run
from residua.numbers.cox import Cox
from residua.numbers.residues import Canonical, Redundant

FORMS = ["plain", "reordered", "quadratic"]


def numbers(largest: int, generator: random.Random) -> list[int]:
    """Edges of [0, largest], numbers of all-ones words, random ones."""
    edges = [0, 1, largest, largest - 1, (1 << (largest.bit_length() - 1)) - 1]
    return edges + [generator.randint(0, largest) for _ in range(40)]


@pytest.mark.parametrize("representation", [Canonical(), Redundant(2)])
@pytest.mark.parametrize(("words", "width"), [(12, 16), (12, 17), (24, 8), (1, 17)])
def test_to_residues(words, width, representation):
    base = signed_domain(P192, 17, 12).base_a
    program = Program("conversion", representation)
    largest = (1 << (words * width)) - 1
    operand = program.words("x", words, width, largest)
    factor = [3 + k for k in range(len(base))]
    result = to_residues(program, operand, base, factor)
    program.output(result)
    assert result.range == Interval.of(0, largest)
    assert count(program).emm == words * len(base)
    analyse(program)
    for number in numbers(largest, random.Random(1)):
        (found,) = run(program, {"x": split_words(number, words, width)}).values()
        for word, m, f in zip(found, base, factor, strict=True):
            assert (word - number * f) % m.value == 0


def test_one_word_without_factor_needs_no_product():
    base = signed_domain(P192, 17, 12).base_a
    program = Program("conversion")
    result = to_residues(program, program.words("x", 1, 17, (1 << 17) - 1), base)
    assert result.factor == (1,) * 12
    assert count(program).emm == 0


@pytest.mark.parametrize(
    ("setting", "form"),
    [*(("signed", form) for form in FORMS), ("papers", "plain"), ("papers", "reordered")],
)
def test_into_montgomery_form_and_back(setting, form):
    if setting == "signed":
        domain, representation = signed_domain(P192, 17, 12, form), Redundant(2)
    else:
        domain, representation = papers_domain(P192, 17, 12, form), Canonical()
    enter = Program("enter", representation)
    largest = (1 << 204) - 1
    entered = to_montgomery(enter, domain, enter.words("x", 12, 17, largest))
    enter.output(entered.a, entered.b)
    leave = Program("leave", representation)
    left = from_montgomery(leave, domain, operand(leave, domain, "x"))
    leave.output(left.a, left.b)
    factor = domain.montgomery_factor
    for number in [P192 - 1, P192, P192 + 1, *numbers(largest, random.Random(2))]:
        inside = run(enter, {"x": split_words(number, 12, 17)})
        assert to_binary(domain, inside[entered.b.name]) == number * factor % P192
        words = {"x_a": inside[entered.a.name], "x_b": inside[entered.b.name]}
        outside = run(leave, words)
        assert to_binary(domain, outside[left.b.name]) == number % P192
        result = decode(left.b, outside[left.b.name])
        assert result == decode(left.a, outside[left.a.name])
        assert left.b.range.low <= result <= left.b.range.high


@pytest.mark.parametrize("form", FORMS)
def test_conversion_into_montgomery_form_costs_one_reduction(form):
    domain = signed_domain(P192, 17, 12, form)
    program = Program("enter")
    to_montgomery(program, domain, program.words("x", 12, 17, P192 - 1))
    reductions = {
        "plain": 2 * 144 + 5 * 12,
        "reordered": 2 * 144 + 2 * 12,
        "quadratic": 2 * 144 + 12,
    }
    assert count(program).emm == 2 * 12 * 12 + reductions[form]


def test_to_binary_at_the_edges_of_the_domain():
    for form in FORMS:
        domain = signed_domain(P64, 17, 5, form)
        program = Program("identity", Redundant(2))
        element = operand(program, domain, "x")
        for number in [0, 1, -1, P64 - 1, P64, -P64, domain.bound, -domain.bound]:
            words = words_of(program, {"x": number}, random.Random(3))
            assert to_binary(domain, words["x_b"]) == number % P64
            assert decode(element.b, words["x_b"]) == number


def test_from_cofactors_returns_a_neighbour_beyond_the_exact_interval():
    base = papers_domain(P192, 17, 12).base_a
    generator = random.Random(4)
    for sigma0 in (Fraction(0), Fraction(1, 2)):
        cox = Cox(8, sigma0)
        for _ in range(200):
            number = generator.randrange(base.product)
            xi = [
                number * inverse % m.value
                for inverse, m in zip(base.cofactor_inverses, base, strict=True)
            ]
            found = from_cofactors(base, xi, cox)
            assert found - number in ({0, base.product} if sigma0 == 0 else {0, -base.product})


def test_from_cofactors_with_weights():
    domain = signed_domain(P192, 17, 12)
    base = domain.base_a
    for number in (0, 5, -7, P192, -P192):
        words = [
            m.centre(number * inverse * pow(weight, -1, m.value))
            for m, inverse, weight in zip(base, base.cofactor_inverses, domain.weights, strict=True)
        ]
        assert from_cofactors(base, words, domain.first, domain.weights) == number


def test_split_words():
    assert split_words(0x30201, 3, 8) == (1, 2, 3)
    assert split_words(0, 2, 4) == (0, 0)
    for number in (-1, 1 << 24):
        with pytest.raises(SpecificationError, match="does not fit 3 words of 8 bits"):
            split_words(number, 3, 8)


def test_encode_and_decode_are_inverse():
    base = signed_domain(P17, 8, 3).base_a
    factor = base.cofactor_inverses
    for low, high in [(-1000, 1000), (0, base.product - 1), (-5, base.product - 6)]:
        value = Residues("x", base, factor, Interval.of(low, high))
        for representation in (Canonical(), Redundant(2)):
            for number in (low, low + 1, 0, high - 1, high):
                assert decode(value, encode(value, number, representation)) == number
    with pytest.raises(SpecificationError, match="wider than its base"):
        decode(Residues("x", base, factor, Interval.of(0, base.product)), (0, 0, 0))


def test_too_wide_words_are_refused():
    domain = signed_domain(P192, 17, 12)
    program = Program("conversion")
    words = program.words("x", 11, 18, P192 - 1)
    for convert in (
        lambda: to_residues(program, words, domain.base_a),
        lambda: to_montgomery(program, domain, words),
    ):
        with pytest.raises(SpecificationError, match=r"words of 18 bits; .* at most w = 17"):
            convert()
