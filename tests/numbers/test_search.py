"""The search for bases: every condition of what it finds, and the text of what it refuses."""

from fractions import Fraction
from itertools import combinations
from math import ceil, floor, gcd, prod

import gmpy2
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from residua.errors import SpecificationError
from residua.numbers.catalogue import parse_modulus
from residua.numbers.folding import Folding, fits_word, largest_offset, small_offset
from residua.numbers.moduli import Modulus, signed_digits
from residua.numbers.search import search_bases, user_bases

# A product of two 512-bit primes, an odd number of 4096 bits, and one of many small factors.
RSA_1024 = int(gmpy2.next_prime(3**323) * gmpy2.next_prime(11**148))
RSA_4096 = 3**2584 + 2
SMOOTH = 3**30 * 5**11 * 7**9 * 11 * 13 * 17 * 19 * 23 * 29 * 31


def worst_errors(values, width, truncation):
    """How far the Cox's sum may lie below and above the true one, for words of w + 1 bits."""
    step = 2 ** max(width - truncation, 0)
    under = over = Fraction(0)
    for value in values:
        ends = [Fraction(x, 2**width) - Fraction(x, value) for x in (-(2**width), 2**width - 1)]
        over += max(ends)
        under += Fraction(step - 1, 2**width) - min(ends)
    return under, over


