"""The ladder on x-differences: where it is right, where it fails, and OpenSSL."""

import random
from itertools import product

import pytest
from cryptography.hazmat.primitives.asymmetric import ec

from curves.plain import (
    P256,
    P256_ORDER,
    SECP256K1,
    SECP256K1_ORDER,
    Ladder,
    PlainCurve,
    Point,
    Prefixes,
    costs,
    inverse,
    openssl_point,
)
from residua.curves import difference_ladder
from residua.curves.difference_ladder import LEAST_ORDER
from residua.errors import SpecificationError

NO_FLAGS = {"neutral": False, "own": False, "negate": False}


START, STEP = difference_ladder.initial_state(), difference_ladder.step()
FRACTIONS, RECOVERY = difference_ladder.recovery_fractions(), difference_ladder.recovery_result()


def begun(curve: PlainCurve, point: tuple[int, int], m: int) -> Prefixes:
    """The ladder of a point, scaled by m."""
    constants = difference_ladder.constants(curve.prime, curve.a)
    runner = Ladder(curve.prime, constants, x=point[0], y=point[1], m=m)
    runner.run(START)
    return Prefixes(runner, STEP)


def multiple(ladders: Prefixes, k: int, flags: dict[str, bool] = NO_FLAGS) -> Point:
    """k P, or None where the final denominator is zero."""
    bits = f"{k:b}"[1:]
    runner = ladders.after(bits)
    runner.run(FRACTIONS, last=bits[-1:] == "1", **flags)
    if runner.state["d"] == 0:
        return None
    runner.state["inverse"] = inverse(runner.state["d"], runner.prime)
    runner.run(RECOVERY, **flags)
    return runner.state["x"], runner.state["y"]


def run(curve: PlainCurve, k: int, point: tuple[int, int], m: int) -> Point:
    return multiple(begun(curve, point, m), k)


def fails(k: int, order: int) -> bool:
    """The stated condition: a prefix of the scalar is 0 or -1, or the line a tangent at the end."""
    bad_prefix = any((k >> i) % order in (0, order - 1) for i in range(k.bit_length()))
    return bad_prefix or (2 * k + 1) % order == 0


@pytest.mark.parametrize("prime", [5, 7, 11])
def test_right_where_it_should_be(prime: int) -> None:
    rng = random.Random(prime)
    for a, b in product(range(prime), repeat=2):
        curve = PlainCurve(prime, a, b)
        if curve.is_singular:
            continue
        for point in curve.points:
            order = curve.order_of(point)
            ladders = begun(curve, point, rng.randrange(1, prime))
            for k in range(1, 2 * order + 4):
                if not fails(k, order):
                    assert multiple(ladders, k) == curve.multiply(k, point), (curve, point, k)


def test_a_step_keeps_the_relation_of_all_coordinates() -> None:
    curve, z, x = PlainCurve(10007, 5, 8), 1234, 0
    point = next(point for point in curve.points if point[0])
    x = point[0]
    for k, swap in product([3, 7, 10, 25], [False, True]):
        q, r = curve.multiply(k, point), curve.multiply(-k - 1, point)
        assert q is not None
        assert r is not None
        runner = Ladder(
            curve.prime,
            {},
            x0=(q[0] - x) * z**2,
            x1=(r[0] - x) * z**2,
            y0=2 * q[1] * z**3,
            y1=2 * r[1] * z**3,
            g=(q[0] - r[0]) ** 2 * z**4,
        )
        runner.run(STEP, swap=swap)
        doubled, other = (r, q) if swap else (q, r)
        factor = z * (doubled[0] - other[0]) * z**2 * 2 * doubled[1] * z**3
        double = curve.add(doubled, doubled)
        third = curve.negate(curve.add(double, point))
        assert double is not None
        assert third is not None
        scaled = {
            "x0": (double[0] - x) * factor**2,
            "x1": (third[0] - x) * factor**2,
            "y0": 2 * double[1] * factor**3,
            "y1": 2 * third[1] * factor**3,
            "g": (double[0] - third[0]) ** 2 * factor**4,
        }
        assert {name: runner.state[name] for name in scaled} == {
            name: value % curve.prime for name, value in scaled.items()
        }


