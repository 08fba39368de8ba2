"""The endomorphism of curves with a = 0: what is found, the halves of scalars, multiplications."""

import random
from itertools import product
from math import isqrt

import gmpy2
import pytest
from cryptography.hazmat.primitives.asymmetric import ec

from curves.plain import (
    SECP256K1,
    SECP256K1_ORDER,
    Ladder,
    PlainCurve,
    Point,
    costs,
    inverse,
    openssl_point,
)
from residua.curves import affine, fixed_window, joint
from residua.curves.catalogue import find_curve
from residua.curves.endomorphism import window
from residua.curves.endomorphism.lattice import LEAST_ORDER, endomorphism, refusal
from residua.curves.endomorphism.split import Split, masked_bits
from residua.curves.parameters import WeierstrassCurve
from residua.curves.standard import CATALOGUE
from residua.errors import SpecificationError

NAMED = [entry.curve for entry in CATALOGUE if not refusal(entry.curve)]


TWISTS = 6
"""Such curves over a prime are one of so many, up to isomorphisms, which keep the order."""


def small_curves(primes) -> list[WeierstrassCurve]:
    """All curves y^2 = x^3 + b of prime order over each prime, one for each number of points."""
    found = []
    for p in primes:
        orders: set[int] = set()
        for b in range(1, p):
            plain = PlainCurve(p, 0, b)
            order = len(plain.points) + 1
            if order in orders:
                continue
            orders.add(order)
            if gmpy2.is_prime(order) and order != p:
                x, y = plain.points[0]
                found.append(WeierstrassCurve(f"{p}, {b}", p, 0, b, x, y, order, 1))
            if len(orders) == TWISTS:
                break
    return found


SMALL = small_curves(p for p in range(61, 260) if p % 3 == 1 and gmpy2.is_prime(p))
"""Some of them below the least order."""

SERVED = [curve for curve in SMALL if not refusal(curve)]

ALL = [*NAMED, *SERVED]


def names(curve: WeierstrassCurve) -> str:
    return curve.name


def test_there_are_such_curves() -> None:
    assert [curve.name for curve in NAMED] == ["secp160k1", "secp192k1", "secp224k1", "secp256k1"]
    assert len(SERVED) >= 8
    assert {curve.order % 3 for curve in SERVED} == {1}


@pytest.mark.parametrize("curve", ALL, ids=names)
def test_the_map_is_a_multiplication(curve) -> None:
    found, p, n = endomorphism(curve), curve.prime, curve.order
    assert (found.beta**2 + found.beta + 1) % p == 0
    assert (found.eigenvalue**2 + found.eigenvalue + 1) % n == 0
    draw = random.Random(curve.name)
    for k in (1, 2, n - 1, *(draw.randrange(1, n) for _ in range(5))):
        x, y = point = affine.multiply(curve, k, curve.base_point)
        image = (found.beta * x % p, y)
        assert affine.is_on_curve(curve, image)
        assert affine.multiply(curve, found.eigenvalue, point) == image


@pytest.mark.parametrize("curve", ALL, ids=names)
def test_the_basis_is_short_and_complete(curve) -> None:
    found, n = endomorphism(curve), curve.order
    (a1, b1), (a2, b2) = found.basis
    assert all((u + v * found.eigenvalue) % n == 0 for u, v in found.basis)
    assert abs(a1 * b2 - a2 * b1) == n
    assert max(map(abs, (a1, b1, a2, b2))) <= 2 * isqrt(n) + 1
    s, t = found.coordinates
    assert s > 0
    assert t > 0
    assert (s * a1 + t * a2, s * b1 + t * b2) == (n, 0)
    # One of each pair is odd, so that blinding makes low bits fair.
    assert a1 % 2 or a2 % 2
    assert b1 % 2 or b2 % 2


def test_published_values() -> None:
    """Of secp256k1, as libsecp256k1 has them."""
    found = endomorphism(find_curve("secp256k1"))
    assert found.beta == 0x7AE96A2B657C07106E64479EAC3434E99CF0497512F58995C1396C28719501EE
    assert found.eigenvalue == 0x5363AD4CC05C30E0A5261C028812645A122E22EA20816678DF02967C1B23BD72
    assert found.basis == (
        (0x3086D221A7D46BCDE86C90E49284EB15, -0xE4437ED6010E88286F547FA90ABFE4C3),
        (0x114CA50F7A8E2F3F657C1108D9D44CFD8, 0x3086D221A7D46BCDE86C90E49284EB15),
    )


