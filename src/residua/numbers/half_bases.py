"""Half-bases of SBMM with sparse moduli: M_a and M_b of n/2 moduli each, P = M_a^2 - 2 a prime.

The pairs of moduli that share a rower are those of `search`; which of a pair goes to base a decides
P. A few pairs more than needed make enough candidates (about one P in bits / 7 is prime).
"""

import random
from collections.abc import Iterator
from functools import lru_cache
from itertools import combinations, islice, product
from math import prod

from gmpy2 import prev_prime

from residua.errors import SpecificationError
from residua.numbers.bases import Base
from residua.numbers.moduli import Modulus
from residua.numbers.primes.position_primes import find_prime, is_probable_prime, nearest_moduli
from residua.numbers.roots import smallest_weight, weighted_root
from residua.numbers.search import search_bases
from residua.numbers.selection.pairing import deal, pair_cost

_SPARE_PAIRS = 6
"""Most pairs that are looked for beyond those needed."""

_TRIALS = 1 << 34
"""Most candidates that are tried, times the square of the bits of P: a few seconds.

With 16 moduli and more hardly any prime allows the quadratic form, and there are too many of them
to try them all.
"""

_LARGEST_WEIGHT = 4
"""The largest weight of the quadratic form that a found base a may want."""

_SPARE_MODULI = (3, 6, 12, 24)
"""Numbers of moduli beyond those needed from which `square_partner` chooses."""

_PARTNER_STEPS = 1500

_NO_WEIGHT = 1000
"""Cost of a modulus without a small weight."""

_WIDEST_DIVISOR = 40
"""The widest moduli that `base_of_product` tries one by one."""

Pairs = tuple[tuple[Modulus, Modulus], ...]


def sparse_half_bases(
    width: int, channels: int, *, weight: int, rowers: int, quadratic: bool
) -> tuple[Base, Base]:
    """Bases a and b of ``channels`` odd moduli each, of at most ``weight`` signed digits.

    P = M_a^2 - 2 has 2 ``width`` ``channels`` bits. ``rowers`` work through both bases; with
    ``quadratic`` base a allows the quadratic form (`algorithms.split`) with small weights. The same
    arguments give the same bases.

    Raises:
        SpecificationError: there are too few moduli, or no such prime among the candidates that
            can be tried.
    """
    most = _TRIALS // (2 * width * channels) ** 2
    for chosen in islice(_candidates(width, channels, weight), most):
        base_a = Base(tuple(one for one, _ in chosen))
        if _fits(base_a, width, quadratic=quadratic):
            return _arranged(base_a, Base(tuple(two for _, two in chosen)), rowers)
    raise SpecificationError(
        f"no M_a of {channels} moduli of w = {width} with at most {weight} signed digits in h "
        f"was found that makes M_a^2 - 2 a prime{' in the quadratic form' if quadratic else ''}; "
        "give another width, another weight or base_a"
    )


def _candidates(width: int, channels: int, weight: int) -> Iterator[Pairs]:
    """What bases may be made of, the fewest spare pairs first."""
    for spare in range(_SPARE_PAIRS + 1):
        try:
            pairs = _pairs(width, channels + spare, weight)
        except SpecificationError:
            if not spare:
                raise
            return
        yield from _dealt(pairs, channels, spare)


