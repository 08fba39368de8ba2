"""Bulk search for primes P = d M_a^2 - c (SBMM section 4.3, ERRATA E8, E9).

M_a is the product of n / 2 coprime odd moduli 2^w - h. A unit of the search draws all of them but
one, with product Q, and sieves the last one: a small prime p divides d (Q m)^2 - c just for the
m = +-s / Q modulo p, s^2 = c / d. What is left gets strong tests to the bases 2 and 3. Units are
numbered, and a unit's primes depend on nothing but the search and that number, so that any number
of processes, in any order, find the same primes.
"""

import random
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import combinations, islice
from math import gcd, isqrt, prod
from typing import Any

import gmpy2
import numpy as np
from numpy.typing import NDArray

from residua.errors import SpecificationError
from residua.numbers.bases import Base
from residua.numbers.moduli import Modulus, signed_digits
from residua.numbers.position_primes import is_probable_prime
from residua.numbers.search import MOST_CHANNELS, WIDTHS, Style

Vector = NDArray[np.int64]

Offsets = tuple[int, ...]
"""h of the moduli 2^w - h of base a, the smallest first."""

WIDEST_WINDOW = 1 << 16
"""The default of the largest h is below this, whatever w: more moduli help nobody."""

LARGEST_WINDOW = 1 << 24
"""What the largest h stays below: a sieve has half as many bytes."""

_SIEVE_LIMIT = 1 << 20
_SIEVE_SHARE = 32
"""Primes of the sieve are below this, and this many times as many as it has candidates: beyond,
sieving takes longer than testing."""

