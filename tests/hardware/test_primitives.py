"""Primitives in their behavioural form against integers."""

import gc
import random
from itertools import product

import pytest

from hardware.bench import pipelined, settled, signed_edges, wrapped
from residua.hardware.primitives import (
    MULTIPLIER_LATENCY,
    Accumulator,
    AddSubtract,
    Multiplier,
    SelectAdder,
)


@pytest.mark.parametrize(("left", "right"), [(18, 18), (18, 3), (9, 18), (5, 7)])
def test_multiplier(left, right):
    pairs = list(product(signed_edges(left), signed_edges(right)))
    found = pipelined(
        Multiplier(left, right),
        [{"left": x, "right": y} for x, y in pairs],
        "product",
        MULTIPLIER_LATENCY,
    )
    assert found == [x * y for x, y in pairs]


@pytest.mark.filterwarnings("ignore::amaranth.hdl.UnusedElaboratable")
def test_multiplier_refuses_more_than_18_bits():
    with pytest.raises(ValueError, match="18 bits, not 18 x 19") as caught:
        Multiplier(18, 19)
    # The component that was refused goes while its warning is still ignored.
    del caught
    gc.collect()


@pytest.mark.parametrize("plains", [False, True])
@pytest.mark.parametrize("subtracts", [False, True])
@pytest.mark.parametrize("start", [0, 1 << 16, -5])
@pytest.mark.parametrize(("product_width", "width"), [(12, 20), (36, 40), (20, 20)])
def test_accumulator(product_width, width, start, subtracts, plains):
    generator = random.Random(1)
    edges = signed_edges(product_width)
    inputs, expected, total = [], [], 0
    for turn in range(120):
        first = int(turn % 7 == 0 or generator.random() < 0.1)
        subtract = int(subtracts and generator.random() < 0.4)
        plain = int(plains and generator.random() < 0.5)
        value = generator.choice(edges)
        kept = start * (1 - plain) if first else total
        total = wrapped(value - kept if subtract else value + kept, width)
        inputs.append(
            {"product": value, "first": first}
            | ({"subtract": subtract} if subtracts else {})
            | ({"plain": plain} if plains else {})
        )
        expected.append(total)
    dut = Accumulator(product_width, width, start=start, subtracts=subtracts, plains=plains)
    assert pipelined(dut, inputs, "sum", 1) == expected


@pytest.mark.parametrize("negate_first", [False, True])
@pytest.mark.parametrize("negate_second", [False, True])
@pytest.mark.parametrize("width", [2, 9, 19])
def test_select_adder(width, negate_first, negate_second):
    generator = random.Random(2)
    inputs, expected = [], []
    edges = signed_edges(width)
    for _ in range(150):
        augend, first, second = (generator.choice(edges) for _ in range(3))
        choose = generator.randrange(2)
        inputs.append({"augend": augend, "first": first, "second": second, "choose": choose})
        addend = (
            (-first if negate_first else first)
            if choose
            else (-second if negate_second else second)
        )
        expected.append(wrapped(augend + addend, width))
    dut = SelectAdder(width, negate_first=negate_first, negate_second=negate_second)
    assert settled(dut, inputs, "sum") == expected


@pytest.mark.parametrize("width", [2, 8, 21])
def test_add_subtract(width):
    inputs = [
        {"augend": a, "addend": b, "subtract": s}
        for a, b, s in product(signed_edges(width), signed_edges(width), (0, 1))
    ]
    expected = [
        wrapped(i["augend"] - i["addend"] if i["subtract"] else i["augend"] + i["addend"], width)
        for i in inputs
    ]
    assert settled(AddSubtract(width), inputs, "sum") == expected
