"""Complete projective formulas on a short Weierstrass curve y^2 = x^3 + a x + b of odd order.

Points are (X : Y : Z), the neutral element is (0 : 1 : 0). The addition is that of Renes, Costello
and Batina, "Complete addition formulas for prime order elliptic curves" (Eurocrypt 2016), with
sums of products reduced once. It is right for all pairs of points, equal, opposite or neutral, if
the order of the curve is **odd**: it fails exactly if the difference of the points has order 2.
The doublings are the same formulas for equal points, for a = -3 and a = 0 simplified with the
equation of the curve.

==================================== ========== ======== ============
program                              reductions products combinations
==================================== ========== ======== ============
`addition` for any curve             11         24       0
`addition`, a = 0                    11         19       0
`addition`, a = 0, small b           9          18       0
`doubling` for any curve             11         21       0
`doubling`, a = -3                   10         14       5
`doubling`, a = 0                    8          9        3
`doubling`, a = 0, small b           7          11       1
==================================== ========== ======== ============
"""

from residua.algorithms.fields.field import Constant, FieldProgram, Variable
from residua.errors import SpecificationError

Point = tuple[Variable, Variable, Variable]


def constants(prime: int, a: int, b: int) -> dict[str, int]:
    """The named constants of this module's programs, for a curve modulo ``prime``.

    Raises:
        SpecificationError: the characteristic is 2 or 3, which has no short Weierstrass form.
    """
    if prime <= 3:
        raise SpecificationError(
            f"a short Weierstrass curve needs a prime above 3, not {prime}; use a larger field"
        )
    third = pow(3, -1, prime)
    return {
        "a": a % prime,
        "b": b % prime,
        "triple_b": 3 * b % prime,
        "third_a": a * third % prime,
        "four_thirds_a2": 4 * a * a * third % prime,
    }


def addition(*, a: int | None = None, b: int | None = None) -> FieldProgram:
    """(x0 : y0 : z0) += (x1 : y1 : z1), by `add`."""
    program = FieldProgram("complete_addition")
    _put(program, add(program, _point(program, "0"), _point(program, "1"), a=a, b=b))
    return program


def doubling(*, a: int | None = None, b: int | None = None) -> FieldProgram:
    """(x0 : y0 : z0) doubled, by `double`."""
    program = FieldProgram("complete_doubling")
    _put(program, double(program, _point(program, "0"), a=a, b=b))
    return program


def add(
    program: FieldProgram,
    first: Point,
    second: Point,
    *,
    a: int | None = None,
    b: int | None = None,
) -> Point:
    """The sum of two points as a part of ``program``.

    Args:
        program: where the operations are recorded.
        first: a point of the curve.
        second: another one, or the same.
        a: 0 for the cheaper formulas of curves with a = 0.
        b: with a = 0, the coefficient if it is a small integer; None: constant "triple_b".
    """
    (x0, y0, z0), (x1, y1, z1) = first, second
    xy = program.product_sum("xy", (x0, y1, 1), (x1, y0, 1))
    yz = program.product_sum("yz", (y0, z1, 1), (y1, z0, 1))
    pairs = (x0, x1), (y0, y1), (z0, z1)
    if a == 0 and b is not None:
        w = program.product_sum("w", (x0, z1, 1), (x1, z0, 1), multiple=3 * b)
        return _finish_small(program, (xy, yz, w), pairs, b)
    xz = program.product_sum("xz", (x0, z1, 1), (x1, z0, 1))
    return _finish(program, (xy, yz, xz), pairs, a)


def double(
    program: FieldProgram, point: Point, *, a: int | None = None, b: int | None = None
) -> Point:
    """The double of a point of the curve as a part of ``program``.

    Args:
        program: where the operations are recorded.
        point: the point.
        a: 0 or -3 for the cheaper formulas of such curves; anything else is the general one.
        b: with a = 0, the coefficient if it is a small integer; None: a named constant.
    """
    x, y, z = point
    xy = program.product("xy", x, y, multiple=2)
    yz = program.product("yz", y, z, multiple=2)
    if a == 0:
        return _double_zero(program, point, xy, yz, b)
    if a == -3:
        return _double_minus_3(program, point, xy, yz)
    xz = program.product("xz", x, z, multiple=2)
    return _finish(program, (xy, yz, xz), ((x, x), (y, y), (z, z)), None)


def affine_result() -> FieldProgram:
    """The affine "x" and "y" of (x0 : y0 : z0), with "inverse" = 1/z0."""
    program = FieldProgram("complete_affine_result")
    inverse = program.input("inverse")
    program.output("x", program.product("x", program.input("x0"), inverse))
    program.output("y", program.product("y", program.input("y0"), inverse))
    return program


def _point(program: FieldProgram, index: str) -> Point:
    return program.input("x" + index), program.input("y" + index), program.input("z" + index)


def _put(program: FieldProgram, point: Point) -> None:
    for name, coordinate in zip(("x0", "y0", "z0"), point, strict=True):
        program.output(name, coordinate)


