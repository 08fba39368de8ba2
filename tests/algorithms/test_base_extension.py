"""Base extensions against plain integers: what comes out, and where it is exact."""

import random
from collections.abc import Callable
from fractions import Fraction

import pytest

from algorithms.domains import P192, papers_bases
from residua.algorithms.base_extension import (
    bajard_imbert,
    kawamura,
    mixed_radix,
    mixed_radix_digits,
    shenoy_kumaresan,
)
from residua.algorithms.program import Program, ProgramError
from residua.algorithms.terms import Interval, Residues
from residua.errors import SpecificationError
from residua.machines.values import run
from residua.numbers.bases import Base
from residua.numbers.cox import Cox, canonical_ranges, deviation
from residua.numbers.moduli import Modulus
from residua.numbers.residues import Canonical, Redundant, Representation

PUBLISHED = papers_bases(P192, 17, 12)
SMALL = papers_bases(97, 8, 3)
TINY = Base((Modulus(5, 1), Modulus(5, 3))), Base((Modulus(5, 0), Modulus(5, -1)))

Extension = Callable[[Program, Residues], Residues]


def program_of(extend: Extension, base: Base, range: Interval, representation: Representation):
    program = Program("extension", representation)
    program.output(extend(program, program.input("x", base, [1] * len(base), range)))
    return program


def extended(program: Program, base: Base, number: int) -> tuple[int, ...]:
    words = [program.representation.constant(m, number) for m in base]
    (result,) = run(program, {"x": words}).values()
    return tuple(word % m.value for word, m in zip(result, program.outputs[0].base, strict=True))


def cox_of(truncation: int, sigma0: Fraction | int | str) -> Cox:
    return Cox(truncation, Fraction(sigma0))


