"""The plan of a conversion to binary: digits, columns, candidates, ranges and cycles.

Everything that `residua.hardware.converters.residue_to_binary` builds follows from it.
"""

from dataclasses import dataclass
from functools import cached_property

from amaranth.lib import data

from residua.algorithms.fields.field_unit import Domain, number_base
from residua.algorithms.montgomery import MontgomeryDomain
from residua.errors import SpecificationError
from residua.hardware.engine.multiply_accumulate import accumulation_latency
from residua.numbers.bases import Base
from residua.numbers.cox import Cox, Range, deviation, redundant_ranges
from residua.numbers.ranges import exact_cox


def conversion_cox(domain: Domain, largest: int) -> Cox:
    """The Cox of a conversion from `number_base`, of values up to ``largest``.

    That of the domain's extensions, unless it is for super-residues or for a part of the base.
    """
    if isinstance(domain, MontgomeryDomain) and domain.columns == 1:
        return domain.second
    base = number_base(domain)
    return exact_cox(base, redundant_ranges(base), largest)


RELAXED = 5
"""Registers more in a converter that is relaxed, besides those before the words are read."""

WORDS_AHEAD = 2
"""Words more than it took that a relaxed converter waits for, as long as words are coming."""

_TOLD = 2
"""Registers through which it hears of them; a page may be complete before."""