def _finish(
    program: FieldProgram,
    cross: Point,
    pairs: tuple[tuple[Variable, Variable], ...],
    a: int | None,
) -> Point:
    """The sum from xy = X0 Y1 + X1 Y0, yz, xz and the pairs of coordinates.

    With t = a xz + 3 b Z0 Z1, minus = Y0 Y1 - t, plus = Y0 Y1 + t, v = 3 X0 X1 + a Z0 Z1 and
    w = a X0 X1 + 3 b xz - a^2 Z0 Z1 = (a/3) v + 3 b xz - (4 a^2 / 3) Z0 Z1, the sum is
    (xy minus - yz w : v w + plus minus : yz plus + xy v).
    """
    xy, yz, xz = cross
    (x0, x1), (y0, y1), (z0, z1) = pairs
    zz = program.product("zz", z0, z1)
    if a == 0:
        v = program.product("v", x0, x1, multiple=3)
        triple_b = Constant("triple_b")
        minus = program.product_sum("minus", (y0, y1, 1), (zz, triple_b, -1))
        plus = program.product_sum("plus", (y0, y1, 1), (zz, triple_b, 1))
        w = program.product("w", xz, triple_b)
    else:
        v = program.product_sum("v", (x0, x1, 1), (zz, Constant("third_a"), 1), multiple=3)
        parts = (xz, Constant("a")), (zz, Constant("triple_b"))
        minus = program.product_sum("minus", (y0, y1, 1), *((*part, -1) for part in parts))
        plus = program.product_sum("plus", (y0, y1, 1), *((*part, 1) for part in parts))
        w = program.product_sum(
            "w",
            (v, Constant("third_a"), 1),
            (xz, Constant("triple_b"), 1),
            (zz, Constant("four_thirds_a2"), -1),
        )
    x3 = program.product_sum("x0", (xy, minus, 1), (yz, w, -1))
    y3 = program.product_sum("y0", (v, w, 1), (plus, minus, 1))
    z3 = program.product_sum("z0", (yz, plus, 1), (xy, v, 1))
    return x3, y3, z3


def _finish_small(
    program: FieldProgram,
    cross: Point,
    pairs: tuple[tuple[Variable, Variable], ...],
    b: int,
) -> Point:
    """Finish for a = 0 and a small b, from xy, yz and w; t and w take no reduction of their own.

    What would be sums and differences of reduced elements is multiplied out instead, which costs
    fewer slots: with s = Y0 Y1 and v = 3 X0 X1, the sum is
    (xy s - xy t - yz w : v w + s^2 - t^2 : yz s + yz t + xy v).
    """
    xy, yz, w = cross
    (x0, x1), (y0, y1), (z0, z1) = pairs
    t = program.product("t", z0, z1, multiple=3 * b)
    v = program.product("v", x0, x1, multiple=3)
    s = program.product("s", y0, y1)
    x3 = program.product_sum("x0", (xy, s, 1), (xy, t, -1), (yz, w, -1))
    y3 = program.product_sum("y0", (v, w, 1), (s, s, 1), (t, t, -1))
    z3 = program.product_sum("z0", (yz, s, 1), (yz, t, 1), (xy, v, 1))
    return x3, y3, z3


def _double_zero(
    program: FieldProgram, point: Point, xy: Variable, yz: Variable, b: int | None
) -> Point:
    """Double with t = 3 b Z^2: (2 X Y (Y^2 - 3 t) : Y^2 (Y^2 + 6 t) - 3 t^2 : 8 Y^3 Z)."""
    _, y, z = point
    yy = program.product("yy", y, y)
    if b is not None:
        t = program.product("t", z, z, multiple=3 * b)
        t3 = program.combine("3t", (t, 3))
        x3 = program.product_sum("x0", (xy, yy, 1), (xy, t3, -1))
        y3 = program.product_sum("y0", (yy, yy, 1), (yy, t3, 1), (yy, t3, 1), (t, t3, -1))
        return x3, y3, program.product("z0", yy, yz, multiple=4)
    zz = program.product("zz", z, z)
    t = program.product("t", zz, Constant("triple_b"))
    t3 = program.combine("3t", (t, 3))
    minus = program.combine("yy - 3t", (yy, 1), (t3, -1))
    plus = program.combine("yy + 6t", (yy, 1), (t3, 2))
    x3 = program.product("x0", xy, minus)
    y3 = program.product_sum("y0", (yy, plus, 1), (t, t3, -1))
    return x3, y3, program.product("z0", yy, yz, multiple=4)


def _double_minus_3(program: FieldProgram, point: Point, xy: Variable, yz: Variable) -> Point:
    """a = -3 with f = X Z, e = Z^2, h = b Z^2 and w = 9 b f - 9 e.

    (2 X Y (Y^2 + 9 f) - 2 Y Z w : Y^2 (Y^2 - 9 f + 18 h) - (3 h - 9 f)(9 h - 9 f) - 3 e w :
    8 Y^3 Z), where X^3 is eliminated from Y3 by the equation of the curve.
    """
    x, y, z = point
    yy = program.product("yy", y, y)
    f = program.product("xz", x, z)
    e = program.product("zz", z, z)
    h = program.product("h", e, Constant("b"))
    w = program.product_sum("w", (f, Constant("b"), 1), (e, Constant(1), -1), multiple=9)
    u = program.combine("u", (yy, 1), (f, 9))
    n = program.combine("n", (yy, 1), (f, -9), (h, 18))
    s = program.combine("s", (h, 3), (f, -9))
    r = program.combine("r", (h, 9), (f, -9))
    e3 = program.combine("3e", (e, 3))
    x3 = program.product_sum("x0", (xy, u, 1), (yz, w, -1))
    y3 = program.product_sum("y0", (yy, n, 1), (s, r, -1), (e3, w, -1))
    return x3, y3, program.product("z0", yy, yz, multiple=4)
