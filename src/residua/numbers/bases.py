"""RNS bases: ordered sets of pairwise coprime moduli, and what the CRT derives from them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import gcd, prod

from residua.errors import SpecificationError
from residua.numbers.moduli import Modulus


@dataclass(frozen=True)
class Base:
    """An RNS base (m_1, ..., m_n) of pairwise coprime moduli of one width.

    ``narrow`` tells that the last modulus is an extra one, 2^g, of no more bits than the others
    (the m_gamma of SBMM); its words are exactly the g bits of a signed residue. One that
    ``checks`` is a check modulus, which has no part in M: the other residues decide what is there.
    """

    moduli: tuple[Modulus, ...]
    narrow: bool = False
    checks: bool = False

    def __post_init__(self) -> None:
        if not self.moduli:
            raise SpecificationError("a base needs at least one modulus")
        if self.narrow:
            self._check_narrow(self.moduli[-1])
        elif self.checks:
            raise SpecificationError("the check modulus of a base is its extra one")
        widths = {modulus.width for modulus in self.wide}
        if len(widths) > 1:
            raise SpecificationError(f"the moduli of a base share one width, not {sorted(widths)}")
        common = first_common_factor([modulus.value for modulus in self.moduli])
        if common:
            first, second, factor = common
            raise SpecificationError(
                f"moduli {self.moduli[first]} and {self.moduli[second]} share the factor {factor}; "
                "the moduli of a base must be pairwise coprime"
            )

    def _check_narrow(self, extra: Modulus) -> None:
        if extra.offset or (self.wide and extra.width > self.wide[0].width):
            raise SpecificationError(
                "the extra modulus of a base is a power of two of no more bits than the others, "
                f"not {extra}"
            )

    def __len__(self) -> int:
        return len(self.moduli)

    def __iter__(self) -> Iterator[Modulus]:
        return iter(self.moduli)

    @property
    def width(self) -> int:
        """Bits of a modulus, w; of the extra one if there is no other."""
        return self.moduli[0].width

    @property
    def wide(self) -> tuple[Modulus, ...]:
        """All moduli but the extra one."""
        return self.moduli[:-1] if self.narrow else self.moduli

    @property
    def extra(self) -> Modulus | None:
        """The extra modulus, None if there is none."""
        return self.moduli[-1] if self.narrow else None

    @property
    def significant(self) -> tuple[Modulus, ...]:
        """The moduli that numbers are made of: all but a check modulus."""
        return self.wide if self.checks else self.moduli

    @cached_property
    def product(self) -> int:
        """M, the product of all moduli but a check modulus."""
        return prod(modulus.value for modulus in self.significant)

    @cached_property
    def cofactors(self) -> tuple[int, ...]:
        """M_i = M / m_i, as integers; 0 for a check modulus."""
        own = (self.product // modulus.value for modulus in self.significant)
        return (*own, 0) if self.checks else tuple(own)

    @cached_property
    def cofactor_inverses(self) -> tuple[int, ...]:
        """T_i^-1 = (M / m_i)^-1 mod m_i, one for each channel; 1 for a check modulus."""
        own = (
            pow(cofactor, -1, modulus.value)
            for cofactor, modulus in zip(self.cofactors, self.significant, strict=False)
        )
        return (*own, 1) if self.checks else tuple(own)

    @property
    def without_check(self) -> "Base":
        """The base that numbers are made of; this one, if it has no check modulus."""
        return Base(self.wide) if self.checks else self

    def with_check(self, bits: int) -> "Base":
        """The base with a check modulus 2^``bits``.

        Raises:
            SpecificationError: there is an extra one already, a modulus is even, or they have fewer
                bits.
        """
        if self.narrow:
            raise SpecificationError("a base has one extra modulus at most")
        even = next((modulus for modulus in self.moduli if modulus.value % 2 == 0), None)
        if even is not None:
            raise SpecificationError(
                f"the modulus {even} is even, and so is the check modulus 2^{bits}: all others "
                "have to be odd"
            )
        return Base((*self.moduli, Modulus(bits, 0)), narrow=True, checks=True)

    def row_products(self, columns: int) -> tuple[int, ...]:
        """A_i, the product of each ``columns`` moduli in a row (HBE section II).

        An extra modulus is a row of its own, the last one.

        Raises:
            SpecificationError: ``columns`` does not divide the number of the others.
        """
        count = len(self.wide)
        if count % columns:
            raise SpecificationError(f"{count} moduli do not make rows of c = {columns}")
        values = [modulus.value for modulus in self.wide]
        rows = [prod(values[i : i + columns]) for i in range(0, count, columns)]
        return (*rows, self.extra.value) if self.extra else tuple(rows)

    def row_widths(self, columns: int) -> tuple[int, ...]:
        """The bits of what stands for A_i: c w, and those of an extra modulus."""
        rows = (columns * self.width,) * (len(self.wide) // columns)
        return (*rows, self.extra.width) if self.extra else rows

    def residues(self, number: int) -> tuple[int, ...]:
        """The canonical residues of an integer of any sign."""
        return tuple(number % modulus.value for modulus in self.moduli)

    def integer(self, residues: Sequence[int]) -> int:
        """The integer in [0, M) that has these residues (canonical or not): the CRT."""
        total = sum(
            (residue * inverse % modulus.value) * cofactor
            for residue, inverse, modulus, cofactor in zip(
                residues, self.cofactor_inverses, self.moduli, self.cofactors, strict=True
            )
        )
        return total % self.product

    def signed_integer(self, residues: Sequence[int]) -> int:
        """The integer in [-M/2, M/2) that has these residues."""
        number = self.integer(residues)
        return number - self.product if 2 * number >= self.product else number

    def coprime_to(self, other: "Base") -> bool:
        """Whether the products of both bases share no factor."""
        return gcd(self.product, other.product) == 1


def first_common_factor(values: Sequence[int]) -> tuple[int, int, int] | None:
    """The first two positions whose values share a factor, and the factor; None if coprime."""
    for second, value in enumerate(values):
        for first in range(second):
            factor = gcd(values[first], value)
            if factor > 1:
                return first, second, factor
    return None
