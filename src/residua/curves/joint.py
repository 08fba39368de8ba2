"""Two multiplications at once, k P + l Q, bit by bit with complete formulas.

Straus' method: the points share the doublings, and each round adds one of O, P, Q and P + Q. The
formulas of `residua.curves.complete` are right for all of them, so that every pair of scalars and
every pair of points of a curve of **odd** order works, P = +-Q included. Nothing but values depends
on the scalars.

P is "nx", "ny" and Q is "x", "y", both affine; P + Q is ("c0" : "c1" : "c2") and the sum so far
("x0" : "y0" : "z0").
"""

from residua.algorithms.fields.field import Constant, FieldProgram, Flag, Variable
from residua.curves.complete import Point, add, constants, double

__all__ = ["FIRST", "SECOND", "constants", "initial_state", "result", "step"]

FIRST = Flag("first_bit")
SECOND = Flag("second_bit")


def initial_state(*, a: int | None = None, b: int | None = None) -> FieldProgram:
    """O and P + Q from P and Q; ``a`` and ``b`` as for `residua.curves.complete.add`."""
    program = FieldProgram("joint_initial_state")
    one = program.load("one", Constant(1))
    first, second = _affine(program, "nx", "ny", one), _affine(program, "x", "y", one)
    total = add(program, first, second, a=a, b=b)
    for name, value in zip(("c0", "c1", "c2"), total, strict=True):
        program.output(name, value)
    program.output("x0", program.combine("x0", (one, 0)))
    program.output("y0", program.combine("y0", (one, 1)))
    program.output("z0", program.combine("z0", (one, 0)))
    return program


def step(*, a: int | None = None, b: int | None = None) -> FieldProgram:
    """One bit of both scalars, from the highest on: double, then add what the bits choose.

    "first_bit" is that of k, "second_bit" that of l; ``a`` and ``b`` as for
    `residua.curves.complete.double`.
    """
    program = FieldProgram("joint_step")
    total = program.input("x0"), program.input("y0"), program.input("z0")
    doubled = double(program, total, a=a, b=b)
    summed = add(program, doubled, _addend(program), a=a, b=b)
    for name, value in zip(("x0", "y0", "z0"), summed, strict=True):
        program.output(name, value)
    return program


def _addend(program: FieldProgram) -> Point:
    """O, P, Q or P + Q."""
    one = program.load("one", Constant(1))
    zero = program.combine("zero", (one, 0))
    first, second = _affine(program, "nx", "ny", one), _affine(program, "x", "y", one)
    both = program.input("c0"), program.input("c1"), program.input("c2")

    def choose(index: int, neutral: Variable) -> Variable:
        name = "xyz"[index]
        with_first = program.select(f"{name}_1", SECOND, both[index], first[index])
        without = program.select(f"{name}_0", SECOND, second[index], neutral)
        return program.select(name, FIRST, with_first, without)

    return choose(0, zero), choose(1, one), choose(2, zero)


def result() -> FieldProgram:
    """The affine "x" and "y" of the sum held in "nx" and "ny", with "inverse" = 1/z."""
    program = FieldProgram("joint_result")
    inverse = program.input("inverse")
    for name in ("x", "y"):
        program.output(name, program.product(name, program.input(f"n{name}"), inverse))
    return program


def _affine(program: FieldProgram, x: str, y: str, one: Variable) -> Point:
    return program.input(x), program.input(y), one
