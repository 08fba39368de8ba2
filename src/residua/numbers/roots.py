"""Square roots of constants up to a small weight, and bases in which those weights are smallest."""

import random
from collections.abc import Sequence
from functools import cache

import gmpy2

from residua.numbers.moduli import Modulus
from residua.numbers.primes.square_root import square_root

LARGEST_WEIGHT = 16
SEARCH_STEPS = 20_000


@cache
def weighted_root(
    value: int, modulus: int, largest: int = LARGEST_WEIGHT
) -> tuple[int, int] | None:
    """Integers (d, g) with d^2 * g = value (mod modulus), |g| smallest; None if |g| > ``largest``.

    ``modulus`` need not be prime. A positive weight is preferred to the negative one of the same
    size.
    """
    weight = smallest_weight(value, modulus, largest)
    if weight is None:
        return None
    root = square_root(value * pow(weight, -1, modulus) % modulus, modulus)
    assert root is not None
    return root, weight


def smallest_weight(value: int, modulus: int, largest: int = LARGEST_WEIGHT) -> int | None:
    """The g of `weighted_root`, without the root."""
    return _classes(modulus, largest).weight(value)


@cache
def _classes(modulus: int, largest: int) -> "_RootClasses":
    return _RootClasses(modulus, largest)


class _RootClasses:
    """Quadratic characters modulo one modulus, by its prime factors."""

    def __init__(self, modulus: int, largest: int = LARGEST_WEIGHT) -> None:
        # Loaded where it is needed, as in `residua.numbers.primes.square_root`.
        from sympy import factorint  # noqa: PLC0415

        factors = factorint(modulus)
        twos = factors.pop(2, 0)
        self.modulus = modulus
        self.odd_primes = sorted(factors)
        self.power_of_two = 1 << min(twos, 3)
        self.candidates = [
            (weight, self._character(weight))
            for size in range(1, largest + 1)
            for weight in (size, -size)
            if gmpy2.gcd(weight, modulus) == 1
        ]

    def _character(self, value: int) -> tuple[int, ...]:
        """Equal for values whose quotient is a square; a square unit is 1 modulo 8."""
        return (
            value % self.power_of_two,
            *(int(gmpy2.legendre(value, prime)) for prime in self.odd_primes),
        )

    def weight(self, value: int) -> int | None:
        """The smallest weight g for which value / g is a square; None if there is none."""
        wanted = self._character(value)
        for weight, character in self.candidates:
            if character == wanted:
                return weight
        return None


@cache
def orient_pairs(
    pairs: tuple[tuple[Modulus, Modulus], ...], modulus: int, *, below: bool = False
) -> tuple[tuple[Modulus, ...], tuple[Modulus, ...]]:
    """Deal each pair's moduli to base a and base b so that the quadratic form's weights get small.

    The weights are those of -1 / (P M_i) modulo the moduli of base a (`algorithms.montgomery`);
    which of a pair goes where changes all of them, so the search flips one pair at a time and keeps
    what is not worse. With ``below`` base b keeps moduli below 2^w only. A core's search asks for
    the same ones with each formula.
    """
    classes = {m: _RootClasses(m.value) for pair in pairs for m in pair}
    chosen = [0] * len(pairs)
    generator = random.Random(modulus)

    def cost(sides: Sequence[int]) -> int:
        base = [pair[side] for pair, side in zip(pairs, sides, strict=True)]
        product = gmpy2.mpz(1)
        for channel in base:
            product *= channel.value
        total = 0
        for channel in base:
            value = channel.value
            inverse = int(gmpy2.invert(-modulus * (product // value) % value, value))
            weight = classes[channel].weight(inverse)
            total += 1000 if weight is None else (abs(weight) - 1) * 2 + (weight < 0)
        return total

    free = [i for i, (one, _) in enumerate(pairs) if one.offset > 0 or not below]
    best = cost(chosen)
    for _ in range(max(SEARCH_STEPS // len(pairs), 1)):
        if best == 0 or not free:
            break
        candidate = list(chosen)
        for _ in range(generator.choice((1, 1, 2, 3))):
            candidate[free[generator.randrange(len(free))]] ^= 1
        value = cost(candidate)
        if value <= best:
            best, chosen = value, candidate
    base_a = tuple(pair[side] for pair, side in zip(pairs, chosen, strict=True))
    base_b = tuple(pair[1 - side] for pair, side in zip(pairs, chosen, strict=True))
    return base_a, base_b
