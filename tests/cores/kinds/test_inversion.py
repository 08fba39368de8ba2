"""Modular inverters as cores: specification, directory, verification, refusals."""

import json
import random
import re
from itertools import islice

import pytest
from tests.cores.planted import replaced

from residua import cli
from residua.cores.directory import Directory, build
from residua.cores.inversion.core import InversionCore
from residua.cores.inversion.verification import edge_operands, random_operands
from residua.cores.simulation.runs import Runs
from residua.cores.specification.reading import check_any, load_any
from residua.cores.verification import verify_directory
from residua.errors import SpecificationError
from residua.hardware.inverters.division_steps_inverter import DivisionStepsDesign
from residua.report import page, tables

P = 2**31 - 1
PLUS_MINUS = {"modulus": P, "inversion": "plus-minus", "width": 11}


def core(**values):
    return InversionCore(check_any({"algorithm": "inversion", **values}))


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({}, "modulus is missing: a name such as P-256"),
        ({"modulus": 2**32}, "modulus: the modulus 0x100000000 is even"),
        (
            {"modulus": P, "inversion": "euclid"},
            "inversion = 'euclid': expected one of fermat, div",
        ),
        ({"modulus": P, "channels": 4}, "channels = 4: inversion = 'division-steps' has no such"),
        ({"modulus": P, "levels_per_register": 2}, "levels_per_register = 2: inversion = 'div"),
        ({"modulus": 3 * P, "inversion": "fermat"}, "inversion = 'fermat' needs a prime modulus"),
        (
            {"modulus": P, "inversion": "fermat", "truncation": 3},
            "truncation = 3: inversion = 'fe",
        ),
        ({"modulus": 3 * P}, "inversion = 'division-steps' needs a prime modulus; for a composite"),
        (
            {**PLUS_MINUS, "channels": 2},
            "2 moduli of 11 bits with t = 11 cannot tell numbers of up",
        ),
        (
            {**PLUS_MINUS, "modulus": 2**3000 + 1, "width": 17},
            "a modulus of 3001 bits needs more than n = 128 channels of w = 17; w = 24 works",
        ),
        ({**PLUS_MINUS, "truncation": 1}, "wider ones or a larger t are needed; t = 3 works"),
        (
            {**PLUS_MINUS, "channels": 2, "truncation": 2},
            "a larger t are needed; w = 17 with t = 2 works",
        ),
        ({**PLUS_MINUS, "truncation": 12}, "the truncation t is 1 to 11, not 12; t = 3 works"),
        ({"modulus": P, "channels": 1}, "channels = 1: inversion = 'division-steps' has no such"),
        (
            {"modulus": P, "inversion": "fermat", "cox_registers": 1},
            "cox_registers = 1: inversion = 'fermat' has no such choice; leave it out",
        ),
        (
            {**PLUS_MINUS, "cox_registers": 4},
            "cox_registers = 4: expected 0 to 3 (registers in the",
        ),
        ({**PLUS_MINUS, "digit": 8}, "digit means nothing for an inverter: leave it out"),
    ],
)
def test_refusals(values, message):
    with pytest.raises(SpecificationError) as caught:
        core(**values)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_the_default_takes_constant_time():
    made = core(modulus=P)
    assert made.request.inversion == "division-steps"
    assert (made.constant_time, made.parameters["timing"]) == (True, "constant")
    assert made.cycles["latency"] == made.cycles["shortest"] == made.cycles["average"]


@pytest.mark.parametrize(
    ("method", "timing"), [("plus-minus", "variable"), ("plus-minus-ct", "constant")]
)
def test_the_manifest_says_how_long_it_takes(method, timing):
    made = core(modulus="P-192", channels=12, inversion=method)
    assert made.name.startswith(f"{method.replace('-', '_')}_p192_192x17_")
    assert made.parameters["timing"] == timing
    assert made.cycles["latency"] == made.cycles["conversions"] + 315 * 2


def test_targets():
    """The slides have 1753 and 3518 cycles on average; conversions are included here."""
    assert core(modulus="P-192", channels=12, inversion="plus-minus").average < 1000
    wide = core(modulus="P-384", channels=18, width=22, inversion="plus-minus")
    assert wide.average < 2000
    constant = core(modulus="P-256", channels=16, inversion="plus-minus-ct")
    assert constant.cycles["latency"] < 0.3 * 16279


def test_fermat():
    made = core(modulus=P, width=12, inversion="fermat")
    assert made.constant_time
    assert made.design.fewest == made.design.longest == made.design.cycles(5)
    assert core(**made.specification.items()).cycles == made.cycles
    assert core(modulus=P, width=12, inversion="fermat", levels_per_register=2).design.longest < (
        made.design.longest
    )


def test_fermat_on_bases_without_room():
    """9 x 22 bits hold products of 192 bits with quotients in first extensions alone."""
    narrow = core(modulus="P-192", channels=9, width=22, inversion="fermat")
    assert not narrow.design.domain.skips_quotient
    wide = core(modulus="P-192", channels=12, width=17, inversion="fermat")
    assert wide.design.domain.skips_quotient
    with pytest.raises(SpecificationError, match="1 bit too narrow"):
        core(modulus=2**19 - 1, channels=2, width=10, inversion="fermat")


