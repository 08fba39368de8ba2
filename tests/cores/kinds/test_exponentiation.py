"""Exponentiators on an engine as cores: specification, directory, verification, reports."""

import random

import pytest

from residua import cli
from residua.cores.directory import Directory, build
from residua.cores.exponentiation.core import ExponentiationCore
from residua.cores.exponentiation.verification import model_checks, moduli_of
from residua.cores.specification.reading import check_any, load_any
from residua.cores.verification import verify_directory
from residua.errors import SpecificationError
from residua.numbers.digits import join_digits
from residua.report import page, tables

pytestmark = pytest.mark.usefixtures("few_model_powers")

N = 0xE95E4A5F737059DC60DFC7AD95B3D8139515620F | 1
ENGINE = {"algorithm": "modexp", "unit": "rns-montgomery", "modulus": N}
ROWS = {"channels": 6, "extension": "hierarchical", "columns": 3, "rowers": 3}
SMALL = {**ENGINE, "modulus": 2**64 - 59, "exponent_bits": 17, "window": 3}


def core(**values):
    return ExponentiationCore(check_any({**ENGINE, **values}))


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"modulus": 2**32}, "modulus: the modulus 0x100000000 is even"),
        ({"modulus": None}, "modulus or bits is missing: a modulus is built in"),
        ({"bits": 64}, "modulus and bits are both given: a modulus is built in"),
        ({"modulus": None, "bits": 15}, "bits = 15: expected 16 to 8192"),
        ({"modulus": None, "bits": 64, "inverse": "supplied"}, "inverse means nothing for an exp"),
        ({"window": 9}, "window = 9: expected 1 to 8 (bits of the exponent that"),
        ({"exponent": 5, "window": 2}, "window = 2: exponent = 5 is the only exponent; leave it"),
        ({"exponent": 5, "exponent_bits": 3}, "exponent_bits = 3: exponent = 5 is the only"),
        ({"exponent": 1}, "exponent = 1: expected 2 to 2^256 - 1"),
        ({"exponent_bits": 171}, "exponent_bits = 171: the words of an operand hold 1 to 170"),
        ({"exponent_bits": 2, "window": 3}, "window = 3: 1 to 2 bits"),
        ({"digit": 8}, "digit means nothing for an exponentiator on an engine: leave it out"),
        ({"lanes": 2}, "lanes means nothing for an exponentiator on an engine: leave it out"),
        ({"unit": "karatsuba"}, "unit = 'karatsuba': expected one of iddmm, rns-montgomery"),
        (
            {"unit": "iddmm", "channels": 9},
            "channels means nothing for an exponentiator on digits: leave it out, or give unit = '",
        ),
        ({"algorithm": "iddmm"}, "unit = 'rns-montgomery': algorithm = 'iddmm' has no such"),
        ({"algorithm": "rns-montgomery"}, "unit means nothing for a multiplier: leave it out"),
        ({"channels": 9}, "n = 9"),
        ({"channels": 10, "rowers": 3}, "rowers = 3 cannot share n = 10 channels evenly"),
        ({"columns": 2}, "columns = 2: extension = 'kawamura' has no rows"),
        ({"width": 8}, "w = 8 gives only"),
    ],
)
def test_refusals(values, message):
    with pytest.raises(SpecificationError) as caught:
        core(**values)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_digit_multiplier_is_the_default():
    plain = {"algorithm": "modexp", "modulus": N}
    assert check_any({**plain, "unit": "iddmm"}).items() == {
        **check_any(plain).items(),
        "unit": "iddmm",
    }


CHOICES = [
    {},
    {"exponent": 65537},
    {"channels": 12, "rowers": 4},
    {"modulus": None, "bits": 100},
    {"modulus": None, "bits": 100, "exponent": 3},
]


@pytest.mark.parametrize("values", CHOICES)
def test_choices_are_written_down(values):
    made = core(**values)
    again = ExponentiationCore(made.specification)
    assert again.specification == made.specification
    assert (again.parameters, again.cycles) == (made.parameters, made.cycles)
    assert made.cycles["interval"] == made.cycles["latency"] + made.design.operand_words + 1


def test_the_window_with_the_fewest_products():
    assert core().parameters["window"] == 4
    assert core(exponent_bits=17).parameters["window"] == 2
    # 2 products that convert, 14 of the table, a digit after another.
    assert core().cycles["products"] == 2 + 14 + 39 * 5
    assert core(exponent=65537).cycles["products"] == 2 + 16 + 1


