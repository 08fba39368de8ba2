"""Extended RNS against plain integers: signed range, r, reduction by both ways."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from residua.errors import SpecificationError
from residua.numbers.bases import Base
from residua.numbers.extended_base import ExtendedBase, extended_base
from residua.numbers.moduli import Modulus

TOY = ExtendedBase(Base((Modulus(3, 3), Modulus(3, 1), Modulus(3, -1))), Modulus(3, -3))
PUBLISHED = extended_base(20, 33)


def test_toy_base_exhaustively():
    assert TOY.largest == 5 * 7 * 9 - 1
    for number in range(-TOY.largest, TOY.largest + 1):
        residues = TOY.residues(number)
        assert TOY.integer(residues) == number
        for prime in (13, 17):
            assert TOY.reduced(residues, prime) == TOY.residues(number % prime)
            extended = TOY.integer(TOY.extended_reduced(residues, prime))
            assert extended % prime == number % prime
            assert 0 <= extended <= TOY.extended_bound(prime)


def test_the_range_ends_at_m_minus_1_and_needs_n_plus_1():
    """x = M is taken for another number if m_r = n + 1, and m_r = n is too small (E20)."""
    least = ExtendedBase(
        Base((Modulus(4, 3), Modulus(4, 5), Modulus(4, 1), Modulus(4, -1))), Modulus(3, 1)
    )
    assert all(least.integer(least.residues(x)) == x for x in (-least.largest, least.largest))
    tight = ExtendedBase(
        Base((Modulus(3, 1), Modulus(3, -1), Modulus(4, 5), Modulus(4, 3))[:2]), Modulus(3, 3)
    )
    assert all(tight.integer(tight.residues(x)) == x for x in range(-62, 63))
    with pytest.raises(SpecificationError, match="must be at least 5"):
        ExtendedBase(least.base, Modulus(2, 1))


@given(st.integers(-PUBLISHED.largest, PUBLISHED.largest))
def test_published_size(number):
    prime = 2**160 - 2**31 - 1
    residues = PUBLISHED.residues(number)
    assert PUBLISHED.integer(residues) == number
    extended = PUBLISHED.integer(PUBLISHED.extended_reduced(residues, prime))
    assert extended % prime == number % prime
    assert 0 <= extended <= PUBLISHED.extended_bound(prime)


def test_bases_that_cannot_be():
    with pytest.raises(SpecificationError, match=r"coprime odd moduli 2\^8 - h"):
        extended_base(20, 8)
    with pytest.raises(SpecificationError, match="odd"):
        ExtendedBase(Base((Modulus(4, 0), Modulus(4, 1))), Modulus(4, 3))
    with pytest.raises(SpecificationError, match="shares a factor"):
        ExtendedBase(Base((Modulus(4, 1), Modulus(4, 3))), Modulus(4, 7))


def test_moduli_are_the_first_that_fit():
    assert len(PUBLISHED.base) == 20
    assert PUBLISHED.base.product.bit_length() == 660
    assert all(m.weight <= 3 and m.offset > 0 for m in PUBLISHED.base)
