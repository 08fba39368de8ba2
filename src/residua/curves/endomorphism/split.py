"""A scalar k as two halves, with k = k1 + k2 lambda modulo n, both at least 0 and about sqrt(n).

With (n, 0) = s v1 + t v2 in the basis v1, v2 of the lattice (`residua.curves.endomorphism.lattice`)
and whole numbers d1, d2,

    d1 = floor(k g1 / 2^m) + r1,  g1 = floor(s 2^m / n),  d2 and g2 with t,
    (k1, k2) = (k, 0) + w - d1 v1 - d2 v2.

Every vector of the lattice stands for 0, so that k = k1 + k2 lambda whatever d1, d2 and w are.
Without r1 and r2 this is Babai's rounding (down): (k, 0) - d1 v1 - d2 v2 = f1 v1 + f2 v2 with
0 <= f1, f2 < 1 + 2^-(m - l) for k below 2^l. The constant w of the lattice keeps both halves from
being negative: so there are no signs, and 0, n - 1, lambda and the like are scalars like any other.

Gallant, Lambert and Vanstone (CRYPTO 2001); Guide to Elliptic Curve Cryptography, section 3.5.

**Blinding.** r1 and r2 are fresh random numbers of b bits: random multiples of both vectors are
taken away. In the place of k stands k + r n, with a third random number r, so that neither k itself
nor anything that always is the same for it is multiplied. `residua.curves.blinding` says how many
bits these numbers need.

**Odd halves**, for `residua.curves.endomorphism.joint`: n is odd, and so is the determinant of v1
and v2. Modulo 2 they are a basis of all pairs, and the lowest bits of d1 and d2 can be put such
that both halves are odd, each as an affine function of the lowest bit of k.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import product
from math import floor

from residua.curves.endomorphism.lattice import Endomorphism, Vector
from residua.curves.fixed_window import WINDOW
from residua.errors import SpecificationError

Randoms = tuple[int, int, int]
"""r1, r2 and r."""

_NEAR = range(-9, 10)
"""Multiples of a basis vector about the nearest one that are tried for the constant w.

