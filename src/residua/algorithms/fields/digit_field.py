"""Field programs on digits: products of Montgomery's form and sums, with a range for each value.

Elements are non-negative integers below half of R = 2^(k n), in Montgomery form and not reduced:
values may be several multiples of p. Two operations are all that a unit needs:

* a product, (X Y + Q p) / R < X Y / R + p (`residua.numbers.digits`),
* a sum of values times small integers, each of which may count only while a bit is set. Whatever is
  subtracted has a multiple of p added to it, so that no sum is negative.

Ranges are multiples of p, for the largest of all moduli, so that one list of operations serves
every modulus.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import ceil
from typing import Literal

from residua.algorithms.fields.field import (
    Choice,
    Combination,
    Constant,
    Factor,
    FieldProgram,
    Flag,
    Load,
    ProductSum,
    Selection,
    Variable,
    constant_value,
)
from residua.algorithms.program import ProgramError

NEGATIVE = Flag("negative")
"""Whether the last `Sum` that was tested was negative: a bit of the field unit itself."""

ELEMENT_BOUND = Fraction(8)
"""What elements outside programs reach at most, as a multiple of p.

Sums of the ladders stay below it; others are reduced by a product with 1.
"""

Gate = tuple[Flag, bool]
"""A flag, and the value that opens the gate."""


@dataclass(frozen=True)
class DigitField:
    """Moduli that share digits.

    Attributes:
        moduli: all odd, at least 3.
        digit: k, bits of a digit.
        digits: n, digits of every number; R = 2^(k n) is above 4 p for each modulus.

    Raises:
        ProgramError: the digits are too few.
    """

    moduli: tuple[int, ...]
    digit: int
    digits: int

    def __post_init__(self) -> None:
        if 4 * max(self.moduli) >= self.factor:
            raise ProgramError(
                f"{self.digits} digits of {self.digit} bits do not hold four times a modulus of "
                f"{max(self.moduli).bit_length()} bits"
            )

    @property
    def factor(self) -> int:
        """R."""
        return 1 << self.digit * self.digits

    @cached_property
    def quotients(self) -> tuple[int, ...]:
        """-1 / p modulo R for each modulus."""
        return tuple(-pow(modulus, -1, self.factor) % self.factor for modulus in self.moduli)

    @cached_property
    def ratio(self) -> Fraction:
        """p / R for the largest modulus."""
        return Fraction(max(self.moduli), self.factor)

    @property
    def limit(self) -> Fraction:
        """Largest values, as a multiple of p: half of R, for the largest modulus."""
        return 1 / self.ratio / 2


@dataclass(frozen=True, eq=False)
class Value:
    """A number that an operation leaves: from 0 to ``bound`` times p."""

    name: str
    bound: Fraction


@dataclass(frozen=True)
class Stored:
    """A number in the constant memory, below p.

    ``element`` is ``constant`` in Montgomery form, ``square`` R^2 mod p, ``unit`` the integer 1,
    ``modulus`` p itself, ``inverse`` -1 / p modulo 2^k.
    """

    kind: Literal["modulus", "inverse", "square", "unit", "element"]
    constant: Constant | None = None

    def value(self, modulus: int, field: DigitField, named: Mapping[str, int]) -> int:
        """The number for a modulus; 0 for an element whose name ``named`` lacks."""
        match self.kind:
            case "modulus":
                return modulus
            case "inverse":
                return -pow(modulus, -1, 1 << field.digit) % (1 << field.digit)
            case "square":
                return field.factor**2 % modulus
            case "unit":
                return 1
        assert self.constant is not None
        if isinstance(self.constant.value, str) and self.constant.value not in named:
            return 0
        return constant_value(self.constant, named) * field.factor % modulus


MODULUS, INVERSE, SQUARE, UNIT = (
    Stored("modulus"),
    Stored("inverse"),
    Stored("square"),
    Stored("unit"),
)
ONE = Stored("element", Constant(1))

Operand = Value | Stored


@dataclass(frozen=True)
class Product:
    """result = (x y + q p) / R."""

    result: Value
    x: Operand
    y: Operand

    @property
    def operands(self) -> tuple[Operand, ...]:
        """Operands that are read."""
        return self.x, self.y


@dataclass(frozen=True)
class Term:
    """coefficient * operand, or 0 if the gate is there and not open."""

    operand: Operand
    coefficient: int
    gate: Gate | None = None


@dataclass(frozen=True)
class Sum:
    """result = sum of the terms modulo R; ``tested``: `NEGATIVE` becomes whether it is below 0."""

    result: Value
    terms: tuple[Term, ...]
    tested: bool = False

    @property
    def operands(self) -> tuple[Operand, ...]:
        """Operands that are read."""
        return tuple(term.operand for term in self.terms)


DigitOperation = Product | Sum


@dataclass(frozen=True)
class DigitProgram:
    """Operations in order; ``inputs`` and ``outputs`` are values by the names of their elements.

    ``emitted`` is the value, if any, whose digits leave the unit at the end.
    """

    name: str
    operations: tuple[DigitOperation, ...]
    inputs: dict[str, Value]
    outputs: dict[str, Value]
    emitted: Value | None = None


def load(name: str, raw: str) -> DigitProgram:
    """The element ``name`` of the number in ``raw``, any that n digits hold.

    R^2 mod p is X, the number Y: the sum between iterations is below X + p for any Y.
    """
    number, element = Value(raw, Fraction(0)), Value(name, ELEMENT_BOUND)
    product = Product(element, SQUARE, number)
    return DigitProgram("load", (product,), {raw: number}, {name: element})


def unload(name: str) -> DigitProgram:
    """The element ``name`` as a number below p, which leaves the unit.

    The product with 1 takes away R and leaves p at most: (X + Q p) / R < p + 1 for any X < R. So
    one subtraction, unless it makes the number negative, is left.
    """
    element = Value(name, ELEMENT_BOUND)
    number, less, reduced = (Value(n, Fraction(1)) for n in ("number", "difference", "reduced"))
    operations: tuple[DigitOperation, ...] = (
        Product(number, element, UNIT),
        Sum(less, (Term(number, 1), Term(MODULUS, -1)), tested=True),
        Sum(reduced, (Term(number, 1), Term(MODULUS, -1, (NEGATIVE, False)))),
    )
    return DigitProgram("unload", operations, {name: element}, {name: reduced}, reduced)


def lower(source: FieldProgram, field: DigitField, name: str = "") -> DigitProgram:
    """The operations of a field program, called ``name`` or like it.

    Raises:
        ProgramError: a value may outgrow the digits.
    """
    return _Lowering(source, field).program(name or source.name)


class _Lowering:
    def __init__(self, source: FieldProgram, field: DigitField) -> None:
        self.source, self.field = source, field
        self.operations: list[DigitOperation] = []
        self.inputs = {name: Value(name, ELEMENT_BOUND) for name in source.inputs}
        self.state: dict[Variable, Operand] = {
            variable: self.inputs[name] for name, variable in source.inputs.items()
        }

    def program(self, name: str) -> DigitProgram:
        """All operations; each output is a value of its own."""
        for operation in self.source.operations:
            self.state[operation.result] = self._operation(operation)
        outputs: dict[str, Value] = {}
        for element, variable in self.source.outputs.items():
            value = self.state[variable]
            if _bound(value) > ELEMENT_BOUND:
                value = self._product(f"{element} reduced", value, ONE)
            taken = [*self.inputs.values(), *outputs.values()]
            if isinstance(value, Stored) or value in taken:
                value = self._sum(element, [Term(value, 1)])
            outputs[element] = value
        return DigitProgram(name, tuple(self.operations), self.inputs, outputs)

    def _operation(self, operation: object) -> Operand:
        match operation:
            case ProductSum(result, products, multiple):
                return self._product_sum(result.name, products, multiple)
            case Combination(result, terms):
                return self._combination(
                    result.name, [Term(self.state[x], coefficient) for x, coefficient in terms]
                )
            case Load(_, constant):
                return Stored("element", constant)
            case Selection(result, flag, x, y, sign):
                return self._selection(result.name, flag, self.state[x], self.state[y], sign)
            case Choice(result, choices):
                gated = [Term(self.state[x], 1, (flag, True)) for flag, x in choices]
                bound = max(_bound(term.operand) for term in gated)
                return self._added(Sum(Value(result.name, bound), tuple(gated)))
            case _:
                raise AssertionError(operation)

    def _factor(self, factor: Factor) -> Operand:
        return Stored("element", factor) if isinstance(factor, Constant) else self.state[factor]

    def _product_sum(
        self, name: str, products: Sequence[tuple[Variable, Factor, int]], multiple: int
    ) -> Operand:
        """Products apart, each once, then their sum; a factor 1 is no product."""
        found: dict[tuple[Operand, Operand], Value] = {}
        terms = []
        for index, (left, right, sign) in enumerate(products):
            x, y = self._factor(left), self._factor(right)
            if ONE in (x, y):
                terms.append(Term(y if x == ONE else x, sign * multiple))
                continue
            if (x, y) not in found:
                found[x, y] = self._product(f"{name} {index}", x, y)
            terms.append(Term(found[x, y], sign * multiple))
        return self._combination(name, terms)

    def _product(self, name: str, x: Operand, y: Operand) -> Value:
        bound = 1 + _bound(x) * _bound(y) * self.field.ratio
        value = self._added(Product(Value(name, bound), x, y))
        assert isinstance(value, Value)
        return value

    def _combination(self, name: str, terms: Sequence[Term]) -> Operand:
        """Their sum, equal operands taken together."""
        coefficients: dict[Operand, int] = {}
        for term in terms:
            known = coefficients.get(term.operand, 0)
            coefficients[term.operand] = known + term.coefficient
        merged = [Term(x, coefficient) for x, coefficient in coefficients.items() if coefficient]
        if not merged:
            return self._added(Sum(Value(name, Fraction(0)), (Term(UNIT, 0),)))
        if len(merged) == 1 and merged[0].coefficient == 1:
            return merged[0].operand
        return self._sum(name, merged)

    def _sum(self, name: str, terms: Sequence[Term]) -> Value:
        parts = [t.coefficient * _bound(t.operand) for t in terms]
        above = sum((part for part in parts if part > 0), Fraction(0))
        below = -sum((part for part in parts if part < 0), Fraction(0))
        offset = ceil(below)
        lifted = [Term(MODULUS, offset)] if offset else []
        value = Value(name, above + offset)
        return self._added(Sum(value, (*lifted, *terms)))

    def _selection(self, name: str, flag: Flag, x: Operand, y: Operand, sign: int) -> Value:
        """x, or y, or a multiple of p less y."""
        terms, bound = [Term(x, 1, (flag, True)), Term(y, sign, (flag, False))], _bound(y)
        if sign < 0:
            bound = Fraction(ceil(bound))
            terms.append(Term(MODULUS, int(bound), (flag, False)))
        return self._added(Sum(Value(name, max(_bound(x), bound)), tuple(terms)))

    def _added(self, operation: DigitOperation) -> Value:
        value = operation.result
        if value.bound > self.field.limit:
            raise ProgramError(
                f"{self.source.name}: {value.name} may reach {float(value.bound):.4g} p, and "
                f"{self.field.digits} digits of {self.field.digit} bits hold "
                f"{float(self.field.limit):.4g} p"
            )
        self.operations.append(operation)
        return value


def _bound(operand: Operand) -> Fraction:
    return operand.bound if isinstance(operand, Value) else Fraction(1)
