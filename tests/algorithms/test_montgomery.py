"""RNS Montgomery reduction, products and sums of products against plain integers."""

import random
from dataclasses import replace
from fractions import Fraction
from itertools import product

import pytest

from algorithms.domains import (
    P17,
    P64,
    P192,
    SIZES,
    check_result,
    operands,
    papers_bases,
    papers_domain,
    product_program,
    reduction_program,
    signed_domain,
    words_of,
)
from residua.algorithms.montgomery import MontgomeryDomain
from residua.algorithms.program import ProgramError
from residua.algorithms.terms import Correction
from residua.errors import SpecificationError
from residua.machines.bounds import analyse
from residua.machines.values import run
from residua.numbers.bases import Base
from residua.numbers.cox import Cox
from residua.numbers.moduli import Modulus
from residua.numbers.residues import Canonical, Redundant
from residua.numbers.roots import weighted_root

FORMS = ["plain", "reordered", "quadratic"]
PAPERS_SIZES = [(P17, 8, 3), (P64, 17, 5), (P192, 17, 12), (P192, 22, 9)]


def name(number: int) -> str:
    """Moduli by their size in names of tests."""
    return str(number) if number < 100 else f"{number.bit_length()}bit"


def redundant_program(make, domain, *arguments):
    """A program whose words are what the engine's reducers leave, with the fewest folds."""
    folds = analyse(make(domain, Redundant(1), *arguments)).folds
    return make(domain, Redundant(folds), *arguments)


def check_products(program, domain, generator, count):
    edges = list(operands(domain, generator, 0))
    pairs = list(product(edges[:6], edges)) + list(product(edges, edges[:2]))
    values = list(operands(domain, generator, count))
    pairs += list(zip(values, reversed(values), strict=True))
    for x, y in pairs[-count - 60 :]:
        words = words_of(program, {"x0": x, "y0": y}, generator)
        check_result(program, domain, words, x * y)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(("modulus", "width", "channels"), SIZES, ids=name)
def test_redundant_products(modulus, width, channels, form):
    domain = signed_domain(modulus, width, channels, form)
    program = redundant_program(product_program, domain)
    check_products(program, domain, random.Random(1), 20 if channels > 16 else 100)


@pytest.mark.parametrize("form", FORMS[:2])
@pytest.mark.parametrize(("modulus", "width", "channels"), PAPERS_SIZES, ids=name)
def test_canonical_products_of_unsigned_values(modulus, width, channels, form):
    domain = papers_domain(modulus, width, channels, form, min(width, 8))
    check_products(product_program(domain, Canonical()), domain, random.Random(2), 100)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(("modulus", "width", "channels"), SIZES[:5], ids=name)
def test_canonical_products_of_signed_values(modulus, width, channels, form):
    domain = signed_domain(modulus, width, channels, form)
    check_products(product_program(domain, Canonical()), domain, random.Random(3), 40)


def test_result_is_below_the_errata_bound():
    """S < XY / M_a + (1 + err) P, so below 2P with a few spare bits."""
    domain = papers_domain(P192, 17, 12)
    program = product_program(domain, Canonical())
    generator = random.Random(4)
    largest = 0
    for x, y in zip(
        operands(domain, generator, 200), operands(domain, generator, 200), strict=True
    ):
        words = words_of(program, {"x0": x, "y0": y})
        largest = max(largest, check_result(program, domain, words, x * y))
    assert domain.bound < 2 * domain.modulus
    assert largest < 2 * domain.modulus


