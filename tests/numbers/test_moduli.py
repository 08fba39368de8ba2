"""Channel moduli 2^w - h and their signed digits."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from residua.errors import SpecificationError
from residua.numbers.moduli import Modulus, signed_digits


@st.composite
def moduli(draw):
    width = draw(st.integers(2, 80))
    largest = (1 << width // 2) - 1
    return Modulus(width, draw(st.integers(-largest, largest)))


@given(st.integers(-(2**80), 2**80))
def test_signed_digits_add_up_without_neighbours(number):
    digits = signed_digits(number)
    assert sum(sign << exponent for sign, exponent in digits) == number
    exponents = [exponent for _, exponent in digits]
    assert all(high - low >= 2 for high, low in pairwise(exponents))
    assert all(sign in {-1, 1} for sign, _ in digits)


@given(st.integers(0, 2**80))
def test_signed_digits_are_as_few_as_possible(number):
    # The weight of the non-adjacent form, counted another way.
    assert len(signed_digits(number)) == (number ^ 3 * number).bit_count()


@given(moduli())
def test_value_and_offset_determine_each_other(modulus):
    assert modulus.value + modulus.offset == 1 << modulus.width
    assert Modulus.of_value(modulus.value, modulus.width) == modulus
    assert modulus.weight == len(signed_digits(modulus.offset))


@given(moduli(), st.integers(-(2**200), 2**200))
def test_centred_representatives(modulus, value):
    centred = modulus.centre(value)
    assert centred % modulus.value == value % modulus.value
    assert -modulus.value <= 2 * centred < modulus.value


@pytest.mark.parametrize(("offset", "text"), [(0, "2^17"), (3, "2^17 - 3"), (-5, "2^17 + 5")])
def test_text(offset, text):
    assert str(Modulus(17, offset)) == text


@pytest.mark.parametrize(("width", "offset"), [(8, 128), (8, -128), (17, 1 << 16), (64, 1 << 63)])
def test_large_offsets_are_refused(width, offset):
    with pytest.raises(SpecificationError, match=rf"\|h\| must be below 2\^{width - 1} = "):
        Modulus(width, offset)


def test_one_bit_is_refused():
    with pytest.raises(SpecificationError, match="at least 2 bits, not 1"):
        Modulus(1, 0)
