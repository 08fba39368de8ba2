"""Ranges of values that an RNS Montgomery multiplication keeps within its bases.

A product (or a sum of k products) is S = (sum X Y + Q P) / M_a. The first extension, from base a,
returns Q up to the Cox's error: Q / M_a lies in ``Deviation.result``. The second, from base b, must
return S itself: S / M_b has to lie in ``Deviation.exact``. With B a bound of all operands, both
hold for chains of products of any length if

    k B^2 + max|Q| P <= B M_a    (base a is wide enough to bring a product back below B)
    -B <= S <= B is exact on b   (base b, with the Cox's error, holds S)

Signed values lie in [-B, B] and Q may have either sign. Unsigned values, the form of Kawamura et
al. (2000), lie in [0, B], which also needs Q >= 0. The smallest B is found here in exact integers;
nothing is rounded.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, floor, isqrt

from residua.errors import SpecificationError
from residua.numbers.bases import Base
from residua.numbers.cox import Cox, Deviation, Range, canonical_ranges, deviation
from residua.numbers.residues import Redundant

_STEPS = 16
"""Slacks are given in steps of 1/16 bit."""


@dataclass(frozen=True)
class RangeCondition:
    """The range of a chain of RNS Montgomery products, and the room that its bases leave.

    ``bound`` is B, the smallest that works: every operand and every result X has ``lowest <= X <=
    bound``, where ``lowest`` is -B for signed and 0 for unsigned values. ``slack_a`` and
    ``slack_b`` are bits, rounded down to 1/16: M_a could be that much narrower for some bound to
    exist, M_b for this bound to stay exact. ``reach`` is the share of M_b, at most 1/2 for signed
    and 1 for unsigned values, up to which base b is exact; what is missing is the Cox's error.
    """

    bound: int
    lowest: int
    slack_a: float
    slack_b: float
    reach: Fraction


_Extension = tuple[Deviation, Fraction]
"""A base extension, as far as ranges go: the Cox's error and its sigma0."""


@dataclass(frozen=True)
class _Failure:
    """A condition that does not hold, in words; ``reason`` goes before any advice."""

    reason: str


@dataclass(frozen=True)
class _Setting:
    """Setting of one call, all but the Cox."""

    modulus: int
    products: int
    signed: bool
    product_a: int
    product_b: int

    def __post_init__(self) -> None:
        if self.products < 1:
            raise SpecificationError(f"a reduction sums at least 1 product, not {self.products}")


def montgomery_range(
    modulus: int,
    base_a: Base,
    base_b: Base,
    cox_a: Cox,
    cox_b: Cox,
    ranges_a: Sequence[Range],
    ranges_b: Sequence[Range],
    *,
    weights_a: Sequence[int] | None = None,
    weights_b: Sequence[int] | None = None,
    products: int = 1,
    columns: int = 1,
) -> RangeCondition:
    """The range condition for signed values.

    Args:
        modulus: P.
        base_a: the base of the Montgomery factor M_a; the first extension starts there.
        base_b: the other base; the second extension starts there.
        cox_a: the Cox of the first extension.
        cox_b: the Cox of the second extension.
        ranges_a: ranges of the xi of base a, before weighting (see ``cox.redundant_ranges``).
        ranges_b: ranges of the xi of base b.
        weights_a: integer weights of the xi of base a; all 1 by default.
        weights_b: integer weights of the xi of base b.
        products: k, the number of products that one reduction sums.
        columns: c, the moduli in a row of hierarchical extensions.

    Raises:
        SpecificationError: base a or base b is too narrow (by how many bits), or the Cox's error
            leaves no exact interval; with the t that would do, if one does.
    """
    setting = _Setting(modulus, products, True, base_a.product, base_b.product)

    def outcome(truncation: int) -> RangeCondition | _Failure:
        first, second = _keeping(cox_a, truncation), _keeping(cox_b, truncation)
        return _evaluate(
            setting,
            (signed_error(base_a, first, ranges_a, weights_a, columns), first.sigma0),
            (signed_error(base_b, second, ranges_b, weights_b, columns), second.sigma0),
        )

    kept = min(cox_a.truncation, cox_b.truncation)
    return _settle(outcome, kept, base_b.width)


