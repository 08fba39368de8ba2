"""Jacobian formulas of the ECPM paper against affine arithmetic, with both reductions."""

import random

import pytest

from residua.algorithms.integer_program import placed, run
from residua.curves import affine
from residua.curves.catalogue import find_curve
from residua.curves.jacobian import ADDITION, DOUBLING, FORMULAS, add, double, multiply
from residua.curves.parameters import WeierstrassCurve
from residua.machines.integers import ExtendedResidues, Integers, Intervals
from residua.numbers.extended_base import extended_base

CURVE = find_curve("secp160r1")
P = CURVE.prime
BASE = extended_base(20, 33)
KINDS = {
    "integers": Integers(P),
    "conversion": ExtendedResidues(BASE, P),
    "extension": ExtendedResidues(BASE, P, "extension"),
}


def vector(kind, number):
    return number if kind == "integers" else BASE.residues(number)


def number(kind, value):
    return value % P if kind == "integers" else BASE.integer(value) % P


def points_of(curve, count, seed=1):
    point, found = curve.base_point, []
    for _ in range(count):
        found.append(affine.multiply(curve, random.Random(seed).getrandbits(150), point))
        point = found[-1]
    return found


def scaled(curve, point, z):
    if point is None:
        return (z * z, z**3, 0)
    return (point[0] * z**2 % curve.prime, point[1] * z**3 % curve.prime, z % curve.prime)


def plain(curve, triple):
    x, y, z = (one % curve.prime for one in triple)
    if z == 0:
        return None
    inverse = pow(z, -1, curve.prime)
    return x * inverse**2 % curve.prime, y * inverse**3 % curve.prime


@pytest.mark.parametrize("kind", KINDS)
def test_group_law(kind):
    generator = random.Random(7)
    p, q, _ = points_of(CURVE, 3)
    pairs = [(p, q), (p, p), (p, affine.negate(CURVE, p)), (None, q), (p, None), (None, None)]
    arithmetic, a = KINDS[kind], vector(kind, CURVE.a)
    for one, other in pairs:
        triples = [
            [vector(kind, x) for x in scaled(CURVE, point, generator.randrange(1, P))]
            for point in (one, other)
        ]
        total = [number(kind, x) for x in add(arithmetic, *triples, a)]
        assert plain(CURVE, total) == affine.add(CURVE, one, other)
        twice = [number(kind, x) for x in double(arithmetic, triples[0], a)]
        assert plain(CURVE, twice) == affine.double(CURVE, one)


@pytest.mark.parametrize("kind", KINDS)
def test_scalars(kind):
    point = [vector(kind, x) for x in scaled(CURVE, CURVE.base_point, 5)]
    neutral = [vector(kind, x) for x in (1, 1, 0)]
    n = CURVE.order
    edges = (0, 1, 2, 3, n - 1, n, n + 1, 2**161 - 1)
    # The cases of the formulas are those of integers; residues add words at their bounds.
    for k in edges if kind == "integers" else (n - 1, n, 2**161 - 1):
        got = multiply(KINDS[kind], k, 161, point, vector(kind, CURVE.a), neutral)
        expected = affine.multiply(CURVE, k, CURVE.base_point)
        assert plain(CURVE, [number(kind, x) for x in got]) == expected


def test_every_multiple_of_points_of_small_order():
    """Q = P and Q = -P occur in the loop; y^2 = x^3 + 3 x over F_p has (0, 0) of order 2."""
    curve = WeierstrassCurve("small", 1009, 3, 0, 0, 0, 1, 1)
    points = [
        (x, y) for x in range(0, 1009, 97) for y in range(1009) if affine.is_on_curve(curve, (x, y))
    ]
    assert (0, 0) in points
    for point in points[:6]:
        for k in range(64):
            got = multiply(Integers(1009), k, 6, (*point, 1), 3, (1, 1, 0))
            assert plain(curve, got) == affine.multiply(curve, k, point)


def test_counts_of_the_paper():
    """17 and 15 multiplications: 16 products and a half, 10 products and 5 small factors."""
    assert (ADDITION.products, ADDITION.reductions) == (16, 7)
    assert (DOUBLING.products, DOUBLING.reductions) == (10, 5)
    assert sum(step.kind == "halve" for step in ADDITION.steps) == 1
    assert sum(step.kind == "scale" for step in DOUBLING.steps) == 5


@pytest.mark.parametrize(("prime", "widest"), [(P, 643), (find_curve("P-192").prime, 771)])
def test_ranges(prime, widest):
    """Magnitudes with the placement of E19; 660 and 774 bits are what 20 moduli and more hold."""
    bits = [_bits(program, prime) for program in (ADDITION, DOUBLING)]
    assert bits == [widest - 1, widest]


def test_ranges_without_reductions():
    """The figures of E19."""
    assert _bits(FORMULAS["jacobian-addition"], P) == 2083
    assert _bits(FORMULAS["jacobian-doubling"], P) == 2400


def _bits(program, prime):
    reduced = (0, prime - 1)
    values = run(program, Intervals(reduced), dict.fromkeys(program.inputs, reduced))
    return max(max(-low, high) for low, high in values.values()).bit_length()


def test_reducing_terms_one_by_one_loses_the_half():
    """E18: W, R, T and M on their own make 2 Y2 odd now and then."""
    broken = placed(FORMULAS["jacobian-addition"], ("W", "R", "T", "M"))
    generator, failures = random.Random(3), 0
    for _ in range(40):
        inputs = {name: generator.randrange(P) for name in broken.inputs}
        try:
            run(broken, Integers(P), inputs)
        except ArithmeticError:
            failures += 1
    assert failures > 0
