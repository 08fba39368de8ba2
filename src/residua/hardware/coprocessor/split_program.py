"""Halving a scalar as a list of products of words, summed up column by column.

The numbers are those of `residua.curves.endomorphism.split`. A memory holds words of 16 bits, the
lowest of each number first:

    one, k, r1, r2, d1, d2

and the constants of a curve are 1, 0, g1, g2 and, as M words modulo 2^(16 M),

    -a1, -a2, u for k1 and -b1, -b2, v for k2, with w = (u, v).

Four numbers are made of them, d1, d2, k1 and k2, each as the columns of a sum of products, like a
multiplication on paper. A step adds one product of a word and a constant to the accumulator; the
last step of a column also gives its lowest word, and what is left goes on to the next column. All
curves of a core take the same steps, with constants of their own.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product

from residua.curves.endomorphism.split import Split

SPLIT_WORD = 16
"""Bits of a word: a product of two fits every target's multiplier."""

SETTLING = 2
"""Steps between the last word of a quotient and the first that reads one, at least."""

_ONE, _ZERO = 0, 1
"""Addresses of constants."""

_MASK = (1 << SPLIT_WORD) - 1


def split_shift(words: int) -> int:
    """The m of `Split` for scalars of so many words of 32 bits: a word more than they have."""
    return 32 * words + SPLIT_WORD


@dataclass(frozen=True)
class SplitStep:
    """A product to be added.

    Attributes:
        word: address of the word.
        constant: address of the constant, by which it is multiplied.
        ends: whether this is the last product of a column.
        keeps: whether the column's lowest word is one of the number; else it is dropped.
        finishes: whether this is the last column of the number, after which the sum begins at 0.
    """

    word: int
    constant: int
    ends: bool = False
    keeps: bool = False
    finishes: bool = False


_Pairs = list[tuple[int, int]]
"""Addresses of words and of constants whose products make a column."""


class SplitProgram:
    """The steps, and the words and constants that they find.

    ``splits`` are those of each curve, None where scalars are not halved; ``words`` the words of 32
    bits of a scalar.

    Attributes:
        scalar: words of k.
        random: words of r1, and of r2.
        quotient: words of d1, and of d2.
        half: M, words of k1, and of k2.
    """

    def __init__(self, splits: Sequence[Split | None], words: int) -> None:
        self.splits = tuple(splits)
        own = [split for split in splits if split]
        self.scalar = 2 * words
        self.random = 2 * max(-(-split.random_bits // 32) for split in own)
        self.half = max(-(-split.served // SPLIT_WORD) for split in own)
        self._multiplier = max(
            -(-g.bit_length() // SPLIT_WORD) for split in own for g in split.multipliers
        )
        # (2^bits - 1) g / 2^m + r
        longest = [((1 << split.bits) - 1, (1 << split.random_bits) - 1, split) for split in own]
        largest = max(d for k, r, split in longest for d in split.quotients(k, (r, r)))
        self.quotient = min(-(-largest.bit_length() // SPLIT_WORD), self.half)

    @property
    def given(self) -> int:
        """Words of the memory that are there before the first step: one, k, r1, r2."""
        return 1 + self.scalar + 2 * self.random

    @property
    def memory(self) -> int:
        """Words of the memory; d1 and d2 come after those that are given."""
        return self.given + 2 * self.quotient

    @property
    def shift(self) -> int:
        """Columns of d1 and d2 that are dropped."""
        return self.scalar + 1

    @property
    def longest(self) -> int:
        """The most products of a column, and what is left of the one before it, as products."""
        longest = length = 0
        for step in self.steps:
            length += 1
            longest, length = max(longest, length), 0 if step.ends else length
        return longest + 1

    def constants(self, split: Split | None) -> list[int]:
        """The constants of a curve; zeros where scalars are not halved."""
        if split is None:
            return [0] * (2 + 2 * self._multiplier + 6 * self.half)
        (a1, b1), (a2, b2) = split.endomorphism.basis
        u, v = split.offset
        numbers = [(1, 2), *((g, self._multiplier) for g in split.multipliers)]
        numbers += [(number, self.half) for number in (-a1, -a2, u, -b1, -b2, v)]
        return [number >> SPLIT_WORD * i & _MASK for number, count in numbers for i in range(count)]

    @cached_property
    def steps(self) -> tuple[SplitStep, ...]:
        """All steps, one after another."""
        return tuple(self._steps())

    def _steps(self) -> Iterator[SplitStep]:
        for index in range(2):
            yield from _columns(self._quotient_pairs(index), self.shift)
        yield from [SplitStep(0, _ZERO)] * SETTLING
        for index in range(2):
            yield from _columns(self._half_pairs(index), 0)

    def _quotient_pairs(self, index: int) -> list[_Pairs]:
        """The columns of k g + 2^m r: those of d1 or d2 above ones that are dropped."""
        columns: list[_Pairs] = [[] for _ in range(self.shift + self.quotient)]
        multiplier = 2 + index * self._multiplier
        random = 1 + self.scalar + index * self.random
        for i, j in product(range(self.scalar), range(self._multiplier)):
            if i + j < len(columns):
                columns[i + j].append((1 + i, multiplier + j))
        for i in range(min(self.random, self.quotient)):
            columns[self.shift + i].append((random + i, _ONE))
        return columns

    def _half_pairs(self, index: int) -> list[_Pairs]:
        """The columns of k - d1 a1 - d2 a2 + u, or of - d1 b1 - d2 b2 + v."""
        columns: list[_Pairs] = [[] for _ in range(self.half)]
        vector = 2 + 2 * self._multiplier + 3 * index * self.half
        for part, j in product(range(2), range(self.half)):
            quotient = self.given + part * self.quotient
            for i in range(min(self.quotient, self.half - j)):
                columns[i + j].append((quotient + i, vector + part * self.half + j))
        for j in range(self.half):
            columns[j].append((0, vector + 2 * self.half + j))
            if index == 0 and j < self.scalar:
                columns[j].append((1 + j, _ONE))
        return columns

    def run(self, curve: int, k: int, random: tuple[int, int] = (0, 0)) -> tuple[int, int]:
        """(k1, k2), by the steps, word for word what the hardware holds."""
        split = self.splits[curve]
        assert split is not None
        mask = (1 << split.random_bits) - 1
        numbers = [(1, 1), (k, self.scalar), *((r & mask, self.random) for r in random)]
        memory = [n >> SPLIT_WORD * i & _MASK for n, count in numbers for i in range(count)]
        constants, total = self.constants(split), 0
        for step in self.steps:
            total += memory[step.word] * constants[step.constant]
            if step.ends:
                if step.keeps:
                    memory.append(total & _MASK)
                total = 0 if step.finishes else total >> SPLIT_WORD
        words = memory[self.memory :]
        first, second = (
            sum(word << SPLIT_WORD * i for i, word in enumerate(own))
            for own in (words[: self.half], words[self.half :])
        )
        return first, second


def _columns(columns: Sequence[_Pairs], dropped: int) -> Iterator[SplitStep]:
    """The steps of a number; a column of nothing but what is left of others takes one, too."""
    for number, column in enumerate(columns):
        *others, last = column or [(0, _ZERO)]
        yield from (SplitStep(*pair) for pair in others)
        keeps, finishes = number >= dropped, number == len(columns) - 1
        yield SplitStep(*last, ends=True, keeps=keeps, finishes=finishes)
