"""Joint multiplication: all pairs of points and small scalars of small curves of odd order."""

import random
from itertools import product

import pytest

from curves.plain import PlainCurve, costs, inverse
from curves.test_complete import CURVES
from residua.algorithms.fields.field import evaluate
from residua.curves import joint

BITS = 3


def variants(curve: PlainCurve) -> list[dict[str, int]]:
    found: list[dict[str, int]] = [{}]
    if curve.a == curve.prime - 3:
        found.append({"a": -3})
    if curve.a == 0:
        found += [{"a": 0}, {"a": 0, "b": curve.b}]
    return found


RESULT = joint.result()


def multiplied(curve, variant, points):
    """The sums of multiples by all pairs of scalars; those that begin alike share their steps."""
    p, named = curve.prime, joint.constants(curve.prime, curve.a, curve.b)
    (nx, ny), (x, y) = points
    state = {"x": x, "y": y, "nx": nx, "ny": ny}
    state |= evaluate(joint.initial_state(**variant), p, state, constants=named)
    states, step = {(0, 0): state}, joint.step(**variant)
    for _ in range(BITS):
        states = {
            (2 * k + first, 2 * other + second): before
            | evaluate(
                step,
                p,
                before,
                constants=named,
                flags={joint.FIRST.name: bool(first), joint.SECOND.name: bool(second)},
            )
            for (k, other), before in states.items()
            for first, second in product((0, 1), repeat=2)
        }
    return {scalars: affine(p, state) for scalars, state in states.items()}


def affine(p, state):
    if state["z0"] == 0:
        return None
    state |= {"nx": state["x0"], "ny": state["y0"], "inverse": inverse(state["z0"], p)}
    result = evaluate(RESULT, p, state)
    return result["x"], result["y"]


@pytest.mark.parametrize("curve", CURVES, ids=str)
def test_pairs_of_scalars_and_points(curve):
    chooser = random.Random(curve.prime)
    pairs = list(product(curve.points, repeat=2))
    pairs = chooser.sample(pairs, min(len(pairs), 4))
    x, y = curve.points[0]
    pairs += [((x, y), (x, y)), ((x, y), (x, -y % curve.prime))]
    for variant in variants(curve):
        for points in pairs:
            firsts, seconds = (
                [curve.multiply(k, point) for k in range(1 << BITS)] for point in points
            )
            assert multiplied(curve, variant, points) == {
                scalars: curve.add(firsts[scalars[0]], seconds[scalars[1]])
                for scalars in product(range(1 << BITS), repeat=2)
            }


def test_costs():
    """(reductions, products, combinations, selections)."""
    assert costs(joint.step(a=-3)) == (21, 38, 6, 9)
    assert costs(joint.step(a=0)) == (19, 28, 4, 9)
    assert costs(joint.step()) == (22, 45, 1, 9)
