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


def multiplied(curve, variant, scalars, points):
    p, named = curve.prime, joint.constants(curve.prime, curve.a, curve.b)
    (nx, ny), (x, y) = points
    state = {"x": x, "y": y, "nx": nx, "ny": ny}
    state |= evaluate(joint.initial_state(**variant), p, state, constants=named)
    for bit in range(BITS - 1, -1, -1):
        flags = {
            flag.name: bool(scalar >> bit & 1)
            for flag, scalar in zip((joint.FIRST, joint.SECOND), scalars, strict=True)
        }
        state |= evaluate(joint.step(**variant), p, state, constants=named, flags=flags)
    if state["z0"] == 0:
        return None
    state |= {"nx": state["x0"], "ny": state["y0"], "inverse": inverse(state["z0"], p)}
    result = evaluate(joint.result(), p, state)
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
            for scalars in product(range(1 << BITS), repeat=2):
                parts = map(curve.multiply, scalars, points)
                assert multiplied(curve, variant, scalars, points) == curve.add(*parts)


def test_costs():
    """(reductions, products, combinations, selections)."""
    assert costs(joint.step(a=-3)) == (21, 38, 6, 9)
    assert costs(joint.step(a=0)) == (19, 28, 4, 9)
    assert costs(joint.step()) == (22, 45, 1, 9)
