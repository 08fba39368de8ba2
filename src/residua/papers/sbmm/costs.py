"""Counted costs of SBMM and of point operations on it, beside RNS Montgomery's.

Counts do not depend on the moduli: they are taken on moduli near 2^24 with n / 2 of them in each
half-base, n in each base of RNS Montgomery.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import Generic, TypeVar

from residua.algorithms import montgomery, position_residue, single_base
from residua.algorithms.montgomery import Element, MontgomeryDomain
from residua.algorithms.position_residue import Coefficients, PositionResidueDomain
from residua.algorithms.program import Program
from residua.algorithms.split import split
from residua.algorithms.terms import Broadcast, Correction, Interval, Residues, Scaled, Stored
from residua.machines.counts import Counts, count
from residua.numbers.cox import Cox
from residua.numbers.moduli import Modulus
from residua.numbers.primes.position_primes import nearest_base
from residua.numbers.residues import Redundant

_WIDTH = 24
_MODULUS = (1 << 61) - 1
"""Modulus of RNS Montgomery, whose counts do not depend on it."""

_EXTRA_BITS = 12
"""m_gamma of the paper's ladder; counts do not depend on it."""

V = TypeVar("V")


@cache
def domain(channels: int) -> PositionResidueDomain:
    """SBMM with ``channels`` moduli in all and m_gamma, products by Karatsuba's method."""
    base_a = nearest_base(_WIDTH, channels // 2, odd=True)
    base_b = nearest_base(_WIDTH, channels // 2, base_a, odd=True)
    return single_base.single_base(
        base_a, base_b, _EXTRA_BITS, Redundant(1), form="lean", multiplication="karatsuba"
    )


@cache
def montgomery_domain(channels: int) -> MontgomeryDomain:
    """RNS Montgomery with n moduli in each base, in the reordered form of the paper's [12]."""
    base_a = nearest_base(_WIDTH, channels, odd=True)
    base_b = nearest_base(_WIDTH, channels, base_a, odd=True)
    cox = Cox(_WIDTH, Fraction(1, 2))
    return MontgomeryDomain(_MODULUS, base_a, base_b, cox, cox, _MODULUS << 8, "reordered")


def product_program(channels: int, *, compressed: bool = False) -> Program:
    """One SBMM of two operands, and Compress after it if wanted."""
    own = domain(channels)
    ranges = single_base.compressed_ranges(own, Redundant(1))
    return single_base.product_program(own, Redundant(1), ranges, compressed=compressed)


def split_program(channels: int) -> Program:
    """One Split of a product in the range of SBMM's."""
    own = domain(channels).split
    program = Program("split", Redundant(1))
    square = own.base_a.product**2
    interval = Interval.of(-4 * square, 4 * square)
    value = Element(
        program.input("x_a", own.base_a, own.factor_a, interval),
        program.input("x_b", own.base_b, own.factor_b, interval),
    )
    for part in split(program, own, value):
        program.output(part.a, part.b)
    return program


def montgomery_program(channels: int) -> Program:
    """One RNS Montgomery product."""
    own = montgomery_domain(channels)
    program = Program("montgomery", Redundant(1))
    x, y = (montgomery.operand(program, own, name) for name in "xy")
    montgomery.multiply(program, own, x, y)
    return program


@dataclass(frozen=True)
class Words:
    """Distinct constants that a program needs: w-bit words, and words modulo m_gamma."""

    full: int
    narrow: int


def stored_words(program: Program) -> Words:
    """The constants other than 0, 1 and -1 of each channel, equal ones once."""
    wanted: set[tuple[Modulus, int]] = set()
    narrow: set[Modulus] = set()
    for step in program.steps:
        base = step.result.base
        if base.extra is not None:
            narrow.add(base.extra)
        for term in step.terms:
            for constants in _constants(term):
                wanted |= set(zip(base.moduli, constants, strict=True))
    kept = [
        modulus
        for modulus, value in wanted
        if value % modulus.value not in (0, 1, modulus.value - 1)
    ]
    extra = sum(modulus in narrow for modulus in kept)
    return Words(len(kept) - extra, extra)


def _constants(term: object) -> Sequence[tuple[int, ...]]:
    match term:
        case Scaled(_, constants, False) | Stored(constants) | Correction(_, constants):
            return [constants]
        case Broadcast(_, matrix, False):
            return matrix
        case _:
            return []


Products = Sequence[tuple[V, V, int]]


@dataclass(frozen=True)
class Field(Generic[V]):
    """Arithmetic modulo P that point operations are written in.

    ``product`` sums products with one reduction; ``combine`` adds multiples of values up without
    one; ``compress`` makes operands of long results.
    """

    operand: Callable[[str], V]
    product: Callable[[Products[V]], V]
    combine: Callable[[Sequence[tuple[V, int]]], V]
    compress: Callable[[V], V]


def addition(field: Field[V]) -> tuple[V, V]:
    """ADD of Table 6, with -x_G in place of 2 X_G (ERRATA E10): 6 reductions, 11 products."""
    x1, z1, x2, z2, a, b, minus_x = map(field.operand, ("x1", "z1", "x2", "z2", "a", "b", "-xg"))
    first = field.product([(z1, x2, 1), (z2, x1, 1)])
    second = field.combine([(field.product([(x1, x2, 1)]), 2)])
    third = field.combine([(field.product([(z1, z2, 1)]), 2)])
    fourth = field.compress(field.product([(a, first, 1), (b, third, 1)]))
    z3 = field.compress(field.product([(first, first, 1), (second, third, -1)]))
    x3 = field.product([(second, first, 1), (third, fourth, 1), (minus_x, z3, 1)])
    return field.compress(x3), z3


def doubling(field: Field[V]) -> tuple[V, V]:
    """DBL of Table 6: 7 reductions, 9 products."""
    x1, z1, a, minus_4b = map(field.operand, ("x1", "z1", "a", "-4b"))
    e = field.product([(z1, z1, 1)])
    f = field.combine([(field.product([(x1, z1, 1)]), 2)])
    g = field.product([(x1, x1, 1)])
    h = field.compress(field.product([(minus_4b, e, 1)]))
    i = field.compress(field.product([(a, e, 1)]))
    less, more = field.combine([(g, 1), (i, -1)]), field.combine([(g, 2), (i, 2)])
    x3 = field.product([(f, h, 1), (less, less, 1)])
    z3 = field.product([(f, more, 1), (e, h, -1)])
    return field.compress(x3), field.compress(z3)


def _apply(operation: str, field: Field[V]) -> None:
    (addition if operation == "ADD" else doubling)(field)


COMPRESSIONS = {"ADD": 3, "DBL": 4}
"""Compressions of each operation."""


@cache
def point_counts(algorithm: str, operation: str, channels: int) -> Counts:
    """The operations of ADD or DBL on MM or SBMM; a step of the ladder has one of each."""
    program = Program(operation, Redundant(1))
    if algorithm == "SBMM":
        _apply(operation, _single_base(program, channels))
    else:
        _apply(operation, _montgomery(program, channels))
    return count(program)


def _montgomery(program: Program, channels: int) -> Field[Element]:
    own = montgomery_domain(channels)

    def combine(terms: Sequence[tuple[Element, int]]) -> Element:
        return Element(
            _added(program, [(value.a, multiple) for value, multiple in terms]),
            _added(program, [(value.b, multiple) for value, multiple in terms]),
        )

    return Field(
        lambda name: montgomery.operand(program, own, name),
        lambda products: montgomery.sum_of_products(program, own, products),
        combine,
        lambda value: value,
    )


def _single_base(program: Program, channels: int) -> Field[Coefficients]:
    own = domain(channels)
    ranges = single_base.compressed_ranges(own, Redundant(1))

    def combine(terms: Sequence[tuple[Coefficients, int]]) -> Coefficients:
        return tuple(
            Element(
                _added(program, [(value[i].a, multiple) for value, multiple in terms]),
                _added(program, [(value[i].b, multiple) for value, multiple in terms]),
            )
            for i in range(own.degree)
        )

    return Field(
        lambda name: position_residue.operand(program, own, name, ranges),
        lambda products: position_residue.sum_of_products(program, own, products),
        combine,
        lambda value: single_base.compress(program, own, value),
    )


def _added(program: Program, terms: Sequence[tuple[Residues, int]]) -> Residues:
    """Small multiples, by additions."""
    summands = [
        program.scaled(value, 1 if multiple > 0 else -1)
        for value, multiple in terms
        for _ in range(abs(multiple))
    ]
    name = " ".join(f"{multiple:+} {value.name}" for value, multiple in terms)
    return program.reduce(name, *summands)
