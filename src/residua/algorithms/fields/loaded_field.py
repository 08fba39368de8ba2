"""RNS Montgomery arithmetic modulo a number N that is known only at run time.

Of what RNS Montgomery multiplication knows in advance, three numbers depend on N. They are elements
here, which whoever loads N supplies beside it:

=========== ===================== ======================================
element     number                residues
=========== ===================== ======================================
"n"         N                     of N / M_a in base b
"n_inverse" -1 / N modulo M_a     times M_{a,i}^-1 in base a
"square"    R^2 modulo N, R = M_a of an element in both bases
=========== ===================== ======================================

xi of Q = U (-1 / N) is then a product, and so is Q N / M_a, which is added to U / M_a in base b: a
reduction has one step more than `residua.algorithms.montgomery.reduce_open`, in which extension and
N / M_a are one matrix. Ranges hold for all N up to the modulus of a domain, which stands for the
largest one; its form is "reordered". Elements keep within the domain's bound.
"""

from collections.abc import Sequence
from fractions import Fraction
from functools import cached_property

from residua.algorithms.conversion import to_residues
from residua.algorithms.fields.field import FieldProgram
from residua.algorithms.fields.rns_field import Lowered, Lowering, smallest_bound
from residua.algorithms.montgomery import Element, MontgomeryDomain, operand
from residua.algorithms.program import Program
from residua.algorithms.terms import Interval, Residues, Vector, Words
from residua.errors import SpecificationError
from residua.numbers.residues import Representation

NUMBER, INVERSE, SQUARE, ONE = "n", "n_inverse", "square", "one"
"""The elements that belong to N; the last one is 1 in Montgomery form."""

SMALLEST = 1 << 15
"""The smallest N for which results are reduced."""


class LoadedModulus:
    """N in a program, whose inputs are those that the program uses.

    The names of its elements begin with ``prefix``: a program may have several N.
    """

    def __init__(self, program: Program, domain: MontgomeryDomain, prefix: str = "") -> None:
        self.program, self.domain, self.prefix = program, domain, prefix
        self.inputs: dict[str, Element] = {}

    @cached_property
    def number(self) -> Element:
        """N, carrying 1 in base a and 1 / M_a in base b."""
        domain, name = self.domain, self.prefix + NUMBER
        largest = domain.modulus
        factors = (1,) * len(domain.base_a), _shares(domain)
        self.inputs[name] = _input(self.program, name, domain, *factors, largest)
        return self.inputs[name]

    @cached_property
    def _share(self) -> Residues:
        """N / M_a in base b."""
        return self.program.restate(self.number.b, Fraction(1, self.domain.base_a.product))

    @cached_property
    def _inverse(self) -> Residues:
        """-1 / N modulo M_a in base a."""
        domain, name = self.domain, self.prefix + INVERSE
        largest = domain.base_a.product - 1
        factors = domain.base_a.cofactor_inverses, (1,) * len(domain.base_b)
        self.inputs[name] = _input(self.program, name, domain, *factors, largest)
        return self.inputs[name].a

    @cached_property
    def square(self) -> Element:
        """R^2 modulo N."""
        return self.element(SQUARE)

    def element(self, name: str) -> Element:
        """An element modulo N that the caller supplies, once in a program."""
        name = self.prefix + name
        self.inputs[name] = operand(self.program, self.domain, name)
        return self.inputs[name]

    def reduce(self, u_a: Residues, u_b: Residues, *, quotient: bool = False) -> Element:
        """U M_a^-1 mod N, wherever it lies; ``quotient`` has the Cox keep it next to [0, N]."""
        return self.divide(self.quotient_cofactors(u_a), u_b, quotient=quotient)

    def quotient_cofactors(self, u_a: Residues) -> Residues:
        """xi of Q = -U / N mod M_a."""
        return self.program.reduce("xi_a", self.program.product(u_a, self._inverse))

    def divide(self, xi_a: Residues, u_b: Residues, *, quotient: bool) -> Element:
        """(U + Q N) / M_a for xi of Q in base a and U in base b."""
        program, domain = self.program, self.domain
        cox = domain.first if quotient or not domain.skips_quotient else None
        q_b = program.reduce(
            "q_b",
            program.extension(
                xi_a, domain.base_b, cox, factor=domain.factor_b, columns=domain.columns
            ),
        )
        s_b = program.reduce(
            "s_b",
            program.product(q_b, self._share),
            program.scaled(u_b, Fraction(1, domain.base_a.product), domain.factor_b),
        )
        extension = program.extension(
            s_b,
            domain.base_a,
            domain.second,
            factor=domain.factor_a,
            columns=domain.columns,
            exact=True,
        )
        return Element(program.reduce("s_a", extension), s_b)


