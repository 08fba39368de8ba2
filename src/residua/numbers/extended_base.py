"""Extended RNS: a base with a redundant modulus, which holds numbers of either sign.

The redundant residue tells r in x = sum xi_i M_i - r M, exactly and without an estimate, for every
x in [-(M - 1), M - 1]: ECPM paper, section II.B, equations (1) to (4), where (4) lacks parentheses
(it is r = <M^-1 (sum - x_r)>). With that a number leaves the base whole, or modulo a prime.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, count
from math import gcd

from residua.errors import SpecificationError
from residua.numbers.bases import Base
from residua.numbers.moduli import Modulus

_GUARD = 6
"""Bits by which the estimate of a quotient is finer than its error: results below (1 + 1/64) p."""

_SPARSE = 3
"""Signed digits of a sparse h."""

_LARGEST_OFFSET = 1 << 14
"""Enough for hundreds of moduli; wider ones would only cost adders."""


@dataclass(frozen=True)
class ExtendedBase:
    """A base of odd moduli and a redundant odd modulus m_r >= n + 1, coprime to them.

    Numbers are n + 1 canonical residues, the redundant one last.
    """

    base: Base
    redundant: Modulus

    def __post_init__(self) -> None:
        if self.redundant.value < len(self.base) + 1:
            raise SpecificationError(
                f"the redundant modulus {self.redundant} of {len(self.base)} moduli must be at "
                f"least {len(self.base) + 1}"
            )
        if gcd(self.redundant.value, self.base.product) != 1:
            raise SpecificationError(
                f"the redundant modulus {self.redundant} shares a factor with the moduli"
            )
        if any(modulus.value % 2 == 0 for modulus in self.moduli):
            raise SpecificationError("the moduli of an extended base must be odd, for halves")

    @property
    def moduli(self) -> tuple[Modulus, ...]:
        """All moduli, the redundant one last."""
        return (*self.base.moduli, self.redundant)

    @property
    def largest(self) -> int:
        """M - 1, the largest magnitude of a number."""
        return self.base.product - 1

    @cached_property
    def xi_factors(self) -> tuple[int, ...]:
        """Factors from residues to the xi: M_i^-1 mod m_i, and -M^-1 mod m_r last."""
        own = self.redundant.value
        return (*self.base.cofactor_inverses, -pow(self.base.product, -1, own) % own)

    @cached_property
    def overflow_weights(self) -> tuple[int, ...]:
        """M_i M^-1 mod m_r = m_i^-1 mod m_r, one for each channel of the base."""
        return tuple(pow(m.value, -1, self.redundant.value) for m in self.base)

    def residues(self, number: int) -> tuple[int, ...]:
        """The canonical residues of a number in [-(M - 1), M - 1]."""
        return tuple(number % modulus.value for modulus in self.moduli)

    def scaled(self, residues: Sequence[int]) -> tuple[int, ...]:
        """The xi_i, and what the redundant residue adds to r."""
        terms = zip(residues, self.xi_factors, self.moduli, strict=True)
        return tuple(x * factor % modulus.value for x, factor, modulus in terms)

    def overflow(self, scaled: Sequence[int]) -> int:
        """r of (4), from 0 to n, for what `scaled` gives."""
        weighted = zip(scaled[:-1], self.overflow_weights, strict=True)
        return (sum(xi * weight for xi, weight in weighted) + scaled[-1]) % self.redundant.value

    def integer(self, residues: Sequence[int]) -> int:
        """The number in [-(M - 1), M - 1] with these residues: residue to binary, (1)."""
        scaled = self.scaled(residues)
        total = sum(xi * m for xi, m in zip(scaled[:-1], self.base.cofactors, strict=True))
        return total - self.overflow(scaled) * self.base.product

    def reduced(self, residues: Sequence[int], prime: int) -> tuple[int, ...]:
        """The number modulo ``prime``, in [0, prime), by way of its binary form."""
        return self.residues(self.integer(residues) % prime)

    def extended_reduced(self, residues: Sequence[int], prime: int) -> tuple[int, ...]:
        """The same class in [0, `extended_bound`] by base extension: no number leaves the RNS.

        The channels sum xi_i |M_i|_p + r |-M|_p - q p, and only the estimate of q adds up leading
        parts of all channels.
        """
        scaled = self.scaled(residues)
        digits = (*scaled[:-1], self.overflow(scaled))
        weights = (*(m % prime for m in self.base.cofactors), -self.base.product % prime)
        bits = self.base.width + (len(self.base) + 1).bit_length() + _GUARD
        parts = [(weight << bits) // prime for weight in weights]
        quotient = sum(x * part for x, part in zip(digits, parts, strict=True)) >> bits
        return tuple(
            (sum(x * weight for x, weight in zip(digits, weights, strict=True)) - quotient * prime)
            % modulus.value
            for modulus in self.moduli
        )

    @staticmethod
    def extended_bound(prime: int) -> int:
        """The largest result of `extended_reduced`."""
        return prime + (prime >> _GUARD)


def extended_base(channels: int, width: int) -> ExtendedBase:
    """The base of the first ``channels`` moduli 2^w - h, sparse ones before others.

    The redundant modulus is the smallest 2^g - 1 that will do.

    Raises:
        SpecificationError: there are not as many moduli; with the number that there are.
    """
    limit = min((1 << width) // 4, _LARGEST_OFFSET)
    chosen: list[Modulus] = []
    product = 1
    for candidate in chain(*(_candidates(width, limit, sparse) for sparse in (True, False))):
        if gcd(candidate.value, product) == 1:
            chosen.append(candidate)
            product *= candidate.value
        if len(chosen) == channels:
            break
    if len(chosen) < channels:
        raise SpecificationError(
            f"there are {len(chosen)} coprime odd moduli 2^{width} - h with h up to {limit}, and "
            f"{channels} are wanted: a larger width has more"
        )
    base = Base(tuple(sorted(chosen, key=lambda m: m.offset)))
    bits = next(g for g in count((channels + 1).bit_length()) if gcd((1 << g) - 1, product) == 1)
    return ExtendedBase(base, Modulus(bits, 1))


def _candidates(width: int, limit: int, sparse: bool) -> Iterator[Modulus]:
    """Odd moduli in the order of h, those of few signed digits or the others."""
    for offset in range(1, limit + 1, 2):
        candidate = Modulus(width, offset)
        if (candidate.weight <= _SPARSE) == sparse:
            yield candidate
