"""Curve parameters: what is refused and why, and how they are read from a table."""

import tomllib
from collections import Counter
from dataclasses import FrozenInstanceError, replace
from math import isqrt

import pytest
from sympy import isprime, nextprime

from residua.curves.affine import multiply
from residua.curves.catalogue import find_curve
from residua.curves.parameters import (
    MontgomeryCurve,
    WeierstrassCurve,
    check_curve,
    curve_from_parameters,
    parameters_of,
)
from residua.errors import SpecificationError

P256, P521 = find_curve("P-256"), find_curve("P-521")
R2 = find_curve("secp112r2")
X25519 = find_curve("Curve25519")


@pytest.mark.parametrize(
    ("curve", "changes", "message"),
    [
        (P256, {"prime": 3}, "curve 'P-256': prime = 3: too small: the prime must be at least 5"),
        (P256, {"prime": -7}, "prime = -7: too small"),
        (P256, {"prime": 2**256}, "prime = 0x1000000000000000...0000000000000000: even"),
        (P256, {"prime": P256.prime - 2}, "composite: the field needs a prime"),
        (P256, {"prime": 3 * P256.prime}, "composite"),
        (P256, {"a": -3}, "a = -3: out of range: it must be 0 to prime - 1 = 0xffffffff00000001"),
        (P256, {"a": P256.prime}, "a = 0xffffffff00000001...ffffffffffffffff: out of range"),
        (
            P256,
            {"b": P256.b + P256.prime},
            "b = 0x15ac635d7aa3a93e...3bce3c3e27d2604a: out of range",
        ),
        (P256, {"b": 2}, "b = 2: with this a the curve is singular: 4 a^3 + 27 b^2 must not be 0"),
        (P256, {"a": 0, "b": 0}, "b = 0: with this a the curve is singular"),
        (X25519, {"a": 2}, "a = 2: the curve is singular: a must be neither 2 nor -2"),
        (X25519, {"a": X25519.prime - 2}, "the curve is singular: a must be neither 2 nor -2"),
        (X25519, {"b": 0}, "b = 0: the curve is singular: b must not be 0"),
        (P256, {"x": -1}, "x = -1: out of range: it must be 0 to prime - 1"),
        (P256, {"y": P256.y + P256.prime}, "out of range"),
        (
            P256,
            {"y": P256.y + 1},
            "y must be 0x4fe342e2fe1a7f9b...cbb6406837bf51f5 or 0xb01cbd1c01e58065...",
        ),
        (P521, {"y": 1}, "y = 1: the base point is not on the curve: with this x, y must be"),
        (X25519, {"y": 1}, "y must be 0x20ae19a1b8a086b4...29e9c5a27eced3d9 or 0x5f51e65e475f794b"),
        (X25519, {"x": 2}, "x = 2: the base point is not on the curve: with this a and b no point"),
        (P256, {"b": P256.b + 1}, "base point is not on the curve"),
        (P256, {"order": P256.order + 1}, "not a prime: it must be the order of the base point"),
        (P256, {"order": 1}, "order = 1: not a prime"),
        (P256, {"order": -7}, "order = -7: not a prime"),
        (R2, {"order": 4 * R2.order, "cofactor": 1}, "the other factors of the number of points"),
        (P256, {"order": nextprime(P256.order)}, "not the order of the base point"),
        (P256, {"order": P256.prime}, "not the order of the base point"),
        (P256, {"order": 65537}, "too small: it must exceed 4 sqrt(prime), be at least 0x3ffff"),
        (X25519, {"x": 0, "y": 0, "order": 2}, "order = 2: too small"),
        (P256, {"cofactor": 0}, "cofactor = 0: too small: the cofactor must be at least 1"),
        (P256, {"cofactor": -1}, "cofactor = -1: too small"),
        (P256, {"cofactor": 2}, "within 2 sqrt(prime) of prime + 1: the cofactor must be 1"),
        (R2, {"cofactor": 1}, "cofactor = 1: cofactor times order must be the number of points"),
        (X25519, {"cofactor": 4}, "the cofactor must be 8"),
    ],
)
def test_faults(curve, changes, message):
    with pytest.raises(SpecificationError) as error:
        check_curve(replace(curve, **changes))
    text = str(error.value)
    assert text.startswith(f"curve '{curve.name}': ")
    assert message in text
    assert len(text) < 250


@pytest.mark.parametrize("key", ["prime", "a", "b", "x", "y", "order"])
@pytest.mark.parametrize("curve", [P256, R2, X25519], ids=lambda curve: curve.name)
def test_no_flipped_bit_passes(curve, key):
    for bit in range(0, curve.field_bits, 37):
        with pytest.raises(SpecificationError):
            check_curve(replace(curve, **{key: getattr(curve, key) ^ 1 << bit}))


def test_other_base_points_of_the_same_order_pass():
    check_curve(replace(P256, y=P256.prime - P256.y))
    x, y = multiply(X25519, 8 * 12345, X25519.base_point)
    check_curve(replace(X25519, x=x, y=y))


def test_the_scale_of_a_montgomery_curve_counts():
    """b = 4 is the same curve with y halved; a non-residue is the twist, with another order."""
    p = X25519.prime
    check_curve(replace(X25519, b=4, y=X25519.y * pow(2, -1, p) % p))
    with pytest.raises(SpecificationError, match="no point has this x"):
        check_curve(replace(X25519, b=2))