class LoadedLowering(Lowering):
    """A lowering whose reductions take N from registers, which have names with ``prefix``."""

    prefix = ""

    def _others(self) -> dict[str, Element]:
        return self._modulus.inputs

    @cached_property
    def _modulus(self) -> LoadedModulus:
        return LoadedModulus(self.program, self.domain, self.prefix)

    def reduced(self, u_a: Residues, u_b: Residues, multiple: int) -> Element:
        """U M_a^-1 mod N; there are no multiples."""
        assert multiple == 1
        return self._modulus.reduce(u_a, u_b)


def lower(
    source: FieldProgram, domain: MontgomeryDomain, representation: Representation
) -> Lowered:
    """The RNS program of a field program without constants and multiples, for any N.

    Raises:
        ProgramError: an element outgrows the bases, or an output the domain's bound.
    """
    return LoadedLowering(source, domain, {}, representation).lower()


def closed_domain(
    domain: MontgomeryDomain,
    programs: Sequence[FieldProgram],
    words: int,
    representation: Representation,
) -> MontgomeryDomain:
    """The domain with the smallest bound 2^k N / 4 under which all programs are closed.

    ``words`` are those of a number that `load` takes.

    Raises:
        ProgramError: there is none; the bases are too narrow.
    """

    def check(candidate: MontgomeryDomain) -> None:
        load_square(candidate, words, representation)
        load("number", candidate, words, representation)
        for program in programs:
            lower(program, candidate, representation)

    return smallest_bound(domain, check)


def load_number(
    domain: MontgomeryDomain, words: int, representation: Representation, prefix: str = ""
) -> Lowered:
    """A program that makes "n" of the words of N."""
    number = BinaryNumber(prefix + NUMBER, domain, words, domain.modulus, representation)
    return number.element((1,) * len(domain.base_a), _shares(domain))


def load_inverse(
    domain: MontgomeryDomain, words: int, representation: Representation, prefix: str = ""
) -> Lowered:
    """A program that makes "n_inverse" of the words of -1 / N modulo M_a."""
    base = domain.base_a
    number = BinaryNumber(prefix + INVERSE, domain, words, base.product - 1, representation)
    return number.element(base.cofactor_inverses, (1,) * len(domain.base_b))


def load_square(
    domain: MontgomeryDomain, words: int, representation: Representation, prefix: str = ""
) -> Lowered:
    """A program that makes "square" and "one" of the words of R^2 modulo N."""
    number = BinaryNumber(prefix + SQUARE, domain, words, domain.modulus, representation)
    lowered = number.element(domain.factor_a, domain.factor_b)
    program, square = lowered.program, lowered.outputs[prefix + SQUARE]
    modulus = LoadedModulus(program, domain, prefix)
    one = modulus.reduce(square.a, square.b)
    for element in (square, one):
        program.demand(element.b, domain.range, "elements outside keep within B")
    program.output(one.a, one.b)
    return Lowered(program, modulus.inputs, {prefix + SQUARE: square, prefix + ONE: one})


