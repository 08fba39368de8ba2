"""Which formulas curves admit, and why not."""

import pytest

from residua.curves.catalogue import find_curve
from residua.curves.formulas import (
    Formula,
    admitted,
    check_formula,
    digit_bits,
    formulas,
    scalar_bits,
)
from residua.errors import SpecificationError

XZ, DIFFERENCE, WINDOW, HALVES, MONTGOMERY = (
    Formula.XZ_LADDER,
    Formula.DIFFERENCE_LADDER,
    Formula.FIXED_WINDOW,
    Formula.ENDOMORPHISM,
    Formula.MONTGOMERY_LADDER,
)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("P-256", {DIFFERENCE, XZ, WINDOW}),
        ("secp256k1", {DIFFERENCE, XZ, WINDOW, HALVES}),
        ("brainpoolP384r1", {DIFFERENCE, XZ, WINDOW}),
        ("secp112r2", {XZ}),
        ("Curve25519", {MONTGOMERY}),
    ],
)
def test_what_curves_admit(name, expected):
    curve = find_curve(name)
    assert set(admitted(curve)) == expected
    assert set(formulas(curve)) == set(Formula)
    for formula in Formula:
        if formula in expected:
            check_formula(curve, formula)
        else:
            with pytest.raises(SpecificationError, match=f"{name} has no {formula}: it "):
                check_formula(curve, formula)


def test_reasons():
    with pytest.raises(SpecificationError, match="the cofactor is 4; it has xz-ladder"):
        check_formula(find_curve("secp112r2"), DIFFERENCE)
    with pytest.raises(
        SpecificationError, match=r"fixed-window: it needs a curve of odd order, .* \d+ points; it"
    ):
        check_formula(find_curve("secp112r2"), WINDOW)
    with pytest.raises(SpecificationError, match="it is for short Weierstrass curves; it has mont"):
        check_formula(find_curve("Curve25519"), WINDOW)
    with pytest.raises(SpecificationError, match="an order of more than 130 bits for 128 bits"):
        check_formula(find_curve("secp128r1"), DIFFERENCE, blinding=128)
    with pytest.raises(SpecificationError, match=r"P-256 has no endomorphism: .* not 0; it has"):
        check_formula(find_curve("P-256"), HALVES)


def test_bits_of_scalars():
    p256, small = find_curve("P-256"), find_curve("secp112r2")
    assert {scalar_bits(p256, formula) for formula in (XZ, DIFFERENCE, WINDOW)} == {256}
    assert small.order_bits < small.field_bits
    assert scalar_bits(small, XZ) == 112
    assert [digit_bits(formula) for formula in (XZ, DIFFERENCE, MONTGOMERY)] == [1, 1, 1]
    assert digit_bits(WINDOW) == digit_bits(HALVES) == 4
