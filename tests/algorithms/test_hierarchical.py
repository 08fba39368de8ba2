"""Hierarchical base extensions against plain integers: what comes out, and where it is exact."""

import random
from fractions import Fraction
from itertools import product
from math import log2

import pytest

from algorithms.domains import P192, papers_bases
from residua.algorithms.base_extension import hierarchical, kawamura
from residua.algorithms.program import Program, ProgramError
from residua.algorithms.terms import Interval
from residua.errors import SpecificationError
from residua.machines.bounds import analyse
from residua.machines.counts import count
from residua.machines.values import run
from residua.numbers.bases import Base
from residua.numbers.cox import Cox, deviation
from residua.numbers.moduli import Modulus
from residua.numbers.residues import Canonical, Redundant, Representation
from residua.numbers.search import search_bases

# 13, 15, 16, 17 and 7, 11, 9, 19 are small enough to try every number.
TINY = Base(tuple(Modulus.of_value(value, 4) for value in (13, 15, 16, 17)))
TARGET = Base(tuple(Modulus.of_value(value, 5) for value in (29, 31, 33, 35)))
HALF = Fraction(1, 2)

# The errata's counterexample (E3): KBE is exact on this base, HBE with c = 4 is not.
ERRATA_BASE = Base(tuple(Modulus.of_value(value, 8) for value in (241, 243, 245, 247)))
ERRATA_TARGET = Base(tuple(Modulus.of_value(value, 8) for value in (251, 253, 255, 256)))
ERRATA_NUMBER = 47002583


def extension(
    base: Base,
    target: Base,
    cox: Cox | None,
    columns: int,
    limits: tuple[int, int],
    representation: Representation,
    exact: bool = True,
) -> Program:
    program = Program("extension", representation)
    value = program.input("x", base, [1] * len(base), Interval.of(*limits))
    program.output(hierarchical(program, value, target, cox, columns, exact=exact))
    return program


def extended(program: Program, number: int) -> tuple[int, ...]:
    base = program.inputs[0].base
    words = [program.representation.constant(m, number) for m in base]
    (result,) = run(program, {"x": words}).values()
    target = program.outputs[0].base
    return tuple(word % m.value for word, m in zip(result, target, strict=True))


