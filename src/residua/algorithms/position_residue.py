"""Hybrid position-residue (HPR) multiplication modulo P = M_a^d - c.

An element is a polynomial of degree < d in M_a whose d coefficients are residue vectors, each over
base a and base b of about n / d moduli. As M_a^d = c (mod P), a product of polynomials modulo
t^d - c has d coefficients again, and one Split a coefficient with a carry to the next one (times c
from the last to the first) makes them short: z_i = R_i + K_{i-1}, z_0 = R_0 + c K_{d-1}.

For d = 2 this is SBMM (SBMM Algorithm 4; HBE Table II, [17]), where the coefficients are R and K of
X = K M_a + R; d = 4 is the other column of HBE's Table II ([27]).

Coefficients grow from product to product: one of operands below B M_a is below about
(1 + c (d - 1)) B^2 M_a. `normalise` brings them back, so that chains of products are closed under
the ranges that `closed_ranges` finds; every range here is the program's own interval arithmetic.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import combinations
from math import floor
from typing import Literal

from residua.algorithms.montgomery import Element
from residua.algorithms.program import Program, ProgramError
from residua.algorithms.split import Division, Form, SplitDomain, divide, remainder_range
from residua.algorithms.terms import Interval, Residues, Summand
from residua.errors import SpecificationError
from residua.numbers.bases import Base
from residua.numbers.cox import Cox, deviation
from residua.numbers.primes.position_primes import check_form, nearest_base
from residua.numbers.residues import Canonical, Representation

Coefficients = tuple[Element, ...]
"""An element: the coefficients of M_a^0, M_a^1, ..., each in both bases."""

Multiplication = Literal["schoolbook", "karatsuba", "direct"]
"""d^2 products of coefficients, or d (d + 1) / 2 and additions; in both, sums are multiplied by c.

Direct is schoolbook with |c| times the products that c multiplies: one dependent step less, and no
more slots of an engine if |c| = 2, where additions take slots like products.
"""

Products = Sequence[tuple[Coefficients, Coefficients, int]]
"""X, Y and a sign for each summand +- X Y."""

_Vectors = Sequence[tuple[list[Residues], list[Residues], int]]
"""Vectors in one of both bases, with their signs."""

_MOST_ADDITIONS = 3
"""Multiples up to this are added up; larger ones are constant products."""

_WIDER = 16
"""Bits by which the moduli of base b may exceed those of base a in `design`."""

_COX_SHARE = Fraction(1, 8)
"""The Cox's error that `smallest_coxes` allows in either base, as a share of its product."""


@dataclass(frozen=True)
class PositionResidueDomain:
    """Constants of HPR multiplication modulo P = M_a^d - c.

    ``degree`` is d >= 2, ``offset`` c, small, of either sign and not 0; ``split`` has the bases and
    the Cox of both extensions.

    Raises:
        SpecificationError: d or c is out of range, M_a^d - c has algebraic factors, or c is
            negative in an unsigned domain.
    """

    degree: int
    offset: int
    split: SplitDomain
    multiplication: Multiplication = "schoolbook"

    def __post_init__(self) -> None:
        check_form(self.degree, self.offset)
        if abs(self.offset) << 2 >= self.split.base_a.product:
            raise SpecificationError(f"c = {self.offset} is not small beside M_a")
        if self.split.unsigned and self.offset < 0:
            raise SpecificationError(
                f"c = {self.offset} makes z_0 = R_0 + c K negative, which an unsigned domain does "
                "not allow; a signed one does"
            )

    @property
    def modulus(self) -> int:
        """P."""
        power: int = self.split.base_a.product**self.degree
        return power - self.offset

    @property
    def montgomery_factor(self) -> int:
        """R of a product X Y R^-1: 1, as M_a^d is replaced by c."""
        return 1

    def digits(self, number: int) -> list[int]:
        """Coefficients of ``number`` mod P in [0, M_a), centred about 0 in a signed domain."""
        radix, rest = self.split.base_a.product, number % self.modulus
        if not self.split.unsigned and 2 * rest > self.modulus:
            rest -= self.modulus
        coefficients = []
        for _ in range(self.degree - 1):
            digit = rest % radix
            if not self.split.unsigned and 2 * digit > radix:
                digit -= radix
            coefficients.append(digit)
            rest = (rest - digit) // radix
        return [*coefficients, rest]

    def number(self, coefficients: Sequence[int]) -> int:
        """The number in [0, P) of these coefficients."""
        total = 0
        for coefficient in reversed(coefficients):
            total = total * self.split.base_a.product + coefficient
        return total % self.modulus


