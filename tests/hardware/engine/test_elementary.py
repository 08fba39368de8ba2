"""Elementary operations of a channel against plain integers."""

import random

import pytest

from hardware.bench import pipelined, signed_edges
from residua.hardware.engine.elementary import ModularProduct, row_reduction
from residua.numbers.moduli import Modulus


@pytest.mark.parametrize(("width", "offset"), [(12, 5), (17, 73), (20, -67)])
def test_units_reduce(width, offset):
    modulus, generator = Modulus(width, offset), random.Random(5)
    edges = signed_edges(width + 1)
    pairs = [(x, y) for x in edges for y in edges]
    words = range(-(1 << width), 1 << width)
    pairs += [(generator.choice(words), generator.choice(words)) for _ in range(200)]
    dut = ModularProduct(modulus)
    found = pipelined(dut, [{"left": x, "right": y} for x, y in pairs], "residue", dut.latency)
    for (x, y), residue in zip(pairs, found, strict=True):
        assert (x * y - residue) % modulus.value == 0
        assert residue in words
    reducer, top = row_reduction(modulus), 2 << (2 * width)
    sums = [-top, top, 0, -1, *(generator.randint(-top, top) for _ in range(200))]
    inputs = [{"value": value + (1 << (width - 1)), "select": 0} for value in sums]
    found = pipelined(reducer, inputs, "residue", reducer.latency)
    for value, residue in zip(sums, found, strict=True):
        assert (value - residue) % modulus.value == 0
        assert residue in words
