"""The hat form of plus-minus inversion: residues of which a Cox tells X modulo 4.

With T_i = M / m_i, the hat form of X is ((X + C) T_i^-1 mod m_i): what the CRT multiplies by T_i is
there already, and the offset C, a multiple of 4, keeps X + C away from 0 and M for X of either sign
(CHES 2013 slides, algorithm (4/4); ERRATA E15 for the range of C). Then

    X = sum(word_i T_i) - q M - C,   X mod 4 = (sum(word_i (T_i mod 4)) - q (M mod 4)) mod 4,

for words in any representation, of which q is the Cox's. In a *centred* form C is 0, and the Cox
starts from the middle instead: X then lies around 0 itself. All moduli are odd, so that a multiple
of m_i, chosen by the two lowest bits of a word alone, makes it divisible by 4: words in
[-m_i, m_i) stay there under (a + b + K) / 4 with K in [-2 m_i, 2 m_i), and are never reduced
otherwise.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import islice
from math import gcd

from residua.errors import SpecificationError
from residua.numbers.bases import Base
from residua.numbers.cox import Cox, deviation
from residua.numbers.moduli import Modulus
from residua.numbers.selection.coprime import MOST_CHANNELS, WIDTHS

_MOST_EXTRA_CHANNELS = 3
"""Channels beyond the least that are tried for room."""

Words = tuple[int, ...]
"""A number in hat form: for each channel a word in [-m, m)."""


class _RangeError(SpecificationError):
    """A base or a Cox that cannot tell numbers up to P."""


@dataclass(frozen=True)
class HatForm:
    """Numbers in [-P, P] in hat form over ``base``, whose Cox keeps ``truncation`` bits.

    If it is ``centred``, a start value of the Cox takes the place of the offset C.

    Raises:
        SpecificationError: a modulus is even, or the base is too small for P and this Cox.
    """

    base: Base
    modulus: int
    truncation: int
    centred: bool = False

    def __post_init__(self) -> None:
        even = [m.value for m in self.base if m.value % 2 == 0]
        if even:
            raise SpecificationError(f"a hat form needs odd channel moduli, not {even[0]}")
        self.cox.check_width(self.base.width)
        low, high = self._exact
        if self.offset - self.modulus < low or self.offset + self.modulus >= high:
            raise _RangeError(
                f"{len(self.base)} moduli of {self.base.width} bits with t = {self.truncation} "
                f"cannot tell numbers of up to {self.modulus.bit_length()} bits modulo 4: "
                "more channels, wider ones or a larger t are needed"
            )

    @cached_property
    def cox(self) -> Cox:
        """The Cox; its start value is 0 where C takes its place, else it centres the range."""
        none = Cox(self.truncation, Fraction(0))
        if not self.centred:
            return none
        low, high = deviation(self.base, none, self._ranges).exact(Fraction(0))
        start = int((low + high) / 2 * (1 << self.truncation))
        return Cox(self.truncation, Fraction(start, 1 << self.truncation) % 1)

    @property
    def _ranges(self) -> list[tuple[int, int]]:
        return [(-m.value, m.value - 1) for m in self.base]

    @cached_property
    def _exact(self) -> tuple[Fraction, Fraction]:
        """The interval [low, high) of X + C in which the Cox's quotient is right."""
        low, high = deviation(self.base, self.cox, self._ranges).exact(self.cox.sigma0)
        return low * self.base.product, high * self.base.product

    @cached_property
    def offset(self) -> int:
        """C, in the middle of where the Cox is right; 0 if centred."""
        if self.centred:
            return 0
        low, high = self._exact
        return int((low + high) / 8) * 4

    def words(self, number: int) -> Words:
        """The canonical words of a number."""
        return self.scaled_words(number + self.offset)

    def scaled_words(self, number: int) -> Words:
        """number T_i^-1 mod m_i, without C."""
        pairs = zip(self.base, self.base.cofactor_inverses, strict=True)
        return tuple(number * inverse % m.value for m, inverse in pairs)

    def number(self, words: Sequence[int]) -> int:
        """The number that words stand for, in [-C, M - C), or next to 0 if centred."""
        total = sum(word * t for word, t in zip(words, self.base.cofactors, strict=True))
        product = self.base.product
        least = -(product // 2) if self.centred else 0
        return (total - least) % product + least - self.offset

    def mod4(self, words: Sequence[int]) -> int:
        """The number modulo 4, as Cox and low bits tell it."""
        quotient = self.cox.quotient(words, [1] * len(words), self.base.width)
        return (self.low_sum(words) - quotient * self.base.product) % 4

    def low_sum(self, words: Sequence[int]) -> int:
        """s: the words times T_i, modulo 4."""
        return sum(word * t for word, t in zip(words, self.base.cofactors, strict=True)) % 4

    def equals(self, words: Sequence[int], number: int) -> bool:
        """Whether words stand for this number: the same classes in all channels."""
        pairs = zip(words, self.words(number), self.base, strict=True)
        return all((word - own) % m.value == 0 for word, own, m in pairs)

    def addend(self, channel: int, number: int, low: int) -> int:
        """K in [-2m, 2m), number T_i^-1 modulo m and -``low`` modulo 4.

        Added to a sum whose value modulo 4 is ``low`` it makes the sum divisible by 4.
        """
        m = self.base.moduli[channel].value
        own = number * self.base.cofactor_inverses[channel] % m
        # m^-1 is m modulo 4.
        addend = own + m * ((-low - own) * m % 4)
        return addend - 4 * m if addend >= 2 * m else addend

    def quartered(self, sums: Sequence[int], number: int) -> Words:
        """(sum_i + number T_i^-1) / 4 in each channel, exactly."""
        return tuple(
            (each + self.addend(channel, number, each % 4)) >> 2
            for channel, each in enumerate(sums)
        )


def hat_form(
    modulus: int, width: int, channels: int | None = None, truncation: int | None = None
) -> HatForm:
    """The hat form over the largest odd moduli of ``width`` bits; what is None is the least.

    Raises:
        SpecificationError: there are too few moduli, they make too small a base, or a Cox of so
            many bits does not tell numbers of this size; the nearest t or width that works.
    """
    try:
        return _hat_form(modulus, width, channels, truncation)
    except SpecificationError as error:
        raise SpecificationError(
            f"{error}{_advice(modulus, width, channels, truncation)}"
        ) from None


def _advice(modulus: int, width: int, channels: int | None, truncation: int | None) -> str:
    """The nearest t, or the nearest width, that works, as the end of a sentence."""
    if truncation is not None and _possible(modulus, width, channels):
        return f"; t = {_hat_form(modulus, width, channels, None).truncation} works"
    wider = next((w for w in range(width + 1, WIDTHS.stop) if _possible(modulus, w, channels)), 0)
    if not wider:
        return ""
    if truncation is None:
        return f"; w = {wider} works"
    return f"; w = {wider} with t = {_hat_form(modulus, wider, channels, None).truncation} works"


def _possible(modulus: int, width: int, channels: int | None) -> bool:
    """Whether there is a hat form over moduli of this width, with some t."""
    if (channels or MOST_CHANNELS) * width <= modulus.bit_length():
        return False
    try:
        _hat_form(modulus, width, channels, width)
    except SpecificationError:
        return False
    return True


def _hat_form(modulus: int, width: int, channels: int | None, truncation: int | None) -> HatForm:
    if channels is None:
        return _smallest(modulus, width, truncation)
    base = Base(tuple(Modulus.of_value(v, width) for v in _odd_moduli(width, channels)))
    if truncation is not None:
        return HatForm(base, modulus, truncation)
    for bits in range(1, width):
        try:
            return HatForm(base, modulus, bits)
        except _RangeError:
            continue
    return HatForm(base, modulus, width)


def _smallest(modulus: int, width: int, truncation: int | None) -> HatForm:
    """The hat form with the fewest channels."""
    least = -(-(modulus.bit_length() + 1) // width)
    most = min(least + _MOST_EXTRA_CHANNELS, MOST_CHANNELS)
    for channels in range(least, most):
        try:
            return _hat_form(modulus, width, channels, truncation)
        except _RangeError:
            continue
    if least > most:
        raise SpecificationError(
            f"a modulus of {modulus.bit_length()} bits needs more than n = {MOST_CHANNELS} "
            f"channels of w = {width}"
        )
    return _hat_form(modulus, width, most, truncation)


def _odd_moduli(width: int, number: int) -> list[int]:
    """The largest odd numbers below 2^width without common factors."""
    found = list(islice(_coprime(width), number))
    if len(found) < number:
        raise SpecificationError(
            f"there are only {len(found)} coprime odd moduli of {width} bits, and {number} are "
            "needed: a larger width is"
        )
    return found


def _coprime(width: int) -> Iterator[int]:
    """Odd numbers of ``width`` bits, from the largest on, without factors of those before."""
    product = 1
    for value in range((1 << width) - 1, 1 << (width - 1), -2):
        if gcd(value, product) == 1:
            product *= value
            yield value
