"""Design of an RNS Montgomery multiplier with binary operands and results."""

from functools import cached_property
from typing import Literal

from gmpy2 import mpz

from residua.algorithms.base_extension import cofactor_form
from residua.algorithms.conversion import to_montgomery, to_residues
from residua.algorithms.montgomery import Element, MontgomeryDomain, reduce
from residua.algorithms.program import Program
from residua.algorithms.terms import Residues
from residua.errors import SpecificationError
from residua.hardware.converters.word_core import WordDesign
from residua.hardware.engine.datapath_design import EngineOptions
from residua.machines.scheduling.liveness import without_dead_steps
from residua.numbers.residues import Redundant

Result = Literal["montgomery", "plain"]


class MontgomeryWords(WordDesign):
    """Design of a Montgomery multiplier with words.

    ``result`` ``montgomery`` computes x y R^-1 mod P with R = M_a, for x, y in [0, ``largest``];
    ``plain`` computes x y mod P, for x any number that its words hold and y in [0, ``largest``].
    ``largest`` is B, the domain's bound, or P - 1 if that is more, or what the words hold if that
    is less.

    Raises:
        SpecificationError: the engine or the converter cannot be built with these options.
    """

    domain: MontgomeryDomain

    def __init__(
        self,
        domain: MontgomeryDomain,
        result: Result,
        options: EngineOptions,
        multipliers: int = 1,
    ) -> None:
        if result not in ("montgomery", "plain"):
            raise SpecificationError(f"result = '{result}': give 'montgomery' or 'plain'")
        super().__init__(domain, options, multipliers)
        self.result = result

    @property
    def largest(self) -> int:
        """The largest operand (for ``plain`` the largest y)."""
        return min(max(self.domain.bound, self.domain.modulus - 1), self.most)

    @property
    def largest_x(self) -> int:
        """The largest x."""
        return self.most if self.result == "plain" else self.largest

    def expected(self, x: int, y: int) -> int:
        """The result for two operands, by plain integers."""
        product = mpz(x) * y
        if self.result == "montgomery":
            product *= self._factor_inverse
        return int(product % self.domain.modulus)

    @cached_property
    def _factor_inverse(self) -> int:
        return pow(self.domain.montgomery_factor, -1, self.domain.modulus)

    @cached_property
    def program(self) -> Program:
        """Program from the words of x and y to the residues from which the result is read."""
        program = Program(f"{self.result}-words", Redundant(1))
        product = _product(program, self)
        if self.domain.form == "plain":
            product = cofactor_form(program, product)
        program.output(product)
        return without_dead_steps(program)

    @property
    def converted(self) -> int:
        """The bound of operands, which the number that is converted keeps as well."""
        return self.domain.bound


def _product(program: Program, design: MontgomeryWords) -> Residues:
    """The residues of the product in base b, in the order of steps that leaves the fewest gaps."""
    domain = design.domain
    x_words = design.operand(program, "x", design.largest_x)
    y_words = design.operand(program, "y", design.largest)
    if design.result == "plain":
        x = to_montgomery(program, domain, x_words)
        y = Element(
            to_residues(program, y_words, domain.base_a, domain.factor_a),
            to_residues(program, y_words, domain.base_b, domain.factor_b),
        )
        u_a = program.reduce("u_a", program.product(x.a, y.a))
        u_b = program.reduce("u_b", program.product(x.b, y.b))
        return reduce(program, domain, u_a, u_b).b
    x_a = to_residues(program, x_words, domain.base_a, domain.factor_a)
    y_a = to_residues(program, y_words, domain.base_a, domain.factor_a)
    x_b = to_residues(program, x_words, domain.base_b, domain.factor_b)
    u_a = program.reduce("u_a", program.product(x_a, y_a))
    y_b = to_residues(program, y_words, domain.base_b, domain.factor_b)
    u_b = program.reduce("u_b", program.product(x_b, y_b))
    return reduce(program, domain, u_a, u_b).b
