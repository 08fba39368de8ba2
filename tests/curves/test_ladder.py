"""The (X, Z) ladder: every scalar, point and curve over tiny fields, and OpenSSL."""

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
from residua.algorithms.fields.field import FieldProgram, evaluate
from residua.curves import ladder
from residua.errors import SpecificationError


def signed(value: int, prime: int) -> int:
    return value if value <= prime // 2 else value - prime


def variants(curve: PlainCurve) -> list[FieldProgram]:
    """All steps that a curve may use."""
    a, b = signed(curve.a, curve.prime), signed(curve.b, curve.prime)
    return [ladder.step(), ladder.step(a=a), ladder.step(a=a, b=b)]


START, FINAL, RESULT = ladder.initial_state(), ladder.final_select(), ladder.x_result()
FRACTIONS, RECOVERY = ladder.recovery_fractions(), ladder.recovery_result()


def begun(curve: PlainCurve, program: FieldProgram, point: tuple[int, int], seed: int) -> Prefixes:
    """The ladder of a point, in random coordinates."""
    p = curve.prime
    rng = random.Random(seed)
    runner = Ladder(
        p,
        ladder.constants(p, curve.a, curve.b),
        x=point[0],
        y=point[1],
        l=rng.randrange(1, p),
        m=rng.randrange(1, p),
    )
    runner.run(START)
    return Prefixes(runner, program)


def ended(ladders: Prefixes, k: int) -> Ladder:
    """The selected final state after as many bits as k has, and a leading zero."""
    runner = ladders.after(f"0{k:b}")
    runner.run(FINAL, last=k % 2 == 1)
    return runner


def run(
    curve: PlainCurve, program: FieldProgram, k: int, point: tuple[int, int], seed: int
) -> Ladder:
    return ended(begun(curve, program, point, seed), k)


def recovered(runner: Ladder) -> Point:
    """The affine result by the programs, which look at y of P too."""
    state = runner.state
    if state["z0"] == 0:
        assert state["x0"] != 0
        return None
    x_only = evaluate(RESULT, runner.prime, state | {"inverse": inverse(state["z0"], runner.prime)})
    runner.run(FRACTIONS)
    runner.state["inverse"] = inverse(runner.state["d"], runner.prime)
    runner.run(RECOVERY)
    assert runner.state["x"] == x_only["x"]
    return runner.state["x"], runner.state["y"]


def check(curve: PlainCurve, k: int, point: tuple[int, int], ladders: Prefixes) -> None:
    runner = ended(ladders, k)
    following = curve.multiply(k + 1, point)
    x1, z1 = runner.state["x1"], runner.state["z1"]
    assert (x1, z1) != (0, 0)
    assert (z1 == 0) == (following is None)
    if following is not None:
        assert x1 * inverse(z1, curve.prime) % curve.prime == following[0]
    assert recovered(runner) == curve.multiply(k, point), (curve, k, point)


@pytest.mark.parametrize("prime", [5, 7, 11])
def test_every_scalar_point_and_curve(prime: int) -> None:
    for a, b in product(range(prime), repeat=2):
        curve = PlainCurve(prime, a, b)
        if curve.is_singular:
            continue
        programs = variants(curve)
        for index, point in enumerate(curve.points):
            ladders = begun(curve, programs[(index + a + b) % len(programs)], point, index)
            for k in range(2 * curve.order_of(point) + 4):
                check(curve, k, point, ladders)


@pytest.mark.parametrize(("prime", "a", "b"), [(59, 56, 5), (61, 0, 5), (53, 0, 7), (47, 11, 0)])
def test_every_step_on_larger_curves(prime: int, a: int, b: int) -> None:
    curve = PlainCurve(prime, a, b)
    for program, point in product(variants(curve), curve.points[::3]):
        ladders = begun(curve, program, point, seed=point[0])
        for k in range(0, 2 * curve.order_of(point) + 4, 3):
            check(curve, k, point, ladders)


