"""The affine group law: all of it on small curves, OpenSSL and RFC 7748 on large ones."""

import random

import pytest
from cryptography.hazmat.primitives.asymmetric import x448, x25519

from residua.curves.affine import add, double, is_on_curve, multiply, multiply_x, negate, right_side
from residua.curves.catalogue import find_curve
from residua.curves.parameters import MontgomeryCurve, WeierstrassCurve


def weierstrass(prime, a, b):
    return WeierstrassCurve("small", prime, a, b, 0, 0, 1, 1)


def montgomery(prime, a, b):
    return MontgomeryCurve("small", prime, a, b, 0, 0, 1, 1)


SMALL = [
    weierstrass(5, 1, 1),
    weierstrass(23, 1, 4),  # 29 points: a prime order
    weierstrass(23, 20, 0),  # a point of order 2 at x = 0
    weierstrass(19, 16, 0),  # three points of order 2, a = -3
    weierstrass(13, 0, 7),
    montgomery(19, 6, 1),
    montgomery(19, 6, 2),  # its twist
    montgomery(23, 3, 7),
    montgomery(17, 11, 1),
]
"""Curves of every kind of torsion, small enough for all triples of points."""

small = pytest.mark.parametrize("curve", SMALL, ids=lambda c: f"{c.form}-{c.prime}-{c.a}-{c.b}")


def points(curve):
    p = curve.prime
    affine = [(x, y) for x in range(p) for y in range(p) if is_on_curve(curve, (x, y))]
    return [None, *affine]


def test_the_equation_is_that_of_the_form():
    p = 23
    for x in range(p):
        for y in range(p):
            on_weierstrass = y * y % p == (x**3 + x + 4) % p
            assert is_on_curve(weierstrass(p, 1, 4), (x, y)) == on_weierstrass
            on_montgomery = 7 * y * y % p == (x**3 + 3 * x * x + x) % p
            assert is_on_curve(montgomery(p, 3, 7), (x, y)) == on_montgomery


@small
def test_coordinates_are_in_range(curve):
    for x, y in points(curve)[1:]:
        for other in ((x + curve.prime, y), (x, y - curve.prime), (-x - 1, y), (x, curve.prime)):
            assert not is_on_curve(curve, other)
    assert is_on_curve(curve, None)


@small
def test_the_points_are_a_commutative_group(curve):
    group = points(curve)
    for first in group:
        assert add(curve, first, None) == add(curve, None, first) == first
        assert add(curve, first, negate(curve, first)) is None
        assert is_on_curve(curve, negate(curve, first))
        assert double(curve, first) == add(curve, first, first)
        for second in group:
            total = add(curve, first, second)
            assert total in group
            assert total == add(curve, second, first)
            for third in group:
                left = add(curve, total, third)
                assert left == add(curve, first, add(curve, second, third))


@small
def test_three_points_of_a_line_add_up_to_the_neutral_element(curve):
    p = curve.prime
    affine = points(curve)[1:]
    for x0, y0 in affine:
        for x1, y1 in affine:
            if x0 == x1:
                continue
            line = [
                (x, y)
                for x, y in affine
                if ((y1 - y0) * (x - x0) - (y - y0) * (x1 - x0)) % p == 0
                and (x, y) not in ((x0, y0), (x1, y1))
            ]
            third = negate(curve, add(curve, (x0, y0), (x1, y1)))
            assert [third] == line or (not line and third in ((x0, y0), (x1, y1)))


@small
def test_points_of_order_two_are_those_with_y_zero(curve):
    for point in points(curve)[1:]:
        assert (double(curve, point) is None) == (point[1] == 0)


@small
def test_multiples_are_repeated_sums(curve):
    group = points(curve)
    for point in group:
        total = None
        for k in range(2 * len(group) + 2):
            assert multiply(curve, k, point) == total
            assert multiply(curve, -k, point) == negate(curve, total)
            total = add(curve, total, point)
        assert multiply(curve, len(group), point) is None


@small
def test_x_of_multiples_on_the_curve_and_its_twist(curve):
    """The twist is written out here with a non-residue; every x is on one of the two."""
    p = curve.prime
    scale, *rest = curve.coefficients
    residues = {y * y % p for y in range(1, p)}
    factor = next(z for z in range(2, p) if z not in residues)

    class Twist:
        prime = p
        coefficients = (scale * factor % p, *rest)

    for x in range(p):
        home = next(
            (c, (x, y)) for c in (curve, Twist()) for y in range(p) if is_on_curve(c, (x, y))
        )
        for k in range(-3, 3 * p):
            expected = multiply(home[0], k, home[1])
            assert multiply_x(curve, k, x) == (0 if expected is None else expected[0])
            assert multiply_x(curve, k, x + 5 * p) == multiply_x(curve, k, x)


def decode(data, curve):
    """The integer u of RFC 7748: the unused top bit does not count."""
    return int.from_bytes(data, "little") % (1 << curve.field_bits)


def clamp(data, curve):
    k = int.from_bytes(data, "little") % (1 << curve.field_bits) | 1 << curve.field_bits - 1
    return k - k % curve.cofactor


