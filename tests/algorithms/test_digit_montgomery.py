"""Digit Montgomery algorithms against plain integers and the report's vectors; counts; bounds."""

import random
import tomllib
from itertools import product
from pathlib import Path

import pytest

from residua.algorithms.digits.booth_montgomery import booth_shape, mwr2kmm
from residua.algorithms.digits.digit_montgomery import iddmm_1, iddmm_2, iddmm_lanes, imm
from residua.algorithms.digits.digit_operations import subtract_once
from residua.algorithms.digits.radix2_montgomery import mwr2mm, r2mm
from residua.errors import SpecificationError
from residua.machines.digits import DigitBounds, DigitCounts, DigitValues
from residua.numbers.digits import VARIANTS, DigitDomain, DigitShape, join_digits, split_digits

VECTORS = tomllib.loads(
    (Path(__file__).parents[1] / "vectors" / "digit_montgomery.toml").read_text()
)
RADICES = (2, 4, 8, 16, 32, 64)


def moduli(bits):
    """The smallest and the largest of this length, and one between."""
    middle = random.Random(bits).getrandbits(bits) | 1 | 1 << (bits - 1)
    return (1 << (bits - 1)) + 1, middle, (1 << bits) - 1


def pairs(domain, chooser, count=3):
    """Operands at the ends of their ranges with one another, and random ones."""
    p = domain.modulus
    edges = {0, 1, p // 2, p - 1, p, 2 * p - 1, domain.largest_y, domain.largest_x}
    fixed = list(product(sorted(edges), repeat=2))
    drawn = [
        (chooser.randint(0, domain.largest_x), chooser.randint(0, domain.largest_y))
        for _ in range(count)
    ]
    return [(x, y) for x, y in fixed + drawn if x <= domain.largest_x and y <= domain.largest_y]


def digit_forms(shape):
    """The algorithms on digits of k bits, with the bits of their results' digits."""
    whole = shape.digit * shape.operand_digits
    return [
        (imm, whole),
        (iddmm_1, shape.digit),
        (iddmm_2, shape.digit),
        *(
            (lambda ops, shape, lanes=lanes: iddmm_lanes(ops, shape, lanes), shape.digit * lanes)
            for lanes in (1, 2, 3)
        ),
    ]


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize(
    ("bits", "k"),
    [
        *product((16, 17), (2, 3, 8, 16, 40)),
        *product((30, 31, 32), (3, 8, 16, 40)),
        *product((64,), (8, 16, 40)),
    ],
)
def test_digit_algorithms_are_right(bits, k, variant):
    chooser = random.Random(f"{bits} {k}")
    for modulus in moduli(bits):
        domain = DigitDomain.of(modulus, k, variant)
        shape = domain.shape
        for x, y in pairs(domain, chooser):
            expected = domain.product(x, y)
            assert (expected * (1 << k * shape.iterations) - x * y) % modulus == 0
            assert 0 <= expected < (modulus if variant == "subtract" else 2 * modulus)
            for form, width in digit_forms(shape):
                found = join_digits(form(DigitValues.of(domain, x, y), shape), width)
                assert found == expected, (hex(modulus), x, y, form)
        for form, _ in digit_forms(shape):
            form(DigitBounds.of(domain), shape)


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("bits", [16, 17, 31, 32])
def test_bit_algorithms_are_right(bits, variant):
    for modulus in moduli(bits):
        domain = DigitDomain.of(modulus, 1, variant)
        for x, y in pairs(domain, random.Random(bits)):
            expected = domain.product(x, y)
            assert r2mm(DigitValues.of(domain, x, y), domain.shape) == [expected]
            for width in (4, 8, 16):
                words = mwr2mm(DigitValues.of(domain, x, y), domain.shape, width)
                assert join_digits(words, width) == expected
        r2mm(DigitBounds.of(domain), domain.shape)
        mwr2mm(DigitBounds.of(domain), domain.shape, 8)


@pytest.mark.parametrize("k", [1, 2, 3, 4])
@pytest.mark.parametrize("width", [4, 11, 16])
def test_booth_digits_are_right(k, width):
    for bits in (16, 17, 18, 32):
        shape = booth_shape(bits, k)
        for modulus in moduli(bits):
            domain, chooser = DigitDomain(modulus, shape), random.Random(k)
            edges = (0, 1, modulus // 2, modulus - 2, modulus - 1)
            drawn = [(chooser.randrange(modulus), chooser.randrange(modulus)) for _ in range(5)]
            for x, y in [*product(edges, repeat=2), *drawn]:
                words = mwr2kmm(DigitValues.of(domain, x, y), shape, width)
                inverse = pow(1 << k * shape.digits, -1, modulus)
                assert join_digits(words, width) == x * y * inverse % modulus
            inverse = domain.negative_inverse
            ends = {"x": modulus - 1, "y": modulus - 1}
            ranges = {name: (0, value) for name, value in ends.items()}
            mwr2kmm(
                DigitBounds({**ranges, "p": (modulus,) * 2, "inverse": (inverse,) * 2}),
                shape,
                width,
            )


def test_booth_needs_words_that_hold_a_digit():
    with pytest.raises(SpecificationError, match=r"words of 2 bits cannot be shifted by digits"):
        mwr2kmm(DigitCounts(), booth_shape(16, 3), 2)


@pytest.mark.parametrize("form", [iddmm_1, iddmm_2])
@pytest.mark.parametrize(
    ("bits", "k"),
    [(int(bits), k) for bits in VECTORS for k in RADICES if int(bits) // k < 300],
)
def test_published_vectors(form, bits, k):
    """Appendix A: sums that are not reduced, so that operands need not be below p either way."""
    p, x, y, mm = (int(VECTORS[str(bits)][name], 16) for name in ("p", "x", "y", "mm"))
    domain = DigitDomain.of(p, k)
    assert domain.shape.digits == bits // k
    assert domain.sum(x, y) == mm
    orders = [(x, y), (y, x)] if bits // k < 100 else [(x, y)]
    for left, right in orders:
        found = join_digits(form(DigitValues.of(domain, left, right), domain.shape), k)
        assert found == (mm - p if mm >= p else mm)


def test_domain_knows_what_is_closed():
    full = DigitDomain.of(2**32 - 5, 8, "closed")
    assert (full.shape.digits, full.shape.iterations, full.shape.operand_digits) == (4, 5, 5)
    assert not full.shape.spare
    roomy = DigitDomain.of(2**30 - 35, 8, "closed")
    assert (roomy.shape.digits, roomy.shape.iterations, roomy.shape.operand_digits) == (4, 4, 4)
    assert roomy.shape.spare
    bounds = DigitBounds.of(roomy)
    iddmm_2(bounds, roomy.shape)
    assert bounds.reached["A_n"] == (0, 0)
    assert [one.shape.top_bits for one in (full, roomy, DigitDomain.of(7, 2))] == [2, 0, 1]
    # Without the iteration more, sums of a modulus without spare bits leave the range below 2 p.
    shape = full.shape
    short = (4 * full.modulus**2 + ((1 << 32) - 1) * full.modulus) >> 32
    assert short > 2 * full.modulus
    longest = (4 * full.modulus**2 + (shape.factor - 1) * full.modulus) // shape.factor
    assert longest < 2 * full.modulus


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: DigitDomain.of(2**20, 8), r"the modulus 0x100000 is even: Montgomery"),
        (lambda: DigitDomain.of(1, 8), r"the modulus 1 is too small: at least 3"),
        (
            lambda: DigitDomain(2**20 + 1, DigitShape(20, 4)),
            r"the modulus has 21 bits, and its digits are made for 20",
        ),
        (lambda: DigitShape(0, 4), r"a modulus of 0 bits in digits of 4: both are at least 1"),
        (lambda: DigitShape(20, 4, "lazy"), r"variant = 'lazy': give 'subtract' or 'closed'"),
        (
            lambda: DigitDomain.of(65537, 8).product(3, 65537),
            r"y = 0x10001 is no operand: it must be from 0 to 0x10000",
        ),
        (
            lambda: DigitDomain.of(65537, 8).product(1 << 24, 3),
            r"x = 0x1000000 is no operand: it must be from 0 to 0xffffff",
        ),
        (
            lambda: iddmm_2(
                DigitValues.of(DigitDomain.of(65537, 8), 1 << 24, 0), DigitShape(17, 8)
            ),
            r"x = 0x1000000 does not fit into 3 digits of 8 bits",
        ),
    ],
)
def test_refusals(make, message):
    with pytest.raises(SpecificationError, match=message):
        make()


