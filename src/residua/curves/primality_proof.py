"""Proofs that a number is prime: the elliptic-curve method of Atkin, Goldwasser, Kilian and Morain.

If a curve modulo N has a point whose multiple by m / q is finite and by m is not, q being a prime
above (N^(1/4) + 1)^2, then N is prime: modulo a factor of N up to sqrt(N) the curve would have too
few points. So the proof of N is that of q, which is smaller, down to a q that division settles.
Curves with a known number of points m come from complex multiplication by small discriminants
(Atkin and Morain, Mathematics of Computation 61, 1993).

`residua.numbers.primes.certificates` checks what is made here, with code of its own.
"""

import random
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from math import gcd, isqrt

import gmpy2

from residua.curves.affine import multiply
from residua.curves.complex_multiplication import (
    LARGEST_CLASS_NUMBER,
    LARGEST_DISCRIMINANT,
    curve_of,
    discriminants,
    invariant,
    random_point,
    traces,
)
from residua.errors import SpecificationError
from residua.numbers.primes.certificates import SETTLED, Certificate, Step

_SMOOTH = 1 << 20
"""Primes below this are taken out of a number of points."""


@dataclass(frozen=True)
class _Descent:
    """N, a discriminant -D, a number of points m that it gives, and the large prime q of m."""

    number: int
    discriminant: int
    points: int
    factor: int


def prove(number: int) -> Certificate:
    """A certificate that ``number`` is prime; the same one every time.

    Takes seconds for 512 bits, a minute or so for 1024.

    Raises:
        SpecificationError: the number is composite, or no proof was found with the discriminants
            that are tried.
    """
    if number < 2 or not gmpy2.is_prime(number):
        raise SpecificationError(f"{number:#x} is composite: there is nothing to prove")
    descents = _descend(number)
    if descents is None:
        raise SpecificationError(
            f"no proof of {number:#x} was found with discriminants up to {LARGEST_DISCRIMINANT} "
            f"of class numbers up to {LARGEST_CLASS_NUMBER}; take another prime"
        )
    return Certificate(number, tuple(_step(each) for each in descents))


def _descend(number: int) -> list[_Descent] | None:
    """A chain of numbers of points down to a prime that division settles."""
    if number < SETTLED:
        return []
    for descent in _descents(number):
        rest = _descend(descent.factor)
        if rest is not None:
            return [descent, *rest]
    return None


def _descents(number: int) -> Iterator[_Descent]:
    """Every way down from a prime, by small class numbers first."""
    least = (isqrt(isqrt(number)) + 2) ** 2
    for _, discriminant in discriminants():
        for trace in traces(number, discriminant):
            points = number + 1 - trace
            factor = _rough_part(points)
            if least < factor < points and gmpy2.is_prime(factor):
                yield _Descent(number, discriminant, points, factor)


def _rough_part(number: int) -> int:
    """``number`` without its small prime factors."""
    rest = number
    common = gcd(rest, int(_primorial() % rest))
    while common > 1:
        rest //= common
        common = gcd(rest, common)
    return rest


@cache
def _primorial() -> gmpy2.mpz:
    """The product of all primes that are taken out."""
    return gmpy2.primorial(_SMOOTH)


def _step(descent: _Descent) -> Step:
    """A curve with so many points, and a point that proves it."""
    generator = random.Random(descent.number)
    j = invariant(descent.number, descent.discriminant)
    while True:
        curve = curve_of(descent.number, descent.discriminant, j, generator)
        point = random_point(curve, generator)
        once = multiply(curve, descent.points // descent.factor, point)
        if once is not None and multiply(curve, descent.factor, once) is None:
            return Step(descent.number, curve.a, curve.b, *point, descent.points, descent.factor)
