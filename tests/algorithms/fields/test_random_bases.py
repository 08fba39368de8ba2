"""Arithmetic in bases that are chosen at random, on plain integers, for all choices."""

import random
from dataclasses import replace
from fractions import Fraction
from functools import cache
from itertools import product
from math import gcd

import pytest

from residua.algorithms.conversion import from_cofactors, split_words
from residua.algorithms.fields.base_choice import (
    complete,
    held_factors,
    prepare,
    reach,
    with_choice,
)
from residua.algorithms.fields.field import Constant, FieldProgram, Flag, evaluate
from residua.algorithms.fields.random_bases import (
    closed_domain,
    constants,
    load,
    lower,
    unload,
)
from residua.algorithms.held_extension import HeldMatrix, held_extension, rotated
from residua.algorithms.montgomery import MontgomeryDomain
from residua.algorithms.program import NarrowBaseError, Program, ProgramError
from residua.algorithms.terms import HeldBroadcast, Interval, Scaled, Stored, Words
from residua.machines import native
from residua.machines.bounds import analyse
from residua.machines.values import outputs, run
from residua.numbers.cox import deviation, redundant_ranges
from residua.numbers.ranges import exact_cox
from residua.numbers.residues import Redundant
from residua.numbers.search import user_bases

P = 2**31 - 1
WIDTH, CHANNELS, WORDS = 13, 4, 3
KIND = Redundant(3)
VALUES = {Constant(1): 1, Constant("c"): P - 5}
CHOICES = list(product((0, 1), repeat=CHANNELS))


def formula():
    """3 (x y - c y) (x or -y), with a constant that is loaded, too."""
    program = FieldProgram("formula")
    x, y = program.input("x"), program.input("y")
    one = program.load("one", Constant(1))
    s = program.product_sum("s", (x, y, 1), (y, Constant("c"), -1), multiple=3)
    chosen = program.select("t", Flag("flag"), x, y, -1)
    program.output("x", program.product("x", s, chosen))
    program.output("one", one)
    return program


def moduli(largest, count):
    found = []
    for value in range(largest, 0, -1):
        if all(gcd(value, other) == 1 for other in (P, *found)):
            found.append(value)
        if len(found) == count:
            return found
    raise AssertionError


def open_domain(largest=1 << WIDTH, channels=CHANNELS):
    own = moduli(largest, 2 * channels)
    pair = user_bases(P, own[::2], own[1::2], width=WIDTH)
    bases = pair.base_a, pair.base_b, pair.cox, pair.cox
    return MontgomeryDomain(P, *bases, P, "reordered", skips_quotient=True)


@cache
def domain():
    return closed_domain(open_domain(), [formula()], VALUES, (WORDS, WIDTH), KIND)


class Machine:
    """Elements of an engine for one choice."""

    def __init__(self, choice):
        self.domain, self.state = with_choice(domain(), choice), {}
        self.run(prepare(domain(), choice, KIND))
        self.run(complete(self.domain, KIND))
        self.run(constants(self.domain, VALUES, KIND))

    def run(self, lowered, **numbers):
        words = {}
        for value in lowered.program.inputs:
            own = numbers.get(value.name)
            words[value.name] = (
                split_words(own, value.count, value.width)
                if isinstance(value, Words)
                else self.state[value.name]
            )
        words |= {bit.name: (numbers[bit.name],) for bit in lowered.program.bits}
        found = outputs(lowered.program, words)
        for index, name in enumerate(lowered.outputs):
            self.state[f"{name}_a"], self.state[f"{name}_b"] = found[2 * index : 2 * index + 2]
        return found

    def load(self, name, number):
        self.run(load(name, self.domain, WORDS, WIDTH, KIND), **{name: number})

    def number(self, name):
        """What an element is, next to [0, P]."""
        found = self.run(unload(name, self.domain, KIND))
        joint = self.domain.joint_base
        cox = exact_cox(joint, redundant_ranges(joint), P)
        return from_cofactors(joint, [*found[0], *found[1]], cox)


