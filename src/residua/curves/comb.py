"""Multiples of the base point by a comb of Lim and Lee with signed teeth, without a zero digit.

A number M below 2^(t d), for t teeth and d columns, is taken by columns: column c has the bits
b_(c + d j) of the teeth j. With a sign for each bit, + for 1 and - for 0,

    sum(+-2^i, i < t d) = 2 M - (2^(t d) - 1),

so that M G is (2^(t d) - 1) (G / 2) plus one entry +-2^c sum(+-2^(d j)) (G / 2) for each column. No
digit is zero, and the sign of the highest tooth makes half of the entries negatives of the others:
a table of 2^(t - 1) points serves all columns that differ by a doubling. There are v tables, each
for e columns next to each other. The sum starts from a constant point; e times an entry of each
table is added, with a doubling in between:

    columns e - 1, 2 e - 1, ... v e - 1, then double, e - 2, 2 e - 2, ... and so on to 0, e, ...

Additions are those of `residua.curves.complete` with an affine second point, of which parts are
known beforehand, so that no number is an exception on a curve of **odd** order. An entry has the
coordinates x and y and, unless b is small and a = 0, c = 3 b x - a^2.

Lim and Lee, "More flexible exponentiation with precomputation" (Crypto 1994).

========================== ========== ======== ============ ==========
program                    reductions products combinations selections
========================== ========== ======== ============ ==========
`addition` for any curve   10         22       0            1
`addition`, a = -3         9          20       1            1
`addition`, a = 0          9          17       0            1
`addition`, a = 0, small b 8          17       1            1
========================== ========== ======== ============ ==========
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from residua.algorithms.fields.field import Constant, FieldProgram, Flag, Variable
from residua.curves import affine, complete
from residua.curves.parameters import WeierstrassCurve
from residua.errors import SpecificationError

POSITIVE = Flag("comb_positive")
"""Set where the highest tooth of a column has a 1, so that the entry is added as it is."""

ENTRY = ("entry_x", "entry_y", "entry_c")
"""The elements that an entry is put into before each addition."""

TEETH = 6
"""Teeth of a comb if no other number is asked for."""

MOST_TEETH = 8
"""A table of more teeth has more entries than an addition has cycles to look at."""

MOST_TABLES = 64
"""Tables of a comb, at most."""

TABLES = 13
"""Tables of a comb, at most, if no other number is asked for."""

_DOUBLING = 2
"""Additions that a doubling, which waits for the sum, takes about as long as."""


@dataclass(frozen=True)
class Comb:
    """Shape of a comb.

    Attributes:
        teeth: t, the bits of a column.
        tables: v.
        spacing: e, the columns that a table serves.
        implied: a power of two that belongs to every number, besides the bits that are taken; -1
            if none does.

    Raises:
        SpecificationError: there is no such comb.
    """

    teeth: int
    tables: int
    spacing: int
    implied: int = -1

    def __post_init__(self) -> None:
        if not (
            2 <= self.teeth <= MOST_TEETH and 1 <= self.tables <= MOST_TABLES and self.spacing >= 1
        ):
            raise SpecificationError(
                f"there is no comb of {self.teeth} teeth and {self.tables} tables for "
                f"{self.spacing} columns each: 2 to {MOST_TEETH} teeth, 1 to {MOST_TABLES} tables "
                "and a column are possible"
            )

    @property
    def columns(self) -> int:
        """d, the additions of a multiplication."""
        return self.tables * self.spacing

    @property
    def bits(self) -> int:
        """Bits of the numbers that are taken, t d."""
        return self.teeth * self.columns

    @property
    def entries(self) -> int:
        """Points in a table."""
        return 1 << (self.teeth - 1)

    @property
    def points(self) -> int:
        """Points in all tables."""
        return self.tables * self.entries

    def order(self) -> Iterator[int]:
        """The columns in the order in which entries are added."""
        for step in reversed(range(self.spacing)):
            yield from range(step, self.columns, self.spacing)

    def digit(self, number: int, column: int) -> tuple[int, bool]:
        """The index of the entry in the table of a column, and whether it is added as it is."""
        teeth = [number >> (column + self.columns * j) & 1 for j in range(self.teeth)]
        positive = bool(teeth[-1])
        return sum((bit == positive) << j for j, bit in enumerate(teeth[:-1])), positive


def comb_for(bits: int, teeth: int, tables: int, implied: int = -1) -> Comb:
    """The comb of at most so many tables that takes numbers of ``bits`` bits in the fewest cycles.

    Of equally fast ones it is that of fewest tables.
    """
    least = -(-bits // teeth)
    combs = [Comb(teeth, count, -(-least // count), implied) for count in range(1, tables + 1)]
    return min(combs, key=lambda comb: (comb.columns + _DOUBLING * comb.spacing, comb.tables))


def initial_state() -> FieldProgram:
    """The constant point ("comb_x", "comb_y") as ("x0" : "y0" : "z0"), times a nonzero "m"."""
    program = FieldProgram("comb_initial_state")
    m = program.input("m")
    program.output("x0", program.product("x0", m, Constant("comb_x")))
    program.output("y0", program.product("y0", m, Constant("comb_y")))
    program.output("z0", program.combine("z0", (m, 1)))
    return program


def doubling(*, a: int | None = None, b: int | None = None) -> FieldProgram:
    """("x0" : "y0" : "z0") doubled; ``a`` and ``b`` as for `residua.curves.complete.double`."""
    return complete.doubling(a=a, b=b)


def addition(*, a: int | None = None, b: int | None = None) -> FieldProgram:
    """The entry, or its negative, added to ("x0" : "y0" : "z0").

    The formula is that of `residua.curves.complete` for (x1 : y1 : 1). All that depends on x1
    alone, c1 = a x1 + 3 b and c2 = 3 b x1 - a^2, is known before, so that

        t = a X0 + c1 Z0,  w = c1 X0 + c2 Z0

    do not wait for X0 + x1 Z0. ``a`` and ``b`` as for `residua.curves.complete.add`.
    """
    program = FieldProgram("comb_addition")
    total = program.input("x0"), program.input("y0"), program.input("z0")
    x, entry_y = program.input("entry_x"), program.input("entry_y")
    y = program.select("+-y", POSITIVE, entry_y, entry_y, -1)
    if a == 0 and b is not None:
        result = _add_small(program, total, x, y, b)
    else:
        result = _add(program, total, x, y, a)
    for name, coordinate in zip(("x0", "y0", "z0"), result, strict=True):
        program.output(name, coordinate)
    return program


def _add(
    program: FieldProgram, total: complete.Point, x: Variable, y: Variable, a: int | None
) -> complete.Point:
    x0, y0, z0 = total
    one = Constant(1)
    c1, c2 = _first_part(program, x, a), program.input("entry_c")
    xy = program.product_sum("xy", (x0, y, 1), (y0, x, 1))
    yz = program.product_sum("yz", (z0, y, 1), (y0, one, 1))
    linear = [(z0, Constant("third_a"), 1)] if a != 0 else []
    v = program.product_sum("v", (x0, x, 1), *linear, multiple=3)
    scaled = [(x0, Constant("a"))] if a != 0 else []
    parts = [*scaled, (z0, c1)]
    minus = program.product_sum("minus", (y0, y, 1), *((*part, -1) for part in parts))
    plus = program.product_sum("plus", (y0, y, 1), *((*part, 1) for part in parts))
    w = program.product_sum("w", (x0, c1, 1), (z0, c2, 1))
    return (
        program.product_sum("x0", (xy, minus, 1), (yz, w, -1)),
        program.product_sum("y0", (v, w, 1), (plus, minus, 1)),
        program.product_sum("z0", (yz, plus, 1), (xy, v, 1)),
    )


def _first_part(program: FieldProgram, x: Variable, a: int | None) -> Variable | Constant:
    """c1 = a x + 3 b."""
    triple_b = Constant("triple_b")
    if a == 0:
        return triple_b
    loaded = program.load("3b", triple_b)
    if a == -3:
        return program.combine("c1", (x, -3), (loaded, 1))
    return program.product_sum("c1", (x, Constant("a"), 1), (loaded, Constant(1), 1))


def _add_small(
    program: FieldProgram, total: complete.Point, x: Variable, y: Variable, b: int
) -> complete.Point:
    """Add for a = 0 and a small b; t is a multiple of Z0."""
    x0, y0, z0 = total
    one = Constant(1)
    xy = program.product_sum("xy", (x0, y, 1), (y0, x, 1))
    yz = program.product_sum("yz", (z0, y, 1), (y0, one, 1))
    w = program.product_sum("w", (z0, x, 1), (x0, one, 1), multiple=3 * b)
    v = program.product("v", x0, x, multiple=3)
    s = program.product("s", y0, y)
    t = program.combine("t", (z0, 3 * b))
    return (
        program.product_sum("x0", (xy, s, 1), (xy, t, -1), (yz, w, -1)),
        program.product_sum("y0", (v, w, 1), (s, s, 1), (t, t, -1)),
        program.product_sum("z0", (yz, s, 1), (yz, t, 1), (xy, v, 1)),
    )


def constants(curve: WeierstrassCurve, comb: Comb) -> dict[str, int]:
    """The named constants of `initial_state`: the point that the sum starts from.

    Raises:
        SpecificationError: the order is too small, so that this is the neutral element.
    """
    half = pow(2, -1, curve.order)
    multiple = ((1 << comb.bits) - 1) * half + ((1 << comb.implied) if comb.implied >= 0 else 0)
    multiple = multiple * pow(half, comb.spacing - 1, curve.order) % curve.order
    start = affine.multiply(curve, multiple, curve.base_point)
    if start is None:
        raise _too_small(curve, comb)
    return {"comb_x": start[0], "comb_y": start[1]}


def tables(curve: WeierstrassCurve, comb: Comb) -> list[list[tuple[int, int, int]]]:
    """x, y and c of every entry of every table.

    Raises:
        SpecificationError: the order is too small, so that an entry is the neutral element.
    """
    half = affine.multiply(curve, pow(2, -1, curve.order), curve.base_point)
    powers = [half]
    for _ in range(comb.bits - 1):
        powers.append(affine.add(curve, powers[-1], powers[-1]))
    starts = range(0, comb.columns, comb.spacing)
    return [
        [
            _entry(curve, comb, point)
            for point in _signed_sums(curve, powers[start :: comb.columns][: comb.teeth])
        ]
        for start in starts
    ]


def _signed_sums(curve: WeierstrassCurve, points: Sequence[affine.Point]) -> list[affine.Point]:
    """The last point plus or minus each other; bit j of the index tells the sign of point j."""
    sums = [points[-1]]
    for point in points[-2::-1]:
        signed = affine.negate(curve, point), point
        sums = [affine.add(curve, total, own) for total in sums for own in signed]
    return sums


def _entry(curve: WeierstrassCurve, comb: Comb, point: affine.Point) -> tuple[int, int, int]:
    if point is None:
        raise _too_small(curve, comb)
    x, y = point
    return x, y, (3 * curve.b * x - curve.a**2) % curve.prime


def _too_small(curve: WeierstrassCurve, comb: Comb) -> SpecificationError:
    return SpecificationError(
        f"{curve.name}: a comb of {comb.teeth} teeth needs points that its order "
        f"{curve.order} does not have; take fewer teeth, or leave fixed_base out"
    )
