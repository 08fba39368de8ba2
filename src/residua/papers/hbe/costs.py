"""Counted costs of base extensions and products, Kawamura's and hierarchical, beside HBE's."""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, partial

from gmpy2 import prev_prime

from residua.algorithms.base_extension import hierarchical, kawamura
from residua.algorithms.montgomery import Form, MontgomeryDomain, multiply, operand
from residua.algorithms.program import Program
from residua.algorithms.terms import Interval
from residua.machines.counts import Counts, count
from residua.numbers.bases import Base
from residua.numbers.cox import Cox
from residua.numbers.moduli import Modulus
from residua.numbers.residues import Redundant
from residua.papers.hbe import published as hbe_published
from residua.papers.hbe.position_residue_costs import position_residue_costs, weighted
from residua.papers.hbe.published import Cost

COLUMNS = (1, 2, 3, 4)
"""c: 1 is Kawamura's extension."""

_WIDTH = 24
"""Counts do not depend on w; this one has moduli enough."""

_MODULUS = (1 << 61) - 1
"""Nor on the modulus."""


@dataclass(frozen=True)
class Operation:
    """Operation with a published cost, and the program that is counted for it.

    ``counts`` takes n and c, and ``step`` is what n / c is a multiple of. Operations without a
    published cost are related to nothing.
    """

    name: str
    published: Cost | None
    counts: Callable[[int, int], Counts]
    step: int = 1

    def fits(self, channels: int, columns: int) -> bool:
        """Whether n moduli make rows of c."""
        return channels % (self.step * columns) == 0


@cache
def extension_counts(channels: int, columns: int) -> Counts:
    """The operations of one base extension (HBE Algorithm 1 for c = 1, else Algorithm 2)."""
    base_a, base_b = _bases(channels)
    program, cox = Program("extension", Redundant(1)), Cox(_WIDTH, Fraction(1, 2))
    limit = Interval.of(0, base_a.product // 4)
    value = program.input("x", base_a, (1,) * channels, limit)
    if columns == 1:
        kawamura(program, value, base_b, cox)
    else:
        hierarchical(program, value, base_b, cox, columns)
    return count(program)


@cache
def product_counts(channels: int, columns: int, form: Form = "reordered") -> Counts:
    """The operations of one RNS Montgomery product (HBE section V)."""
    base_a, base_b = _bases(channels)
    cox = Cox(_WIDTH, Fraction(1, 2))
    domain = MontgomeryDomain(
        _MODULUS, base_a, base_b, cox, cox, _MODULUS << 8, form, columns=columns
    )
    program = Program("product", Redundant(1))
    multiply(program, domain, operand(program, domain, "x"), operand(program, domain, "y"))
    return count(program)


@cache
def _bases(channels: int) -> tuple[Base, Base]:
    """Primes below 2^w: modulo a prime the quadratic form always has its small weights."""
    primes: list[Modulus] = []
    value = 1 << _WIDTH
    while len(primes) < 2 * channels:
        value = int(prev_prime(value))
        primes.append(Modulus.of_value(value, _WIDTH))
    return Base(tuple(primes[:channels])), Base(tuple(primes[channels:]))


@cache
def _position_residue(degree: int, channels: int, columns: int) -> Counts:
    """The paper's algorithm: schoolbook products, the short form of Split."""
    return position_residue_costs(
        channels, degree, columns, form="short", multiplication="schoolbook"
    )


@cache
def _lean_position_residue(degree: int, channels: int, columns: int) -> Counts:
    return position_residue_costs(channels, degree, columns)


EXTENSION = Operation("BE", hbe_published.BASE_EXTENSION, extension_counts)
PRODUCT = Operation("MM", hbe_published.PRODUCT, product_counts)
QUADRATIC = Operation(
    "MM quadr.",
    None,
    partial(product_counts, form="quadratic"),
)
POSITION_RESIDUE = {
    degree: Operation(f"HPR d={degree}", published, partial(_position_residue, degree), degree)
    for degree, published in hbe_published.POSITION_RESIDUE.items()
}

LEAN_POSITION_RESIDUE = [
    Operation(f"HPR d={degree} lean", None, partial(_lean_position_residue, degree), degree)
    for degree in POSITION_RESIDUE
]

OPERATIONS = (EXTENSION, PRODUCT, QUADRATIC, *POSITION_RESIDUE.values(), *LEAN_POSITION_RESIDUE)
"""Operations that are counted, in the order of the tables."""


def published_cost(
    operation: Operation, channels: int, columns: int, ratio: int
) -> Fraction | None:
    """The paper's cost in CMM, None where it gives none (other c than 1 and 2)."""
    if operation.published is None or columns > 2:
        return None
    if columns == 1:
        return operation.published.kawamura(channels)
    return operation.published.hierarchical(channels, Fraction(ratio))


def gain(operation: Operation, channels: int, columns: int, ratio: int) -> Fraction:
    """cost(HBE) / cost(KBE) as counted, the ordinate of figures 2, 4, 5 and 6."""
    own, kawamura_cost = (weighted(operation.counts(channels, c), ratio) for c in (columns, 1))
    return own / kawamura_cost
