"""SBMM field unit: field programs on single-base arithmetic.

An element is a pair of coefficients, X = K M_a + R, each in both half-bases. Sums of products have
one Split a coefficient, one after the other (`chained_split`); with hierarchical extensions both at
a time, as in `position_residue`. Where Compress is needed nobody says: the
ranges that interval arithmetic derives do. An operation that base b has no room for compresses its
longest operand and tries again; a compressed operand serves all later operations, too.

Elements that live outside a program keep within what Compress leaves (`compressed_ranges`).

A number X is one word of bits before `load` and after `unload`: the residues of K M_a + R in all
channels of both bases, m_gamma included, from which `residue_to_binary` makes bits again.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from fractions import Fraction
from functools import partial

from residua.algorithms.chained_split import Sums, carry_in_turn, shorten
from residua.algorithms.conversion import to_residues
from residua.algorithms.fields.field import (
    Choice,
    Combination,
    Constant,
    FieldProgram,
    Load,
    ProductSum,
    Selection,
    Variable,
    constant_value,
)
from residua.algorithms.fields.rns_field import Lowered
from residua.algorithms.montgomery import Element
from residua.algorithms.position_residue import Coefficients, PositionResidueDomain, operand
from residua.algorithms.program import Program, ProgramError
from residua.algorithms.single_base import compress, compressed_ranges
from residua.algorithms.split import Division, divide, remainder_range, split
from residua.algorithms.terms import Interval, Residues, Summand
from residua.errors import SpecificationError
from residua.numbers.bases import Base
from residua.numbers.residues import Representation

PARTS = ("r", "k")
"""Coefficients of an element, as their names end outside a program."""

_COMPRESSED = ":c"
"""Suffix of the names of compressed elements."""


def lower(
    source: FieldProgram,
    domain: PositionResidueDomain,
    constants: Mapping[str, int],
    representation: Representation,
) -> Lowered:
    """The RNS program of a field program; ``constants`` are the integers of named constants.

    The element x is the two elements x:r and x:k outside.

    Raises:
        ProgramError: an operation on compressed operands exceeds the bases.
        SpecificationError: the domain is not that of SBMM in signed values, with m_gamma.
    """
    if domain.degree != 2 or domain.split.unsigned or domain.split.base_b.extra is None:
        raise SpecificationError("an SBMM field unit needs signed pairs and an extra modulus")
    if domain.split.form == "lean":
        raise SpecificationError("an SBMM field unit works in the short or a quadratic form")
    lowered = _Lowering(source, domain, constants, representation).lower()
    return _without_quotients(lowered, source, domain, constants, representation)


def _without_quotients(
    lowered: Lowered,
    source: FieldProgram,
    domain: PositionResidueDomain,
    constants: Mapping[str, int],
    representation: Representation,
) -> Lowered:
    """The same without the Cox's quotient in first extensions, where ranges leave room for it.

    Results of a program need theirs: what lives outside is short.
    """
    if not in_turn(domain):
        return lowered
    inexact: frozenset[Variable] = frozenset()
    for operation in source.operations:
        result = operation.result
        if not isinstance(operation, ProductSum) or result in source.outputs.values():
            continue
        try:
            other = _Lowering(source, domain, constants, representation, inexact | {result}).lower()
        except ProgramError:
            continue
        fewer = compressions(other.program) <= compressions(lowered.program)
        if fewer and other.program.length < lowered.program.length:
            lowered, inexact = other, inexact | {result}
    return lowered


class _Lowering:
    def __init__(
        self,
        source: FieldProgram,
        domain: PositionResidueDomain,
        constants: Mapping[str, int],
        representation: Representation,
        inexact: frozenset[Variable] = frozenset(),
    ) -> None:
        self.source, self.domain, self.constants = source, domain, constants
        self.program = Program(source.name, representation)
        self.ranges = element_ranges(domain, representation)
        self.outputs = set(source.outputs.values())
        # What is an element outside already.
        self._placed = set(source.inputs.values())
        extra = domain.split.base_b.extra
        assert extra is not None
        # What Compress takes, R being about M_a / 2.
        self.limit = domain.split.base_a.product * ((1 << extra.width) - 3) // 2
        self.inexact = inexact
        self.elements: dict[Variable, Coefficients] = {}
        self.short: set[Variable] = set()
        self.doubles = _doubles(source)
        self.doubled: dict[tuple[Variable, str], tuple[Residues, Residues]] = {}

    def lower(self) -> Lowered:
        inputs = {
            name: operand(self.program, self.domain, f"{name}:", self.ranges)
            for name in self.source.inputs
        }
        for name, variable in self.source.inputs.items():
            self.elements[variable] = inputs[name]
            self.short.add(variable)
        for operation in self.source.operations:
            result = operation.result
            match operation:
                case ProductSum(_, products):
                    names = [v for x, y, _ in products for v in (x, y) if isinstance(v, Variable)]
                    made = self._within(names, partial(self._product_sum, operation))
                case Combination(_, terms):
                    names = [variable for variable, _ in terms]
                    made = self._within(names, partial(self._combine, result.name, terms))
                case Load():
                    made = self._load(operation)
                case Selection(_, flag, x, y, sign):
                    bit = self.program.bit(flag.name)
                    made = self._each(
                        result.name,
                        lambda a, b, bit=bit, sign=sign: self.program.select(bit, a, b, sign),
                        x,
                        y,
                    )
                case Choice(_, choices):
                    bits = [self.program.bit(flag.name) for flag, _ in choices]
                    made = self._each(
                        result.name,
                        lambda *own, bits=bits: self.program.choose(*zip(bits, own, strict=True)),
                        *(x for _, x in choices),
                    )
            self.elements[result] = made
        outputs = {name: self._output(name, v) for name, v in self.source.outputs.items()}
        self.program.output(
            *(part for e in outputs.values() for each in e for part in (each.a, each.b))
        )
        return Lowered(self.program, _named(inputs), _named(outputs))

    def _within(self, operands: list[Variable], make: Callable[[], Coefficients]) -> Coefficients:
        """What ``make`` makes of the operands, the longest of them compressed until it can.

        What it makes has to be something that Compress takes, if compressed operands allow it.
        """
        while True:
            done = len(self.program.steps)
            long = [variable for variable in operands if variable not in self.short]
            try:
                made = make()
            except ProgramError:
                if not long:
                    raise
            else:
                if not long or _length(made) < self.limit:
                    return made
            del self.program.steps[done:]
            made_since = {id(step.result) for step in self.program.steps}
            self.doubled = {k: v for k, v in self.doubled.items() if id(v[1]) in made_since}
            self._shorten(max(long, key=lambda variable: _length(self.elements[variable])))

    def _shorten(self, variable: Variable) -> None:
        long, name = self.elements[variable], f"{variable.name}{_COMPRESSED}"
        one = in_turn(self.domain) and long[0].b.range.within(self.ranges[0])
        self.elements[variable] = (
            shorten(self.program, self.domain, name, long)
            if one
            else compress(self.program, self.domain, long, name)
        )
        self.short.add(variable)

    def _output(self, name: str, variable: Variable) -> Coefficients:
        """An element as it is outside: a result of its own, within the ranges of all."""
        if variable in self._placed:
            return self._combine(name, ((variable, 1),))
        self._placed.add(variable)
        if not self._fits(variable):
            self._shorten(variable)
        return self.elements[variable]

    def _fits(self, variable: Variable) -> bool:
        parts = zip(self.elements[variable], self.ranges, strict=True)
        return all(part.b.range.within(interval) for part, interval in parts)

    def _product_sum(self, operation: ProductSum) -> Coefficients:
        name, multiple = operation.result.name, operation.multiple
        if in_turn(self.domain):
            low, high = (
                Sums(self._summands(operation, i, "a"), self._summands(operation, i, "b"))
                for i in range(2)
            )
            short = operation.result in self.outputs
            return carry_in_turn(
                self.program,
                self.domain,
                name,
                low,
                high,
                multiple,
                exact=operation.result not in self.inexact,
                short=short,
            )
        sums = [Element(*(self._sum(operation, i, base) for base in ("a", "b"))) for i in range(2)]
        parts = [divide(self.program, self.domain.split, each) for each in sums]
        return (
            self._carried(f"{name}:0", parts[0], parts[1], multiple, self.domain.offset),
            self._carried(f"{name}:1", parts[1], parts[0], multiple, 1),
        )

    def _sum(self, operation: ProductSum, index: int, base: str) -> Residues:
        """U (index 0) or V of a sum of products in one base."""
        summands = self._summands(operation, index, base)
        return self.program.reduce(f"{operation.result.name}:u{index}_{base}", *summands)

    def _summands(self, operation: ProductSum, index: int, base: str) -> list[Summand]:
        """Summands of U (index 0) or V of a sum of products."""
        summands: list[Summand] = []
        for x, y, sign in operation.products:
            summands += (
                self._constant_product(x, y, sign, index, base)
                if isinstance(y, Constant)
                else self._product(x, y, sign, index, base)
            )
        return summands

    def _constant_product(
        self, x: Variable, y: Constant, sign: int, index: int, base: str
    ) -> list[Summand]:
        """Coefficient ``index`` of sign * x * y."""
        digits = self.domain.digits(constant_value(y, self.constants))
        # The same for all constants, so that programs differ in these alone.
        half = self.domain.split.base_a.product // 2 + 1
        summands = []
        for j, part in enumerate(self.elements[x]):
            left: Residues = getattr(part, base)
            wraps = self.domain.offset if j > index else 1
            amount = sign * wraps * digits[(index - j) % 2]
            own = self.program.scaled(left, amount, [f * f for f in left.factor])
            reached = left.range * Interval.of(-half, half).scaled(Fraction(wraps))
            summands.append(replace(own, range=reached))
        return summands

    def _product(self, x: Variable, y: Variable, sign: int, index: int, base: str) -> list[Summand]:
        """Coefficient ``index`` of sign * x * y; c K of one of both makes U, and V of a square."""
        product = self.program.product
        (r_x, k_x), (r_y, k_y) = (
            [getattr(part, base) for part in self.elements[each]] for each in (x, y)
        )
        if index and x is y and x in self.doubles and self.domain.offset == 2:
            return [product(r_x, self._double(x, base), sign)]
        if index:
            return [product(r_x, k_y, sign), product(k_x, r_y, sign)]
        own = product(r_x, r_y, sign)
        if x in self.doubles:
            return [own, product(self._double(x, base), k_y, sign)]
        if y in self.doubles:
            return [own, product(k_x, self._double(y, base), sign)]
        return [own, *[product(k_x, k_y, sign)] * self.domain.offset]

    def _double(self, variable: Variable, base: str) -> Residues:
        """c K of an element, made once for all products."""
        k: Residues = getattr(self.elements[variable][1], base)
        source, double = self.doubled.get((variable, base), (None, None))
        if double is None or source is not k:
            amount = self.program.scaled(k, self.domain.offset)
            double = self.program.reduce(f"{variable.name}:2k_{base}", amount)
            self.doubled[variable, base] = k, double
        return double

    def _carried(
        self, name: str, own: Division, below: Division, multiple: int, wrap: int
    ) -> Element:
        """``multiple`` times a remainder and the quotient below it."""
        program, split = self.program, self.domain.split
        rest = own.remainder.scaled(Fraction(multiple))
        radix = split.base_a.product
        part_a = program.reduce(
            f"{name}_a",
            replace(program.scaled(own.value.a, multiple, split.factor_a), range=rest),
            below.quotient_a(program, multiple * wrap),
        )
        part_b = program.reduce(
            f"{name}_b",
            replace(program.scaled(own.value.b, multiple, split.factor_b), range=rest),
            replace(
                program.scaled(own.quotient, -multiple * radix, split.factor_b),
                range=Interval.of(0, 0),
            ),
            below.quotient_b(program, multiple * wrap),
        )
        return Element(part_a, part_b)

    def _combine(self, name: str, terms: tuple[tuple[Variable, int], ...]) -> Coefficients:
        return tuple(
            Element(
                *(
                    self.program.reduce(
                        f"{name}:{i}_{base}",
                        *(
                            self.program.scaled(getattr(self.elements[x][i], base), factor)
                            for x, factor in terms
                        ),
                    )
                    for base in ("a", "b")
                )
            )
            for i in range(2)
        )

    def _each(
        self, name: str, choose: Callable[..., Summand], *variables: Variable
    ) -> Coefficients:
        """A summand of the same residues of some elements, as a result, for all residues."""
        return tuple(
            Element(
                *(
                    self.program.reduce(
                        f"{name}:{i}_{base}",
                        choose(*(getattr(self.elements[v][i], base) for v in variables)),
                    )
                    for base in ("a", "b")
                )
            )
            for i in range(2)
        )

    def _load(self, operation: Load) -> Coefficients:
        split, name = self.domain.split, operation.result.name
        digits = self.domain.digits(constant_value(operation.constant, self.constants))
        return tuple(
            Element(
                self.program.reduce(
                    f"{name}:{i}_a", self.program.stored(digit, split.base_a, split.factor_a)
                ),
                self.program.reduce(
                    f"{name}:{i}_b", self.program.stored(digit, split.base_b, split.factor_b)
                ),
            )
            for i, digit in enumerate(digits)
        )


def in_turn(domain: PositionResidueDomain) -> bool:
    """Whether V is split before U; hierarchical extensions split both at a time."""
    return domain.split.columns == 1


def element_ranges(
    domain: PositionResidueDomain, representation: Representation
) -> tuple[Interval, ...]:
    """The ranges of R and K of elements that live outside a program.

    What Compress leaves; with one Split after the other twice as much of R, which is then a
    remainder that a program may double.
    """
    low, high = compressed_ranges(domain, representation)
    if not in_turn(domain):
        return low, high
    remainder = remainder_range(Program("elements", representation), domain.split)
    return (low + remainder).scaled(Fraction(3, 2)), high


def compressions(program: Program) -> int:
    """Count the elements that a lowered program compresses."""
    return sum(step.result.name.endswith(_COMPRESSED + "0_a") for step in program.steps)


def load(
    name: str, domain: PositionResidueDomain, words: int, width: int, representation: Representation
) -> Lowered:
    """A program that makes a pair of a binary number of ``words`` words, as ``name``.

    The number may be any that the words hold: one Split, and a Compress, as its quotient by M_a is
    not centred.
    """
    program = Program(f"load_{name}", representation)
    number = program.words(name, words, width, (1 << (words * width)) - 1)
    bases = domain.split
    value = Element(*(to_residues(program, number, base) for base in (bases.base_a, bases.base_b)))
    quotient, remainder = split(program, bases, value)
    pair = compress(program, domain, (remainder, quotient))
    program.output(*(part for each in pair for part in (each.a, each.b)))
    return Lowered(program, {}, _named({name: pair}))


def unload(name: str, domain: PositionResidueDomain, representation: Representation) -> Lowered:
    """A program that makes K M_a + R of ``name``, in cofactor form over `number_base`.

    The outputs are its channels of base a and those of base b.
    """
    program = Program(f"unload_{name}", representation)
    pair = operand(program, domain, f"{name}:", element_ranges(domain, representation))
    remainder, quotient = pair
    radix, count = domain.split.base_a.product, len(domain.split.base_a)
    inverses = number_base(domain).cofactor_inverses
    # M_a is 0 in base a.
    xi_a = program.reduce("xi_a", program.scaled(remainder.a, 1, inverses[:count]))
    xi_b = program.reduce(
        "xi_b",
        program.scaled(quotient.b, radix, inverses[count:]),
        program.scaled(remainder.b, 1, inverses[count:]),
    )
    program.output(xi_a, xi_b)
    return Lowered(program, _named({name: pair}), {})


def number_base(domain: PositionResidueDomain) -> Base:
    """Join both bases and the extra modulus into one base: it holds K M_a + R."""
    return Base((*domain.split.base_a, *domain.split.base_b), narrow=True)


def number_range(domain: PositionResidueDomain, representation: Representation) -> tuple[int, int]:
    """The range of K M_a + R of what Compress leaves."""
    remainder, quotient = element_ranges(domain, representation)
    total = (remainder + quotient.scaled(Fraction(domain.split.base_a.product))).integers()
    return int(total.low), int(total.high)


def _doubles(source: FieldProgram) -> set[Variable]:
    """Elements of which 2 K saves products, more than the two that it takes.

    It saves one in each base where it is a factor, two where it is squared; of two factors one is
    enough.
    """
    left = [
        (x, y)
        for operation in source.operations
        if isinstance(operation, ProductSum)
        for x, y, _ in operation.products
        if isinstance(y, Variable)
    ]
    chosen: set[Variable] = set()
    while left:
        saved: dict[Variable, int] = {}
        for x, y in left:
            # A square counts for both of its factors.
            saved[x] = saved.get(x, 0) + 2
            saved[y] = saved.get(y, 0) + 2
        best = max(saved, key=lambda variable: saved[variable])
        if saved[best] <= 2:
            break
        chosen.add(best)
        left = [pair for pair in left if best not in pair]
    return chosen


def _length(element: Coefficients) -> Fraction:
    return Fraction(max(part.b.range.magnitude for part in element))


def _named(elements: Mapping[str, Coefficients]) -> dict[str, Element]:
    return {
        f"{name}:{part}": each
        for name, element in elements.items()
        for part, each in zip(PARTS, element, strict=True)
    }