@pytest.mark.parametrize(("bits", "k"), [(128, 8), (256, 16), (1024, 64)])
def test_counts(bits, k):
    """Table 2: passes through the loops; 2 n^2 + n products of digits."""
    shape, n = DigitShape(bits, k, "closed"), bits // k
    exact = DigitShape(bits, k)
    for form in (iddmm_1, iddmm_2):
        counts = DigitCounts()
        form(counts, exact)
        assert (counts.steps, counts.products) == (n * (n + 1), 2 * n * n + n)
    counts = DigitCounts()
    iddmm_2(counts, shape)
    # X has a digit for its top bit, and Y has one, too.
    assert (counts.steps, counts.products) == ((n + 1) ** 2, (n + 1) * (2 * n + 2))
    counts = DigitCounts()
    iddmm_lanes(counts, exact, 4)
    assert (counts.steps, counts.products) == (n * n // 4, 2 * n * n + n)
    counts = DigitCounts()
    r2mm(counts, DigitShape(bits, 1))
    assert counts.steps == bits
    counts = DigitCounts()
    mwr2mm(counts, DigitShape(bits, 1), k)
    assert counts.steps == bits * (bits // k + 1)


def test_bounds_of_carries():
    """Pitfall 10: C of Algorithm 2 is at most 2 beta - 2, A_n 0 or 1 for X, Y < p, else 0 to 2."""
    k, beta = 8, 256
    subtract, closed = (DigitDomain.of(2**32 - 5, k, variant) for variant in VARIANTS)
    bounds = DigitBounds.of(subtract)
    iddmm_2(bounds, subtract.shape)
    assert bounds.reached["C"] == (0, 2 * beta - 2)
    assert bounds.reached["A_n"] == (0, 1)
    bounds = DigitBounds.of(subtract)
    iddmm_1(bounds, subtract.shape)
    assert bounds.reached["C_S"][1] == bounds.reached["C_R"][1] + 1 == beta - 1
    assert bounds.reached["C_U"] == (0, 1)
    bounds = DigitBounds.of(closed)
    iddmm_2(bounds, closed.shape)
    assert bounds.reached["A_n"] == (0, 2)


def test_what_does_not_fit_is_refused():
    with pytest.raises(SpecificationError, match=r"^C reaches \[0, 300\], outside of 8 bits$"):
        DigitBounds({}).keep("C", (0, 300), 8)
    with pytest.raises(SpecificationError, match=r"^d reaches \[-9, -9\], outside of 4 signed"):
        DigitValues({}).keep("d", -9, 4, signed=True)


@pytest.mark.parametrize("p", [65537, 2**17 - 1])
def test_final_subtraction(p):
    for a in (0, 1, p - 1, p, p + 1, 2 * p - 1):
        digits = list(split_digits(a, 3, 6))
        ops = DigitValues({})
        found = subtract_once(ops, digits, split_digits(p, 3, 6), 6)
        assert join_digits(found, 6) == a % p
