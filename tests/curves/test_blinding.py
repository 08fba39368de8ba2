"""How many random bits blind a scalar, and what is refused."""

from fractions import Fraction

import pytest
from tests.small_curves import WITHOUT_A

from residua.curves.affine import multiply_x
from residua.curves.blinding import (
    MARGIN,
    bare_bits,
    check_blinding,
    longest_run,
    multiple_name,
    needed_bits,
    neutral_multiple,
    random_bits,
)
from residua.curves.catalogue import find_curve
from residua.curves.endomorphism.lattice import endomorphism, refusal
from residua.curves.endomorphism.split import Split
from residua.curves.formulas import Formula
from residua.curves.parameters import MontgomeryCurve, curve_from_parameters
from residua.curves.standard import CATALOGUE
from residua.errors import SpecificationError

CURVES = [entry.curve for entry in CATALOGUE]
HALVES = Formula.ENDOMORPHISM


@pytest.mark.parametrize(
    ("name", "run", "bare"),
    [
        ("P-521", 262, 198),
        ("P-384", 194, 130),
        ("secp256k1", 127, 63),
        ("P-224", 112, 48),
        ("P-256", 65, 1),
        ("brainpoolP256r1", 7, 0),
        ("Curve25519", 17, 0),
        ("Curve448", 8, 0),
    ],
)
def test_runs_of_orders(name, run, bare):
    curve = find_curve(name)
    assert longest_run(curve) == run
    assert needed_bits(curve) == random_bits(curve, "auto") == run + MARGIN
    assert bare_bits(curve, 64) == bare
    assert bare_bits(curve, run) == 0
    assert bare_bits(curve, run + MARGIN - 1, MARGIN) == 1
    assert bare_bits(curve, run + MARGIN, MARGIN) == 0


@pytest.mark.parametrize("curve", CURVES, ids=lambda curve: curve.name)
def test_runs_are_counted_bit_by_bit(curve):
    multiple = neutral_multiple(curve)
    while multiple % 2 == 0:
        multiple //= 2
    longest = count = 0
    for place in range(min(multiple.bit_length(), max(curve.order_bits, curve.field_bits))):
        same = place and (multiple >> place ^ multiple >> place - 1) & 1 == 0
        count = count + 1 if same else 1
        longest = max(longest, count)
    assert longest == longest_run(curve)


@pytest.mark.parametrize("name", ["Curve25519", "Curve448"])
def test_the_multiple_serves_curve_and_twist(name):
    """u = 2, 3, ... lie on the curve or its twist, in subgroups of all kinds."""
    curve = find_curve(name)
    assert isinstance(curve, MontgomeryCurve)
    multiple = neutral_multiple(curve)
    assert multiple % (curve.order * curve.cofactor) == 0
    for u in range(2, 14):
        assert multiply_x(curve, multiple + 1, u) == u
        assert multiply_x(curve, multiple, u) == 0
        # Neither number of points alone does.
    points = curve.order * curve.cofactor
    assert {multiply_x(curve, points + 1, u) == u for u in range(2, 14)} == {True, False}


def bound(number, place, random):
    """The docstring's bound on the bias of a bit: the least over the convergents of a."""
    numerator, denominator = number % (2 << place), 2 << place
    least, before, q = Fraction(1, 2), 0, 1
    while numerator:
        quotient, rest = divmod(denominator, numerator)
        before, q = q, quotient * q + before
        denominator, numerator = numerator, rest
        least = min(least, Fraction(3, q) + Fraction(q, 2 << random))
    return least


@pytest.mark.parametrize("curve", CURVES, ids=lambda curve: curve.name)
def test_no_bit_is_bare_by_the_bound_that_is_proved(curve):
    """Every bit of a scalar, under as many random bits as `auto` takes, is even to 2^-24."""
    multiple = neutral_multiple(curve)
    odd = multiple // (multiple & -multiple)
    places = range(needed_bits(curve), max(curve.order_bits, curve.field_bits))
    biases = [bound(odd, place, needed_bits(curve)) for place in places]
    assert max(biases, default=0) < Fraction(1, 1 << 24)


