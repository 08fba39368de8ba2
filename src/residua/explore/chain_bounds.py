"""The second half-base of SBMM: how large M_b has to be for a chain of operations, and one for it.

Ranges are those of `residua.algorithms.split`: every Split is recorded as a program, and says where
K and R lie. Nothing but that decides about M_b (ERRATA E7): the second extension of a Split returns
K if under - sigma0 <= K / M_b < 1 - sigma0 - over.

An element X = K M_a + R modulo P = d M_a^2 - c (ERRATA E9) goes through

* a product X Y: U = c K_x K_y + d R_x R_y, V = K_x R_y + R_x K_y, both split, then
  K = K_u + d R_v and R = R_u + c K_v, which stand for d X Y (SBMM Algorithm 4),
* |X 1|_P, the same with U = d R_x, V = K_x (SBMM section 4.4),
* Compress, the same with K_x = K_k M_a + R_k and R_x = K_r M_a + R_r, where K_k and K_r are known
  modulo m_gamma only: K = d (R_k + K_r), R = c K_k + d R_r (SBMM Algorithm 5).
"""

from dataclasses import dataclass, field
from fractions import Fraction
from math import floor

from residua.algorithms.montgomery import Element
from residua.algorithms.program import Program
from residua.algorithms.split import SplitDomain, divide, remainder_range
from residua.algorithms.terms import Interval, power_of_two
from residua.errors import SpecificationError
from residua.explore.chain import Chain
from residua.numbers.bases import Base
from residua.numbers.cox import Cox, Deviation, deviation
from residua.numbers.primes.position_primes import nearest_base
from residua.numbers.primes.square_primes import SquareForm, SquarePrime
from residua.numbers.residues import Canonical, Redundant, Representation
from residua.numbers.selection.coprime import Style

WIDEST_GAMMA = 64
"""Bits that m_gamma may have."""

_COX_SHARE = Fraction(1, 8)
"""The Cox's error of either base as a share of its product, at most."""

_SETTLING = 64
"""Rounds after which ranges have settled, or never do."""

_LARGEST = 1 << 2 * WIDEST_GAMMA
"""Ranges of so many M_a are given up: they double their bits from product to product."""


@dataclass(frozen=True)
class Pair:
    """The ranges of K and R."""

    k: Interval
    r: Interval

    def hull(self, other: "Pair") -> "Pair":
        """The smallest ranges that hold both."""
        return Pair(_hull(self.k, other.k), _hull(self.r, other.r))

    def within(self, other: "Pair") -> bool:
        """Whether ``other`` holds both."""
        return self.k.within(other.k) and self.r.within(other.r)


@dataclass
class Reach:
    """Ranges of a chain, with K of Splits: ``quotient`` of full ones, ``small`` of Compress.

    ``operand`` are the ranges that the chain keeps, ``results`` those of each product.
    """

    operand: Pair
    results: list[Pair] = field(default_factory=list)
    quotient: Interval = field(default_factory=lambda: Interval.of(0, 0))
    small: Interval = field(default_factory=lambda: Interval.of(0, 0))


@dataclass(frozen=True)
class HalfBases:
    """Half-bases of one prime and what they are made for.

    Attributes:
        prime: P, with base a.
        base_b: base b without m_gamma.
        gamma: g, m_gamma = 2^g being one more modulus of base b; 0 if there is none.
        first: the Cox of extensions from base a.
        second: the Cox of extensions from base b.
        chain: the operations.
        reach: their ranges.
        bound: what M_b, with m_gamma, is at least.
    """

    prime: SquarePrime
    base_b: Base
    gamma: int
    first: Cox
    second: Cox
    chain: Chain
    reach: Reach
    bound: int

    @property
    def product_b(self) -> int:
        """M_b with m_gamma."""
        return self.base_b.product << self.gamma


