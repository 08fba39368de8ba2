"""Products modulo P = d M_a^2 - c against plain integers, their ranges and their counts."""

import random
from dataclasses import replace
from functools import cache

import pytest

from algorithms.positions import ends, evaluate
from residua.algorithms.montgomery import Element
from residua.algorithms.multiplied_single_base import (
    MultipliedDomain,
    closed_ranges,
    design,
    product_program,
)
from residua.algorithms.program import ProgramError
from residua.errors import SpecificationError
from residua.explore.prime_search import request
from residua.hardware.engine.datapath_design import EngineOptions
from residua.hardware.engine.engine_design import EngineDesign
from residua.machines.bounds import analyse
from residua.machines.counts import count
from residua.numbers.primes.position_primes import nearest_base
from residua.numbers.primes.square_primes import SquareForm
from residua.numbers.residues import Redundant

FORMS = [(2, 1), (3, 2), (2, 3), (6, 1), (7, 2), (3, -2), (1, 2)]
"""Pairs d and c."""


@cache
def domain_of(d, c, channels=3, width=13):
    return design(SquareForm(d, c), nearest_base(width, channels, odd=True))


@cache
def made(d, c):
    domain = domain_of(d, c)
    ranges = closed_ranges(domain, Redundant(2))
    return domain, ranges, product_program(domain, Redundant(2), ranges)


def result(program, values, generator=None):
    """R and K of the product."""
    parts = program.outputs
    pairs = Element(parts[0], parts[1]), Element(parts[2], parts[3])
    return evaluate(program, pairs, values, generator)


@pytest.mark.parametrize(("d", "c"), FORMS)
def test_products_are_those_of_integers(d, c):
    domain, ranges, program = made(d, c)
    generator, p = random.Random(1), domain.modulus
    numbers = [0, 1, 2, d, p - 1, p - d, p // 2, *(generator.randrange(p) for _ in range(6))]
    for x in numbers:
        assert domain.number(*domain.digits(x)) == x
        for y in generator.sample(numbers, 4):
            operands = zip("xxyy", "0101", (*domain.digits(x), *domain.digits(y)), strict=True)
            values = {f"{name}{i}": value for name, i, value in operands}
            found = result(program, values, generator)
            assert domain.number(*found) == x * y % p
            assert all(one.low <= v <= one.high for one, v in zip(ranges, found, strict=True))


@pytest.mark.parametrize(("d", "c"), [(2, 1), (7, 2)])
def test_edges_of_the_ranges_are_operands(d, c):
    domain, ranges, program = made(d, c)
    generator = random.Random(2)
    for _ in range(40):
        values = {f"{n}{i}": generator.choice(ends(ranges[i])) for n in "xy" for i in (0, 1)}
        x, y = (domain.number(values[f"{name}0"], values[f"{name}1"]) for name in "xy")
        assert domain.number(*result(program, values)) == x * y % domain.modulus
    analyse(program, 3)


def test_primes_of_the_search_have_products():
    search = request(bits=97, width=16, multiplier=2, offset=1)
    prime = search.prime(search.unit(0)[0])
    domain = design(SquareForm(2, 1), prime.base)
    assert domain.modulus == prime.value
    program = product_program(domain, Redundant(1), closed_ranges(domain, Redundant(1)))
    n = 2 * len(prime.base)
    assert count(program).emm == 2 * n * n + 14 * n


@pytest.mark.parametrize("channels", [3, 4, 6])
def test_counts(channels):
    """Four Splits, four products, seven multiples by c or d: n = 2 ``channels``."""
    domain, n = domain_of(3, 2, channels), 2 * channels
    program = product_program(domain, Redundant(1), closed_ranges(domain, Redundant(1)))
    assert count(program).emm == 2 * n * n + 17 * n


def test_an_engine_runs_them():
    domain = domain_of(2, 1, channels=4, width=16)
    program = product_program(domain, Redundant(1), closed_ranges(domain, Redundant(1)))
    engine = EngineDesign(program, EngineOptions(rowers=4, reduction="multiply"))
    assert engine.schedule.interval > 0


def test_refusals():
    domain = domain_of(2, 1)
    unsigned = replace(domain.split, unsigned=True)
    with pytest.raises(SpecificationError, match="leave out unsigned"):
        MultipliedDomain(domain.form, unsigned)
    with pytest.raises(SpecificationError, match="c \\+ d has to be odd"):
        SquareForm(3, 1)
    narrow = nearest_base(11, 3, domain.split.base_a, odd=True)
    small = MultipliedDomain(domain.form, replace(domain.split, base_b=narrow))
    with pytest.raises(ProgramError, match="too narrow"):
        closed_ranges(small, Redundant(2))
