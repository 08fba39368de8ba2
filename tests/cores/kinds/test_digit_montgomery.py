"""Digit multipliers as cores: specification, directory, verification, synthesis, refusals."""

import json
import random
import re

import pytest
from tests.cores.planted import replaced

from residua import cli
from residua.cores.digit.core import DigitCore
from residua.cores.digit.specification import DigitSpecification
from residua.cores.digit.verification import moduli_of, verify_digits
from residua.cores.directory import Directory, build
from residua.cores.simulation.runs import Runs
from residua.cores.specification.reading import check, check_any, load_any
from residua.cores.verification import run_directory, verify_directory
from residua.errors import SpecificationError
from residua.numbers.catalogue import find_modulus
from residua.report import page, tables

P24 = 2**24 - 3
SMALL = {"algorithm": "iddmm", "modulus": P24, "digit": 8}
LOADED = {
    "algorithm": "iddmm",
    "bits": 24,
    "digit": 8,
    "inverse": "supplied",
    "version": 2,
    "operand_check": "flag",
}


def core(**values):
    return DigitCore(check_any({"algorithm": "iddmm", **values}))


def check_fault(made, monkeypatch, fault):
    """Verification passes without a fault of the Verilog, and tells of one."""
    old, new, message = fault or ("", "", "")
    if fault:
        made = replaced(monkeypatch, made.path, f"rtl/{made.name}.v", old, new)
    found = run_directory(made, vectors=64)
    assert found["passed"] == (fault is None)
    assert all(message in failure for failure in found["failures"])


MODULUS_FAULTS = {
    "no error": ("modulus_error <= n13;", "", "a result modulo an even number"),
    "no product waits": ("loaded <= n15;", "loaded <= 1'b1;", "a result modulo an even number"),
}
"""What is replaced in the Verilog, by what, and what is said of it."""


@pytest.mark.parametrize("name", [None, *MODULUS_FAULTS])
def test_even_moduli_in_the_verilog(name, tmp_path, monkeypatch):
    """An even modulus is refused, and what waits is multiplied modulo the next one."""
    made = build(check_any({"algorithm": "r2mm", "bits": 17}), tmp_path / "core")
    check_fault(made, monkeypatch, MODULUS_FAULTS.get(name))


OPERAND_FAULTS = {
    "never": ("assign n15 = ~y_below;", "assign n15 = 1'b0;", "an operand is out of range"),
    "always": ("assign n15 = ~y_below;", "assign n15 = 1'b1;", "a right result is an error"),
    "of one bank": ("errors[1] <= error;", "errors[1] <= 1'b0;", "an operand is out of range"),
}
"""What is replaced in the Verilog, by what, and what is said of it."""


@pytest.mark.parametrize("name", [None, *OPERAND_FAULTS])
def test_operands_out_of_range_in_the_verilog(name, tmp_path, monkeypatch):
    """They are flagged, and no others are."""
    keys = {"algorithm": "iddmm", "modulus": 0x1000B, "digit": 5, "operand_check": "flag"}
    made = build(check_any(keys), tmp_path / "core")
    check_fault(made, monkeypatch, OPERAND_FAULTS.get(name))


def refusal(**values):
    with pytest.raises(SpecificationError) as caught:
        core(**values)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def contents(path):
    return {
        str(p.relative_to(path)): p.read_bytes() for p in sorted(path.rglob("*")) if p.is_file()
    }


