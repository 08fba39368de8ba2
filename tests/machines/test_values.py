"""The values interpreter, term by term, against integers written out here."""

from fractions import Fraction

import pytest

from residua.algorithms.program import Program
from residua.algorithms.terms import Interval
from residua.errors import SpecificationError
from residua.machines.values import estimate, run
from residua.numbers.bases import Base
from residua.numbers.cox import Cox
from residua.numbers.folding import Folding
from residua.numbers.moduli import Modulus
from residua.numbers.residues import Canonical, Redundant

BASE = Base((Modulus(8, 0), Modulus(8, 5), Modulus(8, 3)))
OTHER = Base((Modulus(8, -1), Modulus(8, 15)))
ONES = [1, 1, 1]
RANGE = Interval.of(-100, 100)
REPRESENTATIONS = [Canonical(), Redundant(1), Redundant(2)]


def two_inputs(representation):
    program = Program("demo", representation)
    return program, program.input("x", BASE, ONES, RANGE), program.input("y", BASE, ONES, RANGE)


@pytest.mark.parametrize("representation", REPRESENTATIONS)
def test_products_and_constants_are_summed_and_reduced_once(representation):
    program, x, y = two_inputs(representation)
    z = program.reduce(
        "z", program.product(x, y), program.product(x, x, -1), program.scaled(y, Fraction(2, 9))
    )
    program.output(z)
    words_x, words_y = (255, 3, -256), (1, 250, 77)
    found = run(program, {"x": words_x, "y": words_y})["z"]
    for m, a, b, word in zip(BASE, words_x, words_y, found, strict=True):
        constant = 2 * pow(9, -1, m.value) % m.value
        if isinstance(representation, Redundant) and 2 * constant >= m.value:
            constant -= m.value
        total = a * b - a * a + constant * b
        if isinstance(representation, Redundant):
            assert word == Folding(m, representation.folds).reduce(total)
        else:
            assert word == total % m.value


@pytest.mark.parametrize("representation", REPRESENTATIONS)
def test_broadcast_and_quotient(representation):
    program = Program("demo", representation)
    cox = Cox(5, Fraction(1, 2))
    xi = program.input("xi", BASE, BASE.cofactor_inverses, RANGE)
    program.output(program.reduce("z", program.extension(xi, OTHER, cox, exact=True)))
    for number in range(-100, 101, 7):
        words = [
            representation.constant(m, number * f)
            for m, f in zip(BASE, BASE.cofactor_inverses, strict=True)
        ]
        q = (16 + sum(word >> 3 for word in words)) >> 5
        total = sum(w * c for w, c in zip(words, BASE.cofactors, strict=True)) - q * BASE.product
        assert total == number
        found = run(program, {"xi": words})["z"]
        assert all((word - number) % m.value == 0 for word, m in zip(found, OTHER, strict=True))


def test_estimate_weighs_the_leading_bits():
    program = Program("demo", Redundant(2))
    cox = Cox(4, Fraction(3, 16))
    factor = [
        f * pow(g, -1, m.value)
        for f, g, m in zip(BASE.cofactor_inverses, (1, -3, 5), BASE, strict=True)
    ]
    xi = program.input("xi", BASE, factor, RANGE)
    summand = program.extension(xi, OTHER, cox, weights=(1, -3, 5))
    quotient = summand.terms[1].quotient
    for words in [(0, 0, 0), (255, -256, 255), (-256, 255, -256), (-1, 16, 15), (100, -100, 17)]:
        leading = [word // 16 for word in words]
        total = 3 + leading[0] - 3 * leading[1] + 5 * leading[2]
        assert estimate(quotient, words) == total // 16


def test_views_and_words():
    program = Program("demo")
    x = program.input("x", BASE, ONES, RANGE)
    words = program.words("b", 2, 8, 2**16 - 1)
    part = program.channels(x, 1, 3)
    program.output(part, program.reduce("r", program.scaled(part, 2)))
    program.output(program.reduce("c", program.spread(words, BASE, [1, 256], ONES, words.range)))
    found = run(program, {"x": (1, 200, 252), "b": (0x34, 0x12)})
    assert found["x[1:3]"] == (200, 252)
    assert found["r"] == (400 % 251, 504 % 253)
    assert found["c"] == BASE.residues(0x1234)


@pytest.mark.parametrize("words", [{"x": (1, 2)}, {"x": (1, 2, 3, 4)}, {}])
def test_inputs_of_another_length_are_not_accepted(words):
    program = Program("demo")
    x = program.input("x", BASE, ONES, RANGE)
    program.output(program.reduce("y", program.scaled(x, 2)))
    with pytest.raises(SpecificationError, match=r"x has 3 words, not [024]"):
        run(program, words)


@pytest.mark.parametrize("bits", [(0, 0), (0, 1), (1, 0), (1, 1)])
@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize("representation", REPRESENTATIONS)
def test_selections_in_a_sum(representation, sign, bits):
    program, x, y = two_inputs(representation)
    first, second = program.bit("first"), program.bit("second")
    total = program.reduce(
        "z",
        program.select(first, x, y, sign),
        program.select(second, y, x),
        program.product(x, y, -1),
    )
    program.output(total)
    words_x, words_y = (255, 3, -256), (1, 250, 77)
    inputs = {"x": words_x, "y": words_y, "first": bits[:1], "second": bits[1:]}
    found = run(program, inputs)["z"]
    for m, a, b, word in zip(BASE, words_x, words_y, found, strict=True):
        value = (a if bits[0] else sign * b) + (b if bits[1] else a) - a * b
        assert (word - value) % m.value == 0
        assert word == representation.reduce(m, value)


@pytest.mark.parametrize("representation", REPRESENTATIONS)
@pytest.mark.parametrize("number", [0, 1, -1, 100, -12345, 10**9])
def test_a_stored_value_carries_its_factor(representation, number):
    program, x, _ = two_inputs(representation)
    factor = [3, 250, 9]
    alone = program.reduce("alone", program.stored(number, BASE, factor))
    added = program.reduce("added", program.stored(number, BASE, ONES), program.scaled(x, 2))
    program.output(alone, added)
    words = (7, 100, 50)
    found = run(program, {"x": words, "y": words})
    for m, f, word in zip(BASE, factor, found["alone"], strict=True):
        assert (word - number * f) % m.value == 0
    for m, a, word in zip(BASE, words, found["added"], strict=True):
        assert (word - number - 2 * a) % m.value == 0
