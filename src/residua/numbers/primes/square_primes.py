"""Bulk search for primes P = d M_a^2 - c (SBMM section 4.3, ERRATA E8, E9).

M_a is the product of n / 2 coprime odd moduli 2^w - h. A unit of the search draws all of them but
one, with product Q, and sieves the last one (`residua.numbers.primes.square_sieve`). What is left
gets a strong test to the base 2. Units are numbered, and a unit's primes depend on nothing but the
search and that number, so that any number of processes, in any order, find the same primes.
"""

import random
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, islice
from math import gcd, isqrt, prod

import gmpy2
import numpy as np

from residua.errors import SpecificationError
from residua.numbers.bases import Base
from residua.numbers.moduli import Modulus, signed_digits
from residua.numbers.primes.position_primes import coprime, is_probable_prime
from residua.numbers.primes.square_sieve import survivors
from residua.numbers.selection.coprime import MOST_CHANNELS, WIDTHS, Style

Offsets = tuple[int, ...]
"""h of the moduli 2^w - h of base a, the smallest first."""

WIDEST_WINDOW = 1 << 16
"""The default of the largest h is below this, whatever w: more moduli help nobody."""

LARGEST_WINDOW = 1 << 24
"""Bound of the largest h: a sieve has half as many bytes."""

_SIEVE_LIMIT = 1 << 22
_SIEVE_SHARE = 8
"""Primes of the sieve are below this, and below the number of candidates times the bits of P over
the share: beyond, sieving takes longer than testing."""

_ONE_TEST = 256
"""Bits of P from which on it gets a strong test to the base 2 alone, and not one to 3 too.

A random number of k bits that passes one test to a random base is composite with a probability
below k^2 4^(2 - sqrt k) (Damgard, Landrock, Pomerance, Mathematics of Computation 61, 1993), in
fact far below. A prime that is to be used gets a proof; most of thousands never are.
"""

_COMBINATIONS = 256
"""Choices of given moduli that one unit tests."""

_DRAWS = 64
"""Draws for each modulus before the moduli drawn so far are given up."""


@dataclass(frozen=True)
class SquareForm:
    """d M_a^2 - c for any odd M_a: ``multiplier`` d from 1 to 255, ``offset`` |c| below 256.

    Raises:
        SpecificationError: no M_a, or no odd one, makes this prime.
    """

    multiplier: int = 1
    offset: int = 2

    def __post_init__(self) -> None:
        d, c = self.multiplier, self.offset
        if not 1 <= d < 256:
            raise SpecificationError(f"d = {d}: P = d M_a^2 - c needs a small d, 1 to 255")
        if c == 0 or abs(c) >= 256:
            raise SpecificationError(
                f"c = {c}: P = d M_a^2 - c needs a small c, -255 to 255 and not 0"
            )
        if (d + c) % 2 == 0:
            raise SpecificationError(
                f"c + d = {c + d} is even: M_a is odd, so that {self} would be even and no prime; "
                "c + d has to be odd, as with c = 2, d = 1"
            )
        common = gcd(d, c)
        if common > 1:
            raise SpecificationError(f"{self} is never prime: d and c share the factor {common}")
        if c > 0 and isqrt(d * c) ** 2 == d * c:
            raise SpecificationError(
                f"{self} is never prime: d c = {d * c} is a square, so that it has two factors"
            )

    def value(self, product: int) -> int:
        """P for M_a = ``product``."""
        return self.multiplier * product * product - self.offset

    def extra_bits(self) -> int:
        """Bits of P beyond the n w of M_a^2."""
        return (self.multiplier - 1).bit_length()

    def __str__(self) -> str:
        d = "" if self.multiplier == 1 else f"{self.multiplier} "
        return f"{d}M_a^2 {'-' if self.offset > 0 else '+'} {abs(self.offset)}"


@dataclass(frozen=True)
class SquarePrime:
    """A prime ``form`` of M_a, the product of ``base``."""

    form: SquareForm
    base: Base

    @property
    def value(self) -> int:
        """P."""
        return self.form.value(self.base.product)