@pytest.mark.parametrize("choice", CHOICES)
def test_all_factors_are_made_of_the_choice(choice):
    machine = Machine(choice)
    bases = {"a": machine.domain.base_a, "b": machine.domain.base_b}
    for name, factors in held_factors(machine.domain).items():
        for (part, base), factor in zip(bases.items(), factors, strict=True):
            words = machine.state[f"{name}_{part}"]
            assert [w % m.value for w, m in zip(words, base, strict=True)] == list(factor)


@pytest.mark.parametrize("choice", CHOICES)
def test_numbers_come_out_as_they_have_to(choice):
    machine, draw = Machine(choice), random.Random(sum(choice))
    top = (1 << WORDS * WIDTH) - 1
    for x, y in [(0, 0), (P, top), (top, top), (P - 1, 1), (draw.getrandbits(36), 77)]:
        for flag in (0, 1):
            machine.load("x", x)
            machine.load("y", y)
            machine.run(lower(formula(), machine.domain, KIND), flag=flag)
            expected = evaluate(
                formula(), P, {"x": x, "y": y}, constants={"c": P - 5}, flags={"flag": flag}
            )
            for name, number in expected.items():
                found = machine.number(name)
                assert -P <= found <= P
                assert found % P == number


def test_residues_differ_from_choice_to_choice():
    """Of the same number, all of them but what all choices have in common, which is nothing."""
    seen = []
    for choice in CHOICES:
        machine = Machine(choice)
        machine.load("x", 12345)
        seen.append((*machine.state["x_a"], *machine.state["x_b"]))
    for place in zip(*seen, strict=True):
        assert len(set(place)) > len(CHOICES) // 2


def programs(choice):
    own = with_choice(domain(), choice)
    return [
        prepare(domain(), choice, KIND).program,
        complete(own, KIND).program,
        constants(own, VALUES, KIND).program,
        load("x", own, WORDS, WIDTH, KIND).program,
        lower(formula(), own, KIND).program,
        unload("x", own, KIND).program,
    ]


def constant_vectors(program):
    """All constants of a program, one for each channel."""
    found = []
    for step in program.steps:
        for term in step.terms:
            match term:
                case Stored(constant) | Scaled(_, constant, _):
                    found.append(constant)
                case HeldBroadcast():
                    pass
                case _ if hasattr(term, "matrix"):
                    found += term.matrix
    return found


def test_constants_depend_on_a_channels_own_bit_alone():
    """So that each rower can have them in two pages."""
    count = len(programs(CHOICES[0]))
    for index in range(count):
        pages = [constant_vectors(programs((bit,) * CHANNELS)[index]) for bit in (0, 1)]
        # A formula has but its small multiples.
        assert (pages[0] != pages[1]) == (index not in (1, 4))
        for choice in CHOICES:
            found = constant_vectors(programs(choice)[index])
            assert found == [
                tuple(vectors[bit][channel] for channel, bit in enumerate(choice))
                for vectors in zip(*pages, strict=True)
            ]


def test_ranges_are_the_same_for_every_choice():
    """Those of all numbers, so that a bound that holds for one choice holds for all."""

    def ranges(choice):
        return [
            (step.result.name, step.result.range)
            for program in programs(choice)
            for step in program.steps
            # Of numbers that are not used as they are.
            if step.result.name not in ("xi_b", "part_b")
        ]

    for choice in CHOICES:
        assert ranges(choice) == ranges(CHOICES[0])


def test_the_reach_is_that_of_the_worst_choice():
    found = reach(domain(), domain().first, KIND)
    bases = [with_choice(domain(), choice).base_a for choice in CHOICES]
    assert found.smallest == min(base.product for base in bases)
    assert found.largest == max(base.product for base in bases)
    cox = domain().first
    errors = [deviation(base, cox, KIND.ranges(base)) for base in bases]
    ends = [(*error.exact(cox.sigma0), *error.result(cox.sigma0)) for error in errors]
    exact_low, exact_high, low, high = zip(*ends, strict=True)
    assert found.exact == Interval.of(max(exact_low), min(exact_high))
    assert found.result == Interval.of(min(low), max(high))
    for base in bases:
        ends = zip(base, KIND.ranges(base), strict=True)
        least, most = zip(
            *[(Fraction(one, m.value), Fraction(two, m.value)) for m, (one, two) in ends],
            strict=True,
        )
        assert found.unreduced.low <= sum(least)
        assert sum(most) <= found.unreduced.high


