"""Verification of a base extension: operands at the ends of its exact range, and an oracle.

Results are residues again and become operands: as words of base a they stand for anything modulo
M_a, so that numbers outside the exact range are extended, too.
"""

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from residua.algorithms.program import Program
from residua.cores.base_extension.core import ExtensionDomain
from residua.cores.simulation.workload import (
    RANDOM_ELEMENTS,
    Element,
    Pool,
    Vectors,
    Workload,
    words_of,
)
from residua.numbers.cox import row_multipliers

QUOTIENT_ELEMENTS = 8
"""Random elements for each number of cofactor residues that are as large as they can be."""

ROW_TRIALS = 64
"""Random rows of which the one is taken that loses the most, or the least, by truncation."""

END_ELEMENTS = 32
"""Elements at each end of the exact range whose Cox errs as much as it can, or not at all."""

NEIGHBOURS = 4
"""Numbers next to each number of interest, on either side."""


def extension_workload(program: Program, domain: ExtensionDomain, seed: int) -> Workload:
    """The workload of one extension, from the program's input to its output."""
    chooser = random.Random(seed)
    numbers = [*_numbers(domain), *_quotients(domain, chooser), *_ends(domain, chooser)]
    fixed = [encode(domain, number) for number in dict.fromkeys(numbers)]
    fixed += [_spread(domain, element, chooser) for element in fixed]
    fixed += [_random(domain, chooser) for _ in range(RANDOM_ELEMENTS)]
    cases = [(index,) for index in range(len(fixed))]
    # Whoever runs only the first cases gets a fair sample of them.
    chooser.shuffle(cases)
    changing = tuple(_random(domain, chooser) for _ in range(RANDOM_ELEMENTS))
    (source,), (result,) = program.inputs, program.outputs
    pool = Pool(tuple(fixed), changing, ((source.name,),), ((result.name,),))
    oracle = ExtensionOracle(domain, source.name, result.name)
    return Workload((pool,), tuple(cases), oracle)


@dataclass(frozen=True)
class ExtensionOracle:
    """Plain integers: X comes out where the extension is exact, else X plus a multiple of M_a."""

    domain: ExtensionDomain
    source: str
    result: str

    def __call__(self, inputs: Vectors, outputs: Vectors) -> str | None:
        """Judge one run; None if it is right."""
        number = decode(self.domain, inputs[self.source])
        words, limit = outputs[self.result], 1 << self.domain.base_b.width
        if any(not -limit <= word < limit for word in words):
            return f"a word of {list(words)} has more than {self.domain.base_b.width + 1} bits"
        if any(self._agrees(value, words) for value in self._allowed(number)):
            return None
        return f"{number} comes out as {list(words)}, not as residues of it"

    def _allowed(self, number: int) -> Iterator[int]:
        """The integers that may come out for this X."""
        if self.domain.cox is not None:
            low, high = self.domain.exact
            if low <= number <= high:
                yield number
                return
        low, high = self.domain.possible
        total = self.domain.base_a.product
        yield from range(number + -((number - low) // total) * total, high + 1, total)

    def _agrees(self, value: int, words: Sequence[int]) -> bool:
        pairs = zip(words, self.domain.base_b, strict=True)
        return all((value - word) % modulus.value == 0 for word, modulus in pairs)


def encode(domain: ExtensionDomain, number: int) -> Element:
    """The centred residues of a number in base a."""
    return tuple(modulus.centre(number) for modulus in domain.base_a)


def decode(domain: ExtensionDomain, words: Sequence[int]) -> int:
    """The number of these words: the one in the exact range, else in [0, M_a)."""
    number, (low, high) = domain.base_a.integer(words), domain.exact
    total = domain.base_a.product
    shifted = low + (number - low) % total
    return shifted if shifted <= high else number


def _numbers(domain: ExtensionDomain) -> Iterator[int]:
    """Zero, the ends of the exact range, fractions of M_a, powers of two; with neighbours."""
    total, width = domain.base_a.product, domain.base_a.width
    centres = [0, *domain.exact, total, -total, total // 2, -(total // 2)]
    centres += [total >> shift for shift in range(1, total.bit_length(), max(width // 3, 1))]
    centres += [modulus.value for modulus in (*domain.base_a, *domain.base_b)]
    for centre in centres:
        for step in range(-NEIGHBOURS, NEIGHBOURS + 1):
            yield centre + step
    for place in range(0, total.bit_length(), max(width // 2, 1)):
        yield 1 << place
        yield -(1 << place)


def _quotients(domain: ExtensionDomain, chooser: random.Random) -> Iterator[int]:
    """Numbers whose quotients take every value: the first k cofactor residues as large as can be.

    The others are zero or random.
    """
    base, largest = domain.base_a, [modulus.value - 1 for modulus in domain.base_a]
    for filled in range(len(base) + 1):
        yield _of_cofactors(domain, [*largest[:filled], *[0] * (len(base) - filled)])
        for _ in range(QUOTIENT_ELEMENTS):
            rest = [chooser.randrange(modulus.value) for modulus in base.moduli[filled:]]
            mixed = [*largest[:filled], *rest]
            chooser.shuffle(mixed)
            yield _of_cofactors(domain, mixed)


def _ends(domain: ExtensionDomain, chooser: random.Random) -> Iterator[int]:
    """Numbers next to the ends of the exact range whose truncation loses the most or the least."""
    if domain.cox is None:
        return
    base, columns, total = domain.base_a, domain.columns, domain.base_a.product
    moduli, length = list(base), max(domain.columns, 1)
    multipliers = row_multipliers(base, (1,) * len(base), columns)
    kept = max(columns * base.width - domain.cox.truncation, 0)

    def lost(words: Sequence[int], first: int) -> int:
        pairs = zip(words, multipliers[first : first + length], strict=True)
        return sum(word * multiplier for word, multiplier in pairs) & ((1 << kept) - 1)

    def row(first: int, *, most: bool) -> list[int]:
        own = moduli[first : first + length]
        trials = [[chooser.randrange(m.value) for m in own] for _ in range(ROW_TRIALS)]
        return (max if most else min)(trials, key=lambda words: lost(words, first))

    for end in domain.exact:
        for number in range(END_ELEMENTS):
            words = [
                word
                for first in range(0, len(base), length)
                for word in row(first, most=bool(number % 2))
            ]
            # Whole steps of the last cofactor bring the number next to the end, within M / m_n.
            found = _of_cofactors(domain, words)
            cofactor = base.cofactors[-1]
            steps = (end - found) % total // cofactor
            yield from (found + (steps + more) * cofactor for more in (-1, 0, 1))


def _of_cofactors(domain: ExtensionDomain, cofactors: Sequence[int]) -> int:
    """The number X with these xi_i = |X / M_i|, modulo M_a."""
    base = domain.base_a
    return sum(x * m for x, m in zip(cofactors, base.cofactors, strict=True)) % base.product


def _spread(domain: ExtensionDomain, element: Element, chooser: random.Random) -> Element:
    """Other words of the same number, the extreme ones as a rule."""
    words = []
    for modulus, word in zip(domain.base_a, element, strict=True):
        found = words_of(modulus, word)
        words.append(chooser.choice((found[0], found[-1], chooser.choice(found))))
    return tuple(words)


def _random(domain: ExtensionDomain, chooser: random.Random) -> Element:
    """A random number of the exact range in random words."""
    return _spread(domain, encode(domain, chooser.randint(*domain.exact)), chooser)