def limit_reductions(domain: MontgomeryDomain, generator: random.Random, count: int):
    """Values U whose quotient Q sits where the Cox of the first extension is worst."""
    base, limit = domain.base_a, int(domain.bound) ** 2
    dropped = (1 << max(base.width - domain.first.truncation, 0)) - 1
    for turn in range(count):
        # xi of Q: all the bits that the Cox drops set, or none of them, or the ends of the range.
        xi = []
        for m in base:
            kinds = (0, m.value - 1, dropped, generator.randrange(m.value) | dropped)
            xi.append(min(kinds[turn % 4] if turn < 8 else generator.choice(kinds), m.value - 1))
        q = sum(x * c for x, c in zip(xi, base.cofactors, strict=True)) % base.product
        u = -q * domain.modulus % base.product
        lowest = 0 if domain.unsigned else -limit
        turns = generator.randint((lowest - u) // base.product + 1, (limit - u) // base.product)
        for value in (u + turns * base.product, limit - (limit - u) % base.product):
            if lowest <= value <= limit:
                yield value


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(("modulus", "width", "channels"), SIZES[:5], ids=name)
def test_reduction_at_the_truncation_limit(modulus, width, channels, form):
    domain = signed_domain(modulus, width, channels, form)
    program = redundant_program(reduction_program, domain)
    generator = random.Random(5)
    for u in [0, 1, -1, domain.bound**2, -(domain.bound**2)]:
        check_result(program, domain, words_of(program, {"u": u}, generator), u)
    for u in limit_reductions(domain, generator, 60):
        check_result(program, domain, words_of(program, {"u": u}, generator), u)


@pytest.mark.parametrize("form", FORMS[:2])
@pytest.mark.parametrize(("modulus", "width", "channels"), PAPERS_SIZES, ids=name)
def test_unsigned_reduction_at_the_truncation_limit(modulus, width, channels, form):
    domain = papers_domain(modulus, width, channels, form, min(width, 8))
    program = reduction_program(domain, Canonical())
    for u in [0, 1, domain.bound**2, *limit_reductions(domain, random.Random(6), 100)]:
        check_result(program, domain, words_of(program, {"u": u}), u)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("signs", [(1, 1), (1, -1), (-1, -1), (-1,), (1, -1, 1, 1)])
@pytest.mark.parametrize(("modulus", "width", "channels"), [(P64, 17, 5), (P192, 17, 12)], ids=name)
def test_sums_of_products(modulus, width, channels, signs, form):
    domain = signed_domain(modulus, width, channels, form, len(signs))
    program = redundant_program(product_program, domain, signs)
    generator = random.Random(7)
    values = list(operands(domain, generator, 10))
    # All operands at the edge that makes the sum largest, then random ones.
    extremes = [[domain.bound] * len(signs), [s * domain.bound for s in signs]]
    extremes += [generator.choices(values, k=len(signs)) for _ in range(30)]
    for left in extremes:
        for right in ([domain.bound] * len(signs), generator.choices(values, k=len(signs))):
            named = {f"x{k}": x for k, x in enumerate(left)}
            named |= {f"y{k}": y for k, y in enumerate(right)}
            u = sum(s * x * y for s, x, y in zip(signs, left, right, strict=True))
            check_result(program, domain, words_of(program, named, generator), u)


def test_chain_of_products_stays_within_the_bound():
    """x^(2^40) R^-... by 40 squarings of an extreme operand, each result fed back as it is."""
    domain = signed_domain(P192, 17, 12)
    program = redundant_program(product_program, domain)
    part_a, part_b = program.outputs
    words = words_of(program, {"x0": -domain.bound, "y0": -domain.bound}, random.Random(8))
    value = -domain.bound
    for _ in range(40):
        result = check_result(program, domain, words, value * value)
        value = result
        outputs = run(program, words)
        a, b = outputs[part_a.name], outputs[part_b.name]
        words = {"x0_a": a, "y0_a": a, "x0_b": b, "y0_b": b}


def with_starts(first: str, second: str) -> MontgomeryDomain:
    domain = papers_domain(P192, 17, 12)
    return replace(domain, first=Cox(8, Fraction(first)), second=Cox(8, Fraction(second)))


@pytest.mark.parametrize("form", FORMS[:2])
@pytest.mark.parametrize(
    ("first", "second", "text"),
    [
        ("0", "0", r"sigma0 = 0 is below the Cox's error 0\.05\d*, so that values near zero come"),
        (
            "1/2",
            "1/2",
            r"reaches \[-2\^191\.00, .* an unsigned domain needs sigma0 = 0 in the first",
        ),
        ("1/2", "0", r"an unsigned domain needs sigma0 = 0 in the first extension"),
    ],
)
def test_start_values_that_the_errata_show_wrong_are_refused(first, second, text, form):
    domain = replace(with_starts(first, second), form=form)
    with pytest.raises(
        ProgramError, match=r"product, montgomery\.py line \d+: .*s_b\)? reaches"
    ) as caught:
        product_program(domain, Canonical())
    caught.match(text)


def test_refused_start_values_do_give_wrong_results():
    """What the refusals prevent: the Cox from 0 in the second extension misses small results."""
    domain = with_starts("0", "1/2")
    program = product_program(domain, Canonical())
    for step in program.steps:
        for term in step.terms:
            if isinstance(term, Correction):
                object.__setattr__(term.quotient, "cox", Cox(8, Fraction(0)))
    wrong = 0
    generator = random.Random(9)
    for _ in range(300):
        x, y = generator.randrange(P192), generator.randrange(P192)
        try:
            check_result(program, domain, words_of(program, {"x0": x, "y0": y}), x * y)
        except AssertionError:
            wrong += 1
    assert wrong > 150


def test_too_narrow_base_b_is_refused_with_the_shortage():
    domain = papers_domain(P192, 17, 12)
    narrow = replace(domain, base_b=Base(domain.base_b.moduli[:11]))
    with pytest.raises(
        ProgramError,
        match=r"line \d+: s_b reaches \[0, 2\^19\d\.\d\d\], but its base extension is exact "
        r"only within "
        r"\[-2\^18\d\.\d\d, 2\^18\d\.\d\d\]; the base of 11 moduli of 17 bits is 7 bits too narrow",
    ):
        product_program(narrow, Canonical())


def test_too_narrow_base_a_is_refused_with_the_shortage():
    domain = papers_domain(P192, 17, 12)
    narrow = replace(domain, base_a=Base(domain.base_a.moduli[:11]))
    with pytest.raises(
        ProgramError, match=r"line \d+: s_b reaches .* base a is too narrow for oper"
    ):
        product_program(narrow, Canonical())


def test_hierarchical_base_size_rule_of_the_errata_is_refused():
    """E3a: 384 bits, w = 24, n = 16 cannot even hold P."""
    modulus = 2**384 - 2**128 - 2**96 + 2**32 - 1
    base_a, base_b = papers_bases(modulus, 24, 16)
    first, second = Cox(8, Fraction(0)), Cox(8, Fraction(1, 2))
    domain = MontgomeryDomain(
        modulus, base_a, base_b, first, second, 2 * modulus, "reordered", unsigned=True
    )
    with pytest.raises(ProgramError, match=r"s_b reaches"):
        product_program(domain, Canonical())


def test_subtraction_of_unsigned_values_needs_a_multiple_of_p():
    """E11: AB - CD is negative for some operands; signed domains allow it, unsigned ones do not."""
    with pytest.raises(ProgramError, match="a multiple of P added to a sum with subtractions"):
        product_program(papers_domain(P192, 17, 12), Canonical(), (1, -1))


def test_too_coarse_cox_is_refused():
    domain = papers_domain(P192, 17, 12)
    coarse = replace(domain, second=Cox(3, Fraction(1, 2)))
    with pytest.raises(
        ProgramError, match=r"sigma0 = 1/2 is below the Cox's error|more than t = 3"
    ):
        product_program(coarse, Canonical())


def test_quadratic_form_refuses_a_base_without_small_weights():
    # Modulo 2^17 every unit has its own class of squares modulo 8, so odd weights are needed.
    base_a, base_b = papers_bases(P192, 17, 12)
    found = 0
    for turn in range(6):
        rotated = Base((*base_a.moduli[turn:], *base_b.moduli[:turn]))
        other = Base((*base_a.moduli[:turn], *base_b.moduli[turn:]))
        domain = MontgomeryDomain(
            P192, rotated, other, Cox(8, Fraction(1, 2)), Cox(8, Fraction(1, 2)), P192, "quadratic"
        )
        exists = [
            weighted_root(-inverse * pow(P192, -1, m.value) % m.value, m.value) is not None
            for m, inverse in zip(rotated, rotated.cofactor_inverses, strict=True)
        ]
        if not all(exists):
            with pytest.raises(SpecificationError, match="use the reordered form"):
                _ = domain.weights
            found += 1
            continue
        for m, weight, root, inverse in zip(
            rotated, domain.weights, domain.factor_a, rotated.cofactor_inverses, strict=True
        ):
            assert (root * root * weight * P192 + inverse) % m.value == 0
    assert found


def test_smallest_modulus_of_an_engine():
    domain = signed_domain(P17, 8, 3, "quadratic")
    assert domain.base_a.moduli[0].width == 8
    assert Modulus(8, 0) in (*domain.base_a, *domain.base_b)
