"""SBMM multipliers: what is refused, which bases are found, cores end to end."""

import random
import re
import tomllib
from itertools import product

import pytest
from tests.schedules import quick_schedules

from residua.algorithms.conversion import from_cofactors, split_words
from residua.cores.directory import Directory, build
from residua.cores.simulation.runs import MOST_RESETS, Runs
from residua.cores.simulation.words import build_word_simulator, verify_words
from residua.cores.single_base.core import SingleBaseCore
from residua.cores.single_base.verification import decode, single_base_workload
from residua.cores.specification.reading import check_any, load_any
from residua.cores.verification import verify_directory
from residua.errors import SpecificationError
from residua.machines.bounds import analyse
from residua.machines.values import run
from residua.numbers.half_bases import base_of_product
from residua.numbers.primes.position_primes import find_prime, is_probable_prime
from residua.report import page

SMALL = {"channels": 4, "width": 17, "extra_bits": 5}
ROWS = {"extension": "hierarchical"}
WORDS = {"interface": "words"}
BINARY = {"channels": 4, "width": 12, **WORDS}


def core(**values):
    return SingleBaseCore(check_any({"algorithm": "sbmm", **values}))


def refusal(**values):
    with pytest.raises(SpecificationError) as caught:
        core(**values)
    assert "\n" not in str(caught.value)
    return str(caught.value)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({}, "bits, channels, modulus or base_a is missing"),
        ({"channels": 5}, "n = 5 channels do not make two half-bases: n has to be even"),
        ({"bits": 200}, "bits: P = M_a^2 - 2 with moduli of w = 16 bits has a multiple of 2 w"),
        ({"bits": 192, "channels": 8}, "contradictory: by channels n = 8, bits n = 12"),
        ({"bits": 192, "rowers": 4}, "rowers = 4 cannot share n = 12 channels"),
        ({"bits": 192, "width": 15, "extra_bits": 16}, "extra_bits = 16: the extra modulus has no"),
        ({"bits": 192, "extra_bits": 1}, "extra_bits = 1: expected 2 to 16, not above w"),
        ({"bits": 192, "compress": "maybe"}, "compress = 'maybe': expected one of true, false"),
        ({"modulus": 2**192 - 237}, "P + 2 is no square"),
        ({"modulus": (2**32 - 5) ** 2 - 2}, "is no product of"),
        ({"base_a": [65521, 65519]}, "is composite: the moduli of base a have to make it"),
        ({"base_a": [251], "width": 8}, "is too small: it must be at least 65536; take more"),
        ({"channels": 2, "width": 8}, "is too small: it must be at least 65536; take more"),
        ({"base_b": [65521, 65519]}, "base_a is missing"),
        ({"base_a": [65521, 65519], "base_b": [65537]}, "base_a has 2 moduli and base_b 1"),
        ({"bits": 192, "curve": "P-192"}, "bits means nothing for a coprocessor"),
        ({"bits": 192, "bus": "axi", "interface": "residues"}, "words go through a bus; give inte"),
        ({"bits": 192, "output_multipliers": 2}, "residues' has no binary result; give interface"),
        ({"bits": 192, **WORDS, "compress": True}, "compress = true: results of a core with inter"),
        ({"bits": 192, **WORDS, "rowers": "full"}, "rowers = full are two lanes, and binary words"),
        ({"bits": 192, "bases": "sparse", "weight": 1}, "moduli"),
        ({"bits": 192, "extra_bits": 2, "compress": True}, "m_gamma = 2^2"),
        ({"bits": 192, **ROWS, "columns": 4}, "half-bases of 6 moduli do not make rows of c = 4"),
        ({"bits": 192, **ROWS, "rowers": "full"}, "rowers = 12 are two lanes"),
        ({"bits": 384, **ROWS, "rowers": 3}, "rowers = 3 do not make rows of c = 2; 2, 4, 6, 12"),
        ({"bits": 192, "columns": 2}, "extension = 'kawamura' has no rows"),
    ],
)
def test_refusals(values, message):
    assert message in refusal(**values)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"output_multipliers": 5}, "output_multipliers = 5: n = 4 channels have use for 1 to 4"),
        (
            {"extra_bits": 2},
            "extra_bits = 2 leaves no room for products of binary operands: no Cox",
        ),
        ({"channels": 12, "skip_quotient": True}, "extra_bits = 6 leaves no room for products of"),
    ],
)
def test_words_that_cannot_be_converted_are_refused(values, message):
    with pytest.raises(SpecificationError, match=f"^{message}"):
        core(**BINARY | values).files()


