"""Converters on their own against plain integers."""

import random
from fractions import Fraction
from itertools import pairwise

import pytest
from tests.algorithms.domains import P17, P64, P192, extreme_words, signed_domain
from tests.hardware.streams import pass_through
from tests.hardware.traffic import receiver, sender, simulate, ticks

from residua.algorithms.conversion import split_words
from residua.errors import SpecificationError
from residua.hardware.converters.binary_to_residue import binary_to_residue
from residua.hardware.converters.conversion import Conversion
from residua.hardware.converters.residue_to_binary import ResidueToBinary
from residua.hardware.engine.datapath_design import EngineOptions
from residua.machines.values import run
from residua.numbers.cox import Cox

SHAPES = [(P64, 17, 4, 1), (P64, 17, 4, 3), (P64, 16, 5, 2), (P64, 33, 3, 1), (P17, 8, 3, 4)]
"""Modulus, width, channels, multipliers."""

RANGES = [(0, 0), (-1, 0), (-1, 1), (0, 2), (-2, -1)]
"""Multiples of P between which values lie."""


def conversion_of(modulus, width, channels, multipliers, values=(-1, 1), **choices):
    domain = signed_domain(modulus, width, channels, "reordered")
    low, high = (multiple * modulus for multiple in values)
    cox = Cox(min(domain.second.truncation + 2, width), Fraction(1, 2))
    ranges = ((low, high + modulus // 3),)
    return Conversion(domain.base_b, cox, (modulus,), ranges, multipliers, **choices)


def numbers_of(conversion, count, seed=1):
    """The edges of the range, all values next to a multiple of P, then random ones."""
    low, high = conversion.values
    generator = random.Random(seed)
    edges = [low, low + 1, high - 1, high]
    (modulus,) = conversion.moduli
    for multiple in range(low // modulus, high // modulus + 1):
        edges += [multiple * modulus + near for near in (-1, 0, 1)]
    edges = [edge for edge in edges if low <= edge <= high]
    return edges + [generator.randint(low, high) for _ in range(count)]


def cofactors_of(conversion, number, generator):
    """xi of a number, in any representatives."""
    base = conversion.base
    canonical = [
        number * inverse % modulus.value
        for modulus, inverse in zip(base, base.cofactor_inverses, strict=True)
    ]
    return extreme_words(base, canonical, generator)


def convert(conversion, numbers, pages=1, pace=(1.0, 1.0)):
    generator = random.Random(7)
    words = [xi for x in numbers for xi in cofactors_of(conversion, x, generator)]
    converter = ResidueToBinary(conversion, pages)
    width = conversion.width
    return pass_through(
        converter, converter.residues, converter.result, words, width, len(numbers), pace
    )


@pytest.mark.parametrize(
    ("modulus", "width", "channels", "c", "values"),
    [
        *((*SHAPES[0], values) for values in RANGES),
        *((*shape, RANGES[2]) for shape in SHAPES[1:]),
        (*SHAPES[2], RANGES[4]),
        (*SHAPES[4], RANGES[0]),
        (*SHAPES[4], RANGES[3]),
    ],
)
def test_residues_to_binary(modulus, width, channels, c, values):
    conversion = conversion_of(modulus, width, channels, c, values)
    numbers = numbers_of(conversion, 6)
    transfers = convert(conversion, numbers)
    assert transfers.results == [number % modulus for number in numbers]
    assert set(transfers.lengths) == {conversion.words}


@pytest.mark.parametrize(
    ("pages", "pace"),
    [
        (1, (0.3, 1.0)),
        (1, (1.0, 0.1)),
        (2, (1.0, 1.0)),
        (2, (0.3, 1.0)),
        (2, (0.6, 0.4)),
        (3, (1.0, 1.0)),
        (3, (1.0, 0.1)),
    ],
)
def test_residues_to_binary_with_stalls(pages, pace):
    conversion = conversion_of(P64, 17, 4, 2)
    numbers = numbers_of(conversion, 4)
    transfers = convert(conversion, numbers, pages, pace)
    assert transfers.results == [number % P64 for number in numbers]


@pytest.mark.parametrize("c", [1, 2, 4, 5])
def test_cycles_of_residues_to_binary(c):
    conversion = conversion_of(P64, 17, 4, c)
    transfers = convert(conversion, numbers_of(conversion, 4), pages=2)
    finished = transfers.finished
    assert finished[0] - transfers.taken[0] == conversion.latency
    assert {b - a for a, b in pairwise(finished)} == {conversion.interval}


@pytest.mark.parametrize(("word", "c"), [(1, 3), (8, 1), (16, 1), (16, 3), (17, 1)])
def test_words_of_results_may_be_narrower(word, c):
    conversion = conversion_of(P64, 17, 4, c, word=word)
    assert conversion.words == -(-64 // word)
    numbers = numbers_of(conversion, 2)
    transfers = convert(conversion, numbers)
    assert transfers.results == [number % P64 for number in numbers]
    assert transfers.finished[0] - transfers.taken[0] == conversion.latency


@pytest.mark.parametrize(
    ("modulus", "channels", "values", "pace"),
    [
        *((P64, 5, values, (1.0, 1.0)) for values in RANGES),
        *((P17, 2, values, (1.0, 1.0)) for values in RANGES[2:]),
        (P64, 4, RANGES[2], (1.0, 1.0)),
        (P64, 4, RANGES[2], (0.4, 0.7)),
        (P17, 3, RANGES[0], (1.0, 1.0)),
        (P17, 3, RANGES[1], (1.0, 1.0)),
        (P17, 3, RANGES[2], (0.4, 0.7)),
    ],
)
def test_a_relaxed_converter(modulus, channels, values, pace):
    conversion = conversion_of(modulus, 17, channels, 1, values, word=16, relaxed=True)
    numbers = numbers_of(conversion, 6)
    transfers = convert(conversion, numbers, pace=pace)
    assert transfers.results == [number % modulus for number in numbers]
    if pace == (1.0, 1.0):
        assert transfers.finished[0] - transfers.taken[0] == conversion.latency


@pytest.mark.parametrize("word", [0, 18])
def test_other_words_are_refused(word):
    with pytest.raises(SpecificationError, match="they have 1 to 17"):
        conversion_of(P64, 17, 4, 1, word=word)


def test_candidates_follow_from_the_range():
    ranges = {values: conversion_of(P64, 17, 4, 1, values).candidates for values in RANGES}
    assert ranges[0, 0] == range(1)
    assert ranges[-1, 0] == range(2)
    assert ranges[-1, 1] == range(-1, 2)
    assert ranges[0, 2] == range(-2, 1)


def test_values_outside_the_base_are_refused():
    domain = signed_domain(P64, 17, 4, "reordered")
    with pytest.raises(SpecificationError, match="outside the range in which the Cox"):
        Conversion(domain.base_b, domain.second, (P64,), ((0, domain.base_b.product),))


def test_multipliers_are_checked():
    with pytest.raises(SpecificationError, match="has 1 to 5 multipliers, not 0"):
        conversion_of(P64, 17, 4, 0)


MODULI = (P64, P17, 3 * P17 + 2, 2**64 + 13, 1)
"""Moduli of very different length, the largest of which needs one more word than P64 at w = 16."""


def conversion_for_several(moduli, width, channels, multipliers, values):
    """Values lie between these multiples of each modulus, and two of the ranges reach higher."""
    domain = signed_domain(P64, width, channels, "reordered")
    cox = Cox(min(domain.second.truncation + 2, width), Fraction(1, 2))
    ranges = tuple(
        (values[0] * modulus, values[1] * modulus + (modulus // 3 if index % 2 else 0))
        for index, modulus in enumerate(moduli)
    )
    return Conversion(domain.base_b, cox, moduli, ranges, multipliers)


def numbers_for(conversion, select, generator):
    """The edges of the range, next to the multiples of the modulus, and random numbers."""
    modulus, (low, high) = conversion.moduli[select], conversion.ranges[select]
    edges = [low, low + 1, high - 1, high, low + (high - low) // 2, generator.randint(low, high)]
    for multiple in range(low // modulus, high // modulus + 1):
        edges += [multiple * modulus + near for near in (-1, 0, 1)]
    return [edge for edge in edges if low <= edge <= high]


def convert_groups(conversion, groups, pace=(1.0, 1.0)):
    """Results, and the cycles of their last words, for each (select, numbers)."""
    converter = ResidueToBinary(conversion, 2)
    generator, found, cycles, results = random.Random(7), [], [], []

    async def main(ctx):
        for select, numbers in groups:
            ctx.set(converter.select, select)
            words = [xi for x in numbers for xi in cofactors_of(conversion, x, generator)]
            await sender(converter.residues, words, pace[0])(ctx)
            for _ in range(100 * conversion.interval):
                if len(found) == len(numbers) * conversion.words:
                    break
                await ticks(ctx, 1)
            ends = [cycle for cycle, payload in zip(cycles, found, strict=True) if payload.last]
            values = [
                sum(found[start + i].word << conversion.width * i for i in range(conversion.words))
                for start in range(0, len(found), conversion.words)
            ]
            results.append((values, ends))
            found.clear(), cycles.clear()

    simulate(converter, main, receiver(converter.result, found, pace[1], cycles=cycles))
    return results


@pytest.mark.parametrize(
    ("width", "channels", "c", "values"),
    [
        *((17, 4, 1, values) for values in (RANGES[0], RANGES[4])),
        (16, 5, 2, RANGES[2]),
        (33, 3, 3, RANGES[3]),
    ],
)
def test_several_moduli(width, channels, c, values):
    conversion = conversion_for_several(MODULI, width, channels, c, values)
    assert conversion.words == -(-65 // width)
    generator = random.Random(11)
    order = [0, 1, 3, 2, 4, 0]
    groups = [(select, numbers_for(conversion, select, generator)) for select in order]
    for (select, numbers), (results, ends) in zip(
        groups, convert_groups(conversion, groups), strict=True
    ):
        assert results == [number % MODULI[select] for number in numbers]
        assert {b - a for a, b in pairwise(ends)} <= {conversion.interval}


@pytest.mark.parametrize("pace", [(0.3, 1.0), (1.0, 0.1), (0.6, 0.4)])
def test_several_moduli_with_stalls(pace):
    conversion = conversion_for_several((P17, P64), 17, 4, 2, (-1, 2))
    generator = random.Random(13)
    groups = [(select, numbers_for(conversion, select, generator)) for select in (1, 0, 1)]
    found = convert_groups(conversion, groups, pace)
    assert [results for results, _ in found] == [
        [number % conversion.moduli[select] for number in numbers] for select, numbers in groups
    ]


def test_candidates_serve_all_moduli():
    base = conversion_of(P64, 17, 4, 1)
    ranges = ((-P64, 0), (0, 3 * P17))
    conversion = Conversion(base.base, base.cox, (P64, P17), ranges)
    assert conversion.candidates == range(-3, 2)
    assert conversion.values == (-P64, 3 * P17)


@pytest.mark.parametrize(("moduli", "count"), [((P64, P17), 1), ((), 0)])
def test_each_modulus_has_a_range(moduli, count):
    base = conversion_of(P64, 17, 4, 1)
    message = f"one range of values for each modulus, not {count} for {len(moduli)}"
    with pytest.raises(SpecificationError, match=message):
        Conversion(base.base, base.cox, moduli, ((0, 1),) * count)


def residues_of(converter, numbers, count, width):
    """All results of a converter to residues, in the order in which they come, and when."""
    groups = len(converter.design.schedule.outputs)
    found, cycles = [], []
    words = [word for number in numbers for word in split_words(number, count, width)]

    async def receive(ctx):
        cycle, signals = 0, [converter.result[i] for i in range(converter.design.rowers)]
        ctx.set(converter.enable, 1)
        sampled = ctx.tick().sample(converter.result_valid, converter.result_word, *signals)
        async for _, _, valid, position, *residues in sampled:
            if valid:
                assert position == len(found) % groups
                found.append(tuple(residues))
                cycles.append(cycle)
            if len(found) == groups * len(numbers):
                return
            cycle += 1

    simulate(converter, receive, sender(converter.binary, words))
    return found, cycles


@pytest.mark.parametrize(
    ("modulus", "width", "channels", "rowers", "word_width", "count"),
    [
        (P64, 17, 4, 4, 17, 4),
        (P64, 17, 4, 2, 8, 9),
        (P64, 33, 3, 3, 33, 2),
        (P17, 8, 3, 1, 8, 3),
        (P192, 17, 12, 12, 17, 4),
        (P64, 17, 4, 4, 1, 1),
        (P64, 17, 4, 4, 5, 20),
    ],
)
def test_binary_to_residues(modulus, width, channels, rowers, word_width, count):
    domain = signed_domain(modulus, width, channels, "reordered")
    bases = [domain.base_a, domain.base_b]
    factors = [domain.factor_a, domain.factor_b]
    converter = binary_to_residue(
        bases, count, width=word_width, factors=factors, options=EngineOptions(rowers)
    )
    most = (1 << (count * word_width)) - 1
    generator = random.Random(3)
    numbers = [0, 1, most, most ^ 1, most >> 1, *(generator.randint(0, most) for _ in range(2))]
    found, cycles = residues_of(converter, numbers, count, word_width)
    groups = channels // rowers
    for index, number in enumerate(numbers):
        parts = found[2 * groups * index : 2 * groups * (index + 1)]
        halves = [sum(parts[:groups], ()), sum(parts[groups:], ())]
        outputs = run(converter.design.program, {"x": split_words(number, count, word_width)})
        assert halves == [outputs["x_0"], outputs["x_1"]]
        for base, factor, residues in zip(bases, factors, halves, strict=True):
            for m, f, residue in zip(base, factor, residues, strict=True):
                assert (residue - number * f) % m.value == 0
                assert -(1 << m.width) <= residue < 1 << m.width
    runs = cycles[2 * groups - 1 :: 2 * groups]
    assert {b - a for a, b in pairwise(runs)} == {converter.interval}


def test_one_base_without_factors():
    base = signed_domain(P64, 17, 4, "reordered").base_a
    converter = binary_to_residue([base], 4)
    found, _ = residues_of(converter, [P64 - 1], 4, 17)
    assert [r % m.value for r, m in zip(found[0], base, strict=True)] == list(
        base.residues(P64 - 1)
    )


def test_words_wider_than_a_modulus_are_refused():
    base = signed_domain(P64, 17, 4, "reordered").base_a
    with pytest.raises(SpecificationError, match="words of 1 to 17 bits, not 18"):
        binary_to_residue([base], 4, width=18)


def test_bases_of_different_size_are_refused():
    small = signed_domain(P64, 33, 3, "reordered").base_a
    large = signed_domain(P64, 17, 4, "reordered").base_a
    with pytest.raises(SpecificationError, match="bases of one size and width"):
        binary_to_residue([small, large], 4)
