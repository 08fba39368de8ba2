"""Halving a scalar as a list of products of words, summed up column by column.

The numbers are those of `residua.curves.endomorphism.split`. A memory holds words of 16 bits, the
lowest of each number first:

    one, k, r1, r2, r, k + r n, d1, d2

(without the random numbers and k + r n if scalars are not blinded) and the constants of a curve are
1, 0, g1, g2, n and, as M words modulo 2^(16 M),

    -a1, -a2, u for k1 and -b1, -b2, v for k2, with w = (u, v).

The lowest bits of d1 and d2 are replaced if halves are to be odd.

The numbers from k + r n on, then k1 and k2 are made of them, each as the columns of a sum of
products, like a multiplication on paper. A step adds one product of a word and a constant to the
accumulator; the last step of a column also gives its lowest word, and what is left goes on to the
next column. All curves of a core take the same steps, with constants of their own.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import IntEnum
from functools import cached_property
from itertools import product

from residua.curves.endomorphism.split import Randoms, Split

SPLIT_WORD = 16
"""Bits of a word: a product of two fits every target's multiplier."""

SETTLING = 2
"""Steps between the last word of a number and the first that reads one, at least."""

_ONE, _ZERO = 0, 1
"""Addresses of constants."""

_MASK = (1 << SPLIT_WORD) - 1


def split_shift(bits: int) -> int:
    """The m of `Split` for numbers of so many bits: those of their words, and a word more."""
    return SPLIT_WORD * (1 + _words(bits))


