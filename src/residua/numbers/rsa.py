"""RSA keys by their primes: the exponents and the coefficient of the Chinese remainder theorem."""

import random
from dataclasses import dataclass
from functools import cached_property
from math import gcd

from gmpy2 import next_prime, powmod

from residua.errors import SpecificationError

_ATTEMPTS = 1000


@dataclass(frozen=True)
class RsaPublicKey:
    """A public key (RFC 8017, section 3.1).

    Attributes:
        modulus: N, of which nothing but this is known.
        e: the public exponent.

    Raises:
        SpecificationError: N is even, or e even or below 3.
    """

    modulus: int
    e: int

    def __post_init__(self) -> None:
        if self.modulus % 2 == 0:
            raise SpecificationError("the modulus of an RSA key is odd")
        if self.e < 3 or self.e % 2 == 0:
            raise SpecificationError(f"the public exponent {self.e}: it is odd and at least 3")

    def power(self, x: int) -> int:
        """x^e modulo N, with any x."""
        return int(powmod(x, self.e, self.modulus))


@dataclass(frozen=True)
class RsaKey:
    """A private key (RFC 8017, section 3.2, second form).

    Attributes:
        p: a prime.
        q: another one.
        e: the public exponent.

    Raises:
        SpecificationError: the primes are equal or even, or e has no inverse.
    """

    p: int
    q: int
    e: int

    def __post_init__(self) -> None:
        if self.p == self.q or min(self.p, self.q) < 3 or not self.p & self.q & 1:
            raise SpecificationError("an RSA key has two different odd primes")
        if self.e < 3 or gcd(self.e, (self.p - 1) * (self.q - 1)) != 1:
            raise SpecificationError(
                f"the public exponent {self.e} has no inverse modulo (p - 1) (q - 1)"
            )

    @classmethod
    def generate(cls, bits: int, e: int, chooser: random.Random) -> "RsaKey":
        """A key whose modulus has ``bits`` bits and whose primes have half of them.

        Primes are as good as ``chooser``: for tests, not for secrets.

        Raises:
            SpecificationError: hardly any prime fits e, or none.
        """
        half, primes = -(-bits // 2), list[int]()
        for _ in range(_ATTEMPTS):
            found = int(next_prime(chooser.getrandbits(half) | 1 << half - 1))
            if found.bit_length() == half and gcd(found - 1, e) == 1:
                primes.append(found)
            pairs = ((p, primes[-1]) for p in primes[:-1])
            for p, q in pairs:
                if p != q and (p * q).bit_length() == bits:
                    return cls(p, q, e)
        raise SpecificationError(
            f"no key of {bits} bits was found for the public exponent {e}: give more bits or "
            "another exponent"
        )

    @property
    def modulus(self) -> int:
        """N."""
        return self.p * self.q

    @property
    def exponents(self) -> tuple[int, int]:
        """1 / e modulo p - 1 and modulo q - 1."""
        return pow(self.e, -1, self.p - 1), pow(self.e, -1, self.q - 1)

    @property
    def coefficient(self) -> int:
        """1 / q modulo p."""
        return pow(self.q, -1, self.p)

    @cached_property
    def _private(self) -> int:
        return pow(self.e, -1, (self.p - 1) * (self.q - 1))

    def root(self, message: int) -> int:
        """The number below N whose e-th power is ``message`` modulo N, by plain integers."""
        return int(powmod(message, self._private, self.modulus))
