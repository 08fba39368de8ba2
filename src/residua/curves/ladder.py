"""Montgomery ladder on x-coordinates of a short Weierstrass curve y^2 = x^3 + a x + b.

The state is two projective x-coordinates (x0 : z0) and (x1 : z1) whose points differ by P. A step
doubles one of them and adds both: afterwards index 0 is the double, index 1 the sum. The formulas
are SBMM Table 6 (Brier and Joye) with the addition corrected, products merged into sums with one
reduction each, and a doubling that treats every a alike.

The ladder is complete for every affine P, on the curve or on its quadratic twist: the neutral
element is (X : 0) with X != 0, points of order 2 and P = +-Q need no attention, scalars are free.

Costs (products are those that the reductions sum up):

================================== ========== ======== ============ ==========
program                            reductions products combinations selections
================================== ========== ======== ============ ==========
`step` for any curve               12         21       0            2
`step` with a small a (a = -3)     12         19       2            2
`step` with a = 0                  12         19       0            2
`step` with a = 0 and a small b    10         17       2            2
`step` with small a and b          10         16       4            2
================================== ========== ======== ============ ==========

The small-a steps have the shorter chain of dependent reductions (3 instead of 4).
"""

from residua.algorithms.fields.field import Constant, FieldProgram, Flag, Variable
from residua.errors import SpecificationError

SWAP = Flag("swap")
LAST = Flag("last")


def constants(prime: int, a: int, b: int) -> dict[str, int]:
    """The named constants of this module's programs, for a curve modulo ``prime``.

    Raises:
        SpecificationError: the characteristic is 2 or 3, which has no short Weierstrass form.
    """
    if prime <= 3:
        raise SpecificationError(
            f"a short Weierstrass curve needs a prime above 3, not {prime}; use a larger field"
        )
    third_a = a * pow(3, -1, prime) % prime
    return {
        "a": a % prime,
        "b": b % prime,
        "third_a": third_a,
        "six_a": 6 * a % prime,
        "nine_b": 9 * b % prime,
    }


def initial_state() -> FieldProgram:
    """(O, P) in random projective scalings, from the affine "x" and nonzero random "l" and "m"."""
    program = FieldProgram("ladder_initial_state")
    x, scale, m = (program.input(name) for name in ("x", "l", "m"))
    program.output("x0", program.combine("x0", (scale, 1)))
    program.output("z0", program.combine("z0", (scale, 0)))
    program.output("x1", program.product("x1", x, m))
    program.output("z1", program.combine("z1", (m, 1)))
    return program


def step(*, a: int | None = None, b: int | None = None) -> FieldProgram:
    """One bit of the scalar: the double to (x0 : z0), the sum to (x1 : z1).

    "x" is the affine x-coordinate of P. Flag "swap" is the bit of the scalar xor the bit before it
    (0 before the first), from the most significant bit on.

    Args:
        a: the coefficient when it is a small integer (in absolute value); None: constant "a".
        b: the same for b.
    """
    program = FieldProgram("ladder_step")
    x = program.input("x")
    first = program.input("x0"), program.input("z0")
    second = program.input("x1"), program.input("z1")
    doubled = (
        program.select("x", SWAP, second[0], first[0]),
        program.select("z", SWAP, second[1], first[1]),
    )
    x1, z1 = _sum(program, x, first, second, a, b)
    if a is None:
        x0, z0 = _double(program, *doubled)
    else:
        x0, z0 = _double_small(program, *doubled, a, b)
    for name, value in (("x0", x0), ("z0", z0), ("x1", x1), ("z1", z1)):
        program.output(name, value)
    return program


def _sum(
    program: FieldProgram,
    x: Variable,
    first: tuple[Variable, Variable],
    second: tuple[Variable, Variable],
    a: int | None,
    b: int | None,
) -> tuple[Variable, Variable]:
    """SBMM Table 6, ADD, with x(P + Q) + x(P - Q) = (A B + C D) / Z3 (`x` is that of P - Q)."""
    (x0, z0), (x1, z1) = first, second
    cross = program.product_sum("A", (z0, x1, 1), (z1, x0, 1))
    xx = program.product("B", x0, x1, multiple=2)
    zz = program.product("C", z0, z1, multiple=2)
    curve = _curve_part(program, cross, zz, a, b)
    z3 = program.product_sum("z1", (cross, cross, 1), (xx, zz, -1))
    x3 = program.product_sum("x1", (xx, cross, 1), (zz, curve, 1), (x, z3, -1))
    return x3, z3


def _curve_part(
    program: FieldProgram, cross: Variable, zz: Variable, a: int | None, b: int | None
) -> Variable:
    """D = a A + b C."""
    if a is not None and b is not None:
        terms = [(cross, a), (zz, b)] if a else [(zz, b)]
        return program.combine("D", *terms)
    if a == 0:
        return program.product("D", zz, Constant("b"))
    return program.product_sum("D", (cross, Constant("a"), 1), (zz, Constant("b"), 1))


