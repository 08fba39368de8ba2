"""Placements of reductions against all placements, one by one, and the published ranges."""

import random
from itertools import combinations

import pytest

from residua.algorithms.integer_program import parse, placed, run
from residua.curves.jacobian import FORMULAS, PLACEMENTS
from residua.errors import SpecificationError
from residua.machines.integers import Integers
from residua.machines.scheduling.reductions import PlacementSearch

P = 65521
CHAIN = parse("chain", "A = X*Y\nB = A*A - X\nC = B*A\nD = (C + C) / 2\nE = D^2\nreturn C, E")


def exhaustive(search, names):
    for count in range(len(names) + 1):
        sizes = []
        for chosen in combinations(names, count):
            try:
                sizes.append(search.placement(set(chosen)).largest)
            except SpecificationError:
                continue
        yield min(sizes, default=None)


@pytest.mark.parametrize("program", [CHAIN, FORMULAS["jacobian-doubling"]])
def test_no_placement_is_narrower(program):
    search = PlacementSearch(program, P)
    names = [step.result for step in program.steps if step.result not in program.outputs.values()]
    front = {len(one.names): one.largest for one in search.front(3)}
    best = None
    for count, size in zip(range(4), exhaustive(search, names), strict=False):
        if size is not None and (best is None or size < best):
            best = size
            assert front[count] == size
        else:
            assert count not in front


@pytest.mark.parametrize("name", FORMULAS)
def test_the_search_finds_the_published_placement(name):
    """With as many reductions as E19 no placement is narrower than its own."""
    search = PlacementSearch(FORMULAS[name], 2**192 - 2**64 - 1)
    own = search.placement(set(PLACEMENTS[name]))
    same = next(one for one in search.front(4) if one.reductions == own.reductions)
    assert same.bits == own.bits
    assert own.bits in (770, 771)


def test_values_stay_within_the_range():
    generator, search = random.Random(5), PlacementSearch(FORMULAS["jacobian-addition"], P)
    for one in search.front(4):
        program = placed(search.program, one.names)
        for _ in range(20):
            inputs = {name: generator.choice((0, 1, P - 1)) for name in program.inputs}
            found = max(map(abs, run(program, Integers(P), inputs).values()))
            assert found <= one.largest


def test_fixed_inputs_and_what_is_refused():
    double = FORMULAS["jacobian-doubling"]
    general, special = PlacementSearch(double, P), PlacementSearch(double, P, {"a": 0})
    assert special.placement().bits < general.placement().bits
    with pytest.raises(SpecificationError, match="no input 'b': its inputs are"):
        PlacementSearch(double, P, {"b": 1})
    with pytest.raises(SpecificationError, match="can be odd; reduce what"):
        PlacementSearch(FORMULAS["jacobian-addition"], P).placement({"W", "R", "T", "M"})
    with pytest.raises(SpecificationError, match="even without reductions"):
        PlacementSearch(parse("odd", "H = X / 2\nreturn H"), P)
    assert PlacementSearch(parse("even", "B = X*X\nH = (B + X*c) / 2\nreturn H"), P, {"c": 3})
