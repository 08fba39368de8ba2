"""What a core loads for a modulus or a key: each number by what it is derived from.

So a driver can make all of them of a key in its usual form (RFC 8017, section 3.2).
"""

from dataclasses import dataclass
from enum import StrEnum


class Source(StrEnum):
    """What a number is derived from; n is a modulus of the key."""

    MODULUS = "n"
    ONE = "1"
    EXPONENT = "of p and q the private exponent, of N the public one"
    COEFFICIENT = "1 / q modulo p"
    NEGATIVE_COEFFICIENT = "-1 / q modulo p"
    OTHER_PRIME = "q"
    FACTOR_SQUARE = "M_a^2 modulo n"
    FACTOR_INVERSE = "-1 / n modulo M_a"
    DIGIT_INVERSE = "-1 / n modulo 2^shift"


class Modulus(StrEnum):
    """A modulus of a key; a key without primes has N alone."""

    N = "N"
    P = "p"
    Q = "q"


@dataclass(frozen=True)
class KeyNumber:
    """A number that is loaded: what its source gives times 2^shift, modulo n.

    The inverses are not multiplied: see `Source`.

    Attributes:
        source: what it is derived from.
        modulus: which of the key is n.
        shift: the power of two.
    """

    source: Source
    modulus: Modulus = Modulus.N
    shift: int = 0
