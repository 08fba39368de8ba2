"""RNS Montgomery arithmetic whose bases are chosen at random, before each operation.

Choices are secret and uniform, so that residues tell nothing of the number that they stand for
(Bajard, Imbert, Liardet and Teglia, "Leak resistant arithmetic", CHES 2004). Programs take what
depends on a choice from registers, see `residua.algorithms.fields.base_choice`; else they are those
of the "reordered" form. Constants of formulas are elements that `constants` makes.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import cached_property

from residua.algorithms.conversion import to_residues
from residua.algorithms.fields.base_choice import (
    COFACTOR,
    QUOTIENT,
    REDUCTION,
    SQUARE,
    complete,
    held_factors,
    held_input,
    prepare,
    reach,
    turn,
)
from residua.algorithms.fields.field import Constant, Factor, FieldProgram, Load
from residua.algorithms.fields.rns_field import Lowered, Lowering, smallest_bound
from residua.algorithms.held_extension import HeldMatrix, held_extension, restated
from residua.algorithms.montgomery import Element, MontgomeryDomain, operand
from residua.algorithms.program import Program
from residua.algorithms.terms import Residues, Summand
from residua.errors import SpecificationError
from residua.numbers.residues import Representation


def closed_domain(
    domain: MontgomeryDomain,
    programs: Sequence[FieldProgram],
    values: Mapping[Constant, int],
    number: tuple[int, int],
    representation: Representation,
) -> MontgomeryDomain:
    """The domain with the smallest bound 2^k P / 4 under which all programs are closed.

    Ranges are the same for every choice. ``values`` are those of all constants, ``number`` is what
    `load` takes: how many words of how many bits.

    Raises:
        ProgramError: there is none; the bases are too narrow.
    """

    def check(candidate: MontgomeryDomain) -> None:
        prepare(candidate, (0,) * len(candidate.base_a), representation)
        complete(candidate, representation)
        constants(candidate, values, representation)
        load("number", candidate, *number, representation)
        for program in programs:
            lower(program, candidate, representation)

    return smallest_bound(domain, check)


class ChosenModulus:
    """What a program holds of the choice; ``inputs`` are those elements that it uses."""

    def __init__(self, program: Program, domain: MontgomeryDomain) -> None:
        self.program, self.domain = program, domain
        self.inputs: dict[str, Element] = {}

    def held(self, name: str) -> Element:
        """One of the elements that hold factors, once in a program."""
        if name not in self.inputs:
            factors = held_factors(self.domain)[name]
            self.inputs[name] = held_input(self.program, self.domain, name, factors)
        return self.inputs[name]

    @property
    def square(self) -> Element:
        """R^2 modulo P."""
        return self.element(SQUARE)

    def element(self, name: str) -> Element:
        """An element modulo P that does not depend on operands, once in a program."""
        if name not in self.inputs:
            self.inputs[name] = operand(self.program, self.domain, name)
        return self.inputs[name]

    def times_square(self, x_a: Residues, x_b: Residues) -> Element:
        """The element of a number, which carries no factor."""
        program, square = self.program, self.square
        scaled = program.reduce("x_b", program.product(x_b, self.held(COFACTOR).b))
        element = self.reduce(
            program.reduce("u_a", program.product(x_a, square.a)),
            program.reduce("u_b", program.product(scaled, square.b)),
        )
        program.demand(element.b, self.domain.range, "elements outside keep within B")
        return element

    def matrix(self, part: str) -> HeldMatrix:
        """The constants of the extension to base a or b."""
        names = [turn(index) for index in range(len(self.domain.base_a))]
        return HeldMatrix(
            tuple(getattr(self.held(name), part) for name in names),
            getattr(self.held(QUOTIENT), part),
        )

    def reduce(self, u_a: Residues, u_b: Residues, *, quotient: bool = False) -> Element:
        """U M_a^-1 mod P, wherever it lies; ``quotient`` has the Cox keep it next to [0, P]."""
        program, domain = self.program, self.domain
        modulus, product = domain.modulus, domain.base_a.product
        own = self.held(REDUCTION)
        xi_a = program.restate(
            program.reduce("xi_a", program.product(u_a, own.a)), Fraction(-1, modulus)
        )
        share = Fraction(1, product)
        first = reach(domain, domain.first, program.representation)
        second = reach(domain, domain.second, program.representation)
        rest = program.product(u_b, own.b)
        s_b = program.reduce(
            "s_b",
            held_extension(
                program,
                xi_a,
                domain.base_b,
                domain.first if quotient or not domain.skips_quotient else None,
                self.matrix("b"),
                first,
                multiple=modulus * share,
                factor=domain.factor_b,
            ),
            replace(restated(rest, share), range=rest.range * first.inverse),
        )
        extension = held_extension(
            program, s_b, domain.base_a, domain.second, self.matrix("a"), second, exact=True
        )
        return Element(program.reduce("s_a", extension), s_b)


class ChosenLowering(Lowering):
    """A lowering whose reductions take the constants of the bases from registers."""

    def _others(self) -> dict[str, Element]:
        return self._modulus.inputs

    @cached_property
    def _modulus(self) -> ChosenModulus:
        return ChosenModulus(self.program, self.domain)

    def reduced(self, u_a: Residues, u_b: Residues, multiple: int) -> Element:
        """multiple * U M_a^-1 mod P, of which the multiple is made last."""
        element = self._modulus.reduce(u_a, u_b)
        return element if multiple == 1 else self._combine("multiple", [(element, multiple)])

    def _product(self, x: Residues, y: Factor, base: str, sign: int) -> Summand:
        other = self._constant(y) if isinstance(y, Constant) else self.elements[y]
        return self.program.product(x, getattr(other, base), sign)

    def _load(self, operation: Load) -> Element:
        self._placed.add(operation.result)
        return self._constant(operation.constant)

    def _constant(self, constant: Constant) -> Element:
        """The element of a constant, which `constants` has made."""
        return self._modulus.element(constant_element(constant))


def lower(
    source: FieldProgram, domain: MontgomeryDomain, representation: Representation
) -> Lowered:
    """The RNS program of a field program, for a choice.

    Raises:
        ProgramError: an element outgrows the bases, or an output the domain's bound.
    """
    return ChosenLowering(source, domain, {}, representation).lower()


def load(
    name: str, domain: MontgomeryDomain, words: int, width: int, representation: Representation
) -> Lowered:
    """A program that brings a binary number into Montgomery form, as ``name``.

    The number may be any that the words hold.
    """
    program = Program(f"load_{name}", representation)
    modulus = ChosenModulus(program, domain)
    number = program.words(name, words, width, (1 << (words * width)) - 1)
    plain = Element(
        to_residues(program, number, domain.base_a), to_residues(program, number, domain.base_b)
    )
    element = modulus.times_square(plain.a, plain.b)
    program.output(element.a, element.b)
    return Lowered(program, modulus.inputs, {name: element})


def constant_element(constant: Constant) -> str:
    """The name of the element of a constant."""
    return f"constant_{constant.value}"


def constants(
    domain: MontgomeryDomain, values: Mapping[Constant, int], representation: Representation
) -> Lowered:
    """A program that makes the elements of constants with these values."""
    program = Program("constants", representation)
    modulus, found = ChosenModulus(program, domain), {}
    ones = (1,) * len(domain.base_a)
    for constant, value in values.items():
        plain = [
            program.reduce(part, program.stored(value, base, ones))
            for part, base in (("c_a", domain.base_a), ("c_b", domain.base_b))
        ]
        element = modulus.times_square(*plain)
        found[constant_element(constant)] = element
        program.output(element.a, element.b)
    return Lowered(program, modulus.inputs, found)


def unload(name: str, domain: MontgomeryDomain, representation: Representation) -> Lowered:
    """A program that takes ``name`` out of Montgomery form, for the conversion to binary.

    The outputs, in base a and in base b, are in cofactor form over both together, whose product is
    the same for every choice. The number lies in [-P, P].

    Raises:
        SpecificationError: the bases are too narrow for that.
    """
    program = Program(f"unload_{name}", representation)
    value, modulus = operand(program, domain, name), ChosenModulus(program, domain)
    own, cofactors = modulus.held(REDUCTION), modulus.held(COFACTOR)
    u_b = program.reduce("u_b", program.product(value.b, cofactors.b))
    result = modulus.reduce(value.a, u_b, quotient=True)
    if result.b.range.magnitude > domain.modulus:
        raise SpecificationError(
            f"a result leaves [-P, P] when it is converted; the bases are too narrow for "
            f"elements of up to {domain.bound.bit_length()} bits"
        )
    joint = domain.joint_base.cofactor_inverses
    count = len(domain.base_a)
    given_a = program.reduce("given_a", program.scaled(result.a, 1, joint[:count]))
    # (M / b_r)^-1 = (M_b / b_r)^-2 times what a reduction multiplies by.
    part = program.reduce("part_b", program.product(result.b, own.b))
    given_b = program.reduce("given_b", program.product(part, cofactors.b))
    assert given_b.factor == joint[count:]
    program.output(given_a, given_b)
    return Lowered(program, modulus.inputs | {name: value}, {})