def operand(
    program: Program, domain: PositionResidueDomain, name: str, ranges: Sequence[Interval]
) -> Coefficients:
    """An element that the caller supplies: inputs name0_a, name0_b, name1_a, ..."""
    bases = domain.split
    return tuple(
        Element(
            program.input(f"{name}{i}_a", bases.base_a, bases.factor_a, interval),
            program.input(f"{name}{i}_b", bases.base_b, bases.factor_b, interval),
        )
        for i, interval in enumerate(ranges)
    )


def multiply(
    program: Program, domain: PositionResidueDomain, x: Coefficients, y: Coefficients
) -> Coefficients:
    """X Y mod P with d Splits (SBMM Algorithm 4 for d = 2).

    Costs with n/d moduli in each base, lean form: 2 n^2 / d + 3 n EMM in the Splits, and 2 d n
    in schoolbook products or (d + 1) n by Karatsuba's formula. That is n^2 + 6 n at best for d = 2,
    n^2 / 2 + 8 n for d = 4.
    """
    return sum_of_products(program, domain, [(x, y, 1)])


def sum_of_products(
    program: Program, domain: PositionResidueDomain, products: Products
) -> Coefficients:
    """sum(sign * X * Y) mod P with one Split a coefficient."""
    return carry(program, domain, coefficient_sums(program, domain, products))


def coefficient_sums(
    program: Program, domain: PositionResidueDomain, products: Products
) -> Coefficients:
    """sum(sign * X * Y) modulo t^d - c, plus multiples of P in an unsigned domain."""
    ranges = [_coefficient_range(domain, products, i) for i in range(domain.degree)]
    lift = _lift(program, domain, ranges)
    parts_a = {id(each): [e.a for e in each] for x, y, _ in products for each in (x, y)}
    parts_b = {id(each): [e.b for e in each] for x, y, _ in products for each in (x, y)}
    sums_a, sums_b = (
        _sums(
            program, domain, [(part[id(x)], part[id(y)], s) for x, y, s in products], ranges, lift
        )
        for part in (parts_a, parts_b)
    )
    return tuple(Element(a, b) for a, b in zip(sums_a, sums_b, strict=True))


def normalise(program: Program, domain: PositionResidueDomain, x: Coefficients) -> Coefficients:
    """Shorten the coefficients by one Split each, as |X * 1|_P (SBMM section 4.4)."""
    return carry(program, domain, lifted(program, domain, x))


def lifted(program: Program, domain: PositionResidueDomain, x: Coefficients) -> Coefficients:
    """Add multiples of P that leave no K of an unsigned domain negative."""
    lift = _lift(program, domain, [each.b.range for each in x])
    if not lift:
        return x

    def raised(value: Residues, index: int) -> Residues:
        own = program.scaled(value, 1)
        return program.reduce(f"{value.name}+", own, *_lifting(program, domain, lift, index, own))

    return tuple(Element(raised(each.a, i), raised(each.b, i)) for i, each in enumerate(x))


def carry(program: Program, domain: PositionResidueDomain, sums: Sequence[Element]) -> Coefficients:
    """One Split a coefficient, quotients added to the next one: z_i = R_i + K_{i-1}."""
    parts = [divide(program, domain.split, each) for each in sums]
    # Nothing is recorded here: if base b is too narrow, the largest K says by how much.
    max(parts, key=lambda part: part.quotient.range.magnitude).quotient_a(program)
    return tuple(
        carried(program, i, part, parts[i - 1], 1 if i else domain.offset)
        for i, part in enumerate(parts)
    )


def carried(program: Program, index: int, own: Division, below: Division, multiple: int) -> Element:
    """Coefficient ``index``: its own remainder and ``multiple`` times the quotient below it."""
    return Element(
        program.reduce(
            f"z{index}_a", own.remainder_a(program), below.quotient_a(program, multiple)
        ),
        program.reduce(
            f"z{index}_b", *own.remainder_b(program), below.quotient_b(program, multiple)
        ),
    )


