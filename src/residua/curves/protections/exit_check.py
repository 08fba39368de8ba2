"""Checks of a multiplied point before it leaves a coprocessor, against faults in mid-run.

On a short Weierstrass curve the result is a point of the curve, and so is the operand still; a
fault in the arithmetic leaves the curve but for a chance of about one in p. A Montgomery ladder has
x-coordinates alone, and every one of them is that of a point of the curve or of its twist. But the
ladder ends with two points whose difference is the operand, and the x-coordinates of three points
whose sum is the neutral element satisfy an equation: of A, B and A + B on
B v^2 = u^3 + A u^2 + u, with u-coordinates a, b and c, whatever their signs,

    (a b + b c + c a - 1)^2 = 4 a b c (a + b + c + A),

as the left and right sides are the symmetric functions of the roots of the curve's equation on the
line through them: with v = r u + s, a + b + c = B r^2 - A, a b + b c + c a = 1 - 2 B r s and
a b c = B s^2. The projective form holds with neutral points, too.
"""

from residua.algorithms.fields.field import Constant, FieldProgram

DEFECT = "defect"
"""The element that is zero unless something was disturbed."""


def ladder_relation() -> FieldProgram:
    """Set "defect", which is zero just if the end of a Montgomery ladder goes with its operand.

    (y : d) is k P and (x1 : z1) is (k + 1) P, or the other way round, and "x" is P.
    """
    program = FieldProgram("ladder_relation")
    u, x0, z0, x1, z1 = (program.input(name) for name in ("x", "y", "d", "x1", "z1"))
    cross = program.product_sum("x0 z1 + x1 z0", (x0, z1, 1), (x1, z0, 1))
    xx, zz = program.product("x0 x1", x0, x1), program.product("z0 z1", z0, z1)
    half = (zz, Constant("half_a"), 1)
    total = program.product_sum("sum", (cross, Constant(1), 1), (u, zz, 1), half, half)
    pairs = program.product_sum("pairs", (u, cross, 1), (xx, Constant(1), 1), (zz, Constant(1), -1))
    product = program.product("4 x0 x1 u", xx, u, multiple=4)
    defect = program.product_sum(DEFECT, (pairs, pairs, 1), (product, total, -1))
    program.output(DEFECT, defect)
    return program


def quotient_defect() -> FieldProgram:
    """Set "defect", which is zero just if "x" is "y" / "d"."""
    program = FieldProgram("quotient_defect")
    x, numerator, denominator = (program.input(name) for name in ("x", "y", "d"))
    defect = program.product_sum(DEFECT, (x, denominator, 1), (numerator, Constant(1), -1))
    program.output(DEFECT, defect)
    return program


def scaled_point_defect() -> FieldProgram:
    """Set "defect", which is zero just if the projective (x : y : m) is on the curve.

    That is how a fixed window keeps its point.
    """
    program = FieldProgram("scaled_point_defect")
    x, y, z = (program.input(name) for name in ("x", "y", "m"))
    zz, yy = program.product("z^2", z, z), program.product("y^2", y, y)
    slope = program.product_sum("x^2 + a z^2", (x, x, 1), (zz, Constant("a"), 1))
    bz = program.product("b z", z, Constant("b"))
    defect = program.product_sum(DEFECT, (yy, z, 1), (x, slope, -1), (bz, zz, -1))
    program.output(DEFECT, defect)
    return program
