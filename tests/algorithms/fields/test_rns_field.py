"""Field programs on residues, word for word by the values interpreter, against plain integers."""

import random

import pytest

from residua.algorithms.conversion import decode, encode, from_cofactors, split_words
from residua.algorithms.fields.field import Constant, FieldProgram, Flag, evaluate
from residua.algorithms.fields.rns_field import Lowered, closed_domain, load, lower, unload
from residua.algorithms.montgomery import MontgomeryDomain
from residua.algorithms.program import ProgramError
from residua.curves import complete, ladder, montgomery_ladder
from residua.machines.bounds import analyse
from residua.machines.values import run
from residua.numbers.bases import Base
from residua.numbers.catalogue import parse_modulus
from residua.numbers.residues import Redundant
from residua.numbers.search import search_bases

P256, P192 = parse_modulus("P-256"), parse_modulus("P-192")
PROGRAMS = {
    "step": (ladder.step(), ladder.constants),
    "step a = -3": (ladder.step(a=-3), ladder.constants),
    "final": (ladder.final_select(), ladder.constants),
    "fractions": (ladder.recovery_fractions(), ladder.constants),
    "result": (ladder.recovery_result(), ladder.constants),
    "montgomery": (montgomery_ladder.step(), lambda p, a, _: montgomery_ladder.constants(p, a)),
    "small order": (
        montgomery_ladder.small_order(8),
        lambda p, a, _: montgomery_ladder.constants(p, a),
    ),
    "complete": (complete.addition(), complete.constants),
}


def domain(modulus, width, channels):
    pair = search_bases(modulus, width, channels)
    return MontgomeryDomain(
        modulus,
        Base(pair.base_a.moduli),
        Base(pair.base_b.moduli),
        pair.cox,
        pair.cox,
        modulus,
        "quadratic",
        skips_quotient=True,
    )