def half_bases(
    prime: SquarePrime,
    chain: Chain,
    *,
    style: Style = "any",
    weight: int = 3,
    width: int | None = None,
    gamma: int | None = None,
    representation: Representation | None = None,
) -> HalfBases:
    """Base b for a prime: as many moduli as base a has, odd, of the smallest h, and m_gamma.

    Args:
        prime: P with base a.
        chain: what has to work.
        style: ``any`` h of base b, or ``sparse``.
        weight: signed digits of h at most, if sparse.
        width: bits of base b's moduli, by default those of base a's.
        gamma: g; by default the fewest bits that the chain needs.
        representation: of residues, which decides the Cox's error; by default the engine's, or
            canonical residues if ranges are unsigned.

    Raises:
        SpecificationError: too few moduli; the Cox errs too much; M_b or m_gamma is too narrow:
            which bound they miss.
    """
    if representation is None:
        representation = Canonical() if chain.unsigned else Redundant(1)
    base_b = nearest_base(
        width or prime.base.width,
        len(prime.base),
        prime.base,
        odd=True,
        weight=weight if style == "sparse" else None,
    )
    first, second, error = _coxes(prime.base, base_b, chain.unsigned, representation)
    domain = SplitDomain(prime.base, base_b, first, second, unsigned=chain.unsigned)
    reach = chain_reach(chain, prime.form, domain, representation)
    bound = _bound(reach.quotient, second, error)
    needed = _gamma(bound, base_b, reach) if gamma is None else gamma
    if not 0 <= needed <= WIDEST_GAMMA:
        raise SpecificationError(
            f"m_gamma = 2^{needed} is out of range for {chain}: 0 to {WIDEST_GAMMA} bits; "
            "fewer products between Compress, or wider moduli of base b, need less"
        )
    found = HalfBases(prime, base_b, needed, first, second, chain, reach, bound)
    _check_width(found)
    return found


def chain_reach(
    chain: Chain, form: SquareForm, domain: SplitDomain, representation: Representation
) -> Reach:
    """The ranges of a chain; Splits have those of ``domain``.

    Raises:
        SpecificationError: the ranges of the chain never settle, or an unsigned one has c < 0.
    """
    if chain.unsigned and form.offset < 0:
        raise SpecificationError(
            f"c = {form.offset} makes R_u + c K_v negative, which an unsigned chain "
            "does not allow; a signed one does"
        )
    steps = _Steps(form, domain, representation)
    reach = Reach(steps.operand(chain.below))
    for _ in range(_SETTLING):
        reach = Reach(reach.operand)
        value = reach.operand
        for _ in range(chain.products):
            value = steps.product(value, value, chain.terms, reach)
            if max(value.k.magnitude, value.r.magnitude) > _LARGEST * domain.base_a.product:
                raise SpecificationError(_unsettled(chain, form))
            reach.results.append(value)
        if chain.closing == "none":
            return reach
        closed = (
            steps.compressed(value, reach)
            if chain.closing == "compress"
            else steps.normalised(value, reach)
        )
        if closed.within(reach.operand):
            return reach
        reach.operand = reach.operand.hull(closed)
    raise SpecificationError(_unsettled(chain, form))


def _unsettled(chain: Chain, form: SquareForm) -> str:
    return (
        f"the ranges of {chain} modulo {form} grow without end: "
        "fewer products or terms between Compress, or smaller c and d, work"
    )


