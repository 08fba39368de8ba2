"""RSA with a private key by the Chinese remainder theorem on Montgomery multipliers, checked.

Three multipliers, modulo p, q and N. A message m = m_1 L + m_0 comes down to both primes with one
product, of m_1 with L R: m_1 L modulo p and m_0 make a sum that need not be reduced, because the
multipliers for the primes have a bit to spare and any X will do. Garner's recombination (Quisquater
and Couvreur, Electronics Letters 18 (21), 1982; RFC 8017, section 5.1.2) is

    h = (s_p - s_q) / q modulo p,  s = s_q + q h.

Here h is the sum of two products, below 2 p and again not reduced: q h modulo N, which is
q (h modulo p), is a product modulo N. Then s^e modulo N has to be the message, or there was a
fault, of which a wrong s would give the factors away (Boneh, DeMillo, Lipton, EUROCRYPT 1997).
"""

from collections.abc import Sequence
from dataclasses import dataclass

from residua.algorithms.exponentiation import Product, binary, fixed_window
from residua.numbers.rsa import RsaKey


@dataclass(frozen=True)
class CrtConstants:
    """Constants of a key beside its moduli, computed once with the key.

    Attributes:
        shifts: L R modulo each prime.
        exponents: 1 / e modulo p - 1 and q - 1.
        coefficient: R / q modulo p.
        negative_coefficient: -R / q modulo p.
        q: q R modulo N, with the R of N.
    """

    shifts: tuple[int, int]
    exponents: tuple[int, int]
    coefficient: int
    negative_coefficient: int
    q: int

    @classmethod
    def of(cls, key: RsaKey, low: int, half: int, whole: int) -> "CrtConstants":
        """The constants for L = ``low`` and R = ``half`` for the primes, ``whole`` for N."""
        coefficient = key.coefficient * half % key.p
        return cls(
            (low * half % key.p, low * half % key.q),
            key.exponents,
            coefficient,
            -coefficient % key.p,
            key.q * whole % key.modulus,
        )


@dataclass(frozen=True)
class Unit:
    """A Montgomery multiplier for one modulus: its product, and R^2 modulo the modulus."""

    product: Product[int]
    square: int


def private_operation(
    units: Sequence[Unit],
    constants: CrtConstants,
    message: int,
    *,
    low: int,
    exponent: int,
    bits: int,
    window: int,
) -> tuple[int, bool]:
    """The e-th root of a message modulo N, and whether it is right.

    Args:
        units: modulo p, q and N.
        constants: of the key.
        message: below N; of others the root is found not to be right.
        low: L.
        exponent: e.
        bits: of the exponents modulo p - 1 and q - 1.
        window: see `fixed_window`.
    """
    p, q, n = units
    halves = []
    for unit, shift, secret in zip((p, q), constants.shifts, constants.exponents, strict=True):
        base = unit.product(message // low, shift) + message % low
        halves.append(fixed_window(unit.product, base, unit.square, 1, secret, bits, window))
    h = p.product(halves[0], constants.coefficient)
    h += p.product(halves[1], constants.negative_coefficient)
    root = n.product(h, constants.q) + halves[1]
    return root, binary(n.product, root, n.square, 1, exponent) == message