def _double(program: FieldProgram, x: Variable, z: Variable) -> tuple[Variable, Variable]:
    """Doubling for any a without combinations.

    With f = X^3 + a X Z^2 + b Z^3 and J = 3 X^2 + a Z^2 the double is (J^2 - 8 X f : 4 Z f), and
    3 f = X J + Z^2 (2 a X + 3 b Z). The program computes 3 J and M = 72 f, and scales by 18.
    """
    zz = program.product("E", z, z)
    j = program.product_sum("J", (x, x, 1), (zz, Constant("third_a"), 1), multiple=9)
    d = program.product_sum("T", (x, Constant("six_a"), 1), (z, Constant("nine_b"), 1))
    m = program.product_sum("M", (x, j, 1), (zz, d, 1), multiple=8)
    x4 = program.product_sum("x0", (j, j, 1), (x, m, -1), multiple=2)
    return x4, program.product("z0", z, m)


def _double_small(
    program: FieldProgram, x: Variable, z: Variable, a: int, b: int | None
) -> tuple[Variable, Variable]:
    """SBMM Table 6, DBL, with a Z^2 as a combination."""
    zz = program.product("E", z, z)
    xz = program.product("F", x, z, multiple=2)
    xx = program.product("G", x, x)
    if b is None:
        h = program.product("H", zz, Constant("b"), multiple=4)
    else:
        h = program.combine("H", (zz, 4 * b))
    if a == 0:
        x4 = program.product_sum("x0", (xx, xx, 1), (xz, h, -1))
        z4 = program.product_sum("z0", (xz, xx, 1), (xz, xx, 1), (zz, h, 1))
        return x4, z4
    minus = program.combine("G-I", (xx, 1), (zz, -a))
    plus = program.combine("2(G+I)", (xx, 2), (zz, 2 * a))
    x4 = program.product_sum("x0", (minus, minus, 1), (xz, h, -1))
    return x4, program.product_sum("z0", (xz, plus, 1), (zz, h, 1))


def final_select() -> FieldProgram:
    """Select the results after the last step: (x0 : z0) = k P and (x1 : z1) = (k + 1) P."""
    program = FieldProgram("ladder_final_select")
    for name in ("x", "z"):
        first, second = program.input(f"{name}0"), program.input(f"{name}1")
        program.output(f"{name}0", program.select(f"{name}0", LAST, second, first))
        program.output(f"{name}1", program.select(f"{name}1", LAST, first, second))
    return program


def recovery_fractions() -> FieldProgram:
    """The affine k P as fractions (nx / d, ny / d), from the selected state and the affine P.

    d = 2 y z0^2 z1. With Q = k P and R = Q + P,
    y(Q) = (2 b + (a + x xQ)(x + xQ) - xR (x - xQ)^2) / (2 y) (Okeya and Sakurai). Ten reductions.

    d is zero if k P is O (the caller looks at z0), if (k + 1) P is O, or if P has order 2.
    """
    program = FieldProgram("ladder_recovery_fractions")
    x, y, x0, z0, x1, z1 = (program.input(name) for name in ("x", "y", "x0", "z0", "x1", "z1"))
    xz = program.product("x z0", x, z0)
    total = program.combine("x z0 + x0", (xz, 1), (x0, 1))
    difference = program.combine("x z0 - x0", (xz, 1), (x0, -1))
    mixed = program.product_sum("a z0 + x x0", (z0, Constant("a"), 1), (x, x0, 1))
    bz = program.product("2 b z0", z0, Constant("b"), multiple=2)
    u = program.product_sum("u", (total, mixed, 1), (bz, z0, 1))
    v = program.product("v", difference, difference)
    zz = program.product("z0 z1", z0, z1)
    scale = program.product("2 y z0 z1", y, zz, multiple=2)
    program.output("d", program.product("d", scale, z0))
    program.output("nx", program.product("nx", scale, x0))
    program.output("ny", program.product_sum("ny", (z1, u, 1), (x1, v, -1)))
    return program


def recovery_result() -> FieldProgram:
    """The affine k P in "x" and "y" (which hold P before), with "inverse" = 1/d, or 0 if d = 0.

    e = d * inverse is 1 or 0: the result is (nx / d, ny / d), or -P if d = 0. The latter is right
    when (k + 1) P = O, and when k P = P has order 2. Three reductions, no branches.
    """
    program = FieldProgram("ladder_recovery_result")
    x, y, inverse = program.input("x"), program.input("y"), program.input("inverse")
    one = Constant(1)
    e = program.product("e", program.input("d"), inverse)
    nx, ny = program.input("nx"), program.input("ny")
    program.output("x", program.product_sum("x", (nx, inverse, 1), (e, x, -1), (x, one, 1)))
    program.output("y", program.product_sum("y", (ny, inverse, 1), (e, y, 1), (y, one, -1)))
    return program


def x_result() -> FieldProgram:
    """The affine "x" of (x0 : z0), with "inverse" = 1/z0 (0 for the neutral element gives 0)."""
    program = FieldProgram("ladder_x_result")
    program.output("x", program.product("x", program.input("x0"), program.input("inverse")))
    return program


def on_curve() -> FieldProgram:
    """The "defect" y^2 - x^3 - a x - b, zero just on the curve; the input "one" holds 1."""
    program = FieldProgram("on_curve")
    x, y, one = program.input("x"), program.input("y"), program.input("one")
    slope = program.product_sum("x^2 + a", (x, x, 1), (one, Constant("a"), 1))
    program.output(
        "defect",
        program.product_sum("defect", (y, y, 1), (x, slope, -1), (one, Constant("b"), -1)),
    )
    return program