@dataclass(frozen=True)
class _Steps:
    """The operations on ranges."""

    form: SquareForm
    domain: SplitDomain
    representation: Representation

    def operand(self, below: int) -> Pair:
        """Range of values below so many M_a, or half of that in size."""
        limit = below * self.domain.base_a.product
        half = Interval.of(-(limit // 2), limit // 2)
        whole = Interval.of(0, limit - 1) if self.domain.unsigned else half
        return Pair(whole, whole)

    def product(self, x: Pair, y: Pair, terms: int, reach: Reach) -> Pair:
        """The sum of ``terms`` products, of either sign if ranges are signed."""
        c, d = Fraction(self.form.offset), Fraction(self.form.multiplier)
        u = (x.k * y.k).scaled(c) + (x.r * y.r).scaled(d)
        v = x.k * y.r + x.r * y.k
        if terms > 1 and not self.domain.unsigned:
            u, v = (_hull(each, each.scaled(Fraction(-1))) for each in (u, v))
        return self._finished(u.scaled(Fraction(terms)), v.scaled(Fraction(terms)), reach)

    def normalised(self, x: Pair, reach: Reach) -> Pair:
        """|X 1|_P."""
        return self._finished(x.r.scaled(Fraction(self.form.multiplier)), x.k, reach)

    def compressed(self, x: Pair, reach: Reach) -> Pair:
        """Compress."""
        c, d = Fraction(self.form.offset), Fraction(self.form.multiplier)
        low, high = self._lifted(x.r, x.k, 1)
        (k_r, r_r), (k_k, r_k) = self._split(low), self._split(high)
        reach.small = _hull(reach.small, _hull(k_r, k_k))
        return Pair((r_k + k_r).scaled(d), k_k.scaled(c) + r_r.scaled(d))

    def _finished(self, u: Interval, v: Interval, reach: Reach) -> Pair:
        u, v = self._lifted(u, v, self.form.multiplier)
        (k_u, r_u), (k_v, r_v) = self._split(u), self._split(v)
        reach.quotient = _hull(reach.quotient, _hull(k_u, k_v))
        c, d = Fraction(self.form.offset), Fraction(self.form.multiplier)
        return Pair(k_u + r_v.scaled(d), r_u + k_v.scaled(c))

    def _split(self, value: Interval) -> tuple[Interval, Interval]:
        """The ranges of K and R of a value."""
        domain = self.domain
        program = Program("chain", self.representation)
        element = Element(
            program.input("x_a", domain.base_a, domain.factor_a, value),
            program.input("x_b", domain.base_b, domain.factor_b, value),
        )
        parts = divide(program, domain, element)
        return parts.quotient.range, parts.remainder

    def _lifted(self, u: Interval, v: Interval, scale: int) -> tuple[Interval, Interval]:
        """U and V with as many multiples of P as keep K from being negative.

        U + scale V M_a is what counts, ``scale`` being 1 or d, and P is
        scale ((d / scale) M_a - 1) M_a + scale M_a - c.
        """
        if not self.domain.unsigned:
            return u, v
        radix, form = self.domain.base_a.product, self.form
        low, high = scale * radix - form.offset, form.multiplier // scale * radix - 1
        # K > -1: U - R > -M_a.
        most = remainder_range(Program("remainder", self.representation), self.domain).high - radix
        lift = max(
            0, *(floor((most - each.low) / part) + 1 for each, part in ((u, low), (v, high)))
        )
        return u + Interval.of(lift * low, lift * low), v + Interval.of(lift * high, lift * high)


def _hull(one: Interval, two: Interval) -> Interval:
    return Interval(min(one.low, two.low), max(one.high, two.high))


def _bound(quotient: Interval, cox: Cox, error: Deviation) -> int:
    """The smallest M_b for which an extension returns every K."""
    above, below = 1 - cox.sigma0 - error.over, cox.sigma0 - error.under
    bound = int(quotient.high // above) + 1
    return bound if quotient.low >= 0 else max(bound, -int(quotient.low // below))


def _gamma(bound: int, base_b: Base, reach: Reach) -> int:
    """The fewest bits of m_gamma that M_b and Compress need."""
    missing = (-(-bound // base_b.product) - 1).bit_length()
    return max(missing, _small_bits(reach))


def _small_bits(reach: Reach) -> int:
    """Bits of the quotients of Compress, as numbers modulo m_gamma."""
    return int(reach.small.high - reach.small.low).bit_length()


def _check_width(found: HalfBases) -> None:
    radix = found.prime.base.product
    if found.product_b < found.bound:
        raise SpecificationError(
            f"base b is too narrow for {found.chain} modulo {found.prime.form}: "
            f"M_b = {_ratio(found.product_b, radix)} M_a, but K reaches "
            f"{_ratio(found.reach.quotient.magnitude, radix)} M_a, and its extension from base b "
            f"needs M_b >= {_ratio(found.bound, radix)} M_a; "
            f"m_gamma of {_gamma(found.bound, found.base_b, found.reach)} bits works"
        )
    least = _small_bits(found.reach)
    if found.gamma < least:
        raise SpecificationError(
            f"m_gamma = 2^{found.gamma} is too small for {found.chain}: Compress has quotients "
            f"from {found.reach.small.low} to {found.reach.small.high}; it has to be at least "
            f"2^{least}"
        )


def _ratio(number: int | Fraction, radix: int) -> str:
    """number / M_a: three digits after the point, or a power of 2 if it is large."""
    ratio = Fraction(number) / radix
    if ratio < 1 << 20:
        return f"{float(ratio):.3f}"
    return power_of_two(ratio)


def _coxes(
    base_a: Base, base_b: Base, unsigned: bool, representation: Representation
) -> tuple[Cox, Cox, Deviation]:
    """The Cox of both extensions, of the fewest bits that err little, and the second's error.

    m_gamma adds no error: its fractions are exact.

    Raises:
        SpecificationError: no number of bits does.
    """
    for truncation in range(1, base_a.width + 1):
        blank = Cox(truncation, Fraction(0))
        errors = [deviation(base, blank, representation.ranges(base)) for base in (base_a, base_b)]
        if max(each.under + each.over for each in errors) <= _COX_SHARE:
            centre = (1 + errors[1].under - errors[1].over) / 2
            steps = min(floor(centre * 2**truncation + Fraction(1, 2)), 2**truncation - 1)
            centred = Cox(truncation, Fraction(steps, 2**truncation))
            return blank if unsigned else centred, centred, errors[1]
    raise SpecificationError(
        f"w = {base_a.width} is too small for {len(base_a)} moduli in each half-base: the Cox errs "
        f"by more than {_COX_SHARE} M with any number of bits; a wider w or smaller h works"
    )
