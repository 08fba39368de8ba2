"""Curves with a known number of points: complex multiplication by small discriminants -D.

If 4 p = x^2 + D y^2, curves modulo p whose j-invariant is a root of the class polynomial of -D have
p + 1 - x or p + 1 + x points, and a few more numbers for D = 3 and 4 (Atkin and Morain, Mathematics
of Computation 61, 1993).
"""

import random
from dataclasses import dataclass
from functools import cache, cached_property
from math import isqrt

import gmpy2
import mpmath
from sympy import ZZ
from sympy.polys.galoistools import gf_div, gf_gcd, gf_pow_mod, gf_sub

from residua.curves.affine import Cubic, right_side
from residua.numbers.primes.square_root import square_root

LARGEST_DISCRIMINANT = 6000
LARGEST_CLASS_NUMBER = 20
"""Discriminants up to these are tried by default."""

_SPARE_BITS = 40
"""Bits of the class polynomials' calculation beyond the size of their coefficients."""


@dataclass(frozen=True)
class ShortCurve:
    """y^2 = x^3 + a x + b."""

    prime: int
    a: int
    b: int

    @cached_property
    def coefficients(self) -> tuple[int, int, int, int]:
        """Coefficients in the order of `residua.curves.affine.Cubic`."""
        return 1, 0, self.a, self.b


@cache
def discriminants(
    largest: int = LARGEST_DISCRIMINANT, classes_at_most: int = LARGEST_CLASS_NUMBER
) -> list[tuple[int, int]]:
    """(h, D) of the fundamental discriminants -D, the smallest class numbers h first."""
    found = []
    for discriminant in range(3, largest):
        if _is_fundamental(discriminant):
            classes = len(_reduced_forms(discriminant))
            if classes <= classes_at_most:
                found.append((classes, discriminant))
    return sorted(found)


def _is_fundamental(discriminant: int) -> bool:
    """Whether -D is the discriminant of a field."""
    if discriminant % 4 == 3:
        rest = discriminant
    elif discriminant % 16 in (4, 8):
        rest = discriminant // 4
    else:
        return False
    return all(rest % (k * k) for k in range(2, isqrt(rest) + 1))


@cache
def _reduced_forms(discriminant: int) -> list[tuple[int, int]]:
    """(a, b) of the reduced forms a x^2 + b x y + c y^2 with b^2 - 4 a c = -D."""
    forms = []
    for b in range(discriminant % 2, isqrt(discriminant // 3) + 1, 2):
        product = (b * b + discriminant) // 4
        for a in range(max(b, 1), isqrt(product) + 1):
            if product % a:
                continue
            forms.append((a, b))
            if 0 < b < a < product // a:
                forms.append((a, -b))
    return forms


def traces(prime: int, discriminant: int) -> list[int]:
    """p + 1 - m for all numbers of points m that curves with this discriminant have."""
    if gmpy2.jacobi(-discriminant % prime, prime) != 1:
        return []
    found = _norm(prime, discriminant)
    if found is None:
        return []
    x, y = found
    traces = [x]
    if discriminant == 4:
        traces.append(2 * y)
    if discriminant == 3:
        traces += [(x + 3 * y) // 2, (x - 3 * y) // 2]
    return [each for trace in traces for each in (trace, -trace)]


def _norm(prime: int, discriminant: int) -> tuple[int, int] | None:
    """x, y with 4 p = x^2 + D y^2 (Cornacchia)."""
    root = square_root(-discriminant % prime, prime)
    assert root is not None
    if (root - discriminant) % 2:
        root = prime - root
    high, low, limit = 2 * prime, root, isqrt(4 * prime)
    while low > limit:
        high, low = low, high % low
    square, rest = divmod(4 * prime - low * low, discriminant)
    y = isqrt(square)
    return (low, y) if rest == 0 and y * y == square else None


def curve_of(prime: int, discriminant: int, j: int, generator: random.Random) -> ShortCurve:
    """A curve with j-invariant ``j``, one of its twists at random."""
    p, twist = prime, generator.randrange(1, prime)
    if discriminant == 3:
        return ShortCurve(p, 0, twist)
    if discriminant == 4:
        return ShortCurve(p, twist, 0)
    ratio = j * pow(1728 - j, -1, p) % p
    return ShortCurve(p, 3 * ratio * twist**2 % p, 2 * ratio * twist**3 % p)


def invariant(number: int, discriminant: int) -> int:
    """A root of the class polynomial modulo a prime for which there are `traces`.

    The polynomial has nothing but linear factors then.
    """
    prime = ZZ(number)
    factor = [ZZ(c) % prime for c in class_polynomial(discriminant)]
    generator = random.Random(discriminant)
    while len(factor) > 2:
        shift = ZZ(generator.randrange(number))
        power = gf_pow_mod([ZZ(1), shift], (number - 1) // 2, factor, prime, ZZ)
        part = gf_gcd(gf_sub(power, [ZZ(1)], prime, ZZ), factor, prime, ZZ)
        if 1 < len(part) < len(factor):
            other, _ = gf_div(factor, part, prime, ZZ)
            factor = min(part, other, key=len)
    return int(-factor[1] * pow(int(factor[0]), -1, number)) % number


def random_point(curve: Cubic, generator: random.Random) -> tuple[int, int]:
    """A point of a curve y^2 = ... with y != 0."""
    while True:
        x = generator.randrange(curve.prime)
        square = right_side(curve, x)
        if gmpy2.jacobi(square, curve.prime) == 1:
            y = square_root(square, curve.prime)
            assert y is not None
            return x, y


@cache
def class_polynomial(discriminant: int) -> tuple[int, ...]:
    """Coefficients of the Hilbert class polynomial of -``discriminant``, the leading 1 first."""
    forms = _reduced_forms(discriminant)
    size = float(mpmath.pi * mpmath.sqrt(discriminant) / mpmath.log(2))
    bits = int(size * sum(1 / a for a, _ in forms)) + 4 * len(forms) + _SPARE_BITS
    with mpmath.workprec(bits + _SPARE_BITS):
        polynomial = [mpmath.mpc(1)]
        for a, b in forms:
            root = _j_invariant(mpmath.mpc(-b, mpmath.sqrt(discriminant)) / (2 * a))
            shifted = [*polynomial, mpmath.mpc(0)]
            for i, coefficient in enumerate(polynomial):
                shifted[i + 1] -= root * coefficient
            polynomial = shifted
        return tuple(int(mpmath.nint(each.real)) for each in polynomial)


def _j_invariant(tau: mpmath.mpc) -> mpmath.mpc:
    """j = (256 h + 1)^3 / h with h = (eta(2 tau) / eta(tau))^24."""
    q = mpmath.exp(2j * mpmath.pi * tau)
    h = q * (_euler(q * q) / _euler(q)) ** 24
    return (256 * h + 1) ** 3 / h


def _euler(q: mpmath.mpc) -> mpmath.mpc:
    """The product of 1 - q^n, by pentagonal numbers."""
    total, k = mpmath.mpc(1), 1
    while True:
        term = q ** (k * (3 * k - 1) // 2)
        if abs(term) < mpmath.eps:
            return total
        total += (-1) ** k * term * (1 + q**k)
        k += 1
