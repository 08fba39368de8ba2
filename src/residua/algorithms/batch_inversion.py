"""Many inverses for one (Montgomery's trick): 3 (k - 1) products and a single inversion for k.

With c_i = x_1 ... x_i the inverse of c_k is computed once, by whatever inverts; from it

    1 / x_i = (1 / c_i) c_(i-1),    1 / c_(i-1) = (1 / c_i) x_i    for i = k, ..., 2.

Field programs, for any field unit: `collected` before the inversion, `distributed` after it. If one
x is 0 so is c_k: whoever inverts must refuse that.
"""

from residua.algorithms.fields.field import FieldProgram, Variable
from residua.errors import SpecificationError


def collected(count: int) -> FieldProgram:
    """Build the products "c2" to "c<count>" of "x1" to "x<count>".

    Raises:
        SpecificationError: there are fewer than 2 numbers.
    """
    _check(count)
    program = FieldProgram(f"collect_{count}")
    product = program.input("x1")
    for index in range(2, count + 1):
        product = program.product(f"c{index}", product, program.input(f"x{index}"))
        program.output(f"c{index}", product)
    return program


def distributed(count: int) -> FieldProgram:
    """Build the inverses "y1" to "y<count>" from "inverse", that of "c<count>".

    Raises:
        SpecificationError: there are fewer than 2 numbers.
    """
    _check(count)
    program = FieldProgram(f"distribute_{count}")
    inverse = program.input("inverse")
    for index in range(count, 1, -1):
        before: Variable = program.input("x1" if index == 2 else f"c{index - 1}")
        program.output(f"y{index}", program.product(f"y{index}", inverse, before))
        inverse = program.product(f"inverse_{index - 1}", inverse, program.input(f"x{index}"))
    program.output("y1", inverse)
    return program


def _check(count: int) -> None:
    if count < 2:
        raise SpecificationError(f"a batch of inversions has at least 2 numbers, not {count}")
