"""Bounds of chains of SBMM: the published ones, plain integers within them, refusals.

The oracle does the papers' algorithms on plain integers, with a Cox of its own.
"""

import random
from functools import cache
from itertools import product
from math import gcd, prod

import pytest

from residua.errors import SpecificationError
from residua.explore.chain import Chain
from residua.explore.chain_bounds import half_bases
from residua.numbers.moduli import signed_digits
from residua.numbers.primes.square_primes import SquareForm, SquarePrimeSearch
from residua.numbers.residues import Canonical

FORMS = [(1, 2), (2, 3), (3, 2), (6, 1), (1, 6), (1, -2)]
"""(d, c)."""


@cache
def prime(d=1, c=2, width=16, channels=12):
    search = SquarePrimeSearch(SquareForm(d, c), width, channels, seed=4)
    return next(search.prime(each) for index in range(99) for each in search.unit(index))


def in_radix(found, interval):
    return float(interval.low / found.prime.base.product), float(
        interval.high / found.prime.base.product
    )


@pytest.mark.parametrize(
    ("below", "k", "r", "tight_k", "tight_r"), [(1, 5, 6, 4, 5), (3, 29, 38, 28, 37)]
)
def test_published_bounds(below, k, r, tight_k, tight_r):
    """SBMM Algorithm 4 and section 4.4, and the tighter values of ERRATA (section 4).

    The Cox's error, and a multiple of P that keeps K from -1, lie between.
    """
    found = half_bases(prime(), Chain(closing="none", below=below, unsigned=True))
    (result,) = found.reach.results
    assert tight_k < in_radix(found, result.k)[1] < tight_k + 0.2 < k
    assert tight_r < in_radix(found, result.r)[1] < tight_r + 0.2 < r


def test_base_b_of_operands_below_3():
    """ERRATA E7: M_b > 54 M_a, with an exact Cox; 6 M_a is for operands below M_a."""
    found = half_bases(prime(), Chain(closing="none", below=3, unsigned=True))
    assert 54 < found.bound / found.prime.base.product < 54 / (1 - 2 / 8)
    found = half_bases(prime(), Chain(closing="none", unsigned=True))
    assert 6 < found.bound / found.prime.base.product < 8


def test_compress_after_two_products():
    """ERRATA E11: 736 M_a at most for sums of two products in a row, 2^10 for Compress."""
    found = half_bases(prime(), Chain(2, 2, unsigned=True))
    assert 700 < in_radix(found, found.reach.results[1].r)[1] < 740
    assert found.reach.small.high < 2**10
    assert found.gamma == 11


def test_powers():
    """SBMM section 4.4: three squares in a row, below 30374 and 42946 M_a (with coarser steps)."""
    found = half_bases(prime(), Chain(3, closing="none", unsigned=True))
    k, r = (
        in_radix(found, each)[1] for each in (found.reach.results[2].k, found.reach.results[2].r)
    )
    assert 10_000 < k < 30_374
    assert 15_000 < r < 42_946


def test_signed_ranges_need_less():
    signed, unsigned = (half_bases(prime(), Chain(2, 2, unsigned=each)) for each in (False, True))
    assert 3 * signed.bound < unsigned.bound
    assert signed.gamma < unsigned.gamma
    assert signed.product_b >= signed.bound


CHAINS = [
    Chain(),
    Chain(closing="normalise"),
    Chain(2),
    Chain(2, 2),
    Chain(unsigned=True),
    Chain(2, unsigned=True),
    Chain(closing="normalise", unsigned=True),
]