def function(curve, scalar, u):
    """X25519 or X448 on bytes."""
    result = multiply_x(curve, clamp(scalar, curve), decode(u, curve))
    return result.to_bytes(len(scalar), "little")


RFC_7748 = [
    (
        "X25519",
        "a546e36bf0527c9d3b16154b82465edd62144c0ac1fc5a18506a2244ba449ac4",
        "e6db6867583030db3594c1a424b15f7c726624ec26b3353b10a903a6d0ab1c4c",
        "c3da55379de9c6908e94ea4df28d084f32eccf03491c71f754b4075577a28552",
    ),
    (
        "X25519",
        "4b66e9d4d1b4673c5ad22691957d6af5c11b6421e0ea01d42ca4169e7918ba0d",
        "e5210f12786811d3f4b7959d0538ae2c31dbe7106fc03c3efc4cd549c715a493",
        "95cbde9476e8907d7aade45cb4b873f88b595a68799fa152e6f8f7647aac7957",
    ),
    (
        "X448",
        (
            "3d262fddf9ec8e88495266fea19a34d28882acef045104d0d1aae121"
            "700a779c984c24f8cdd78fbff44943eba368f54b29259a4f1c600ad3"
        ),
        (
            "06fce640fa3487bfda5f6cf2d5263f8aad88334cbd07437f020f08f9"
            "814dc031ddbdc38c19c6da2583fa5429db94ada18aa7a7fb4ef8a086"
        ),
        (
            "ce3e4ff95a60dc6697da1db1d85e6afbdf79b50a2412d7546d5f239f"
            "e14fbaadeb445fc66a01b0779d98223961111e21766282f73dd96b6f"
        ),
    ),
    (
        "X448",
        (
            "203d494428b8399352665ddca42f9de8fef600908e0d461cb021f8c5"
            "38345dd77c3e4806e25f46d3315c44e0a5b4371282dd2c8d5be3095f"
        ),
        (
            "0fbcc2f993cd56d3305b0b7d9e55d4c1a8fb5dbb52f8e9a1e9b6201b"
            "165d015894e56c4d3570bee52fe205e28a78b91cdfbde71ce8d157db"
        ),
        (
            "884a02576239ff7a2f2f63b2db6a9ff37047ac13568e1e30fe63c4a7"
            "ad1b3ee3a5700df34321d62077e63633c575c1c954514e99da7c179d"
        ),
    ),
]
"""The vectors of RFC 7748, section 5.2."""


@pytest.mark.parametrize(("name", "scalar", "u", "result"), RFC_7748)
def test_the_vectors_of_rfc_7748(name, scalar, u, result):
    got = function(find_curve(name), bytes.fromhex(scalar), bytes.fromhex(u))
    assert got.hex() == result


def test_the_iterated_vector_of_rfc_7748():
    """Its first value; other scalars and points are those of OpenSSL's exchanges."""
    nine = (9).to_bytes(32, "little")
    assert function(find_curve("X25519"), nine, nine).hex() == (
        "422c8e7a6227d7bca1350b3e2bb7279f7897b87bb6854b783c60e80311ae3079"
    )


@pytest.mark.parametrize(
    ("name", "private", "public"),
    [
        ("X25519", x25519.X25519PrivateKey, x25519.X25519PublicKey),
        ("X448", x448.X448PrivateKey, x448.X448PublicKey),
    ],
)
def test_exchanges_of_openssl(name, private, public):
    """Any string is a public key here: about half of them are on the twist, some exceed p."""
    curve = find_curve(name)
    size = (curve.field_bits + 7) // 8
    generator = random.Random(7748)
    residues = set()
    strings = [generator.randbytes(size) for _ in range(20)]
    strings += [(curve.prime + x).to_bytes(size, "little") for x in (2, 3, 9)]
    for u in strings:
        scalar = generator.randbytes(size)
        expected = private.from_private_bytes(scalar).exchange(public.from_public_bytes(u))
        assert function(curve, scalar, u) == expected
        residues.add(pow(right_side(curve, decode(u, curve)), (curve.prime - 1) // 2, curve.prime))
    assert residues == {1, curve.prime - 1}


@pytest.mark.parametrize("name", ["Curve25519", "Curve448"])
def test_points_of_small_order_give_zero(name):
    curve = find_curve(name)
    p = curve.prime
    for u in (0, 1, p - 1, p, p + 1):
        assert multiply_x(curve, 8 * 12345, u) == 0
    assert multiply_x(curve, 3, 0) == 0
    assert multiply_x(curve, 2, 1) == 0
    assert multiply_x(curve, 5, 1) == 1
    assert multiply(curve, 3, (0, 0)) == (0, 0)
    assert multiply(curve, 2, (0, 0)) is None


def test_the_largest_curve():
    curve = find_curve("P-521")
    generator = random.Random(521)
    for _ in range(5):
        k, m = generator.getrandbits(521), generator.getrandbits(600)
        point = multiply(curve, m, curve.base_point)
        assert is_on_curve(curve, point)
        assert multiply(curve, k, point) == multiply(curve, k * m % curve.order, curve.base_point)
        assert multiply_x(curve, k, point[0]) == multiply(curve, k, point)[0]