@pytest.mark.parametrize("order", [11, 13, 67, 127, 131, 257])
def test_bad_scalars_for_fixed_length(order: int) -> None:
    bits = order.bit_length() + 1
    for k in range(order):
        scalar = next(s for s in (k + order, k + 2 * order) if s.bit_length() == bits)
        bad = {0, 1, order // 2, order - 2, order - 1} - ({1} if order == 127 else set())
        assert fails(scalar, order) == (k in bad), k


@pytest.mark.parametrize("order", [11, 13, 67, 127, 131])
def test_bad_scalars_with_a_multiple_of_the_order(order: int) -> None:
    """r = 2 modulo 4 leaves the exceptions that are replaced anyway, for any length of r."""
    for r in range(2, order // 4, 4):
        for k in range(order):
            assert fails(k + r * order, order) == (k in {0, 1, order // 2, order - 1}), (k, r)


@pytest.mark.parametrize(("prime", "a", "b"), [(103, 0, 2), (103, 100, 3), (67, 64, 4), (67, 5, 8)])
def test_every_scalar_with_its_flags(prime: int, a: int, b: int) -> None:
    curve = PlainCurve(prime, a, b)
    orders = {point: curve.order_of(point) for point in curve.points}
    point, n = next((p, n) for p, n in orders.items() if n % 2 and n >= LEAST_ORDER)
    ladders = begun(curve, point, 5)
    for k in range(n):
        flags = {
            "neutral": k == 0,
            "own": k in (1, n - 1),
            "negate": k in (n - 1, n - 2, n // 2),
        }
        replaced = 2 if k in (0, 1, n - 1, n - 2) else n // 2 + 1 if k == n // 2 else k
        scalar = next(
            s for s in (replaced + n, replaced + 2 * n) if s.bit_length() == n.bit_length() + 1
        )
        assert multiple(ladders, scalar, flags) == curve.multiply(k, point)


def test_failure_at_the_last_step_shows() -> None:
    curve = PlainCurve(103, 0, 2)
    point = curve.points[0]
    order = curve.order_of(point)
    ladders = begun(curve, point, 5)
    for k in range(2, 3 * order):
        failing = [i for i in range(k.bit_length()) if (k >> i) % order in (0, order - 1)]
        if failing == [0] or (not failing and (2 * k + 1) % order == 0):
            assert multiple(ladders, k) is None


@pytest.mark.parametrize(
    ("plain", "openssl", "order"),
    [(P256, ec.SECP256R1(), P256_ORDER), (SECP256K1, ec.SECP256K1(), SECP256K1_ORDER)],
    ids=["P-256", "secp256k1"],
)
def test_against_openssl(plain: PlainCurve, openssl: ec.EllipticCurve, order: int) -> None:
    rng = random.Random(10)
    base = openssl_point(openssl, 1)
    for k in [2, 3, 4, order // 2 + 1, order - 3, *(rng.randrange(order) for _ in range(4))]:
        expected = openssl_point(openssl, k)
        scalar = next(s for s in (k + order, k + 2 * order) if s.bit_length() == 257)
        assert run(plain, scalar, base, rng.randrange(1, plain.prime)) == expected


def test_points_with_x_0_and_horizontal_tangent() -> None:
    b = P256.b
    root = pow(b, (P256.prime + 1) // 4, P256.prime)
    x = 1  # 3 x^2 + a = 0 for a = -3
    y = pow(P256.right_side(x), (P256.prime + 1) // 4, P256.prime)
    assert root * root % P256.prime == b
    for k in (5, 12345, P256_ORDER + 77):
        assert run(P256, k, (0, root), 99) == P256.multiply(k, (0, root))
    if y * y % P256.prime == P256.right_side(x):
        assert run(P256, 12345, (x, y), 99) == P256.multiply(12345, (x, y))


def test_mixture_never_vanishes() -> None:
    for prime in (5, 7, 11, 59):
        for a in range(prime):
            named = difference_ladder.constants(prime, a)
            k = named["k"]
            assert 72 * named["kappa"] % prime == (k - 3) % prime
            assert all((a + k * x * x) % prime for x in range(0 if a else 1, prime))


def test_costs() -> None:
    assert costs(difference_ladder.step()) == (10, 15, 2, 3)
    assert costs(difference_ladder.initial_state()) == (9, 13, 3, 0)
    assert costs(difference_ladder.recovery_fractions()) == (17, 22, 4, 3)
    assert costs(difference_ladder.recovery_result()) == (4, 5, 1, 3)


def test_characteristic_3_is_refused() -> None:
    with pytest.raises(SpecificationError, match="needs a prime above 3, not 3"):
        difference_ladder.constants(3, 1)