@dataclass(frozen=True)
class SquarePrimeSearch:
    """Search for primes of one form and size.

    Attributes:
        form: d and c.
        width: w, bits of a modulus, 8 to 64.
        channels: n, even: the moduli of both half-bases; base a has n / 2 of them.
        style: ``any`` odd h, or ``sparse``: h of at most ``weight`` signed digits.
        weight: the limit for ``sparse``, at least 1.
        largest: the largest h; by default the largest below 2^(w // 2) and 2^16.
        seed: which primes are found first.
        moduli: choose base a from these moduli, instead of from all 2^w - h; in their order,
            whatever the seed.

    Raises:
        SpecificationError: something is out of range, or there are too few coprime moduli.
    """

    form: SquareForm
    width: int
    channels: int
    style: Style = "any"
    weight: int = 3
    largest: int | None = None
    seed: int = 0
    moduli: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        self._check_sizes()
        if self.moduli:
            self._check_moduli()
            return
        found = coprime(self.width, self._allowed)
        if found < self.half:
            raise SpecificationError(
                f"w = {self.width} is too small: it gives only {found} coprime odd moduli "
                f"{self._kind}, and base a needs n / 2 = {self.half}{self._first_width()}"
            )

    @property
    def half(self) -> int:
        """n / 2."""
        return self.channels // 2

    @property
    def bits(self) -> int:
        """Bits of P."""
        return self.channels * self.width + self.form.extra_bits()

    @property
    def limit(self) -> int:
        """The largest h that is drawn."""
        return self.largest or min(1 << self.width // 2, WIDEST_WINDOW) - 1

    @property
    def candidates(self) -> int:
        """Number of h that a modulus may have."""
        return len(self.moduli) or len(self._allowed)

    def prime(self, offsets: Offsets) -> SquarePrime:
        """The prime that `unit` has found at these offsets."""
        return SquarePrime(self.form, Base(tuple(Modulus(self.width, h) for h in offsets)))

    def unit(self, index: int) -> list[Offsets] | None:
        """The primes of unit ``index`` >= 0 in a fixed order; None if there is no such unit.

        All of them pass a strong test to the base 2, and one to 3 below 256 bits, which is no
        proof. Units may have primes in common.
        """
        if self.moduli:
            return self._unit_of_choices(index)
        if self.half == 1 and index:
            return None
        drawn = self._drawn(random.Random(f"{self.seed}/{index}"))
        if drawn is None:
            return []
        factor = prod((1 << self.width) - h for h in drawn)
        found = []
        power, shared = gmpy2.mpz(1 << self.width), gmpy2.mpz(factor)
        for last in self._survivors(factor):
            modulus = power - last
            if gmpy2.gcd(modulus, shared) == 1 and _passes(self.form.value(shared * modulus)):
                found.append(tuple(sorted((*drawn, last))))
        return found

    def _unit_of_choices(self, index: int) -> list[Offsets] | None:
        choices = combinations(self.moduli, self.half)
        own = list(islice(choices, index * _COMBINATIONS, (index + 1) * _COMBINATIONS))
        if not own:
            return None
        found = []
        for choice in own:
            coprime = all(gcd(a, b) == 1 for a, b in combinations(choice, 2))
            if coprime and is_probable_prime(self.form.value(prod(choice))):
                found.append(tuple(sorted((1 << self.width) - value for value in choice)))
        return found

    def _drawn(self, generator: random.Random) -> list[int] | None:
        """h of all moduli of base a but one; None if the draw came to no end."""
        offsets: list[int] = []
        product = 1
        for _ in range(_DRAWS * self.half):
            if len(offsets) == self.half - 1:
                return offsets
            offset = generator.choice(self._allowed)
            value = (1 << self.width) - offset
            if gcd(value, product) == 1:
                offsets.append(offset)
                product *= value
        return offsets if len(offsets) == self.half - 1 else None

    def _survivors(self, factor: int) -> list[int]:
        """The h that the sieve leaves for M_a = factor (2^w - h)."""
        alive = survivors(
            self.form.multiplier, self.form.offset, self.width, factor,
            count=(self.limit + 1) // 2,
            limit=min(_SIEVE_LIMIT, max(64, len(self._allowed) * self.bits // _SIEVE_SHARE)),
        )  # fmt: skip
        if self.style == "any":
            return (2 * np.flatnonzero(alive) + 1).tolist()
        return [h for h in self._allowed if alive[h // 2]]

    @cached_property
    def _allowed(self) -> Sequence[int]:
        """The h that base a may have."""
        return _allowed(self.style, self.weight, self.limit)

    @property
    def _kind(self) -> str:
        sparse = f" of weight <= {self.weight}" if self.style == "sparse" else ""
        return f"2^{self.width} - h with h <= {self.limit}{sparse}"

    def _first_width(self) -> str:
        """The smallest width that has enough moduli, for a message."""
        for width in range(self.width + 1, WIDTHS.stop):
            limit = min(1 << width // 2, WIDEST_WINDOW) - 1
            if coprime(width, _allowed(self.style, self.weight, limit)) >= self.half:
                return f"; w = {width} has enough"
        return ""

    def _check_sizes(self) -> None:
        if self.width not in WIDTHS:
            raise SpecificationError(
                f"w = {self.width} is out of range: {WIDTHS[0]} to {WIDTHS[-1]} bits a modulus"
            )
        if not 2 <= self.channels <= 2 * MOST_CHANNELS or self.channels % 2:
            raise SpecificationError(
                f"n = {self.channels}: two half-bases have an even number of moduli, "
                f"2 to {2 * MOST_CHANNELS}"
            )
        if self.weight < 1:
            raise SpecificationError(f"the weight of h is at least 1, not {self.weight}")
        most = min(1 << self.width // 2, LARGEST_WINDOW) - 1
        if not 1 <= self.limit <= most:
            raise SpecificationError(f"the largest h is 1 to {most}, not {self.limit}")

    def _check_moduli(self) -> None:
        for value in self.moduli:
            modulus = Modulus.of_value(value, self.width)
            if value % 2 == 0:
                raise SpecificationError(f"modulus {modulus} is even: M_a has to be odd")
        if len(set(self.moduli)) < len(self.moduli):
            raise SpecificationError("a modulus is given twice")
        if len(self.moduli) < self.half:
            raise SpecificationError(
                f"base a needs n / 2 = {self.half} moduli, but only {len(self.moduli)} are given"
            )


def _passes(number: int) -> bool:
    return bool(
        gmpy2.is_strong_prp(number, 2)
        and (number.bit_length() >= _ONE_TEST or gmpy2.is_strong_prp(number, 3))
    )


def _allowed(style: Style, weight: int, limit: int) -> Sequence[int]:
    every = range(1, limit + 1, 2)
    if style == "any":
        return every
    return [h for h in every if len(signed_digits(h)) <= weight]
