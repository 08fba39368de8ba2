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

from residua.algorithms.step_bounds.shapes import (
    CLOSER,
    DIGITS,
    ONE,
    Shape,
    hull,
    rounded,
    shrunk_below_one,
)

RATE = Fraction(7401467245, 10**10)
"""r: how much shorter X is after a step. No r below 0.74014672385 has a shape."""

_ROUNDS = 100
"""Sequences of steps after which the shape of a rate that has one does not change any more."""

_FIRST_STEPS = 60
"""The largest j that is looked at by itself."""


@dataclass(frozen=True)
class ShrunkShape:
    """A convex shape X, symmetric about 0, what steps make of it, and their rate r."""

    shape: Shape
    rate: Fraction

    @property
    def shrinks(self) -> bool:
        """Whether X holds its images divided by r to the number of steps, for all j and i.

        Images are linear in i, so that the least and the greatest i are enough. From some j on they
        lie in a box that gets smaller with j, as 2 r^2 > 1.
        """
        if 2 * self.rate**2 <= 1 or not self.shape.is_symmetric(-1, -1):
            return False
        images = ((j, i) for j in range(_FIRST_STEPS) for i in {0, (1 << j) - 1})
        return all(self._holds_image(j, i) for j, i in images) and self._holds_box()

    def suffices(self, bits: int, steps: int) -> bool:
        """Whether so many steps are enough for all 0 <= g <= f < 2^bits."""
        operands = all(self.shape.holds(f, g, 1) for f, g in ((ONE, 0), (ONE, ONE)))
        return operands and shrunk_below_one(self.shape.height, bits, self.rate, steps)

    def _holds_image(self, j: int, i: int) -> bool:
        top, bottom = self.rate.denominator ** (2 * j + 1), self.rate.numerator ** (2 * j + 1)
        # The image times 2^(2 j + 1).
        return all(
            self.shape.holds(
                (g << j + 1) * top,
                ((g - (f << j)) + (2 * i * g)) * top,
                bottom << 2 * j + 1,
            )
            for f, g in self.shape.corners
        )

    def _holds_box(self) -> bool:
        """Whether it holds a box around all images from `_FIRST_STEPS` on."""
        shrunk = (2 * self.rate**2) ** _FIRST_STEPS * self.rate
        f, g = self.shape.height, self.shape.width // 2 + 1 + self.shape.height
        scale, unit = shrunk.denominator, shrunk.numerator
        return all(self.shape.holds(f * scale, sign * g * scale, unit) for sign in (-1, 1))


def shrinking_shape(rate: Fraction = RATE) -> ShrunkShape:
    """Find a shape around the operands that division steps shrink by a rate.

    It is the hull of all that steps make of them; `ShrunkShape.shrinks` tells whether there was
    one.
    """
    closer = float(rate) * CLOSER
    found = [(1.0, 0.0), (1.0, 1.0), (-1.0, 0.0), (-1.0, -1.0)]
    for _ in range(_ROUNDS):
        larger = hull([*found, *(image for point in found for image in _images(*point, closer))])
        if larger == found:
            break
        found = larger
    return ShrunkShape(rounded([*found, *((-f, -g) for f, g in found)]), rate)


def _images(f: float, g: float, rate: float) -> Iterator[tuple[float, float]]:
    for j in range(_FIRST_STEPS):
        x, scale = g / 2**j, rate ** -(2 * j + 1)
        for i in {0, 2**j - 1}:
            yield round(x * scale, DIGITS), round(((x - f) / 2 + i * x) / 2**j * scale, DIGITS)