def _words(bits: int) -> int:
    return -(-bits // SPLIT_WORD)


class Target(IntEnum):
    """What becomes of the lowest word of a column."""

    NOTHING = 0
    MEMORY = 1
    FIRST = 2
    SECOND = 3


@dataclass(frozen=True)
class SplitStep:
    """A product to be added.

    Attributes:
        word: address of the word.
        constant: address of the constant, by which it is multiplied.
        ends: whether this is the last product of a column.
        finishes: whether it is that of the last column of a number; the next sum begins at 0.
        target: where the column's lowest word goes, at its end.
    """

    word: int
    constant: int
    ends: bool = False
    finishes: bool = False
    target: Target = Target.NOTHING


_Pairs = list[tuple[int, int]]
"""Addresses of words and of constants whose products make a column."""


class SplitProgram:
    """The steps, and the words and constants that they find.

    ``splits`` are those of each curve, None where scalars are not halved; all have the same shift.
    ``words`` are the words of 32 bits of a scalar.

    Attributes:
        scalar: words of k.
        random: words of r1, and of r2.
        whole: words of r; 0 if scalars are not blinded.
        quotient: words of d1, and of d2, as far as halves depend on them.
        half: M, words of k1, and of k2.
    """

    def __init__(self, splits: Sequence[Split | None], words: int) -> None:
        self.splits = tuple(splits)
        own = [split for split in splits if split]
        (shift,) = {split.shift for split in own}
        self.scalar = 2 * words
        self.random = 2 * max(-(-split.random_bits // 32) for split in own)
        self.whole = 2 * max(-(-split.whole_bits // 32) for split in own)
        self.half = max(_words(split.served) for split in own)
        self._dropped = shift // SPLIT_WORD
        self._masked = max(_words(split.masked_bits) for split in own)
        self._multiplier = max(_words(g.bit_length()) for split in own for g in split.multipliers)
        self._order = max(_words(split.endomorphism.order.bit_length()) for split in own)
        longest = max(max(_largest_quotients(split)).bit_length() for split in own)
        self.quotient = min(_words(longest), self.half)

    @property
    def given(self) -> int:
        """Words of the memory that are there before the first step: one, k, r1, r2, r."""
        return 1 + self.scalar + 2 * self.random + self.whole

    @property
    def memory(self) -> int:
        """Words of the memory; k + r n, d1 and d2 come after those that are given."""
        return self._quotients + 2 * self.quotient

    @property
    def _quotients(self) -> int:
        """Address of d1."""
        return self.given + (self._masked if self.whole else 0)

    @property
    def parities(self) -> tuple[int, int]:
        """Addresses of the lowest words of d1 and d2."""
        return self._quotients, self._quotients + self.quotient

    @property
    def longest(self) -> int:
        """The most products of a column, and what is left of the one before it, as products."""
        longest = length = 0
        for step in self.steps:
            length += 1
            longest, length = max(longest, length), 0 if step.ends else length
        return longest + 1

    @property
    def count(self) -> int:
        """Constants of a curve."""
        order = self._order if self.whole else 0
        return 2 + 2 * self._multiplier + order + 6 * self.half

    def constants(self, split: Split | None) -> list[int]:
        """The constants of a curve; zeros where scalars are not halved."""
        if split is None:
            return [0] * self.count
        mapping, (u, v) = split.endomorphism, split.offset
        (a1, b1), (a2, b2) = mapping.basis
        numbers = [(1, 2), *((g, self._multiplier) for g in split.multipliers)]
        numbers += [(mapping.order, self._order)] if self.whole else []
        numbers += [(number, self.half) for number in (-a1, -a2, u, -b1, -b2, v)]
        return [number >> SPLIT_WORD * i & _MASK for number, count in numbers for i in range(count)]

    @cached_property
    def steps(self) -> tuple[SplitStep, ...]:
        """All steps, one after another."""
        return tuple(self._steps())

    def _steps(self) -> Iterator[SplitStep]:
        settling = [SplitStep(0, _ZERO)] * SETTLING
        if self.whole:
            yield from _columns(self._masked_pairs(), Target.MEMORY)
            yield from settling
        for index in range(2):
            yield from _columns(self._quotient_pairs(index), Target.MEMORY, self._dropped)
        yield from settling
        for index, target in enumerate((Target.FIRST, Target.SECOND)):
            yield from _columns(self._half_pairs(index), target)

    def _masked_pairs(self) -> list[_Pairs]:
        """The columns of k + r n."""
        order, random = 2 + 2 * self._multiplier, 1 + self.scalar + 2 * self.random
        columns: list[_Pairs] = [[] for _ in range(self._masked)]
        for i, j in product(range(self.whole), range(self._order)):
            if i + j < len(columns):
                columns[i + j].append((random + i, order + j))
        for i in range(min(self.scalar, self._masked)):
            columns[i].append((1 + i, _ONE))
        return columns

    @property
    def _split_words(self) -> range:
        """Addresses of the number that is split."""
        start = self.given if self.whole else 1
        return range(start, start + self._masked)

    def _quotient_pairs(self, index: int) -> list[_Pairs]:
        """The columns of (k + r n) g + 2^m r1, or of r2: those of d1 or d2 above dropped ones."""
        columns: list[_Pairs] = [[] for _ in range(self._dropped + self.quotient)]
        multiplier = 2 + index * self._multiplier
        random = 1 + self.scalar + index * self.random
        for (i, word), j in product(enumerate(self._split_words), range(self._multiplier)):
            if i + j < len(columns):
                columns[i + j].append((word, multiplier + j))
        for i in range(min(self.random, self.quotient)):
            columns[self._dropped + i].append((random + i, _ONE))
        return columns

    def _half_pairs(self, index: int) -> list[_Pairs]:
        """The columns of k + r n - d1 a1 - d2 a2 + u, or of - d1 b1 - d2 b2 + v."""
        columns: list[_Pairs] = [[] for _ in range(self.half)]
        vector = self.count - 3 * (2 - index) * self.half
        for part, j in product(range(2), range(self.half)):
            quotient = self._quotients + part * self.quotient
            for i in range(min(self.quotient, self.half - j)):
                columns[i + j].append((quotient + i, vector + part * self.half + j))
        for j, column in enumerate(columns):
            column.append((0, vector + 2 * self.half + j))
            if index == 0 and j < self._masked:
                column.append((self._split_words[j], _ONE))
        return columns

    def run(self, curve: int, k: int, random: Randoms = (0, 0, 0)) -> tuple[int, int]:
        """(k1, k2), by the steps, word for word what the hardware holds."""
        split = self.splits[curve]
        assert split is not None
        lengths = (split.random_bits, split.random_bits, split.whole_bits)
        own = [r & ((1 << bits) - 1) for r, bits in zip(random, lengths, strict=True)]
        counts = (self.random, self.random, self.whole)
        numbers = [(1, 1), (k, self.scalar), *zip(own, counts, strict=True)]
        memory = [n >> SPLIT_WORD * i & _MASK for n, count in numbers for i in range(count)]
        given: dict[Target, list[int]] = {target: [] for target in Target}
        given[Target.MEMORY] = memory
        constants, total = self.constants(split), 0
        for step in self.steps:
            total += memory[step.word] * constants[step.constant]
            if step.ends:
                given[step.target].append(total & _MASK)
                last = len(memory) - 1
                if split.odd and step.target is Target.MEMORY and last in self.parities:
                    fixed, follows = split.parities[self.parities.index(last)]
                    memory[last] = memory[last] & ~1 | fixed ^ (k & follows) & 1
                total = 0 if step.finishes else total >> SPLIT_WORD
        first, second = (
            sum(word << SPLIT_WORD * i for i, word in enumerate(given[target]))
            for target in (Target.FIRST, Target.SECOND)
        )
        return first, second


def _largest_quotients(split: Split) -> tuple[int, int]:
    """Numbers that d1 and d2 do not exceed."""
    random, whole = ((1 << bits) - 1 for bits in (split.random_bits, split.whole_bits))
    return split.quotients((1 << split.bits) - 1, (random, random, whole))


def _columns(columns: Sequence[_Pairs], target: Target, dropped: int = 0) -> Iterator[SplitStep]:
    """The steps of a number; a column of nothing but what is left of others takes one, too."""
    for number, column in enumerate(columns):
        *others, last = column or [(0, _ZERO)]
        yield from (SplitStep(*pair) for pair in others)
        finishes = number == len(columns) - 1
        own = target if number >= dropped else Target.NOTHING
        yield SplitStep(*last, ends=True, finishes=finishes, target=own)
