"""Readings of integer programs: numbers, residues of an extended RNS, intervals, parities."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from residua.errors import SpecificationError
from residua.numbers.cox import Range
from residua.numbers.extended_base import ExtendedBase

Vector = tuple[int, ...]
Polynomial = frozenset[frozenset[str]]
"""A sum of monomials modulo 2, in variables that are 0 or 1."""

_LARGEST_POLYNOMIAL = 50_000


@dataclass(frozen=True)
class Integers:
    """Plain integers; reductions are canonical modulo ``prime``."""

    prime: int

    def add(self, x: int, y: int) -> int:
        """x + y."""
        return x + y

    def subtract(self, x: int, y: int) -> int:
        """x - y."""
        return x - y

    def multiply(self, x: int, y: int) -> int:
        """x y."""
        return x * y

    def square(self, x: int) -> int:
        """x^2."""
        return x * x

    def scale(self, x: int, multiple: int) -> int:
        """x times a small integer."""
        return multiple * x

    def halve(self, x: int) -> int:
        """x / 2.

        Raises:
            ArithmeticError: x is odd; `Parities` finds formulas in which that can be.
        """
        if x % 2:
            raise ArithmeticError("half of an odd number")
        return x // 2

    def reduce(self, x: int) -> int:
        """x modulo the prime, in [0, prime)."""
        return x % self.prime

    def is_zero(self, x: int) -> bool:
        """Whether x is 0 modulo the prime."""
        return x % self.prime == 0


@dataclass(frozen=True)
class ExtendedResidues:
    """Vectors of canonical residues, the redundant one last: what the hardware holds.

    Reductions go through the binary form, or by ``method`` extension stay in the RNS.
    """

    base: ExtendedBase
    prime: int
    method: Literal["conversion", "extension"] = "conversion"

    def _all(self, terms: Iterable[int]) -> Vector:
        return tuple(x % m.value for x, m in zip(terms, self.base.moduli, strict=True))

    def add(self, x: Vector, y: Vector) -> Vector:
        """x + y in each channel."""
        return self._all([a + b for a, b in zip(x, y, strict=True)])

    def subtract(self, x: Vector, y: Vector) -> Vector:
        """x - y in each channel."""
        return self._all([a - b for a, b in zip(x, y, strict=True)])

    def multiply(self, x: Vector, y: Vector) -> Vector:
        """x y in each channel."""
        return self._all([a * b for a, b in zip(x, y, strict=True)])

    def square(self, x: Vector) -> Vector:
        """x^2 in each channel."""
        return self.multiply(x, x)

    def scale(self, x: Vector, multiple: int) -> Vector:
        """x times a small integer in each channel."""
        return self._all([multiple * a for a in x])

    def halve(self, x: Vector) -> Vector:
        """x times 2^-1 in each channel, which is x / 2 of an even number (E18)."""
        return self._all(
            [a * ((m.value + 1) // 2) for a, m in zip(x, self.base.moduli, strict=True)]
        )

    def reduce(self, x: Vector) -> Vector:
        """The residues of the number modulo the prime."""
        if self.method == "extension":
            return self.base.extended_reduced(x, self.prime)
        return self.base.reduced(x, self.prime)

    def is_zero(self, x: Vector) -> bool:
        """Whether a reduced value or a difference of two is 0 modulo the prime."""
        multiples = (0,) if self.method == "conversion" else (0, self.prime, -self.prime)
        return any(x == self.base.residues(number) for number in multiples)


@dataclass(frozen=True)
class Intervals:
    """The closed range of every value; ``reduced`` is that of what a reduction leaves."""

    reduced: Range

    def add(self, x: Range, y: Range) -> Range:
        """Sums."""
        return x[0] + y[0], x[1] + y[1]

    def subtract(self, x: Range, y: Range) -> Range:
        """Differences."""
        return x[0] - y[1], x[1] - y[0]

    def multiply(self, x: Range, y: Range) -> Range:
        """Products."""
        ends = [a * b for a in x for b in y]
        return min(ends), max(ends)

    def square(self, x: Range) -> Range:
        """Squares."""
        ends = x[0] * x[0], x[1] * x[1]
        return (0 if x[0] <= 0 <= x[1] else min(ends)), max(ends)

    def scale(self, x: Range, multiple: int) -> Range:
        """Multiples."""
        return self.multiply(x, (multiple, multiple))

    def halve(self, x: Range) -> Range:
        """Halves."""
        return -(-x[0] // 2), x[1] // 2

    def reduce(self, x: Range) -> Range:
        """Range of any reduced number."""
        del x
        return self.reduced


class Parities:
    """Every value modulo 2 as a polynomial in the inputs, halves and reduced values.

    A number modulo 2 is its own square, and nothing is known of the parity of halves and of reduced
    values. So half of a value is exact for all of them if and only if its polynomial is zero;
    ``odd`` tells that some half was not.
    """

    def __init__(self) -> None:
        self.odd = False
        self._fresh = 0

    def unknown(self) -> Polynomial:
        """A new variable."""
        self._fresh += 1
        return frozenset({frozenset({f"v{self._fresh}"})})

    def add(self, x: Polynomial, y: Polynomial) -> Polynomial:
        """Sum modulo 2."""
        return x ^ y

    subtract = add

    def multiply(self, x: Polynomial, y: Polynomial) -> Polynomial:
        """Product modulo 2.

        Raises:
            SpecificationError: it has too many monomials to tell whether a half is exact.
        """
        if len(x) * len(y) > _LARGEST_POLYNOMIAL:
            raise SpecificationError(
                "the formula is too large to tell whether its halves are exact"
            )
        found: set[frozenset[str]] = set()
        for one in x:
            for other in y:
                found ^= {one | other}
        return frozenset(found)

    def square(self, x: Polynomial) -> Polynomial:
        """Square, which is x itself modulo 2."""
        return x

    def scale(self, x: Polynomial, multiple: int) -> Polynomial:
        """Multiple by an integer, modulo 2: x or zero."""
        return x if multiple % 2 else frozenset()

    def halve(self, x: Polynomial) -> Polynomial:
        """Unknown, and not a whole number unless x is zero modulo 2."""
        self.odd |= bool(x)
        return self.unknown()

    def reduce(self, x: Polynomial) -> Polynomial:
        """Unknown."""
        del x
        return self.unknown()
