"""Primes P = M_a^d - c, M_a the product of an RNS base (SBMM section 4.3; HBE [17], [27]).

M_a is drawn at random from products of coprime odd moduli 2^w - h, until M_a^d - c is prime. M_a is
odd, so that c has to be even, and t^d - c has to be irreducible as a polynomial: d = 2 and c = 2 is
the form of the SBMM paper (whose text once says M_a^2 + 2, ERRATA E8).
"""

import random
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from math import gcd

import gmpy2

from residua.errors import SpecificationError
from residua.numbers.bases import Base
from residua.numbers.moduli import Modulus
from residua.numbers.selection.coprime import MOST_CHANNELS, WIDTHS

SIEVE_LIMIT = 4096
"""Candidates with a prime factor below this are dropped before they are tested."""

_ROUNDS = 25
"""Miller-Rabin rounds of a test; gmpy2 adds a Baillie-PSW test."""

_DRAWS = 64
"""Draws for each modulus of a base before the base is given up."""

_CANDIDATES = 64
"""Candidates for each bit of P before the search is given up; a prime takes about bits / 8."""


@dataclass(frozen=True)
class PositionPrime:
    """A probable prime P = M_a^degree - offset, with the base that M_a is the product of.

    `residua.curves.primality_proof` proves it.
    """

    base: Base
    degree: int
    offset: int

    @property
    def value(self) -> int:
        """P."""
        power: int = self.base.product**self.degree
        return power - self.offset


def find_prime(
    bits: int,
    width: int,
    degree: int = 2,
    offset: int = 2,
    *,
    seed: int = 0,
    largest: int | None = None,
) -> PositionPrime:
    """The first prime of `primes`.

    Raises:
        SpecificationError: as `primes`.
    """
    return next(primes(bits, width, degree, offset, seed=seed, largest=largest))


