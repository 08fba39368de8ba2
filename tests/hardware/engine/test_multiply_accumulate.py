"""The multiplier-accumulator against integer sums, at the boundaries of its digits."""

import random

import pytest

from hardware.bench import pipelined, signed_edges
from residua.hardware.engine.multiply_accumulate import MultiplyAccumulate

WIDTHS = [9, 18, 19, 34, 35, 52, 65]


def digit_edges(width: int) -> list[int]:
    """Words whose digits of 17 bits are all zeros or all ones, besides the usual edges."""
    edges = signed_edges(width)
    for bit in range(17, width - 1, 17):
        edges += [1 << bit, (1 << bit) - 1, -(1 << bit), -(1 << bit) - 1]
    return edges


@pytest.mark.parametrize("subtracts", [False, True])
@pytest.mark.parametrize("width", WIDTHS)
def test_sums_of_extreme_products(width, subtracts):
    terms, start = 9, 1 << (width - 2)
    limit = terms << (2 * width - 2)
    dut = MultiplyAccumulate(width, (-limit, limit), terms, start=start, subtracts=subtracts)
    generator = random.Random(width)
    edges, lowest = digit_edges(width), -(1 << (width - 1))
    inputs, expected = [], {}
    sums = [[(lowest, lowest)] * terms, [(lowest, -lowest - 1)] * terms, [(0, 0)]]
    for _ in range(60):
        count = generator.randint(1, terms)
        sums.append([(generator.choice(edges), generator.choice(edges)) for _ in range(count)])
    for pairs in sums:
        total = start
        for index, (x, y) in enumerate(pairs):
            subtract = int(subtracts and generator.random() < 0.3)
            inputs.append({"left": x, "right": y, "first": int(index == 0)})
            if subtracts:
                inputs[-1]["subtract"] = subtract
            total = x * y - total if subtract else x * y + total
        expected[len(inputs) - 1] = total
    found = pipelined(dut, inputs, "sum", dut.latency)
    assert {index: found[index] for index in expected} == expected


@pytest.mark.parametrize("registers", [0, 1, 2])
def test_product_registers_are_in_the_latency(registers):
    dut = MultiplyAccumulate(18, (0, 1 << 40), 3, product_registers=registers)
    inputs = [{"left": k, "right": 1000 + k, "first": 1} for k in range(20)]
    assert pipelined(dut, inputs, "sum", dut.latency) == [k * (1000 + k) for k in range(20)]
    assert dut.latency == 3 + registers
