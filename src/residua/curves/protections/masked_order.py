"""The second half of an ECDSA signature, s = (z + r d) / k modulo the order, under a random factor.

With b drawn anew each time, and refused if it is 0 modulo the order,

    s = (z b + r (d b)) (k b)^-1,

so that the private key d and the nonce k meet nothing but b, each in one product. The sum, whose
public factor r would tell d, and the inversion of k are of numbers that b hides. Both are 0 just if
they would be without b.
"""

from residua.algorithms.fields.field import Constant, FieldProgram
from residua.curves.operations.codes import Status
from residua.curves.operations.instructions import (
    NUMBER,
    Check,
    Instruction,
    Invert,
    Read,
    Run,
    give_results,
    load_number,
    stop_if,
)


def instructions(*, shared: bool = False) -> list[Instruction]:
    """Read k, d, r and z, and give (z + r d) / k.

    All operands are read before any is refused, so that none is left in the stream. The inversion
    leaves "y" alone. With ``shared`` secrets the first shares of k and d come first, then the
    second ones (`residua.curves.protections.masked_scalar`).
    """
    seconds = [*_load_masked("d", "second_"), *_load_masked("y", "second_")] if shared else []
    return [
        *load_number("random", "m"),
        *_load_masked("d"),
        *_load_masked("y"),
        *seconds,
        *load_number("operand", "x"),
        Read("operand"),
        Run("load"),
        Check(),
        Run("masked_sum"),
        *stop_if("m", "zero", Status.RANDOM_ZERO),
        *stop_if("d", "zero", Status.NO_INVERSE),
        Invert(),
        Run("multiply_x"),
        *give_results("x"),
    ]


def _load_masked(element: str, share: str = "") -> list[Instruction]:
    return [Read("operand"), Run("load"), Run(f"{share}masked_{element}")]


def routines() -> dict[str, FieldProgram]:
    """The field programs of `instructions` beside those of other operations."""
    return {
        "masked_d": _masked("d"),
        "masked_y": _masked("y"),
        "second_masked_d": _second_masked("d"),
        "second_masked_y": _second_masked("y"),
        "masked_sum": _masked_sum(),
    }


def _masked(element: str) -> FieldProgram:
    program = FieldProgram(f"masked_{element}")
    product = program.product(element, program.input(NUMBER), program.input("m"))
    program.output(element, product)
    return program


def _second_masked(element: str) -> FieldProgram:
    """Add the product of a second share to that of the first."""
    program = FieldProgram(f"second_masked_{element}")
    number, factor = program.input(NUMBER), program.input("m")
    first = (program.input(element), Constant(1), 1)
    program.output(element, program.product_sum(element, (number, factor, 1), first))
    return program


def _masked_sum() -> FieldProgram:
    """Set "y" to "x" "y" + z "m", z the number."""
    program = FieldProgram("masked_sum")
    x, y, z, factor = (program.input(name) for name in ("x", "y", NUMBER, "m"))
    program.output("y", program.product_sum("y", (x, y, 1), (z, factor, 1)))
    return program