def primes(
    bits: int,
    width: int,
    degree: int = 2,
    offset: int = 2,
    *,
    seed: int = 0,
    largest: int | None = None,
) -> Iterator[PositionPrime]:
    """Different probable primes P = M_a^d - c of ``bits`` bits; the same ones for the same seed.

    Args:
        bits: bits of P, a multiple of d * ``width``.
        width: w, bits of a modulus of base a, which gets bits / (d w) of them.
        degree: d, at least 2.
        offset: c, even, of either sign.
        seed: which primes are drawn.
        largest: the largest h of a modulus 2^w - h; 2^(w // 2) - 1 by default.

    Raises:
        SpecificationError: ``bits`` is no multiple of d w (the nearest ones are named), t^d - c has
            factors for every M_a, the width gives too few coprime moduli, or too few primes.
    """
    count = _channels(bits, width, degree)
    check_form(degree, offset)
    if offset % 2:
        raise SpecificationError(
            f"c = {offset} is odd: M_a is odd, so that M_a^{degree} - c would be even; "
            f"c = {offset - 1} or c = {offset + 1} works"
        )
    generator = random.Random(seed)
    seen: set[int] = set()
    tried = 0
    while tried < _CANDIDATES * bits:
        base = _random_base(generator, width, count, largest or (1 << (width // 2)) - 1)
        tried += 1
        candidate = base.product**degree - offset
        if base.product not in seen and is_probable_prime(candidate):
            seen.add(base.product)
            tried = 0
            yield PositionPrime(base, degree, offset)
    raise SpecificationError(
        f"after {len(seen)} primes, {tried} more choices of {count} moduli of w = {width} give no "
        f"other prime M_a^{degree} - {offset}; a wider w or another c has more"
    )


def check_form(degree: int, offset: int) -> None:
    """Refuse d and c for which M_a^d - c is no prime for any M_a.

    Raises:
        SpecificationError: d < 2, c = 0, or t^d - c has a factor as a polynomial.
    """
    if degree < 2:
        raise SpecificationError(f"the degree d of P = M_a^d - c is at least 2, not {degree}")
    if offset == 0:
        raise SpecificationError(f"c = 0: P = M_a^{degree} has the factor M_a")
    # t^d - c is irreducible unless c is a p-th power for a prime p | d, or -4 k^4 with 4 | d.
    for power in range(2, degree + 1):
        if degree % power == 0 and _is_power(offset, power):
            raise SpecificationError(
                f"t^{degree} - {offset} has a factor, as {offset} is a {power}-th power: "
                "P = M_a^d - c is never prime"
            )
    if degree % 4 == 0 and offset % 4 == 0 and _is_power(-offset // 4, 4):
        raise SpecificationError(
            f"t^{degree} + {-offset} has a factor, as {-offset} is 4 times a fourth power: "
            "P = M_a^d - c is never prime"
        )


def is_probable_prime(number: int) -> bool:
    """Whether ``number`` passes the sieve, Miller-Rabin and Baillie-PSW tests.

    Below 2^64 that is a proof.
    """
    if number > SIEVE_LIMIT**2 and gcd(number, _sieve()) > 1:
        return False
    return number > 1 and gmpy2.is_prime(number, _ROUNDS)


def nearest_base(
    width: int,
    channels: int,
    other: Base | None = None,
    *,
    odd: bool = False,
    weight: int | None = None,
) -> Base:
    """The coprime moduli 2^width - h of the smallest h >= 0, coprime to base ``other`` too.

    Only odd ones if ``odd``, only h of at most ``weight`` signed digits if that is given.

    Raises:
        SpecificationError: the width does not give so many.
    """
    found = nearest_moduli(width, channels, other, odd=odd, weight=weight)
    if len(found) == channels:
        return Base(tuple(found))
    kind = ("odd " if odd else "") + "moduli" + (f" of weight <= {weight}" if weight else "")
    also = " and to the other base" if other else ""
    raise SpecificationError(
        f"w = {width} gives only {len(found)} {kind} that are coprime to each other{also}; "
        f"{channels} are needed"
    )


def nearest_moduli(
    width: int,
    channels: int,
    other: Base | None = None,
    *,
    odd: bool = False,
    weight: int | None = None,
    signs: tuple[int, ...] = (1,),
) -> list[Modulus]:
    """Moduli for `nearest_base`, fewer if there are not so many.

    The h have one of ``signs``, of the same size in this order.
    """
    found: list[Modulus] = []
    product = other.product if other else 1
    for size in range(1 if odd else 0, 1 << (width // 2), 2 if odd else 1):
        for sign in signs:
            modulus = Modulus(width, sign * size)
            light = weight is None or modulus.weight <= weight
            if light and gcd(modulus.value, product) == 1:
                found.append(modulus)
                product *= modulus.value
            if len(found) == channels:
                return found
    return found


def _channels(bits: int, width: int, degree: int) -> int:
    """Number of moduli of M_a."""
    if degree < 2:
        raise SpecificationError(f"the degree d of P = M_a^d - c is at least 2, not {degree}")
    if width < 8:
        raise SpecificationError(f"moduli of w = {width} bits are too narrow; w is at least 8")
    step = degree * width
    count, rest = divmod(bits, step)
    if rest or not count:
        near = " or ".join(f"{each * step}" for each in (count, count + 1) if each)
        raise SpecificationError(
            f"P = M_a^{degree} - c with moduli of {width} bits has a multiple of "
            f"d * w = {step} bits, not {bits}; {near} bits work"
        )
    return count


def _random_base(generator: random.Random, width: int, count: int, largest: int) -> Base:
    """``count`` coprime moduli 2^w - h with random odd h up to ``largest``, the smallest h first.

    Raises:
        SpecificationError: there are not so many, as far as random draws can find them.
    """
    most = 0
    for _ in range(_DRAWS):
        offsets: list[int] = []
        product = 1
        for _ in range(_DRAWS * count):
            offset = 2 * generator.randrange((largest + 1) // 2) + 1
            if gcd((1 << width) - offset, product) == 1:
                offsets.append(offset)
                product *= (1 << width) - offset
            if len(offsets) == count:
                return Base(tuple(Modulus(width, h) for h in sorted(offsets)))
        most = max(most, len(offsets))
    raise SpecificationError(
        f"w = {width} gives only {most} pairwise coprime moduli 2^w - h with odd h <= {largest}, "
        f"and M_a needs {count}{_first_width(width, count)}"
    )


def _first_width(width: int, count: int) -> str:
    """The smallest width above ``width`` for an M_a of as many bits, for a message."""
    bits = width * count
    for wider in range(width + 1, WIDTHS.stop):
        if bits % wider == 0 and coprime(wider, range(1, 1 << wider // 2, 2)) >= bits // wider:
            return f"; w = {wider} works"
    return ""


def coprime(width: int, offsets: Iterable[int]) -> int:
    """Count coprime moduli 2^w - h, the first h first; not more than `MOST_CHANNELS`."""
    product, found = 1, 0
    for offset in offsets:
        value = (1 << width) - offset
        if gcd(value, product) == 1:
            product, found = product * value, found + 1
            if found == MOST_CHANNELS:
                break
    return found


@cache
def _sieve() -> int:
    """The product of the odd primes below the sieve's limit."""
    return int(gmpy2.primorial(SIEVE_LIMIT)) // 2


def _is_power(number: int, exponent: int) -> bool:
    """Whether ``number`` is the ``exponent``-th power of an integer."""
    if number < 0:
        return exponent % 2 == 1 and _is_power(-number, exponent)
    return bool(gmpy2.iroot(number, exponent)[1])
