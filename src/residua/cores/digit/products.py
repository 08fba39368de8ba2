"""What digit multipliers and exponentiators promise for one modulus."""

from dataclasses import dataclass

from gmpy2 import powmod

from residua.cores.digit.design import DigitDesign
from residua.cores.simulation.streams import ErrorFlag
from residua.hardware.digit.iddmm import IddmmDesign
from residua.hardware.exponentiation.digit_exponentiator import DigitExponentiatorDesign
from residua.numbers.digits import DigitDomain


@dataclass(frozen=True)
class DigitProducts:
    """Promises of a digit multiplier for products modulo one number (`WordDesign`)."""

    design: DigitDesign
    domain: DigitDomain

    @property
    def width(self) -> int:
        """Bits of a word."""
        return self.design.streams.width

    @property
    def words(self) -> int:
        """Words of each operand and of the result."""
        return self.design.streams.words

    @property
    def operand_words(self) -> int:
        """Words of the operands together."""
        return 2 * self.words

    @property
    def largest(self) -> int:
        """The largest y."""
        return self.domain.largest_y

    @property
    def largest_x(self) -> int:
        """The largest x."""
        return self.domain.largest_x

    @property
    def latency(self) -> int:
        """Cycles from the last operand word to the last result word."""
        return self.design.latency

    @property
    def interval(self) -> int:
        """Cycles between results."""
        return self.design.interval

    @property
    def wake(self) -> int:
        """Cycles from the end of a reset to the first in which a word is taken: none."""
        return 0

    @property
    def error_flag(self) -> ErrorFlag:
        """What a flag beside a result tells, if there is one."""
        checked = isinstance(self.design, IddmmDesign) and self.design.checked
        return "operands" if checked else None

    @property
    def edges(self) -> tuple[int, ...]:
        """The x that a verification begins with, where there is no y."""
        return ()

    def expected(self, x: int, y: int) -> int:
        """The result, bit for bit, by plain integers."""
        return self.domain.product(x, y)

    @property
    def modulus_words(self) -> tuple[int, ...]:
        """The words that are loaded for this modulus; none if it is built in."""
        is_fixed = self.design.streams.domain is not None
        return () if is_fixed else self._load_words

    @property
    def _load_words(self) -> tuple[int, ...]:
        return self.design.streams.load_words(self.domain)

    @property
    def tested_words(self) -> tuple[int, ...]:
        """The lowest word of the modulus, if it is loaded."""
        return (0,) if self.modulus_words else ()


class DigitPowers(DigitProducts):
    """Promises of a digit exponentiator for powers modulo one number: y is the exponent."""

    @property
    def exponentiator(self) -> DigitExponentiatorDesign:
        """The design."""
        assert isinstance(self.design, DigitExponentiatorDesign)
        return self.design

    @property
    def operand_words(self) -> int:
        """Words of the operands together."""
        return self.exponentiator.operand_words

    @property
    def largest(self) -> int:
        """The largest exponent, 0 if there is only one."""
        return 0 if self.exponentiator.exponent else (1 << self.exponentiator.exponent_bits) - 1

    def expected(self, x: int, y: int) -> int:
        """The power, bit for bit, by plain integers."""
        return int(powmod(x, self.exponentiator.exponent or y, self.domain.modulus))

    @property
    def _load_words(self) -> tuple[int, ...]:
        return self.exponentiator.load_words(self.domain)
