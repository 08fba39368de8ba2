"""A ladder on the x-differences of three collinear points, for any short Weierstrass curve.

P, Q = k P and R = -(k + 1) P lie on a line. They share one projective factor Z, which is never
computed: x = X / Z^2, y = Y / Z^3. The state is

    x0 = X_Q - X_P,  x1 = X_R - X_P,  y0 = 2 Y_Q,  y1 = 2 Y_R,  g = (x0 - x1)^2.

(The differences are those of co-Z ladders, see Hamburg, "Faster Montgomery and double-add ladders
for short Weierstrass curves", TCHES 2020; the state and the grouping into sums of products are
chosen here for few reductions.) To double the point (X, Y), with (X', Y') the other one, let

    F = X g   H = X' g   V = Y^2   W = Y Y'   J = F W - H V   M = V + W - 2 F

and Z becomes Z (X - X') Y. The double is x0 = F^2 - J, y0 = J V + M x0; the new third point,
minus (double + or - P), is x1 = V W, y1 = J V + M x1. No constant of the curve occurs. g depends on
no bit, so that it is ready when the next bit is needed: a step ends with it, not begins.

A step takes 10 reductions of 15 products, 2 combinations and 3 selections, in a chain of three
dependent reductions.

**Where it fails.** A step loses Z when Y = 0 (the point to be doubled has order 2) or X = X'
(then Q = R). So the ladder is right if and only if no prefix of the scalar is 0 or -1 modulo the
order n of P: neither the 1 that `initial_state` stands for (so n > 2), nor what any bit leads to,
the whole scalar included. The recovery of affine coordinates fails besides for a scalar s with
2 s + 1 = 0 modulo n, where the state is right but Q = R does not show the slope of the line.

For an odd n > 8, k < n and the scalar s = k + n or k + 2 n, whichever has exactly one bit more than
n, these are the k = -2, -1, 0, 1 (the last not for n = 2^i - 1) and (n - 1) / 2 modulo n, and no
others. For s = k + r n with any r of less bits than n, they are the k < 2^i where 2^i divides r,
the k >= n - 2^i where it divides r + 1, and (n - 1) / 2. So blinding changes a bit of r where that
would happen, see `residua.machines.blinded_scalar`.

**What is done about it.** Where k P is asked for, k is compared with these five, and the ladder
runs with k = 2 instead of 0, 1, -1 and -2, with -k instead of (n - 1) / 2. Three flags tell how to
put the result right: "neutral" (k = 0) makes the denominator d of `recovery_fractions` zero, "own"
(k = 1, -1) puts P in the place of the result, "negate" (-1, -2, (n - 1) / 2) its negative.
"""

import gmpy2

from residua.algorithms.fields.field import Constant, FieldProgram, Flag, Variable
from residua.curves.ladder import LAST, SWAP
from residua.errors import SpecificationError

NEUTRAL = Flag("neutral")
OWN = Flag("own")
NEGATE = Flag("negate")

LEAST_ORDER = 9
"""Orders of P below this have other exceptions."""


def constants(prime: int, a: int) -> dict[str, int]:
    """The named constants: "a", and "k" with a + k x^2 != 0 for all x (for a = 0: x != 0).

    "kappa" is (k - 3) / 72.

    Raises:
        SpecificationError: the characteristic is 2 or 3, which has no short Weierstrass form.
    """
    if prime <= 3:
        raise SpecificationError(
            f"a short Weierstrass curve needs a prime above 3, not {prime}; use a larger field"
        )
    k = 1
    while a % prime and gmpy2.jacobi(-a * k % prime, prime) != -1:
        k += 1
    return {"a": a % prime, "k": k, "kappa": (k - 3) * pow(72, -1, prime) % prime}


def initial_state() -> FieldProgram:
    """Q = P and R = -2 P with Z = 2 y m, from the affine "x", "y" and a nonzero random "m".

    9 reductions. P must not have order 2; start with the bit after the leading one of the scalar.
    """
    program = FieldProgram("difference_initial_state")
    x, y, m = (program.input(name) for name in ("x", "y", "m"))
    mx = program.product("m x", m, x, multiple=3)
    slope = program.product_sum("(3 x^2 + a) m", (mx, x, 1), (m, Constant("a"), 1))
    z = program.product("Z", y, m, multiple=2)
    zz = program.product("Z^2", z, z)
    yz = program.product("2 y Z", y, z, multiple=2)
    zz3 = program.combine("3 Z^2", (zz, 3))
    x1 = program.product_sum("x1", (slope, slope, 1), (x, zz3, -1))
    x0 = program.combine("x0", (x, 0))
    program.output("x0", x0)
    program.output("x1", x1)
    program.output("g", _square_of_difference(program, x0, x1))
    program.output("y0", program.product("y0", yz, zz))
    program.output("y1", program.product_sum("y1", (yz, zz, 1), (slope, x1, 1), (slope, x1, 1)))
    return program


