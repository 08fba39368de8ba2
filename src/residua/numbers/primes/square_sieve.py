"""The sieve for primes P = d M_a^2 - c with one modulus 2^w - h of M_a open.

Q being the product of the others, a prime p divides d (Q m)^2 - c just for the m = +-s / Q modulo
p, s^2 = c / d. So with i = (h - 1) / 2 it strikes every p-th i from each of two places on.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from math import isqrt

import numpy as np
from numpy.typing import NDArray

from residua.numbers.primes.prime_fields import Integers, PrimeFields, Residues

_SLICED = 64
_STRIKES = 128
"""A prime below the first, or that strikes more often than the second, does so by a slice; others
all together."""

_BLOCK = 1 << 14
"""Primes that are worked on together: the few arrays in use fit into a core's cache."""


@dataclass(frozen=True)
class _Block:
    """Some of the primes that strike.

    Attributes:
        fields: modulo these primes.
        middle: (2^w - 1) / 2.
        reach: s / 2, to be divided by Q: how far from the middle a prime strikes on either side.
    """

    fields: PrimeFields
    middle: Residues
    reach: Residues


def survivors(
    multiplier: int, offset: int, width: int, factor: int, *, count: int, limit: int
) -> NDArray[np.bool_]:
    """Sieve M_a = factor (2^width - 2 i - 1) by odd primes below ``limit``.

    Out is each P that such a prime divides. A prime that divides Q and could divide another P rules
    out the moduli that it divides, as they have to be coprime to Q.

    Args:
        multiplier: d, at least 1.
        offset: c, coprime to d.
        width: w.
        factor: Q, odd.
        count: how many i from 0 on.
        limit: at most `prime_fields.LARGEST_PRIME`.
    """
    alive = np.ones(count, dtype=np.bool_)
    for block in _blocks(multiplier, offset, width, limit):
        residues = block.fields.residues(factor)
        if np.any((residues == 0) & (block.reach == 0)):
            return np.zeros(count, dtype=np.bool_)
        # Of a prime that divides Q the reach is 0: it strikes the moduli that it divides.
        reach = block.fields.reduced(block.reach * block.fields.inverses(residues))
        for place in (block.middle - reach, block.middle + reach):
            _strike(alive, block.fields.non_negative(place), block.fields.primes)
    return alive


def _strike(alive: NDArray[np.bool_], first: Residues, steps: Integers) -> None:
    """Clear first, first + step, first + 2 step, ... for every step; they ascend."""
    small = int(np.searchsorted(steps, max(_SLICED, len(alive) // _STRIKES)))
    for start, step in zip(first[:small].tolist(), steps[:small].tolist(), strict=True):
        alive[int(start) :: step] = False
    within = small + np.flatnonzero(first[small:] < len(alive))
    places, steps = first[within].astype(np.int64), steps[within]
    while len(places):
        alive[places] = False
        places = places + steps
        within = np.flatnonzero(places < len(alive))
        places, steps = places[within], steps[within]


@cache
def _blocks(multiplier: int, offset: int, width: int, limit: int) -> list[_Block]:
    """The primes below ``limit`` that can divide d M_a^2 - c.

    Primes that divide d divide no P, as c is coprime to d.
    """
    return list(_made(multiplier, offset, width, _odd_primes(limit)))


def _made(multiplier: int, offset: int, width: int, primes: Integers) -> Iterator[_Block]:
    for start in range(0, len(primes), _BLOCK):
        part = primes[start : start + _BLOCK]
        fields = PrimeFields(part[multiplier % part != 0])
        squares = fields.reduced(
            fields.residues(offset) * fields.inverses(fields.residues(multiplier))
        )
        fields, roots = fields.square_roots(squares)
        half = fields.inverses(fields.residues(2))
        middle = fields.reduced(half * fields.residues((1 << width) - 1))
        yield _Block(fields, middle, fields.reduced(half * roots))


def _odd_primes(limit: int) -> Integers:
    """The odd primes below ``limit``."""
    prime = np.ones(limit // 2, dtype=np.bool_)
    prime[0] = False
    for index in range(1, (isqrt(limit) + 1) // 2):
        # 2 index + 1, from its square on.
        prime[2 * index * (index + 1) :: 2 * index + 1] = False
    return 2 * np.flatnonzero(prime) + 1