def test_worst_cases_are_those_of_words_of_either_modulus():
    """Ranges of the pages of both bits hold for rowers of all choices."""
    pages = [programs((bit,) * CHANNELS) for bit in (0, 1)]
    folds = max(analyse(each).folds for page in pages for each in page)
    for choice in CHOICES:
        for index, program in enumerate(programs(choice)):
            found = analyse(program, folds).accumulators
            own = [analyse(page[index], folds).accumulators for page in pages]
            for step, sums in enumerate(found):
                for channel, (low, high) in enumerate(sums):
                    least, most = own[choice[channel]][step][channel]
                    assert least <= low
                    assert high <= most


def test_the_native_model_has_no_such_bases():
    made, completed, *others = programs(CHOICES[5])
    assert native.supports(completed)
    assert not any(map(native.supports, [made, *others]))


def held_inputs(program, own):
    """The constants of an extension from base a to base b."""
    one, cofactors = Interval.of(1, 1), own.base_a.cofactors
    turns = [
        program.input(
            f"turn {t}",
            own.base_b,
            [cofactors[(r + t) % CHANNELS] for r in range(CHANNELS)],
            one,
        )
        for t in range(CHANNELS)
    ]
    quotient = program.input("q", own.base_b, [-own.base_a.product] * CHANNELS, one)
    return HeldMatrix(tuple(turns), quotient)


def test_other_constants_are_refused():
    """A held number that belongs to another channel, or to another matrix."""
    own = domain()
    program, most = Program("wrong", KIND), reach(own, own.first, KIND)
    x = program.input("x", own.base_a, own.base_a.cofactor_inverses, Interval.of(0, 1))
    right = held_inputs(program, own)
    held_extension(program, x, own.base_b, own.first, right, most)
    turns = right.turns
    for wrong in (
        HeldMatrix((turns[1], turns[0], *turns[2:]), right.quotient),
        HeldMatrix(turns, turns[0]),
        HeldMatrix((replace(turns[0], range=Interval.of(0, 1)), *turns[1:]), right.quotient),
    ):
        with pytest.raises(ProgramError, match="is no constant of this extension"):
            held_extension(program, x, own.base_b, own.first, wrong, most)


def test_bases_that_are_narrow_are_refused():
    with pytest.raises(NarrowBaseError, match=r"narrow|not every base holds more than"):
        closed_domain(open_domain(channels=3), [formula()], VALUES, (WORDS, WIDTH), KIND)


def test_every_base_has_to_hold_what_is_extended():
    """Also the one that holds least, of which no program is lowered."""
    own = domain()
    least = reach(own, own.second, KIND)
    limit = int(least.exact.high * least.smallest)
    program = Program("held", KIND)
    matrix = held_inputs(program, own)
    for name, most in (("fits", limit), ("narrow", limit + 1)):
        x = program.input(name, own.base_a, own.base_a.cofactor_inverses, Interval.of(0, most))
        if name == "fits":
            held_extension(program, x, own.base_b, own.first, matrix, least, exact=True)
            continue
        with pytest.raises(NarrowBaseError, match="not every base holds more than"):
            held_extension(program, x, own.base_b, own.first, matrix, least, exact=True)


def test_a_rotation_is_of_bits():
    program = Program("turns", KIND)
    flags = program.input("flags", domain().base_a, (1, 0, 0, 1), Interval.of(1, 1))
    found = rotated(program, flags)
    program.output(found)
    assert found.factor == (0, 0, 1, 1)
    assert run(program, {"flags": (1, 0, 0, 1)}) == {found.name: (0, 0, 1, 1)}
