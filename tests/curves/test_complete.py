"""Complete formulas: all pairs of points of small curves of odd order, in all scalings."""

import random
from itertools import product

import pytest

from curves.plain import PlainCurve, Point, costs, inverse
from residua.algorithms.fields.field import FieldProgram, evaluate
from residua.curves import complete
from residua.errors import SpecificationError

State = dict[str, int]


def projective(point: Point, scale: int, index: str, prime: int) -> State:
    x, y, z = (0, 1, 0) if point is None else (*point, 1)
    return {
        name + index: scale * value % prime for name, value in zip("xyz", (x, y, z), strict=True)
    }


def affine(state: State, prime: int) -> Point:
    if state["z0"] == 0:
        assert state["x0"] == 0
        assert state["y0"] != 0
        return None
    inverted = state | {"inverse": inverse(state["z0"], prime)}
    result = evaluate(complete.affine_result(), prime, inverted)
    return result["x"], result["y"]


def additions(curve: PlainCurve) -> list[FieldProgram]:
    if curve.a:
        return [complete.addition()]
    return [complete.addition(), complete.addition(a=0), complete.addition(a=0, b=curve.b)]


def doublings(curve: PlainCurve) -> list[FieldProgram]:
    if curve.a == curve.prime - 3:
        return [complete.doubling(), complete.doubling(a=-3)]
    if curve.a:
        return [complete.doubling()]
    return [complete.doubling(), complete.doubling(a=0), complete.doubling(a=0, b=curve.b)]


def odd_curves(primes: tuple[int, ...]) -> list[PlainCurve]:
    """Curves of odd order over each prime: some of any a, and those of a = -3 and a = 0."""
    curves = []
    for p in primes:
        for a in (0, p - 3, 1, 2, p // 2):
            fitting = [PlainCurve(p, a, b) for b in range(1, p)]
            odd = [c for c in fitting if not c.is_singular and len(c.points) % 2 == 0]
            curves += odd[:2]
    return curves


CURVES = odd_curves((5, 7, 11, 13, 19))


@pytest.mark.parametrize("curve", CURVES, ids=str)
def test_every_pair(curve: PlainCurve) -> None:
    p = curve.prime
    constants = complete.constants(p, curve.a, curve.b)
    rng = random.Random(p)
    for program in additions(curve):
        for first, second in product([None, *curve.points], repeat=2):
            state = projective(first, rng.randrange(1, p), "0", p)
            state |= projective(second, rng.randrange(1, p), "1", p)
            result = evaluate(program, p, state, constants=constants)
            assert affine(result, p) == curve.add(first, second)
    for program in doublings(curve):
        for point, scale in product([None, *curve.points], range(1, p)):
            state = projective(point, scale, "0", p)
            result = evaluate(program, p, state, constants=constants)
            assert affine(result, p) == curve.add(point, point)


def test_the_curves_cover_all_variants() -> None:
    assert {len(doublings(curve)) for curve in CURVES} == {1, 2, 3}
    assert sum(curve.a == 0 for curve in CURVES) >= 2
    assert sum(curve.a == curve.prime - 3 for curve in CURVES) >= 5


def test_fails_just_where_the_difference_has_order_2() -> None:
    curve = PlainCurve(23, 1, 21)
    constants = complete.constants(23, 1, 21)
    order_2 = [point for point in curve.points if point[1] == 0]
    assert order_2
    for first, second in product([None, *curve.points], repeat=2):
        state = projective(first, 3, "0", 23) | projective(second, 5, "1", 23)
        result = evaluate(complete.addition(), 23, state, constants=constants)
        failed = set(result.values()) == {0}
        assert failed == (curve.add(first, curve.negate(second)) in order_2)


def test_costs() -> None:
    assert costs(complete.addition()) == (11, 24, 0, 0)
    assert costs(complete.addition(a=0)) == (11, 19, 0, 0)
    assert costs(complete.addition(a=0, b=7)) == (9, 18, 0, 0)
    assert costs(complete.doubling()) == (11, 21, 0, 0)
    assert costs(complete.doubling(a=-3)) == (10, 14, 5, 0)
    assert costs(complete.doubling(a=0)) == (8, 9, 3, 0)
    assert costs(complete.doubling(a=0, b=7)) == (7, 11, 1, 0)
    assert costs(complete.affine_result()) == (2, 2, 0, 0)


def test_characteristic_3_is_refused() -> None:
    with pytest.raises(SpecificationError, match="needs a prime above 3, not 3"):
        complete.constants(3, 1, 1)