@dataclass(frozen=True)
class Conversion:
    """Conversion of residues to binary words: its program, sizes and ranges.

    ``base``, whose last modulus may be a narrow one, and ``cox`` are those of the cofactor form,
    ``moduli`` every P that a result can be reduced by, ``ranges`` the range of X for each of them,
    ``multipliers`` c the number of columns that are computed side by side. One that is ``relaxed``
    has registers more, where a large core leaves wires long: before the words are read, after the
    constants, beside the multiples of P, after the choice of k, before its use. ``word`` is the
    bits of a word of the result, 1 to w, None for w. One that is ``exchanged`` has a base of 2 k
    moduli, of which residues i and i + k may come for each other's.

    Raises:
        SpecificationError: the Cox can err within a range, there are not as many ranges as moduli,
            c or a word is out of range, or one that is relaxed has more than one multiplier.
    """

    base: Base
    cox: Cox
    moduli: tuple[int, ...]
    ranges: tuple[Range, ...]
    multipliers: int = 1
    relaxed: bool = False
    word: int | None = None
    exchanged: bool = False

    def __post_init__(self) -> None:
        if not 1 <= self.width <= self.base.width:
            raise SpecificationError(
                f"words of {self.width} bits are made of residues of {self.base.width} bits: "
                f"they have 1 to {self.base.width}"
            )
        if self.relaxed and self.multipliers > 1:
            raise SpecificationError(
                f"a relaxed converter has 1 multiplier, not {self.multipliers}: one result has to "
                "be over before the next one begins"
            )
        if not self.moduli or len(self.ranges) != len(self.moduli):
            raise SpecificationError(
                f"a conversion has one range of values for each modulus, "
                f"not {len(self.ranges)} for {len(self.moduli)} moduli"
            )
        if not 1 <= self.multipliers <= len(self.base) + 1:
            raise SpecificationError(
                f"a converter of {len(self.base)} residues has 1 to {len(self.base) + 1} "
                f"multipliers, not {self.multipliers}"
            )
        error = deviation(self.base, self.cox, redundant_ranges(self.base))
        low, high = (bound * self.base.product for bound in error.exact(self.cox.sigma0))
        if not (low <= self.values[0] and self.values[1] < high):
            raise SpecificationError(
                f"values of up to {max(map(abs, self.values)).bit_length()} bits are outside the "
                f"range in which the Cox is exact on a {self.base.product.bit_length()}-bit base"
            )

    @property
    def width(self) -> int:
        """d, the bits of a word of the result."""
        return self.base.width if self.word is None else self.word

    @property
    def values(self) -> Range:
        """The range of X, whatever the modulus."""
        return min(low for low, _ in self.ranges), max(high for _, high in self.ranges)

    @property
    def words(self) -> int:
        """Words of a result, the same for all moduli."""
        return -(-(max(self.moduli) - 1).bit_length() // self.width)

    @cached_property
    def candidates(self) -> range:
        """Every k for which X + k P can be the result, for any of the moduli."""
        ranges = list(zip(self.moduli, self.ranges, strict=True))
        first = min(-(high // modulus) for modulus, (_, high) in ranges)
        return range(first, max(-(low // modulus) for modulus, (low, _) in ranges) + 1)

    @cached_property
    def columns(self) -> int:
        """Columns that are computed: enough for the signs of all X + k P, a multiple of c.

        The highest column has d + 1 bits.
        """
        first, last = self.candidates[0], self.candidates[-1]
        ranges = list(zip(self.moduli, self.ranges, strict=True))
        low = min(low + first * modulus for modulus, (low, _) in ranges)
        high = max(high + last * modulus for modulus, (_, high) in ranges)
        bits = max((-low - 1).bit_length() if low < 0 else 0, high.bit_length())
        needed = max(-(-bits // self.width), self.words)
        return -(-needed // self.multipliers) * self.multipliers

    @property
    def group(self) -> int:
        """Cycles for c columns: one product a cycle, of each residue and of the quotient."""
        return len(self.base) + 1

    @property
    def occupancy(self) -> int:
        """Cycles for all columns: the shortest distance between two conversions."""
        return self.columns // self.multipliers * self.group

    @property
    def interval(self) -> int:
        """Cycles between results when neither stream waits."""
        return max(self.occupancy, self.words)

    @property
    def latency(self) -> int:
        """Cycles from the first residue to the last word when neither stream waits."""
        # Between the last product and the first word: the sum, the choice of a column, the carry,
        # two pages.
        pipeline = accumulation_latency(self.base.width + 1) + (self.multipliers > 1) + 3
        pipeline += self.relaxed * (RELAXED + min(WORDS_AHEAD + _TOLD, self.group))
        return self.occupancy + self.multipliers + pipeline + self.words - 1

    @property
    def result_pages(self) -> int:
        """Results in the making or leaving when neither stream waits, as a power of two."""
        needed = -(-(self.latency - 1) // self.interval)
        return 1 << (needed - 1).bit_length()

    @property
    def payload(self) -> data.StructLayout:
        """Payload of the stream of results: ``word`` in the low bits, then ``last``."""
        return data.StructLayout({"word": self.width, "last": 1})

    def digits(self, number: int) -> list[int]:
        """The columns of a constant: unsigned words, the top one signed with d + 1 bits."""
        top = self.width * (self.columns - 1)
        number %= 1 << (top + self.width + 1)
        mask = (1 << self.width) - 1
        digits = [number >> (self.width * j) & mask for j in range(self.columns - 1)]
        highest = number >> top
        return [*digits, highest - (highest >> self.width << (self.width + 1))]

    @cached_property
    def constants(self) -> list[list[int]]:
        """The factors of each multiplier, column by column: those of the residues, that of q."""
        rows = [self.digits(number) for number in (*self.base.cofactors, -self.base.product)]
        return [
            [row[j] for j in range(first, self.columns, self.multipliers) for row in rows]
            for first in range(self.multipliers)
        ]

    @cached_property
    def sum_range(self) -> Range:
        """The range of all columns."""
        residues = [*redundant_ranges(self.base), self.quotient_range]
        sums = []
        for constants in self.constants:
            for start in range(0, len(constants), self.group):
                column = constants[start : start + self.group]
                ends = [
                    (c * low, c * high) for c, (low, high) in zip(column, residues, strict=True)
                ]
                sums.append((sum(map(min, ends)), sum(map(max, ends))))
        return min(low for low, _ in sums), max(high for _, high in sums)

    @cached_property
    def quotient_range(self) -> Range:
        """The range of q."""
        weights = [1] * len(self.base)
        ends = [list(end) for end in zip(*redundant_ranges(self.base), strict=True)]
        widths = [modulus.width for modulus in self.base]
        low, high = (self.cox.quotient(residues, weights, widths) for residues in ends)
        return low, high
