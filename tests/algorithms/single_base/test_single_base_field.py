"""Field programs on SBMM, word for word by the values interpreter, against plain integers."""

import random
from functools import cache

import pytest

from algorithms.positions import read
from residua.algorithms.conversion import encode
from residua.algorithms.fields.field import Constant, FieldProgram, Flag, evaluate
from residua.algorithms.fields.single_base_field import lower
from residua.algorithms.position_residue import design
from residua.algorithms.program import ProgramError
from residua.algorithms.single_base import single_base
from residua.curves import complete, ladder
from residua.errors import SpecificationError
from residua.machines.bounds import analyse
from residua.machines.values import run
from residua.numbers.half_bases import sparse_half_bases, square_partner
from residua.numbers.residues import Redundant

PROGRAMS = {
    "step": (ladder.step(), ladder.constants),
    "step a = -3": (ladder.step(a=-3), ladder.constants),
    "start": (ladder.initial_state(), ladder.constants),
    "final": (ladder.final_select(), ladder.constants),
    "fractions": (ladder.recovery_fractions(), ladder.constants),
    "complete": (complete.addition(), complete.constants),
}


@cache
def domain_of(extra, form="quadratic", width=17, channels=3):
    bases = sparse_half_bases(
        width, channels, weight=3, rowers=channels, quadratic="quadratic" in form
    )
    if form == "biquadratic":
        bases = bases[0], square_partner(bases[0], 3)
    return single_base(*bases, extra, Redundant(1), form=form, multiplication="direct")


def lowered_of(source, domain, constants):
    """With the folds that its words need."""
    lowered = lower(source, domain, constants, Redundant(1))
    lowered.program.representation = Redundant(analyse(lowered.program).folds)
    return lowered


def pair(lowered, name):
    return [lowered.outputs[f"{name}:{part}"] for part in "rk"]


def execute(lowered, domain, numbers, bits):
    """The integers modulo P that the outputs stand for, from pairs."""
    words = {name: (int(value),) for name, value in bits.items()}
    for name, element in lowered.inputs.items():
        value = numbers[name.partition(":")[0]]["rk".index(name[-1])]
        for part in (element.a, element.b):
            words[part.name] = encode(part, value, lowered.program.representation)
    outputs = run(lowered.program, words)
    names = dict.fromkeys(name.partition(":")[0] for name in lowered.outputs)
    return {
        name: domain.number([read(each, outputs) for each in pair(lowered, name)]) for name in names
    }


@pytest.mark.parametrize(
    ("extra", "form"),
    [
        (12, "quadratic"),
        (8, "quadratic"),
        (10, "short"),
        (17, "biquadratic"),
        (14, "biquadratic"),
        (9, "biquadratic"),
    ],
)
@pytest.mark.parametrize("name", PROGRAMS)
def test_lowered_programs_equal_plain_integers(name, extra, form):
    """Z = 1 at the start of a ladder, 0 and elements at the ends of their ranges (ERRATA E6)."""
    program, make = PROGRAMS[name]
    domain = domain_of(extra, form)
    constants = make(domain.modulus, -3, 7)
    lowered = lowered_of(program, domain, constants)
    chooser = random.Random(name)
    ends = [
        [int(lowered.inputs[k].b.range.low), int(lowered.inputs[k].b.range.high)]
        for k in list(lowered.inputs)[:2]
    ]
    for trial in range(10):
        numbers = {}
        for each in program.inputs:
            if trial < 5:
                numbers[each] = chooser.choice(
                    [[ends[0][0], ends[1][1]], [ends[0][1], ends[1][0]], [1, 0], [0, 0], [-1, 1]]
                )
            else:
                numbers[each] = domain.digits(chooser.randrange(domain.modulus))
        bits = {flag.name: chooser.random() < 0.5 for flag in program.flags}
        plain = {k: domain.number(pair) for k, pair in numbers.items()}
        expected = evaluate(program, domain.modulus, plain, constants=constants, flags=bits)
        assert execute(lowered, domain, numbers, bits) == expected


