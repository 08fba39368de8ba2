"""Operands of the verification of an engine: adversarial ones, cases, and an integer oracle."""

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product

from residua.algorithms.montgomery import MontgomeryDomain
from residua.algorithms.program import Program
from residua.numbers.cox import Cox
from residua.numbers.moduli import Modulus

MOST_CASES = 4096
"""Cases of one workload."""

CORE_ELEMENTS = 48
"""Adversarial elements of which every pair is a case."""

RANDOM_ELEMENTS = 256
"""Random elements that stay in a pool, and as many that results replace."""

EDGE_ELEMENTS = 4
"""Elements, and as many pairs, for each edge of each Cox sum."""

EDGE_TRIALS = 1 << 13
"""Random elements that the search for one edge looks at."""

Element = tuple[int, ...]
"""The residues of one operand: its vectors one after another."""

Vectors = Mapping[str, Sequence[int]]

Oracle = Callable[[Vectors, Vectors], str | None]
"""Judges one run by its inputs and outputs: None, or what is wrong."""


@dataclass(frozen=True)
class Pool:
    """Elements of one kind, and where a program takes and leaves such elements.

    ``fixed`` elements are kept, ``changing`` ones are replaced by results. ``operands`` names the
    program's input vectors that together hold one element, for each operand; ``results`` its
    outputs likewise.
    """

    fixed: tuple[Element, ...]
    changing: tuple[Element, ...]
    operands: tuple[tuple[str, ...], ...]
    results: tuple[tuple[str, ...], ...] = ()

    @property
    def elements(self) -> tuple[Element, ...]:
        """All elements, the fixed ones first."""
        return self.fixed + self.changing


@dataclass(frozen=True)
class Workload:
    """Operands of the verification of a program.

    ``cases`` are run first; each has the position of an element for every operand, in the order of
    ``pools`` and of their operands.
    """

    pools: tuple[Pool, ...]
    cases: tuple[tuple[int, ...], ...]
    oracle: Oracle

    @property
    def operands(self) -> list[tuple[int, tuple[str, ...]]]:
        """Pool and vectors of every operand."""
        return [(i, names) for i, pool in enumerate(self.pools) for names in pool.operands]

    @property
    def results(self) -> list[tuple[int, tuple[str, ...]]]:
        """Pool and vectors of every result that is an element again."""
        return [(i, names) for i, pool in enumerate(self.pools) for names in pool.results]


def montgomery_workload(program: Program, domain: MontgomeryDomain, seed: int) -> Workload:
    """The workload of one product of x and y; its outputs are those in base a and in base b."""
    codec = _Codec(program, domain)
    chooser = random.Random(seed)
    first, second = (value.name for value in program.outputs)
    edges = _Edges(codec, chooser)
    core = [codec.encode(number) for number in _core_numbers(domain)][:CORE_ELEMENTS]
    numbers = [*_fractions(domain), *edges.numbers()]
    fixed = [*core, *(codec.encode(number) for number in numbers)]
    fixed += [codec.encode(n, e) for n in _core_numbers(domain) for e in (max, min)]
    fixed += [codec.random(chooser) for _ in range(RANDOM_ELEMENTS)]
    pairs = list(product(range(len(core)), repeat=2))
    for x, y in edges.pairs():
        pairs.append((len(fixed), len(fixed) + 1))
        fixed += [x, y]
    while len(pairs) < MOST_CASES:
        pairs.append((chooser.randrange(len(fixed)), chooser.randrange(len(fixed))))
    # Whoever runs only the first cases gets a fair sample of them.
    chooser.shuffle(pairs)
    changing = tuple(codec.random(chooser) for _ in range(RANDOM_ELEMENTS))
    pool = Pool(tuple(fixed), changing, (("x_a", "x_b"), ("y_a", "y_b")), ((first, second),))
    return Workload((pool,), tuple(pairs), MontgomeryOracle(domain, first, second))


class MontgomeryOracle:
    """Plain integers: S = X Y M_a^-1 mod P, |S| <= B, and every residue of S is right."""

    def __init__(self, domain: MontgomeryDomain, output_a: str, output_b: str) -> None:
        self.domain, self.outputs = domain, (output_a, output_b)

    def __call__(self, inputs: Vectors, outputs: Vectors) -> str | None:
        """Judge one run; None if it is right."""
        domain = self.domain
        x = decode(domain, inputs["x_a"], inputs["x_b"])
        y = decode(domain, inputs["y_a"], inputs["y_b"])
        s = decode(domain, *(outputs[name] for name in self.outputs))
        if x is None or y is None:
            return f"the operands are no elements: {dict(inputs)}"
        if s is None:
            return f"the residues of {x} * {y} are of different numbers, or of one too large"
        if (s * domain.montgomery_factor - x * y) % domain.modulus:
            return f"{x} * {y} / M_a is not {s} modulo P"
        return None


