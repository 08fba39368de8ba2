"""RSA's private operation by the Chinese remainder theorem, as programs of one Cox-Rower engine.

Both primes are loaded (`residua.algorithms.fields.loaded_field`), and every program computes modulo
both of them: the halves are independent, so that one fills the other's waits. Elements of a half
have names with "p." or "q."; beside those of `loaded_field` each half has

=========== ======================== ===============================================================
element     number                   made by
=========== ======================== ===============================================================
"shift"     2^k R^2 modulo N         `prepare`; k are the bits of the low part of a message
"x"         a message or a root      `take`, modulo p and q
"r"         a power                  the programs of `field_exponentiation`
=========== ======================== ===============================================================

and both together have "low", the low part of a message, an integer, and "c" and "c2", R / q and
R^2 / q modulo p.

A message x = x_1 2^k + x_0 comes down to a prime with one reduction, of x_1 2^k R^2 + x_0 R^2.
Garner's recombination (RFC 8017, section 5.1.2) is

    h = (s_p - s_q) / q modulo p,  s = s_q + q h,

where s_q, h and so s are integers next to [0, N] (`unload` of `loaded_field`), and s is known by
its residues in both bases together, whose product is above 2 N. The converter makes words of them.

The check (`verdict`) has the words of the root that will leave, taken in again, so that whatever
went wrong in powers, recombination or conversion shows. With the message x taken in again, too, and
c = 1 / q it makes

    D_p = s^e - x + (q c - 1) modulo p,  D_q = s^e - x modulo q,

and u_p = R^2 R^-1 R^-1 modulo p, likewise u_q, which are 1. What it gives out is

    x u_p u_q + q D_p + p D_q,

which is the message if s^e = x modulo both primes. That equation alone would not do: with R^2 = 0
modulo one prime it holds there for any root, and a root that is wrong modulo one prime gives the
factors away. u finds a wrong R^2, and that registers were cleared; q c finds a wrong 1 / q, p = q.
"""

from collections.abc import Iterator
from dataclasses import replace

from residua.algorithms.conversion import to_residues
from residua.algorithms.fields.field import Choice, FieldProgram, Flag, Operation, Selection
from residua.algorithms.fields.field_exponentiation import BASE, POWER
from residua.algorithms.fields.loaded_field import (
    SMALLEST,
    BinaryNumber,
    LoadedLowering,
    LoadedModulus,
)
from residua.algorithms.fields.rns_field import Lowered
from residua.algorithms.montgomery import Element, MontgomeryDomain, operand
from residua.algorithms.program import Program
from residua.algorithms.terms import Interval
from residua.errors import SpecificationError
from residua.numbers.residues import Representation

P, Q = HALVES = ("p.", "q.")
"""Prefixes of the elements modulo p and modulo q."""

SHIFT, LOW, HIGH = "shift", "low", "high"

COEFFICIENT, FORM, SECOND_FORM = "coefficient", "c", "c2"
"""1 / q modulo p as a number, and times R and R^2."""


def half_of(source: FieldProgram, prefix: str) -> FieldProgram:
    """A field program whose elements and flags have names with ``prefix``."""

    def named(flag: Flag) -> Flag:
        return Flag(prefix + flag.name)

    def renamed(operation: Operation) -> Operation:
        match operation:
            case Selection():
                return replace(operation, flag=named(operation.flag))
            case Choice():
                choices = tuple((named(flag), x) for flag, x in operation.choices)
                return replace(operation, choices=choices)
        return operation

    half = FieldProgram(source.name)
    half.inputs = {prefix + name: variable for name, variable in source.inputs.items()}
    half.operations = [renamed(operation) for operation in source.operations]
    half.outputs = {prefix + name: variable for name, variable in source.outputs.items()}
    return half


def lower(
    source: FieldProgram, domain: MontgomeryDomain, representation: Representation
) -> Lowered:
    """The RNS program of a field program modulo p and modulo q; see `loaded_field.lower`.

    Raises:
        ProgramError: an element outgrows the bases, or an output the domain's bound.
    """
    program = Program(source.name, representation)
    found = []
    for prefix in HALVES:
        lowering = LoadedLowering(half_of(source, prefix), domain, {}, representation)
        lowering.program, lowering.prefix = program, prefix
        found.append(lowering.lower())
    first, second = found
    return Lowered(program, first.inputs | second.inputs, first.outputs | second.outputs)


