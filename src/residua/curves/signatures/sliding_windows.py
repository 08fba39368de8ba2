"""k G + l Q for public scalars, by sliding windows over both (Straus), in Jacobian coordinates.

A scalar is taken from its highest bit on, in the digits b_(i-1) - b_i of its mutual opposite form.
Where such a digit is not zero, a window of w of them begins: an odd number d between -2^(w-1) and
2^(w-1), times a power of two. About every (w + 1)-th position has such a number, and between two of
them there are doublings alone. What is done when depends on the scalars, which must be public.

A point (x, y) is (X : Y : Z) with x = X / Z^2 and y = Y / Z^3; beside it stands Z^2. `addition`
takes an affine second point. It fails for equal and for opposite points, and for the neutral
element, and gives Z = 0 then; so do all additions and doublings that follow. A sum whose Z is not 0
is right, on a curve of prime order: it has no point with y = 0.

Multiples of G are constants. Those of Q are made by doublings and additions, whose results
`table_product` and `table` make affine with one inversion. No addition among them fails if the
order is at least `LEAST_ORDER`.

=============================== ========== ======== ============ ==========
program                         reductions products combinations selections
=============================== ========== ======== ============ ==========
`doubling` for any curve        8          13       2            0
`doubling`, a = -3              7          12       2            0
`doubling`, a = 0               7          11       2            0
`addition`                      10         15       2            1
=============================== ========== ======== ============ ==========

With an endomorphism phi(x, y) = (beta x, y) there are four scalars in the place of two, halves of
them, for G, Q, phi(G) and phi(Q), and half as many doublings (`residua.curves.endomorphism.split`).
The entries of phi(Q) are made with those of Q, one of phi(G) when it is added.

Okeya, Schmidt-Samoa, Spahn, Takagi, "Signed binary representations revisited" (Crypto 2004).
"""

from collections.abc import Iterator

from residua.algorithms.fields.field import Constant, FieldProgram, Flag, Variable
from residua.curves import affine
from residua.curves.endomorphism.window import BETA
from residua.curves.fixed_window import entry_names
from residua.curves.parameters import WeierstrassCurve

BASE_WIDTH = 8
"""Digits of a window over the scalar of G."""

POINT_WIDTH = 4
"""Digits of a window over the scalar of Q."""

BASE_ENTRIES = 1 << (BASE_WIDTH - 2)
"""Odd multiples of G that are constants."""

LEAST_ORDER = 1 << BASE_WIDTH
"""A group of fewer points may lack an entry of a table."""

POSITIVE = Flag("window_positive")
"""Set where the entry is added as it is, not for its negative."""

STATE = ("x0", "y0", "z0", "zz")
"""The elements of the sum: X, Y, Z and Z^2."""

ENTRY = ("d", "m")
"""The elements of the affine point that is added next."""

TABLE = (("x", "y"), ("nx", "ny"), ("c0", "c1"), ("c2", "inverse"))
"""The elements of Q, 3 Q, 5 Q and 7 Q, all affine in the end."""

IMAGES = tuple(name for name, *_ in map(entry_names, range(1, 1 + len(TABLE))))
"""The elements of the x of their images; the table of a multiplication of points is not there."""

DENOMINATORS = ("c2", "number", "z0")
"""Z of 3 Q, 5 Q and 7 Q until the table is affine; `table_product` takes the second to "m"."""


def windows(scalar: int, bits: int, width: int) -> Iterator[tuple[int, int]]:
    """The places and odd digits of a scalar below 2^bits, the highest first.

    The scalar is the sum of digit 2^place. Digits are within +-2^(width - 1).
    """
    place = bits
    while place >= 0:
        if _bit(scalar, place) == _bit(scalar, place - 1):
            place -= 1
            continue
        low = place - width + 1
        # The digits of a window make what its bits mean in two's complement, and the next bit.
        digit = _bit(scalar, low - 1) - (_bit(scalar, place) << (width - 1))
        digit += sum(_bit(scalar, low + i) << i for i in range(width - 1))
        place = low - 1
        while digit % 2 == 0:
            digit, low = digit // 2, low + 1
        yield low, digit


def _bit(scalar: int, place: int) -> int:
    return scalar >> place & 1 if place >= 0 else 0


def begin() -> FieldProgram:
    """The entry, or its negative, as the sum."""
    program = FieldProgram("window_begin")
    x, y = _entry(program)
    ones = (program.load(name, Constant(1)) for name in STATE[2:])
    _put(program, (program.combine("x0", (x, 1)), program.combine("y0", (y, 1)), *ones))
    return program


def doubling(*, a: int | None = None) -> FieldProgram:
    """The sum doubled.

    With g = 2 Y^2 and s = 3 X^2 + a Z^4, the double has X3 = s^2 - 4 X g,
    Y3 = s (6 X g - s^2) - 2 g^2, Z3 = 2 Y Z and Z3^2 = 2 g Z^2. No sum waits for X3, and what is
    known last is the last product of its sum.

    Args:
        a: 0 or -3 for the cheaper formulas of such curves; anything else is the general one.
    """
    program = FieldProgram("window_doubling")
    x, y, z, zz = map(program.input, STATE)
    s = _slope(program, x, zz, a)
    g = program.product("g", y, y, multiple=2)
    x4, x6 = program.combine("4x", (x, 4)), program.combine("6x", (x, 6))
    t = program.product_sum("t", (s, s, -1), (g, x6, 1))
    x3 = program.product_sum("x0", (s, s, 1), (x4, g, -1))
    z3 = program.product("z0", y, z, multiple=2)
    zz3 = program.product("zz", g, zz, multiple=2)
    y3 = program.product_sum("y0", (g, g, -1), (g, g, -1), (t, s, 1))
    _put(program, (x3, y3, z3, zz3))
    return program