def kawamura_range(
    modulus: int,
    base_a: Base,
    base_b: Base,
    truncation: int,
    *,
    first: Fraction = Fraction(0),
    second: Fraction = Fraction(1, 2),
    products: int = 1,
    columns: int = 1,
) -> RangeCondition:
    """The range condition for unsigned values and canonical residues, the published form.

    ``first`` and ``second`` are sigma0 of the two extensions. Q >= 0 asks for 0 in the first, and
    for moduli that do not exceed 2^w; small S asks for at least the Cox's error in the second.

    Raises:
        SpecificationError: as ``montgomery_range``; also for a ``first`` that lets Q be negative.
    """
    ranges_a, ranges_b = canonical_ranges(base_a), canonical_ranges(base_b)

    setting = _Setting(modulus, products, False, base_a.product, base_b.product)

    def outcome(kept: int) -> RangeCondition | _Failure:
        return _evaluate(
            setting,
            (deviation(base_a, Cox(kept, first), ranges_a, columns=columns), first),
            (deviation(base_b, Cox(kept, second), ranges_b, columns=columns), second),
        )

    return _settle(outcome, truncation, base_b.width)


def smallest_cox(
    modulus: int,
    base_a: Base,
    base_b: Base,
    ranges_a: Sequence[Range],
    ranges_b: Sequence[Range],
    *,
    truncation: int | None = None,
    sigma0: Fraction | None = None,
    products: int = 1,
    columns: int = 1,
) -> tuple[Cox, RangeCondition]:
    """The Cox for both extensions of signed values that keeps the fewest bits, and its range.

    That is the smallest t that leaves a slack of 1 bit on either base or, if none does, the
    smallest that works at all. A given ``truncation`` is used as it is. ``sigma0`` centres the
    exact interval of base b unless given.

    Raises:
        SpecificationError: no t works, or not the given one.
    """
    setting = _Setting(modulus, products, True, base_a.product, base_b.product)

    def cox(kept: int) -> Cox:
        if sigma0 is not None:
            return Cox(kept, sigma0)
        return Cox(kept, centred_sigma0(base_b, kept, ranges_b, columns=columns))

    def outcome(kept: int) -> RangeCondition | _Failure:
        candidate = cox(kept)
        return _evaluate(
            setting,
            (signed_error(base_a, candidate, ranges_a, None, columns), candidate.sigma0),
            (signed_error(base_b, candidate, ranges_b, None, columns), candidate.sigma0),
        )

    if truncation is not None:
        return cox(truncation), _settle(outcome, truncation, base_b.width)
    # Fewer bits than this lose a whole unit by truncation alone, or cannot express sigma0.
    start = max(len(base_b).bit_length() - 1, 1)
    if sigma0 is not None:
        start = max(start, sigma0.denominator.bit_length() - 1)
    narrow: tuple[Cox, RangeCondition] | None = None
    for kept in range(start, base_b.width + 1):
        found = outcome(kept)
        if isinstance(found, RangeCondition):
            if min(found.slack_a, found.slack_b) >= 1:
                return cox(kept), found
            narrow = narrow or (cox(kept), found)
    if narrow:
        return narrow
    kept = max(start, base_b.width)
    return cox(kept), _settle(outcome, kept, base_b.width)


def exact_cox(base: Base, ranges: Sequence[Range], largest: int) -> Cox:
    """The Cox with the fewest bits that is exact for all values within [-largest, largest].

    It takes residues within ``ranges``, not super-residues.

    Raises:
        SpecificationError: the base is too narrow for that with any number of bits.
    """
    for kept in range(1, base.width + 1):
        cox = Cox(kept, centred_sigma0(base, kept, ranges))
        error = deviation(base, cox, ranges)
        low, high = (bound * base.product for bound in error.exact(cox.sigma0))
        if low <= -largest and largest < high:
            return cox
    raise SpecificationError(
        f"no Cox is exact for values of {largest.bit_length()} bits on a base of "
        f"{base.product.bit_length()} bits"
    )


def centred_sigma0(
    base: Base,
    truncation: int,
    ranges: Sequence[Range],
    weights: Sequence[int] | None = None,
    *,
    columns: int = 1,
) -> Fraction:
    """The multiple of 2^-t below 1 for which the exact interval is nearest to symmetric about 0.

    It is 1/2 plus half of what the truncation loses in the mean.
    """
    error = signed_error(base, Cox(truncation, Fraction(0)), ranges, weights, columns)
    steps = floor((1 + error.under - error.over) / 2 * 2**truncation + Fraction(1, 2))
    return Fraction(min(max(steps, 0), 2**truncation - 1), 2**truncation)


def signed_error(
    base: Base,
    cox: Cox,
    ranges: Sequence[Range],
    weights: Sequence[int] | None = None,
    columns: int = 1,
) -> Deviation:
    """The Cox's error for redundant residues, whose super-residues include a constant."""
    offset = Redundant(1).row_offset(base.width) if columns > 1 else 0
    return deviation(base, cox, ranges, weights, columns=columns, offset=offset)


def _keeping(cox: Cox, truncation: int) -> Cox:
    """The Cox, made to keep at least ``truncation`` bits."""
    return Cox(max(cox.truncation, truncation), cox.sigma0)


