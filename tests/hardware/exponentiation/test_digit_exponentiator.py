"""Modular exponentiation in hardware: powers, cycles, loaded and built-in moduli."""

import random

import pytest
from tests.hardware.digit_streams import multiply

from residua.algorithms.exponentiation import binary, binary_products, fixed_window, window_products
from residua.errors import SpecificationError
from residua.hardware.digit.iddmm import IddmmDesign
from residua.hardware.digit.lanes import LanesDesign
from residua.hardware.exponentiation.digit_exponentiator import DigitExponentiatorDesign
from residua.numbers.digits import DigitDomain, DigitShape, split_digits


def powers(domain, words, bits):
    """Bases and exponents at the ends of their ranges, and random ones."""
    chooser, p, most = random.Random(bits), domain.modulus, (1 << bits) - 1
    largest = (1 << domain.shape.digit * words) - 1
    fixed = [(0, 0), (p - 1, most), (p, 1), (largest, most)]
    return [*fixed, (chooser.randint(0, largest), chooser.randint(0, most))]


def modulus_words(design, domain):
    """What a design loads of a modulus."""
    k, words = (
        domain.shape.digit,
        list(split_digits(domain.modulus, design.streams.modulus_words, domain.shape.digit)),
    )
    words += [domain.negative_inverse] if design.streams.inverse == "supplied" else []
    return words + list(split_digits(domain.square, design.streams.words, k))


@pytest.mark.parametrize("loaded", [False, True])
@pytest.mark.parametrize(
    ("bits", "k", "lanes", "window", "exponent_bits"),
    [(24, 8, 2, 3, 7), (16, 8, None, 1, 5), (20, 8, None, 2, 9), (17, 17, 1, 4, 6)],
)
def test_powers_and_cycles(bits, k, lanes, window, exponent_bits, loaded):
    domain = DigitDomain.of((1 << bits) - 3, k)
    own = None if loaded else domain
    multiplier = (
        LanesDesign(domain.shape, own, lanes, "supplied")
        if lanes
        else IddmmDesign(domain.shape, own)
    )
    design = DigitExponentiatorDesign(multiplier, exponent_bits, window)
    words = design.streams.words
    pairs = powers(domain, words, exponent_bits)
    given = modulus_words(design, domain) if loaded else []
    found = multiply(design.component(), design.streams, pairs, given)
    expected = [pow(x, y, domain.modulus) for x, y in pairs]
    assert found.results == expected
    gaps = {b - a for a, b in zip(found.finished, found.finished[1:], strict=False)}
    assert gaps == {design.interval}
    if not loaded:
        assert {b - a for a, b in zip(found.taken, found.finished, strict=True)} == {design.latency}


@pytest.mark.parametrize("loaded", [False, True])
@pytest.mark.parametrize("exponent", [2, 3, 5, 17, 29])
def test_public_exponents(exponent, loaded):
    domain = DigitDomain.of(65519, 8)
    multiplier = LanesDesign(domain.shape, None if loaded else domain, 2)
    design = DigitExponentiatorDesign(
        multiplier, exponent.bit_length(), exponent=exponent, plain=loaded
    )
    bases = [(0,), (65518,), (65535,), (31337,)]
    given = modulus_words(design, domain) if loaded else []
    found = multiply(design.component(), design.streams, bases, given)
    assert found.results == [pow(x, exponent, 65519) for (x,) in bases]
    gaps = {b - a for a, b in zip(found.finished, found.finished[1:], strict=False)}
    assert gaps == {design.interval}


@pytest.mark.parametrize("exponent", [None, 5])
def test_plain_products(exponent):
    """Their y is a factor, and one product is all that they take."""
    domain = DigitDomain.of(65519, 8)
    design = DigitExponentiatorDesign(
        IddmmDesign(domain.shape, domain), 3, exponent=exponent, plain=True
    )
    pairs = [(0, 0), (65535, 65518), (1, 1), (40000, 50000)]
    found = multiply(design.component(), design.streams, pairs, plain=True)
    assert found.results == [domain.product(x, y) for x, y in pairs]
    taken = {b - a for a, b in zip(found.taken, found.finished, strict=True)}
    assert taken == {design.product_cycles}


@pytest.mark.parametrize("exponent", [1, 2, 3, 4, 7, 65537, 1 << 40 | 1])
def test_binary(exponent):
    domain, made = DigitDomain.of(65521, 8), []

    def product(x, y):
        made.append((x, y))
        return domain.product(x, y)

    found = binary(product, 12345, domain.square, 1, exponent)
    assert found == pow(12345, exponent, 65521)
    assert len(made) == binary_products(exponent)


@pytest.mark.parametrize(("bits", "window"), [(1, 1), (7, 1), (7, 3), (8, 4), (64, 5)])
def test_products_do_not_depend_on_the_exponent(bits, window):
    domain, made = DigitDomain.of(65521, 8), []

    def product(x, y):
        made.append((x, y))
        return domain.product(x, y)

    for exponent in (0, 1, (1 << bits) - 1, 1 << bits - 1):
        made.clear()
        found = fixed_window(product, 12345, domain.square, 1, exponent, bits, window)
        assert found == pow(12345, exponent, 65521)
        assert len(made) == window_products(bits, window)


@pytest.mark.parametrize(("exponent", "bits"), [(1, 1), (5, 2), (0, 1)])
def test_public_exponents_that_are_refused(exponent, bits):
    with pytest.raises(
        SpecificationError, match=f"^exponent = {exponent}: a public exponent is at"
    ):
        DigitExponentiatorDesign(IddmmDesign(DigitShape(16, 8), None), bits, exponent=exponent)


@pytest.mark.parametrize(
    ("variant", "bits", "window", "message"),
    [
        ("closed", 16, 1, "variant = 'closed': an exponentiator has numbers below p"),
        ("subtract", 17, 1, "exponent_bits = 17: the words of an operand hold 1 to 16"),
        ("subtract", 16, 9, "window = 9: 1 to 8 bits"),
        ("subtract", 2, 3, "window = 3: 1 to 2 bits"),
    ],
)
def test_refusals(variant, bits, window, message):
    with pytest.raises(SpecificationError) as caught:
        DigitExponentiatorDesign(IddmmDesign(DigitShape(16, 8, variant), None), bits, window)
    assert str(caught.value).startswith(message)
