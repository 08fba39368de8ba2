"""Values of a program and the terms of its sums; see `residua.algorithms.program`."""

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

from gmpy2 import log2, mpq

from residua.numbers.bases import Base
from residua.numbers.cox import Cox

Vector = tuple[int, ...]


@dataclass(frozen=True)
class Interval:
    """A closed interval of rationals.

    They get long; those of GMP take a tenth of the time that `fractions` needs for them.
    """

    low: mpq
    high: mpq

    @classmethod
    def of(cls, low: int | Fraction, high: int | Fraction) -> "Interval":
        """The interval [low, high]."""
        return cls(mpq(low), mpq(high))

    def __add__(self, other: "Interval") -> "Interval":
        return Interval(self.low + other.low, self.high + other.high)

    def __mul__(self, other: "Interval") -> "Interval":
        # Signs tell which two of the four products are the ends; long ones take their time.
        if other.low >= 0:
            low, high = other._ends(self.low), other._ends(self.high)
            return Interval(self.low * low[0], self.high * high[1])
        if other.high <= 0:
            low, high = other._ends(self.low), other._ends(self.high)
            return Interval(self.high * high[0], self.low * low[1])
        return _across_zero(self, other)

    def _ends(self, factor: mpq) -> tuple[mpq, mpq]:
        """Which end makes the product with a factor smallest, and which makes it largest."""
        return (self.low, self.high) if factor >= 0 else (self.high, self.low)

    def scaled(self, multiple: Fraction) -> "Interval":
        """The interval of ``multiple`` times the value."""
        factor = mpq(multiple)
        return self * Interval(factor, factor)

    def within(self, other: "Interval") -> bool:
        """Whether every value of this interval lies in ``other``."""
        return bool(other.low <= self.low and self.high <= other.high)

    def integers(self) -> "Interval":
        """The smallest interval that holds the same integers."""
        return Interval(mpq(-((-self.low) // 1)), mpq(self.high // 1))

    @property
    def magnitude(self) -> mpq:
        """The largest absolute value."""
        return max(abs(self.low), abs(self.high))


@lru_cache(maxsize=64)  # both bases of a field multiply the same ones
def _across_zero(one: Interval, other: Interval) -> Interval:
    """The product of two intervals of which neither need have a sign."""
    corners = [a * b for a in (one.low, one.high) for b in (other.low, other.high)]
    return Interval(min(corners), max(corners))


def power_of_two(value: int | Fraction | mpq) -> str:
    """A number of any length for the eye: with its sign, as a power of two."""
    if value == 0:
        return "0"
    return f"{'-' if value < 0 else ''}2^{log2(mpq(abs(value))):.2f}"


@dataclass(frozen=True)
class Residues:
    """One residue in each channel of ``base``: value * factor_i mod m_i."""

    name: str
    base: Base
    factor: Vector
    range: Interval
    parent: "Residues | None" = None
    """Set if this is a view (other channels or another reading) of an earlier vector."""
    first: int = 0
    """Position of channel 0 within the parent."""

    def root(self) -> tuple["Residues", int]:
        """The vector that is stored, and where the channels of this one begin in it."""
        if self.parent is None:
            return self, 0
        stored, offset = self.parent.root()
        return stored, offset + self.first


@dataclass(frozen=True)
class Words:
    """A binary operand as ``count`` unsigned words of ``width`` bits, the lowest first."""

    name: str
    count: int
    width: int
    range: Interval


@dataclass(frozen=True)
class Rows:
    """Super-residues of a vector, one for each row of ``columns`` channels.

    Row i has sum(multiplier_j * residue_j) over its channels j, never reduced (HBE Algorithm 2
    lines 4 to 7). An extra channel is a row of its own, the last one.
    """

    name: str
    source: Residues
    columns: int
    multipliers: Vector

    @property
    def count(self) -> int:
        """r, the number of rows."""
        return -(-len(self.multipliers) // self.columns)


@dataclass(frozen=True)
class Quotient:
    """The Cox's estimate for a source's words: floor(sigma0 + sum(weight_i * trunc(word_i)))."""

    name: str
    source: Residues | Rows
    weights: Vector
    cox: Cox

    @property
    def width(self) -> int:
        """Bits of a modulus, or of the product of a row."""
        if isinstance(self.source, Rows):
            return self.source.columns * self.source.source.base.width
        return self.source.base.width

    @property
    def widths(self) -> Vector:
        """Widths of all words; an extra modulus is narrower."""
        if isinstance(self.source, Rows):
            return self.source.source.base.row_widths(self.source.columns)
        return tuple(modulus.width for modulus in self.source.base)


@dataclass(frozen=True)
class Bit:
    """A bit that is known only at run time, and may be secret."""

    name: str


@dataclass(frozen=True)
class Product:
    """left_i * right_i in every channel, added or subtracted."""

    left: Residues
    right: Residues
    sign: int = 1


@dataclass(frozen=True)
class Scaled:
    """value_i * constant_i in every channel; ``unit`` marks an addition or subtraction."""

    value: Residues
    constant: Vector
    unit: bool = False


@dataclass(frozen=True)
class Broadcast:
    """sum over the source's words j of source_j * matrix[j][i], in every target channel i.

    Super-residues are reduced in channel i first. ``unit`` marks that every source channel is added
    or subtracted as it is.
    """

    source: Residues | Words | Rows
    matrix: tuple[Vector, ...]
    unit: bool = False


@dataclass(frozen=True)
class Correction:
    """quotient * constant_i in every channel."""

    quotient: Quotient
    constant: Vector


@dataclass(frozen=True)
class Gated:
    """sign * value_i in every channel where ``bit`` is set (``inverted``: not set), else 0."""

    value: Residues
    bit: Bit
    inverted: bool
    sign: int = 1


@dataclass(frozen=True)
class Stored:
    """constant_i in every channel."""

    constant: Vector


@dataclass(frozen=True)
class Rotated:
    """value_{i+1} in channel i, and value_0 in the last one, of words that are 0 or 1."""

    value: Residues


@dataclass(frozen=True)
class HeldBroadcast:
    """sum over t of source_{i+t} * turns[t]_i in channel i, all positions modulo their number.

    A broadcast whose matrix is none of constants: residues hold it, those of turn t what each
    channel multiplies the word by that is t positions ahead.
    """

    source: Residues
    turns: tuple[Residues, ...]


@dataclass(frozen=True)
class HeldCorrection:
    """quotient * value_i in every channel."""

    quotient: Quotient
    value: Residues


Known = Product | Scaled | Broadcast | Correction | Gated | Stored
"""Terms whose constants are known."""

Held = Rotated | HeldBroadcast | HeldCorrection
"""Terms by which constants are computed, and those that multiply by them."""

Term = Known | Held


@dataclass(frozen=True)
class Summand:
    """Terms that together add a value within ``range`` times ``factor`` to a sum."""

    base: Base
    terms: tuple[Term, ...]
    factor: Vector
    range: Interval


@dataclass(frozen=True)
class Reduction:
    """A step: the sum of ``terms``, reduced once in each channel, becomes ``result``.

    The first ``resumed`` terms are those of the step before, whose sum goes on.
    """

    result: Residues
    terms: tuple[Term, ...]
    resumed: int = 0
