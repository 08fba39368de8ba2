"""Combs: their tables, digits and programs against plain affine arithmetic."""

import random

import pytest
from tests.small_curves import MIDDLE, TINY, WITHOUT_A

from residua.algorithms.fields.field import Combination, evaluate
from residua.curves import affine, comb, complete
from residua.curves.catalogue import find_curve
from residua.curves.comb import Comb, comb_for
from residua.curves.fixed_window import small_b
from residua.curves.parameters import curve_from_parameters
from residua.errors import SpecificationError

TINIES = [curve_from_parameters(curve) for curve in (TINY, WITHOUT_A, MIDDLE)]
NAMED = [find_curve(name) for name in ("P-256", "secp256k1", "brainpoolP256r1")]


def coefficients(curve):
    a = -3 if curve.has_a_minus_3 else 0 if curve.a == 0 else None
    return {"a": a, "b": small_b(curve.prime, curve.a, curve.b)}


def multiplied(curve, shape, number, start_scale=5):
    """What the programs make of a number, in affine coordinates."""
    named = complete.constants(curve.prime, curve.a, curve.b) | comb.constants(curve, shape)
    addition, doubling = comb.addition(**coefficients(curve)), comb.doubling(**coefficients(curve))
    tables = comb.tables(curve, shape)
    state = evaluate(comb.initial_state(), curve.prime, {"m": start_scale}, constants=named)
    for index, column in enumerate(shape.order()):
        table = index % shape.tables
        if index and table == 0:
            state = evaluate(doubling, curve.prime, state, constants=named)
        position, positive = shape.digit(number, column)
        entry = dict(zip(comb.ENTRY, tables[table][position], strict=True))
        inputs = {name: (state | entry)[name] for name in addition.inputs}
        flags = {comb.POSITIVE.name: positive}
        state = evaluate(addition, curve.prime, inputs, constants=named, flags=flags)
    if state["z0"] == 0:
        return None
    inverse = pow(state["z0"], -1, curve.prime)
    return state["x0"] * inverse % curve.prime, state["y0"] * inverse % curve.prime


@pytest.mark.parametrize("curve", NAMED, ids=lambda curve: curve.name)
@pytest.mark.parametrize("implied", [-1, 386])
def test_programs_multiply(curve, implied):
    shape = comb_for(386, 6, 5, implied)
    n, draw = curve.order, random.Random(1)
    edges = [0, 1, 2, n - 1, n, n + 1, (1 << 386) - 1, (1 << 385), -(1 << 386) % n]
    for number in (*edges, *(draw.getrandbits(386) for _ in range(3))):
        whole = number + (1 << implied if implied >= 0 else 0)
        expected = affine.multiply(curve, whole % n, curve.base_point)
        assert multiplied(curve, shape, number) == expected, number


@pytest.mark.parametrize("curve", TINIES, ids=["a = -3", "a = 0", "40 bits"])
@pytest.mark.parametrize("shape", [Comb(3, 2, 3, 18), Comb(2, 1, 9), Comb(3, 6, 1)])
def test_every_kind_of_sum_on_small_groups(curve, shape):
    """Sums meet entries that are equal, opposite and neutral to them; no number is special."""
    n, draw = curve.order, random.Random(2)
    implied = 1 << shape.implied if shape.implied >= 0 else 0
    near = [(k - implied) % n for k in (-2, -1, 0, 1, 2)]
    numbers = [k for k in near if k < 1 << shape.bits]
    for number in (*numbers, *(draw.getrandbits(shape.bits) for _ in range(200))):
        expected = affine.multiply(curve, (number + implied) % n, curve.base_point)
        assert multiplied(curve, shape, number) == expected, number


