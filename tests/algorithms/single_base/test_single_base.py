"""SBMM with the extra modulus m_gamma, and Compress, against plain integers and the errata."""

import random
from fractions import Fraction
from functools import cache

import pytest

from algorithms.positions import ends, evaluate, named, product_program, read, words_of
from residua.algorithms.montgomery import Element
from residua.algorithms.position_residue import multiply, normalise, operand, sum_of_products
from residua.algorithms.program import Program, ProgramError
from residua.algorithms.single_base import (
    compress,
    compressed_ranges,
    decompose,
    largest_operands,
    outputs,
    recompose,
    single_base,
)
from residua.algorithms.single_base import product_program as chained_program
from residua.algorithms.terms import Interval
from residua.cores.kinds import core_of
from residua.cores.specification.reading import check_any
from residua.errors import SpecificationError
from residua.machines.bounds import analyse
from residua.machines.counts import count
from residua.machines.values import run
from residua.numbers.bases import Base
from residua.numbers.half_bases import sparse_half_bases
from residua.numbers.moduli import Modulus
from residua.numbers.primes.position_primes import find_prime, is_probable_prime, nearest_base
from residua.numbers.residues import Canonical, Redundant

PAPER = {"form": "lean", "multiplication": "schoolbook", "unsigned": True}
ENGINE = {"form": "quadratic", "multiplication": "direct"}


@cache
def paper_domain(bits=96, width=16, extra=6, multiplication="schoolbook"):
    """As the paper has it: canonical residues, nothing negative."""
    base_a = find_prime(bits, width, seed=3).base
    base_b = nearest_base(width, len(base_a), base_a, odd=True)
    return single_base(
        base_a, base_b, extra, Canonical(), **(PAPER | {"multiplication": multiplication})
    )


@cache
def engine_domain(extra=6, form="quadratic", *, skips_quotient=False):
    """As the engine has it: redundant signed residues."""
    bases = sparse_half_bases(17, 3, weight=3, rowers=3, quadratic=True)
    keys = ENGINE | {"form": form, "skips_quotient": skips_quotient}
    return single_base(*bases, extra, Redundant(1), **keys)


def open_domain(extra=8):
    """Without a quotient in the first extension."""
    return engine_domain(extra, skips_quotient=True)


def representation_of(domain):
    return Canonical() if domain.split.unsigned else Redundant(2)


def compressing(domain, times, representation=None):
    """Compress of x with K and R up to ``times`` M_a."""
    program = Program("compress", representation or representation_of(domain))
    limit = int(times * domain.split.base_a.product)
    interval = Interval.of(0 if domain.split.unsigned else -limit, limit)
    x = operand(program, domain, "x", [interval] * 2)
    result = compress(program, domain, x)
    for each in result:
        program.output(each.a, each.b)
    return program, result, interval


