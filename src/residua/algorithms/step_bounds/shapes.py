"""Convex shapes in the plane, in exact integers."""

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import TypeVar

Number = TypeVar("Number", int, float)

Point = tuple[int, int]
"""x and y in units of 1 / `ONE`."""

ONE = 1 << 50

DIGITS = 13
"""Decimal places of points while a shape is looked for, in floats: its hulls come to an end."""

CLOSER = 1 - 5e-10
"""A shape is looked for with a rate that is smaller by this factor: room to round."""


@dataclass(frozen=True)
class Shape:
    """A convex shape by its corners, counterclockwise."""

    corners: tuple[Point, ...]

    def holds(self, x: int, y: int, unit: int) -> bool:
        """Whether (x, y) / unit is in it."""
        return all(
            (d - b) * (x - a * unit) <= (c - a) * (y - b * unit) for (a, b), (c, d) in self._edges
        )

    def is_symmetric(self, x: int, y: int) -> bool:
        """Whether it stays the same if coordinates are multiplied by these numbers, 1 or -1."""
        return all((x * a, y * b) in self.corners for a, b in self.corners)

    @cached_property
    def width(self) -> int:
        """The largest x."""
        return max(x for x, _ in self.corners)

    @cached_property
    def height(self) -> int:
        """The largest y."""
        return max(y for _, y in self.corners)

    @cached_property
    def _edges(self) -> list[tuple[Point, Point]]:
        return list(zip(self.corners, (*self.corners[1:], self.corners[0]), strict=True))


def rounded(points: Iterable[tuple[float, float]]) -> Shape:
    """The hull of points in floats."""
    return Shape(tuple(hull([(round(x * ONE), round(y * ONE)) for x, y in points])))


def shrunk_below_one(height: int, bits: int, rate: Fraction, steps: int) -> bool:
    """Whether the height times 2^bits rate^steps is below 1."""
    left, whole = int(rate.numerator**steps), int(rate.denominator**steps)
    return (height << bits) * left < whole * ONE


def hull(points: Iterable[tuple[Number, Number]]) -> list[tuple[Number, Number]]:
    """The corners of the convex hull, counterclockwise (Andrew's monotone chain)."""
    ordered = sorted(set(points))
    corners: list[tuple[Number, Number]] = []
    for chain in (ordered, ordered[::-1]):
        half: list[tuple[Number, Number]] = []
        for point in chain:
            while len(half) > 1 and _turns_right(half[-2], half[-1], point):
                half.pop()
            half.append(point)
        corners += half[:-1]
    return corners


def _turns_right(
    first: tuple[Number, Number], second: tuple[Number, Number], third: tuple[Number, Number]
) -> bool:
    (a, b), (c, d), (e, f) = first, second, third
    return (c - a) * (f - b) <= (d - b) * (e - a)