def test_even_modulus_is_refused():
    base_a = [m.value for m in find_prime(96, 16, seed=4).base]
    assert "2^16 is even" in refusal(base_a=base_a, base_b=[65536, 65539, 65533])


@pytest.mark.parametrize(
    "values",
    [
        {"bits": 192},
        {"channels": 12},
        {"bits": 384, "width": 32},
        {"bits": 96, "bases": "any", "skip_quotient": True},
        {"bits": 72, "width": 9, "extra_bits": 4},
    ],
)
def test_found_bases(values):
    """M_a^2 - 2 is a prime of the size asked for; the specification leads to the same core."""
    made = core(**values)
    split = made.domain.split
    assert made.domain.modulus == split.base_a.product**2 - 2
    assert is_probable_prime(made.domain.modulus)
    assert made.domain.modulus.bit_length() == values.get("bits", 192)
    assert len(split.base_a) == len(split.base_b) - 1 == made.rowers == made.channels // 2
    again = SingleBaseCore(made.specification)
    assert again.domain == made.domain
    assert again.specification == made.specification


def test_given_prime():
    """A modulus alone says base a; base b is found."""
    prime = find_prime(96, 16, seed=4)
    by_modulus, by_base = core(modulus=prime.value), core(base_a=[m.value for m in prime.base])
    assert by_modulus.domain.modulus == by_base.domain.modulus == prime.value
    assert set(by_modulus.domain.split.base_a) == set(prime.base)
    assert base_of_product(prime.base.product, 16, 3).product == prime.base.product
    assert by_base.reduction == "multiply"


@pytest.mark.parametrize(
    ("values", "latency", "interval"),
    [({}, 56, 50), ({"width": 32, "bits": 384}, 58, 50), ({"width": 32, "bits": 512}, 66, 58)],
)
def test_published_sizes(values, latency, interval):
    """The rows of the paper's Table 4 with n / 2 rowers: 58, 58 and 66 cycles there."""
    made = core(**({"bits": 192} | values))
    assert made.cycles["latency"] == latency
    assert made.cycles["interval"] == interval
    assert made.rowers == made.channels // 2


@pytest.mark.parametrize(
    ("values", "latency"),
    [
        ({}, 40),
        ({"width": 32, "bits": 384}, 46),
        ({"width": 32, "bits": 512}, 50),
        ({"skip_quotient": True}, 39),
        ({"levels_per_register": 2}, 37),
        ({"skip_quotient": True, "levels_per_register": 2}, 36),
    ],
)
def test_both_splits_at_once(values, latency):
    """n rowers, the version that the paper announces (section 6.1)."""
    made = core(**({"bits": 192} | values), rowers="full")
    assert made.cycles["latency"] == latency
    assert made.rowers == made.channels
    assert made.design.lanes == 2
    assert made.specification.rowers == made.channels


@pytest.mark.parametrize(
    ("bits", "columns", "latency", "kawamura"),
    [(384, 2, 66, 78), (512, 2, 79, 95), (512, 4, 73, 95)],
)
def test_hierarchical_splits(bits, columns, latency, kawamura):
    """n / 2 rowers of 16 bits, super-residues of rows of c moduli: fewer broadcasts."""
    keys = {"bits": bits, "levels_per_register": 2}
    assert core(**keys, **ROWS, columns=columns).cycles["latency"] == latency
    assert core(**keys).cycles["latency"] == kawamura


@pytest.mark.parametrize(
    "values", [{"compress": True}, {"channels": 8, "rowers": 2, "skip_quotient": True}]
)
def test_hierarchical_verification(values, tmp_path):
    """Rows beside m_gamma: its word, and what it hears of super-residues."""
    keys = {"algorithm": "sbmm", **SMALL, **ROWS, **values}
    with quick_schedules():
        made = build(check_any(keys), tmp_path / "core")
        found = made.made.simulate(made.sources(), Runs(3000))
        assert found.failures == ()
        assert (found.vectors, found.mismatches) == (3000, 0)
        assert found.oracle_checks > 2500
        assert found.interval == made.manifest["cycles"]["interval"]
        assert Directory.open(made.path).made.specification == made.made.specification


