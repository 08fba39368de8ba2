"""IDDMM in lanes, R2MM and MWR2MM hardware: products, cycle counts, loaded moduli."""

import random

import pytest
from tests.hardware.bench import pipelined
from tests.hardware.digit_streams import check_products, edge_pairs, multiply

from residua.errors import SpecificationError
from residua.hardware.digit.delay_line import DelayLine
from residua.hardware.digit.iddmm import IddmmDesign
from residua.hardware.digit.lanes import LanesDesign
from residua.hardware.digit.pipelined_product import PipelinedProduct
from residua.hardware.digit.radix2 import R2mmDesign
from residua.hardware.digit.word_radix2 import Mwr2mmDesign
from residua.numbers.digits import VARIANTS, DigitDomain, DigitShape, split_digits


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("lanes", [1, 2, 3])
@pytest.mark.parametrize(("bits", "k"), [(64, 8), (48, 3), (50, 17), (120, 40)])
def test_lanes(bits, k, lanes, variant):
    domain = DigitDomain.of((1 << bits) - 59, k, variant)
    design = LanesDesign(domain.shape, domain, lanes)
    check_products(design.component(), design, domain, edge_pairs(domain, 2))


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize(
    ("bits", "k"), [(16, 16), (16, 17), (17, 17), (16, 18), (16, 24), (16, 40)]
)
def test_numbers_of_one_digit(bits, k, variant):
    """A run is so short that its result must wait until the one before the last has left."""
    domain = DigitDomain.of((1 << bits) - 59, k, variant)
    designs = [LanesDesign(domain.shape, domain, 1)]
    designs += [IddmmDesign(domain.shape, domain, 2, pipeline) for pipeline in (0, 2)]
    for design in designs:
        check_products(design.component(), design, domain, edge_pairs(domain, 2))


def test_lanes_take_n_squared_over_lanes():
    """With two spare bits P-256 takes 16 iterations of 17 bits, of 8 rows in two lanes."""
    closed = DigitShape(256, 17, "closed")
    assert (closed.digits, closed.iterations) == (16, 16)
    one, two = (LanesDesign(closed, None, lanes) for lanes in (1, 2))
    assert (one.compute, one.multipliers) == (256, 3)
    assert (two.compute, two.multipliers) == (128, 5)
    assert LanesDesign(DigitShape(2048, 16), None, 8).compute == 128 * 16
    # Few rows wait for the first one of the sum.
    assert LanesDesign(closed, None, 8).compute == 16 * 8


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("kind", [R2mmDesign, Mwr2mmDesign])
@pytest.mark.parametrize(("bits", "width"), [(16, 2), (17, 8), (33, 8), (33, 40)])
def test_bit_multipliers(bits, width, kind, variant):
    domain = DigitDomain.of((1 << bits) - 3, 1, variant)
    design = kind(domain.shape, domain, width)
    check_products(design.component(), design, domain, edge_pairs(domain, 1))


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("algorithm", ["lanes", "r2mm", "mwr2mm"])
def test_loaded_moduli(algorithm, variant):
    shape = DigitShape(40, 8 if algorithm == "lanes" else 1, variant)
    design = {
        "lanes": lambda: LanesDesign(shape, None, 2, "supplied"),
        "r2mm": lambda: R2mmDesign(shape, None, 8),
        "mwr2mm": lambda: Mwr2mmDesign(shape, None, 8),
    }[algorithm]()
    for modulus in ((1 << 40) - 1, 65537):
        domain = DigitDomain(modulus, shape)
        words = split_digits(modulus, 5, 8)
        if algorithm == "lanes":
            words += (domain.negative_inverse,)
        check_products(design.component(), design, domain, edge_pairs(domain, 2), words)


@pytest.mark.parametrize("kind", [R2mmDesign, Mwr2mmDesign])
def test_gaps_and_waits(kind):
    domain = DigitDomain.of((1 << 20) - 3, 1)
    design = kind(domain.shape, domain, 8)
    pairs = edge_pairs(domain, 3)
    found = multiply(design.component(), design.streams, pairs, pace=(0.3, 0.2))
    assert found.results == [domain.product(x, y) for x, y in pairs]


def test_lanes_with_gaps_and_waits():
    domain = DigitDomain.of((1 << 64) - 59, 8)
    design = LanesDesign(domain.shape, domain, 2)
    pairs = edge_pairs(domain, 6)
    for pace in ((0.2, 1.0), (1.0, 0.05)):
        found = multiply(design.component(), design.streams, pairs, pace=pace)
        assert found.results == [domain.product(x, y) for x, y in pairs]


@pytest.mark.parametrize("low", [False, True])
@pytest.mark.parametrize("width", [2, 17, 18, 40, 64])
def test_pipelined_product(width, low):
    chooser = random.Random(width)
    numbers = [0, 1, (1 << width) - 1, *(chooser.getrandbits(width) for _ in range(3))]
    inputs = [{"left": a, "right": b} for a in numbers for b in numbers]
    product = PipelinedProduct(width, width, low=low)
    mask = (1 << (width if low else 2 * width)) - 1
    expected = [one["left"] * one["right"] & mask for one in inputs]
    assert pipelined(product, inputs, "product", product.latency) == expected


@pytest.mark.parametrize("cycles", [1, 4, 5, 9])
def test_delay_line(cycles):
    inputs = [{"early": value % 251} for value in range(1, 60)]
    found = pipelined(DelayLine(8, cycles), inputs, "late", cycles)
    assert found == [one["early"] for one in inputs]


def test_too_many_lanes_are_refused():
    with pytest.raises(SpecificationError) as caught:
        LanesDesign(DigitShape(64, 16), None, 5)
    assert str(caught.value) == (
        "lanes = 5: operands of 64 bits have 4 digits of 16 bits, and use for 1 to 4 lanes"
    )