def load(
    name: str,
    domain: MontgomeryDomain,
    words: int,
    representation: Representation,
    plain: str | None = None,
) -> Lowered:
    """A program that brings a binary number into Montgomery form, as ``name``.

    The number may be any that the words hold. One that stays as it is, too, as the element
    ``plain``, is below N.
    """
    largest = (1 << words * domain.base_a.width) - 1 if plain is None else domain.modulus - 1
    number = BinaryNumber(name, domain, words, largest, representation)
    program, modulus = number.program, LoadedModulus(number.program, domain)
    x, square = number.residues(domain.factor_a, domain.factor_b), modulus.square
    element = modulus.reduce(
        program.reduce("u_a", program.product(x.a, square.a)),
        program.reduce("u_b", program.product(x.b, square.b)),
    )
    found = {name: element} | ({} if plain is None else {plain: x})
    for each in found.values():
        program.demand(each.b, domain.range, "elements outside keep within B")
        program.output(each.a, each.b)
    return Lowered(program, modulus.inputs, found)


def unload(
    name: str,
    domain: MontgomeryDomain,
    representation: Representation,
    plain: str | None = None,
) -> Lowered:
    """A program that takes ``name`` out of Montgomery form, for the conversion to binary.

    With an element ``plain``, which is no Montgomery form and lies in [0, N), it takes out the
    product of both. The output is in cofactor form over base b and lies in [-N, N].

    Raises:
        SpecificationError: the bases are too narrow for that.
    """
    program = Program(f"unload_{name}", representation)
    modulus, value = LoadedModulus(program, domain), operand(program, domain, name)
    inputs, number, least = {name: value}, value, SMALLEST
    if plain is not None:
        # Both factors, and so the product, are the smaller the smaller N.
        inputs[plain], least = _below(program, plain, domain), domain.modulus
        number = Element(
            *(
                program.reduce(f"u_{part}", program.product(own, other))
                for part, own, other in (
                    ("a", value.a, inputs[plain].a),
                    ("b", value.b, inputs[plain].b),
                )
            )
        )
    result = modulus.reduce(number.a, number.b, quotient=True).b
    quotient = next(step.result for step in program.steps if step.result.name == "q_b")
    share = quotient.range.magnitude * least + number.b.range.magnitude
    if share > least * domain.base_a.product:
        raise SpecificationError(
            f"a result leaves [-N, N] when it is converted; the bases are too narrow for "
            f"elements of up to {domain.bound.bit_length()} bits"
        )
    program.output(result)
    return Lowered(program, inputs | modulus.inputs, {})


class BinaryNumber:
    """A program that takes a binary number."""

    def __init__(
        self,
        name: str,
        domain: MontgomeryDomain,
        words: int,
        largest: int,
        representation: Representation,
    ) -> None:
        self.name, self.domain = name, domain
        self.program = Program(f"load_{name}", representation)
        width = domain.base_a.width
        self.words: Words = self.program.words(name, words, width, largest)

    def residues(self, factor_a: Vector, factor_b: Vector) -> Element:
        """The residues of the number, with these factors."""
        domain = self.domain
        return Element(
            to_residues(self.program, self.words, domain.base_a, factor_a),
            to_residues(self.program, self.words, domain.base_b, factor_b),
        )

    def element(self, factor_a: Vector, factor_b: Vector) -> Lowered:
        """The program, which leaves these residues."""
        element = self.residues(factor_a, factor_b)
        self.program.output(element.a, element.b)
        return Lowered(self.program, {}, {self.name: element})


def _input(
    program: Program,
    name: str,
    domain: MontgomeryDomain,
    factor_a: Vector,
    factor_b: Vector,
    largest: int,
) -> Element:
    """A number that belongs to N, up to ``largest``."""
    within = Interval.of(0, largest)
    return Element(
        program.input(f"{name}_a", domain.base_a, factor_a, within),
        program.input(f"{name}_b", domain.base_b, factor_b, within),
    )


def _below(program: Program, name: str, domain: MontgomeryDomain) -> Element:
    """A number below N, with the factors of elements."""
    return _input(program, name, domain, domain.factor_a, domain.factor_b, domain.modulus - 1)


def _shares(domain: MontgomeryDomain) -> Vector:
    """1 / M_a in base b."""
    return tuple(pow(domain.base_a.product, -1, m.value) for m in domain.base_b)
