"""Batches of inversions: the field programs on plain integers, and lowered, on residues."""

import random

import pytest
from tests.algorithms.fields.test_rns_field import domain, execute, folded, unique

from residua.algorithms.batch_inversion import collected, distributed
from residua.algorithms.fields.field import ProductSum, evaluate
from residua.algorithms.fields.rns_field import closed_domain, lower
from residua.errors import SpecificationError
from residua.numbers.residues import Redundant

P = (1 << 61) - 1


def numbers(count):
    chooser = random.Random(count)
    edges = [1, P - 1, 2, P - 2, (P + 1) // 2]
    return (edges + [chooser.randrange(1, P) for _ in range(count)])[:count]


@pytest.mark.parametrize("count", [2, 3, 5, 16])
def test_inverses(count):
    inputs = {f"x{index + 1}": x for index, x in enumerate(numbers(count))}
    products = evaluate(collected(count), P, inputs)
    state = inputs | products | {"inverse": pow(products[f"c{count}"], -1, P)}
    found = evaluate(distributed(count), P, state)
    assert found == {f"y{i + 1}": pow(x, -1, P) for i, x in enumerate(inputs.values())}


@pytest.mark.parametrize("count", [2, 3, 16])
def test_products_of_a_batch(count):
    operations = [*collected(count).operations, *distributed(count).operations]
    assert all(isinstance(operation, ProductSum) for operation in operations)
    assert len(operations) == 3 * (count - 1)


def test_on_residues():
    """Elements carry R: the inverse of c R is c^-1 R."""
    count = 4
    programs = [(collected(count), {}), (distributed(count), {})]
    own = closed_domain(domain(P, 12, 8), programs, (6, 12), Redundant(1))
    factor = own.montgomery_factor
    state = {f"x{index + 1}": x * factor % P for index, x in enumerate(numbers(count))}
    expected = {f"y{i + 1}": pow(x, -1, P) for i, x in enumerate(numbers(count))}
    state |= execute(folded(unique(lower(programs[0][0], own, {}, Redundant(1)))), state)
    product = state[f"c{count}"] * pow(factor, -1, P)
    state["inverse"] = pow(product, -1, P) * factor % P
    found = execute(folded(unique(lower(programs[1][0], own, {}, Redundant(1)))), state)
    for name, inverse in expected.items():
        assert (found[name] - inverse * factor) % P == 0


@pytest.mark.parametrize("count", [0, 1])
def test_a_batch_has_two_numbers(count):
    for program in (collected, distributed):
        with pytest.raises(SpecificationError, match=f"at least 2 numbers, not {count}"):
            program(count)
