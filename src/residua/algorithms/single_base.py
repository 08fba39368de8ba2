"""Single-base modular multiplication (SBMM), P = M_a^2 - 2, with the extra modulus m_gamma.

SBMM is the position-residue product of degree 2: X = K M_a + R is the pair of coefficients (R, K),
and Algorithm 4 is `position_residue.multiply`, with sums and differences of products in
`position_residue.sum_of_products` and |X * 1|_P in `position_residue.normalise`. What the paper
adds is here: base b with m_gamma = 2^g as one more residue, Compress, and the way from X to (K, R)
and back.

m_gamma is even, so that all other moduli have to be odd, and is carried through every step as a
narrow channel of base b: M_b grows by 2^g, which is the room that products need, and R_k = |K|_M_a
has only to be extended to that one channel to know K_k = (K - R_k) / M_a.
"""

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

from residua.algorithms.base_extension import cofactor_form
from residua.algorithms.montgomery import Element
from residua.algorithms.position_residue import (
    Coefficients,
    Multiplication,
    PositionResidueDomain,
    carried,
    coefficient_sums,
    lifted,
    multiply,
    operand,
    smallest_coxes,
)
from residua.algorithms.program import Program, ProgramError
from residua.algorithms.split import Form, SplitDomain, divide, remainder_range
from residua.algorithms.split import split as split_element
from residua.algorithms.terms import Interval, Residues, Summand
from residua.errors import SpecificationError
from residua.numbers.bases import Base
from residua.numbers.cox import Cox
from residua.numbers.moduli import Modulus
from residua.numbers.residues import Canonical, Representation

_FINEST = 8
"""Ranges of operands are sought in steps of M_a / 8."""


def single_base(
    base_a: Base,
    base_b: Base,
    extra_bits: int,
    representation: Representation | None = None,
    *,
    form: Form = "lean",
    multiplication: Multiplication = "schoolbook",
    unsigned: bool = False,
    skips_quotient: bool = False,
    columns: int = 1,
) -> PositionResidueDomain:
    """The domain of P = M_a^2 - 2 whose base b has m_gamma = 2^``extra_bits`` beside its moduli.

    ``columns`` c > 1 makes extensions hierarchical, over rows of c of these. The Cox are those of
    `smallest_coxes`; with ``skips_quotient`` only Compress has one in base a.

    Raises:
        SpecificationError: the bases are not odd or not coprime, m_gamma has more bits than they
            have, or no Cox is accurate enough.
    """
    even = next((m for m in (*base_a, *base_b) if m.value % 2 == 0), None)
    if even is not None:
        raise SpecificationError(
            f"the modulus {even} is even, and so is the extra modulus 2^{extra_bits}: all others "
            "have to be odd"
        )
    extended = Base((*base_b.moduli, Modulus(extra_bits, 0)), narrow=True)
    blank = Cox(1, Fraction(0))
    bases = SplitDomain(base_a, extended, blank, blank, columns, form, unsigned, skips_quotient)
    first, second = smallest_coxes(bases, representation or Canonical())
    return PositionResidueDomain(2, 2, replace(bases, first=first, second=second), multiplication)


def compress(
    program: Program, domain: PositionResidueDomain, x: Coefficients, name: str = "c"
) -> Coefficients:
    """Shorten K and R to little more than M_a (SBMM Algorithm 5, repaired).

    K = K_k M_a + R_k and R = K_r M_a + R_r become (K_r + R_k, R_r + 2 K_k). The published form goes
    wrong where a quotient is -1, which it is for every small K or R (ERRATA E4). Here there is
    neither a test nor a branch: signed residues modulo m_gamma hold -1 as what it is, and in an
    unsigned domain a multiple of P comes first (ERRATA E6).

    The results are called ``name`` 0 and 1.

    Costs with n/2 moduli in each base n/2 EMM and n/2 + 1 products modulo m_gamma for each of both,
    and n/2 products of the quotient with M_a in base b: 2 n EMM and n + 2 GMM.

    Raises:
        ProgramError: K or R may exceed what m_gamma has room for.
        SpecificationError: base b has no extra modulus.
    """
    if domain.split.base_b.extra is None:
        raise SpecificationError("Compress needs an extra modulus m_gamma in base b")
    x = lifted(program, domain, x)
    parts = [_Quotient(program, domain.split, each) for each in x]
    return tuple(_compressed(program, domain, parts, i, name) for i in range(domain.degree))


