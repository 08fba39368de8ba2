"""Montgomery ladder on a Montgomery curve B v^2 = u^3 + A u^2 + u (RFC 7748: X25519, X448).

The state is (x0 : z0) and (x1 : z1), whose points differ by P with affine coordinate "u". After a
step index 0 is the double, index 1 the sum. The formulas are those of Montgomery (1987), written
out so that no element is only added: a step takes 10 reductions of 15 products, no combinations
and 2 selections.

It is right for every u, on the curve or its twist, with one reading: k times the point u = 0 of
order 2 always comes out as (X : 0), so that u(k P) = 0 both for the neutral element and the point
itself. That is what RFC 7748 asks for.
"""

from residua.algorithms.fields.field import Constant, FieldProgram, Flag, Variable
from residua.errors import SpecificationError

SWAP = Flag("swap")
LAST = Flag("last")


def constants(prime: int, a: int) -> dict[str, int]:
    """The named constant of `step`: half of A.

    Raises:
        SpecificationError: the curve is singular (A^2 = 4), or the characteristic is 2.
    """
    if prime <= 2 or (a * a - 4) % prime == 0:
        raise SpecificationError(
            f"A = {a} modulo {prime} is not a Montgomery curve; A^2 - 4 must be a unit, p odd"
        )
    return {"half_a": a * pow(2, -1, prime) % prime}


def initial_state() -> FieldProgram:
    """(O, P) in random projective scalings, from the affine "u" and nonzero random "l" and "m"."""
    program = FieldProgram("montgomery_initial_state")
    u, scale, m = (program.input(name) for name in ("u", "l", "m"))
    program.output("x0", program.combine("x0", (scale, 1)))
    program.output("z0", program.combine("z0", (scale, 0)))
    program.output("x1", program.product("x1", u, m))
    program.output("z1", program.combine("z1", (m, 1)))
    return program


def step() -> FieldProgram:
    """One bit of the scalar; "swap" is that bit xor the one before it (0 before the first)."""
    program = FieldProgram("montgomery_step")
    u, x0, z0, x1, z1 = (program.input(name) for name in ("u", "x0", "z0", "x1", "z1"))
    x = program.select("x", SWAP, x1, x0)
    z = program.select("z", SWAP, z1, z0)

    s = program.product_sum("s", (x0, x1, 1), (z0, z1, -1))
    d = program.product_sum("d", (z0, x1, 1), (x0, z1, -1))
    ud = program.product("u d", d, u)

    double_x, double_z = _double(program, x, z)

    program.output("x0", double_x)
    program.output("z0", double_z)
    program.output("x1", program.product("x1", s, s))
    program.output("z1", program.product("z1", d, ud))
    return program


def _double(program: FieldProgram, x: Variable, z: Variable) -> tuple[Variable, Variable]:
    p = program.product_sum("p", (x, x, 1), (z, z, -1))
    e = program.product("e", x, z, multiple=2)
    t = program.product_sum("t", (x, x, 1), (z, z, 1), (e, Constant("half_a"), 1))
    return program.product("x0", p, p), program.product("z0", e, t, multiple=2)


def small_order(cofactor: int) -> FieldProgram:
    """Set "d", which is 0 just if the order of a point with u-coordinate "x" divides ``cofactor``.

    The cofactor of a Montgomery curve is a multiple of 4; here it has to be a power of two.

    Raises:
        SpecificationError: it is not.
    """
    if cofactor & (cofactor - 1):
        raise SpecificationError(
            f"points of small order are found by doubling: the cofactor has to be a power of two, "
            f"not {cofactor}"
        )
    program = FieldProgram("montgomery_small_order")
    x, z = program.input("x"), program.load("one", Constant(1))
    for _ in range(cofactor.bit_length() - 1):
        x, z = _double(program, x, z)
    program.output("d", z)
    return program


def final_select() -> FieldProgram:
    """Select the result after the last step: (x0 : z0) = k P."""
    program = FieldProgram("montgomery_final_select")
    for name in ("x", "z"):
        first, second = program.input(f"{name}0"), program.input(f"{name}1")
        program.output(f"{name}0", program.select(f"{name}0", LAST, second, first))
    return program


def u_result() -> FieldProgram:
    """The affine "u" of (x0 : z0), with "inverse" = 1/z0, or 0 if z0 = 0, which gives u = 0."""
    program = FieldProgram("montgomery_u_result")
    program.output("u", program.product("u", program.input("x0"), program.input("inverse")))
    return program
