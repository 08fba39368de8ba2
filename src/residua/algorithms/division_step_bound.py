"""Why so many division steps are enough: a shape in the plane that all of them shrink.

The steps of `residua.algorithms.division_steps` are linear in f and g. Here they act on real
numbers, and whether g is odd may always be chosen. While delta > 0, it is j + 1/2 after j steps
that found g even; a step that finds it odd then exchanges, and delta is 1/2 - j. Another j steps,
which find g odd as the bits of a number i in [0, 2^j) say, make it 1/2 again. So from one time at
which delta is 1/2 to the next one, in 2 j + 1 steps, (f, g) becomes

    (x, ((x - f) / 2 + i x) / 2^j),    x = g / 2^j.

Let a convex shape X that is symmetric about 0 hold all these images, divided by r^(2 j + 1), of its
points. If M X holds the operands, then at any such time, k steps after the beginning, M r^k X holds
(f, g). With |g| <= c in X, |g| <= c M r^k (2 r)^-j j steps after it while delta > 0. So as long as
no |g| is below 1, c M r^k >= 1: while delta > 0 because 2 r > 1; in the steps after an exchange
because |g| was at least 1 before it, not more than j steps ago, and 2 r^2 > 1. Once c M r^k < 1
there was therefore a |g| < 1: an integer g was 0, and has stayed so.

The idea of hulls that steps shrink, and the r up to which they do, are those of P. Wuille's
safegcd-bounds (2021), whose proof has another shape for each delta.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import TypeVar

Number = TypeVar("Number", int, float)

Point = tuple[int, int]
"""f and g, in units of 2^-`_BITS`."""

RATE = Fraction(7401467245, 10**10)
"""r: how much shorter X is after a step. No r below 0.74014672385 has a shape."""

_BITS = 50
_CLOSER = 1 - 5e-10
"""The shape is computed, in floats, for a rate that is smaller by this factor: room to round."""

_ROUNDS = 100
"""Sequences of steps after which the shape of a rate that has one does not change any more."""

_FIRST_STEPS = 60
"""The largest j that is looked at by itself."""


@dataclass(frozen=True)
class Shape:
    """A convex shape, symmetric about 0, and what steps make of it.

    Attributes:
        corners: counterclockwise.
        rate: r.
    """

    corners: tuple[Point, ...]
    rate: Fraction

    @property
    def shrinks(self) -> bool:
        """Whether it holds its images divided by r to the number of steps, for all j and i.

        Images are linear in i, so that the least and the greatest i are enough. From some j on they
        lie in a box that gets smaller with j, as 2 r^2 > 1.
        """
        if 2 * self.rate**2 <= 1 or any((-f, -g) not in self.corners for f, g in self.corners):
            return False
        images = ((j, i) for j in range(_FIRST_STEPS) for i in {0, (1 << j) - 1})
        return all(self._holds_image(j, i) for j, i in images) and self._holds_box()

    def suffices(self, bits: int, steps: int) -> bool:
        """Whether so many steps are enough for all 0 <= g <= f < 2^bits."""
        one = 1 << _BITS
        operands = all(self._holds(f, g, 1) for f, g in ((one, 0), (one, one)))
        left, whole = self.rate.numerator**steps, self.rate.denominator**steps
        return operands and (self._height << bits) * left < whole << _BITS

    @cached_property
    def _height(self) -> int:
        return max(g for _, g in self.corners)

    def _holds_image(self, j: int, i: int) -> bool:
        top, bottom = self.rate.denominator ** (2 * j + 1), self.rate.numerator ** (2 * j + 1)
        # The image times 2^(2 j + 1).
        return all(
            self._holds(
                (g << j + 1) * top,
                ((g - (f << j)) + (2 * i * g)) * top,
                bottom << 2 * j + 1,
            )
            for f, g in self.corners
        )

    def _holds_box(self) -> bool:
        """Whether it holds a box around all images from `_FIRST_STEPS` on."""
        width = max(f for f, _ in self.corners)
        shrunk = (2 * self.rate**2) ** _FIRST_STEPS * self.rate
        f, g = self._height, width // 2 + 1 + self._height
        scale, unit = shrunk.denominator, shrunk.numerator
        return all(self._holds(f * scale, sign * g * scale, unit) for sign in (-1, 1))

    def _holds(self, f: int, g: int, unit: int) -> bool:
        """Whether it holds (f, g) / unit."""
        return all(
            (d - b) * (f - a * unit) <= (c - a) * (g - b * unit) for (a, b), (c, d) in self._edges
        )

    @cached_property
    def _edges(self) -> list[tuple[Point, Point]]:
        return list(zip(self.corners, (*self.corners[1:], self.corners[0]), strict=True))


def shrinking_shape(rate: Fraction = RATE) -> Shape:
    """Find a shape around the operands that division steps shrink by a rate.

    It is the hull of all that steps make of them; `Shape.shrinks` tells whether there was one.
    """
    closer = float(rate) * _CLOSER
    found = [(1.0, 0.0), (1.0, 1.0), (-1.0, 0.0), (-1.0, -1.0)]
    for _ in range(_ROUNDS):
        larger = _hull([*found, *(image for point in found for image in _images(*point, closer))])
        if larger == found:
            break
        found = larger
    scale = 1 << _BITS
    half = [(round(f * scale), round(g * scale)) for f, g in found]
    return Shape(tuple(_hull([*half, *((-f, -g) for f, g in half)])), rate)


def _images(f: float, g: float, rate: float) -> Iterator[tuple[float, float]]:
    for j in range(_FIRST_STEPS):
        x, scale = g / 2**j, rate ** -(2 * j + 1)
        for i in {0, 2**j - 1}:
            yield round(x * scale, 13), round(((x - f) / 2 + i * x) / 2**j * scale, 13)


def _hull(points: list[tuple[Number, Number]]) -> list[tuple[Number, Number]]:
    """The corners of the convex hull, counterclockwise (Andrew's monotone chain)."""
    ordered = sorted(set(points))
    corners: list[tuple[Number, Number]] = []
    for chain in (ordered, ordered[::-1]):
        half: list[tuple[Number, Number]] = []
        for f, g in chain:
            while len(half) > 1 and _turns_right(half[-2], half[-1], (f, g)):
                half.pop()
            half.append((f, g))
        corners += half[:-1]
    return corners


def _turns_right(
    first: tuple[Number, Number], second: tuple[Number, Number], third: tuple[Number, Number]
) -> bool:
    (a, b), (c, d), (e, f) = first, second, third
    return (c - a) * (f - b) <= (d - b) * (e - a)
