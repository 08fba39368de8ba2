"""Pairs of moduli that share a rower: those whose fold networks need the fewest multiplexers.

A rower folds v into (v >> w) h + (v mod 2^w) for its modulus of base a and, at other times, for
that of base b. One shift-and-add network serves both when each signed digit of one h has a
counterpart in the other. Where the shifts differ, a multiplexer selects; where the signs differ
otherwise than all at once, a conditional negation.
"""

from collections.abc import Sequence
from itertools import zip_longest

from residua.numbers.moduli import Modulus, signed_digits
from residua.numbers.solver import solve

_NEVER = 1000
"""Costs of a pair that must not be."""

_EXACT = 64
"""Up to this many moduli CP-SAT improves the matching; beyond, local search does without."""


def pair_cost(first: int, second: int) -> int:
    """Cost of one fold network for the offsets h = ``first`` and h = ``second``.

    Digits of the non-adjacent forms face each other, units with units and the others from the
    highest down. Each differing shift costs 1 and each differing sign 1, all signs of one offset
    being reversed if that is better (adding becomes subtracting). A digit without counterpart costs
    2: it is gated, and its adder idles for the other modulus. 0 exactly if the offsets agree but
    for the sign.
    """
    return min(_facing_cost(first, second), _facing_cost(first, -second))


def _facing_cost(first: int, second: int) -> int:
    # The highest digit first; units stand at the end in each odd offset.
    one, two = list(signed_digits(first)), list(signed_digits(second))
    cost = 0
    if one and two and one[-1][1] == two[-1][1] == 0:
        cost += one.pop()[0] != two.pop()[0]
    for left, right in zip_longest(one, two):
        if left is None or right is None:
            cost += 2
        else:
            cost += (left[0] != right[0]) + (left[1] != right[1])
    return cost


def match(offsets: Sequence[int], *, below: bool = False) -> list[tuple[int, int]]:
    """Pairs of positions, each position once, of small total cost.

    The number of offsets is even. Up to 64 of them the cost is the least possible, as a rule. With
    ``below`` each pair has a modulus below 2^w (h > 0), of which there have to be enough.
    """
    costs = [
        [
            pair_cost(first, second) + _NEVER * (below and first <= 0 and second <= 0)
            for second in offsets
        ]
        for first in offsets
    ]
    pairs = _improved(_greedy(costs), costs)
    if 2 < len(offsets) <= _EXACT:
        pairs = _optimised(pairs, costs)
    return sorted(pairs)


def _greedy(costs: Sequence[Sequence[int]]) -> list[tuple[int, int]]:
    size = len(costs)
    edges = sorted((costs[i][j], j - i, i, j) for i in range(size) for j in range(i + 1, size))
    free = set(range(size))
    pairs = []
    for _, _, i, j in edges:
        if i in free and j in free:
            pairs.append((i, j))
            free -= {i, j}
    return pairs


def _improved(
    pairs: Sequence[tuple[int, int]], costs: Sequence[Sequence[int]]
) -> list[tuple[int, int]]:
    """Exchanges partners of two pairs as long as that lowers the cost."""
    pairs = list(pairs)
    better = True
    while better:
        better = False
        for p in range(len(pairs)):
            for q in range(p):
                (a, b), (c, d) = pairs[p], pairs[q]
                now = costs[a][b] + costs[c][d]
                for one, two in (((a, c), (b, d)), ((a, d), (b, c))):
                    if costs[one[0]][one[1]] + costs[two[0]][two[1]] < now:
                        pairs[p], pairs[q] = one, two
                        better = True
                        break
    return [(min(pair), max(pair)) for pair in pairs]


def _optimised(
    pairs: Sequence[tuple[int, int]], costs: Sequence[Sequence[int]]
) -> list[tuple[int, int]]:
    """A minimum-cost perfect matching by CP-SAT, started from ``pairs``."""
    # Loaded where it is needed: it takes longer than most of what does without.
    from ortools.sat.python import cp_model  # noqa: PLC0415

    size = len(costs)
    model = cp_model.CpModel()
    edges = {
        (i, j): model.new_bool_var(f"pair{i}_{j}") for i in range(size) for j in range(i + 1, size)
    }
    for node in range(size):
        model.add_exactly_one(edge for ends, edge in edges.items() if node in ends)
    model.minimize(
        cp_model.LinearExpr.weighted_sum(list(edges.values()), [costs[i][j] for i, j in edges])
    )
    known = set(pairs)
    for ends, edge in edges.items():
        model.add_hint(edge, ends in known)
    answer = solve(model, effort=0.3)
    if answer.solution is None:
        return list(pairs)
    return [ends for ends, edge in edges.items() if answer.value(edge)]


def arrange(
    pairs: Sequence[tuple[Modulus, Modulus]], rowers: int, *, below: bool = False
) -> list[tuple[Modulus, Modulus]]:
    """Puts pairs in the order of channels and says which modulus of each goes to base a.

    The products of both bases stay balanced: the pair with the most different offsets decides
    first, and each next one goes the way that evens out. Channels i, i + rowers, ... share a rower,
    so moduli of similar networks go there. With ``below`` base b gets moduli below 2^w only.
    """
    lead = 0
    balanced = []
    for one, two in sorted(pairs, key=_imbalance):
        small, large = sorted((one, two), key=lambda modulus: modulus.value)
        small_first = lead > 0 and not (below and large.offset <= 0)
        balanced.append((small, large) if small_first else (large, small))
        lead += balanced[-1][0].value - balanced[-1][1].value
    return deal(balanced, rowers)


def deal(pairs: Sequence[tuple[Modulus, Modulus]], rowers: int) -> list[tuple[Modulus, Modulus]]:
    """Puts pairs in the order of channels, those of similar networks on the same rower."""
    alike = sorted(pairs, key=_network)
    turns = len(alike) // rowers
    return [alike[rower * turns + turn] for turn in range(turns) for rower in range(rowers)]


def _imbalance(pair: tuple[Modulus, Modulus]) -> tuple[int, int, int]:
    offsets = sorted(modulus.offset for modulus in pair)
    return offsets[0] - offsets[1], offsets[0], offsets[1]


def _network(pair: tuple[Modulus, Modulus]) -> tuple[int, list[tuple[int, ...]], int, int]:
    """Sorts networks by size, then by their shifts."""
    shifts = sorted(tuple(exponent for _, exponent in modulus.digits) for modulus in pair)
    return max(modulus.weight for modulus in pair), shifts, pair[0].offset, pair[1].offset
