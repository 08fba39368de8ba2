"""Verification of an SBMM core: K and R at the ends of their ranges, and plain integers.

The cases have what the errata of the paper warn of: the elements 0 and 1 and others whose K or R is
next to 0, to multiples of M_a and to the Cox's error above them (quotients of -1), operands as
large as can be. A core with Compress takes its results for operands, one after another.
"""

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product

from residua.algorithms.position_residue import PositionResidueDomain
from residua.algorithms.program import Program
from residua.algorithms.single_base import outputs
from residua.algorithms.terms import Residues
from residua.cores.simulation.workload import (
    CORE_ELEMENTS,
    MOST_CASES,
    RANDOM_ELEMENTS,
    Element,
    Pool,
    Vectors,
    Workload,
    words_of,
)
from residua.numbers.cox import deviation, redundant_ranges

_PARTS = ("0_a", "0_b", "1_a", "1_b")
"""Vectors of an element: R and K in both bases."""

_DEEP = 12
"""Halvings of M_a near which K and R are tried."""

_AT_END = 1 / 8
"""Share of the random K and R at an end of their range."""

_FIRST = 50
"""Pairs of binary operands of interest, and as many whose products are."""

Pair = tuple[int, int]
"""R and K."""


def single_base_workload(program: Program, domain: PositionResidueDomain, seed: int) -> Workload:
    """The workload of one product of x and y with the results of `single_base.product_program`."""
    codec = _Codec(program, domain)
    chooser = random.Random(seed)
    others = list(codec.others())
    chooser.shuffle(others)
    core = [*codec.ends(), *others]
    fixed = [codec.encode(pair) for pair in core]
    fixed += [codec.encode(pair, extreme) for pair in core for extreme in (max, min)]
    fixed += [codec.random(chooser) for _ in range(RANDOM_ELEMENTS)]
    cases = list(product(range(min(len(core), CORE_ELEMENTS)), repeat=2))
    while len(cases) < MOST_CASES:
        cases.append((chooser.randrange(len(fixed)), chooser.randrange(len(fixed))))
    # Whoever runs only the first cases gets a fair sample of them.
    chooser.shuffle(cases)
    results = outputs(program)
    closed = all(
        part.range.within(interval)
        for parts, interval in zip(results, codec.ranges, strict=True)
        for part in parts
    )
    changing = tuple(codec.random(chooser) for _ in range(RANDOM_ELEMENTS)) if closed else ()
    operands = tuple(tuple(f"{name}{part}" for part in _PARTS) for name in "xy")
    again = (tuple(part.name for parts in results for part in parts),) if closed else ()
    pool = Pool(tuple(fixed), changing, operands, again)
    return Workload((pool,), tuple(cases), SingleBaseOracle(program, domain))


@dataclass(frozen=True)
class SingleBaseOracle:
    """Plain integers: Z = X Y mod P, K and R within their ranges, every residue of them right."""

    program: Program
    domain: PositionResidueDomain

    def __call__(self, inputs: Vectors, outputs: Vectors) -> str | None:
        """Judge one run; None if it is right."""
        sources = [v for v in self.program.inputs if isinstance(v, Residues)]
        vectors = {v.name: v for v in (*sources, *self.program.outputs)}

        def number(words: Vectors, names: Sequence[str]) -> int | str:
            pair = []
            for parts in (names[:2], names[2:]):
                found = decode([vectors[p] for p in parts], [words[p] for p in parts])
                if found is None:
                    return f"the words of {' and '.join(parts)} are of no number in its range"
                pair.append(found)
            return self.domain.number(pair)

        operands = [number(inputs, [f"{name}{part}" for part in _PARTS]) for name in "xy"]
        result = number(outputs, [value.name for value in self.program.outputs])
        for each in (*operands, result):
            if isinstance(each, str):
                return each
        x, y = operands
        assert isinstance(x, int)
        assert isinstance(y, int)
        if result != x * y % self.domain.modulus:
            return f"{x} * {y} is not {result} modulo P"
        return None


