"""Sizes of numbers, of memories, and of the modulus in digit multipliers."""

from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from residua.errors import SpecificationError
from residua.numbers.digits import DigitDomain, DigitShape, split_digits

InverseChoice = Literal["computed", "supplied"]


BANKS = 2
"""Places of operands, and of results, that products use by turns."""


@dataclass(frozen=True)
class DigitStreams:
    """The numbers that go in and out as words of ``width`` bits, and how rows hold them.

    Attributes:
        shape: N, k and the variant of the algorithm; k is not always the width of a word.
        width: bits of a word of the streams and of a digit in memory.
        lanes: digits of a row.
        rows: rows of X, p and of sums, the higher ones 0 where numbers are shorter.
        columns: words of Y.
        domain: the modulus, None if it is loaded at run time.
        inverse: where p' comes from if the modulus is loaded; None if the algorithm has no p'.
    """

    shape: DigitShape
    width: int
    lanes: int
    rows: int
    columns: int
    domain: DigitDomain | None
    inverse: InverseChoice | None = None

    @property
    def words(self) -> int:
        """Words of an operand and of a result."""
        return -(-self.shape.operand_bits // self.width)

    @property
    def modulus_words(self) -> int:
        """Words of the modulus, without p'."""
        return -(-self.shape.bits // self.width)

    def load_words(self, domain: DigitDomain) -> tuple[int, ...]:
        """The words to load for a modulus: its own, and p' if that is supplied."""
        words = split_digits(domain.modulus, self.modulus_words, self.width)
        return (*words, domain.negative_inverse) if self.inverse == "supplied" else words

    @property
    def stride(self) -> int:
        """Rows from one bank of a memory to the next, a power of two."""
        return 1 << (self.rows - 1).bit_length()

    @property
    def column_stride(self) -> int:
        """Words of Y from one bank to the next, a power of two."""
        return 1 << (self.columns - 1).bit_length()

    @property
    def loading(self) -> int:
        """Cycles that two operands take, with the zeros above them."""
        return self.rows * self.lanes + self.columns

    def interval(self, compute: int) -> int:
        """Cycles between products of ``compute`` cycles when neither stream waits."""
        return max(compute, self.loading, self.words + 1)

    @cached_property
    def modulus_rows(self) -> tuple[int, ...]:
        """The rows of a fixed modulus.

        Raises:
            SpecificationError: it is not fixed.
        """
        if self.domain is None:
            raise SpecificationError("the modulus is loaded at run time")
        mask = (1 << self.width * self.lanes) - 1
        return tuple(
            self.domain.modulus >> row * self.width * self.lanes & mask for row in range(self.rows)
        )
