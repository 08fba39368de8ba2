"""Representations of residues: canonical as in the papers, or redundant as in the engine."""

from dataclasses import dataclass
from typing import Protocol

from residua.numbers.bases import Base
from residua.numbers.cox import Range, canonical_ranges, redundant_ranges
from residua.numbers.folding import Folding
from residua.numbers.moduli import Modulus


class Representation(Protocol):
    """A choice of representatives, for stored constants and for reduced sums."""

    def ranges(self, base: Base) -> list[Range]:
        """The range of a residue in each channel of ``base``."""

    def constant(self, modulus: Modulus, value: int) -> int:
        """The representative of a stored constant."""

    def reduce(self, modulus: Modulus, value: int) -> int:
        """The representative that a channel leaves after reducing an accumulated sum."""

    def reduce_row(self, modulus: Modulus, value: int) -> int:
        """The representative that a channel makes of a super-residue."""

    def row_offset(self, width: int) -> int:
        """Constant in a super-residue as the Cox sees it, for moduli of ``width`` bits."""


class Canonical:
    """Residues in [0, m)."""

    def ranges(self, base: Base) -> list[Range]:
        """[0, m - 1] for each channel."""
        return canonical_ranges(base)

    def constant(self, modulus: Modulus, value: int) -> int:
        """``value`` modulo m."""
        return value % modulus.value

    def reduce(self, modulus: Modulus, value: int) -> int:
        """``value`` modulo m."""
        return value % modulus.value

    def reduce_row(self, modulus: Modulus, value: int) -> int:
        """``value`` modulo m."""
        return value % modulus.value

    def row_offset(self, width: int) -> int:  # noqa: ARG002
        """0."""
        return 0


@dataclass(frozen=True)
class Redundant:
    """Signed words of w + 1 bits, left by ``folds`` folds; constants centred in [-m/2, m/2).

    Super-residues are reduced by ``row_folds`` folds.
    """

    folds: int
    row_folds: int = 1

    def ranges(self, base: Base) -> list[Range]:
        """[-2^w, 2^w - 1] for each channel, [-2^(g-1), 2^(g-1) - 1] for an extra one."""
        return redundant_ranges(base)

    def constant(self, modulus: Modulus, value: int) -> int:
        """The centred representative of ``value``."""
        return modulus.centre(value)

    def reduce(self, modulus: Modulus, value: int) -> int:
        """Result of the channel reducer, bit by bit."""
        return Folding(modulus, self.folds).reduce(value)

    def reduce_row(self, modulus: Modulus, value: int) -> int:
        """Result of the reducer of super-residues, bit by bit."""
        return Folding(modulus, self.row_folds).reduce(value)

    def row_offset(self, width: int) -> int:
        """The constant that centres the folds, 2^(w-1)."""
        return 1 << (width - 1)