def subgroups(curve):
    """(point, its order, number of points) of a small curve, by counting alone."""
    p = curve.prime
    scale, a2, a4, a6 = curve.coefficients
    squares = Counter(scale * y * y % p for y in range(p))
    count = 1 + sum(squares[(x**3 + a2 * x * x + a4 * x + a6) % p] for x in range(p))
    for x in range(p):
        for y in range(p):
            if (scale * y * y - x**3 - a2 * x * x - a4 * x - a6) % p == 0:
                order = next(n for n in range(1, 2 * p) if multiply(curve, n, (x, y)) is None)
                yield (x, y), order, count
                break


def accepted(curve):
    try:
        check_curve(curve)
    except SpecificationError:
        return False
    return True


@pytest.mark.parametrize(
    "curve",
    [
        *(WeierstrassCurve("small", 43, a, b, 0, 0, 0, 0) for a, b in ((1, 0), (2, 3), (40, 5))),
        *(WeierstrassCurve("small", 61, a, b, 0, 0, 0, 0) for a, b in ((0, 6), (0, 2), (7, 9))),
        *(MontgomeryCurve("small", 211, a, 1, 0, 0, 0, 0) for a in (7, 10, 50)),
    ],
    ids=lambda curve: f"{curve.form}-{curve.prime}-{curve.a}-{curve.b}",
)
def test_small_curves_pass_exactly_if_counting_agrees(curve):
    for (x, y), order, count in subgroups(curve):
        provable = isprime(order) and order > isqrt(16 * curve.prime)
        for cofactor in range(1, 9):
            candidate = replace(curve, x=x, y=y, order=order, cofactor=cofactor)
            assert accepted(candidate) == (provable and order * cofactor == count)


def test_properties():
    assert P256.base_point == (P256.x, P256.y)
    assert P256.has_a_minus_3
    assert not find_curve("secp256k1").has_a_minus_3
    assert WeierstrassCurve("small", 7, 4, 1, 0, 1, 5, 1).has_a_minus_3
    assert P256.coefficients == (1, 0, P256.prime - 3, P256.b)
    assert X25519.coefficients == (1, 486662, 1, 0)
    with pytest.raises(FrozenInstanceError):
        P256.a = 0
    assert hash(P256) == hash(replace(P256))


TABLE = """
form = "weierstrass"
name = "mine"
prime = "0xffffffff00000001000000000000000000000000ffffffffffffffffffffffff"
a = -3
b = "0x5ac635d8_aa3a93e7_b3ebbd55_769886bc_651d06b0_cc53b0f6_3bce3c3e_27d2604b"
x = 0x6B17D1F2E12C4247F8BCE6E563A440F277037D812DEB33A0F4A13945D898C296
y = " 36134250956749795798585127919587881956611106672985015071877198253568414405109"
order = 115792089210356248762697446949407573529996955224135760342422259061068512044369
cofactor = "1"
"""


def test_a_table():
    curve = curve_from_parameters(tomllib.loads(TABLE))
    assert curve == replace(P256, name="mine")
    assert curve_from_parameters(tomllib.loads(TABLE.replace("-3", '"-0x3"'))) == curve


@pytest.mark.parametrize("name", ["P-521", "secp160k1", "secp112r2", "Curve25519", "Curve448"])
def test_tables_of_curves_make_them_again(name):
    curve = find_curve(name)
    table = parameters_of(curve)
    assert curve_from_parameters(table) == curve
    assert table["name"] == name
    assert list(table) == ["form", "name", "prime", "a", "b", "x", "y", "order", "cofactor"]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"prime": None}, "curve parameters: prime is missing: the prime of the field"),
        ({"form": None}, 'form is missing: "weierstrass" (y^2 = x^3 + a x + b) or "montgomery"'),
        ({"form": "edwards"}, "form = 'edwards': expected \"weierstrass\""),
        ({"p": 7}, "unknown key 'p': the keys are form, name, prime, a, b, x, y, order, cofactor"),
        ({"a": "three"}, "a = 'three': expected an integer, or a text with a decimal or 0x hex"),
        ({"a": 3.0}, "a = 3.0: expected an integer"),
        ({"b": True}, "b = True: expected an integer"),
        ({"x": "0b11"}, "x = '0b11': expected an integer"),
        ({"x": ""}, "x = '': expected an integer"),
        ({"y": [1]}, "y = [1]: expected an integer"),
        ({"order": "0x"}, "(the prime order of the base point)"),
        ({"name": ""}, "name = '': expected a letter, then up to 31 letters, digits and _ . -"),
        ({"name": "../x"}, "name = '../x': expected a letter"),
        ({"name": 7}, "name = 7: expected a letter"),
        ({"name": "x\n"}, r"name = 'x\n': expected a letter"),
        ({"prime": "9" * 5000}, "prime = 0x"),
        ({"prime": None, "a": "?"}, "prime is missing: the prime of the field; a = '?': expected"),
        ({"cofactor": 2}, "curve 'mine': cofactor = 2: cofactor times order"),
        ({"a": -P256.prime}, "curve 'mine': a = -0xffffffff0000000...ffffffffffffffff: out of"),
        ({"x": -1}, "curve 'mine': x = -1: out of range"),
    ],
)
def test_faulty_tables(changes, message):
    table = tomllib.loads(TABLE) | changes
    table = {key: value for key, value in table.items() if value is not None}
    with pytest.raises(SpecificationError) as error:
        curve_from_parameters(table, "spec.toml: ")
    text = str(error.value)
    assert text.startswith("spec.toml: curve ")
    assert message in text