def decode(domain: MontgomeryDomain, in_a: Sequence[int], in_b: Sequence[int]) -> int | None:
    """The integer within the bound that has these residues in both bases, or None."""
    product_b = domain.base_b.product
    number = 0
    for word, factor, modulus in zip(in_b, domain.factor_b, domain.base_b, strict=True):
        cofactor = product_b // modulus.value
        number += word * pow(factor * cofactor, -1, modulus.value) * cofactor
    number = (number + product_b // 2) % product_b - product_b // 2
    right = all(
        (number * factor - word) % modulus.value == 0
        for word, factor, modulus in zip(in_a, domain.factor_a, domain.base_a, strict=True)
    )
    low = 0 if domain.unsigned else -domain.bound
    return number if right and low <= number <= domain.bound else None


class _Codec:
    """Integers to elements of a domain."""

    def __init__(self, program: Program, domain: MontgomeryDomain) -> None:
        self.program, self.domain = program, domain

    def encode(self, number: int, extreme: Callable[[list[int]], int] | None = None) -> Element:
        """Residues as the program stores constants, or the ``extreme`` of all words that serve."""
        domain = self.domain
        places = [*zip(domain.base_a, domain.factor_a, strict=True)]
        places += zip(domain.base_b, domain.factor_b, strict=True)
        words = []
        for modulus, factor in places:
            word = self.program.representation.constant(modulus, number * factor)
            words.append(extreme(words_of(modulus, word)) if extreme else word)
        return tuple(words)

    def random(self, chooser: random.Random) -> Element:
        """A random element in random words."""
        low, high = (int(end) for end in (self.domain.range.low, self.domain.range.high))
        return self.encode(chooser.randint(low, high), chooser.choice)


def words_of(modulus: Modulus, word: int) -> list[int]:
    """All words of w + 1 signed bits that are congruent to ``word``."""
    limit, value = 1 << modulus.width, modulus.value
    return [w for w in range(word - 3 * value, word + 4 * value, value) if -limit <= w < limit]


def _core_numbers(domain: MontgomeryDomain) -> list[int]:
    """0, 1, P, the bound, R and their neighbours, as far as they are within the bound."""
    p, bound = domain.modulus, domain.bound
    one = domain.montgomery_factor % p
    centres = [0, bound, p, p // 2, bound // 2, one, domain.montgomery_factor**2 % p]
    numbers = [centre + step for centre in centres for step in (0, 1, -1, 2)]
    return _within(domain, [n for number in numbers for n in (number, -number)])


def _fractions(domain: MontgomeryDomain) -> list[int]:
    """Powers of two, multiples of P, and numbers next to fractions of M_a and M_b."""
    bound, width = domain.bound, domain.base_a.width
    powers = [1 << k for k in range(width // 2, bound.bit_length(), width // 2 + 1)]
    shares = [
        base.product * share // (1 << halvings)
        for base in (domain.base_a, domain.base_b)
        for halvings in range(base.product.bit_length())
        for share in (1, 3, 5, 7)
        if bound // 16 < base.product * share >> halvings <= bound
    ]
    near = [share + step for share in shares for step in (-1, 0, 1)]
    multiples = [k * domain.modulus for k in range(1, min(bound // domain.modulus, 8) + 1)]
    return _within(domain, [n for m in (*powers, *near, *multiples) for n in (m, -m)])


def _within(domain: MontgomeryDomain, numbers: list[int]) -> list[int]:
    """The elements among ``numbers``, each once."""
    low, high = domain.range.low, domain.range.high
    return [number for number in dict.fromkeys(numbers) if low <= number <= high]


@dataclass(frozen=True)
class _Edges:
    """Elements that put a Cox's sum at the limit of its truncation.

    At an edge the fraction bits of the sum are all clear or all set, so that one unit in the last
    place decides the quotient.
    """

    codec: _Codec
    chooser: random.Random

    def numbers(self) -> Iterator[int]:
        """Numbers whose own residues do so, in base a and in base b."""
        domain = self.codec.domain
        low, high = int(domain.range.low), int(domain.range.high)
        ones = (1,) * len(domain.base_b)
        for part, cox, weights in (
            (slice(None, len(domain.base_a)), domain.first, domain.weights),
            (slice(len(domain.base_a), None), domain.second, ones),
        ):
            wanted = _wanted(cox)
            for _ in range(EDGE_TRIALS):
                number = self.chooser.randint(low, high)
                words = self.codec.encode(number)[part]
                if _take(wanted, _fraction(cox, words, weights, domain.base_a.width)):
                    yield number
                if not any(wanted.values()):
                    break

    def pairs(self) -> Iterator[tuple[Element, Element]]:
        """Pairs whose product in base a does so, where it is the source of the first extension."""
        if self.codec.domain.form != "quadratic":
            return
        domain, reduce = self.codec.domain, self.codec.program.representation.reduce
        wanted = _wanted(domain.first)
        x = self.codec.random(self.chooser)
        for _ in range(EDGE_TRIALS):
            y = self.codec.random(self.chooser)
            words = [reduce(m, u * v) for m, u, v in zip(domain.base_a, x, y)]  # noqa: B905
            if _take(wanted, _fraction(domain.first, words, domain.weights, domain.base_a.width)):
                yield x, y
            if not any(wanted.values()):
                break
            x = y


def _wanted(cox: Cox) -> dict[int, int]:
    """Numbers of elements of each edge that are still to be found."""
    return {0: EDGE_ELEMENTS, (1 << cox.truncation) - 1: EDGE_ELEMENTS}


def _take(wanted: dict[int, int], fraction: int) -> bool:
    if not wanted.get(fraction):
        return False
    wanted[fraction] -= 1
    return True


def _fraction(cox: Cox, words: Sequence[int], weights: Sequence[int], width: int) -> int:
    """The fraction bits of the Cox's sum for the words of a source."""
    total = cox.start + sum(g * cox.leading(w, width) for w, g in zip(words, weights, strict=True))
    return total % (1 << cox.truncation)