def parallel_compress(
    program: Program, domain: PositionResidueDomain, x: Coefficients
) -> Coefficients:
    """`compress` with K in lane 0 and R in lane 1 of an engine; in a signed domain only."""
    start = len(program.steps)
    quotient = _Quotient(program, domain.split, x[1])
    middle = len(program.steps)
    parts = [_Quotient(program, domain.split, x[0]), quotient]
    program.together(start, middle)
    start = len(program.steps)
    high = _compressed(program, domain, parts, 1)
    middle = len(program.steps)
    low = _compressed(program, domain, parts, 0)
    program.together(start, middle)
    return low, high


def parallel_product(
    program: Program, domain: PositionResidueDomain, x: Coefficients, y: Coefficients
) -> Coefficients:
    """X Y mod P with both Splits at once, U in lane 0 and V in lane 1 of an engine.

    K_z = K_u + R_v is made where K_u is, in lane 0, R_z in lane 1. Each lane computes both U and V,
    in slots in which it would wait, so that only the quotients change lanes. In a signed domain.
    """
    sums, copies = [_paired_sums(program, domain, x, y, swapped=s) for s in (False, True)]
    start = len(program.steps)
    first = divide(program, domain.split, sums[0])
    middle = len(program.steps)
    second = divide(program, domain.split, sums[1])
    program.together(start, middle)
    start = len(program.steps)
    high = carried(program, 1, replace(second, value=copies[1]), first, 1)
    middle = len(program.steps)
    low = carried(program, 0, replace(first, value=copies[0]), second, domain.offset)
    program.together(start, middle)
    return low, high


def _paired_sums(
    program: Program,
    domain: PositionResidueDomain,
    x: Coefficients,
    y: Coefficients,
    *,
    swapped: bool,
) -> tuple[Element, Element]:
    """U and V in both bases, U in lane 0, or in lane 1 if ``swapped``."""
    start = len(program.steps)
    low, high = coefficient_sums(program, domain, [(x, y, 1)])
    made = program.steps[start:]
    del program.steps[start:]
    for part in (low.a, high.a), (low.b, high.b):
        for value in reversed(part) if swapped else part:
            program.steps += [step for step in made if step.result is value]
        program.together(len(program.steps) - 2, len(program.steps) - 1)
    return low, high


def _compressed(
    program: Program,
    domain: PositionResidueDomain,
    parts: Sequence["_Quotient"],
    i: int,
    name: str = "c",
) -> Element:
    """Coefficient i: its own remainder and the quotient below it."""
    own, below, multiple = parts[i], parts[i - 1], 1 if i else domain.offset
    # The paper doubles by additions; a slot of an engine is the same with a constant in it.
    turns, each = (1, multiple) if domain.multiplication == "direct" else (multiple, 1)
    return Element(
        program.reduce(f"{name}{i}_a", own.remainder_a(), *[below.quotient("a", each)] * turns),
        program.reduce(f"{name}{i}_b", *own.remainder_b(), *[below.quotient("b", each)] * turns),
    )


class _Quotient:
    """X = k M_a + R with a small k, known modulo m_gamma: lines 1 to 3 of Algorithm 5."""

    def __init__(self, program: Program, domain: SplitDomain, value: Element) -> None:
        self.program, self.domain, self.value = program, domain, value
        domain = _with_quotient(domain)
        ones = (1,) * len(domain.base_a)
        self.remainder = remainder_range(program, domain, ones)
        reached = value.b.range + self.remainder.scaled(Fraction(-1))
        small = reached.scaled(Fraction(1, domain.base_a.product)).integers()
        name = value.b.name.removesuffix("_b")
        xi = cofactor_form(program, value.a)
        channels = len(domain.base_b)
        own = program.channels(value.b, channels - 1, channels)
        share = Fraction(1, domain.base_a.product)
        minus_remainder = program.extension(
            xi, own.base, domain.first, multiple=-share, columns=domain.columns
        )
        self.k = program.reduce(
            f"k({name})", program.scaled(own, share, [1]), minus_remainder, range=small
        )
        demand_quotient(program, self.k)

    def quotient(self, part: str, multiple: int) -> Summand:
        """multiple * k in base a or b: the word of m_gamma goes to every channel."""
        domain = self.domain
        base, factor = (
            (domain.base_a, domain.factor_a) if part == "a" else (domain.base_b, domain.factor_b)
        )
        value = self.k.range.scaled(Fraction(multiple))
        return self.program.spread(self.k, base, [multiple], factor, value)

    def remainder_a(self) -> Summand:
        """R in base a: the residues of X."""
        return replace(self.program.scaled(self.value.a, 1), range=self.remainder)

    def remainder_b(self) -> list[Summand]:
        """X - k M_a in base b."""
        domain = self.domain
        own = replace(self.program.scaled(self.value.b, 1), range=self.remainder)
        taken = self.program.spread(
            self.k,
            domain.base_b,
            [-domain.base_a.product],
            domain.factor_b,
            Interval.of(0, 0),
        )
        return [own, taken]


