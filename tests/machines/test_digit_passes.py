"""Field programs on digits: passes against plain integers, ranges, and what is refused."""

import random
from fractions import Fraction
from functools import cache

import pytest

from residua.algorithms.fields.digit_field import (
    ELEMENT_BOUND,
    DigitField,
    Product,
    Value,
    load,
    lower,
    unload,
)
from residua.algorithms.fields.field import Constant, FieldProgram, Flag, evaluate
from residua.algorithms.program import ProgramError
from residua.curves.catalogue import find_curve
from residua.curves.formulas import Formula
from residua.curves.operations.routines import common_routines, constants, routines
from residua.machines.digit_passes import (
    RAW,
    WIPE,
    DigitModel,
    PassTiming,
    Source,
    assemble,
    duration,
)

TIMING = PassTiming(length=18, fed=329, compute=304)
CASES = [
    ("P-256", Formula.DIFFERENCE_LADDER, 17, 16),
    ("P-256", Formula.XZ_LADDER, 8, 33),
    ("secp192k1", Formula.FIXED_WINDOW, 18, 12),
    ("Curve25519", Formula.MONTGOMERY_LADDER, 16, 17),
]


@cache
def made(name, formula, digit, digits):
    curve = find_curve(name)
    field = DigitField((curve.prime, curve.order), digit, digits)
    programs = routines(curve, formula) | common_routines({("a", "b")})
    lowered = [(lower(p, field, n), n.endswith("step")) for n, p in programs.items()]
    ends = [(load("number", RAW), False), (unload("number"), False)]
    return curve, programs, assemble([*lowered, *ends], field, TIMING)


def elements(curve, field, draw):
    """Numbers that an element of some value can be, up to 8 p."""
    value = draw.randrange(curve.prime)
    reduced = value * field.factor % curve.prime
    most = (int(ELEMENT_BOUND) * curve.prime - reduced) // curve.prime
    return value, reduced + draw.choice((0, most, draw.randint(0, most))) * curve.prime


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case[0]}-{case[1]}-{case[2]}")
def test_passes_equal_plain_integers(case):
    """All programs, with elements anywhere in their ranges; results stay in them."""
    curve, programs, store = made(*case)
    field, draw = store.field, random.Random(repr(case))
    model, named = DigitModel(store, [constants(curve), {}]), constants(curve)
    inverse = pow(field.factor, -1, curve.prime)
    for name, program in programs.items():
        for _ in range(4):
            values = {}
            for element in program.inputs:
                values[element], number = elements(curve, field, draw)
                model.write(element, number)
            flags = dict.fromkeys((flag.name for flag in program.flags), False)
            if case[1] is Formula.FIXED_WINDOW and flags:
                flags[draw.choice(list(flags))] = True
            else:
                flags = {flag: draw.random() < 0.5 for flag in flags}
            model.run(name, 0, flags)
            expected = evaluate(program, curve.prime, values, constants=named, flags=flags)
            for element, value in expected.items():
                assert model.element(element) * inverse % curve.prime == value, (name, element)
                assert model.element(element) <= ELEMENT_BOUND * curve.prime


@pytest.mark.parametrize("page", [0, 1])
def test_numbers_come_and_leave(page):
    """Any number that the digits hold comes in; any element leaves canonical, also p and 8 p."""
    _, _, store = made(*CASES[0])
    model = DigitModel(store, [constants(find_curve("P-256")), {}])
    modulus, factor = store.field.moduli[page], store.field.factor
    for number in (0, 1, modulus - 1, modulus, modulus + 1, (1 << 256) - 1, factor - 1):
        model.write(RAW, number)
        model.run("load", page)
        model.run("unload", page)
        assert model.emitted.pop() == number % modulus
    unit = -factor % modulus
    for number in (0, 1, modulus, 8 * modulus, 8 * modulus - 1, 8 * modulus - unit):
        model.write("number", number)
        model.run("unload", page)
        assert model.emitted.pop() == number * pow(factor, -1, modulus) % modulus


def test_the_multiplier_seldom_waits():
    """Sums hide behind products, and a step takes little more than its 15 products."""
    _, _, store = made(*CASES[0])
    step = store.routines["ladder_step"]
    assert step.products == 15
    assert 15 * TIMING.compute <= step.cycles <= 15 * TIMING.compute + TIMING.fed
    assert step.cycles == duration(step.passes, TIMING)


def test_gates_are_free_early_in_a_round():
    _, _, store = made(*CASES[0])
    step = store.routines["ladder_step"]
    assert step.flags == {"swap"}
    assert [p.advances for p in step.passes].count(True) == 1
    assert step.pause > len(step.passes) // 2


def test_wiping_fills_all_of_the_multiplier():
    """Two products of the register that holds zero, whatever came before."""
    _, _, store = made(*CASES[0])
    block = store.blocks[WIPE]
    passes = store.passes[: block.length]
    assert block.start == store.places[RAW] == 0
    assert [p.feeds for p in passes] == [True] * 4 + [False] * 2
    assert {p.place for p in passes if p.source is Source.REGISTER} == {0}
    model = DigitModel(store, [constants(find_curve("P-256")), {}])
    model.run(WIPE)
    assert not any(model.registers)


def test_equal_products_are_made_once_and_a_factor_one_is_none():
    program = FieldProgram("twice")
    x, y = program.input("x"), program.input("y")
    both = program.product_sum("z", (x, y, 1), (x, y, 1), (x, Constant(1), -1))
    program.output("z", both)
    lowered = lower(program, DigitField((65521,), 16, 3))
    # The last one reduces the sum, which is as large as x.
    assert [isinstance(o, Product) for o in lowered.operations] == [True, False, True]


def test_a_sum_that_is_too_large_for_an_element_is_reduced():
    program = FieldProgram("large")
    program.output("x", program.combine("x", (program.input("x"), 5)))
    lowered = lower(program, DigitField((65521,), 16, 3))
    assert lowered.outputs["x"].bound < 2
    assert isinstance(lowered.operations[-1], Product)


def test_a_selection_with_a_sign_is_not_negative():
    program = FieldProgram("negative")
    flag = Flag("flag")
    x, y = program.input("x"), program.input("y")
    program.output("z", program.select("z", flag, x, y, -1))
    field = DigitField((65521,), 16, 3)
    store = assemble([(lower(program, field, "negative"), False)], field, TIMING)
    model = DigitModel(store, [{}])
    for bit in (False, True):
        model.write("x", 3)
        model.write("y", 8 * 65521)
        model.run("negative", 0, {"flag": bit})
        assert model.element("z") == (3 if bit else 0)


def test_sums_that_outgrow_the_digits_are_refused():
    program = FieldProgram("huge")
    program.output("x", program.combine("x", (program.input("x"), 1 << 20)))
    with pytest.raises(ProgramError, match=r"huge: x may reach 8.389e\+06 p, and 2 digits"):
        lower(program, DigitField((65521,), 16, 2))
    with pytest.raises(ProgramError, match="do not hold four times a modulus of 16 bits"):
        DigitField((65521,), 16, 1)


def test_bounds_are_exact_fractions():
    """A product of small bounds is still above p: a float would lose that."""
    program = FieldProgram("product")
    program.output("x", program.product("x", program.input("x"), program.input("y")))
    lowered = lower(program, DigitField((65521,), 64, 3))
    value = lowered.outputs["x"]
    assert isinstance(value, Value)
    assert value.bound == 1 + Fraction(64 * 65521, 1 << 192) > 1