@pytest.mark.parametrize(
    ("values", "message"),
    [
        (
            {},
            (
                "modulus or bits is missing: a modulus is built in, bits says how long the moduli "
                "are that are loaded at run time"
            ),
        ),
        (
            {"modulus": "P-256", "bits": 256},
            (
                "modulus and bits are both given: a modulus is built in, bits is for moduli that "
                "are loaded at run time; leave out one of them"
            ),
        ),
        ({"modulus": 2**64}, "modulus: the modulus 0x10000000000000000 is even: Montgomery"),
        ({"modulus": 12345}, "modulus: the modulus 12345 is too small: it must be at least 2^15"),
        ({"bits": 15}, "bits = 15: expected 16 to 8192 (bits N of moduli that"),
        ({"bits": 8193}, "bits = 8193: expected 16 to 8192"),
        (
            {"modulus": 2**8192 + 1},
            "the modulus has 8193 bits, and a digit multiplier has at most 8192",
        ),
        (
            {"modulus": P24, "digit": 1},
            "digit = 1: expected 2 to 128, with curve 4 to 64 (bits k of a digit of a",
        ),
        ({"modulus": P24, "digit": 129}, "digit = 129: expected 2 to 128"),
        (
            {"modulus": P24, "digit": 24, "version": 1},
            (
                "multiplier = 'schoolbook' divides digits in two down to 2 bits, and digit = 24 is "
                "no power of two: 16 and 32 are, or give multiplier = 'inferred'"
            ),
        ),
        (
            {"modulus": P24, "version": 3, "pipeline": 2},
            "pipeline = 2, but version = 3 has pipeline = 1: leave out one of them",
        ),
        (
            {"modulus": P24, "lanes": 2, "architecture": 1},
            "architecture = 1: lanes = 2 has a datapath of its own; leave it out",
        ),
        (
            {"modulus": P24, "lanes": 2, "operand_check": "flag"},
            "operand_check = 'flag': lanes = 2 has a datapath of its own; leave it out",
        ),
        (
            {"modulus": P24, "lanes": 3},
            ("lanes = 3: operands of 24 bits have 2 digits of 16 bits, and use for 1 to 2 lanes"),
        ),
        (
            {"modulus": P24, "algorithm": "r2mm", "lanes": 1},
            "lanes = 1: algorithm = 'r2mm' has no such choice; leave it out",
        ),
        (
            {"modulus": P24, "inverse": "computed"},
            (
                "inverse = 'computed': a modulus that is built in has its inverse built in; leave "
                "it out"
            ),
        ),
        ({"modulus": P24, "channels": 3}, "channels means nothing for a digit multiplier: leave"),
        ({"modulus": P24, "variant": "open"}, "variant = 'open': expected one of subtract, closed"),
        (
            {"modulus": 2**15 - 1},
            "modulus: the modulus 32767 is too small: it must be at least 2^15",
        ),
        (
            {"modulus": P24, "algorithm": "mwr2kmm"},
            "algorithm = 'mwr2kmm': not available in this version; available: rns-montgomery",
        ),
    ],
)
def test_refusals(values, message):
    assert refusal(**values).startswith(message)


def test_another_algorithm_is_refused():
    with pytest.raises(SpecificationError, match=r"^algorithm = 'rns-montgomery' is no algorithm"):
        check(DigitSpecification, {"algorithm": "rns-montgomery", "modulus": P24})


def test_other_kinds_do_not_take_its_keys():
    with pytest.raises(SpecificationError, match=r"^lanes means nothing for a multiplier: leave"):
        check_any({"modulus": "P-256", "lanes": 2})


def test_versions_are_those_of_the_report():
    for version, (multiplier, pipeline) in {
        1: ("schoolbook", 0),
        2: ("inferred", 0),
        3: ("schoolbook", 1),
        4: ("inferred", 1),
    }.items():
        parameters = core(bits=1024, digit=64, version=version).parameters
        assert (parameters["multiplier"], parameters["pipeline"]) == (multiplier, pipeline)
    made = core(bits=1024, digit=64, version=4)
    assert made.cycles["compute"] == made.cycles["interval"] == 304
    assert made.specification.items()["pipeline"] == 1
    assert "version" not in made.specification.items()


@pytest.mark.parametrize(
    ("values", "name"),
    [
        ({"modulus": "P-256"}, "iddmm_p256_256x16"),
        ({"bits": 256}, "iddmm_256x16"),
        ({"bits": 256, "digit": 17, "lanes": 2}, "iddmm_256x17_lanes_2"),
        ({"modulus": "P-192", "algorithm": "mwr2mm", "digit": 8}, "mwr2mm_p192_192x8"),
        ({"modulus": P24, "name": "mine"}, "mine"),
    ],
)
def test_names(values, name):
    assert core(**values).name == name