def closed_ranges(
    domain: PositionResidueDomain, representation: Representation, products: int = 1
) -> tuple[Interval, ...]:
    """The ranges of coefficients that sums of ``products`` products keep, each then normalised.

    The smallest that hold all remainders of a Split; found by running the program on intervals.
    A subtraction counts as one product in a signed domain, as two in an unsigned one.

    Raises:
        ProgramError: base b is too narrow (by how many bits) or the Cox not accurate enough.
    """
    ranges = (remainder_range(Program("remainder", representation), domain.split),) * domain.degree
    # Ranges that never settle outgrow base b, which ends the search.
    while True:
        program = Program("closed", representation)
        terms = [
            (operand(program, domain, f"x{k}", ranges), operand(program, domain, f"y{k}", ranges))
            for k in range(products)
        ]
        raw = sum_of_products(program, domain, [(x, y, 1) for x, y in terms])
        reached = [each.b.range for each in normalise(program, domain, raw)]
        if all(one.within(old) for one, old in zip(reached, ranges, strict=True)):
            return ranges
        ranges = tuple(
            Interval(min(one.low, old.low), max(one.high, old.high))
            for one, old in zip(reached, ranges, strict=True)
        )


def design(
    degree: int,
    offset: int,
    base_a: Base,
    representation: Representation | None = None,
    *,
    channels: int | None = None,
    width: int | None = None,
    columns: int = 1,
    form: Form = "lean",
    multiplication: Multiplication = "schoolbook",
    unsigned: bool = False,
    products: int = 1,
) -> PositionResidueDomain:
    """A domain for given M_a, with a base b and Cox that close chains of products.

    Base b gets ``channels`` moduli (by default those of base a) of ``width`` bits, by default the
    fewest bits from base a's on for which `closed_ranges` has an answer. M_b has to exceed M_a by
    the growth of a product, so that bases of equal numbers of equal moduli never do. The Cox keep
    the fewest bits whose error is below 1/8 of either base.

    Raises:
        SpecificationError: the given width, or no width, does; or no number of bits of the Cox.
    """
    representation = representation or Canonical()
    channels = len(base_a) if channels is None else channels
    for candidate in [width] if width else range(base_a.width, base_a.width + _WIDER):
        base_b = nearest_base(candidate, channels, base_a)
        blank = Cox(1, Fraction(0))
        split = SplitDomain(base_a, base_b, blank, blank, columns, form, unsigned)
        first, second = smallest_coxes(split, representation)
        split = replace(split, first=first, second=second)
        domain = PositionResidueDomain(degree, offset, split, multiplication)
        try:
            closed_ranges(domain, representation, products)
        except ProgramError as error:
            failure = error
        else:
            return domain
    raise failure


def smallest_coxes(domain: SplitDomain, representation: Representation) -> tuple[Cox, Cox]:
    """The Cox of both extensions with the fewest bits whose errors are below 1/8 of either base.

    Those of a domain are not looked at. In a signed one both are centred, and the same.

    Raises:
        SpecificationError: no number of bits does.
    """
    for truncation in range(1, domain.base_a.width + 1):
        errors = [
            deviation(
                base,
                Cox(truncation, Fraction(0)),
                representation.ranges(base),
                weights,
                columns=domain.columns,
                offset=representation.row_offset(base.width) if domain.columns > 1 else 0,
            )
            for base, weights in (
                (domain.base_a, domain.weights),
                (domain.base_b, domain.weights_b),
            )
        ]
        if max(error.under + error.over for error in errors) <= _COX_SHARE:
            under, over = errors[1].under, errors[1].over
            # The multiple of 2^-t nearest to the middle of what the error leaves.
            steps = floor((1 + under - over) / 2 * 2**truncation + Fraction(1, 2))
            centred = Cox(truncation, Fraction(min(steps, 2**truncation - 1), 2**truncation))
            return Cox(truncation, Fraction(0)) if domain.unsigned else centred, centred
    raise SpecificationError(
        f"the Cox of {len(domain.base_a)} moduli of {domain.base_a.width} bits errs by more than "
        f"{_COX_SHARE} M with any number of bits; smaller |h| or wider moduli are needed"
    )


def _coefficient_range(domain: PositionResidueDomain, products: Products, index: int) -> Interval:
    """The range of coefficient ``index`` of a sum of products, reduced by t^d = c."""
    total = Interval.of(0, 0)
    for x, y, sign in products:
        for j in range(domain.degree):
            multiple = sign if j <= index else sign * domain.offset
            other = y[(index - j) % domain.degree]
            total += (x[j].b.range * other.b.range).scaled(Fraction(multiple))
    return total


