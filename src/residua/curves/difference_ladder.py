"""A ladder on the x-differences of three collinear points, for any short Weierstrass curve.

P, Q = k P and R = -(k + 1) P lie on a line. They share one projective factor Z, which is never
computed: x = X / Z^2, y = Y / Z^3. The state is

    x0 = X_Q - X_P,  x1 = X_R - X_P,  y0 = 2 Y_Q,  y1 = 2 Y_R.

(The differences are those of co-Z ladders, see Hamburg, "Faster Montgomery and double-add ladders
for short Weierstrass curves", TCHES 2020; the state and the grouping into sums of products are
chosen here for few reductions.) To double the point (X, Y), with (X', Y') the other one, let

    G = (X - X')^2   F = X G   H = X' G   V = Y^2   W = Y Y'   J = F W - H V   M = V + W - 2 F

and Z becomes Z (X - X') Y. The double is x0 = F^2 - J, y0 = J V + M x0; the new third point,
minus (double + or - P), is x1 = V W, y1 = J V + M x1. No constant of the curve occurs.

A step takes 10 reductions of 15 products, 2 combinations and 3 selections, in a chain of four
dependent reductions.

**Where it fails.** A step loses Z when Y = 0 (the point to be doubled has order 2) or X = X'
(then Q = R). So the ladder is right if and only if no prefix of the scalar is 0 or -1 modulo the
order n of P: neither the 1 that `initial_state` stands for (so n > 2), nor what any bit leads to,
the whole scalar included. The recovery of affine coordinates fails besides for a scalar s with
2 s + 1 = 0 modulo n, where the state is right but Q = R does not show the slope of the line.

For an odd n > 8 and the scalar s = k + n or k + 2 n, whichever has exactly one bit more than n,
these are the k = -2, -1, 0, 1 (the last not for n = 2^i - 1) and (n - 1) / 2 modulo n, and no
others. Larger multiples of n, such as random ones for blinding, leave these; a multiple that is
divisible by 2^i makes some k in [-2^i, 2^i) fail too.

**Constant-time treatment.** Compare k with these five by masks. Run the ladder with k = 2 instead
of 0, 1, -1 and -2, and with -k instead of (n - 1) / 2. Then select P for 1, -P for -1, the negated
y for -2 and (n - 1) / 2, and the status of the neutral element for 0. `recovery_fractions` gives
d = 0 if only the last prefix is bad or 2 s + 1 = 0; no substitute for comparisons.
"""

from sympy import jacobi_symbol

from residua.algorithms.field import Constant, FieldProgram, Flag
from residua.errors import SpecificationError

SWAP = Flag("swap")


def constants(prime: int, a: int) -> dict[str, int]:
    """The named constants: "a", and "k" with a + k x^2 != 0 for all x (for a = 0: x != 0).

    Raises:
        SpecificationError: the characteristic is 2 or 3, which has no short Weierstrass form.
    """
    if prime <= 3:
        raise SpecificationError(
            f"a short Weierstrass curve needs a prime above 3, not {prime}; use a larger field"
        )
    k = 1
    while a % prime and int(jacobi_symbol(-a * k % prime, prime)) != -1:
        k += 1
    return {"a": a % prime, "k": k, "k_minus_3": (k - 3) % prime}


def initial_state() -> FieldProgram:
    """Q = P and R = -2 P with Z = 2 y m, from the affine "x", "y" and a nonzero random "m".

    8 reductions. P must not have order 2; start with the bit after the leading one of the scalar.
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
    program.output("x0", program.combine("x0", (x, 0)))
    program.output("x1", x1)
    program.output("y0", program.product("y0", yz, zz))
    program.output("y1", program.product_sum("y1", (yz, zz, 1), (slope, x1, 1), (slope, x1, 1)))
    return program


def step() -> FieldProgram:
    """One bit of the scalar: index 0 becomes the double of the point that "swap" chooses.

    "swap" is the bit of the scalar xor the bit before it, where the bit before the first one
    counts as 0 (index 0 of `initial_state` is Q).
    """
    program = FieldProgram("difference_step")
    x0, x1, y0, y1 = (program.input(name) for name in ("x0", "x1", "y0", "y1"))
    x = program.select("X", SWAP, x1, x0)
    other = program.select("X'", SWAP, x0, x1)
    y = program.select("Y", SWAP, y1, y0)

    difference = program.combine("D", (x0, 1), (x1, -1))
    g = program.product("G", difference, difference)
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
    return program


def recovery_fractions() -> FieldProgram:
    """What `recovery_result` needs, and its denominator "d" to be inverted; 18 reductions.

    "swap" is the last bit of the scalar, "x" and "y" are the affine P (y != 0). Z follows from
    a1 = x0 y1 - x1 y0 = 2 (x0 - x1) y Z^3 and from two coefficients of the curve about X_P: with
    D = x0 - x1 and 2 lambda = (y0 - y1) / D, 3 X_P = lambda^2 - x0 - x1 and
    (3 x^2 + a) Z^4 = x0 x1 + a1 lambda / D. Their mixture (a + k x^2) Z^4 never vanishes, so that
    points with x = 0 or a horizontal tangent are no exceptions. (For a = 0, x = 0 is a point of
    order 3, whose ladder fails anyway.)
    """
    program = FieldProgram("difference_recovery_fractions")
    x, y, x0, x1, y0, y1 = (program.input(name) for name in ("x", "y", "x0", "x1", "y0", "y1"))
    xq = program.select("xq", SWAP, x1, x0)
    yq = program.select("yq", SWAP, y1, y0)

    d = program.combine("D", (x0, 1), (x1, -1))
    m = program.combine("m", (y0, 1), (y1, -1))
    sum4 = program.combine("4 (x0 + x1)", (x0, 4), (x1, 4))
    dd = program.product("D^2", d, d)
    a1 = program.product_sum("a1", (x0, y1, 1), (x1, y0, -1))
    xi = program.product_sum("12 X_P D^2", (m, m, 1), (sum4, dd, -1))
    xx = program.product("2 x0 x1", x0, x1, multiple=2)
    tangent = program.product_sum("144 (..) D^2", (xx, dd, 1), (m, a1, 1), multiple=72)
    k_xi = program.product("(k - 3) xi", xi, Constant("k_minus_3"))
    theta = program.product_sum("theta", (dd, tangent, 1), (k_xi, xi, 1))

    xd = program.product("x D", x, d)
    kx = program.product("k x", x, Constant("k"))
    kappa = program.product_sum("kappa D", (d, Constant("a"), 1), (kx, xd, 1))
    aa = program.product("a1^2", a1, a1)
    ddaa = program.product("D^2 a1^2", dd, aa)
    theta_y = program.product("theta y", theta, y)
    yy = program.product("yq y", yq, y)
    d_theta_y = program.product("D theta y", d, theta_y)
    program.output("xq", xq)
    program.output("nz", program.product("nz", kappa, ddaa, multiple=72))
    program.output("ny", program.product("ny", yy, d_theta_y))
    program.output("d", program.product("d", theta_y, a1))
    return program


def recovery_result() -> FieldProgram:
    """The affine k P in "x" and "y", with "inverse" = 1/d; "x" holds that of P before."""
    program = FieldProgram("difference_recovery_result")
    x, inverse = program.input("x"), program.input("inverse")
    z = program.product("1/Z", program.input("nz"), inverse)
    zz = program.product("1/Z^2", z, z)
    result = program.product_sum("x", (program.input("xq"), zz, 1), (x, Constant(1), 1))
    program.output("x", result)
    program.output("y", program.product("y", program.input("ny"), inverse))
    return program