@pytest.mark.parametrize(
    "values",
    [
        {},
        {"architecture": 1},
        {"lanes": 2, "variant": "closed"},
        {"algorithm": "r2mm"},
        {"algorithm": "mwr2mm", "variant": "closed"},
    ],
)
def test_model_and_bounds(values):
    """Every core has the values, counts and bounds of its algorithm."""
    made = core(modulus=2**32 - 5, digit=8, **values)
    products = made.products()
    for x in (0, 1, products.largest_x // 3, products.largest_x):
        for y in (0, products.largest // 2, products.largest):
            assert made.model(products, x, y) == products.expected(x, y)
    assert all(low <= high for low, high in made.kept.values())
    assert 0 < made.utilisation <= 1


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    return build(check_any(SMALL), tmp_path_factory.mktemp("digits") / "core")


@pytest.fixture(scope="module")
def loaded(tmp_path_factory):
    return build(check_any(LOADED), tmp_path_factory.mktemp("loaded") / "core")


def test_specification_leads_to_the_same_files(built, tmp_path):
    again = build(load_any(built.path / "spec.toml", {}), tmp_path / "again")
    assert contents(again.path) == contents(built.path)
    opened = Directory.open(built.path)
    assert opened.kind.name == "digit"
    assert opened.made.parameters == built.manifest["parameters"]


def test_manifest_tells_ranges_and_streams(built, loaded):
    manifest = built.manifest
    assert manifest["ranges"]["y"] == ["0", str(P24 - 1)]
    assert manifest["ranges"]["x"] == ["0", str(2**24 - 1)]
    assert manifest["ranges"]["results"] == ["0", str(P24 - 1)]
    assert manifest["ranges"]["A_n"] == ["0", "1"]
    assert manifest["parameters"]["montgomery_factor"] == str(2**24)
    assert manifest["counts"]["steps"] == 12
    ports = {port["name"]: port["width"] for port in manifest["ports"]}
    assert (ports["operands_payload"], ports["result_payload"]) == (8, 9)
    assert "modulus_payload" not in ports
    example = manifest["interface"]["example"]
    words = [int(word) for word in example["operand_words"]]
    assert sum(word << 8 * i for i, word in enumerate(words)) == int(example["x"]) + (
        int(example["y"]) << 24
    )
    inverse = pow(2**24, -1, P24)
    assert int(example["result"]) == int(example["x"]) * int(example["y"]) * inverse % P24
    readme = (built.path / "README.md").read_text()
    assert f"| {manifest['cycles']['latency']} |" in readme
    ports = {port["name"]: port["width"] for port in loaded.manifest["ports"]}
    assert ports["result_payload"] == 10
    assert "Bit 9, `error`, is 1" in (loaded.path / "README.md").read_text()
    assert (ports["modulus_payload"], ports["modulus_error"]) == (8, 1)
    assert len(loaded.manifest["interface"]["example"]["modulus_words"]) == 4
    assert "`modulus` takes 4 words" in (loaded.path / "README.md").read_text()


def test_verification(loaded):
    """Several moduli, and the same cycles for all operands."""
    found = verify_directory(loaded, vectors=2000, seed=3)
    assert found["failures"] == []
    assert (found["vectors"], found["mismatches"], found["passed"]) == (2000, 0, True)
    assert found["model_checks"] > 0
    assert found["cycles"] == {k: loaded.manifest["cycles"][k] for k in ("latency", "interval")}
    assert "Z ≡ X Y / R modulo p" in page.render(loaded)
    assert tables.built(dict(loaded.manifest), loaded.path)


@pytest.mark.parametrize("modulus", [2**15 + 1, 2**16 - 1])
def test_the_shortest_moduli(modulus, tmp_path):
    """16 bits, as with moduli that are loaded."""
    values = {"algorithm": "iddmm", "modulus": modulus, "digit": 5, "version": 4}
    made = build(check(DigitSpecification, values), tmp_path / "core")
    found = made.made.simulate(made.sources(), Runs(500, 4))
    assert (found.mismatches, found.passed) == (0, True)


def test_moduli_are_adversarial(loaded, built):
    found = moduli_of(loaded.made, random.Random(1))
    assert {2**24 - 1, 2**23 + 1, 2**23 - 1, 255} <= set(found)
    assert all(modulus % 2 for modulus in found)
    assert moduli_of(built.made, random.Random(1)) == [P24]


def test_lost_carry_is_found(built, tmp_path):
    """The mistake of the printed algorithm: digit n of A is not kept (ERRATA E22)."""
    text = built.sources()[0].read_text()
    broken, count = re.subn(r"above <= (?!above\b).*;", "above <= 1'b0;", text)
    assert count
    path = tmp_path / "core.v"
    path.write_text(broken)
    found = verify_digits(built.made, [path, built.sources()[1]], Runs(300, stalls=False))
    assert not found.passed
    assert found.mismatches > 0


@pytest.mark.slow
def test_command_line(tmp_path, monkeypatch, capsys):
    def run(*arguments):
        monkeypatch.setattr("sys.argv", ["residua", *map(str, arguments), "--json"])
        with pytest.raises(SystemExit) as caught:
            cli.main()
        out, err = capsys.readouterr()
        assert not caught.value.code, err
        return json.loads(out)

    path = tmp_path / "core"
    made = run(
        "build", "--modulus", "P-256", "--algorithm", "iddmm", "--digit", 16, "-o", path
    )  # fmt: skip
    assert made["parameters"]["modulus"] == str(find_modulus("P-256").value)
    assert made["cycles"]["compute"] == 16 * 19
    mapped = run("synth", path, "--target", "xc7")
    assert mapped["resources"]["dsp"] <= 3
    assert mapped["resources"]["bram"] >= 4
    assert run("report", path)["results"] == ["synth-xc7"]
