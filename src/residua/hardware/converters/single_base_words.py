"""Design of an SBMM multiplier with binary operands and results.

X is split as it comes, X = K_x M_a + R_x, and so is Y. With U = 2 K_x K_y + R_x R_y and
V = K_x R_y + R_x K_y, X Y is congruent to U + V M_a modulo P = M_a^2 - 2. Of the two Splits of a
product (SBMM Algorithm 4) that of V is enough here: with V = K_v M_a + R_v,

    U + V M_a - K_v P = U + 2 K_v + R_v M_a

is congruent to X Y, and hardly longer than U. Its residues in base a and base b together, which
hold K M_a + R of any result, are what a converter makes a binary number in [0, P) of. M_a is 0 in
base a, so that of V only the quotient is wanted there.
"""

from fractions import Fraction
from functools import cached_property

from residua.algorithms.conversion import to_residues
from residua.algorithms.fields.field_unit import number_base
from residua.algorithms.montgomery import Element
from residua.algorithms.position_residue import (
    Coefficients,
    PositionResidueDomain,
    coefficient_sums,
)
from residua.algorithms.program import Program
from residua.algorithms.single_base import decompose
from residua.algorithms.split import divide
from residua.algorithms.terms import Residues
from residua.errors import SpecificationError
from residua.hardware.converters.word_core import WordDesign
from residua.hardware.engine.datapath_design import EngineOptions
from residua.machines.scheduling.liveness import without_dead_steps
from residua.numbers.residues import Redundant


class SingleBaseWords(WordDesign):
    """Design of an SBMM multiplier with words: x y mod P for x and y in [0, ``largest``].

    Raises:
        SpecificationError: the bases have no room for such products, or the engine or the converter
            cannot be built with these options.
    """

    domain: PositionResidueDomain

    def __init__(
        self,
        domain: PositionResidueDomain,
        options: EngineOptions,
        multipliers: int = 1,
        largest: int | None = None,
    ) -> None:
        super().__init__(domain, options, multipliers)
        self._largest = largest

    @property
    def largest(self) -> int:
        """The largest operand; by default what its words hold."""
        return self.most if self._largest is None else self._largest

    @property
    def largest_x(self) -> int:
        """The largest x, the same."""
        return self.largest

    def expected(self, x: int, y: int) -> int:
        """The result for two operands, by plain integers."""
        return x * y % self.domain.modulus

    @cached_property
    def program(self) -> Program:
        """Program from the words of x and y to the residues from which the result is read."""
        program = Program("sbmm-words", Redundant(1))
        x, y = (self._operand(program, name) for name in "xy")
        low, high = coefficient_sums(program, self.domain, [(x, y, 1)])
        program.output(*_joined(program, self.domain, low, high))
        return without_dead_steps(program)

    def _operand(self, program: Program, name: str) -> Coefficients:
        """(R, K) of an operand, in the factors in which a product comes to its Split."""
        words, bases = self.operand(program, name, self.largest), self.domain.split
        value = (
            to_residues(program, words, base, [factor * factor for factor in factors])
            for base, factors in ((bases.base_a, bases.factor_a), (bases.base_b, bases.factor_b))
        )
        return decompose(program, self.domain, Element(*value))


def widest_words(
    domain: PositionResidueDomain, options: EngineOptions, multipliers: int = 1
) -> SingleBaseWords:
    """The design for any operands that their words hold, or for those below P if that is too much.

    Raises:
        SpecificationError: the extra modulus leaves no room for products of numbers below P.
    """
    failure: SpecificationError | None = None
    for largest in (None, domain.modulus - 1):
        design = SingleBaseWords(domain, options, multipliers, largest)
        try:
            # It is what needs the most room, and the program is made for it.
            _ = design.conversion
        except SpecificationError as error:
            failure = error
        else:
            return design
    extra = domain.split.base_b.extra
    assert extra
    raise SpecificationError(
        f"extra_bits = {extra.width} leaves no room for products of binary operands: {failure}; "
        "give more of them"
    )


def _joined(
    program: Program, domain: PositionResidueDomain, low: Element, high: Element
) -> tuple[Residues, Residues]:
    """Residues of U + 2 K_v + R_v M_a in cofactor form over `number_base`, in base a and base b."""
    radix, count = domain.split.base_a.product, len(domain.split.base_a)
    inverses = number_base(domain).cofactor_inverses
    inverses_a, inverses_b = inverses[:count], inverses[count:]
    v = divide(program, domain.split, high)
    quotient_a = v.quotient_a(program, domain.offset, inverses_a)
    reached = low.a.range + quotient_a.range + v.remainder.scaled(Fraction(radix))
    return (
        program.reduce("z_a", program.scaled(low.a, 1, inverses_a), quotient_a, range=reached),
        program.reduce(
            "z_b",
            program.scaled(low.b, 1, inverses_b),
            program.scaled(high.b, radix, inverses_b),
            program.scaled(v.quotient, -domain.modulus, inverses_b),
            range=reached,
        ),
    )
