"""Search for the pair of RNS bases of a modulus.

The bases consist of 2n pairwise coprime moduli 2^w - h with small h: the largest |h| is as small
as it can be, and then the signed-digit weight of all h together the least. It has half as many bits
as a modulus or, where so few moduli do not suffice, what three folds reduce. Moduli that share a
rower are matched so that one fold network serves both. Residues are taken as the engine keeps them,
as signed words of w + 1 bits, and values as signed; see ``ranges`` for the conditions that a pair
has to meet.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import gcd, prod
from typing import Literal, TypedDict, TypeVar, get_args

from residua.errors import SpecificationError
from residua.numbers.bases import Base
from residua.numbers.catalogue import check_modulus
from residua.numbers.cox import Cox, redundant_ranges
from residua.numbers.folding import small_offset
from residua.numbers.moduli import Modulus
from residua.numbers.ranges import RangeCondition, smallest_cox
from residua.numbers.selection.coprime import (
    MOST_CHANNELS,
    WIDTHS,
    Request,
    Style,
    TooFewModuliError,
    select,
)
from residua.numbers.selection.pairing import arrange, match, pair_cost

Found = TypeVar("Found")


@dataclass(frozen=True)
class BasePair:
    """Two bases that serve RNS Montgomery multiplication modulo ``modulus``.

    Channel i of both bases is the work of one rower. ``cox`` serves both extensions; ``condition``
    says which range the values keep and what room is left.
    """

    modulus: int
    base_a: Base
    base_b: Base
    cox: Cox
    condition: RangeCondition

    @property
    def bound(self) -> int:
        """B: operands and results lie in [-B, B]."""
        return self.condition.bound

    @property
    def channels(self) -> int:
        """n, the moduli of each base."""
        return len(self.base_a)

    @property
    def width(self) -> int:
        """w, the bits of a modulus."""
        return self.base_a.width

    @property
    def largest_offset(self) -> int:
        """The largest |h|."""
        return max(abs(modulus.offset) for base in (self.base_a, self.base_b) for modulus in base)

    @property
    def pair_costs(self) -> tuple[int, ...]:
        """Multiplexer cost of the two moduli of each channel, see ``pairing.pair_cost``."""
        return tuple(
            pair_cost(one.offset, two.offset)
            for one, two in zip(self.base_a, self.base_b, strict=True)
        )


class _RangeError(SpecificationError):
    """A range condition fails; ``hopeless`` if more channels cannot help."""

    def __init__(self, message: str, *, hopeless: bool) -> None:
        super().__init__(message)
        self.hopeless = hopeless


def search_bases(
    modulus: int,
    width: int,
    channels: int | None = None,
    *,
    style: Style = "any",
    weight: int = 3,
    truncation: int | None = None,
    sigma0: Fraction | None = None,
    products: int = 1,
    powers_of_two: bool = True,
    rowers: int | None = None,
    columns: int = 1,
    largest: int | None = None,
    below: bool = False,
    advise: bool = True,
) -> BasePair:
    """The bases with the smallest |h| for a modulus; the same answer for the same arguments.

    Args:
        modulus: P, odd and at least 2^16.
        width: w, bits of a channel modulus, 8 to 64.
        channels: n, moduli of each base, 1 to 128; the smallest that works if None.
        style: ``any`` h, or ``sparse``: h of at most ``weight`` signed digits.
        weight: the limit for ``sparse``, at least 1.
        truncation: t, bits that the Cox keeps, 1 to w; by default the fewest that leave a slack
            of 1 bit.
        sigma0: start of the Cox, a multiple of 2^-t; by default the one that centres the exact
            range.
        products: k, products that one reduction sums.
        powers_of_two: whether 2^w may be one of the moduli. It is the only even one considered,
            since any other would take its place at a larger |h|.
        rowers: physical rowers, a divisor of n; channels i, i + rowers, ... share one. By
            default n.
        columns: c, the moduli in a row of hierarchical extensions, a divisor of n and of the
            rowers. All moduli of base b are then below 2^w, so that the products of c - 1 of them
            fit c - 1 words; those of base a have weights anyway in the quadratic form.
        largest: the largest |h| that a modulus may have; by default the larger one of
            `folding.small_offset` and of what three folds reduce.
        below: whether base b has moduli below 2^w only, as those of hierarchical extensions.
        advise: whether a refusal may take the time to find out what would do.

    Raises:
        SpecificationError: names the condition that fails and the nearest parameters that work.
    """
    request = Request(
        modulus,
        width,
        style,
        weight,
        truncation,
        sigma0,
        products,
        powers_of_two,
        rowers,
        columns,
        largest,
        below,
    )
    _check(request, channels)
    try:
        return _smallest(request) if channels is None else _build(request, channels)
    except (TooFewModuliError, _RangeError) as error:
        advice = _advice(request, channels, error) if advise else ""
        raise SpecificationError(f"{error}{advice}") from None


class StyleArguments(TypedDict):
    """Those of `search_bases` that `in_style` chooses."""

    style: Style
    largest: int | None
    advise: bool


def in_style(
    style: Style | Literal["auto"], width: int, search: Callable[[StyleArguments], Found]
) -> Found:
    """Search in a style, with the largest |h| of that style.

    For ``auto`` those are sparse h up to `folding.small_offset`, or else, if they do not suffice,
    any.

    Raises:
        SpecificationError: that of ``search``.
    """
    if style == "auto":
        try:
            # Nobody reads the advice of a refusal after which another search follows.
            return search({"style": "sparse", "largest": small_offset(width), "advise": False})
        except SpecificationError:
            style = "any"
    return search({"style": style, "largest": None, "advise": True})


def user_bases(
    modulus: int,
    moduli_a: Sequence[int],
    moduli_b: Sequence[int],
    *,
    width: int | None = None,
    truncation: int | None = None,
    sigma0: Fraction | None = None,
    products: int = 1,
    columns: int = 1,
) -> BasePair:
    """Given bases, in the given order, checked as found ones are.

    Args:
        modulus: P, odd and at least 2^16.
        moduli_a: the moduli of base a; channel i shares a rower with that of base b.
        moduli_b: the moduli of base b, as many as base a has.
        width: w, if not the one whose power of two is nearest to the first modulus.
        truncation: see ``search_bases``.
        sigma0: see ``search_bases``.
        products: see ``search_bases``.
        columns: see ``search_bases``; given moduli may exceed 2^w.

    Raises:
        SpecificationError: names the modulus or the condition that fails.
    """
    check_modulus(modulus)
    if len(moduli_a) != len(moduli_b) or not moduli_a:
        raise SpecificationError(
            f"both bases need the same number of moduli, at least 1: "
            f"base a has {len(moduli_a)}, base b {len(moduli_b)}"
        )
    small = next((value for value in (*moduli_a, *moduli_b) if value < 2), None)
    if small is not None:
        raise SpecificationError(f"{small} is no channel modulus")
    bits = (2 * moduli_a[0] // 3).bit_length() if width is None else width
    base_a = Base(tuple(Modulus.of_value(value, bits) for value in moduli_a))
    base_b = Base(tuple(Modulus.of_value(value, bits) for value in moduli_b))
    _check_coprime(modulus, base_a, base_b)
    cox, condition = smallest_cox(
        modulus,
        base_a,
        base_b,
        redundant_ranges(base_a),
        redundant_ranges(base_b),
        truncation=truncation,
        sigma0=sigma0,
        products=products,
        columns=columns,
    )
    return BasePair(modulus, base_a, base_b, cox, condition)


def _check(request: Request, channels: int | None) -> None:
    check_modulus(request.modulus)
    if request.style not in get_args(Style):
        raise SpecificationError(f"the style is 'any' or 'sparse', not {request.style!r}")
    checks = [
        ("width w", request.width, WIDTHS[0], WIDTHS[-1]),
        ("signed-digit weight", request.weight, 1, WIDTHS[-1]),
        ("number of products in a reduction", request.products, 1, 1 << 16),
    ]
    if channels is not None:
        checks.append(("number n of channels", channels, 1, MOST_CHANNELS))
    if request.truncation is not None:
        checks.append(("truncation t", request.truncation, 1, request.width))
    if request.rowers is not None:
        checks.append(("number of rowers", request.rowers, 1, channels or MOST_CHANNELS))
    for name, value, lowest, highest in checks:
        if not lowest <= value <= highest:
            raise SpecificationError(f"the {name} is {lowest} to {highest}, not {value}")
    if channels is not None and request.rowers is not None and channels % request.rowers:
        divisors = [str(count) for count in range(1, channels + 1) if channels % count == 0]
        raise SpecificationError(
            f"{request.rowers} rowers cannot share n = {channels} channels evenly; "
            f"{', '.join(divisors)} can"
        )
    check_columns(channels, request.rowers, request.columns)
    if request.sigma0 is not None:
        # Refuses what no Cox can start with.
        Cox(request.truncation or request.width, request.sigma0)


def check_columns(channels: int | None, rowers: int | None, columns: int) -> None:
    """Refuse moduli or rowers that do not make rows of c = ``columns``.

    Raises:
        SpecificationError: the numbers that would.
    """
    for name, count in (("n", channels), ("rowers", rowers)):
        if count is not None and count % columns:
            below, above = count // columns * columns, -(-count // columns) * columns
            others = f"{below} or {above}" if below else f"{above}"
            raise SpecificationError(
                f"{name} = {count} does not make rows of c = {columns}; {name} = {others} would"
            )


def _check_coprime(modulus: int, base_a: Base, base_b: Base) -> None:
    for one in (*base_a, *base_b):
        if gcd(one.value, modulus) > 1:
            raise SpecificationError(
                f"the channel modulus {one} and the modulus share the factor "
                f"{gcd(one.value, modulus)}"
            )
    for one in base_a:
        for two in base_b:
            if gcd(one.value, two.value) > 1:
                raise SpecificationError(
                    f"modulus {one} of base a and {two} of base b share the factor "
                    f"{gcd(one.value, two.value)}; all moduli must be pairwise coprime"
                )


def _smallest(request: Request) -> BasePair:
    """The pair with the fewest channels."""
    step = request.step
    # n moduli of at most w + 1 bits have to exceed P.
    fewest = max(request.modulus.bit_length() // (request.width + 1), 1)
    last: _RangeError | None = None
    for channels in range(-(-fewest // step) * step, MOST_CHANNELS + 1, step):
        try:
            return _build(request, channels)
        except _RangeError as error:
            if error.hopeless:
                raise
            last = error
    size = f"{request.modulus.bit_length()} bits"
    raise last or _RangeError(
        f"a modulus of {size} needs more than n = {MOST_CHANNELS} channels of w = {request.width}",
        hopeless=True,
    )


def _build(request: Request, channels: int) -> BasePair:
    """The pair with ``channels`` channels."""
    moduli = select(request, 2 * channels)
    total = prod(modulus.value for modulus in moduli)
    # M_a > 2 k P and M_b > P at the least: no split helps if the product of all falls short.
    need = 2 * request.products * request.modulus**2
    if total <= need:
        lacking = -(-((need // total + 1).bit_length()) // 2)
        raise _RangeError(
            f"n = {channels} moduli of w = {request.width} are {lacking} bit{'s' * (lacking > 1)} "
            f"too narrow for a modulus of {request.modulus.bit_length()} bits",
            hopeless=False,
        )
    below = request.base_b_below
    matched = match([modulus.offset for modulus in moduli], below=below)
    pairs = [(moduli[i], moduli[j]) for i, j in matched]
    ordered = arrange(pairs, request.rowers or channels, below=below)
    base_a = Base(tuple(one for one, _ in ordered))
    base_b = Base(tuple(two for _, two in ordered))
    try:
        cox, condition = smallest_cox(
            request.modulus,
            base_a,
            base_b,
            redundant_ranges(base_a),
            redundant_ranges(base_b),
            truncation=request.truncation,
            sigma0=request.sigma0,
            products=request.products,
            columns=request.columns,
        )
    except SpecificationError as error:
        # With a whole channel to spare, what fails is the Cox, which more channels make worse.
        hopeless = total >> 4 * request.width > need
        raise _RangeError(
            f"w = {request.width}, n = {channels}: {error}", hopeless=hopeless
        ) from None
    return BasePair(request.modulus, base_a, base_b, cox, condition)


def _advice(request: Request, channels: int | None, error: TooFewModuliError | _RangeError) -> str:
    """The nearest parameters that work, as the end of a sentence."""
    if isinstance(error, TooFewModuliError):
        ways = _richer_styles(request, channels)
    else:
        larger = None if error.hopeless else _first_channels(request, channels)
        if larger is None and request.sigma0 is not None:
            pair = _attempt(replace(request, truncation=None, sigma0=None), channels)
            return f"; {_cox_words(pair.cox)} work" if pair else ""
        if larger is None and request.truncation is not None:
            # The message has named the t that would do.
            return ""
        ways = [f"n = {larger}"] if larger else []
    return f"; {' or '.join(ways or [_wider(request, channels)])} works"


def _wider(request: Request, channels: int | None) -> str:
    """The nearest width that works, with what its Cox needs if the request says how that is."""
    free = replace(request, truncation=None, sigma0=None)
    wider = (replace(free, width=width) for width in range(request.width + 1, WIDTHS.stop))
    pair = next(filter(None, (_attempt(each, channels) for each in wider)), None)
    if pair is None:
        return f"no w up to {WIDTHS[-1]}"
    return f"w = {pair.width}" + (f" with {_cox_words(pair.cox)}" if free != request else "")


def _richer_styles(request: Request, channels: int | None) -> list[str]:
    """Looser limits of h that give enough moduli."""
    if request.style == "any":
        return []
    looser = [replace(request, weight=request.weight + more) for more in (1, 2)]
    ways = [f"weight = {each.weight}" for each in looser if _attempt(each, channels)][:1]
    if _attempt(replace(request, style="any"), channels):
        ways.append("bases = 'any'")
    return ways


def _cox_words(cox: Cox) -> str:
    return f"t = {cox.truncation} and sigma0 = {cox.sigma0}"


def _first_channels(request: Request, channels: int | None) -> int | None:
    """The smallest number of channels above ``channels`` that works."""
    pair = None if channels is None else _attempt(request, None)
    return pair.channels if pair and channels and pair.channels > channels else None


def _attempt(request: Request, channels: int | None) -> BasePair | None:
    """The pair, None if there is none."""
    try:
        return _smallest(request) if channels is None else _build(request, channels)
    except SpecificationError:
        return None
