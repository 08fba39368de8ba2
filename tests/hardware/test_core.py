"""The word-stream core against plain integers."""

import random
from itertools import pairwise

import pytest
from tests.algorithms.domains import P17, P64, P192, signed_domain
from tests.hardware.streams import pass_through

from residua.algorithms.conversion import from_cofactors, split_words
from residua.algorithms.single_base import single_base
from residua.errors import SpecificationError
from residua.hardware.converters.montgomery_words import MontgomeryWords
from residua.hardware.converters.single_base_words import SingleBaseWords
from residua.hardware.converters.word_core import WordCore
from residua.hardware.engine.datapath_design import EngineOptions
from residua.machines.values import run
from residua.numbers.half_bases import sparse_half_bases
from residua.numbers.residues import Redundant

PACES = [(1.0, 1.0), (0.5, 1.0), (1.0, 0.05), (0.4, 0.3)]

SHAPES = [
    # modulus, w, n, form, rowers, multipliers
    (P64, 17, 4, "quadratic", 4, 1),
    (P64, 16, 5, "reordered", 5, 2),
    (P64, 33, 3, "reordered", 3, 2),
    (P64, 17, 4, "plain", 4, 3),
    (P64, 17, 4, "quadratic", 2, 4),
    (P64, 17, 4, "reordered", 1, 1),
    (P17, 8, 3, "reordered", 3, 1),
]


def design_of(modulus, width, channels, form, result, rowers, multipliers, goal="latency"):
    domain = signed_domain(modulus, width, channels, form)
    return MontgomeryWords(domain, result, EngineOptions(rowers, goal=goal), multipliers)


def operands_of(design, count, seed=1):
    """Edges, then random pairs."""
    generator = random.Random(seed)
    modulus, most = design.domain.modulus, (1 << (design.width * design.words)) - 1
    edges = [0, 1, modulus - 1, design.largest]
    largest_x = most if design.result == "plain" else design.largest
    pairs = [(edge, other) for edge in (1, modulus - 1, largest_x) for other in edges]
    while len(pairs) < count:
        x, y = generator.randrange(modulus), generator.randrange(modulus)
        pairs.append(generator.choice([(x, y), (x, modulus - 1), (0, y), (modulus - x, x)]))
    return pairs[:count]


def expected(design, pairs):
    domain = design.domain
    scale = 1 if design.result == "plain" else pow(domain.montgomery_factor, -1, domain.modulus)
    return [x * y * scale % domain.modulus for x, y in pairs]


def simulate(design, pairs, pace=(1.0, 1.0)):
    core = WordCore(design)
    words = [w for pair in pairs for x in pair for w in split_words(x, design.words, design.width)]
    return pass_through(core, core.operands, core.result, words, design.width, len(pairs), pace)


@pytest.mark.parametrize("result", ["montgomery", "plain"])
@pytest.mark.parametrize(("modulus", "width", "channels", "form", "rowers", "c"), SHAPES)
def test_products(modulus, width, channels, form, rowers, c, result):
    design = design_of(modulus, width, channels, form, result, rowers, c)
    pairs = operands_of(design, 12)
    transfers = simulate(design, pairs)
    assert transfers.results == expected(design, pairs)
    assert set(transfers.lengths) == {design.words}
    check_cycles(design, transfers)


def check_cycles(design, transfers):
    """Latency and interval are the stated ones."""
    finished, last_word = transfers.finished, 2 * design.words - 1
    assert finished[0] - transfers.taken[last_word] == design.latency
    assert {b - a for a, b in pairwise(finished)} == {design.interval}


@pytest.mark.parametrize(
    ("half", "rowers", "columns", "c", "pace"),
    [(2, 1, 1, 2, PACES[0]), (2, 2, 2, 1, PACES[3])],
)
def test_single_base_products(half, rowers, columns, c, pace):
    """Binary words beside an extra modulus, in the short form, with rows and without."""
    bases = sparse_half_bases(12, half, weight=3, rowers=rowers, quadratic=False)
    keys = {"form": "short", "multiplication": "direct", "columns": columns}
    domain = single_base(*bases, 6, Redundant(1), **keys)
    design = SingleBaseWords(domain, EngineOptions(rowers), c)
    numbers = [0, 1, domain.modulus - 1, design.largest, domain.split.base_a.product]
    generator = random.Random(1)
    pairs = [(x, generator.choice(numbers[1:])) for x in numbers]
    pairs.append((design.largest, generator.randint(0, design.largest)))
    found = simulate(design, pairs, pace)
    assert found.results == [x * y % domain.modulus for x, y in pairs]
    if pace == PACES[0]:
        assert {b - a for a, b in pairwise(found.finished)} == {design.interval}


@pytest.mark.parametrize(("result", "c"), [("montgomery", 1), ("plain", 2), ("montgomery", 4)])
def test_a_short_interval(result, c):
    design = design_of(P64, 17, 4, "quadratic", result, 4, c, "interval")
    pairs = operands_of(design, 4)
    transfers = simulate(design, pairs)
    assert transfers.results == expected(design, pairs)
    check_cycles(design, transfers)


@pytest.mark.parametrize(
    ("goal", "pace"), [*(("latency", pace) for pace in PACES[1:]), ("interval", PACES[3])]
)
def test_stalls_lose_nothing(goal, pace):
    design = design_of(P64, 17, 4, "quadratic", "montgomery", 4, 2, goal)
    pairs = operands_of(design, 12)
    assert simulate(design, pairs, pace).results == expected(design, pairs)


def test_192_bit_product():
    design = design_of(P192, 17, 12, "quadratic", "plain", 12, 2)
    pairs = [(P192 - 1, P192 - 1), (P192 - 2, 3), (2**204 - 1, design.largest)]
    assert simulate(design, pairs).results == expected(design, pairs)


def test_program_has_only_what_the_result_needs():
    design = design_of(P64, 17, 4, "quadratic", "montgomery", 4, 1)
    names = [step.result.name for step in design.program.steps]
    assert names == ["x'", "y'", "x'", "u_a", "y'", "u_b", "s_b"]


def test_values_interpreter_runs_the_program():
    design = design_of(P64, 17, 4, "quadratic", "montgomery", 4, 1)
    pairs = operands_of(design, 20)
    for pair, product in zip(pairs, expected(design, pairs), strict=True):
        words = [split_words(number, design.words, design.width) for number in pair]
        outputs = run(design.engine.program, dict(zip("xy", words, strict=True)))
        conversion = design.conversion
        value = from_cofactors(conversion.base, outputs["s_b"], conversion.cox)
        assert conversion.values[0] <= value <= conversion.values[1]
        assert value % design.domain.modulus == product


def test_unknown_result_is_refused():
    with pytest.raises(SpecificationError, match="give 'montgomery' or 'plain'"):
        design_of(P64, 17, 4, "quadratic", "binary", 4, 1)


def test_too_many_multipliers_are_refused():
    design = design_of(P64, 17, 4, "quadratic", "plain", 4, 6)
    with pytest.raises(SpecificationError, match="1 to 5 multipliers, not 6"):
        _ = design.latency


def test_rowers_must_divide_the_channels():
    design = design_of(P64, 17, 4, "quadratic", "plain", 3, 1)
    with pytest.raises(SpecificationError, match="must divide 4"):
        _ = design.latency