_TEST_BASES = (2, 3)
"""Of the strong tests. A prime that is to be used gets a proof; most of thousands never are."""

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
    """Which primes are searched for.

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
        found = _coprime(self.width, self._allowed)
        if found < self.half:
            raise SpecificationError(
                f"w = {self.width} is too small: it gives only {found} coprime odd moduli "
                f"{self._kind}, and base a needs n / 2 = {self.half}; a wider w has more"
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
        """How many h a modulus may have."""
        return len(self.moduli) or len(self._allowed)

    def prime(self, offsets: Offsets) -> SquarePrime:
        """The prime that `unit` has found at these offsets."""
        return SquarePrime(self.form, Base(tuple(Modulus(self.width, h) for h in offsets)))

    def unit(self, index: int) -> list[Offsets] | None:
        """The primes of unit ``index`` >= 0 in a fixed order; None if there is no such unit.

        All of them pass strong tests to the bases 2 and 3, which is no proof. Units may have primes
        in common.
        """
        if self.moduli:
            return self._unit_of_choices(index)
        if self.half == 1 and index:
            return None
        drawn = self._drawn(random.Random(f"{self.seed}/{index}"))
        if drawn is None:
            return []
        factor = prod((1 << self.width) - h for h in drawn)
        survivors, found = self._survivors(factor), []
        power, shared = gmpy2.mpz(1 << self.width), gmpy2.mpz(factor)
        for last in survivors:
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
        """The h for which no prime of the sieve divides P of M_a = factor (2^w - h)."""
        count, tested = (self.limit + 1) // 2, len(self._allowed)
        alive = _sieved(self.form, self.width, factor, count, tested)
        if self.style == "any":
            return [2 * int(index) + 1 for index in np.flatnonzero(alive)]
        return [h for h in self._allowed if alive[h // 2]]

    @cached_property
    def _allowed(self) -> Sequence[int]:
        """The h that base a may have."""
        return _allowed(self.style, self.weight, self.limit)

    @property
    def _kind(self) -> str:
        sparse = f" of weight <= {self.weight}" if self.style == "sparse" else ""
        return f"2^{self.width} - h with h <= {self.limit}{sparse}"

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
    one, other = _TEST_BASES
    return bool(gmpy2.is_strong_prp(number, one) and gmpy2.is_strong_prp(number, other))


def _allowed(style: Style, weight: int, limit: int) -> Sequence[int]:
    every = range(1, limit + 1, 2)
    if style == "any":
        return every
    return [h for h in every if len(signed_digits(h)) <= weight]


def _coprime(width: int, offsets: Sequence[int]) -> int:
    """How many coprime moduli 2^w - h there are, the smallest h first; not more than needed."""
    product, found = 1, 0
    for offset in offsets:
        value = (1 << width) - offset
        if gcd(value, product) == 1:
            product, found = product * value, found + 1
            if found == MOST_CHANNELS:
                break
    return found


def _sieved(
    form: SquareForm, width: int, factor: int, count: int, tested: int
) -> NDArray[np.bool_]:
    """Whether P of M_a = factor (2^w - 2 i - 1) has no factor in the sieve, for i < count.

    ``tested`` is how many of them matter.
    """
    limit = min(_SIEVE_LIMIT, max(64, _SIEVE_SHARE * tested))
    primes, roots = _roots(form.multiplier, form.offset, limit)
    alive = np.ones(count, dtype=np.bool_)
    residues = _residues(factor, primes)
    divides = residues == 0
    if np.any(divides & (roots == 0)):
        alive[:] = False
        return alive
    # h = 2^w - s / Q, and i = (h - 1) / 2, modulo each prime.
    kept = ~divides
    p, s = primes[kept], roots[kept]
    quotients = s * _powers(residues[kept], p - 2, p) % p
    half, power = (p + 1) // 2, _power_residues(width, p)
    for sign in (1, -1):
        _strike(alive, (power - 1 - sign * quotients) % p * half % p, p)
    return alive


def _strike(alive: NDArray[np.bool_], first: Vector, steps: Vector) -> None:
    """Clear first, first + step, first + 2 step, ... for every step."""
    small = int(np.searchsorted(steps, 256))
    for start, step in zip(first[:small].tolist(), steps[:small].tolist(), strict=True):
        alive[start::step] = False
    places, steps = first[small:], steps[small:]
    while len(places):
        within = places < len(alive)
        places, steps = places[within], steps[within]
        alive[places] = False
        places = places + steps


def _residues(number: int, primes: Vector) -> Vector:
    """``number`` modulo each prime, by Horner's rule on 32-bit digits."""
    total = np.zeros_like(primes)
    for shift in range((number.bit_length() - 1) // 32 * 32, -1, -32):
        total = ((total << 32) + ((number >> shift) & 0xFFFFFFFF)) % primes
    return total


def _power_residues(exponent: int, primes: Vector) -> Vector:
    return _residues(1 << exponent, primes)


def _powers(bases: Vector, exponents: Vector, primes: Vector) -> Vector:
    """bases ** exponents modulo primes, each with its own."""
    result, square, rest = np.ones_like(primes), bases % primes, exponents.copy()
    while np.any(rest):
        result = np.where(rest & 1, result * square % primes, result)
        square = square * square % primes
        rest >>= 1
    return result


@cache
def _roots(multiplier: int, offset: int, limit: int) -> tuple[Vector, Vector]:
    """The odd primes up to ``limit`` that can divide d M_a^2 - c, and a root of c / d modulo each.

    Primes that divide d divide no P, as c is coprime to d.
    """
    primes = _odd_primes(limit)
    primes = primes[multiplier % primes != 0]
    inverses = _powers(multiplier % primes, primes - 2, primes)
    squares = offset % primes * inverses % primes
    residues = _powers(squares, (primes - 1) // 2, primes) != primes - 1
    primes, squares = primes[residues], squares[residues]
    return primes, _square_roots(squares, primes)


def _odd_primes(limit: int) -> Vector:
    """The odd primes below ``limit``."""
    prime = np.ones(limit // 2, dtype=np.bool_)
    prime[0] = False
    for index in range(1, (isqrt(limit) + 1) // 2):
        # 2 index + 1, from its square on.
        prime[2 * index * (index + 1) :: 2 * index + 1] = False
    return 2 * np.flatnonzero(prime) + 1


def _square_roots(squares: Vector, primes: Vector) -> Vector:
    """A square root modulo each prime (Cipolla), of residues that have one."""
    shift = np.zeros_like(primes)
    # Of 0 the root is 0 whatever the shift.
    left = np.flatnonzero(squares)
    while len(left):
        p = primes[left]
        plain = (shift[left] * shift[left] - squares[left]) % p
        left = left[_powers(plain, (p - 1) // 2, p) != p - 1]
        shift[left] += 1
    plain = (shift * shift - squares) % primes
    # (shift + sqrt(plain))^((p + 1) / 2) = real + imaginary sqrt(plain).
    result: list[Any] = [np.ones_like(primes), np.zeros_like(primes)]
    base: list[Any] = [shift % primes, np.ones_like(primes)]
    rest = (primes + 1) // 2
    while np.any(rest):
        odd = (rest & 1).astype(np.bool_)
        product = _complex_product(result, base, plain, primes)
        result = [np.where(odd, new, old) for new, old in zip(product, result, strict=True)]
        base = _complex_product(base, base, plain, primes)
        rest >>= 1
    return np.where(squares == 0, 0, result[0])


def _complex_product(x: list[Any], y: list[Any], plain: Vector, primes: Vector) -> list[Any]:
    """(x0 + x1 r) (y0 + y1 r) with r^2 = plain."""
    mixed = x[1] * y[1] % primes
    return [(x[0] * y[0] + mixed * plain) % primes, (x[0] * y[1] + x[1] * y[0]) % primes]