def test_a_step_hides_the_table():
    """Looking up 16 entries in both bases takes less than half of the slots that it has."""
    made = core(modulus=2**255 - 19)
    step = made.design.processor.routines["step"]
    squarings = core(modulus=2**255 - 19, exponent=3).design.processor.routines["square"]
    assert made.parameters["window"] == 4
    assert (4 + 1) * squarings.length < step.length < (4 + 1) * squarings.length + 16


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    return build(check_any(SMALL | ROWS), tmp_path_factory.mktemp("exponentiation") / "core")


def test_verification(built):
    """Every result, and the same cycles for all bases and exponents; in rows of three moduli."""
    found = verify_directory(built, vectors=50, seed=2)
    assert found["failures"] == []
    assert (found["vectors"], found["oracle_checks"]) == (50, 50)
    assert found["model_checks"] == min(model_checks(built.made), found["model_checks"])
    assert found["model_checks"] > 3
    assert found["cycles"] == {k: built.manifest["cycles"][k] for k in ("latency", "interval")}
    text = page.render(Directory.open(built.path))
    assert "Z = X<sup>Y</sup> modulo N" in text
    assert "table_step" in text
    assert tables.verified(found, built.kind)


def test_directory(built):
    assert built.kind.name == "exponentiation"
    assert built.manifest["ranges"]["y"] == ["0", str(2**17 - 1)]
    example = built.manifest["interface"]["example"]
    assert int(example["result"]) == pow(int(example["x"]), int(example["y"]), 2**64 - 59)
    readme = (built.path / "README.md").read_text()
    assert "in 28 Montgomery products whatever Y is (windows of 3 bits)" in readme
    assert load_any(built.path / "spec.toml", {}) == built.made.specification


def test_loaded_moduli(tmp_path, measured_interval):
    """The longest and the shortest, and random ones, of one core."""
    values = {**SMALL, "modulus": None, "bits": 40, "exponent_bits": 9}
    directory = build(check_any(values), tmp_path / "core")
    moduli = moduli_of(directory.made, random.Random(1))
    assert [n.bit_length() for n in moduli] == [40, 16, 40, 40, 40, 40]
    found = verify_directory(directory, vectors=72, resets=6)
    assert (found["failures"], found["vectors"]) == ([], 72)
    assert found["model_checks"] >= len(moduli)
    cycles, powers = directory.manifest["cycles"], directory.made.exponentiations(moduli[0])
    assert found["cycles"]["latency"] == cycles["latency"]
    assert measured_interval(directory, powers) == cycles["interval"]
    example = directory.manifest["interface"]["example"]
    n, x, y = (int(example[name]) for name in ("modulus", "x", "y"))
    assert int(example["result"]) == pow(x, y, n)
    factor = int(directory.manifest["parameters"]["montgomery_factor"])
    words = [int(word) for word in example["modulus_words"]]
    assert join_digits(words[-3:], 17) == factor**2 % n
    assert (join_digits(words[3:-3], 17) * n + 1) % factor == 0
    assert "for moduli of up to 40 bits, loaded at run time" in page.render(directory)
    assert "the 3 of N, the 4 of -1 / N modulo M_a" in (directory.path / "README.md").read_text()


def test_moduli_that_cannot_be_loaded():
    design = core(modulus=None, bits=64).design
    channel = design.domain.base_a.moduli[0].value
    for modulus, message in (
        (2**15 - 1, "a modulus of 15 bits: this core takes numbers from 2^15 to 2^64 - 1"),
        (2**64, "a modulus of 65 bits: this core takes numbers from 2^15 to 2^64 - 1"),
        (channel * 65537, "the modulus shares a factor with M_a, modulo which it has no inverse"),
    ):
        with pytest.raises(SpecificationError) as caught:
            design.load_words(modulus)
        assert str(caught.value) == message


def test_command_line(tmp_path, monkeypatch, capsys):
    def run(*more):
        flags = [f"--{name.replace('_', '-')}={value}" for name, value in SMALL.items()]
        monkeypatch.setattr("sys.argv", ["residua", "build", *flags, *more])
        with pytest.raises(SystemExit) as caught:
            cli.main()
        return caught.value.code

    assert run("-o", str(tmp_path / "core")) == 0
    assert "17 bits, windows of 3" in capsys.readouterr().out
    assert run("-o", str(tmp_path / "other"), "--digit=8") == 2
    assert not (tmp_path / "other").exists()
