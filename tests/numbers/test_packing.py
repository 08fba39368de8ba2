"""Largest coprime subsets against exhaustive search."""

from itertools import combinations
from math import gcd

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from residua.numbers.selection.packing import Packing, shared_tokens

pytestmark = pytest.mark.usefixtures("own_answers")

token_sets = st.lists(st.frozensets(st.integers(2, 9), max_size=4), max_size=10).map(tuple)


def disjoint(sets):
    return all(one.isdisjoint(two) for one, two in combinations(sets, 2))


def exhaustive(tokens, costs=None):
    """The largest size, or the least cost of that size if costs are given."""
    for size in range(len(tokens), -1, -1):
        choices = [
            choice
            for choice in combinations(range(len(tokens)), size)
            if disjoint([tokens[i] for i in choice])
        ]
        if choices:
            return size, min(sum(costs[i] for i in choice) for choice in choices) if costs else 0
    return 0, 0


@given(token_sets)
@settings(max_examples=200, deadline=None)
def test_the_choice_is_a_largest_one(tokens):
    largest = Packing(tokens).largest
    assert disjoint([tokens[i] for i in largest])
    assert list(largest) == sorted(set(largest))
    assert len(largest) == exhaustive(tokens)[0]


def test_a_kernel_that_no_reduction_decides():
    """A cycle of five, each item in conflict with two others: two fit."""
    ring = tuple(frozenset({2 + i, 2 + (i + 1) % 5}) for i in range(5))
    assert len(Packing(ring).largest) == 2
    # Two separate rings of seven, three of each.
    rings = tuple(
        frozenset({offset + i, offset + (i + 1) % 7}) for offset in (10, 20) for i in range(7)
    )
    assert len(Packing(rings).largest) == 6


@given(token_sets, st.lists(st.integers(0, 5), min_size=10, max_size=10))
@settings(max_examples=100, deadline=None)
def test_the_cheapest_choice(tokens, costs):
    packing = Packing(tokens)
    size, least = exhaustive(tokens, costs)
    chosen = packing.cheapest(size, costs)
    assert disjoint([tokens[i] for i in chosen])
    assert len(set(chosen)) == size
    assert sum(costs[i] for i in chosen) == least


@given(st.lists(st.integers(2, 5000), max_size=12, unique=True))
def test_tokens_say_which_numbers_are_coprime(values):
    # Multiples of a large prime and of its square exercise factors above the small primes.
    values = [*values, 10007, 2 * 10007**2, 3 * 10007 * 10009, 5 * 10009]
    tokens = shared_tokens(values)
    for i, j in combinations(range(len(values)), 2):
        assert tokens[i].isdisjoint(tokens[j]) == (gcd(values[i], values[j]) == 1)
