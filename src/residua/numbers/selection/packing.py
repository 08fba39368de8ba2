"""Largest sets of pairwise coprime numbers: a set packing, in which each prime factor serves once.

Numbers near 2^w share small primes only, so that greedy choices which are certain to be right
decide nearly all of the packing, most often all of it. CP-SAT settles what they leave.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from math import gcd, prod

import gmpy2

from residua.numbers.solver import solve

Tokens = frozenset[int]
"""Tokens of a number: two numbers are coprime exactly if their tokens are disjoint."""

_SMALL = 1 << 10
_SMALL_PRIMES = tuple(prime for prime in range(2, _SMALL) if gmpy2.is_prime(prime))

_EFFORT = 2.0
"""CP-SAT's deterministic time, about seconds: a limit that does not depend on the machine."""


def shared_tokens(values: Sequence[int]) -> list[Tokens]:
    """The tokens of each value: its primes below 2^10, its larger factors that another has."""
    tokens: list[set[int]] = []
    rests: list[int] = []
    for value in values:
        primes = {prime for prime in _SMALL_PRIMES if value % prime == 0}
        rest = value
        for prime in primes:
            rest = int(gmpy2.remove(rest, prime)[0])
        tokens.append(primes)
        rests.append(rest)
    # gcd(rest, product of the others), for all at once; few have anything but 1.
    total = gmpy2.mpz(prod(rests))
    sharers = [i for i, rest in enumerate(rests) if gcd(rest, int(total % rest**2) // rest) > 1]
    for first, second in combinations(sharers, 2):
        common = gcd(rests[first], rests[second])
        if common > 1:
            tokens[first].add(common)
            tokens[second].add(common)
    return [frozenset(each) for each in tokens]


@dataclass(frozen=True)
class Packing:
    """The question how many of some items can be chosen with disjoint tokens."""

    tokens: tuple[Tokens, ...]

    @cached_property
    def largest(self) -> tuple[int, ...]:
        """Positions of a largest choice, in order."""
        taken, kernel = _reduce(dict(enumerate(self.tokens)))
        if kernel:
            taken += _solve(kernel, dict.fromkeys(kernel, 1))
        return tuple(sorted(taken))

    def cheapest(self, count: int, costs: Sequence[int]) -> tuple[int, ...]:
        """Positions of ``count`` items of the least total cost; ``largest`` has that many."""
        start = sorted(self.largest, key=lambda i: (costs[i], i))[:count]
        found = _solve(dict(enumerate(self.tokens)), costs, start)
        return tuple(found or sorted(start))


def _uses(items: Mapping[int, Tokens]) -> Counter[int]:
    return Counter(token for tokens in items.values() for token in tokens)


def _without(items: Mapping[int, Tokens], used: Tokens) -> dict[int, Tokens]:
    return {i: tokens for i, tokens in items.items() if used.isdisjoint(tokens)}


def _reduce(items: Mapping[int, Tokens]) -> tuple[list[int], dict[int, Tokens]]:
    """Takes items that some largest choice contains, drops items that it can do without."""
    taken: list[int] = []
    left = dict(items)
    while True:
        uses = _uses(left)
        # A token that one item alone has rules nothing out.
        left = {i: frozenset(t for t in tokens if uses[t] > 1) for i, tokens in left.items()}
        # An item with no token is free; one with a single token spoils least of all that have it.
        simple = [i for i, tokens in left.items() if len(tokens) <= 1]
        if simple:
            used: set[int] = set()
            for i in simple:
                if used.isdisjoint(left[i]):
                    taken.append(i)
                    used |= left[i]
            chosen = set(simple)
            left = {i: tokens for i, tokens in left.items() if i not in chosen}
            left = _without(left, frozenset(used))
            continue
        kept = _undominated(left)
        if len(kept) == len(left):
            return taken, left
        left = kept


def _undominated(items: Mapping[int, Tokens]) -> dict[int, Tokens]:
    """The items none of whose rivals asks for a subset of their tokens."""
    holders: dict[int, list[int]] = {}
    for i, tokens in items.items():
        for token in tokens:
            holders.setdefault(token, []).append(i)
    kept = {}
    for i, tokens in items.items():
        rivals = {j for token in tokens for j in holders[token]}
        if not any(items[j] < tokens or (items[j] == tokens and j < i) for j in rivals):
            kept[i] = tokens
    return kept


def _solve(
    items: Mapping[int, Tokens],
    values: Mapping[int, int] | Sequence[int],
    start: Sequence[int] | None = None,
) -> list[int]:
    """CP-SAT: the most items; or, from a choice to start with, as many of the least value."""
    # Loaded where it is needed: it takes longer than most of what does without.
    from ortools.sat.python import cp_model  # noqa: PLC0415

    model = cp_model.CpModel()
    chosen = {i: model.new_bool_var(f"item{i}") for i in items}
    holders: dict[int, list[cp_model.IntVar]] = {}
    for i, tokens in items.items():
        for token in sorted(tokens):
            holders.setdefault(token, []).append(chosen[i])
    for rivals in holders.values():
        model.add_at_most_one(rivals)
    total = cp_model.LinearExpr.weighted_sum(list(chosen.values()), [values[i] for i in items])
    if start is None:
        model.maximize(total)
    else:
        model.add(cp_model.LinearExpr.sum(list(chosen.values())) == len(start))
        model.minimize(total)
        for i, variable in chosen.items():
            model.add_hint(variable, i in start)
    answer = solve(model, _EFFORT)
    if answer.solution is None:
        return []
    return [i for i, variable in chosen.items() if answer.value(variable)]
