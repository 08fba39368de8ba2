"""The efficient endomorphism of a curve y^2 = x^3 + b, and the lattice of the zeros it makes.

Where p = 1 modulo 3 there is a cube root of one, beta, and phi(x, y) = (beta x, y) maps points of
the curve to points, at the price of one product. On a group of prime order n it is the
multiplication by a root lambda of z^2 + z + 1 modulo n. The pairs (u, v) with u + v lambda = 0
modulo n, for which u P + v phi(P) is the neutral element, form a lattice, of which two vectors of
about sqrt(n) are a basis.

Gallant, Lambert and Vanstone, "Faster point multiplication on elliptic curves with efficient
endomorphisms" (CRYPTO 2001). Everything is found from the parameters of the curve.

The other curves with an automorphism besides -1 are y^2 = x^3 + a x (j = 1728). They have a point
of order 2, (0, 0), where complete formulas fail, and are not served.
"""

from dataclasses import dataclass
from functools import cache
from math import isqrt

from residua.curves import affine
from residua.curves.parameters import Curve, WeierstrassCurve
from residua.errors import SpecificationError
from residua.numbers.primes.square_root import square_root

Vector = tuple[int, int]
"""(u, v), which stands for u + v lambda."""

LEAST_ORDER = 64
"""Orders below this have no scalars to halve."""


@dataclass(frozen=True)
class Endomorphism:
    """phi(x, y) = (``beta`` x, y) on the group of a curve's base point.

    Attributes:
        prime: of the field.
        order: n, of the group, a prime.
        beta: a cube root of one modulo `prime`, in [2, prime).
        eigenvalue: lambda with phi(P) = lambda P, in [2, order).
        basis: two vectors of the lattice of u + v lambda = 0 modulo n, of about sqrt(n), with
            positive coordinates in the sense of `coordinates`.
    """

    prime: int
    order: int
    beta: int
    eigenvalue: int
    basis: tuple[Vector, Vector]

    @property
    def coordinates(self) -> tuple[int, int]:
        """(s, t) with (n, 0) = s basis[0] + t basis[1]; both are positive."""
        (a1, b1), (a2, b2) = self.basis
        sign = 1 if a1 * b2 > a2 * b1 else -1
        return sign * b2, -sign * b1


def refusal(curve: Curve) -> str:
    """The reason why a curve has no endomorphism that serves; empty if it has one."""
    if not isinstance(curve, WeierstrassCurve):
        return "it is for short Weierstrass curves"
    if curve.a % curve.prime:
        return "it needs a curve y^2 = x^3 + b, and the coefficient a of this one is not 0"
    if curve.prime % 3 != 1:
        return "it needs a prime that is 1 modulo 3, and this one is not"
    if curve.cofactor != 1:
        return f"it needs a curve of prime order, and the cofactor is {curve.cofactor}"
    if curve.order < LEAST_ORDER:
        return f"it needs an order of at least {LEAST_ORDER}, not {curve.order}"
    return ""


@cache
def endomorphism(curve: WeierstrassCurve) -> Endomorphism:
    """The endomorphism of a curve, with the smaller cube root of one.

    Raises:
        SpecificationError: the curve has none.
    """
    if reason := refusal(curve):
        raise SpecificationError(f"{curve.name} has no endomorphism: {reason}")
    prime, order = curve.prime, curve.order
    beta = _cube_roots(prime)[0]
    image = beta * curve.x % prime, curve.y
    eigenvalue = next(
        root
        for root in _cube_roots(order)
        if affine.multiply(curve, root, curve.base_point) == image
    )
    return Endomorphism(prime, order, beta, eigenvalue, _oriented(_short_basis(order, eigenvalue)))


def _cube_roots(prime: int) -> tuple[int, int]:
    """The roots of z^2 + z + 1 modulo a prime that is 1 modulo 3, the smaller one first."""
    root = square_root(prime - 3, prime)
    assert root is not None
    half = pow(2, -1, prime)
    first, second = sorted((sign * root - 1) * half % prime for sign in (1, -1))
    return first, second


def _short_basis(order: int, eigenvalue: int) -> tuple[Vector, Vector]:
    """Two short vectors, by Euclid's extended algorithm (Guide to ECC, algorithm 3.74).

    Every remainder r = s n + t lambda gives the vector (r, -t).
    """
    vectors: list[Vector] = [(order, 0), (eigenvalue, -1)]
    # The step after the first remainder below sqrt(n) is looked at, too.
    while vectors[-2][0] > isqrt(order):
        (r0, t0), (r1, t1) = vectors[-2:]
        quotient = r0 // r1
        vectors.append((r0 - quotient * r1, t0 - quotient * t1))
    before, short, after = vectors[-3:]
    return short, min(before, after, key=lambda vector: vector[0] ** 2 + vector[1] ** 2)


def _oriented(basis: tuple[Vector, Vector]) -> tuple[Vector, Vector]:
    """The basis with signs that make the coordinates of (n, 0) positive."""
    (a1, b1), (a2, b2) = basis
    positive = a1 * b2 > a2 * b1
    first, second = (b2 > 0) == positive, (b1 < 0) == positive
    return ((a1, b1) if first else (-a1, -b1)), ((a2, b2) if second else (-a2, -b2))