def load_number(
    name: str, domain: MontgomeryDomain, bits: int, representation: Representation
) -> Lowered:
    """A program that makes an element of the words of a number, not in Montgomery form."""
    words = -(-bits // domain.base_a.width)
    number = BinaryNumber(name, domain, words, (1 << bits) - 1, representation)
    return number.element(domain.factor_a, domain.factor_b)


class _Halves:
    """A program modulo p and q, in the making."""

    def __init__(self, name: str, domain: MontgomeryDomain, representation: Representation) -> None:
        self.domain = domain
        self.program = Program(name, representation)
        self.p, self.q = (LoadedModulus(self.program, domain, prefix) for prefix in HALVES)
        self.inputs: dict[str, Element] = {}

    @property
    def halves(self) -> Iterator[LoadedModulus]:
        yield self.p
        yield self.q

    def element(self, name: str) -> Element:
        """An element of both halves that the caller supplies, once in a program."""
        self.inputs[name] = operand(self.program, self.domain, name)
        return self.inputs[name]

    def number(self, name: str, bits: int) -> Element:
        """A number of so many bits that `load_number` has made."""
        domain, within = self.domain, Interval.of(0, (1 << bits) - 1)
        self.inputs[name] = Element(
            self.program.input(f"{name}_a", domain.base_a, domain.factor_a, within),
            self.program.input(f"{name}_b", domain.base_b, domain.factor_b, within),
        )
        return self.inputs[name]

    def words(self, name: str, bits: int) -> Element:
        """A number of so many bits that comes as words."""
        domain, program, width = self.domain, self.program, self.domain.base_a.width
        binary = program.words(name, -(-bits // width), width, (1 << bits) - 1)
        return Element(
            to_residues(program, binary, domain.base_a, domain.factor_a),
            to_residues(program, binary, domain.base_b, domain.factor_b),
        )

    def reduced(self, modulus: LoadedModulus, *products: tuple[Element, Element, int]) -> Element:
        """sum(sign * x * y) / R modulo p or q."""
        u_a, u_b = (
            self.program.reduce(
                f"u_{base}",
                *(
                    self.program.product(getattr(x, base), getattr(y, base), sign)
                    for x, y, sign in products
                ),
            )
            for base in ("a", "b")
        )
        return modulus.reduce(u_a, u_b)

    def product(self, x: Element, y: Element) -> Element:
        """x y, of integers."""
        a, b = (
            self.program.reduce(
                f"xy_{base}", self.program.product(getattr(x, base), getattr(y, base))
            )
            for base in ("a", "b")
        )
        return Element(a, b)

    def plain(self, modulus: LoadedModulus, value: Element) -> Element:
        """value / R modulo p or q, an integer in [-p, p]; see `loaded_field.unload`."""
        element = modulus.reduce(value.a, value.b, quotient=True)
        quotient = next(s.result for s in reversed(self.program.steps) if s.result.name == "q_b")
        own = value.b.range.magnitude / self.domain.base_a.product
        share = quotient.range.magnitude / self.domain.base_a.product
        # With that q h + s_q is within [-N, N], too.
        if not share * (SMALLEST + 1) + 2 * own <= SMALLEST:
            raise SpecificationError(
                "a result leaves the range of the final reduction; the bases are too narrow"
            )
        return element

    def keep(self, name: str, element: Element) -> tuple[str, Element]:
        """An element that outlives the program, within the domain's bound."""
        reason = "elements outside keep within B"
        self.program.demand(element.b, self.domain.range, reason)
        self.program.output(element.a, element.b)
        return name, element

    def lowered(self, *outputs: tuple[str, Element]) -> Lowered:
        """The program with its inputs."""
        return Lowered(self.program, self.inputs | self.p.inputs | self.q.inputs, dict(outputs))

    def sum_with(self, *terms: tuple[Element, int], less: int = 0) -> Element:
        """sum(sign * x) - less, of numbers that are not reduced."""
        domain, program = self.domain, self.program
        parts = []
        for base, factor in ((domain.base_a, domain.factor_a), (domain.base_b, domain.factor_b)):
            own = "a" if base is domain.base_a else "b"
            summands = [program.scaled(getattr(x, own), sign) for x, sign in terms]
            summands += [program.stored(-less, base, factor)] if less else []
            parts.append(program.reduce(f"sum_{own}", *summands))
        return Element(*parts)

    def combined(self, *terms: tuple[Element, Element], more: Element | None = None) -> Lowered:
        """The sum of products of integers, and one integer more, given out by its residues.

        These are in cofactor form over the joint base.
        """
        domain, program, joint = self.domain, self.program, self.domain.joint_base
        first = len(domain.base_a)
        factors = joint.cofactor_inverses[:first], joint.cofactor_inverses[first:]
        for own, factor in zip(("a", "b"), factors, strict=True):
            summands = [program.product(getattr(x, own), getattr(y, own)) for x, y in terms]
            if more is not None:
                summands.append(program.scaled(getattr(more, own), 1, summands[0].factor))
            total = program.reduce(f"total_{own}", *summands)
            program.output(program.reduce(f"given_{own}", program.scaled(total, 1, factor)))
        return self.lowered()


def prepare(
    domain: MontgomeryDomain, low: int, longest: int, representation: Representation
) -> Lowered:
    """A program that makes the elements that follow from the numbers of a key.

    ``low`` are the bits of the low part of a message, ``longest`` those of a prime.
    """
    made = _Halves("prepare", domain, representation)
    coefficient = made.number(COEFFICIENT, longest)
    found = []
    for modulus in made.halves:
        square = modulus.square
        scaled = (
            made.program.reduce(f"u_{base}", made.program.scaled(getattr(square, base), 1 << low))
            for base in ("a", "b")
        )
        power = modulus.reduce(*scaled)
        shift = made.reduced(modulus, (power, square, 1))
        found.append(made.keep(modulus.prefix + SHIFT, shift))
    form = made.reduced(made.p, (coefficient, made.p.square, 1))
    second = made.reduced(made.p, (form, made.p.square, 1))
    return made.lowered(*found, made.keep(FORM, form), made.keep(SECOND_FORM, second))


def whole(domain: MontgomeryDomain, representation: Representation) -> Lowered:
    """A program that gives out N = p q."""
    made = _Halves("whole", domain, representation)
    return made.combined((made.p.number, made.q.number))


def take(
    domain: MontgomeryDomain, parts: tuple[int, int], representation: Representation
) -> Lowered:
    """A program that takes the high part of a message, and makes "x" of it and of "low".

    ``parts`` are the bits of the low part and of the high one.
    """
    made = _Halves("take", domain, representation)
    *_, found = _taken(made, parts)
    return made.lowered(
        *(
            made.keep(modulus.prefix + BASE, x)
            for modulus, x in zip(made.halves, found, strict=True)
        )
    )


def _taken(made: _Halves, parts: tuple[int, int]) -> tuple[Element, Element, list[Element]]:
    """Both parts of a message, and the message modulo p and q."""
    low, high = made.number(LOW, parts[0]), made.words(HIGH, parts[1])
    found = [
        made.reduced(modulus, (high, modulus.element(SHIFT), 1), (low, modulus.square, 1))
        for modulus in made.halves
    ]
    return low, high, found


def join(domain: MontgomeryDomain, representation: Representation) -> Lowered:
    """A program that gives out the root whose halves are the powers."""
    made = _Halves("join", domain, representation)
    powers = [modulus.element(POWER) for modulus in made.halves]
    root_q = made.plain(made.q, powers[1])
    form, second = made.element(FORM), made.element(SECOND_FORM)
    h = made.plain(made.p, made.reduced(made.p, (powers[0], form, 1), (root_q, second, -1)))
    return made.combined((made.q.number, h), more=root_q)


def verdict(
    domain: MontgomeryDomain, parts: tuple[int, int], representation: Representation
) -> Lowered:
    """A program that gives out the message if the powers are it and the key is right.

    Of the message it takes the high part; see `take`.
    """
    made = _Halves("verdict", domain, representation)
    low, high, messages = _taken(made, parts)
    found, units = [], []
    for modulus, message in zip(made.halves, messages, strict=True):
        once = modulus.reduce(modulus.square.a, modulus.square.b)
        units.append(made.plain(modulus, once))
        terms = [(modulus.element(POWER), 1), (message, -1)]
        if modulus is made.p:
            terms.append((made.reduced(modulus, (made.q.number, made.element(FORM), 1)), 1))
        difference = made.sum_with(*terms, less=len(terms) - 2)
        found.append(made.plain(modulus, difference))
    of_p, of_q = found
    own = made.sum_with((high, 1 << parts[0]), (low, 1))
    return made.combined(
        (made.q.number, of_p), (made.p.number, of_q), more=made.product(own, made.product(*units))
    )