def _slope(program: FieldProgram, x: Variable, zz: Variable, a: int | None) -> Variable:
    """3 X^2 + a Z^4."""
    if a == -3:
        return program.product_sum("s", (x, x, 1), (zz, zz, -1), multiple=3)
    if a == 0:
        return program.product("s", x, x, multiple=3)
    fourth = program.product("z^4", zz, zz)
    return program.product_sum("s", (x, x, 1), (fourth, Constant("third_a"), 1), multiple=3)


def addition() -> FieldProgram:
    """The entry, or its negative, added to the sum.

    With h = x Z^2 - X, r = +-y Z^3 - Y and hh = h^2, the sum has X3 = r^2 - hh (h + 2 X),
    Y3 = r (hh (h + 3 X) - r^2) - Y h hh, Z3 = Z h and Z3^2 = Z^2 hh.
    """
    program = FieldProgram("window_addition")
    one = Constant(1)
    x0, y0, z0, zz = map(program.input, STATE)
    x, y = _entry(program)
    h = program.product_sum("h", (x, zz, 1), (x0, one, -1))
    yz = program.product("yz", y, z0)
    r = program.product_sum("r", (yz, zz, 1), (y0, one, -1))
    hh = program.product("hh", h, h)
    twice, thrice = (program.combine(f"h + {n}x", (h, 1), (x0, n)) for n in (2, 3))
    x3 = program.product_sum("x0", (r, r, 1), (hh, twice, -1))
    t = program.product_sum("t", (hh, thrice, 1), (r, r, -1))
    hhh = program.product("hhh", h, hh)
    z3 = program.product("z0", z0, h)
    zz3 = program.product("zz", zz, hh)
    y3 = program.product_sum("y0", (r, t, 1), (y0, hhh, -1))
    _put(program, (x3, y3, z3, zz3))
    return program


def base_entry(index: int) -> FieldProgram:
    """(2 index + 1) G as the entry."""
    program = FieldProgram(f"window_base_{index}")
    for name, coordinate in zip(ENTRY, "xy", strict=True):
        program.output(name, program.load(name, Constant(_base_name(coordinate, index))))
    return program


def point_entry(index: int) -> FieldProgram:
    """(2 index + 1) Q as the entry."""
    program = FieldProgram(f"window_point_{index}")
    for name, source in zip(ENTRY, TABLE[index], strict=True):
        program.output(name, program.combine(name, (program.input(source), 1)))
    return program


def base_image() -> FieldProgram:
    """The image of the entry as the entry."""
    program = FieldProgram("window_image")
    x, _ = ENTRY
    program.output(x, program.product(x, program.input(x), Constant(BETA)))
    return program


def point_image(index: int) -> FieldProgram:
    """The image of (2 index + 1) Q as the entry."""
    program = FieldProgram(f"window_image_{index}")
    for name, source in zip(ENTRY, (IMAGES[index], TABLE[index][1]), strict=True):
        program.output(name, program.combine(name, (program.input(source), 1)))
    return program


def table_images() -> FieldProgram:
    """The images of Q, 3 Q, 5 Q and 7 Q."""
    program = FieldProgram("window_table_images")
    for name, (source, _) in zip(IMAGES, TABLE, strict=True):
        program.output(name, program.product(name, program.input(source), Constant(BETA)))
    return program


def table_product() -> FieldProgram:
    """The product of all `DENOMINATORS`, to be inverted."""
    program = FieldProgram("window_table_product")
    first, second, third = map(program.input, DENOMINATORS)
    two = program.product("z3 z5", first, second)
    program.output("d", program.product("d", two, third))
    program.output("m", program.combine("m", (second, 1)))
    return program


def table() -> FieldProgram:
    """3 Q, 5 Q and 7 Q, affine, with "inverse" that of the product of their denominators.

    They are found as (X : Y) in their places but for the last, which is the sum.
    """
    program = FieldProgram("window_table")
    first, second, third = (program.input(name) for name in (DENOMINATORS[0], "m", "z0"))
    inverse = program.input("inverse")
    pair = program.product("z3 z5", first, second)
    outer = program.product("1/z3 z5", inverse, third)
    inverses = (
        program.product("1/z3", outer, second),
        program.product("1/z5", outer, first),
        program.product("1/z7", inverse, pair),
    )
    found = (*TABLE[1:3], STATE[:2])
    for names, sources, own in zip(TABLE[1:], found, inverses, strict=True):
        square = program.product("1/z^2", own, own)
        cube = program.product("1/z^3", square, own)
        for name, source, power in zip(names, sources, (square, cube), strict=True):
            program.output(name, program.product(name, program.input(source), power))
    return program


def _entry(program: FieldProgram) -> tuple[Variable, Variable]:
    """x and +-y of the entry."""
    x, y = map(program.input, ENTRY)
    return x, program.select("+-y", POSITIVE, y, y, -1)


def _put(program: FieldProgram, sums: tuple[Variable, ...]) -> None:
    for name, value in zip(STATE, sums, strict=True):
        program.output(name, value)


def _base_name(coordinate: str, index: int) -> str:
    return f"base_{2 * index + 1}_{coordinate}"


def constants(curve: WeierstrassCurve) -> dict[str, int]:
    """The named constants of `base_entry`: the odd multiples of G."""
    named: dict[str, int] = {}
    twice = affine.add(curve, curve.base_point, curve.base_point)
    point: affine.Point = curve.base_point
    for index in range(BASE_ENTRIES):
        assert point is not None, "the order is below LEAST_ORDER"
        named |= {_base_name(c, index): value for c, value in zip("xy", point, strict=True)}
        point = affine.add(curve, point, twice)
    return named
