"""Selection of the moduli of two RNS bases: pairwise coprime 2^w - h with the smallest |h|.

The largest |h| is as small as it can be, and then the signed-digit weight of all h together the
least.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import gcd, lcm
from typing import Literal

from residua.errors import SpecificationError
from residua.numbers.folding import largest_offset, small_offset
from residua.numbers.moduli import Modulus, signed_digits
from residua.numbers.selection.packing import Packing, shared_tokens

Style = Literal["any", "sparse"]
"""Whether h may be any number, or only one of low signed-digit weight."""

WIDTHS = range(8, 65)
"""Bits that a modulus may have."""

MOST_CHANNELS = 128
"""Moduli that one base may have."""

_ABOVE = 3
"""Cost of a modulus of 2^w or above, in signed digits, where half of them have to be below."""


@dataclass(frozen=True)
class Request:
    """What a search asks for, all but the number of channels; see `search.search_bases`."""

    modulus: int
    width: int
    style: Style
    weight: int
    truncation: int | None
    sigma0: Fraction | None
    products: int
    powers_of_two: bool
    rowers: int | None
    columns: int
    largest: int | None
    below: bool = False

    @property
    def base_b_below(self) -> bool:
        """Whether base b has moduli below 2^w only."""
        return self.below or self.columns > 1

    @property
    def step(self) -> int:
        """The number that divides the number of channels."""
        return lcm(self.rowers or 1, self.columns)

    def largest_offset(self, channels: int) -> int:
        """The largest |h| that a modulus of this width may have."""
        if self.largest is not None:
            return self.largest
        # The longest sums: an extension with its quotient and a term, and products, which count for
        # two as both factors are words.
        terms = channels + 2 * self.products + 2
        return max(small_offset(self.width), largest_offset(self.width, terms))

    @property
    def kind(self) -> str:
        """Description of the moduli that are asked for."""
        return f" of weight <= {self.weight}" if self.style == "sparse" else ""

    def sizes(self, limit: int) -> Sequence[int]:
        """The odd |h| up to ``limit`` that this style includes, in order."""
        return range(1, limit + 1, 2) if self.style == "any" else _sparse(limit, self.weight)


class TooFewModuliError(SpecificationError):
    """The width and style give fewer moduli than two bases need."""


def select(request: Request, count: int) -> list[Modulus]:
    """``count`` pairwise coprime moduli with the smallest possible largest |h|, then weight.

    Raises:
        TooFewModuliError: the width and style give fewer.
    """
    # Windows of growing size, so that wide moduli do not pay for candidates that are never needed.
    largest = request.largest_offset(count // 2)
    limit = min(4 * count, largest)
    while True:
        offsets = list(_candidates(request, limit))
        tokens = shared_tokens([(1 << request.width) - offset for offset in offsets])
        most = len(Packing(tuple(tokens)).largest)
        if most >= count:
            break
        if limit == largest:
            raise TooFewModuliError(
                f"w = {request.width} gives only {most} pairwise coprime moduli{request.kind} "
                f"with |h| < {limit + 1}, and n = {count // 2} needs {count}"
            )
        limit = min(4 * limit, largest)
    low, high = count, len(offsets)
    while low < high:
        middle = (low + high) // 2
        if len(Packing(tuple(tokens[:middle])).largest) >= count:
            high = middle
        else:
            low = middle + 1
    if request.base_b_below:
        return _select_below(request, count, offsets, tokens, low)
    weights = [len(signed_digits(offset)) for offset in offsets[:low]]
    chosen = Packing(tuple(tokens[:low])).cheapest(count, weights)
    return [Modulus(request.width, offsets[i]) for i in chosen]


def _select_below(
    request: Request,
    count: int,
    offsets: Sequence[int],
    tokens: Sequence[frozenset[int]],
    least: int,
) -> list[Modulus]:
    """Select moduli, half of them below 2^w, from at least the first ``least`` candidates."""
    for size in range(least, len(offsets) + 1):
        if offsets[size - 1] <= 0 and size > least:
            continue
        costs = [len(signed_digits(offset)) + _ABOVE * (offset <= 0) for offset in offsets[:size]]
        chosen = [offsets[i] for i in Packing(tuple(tokens[:size])).cheapest(count, costs)]
        if 2 * sum(offset > 0 for offset in chosen) >= count:
            return [Modulus(request.width, offset) for offset in chosen]
    rows = f"rows of c = {request.columns}"
    reason = "plus-minus inversion" if request.below else rows
    raise TooFewModuliError(
        f"w = {request.width} gives too few pairwise coprime moduli{request.kind} below 2^w "
        f"with |h| <= {abs(offsets[-1])}: {reason} need{'s' * request.below} them in base b"
    )


def _candidates(request: Request, limit: int) -> Iterator[int]:
    """Offsets up to ``limit`` in order of |h| whose moduli are coprime to P."""
    if request.powers_of_two:
        yield 0
    for size in request.sizes(limit):
        for offset in (size, -size):
            if gcd((1 << request.width) - offset, request.modulus) == 1:
                yield offset


def _sparse(limit: int, weight: int) -> list[int]:
    """The positive odd numbers up to ``limit`` of at most ``weight`` signed digits."""
    found = {1}
    # Numbers with the exponent of their highest digit; the next digit stands two places up or more.
    highest = [(1, 0)]
    for _ in range(weight - 1):
        highest = [
            (number, exponent)
            for below, last in highest
            for exponent in range(last + 2, limit.bit_length() + 1)
            for number in ((1 << exponent) - below, (1 << exponent) + below)
            if number <= limit
        ]
        found.update(number for number, _ in highest)
    return sorted(found)
