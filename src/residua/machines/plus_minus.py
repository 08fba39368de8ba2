"""Interpreters of plus-minus inversion: plain numbers, and the words of the hardware."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from residua.algorithms.plus_minus import (
    FIRST_LEAD,
    Kind,
    Reduction,
    Step,
    check_operand,
    cofactor,
    corrected,
    reduction,
)
from residua.errors import SpecificationError
from residua.numbers.hats import HatForm, Words


@dataclass(frozen=True)
class PlainNumbers:
    """Operations on integers, which must stay in [-P, P] and be divisible where they are divided.

    Raises:
        SpecificationError: P is even or below 3.
    """

    modulus: int

    def __post_init__(self) -> None:
        if self.modulus < 3 or self.modulus % 2 == 0:
            raise SpecificationError(
                f"plus-minus inversion needs an odd modulus above 2, not {self.modulus}"
            )

    def constant(self, number: int) -> int:
        """The number."""
        return number

    def mod4(self, value: int) -> int:
        """The number modulo 4."""
        return value % 4

    def equals(self, value: int, number: int) -> bool:
        """Whether they are the same."""
        return value == number

    def step(self, kind: Kind, x: int, y: int, multiple: int) -> int:
        """See `residua.algorithms.plus_minus.Operations`."""
        total = x + multiple * self.modulus
        if kind is Kind.HALVE:
            assert total % 2 == 0
            return total // 2
        total += y if kind is Kind.ADD else -y if kind is Kind.SUBTRACT else 0
        assert total % 4 == 0
        assert abs(total) <= 4 * self.modulus
        return total // 4

    def reduction(self, x: int, lead: int = FIRST_LEAD) -> Reduction:
        """The steps for an operand, from this lead on.

        Raises:
            SpecificationError: it has no inverse.
        """
        check_operand(x, self.modulus)
        return reduction(self, x, lead)

    def invert(self, x: int) -> int:
        """1 / x modulo P.

        Raises:
            SpecificationError: x has none.
        """
        found = self.reduction(x)
        return corrected(cofactor(self, found.steps), found.sign, self.modulus)


@dataclass(frozen=True)
class HatWords:
    """Operations on numbers in hat form, word for word what the rowers hold.

    ``digits`` is the number L of digits of two bits that an operand has, and a result.
    """

    form: HatForm
    digits: int

    @property
    def modulus(self) -> int:
        """P."""
        return self.form.modulus

    def constant(self, number: int) -> Words:
        """Canonical words of a number."""
        return self.form.words(number)

    def mod4(self, value: Words) -> int:
        """The residue of a value modulo 4, from the Cox."""
        return self.form.mod4(value)

    def equals(self, value: Words, number: int) -> bool:
        """Whether words are in the classes of this number."""
        return self.form.equals(value, number)

    def step(self, kind: Kind, x: Words, y: Words, multiple: int) -> Words:
        """See `residua.algorithms.plus_minus.Operations`."""
        if kind is Kind.HALVE:
            sums = [2 * a for a in x]
        elif kind is Kind.QUARTER:
            sums = list(x)
        else:
            sign = 1 if kind is Kind.ADD else -1
            sums = [a + sign * b for a, b in zip(x, y, strict=True)]
        return self.form.quartered(sums, step_constant(self.form, kind, multiple))

    def loaded(self, number: int, first: int) -> Words:
        """``number`` + ``first`` as it is taken in, digit by digit, the lowest first."""
        words = self.form.scaled_words(self.started(first))
        for place in range(self.digits):
            digit = number >> (2 * place) & 3
            words = self.form.quartered(words, digit << 2 * self.digits)
        return words

    def started(self, first: int) -> int:
        """Words, without their T_i^-1, from which `loaded` makes ``first``."""
        return (first + self.form.offset) << 2 * self.digits

    def unloaded(self, words: Words) -> tuple[list[int], int]:
        """The digits of a number, the lowest first, and the tag of what is left: 0, or 3 below 0.

        This is how a result becomes binary: X mod 4 is taken off, and the rest divided by 4.
        """
        digits = []
        for _ in range(self.digits):
            digit = self.mod4(words)
            digits.append(digit)
            words = self.form.quartered(words, 3 * self.form.offset - digit)
        return digits, self.mod4(words)

    @cached_property
    def one(self) -> Words:
        """V1 at the start: 1, after as many divisions as the operand's digits take."""
        return self.loaded(0, 1)

    def invert(self, x: int) -> int:
        """1 / x modulo P from the operand's digits to those of the result.

        Raises:
            SpecificationError: x has none.
        """
        check_operand(x, self.modulus)
        found = reduction(self, self.loaded(x, 0))
        digits, rest = self.unloaded(cofactor(_From(self.form, self.digits), found.steps))
        value = sum(digit << (2 * place) for place, digit in enumerate(digits))
        value -= (rest == 3) << (2 * self.digits)
        return corrected(value, found.sign, self.modulus)


class _From(HatWords):
    """Words with the start value 1 of V1 as the hardware holds it."""

    def constant(self, number: int) -> Words:
        return self.one if number == 1 else super().constant(number)


def step_constant(form: HatForm, kind: Kind, multiple: int) -> int:
    """Constant that a step adds to its operands before the division by 4: k P and offsets (E14)."""
    offsets = {Kind.HALVE: 2, Kind.QUARTER: 3, Kind.ADD: 2, Kind.SUBTRACT: 4}
    own = multiple * form.modulus * (2 if kind is Kind.HALVE else 1)
    return own + offsets[kind] * form.offset


@dataclass(frozen=True)
class PlusMinusCounts:
    """Operations of one inversion as the slides count them, in an RNS of n channels.

    A division by 2 or 4 costs n products and n additions there, the tag of its result n additions
    of the Cox and n + 1 modulo 4. ``steps`` is the number of (V, U) steps of either pair.
    """

    steps: int
    emm: int
    ema: int
    cox: int
    mod4: int


def slide_counts(steps: Sequence[Step], channels: int) -> PlusMinusCounts:
    """Cost of these steps by the slides' measure."""
    kinds = Counter(step.kind for step in steps)
    divisions = 2 * len(steps)
    sums = 2 * (kinds[Kind.ADD] + kinds[Kind.SUBTRACT])
    return PlusMinusCounts(
        len(steps),
        divisions * channels,
        (divisions + sums) * channels,
        divisions * channels,
        divisions * (channels + 1),
    )
