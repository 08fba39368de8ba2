"""Proofs that a number is prime: the elliptic-curve method of Atkin, Goldwasser, Kilian and Morain.

If a curve modulo N has a point whose multiple by m / q is finite and by m is not, q being a prime
above (N^(1/4) + 1)^2, then N is prime: modulo a factor of N up to sqrt(N) the curve would have too
few points. So the proof of N is that of q, which is smaller, down to a q that division settles.
Curves with a known number of points m come from complex multiplication by small discriminants: if
4 N = x^2 + D y^2 then m = N + 1 - x, and the j-invariant is a root of the class polynomial of -D
(Atkin and Morain, Mathematics of Computation 61, 1993).

`residua.numbers.certificates` checks what is made here, with code of its own.
"""

import random
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from math import gcd, isqrt

import gmpy2
import mpmath
from sympy import ZZ
from sympy.ntheory import sqrt_mod
from sympy.polys.galoistools import gf_div, gf_gcd, gf_pow_mod, gf_sub

from residua.curves.affine import multiply, right_side
from residua.errors import SpecificationError
from residua.numbers.certificates import SETTLED, Certificate, Step

LARGEST_DISCRIMINANT = 6000
LARGEST_CLASS_NUMBER = 20
"""Discriminants up to these are tried; they prove nearly all numbers of up to 1024 bits."""

_SMOOTH = 1 << 20
"""Primes below this are taken out of a number of points."""

_SPARE_BITS = 40
"""Bits of the class polynomials' calculation beyond the size of their coefficients."""


@dataclass(frozen=True)
class _Descent:
    """N, a discriminant -D, a number of points m that it gives, and the large prime q of m."""

    number: int
    discriminant: int
    points: int
    factor: int


@dataclass(frozen=True)
class _Curve:
    """y^2 = x^3 + a x + b."""

    prime: int
    a: int
    b: int

    @cached_property
    def coefficients(self) -> tuple[int, int, int, int]:
        """As `residua.curves.affine.Cubic` has them."""
        return 1, 0, self.a, self.b


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
    for _, discriminant in _discriminants():
        for trace in _traces(number, discriminant):
            points = number + 1 - trace
            factor = _rough_part(points)
            if least < factor < points and gmpy2.is_prime(factor):
                yield _Descent(number, discriminant, points, factor)


@cache
def _discriminants() -> list[tuple[int, int]]:
    """(h, D) of the fundamental discriminants -D, the smallest class numbers h first."""
    found = []
    for discriminant in range(3, LARGEST_DISCRIMINANT):
        if _is_fundamental(discriminant):
            classes = len(_reduced_forms(discriminant))
            if classes <= LARGEST_CLASS_NUMBER:
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


def _traces(prime: int, discriminant: int) -> list[int]:
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
    root = int(sqrt_mod(-discriminant % prime, prime))
    if (root - discriminant) % 2:
        root = prime - root
    high, low, limit = 2 * prime, root, isqrt(4 * prime)
    while low > limit:
        high, low = low, high % low
    square, rest = divmod(4 * prime - low * low, discriminant)
    y = isqrt(square)
    return (low, y) if rest == 0 and y * y == square else None


def _rough_part(number: int) -> int:
    """``number`` without its small prime factors."""
    rest = number
    common = gcd(rest, _primorial() % rest)
    while common > 1:
        rest //= common
        common = gcd(rest, common)
    return rest


@cache
def _primorial() -> int:
    """The product of all primes that are taken out."""
    return int(gmpy2.primorial(_SMOOTH))


def _step(descent: _Descent) -> Step:
    """A curve with so many points, and a point that proves it."""
    generator = random.Random(descent.number)
    invariant = _invariant(descent)
    while True:
        curve = _curve(descent, invariant, generator)
        x = generator.randrange(descent.number)
        square = right_side(curve, x)
        if square == 0 or gmpy2.jacobi(square, descent.number) != 1:
            continue
        point = (x, int(sqrt_mod(square, descent.number)))
        once = multiply(curve, descent.points // descent.factor, point)
        if once is not None and multiply(curve, descent.factor, once) is None:
            return Step(descent.number, curve.a, curve.b, *point, descent.points, descent.factor)


def _curve(descent: _Descent, invariant: int, generator: random.Random) -> _Curve:
    """A curve with this j-invariant, one of its twists at random."""
    p, twist = descent.number, generator.randrange(1, descent.number)
    if descent.discriminant == 3:
        return _Curve(p, 0, twist)
    if descent.discriminant == 4:
        return _Curve(p, twist, 0)
    ratio = invariant * pow(1728 - invariant, -1, p) % p
    return _Curve(p, 3 * ratio * twist**2 % p, 2 * ratio * twist**3 % p)


def _invariant(descent: _Descent) -> int:
    """A root of the class polynomial modulo N, over which it has nothing but linear factors."""
    prime = ZZ(descent.number)
    factor = [ZZ(c) % prime for c in class_polynomial(descent.discriminant)]
    generator = random.Random(descent.discriminant)
    while len(factor) > 2:
        shift = ZZ(generator.randrange(descent.number))
        power = gf_pow_mod([ZZ(1), shift], (descent.number - 1) // 2, factor, prime, ZZ)
        part = gf_gcd(gf_sub(power, [ZZ(1)], prime, ZZ), factor, prime, ZZ)
        if 1 < len(part) < len(factor):
            other, _ = gf_div(factor, part, prime, ZZ)
            factor = min(part, other, key=len)
    return int(-factor[1] * pow(int(factor[0]), -1, descent.number)) % descent.number


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
