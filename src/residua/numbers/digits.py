"""Numbers in digits of k bits: the sizes and the ranges of Montgomery multiplication on them.

Montgomery's product of X and Y takes t iterations over the digits of Y and yields
(X Y + Q p) / R with R = 2^(k t) and Q = -X Y / p mod R, so that every algorithm that adds multiples
of p of one digit each has the same result, bit for bit. Two variants keep results in range (Walter,
Electronics Letters 35 (21), 1999; ERRATA E23):

* ``subtract``: the fewest iterations, t = n, then p is subtracted if the sum is not below it;
* ``closed``: the fewest iterations with 4 p < R, after which operands and results below 2 p go on
  for ever. That is n + 1, or n if the digits of p leave two bits to spare.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, get_args

from residua.errors import SpecificationError

Variant = Literal["subtract", "closed"]
VARIANTS: tuple[Variant, ...] = get_args(Variant)


def split_digits(number: int, count: int, bits: int) -> tuple[int, ...]:
    """The lowest ``count`` digits of ``bits`` bits, the lowest first."""
    mask = (1 << bits) - 1
    return tuple(number >> bits * index & mask for index in range(count))


def join_digits(digits: Sequence[int], bits: int) -> int:
    """The number of these digits, the lowest first; a digit may be negative or too large."""
    return sum(digit << bits * index for index, digit in enumerate(digits))


@dataclass(frozen=True)
class DigitShape:
    """Sizes that follow from the length of the modulus and the size of a digit.

    Attributes:
        bits: N; the modulus is odd and below 2^N.
        digit: k, bits of a digit.
        variant: how results stay in range.

    Raises:
        SpecificationError: N or k is not positive, or there is no such variant.
    """

    bits: int
    digit: int
    variant: Variant = "subtract"

    def __post_init__(self) -> None:
        if self.bits < 1 or self.digit < 1:
            raise SpecificationError(
                f"a modulus of {self.bits} bits in digits of {self.digit}: both are at least 1"
            )
        if self.variant not in VARIANTS:
            raise SpecificationError(
                f"variant = '{self.variant}': give {' or '.join(map(repr, VARIANTS))}"
            )

    @property
    def digits(self) -> int:
        """n, the digits of the modulus."""
        return -(-self.bits // self.digit)

    @property
    def iterations(self) -> int:
        """t, the iterations over the digits of Y."""
        if self.variant == "subtract":
            return self.digits
        return -(-(self.bits + 2) // self.digit)

    @property
    def factor_bits(self) -> int:
        """The exponent of R = 2^(k t)."""
        return self.digit * self.iterations

    @property
    def factor(self) -> int:
        """R."""
        return 1 << self.factor_bits

    @property
    def operand_bits(self) -> int:
        """Bits of an operand or result."""
        return self.bits + (self.variant == "closed")

    @property
    def operand_digits(self) -> int:
        """Digits of an operand or result."""
        return -(-self.operand_bits // self.digit)

    @property
    def spare(self) -> bool:
        """Whether the n digits hold every sum of iterations, X + p < 3 p < 2^(k n)."""
        return self.variant == "closed" and self.iterations == self.digits

    @property
    def top_bits(self) -> int:
        """Bits of a sum above its n digits (ERRATA E22)."""
        if self.spare:
            return 0
        return 1 if self.variant == "subtract" else 2


@dataclass(frozen=True)
class DigitDomain:
    """A modulus in digits, and what is right modulo it.

    Raises:
        SpecificationError: the modulus is even, below 3, or longer than the shape allows.
    """

    modulus: int
    shape: DigitShape

    def __post_init__(self) -> None:
        if self.modulus % 2 == 0:
            raise SpecificationError(
                f"the modulus {self.modulus:#x} is even: Montgomery multiplication needs an odd one"
            )
        if self.modulus < 3:
            raise SpecificationError(f"the modulus {self.modulus} is too small: at least 3")
        if self.modulus.bit_length() > self.shape.bits:
            raise SpecificationError(
                f"the modulus has {self.modulus.bit_length()} bits, and its digits are made for "
                f"{self.shape.bits}"
            )

    @classmethod
    def of(cls, modulus: int, digit: int, variant: Variant = "subtract") -> "DigitDomain":
        """A modulus in the fewest digits of ``digit`` bits."""
        return cls(modulus, DigitShape(modulus.bit_length(), digit, variant))

    @property
    def montgomery_factor(self) -> int:
        """R."""
        return self.shape.factor

    @property
    def square(self) -> int:
        """R^2 modulo p, which takes numbers to Montgomery form."""
        return self.shape.factor**2 % self.modulus

    @property
    def negative_inverse(self) -> int:
        """p' = -1 / p modulo 2^k."""
        return -pow(self.modulus, -1, 1 << self.shape.digit) % (1 << self.shape.digit)

    @property
    def largest_y(self) -> int:
        """The largest Y: p - 1, or 2 p - 1."""
        return self.modulus * (1 if self.shape.variant == "subtract" else 2) - 1

    @property
    def largest_x(self) -> int:
        """The largest X: with a final subtraction what n digits hold, else 2 p - 1.

        The sum is below X Y / R + p, hence below 2 p for any X up to R.
        """
        if self.shape.variant == "subtract":
            return self.shape.factor - 1
        return self.largest_y

    @property
    def largest_result(self) -> int:
        """The largest result: p - 1, or 2 p - 1."""
        return self.largest_y

    @cached_property
    def _quotient(self) -> int:
        """-1 / p modulo R."""
        return -pow(self.modulus, -1, self.shape.factor) % self.shape.factor

    def sum(self, x: int, y: int) -> int:
        """(X Y + Q p) / R, what the iterations leave, by plain integers.

        Raises:
            SpecificationError: an operand is out of its range.
        """
        for name, value, largest in (("x", x, self.largest_x), ("y", y, self.largest_y)):
            if not 0 <= value <= largest:
                raise SpecificationError(
                    f"{name} = {value:#x} is no operand: it must be from 0 to {largest:#x}"
                )
        product = x * y
        multiple = product * self._quotient % self.shape.factor
        return (product + multiple * self.modulus) // self.shape.factor

    def subtracted(self, y: int, largest: int) -> list[int]:
        """Find X up to ``largest`` of which the sum with Y is not below p, that few are if p << R.

        The multiple of p in the sum is next to R p then, as X Y / p modulo R is small. The
        denominators of the convergents of (Y / p modulo R) / R make it so.
        """
        before, x, found = 0, 1, list[int]()
        rest, following = self.shape.factor, -y * self._quotient % self.shape.factor
        while following:
            if 0 < x <= largest and self.sum(x, y) >= self.modulus:
                found.append(x)
            count = rest // following
            rest, following = following, rest - count * following
            before, x = x, before - count * x
        return found

    def product(self, x: int, y: int) -> int:
        """The result for two operands, bit for bit, by plain integers.

        Raises:
            SpecificationError: an operand is out of its range.
        """
        found = self.sum(x, y)
        below = self.shape.variant == "closed" or found < self.modulus
        return found if below else found - self.modulus
