"""RNS field unit: field programs on RNS Montgomery arithmetic.

Elements are residues in both bases of a `MontgomeryDomain`, in Montgomery form (X stands for
X R mod P, R = M_a), anywhere in a signed range that interval arithmetic derives. Elements that live
outside a program keep within the domain's bound B.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from residua.algorithms.conversion import to_montgomery
from residua.algorithms.fields.field import (
    Choice,
    Combination,
    Constant,
    Factor,
    FieldProgram,
    Load,
    ProductSum,
    Selection,
    Variable,
    constant_value,
)
from residua.algorithms.montgomery import Element, MontgomeryDomain, divide, operand, reduce_open
from residua.algorithms.program import NarrowBaseError, Program, ProgramError
from residua.algorithms.terms import Interval, Residues, Summand, Vector
from residua.errors import SpecificationError
from residua.numbers.residues import Representation

LARGEST_GROWTH = 24
"""Bits above P within which `smallest_bound` looks for one."""


@dataclass(frozen=True)
class Lowered:
    """An RNS program with the elements that it takes from outside and leaves there, by name."""

    program: Program
    inputs: dict[str, Element]
    outputs: dict[str, Element]


def lower(
    source: FieldProgram,
    domain: MontgomeryDomain,
    constants: Mapping[str, int],
    representation: Representation,
) -> Lowered:
    """The RNS program of a field program; ``constants`` are the integers of named constants.

    Raises:
        ProgramError: an element outgrows the bases, or an output the domain's bound.
    """
    return Lowering(source, domain, constants, representation).lower()


def closed_domain(
    domain: MontgomeryDomain,
    programs: Sequence[tuple[FieldProgram, Mapping[str, int]]],
    number: tuple[int, int],
    representation: Representation,
) -> MontgomeryDomain:
    """The domain with the smallest bound 2^k P / 4 under which all programs are closed.

    ``number`` is what `load` takes: how many words of how many bits.

    Raises:
        ProgramError: there is none; the bases are too narrow.
    """
    return closed_programs(domain, programs, number, representation)[0]


def closed_programs(
    domain: MontgomeryDomain,
    programs: Sequence[tuple[FieldProgram, Mapping[str, int]]],
    number: tuple[int, int],
    representation: Representation,
) -> tuple[MontgomeryDomain, list[Lowered]]:
    """The domain of `closed_domain`, and what `lower` makes of the programs on it.

    Raises:
        ProgramError: there is none; the bases are too narrow.
    """
    critical = list(range(len(programs)))
    lowered: dict[int, Lowered] = {}

    def check(candidate: MontgomeryDomain) -> None:
        load("number", candidate, *number, representation)
        for place, index in enumerate(critical):
            program, constants = programs[index]
            try:
                lowered[index] = lower(program, candidate, constants, representation)
            except ProgramError:
                # What has failed is likely to fail again.
                critical.insert(0, critical.pop(place))
                raise

    closed = smallest_bound(domain, check)
    return closed, [lowered[index] for index in range(len(programs))]


def smallest_bound(
    domain: MontgomeryDomain, check: Callable[[MontgomeryDomain], None]
) -> MontgomeryDomain:
    """The domain with the smallest bound 2^k P / 4 for which ``check`` raises no `ProgramError`.

    Raises:
        ProgramError: there is none; the bases are too narrow.
    """
    failure: ProgramError | None = None
    for growth in range(4 * LARGEST_GROWTH):
        bound = domain.modulus * (4 + growth % 4) << growth // 4 >> 2
        candidate = replace(domain, bound=bound)
        try:
            check(candidate)
        except NarrowBaseError:
            # A larger bound would need a base that is wider still.
            raise
        except ProgramError as error:
            failure = error
        else:
            return candidate
    assert failure is not None
    raise failure


class Lowering:
    """Makes the steps of an RNS program of the operations of a field program."""

    def __init__(
        self,
        source: FieldProgram,
        domain: MontgomeryDomain,
        constants: Mapping[str, int],
        representation: Representation,
    ) -> None:
        self.source, self.domain, self.constants = source, domain, constants
        self.program = Program(source.name, representation)
        self.elements: dict[Variable, Element] = {}
        # What is an element outside already.
        self._placed = set(source.inputs.values())

    def lower(self) -> Lowered:
        """The program, with all inputs and outputs."""
        inputs = {name: operand(self.program, self.domain, name) for name in self.source.inputs}
        for name, variable in self.source.inputs.items():
            self.elements[variable] = inputs[name]
        for operation in self.source.operations:
            match operation:
                case ProductSum():
                    self.elements[operation.result] = self._product_sum(operation)
                case Combination():
                    self.elements[operation.result] = self._combination(operation)
                case Load():
                    self.elements[operation.result] = self._load(operation)
                case Selection():
                    self.elements[operation.result] = self._selection(operation)
                case Choice():
                    self.elements[operation.result] = self._choice(operation)
        outputs = {name: self._output(name, v) for name, v in self.source.outputs.items()}
        self.program.output(*(part for e in outputs.values() for part in (e.a, e.b)))
        return Lowered(self.program, inputs | self._others(), outputs)

    def _others(self) -> dict[str, Element]:
        """Inputs that are none of the field program."""
        return {}

    def _output(self, name: str, variable: Variable) -> Element:
        """Name a result of its own, so that it can have a place of its own."""
        element = self.elements[variable]
        if variable in self._placed:
            element = self._combine(name, [(element, 1)])
        self._placed.add(variable)
        self.program.demand(element.b, self.domain.range, "elements outside keep within B")
        return element

    def _product_sum(self, operation: ProductSum) -> Element:
        name = operation.result.name
        u_a, u_b = (
            self.program.reduce(
                f"{name}:u_{base}",
                *(
                    self._product(getattr(self.elements[x], base), y, base, sign)
                    for x, y, sign in operation.products
                ),
            )
            for base in ("a", "b")
        )
        return self.reduced(u_a, u_b, operation.multiple)

    def reduced(self, u_a: Residues, u_b: Residues, multiple: int) -> Element:
        """multiple * U M_a^-1 mod P for a product or a sum of products in both bases."""
        return reduce_open(self.program, self.domain, u_a, u_b, multiple=multiple)

    def _product(self, x: Residues, y: Factor, base: str, sign: int) -> Summand:
        if isinstance(y, Variable):
            return self.program.product(x, getattr(self.elements[y], base), sign)
        value = sign * self.montgomery_form(y)
        return self.program.scaled(x, value, _squared(x.factor))

    def montgomery_form(self, constant: Constant) -> int:
        """The representative of c R mod P next to zero."""
        modulus = self.domain.modulus
        value = constant_value(constant, self.constants) * self.domain.montgomery_factor % modulus
        return value - modulus if 2 * value > modulus else value

    def _combination(self, operation: Combination) -> Element:
        terms = [(self.elements[x], coefficient) for x, coefficient in operation.terms]
        return self._combine(operation.result.name, terms)

    def _combine(self, name: str, terms: list[tuple[Element, int]]) -> Element:
        a, b = (
            self.program.reduce(
                f"{name}_{base}",
                *(self.program.scaled(getattr(x, base), factor) for x, factor in terms),
            )
            for base in ("a", "b")
        )
        return Element(a, b)

    def _load(self, operation: Load) -> Element:
        value, name = self.montgomery_form(operation.constant), operation.result.name
        domain = self.domain
        a, b = (
            self.program.reduce(f"{name}_{part}", self.program.stored(value, base, factor))
            for part, base, factor in (
                ("a", domain.base_a, domain.factor_a),
                ("b", domain.base_b, domain.factor_b),
            )
        )
        return Element(a, b)

    def _selection(self, operation: Selection) -> Element:
        x, y = self.elements[operation.x], self.elements[operation.y]
        bit = self.program.bit(operation.flag.name)
        a, b = (
            self.program.reduce(
                f"{operation.result.name}_{base}",
                self.program.select(bit, getattr(x, base), getattr(y, base), operation.sign),
            )
            for base in ("a", "b")
        )
        return Element(a, b)

    def _choice(self, operation: Choice) -> Element:
        choices = [(self.program.bit(f.name), self.elements[x]) for f, x in operation.choices]
        a, b = (
            self.program.reduce(
                f"{operation.result.name}_{base}",
                self.program.choose(*((bit, getattr(x, base)) for bit, x in choices)),
            )
            for base in ("a", "b")
        )
        return Element(a, b)


def load(
    name: str, domain: MontgomeryDomain, words: int, width: int, representation: Representation
) -> Lowered:
    """A program that brings a binary number of ``words`` words into Montgomery form, as ``name``.

    The number may be any that the words hold.
    """
    program = Program(f"load_{name}", representation)
    number = program.words(name, words, width, (1 << (words * width)) - 1)
    element = to_montgomery(program, domain, number)
    program.output(element.a, element.b)
    return Lowered(program, {}, {name: element})


def unload(name: str, domain: MontgomeryDomain, representation: Representation) -> Lowered:
    """A program that takes ``name`` out of Montgomery form, for the conversion to binary.

    The output is in cofactor form over base b and lies in [-P, P].

    Raises:
        SpecificationError: the bases are too narrow for that.
    """
    program = Program(f"unload_{name}", representation)
    value = operand(program, domain, name)
    inverse = Fraction(-1, domain.modulus)
    xi_a = program.reduce("xi_a", program.scaled(value.a, inverse, domain.base_a.cofactor_inverses))
    ones: Vector = (1,) * len(domain.base_a)
    result = divide(program, domain, xi_a, value.b, ones, quotient=True)
    limit = domain.modulus
    if result.b.range.magnitude > limit:
        raise SpecificationError(
            f"a result leaves [-P, P] when it is converted; the bases are too narrow for "
            f"elements of up to {domain.bound.bit_length()} bits"
        )
    program.output(program.significant(result.b))
    return Lowered(program, {name: value}, {})


def give_residues(name: str, domain: MontgomeryDomain, representation: Representation) -> Lowered:
    """A program whose outputs `residua.hardware.inverters.residue_inverter` takes for 1 / ``name``.

    They are 4 X, 4 F and P in cofactor form over base b, for X congruent to the element out of
    Montgomery form and F = R^2 mod P.

    Raises:
        SpecificationError: the bases are too narrow for X to lie in [-P, P].
    """
    lowered = unload(name, domain, representation)
    program, base, modulus = lowered.program, domain.base_b, domain.modulus
    (number,) = program.outputs
    program.outputs.clear()
    first = pow(domain.montgomery_factor, 2, modulus)
    first -= modulus if 2 * first > modulus else 0
    factor = base.cofactor_inverses
    program.output(
        program.reduce("4x", program.scaled(number, 4)),
        program.reduce("4f", program.stored(4 * first, base, factor)),
        program.reduce("p", program.stored(modulus, base, factor)),
    )
    return lowered


def take_residues(
    name: str, target: str, domain: MontgomeryDomain, representation: Representation
) -> Lowered:
    """A program that makes the element ``target`` of what that inverter gives as ``name``.

    That is U3 and U1 in cofactor form over base b, which `Lowered.inputs` has as parts a and b of
    one element.
    """
    program = Program(f"take_{name}", representation)
    base, modulus = domain.base_b, domain.modulus
    cofactors, within = base.cofactor_inverses, Interval.of(-modulus, modulus)
    u3, u1 = (program.input(part, base, cofactors, within) for part in ("u3", "u1"))
    u3_a, u1_a = (
        program.reduce(
            f"{part.name}_a",
            program.extension(
                part,
                domain.base_a,
                domain.second,
                factor=domain.factor_a,
                columns=domain.columns,
                exact=True,
            ),
        )
        for part in (u3, u1)
    )
    u_a = program.reduce("u_a", program.product(u3_a, u1_a))
    u_b = program.reduce("u_b", program.product(u3, u1))
    result = reduce_open(program, domain, u_a, u_b)
    program.demand(result.b, domain.range, "elements outside keep within B")
    program.output(result.a, result.b)
    return Lowered(program, {name: Element(u3, u1)}, {target: result})


def _squared(factor: Vector) -> Vector:
    """The factor of a product of two values that carry ``factor``."""
    return tuple(each * each for each in factor)