def _settle(
    outcome: Callable[[int], RangeCondition | _Failure], kept: int, width: int
) -> RangeCondition:
    """The condition for ``kept`` bits, or the error that says what fails and which t would do."""
    found = outcome(kept)
    if isinstance(found, RangeCondition):
        return found
    for truncation in range(kept + 1, width + 1):
        if isinstance(outcome(truncation), RangeCondition):
            raise SpecificationError(f"{found.reason}; t = {truncation} instead of {kept} would do")
    raise SpecificationError(found.reason)


def _evaluate(
    setting: _Setting, first: _Extension, second: _Extension
) -> RangeCondition | _Failure:
    """The conditions one after the other: Q, base a, the Cox of base b, base b."""
    (error_a, sigma0_a), (error_b, sigma0_b) = first, second
    low, high = error_a.result(sigma0_a)
    if not setting.signed and low < 0:
        return _Failure(
            f"the first extension may return a negative Q, down to -{_share(-low)} M_a, which "
            f"unsigned values do not allow: it needs sigma0 = 0, not {sigma0_a}, "
            "and moduli up to 2^w"
        )
    # Q lies in [low M_a, high M_a).
    largest_q = max(floor(-low * setting.product_a), ceil(high * setting.product_a) - 1)
    bound = _smallest_bound(setting, largest_q)
    need_a = Fraction(4 * setting.products * largest_q * setting.modulus, setting.product_a**2)
    if bound is None:
        return _Failure(
            f"base a is {_bits(need_a)} too narrow: M_a has {_size(setting.product_a)} and must "
            f"exceed {_share(need_a * setting.product_a / setting.modulus)} P, "
            f"where P has {_size(setting.modulus)}"
        )
    exact_low, exact_high = error_b.exact(sigma0_b)
    if exact_low > 0 or exact_high <= 0:
        return _Failure(_off_zero(error_b, sigma0_b))
    limit = ceil(exact_high * setting.product_b) - 1
    if setting.signed:
        limit = min(limit, floor(-exact_low * setting.product_b))
    if bound > limit:
        need_b = Fraction(bound, max(limit, 1))
        return _Failure(
            f"base b is {_bits(need_b)} too narrow: results reach "
            f"{_share(Fraction(bound, setting.product_b))} M_b and the second extension is exact "
            f"up to {_share(Fraction(limit, setting.product_b))} M_b"
        )
    return RangeCondition(
        bound=bound,
        lowest=-bound if setting.signed else 0,
        slack_a=_log2(1 / need_a),
        slack_b=_log2(Fraction(limit, bound)),
        reach=min(-exact_low, exact_high) if setting.signed else exact_high,
    )


def _off_zero(error: Deviation, sigma0: Fraction) -> str:
    """The reason why the second extension is not exact around zero."""
    what = "the Cox error of base b is too large"
    if error.under >= 1 - error.over:
        whole = _share(error.under + error.over)
        return f"{what}: {whole} M_b, and no sigma0 makes up for M_b or more"
    return (
        f"{what}: sigma0 = {sigma0} must be at least {_share(error.under)} and below "
        f"1 - {_share(error.over)} for the second extension to be exact around zero"
    )


def _smallest_bound(setting: _Setting, largest_q: int) -> int | None:
    """The smallest integer B with k B^2 - M_a B + max|Q| P <= 0, None if there is none."""
    factor, linear, constant = setting.products, setting.product_a, largest_q * setting.modulus
    discriminant = linear**2 - 4 * factor * constant
    if discriminant < 0:
        return None
    # The root (M_a - sqrt(D)) / 2k; isqrt(D) + 1 exceeds sqrt(D), so the start is never too large.
    bound = max((linear - isqrt(discriminant) - 1) // (2 * factor), 1)
    while 2 * factor * bound <= linear + 2 * factor:
        if factor * bound**2 + constant <= bound * linear:
            return bound
        bound += 1
    return None


def _log2(ratio: Fraction) -> float:
    """log2 of a positive ratio, rounded down to 1/16."""
    # The whole part of the logarithm of the 16th power, without rounding.
    power = ratio**_STEPS
    bits = power.numerator.bit_length() - power.denominator.bit_length()
    if power < Fraction(2) ** bits:
        bits -= 1
    return bits / _STEPS


def _bits(ratio: Fraction) -> str:
    """The whole bits by which something has to grow, at least one."""
    count = max((ceil(ratio) - 1).bit_length(), 1)
    return f"{count} bit{'s' * (count > 1)}"


def _size(number: int) -> str:
    return f"{number.bit_length()} bits"


def _share(part: Fraction) -> str:
    """A fraction for the eye, to three digits."""
    return f"{float(part):.3g}"
