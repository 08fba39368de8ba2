"""Pairs of moduli that share a fold network."""

from itertools import permutations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from residua.numbers.moduli import Modulus, signed_digits
from residua.numbers.selection.pairing import arrange, match, pair_cost

pytestmark = pytest.mark.usefixtures("own_answers")

odd = st.integers(-(2**16), 2**16).map(lambda number: 2 * number + 1)


@pytest.mark.parametrize(
    ("first", "second", "cost"),
    [
        (9, 9, 0),
        (9, -9, 0),
        (31, 33, 1),  # 32 - 1 and 32 + 1: one sign
        (3, -5, 1),  # 4 - 1 and -(4 + 1): one sign
        (-17, -65, 1),  # one shift
        (9, 65, 1),
        (7, 17, 2),  # 8 - 1 and 16 + 1: a shift and a sign
        (13, 5, 3),  # 16 - 4 + 1 and 4 + 1: a shift, and a digit without counterpart
        (0, 1, 2),
        (0, 0, 0),
        (0, 15, 4),
    ],
)
def test_costs(first, second, cost):
    assert pair_cost(first, second) == cost
    assert pair_cost(second, first) == cost


@given(odd, odd)
def test_the_cost_is_symmetric_and_zero_for_equal_networks_only(first, second):
    cost = pair_cost(first, second)
    assert cost == pair_cost(second, first) == pair_cost(-first, second)
    assert (cost == 0) == (abs(first) == abs(second))
    assert cost >= 2 * abs(len(signed_digits(first)) - len(signed_digits(second)))


def least_cost(offsets):
    """By trying all matchings."""
    if not offsets:
        return 0
    first, *rest = offsets
    return min(
        pair_cost(first, partner) + least_cost(rest[:i] + rest[i + 1 :])
        for i, partner in enumerate(rest)
    )


@given(st.lists(odd, min_size=2, max_size=8).filter(lambda offsets: len(offsets) % 2 == 0))
@settings(max_examples=60, deadline=None)
def test_small_matchings_are_the_cheapest(offsets):
    pairs = match(offsets)
    assert sorted(i for pair in pairs for i in pair) == list(range(len(offsets)))
    assert sum(pair_cost(offsets[i], offsets[j]) for i, j in pairs) == least_cost(offsets)


def test_large_matchings_pair_all():
    offsets = [sign * size for size in range(1, 161, 2) for sign in (1, -1)]
    pairs = match(offsets)
    assert sorted(i for pair in pairs for i in pair) == list(range(len(offsets)))
    assert sum(pair_cost(offsets[i], offsets[j]) for i, j in pairs) == 0


def test_arrangement_balances_and_groups():
    pairs = [(Modulus(17, h), Modulus(17, -h)) for h in (1, 9, 15, 63, 21, 69)]
    for given_order in list(permutations(pairs))[::97]:
        ordered = arrange(given_order, 3)
        assert ordered == arrange(pairs, 3)
        assert sorted(sorted(pair) for pair in ordered) == sorted(sorted(pair) for pair in pairs)
    # Channels i and i + 3 share a rower: the light ones, the middle ones, the heavy ones.
    weights = [first.weight for first, _ in ordered]
    assert [*zip(weights[:3], weights[3:], strict=True)] == [(1, 2), (2, 2), (3, 3)]
    lead = sum(one.offset - two.offset for one, two in ordered)
    assert abs(lead) <= 2 * 15
