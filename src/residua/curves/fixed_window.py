"""Point multiplication by a fixed window on a short Weierstrass curve of **odd** order.

The scalar is written in signed digits of radix 16: with bits b_i (b_-1 = 0), digit i is

    d_i = -8 b_(4i+3) + 4 b_(4i+2) + 2 b_(4i+1) + b_4i + b_(4i-1),    -8 <= d_i <= 8

(Booth's recoding); a last digit above them, 0 or 1, is the highest bit. `initial_state` begins with
that one. Each `step` doubles four times and adds d_i P from a table of P, 2 P, ... 8 P, by the
complete formulas of `residua.curves.complete`. They are right for every pair of points, so that no
scalar and no point of such a curve is an exception, and every step is like the others.

The table is looked up by a sum over all entries, each times a bit: `DIGITS` and the other flags
tell which. The entry for the digit 0 is (0 : Y(P) : 0), the neutral element: no point of a curve of
odd order has Y = 0.

P is ("x" : "y" : "m") from `initial_state` on, the sum so far ("x0" : "y0" : "z0"), the entry for
j P ("txj" : "tyj" : "tzj").

========================== ========== ======== ============ ========== =======
program                    reductions products combinations selections choices
========================== ========== ======== ============ ========== =======
`step` for any curve       55         108      0            1          3
`step`, a = -3             51         80       20           1          3
`step`, a = 0              43         55       12           1          3
`step`, a = 0, small b     37         62       4            1          3
========================== ========== ======== ============ ========== =======
"""

from collections.abc import Sequence
from dataclasses import dataclass

from residua.algorithms.fields.field import FieldProgram, Flag, Variable
from residua.curves.complete import Point, add, constants, double

__all__ = [
    "DIGITS",
    "ENTRIES",
    "FLAGS",
    "LARGEST_B",
    "NONE_OR_ONE",
    "POSITIVE",
    "SUM",
    "WINDOW",
    "DigitFlags",
    "constants",
    "digit_flags",
    "digits",
    "entry_names",
    "initial_state",
    "multiple",
    "small_b",
    "step",
    "table_step",
]

WINDOW = 4
"""Bits of the scalar that a step takes; at least 2."""

ENTRIES = 1 << (WINDOW - 1)
"""Points in the table, and the largest digit."""

DIGITS = tuple(Flag(f"digit_{size}") for size in range(1, ENTRIES + 1))
"""The flag at index j - 1 is set where the digit is j or -j."""

NONE_OR_ONE = Flag("digit_none_or_one")
"""Set where the digit is 0, 1 or -1, which take the same Y but for its sign."""

POSITIVE = Flag("digit_positive")
"""Set for positive digits, not for negative ones; for 0 it may be either."""


@dataclass(frozen=True)
class DigitFlags:
    """The flags of a digit.

    Attributes:
        sizes: the one at index j - 1 is set where the digit is j or -j.
        none_or_one: set where the digit is 0, 1 or -1.
        positive: set for positive digits, not for negative ones; for 0 it may be either.
    """

    sizes: tuple[Flag, ...]
    none_or_one: Flag
    positive: Flag

    def of(self, digit: int) -> dict[str, bool]:
        """The flags of a digit, by their names."""
        flags = {flag.name: abs(digit) == size for size, flag in enumerate(self.sizes, start=1)}
        return flags | {self.none_or_one.name: abs(digit) <= 1, self.positive.name: digit >= 0}

    @property
    def listed(self) -> tuple[Flag, ...]:
        """All of them, in the order of the attributes."""
        return (*self.sizes, self.none_or_one, self.positive)


FLAGS = DigitFlags(DIGITS, NONE_OR_ONE, POSITIVE)
"""The flags of the digits that `step` takes."""

LARGEST_B = 64
"""The formulas with a small b multiply elements by 3 b, for which the bases need room."""

_COORDINATES = "xyz"
SUM = ("x0", "y0", "z0")
"""The elements that hold the sum so far."""