def edge_values(base: Base, cox: Cox, generator: random.Random) -> list[int]:
    """Values whose Cox sum sits at the truncation limit, and the usual ones."""
    dropped = (1 << max(base.width - cox.truncation, 0)) - 1
    values = [0, 1, 2, base.product - 1, base.product // 2, base.product // 2 + 1]
    for _ in range(40):
        # All the bits that the Cox drops are ones, or zeros.
        for low_bits in (dropped, 0):
            xi = [
                min(generator.randrange(m.value) | dropped, m.value - 1) - (dropped - low_bits)
                for m in base
            ]
            values.append(
                sum(x * c for x, c in zip(xi, base.cofactors, strict=True)) % base.product
            )
    values += [generator.randrange(base.product) for _ in range(200)]
    values += [generator.randrange(base.product // 8) for _ in range(200)]
    return values


def published_error(base: Base, truncation: int) -> Fraction:
    """err = sum(d_i + e_i) of the errata."""
    return sum(
        (
            Fraction((1 << (base.width - truncation)) - 1, m.value)
            + Fraction((1 << base.width) - m.value, 1 << base.width)
            for m in base
        ),
        Fraction(0),
    )


@pytest.mark.parametrize(("bases", "truncation"), [(PUBLISHED, 6), (SMALL, 5)])
def test_kawamura_from_zero_is_low_by_one_for_small_values_only(bases, truncation):
    source, target = bases
    cox = cox_of(truncation, 0)
    error = published_error(source, truncation)
    whole = Interval.of(0, source.product - 1)
    program = program_of(
        lambda p, x: kawamura(p, x, target, cox, exact=False), source, whole, Canonical()
    )
    wrong = 0
    for number in edge_values(source, cox, random.Random(1)):
        result = extended(program, source, number)
        if result != target.residues(number):
            assert result == target.residues(number + source.product)
            assert 0 < number < error * source.product
            wrong += 1
    assert wrong


def test_our_error_is_at_most_the_published_one():
    source, _ = PUBLISHED
    for truncation in range(4, 18):
        error = deviation(source, cox_of(truncation, 0), canonical_ranges(source))
        assert error.over == 0
        assert error.under <= published_error(source, truncation)


@pytest.mark.parametrize("sigma0", ["1/2", "3/8"])
@pytest.mark.parametrize("bases", [PUBLISHED, SMALL])
def test_kawamura_with_a_start_is_exact_below_and_high_by_one_above(bases, sigma0):
    source, target = bases
    cox = cox_of(6, sigma0)
    error = deviation(source, cox, canonical_ranges(source))
    low, high = (bound * source.product for bound in error.exact(cox.sigma0))
    assert low < 0
    whole = Interval.of(0, source.product - 1)
    program = program_of(
        lambda p, x: kawamura(p, x, target, cox, exact=False), source, whole, Canonical()
    )
    wrong = 0
    for number in edge_values(source, cox, random.Random(2)):
        result = extended(program, source, number)
        if number < high:
            assert result == target.residues(number)
        elif result != target.residues(number):
            assert result == target.residues(number - source.product)
            wrong += 1
    assert wrong


def test_negative_values_are_exact_down_to_the_bound():
    source, target = SMALL
    cox = cox_of(8, "1/2")
    low, high = deviation(source, cox, canonical_ranges(source)).exact(cox.sigma0)
    lowest, highest = int(low * source.product), int(high * source.product) - 1
    program = program_of(
        lambda p, x: kawamura(p, x, target, cox), source, Interval.of(lowest, highest), Canonical()
    )
    generator = random.Random(3)
    for number in [lowest, highest, -1, *(generator.randint(lowest, highest) for _ in range(300))]:
        assert extended(program, source, number) == target.residues(number)


def test_exact_interval_is_exact_exhaustively():
    """Every vector of residues of two 5-bit moduli: the interval is right and cannot be larger."""
    source, target = TINY
    for truncation, sigma0 in [(5, "1/2"), (4, "1/2"), (4, "3/8"), (3, "1/4"), (4, "0")]:
        cox = cox_of(truncation, sigma0)
        error = deviation(source, cox, canonical_ranges(source))
        low, high = error.exact(cox.sigma0)
        program = program_of(
            lambda p, x, cox=cox: kawamura(p, x, target, cox, exact=False),
            source,
            Interval.of(0, source.product - 1),
            Canonical(),
        )
        for number in range(source.product):
            result = extended(program, source, number)
            shares = [(number + k * source.product) for k in (-1, 0, 1)]
            found = [s for s in shares if result == target.residues(s)]
            assert len(found) == 1
            first, last = (bound * source.product for bound in error.result(cox.sigma0))
            assert first <= found[0] < last
            if low * source.product <= number < high * source.product:
                assert found == [number]


@pytest.mark.parametrize("sigma0", ["1/2", "13/16"])
def test_redundant_residues_extend_exactly_within_their_interval(sigma0):
    source, target = PUBLISHED
    cox = cox_of(8, sigma0)
    representation = Redundant(2)
    error = deviation(source, cox, representation.ranges(source))
    limits = [bound * source.product for bound in error.exact(cox.sigma0)]
    lowest, highest = int(limits[0]) + 1, int(limits[1]) - 1
    program = Program("extension", representation)
    interval = Interval.of(lowest, highest)
    xi = program.input("xi", source, source.cofactor_inverses, interval)
    program.output(program.reduce("y", program.extension(xi, target, cox, exact=True)))
    generator = random.Random(4)
    edges = [lowest, highest, 0, 1, -1]
    for number in [*edges, *(generator.randint(lowest, highest) for _ in range(200))]:
        for choose in (min, max, generator.choice):
            words = []
            for m, inverse in zip(source, source.cofactor_inverses, strict=True):
                residue = number * inverse % m.value
                words.append(
                    choose([v for v in (residue - m.value, residue) if -(2**17) <= v < 2**17])
                )
            result = run(program, {"xi": words})["y"]
            assert all(
                (word - number) % m.value == 0 for word, m in zip(result, target, strict=True)
            )


@pytest.mark.parametrize("representation", [Canonical(), Redundant(2)])
@pytest.mark.parametrize("bases", [PUBLISHED, SMALL])
def test_bajard_imbert_adds_few_multiples_of_the_source(bases, representation):
    source, target = bases
    whole = Interval.of(0, source.product - 1)
    if isinstance(representation, Redundant) and source.width == 8:
        representation = Redundant(3)
    program = program_of(lambda p, x: bajard_imbert(p, x, target), source, whole, representation)
    reach = program.outputs[0].range
    span = len(source) if isinstance(representation, Canonical) else 2 * len(source)
    seen = set()
    for number in edge_values(source, cox_of(6, 0), random.Random(5)):
        result = extended(program, source, number)
        multiples = [
            k
            for k in range(-span, span)
            if result == target.residues(number + k * source.product)
            and reach.low <= number + k * source.product <= reach.high
        ]
        assert len(multiples) == 1
        seen.add(multiples[0])
    if isinstance(representation, Canonical):
        assert seen <= set(range(len(source)))
    assert len(seen) > 1


def redundant_base(value: int) -> Base:
    return Base((Modulus.of_value(value, value.bit_length()),))


@pytest.mark.parametrize("value", [7, 61, 251])
def test_shenoy_kumaresan_is_exact_for_both_signs(value):
    redundant = redundant_base(value)
    source, target = SMALL
    generator = random.Random(6)
    program = shenoy_program(source, redundant, target)
    largest = source.product - 1
    numbers = [0, 1, -1, largest, -largest]
    numbers += [generator.randint(-largest, largest) for _ in range(300)]
    for number in numbers:
        inputs = {"x": source.residues(number), "x_r": redundant.residues(number)}
        assert run(program, inputs)["x'"] == target.residues(number)


def shenoy_program(
    source: Base, redundant: Base, target: Base, limit: int | None = None
) -> Program:
    program = Program("extension", Canonical())
    limit = source.product - 1 if limit is None else limit
    value = program.input("x", source, [1] * len(source), Interval.of(-limit, limit))
    extra = program.input("x_r", redundant, [1], Interval.of(-limit, limit))
    program.output(shenoy_kumaresan(program, value, extra, target))
    return program


def test_shenoy_kumaresan_exhaustively_with_the_smallest_redundant_modulus():
    source, target = TINY
    # 31 * 29 with n = 2 needs p_r >= 3, and 7 is coprime to all four moduli.
    redundant = redundant_base(7)
    program = shenoy_program(source, redundant, target)
    for number in range(-source.product + 1, source.product):
        inputs = {"x": source.residues(number), "x_r": redundant.residues(number)}
        assert run(program, inputs)["x'"] == target.residues(number)


def test_shenoy_kumaresan_refuses_what_it_cannot_do():
    source, target = SMALL
    with pytest.raises(SpecificationError, match=r"at least n \+ 1 = 4, not 3"):
        shenoy_program(source, redundant_base(3), target)
    with pytest.raises(SpecificationError, match=r"redundant modulus 13 shares a factor"):
        shenoy_program(source, redundant_base(13), target)
    with pytest.raises(
        ProgramError, match=r"base_extension\.py line \d+: x reaches .* cannot hold"
    ):
        shenoy_program(source, redundant_base(251), target, source.product)
    program = Program("extension", Redundant(2))
    value = program.input("x", source, [1] * 3, Interval.of(0, 9))
    extra = program.input("x_r", redundant_base(251), [1], Interval.of(0, 9))
    with pytest.raises(ProgramError, match=r"residues must be canonical"):
        shenoy_kumaresan(program, value, extra, target)


@pytest.mark.parametrize("bases", [PUBLISHED, SMALL, TINY])
def test_mixed_radix_is_exact(bases):
    source, target = bases
    whole = Interval.of(0, source.product - 1)
    program = program_of(lambda p, x: mixed_radix(p, x, target), source, whole, Canonical())
    for number in edge_values(source, cox_of(5, 0), random.Random(7)):
        assert extended(program, source, number) == target.residues(number)


def test_mixed_radix_digits_are_the_digits():
    source, _ = SMALL
    program = Program("digits", Canonical())
    whole = Interval.of(0, source.product - 1)
    digits = mixed_radix_digits(program, program.input("x", source, [1] * 3, whole))
    # Views of one channel are read from the vector that they are part of.
    program.output(*digits)
    for number in (0, 1, source.product - 1, 123456789 % source.product):
        outputs = run(program, {"x": source.residues(number)})
        value, weight = 0, 1
        for digit, m in zip(digits, source, strict=True):
            (word,) = outputs[digit.name]
            assert 0 <= word < m.value
            value, weight = value + word * weight, weight * m.value
        assert value == number


def test_mixed_radix_refuses_what_it_cannot_do():
    source, target = SMALL
    for outside in (Interval.of(-1, 9), Interval.of(0, source.product)):
        with pytest.raises(ProgramError, match="cannot hold"):
            program_of(lambda p, x: mixed_radix(p, x, target), source, outside, Canonical())
    with pytest.raises(ProgramError, match="canonical"):
        program_of(lambda p, x: mixed_radix(p, x, target), source, Interval.of(0, 9), Redundant(2))