def demand_quotient(program: Program, k: Residues) -> None:
    """Refuse a quotient of Compress that may be no residue of m_gamma, as a signed word."""
    low, high = program.representation.ranges(k.base)[0]
    program.demand(
        k,
        Interval.of(low, high),
        f"the quotient of Compress by M_a has to be a residue of m_gamma = {k.base.extra}",
    )


def _with_quotient(domain: SplitDomain) -> SplitDomain:
    """Domain of Compress, which extends base a with a quotient: the rest has to be short."""
    return replace(domain, skips_quotient=False)


def decompose(program: Program, domain: PositionResidueDomain, value: Element) -> Coefficients:
    """(R, K) of X, given in both bases, by one Split (SBMM section 4.1)."""
    quotient, remainder = split_element(program, domain.split, value)
    return remainder, quotient


def recompose(program: Program, domain: PositionResidueDomain, x: Coefficients) -> Element:
    """X = K M_a + R in both bases, which is R in base a (SBMM section 4.2).

    X is known by its residues if it lies within M_a M_b.
    """
    remainder, quotient = x
    radix = domain.split.base_a.product
    total = program.reduce("x_b", program.scaled(quotient.b, radix), program.scaled(remainder.b, 1))
    own = program.restate(remainder.a, 1)
    return Element(replace(own, range=total.range), total)


def compressed_ranges(
    domain: PositionResidueDomain, representation: Representation
) -> tuple[Interval, ...]:
    """The ranges of all results of `compress`, whatever it is given.

    Signed, R lies within the Cox's error of M_a / 2 and a quotient adds up to m_gamma / 2.
    """
    program = Program("compressed", representation)
    split = _with_quotient(domain.split)
    remainder = remainder_range(program, split, (1,) * len(split.base_a))
    extra = domain.split.base_b.extra
    assert extra is not None
    low, high = representation.ranges(Base((extra,), narrow=True))[0]
    small = Interval.of(low, high)
    return tuple(
        remainder + small.scaled(Fraction(1 if i else domain.offset)) for i in range(domain.degree)
    )


def largest_operands(
    domain: PositionResidueDomain, representation: Representation, *, compressed: bool
) -> tuple[Interval, ...]:
    """The widest ranges of K and R, multiples of M_a / 8, that a product of two such allows.

    With ``compressed`` the product has to be one that `compress` accepts, too.

    Raises:
        ProgramError: not even results of Compress can be multiplied.
    """
    radix = domain.split.base_a.product

    def possible(eighths: int) -> bool:
        try:
            product_program(domain, representation, ranges(eighths), compressed=compressed)
        except ProgramError:
            return False
        return True

    def ranges(eighths: int) -> tuple[Interval, ...]:
        limit = radix * eighths // _FINEST
        low = 0 if domain.split.unsigned else -limit
        return (Interval.of(low, limit),) * domain.degree

    least = compressed_ranges(domain, representation)
    fewest = max(-(-int(each.magnitude) * _FINEST // radix) for each in least)
    if not possible(fewest):
        product_program(domain, representation, least, compressed=compressed)
        return least
    most = fewest
    while possible(2 * most):
        most *= 2
    high = 2 * most
    while high - most > 1:
        middle = (most + high) // 2
        most, high = (middle, high) if possible(middle) else (most, middle)
    return ranges(most)


def product_program(
    domain: PositionResidueDomain,
    representation: Representation,
    ranges: tuple[Interval, ...],
    *,
    compressed: bool,
    parallel: bool = False,
) -> Program:
    """x y mod P, compressed if asked for, as a program with inputs x0_a, x0_b, x1_a, ...

    With ``parallel`` for an engine with two lanes.
    """
    program = Program("sbmm", representation)
    x, y = (operand(program, domain, name, ranges) for name in "xy")
    multiply_by, shorten = (
        (parallel_product, parallel_compress) if parallel else (multiply, compress)
    )
    result = multiply_by(program, domain, x, y)
    if compressed:
        result = shorten(program, domain, result)
    program.output(*(part for each in result for part in (each.a, each.b)))
    return program


def outputs(program: Program) -> list[tuple[Residues, Residues]]:
    """The results of `product_program`, in both bases, R first."""
    values = program.outputs
    return list(zip(values[::2], values[1::2], strict=True))