@lru_cache(maxsize=_SPARE_PAIRS + 1)
def _pairs(width: int, count: int, weight: int) -> Pairs:
    """Pairs that share a fold network well, coprime all of them, none a power of two."""
    # The bases are those of a multiplier whose modulus leaves them room.
    modulus = int(prev_prime(1 << max(count * width - width // 2, 17)))
    found = search_bases(modulus, width, count, style="sparse", weight=weight, powers_of_two=False)
    return tuple(zip(found.base_a, found.base_b, strict=True))


def _dealt(pairs: Pairs, count: int, spare: int) -> Iterator[Pairs]:
    """Every choice of ``count`` pairs and of the side of each; those of fewer pairs were tried."""
    for chosen in combinations(pairs, count):
        if spare and pairs[-1] not in chosen:
            continue
        for sides in product((0, 1), repeat=count):
            yield tuple(
                (pair[side], pair[1 - side]) for pair, side in zip(chosen, sides, strict=True)
            )


def _fits(base_a: Base, width: int, *, quadratic: bool) -> bool:
    prime = base_a.product**2 - 2
    if prime.bit_length() != 2 * width * len(base_a) or not is_probable_prime(prime):
        return False
    inverses = zip(base_a, base_a.cofactor_inverses, strict=True)
    return not quadratic or all(
        weighted_root(inverse, modulus.value, _LARGEST_WEIGHT) for modulus, inverse in inverses
    )


def _arranged(base_a: Base, base_b: Base, rowers: int) -> tuple[Base, Base]:
    """Pairs with like networks on the rowers that they share."""
    ordered = deal(list(zip(base_a, base_b, strict=True)), rowers)
    return Base(tuple(one for one, _ in ordered)), Base(tuple(two for _, two in ordered))


def half_bases(width: int, channels: int) -> tuple[Base, Base]:
    """Bases with any h: a random base a that makes M_a^2 - 2 a prime, and the nearest base b.

    The same arguments give the same bases.

    Raises:
        SpecificationError: the width gives too few moduli.
    """
    base_a = find_prime(2 * width * channels, width).base
    return base_a, partner_base(base_a, None)


def partner_base(base_a: Base, weight: int | None, *, below: bool = False) -> Base:
    """A base b of odd moduli with the smallest |h| for a base a, of the same size.

    The modulus of each channel shares a fold network with that of base a as well as it can. With
    ``weight`` h has at most so many signed digits, if there are enough such moduli. With ``below``
    all are below 2^w, so that the multipliers of rows of two are single words.

    Raises:
        SpecificationError: there are too few moduli.
    """
    width, count = base_a.width, len(base_a)
    found: list[Modulus] = []
    signs = (1,) if below else (1, -1)
    for limit in dict.fromkeys((weight, None)):
        if len(found) < count:
            found = nearest_moduli(width, count, base_a, odd=True, weight=limit, signs=signs)
    if len(found) < count:
        raise SpecificationError(
            f"w = {width} gives only {len(found)} odd moduli that are coprime to base a and each "
            f"other; {count} are needed"
        )
    return _paired(base_a, found)


def square_partner(base_a: Base, weight: int | None) -> Base | None:
    """A base b as `partner_base` gives it, but one that allows the biquadratic form.

    1 / (M_a M_b,j) has to be a small multiple of a square modulo each of its moduli, whether there
    is an even or an odd number of bits in an extra modulus, and a square modulo that. A local
    search over the nearest moduli; None if it finds no such base.
    """
    count = len(base_a)
    # The fewer there are to choose from, the smaller are their h.
    for spare in _SPARE_MODULI:
        pool = nearest_moduli(
            base_a.width, count + spare, base_a, odd=True, weight=weight, signs=(1, -1)
        )
        if len(pool) <= count:
            return None
        found = _lightest(base_a, pool)
        if found:
            return _paired(base_a, found)
    return None


def _lightest(base_a: Base, pool: list[Modulus]) -> list[Modulus] | None:
    """Moduli of a pool with small weights; None if one has none."""
    count = len(base_a)
    generator = random.Random(base_a.product)
    chosen, left = pool[:count], pool[count:]
    best = _weights_cost(base_a, chosen)
    for _ in range(_PARTNER_STEPS):
        if not best:
            break
        mine, other = generator.randrange(count), generator.randrange(len(left))
        chosen[mine], left[other] = left[other], chosen[mine]
        cost = _weights_cost(base_a, chosen)
        if cost <= best:
            best = cost
        else:
            chosen[mine], left[other] = left[other], chosen[mine]
    return chosen if best < _NO_WEIGHT else None


def _weights_cost(base_a: Base, chosen: list[Modulus]) -> int:
    """Contribution of the weights to the Cox's error, and `_NO_WEIGHT` for each that is missing."""
    whole = prod(modulus.value for modulus in chosen) * base_a.product
    cost = 0
    for power in (1, 2):
        for modulus in chosen:
            rest = whole // modulus.value * power % modulus.value
            cost += _weight_cost(pow(rest, -1, modulus.value), modulus.value)
    # The Cox adds the word of an extra modulus as it is.
    return cost + (0 if whole % 8 == 1 else _NO_WEIGHT)


def _weight_cost(value: int, modulus: int) -> int:
    weight = smallest_weight(value, modulus)
    return _NO_WEIGHT if weight is None else abs(weight) - 1


def _paired(base_a: Base, moduli: list[Modulus]) -> Base:
    """The moduli in the order in which they share fold networks with those of base a."""
    left, chosen = list(moduli), []
    for one in base_a:
        best = min(left, key=lambda two: pair_cost(one.offset, two.offset))
        left.remove(best)
        chosen.append(best)
    return Base(tuple(chosen))


def base_of_product(product: int, width: int, channels: int) -> Base:
    """The base of ``channels`` moduli 2^width - h whose product is M_a.

    Raises:
        SpecificationError: there is none.
    """
    if width > _WIDEST_DIVISOR:
        raise SpecificationError(
            f"moduli of w = {width} bits are not sought among the divisors of M_a: give base_a"
        )
    divisors = [
        Modulus(width, offset)
        for size in range(1 << width // 2)
        for offset in {size, -size}
        if product % ((1 << width) - offset) == 0
    ]
    for chosen in combinations(divisors, channels):
        if prod(modulus.value for modulus in chosen) == product:
            return Base(tuple(sorted(chosen)))
    raise SpecificationError(
        f"M_a = {product:#x} is no product of {channels} moduli 2^{width} - h; give base_a, or "
        "another width"
    )