HALVED = [curve for curve in CURVES if not refusal(curve)]


@pytest.mark.parametrize("curve", HALVED, ids=lambda curve: curve.name)
def test_no_bit_of_halves_is_bare_by_the_bound_that_is_proved(curve):
    """Either half, by the better of its two odd multiples, up to the bits it has unblinded."""
    count, mapping = needed_bits(curve, HALVES), endomorphism(curve)
    bits = max(curve.order_bits, curve.field_bits)
    largest = Split(mapping, bits, 0, bits).largest
    for most, coordinates in zip(largest, zip(*mapping.basis, strict=True), strict=True):
        odd = [abs(x) for x in coordinates if x % 2]
        assert odd
        for place in range(count, most.bit_length()):
            assert min(bound(x, place, count) for x in odd) < Fraction(1, 1 << 24)


@pytest.mark.parametrize(
    ("name", "run"), [("secp160k1", 9), ("secp192k1", 6), ("secp224k1", 5), ("secp256k1", 5)]
)
def test_runs_of_halves(name, run):
    curve = find_curve(name)
    assert longest_run(curve, HALVES) == run
    assert needed_bits(curve, HALVES) == random_bits(curve, "auto", HALVES) == run + MARGIN
    assert bare_bits(curve, run, formula=HALVES) == 0
    assert bare_bits(curve, run - 1, formula=HALVES) >= 1
    assert bare_bits(curve, run + MARGIN - 1, MARGIN, HALVES) >= 1
    assert multiple_name(curve, HALVES) == "the lattice of the endomorphism"


def test_a_lattice_with_a_run_takes_more_random_bits():
    """Its vectors are (255, -2) and (2, 257), each with one odd coordinate, of 8 and 7 bits."""
    curve = curve_from_parameters(WITHOUT_A)
    assert endomorphism(curve).basis == ((255, -2), (2, 257))
    assert longest_run(curve, HALVES) == 8
    with pytest.raises(SpecificationError) as caught:
        check_blinding([curve], 71, HALVES)
    assert str(caught.value) == (
        "blinding = 71: on small 1 bit of every scalar would be hidden by fewer than 64 random "
        "bits, as the lattice of the endomorphism has a run of 8 equal bits: take 'auto', or at "
        "least 72, or 0 for no blinding"
    )


def test_the_bound_shows_bare_bits():
    """With 64 random bits it leaves 198 bits of P-521 open, and some beside them."""
    curve = find_curve("P-521")
    biases = [bound(curve.order, place, 64) for place in range(64, 521)]
    assert 198 <= sum(bias > Fraction(1, 10) for bias in biases) <= 198 + 8


@pytest.mark.parametrize(
    ("names", "choice", "message"),
    [
        (
            ["P-521"],
            64,
            (
                "blinding = 64: on P-521 198 bits of every scalar would stay bare, as the order "
                "has a run of 262 equal bits: take 'auto', or at least 326, or 0 for no blinding"
            ),
        ),
        (
            ["brainpoolP256r1", "P-256"],
            96,
            (
                "blinding = 96: on P-256 33 bits of every scalar would be hidden by fewer than 64 "
                "random bits, as the order has a run of 65 equal bits: take 'auto', or at least "
                "129, or 0 for no blinding"
            ),
        ),
    ],
)
def test_refused_numbers(names, choice, message):
    with pytest.raises(SpecificationError) as caught:
        check_blinding([find_curve(name) for name in names], choice)
    assert str(caught.value) == message


def test_what_is_not_refused():
    for curve in CURVES:
        for choice in ("auto", 0, needed_bits(curve), 1024):
            check_blinding([curve], choice)
        with pytest.raises(SpecificationError, match=f"on {curve.name} "):
            check_blinding([curve], needed_bits(curve) - 1)


def test_names_of_multiples():
    names = [multiple_name(find_curve(name)) for name in ("P-256", "secp112r2", "Curve448")]
    twist = "the least common multiple of the numbers of points of curve and twist"
    assert names == ["the order", "the number of points", twist]