def _sums(
    program: Program,
    domain: PositionResidueDomain,
    products: _Vectors,
    ranges: Sequence[Interval],
    lift: int,
) -> list[Residues]:
    """The coefficients of a sum of products modulo t^d - c in one base, plus ``lift`` * P."""
    direct, wrapped = _terms(program, domain, products)
    part = "a" if products[0][0][0].base == domain.split.base_a else "b"
    sums = []
    for i, interval in enumerate(ranges):
        summands = list(direct[i])
        if wrapped[i]:
            w = program.reduce(f"w{i}_{part}", *wrapped[i])
            summands += _times(program, w, domain.offset)
        summands += _lifting(program, domain, lift, i, summands[0])
        moved = lift * _multiple_of_modulus(domain, i)
        total = interval + Interval.of(moved, moved)
        sums.append(program.reduce(f"u{i}_{part}", *summands, range=total))
    return sums


def _terms(
    program: Program, domain: PositionResidueDomain, products: _Vectors
) -> tuple[list[list[Summand]], list[list[Summand]]]:
    """Summands of each coefficient: those below t^d, and those that c still multiplies."""
    direct: list[list[Summand]] = [[] for _ in range(domain.degree)]
    wrapped: list[list[Summand]] = [[] for _ in range(domain.degree)]
    karatsuba = domain.multiplication == "karatsuba"
    times = domain.offset if domain.multiplication == "direct" else 0
    for x, y, sign in products:
        for power, summand in (
            _karatsuba(program, x, y, sign)
            if karatsuba
            else _schoolbook(program, x, y, sign, times)
        ):
            side = direct if power < domain.degree else wrapped
            side[power % domain.degree].append(summand)
    return direct, wrapped


def _schoolbook(
    program: Program, x: list[Residues], y: list[Residues], sign: int, times: int
) -> Iterator[tuple[int, Summand]]:
    """sign * X Y as summands with the power of t that each belongs to.

    If ``times`` is not 0, t^d is replaced by it: by products that are repeated.
    """
    for j, left in enumerate(x):
        for k, right in enumerate(y):
            if j + k < len(x) or not times:
                yield j + k, program.product(left, right, sign)
                continue
            summand = program.product(left, right, sign if times > 0 else -sign)
            yield from [(j + k - len(x), summand)] * abs(times)


def _karatsuba(
    program: Program, x: list[Residues], y: list[Residues], sign: int
) -> Iterator[tuple[int, Summand]]:
    """Products by x_j y_k + x_k y_j = x_j y_j + x_k y_k - (x_j - x_k) (y_j - y_k)."""
    squares = [
        program.reduce(f"{left.name} {right.name}", program.product(left, right))
        for left, right in zip(x, y, strict=True)
    ]
    for j, square in enumerate(squares):
        yield 2 * j, program.scaled(square, sign)
    for j, k in combinations(range(len(x)), 2):
        left = _difference(program, x[j], x[k])
        right = left if x is y else _difference(program, y[j], y[k])
        yield j + k, program.scaled(squares[j], sign)
        yield j + k, program.scaled(squares[k], sign)
        yield j + k, program.product(left, right, -sign)


def _difference(program: Program, x: Residues, y: Residues) -> Residues:
    return program.reduce(f"{x.name} - {y.name}", program.scaled(x, 1), program.scaled(y, -1))


def _times(program: Program, value: Residues, multiple: int) -> list[Summand]:
    """multiple * value, by additions if they are few."""
    if abs(multiple) > _MOST_ADDITIONS:
        return [program.scaled(value, multiple)]
    return [program.scaled(value, 1 if multiple > 0 else -1)] * abs(multiple)


def _lift(program: Program, domain: PositionResidueDomain, ranges: Sequence[Interval]) -> int:
    """The fewest multiples of P whose addition leaves no K of an unsigned domain negative.

    P is the polynomial with M_a - c at t^0 and M_a - 1 elsewhere.
    """
    if not domain.split.unsigned:
        return 0
    radix = domain.split.base_a.product
    remainder = remainder_range(program, domain.split)
    lift = 0
    for i, each in enumerate(ranges):
        # K > -1, that is low + lift * part - R > -M_a.
        missing = remainder.high - radix - each.low
        part = _multiple_of_modulus(domain, i)
        lift = max(lift, floor(missing / part) + 1)
    return lift


def _multiple_of_modulus(domain: PositionResidueDomain, index: int) -> int:
    """Coefficient ``index`` of P as a polynomial with coefficients of about M_a."""
    return domain.split.base_a.product - (1 if index else domain.offset)


def _lifting(
    program: Program, domain: PositionResidueDomain, lift: int, index: int, beside: Summand
) -> list[Summand]:
    """``lift`` times P at coefficient ``index``, to be added ``beside`` another summand."""
    if not lift:
        return []
    constant = lift * _multiple_of_modulus(domain, index)
    return [program.stored(constant, beside.base, beside.factor)]
