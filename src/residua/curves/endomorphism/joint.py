"""Two multiplications at once, k P + l Q, by the four halves of both scalars, bit by bit.

k P + l Q = k1 P + k2 phi(P) + l1 Q + l2 phi(Q), with halves that all are odd
(`residua.curves.endomorphism.split`). The bits b_(L-1), ... b_0 of an odd number are the digits

    1 and then, for i = L - 1, ... 1, +1 where b_i is 1 and -1 where it is 0,

at the places L - 1, ... 0. No digit is zero: each round doubles and adds one of the 16 sums
+-P +-phi(P) +-Q +-phi(Q), of which 8 are the negatives of the others. With

    A = P + phi(P), A' = P - phi(P), B = Q + phi(Q), B' = Q - phi(Q)

the 8 entries of the table are A + B, A - B, B + A', B - A', A' + B', A' - B', B' + A, B' - A. As
1 + beta + beta^2 = 0, A is (-x - beta x, -y) and needs no addition. The formulas are the complete
ones of `residua.curves.complete`, so that every pair of scalars and of points works, P = +-Q and
P = +-phi(Q) included. Nothing but values depends on the scalars.

P is "nx", "ny" and Q is "x", "y", both affine; the sum so far is ("x0" : "y0" : "z0"), the entries
are those of `residua.curves.fixed_window`.

=============================== ========== ======== ============ ========== =======
program                         reductions products combinations selections choices
=============================== ========== ======== ============ ========== =======
`step`, a = 0                   19         28       3            1          3
`step`, a = 0, small b          16         29       1            1          3
=============================== ========== ======== ============ ========== =======
"""

from collections.abc import Iterable, Sequence

from residua.algorithms.fields.field import Constant, FieldProgram, Variable
from residua.curves import fixed_window
from residua.curves.complete import Point, add, double
from residua.curves.endomorphism.split import Split
from residua.curves.endomorphism.window import BETA, FIRST
from residua.curves.fixed_window import ENTRIES, SUM, entry_names
from residua.curves.signatures.sliding_windows import BASE_WIDTH

HALVES = 4
"""Numbers whose bits a round takes."""

QUEUE = (SUM, ("c0", "c1", "c2"), ("sx", "sy", "sz"), ("d", "m", "l"), ("ex", "ey", "ez"))
"""The elements of A, B, A', B' and A again. Each point and the next one make two entries."""

TABLE_ROUNDS = len(QUEUE) - 1
"""Rounds of `table_step`."""

FIRST_ENTRY = entry_names(1)
"""The elements of A + B, with which the sum begins."""


def half_bits(split: Split) -> int:
    """L, bits of each half that are gone through: no fewer than a window of a signature has."""
    return max(split.length, BASE_WIDTH)


def entry(bits: Sequence[int]) -> int:
    """The number of the entry that is added, negative where it is subtracted.

    ``bits`` are those of k1, k2, l1 and l2.
    """
    k1, k2, l1, l2 = bits
    # A or A' with the sign of k1, B or B' with that of l1.
    pair = {(0, 0): 0, (1, 0): 1, (1, 1): 2, (0, 1): 3}[k1 ^ k2, l1 ^ l2]
    number = 2 * pair + (k1 ^ l1) + 1
    # In every other pair B or B' comes first.
    return number if (l1 if pair % 2 else k1) else -number


def initial_state(*, b: int | None = None) -> FieldProgram:
    """The `QUEUE` from P and Q; ``b`` as for `residua.curves.complete.add`."""
    program = FieldProgram("endomorphism_joint_initial_state")
    one = program.load("one", Constant(1))
    pairs = [_pair(program, names, one, b) for names in (("nx", "ny"), ("x", "y"))]
    (first, first_difference), (second, second_difference) = pairs
    points = first, second, first_difference, second_difference, first
    for names, point in zip(QUEUE, points, strict=True):
        _put(program, names, point)
    return program


def _pair(
    program: FieldProgram, names: tuple[str, str], one: Variable, b: int | None
) -> tuple[Point, Point]:
    """P + phi(P) and P - phi(P)."""
    x, y = map(program.input, names)
    image = program.product("beta x", x, Constant(BETA))
    # Sums of products, since elements that outlive a program have to be short.
    opposite = program.product_sum("-x - beta x", (x, Constant(1), -1), (x, Constant(BETA), -1))
    negative = program.product_sum("-y", (y, Constant(1), -1))
    total = opposite, negative, one
    return total, add(program, (x, y, one), (image, negative, one), a=0, b=b)


def table_step(*, b: int | None = None) -> FieldProgram:
    """Sum and difference of the queue's first two points, as the last entries of the table.

    The other entries, and the points of the queue, take the places of those before them. The table
    is complete after `TABLE_ROUNDS`. ``b`` as for `step`.
    """
    program = FieldProgram("endomorphism_joint_table_step")
    queue: list[Point] = []
    for names in QUEUE:
        x, y, z = map(program.input, names)
        queue.append((x, y, z))
    for number in range(1, ENTRIES - 1):
        _put(program, entry_names(number), map(program.input, entry_names(number + 2)))
    (x, y, z) = queue[1]
    opposite = x, program.combine("-y", (y, -1)), z
    for number, second in ((ENTRIES - 1, queue[1]), (ENTRIES, opposite)):
        _put(program, entry_names(number), add(program, queue[0], second, a=0, b=b))
    for names, point in zip(QUEUE, queue[1:], strict=False):
        _put(program, names, point)
    return program


def step(*, b: int | None = None) -> FieldProgram:
    """One bit of all halves, from the highest on: double, then add the `entry` that they choose.

    The flags of `residua.curves.endomorphism.window.FIRST` tell it. ``b`` is the coefficient of the
    curve if it is a small integer; None: a named constant.
    """
    program = FieldProgram("endomorphism_joint_step")
    x, y, z = map(program.input, SUM)
    doubled = double(program, (x, y, z), a=0, b=b)
    chosen = fixed_window.multiple(program, FIRST)
    _put(program, SUM, add(program, doubled, chosen, a=0, b=b))
    return program


def _put(program: FieldProgram, names: Sequence[str], point: Iterable[Variable]) -> None:
    for name, coordinate in zip(names, point, strict=True):
        program.output(name, coordinate)