def test_operands_of_a_verification():
    made = core(**PLUS_MINUS)
    found = set(edge_operands(made, random.Random(1)))
    assert found >= {0, 1, 2, 3, P - 1, P - 2, P, P + 1, 2 * P, 2**30, 2**30 - 1, P - 2**30}
    assert made.expected(0) is made.expected(P) is made.expected(P + 1) is None
    assert made.expected(2) == (P + 1) // 2
    assert core(**{**PLUS_MINUS, "modulus": 3 * P}).expected(6) is None
    drawn = list(islice(random_operands(made, random.Random(1)), 1000))
    assert all(0 <= x < P for x in drawn)
    assert any(0 < x < P >> 20 for x in drawn)
    assert any(x % (1 << 20) == 0 for x in drawn if x)


@pytest.fixture(scope="module")
def directory(tmp_path_factory):
    path = tmp_path_factory.mktemp("inverter") / "core"
    build(check_any({"algorithm": "inversion", **PLUS_MINUS}), path)
    return Directory.open(path)


def test_directory(directory, tmp_path):
    assert directory.kind.name == "inversion"
    assert directory.name.startswith("plus_minus_31x11_")
    assert directory.manifest["parameters"]["timing"] == "variable"
    assert "Not for secret x" in (directory.path / "README.md").read_text()
    again = tmp_path / "again"
    build(load_any(directory.path / "spec.toml", {}), again)
    for file in directory.manifest["files"]:
        assert (again / file).read_bytes() == (directory.path / file).read_bytes()
    assert directory.made.specification == check_any(directory.manifest["specification"])
    tables.built(directory.manifest | {"path": ""}, directory.path)


def test_verification_and_report(directory):
    found = verify_directory(directory, vectors=600)
    assert (found["passed"], found["mismatches"], found["vectors"]) == (True, 0, 600)
    assert found["oracle_checks"] == 600
    assert found["model_checks"] == 64
    tables.verified(found, directory.kind)
    assert "plus-minus" in page.render(directory)


def test_a_wrong_core_does_not_pass(directory, tmp_path, monkeypatch):
    path = tmp_path / "wrong"
    build(check_any({"algorithm": "inversion", **PLUS_MINUS, "name": directory.name}), path)
    rtl = f"rtl/{directory.name}.v"
    wrong = ("assign exchange_v3 = ", "assign exchange_v3 = ~")
    found = verify_directory(replaced(monkeypatch, path, rtl, *wrong), vectors=100)
    assert not found["passed"]
    assert found["failures"]


@pytest.mark.parametrize("method", ["fermat", "division-steps", "plus-minus-ct"])
def test_the_interval_is_measured(method, tmp_path):
    request = {"algorithm": "inversion", "modulus": 0x10001, "inversion": method, "width": 12}
    made = build(check_any(request), tmp_path / "core")
    found = made.made.simulate(made.sources(), Runs(20, resets=2))
    assert found.passed
    assert found.interval == made.manifest["cycles"]["interval"]


def test_an_operand_that_is_taken_too_soon_after_a_reset_is_found(tmp_path, monkeypatch):
    """What a reset has begun to overwrite is not waited for, which no result tells."""
    request = {"algorithm": "inversion", "modulus": 0x10001, "inversion": "division-steps"}
    made = build(check_any(request), tmp_path / "core")
    rtl = f"rtl/{made.name}.v"
    (going_on,) = re.findall(r"clearing <= n\d+;", (made.path / rtl).read_text())
    wrong = (going_on, "clearing <= 1'h0;")
    found = verify_directory(replaced(monkeypatch, made.path, rtl, *wrong), vectors=20, resets=2)
    assert found["mismatches"] == 0
    assert found["failures"][0] == "2 cycles measured from a reset to the first operand, 5 computed"


def test_an_operand_that_is_taken_late_is_found(tmp_path, monkeypatch):
    request = {"algorithm": "inversion", "modulus": 0x10001, "inversion": "division-steps"}
    monkeypatch.setattr(DivisionStepsDesign, "pause", property(lambda design: design.words))
    made = build(check_any(request), tmp_path / "core")
    found = verify_directory(made, vectors=20, resets=2)
    (late,) = found["failures"][:1]
    assert late == "2 cycles measured from a result to the next operand, 1 computed"


def test_command_line(tmp_path, capsys, monkeypatch):
    words = ["build", "--algorithm", "inversion", "--modulus", str(P), "--inversion", "plus-minus"]
    monkeypatch.setattr("sys.argv", ["residua", *words, "-o", str(tmp_path / "core"), "--json"])
    with pytest.raises(SystemExit) as caught:
        cli.main()
    assert not caught.value.code
    assert json.loads(capsys.readouterr().out)["parameters"]["inversion"] == "plus-minus"