def small_and_large(domain, interval, generator):
    """K or R next to 0, multiples of M_a and the Cox's error above them; the edges; random ones."""
    radix = domain.split.base_a.product
    top = int(interval.high) // radix
    near = [0, 1, 2, -1, -2, radix // 50, radix // 1000, radix // 7, radix // 2, radix - 1]
    values = ends(interval) + [t * radix + n for t in (0, 1, -1, 2, top, -top) for n in near]
    values += [generator.randint(int(interval.low), int(interval.high)) for _ in range(20)]
    return sorted({v for v in values if interval.low <= v <= interval.high})


@pytest.mark.parametrize("make", [paper_domain, engine_domain, open_domain])
def test_compress(make):
    """ERRATA E4: right for every K and R; 1.07 M_a at most, and the engine's about half of that."""
    domain, generator = make(), random.Random(1)
    program, result, interval = compressing(domain, 29)
    radix = domain.split.base_a.product
    values = small_and_large(domain, interval, generator)
    pairs = [(value, other) for value in values for other in generator.sample(values, 3)]
    pairs += [(0, 1), (1, 0), (0, 0), (values[-1], values[-1]), (values[0], values[0])]
    signed = not domain.split.unsigned
    for pair in pairs:
        words = generator if signed else None
        found = evaluate(program, result, named("x", pair), words)
        assert domain.number(found) == domain.number(pair)
        low, high = (-0.6, 0.6) if signed else (0, 1.07)
        assert all(low * radix <= value < high * radix + 200 for value in found)


@pytest.mark.parametrize("make", [paper_domain, engine_domain])
def test_compress_of_what_is_too_large_is_refused(make):
    """(m_gamma - 1) M_a, less the one P of the repair; half of m_gamma with signs."""
    domain = make()
    fits, exceeds = (63, 64) if domain.split.unsigned else (31, 32)
    compressing(domain, fits)
    with pytest.raises(
        ProgramError, match=r"the quotient of Compress .* residue of m_gamma = 2\^6"
    ):
        compressing(domain, exceeds)


def test_compress_as_published_is_refused():
    """A quotient that may be -1, in residues that cannot be negative and without the repair."""
    base_a = find_prime(96, 16, seed=3).base
    domain = single_base(base_a, nearest_base(16, 3, base_a, odd=True), 6, Canonical())
    with pytest.raises(ProgramError, match="has to be a residue of m_gamma"):
        compressing(domain, 29, Canonical())


def test_compress_needs_the_extra_modulus():
    domain = paper_domain()
    plain = single_base(*[Base(b.wide) for b in (domain.split.base_a, domain.split.base_b)], 6)
    bare = type(plain)(
        2,
        2,
        type(plain.split)(
            plain.split.base_a, Base(plain.split.base_b.wide), plain.split.first, plain.split.second
        ),
    )
    program = Program("bare")
    x = operand(program, bare, "x", [Interval.of(0, 1)] * 2)
    with pytest.raises(SpecificationError, match="needs an extra modulus"):
        compress(program, bare, x)


def test_even_moduli_are_refused():
    base_a = find_prime(96, 16, seed=3).base
    with pytest.raises(SpecificationError, match=r"2\^16 is even"):
        single_base(base_a, nearest_base(16, 3, base_a), 6)


@pytest.mark.parametrize(
    ("times", "r", "k", "refused", "accepted"), [(1, 6, 5, 2, 3), (3, 38, 29, 5, 6)]
)
def test_bounds(times, r, k, refused, accepted):
    """5/6 and 29/38 (section 4.4), 4/5 and 28/37 measured; M_b > 6 M_a and > 54 M_a (ERRATA E7).

    M_b is 2^g M_a but for a little, which the start value of the Cox makes up for.
    """
    radix = paper_domain().split.base_a.product
    ranges = [Interval.of(0, times * radix - 1)] * 2
    _, result = product_program(paper_domain(extra=accepted), Canonical(), ranges)
    r_z, k_z = (each.b.range.high / radix for each in result)
    assert r - 1 <= r_z < r - 1 + Fraction(1, 5) < r
    assert k - 1 <= k_z < k - 1 + Fraction(1, 5) < k
    with pytest.raises(ProgramError, match="too narrow"):
        product_program(paper_domain(extra=refused), Canonical(), ranges)


def test_product_by_one():
    """Section 4.4: |X * 1|_P is less than 3 M_a; less than (1 + err) M_a, in fact."""
    domain = paper_domain()
    radix = domain.split.base_a.product
    program = Program("one", Canonical())
    x = operand(program, domain, "x", [Interval.of(0, 7 * radix)] * 2)
    result = normalise(program, domain, x)
    for each in result:
        assert each.b.range.high < radix * Fraction(5, 4)
        program.output(each.a, each.b)
    for pair in ((0, 1), (0, 0), (7 * radix, 7 * radix), (radix, radix - 1), (5, 3 * radix)):
        assert domain.number(evaluate(program, result, named("x", pair))) == domain.number(pair)


@pytest.mark.parametrize("n", [8, 12, 16])
def test_counts(n):
    """ERRATA E5: SBMM n^2 + 6 n EMM, and for m_gamma n narrow products into base a and about n + 7
    modulo it; Compress 2 n EMM (n of them with the narrow quotient) and n + 2 modulo m_gamma."""
    base_a = nearest_base(24, n // 2, odd=True)
    base_b = nearest_base(24, n // 2, base_a, odd=True)
    domain = single_base(base_a, base_b, 8, Canonical(), **PAPER | {"multiplication": "karatsuba"})
    signed = single_base(base_a, base_b, 8, Redundant(1), multiplication="karatsuba")
    radix = base_a.product
    ranges = [Interval.of(0, radix - 1)] * 2
    program, _ = product_program(domain, Canonical(), ranges)
    found = count(program)
    assert found.emm == n**2 + 6 * n
    assert found.narrow == n
    assert found.gmm == n + 7
    program = Program("compress", Redundant(1))
    compress(program, signed, operand(program, signed, "x", ranges))
    found = count(program)
    assert found.emm + found.narrow == 2 * n
    assert found.narrow == n
    # And one product of m_gamma's own residue in each of both.
    assert found.gmm == n + 2 + 2


def chain(domain, representation, length, generator):
    """Products compressed, the words fed back; each third operand is at its bounds."""
    ranges = largest_operands(domain, representation, compressed=True)
    draft = chained_program(domain, representation, ranges, compressed=True)
    if isinstance(representation, Redundant):
        representation = analyse(draft).representation
    program = chained_program(domain, representation, ranges, compressed=True)
    result = [Element(a, b) for a, b in outputs(program)]
    value = [int(r.high) for r in ranges]
    words = words_of(program, named("x", value) | named("y", value))
    for turn in range(length):
        factor = [
            generator.choice((int(r.low), int(r.high)))
            if turn % 3
            else generator.randint(int(r.low), int(r.high))
            for r in ranges
        ]
        fresh = words_of(program, named("x", value) | named("y", factor))
        words |= {name: fresh[name] for name in fresh if name.startswith("y")}
        found = run(program, words)
        expected = domain.number(value) * domain.number(factor) % domain.modulus
        value = [read(each, found) for each in result]
        assert domain.number(value) == expected
        for i, each in enumerate(result):
            words[f"x{i}_a"], words[f"x{i}_b"] = found[each.a.name], found[each.b.name]
    return ranges


@pytest.mark.parametrize("make", [paper_domain, engine_domain, open_domain])
def test_chain_of_products(make):
    domain = make()
    ranges = chain(
        domain, Canonical() if domain.split.unsigned else Redundant(1), 300, random.Random(5)
    )
    radix = domain.split.base_a.product
    assert ranges[0].high >= 2 * radix


def test_compressed_ranges():
    domain = engine_domain()
    least = compressed_ranges(domain, Redundant(1))
    _, result, _ = compressing(domain, 20)
    for each, interval in zip(result, least, strict=True):
        assert each.b.range.within(interval)


@pytest.mark.parametrize("make", [paper_domain, engine_domain])
@pytest.mark.parametrize("signs", [(1, 1), (1, -1), (-1,)])
def test_sums_of_products(make, signs):
    """ERRATA E11: differences, with a multiple of P in an unsigned domain; then Compress."""
    domain = make(extra=8)
    representation = representation_of(domain)
    radix = domain.split.base_a.product
    ranges = [Interval.of(0, radix - 1)] * 2
    program = Program("sum", representation)
    pairs = [
        (operand(program, domain, f"x{k}_", ranges), operand(program, domain, f"y{k}_", ranges), s)
        for k, s in enumerate(signs)
    ]
    result = compress(program, domain, sum_of_products(program, domain, pairs))
    for each in result:
        program.output(each.a, each.b)
    generator = random.Random(8)
    values = [[0, 0], [1, 0], [radix - 1, radix - 1], [0, radix - 1], [radix - 1, 0]]
    values += [[generator.randrange(radix) for _ in range(2)] for _ in range(6)]
    for _ in range(60):
        inputs, total = {}, 0
        for k, sign in enumerate(signs):
            x, y = generator.choice(values), generator.choice(values)
            inputs |= named(f"x{k}_", x) | named(f"y{k}_", y)
            total += sign * domain.number(x) * domain.number(y)
        assert domain.number(evaluate(program, result, inputs)) == total % domain.modulus


@pytest.mark.parametrize("make", [paper_domain, engine_domain, open_domain])
def test_decomposition(make):
    """X in residues to (K, R) and back (sections 4.1 and 4.2)."""
    domain = make()
    signed = not domain.split.unsigned
    radix, limit = domain.split.base_a.product, domain.modulus // (2 if signed else 1)
    interval = Interval.of(-limit if signed else radix, limit)
    program = Program("there and back", representation_of(domain))
    value = Element(
        program.input("x_a", domain.split.base_a, domain.split.factor_a, interval),
        program.input("x_b", domain.split.base_b, domain.split.factor_b, interval),
    )
    pair = decompose(program, domain, value)
    back = recompose(program, domain, pair)
    program.output(*(part for each in pair for part in (each.a, each.b)), back.b)
    generator = random.Random(9)
    for number in (
        *ends(interval),
        radix,
        radix + 1,
        *(generator.randrange(radix, limit) for _ in range(40)),
    ):
        found = run(program, words_of(program, {"x": number}))
        pair_values = [read(each, found) for each in pair]
        assert pair_values[1] * radix + pair_values[0] == number
        assert read(back, found) == number


def test_operands_reach_what_base_b_allows():
    """3 B^2 M_a < M_b / 2, less the Cox's error, for signed K and R below B M_a."""
    for extra in (4, 6, 8, 12):
        domain = engine_domain(extra)
        ranges = largest_operands(domain, Redundant(1), compressed=False)
        bound = ranges[0].high / domain.split.base_a.product
        ratio = domain.split.base_b.product / domain.split.base_a.product
        assert 3 * bound**2 < ratio / 2
        assert 3 * (bound + Fraction(1, 8)) ** 2 > ratio * 0.4


def test_sparse_half_bases():
    """M_a^2 - 2 is a prime of 2 n w bits, all moduli odd, coprime and of few signed digits."""
    for width, channels in ((16, 6), (17, 3), (32, 4)):
        base_a, base_b = sparse_half_bases(
            width, channels, weight=3, rowers=channels, quadratic=True
        )
        prime = base_a.product**2 - 2
        assert prime.bit_length() == 2 * width * channels
        assert is_probable_prime(prime)
        assert base_a.coprime_to(base_b)
        assert all(m.value % 2 and m.weight <= 3 for base in (base_a, base_b) for m in base)


def test_many_moduli_are_found_in_the_short_form(monkeypatch):
    """Of 32 moduli no prime allows the quadratic form; the search for one has an end."""
    monkeypatch.setattr("residua.numbers.half_bases._TRIALS", 1 << 32)
    with pytest.raises(SpecificationError, match="in the quadratic form; give another width"):
        sparse_half_bases(33, 32, weight=3, rowers=32, quadratic=True)
    core = core_of(check_any({"algorithm": "sbmm", "channels": 64, "width": 33}))
    assert core.style == "sparse"
    assert core.weight <= 3


def test_too_few_sparse_moduli_are_refused():
    with pytest.raises(SpecificationError, match="moduli"):
        sparse_half_bases(9, 8, weight=1, rowers=8, quadratic=False)


def test_narrow_bases():
    wide = (Modulus(17, 1), Modulus(17, -1))
    base = Base((*wide, Modulus(6, 0)), narrow=True)
    assert base.width == 17
    assert base.wide == wide
    assert base.extra == Modulus(6, 0)
    assert Redundant(1).ranges(base)[-1] == (-32, 31)
    assert Base((*wide, Modulus(17, 0)), narrow=True).extra == Modulus(17, 0)
    assert Base((Modulus(6, 0),), narrow=True).wide == ()
    for extra in (Modulus(6, 1), Modulus(18, 0)):
        with pytest.raises(SpecificationError, match="extra modulus"):
            Base((*wide, extra), narrow=True)


def test_multiply_is_algorithm_4():
    """The product with (0, 1) is |X * 1|_P, and squares are squares, modulo 2^6 too."""
    domain = paper_domain()
    radix = domain.split.base_a.product
    program = Program("square", Canonical())
    x = operand(program, domain, "x", [Interval.of(0, radix - 1)] * 2)
    result = multiply(program, domain, x, x)
    for each in result:
        program.output(each.a, each.b)
    for pair in ((1, 0), (0, 1), (radix - 1, radix - 1), (12345, radix // 3)):
        found = evaluate(program, result, named("x", pair))
        assert domain.number(found) == domain.number(pair) ** 2 % domain.modulus


def test_without_a_quotient():
    """The Cox of the first extension goes, and R may be longer by one M_a a modulus and weight."""
    closed, opened = engine_domain(8), open_domain(8)
    ranges = compressed_ranges(closed, Redundant(1))
    programs = [product_program(d, Redundant(1), ranges)[0] for d in (closed, opened)]
    counts = [count(program) for program in programs]
    assert counts[0].emm == counts[1].emm
    assert counts[0].cox - counts[1].cox == 2 * len(closed.split.base_a)
    weights = sum(map(abs, closed.split.weights))
    longest = [max(value.range.high for value in program.outputs) for program in programs]
    assert longest[0] < longest[1] < longest[0] + 4 * weights * closed.split.base_a.product