@pytest.mark.parametrize(("prime", "a", "b"), [(11, 3, 5), (13, 10, 1), (19, 0, 3), (17, 2, 0)])
def test_every_pair_of_scalings_of_the_initial_state(prime: int, a: int, b: int) -> None:
    curve = PlainCurve(prime, a, b)
    constants = ladder.constants(prime, a, b)
    point = curve.points[-1]
    for program in variants(curve):
        for scale, m in product(range(1, prime), repeat=2):
            runner = Ladder(prime, constants, x=point[0], y=point[1], l=scale, m=m)
            runner.run(START)
            runner.steps(program, "1011")
            runner.run(FINAL, last=True)
            assert recovered(runner) == curve.multiply(11, point)


def test_twist_points_by_x_only() -> None:
    prime, a, b = 23, 20, 4
    nonresidue = next(d for d in range(2, prime) if pow(d, prime // 2, prime) == prime - 1)
    twist = PlainCurve(prime, a * nonresidue**2 % prime, b * nonresidue**3 % prime)
    on_curve = {x for x, _ in PlainCurve(prime, a, b).points}
    scale = inverse(nonresidue, prime)
    for point in twist.points:
        x = point[0] * scale % prime
        if point[1]:
            assert x not in on_curve
        for program in (ladder.step(), ladder.step(a=-3), ladder.step(a=-3, b=4)):
            for k in range(1, twist.order_of(point) + 3):
                expected = twist.multiply(k, point)
                state = run(PlainCurve(prime, a, b), program, k, (x, 0), seed=k).state
                assert (state["z0"] == 0) == (expected is None)
                if expected is not None:
                    affine = state["x0"] * inverse(state["z0"], prime)
                    assert affine % prime == expected[0] * scale % prime


@pytest.mark.parametrize(
    ("plain", "openssl", "order", "programs"),
    [
        (P256, ec.SECP256R1(), P256_ORDER, [ladder.step(), ladder.step(a=-3)]),
        (
            SECP256K1,
            ec.SECP256K1(),
            SECP256K1_ORDER,
            [ladder.step(), ladder.step(a=0), ladder.step(a=0, b=7)],
        ),
    ],
    ids=["P-256", "secp256k1"],
)
def test_against_openssl(
    plain: PlainCurve, openssl: ec.EllipticCurve, order: int, programs: list[FieldProgram]
) -> None:
    rng = random.Random(256)
    base = openssl_point(openssl, 1)
    scalars = [1, 2, 3, order - 2, order - 1, *(rng.randrange(order) for _ in range(3))]
    for k, program in product(scalars, programs):
        expected = openssl_point(openssl, k)
        assert recovered(run(plain, program, k, base, seed=k)) == expected
        assert recovered(run(plain, program, k + order, base, seed=k)) == expected
    for k, program in product([0, order, 2 * order], programs):
        assert recovered(run(plain, program, k, base, seed=k)) is None


def test_on_curve() -> None:
    curve = PlainCurve(31, 28, 7)
    constants = ladder.constants(31, 28, 7)
    defects = {
        (x, y): evaluate(ladder.on_curve(), 31, {"x": x, "y": y, "one": 1}, constants=constants)
        for x, y in product(range(31), repeat=2)
    }
    assert [point for point, value in defects.items() if value["defect"] == 0] == curve.points
    assert all(v["defect"] == (y * y - curve.right_side(x)) % 31 for (x, y), v in defects.items())


def test_costs() -> None:
    assert costs(ladder.step()) == (12, 21, 0, 2)
    assert costs(ladder.step(a=-3)) == (12, 19, 2, 2)
    assert costs(ladder.step(a=0)) == (12, 19, 0, 2)
    assert costs(ladder.step(a=0, b=7)) == (10, 17, 2, 2)
    assert costs(ladder.step(a=-3, b=5)) == (10, 16, 4, 2)
    assert costs(ladder.initial_state()) == (1, 1, 3, 0)
    assert costs(ladder.final_select()) == (0, 0, 0, 4)
    assert costs(ladder.recovery_fractions()) == (10, 13, 2, 0)
    assert costs(ladder.recovery_result()) == (3, 7, 0, 0)
    assert costs(ladder.x_result()) == (1, 1, 0, 0)
    assert costs(ladder.on_curve()) == (2, 5, 0, 0)


def test_characteristic_3_is_refused() -> None:
    with pytest.raises(SpecificationError, match="needs a prime above 3, not 3"):
        ladder.constants(3, 1, 1)