def test_outputs_can_be_inputs_again():
    """So that a loop can run on them."""
    lowered = lowered_of(
        ladder.step(), domain_of(12), ladder.constants(domain_of(12).modulus, 5, 7)
    )
    for name in lowered.outputs.keys() & lowered.inputs.keys():
        assert lowered.outputs[name].b.range.within(lowered.inputs[name].b.range)


def test_the_biquadratic_form_has_no_constant_products_in_its_splits():
    """4 m + 12 products a channel and carry, at most, with m moduli (`chained_split`)."""
    program = FieldProgram("square")
    x = program.input("x")
    for _ in range(3):
        x = program.product("y", x, x)
    program.output("z", program.combine("z", (x, 1)))
    lengths = [
        lower(program, domain_of(12, form), {}, Redundant(1)).program.length
        for form in ("biquadratic", "quadratic")
    ]
    # 2K and products in both bases, a combination of two coefficients, Compress of the high one.
    assert lengths[0] <= 3 * (4 * 3 + 12 + 8) + 4 + 20
    assert lengths[0] < lengths[1]


def test_quotients_are_left_out_where_there_is_room():
    """Extensions of one term, each two products a carry less; never one that is put out."""
    constants = ladder.constants(domain_of(12).modulus, 5, 7)

    def without(extra):
        program = lower(
            ladder.step(), domain_of(extra, "biquadratic"), constants, Redundant(1)
        ).program
        steps = [step for step in program.steps if step.result.name.startswith("r(")]
        assert len(steps) == 24
        return {step.result.name for step in steps if len(step.terms) == 1}

    assert len(without(9)) < len(without(17)) >= 8
    assert not any(name[2:4] in ("x0", "z0", "x1", "z1") for name in without(17))


def compressions(lowered):
    """Elements that are compressed."""
    return sum(step.result.name.endswith(":c0_a") for step in lowered.program.steps)


def test_compress_is_placed_where_the_ranges_want_it():
    """Figure 4 has seven in a step (3 in ADD, 4 in DBL), with m_gamma = 2^12."""
    constants = ladder.constants(domain_of(12).modulus, 5, 7)
    found = {
        extra: compressions(lower(ladder.step(), domain_of(extra), constants, Redundant(1)))
        for extra in (7, 12)
    }
    assert found[12] <= 7
    assert found[7] > found[12]


def test_chosen_elements_and_constants():
    """choose, load, combinations with multiples, products by constants of either sign."""
    program = FieldProgram("mixed")
    x, y = program.input("x"), program.input("y")
    one, two = Flag("one"), Flag("two")
    chosen = program.choose("chosen", (one, x), (two, y))
    loaded = program.load("loaded", Constant(-12345))
    u = program.product_sum("u", (chosen, Constant("c"), -1), (y, loaded, 1), multiple=3)
    program.output("z", program.combine("z", (u, -2), (x, 1)))
    domain = domain_of(12)
    constants = {"c": domain.modulus - 5}
    lowered = lowered_of(program, domain, constants)
    generator = random.Random(3)
    for bits in ({"one": 1, "two": 0}, {"one": 0, "two": 1}, {"one": 0, "two": 0}):
        numbers = {k: domain.digits(generator.randrange(domain.modulus)) for k in "xy"}
        plain = {k: domain.number(v) for k, v in numbers.items()}
        expected = evaluate(program, domain.modulus, plain, constants=constants, flags=bits)
        assert execute(lowered, domain, numbers, bits) == expected


def test_refusals():
    domain = domain_of(2)
    with pytest.raises(ProgramError):
        lower(ladder.step(), domain, ladder.constants(domain.modulus, 5, 7), Redundant(1))
    plain = design(2, 2, domain.split.base_a, form="short")
    with pytest.raises(SpecificationError, match="extra modulus"):
        lower(ladder.step(), plain, {}, Redundant(1))
    with pytest.raises(SpecificationError, match="short or a quadratic form"):
        lower(ladder.step(), domain_of(8, "lean"), {}, Redundant(1))
