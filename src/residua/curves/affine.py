"""The group of a curve in affine coordinates and plain integers: what hardware is compared with.

The textbook chord-and-tangent law, right for every pair of points. It serves every curve of the
form scale y^2 = x^3 + a2 x^2 + a4 x + a6 modulo a prime above 3, short Weierstrass and Montgomery
curves among them. Nothing here is constant in time: it is for checking, not for secrets.
"""

from dataclasses import dataclass
from typing import Protocol

import gmpy2

Point = tuple[int, int] | None
"""Affine coordinates in [0, prime); None is the neutral element."""


class Cubic(Protocol):
    """Coefficients of a cubic curve, for the group law."""

    @property
    def prime(self) -> int:
        """The field's prime, above 3."""

    @property
    def coefficients(self) -> tuple[int, int, int, int]:
        """(scale, a2, a4, a6) of scale y^2 = x^3 + a2 x^2 + a4 x + a6; scale is not 0."""


@dataclass(frozen=True)
class _Twist:
    """The curve with another scale: isomorphic to the one it is made from, or to its twist."""

    prime: int
    coefficients: tuple[int, int, int, int]


def right_side(curve: Cubic, x: int) -> int:
    """x^3 + a2 x^2 + a4 x + a6 modulo the prime."""
    _, a2, a4, a6 = curve.coefficients
    return (((x + a2) * x + a4) * x + a6) % curve.prime


def is_on_curve(curve: Cubic, point: Point) -> bool:
    """Whether both coordinates are in [0, prime) and fulfil the equation; the neutral one does."""
    if point is None:
        return True
    x, y = point
    if not (0 <= x < curve.prime and 0 <= y < curve.prime):
        return False
    return (curve.coefficients[0] * y * y - right_side(curve, x)) % curve.prime == 0


def negate(curve: Cubic, point: Point) -> Point:
    """-P."""
    return None if point is None else (point[0], -point[1] % curve.prime)


def add(curve: Cubic, first: Point, second: Point) -> Point:
    """P + Q for any two points of the curve; that they are on it is not checked."""
    if first is None or second is None:
        return second if first is None else first
    (x0, y0), (x1, y1) = first, second
    p = curve.prime
    scale, a2, a4, _ = curve.coefficients
    if x0 != x1:
        slope = (y1 - y0) * gmpy2.invert(x1 - x0, p) % p
    elif (y0 + y1) % p == 0:
        return None
    else:
        slope = ((3 * x0 + 2 * a2) * x0 + a4) * gmpy2.invert(2 * scale * y0, p) % p
    x = (scale * slope * slope - a2 - x0 - x1) % p
    return int(x), int((slope * (x0 - x) - y0) % p)


def double(curve: Cubic, point: Point) -> Point:
    """2 P."""
    return add(curve, point, point)


def multiply(curve: Cubic, k: int, point: Point) -> Point:
    """k P for any integer k, negative ones too."""
    if k < 0:
        return multiply(curve, -k, negate(curve, point))
    total: Point = None
    for bit in f"{k:b}":
        total = double(curve, total)
        if bit == "1":
            total = add(curve, total, point)
    return total


def multiply_x(curve: Cubic, k: int, x: int) -> int:
    """The x (u) of k times a point with this x, on the curve or, if it has none, on its twist.

    For the neutral element it is 0, as in X25519 and X448 (RFC 7748); those functions are this one
    after their decoding of k and u. On a curve with a point (0, y) the result 0 has two meanings:
    `multiply` tells them apart.

    The curve f(x) Y^2 = X^3 + a2 X^2 + a4 X + a6, f its right side, has the point (x, 1), and a
    multiple of it has the same abscissa as on the curve itself or its twist: only Y is scaled. So
    the ordinary group law gives the answer, without a square root and without a ladder's formulas.

    Args:
        curve: the curve.
        k: any integer.
        x: any integer; it counts modulo the prime.
    """
    x %= curve.prime
    scale = right_side(curve, x)
    if scale == 0:
        return x if k % 2 else 0
    twist = _Twist(curve.prime, (scale, *curve.coefficients[1:]))
    result = multiply(twist, k, (x, 1))
    return 0 if result is None else result[0]