def assert_sound(pair, modulus, width, products=1, largest=0):
    """Coprimality and the range of a chain of products, with nothing but integers and fractions."""
    values = [[m.value for m in base] for base in (pair.base_a, pair.base_b)]
    everything = [*values[0], *values[1], modulus]
    assert all(gcd(one, two) == 1 for one, two in combinations(everything, 2))
    assert len(values[0]) == len(values[1]) == pair.channels
    limit = max(2 ** (width // 2) - 1, largest)
    assert all(abs(2**width - value) <= limit for value in everything[:-1])
    sigma0, bound = pair.cox.sigma0, pair.bound
    size_a, size_b = prod(values[0]), prod(values[1])
    under, over = worst_errors(values[0], width, pair.cox.truncation)
    # Q may be as low as -(sigma0 + over) M_a and stays below (1 - sigma0 + under) M_a.
    largest_q = max(floor((sigma0 + over) * size_a), ceil((1 - sigma0 + under) * size_a) - 1)
    assert products * bound**2 + largest_q * modulus <= bound * size_a
    under, over = worst_errors(values[1], width, pair.cox.truncation)
    assert bound <= (sigma0 - under) * size_b
    assert bound < (1 - sigma0 - over) * size_b
    assert bound >= modulus // 4


def str_or_size(value):
    """Keeps long numbers out of the names of tests."""
    return f"{value.bit_length()}-bit" if isinstance(value, int) and value > 2**16 else str(value)


@given(st.data())
@settings(max_examples=40, deadline=None)
def test_random_moduli_of_every_width(data):
    width = data.draw(st.integers(8, 64))
    most = {8: 24, 9: 24, 10: 60, 11: 60, 12: 120, 13: 120}.get(width, 400)
    modulus = data.draw(st.integers(2**16, 2 ** data.draw(st.integers(17, most)))) | 1
    style = data.draw(st.sampled_from(["any", "sparse"] if width > 13 else ["any"]))
    products = data.draw(st.integers(1, 4))
    arguments = {
        "style": style,
        "weight": 4,
        "products": products,
        "powers_of_two": data.draw(st.booleans()),
    }
    pair = search_bases(modulus, width, **arguments)
    assert_sound(pair, modulus, width, products)
    if style == "sparse":
        assert all(m.weight <= 4 for base in (pair.base_a, pair.base_b) for m in base)
    if not arguments["powers_of_two"]:
        assert all(m.value % 2 for base in (pair.base_a, pair.base_b) for m in base)
    assert search_bases(modulus, width, **arguments) == pair
    if pair.channels > 1:
        with pytest.raises(SpecificationError, match=f"n = {pair.channels} works"):
            search_bases(modulus, width, pair.channels - 1, **arguments)


@pytest.mark.parametrize(
    ("modulus", "channels", "width", "style", "largest"),
    [
        ("P-192", 12, 17, "sparse", 55),
        ("P-256", 16, 17, "sparse", 73),
        ("P-256", 16, 17, "any", 69),
        ("P-256", 8, 33, "sparse", 29),
        ("P-384", 12, 33, "sparse", 59),
        ("brainpoolP512r1", 16, 33, "sparse", 81),
        ("P-521", None, 18, "any", 163),
        (RSA_1024, 32, 33, "sparse", 769),
        (RSA_1024, 64, 17, "any", 459),
        (RSA_4096, None, 34, "any", 1000),
        (SMOOTH, 8, 33, "any", 200),
    ],
    ids=str_or_size,
)
def test_the_main_configurations(modulus, channels, width, style, largest):
    value = modulus if isinstance(modulus, int) else parse_modulus(modulus)
    pair = search_bases(value, width, channels, style=style)
    assert_sound(pair, value, width, largest=largest)
    assert channels is None or pair.channels == channels
    assert pair.largest_offset <= largest
    assert min(pair.condition.slack_a, pair.condition.slack_b) >= 1


@pytest.mark.parametrize(("width", "terms"), [(8, 5), (12, 40), (17, 6), (17, 68), (33, 132)])
def test_three_folds_do_up_to_the_largest_offset(width, terms):
    """For the ends of the range of every sum, and for sums around multiples of 2^w."""
    limit = largest_offset(width, terms)
    assert limit > 0
    for offset in {limit, -limit, limit - 1, 1 - limit, limit // 2, -(limit // 3), 1, 0}:
        folding = Folding(Modulus(width, offset), 3)
        top = terms * ((1 << width) * ((folding.modulus.value + 1) // 2))
        assert fits_word(folding.result((-top, top)), width + 1)
        multiples = [(top >> width) * part // 7 << width for part in range(-7, 8)]
        for value in (multiple + step for multiple in multiples for step in (-1, 0, 1)):
            if -top <= value <= top:
                word = folding.reduce(value)
                assert (word - value) % folding.modulus.value == 0
                assert -(1 << width) <= word < 1 << width
    larger = Folding(Modulus(width, min(4 * limit, (1 << width - 1) - 1)), 3)
    assert not fits_word(larger.result((-top, top)), width + 1)


def test_small_offsets_go_first():
    """Moduli with a larger |h| are taken only where the others do not suffice."""
    value = parse_modulus("P-256")
    assert search_bases(value, 17, 39).largest_offset <= small_offset(17)
    assert search_bases(value, 17, 40).largest_offset > small_offset(17)
    with pytest.raises(SpecificationError, match=r"with \|h\| < 256, and n = 40 needs 80"):
        search_bases(value, 17, 40, largest=small_offset(17))


def exhaustive_smallest(width, count, limit, weight):
    """The smallest possible largest |h|, by trying sets of candidates up to a limit."""
    offsets = [0] + [h for size in range(1, limit, 2) for h in (size, -size)]
    offsets = [h for h in offsets if len(signed_digits(h)) <= weight]

    def fits(chosen, position, last):
        if len(chosen) == count:
            return True
        for i in range(position, last):
            value = 2**width - offsets[i]
            if all(gcd(value, other) == 1 for other in chosen) and fits(
                [*chosen, value], i + 1, last
            ):
                return True
        return False

    return next(
        abs(offsets[last - 1]) for last in range(count, len(offsets) + 1) if fits([], 0, last)
    )


@pytest.mark.parametrize(("width", "channels", "weight"), [(8, 3, 9), (12, 4, 2), (17, 5, 3)])
def test_the_largest_offset_is_the_smallest_possible(width, channels, weight):
    modulus = 2**16 + 1
    pair = search_bases(modulus, width, channels, style="sparse", weight=weight)
    assert pair.largest_offset == exhaustive_smallest(width, 2 * channels, 64, weight)


def test_sixteen_sparse_odd_moduli_of_seventeen_bits():
    """Exact packing does better than taking candidates in order, which finds 31 up to |h| = 82."""
    pair = search_bases(parse_modulus("P-256"), 17, 16, style="sparse", powers_of_two=False)
    assert pair.largest_offset == 111


def test_bases_are_balanced_and_pairs_cheap():
    pair = search_bases(parse_modulus("P-192"), 17, 12, style="sparse")
    ratio = Fraction(pair.base_a.product, pair.base_b.product)
    assert abs(ratio - 1) < Fraction(1, 2**13)
    assert pair.pair_costs.count(0) >= 5
    assert sum(pair.pair_costs) <= 12


def test_rowers_share_similar_channels():
    modulus = parse_modulus("P-256")
    one = search_bases(modulus, 17, 16, style="sparse", rowers=16)
    four = search_bases(modulus, 17, 16, style="sparse", rowers=4)
    assert {*one.base_a, *one.base_b} == {*four.base_a, *four.base_b}
    weights = [max(a.weight, b.weight) for a, b in zip(four.base_a, four.base_b, strict=True)]
    spread = [len(set(weights[rower::4])) for rower in range(4)]
    assert spread.count(1) >= 2
    # The smallest n is then a multiple of the rowers.
    assert search_bases(modulus, 17, rowers=5).channels == 20


def test_truncation_and_sigma0_are_kept_when_given():
    modulus = parse_modulus("P-256")
    pair = search_bases(modulus, 17, 16, truncation=8, sigma0=Fraction(1, 2))
    assert (pair.cox.truncation, pair.cox.sigma0) == (8, Fraction(1, 2))
    assert_sound(pair, modulus, 17)
    assert search_bases(modulus, 17, 16, truncation=9).cox.truncation == 9


P256 = parse_modulus("P-256")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((2**17, 17), "is even: Montgomery"),
        ((257, 17), "257 is too small"),
        ((P256, 7), "the width w is 8 to 64, not 7"),
        ((P256, 65), "the width w is 8 to 64, not 65"),
        ((P256, 17, 0), "the number n of channels is 1 to 128, not 0"),
        ((P256, 17, 129), "the number n of channels is 1 to 128, not 129"),
        ((P256, 17, 16, {"style": "dense"}), "the style is 'any' or 'sparse', not 'dense'"),
        ((P256, 17, 16, {"truncation": 18}), "the truncation t is 1 to 17, not 18"),
        ((P256, 17, 16, {"weight": 0}), "the signed-digit weight is 1 to 64, not 0"),
        (
            (P256, 17, 16, {"products": 0}),
            "the number of products in a reduction is 1 to 65536, not 0",
        ),
        ((P256, 17, 16, {"rowers": 17}), "the number of rowers is 1 to 16, not 17"),
        (
            (P256, 17, 16, {"rowers": 5}),
            "5 rowers cannot share n = 16 channels evenly; 1, 2, 4, 8, 16 can",
        ),
        (
            (P256, 17, 16, {"truncation": 3, "sigma0": Fraction(1, 16)}),
            "sigma0 = 1/16 is no multiple of 2^-3",
        ),
        (
            (P256, 17, 15),
            "n = 15 moduli of w = 17 are 2 bits too narrow for a modulus of 256 bits; n = 16 works",
        ),
        (
            (parse_modulus("P-192"), 17, 12, {"style": "sparse", "weight": 2}),
            (
                "w = 17 gives only 18 pairwise coprime moduli of weight <= 2 with |h| < 1021, "
                "and n = 12 needs 24; weight = 3 or bases = 'any' works"
            ),
        ),
        (
            (P256, 17, 128),
            (
                "w = 17 gives only 135 pairwise coprime moduli with |h| < 506, and n = 128 needs "
                "256; w = 19 works"
            ),
        ),
        (
            (P256, 17, 128, {"truncation": 2}),
            "and n = 128 needs 256; w = 19 with t = 8 and sigma0 = 3/4 works",
        ),
        (
            (parse_modulus("P-192"), 8),
            (
                "w = 8 gives only 12 pairwise coprime moduli with |h| < 16, and n = 21 needs 42; "
                "w = 12 works"
            ),
        ),
        (
            (P256, 17, 16, {"truncation": 3}),
            (
                "the Cox error of base b is too large: 2.01 M_b, and no sigma0 makes up for M_b or "
                "more; t = 5 instead of 3 would do"
            ),
        ),
        (
            (P256, 17, 16, {"sigma0": Fraction(0)}),
            (
                "sigma0 = 0 must be at least 0.00386 and below 1 - 0.00386 for the second "
                "extension to be exact around zero; t = 5 and sigma0 = 3/4 work"
            ),
        ),
        ((RSA_4096, 34, 120), "bits too narrow for a modulus of 4096 bits; n = 121 works"),
        (
            (RSA_4096, 16),
            "a modulus of 4096 bits needs more than n = 128 channels of w = 16; w = 33 works",
        ),
        (
            (2**8255 + 1, 63),
            "of 8256 bits needs more than n = 128 channels of w = 63; no w up to 64 works",
        ),
        (
            (RSA_4096, 34, None, {"style": "sparse", "largest": small_offset(34)}),
            (
                "pairwise coprime moduli of weight <= 3 with |h| < 131072, "
                "and n = 117 needs 234; weight = 4 or bases = 'any' works"
            ),
        ),
    ],
)
def test_refusals_say_what_would_work(arguments, message):
    options = arguments[-1] if isinstance(arguments[-1], dict) else {}
    positional = arguments[:-1] if options else arguments
    with pytest.raises(SpecificationError) as error:
        search_bases(*positional, **options)
    assert message in str(error.value)


def test_given_bases_are_kept_in_order():
    modulus = parse_modulus("P-192")
    found = search_bases(modulus, 17, 12)
    lists = [[m.value for m in base][::-1] for base in (found.base_a, found.base_b)]
    pair = user_bases(modulus, *lists)
    assert [m.value for m in pair.base_a] == lists[0]
    assert pair.width == 17
    assert pair.bound == found.bound
    assert_sound(pair, modulus, 17)


@given(st.integers(20, 64), st.data())
def test_the_width_of_given_moduli_is_found(width, data):
    offset = data.draw(st.integers(1 - 2 ** (width // 2), 2 ** (width // 2) - 1))
    first = 2**width - offset
    second = next(value for value in range(2**width - 1, 0, -2) if gcd(value, first) == 1)
    assume(gcd(first * second, 65537) == 1)
    assert user_bases(65537, [first], [second]).width == width


@pytest.mark.parametrize(
    ("moduli_a", "moduli_b", "message"),
    [
        ([2**17 - 1], [2**17 - 1], "2^17 - 1 of base a and 2^17 - 1 of base b share the factor"),
        ([2**17 - 1], [2**17, 2**17 - 3], "base a has 1, base b 2"),
        ([], [], "base a has 0, base b 0"),
        ([2**17 + 1, 2**17 - 5], [2**17, 2**17 - 1], "share the factor 3"),
        ([2**17 - 1, 2**16], [2**17, 3], "is no pseudo-Mersenne modulus"),
        ([2**17], [-5], "-5 is no channel modulus"),
        ([2**17 - 1], [2**17], "base a is"),
    ],
)
def test_given_bases_are_checked(moduli_a, moduli_b, message):
    with pytest.raises(SpecificationError) as error:
        user_bases(2**127 - 1, moduli_a, moduli_b)
    assert message in str(error.value)


def test_factors_common_with_the_modulus_are_refused():
    with pytest.raises(
        SpecificationError, match=r"channel modulus 2\^17 \+ 1 and the modulus share the factor 3"
    ):
        user_bases(3 * (2**61 - 1), [2**17 + 1], [2**17])
