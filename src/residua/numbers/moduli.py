"""Channel moduli of the form 2^w - h, the only form that the hardware reduces by."""

from dataclasses import dataclass
from functools import cached_property, lru_cache

from residua.errors import SpecificationError


@dataclass(frozen=True, order=True)
class Modulus:
    """The modulus ``2**width - offset``.

    ``width`` is w, at least 2 bits. ``offset`` is h, of either sign, with ``|h| < 2**(w - 1)``, so
    that every fold shortens what it folds; zero gives the power of two itself.
    """

    width: int
    offset: int

    def __post_init__(self) -> None:
        if self.width < 2:
            raise SpecificationError(
                f"a modulus needs a width of at least 2 bits, not {self.width}"
            )
        if abs(self.offset) >= 1 << (self.width - 1):
            raise SpecificationError(
                f"2^{self.width} - ({self.offset}) is no pseudo-Mersenne modulus: "
                f"|h| must be below 2^{self.width - 1} = {1 << (self.width - 1)}"
            )

    @classmethod
    def of_value(cls, value: int, width: int) -> "Modulus":
        """The modulus whose value is ``value``, seen as a number of ``width`` bits."""
        return cls(width, (1 << width) - value)

    @cached_property
    def value(self) -> int:
        """The modulus as an integer."""
        return (1 << self.width) - self.offset

    @cached_property
    def digits(self) -> tuple[tuple[int, int], ...]:
        """The non-adjacent form of h: pairs (sign, exponent), the highest exponent first."""
        return signed_digits(self.offset)

    @property
    def weight(self) -> int:
        """Number of non-zero signed digits of h: the shifted terms that one fold adds."""
        return len(self.digits)

    def centre(self, value: int) -> int:
        """The representative of ``value`` in [-m/2, m/2)."""
        half = self.value // 2
        return (value + half) % self.value - half

    def __str__(self) -> str:
        if self.offset == 0:
            return f"2^{self.width}"
        return f"2^{self.width} {'-' if self.offset > 0 else '+'} {abs(self.offset)}"


@lru_cache(maxsize=1 << 14)
def signed_digits(number: int) -> tuple[tuple[int, int], ...]:
    """The non-adjacent form of ``number`` as (sign, exponent), the highest exponent first."""
    digits = []
    exponent = 0
    while number:
        if number & 1:
            sign = 2 - (number & 3)
            digits.append((sign, exponent))
            number -= sign
        number >>= 1
        exponent += 1
    return tuple(reversed(digits))