@pytest.mark.parametrize("curve", TINIES, ids=["a = -3", "a = 0", "40 bits"])
def test_additions_have_no_exceptions(curve):
    """The entry is added to itself, to its negative, to the neutral element and to others."""
    named = complete.constants(curve.prime, curve.a, curve.b)
    program = comb.addition(**coefficients(curve))
    x, y = affine.multiply(curve, 7, curve.base_point)
    entry = dict(zip(comb.ENTRY, (x, y, (3 * curve.b * x - curve.a**2) % curve.prime), strict=True))
    for multiple in (0, 7, -7, 1, 2, -14, 14):
        point = affine.multiply(curve, multiple % curve.order, curve.base_point)
        state = dict(zip(("x0", "y0", "z0"), (*point, 1) if point else (0, 1, 0), strict=True))
        state = {name: 3 * value % curve.prime for name, value in state.items()}
        for positive in (True, False):
            inputs = {name: (state | entry)[name] for name in program.inputs}
            flags = {comb.POSITIVE.name: positive}
            total = evaluate(program, curve.prime, inputs, constants=named, flags=flags)
            expected = affine.multiply(
                curve, (multiple + (7 if positive else -7)) % curve.order, curve.base_point
            )
            x0, y0, z0 = (total[name] for name in ("x0", "y0", "z0"))
            assert (z0 == 0) == (expected is None)
            if expected:
                inverse = pow(z0, -1, curve.prime)
                found = x0 * inverse % curve.prime, y0 * inverse % curve.prime
                assert found == expected
            else:
                assert x0 == 0
                assert y0 != 0


@pytest.mark.parametrize(
    ("a", "b", "counts"),
    [(None, None, (10, 22, 0)), (-3, None, (9, 20, 1)), (0, None, (9, 17, 0)), (0, 7, (8, 17, 1))],
)
def test_the_table_of_costs(a, b, counts):
    program = comb.addition(a=a, b=b)
    products = sum(len(getattr(each, "products", ())) for each in program.operations)
    combined = sum(isinstance(each, Combination) for each in program.operations)
    assert (program.reductions, products, combined) == counts
    label = "any curve" if a is None else f"a = {a}" + (", small b" if b else "")
    head = f"`addition` for {label} " if a is None else f"`addition`, {label} "
    row = next(line for line in comb.__doc__.splitlines() if line.startswith(head))
    assert tuple(map(int, row.split()[-4:-1])) == counts


def test_digits_are_the_signed_sum():
    shape = Comb(4, 3, 2)
    for number in (0, 1, 0xABCDEF, (1 << shape.bits) - 1):
        total = 0
        for column in range(shape.columns):
            index, positive = shape.digit(number, column)
            teeth = [1 if index >> j & 1 else -1 for j in range(shape.teeth - 1)] + [1]
            entry = sum(sign << (column + j * shape.columns) for j, sign in enumerate(teeth))
            total += entry if positive else -entry
        assert total == 2 * number - ((1 << shape.bits) - 1)
    assert list(shape.order()) == [1, 3, 5, 0, 2, 4]


def test_the_shape_of_fewest_cycles():
    assert comb_for(386, 6, 13) == Comb(6, 13, 5)
    assert comb_for(386, 6, 1) == Comb(6, 1, 65)
    assert comb_for(1, 6, 13) == Comb(6, 1, 1)


@pytest.mark.parametrize("shape", [(1, 1, 1), (9, 1, 1), (6, 0, 1), (6, 65, 1), (6, 1, 0)])
def test_impossible_combs_are_refused(shape):
    with pytest.raises(SpecificationError, match="2 to 8 teeth, 1 to 64 tables and a column"):
        Comb(*shape)


def test_a_group_without_enough_points_is_refused():
    small = curve_from_parameters(TINY)
    shape = next(
        shape
        for shape in (Comb(8, 1, columns) for columns in range(1, 4000))
        if _reaches_neutral(small.order, shape)
    )
    with pytest.raises(SpecificationError, match="take fewer teeth, or leave fixed_base out"):
        comb.tables(small, shape)


def _reaches_neutral(order, shape):
    columns = [shape.columns * j for j in range(shape.teeth)]
    sums = {1 << columns[-1]}
    for column in columns[:-1]:
        sums = {total + sign for total in sums for sign in (-(1 << column), 1 << column)}
    return any(total % order == 0 for total in sums)