def small_b(prime: int, a: int, b: int) -> int | None:
    """The coefficient b next to zero, if that makes `step` cheaper: for a = 0 and a small b."""
    centred = b if 2 * b < prime else b - prime
    return centred if a % prime == 0 and abs(centred) <= LARGEST_B else None


def digits(scalar: int, bits: int) -> list[int]:
    """The digits of a scalar of ``bits`` bits, the highest (0 or 1) first."""
    count = -(-bits // WINDOW)
    found = []
    for index in range(count):
        part = ((scalar << 1) >> (WINDOW * index)) % (2 << WINDOW)
        found.append((part + 1) // 2 - (part >> WINDOW << WINDOW))
    return [scalar >> (WINDOW * count - 1), *reversed(found)]


def digit_flags(digit: int) -> dict[str, bool]:
    """The flags of a digit."""
    return FLAGS.of(digit)


def initial_state(flags: DigitFlags = FLAGS) -> FieldProgram:
    """P in a random scaling, the sum after the highest digit (0 or 1), P as the last entry.

    From the affine "x" and "y" and a nonzero random "m"; ``flags`` tell the digit.
    """
    program = FieldProgram("window_initial_state")
    x, y, m = (program.input(name) for name in ("x", "y", "m"))
    scaled = program.product("x m", x, m), program.product("y m", y, m), m
    neutral_or_one = (
        program.choose("x0", (flags.sizes[0], scaled[0])),
        program.combine("y0", (scaled[1], 1)),
        program.choose("z0", (flags.sizes[0], m)),
    )
    _put(program, SUM, neutral_or_one)
    program.output("x", scaled[0])
    program.output("y", scaled[1])
    last = tuple(program.combine(f"t{coordinate.name}", (coordinate, 1)) for coordinate in scaled)
    _put(program, entry_names(ENTRIES), last)
    return program


def table_step(*, a: int | None = None, b: int | None = None) -> FieldProgram:
    """Every entry takes the place of the one before it; P is added to the last one.

    The table is complete after `ENTRIES` - 1 steps. ``a`` and ``b`` as for `step`.
    """
    program = FieldProgram("window_table_step")
    for entry in range(1, ENTRIES):
        _put(program, entry_names(entry), _entry(program, entry + 1))
    point = program.input("x"), program.input("y"), program.input("m")
    _put(program, entry_names(ENTRIES), add(program, _entry(program, ENTRIES), point, a=a, b=b))
    return program


def step(*, a: int | None = None, b: int | None = None) -> FieldProgram:
    """One digit of the scalar, which the flags tell.

    Args:
        a: 0 or -3 for the cheaper formulas of such curves; anything else is the general one.
        b: with a = 0, the coefficient if it is a small integer; None: a named constant.
    """
    program = FieldProgram("window_step")
    total: Point = program.input("x0"), program.input("y0"), program.input("z0")
    for _ in range(WINDOW):
        total = double(program, total, a=a, b=b)
    _put(program, SUM, add(program, total, multiple(program), a=a, b=b))
    return program


def multiple(program: FieldProgram, flags: DigitFlags = FLAGS) -> Point:
    """The digit that ``flags`` tell times P, from the table, as a part of ``program``."""
    entries = [_entry(program, size) for size in range(1, ENTRIES + 1)]
    x, y, z = zip(*entries, strict=True)
    size = program.choose("y_d", *zip((flags.none_or_one, *flags.sizes[1:]), y, strict=True))
    return (
        program.choose("x_d", *zip(flags.sizes, x, strict=True)),
        program.select("+-y_d", flags.positive, size, size, -1),
        program.choose("z_d", *zip(flags.sizes, z, strict=True)),
    )


def entry_names(entry: int) -> tuple[str, ...]:
    """The elements of the entry for so many times P."""
    return tuple(f"t{coordinate}{entry}" for coordinate in _COORDINATES)


def _entry(program: FieldProgram, entry: int) -> Point:
    x, y, z = map(program.input, entry_names(entry))
    return x, y, z


def _put(program: FieldProgram, names: Sequence[str], point: Sequence[Variable]) -> None:
    for name, coordinate in zip(names, point, strict=True):
        program.output(name, coordinate)