@pytest.mark.parametrize(
    ("curve", "reason"),
    [
        ("P-256", "the coefficient a of this one is not 0"),
        ("Curve25519", "it is for short Weierstrass curves"),
        (WeierstrassCurve("five", 71, 0, 3, 1, 2, 72, 1), "a prime that is 1 modulo 3"),
        (WeierstrassCurve("thirds", 79, 0, 3, 1, 2, 31, 3), "prime order, and the cofactor is 3"),
        (WeierstrassCurve("tiny", 61, 0, 3, 1, 2, 61, 1), f"at least {LEAST_ORDER}, not 61"),
    ],
)
def test_curves_without_one(curve, reason) -> None:
    curve = find_curve(curve) if isinstance(curve, str) else curve
    with pytest.raises(SpecificationError, match=f"{curve.name} has no endomorphism: .*{reason}"):
        endomorphism(curve)


def split_of(curve, random_bits=0, spare=16, whole=0) -> Split:
    bits = max(curve.order_bits, curve.field_bits)
    shift = masked_bits(bits, curve.order, whole) + spare
    return Split(endomorphism(curve), bits, random_bits, shift, whole)


def adversarial(split) -> list[int]:
    """Scalars at the corners of the lattice's cells, beside the usual edges."""
    n, root, most = split.endomorphism.order, split.endomorphism.eigenvalue, (1 << split.bits) - 1
    edges = [0, 1, 2, n - 2, n - 1, n, n + 1, root - 1, root, root + 1, n - root, root**2 % n, most]
    edges += [abs(x) for vector in split.endomorphism.basis for x in vector]
    for s in split.endomorphism.coordinates:
        # k s / n is next to a whole number: the lowest, the highest, some in between.
        wholes = [1, 2, s // 3, s // 2, s - 2, s - 1, s, most * s // n]
        edges += [j * n // s + step for j in wholes for step in (-1, 0, 1, 2)]
    draw = random.Random(split.bits)
    edges += [draw.getrandbits(split.bits) for _ in range(50)]
    return [k for k in dict.fromkeys(edges) if 0 <= k <= most]


@pytest.mark.parametrize("spare", [0, 16, 17])
@pytest.mark.parametrize(("random_bits", "whole"), [(0, 0), (1, 0), (40, 0), (0, 9), (33, 70)])
@pytest.mark.parametrize("curve", ALL, ids=names)
def test_halves(curve, random_bits, spare, whole) -> None:
    split, n = split_of(curve, random_bits, spare, whole), curve.order
    root, most, wholes = split.endomorphism.eigenvalue, (1 << random_bits) - 1, (1 << whole) - 1
    draw = random.Random(curve.name)
    assert all(x < 1 << split.served - 1 for x in split.largest)
    for k in adversarial(split):
        for r1, r2 in ((0, 0), (0, most), (most, 0), (most, most), (draw.randint(0, most), 1)):
            random_numbers = r1, r2, draw.choice((0, wholes, draw.randint(0, wholes)))
            assert split.masked(k, random_numbers) == k + random_numbers[2] * n
            first, second = split.halves(k, random_numbers)
            assert (first + second * root - k) % n == 0
            assert 0 <= first <= split.largest[0]
            assert 0 <= second <= split.largest[1]


@pytest.mark.parametrize("curve", SERVED, ids=names)
def test_halves_of_every_scalar(curve) -> None:
    split, root = split_of(curve), endomorphism(curve).eigenvalue
    halves = [split.halves(k) for k in range(1 << split.bits)]
    assert all((u + v * root - k) % curve.order == 0 for k, (u, v) in enumerate(halves))
    assert all(0 <= x <= y for pair in halves for x, y in zip(pair, split.largest, strict=True))


@pytest.mark.parametrize("curve", NAMED, ids=names)
def test_halves_have_half_the_bits(curve) -> None:
    assert max(split_of(curve).largest).bit_length() <= curve.order_bits // 2 + 2


def test_the_offset_is_needed() -> None:
    """Without the constant vector some halves are negative: the tests tell."""
    for curve in NAMED:
        split = split_of(curve)
        u, v = split.offset
        halves = [split.halves(k) for k in adversarial(split)]
        assert min(min(first - u, second - v) for first, second in halves) < 0


def test_refused_splits() -> None:
    mapping = endomorphism(NAMED[0])
    for random_bits, shift, whole, least in (
        (0, 160, 0, 161),
        (-1, 161, 0, 161),
        (0, 224, 64, 225),
    ):
        with pytest.raises(SpecificationError, match=f"{least} are the least, and 0 for blinding"):
            Split(mapping, 161, random_bits, shift, whole)


class Halves(Ladder):
    """Runs the programs as the coprocessor does."""

    def __init__(self, curve: WeierstrassCurve, b: int | None, point: Point, m: int) -> None:
        constants = fixed_window.constants(curve.prime, curve.a, curve.b)
        x, y = point or (0, 0)
        entries = {f"t{c}{entry}": m * entry + 1 for c in "xyz" for entry in range(1, 9)}
        named = constants | window.constants(curve)
        super().__init__(curve.prime, named, x=x, y=y, m=m, **entries)
        self.step = window.step(b=b)
        self.run(window.initial_state(), **window.FIRST.of(0))
        for _ in range(fixed_window.ENTRIES - 1):
            self.run(fixed_window.table_step(a=0, b=b))
        self.started = self.state

    def multiply(self, first: int, second: int, bits: int) -> Point:
        self.state = dict(self.started)
        halves = (fixed_window.digits(half, bits) for half in (first, second))
        for index, (d, e) in enumerate(zip(*halves, strict=True)):
            if index == 0:
                assert (d, e) == (0, 0)
            else:
                self.run(self.step, **window.FIRST.of(d), **window.SECOND.of(e))
        if self.state["z0"] == 0:
            assert self.state["x0"] == 0
            return None
        state = {"nx": self.state["x0"], "ny": self.state["y0"]}
        inverted = inverse(self.state["z0"], self.prime)
        result = Ladder(self.prime, {}, **state, inverse=inverted)
        result.run(joint.result())
        return result.state["x"], result.state["y"]


@pytest.mark.parametrize("curve", SERVED[:4], ids=names)
def test_every_scalar_and_many_points(curve) -> None:
    plain, split = PlainCurve(curve.prime, 0, curve.b), split_of(curve, 2)
    draw = random.Random(curve.name)
    for b, point in product((None, curve.b), plain.points[::9]):
        multiplied = Halves(curve, b, point, draw.randrange(1, curve.prime))
        for k in range(0, 1 << split.bits, 1 if b is None else 5):
            halves = split.halves(k, (draw.getrandbits(2), draw.getrandbits(2), 0))
            assert multiplied.multiply(*halves, split.served) == plain.multiply(k, point)


def test_pairs_of_halves_have_no_exceptions() -> None:
    """Any pair, whether or not it is made of a scalar: equal, opposite and neutral multiples."""
    curve = SERVED[0]
    root, plain = endomorphism(curve).eigenvalue, PlainCurve(curve.prime, 0, curve.b)
    multiplied = Halves(curve, None, curve.base_point, 5)
    for first, second in product(range(0, 64, 3), range(0, 64, 2)):
        expected = plain.multiply(first + second * root, curve.base_point)
        assert multiplied.multiply(first, second, 8) == expected


def test_against_openssl() -> None:
    curve, draw = find_curve("secp256k1"), random.Random(4)
    split, base = split_of(curve, 69), openssl_point(ec.SECP256K1(), 1)
    n, root = SECP256K1_ORDER, endomorphism(curve).eigenvalue
    multiplied = Halves(curve, 7, base, draw.randrange(1, SECP256K1.prime))
    for k in (1, 2, n - 1, root, n - root, root * root % n, draw.randrange(n)):
        halves = split.halves(k, (draw.getrandbits(69), draw.getrandbits(69), 0))
        expected = openssl_point(ec.SECP256K1(), k)
        assert multiplied.multiply(*halves, split.served) == expected
    for k in (0, n):
        assert multiplied.multiply(*split.halves(k), split.served) is None


def test_a_wrong_root_is_seen() -> None:
    """With the other cube root of one, which has another eigenvalue, the products are wrong."""
    curve = SERVED[0]
    split, plain = split_of(curve), PlainCurve(curve.prime, 0, curve.b)
    multiplied = Halves(curve, None, curve.base_point, 5)
    multiplied.constants[window.BETA] = pow(endomorphism(curve).beta, 2, curve.prime)
    wrong = [
        multiplied.multiply(*split.halves(k), split.served) != plain.multiply(k, curve.base_point)
        for k in range(40)
    ]
    assert any(wrong)


def test_costs() -> None:
    """(reductions, products, combinations, selections)."""
    assert costs(window.step()) == (55, 75, 12, 2)
    assert costs(window.step(b=7)) == (47, 81, 4, 2)
    flags = [flag.name for flag in window.step().flags]
    assert sorted(flags) == sorted(
        flag.name for own in (window.FIRST, window.SECOND) for flag in own.listed
    )
