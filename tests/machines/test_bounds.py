"""Bounds: nothing that the values interpreter ever computes leaves them, and they are close."""

import random
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from algorithms.domains import P17, P64, P192, RSA1024, product_program, signed_domain, words_of
from residua.algorithms.program import Program, ProgramError
from residua.algorithms.terms import Correction, Product, Residues, Words
from residua.machines import values
from residua.machines.bounds import Bounds, analyse
from residua.numbers.folding import Folding, fits_word, folds_needed
from residua.numbers.moduli import Modulus
from residua.numbers.residues import Redundant


def observed(program: Program, inputs, bounds: Bounds):
    """Run step by step; the reached share of each accumulator's range, each value being within."""
    state = {id(value): tuple(inputs[value.name]) for value in program.inputs}
    shares = []
    for step, sums, words in zip(program.steps, bounds.accumulators, bounds.residues, strict=True):
        totals = [0] * len(step.result.base)
        for term in step.terms:
            if isinstance(term, Correction):
                q = values.estimate(term.quotient, values._read(term.quotient.source, state))
                low, high = bounds.quotients[term.quotient.name]
                assert low <= q <= high
            for channel, amount in enumerate(values._amounts(program, step, term, state)):
                totals[channel] += amount
        result = tuple(
            program.representation.reduce(m, t)
            for m, t in zip(step.result.base, totals, strict=True)
        )
        for total, (low, high) in zip(totals, sums, strict=True):
            assert low <= total <= high
            shares.append((step, max(total / high if high else 0, total / low if low else 0)))
        for word, (low, high), m in zip(result, words, step.result.base, strict=True):
            assert low <= word <= high
            assert fits_word((low, high), m.width + 1)
        state[id(step.result)] = result
    return shares


def analysed(domain, signs=(1,)):
    bounds = analyse(product_program(domain, Redundant(1), signs))
    return product_program(domain, Redundant(bounds.folds), signs), bounds


CASES = [
    (P17, 8, 3, "reordered", (1,)),
    (P17, 8, 3, "quadratic", (1,)),
    (P64, 10, 7, "quadratic", (1,)),
    (P64, 17, 5, "plain", (1, -1)),
    (P64, 17, 5, "quadratic", (1, -1)),
    (P192, 17, 12, "quadratic", (1,)),
]


@pytest.mark.parametrize(("modulus", "width", "channels", "form", "signs"), CASES)
def test_no_value_leaves_its_bounds(modulus, width, channels, form, signs):
    domain = signed_domain(modulus, width, channels, form, len(signs))
    program, bounds = analysed(domain, signs)

    @settings(max_examples=40, deadline=None, derandomize=True, database=None)
    @given(st.data())
    def check(data):
        span = st.integers(-domain.bound, domain.bound)
        names = [f"{side}{k}" for side in "xy" for k in range(len(signs))]
        numbers = {name: data.draw(span, label=name) for name in names}
        generator = random.Random(data.draw(st.integers(0, 1000)))
        observed(program, words_of(program, numbers, generator), bounds)

    check()


@pytest.mark.parametrize(("modulus", "width", "channels", "form", "signs"), CASES)
def test_any_words_at_all_stay_within_the_bounds(modulus, width, channels, form, signs):
    """The bounds do not rest on what the words stand for: w + 1 bits of any content keep them."""
    domain = signed_domain(modulus, width, channels, form, len(signs))
    program, bounds = analysed(domain, signs)
    lowest, highest = -(1 << width), (1 << width) - 1
    generator = random.Random(1)
    best = {}
    for turn in range(60):
        kinds = [lowest, highest] if turn % 2 else [lowest, -1, 0, highest]
        inputs = {}
        for source in program.inputs:
            whole = generator.choice(kinds)
            inputs[source.name] = [
                whole if turn % 3 else generator.choice(kinds) for _ in source.base
            ]
        for step, share in observed(program, inputs, bounds):
            best[id(step)] = max(best.get(id(step), 0), share)
    # Sums of products of inputs are attained but for the odd end of the range.
    for step in program.steps:
        if all(isinstance(term, Product) for term in step.terms):
            assert best[id(step)] > 0.5


@pytest.mark.parametrize("width", [8, 17, 33])
def test_broadcast_sums_are_attained(width):
    """An extension of free words: every accumulator gets within a factor of 2 of its ends."""
    domain = signed_domain(
        {8: P17, 17: P192, 33: RSA1024}[width], width, {8: 3, 17: 12, 33: 32}[width]
    )
    source, target = domain.base_b, domain.base_a
    program = Program("extension", Redundant(2))
    xi = program.input("xi", source, source.cofactor_inverses, domain.range)
    result = program.reduce("x", program.extension(xi, target, domain.second, exact=True))
    program.output(result)
    bounds = analyse(program)
    program.representation = Redundant(bounds.folds)
    (step,) = program.steps
    matrix = step.terms[0].matrix
    lowest, highest = -(1 << width), (1 << width) - 1
    for channel, (m, (low, high)) in enumerate(zip(target, bounds.accumulators[0], strict=True)):
        column = [m.centre(row[channel]) for row in matrix]
        tops = [highest if c >= 0 else lowest for c in column]
        bottoms = [lowest if c >= 0 else highest for c in column]
        for words, end in ((tops, high), (bottoms, low)):
            state = {id(xi): tuple(words)}
            total = sum(values._amounts(program, step, term, state)[channel] for term in step.terms)
            assert low <= total <= high
            assert 2 * abs(total) > abs(end)
    # The quotient's range is attained at both ends.
    (quotient,) = {
        t.quotient.name: t.quotient for t in step.terms if isinstance(t, Correction)
    }.values()
    ends = bounds.quotients[quotient.name]
    assert values.estimate(quotient, [lowest] * len(source)) == ends[0]
    assert values.estimate(quotient, [highest] * len(source)) == ends[1]


