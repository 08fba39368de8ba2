"""Channel reduction by folding: the integer function that a channel reducer computes.

2^w = h (mod 2^w - h), so one fold v -> (v >> w) * h + (v mod 2^w) shortens v and keeps its class.
The last fold returns a word centred on zero: 2^(w-1) is added before the first fold, which keeps
the class of everything after it shifted by the same amount, and is taken off at the end. In
hardware the addition is the start value of the accumulator and the subtraction an inverted bit:
both are free.
"""

from dataclasses import dataclass

from residua.errors import SpecificationError
from residua.numbers.cox import Range
from residua.numbers.moduli import Modulus

LARGEST_FOLD_COUNT = 8

SEARCHED_FOLD_COUNT = 3
"""Folds that reduce a sum modulo any modulus that a search of bases may return."""


def small_offset(width: int) -> int:
    """The largest |h| of half the bits of a modulus: two folds or three do for every short sum."""
    return (1 << width // 2) - 1


def largest_offset(width: int, terms: int, folds: int = SEARCHED_FOLD_COUNT) -> int:
    """The largest |h| for which ``folds`` folds are certain to do, 0 if there is none.

    They reduce any sum of ``terms`` products of a word of w + 1 signed bits by a centred constant,
    and 2^(w-1).
    """
    low, high = 0, (1 << (width - 1)) - 1
    while low < high:
        middle = (low + high + 1) // 2
        if _reduces(width, terms, folds, middle):
            low = middle
        else:
            high = middle - 1
    return low


def _reduces(width: int, terms: int, folds: int, offset: int) -> bool:
    """Whether ``folds`` folds leave w + 1 bits, for -offset <= h <= offset."""
    # The high part lies in [-high, high] before a fold. The fold leaves a product of at most
    # high |h| in size and w bits more, whose high part is at most one more than the product's.
    high = terms * ((1 << width) + offset) // 2 + 1
    for _ in range(folds - 1):
        high = (high * offset >> width) + 1
    # A word of w bits less 2^(w-1) has room for as much again on either side.
    return high * offset <= 1 << (width - 1)


@dataclass(frozen=True)
class Folding:
    """Reduction modulo one channel modulus by ``folds`` folds to a signed word of w + 1 bits."""

    modulus: Modulus
    folds: int

    @property
    def centring(self) -> int:
        """2^(w-1): what is added before the first fold and taken off after the last."""
        return 1 << (self.modulus.width - 1)

    def reduce(self, value: int) -> int:
        """The redundant residue of ``value``, exactly as the hardware leaves it."""
        width, offset = self.modulus.width, self.modulus.offset
        mask = (1 << width) - 1
        value += self.centring
        for _ in range(self.folds):
            value = (value >> width) * offset + (value & mask)
        return value - self.centring

    def stages(self, value: Range) -> list[Range]:
        """Ranges before the first fold and after each one, for accumulators within ``value``.

        The last range still includes the centring constant.
        """
        width, offset = self.modulus.width, self.modulus.offset
        low, high = value[0] + self.centring, value[1] + self.centring
        ranges = [(low, high)]
        for _ in range(self.folds):
            products = [(low >> width) * offset, (high >> width) * offset]
            one_word = low >> width == high >> width
            mask = (1 << width) - 1
            low, high = (
                min(products) + (low & mask if one_word else 0),
                max(products) + (high & mask if one_word else mask),
            )
            ranges.append((low, high))
        return ranges

    def result(self, value: Range) -> Range:
        """Range of the residue that ``reduce`` returns for accumulators within ``value``."""
        low, high = self.stages(value)[-1]
        return low - self.centring, high - self.centring


def fits_word(value: Range, bits: int) -> bool:
    """Whether a range lies in the signed words of ``bits`` bits."""
    return -(1 << (bits - 1)) <= value[0] and value[1] < 1 << (bits - 1)


def folds_needed(modulus: Modulus, value: Range) -> int:
    """Smallest number of folds that brings accumulators within ``value`` to w + 1 signed bits."""
    for folds in range(1, LARGEST_FOLD_COUNT + 1):
        if fits_word(Folding(modulus, folds).result(value), modulus.width + 1):
            return folds
    raise SpecificationError(
        f"{LARGEST_FOLD_COUNT} folds do not bring {value[1].bit_length()}-bit sums modulo "
        f"{modulus} to w + 1 bits; choose moduli with a smaller |h| or a larger width"
    )