def step() -> FieldProgram:
    """One bit of the scalar: index 0 becomes the double of the point that "swap" chooses.

    "swap" is the bit of the scalar xor the bit before it, where the bit before the first one
    counts as 0 (index 0 of `initial_state` is Q).
    """
    program = FieldProgram("difference_step")
    x0, x1, y0, y1, g = (program.input(name) for name in ("x0", "x1", "y0", "y1", "g"))
    x = program.select("X", SWAP, x1, x0)
    other = program.select("X'", SWAP, x0, x1)
    y = program.select("Y", SWAP, y1, y0)

    v = program.product("V", y, y)
    w = program.product("W", y0, y1)
    f = program.product("F", x, g)
    h = program.product("H", other, g)
    j = program.product_sum("J", (f, w, 1), (h, v, -1))
    m = program.combine("M", (v, 1), (w, 1), (f, -2))

    x_double = program.product_sum("x0", (f, f, 1), (f, w, -1), (h, v, 1))
    x_third = program.product("x1", v, w)
    program.output("x0", x_double)
    program.output("x1", x_third)
    program.output("y0", program.product_sum("y0", (j, v, 1), (m, x_double, 1)))
    program.output("y1", program.product_sum("y1", (j, v, 1), (m, x_third, 1)))
    program.output("g", _square_of_difference(program, x_double, x_third))
    return program


def _square_of_difference(program: FieldProgram, x0: Variable, x1: Variable) -> Variable:
    difference = program.combine("D", (x0, 1), (x1, -1))
    return program.product("g", difference, difference)


def recovery_fractions() -> FieldProgram:
    """Fractions that `recovery_result` needs, with the denominator "d" to invert; 17 reductions.

    "last" is the last bit of the scalar, "x" and "y" are the affine P (y != 0). Z follows from
    a1 = x0 y1 - x1 y0 = 2 (x0 - x1) y Z^3 and from two coefficients of the curve about X_P: with
    D = x0 - x1 and 2 lambda = (y0 - y1) / D, 3 X_P = lambda^2 - x0 - x1 and
    (3 x^2 + a) Z^4 = x0 x1 + a1 lambda / D. Their mixture (a + k x^2) Z^4 never vanishes, so that
    points with x = 0 or a horizontal tangent are no exceptions. (For a = 0, x = 0 is a point of
    order 3, whose ladder fails anyway.)
    """
    program = FieldProgram("difference_recovery_fractions")
    x, y = program.input("x"), program.input("y")
    x0, x1, y0, y1, dd = (program.input(name) for name in ("x0", "x1", "y0", "y1", "g"))
    xq = program.select("xq", LAST, x1, x0)
    yq = program.select("yq", LAST, y1, y0)

    d = program.combine("D", (x0, 1), (x1, -1))
    m = program.combine("m", (y0, 1), (y1, -1))
    sum4 = program.combine("4 (x0 + x1)", (x0, 4), (x1, 4))
    a1 = program.product_sum("a1", (x0, y1, 1), (x1, y0, -1))
    xi = program.product_sum("12 X_P D^2", (m, m, 1), (sum4, dd, -1))
    xx = program.product("2 x0 x1", x0, x1, multiple=2)
    tangent = program.product_sum("2 (..) D^2", (xx, dd, 1), (m, a1, 1))
    k_xi = program.product("(k - 3) / 72 xi", xi, Constant("kappa"))
    theta = program.product_sum("theta", (dd, tangent, 1), (k_xi, xi, 1))

    xd = program.product("x D", x, d)
    kx = program.product("k x", x, Constant("k"))
    mixture = program.product_sum("(a + k x^2) D", (d, Constant("a"), 1), (kx, xd, 1))
    aa = program.product("a1^2", a1, a1)
    ddaa = program.product("D^2 a1^2", dd, aa)
    theta_y = program.product("theta y", theta, y)
    yy = program.product("yq y", yq, y)
    d_theta_y = program.product("D theta y", d, theta_y)
    program.output("xq", xq)
    program.output("nz", program.product("nz", mixture, ddaa))
    program.output("ny", program.product("ny", yy, d_theta_y))
    denominator = program.product("d", theta_y, a1)
    zero = program.combine("zero", (x, 0))
    program.output("d", program.select("d", NEUTRAL, zero, denominator))
    return program


def recovery_result() -> FieldProgram:
    """The affine k P in "x" and "y", which hold P before, with "inverse" = 1/d; see the flags."""
    program = FieldProgram("difference_recovery_result")
    x, y, inverse = program.input("x"), program.input("y"), program.input("inverse")
    z = program.product("1/Z", program.input("nz"), inverse)
    zz = program.product("1/Z^2", z, z)
    result_x = program.product_sum("x_s", (program.input("xq"), zz, 1), (x, Constant(1), 1))
    result_y = program.select("y_s", OWN, y, program.product("ny/d", program.input("ny"), inverse))
    negative = program.combine("-y", (result_y, -1))
    program.output("x", program.select("x", OWN, x, result_x))
    program.output("y", program.select("y", NEGATE, negative, result_y))
    return program