def test_workload_has_what_the_errata_warn_of():
    made = core(**SMALL)
    workload = single_base_workload(made.program, made.domain, 1)
    pool, vectors = workload.pools[0], made.program.inputs[:4]
    radix = made.domain.split.base_a.product
    positions = {}
    for position, element in enumerate(pool.fixed[:400]):
        words, parts = list(element), []
        for vector in vectors:
            parts.append(words[: len(vector.base)])
            words = words[len(vector.base) :]
        pair = decode(vectors[:2], parts[:2]), decode(vectors[2:], parts[2:])
        positions.setdefault(pair, position)
    pairs = set(positions)
    r, k = (made.ranges_of_operands[i] for i in range(2))
    assert {(0, 0), (1, 0), (0, 1)} <= pairs
    corners = set(product((int(r.low), int(r.high)), (int(k.low), int(k.high))))
    assert corners <= pairs
    assert any(abs(one - radix) <= 1 for one, _ in pairs)
    assert len(workload.cases) > 2000
    ends = [(0, 0), (1, 0), (0, 1), *corners]
    places = [positions[pair] for pair in ends]
    assert set(product(places, repeat=2)) <= set(workload.cases)


def test_oracle_finds_a_wrong_word():
    made = core(**SMALL, compress=True)
    workload = single_base_workload(made.program, made.domain, 1)
    element = workload.pools[0].fixed[7]
    inputs, words = {}, [*element, *element]
    for source in made.program.inputs:
        inputs[source.name] = tuple(words[: len(source.base)])
        words = words[len(source.base) :]
    outputs = run(made.program, inputs)
    assert workload.oracle(inputs, outputs) is None
    for name, found in outputs.items():
        for position in range(len(found)):
            changed = list(found)
            changed[position] += 1
            assert workload.oracle(inputs, outputs | {name: tuple(changed)})


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    path = tmp_path_factory.mktemp("sbmm") / "core"
    keys = {"algorithm": "sbmm", **SMALL, "compress": True, "rowers": "full"}
    return build(check_any(keys), path)


def test_directory(built):
    found = Directory.open(built.path)
    assert found.kind.name == "sbmm"
    assert found.made.cycles == found.manifest["cycles"]
    text = (found.path / "README.md").read_text(encoding="utf-8")
    assert "and m_gamma" in text
    assert "`c1_a` beside `c0_a`" in text
    specification = tomllib.loads((found.path / "spec.toml").read_text(encoding="utf-8"))
    assert specification["compress"] == found.made.request.compress
    assert load_any(found.path / "spec.toml", {}) == found.made.specification
    payload = next(p for p in found.manifest["ports"] if p["name"] == "operands_payload")
    assert payload["width"] == 3 * 18
    result = next(p for p in found.manifest["ports"] if p["name"] == "result")
    assert result["width"] == 2 * payload["width"]
    assert re.search(r"m_gamma:\s+-16 to 15", (found.path / f"rtl/{found.top}.v").read_text())


def test_verification(built):
    found = verify_directory(built, vectors=4096)
    assert found["passed"], found["failures"]
    assert found["mismatches"] == 0
    assert found["cycles"]["latency"] == built.manifest["cycles"]["latency"]
    assert found["oracle_checks"] > 3000


def test_report(built):
    text = page.render(built)
    assert "Single-base multiplier" in text
    assert "m<sub>γ</sub>" in text


ABOVE = {"base_a": [4097, 4103], "width": 12}
"""Moduli above 2^w: P has a bit more than n w."""


