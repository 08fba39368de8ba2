"""Powers as field programs: a secret exponent in fixed windows, from left to right.

With W = 2^window the element "tj" is x^j for each digit j from 0 to W - 1, and "r" the power so
far. A step squares as often as a digit has bits and multiplies by the entry of its digit, which is
looked up by sums over the whole table, each entry times a bit (`digit_flags`): nothing but values
depends on the digit.

============ ========== =================================== =======
program      reductions products                            choices
============ ========== =================================== =======
`start`      0          0                                   0
`table_step` 1          1                                   0
`first`      0          0                                   1
`step`       window + 1 window, and W / 8 with one reduction W / 8
`copy`       0          0                                   0
`square`     1          1                                   0
`multiply`   1          1                                   0
============ ========== =================================== =======

The last three are for public exponents. Counts are rounded up. Where an engine waits for its
pipeline a few slots are free, and a sum of eight terms fits; that over a whole table would not.
"""

from collections.abc import Iterator

from residua.algorithms.fields.field import Constant, FieldProgram, Flag, Variable

BASE = "x"
"""The element that is raised to a power."""

POWER = "r"
"""The power so far."""

GROUP = 8
"""Entries of the table that one sum looks up."""


def digit_flag(digit: int) -> Flag:
    """The flag that is set where the exponent has this digit."""
    return Flag(f"digit_{digit}")


def digits(exponent: int, bits: int, window: int) -> list[int]:
    """The digits of an exponent of ``bits`` bits, the highest first, which may be a shorter one."""
    count = -(-bits // window)
    return [exponent >> window * place & (1 << window) - 1 for place in reversed(range(count))]


def digit_flags(digit: int, window: int) -> dict[str, bool]:
    """The flags of a digit."""
    return {digit_flag(each).name: each == digit for each in range(1 << window)}


def start(window: int, one: str | None = None) -> FieldProgram:
    """The last entry becomes x and the one before it 1, a constant or the element ``one``."""
    program, last = FieldProgram("power_start"), (1 << window) - 1
    program.output(_entry(last), program.combine(_entry(last), (program.input(BASE), 1)))
    if one is None:
        unit = program.load(_entry(last - 1), Constant(1))
    else:
        unit = program.combine(_entry(last - 1), (program.input(one), 1))
    program.output(_entry(last - 1), unit)
    return program


def table_step(window: int) -> FieldProgram:
    """Every entry takes the place of the one before it; the last one is multiplied by x.

    The table is complete after W - 2 steps.
    """
    program, last = FieldProgram("power_table_step"), (1 << window) - 1
    for entry in range(last):
        moved = program.input(_entry(entry + 1))
        program.output(_entry(entry), program.combine(_entry(entry), (moved, 1)))
    power = program.product(_entry(last), program.input(_entry(last)), program.input(BASE))
    program.output(_entry(last), power)
    return program


def first(window: int) -> FieldProgram:
    """The power of the highest digit."""
    program = FieldProgram("power_first")
    (power,) = _chosen(program, window, 1 << window)
    program.output(POWER, power)
    return program


def step(window: int, squarings: int | None = None) -> FieldProgram:
    """One digit more, after ``squarings``, as many as a digit has bits unless it is given."""
    program = FieldProgram("power_step")
    power = program.input(POWER)
    for _ in range(window if squarings is None else squarings):
        power = program.product(POWER, power, power)
    parts = list(_chosen(program, window, GROUP))
    program.output(POWER, program.product_sum(POWER, *((power, part, 1) for part in parts)))
    return program


def copy() -> FieldProgram:
    """The power becomes x."""
    program = FieldProgram("copy")
    program.output(POWER, program.combine(POWER, (program.input(BASE), 1)))
    return program


def square() -> FieldProgram:
    """The power becomes its square."""
    program = FieldProgram("square")
    power = program.input(POWER)
    program.output(POWER, program.product(POWER, power, power))
    return program


def multiply() -> FieldProgram:
    """The power becomes its product with x."""
    program = FieldProgram("multiply")
    power, x = program.input(POWER), program.input(BASE)
    program.output(POWER, program.product(POWER, power, x))
    return program


def step_products(bits: int, window: int) -> int:
    """Products of a power: those of the table, of every digit after the first, and of the ends."""
    count = -(-bits // window)
    return (1 << window) - 2 + (count - 1) * (window + 1) + 2


def _entry(digit: int) -> str:
    return f"t{digit}"


def _chosen(program: FieldProgram, window: int, count: int) -> Iterator[Variable]:
    """The entry of the digit, looked up among ``count`` at a time: all others are 0."""
    size = 1 << window
    for low in range(0, size, count):
        group = range(low, min(low + count, size))
        choices = [(digit_flag(digit), program.input(_entry(digit))) for digit in group]
        yield program.choose(f"chosen_{low}", *choices)
