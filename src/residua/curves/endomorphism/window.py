"""Point multiplication by fixed windows over both halves of a scalar, with an endomorphism.

k P = k1 P + k2 phi(P), where k1 and k2 have half as many bits as k
(`residua.curves.endomorphism.split`). Both are written in the signed digits of
`residua.curves.fixed_window`, and share its doublings and its table of P, 2 P, ... 8 P: as
phi(x, y) = (beta x, y), an entry whose x is multiplied by beta is the entry of phi(P). Each `step`
doubles the sum four times and adds d P + e phi(P), for the digits d of k1 and e of k2; that sum of
two multiples does not wait for the doublings. The additions are complete, so that no pair of halves
and no point of a curve of odd order is an exception.

========================== ========== ======== ============ ========== =======
program                    reductions products combinations selections choices
========================== ========== ======== ============ ========== =======
`step`, a = 0              55         75       12           2          6
`step`, a = 0, small b     47         81       4            2          6
========================== ========== ======== ============ ========== =======
"""

from residua.algorithms.fields.field import Constant, FieldProgram, Flag
from residua.curves import fixed_window
from residua.curves.complete import Point, add, double
from residua.curves.endomorphism.lattice import endomorphism
from residua.curves.fixed_window import ENTRIES, SUM, WINDOW, DigitFlags
from residua.curves.parameters import WeierstrassCurve

BETA = "beta"
"""Name of the constant that is the cube root of one."""


def _flags(half: str) -> DigitFlags:
    sizes = tuple(Flag(f"{half}_digit_{size}") for size in range(1, ENTRIES + 1))
    return DigitFlags(sizes, Flag(f"{half}_digit_none_or_one"), Flag(f"{half}_digit_positive"))


FIRST = _flags("first")
"""The flags of a digit of k1."""

SECOND = _flags("second")
"""The flags of a digit of k2."""


def constants(curve: WeierstrassCurve) -> dict[str, int]:
    """The named constant of `step` beside those of `residua.curves.complete`.

    Raises:
        SpecificationError: the curve has no endomorphism.
    """
    return {BETA: endomorphism(curve).beta}


def initial_state() -> FieldProgram:
    """That of `residua.curves.fixed_window`; the highest digit of k2 is 0 and adds nothing."""
    return fixed_window.initial_state(FIRST)


def step(*, b: int | None = None) -> FieldProgram:
    """One digit of both halves, which `FIRST` and `SECOND` tell.

    ``b`` is the coefficient of the curve if it is a small integer; None: a named constant.
    """
    program = FieldProgram("endomorphism_step")
    x0, y0, z0 = map(program.input, SUM)
    total: Point = x0, y0, z0
    for _ in range(WINDOW):
        total = double(program, total, a=0, b=b)
    x, y, z = fixed_window.multiple(program, SECOND)
    image = program.product("beta x_d", x, Constant(BETA)), y, z
    both = add(program, fixed_window.multiple(program, FIRST), image, a=0, b=b)
    for name, coordinate in zip(SUM, add(program, total, both, a=0, b=b), strict=True):
        program.output(name, coordinate)
    return program