def exact_limits(base: Base, cox: Cox, columns: int, representation: Representation):
    """The integers for which the extension is exact."""
    offset = representation.row_offset(base.width)
    error = deviation(base, cox, representation.ranges(base), columns=columns, offset=offset)
    low, high = (bound * base.product for bound in error.exact(cox.sigma0))
    return -int(-low // 1), int(-(-high // 1)) - 1


def settled(
    base: Base, target: Base, cox: Cox | None, columns: int, limits, exact: bool = True
) -> Program:
    """The program on the words that the engine keeps."""
    draft = extension(base, target, cox, columns, limits, Redundant(1), exact)
    return extension(base, target, cox, columns, limits, analyse(draft).representation, exact)


NUMBERS = range(0, TINY.product, 7)
"""All residues of all moduli are among them; `deviation` has the worst of them together."""


@pytest.fixture(scope="module")
def found():
    """What sigma0 = 1/2 makes of numbers of the tiny base, for each number of columns."""
    limits, made = (0, TINY.product - 1), {}
    for columns in (2, 4):
        program = extension(TINY, TARGET, Cox(4, HALF), columns, limits, Canonical(), False)
        made[columns] = {number: extended(program, number) for number in NUMBERS}
    return made


@pytest.mark.parametrize("columns", [2, 4])
@pytest.mark.parametrize("sigma0", [Fraction(0), Fraction(1, 2), Fraction(3, 4)])
def test_numbers_of_a_tiny_base(columns, sigma0):
    """Every one at the ends of the range in which the Cox does not err, and many between."""
    cox = Cox(4, sigma0)
    low, high = exact_limits(TINY, cox, columns, Canonical())
    low = max(low, 0)
    program = extension(TINY, TARGET, cox, columns, (low, high), Canonical())
    assert high > TINY.product / 8
    quotients = set()
    for number in (*range(low, low + 500), *range(low, high, 29), *range(high - 500, high + 1)):
        assert extended(program, number) == TARGET.residues(number)
        quotients.add(quotient(TINY, number))
    # The paper's h: every value that numbers in this range have.
    assert quotients >= {0, 1, 2}


def quotient(base: Base, number: int) -> int:
    """h of HBE eq. (2)."""
    pairs = zip(base.cofactor_inverses, base.cofactors, base, strict=True)
    total = sum(number * inverse % m.value * cofactor for inverse, cofactor, m in pairs)
    return total // base.product


@pytest.mark.parametrize("columns", [2, 4])
def test_every_quotient(found, columns):
    """Each h from 0 to the largest, n - 1, where sigma0 = 1/2 finds it."""
    right = {
        quotient(TINY, number)
        for number, made in found[columns].items()
        if made == TARGET.residues(number)
    }
    assert right == {0, 1, 2, 3}


@pytest.mark.parametrize("columns", [2, 4])
def test_beyond_the_limits_it_errs_by_one_m(found, columns):
    low, high = exact_limits(TINY, Cox(4, HALF), columns, Canonical())
    wrong = 0
    for number, made in found[columns].items():
        others = [TARGET.residues(number + k * TINY.product) for k in (0, 1, -1)]
        assert made == others[0] if low <= number <= high else made in others
        wrong += made != others[0]
    assert wrong


@pytest.mark.parametrize("columns", [2, 3, 4, 6])
@pytest.mark.parametrize("sigma0", [Fraction(0), HALF])
def test_published_size(columns, sigma0):
    base, target = papers_bases(P192, 17, 12)
    cox = Cox(9, sigma0)
    low, high = exact_limits(base, cox, columns, Canonical())
    low = max(low, 0)
    program = extension(base, target, cox, columns, (low, high), Canonical())
    generator = random.Random(columns)
    numbers = [low, low + 1, high, high - 1, (low + high) // 2]
    numbers += [generator.randint(low, high) for _ in range(200)]
    numbers += [generator.randint(high - (high >> 20), high) for _ in range(50)]
    for number in numbers:
        assert extended(program, number) == target.residues(number)


@pytest.mark.parametrize("columns", [2, 3, 4])
@pytest.mark.parametrize("width", [17, 20, 28])
def test_words_of_the_engine(columns, width):
    """Signed residues and values; super-residues of either sign, moduli on both sides of 2^w."""
    pair = search_bases(P192, width, 12, columns=columns)
    cox = Cox(pair.cox.truncation + 2, HALF)
    low, high = exact_limits(pair.base_b, cox, columns, Redundant(1))
    assert low < 0 < high
    program = settled(pair.base_b, pair.base_a, cox, columns, (low, high))
    generator = random.Random(width)
    numbers = [low, low + 1, -1, 0, 1, high - 1, high]
    numbers += [generator.randint(low, high) for _ in range(100)]
    for number in numbers:
        assert extended(program, number) == pair.base_a.residues(number)


@pytest.mark.parametrize("columns", [2, 4])
def test_without_a_quotient(columns):
    """X + k M with 0 <= k < n, for canonical residues."""
    seen = set()
    limits = (0, TINY.product - 1)
    program = extension(TINY, TARGET, None, columns, limits, Canonical())
    for number in range(0, TINY.product, 7):
        candidates = [TARGET.residues(number + k * TINY.product) for k in range(len(TINY))]
        seen.add(candidates.index(extended(program, number)))
    assert seen == {0, 1, 2, 3}


def test_counterexample_of_the_errata():
    cox, limits = Cox(4, HALF), (0, ERRATA_BASE.product // 2)
    with pytest.raises(ProgramError, match=r"sigma0 = 1/2 is below the Cox's error 0\.759"):
        extension(ERRATA_BASE, ERRATA_TARGET, cox, 4, limits, Canonical())
    forced = extension(ERRATA_BASE, ERRATA_TARGET, cox, 4, limits, Canonical(), False)
    assert extended(forced, ERRATA_NUMBER) != ERRATA_TARGET.residues(ERRATA_NUMBER)
    # KBE is exact there, and so is HBE with two columns.
    half = extension(ERRATA_BASE, ERRATA_TARGET, cox, 2, limits, Canonical())
    program = Program("kbe", Canonical())
    value = program.input("x", ERRATA_BASE, [1] * 4, Interval.of(*limits))
    program.output(kawamura(program, value, ERRATA_TARGET, cox))
    for exact in (half, program):
        assert extended(exact, ERRATA_NUMBER) == ERRATA_TARGET.residues(ERRATA_NUMBER)


@pytest.mark.parametrize("columns", [2, 3, 4])
def test_error_is_that_of_the_worst_residues(columns):
    """The Cox's sum is off by as much as `deviation` says, for some residues, and by no more."""
    moduli = TINY.moduli if columns != 3 else (*TINY.moduli[:2], Modulus.of_value(17, 4))
    base = Base(moduli)
    cox = Cox(4, Fraction(0))
    error = deviation(base, cox, [(0, m.value - 1) for m in base], columns=columns)
    ends: dict[int, list[int]] = {}
    for index, row in enumerate(base.row_products(columns)):
        own = base.moduli[index * columns : (index + 1) * columns]
        # The error of a row, in units of 1 / (16 M); that of a sum is the sum of its rows'.
        errors = []
        for xi in product(*(range(m.value) for m in own)):
            super_residue = sum(x * row // m.value for x, m in zip(xi, own, strict=True))
            total = cox.leading(super_residue, columns * base.width) * base.product
            true = sum(16 * x * base.product // m.value for x, m in zip(xi, own, strict=True))
            errors.append(total - true)
        ends[index] = [min(errors), max(errors)]
    least, most = (
        Fraction(sum(each[end] for each in ends.values()), 16 * base.product) for end in (0, 1)
    )
    assert -error.under <= least
    assert most <= error.over
    # The ends of all ranges at once are not always possible; nearly.
    assert -least > error.under * Fraction(3, 4)


@pytest.mark.parametrize("columns", [2, 3, 4])
def test_counts(columns):
    """HBE section IV-C: r^2 c (CMM + CMR) + r c (CMM + CMUL + CADD)."""
    base, target = papers_bases(P192, 17, 12)
    rows, channels = 12 // columns, 12
    program = extension(base, target, Cox(9, HALF), columns, (0, 1), Canonical(), False)
    found = count(program)
    assert found.emm == rows * channels + channels
    assert found.cmr == rows * channels
    assert (found.cmul, found.cadd) == (channels, channels)
    assert found.cox == rows


def test_refusals():
    base, target = papers_bases(P192, 17, 12)
    with pytest.raises(SpecificationError, match="12 moduli do not make rows of c = 5"):
        extension(base, target, Cox(9, HALF), 5, (0, 1), Canonical(), False)
    limits = (0, base.product - 1)
    with pytest.raises(ProgramError, match=r"the base of 12 moduli of 17 bits is \d bits? too"):
        extension(base, target, Cox(9, Fraction(1, 4)), 2, limits, Canonical())
    assert log2(base.product) < 204