W8 = [Modulus(8, offset) for offset in range(-15, 16)]


@pytest.mark.parametrize("folds", [1, 2, 3, 4])
def test_folding_keeps_the_class_and_its_range_exhaustively(folds):
    """Every sum of a range of 15 bits: the class is kept, the range holds and is tight."""
    for modulus in W8[::5]:
        folding = Folding(modulus, folds)
        for low, high in [(-(2**14), 2**14), (0, 10000), (-9, 300), (5, 5)]:
            first, last = folding.result((low, high))
            seen = []
            for value in range(low, high + 1):
                word = folding.reduce(value)
                assert (word - value) % modulus.value == 0
                assert first <= word <= last
                seen.append(word)
            # Between the ends of the true range and the derived one lies less than one word.
            assert min(seen) - first <= 1 << 8
            assert last - max(seen) <= 1 << 8


def test_one_fold_ranges_are_attained():
    """The top of the range needs a full low word above the largest high part."""
    for modulus in W8:
        folding = Folding(modulus, 1)
        low, high = -(2**13) - folding.centring, 2**13 - 1 - folding.centring
        first, last = folding.result((low, high))
        seen = [folding.reduce(value) for value in range(low, high + 1)]
        assert (min(seen), max(seen)) == (first, last)


def test_folds_needed_is_enough_and_minimal():
    for modulus in W8:
        limit = 2**18
        count = folds_needed(modulus, (-limit, limit))
        words = [Folding(modulus, count).reduce(value) for value in range(-limit, limit + 1, 61)]
        assert all(-256 <= word < 256 for word in words)
        if count > 1:
            assert not fits_word(Folding(modulus, count - 1).result((-limit, limit)), 9)


def test_fewest_folds_are_found():
    program = product_program(signed_domain(P192, 17, 12), Redundant(1))
    bounds = analyse(program)
    assert bounds.folds == 2
    assert analyse(program, 3).folds == 3
    with pytest.raises(
        ProgramError,
        match=r"product, step u_a: the word left by folding \(folds: 1\) is outside 18 signed",
    ):
        analyse(program, 1)


def test_accumulator_joins_the_steps_of_a_modulus():
    domain = signed_domain(P64, 17, 5)
    program, bounds = analysed(domain)
    for modulus in (*domain.base_a, *domain.base_b):
        low, high = bounds.accumulator(program, modulus)
        own = [
            bounds.accumulators[index][step.result.base.moduli.index(modulus)]
            for index, step in enumerate(program.steps)
            if modulus in step.result.base.moduli
        ]
        assert len(own) == 2
        assert (low, high) == (min(o[0] for o in own), max(o[1] for o in own))


def test_binary_words_have_their_own_range():
    base = signed_domain(P192, 17, 12).base_a
    program = Program("conversion", Redundant(2))
    words = program.words("x", 3, 16, 2**48 - 1)
    assert isinstance(words, Words)
    result = program.reduce("r", program.spread(words, base, [1, 2, -4], [1] * 12, words.range))
    assert isinstance(result, Residues)
    top = 2**16 - 1
    assert analyse(program).accumulators == (((-4 * top, 3 * top),) * 12,)


def test_products_of_two_words_reach_their_corners():
    _, bounds = analysed(signed_domain(P17, 8, 3))
    corner = [a * b for a, b in product((-256, 255), repeat=2)]
    assert bounds.accumulators[0] == ((min(corner), max(corner)),) * 3


@pytest.mark.parametrize("sign", [1, -1])
def test_selections_stay_within_their_bounds(sign):
    """Each of both words is counted, though one is 0: never too little, twice too much at most."""
    base = signed_domain(P17, 8, 3).base_a
    program = Program("selection", Redundant(1))
    domain = signed_domain(P17, 8, 3)
    x, y = (program.input(name, base, [1] * 3, domain.range) for name in "xy")
    bit = program.bit("bit")
    program.output(program.reduce("z", program.select(bit, x, y, sign)))
    bounds = analyse(program)
    program.representation = Redundant(bounds.folds)
    extremes, reached = (-256, 255), []
    for words_x, words_y, set_ in product(extremes, extremes, (0, 1)):
        inputs = {"x": (words_x,) * 3, "y": (words_y,) * 3}
        state = {id(v): inputs[v.name] for v in program.inputs} | {"bit": (set_,)}
        (step,) = program.steps
        total = sum(values._amounts(program, step, term, state)[0] for term in step.terms)
        assert total == (words_x if set_ else sign * words_y)
        reached.append(total)
        (word,) = values.run(program, inputs | {"bit": (set_,)}).values()
        for found, (low, high) in zip(word, bounds.residues[0], strict=True):
            assert low <= found <= high
    for low, high in bounds.accumulators[0]:
        assert low <= min(reached) <= low // 2
        assert (high + 1) // 2 <= max(reached) <= high


def test_stored_values_are_known_exactly():
    domain = signed_domain(P17, 8, 3)
    program = Program("constant", Redundant(1))
    factor = [3, 5, 7]
    program.output(program.reduce("z", program.stored(-100, domain.base_a, factor)))
    bounds = analyse(program)
    for (low, high), f, m in zip(bounds.accumulators[0], factor, domain.base_a, strict=True):
        assert low == high
        assert (low + 100 * f) % m.value == 0
        assert 2 * abs(low) <= m.value
