"""The channel reducer against numbers.folding, for every way to line up the digits of moduli."""

import random
from functools import cache

import pytest

from hardware.bench import pipelined
from residua.hardware.engine.reducer import ChannelReducer, align_digits, plan_folds
from residua.numbers.folding import Folding, folds_needed
from residua.numbers.moduli import Modulus

GROUPS = {
    "one": [(17, 9)],
    "power of two": [(17, 0)],
    "power of two and dense": [(17, 0), (17, 91)],
    "sparse pair": [(17, 9), (17, -15)],
    "opposite signs": [(17, 31), (17, -31)],
    "unequal weights": [(17, 1), (17, 85)],
    "large pair": [(17, 459), (17, -603)],
    "dense pair": [(17, 171), (17, -107)],
    "weight five": [(33, 21845), (33, -10923)],
    "four": [(17, 0), (17, 9), (17, -43), (17, 85)],
    "six": [(17, 1), (17, -3), (17, 5), (17, -7), (17, 0), (17, 171)],
    "narrow": [(8, 15), (8, -11)],
    "wide": [(64, 2**31 + 2**20 - 1), (64, -59)],
}


@cache
def sums_of(group: str) -> tuple[tuple[Modulus, ...], list[tuple[int, int]], int]:
    """Moduli, a range of sums for each and the folds that all need."""
    moduli = tuple(Modulus(width, offset) for width, offset in GROUPS[group])
    top = 25 << (2 * moduli[0].width)
    ranges = [(-top, top - index) for index in range(len(moduli))]
    folds = max(folds_needed(m, r) for m, r in zip(moduli, ranges, strict=True))
    return moduli, ranges, folds


@pytest.mark.parametrize("levels", [1, 2])
@pytest.mark.parametrize("multiply_first", [False, True], ids=["shift", "multiply"])
@pytest.mark.parametrize("group", GROUPS)
def test_reducer_is_the_folding(group, multiply_first, levels):
    moduli, ranges, folds = sums_of(group)
    plans = plan_folds(moduli, folds, multiply_first=multiply_first, levels_per_register=levels)
    dut = ChannelReducer(moduli, ranges, plans)
    generator = random.Random(3)
    inputs, expected = [], []
    for turn in range(160):
        select = generator.randrange(len(moduli))
        low, high = ranges[select]
        # Ends of the range, and both sides of multiples of 2^w.
        multiple = generator.randrange(low >> dut.width, high >> dut.width) << dut.width
        edges = [low, high, 0, -1, multiple, multiple - 1, generator.randint(low, high)]
        value = min(max(edges[turn % len(edges)], low), high)
        folding = Folding(moduli[select], folds)
        inputs.append({"value": value + folding.centring, "select": select})
        expected.append(folding.reduce(value))
    assert pipelined(dut, inputs, "residue", dut.latency) == expected


def test_narrow_reducer_on_many_sums():
    moduli, ranges, folds = sums_of("narrow")
    dut = ChannelReducer(moduli, ranges, plan_folds(moduli, folds, multiply_first=False))
    values = range(-6000, 6000, 7)
    inputs = [{"value": value + 128, "select": value & 1} for value in values]
    expected = [Folding(moduli[value & 1], folds).reduce(value) for value in values]
    assert pipelined(dut, inputs, "residue", dut.latency) == expected


def test_digits_are_lined_up():
    one, other = Modulus(17, 31).digits, Modulus(17, -31).digits
    for row in align_digits([one, other]):
        assert len({digit[1] for digit in row if digit}) == 1
    rows = align_digits([Modulus(17, 0).digits, Modulus(17, 85).digits])
    assert [row[0] for row in rows] == [None] * 4
    assert sorted(row[1][1] for row in rows if row[1]) == [0, 2, 4, 6]