@pytest.fixture(
    scope="module",
    params=[(P256, 17, 16), (P192, 17, 13), ((1 << 61) - 1, 12, 8)],
    ids=["P-256", "P-192", "2^61 - 1"],
)
def closed(request):
    modulus, width, channels = request.param
    programs = [(program, make(modulus, -3, 7)) for program, make in PROGRAMS.values()]
    number = (-(-modulus.bit_length() // width), width)
    return closed_domain(domain(modulus, width, channels), programs, number, Redundant(1))


def folded(lowered):
    """With the folds that its words need; no word then leaves w + 1 bits."""
    lowered.program.representation = Redundant(analyse(lowered.program).folds)
    return lowered


def execute(lowered: Lowered, numbers, bits=None):
    """The integers that the outputs stand for, checked to be the same in both bases."""
    representation = lowered.program.representation
    words = {name: (int(value),) for name, value in (bits or {}).items()}
    for name, element in lowered.inputs.items():
        for part in (element.a, element.b):
            words[part.name] = encode(part, numbers[name], representation)
    outputs = run(lowered.program, words)
    found = {}
    for position, name in enumerate(lowered.outputs):
        a, b = lowered.program.outputs[2 * position : 2 * position + 2]
        found[name] = decode(a, outputs[a.name])
        assert decode(b, outputs[b.name]) == found[name]
    return found


@pytest.mark.parametrize("name", PROGRAMS)
def test_lowered_programs_equal_plain_integers(closed, name):
    program, make = PROGRAMS[name]
    modulus, constants = closed.modulus, make(closed.modulus, -3, 7)
    lowered = folded(unique(lower(program, closed, constants, Redundant(1))))
    chooser = random.Random(name)
    bound, factor = closed.bound, closed.montgomery_factor
    inverse = pow(factor, -1, modulus)
    edges = [-bound, bound, 0, 1, -1, modulus, -modulus, modulus - 1]
    for trial in range(12):
        pick = edges if trial < 8 else [chooser.randrange(-bound, bound + 1) for _ in range(9)]
        numbers = {
            name: edges[trial] if trial < 2 else chooser.choice(pick) for name in program.inputs
        }
        bits = {flag.name: chooser.random() < 0.5 for flag in program.flags}
        plain = {name: number * inverse % modulus for name, number in numbers.items()}
        expected = evaluate(program, modulus, plain, constants=constants, flags=bits)
        found = execute(lowered, numbers, bits)
        assert {n: v * inverse % modulus for n, v in found.items()} == expected
        assert all(abs(value) <= bound for value in found.values())


def unique(lowered: Lowered) -> Lowered:
    """The same with outputs of unequal names, as the values interpreter wants them."""
    for position, value in enumerate(lowered.program.outputs):
        object.__setattr__(value, "name", f"output_{position}")
    return lowered


def test_numbers_in_and_out(closed):
    modulus, width = closed.modulus, closed.base_a.width
    count = -(-modulus.bit_length() // width)
    entering = folded(unique(load("x", closed, count, width, Redundant(1))))
    leaving = folded(unload("x", closed, Redundant(1)))
    result = leaving.program.outputs[0]
    assert result.range.magnitude <= modulus
    for number in (0, 1, modulus - 1, modulus, modulus + 1, (1 << count * width) - 1):
        outputs = run(entering.program, {"x": split_words(number, count, width)})
        a, b = entering.program.outputs
        value = decode(a, outputs[a.name])
        assert value == decode(b, outputs[b.name])
        assert (value - number * closed.montgomery_factor) % modulus == 0
        words = {"x_a": outputs[a.name], "x_b": outputs[b.name]}
        residues = run(leaving.program, words)[result.name]
        plain = from_cofactors(closed.base_b, residues, closed.second)
        assert -modulus <= plain <= modulus
        assert plain % modulus == number % modulus


def test_constants_combinations_and_selections(closed):
    program = FieldProgram("mixed")
    x, y = program.input("x"), program.input("y")
    c = program.load("c", Constant(5))
    chosen = program.select("chosen", Flag("f"), x, y, sign=-1)
    both = program.combine("both", (chosen, 1), (c, -3))
    program.output("z", program.product("z", both, x))
    program.output("x", x)
    wide = closed_domain(closed, [(program, {})], (1, closed.base_a.width), Redundant(1))
    lowered = folded(unique(lower(program, wide, {}, Redundant(1))))
    inverse = pow(wide.montgomery_factor, -1, wide.modulus)
    for flag in (False, True):
        found = execute(lowered, {"x": 11, "y": 22}, {"f": flag})
        wanted = ((11 if flag else -22) * inverse - 15) * 11 * inverse
        assert (found["z"] * inverse - wanted) % wide.modulus == 0
        assert found["x"] == 11


@pytest.mark.parametrize("chosen", [None, 0, 1, 2])
def test_choices(closed, chosen):
    program = FieldProgram("choice")
    flags, names = [Flag(f"f{index}") for index in range(3)], "xyz"
    inputs = [program.input(name) for name in names]
    program.output("x", program.choose("x", *zip(flags, inputs, strict=True)))
    # What is chosen is no larger than the largest: the program leaves the bound as it is.
    lowered = folded(unique(lower(program, closed, {}, Redundant(1))))
    bits = {flag.name: index == chosen for index, flag in enumerate(flags)}
    found = execute(lowered, {"x": 11, "y": 22, "z": 33}, bits)
    assert found["x"] == (0 if chosen is None else 11 * (chosen + 1))
    assert [flag.name for flag in program.flags] == ["f0", "f1", "f2"]


def test_an_output_that_grows_is_refused(closed):
    program = FieldProgram("growing")
    x = program.input("x")
    program.output("x", program.combine("x", (x, 2)))
    with pytest.raises(ProgramError, match="elements outside keep within B"):
        lower(program, closed, {}, Redundant(1))


def test_too_narrow_bases_are_refused():
    narrow = domain(P256, 17, 16)
    program = FieldProgram("wide")
    x = program.input("x")
    program.output("x", program.product_sum("x", *[(x, x, 1)] * 4, multiple=1 << 40))
    with pytest.raises(ProgramError, match="base extension is exact only within"):
        closed_domain(narrow, [(program, {})], (16, 17), Redundant(1))


def test_a_missing_constant_is_named(closed):
    program = FieldProgram("unknown")
    program.output("x", program.product("x", program.input("x"), Constant("b")))
    with pytest.raises(Exception, match="no constant 'b'; there are \\['a'\\]"):
        lower(program, closed, {"a": 1}, Redundant(1))
