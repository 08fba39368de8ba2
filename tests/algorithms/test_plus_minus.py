"""Plus-minus inversion: plain numbers and the rowers' words against Python's inverses."""

import random
from dataclasses import replace
from fractions import Fraction
from functools import cache
from math import gcd

import pytest

from residua.algorithms.plus_minus import (
    FIRST_LEAD,
    SLIDES_LEAD,
    Kind,
    Step,
    corrected,
    multiple,
    next_step,
    reduction,
    settled,
    sufficient_steps,
)
from residua.algorithms.step_bounds.plus_minus import RATE, shrinking_shapes
from residua.algorithms.step_bounds.shapes import Shape
from residua.errors import SpecificationError
from residua.machines.plus_minus import HatWords, PlainNumbers, slide_counts
from residua.numbers.bases import Base
from residua.numbers.hats import HatForm, hat_form
from residua.numbers.moduli import Modulus

P192 = 2**192 - 2**64 - 1
P384 = 2**384 - 2**128 - 2**96 + 2**32 - 1


def adversarial(modulus):
    """Ends, small numbers, those next to powers of two, fractions of P, and all their negatives."""
    near = [(1 << k) + step for k in range(modulus.bit_length()) for step in (-1, 0, 1)]
    near += [*range(1, 10), modulus // 2, modulus // 3, modulus // 4, modulus // 5]
    near += [modulus - number for number in near]
    return sorted({number for number in near if 0 < number < modulus})


def digits_of(modulus, width):
    return -(-(-(-modulus.bit_length() // width) * width) // 2)


def model(modulus, width, channels=None):
    return HatWords(hat_form(modulus, width, channels), digits_of(modulus, width))


@pytest.mark.parametrize("modulus", [3, 5, 7, 9, 15, 101, 255, 257])
def test_every_operand_of_small_moduli(modulus):
    plain = PlainNumbers(modulus)
    for x in range(1, modulus):
        if gcd(x, modulus) == 1:
            assert plain.invert(x) == pow(x, -1, modulus)
        else:
            with pytest.raises(SpecificationError, match="shares a factor with P"):
                plain.invert(x)


@pytest.mark.parametrize("modulus", [65537, 2**61 - 1, P192, 3 * (2**31 - 1)])
def test_adversarial_operands(modulus):
    plain = PlainNumbers(modulus)
    for x in adversarial(modulus):
        if gcd(x, modulus) == 1:
            assert plain.invert(x) * x % modulus == 1
            assert len(plain.reduction(x).steps) <= sufficient_steps(modulus.bit_length())


@pytest.mark.parametrize(
    ("modulus", "width", "channels"),
    [(101, 8, None), (65537, 8, None), (2**61 - 1, 17, 4), (P192, 17, 12), (P192, 29, 7)],
)
def test_words_of_the_rowers(modulus, width, channels):
    words, plain = model(modulus, width, channels), PlainNumbers(modulus)
    for x in random.Random(1).sample(adversarial(modulus), 20):
        assert words.invert(x) == pow(x, -1, modulus)
        assert reduction(words, words.loaded(x, 0)) == plain.reduction(x)


def test_words_stay_in_their_range():
    words = model(2**61 - 1, 17)
    form, generator = words.form, random.Random(2)
    ends = [(-m.value, -m.value + 1, 0, m.value - 2, m.value - 1) for m in form.base]
    for kind in Kind:
        for amount in (0, 1, 2, -1):
            for _ in range(200):
                x, y = (tuple(map(generator.choice, ends)) for _ in range(2))
                result = words.step(kind, x, y, amount)
                assert all(
                    -m.value <= word < m.value for m, word in zip(form.base, result, strict=True)
                )


def test_steps_in_hat_form_are_those_of_numbers():
    words = model(2**61 - 1, 17)
    plain, generator = PlainNumbers(words.modulus), random.Random(3)
    edges = [0, 1, -1, words.modulus, -words.modulus]
    edges += [generator.randint(-words.modulus, words.modulus) for _ in range(300)]
    for _ in range(500):
        x, y = (generator.choice(edges) for _ in range(2))
        for kind in Kind:
            tag = {Kind.ADD: x + y, Kind.SUBTRACT: x - y}.get(kind, x) % 4
            amount = multiple(kind, tag, words.modulus)
            expected = plain.step(kind, x, y, amount)
            found = words.step(kind, words.constant(x), words.constant(y), amount)
            assert words.form.number(found) == expected
            assert words.mod4(found) == expected % 4


def test_tags_of_any_representatives():
    form = hat_form(P192, 17, 12)
    generator = random.Random(4)
    numbers = [0, 1, -1, P192, -P192] + [generator.randint(-P192, P192) for _ in range(500)]
    for number in numbers:
        canonical = form.words(number)
        pairs = list(zip(canonical, form.base, strict=True))
        for words in (
            canonical,
            tuple(word - m.value for word, m in pairs),
            tuple(word - generator.randint(0, 1) * m.value for word, m in pairs),
        ):
            assert form.mod4(words) == number % 4
            assert form.number(words) == number
            assert form.equals(words, number)
            assert not form.equals(words, number + 1)


def test_an_offset_without_room_is_refused():
    form = hat_form(P192, 17, 12)
    with pytest.raises(SpecificationError, match="more channels, wider ones or a larger t"):
        HatForm(form.base, P192, form.truncation - 1)
    with pytest.raises(SpecificationError, match="more channels, wider ones or a larger t"):
        hat_form(P192, 17, 11)
    even = Base((Modulus.of_value(2**17 - 1, 17), Modulus.of_value(2**17 - 2, 17)))
    with pytest.raises(SpecificationError, match="odd channel moduli, not 131070"):
        HatForm(even, 65537, 8)
    with pytest.raises(SpecificationError, match="w = 17 works"):
        hat_form(2**2048 + 1, 8)


@pytest.mark.parametrize("x", [0, P192, P192 + 1, 2 * P192, -1])
def test_operands_without_inverse_are_refused(x):
    for inverter in (PlainNumbers(P192), model(P192, 17)):
        with pytest.raises(SpecificationError, match=r"is not in \[1, P\)"):
            inverter.invert(x)


@pytest.mark.parametrize("modulus", [1, 2, 100])
def test_moduli_are_odd(modulus):
    with pytest.raises(SpecificationError, match="needs an odd modulus"):
        PlainNumbers(modulus)


def test_corrections():
    assert [corrected(v, s, 101) for v, s in ((5, 1), (-5, 1), (5, -1), (-5, -1))] == [5, 96, 96, 5]


def test_counts_of_the_slides():
    steps = [Step(Kind.HALVE), Step(Kind.QUARTER), Step(Kind.ADD, True), Step(Kind.SUBTRACT)]
    found = slide_counts(steps, 12)
    assert (found.steps, found.emm, found.cox, found.mod4) == (4, 96, 96, 104)
    assert found.ema == 96 + 4 * 12


def test_average_counts_are_just_below_those_of_the_slides():
    # 5474 EMM for 192 bits in 12 channels; the end is found up to a step earlier here.
    plain, generator = PlainNumbers(P192), random.Random(5)
    operands = [generator.randrange(1, P192) for _ in range(99)]
    counts = [slide_counts(plain.reduction(x, SLIDES_LEAD).steps, 12).emm for x in operands]
    assert 5400 < sum(counts) / len(counts) < 5474


@pytest.mark.parametrize("modulus", [3, 5, 7, 11, 101, 251])
def test_a_fixed_number_of_steps_settles_every_operand(modulus):
    plain = PlainNumbers(modulus)
    for x in range(-modulus, modulus + 1):
        u1, u3 = settled(plain, x, 1, sufficient_steps(modulus.bit_length()))
        assert u1 * u3 % modulus == (pow(x, -1, modulus) if x % modulus else 0)


@pytest.mark.parametrize(("modulus", "width", "channels"), [(P192, 17, 12), (P384, 22, 18)])
def test_settled_words_of_a_centred_form(modulus, width, channels):
    found = hat_form(modulus, width, channels)
    form = HatForm(found.base, modulus, found.truncation, centred=True)
    words, plain, chooser = HatWords(form, 0), PlainNumbers(modulus), random.Random(4)
    numbers = [0, 1, modulus - 1, modulus, *chooser.sample(adversarial(modulus), 8)]
    for x in [*numbers, *(-x for x in numbers)]:
        first = chooser.randrange(modulus) - modulus // 2
        steps = sufficient_steps(modulus.bit_length())
        expected = settled(plain, x, first, steps)
        assert expected[0] * expected[1] * x % modulus == (first % modulus if x % modulus else 0)
        assert abs(expected[1]) == (1 if x % modulus else modulus)
        found = settled(words, words.constant(x), words.constant(first), steps)
        assert tuple(map(form.number, found)) == expected


@pytest.fixture(scope="module")
def shapes():
    return shrinking_shapes()


@cache
def steps_to_zero(v, u, lead):
    """Steps after which V3 is 0 for the first time."""
    if v == 0:
        return 0
    step, after = next_step(v % 4, u % 4, lead)
    total = v * 2 if step.kind is Kind.HALVE else v
    total += {Kind.ADD: u, Kind.SUBTRACT: -u}.get(step.kind, 0)
    assert total % 4 == 0
    return 1 + steps_to_zero(total // 4, v if step.exchange else u, after)


@pytest.mark.parametrize("bits", range(2, 10))
def test_the_bound_is_the_longest_run_or_one_more(bits, shapes):
    """Over all operands of all moduli of so many bits; one step less is never proved."""
    moduli = range((1 << bits - 1) + 1, 1 << bits, 2)
    longest = max(steps_to_zero(x, p, FIRST_LEAD) for p in moduli for x in range(p + 1))
    assert sufficient_steps(bits) - 1 <= longest <= sufficient_steps(bits)
    assert not shapes.suffices(bits, longest - 1)


def test_steps_of_full_size():
    assert [sufficient_steps(bits) for bits in (192, 256, 384)] == [315, 420, 630]


def test_steps_are_proved(shapes):
    assert shapes.shrink
    assert shapes.suffice_always
    assert all(shapes.suffices(bits, sufficient_steps(bits)) for bits in (192, 256, 384, 521))


def test_fewer_steps_are_not_proved(shapes):
    assert not any(shapes.suffices(bits, sufficient_steps(bits) - 2) for bits in range(1, 600))


def test_what_steps_do_not_shrink_is_refused(shapes):
    smaller = RATE - Fraction(1, 10**4)
    assert not shrinking_shapes(smaller).shrink
    assert not replace(shapes, rate=smaller).shrink


def test_other_shapes_are_refused(shapes):
    """A shape that is a little too small, or that of another lead."""
    first, second = shapes.shapes
    nearer = Shape(tuple((int(v * (1 - 1e-6)), u) for v, u in second.corners))
    for pair in ((first, nearer), (second, first), (first, first), (second, second)):
        assert not replace(shapes, shapes=pair).shrink
    assert not replace(shapes, shapes=(second, first)).suffices(256, 1000)