def decode(vectors: Sequence[Residues], words: Sequence[Sequence[int]]) -> int | None:
    """The integer within the range of vectors over base a and base b with these words, or None."""
    total, number = 1, 0
    for vector, own in zip(vectors, words, strict=True):
        if any(
            not low <= word <= high
            for word, (low, high) in zip(own, redundant_ranges(vector.base), strict=True)
        ):
            return None
        unscaled = [
            word * pow(factor, -1, modulus.value)
            for word, factor, modulus in zip(own, vector.factor, vector.base, strict=True)
        ]
        product, found = vector.base.product, vector.base.integer(unscaled)
        number += total * ((found - number) * pow(total, -1, product) % product)
        total *= product
    low = int(vectors[0].range.low)
    number = low + (number - low) % total
    return number if number <= vectors[0].range.high else None


class _Codec:
    """Pairs (R, K) to elements of a program."""

    def __init__(self, program: Program, domain: PositionResidueDomain) -> None:
        self.program, self.domain = program, domain
        self.vectors = [v for v in program.inputs if isinstance(v, Residues)][: len(_PARTS)]
        self.ranges = [self.vectors[0].range, self.vectors[2].range]

    def encode(self, pair: Pair, choose: Callable[[list[int]], int] | None = None) -> Element:
        """Residues as the program stores constants, or those that are chosen among all words."""
        words: list[int] = []
        for position, vector in enumerate(self.vectors):
            limits = redundant_ranges(vector.base)
            for modulus, factor, (low, high) in zip(
                vector.base, vector.factor, limits, strict=True
            ):
                word = modulus.centre(pair[position // 2] * factor)
                serving = [w for w in words_of(modulus, word) if low <= w <= high]
                words.append(choose(serving) if choose else word)
        return tuple(words)

    def random(self, chooser: random.Random) -> Element:
        """A random element, at an end of its range now and then, in random words."""
        pair = [
            chooser.choice((int(r.low), int(r.high)))
            if chooser.random() < _AT_END
            else chooser.randint(int(r.low), int(r.high))
            for r in self.ranges
        ]
        return self.encode((pair[0], pair[1]), chooser.choice)

    def ends(self) -> Iterator[Pair]:
        """The elements 0, 1, -1 and the like, the smallest and the largest R with each such K."""
        for number in (0, 1, 2, -1, self.domain.modulus - 2, self.domain.modulus // 2):
            low, high = self.domain.digits(number)
            yield self._within(low, high)
        ends = [(int(r.low), int(r.high)) for r in self.ranges]
        for low in (*ends[0], 0, 1, -1):
            for high in (*ends[1], 0, 1, -1):
                yield low, high

    def others(self) -> Iterator[Pair]:
        """Pairs of the other numbers of interest."""
        for pair in _edges(self.domain):
            yield self._within(*pair)

    def _within(self, low: int, high: int) -> Pair:
        """The nearest pair within the ranges."""
        pair = [
            min(max(value, int(r.low)), int(r.high))
            for value, r in zip((low, high), self.ranges, strict=True)
        ]
        return pair[0], pair[1]


def word_pairs(domain: PositionResidueDomain) -> list[tuple[int, int]]:
    """Binary operands whose K or R is one of interest, and some whose product has such ones."""
    chooser = random.Random(0)
    numbers = list(dict.fromkeys(domain.number(pair) for pair in _edges(domain)))
    operands = [chooser.choices(numbers, k=2) for _ in range(_FIRST)]
    products = []
    for number in chooser.choices(numbers, k=_FIRST):
        x = chooser.randrange(1, domain.modulus)
        products.append((x, number * pow(x, -1, domain.modulus) % domain.modulus))
    return [*((x, y) for x, y in operands), *products]


def _edges(domain: PositionResidueDomain) -> Iterator[Pair]:
    """Pairs of numbers next to multiples and fractions of M_a, or to the Cox's error above both."""
    radix = domain.split.base_a.product
    ranges = redundant_ranges(domain.split.base_a)
    error = deviation(domain.split.base_a, domain.split.first, ranges)
    steps = [int(part * radix) for part in (error.under, error.over)]
    centres = [radix * turn // 2 for turn in range(-5, 6)]
    centres += [c + sign * step for c in centres for step in steps for sign in (1, -1)]
    centres += [radix >> shift for shift in range(2, _DEEP)]
    for number in (centre + step for centre in centres for step in (-1, 0, 1)):
        yield from ((number, 0), (0, number), (number, number), (number, -number))
