"""RNS bases and the Chinese remainder theorem."""

from functools import reduce

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sympy.ntheory.modular import crt

from residua.errors import SpecificationError
from residua.numbers.bases import Base, first_common_factor
from residua.numbers.moduli import Modulus

BASES = [
    Base(tuple(Modulus(17, offset) for offset in (0, 1, -1, 9, -9, 15, -17, 31))),
    Base(tuple(Modulus(8, offset) for offset in (5, -1, -13, 0))),
    Base((Modulus(64, 59),)),
]
bases = st.sampled_from(BASES)


@given(bases, st.data())
def test_round_trip(base, data):
    number = data.draw(st.integers(0, base.product - 1))
    assert base.integer(base.residues(number)) == number


@pytest.mark.parametrize("base", BASES)
def test_round_trip_at_the_edges(base):
    for number in (0, 1, base.product // 2, base.product - 1):
        assert base.integer(base.residues(number)) == number
    half = base.product // 2
    for number in (-half, -1, 0, 1, (base.product - 1) // 2):
        assert base.signed_integer(base.residues(number)) == number


@given(bases, st.data())
def test_any_representatives_give_the_same_integer(base, data):
    size = 1 << base.width + 1
    residues = [data.draw(st.integers(-size, size)) for _ in base]
    canonical = [residue % m.value for residue, m in zip(residues, base, strict=True)]
    expected, product = crt([m.value for m in base], canonical)
    assert base.integer(residues) == expected
    assert base.product == product
    assert (base.signed_integer(residues) - expected) % product == 0


@given(bases)
def test_cofactors(base):
    assert base.product == reduce(lambda total, m: total * m.value, base, 1)
    for cofactor, inverse, modulus in zip(
        base.cofactors, base.cofactor_inverses, base, strict=True
    ):
        assert cofactor * modulus.value == base.product
        assert cofactor * inverse % modulus.value == 1


def test_coprime_bases():
    one, two, three = (Base((Modulus(17, offset),)) for offset in (1, -1, -3))
    assert one.coprime_to(two)
    assert not one.coprime_to(one)
    # 2^17 + 1 and 2^17 + 3 are odd neighbours.
    assert two.coprime_to(three)


@pytest.mark.parametrize(
    ("offsets", "message"),
    [
        # 2^17 + 1 = 3 · 43691 and 2^17 - 5 = 3^2 · 14563.
        ((-1, 5), r"moduli 2\^17 \+ 1 and 2\^17 - 5 share the factor 3;"),
        ((1, 1), r"moduli 2\^17 - 1 and 2\^17 - 1 share the factor 131071;"),
    ],
)
def test_common_factors_are_refused(offsets, message):
    with pytest.raises(SpecificationError, match=message):
        Base(tuple(Modulus(17, offset) for offset in offsets))


def test_empty_and_mixed_bases_are_refused():
    with pytest.raises(SpecificationError, match="at least one modulus"):
        Base(())
    with pytest.raises(SpecificationError, match=r"share one width, not \[16, 17\]"):
        Base((Modulus(16, 1), Modulus(17, 1)))


def test_first_common_factor():
    assert first_common_factor([7, 9, 10]) is None
    assert first_common_factor([7, 10, 9, 15]) == (1, 3, 5)
