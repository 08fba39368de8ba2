"""Why so many steps of plus-minus are enough: a shape for each lead, all of which steps shrink.

The steps of `residua.algorithms.plus_minus` are linear in V and U. Here they act on real numbers,
and by which power of 2 an even V can be divided, and whether sum or difference can be divided by 4,
may always be chosen. A round goes from right after a sum, or from the beginning, to right after
the next sum: V is divided by some 2^j, by 4 as often as possible and by 2 at last if j is odd; then
U is added or subtracted. These are ceil(j / 2) + 1 steps. The lead v - u is half an odd number
throughout, and at most 1/2 at the ends of rounds. From a lead of 1/2 - n a round leads to

    ((V / 2^j + U) / 4, U)          with 1/2 - (n - 1 - j)    if j < n,
    ((V / 2^j + U) / 4, V / 2^j)    with 1/2 - (j - n)        if j >= n,

or to the same with -U in place of U. For each n let X_n be a convex shape, symmetric about both
axes. Let all of them hold these images of each other's points, divided by r to the number of steps;
let X_1, as the lead begins with -1/2, hold all (V, U) with |V|, |U| <= 1; and let no |U| in them be
above c. If |V| <= |U| <= M in the beginning, (V, U) is in M r^k X_n for some n at each end of a
round, k steps later. An integer U that is not 0 is there only while c M r^k >= 1, and U is odd. So
rounds must come to an end, with a V of 0, and c M r^k >= 1 for the first step k after which it is.

X_0 and X_1 are given; X_(n + 2) has the points (V / r, U / (4 r)) of X_n. With 4 r^2 >= 1 images of
X_0 to X_3 in these shapes are all in their shapes, because the others follow by two leads at a
time. Of a round that divides by 4 once more,

    from n + 2 in place of n, the image is that of before, divided by 4 r^2;
    to n + 2 in place of n, V is at most 1 / r times that of before, and U 1 / (4 r) times;

and of one from and to n + 2, without a change of j, U is 1 / (4 r) times that of before, and V at
most 1 / r times.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

from residua.algorithms.plus_minus import PERIOD, STEPS_OF_PERIOD, sufficient_steps
from residua.algorithms.step_bounds.shapes import (
    CLOSER,
    DIGITS,
    ONE,
    Shape,
    hull,
    rounded,
    shrunk_below_one,
)

RATE = Fraction(6551, 10**4)
"""r: how much shorter the shapes are after a step. No r below 0.65506 has shapes."""

_LEADS = range(8)
"""The n between which rounds are looked at to find shapes."""

_ROUNDS = 100
"""Rounds after which the shapes of a rate that has some do not change any more."""

_SIGNS = ((1, 1), (1, -1), (-1, 1), (-1, -1))


@dataclass(frozen=True)
class ShrunkShapes:
    """The convex shapes X_0 and X_1, from which the others follow, and their rate r."""

    shapes: tuple[Shape, Shape]
    rate: Fraction

    @property
    def shrink(self) -> bool:
        """Whether all hold each other's images, divided by r to the number of steps."""
        symmetric = all(shape.is_symmetric(*signs) for shape in self.shapes for signs in _SIGNS)
        leads = range(4)
        return (
            symmetric
            and 4 * self.rate**2 >= 1
            and all(self._holds_image(n, *each) for n in leads for each in _rounds(n, leads))
        )

    def suffices(self, bits: int, steps: int) -> bool:
        """Whether V is 0 after so many steps of all |V| <= |U| < 2^bits."""
        operands = self.shapes[1].holds(ONE, ONE, 1)
        height = max(shape.height for shape in self.shapes)
        return operands and shrunk_below_one(height, bits, self.rate, steps + 1)

    @property
    def suffice_always(self) -> bool:
        """Whether V is 0 after `sufficient_steps`, for every length of U.

        By `PERIOD` bits more U is longer by no more than the shapes shrink in the steps more.
        """
        return self.rate**STEPS_OF_PERIOD * 2**PERIOD <= 1 and all(
            self.suffices(bits, sufficient_steps(bits)) for bits in range(1, PERIOD + 1)
        )

    def _holds_image(self, n: int, after: int, j: int, exchange: bool) -> bool:
        moved, given = divmod(n, 2)
        scale = self.rate ** -_steps(j)
        for x, y in self.shapes[given].corners:
            v, u = x / self.rate**moved / (1 << j), y / (4 * self.rate) ** moved
            if not self._holds(after, (v + u) / 4 * scale, (v if exchange else u) * scale):
                return False
        return True

    def _holds(self, n: int, v: Fraction, u: Fraction) -> bool:
        moved, given = divmod(n, 2)
        v, u = v * self.rate**moved, u * (4 * self.rate) ** moved
        unit = v.denominator * u.denominator
        return self.shapes[given].holds(int(v * unit), int(u * unit), unit)


def shrinking_shapes(rate: Fraction = RATE) -> ShrunkShapes:
    """Find shapes around the operands that rounds shrink by a rate.

    They are the hulls of all that rounds make of them; `ShrunkShapes.shrink` tells whether there
    were some.
    """
    closer = float(rate) * CLOSER
    found: list[list[tuple[float, float]]] = [[] for _ in _LEADS]
    found[1] = [(float(v), float(u)) for v, u in _SIGNS]
    for _ in range(_ROUNDS):
        points = [list(corners) for corners in found]
        for n, corners in enumerate(found):
            for after, j, exchange in _rounds(n, _LEADS):
                for corner in corners:
                    points[after] += _images(*corner, j, exchange, closer)
        larger = [hull(each) for each in points]
        if larger == found:
            break
        found = larger
    return ShrunkShapes((rounded(found[0]), rounded(found[1])), rate)


def _rounds(n: int, leads: range) -> Iterator[tuple[int, int, bool]]:
    """(n after it, j, whether U takes V) of all rounds from a lead to some."""
    for after in leads:
        if after < n:
            yield after, n - 1 - after, False
        yield after, n + after, True


def _steps(j: int) -> int:
    """Steps of a round that divides by 2^j."""
    return -(-j // 2) + 1


def _images(
    v: float, u: float, j: int, exchange: bool, rate: float
) -> Iterator[tuple[float, float]]:
    """What a round makes of a point, with all signs."""
    scale, divided = rate ** -_steps(j), v / 2**j
    x = round((divided + u) / 4 * scale, DIGITS)
    y = round((divided if exchange else u) * scale, DIGITS)
    yield from ((s * x, t * y) for s, t in _SIGNS)
