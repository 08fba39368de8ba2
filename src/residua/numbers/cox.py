"""The Cox's quotient estimate and the exact error it makes.

A base extension writes X = sum(xi_i * M_i) - q * M. The Cox estimates q from the t leading bits of
each xi_i, as if every modulus were 2^w (Kawamura et al. 2000; SBMM Algorithm 1, HBE Algorithm 1):

    q = floor(sigma0 + sum(weight_i * trunc(xi_i)) / 2^w)

Residues may be any representatives, signed ones included, and each may carry a small integer weight
(xi_i = weight_i * residue_i); the error is derived from the ranges that they really have.

In a hierarchical extension the Cox takes super-residues instead (HBE Algorithm 2 lines 9 to 11), as
if the product of every row of c moduli were 2^(c w). The paper's t' bits are ceil(log2 c) more than
t here, which counts the bits below 2^(c w) only; its proof that KBE's condition suffices is wrong
(ERRATA E3), so that the error is derived anew for the base at hand.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

from residua.errors import SpecificationError
from residua.numbers.bases import Base

Range = tuple[int, int]
"""A closed interval of integers (lowest, highest)."""


@dataclass(frozen=True)
class Cox:
    """Parameters of the quotient estimate.

    ``truncation`` is t, the number of bits kept below 2^w, from 1 to w. ``sigma0`` is the start
    value of the accumulator, a multiple of 2^-t in [0, 1).
    """

    truncation: int
    sigma0: Fraction

    def __post_init__(self) -> None:
        if self.truncation < 1:
            raise SpecificationError(f"the Cox keeps at least 1 bit, not t = {self.truncation}")
        if not 0 <= self.sigma0 < 1:
            raise SpecificationError(f"sigma0 lies in [0, 1), not {self.sigma0}")
        if (self.sigma0 * 2**self.truncation).denominator != 1:
            raise SpecificationError(
                f"sigma0 = {self.sigma0} is no multiple of 2^-{self.truncation}; "
                "the Cox accumulates t fraction bits"
            )

    def check_width(self, width: int) -> None:
        """Refuse to keep more bits than residues have.

        Args:
            width: w, bits of a residue.

        Raises:
            SpecificationError: there are fewer.
        """
        if self.truncation > width:
            raise SpecificationError(f"the truncation t is 1 to {width}, not {self.truncation}")

    @property
    def start(self) -> int:
        """sigma0 in units of 2^-t: what the Cox accumulator is cleared to."""
        return int(self.sigma0 * 2**self.truncation)

    def leading(self, residue: int, width: int) -> int:
        """trunc(residue) in units of 2^-t of 2^width; floors, also below zero."""
        return residue >> max(width - self.truncation, 0) << max(self.truncation - width, 0)

    def quotient(
        self, residues: Sequence[int], weights: Sequence[int], width: int | Sequence[int]
    ) -> int:
        """The estimated quotient for one vector of residues, of one width or of several."""
        widths = [width] * len(residues) if isinstance(width, int) else width
        total = self.start + sum(
            weight * self.leading(residue, bits)
            for residue, weight, bits in zip(residues, weights, widths, strict=True)
        )
        return total >> self.truncation


@dataclass(frozen=True)
class Deviation:
    """Worst distance of the Cox's sum from sum(weight_i * residue_i / m_i).

    The sum lies in [true - under, true + over]; both are non-negative fractions of M.
    """

    under: Fraction
    over: Fraction

    def exact(self, sigma0: Fraction) -> tuple[Fraction, Fraction]:
        """Interval [low, high) of X / M in which the extension returns X itself."""
        return self.under - sigma0, 1 - sigma0 - self.over

    def result(self, sigma0: Fraction) -> tuple[Fraction, Fraction]:
        """Interval [low, high) of X' / M for the value X' = X mod M that any extension returns."""
        return -sigma0 - self.over, 1 - sigma0 + self.under


def deviation(
    base: Base,
    cox: Cox,
    ranges: Sequence[Range],
    weights: Sequence[int] | None = None,
    *,
    columns: int = 1,
    offset: int = 0,
) -> Deviation:
    """The exact worst error of ``cox`` on ``base`` for residues within ``ranges``.

    With ``columns`` c > 1 the Cox takes super-residues of rows of c moduli; ``offset`` is a
    constant that they include (`residua.numbers.residues.Representation`), see `row_offsets`.
    """
    chosen = (1,) * len(base) if weights is None else tuple(weights)
    return _deviation(base, cox, tuple(ranges), chosen, columns, offset)


@lru_cache(maxsize=1024)  # an algorithm extends between the same bases again and again
def _deviation(
    base: Base,
    cox: Cox,
    ranges: tuple[Range, ...],
    weights: Sequence[int],
    columns: int,
    offset: int,
) -> Deviation:
    words, moduli = list(ranges), [modulus.value for modulus in base]
    widths, offsets = [modulus.width for modulus in base], [offset] * len(base)
    if columns > 1:
        words = super_ranges(ranges, row_multipliers(base, weights, columns), columns)
        moduli, weights = list(base.row_products(columns)), [1] * len(words)
        widths = list(base.row_widths(columns))
        offsets = row_offsets(base, columns, offset)
    under = over = Fraction(0)
    for modulus, (low, high), weight, width, own in zip(
        moduli, words, weights, widths, offsets, strict=True
    ):
        # What truncation drops from one word, at worst.
        lost = Fraction((1 << max(width - cox.truncation, 0)) - 1, 1 << width)
        # word / 2^w - word / m, the error of taking every modulus for 2^w, is linear in it.
        slope = Fraction(1, 1 << width) - Fraction(1, modulus)
        ends = [weight * word * slope + Fraction(own, 1 << width) for word in (low, high)]
        dropped = [Fraction(0), -weight * lost]
        over += max(ends) + max(dropped)
        under -= min(ends) + min(dropped)
    return Deviation(max(under, Fraction(0)), max(over, Fraction(0)))


def row_offsets(base: Base, columns: int, offset: int) -> list[int]:
    """Constants that the Cox's words include; none for the word of an extra modulus."""
    return [offset] * (len(base.wide) // columns) + [0] * (base.extra is not None)


def row_multipliers(base: Base, weights: Sequence[int], columns: int) -> tuple[int, ...]:
    """weight_j * A_i / a_ij: what residues are multiplied by to add up to super-residues."""
    products = base.row_products(columns)
    return tuple(
        weight * (products[position // columns] // modulus.value)
        for position, (modulus, weight) in enumerate(zip(base, weights, strict=True))
    )


def super_ranges(ranges: Sequence[Range], multipliers: Sequence[int], columns: int) -> list[Range]:
    """The range of each row's super-residue for residues within ``ranges``."""
    ends = [
        sorted((low * multiplier, high * multiplier))
        for (low, high), multiplier in zip(ranges, multipliers, strict=True)
    ]
    rows = [ends[first : first + columns] for first in range(0, len(ends), columns)]
    return [(sum(low for low, _ in row), sum(high for _, high in row)) for row in rows]


def canonical_ranges(base: Base) -> list[Range]:
    """Ranges [0, m_i - 1] of canonical residues, as the papers assume."""
    return [(0, modulus.value - 1) for modulus in base]


def redundant_ranges(base: Base) -> list[Range]:
    """Ranges of residues kept as signed words of w + 1 bits, as the engine keeps them.

    An extra channel's words are the g bits of a signed residue.
    """
    ranges = [(-(1 << modulus.width), (1 << modulus.width) - 1) for modulus in base.wide]
    if base.extra:
        half = 1 << (base.extra.width - 1)
        ranges.append((-half, half - 1))
    return ranges