@pytest.mark.parametrize(
    "values",
    [
        {"channels": 4},
        {"channels": 2, "extra_bits": 3},
        {"channels": 8, "extra_bits": 9, "skip_quotient": True},
        {"channels": 6, **ROWS, "columns": 3},
        ABOVE,
    ],
)
def test_program_of_words(values):
    """What is converted is congruent to the product and in its range."""
    made = core(**BINARY | {"channels": None} | values)
    design, modulus, chooser = made.words, made.domain.modulus, random.Random(1)
    ends = [0, 1, modulus - 1, design.largest, made.domain.split.base_a.product]
    pairs = [*product(ends, repeat=2), *made.first_pairs()]
    pairs += [tuple(chooser.randint(0, design.largest) for _ in "xy") for _ in range(40)]
    conversion, program = design.conversion, design.program
    program.representation = analyse(program).representation
    for pair in pairs:
        words = [split_words(number, design.words, design.width) for number in pair]
        outputs = run(program, dict(zip("xy", words, strict=True)))
        residues = [word for vector in outputs.values() for word in vector]
        value = from_cofactors(conversion.base, residues, conversion.cox)
        assert conversion.values[0] <= value <= conversion.values[1]
        assert value % modulus == design.expected(*pair) == pair[0] * pair[1] % modulus


def test_largest_operands_of_words():
    """All that the words hold, or P - 1 where that would be many times P."""
    made, above = core(**BINARY), core(**WORDS, **ABOVE)
    assert made.ranges["x"] == made.ranges["y"] == (0, 2**48 - 1)
    assert above.domain.modulus.bit_length() == 49
    assert above.words.words == 5
    assert above.ranges["x"] == above.ranges["y"] == (0, above.domain.modulus - 1)
    numbers = {n for pair in made.first_pairs() for n in pair}
    radix = made.domain.split.base_a.product
    assert {radix - 1, radix, radix + 1} <= {n + step for n in numbers for step in (-1, 0, 1)}


@pytest.fixture(scope="module")
def words(tmp_path_factory):
    keys = {"algorithm": "sbmm", **BINARY, "output_multipliers": 2}
    return build(check_any(keys), tmp_path_factory.mktemp("words") / "core")


def simulated(made, sources):
    """What a short simulation of the Verilog of a core with words finds."""
    simulator = build_word_simulator(made.words, sources, top=made.name)
    return verify_words(simulator, Runs(600, 5, False), made.first_pairs())


def test_verification_of_words(words):
    found = simulated(words.made, words.sources())
    assert found.failures == ()
    assert (found.vectors, found.resets) == (600, MOST_RESETS)
    cycles = words.manifest["cycles"]
    assert (found.latency, found.interval) == (cycles["latency"], cycles["interval"])
    assert cycles["latency"] == 1 + cycles["engine_latency"] + cycles["conversion_latency"]
    alone = core(**BINARY | {"interface": "residues"}).cycles
    assert cycles["residues_latency"] == alone["latency"]
    assert cycles["residues_interval"] == alone["interval"]


def test_directory_of_words(words):
    found = Directory.open(words.path)
    assert found.made.specification == words.made.specification
    assert load_any(found.path / "spec.toml", {}) == found.made.specification
    items = found.made.specification.items()
    assert (items["interface"], items["output_multipliers"]) == ("words", 2)
    assert not {"interface", "output_multipliers"} & core(**SMALL).specification.items().keys()
    example = found.manifest["interface"]["example"]
    x, y, result = (int(example[name]) for name in ("x", "y", "result"))
    assert x * y % found.made.domain.modulus == result
    assert "Z = X Y mod P" in (found.path / "README.md").read_text(encoding="utf-8")
    assert "Z = X Y modulo P, in [0, P)" in page.render(found)


@pytest.mark.parametrize(
    "fault",
    [
        # The word of m_gamma does not come to the bus.
        r"(assign n\d+ = )narrow_bus_\w+( \? stored : quotient;)",
        # The Cox does not see it.
        r"(assign narrow_chosen_next = )narrow_tap( \? narrow_leading : )",
    ],
)
def test_faults_of_words_are_found(words, tmp_path, fault):
    own, *primitives = words.sources()
    text, count = re.subn(fault, r"\g<1>1'b0\g<2>", own.read_text(encoding="utf-8"))
    assert count == 1
    broken = tmp_path / own.name
    broken.write_text(text, encoding="utf-8")
    found = simulated(words.made, [broken, *primitives])
    assert found.mismatches > 0