@pytest.mark.parametrize("chain", CHAINS, ids=lambda chain: f"{chain} {chain.unsigned}")
@pytest.mark.parametrize(("d", "c"), FORMS)
def test_integers_stay_within(chain, d, c):
    if chain.unsigned and c < 0:
        with pytest.raises(SpecificationError, match=r"c = -2 makes .* negative"):
            half_bases(prime(d, c), chain)
        return
    oracle = Oracle(half_bases(prime(d, c), chain, representation=Canonical()))
    generator = random.Random(5)
    ends = list(product(oracle.ends("k"), oracle.ends("r")))
    for case in range(60):
        x = ends[case % 4] if case < 16 else oracle.operand(generator)
        y = ends[case // 4] if case < 16 else oracle.operand(generator)
        oracle.chain(x, y, generator)


class Oracle:
    """The algorithms of the paper on integers; every K goes through an extension from base b."""

    def __init__(self, found):
        self.found = found
        self.a = [m.value for m in found.prime.base]
        self.b = [m.value for m in found.base_b] + [1 << found.gamma]
        self.radix = prod(self.a)
        self.d, self.c = found.prime.form.multiplier, found.prime.form.offset
        self.p = found.prime.value

    def ends(self, name):
        interval = getattr(self.found.reach.operand, name)
        return int(interval.low), int(interval.high)

    def operand(self, generator):
        return tuple(generator.randint(*self.ends(name)) for name in "kr")

    def extended(self, number, moduli, cox):
        """The integer that an extension of ``number`` from these moduli stands for."""
        whole = prod(moduli)
        total, estimate = 0, int(cox.sigma0 * 2**cox.truncation)
        for m in moduli:
            xi = number * pow(whole // m, -1, m) % m
            total += xi * (whole // m)
            bits = (m - 1).bit_length()
            estimate += (
                xi >> bits - cox.truncation
                if bits > cox.truncation
                else xi << cox.truncation - bits
            )
        return total - (estimate >> cox.truncation) * whole

    def split(self, value, small=False):
        r = self.extended(value, self.a, self.found.first)
        k, rest = divmod(value - r, self.radix)
        assert rest == 0
        reach = self.found.reach
        interval = reach.small if small else reach.quotient
        assert interval.low <= k <= interval.high
        if small:
            # Known modulo m_gamma, within the range of quotients.
            low = int(reach.small.low)
            assert low + (k - low) % (1 << self.found.gamma) == k
        else:
            assert self.extended(k, self.b, self.found.second) == k
        return k, r

    def lifted(self, u, v, scale):
        """What an unsigned chain adds so that U + scale V M_a stays the same modulo P."""
        if not self.found.chain.unsigned:
            return u, v
        low, high = scale * self.radix - self.c, self.d // scale * self.radix - 1
        assert low + scale * high * self.radix == self.p
        return u + low, v + high

    def chain(self, x, y, generator):
        chain, reach = self.found.chain, self.found.reach
        for result in reach.results:
            u = v = expected = 0
            for _ in range(chain.terms):
                sign = 1 if chain.unsigned or chain.terms == 1 else generator.choice((1, -1))
                u += sign * (self.c * x[0] * y[0] + self.d * x[1] * y[1])
                v += sign * (x[0] * y[1] + x[1] * y[0])
                expected += sign * self.number(x) * self.number(y) * self.d
            # d X Y = (c K K + d R R) + d (K R + R K) M_a modulo P.
            assert (u + self.d * v * self.radix - expected) % self.p == 0
            x = self.product(u, v, expected)
            assert result.k.low <= x[0] <= result.k.high
            assert result.r.low <= x[1] <= result.r.high
            y = x
        closed = self.closed(x)
        for value, interval in zip(closed, (reach.operand.k, reach.operand.r), strict=True):
            assert interval.low <= value <= interval.high

    def product(self, u, v, expected):
        """U + d V M_a = d X Y, split: (K_u + d R_v) M_a + R_u + c K_v."""
        u, v = self.lifted(u, v, self.d)
        (k_u, r_u), (k_v, r_v) = self.split(u), self.split(v)
        k, r = k_u + self.d * r_v, r_u + self.c * k_v
        assert (k * self.radix + r - expected) % self.p == 0
        return k, r

    def closed(self, x):
        small = self.found.chain.closing == "compress"
        if small:
            u, v = self.lifted(x[1], x[0], 1)
            (k_r, r_r), (k_k, r_k) = self.split(u, True), self.split(v, True)
            k, r = self.d * (r_k + k_r), self.c * k_k + self.d * r_r
        else:
            u, v = self.lifted(self.d * x[1], x[0], self.d)
            (k_u, r_u), (k_v, r_v) = self.split(u), self.split(v)
            k, r = k_u + self.d * r_v, r_u + self.c * k_v
        assert (k * self.radix + r - self.d * self.number(x)) % self.p == 0
        return k, r

    def number(self, x):
        return x[0] * self.radix + x[1]


@pytest.mark.parametrize("style", ["any", "sparse"])
def test_base_b(style):
    found = half_bases(prime(), Chain(), style=style)
    values = [m.value for m in found.base_b]
    assert len(values) == 6
    assert all(value % 2 for value in values)
    assert gcd(prod(values), found.prime.base.product) == 1
    assert found.product_b >= found.bound
    assert prod(values) << (found.gamma - 1) < found.bound or found.gamma == 3
    if style == "sparse":
        assert all(len(signed_digits(m.offset)) <= 3 for m in found.base_b)


def test_wider_base_b_needs_no_gamma():
    found = half_bases(prime(), Chain(closing="normalise"), width=17)
    assert found.gamma == 0
    assert found.base_b.width == 17


@pytest.mark.parametrize(
    ("chain", "arguments", "text"),
    [
        (
            Chain(closing="none", below=3, unsigned=True),
            {"gamma": 5},
            (
                r"b is too narrow for products modulo .*: M_b = 3\d\.\d+ M_a, but K reaches "
                r"2\d\.\d+ M_a, .* M_b >= 5\d\.\d+ M_a; m_gamma of 6 bits works"
            ),
        ),
        (
            Chain(2, 2),
            {"gamma": 6, "width": 18},
            r"m_gamma = 2\^6 is too small .* quotients from -\d+ to \d+; .* at least 2\^7",
        ),
        (Chain(8), {}, "grow without end|is out of range"),
        (Chain(), {"width": 8}, "w = 8 gives only \\d odd moduli"),
    ],
)
def test_refusals(chain, arguments, text):
    with pytest.raises(SpecificationError, match=text):
        half_bases(prime(), chain, **arguments)


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ((0,), "1 to 8 products, not 0"),
        ((1, 65), "1 to 64 terms"),
        ((1, 1, "none", 0), "M_a below which operands are"),
    ],
)
def test_chains(arguments, text):
    with pytest.raises(SpecificationError, match=text):
        Chain(*arguments)


def test_cox_that_errs_too_much():
    search = SquarePrimeSearch(SquareForm(), 8, 8)
    offsets = next(each for index in range(500) for each in search.unit(index))
    with pytest.raises(SpecificationError, match=r"w = 8 is too small .* Cox errs"):
        half_bases(search.prime(offsets), Chain(), width=12)
