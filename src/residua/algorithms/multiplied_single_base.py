"""Single-base multiplication modulo P = d M_a^2 - c with d > 1 (SBMM section 4.3, ERRATA E9).

A number is K M_a + R. As d M_a^2 = c (mod P), d times a product has coefficients again:

    d X Y = U + d V M_a  with  U = c Kx Ky + d Rx Ry  and  V = Kx Ry + Rx Ky,

and a Split of U and of V makes them short: K = K_u + d R_v, R = R_u + c K_v. The factor d stays.
What shortens K and R of a long result is the same with U = d R and V = K, and leaves another d. So
an element X is kept as X d^-2: a product that is then shortened has d^2 (X d^-2) (Y d^-2), which is
X Y d^-2, and chains of products are closed.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from residua.algorithms.montgomery import Element
from residua.algorithms.position_residue import smallest_coxes
from residua.algorithms.program import Program, ProgramError
from residua.algorithms.split import Form, SplitDomain, remainder_range, split
from residua.algorithms.terms import Interval, Residues, Summand
from residua.errors import SpecificationError
from residua.numbers.bases import Base
from residua.numbers.cox import Cox
from residua.numbers.primes.position_primes import nearest_base
from residua.numbers.primes.square_primes import SquareForm
from residua.numbers.residues import Redundant, Representation

Pair = tuple[Element, Element]
"""An element: R and K, each in both bases."""

Ranges = tuple[Interval, Interval]
"""Those of R and K."""

_WIDER = 24
"""Bits by which the moduli of base b may exceed those of base a in `design`."""


@dataclass(frozen=True)
class MultipliedDomain:
    """Constants of products modulo P = d M_a^2 - c.

    Attributes:
        form: d and c.
        split: both bases, and the Cox of both extensions; signed.

    Raises:
        SpecificationError: the domain is unsigned.
    """

    form: SquareForm
    split: SplitDomain

    def __post_init__(self) -> None:
        if self.split.unsigned:
            raise SpecificationError(
                "products modulo d M_a^2 - c are for signed residues: leave out unsigned"
            )

    @property
    def modulus(self) -> int:
        """P."""
        radix: int = self.split.base_a.product
        return self.form.multiplier * radix * radix - self.form.offset

    def digits(self, number: int) -> tuple[int, int]:
        """R and K of ``number`` d^-2 modulo P, R centred about 0; K is up to d M_a / 2."""
        modulus, radix = self.modulus, self.split.base_a.product
        rest = number * pow(self.form.multiplier, -2, modulus) % modulus
        rest -= modulus if 2 * rest > modulus else 0
        low = rest % radix
        low -= radix if 2 * low > radix else 0
        return low, (rest - low) // radix

    def number(self, low: int, high: int) -> int:
        """The number in [0, P) whose R and K these are."""
        value = high * self.split.base_a.product + low
        return value * self.form.multiplier**2 % self.modulus


def operand(program: Program, domain: MultipliedDomain, name: str, ranges: Ranges) -> Pair:
    """An element that the caller supplies: inputs name0_a, name0_b of R, name1_a, name1_b of K."""
    bases = domain.split
    low, high = (
        Element(
            program.input(f"{name}{i}_a", bases.base_a, bases.factor_a, interval),
            program.input(f"{name}{i}_b", bases.base_b, bases.factor_b, interval),
        )
        for i, interval in enumerate(ranges)
    )
    return low, high


def multiply(program: Program, domain: MultipliedDomain, x: Pair, y: Pair) -> Pair:
    """d times the product of K M_a + R of both, modulo P, with two Splits.

    Raises:
        ProgramError: base b is too narrow, by how many bits.
    """
    (low_x, high_x), (low_y, high_y) = x, y
    c, d = domain.form.offset, domain.form.multiplier
    highs, lows, middle = [], [], []
    for part in ("a", "b"):
        own = [getattr(each, part) for each in (low_x, high_x, low_y, high_y)]
        high = program.reduce(f"kk_{part}", program.product(own[1], own[3]))
        low = program.reduce(f"rr_{part}", program.product(own[0], own[2]))
        crossed = program.product(own[1], own[2]), program.product(own[0], own[3])
        highs.append(high)
        lows.append(low)
        middle.append(program.reduce(f"v_{part}", *crossed))
    u = _sum(program, "u", [(Element(*highs), c), (Element(*lows), d)])
    return _carried(program, domain, u, Element(middle[0], middle[1]))


def shorten(program: Program, domain: MultipliedDomain, x: Pair) -> Pair:
    """d (K M_a + R) modulo P, with K within little more than d M_a / 2, by two Splits."""
    low, high = x
    d = domain.form.multiplier
    return _carried(program, domain, _sum(program, "dr", [(low, d)]), high)


def product(program: Program, domain: MultipliedDomain, x: Pair, y: Pair) -> Pair:
    """X Y of elements, shortened: the operands of another product."""
    return shorten(program, domain, multiply(program, domain, x, y))


def _carried(program: Program, domain: MultipliedDomain, u: Element, v: Element) -> Pair:
    """R and K of U + d V M_a."""
    c, d = domain.form.offset, domain.form.multiplier
    quotient_u, remainder_u = split(program, domain.split, u)
    quotient_v, remainder_v = split(program, domain.split, v)
    low = _sum(program, "r", [(remainder_u, 1), (quotient_v, c)])
    high = _sum(program, "k", [(quotient_u, 1), (remainder_v, d)])
    return low, high


def _sum(program: Program, name: str, terms: Sequence[tuple[Element, int]]) -> Element:
    """Add up small multiples of elements."""

    def added(part: str) -> Residues:
        summands: list[Summand] = [
            program.scaled(getattr(each, part), times) for each, times in terms
        ]
        return program.reduce(f"{name}_{part}", *summands)

    return Element(added("a"), added("b"))


def closed_ranges(domain: MultipliedDomain, representation: Representation) -> Ranges:
    """The ranges of R and K that `product` keeps, found by running it on intervals.

    Raises:
        ProgramError: base b is too narrow, by how many bits, or the Cox not accurate enough.
    """
    remainder = remainder_range(Program("remainder", representation), domain.split)
    d = Fraction(domain.form.multiplier)
    ranges = remainder, remainder.scaled(d)
    # Ranges that never settle outgrow base b, which ends the search.
    while True:
        made = product_program(domain, representation, ranges)
        reached = [value.range for value in made.outputs[1::2]]
        if all(one.within(old) for one, old in zip(reached, ranges, strict=True)):
            return ranges
        low, high = (
            Interval(min(one.low, old.low), max(one.high, old.high))
            for one, old in zip(reached, ranges, strict=True)
        )
        ranges = low, high


def product_program(
    domain: MultipliedDomain, representation: Representation, ranges: Ranges
) -> Program:
    """`product` as a program with inputs x0_a, x0_b, x1_a, ... and R and K as outputs."""
    made = Program("product modulo d M_a^2 - c", representation)
    x, y = (operand(made, domain, name, ranges) for name in "xy")
    low, high = product(made, domain, x, y)
    made.output(low.a, low.b, high.a, high.b)
    return made


def design(
    form: SquareForm,
    base_a: Base,
    representation: Representation | None = None,
    *,
    split_form: Form = "lean",
) -> MultipliedDomain:
    """A domain for given M_a, with a base b and Cox that close chains of products.

    Base b gets as many moduli as base a, of the fewest bits from base a's on for which
    `closed_ranges` has an answer.

    Raises:
        SpecificationError: no width does, or no Cox is accurate enough.
    """
    representation = representation or Redundant(1)
    blank = Cox(1, Fraction(0))
    failure: ProgramError | None = None
    for width in range(base_a.width, base_a.width + _WIDER):
        base_b = nearest_base(width, len(base_a), base_a)
        bases = SplitDomain(base_a, base_b, blank, blank, form=split_form)
        first, second = smallest_coxes(bases, representation)
        domain = MultipliedDomain(form, replace(bases, first=first, second=second))
        try:
            closed_ranges(domain, representation)
        except ProgramError as error:
            failure = error
        else:
            return domain
    assert failure is not None
    raise failure