No coordinate of the basis exceeds 2 sqrt(n), so that squares of 4 sqrt(n) have a vector of the
lattice, which is no more than 8 multiples of either away from a corner: one fits.
"""


def masked_bits(bits: int, order: int, whole_bits: int) -> int:
    """Bits of k + r n for k of ``bits`` bits and r of ``whole_bits``."""
    return ((1 << bits) - 1 + ((1 << whole_bits) - 1) * order).bit_length()


@dataclass(frozen=True)
class Split:
    """Halves of the scalars of a curve; bit-exact.

    Attributes:
        endomorphism: of the curve.
        bits: that a scalar may have.
        random_bits: b, bits of r1 and of r2; 0 if scalars are not blinded.
        shift: m.
        whole_bits: bits of r; 0 if k itself is split.
        odd: whether both halves are odd, of scalars that are not blinded.

    Raises:
        SpecificationError: m is below the bits of what is split, for which halves are long; or odd
            halves are blinded.
    """

    endomorphism: Endomorphism
    bits: int
    random_bits: int
    shift: int
    whole_bits: int = 0
    odd: bool = False

    def __post_init__(self) -> None:
        if self.odd and (self.random_bits or self.whole_bits):
            raise SpecificationError("halves that are blinded cannot all be made odd")
        if self.shift < self.masked_bits or self.random_bits < 0:
            raise SpecificationError(
                f"scalars of {self.masked_bits} bits, blinded by {self.random_bits}, are not split "
                f"with a precision of {self.shift} bits: {self.masked_bits} are the least, and 0 "
                "for blinding"
            )

    @property
    def masked_bits(self) -> int:
        """Bits of k + r n."""
        return masked_bits(self.bits, self.endomorphism.order, self.whole_bits)

    @cached_property
    def multipliers(self) -> tuple[int, int]:
        """(g1, g2)."""
        order = self.endomorphism.order
        s, t = self.endomorphism.coordinates
        return (s << self.shift) // order, (t << self.shift) // order

    @cached_property
    def offset(self) -> Vector:
        """W, the vector that keeps halves from being negative and lets them grow the least."""
        (low1, high1), (low2, high2) = self._reached
        near = self._near((-low1, -low2))
        fitting = [(u, v) for u, v in near if u + low1 >= 0 and v + low2 >= 0]
        return min(fitting, key=lambda w: (max(high1 + w[0], high2 + w[1]), w))

    @cached_property
    def largest(self) -> tuple[int, int]:
        """Numbers that k1 and k2 do not exceed."""
        (_, high1), (_, high2) = self._reached
        return high1 + self.offset[0], high2 + self.offset[1]

    @property
    def length(self) -> int:
        """Bits that a half may have."""
        return max(self.largest).bit_length()

    @property
    def rounds(self) -> int:
        """Digits of a half: as many that the highest bit is 0."""
        return -(-(self.length + 1) // WINDOW)

    @property
    def served(self) -> int:
        """Bits of a half, leading zeros included."""
        return WINDOW * self.rounds

    def masked(self, k: int, random: Randoms = (0, 0, 0)) -> int:
        """The number k + r n, with the lowest bits of r."""
        return k + (random[2] & ((1 << self.whole_bits) - 1)) * self.endomorphism.order

    def quotients(self, k: int, random: Randoms = (0, 0, 0)) -> tuple[int, int]:
        """(d1, d2) for a scalar and random numbers, of which the lowest bits are taken."""
        mask, number = (1 << self.random_bits) - 1, self.masked(k, random)
        first, second = (
            (number * g >> self.shift) + (r & mask)
            for g, r in zip(self.multipliers, random[:2], strict=True)
        )
        if self.odd:
            one, other = (fixed ^ (k & follows) & 1 for fixed, follows in self.parities)
            return first & ~1 | one, second & ~1 | other
        return first, second

    @cached_property
    def parities(self) -> tuple[tuple[int, int], tuple[int, int]]:
        """(c, f) for d1 and for d2: halves are odd if it is even or odd as c + f k is."""
        (a1, b1), (a2, b2) = self.endomorphism.basis
        first, second = (own + 1 for own in self.offset)
        one, other = b2 * first + a2 * second, b1 * first + a1 * second
        return (one & 1, b2 & 1), (other & 1, b1 & 1)

    def halves(self, k: int, random: Randoms = (0, 0, 0)) -> tuple[int, int]:
        """(k1, k2) for a scalar of `bits` bits and random numbers."""
        d1, d2 = self.quotients(k, random)
        (a1, b1), (a2, b2) = self.endomorphism.basis
        u, v = self.offset
        return self.masked(k, random) + u - d1 * a1 - d2 * a2, v - d1 * b1 - d2 * b2

    @property
    def edges(self) -> tuple[int, ...]:
        """Scalars below 2^bits beside which a half, a quotient or the sum of both is extreme."""
        mapping, most = self.endomorphism, (1 << self.bits) - 1
        order, root = mapping.order, mapping.eigenvalue
        near = [root - 1, root, root + 1, order - root, order - root - 1]
        near += [abs(x) for vector in mapping.basis for x in vector]
        # The first scalar of the last quotient, and the last one of the quotient before it.
        lasts = [(most * g >> self.shift) for g in self.multipliers]
        firsts = [-(-(q << self.shift) // g) for q, g in zip(lasts, self.multipliers, strict=True)]
        near += [k - below for k in firsts for below in (0, 1)]
        return tuple(k for k in dict.fromkeys(near) if 0 <= k <= most)

    @cached_property
    def _reached(self) -> tuple[Vector, Vector]:
        """Bounds of either half without the offset."""
        least = Fraction(1 - (1 << self.random_bits) - self.odd)
        most = 1 + self.odd + Fraction(1, 1 << (self.shift - self.masked_bits))
        ends = []
        for pair in zip(*self.endomorphism.basis, strict=True):
            low: Fraction = sum((min(least * x, most * x) for x in pair), Fraction())
            high: Fraction = sum((max(least * x, most * x) for x in pair), Fraction())
            ends.append((floor(low), -floor(-high)))
        first, second = ends
        return first, second

    def _near(self, target: Vector) -> Iterator[Vector]:
        """Vectors of the lattice about a target."""
        (a1, b1), (a2, b2) = self.endomorphism.basis
        x, y = target
        determinant = a1 * b2 - a2 * b1
        first = floor(Fraction(x * b2 - y * a2, determinant))
        second = floor(Fraction(y * a1 - x * b1, determinant))
        for i, j in product(_NEAR, repeat=2):
            s, t = first + i, second + j
            yield s * a1 + t * a2, s * b1 + t * b2
