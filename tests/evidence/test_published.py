"""Every campaign on a small core; pages in the documentation are made of the rows beside them."""

from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path

import pytest
from tests.cores.generated import SPECIFICATIONS
from tests.cores.simulations import ON_BUS, bus_model
from tests.evidence.attacks.attacked import LADDER
from tests.schedules import quick_schedules
from tests.small_curves import SQUARE

from residua import cache
from residua.cores.directory import Directory, build
from residua.cores.proofs.integers import NotProvedError
from residua.cores.specification.reading import check_any
from residua.cores.synthesis import DoesNotFitError, map_directory
from residua.curves.parameters import curve_from_parameters
from residua.evidence.campaign import Request, Task
from residua.evidence.catalogue import CAMPAIGNS, campaign
from residua.evidence.rows import Store
from residua.evidence.small_curves import TINY
from residua.numbers.rsa import RsaKey
from residua.report import documents
from residua.toolchain.process import ToolError

ROOT = Path(__file__).parents[2]
PAGES = ROOT / "docs" / "results"
STORE = Store(ROOT / "results")
SMALL = {"modulus": "0x1000b", "width": 12}
INVERSION = {"modulus": "0x1000b", "width": 12, "inversion": "plus-minus"}

quickly = quick_schedules()
"""For cores of which no schedule is measured."""


@pytest.mark.parametrize("name", CAMPAIGNS)
def test_pages_are_made_of_rows(name):
    asked = campaign(name)
    rows = asked.rows(STORE)
    assert rows
    for file, text in documents.files(asked.page.document(list(rows.values()))).items():
        if not file.endswith(".html"):
            assert (PAGES / file).read_text(encoding="utf-8") == text, f"another {file}"


@pytest.mark.parametrize("name", CAMPAIGNS)
def test_rows_have_no_faults_and_are_of_the_campaign(name):
    asked = campaign(name)
    rows = asked.rows(STORE)
    assert rows.keys() <= asked.amounts.keys()
    if name != "mutants":
        assert not [asked.faults(row) for row in rows.values() if asked.faults(row)]


@pytest.fixture
def measured(tmp_path):
    """Measures the first row of a campaign, or the one of this name; it can be shown."""

    def measured(name, amount, row=None):
        asked = campaign(name)
        task = Task(row or next(iter(asked.amounts)), amount, "abc", None, tmp_path)
        found = asked.row(task)
        assert (found.commit, found.amount) == ("abc", amount)
        assert not asked.faults(found)
        documents.markdown(asked.page.document([found]))
        assert asked.row(replace(task, commit="def", known=found)) is found
        return found

    return measured


HIERARCHICAL = SMALL | {"channels": 4, "extension": "hierarchical"}


@pytest.mark.parametrize(
    ("name", "module", "keys"),
    [
        ("multipliers", "evidence.campaigns.multipliers", HIERARCHICAL),
        ("hbe", "papers.hbe.campaign", HIERARCHICAL),
        (
            "sbmm",
            "papers.sbmm.campaign",
            {"algorithm": "sbmm", "channels": 4, "width": 12, "compress": True},
        ),
    ],
)
def test_engines(measured, monkeypatch, name, module, keys):
    monkeypatch.setattr(f"residua.{module}.CORES", dict.fromkeys(campaign(name).amounts, keys))
    row = measured(name, 20)
    assert row["vectors"] == 20
    assert row["oracle_checks"] > 0


def test_digits(measured, monkeypatch):
    keys = {"modulus": "0x1000b", "digit": 5}
    names = campaign("digits").amounts
    monkeypatch.setattr(
        "residua.evidence.campaigns.digits.cores", lambda: dict.fromkeys(names, keys)
    )
    assert measured("digits", 20)["model_checks"] > 0


def test_points_of_2006(measured, monkeypatch):
    keys = {"curve": TINY, "channels": 3, "operation": "add"}
    monkeypatch.setattr("residua.evidence.campaigns.ecpm.CORES", {"multiples, 160 bits": (0, keys)})
    assert measured("ecpm", 40)["negative"] is not None


def test_rsa(measured, monkeypatch):
    from residua.evidence.campaigns import rsa

    shape = {"digit": 11, "lanes": 1}
    monkeypatch.setattr(rsa, "SIZES", {1024: (1, shape, shape)})
    monkeypatch.setattr(rsa, "FAULTS", {64: ("d_p", "q")})
    monkeypatch.setattr(rsa, "ON_ENGINES", {1024: (1, {"width": 17})})
    key = RsaKey(4294967291, 4294967279, 65537)
    n, d = key.modulus, pow(65537, -1, (key.p - 1) * (key.q - 1))

    def signed(_bits, _count):
        return rsa.Signed(key, ((1234567, pow(1234567, d, n)),))

    made = rsa._specification

    def specification(bits, kind):
        return made(bits, kind) | {"bits": 64}

    monkeypatch.setattr(rsa, "signed", signed)
    monkeypatch.setattr(rsa, "_specification", specification)
    rows = {
        kind: measured("rsa", 1, f"1024 bits, {kind}")
        for kind in ("private, CRT", "private, CRT, with faults", "private", "public")
    }
    assert [row["runs"] for row in rows.values()] == [1, 2, 1, 1]
    assert len({row["cycles"] for row in list(rows.values())[:2]}) == 1
    kinds = ("private, CRT, on an engine", "private, CRT, on an engine, with faults")
    engine = [measured("rsa", 1, f"1024 bits, {kind}") for kind in kinds]
    assert [row["runs"] for row in engine] == [1, len(rsa.ENGINE_FAULTS)]
    assert [row["mismatches"] for row in engine] == [0, 0]
    assert engine[0]["cycles"] == engine[1]["cycles"]


def test_inversions(measured, monkeypatch):
    from residua.evidence.campaigns import inversions

    monkeypatch.setattr(inversions, "STALLED", 20)
    monkeypatch.setattr(inversions, "CORES", {"P-192, plus-minus": (40, INVERSION)})
    unit = inversions.Unit(40, (0x1000B,), 12, 2, 1)
    monkeypatch.setattr(inversions, "UNITS", {"P-192, on 6 rowers": unit})
    row = measured("inversions", 40)
    assert sum(row["steps"]["distribution"].values()) == row["inverses"]
    assert measured("inversions", 40, "P-192, on 6 rowers")["rowers"] == 1


def test_powers(measured, monkeypatch):
    from residua.evidence.campaigns import powers

    cores = {"256 bits (P-256)": (8, SMALL | {"exponent_bits": 8})}
    monkeypatch.setattr(powers, "CORES", cores)
    row = measured("powers", 8)
    assert row["cycles"]["latency"] > row["step"]


def test_resets(measured, monkeypatch):
    from residua.evidence.campaigns import resets

    monkeypatch.setattr(resets, "VECTORS", 4)
    monkeypatch.setattr(resets, "CORES", {"multiplier, P-256": SMALL})
    assert measured("resets", 1)["resets"] > 20


def test_key_agreements(measured, monkeypatch, tmp_path_factory):
    from residua.evidence.campaigns import key_agreements
    from residua.evidence.published_vectors import vectors_of, wycheproof

    made, _ = bus_model("p256", tmp_path_factory)
    monkeypatch.setattr(key_agreements, "vectors_of", lambda curve: vectors_of(curve)[:2])
    monkeypatch.setattr(key_agreements, "wycheproof", lambda: wycheproof()[:2])
    monkeypatch.setattr(Request, "directory", lambda *_: Directory.open(made.path))
    cores = dict.fromkeys(("P-256", "P-256, Wycheproof"), ON_BUS["p256"])
    monkeypatch.setattr(key_agreements, "CORES", cores)
    row = measured("ecdh", 2, "P-256")
    assert (row["count"], row["vectors"], len(row["cycles"])) == (2, 4, 2)
    assert measured("ecdh", 1, "P-256, Wycheproof")["vectors"] == 4


@quickly
def test_constant_time(measured, monkeypatch):
    monkeypatch.setattr("residua.evidence.campaigns.constant_time.CORES", {"P-256": LADDER})
    row = measured("constant-time", 4)
    assert len(row["cycles"]) == len(row["random_words"]) == 1


@quickly
def test_leakage(measured, monkeypatch, tmp_path):
    """What a fixed scalar has for a result is not among the phases that are told."""
    from residua.evidence.campaigns import leakage

    cores = {"40 bits": leakage.Measured(LADDER, 8, leakage.Compared())}
    monkeypatch.setattr(leakage, "CORES", cores)
    smallest = build(check_any({"algorithm": "r2mm", "modulus": "0x1000b"}), tmp_path / "smallest")

    def mapped(directory, target, folder):
        """The resources of a core that is mapped in no time."""
        assert directory.manifest["specification"]["curve"]
        return map_directory(smallest, target, folder)

    monkeypatch.setattr(leakage, "map_directory", mapped)
    row = measured("leakage", 8)
    assert row["leakage"]["operand"] == "k"
    text = documents.markdown(leakage.CAMPAIGN.page.document([row]))
    assert "k of POINT_MULTIPLY" in text
    assert not any(f", {name} |" in text for name in leakage.AT_THE_END)


@quickly
def test_correlation(measured, monkeypatch):
    from residua.evidence.campaigns import correlation

    asked = correlation.Correlated(20, random_word=7, steps=3)
    name = "40 bits, bare, random words known"
    cores = {name: correlation.Attacked(LADDER, asked)}
    monkeypatch.setattr(correlation, "CORES", cores)
    row = measured("correlation", 20)
    assert row["correlation"]["bits"] == 3
    text = documents.markdown(correlation.CAMPAIGN.page.document([row]))
    assert f"| {name} |" in text


@quickly
def test_templates(measured, monkeypatch):
    from residua.evidence.campaigns import templates

    cores = {"40 bits, bare": templates.Learned(LADDER, templates.Profile(20, attacked=4))}
    monkeypatch.setattr(templates, "CORES", cores)
    row = measured("templates", 20)
    assert row["templates"]["attacked"] == 4
    text = documents.markdown(templates.CAMPAIGN.page.document([row]))
    assert "| 40 bits, bare |" in text


@quickly
def test_points(measured, monkeypatch):
    from residua.evidence.benchmarks import coprocessors

    cores = {"window": SPECIFICATIONS["coprocessor, fixed window, block registers"]}
    monkeypatch.setattr(coprocessors, "CORES", cores)
    row = measured("points", 1, "window")
    assert row["default"] > row["cycles"]
    tables = [own.table([row]) for own in (coprocessors.TABLE, coprocessors.SIGNATURE_TABLE)]
    assert [len(table.rows) for table in tables] == [1, 0]


@quickly
def test_verifications(measured, monkeypatch):
    """They are in a table of their own."""
    from residua.evidence.benchmarks import coprocessors

    cores = {"halves": SPECIFICATIONS["coprocessor, endomorphism, signatures, comb"]}
    monkeypatch.setattr(coprocessors, "CORES", cores)
    # One core serves for both.
    monkeypatch.setattr(coprocessors, "BARE", {})
    row = measured("points", 1, "halves")
    assert row["default"] == row["cycles"]
    assert all(3000 < row[name] < 50_000 for name in ("valid", "invalid", "sum"))
    tables = [own.table([row]) for own in (coprocessors.TABLE, coprocessors.SIGNATURE_TABLE)]
    assert [len(table.rows) for table in tables] == [0, 1]


@pytest.mark.slow
def test_netlists(measured, monkeypatch):
    core = {"algorithm": "iddmm", "modulus": "0x1000b", "digit": 9}
    cores = {"ecp5, shift": ("ecp5", core)}
    monkeypatch.setattr("residua.evidence.campaigns.netlists.CORES", cores)
    row = measured("netlists", 100)
    assert row["cells"]["MULT18X18D"] > 0
    assert row["resets"] > 0


def test_clocks(measured, monkeypatch):
    monkeypatch.setattr("residua.evidence.benchmarks.multipliers.CORES", {"192 (12, 17)": SMALL})
    monkeypatch.setattr("residua.evidence.benchmarks.multipliers.TARGETS", ("xc7",))
    row = measured("clocks", 1)
    assert row["xc7"]["resources"]["lut"] > 0


PLACED = {
    "resources": {"lut": 10, "ff": 20, "dsp": 1, "bram": 2},
    "fmax_mhz": 50.0,
    "fmax_timed_mhz": 50.0,
    "device": "LFE5U-85F speed 8",
    "seeds": [{"seed": 1, "mhz": 50.0}],
    "sites": {"TRELLIS_COMB": [30, 83640]},
}


@pytest.mark.parametrize(
    ("outcome", "told"),
    [
        (DoesNotFitError("it does not fit X: it takes 9 multipliers"), "does not fit: 9 mult"),
        (ToolError("x failed", ["x"], None, "ERROR: Unable to place cell"), "does not fit: Unab"),
        (ToolError("x failed", ["x"], None, "ERROR: no route"), "nextpnr fails: no route"),
        (ToolError("x failed (exit code 1)", ["x"], None, "at 0x7"), "nextpnr fails: x failed ("),
        (PLACED, "50 (one placement)"),
    ],
)
def test_devices(measured, monkeypatch, outcome, told):
    """A clock, or the reason why there is none."""
    from residua.evidence.benchmarks import devices

    def synthesised(*_, **__):
        if isinstance(outcome, Exception):
            raise outcome
        return outcome

    keys = {"algorithm": "r2mm", "modulus": "0x1000b"}
    monkeypatch.setattr(devices, "CORES", {"256-bit products": keys})
    monkeypatch.setattr(devices, "synthesise_directory", synthesised)
    row = measured("devices", 1, "256-bit products, ecp5")
    (line,) = devices.TABLE.table([row]).rows
    assert line[:2] == ("256-bit products", "LFE5U-85F speed 8")
    assert line[4].startswith(told)
    cycles = row["cycles"]
    assert line[6] == (f"{cycles / 50:.3g} µs" if outcome is PLACED else "–")


def test_mutants(measured, monkeypatch):
    module = "residua.evidence.campaigns.mutants"
    keys = {"algorithm": "r2mm", "modulus": "0x1000b"}
    monkeypatch.setattr("residua.evidence.mutants.equivalent", lambda *_, **__: True)
    monkeypatch.setattr(f"{module}.CORES", {"RNS Montgomery, residues": keys})
    row = measured("mutants", 1)
    assert len(row["mutants"]) == 1


def test_ladder_steps(measured):
    row = measured("sbmm-ladders", 0, "step of (12, 16), c = 1")
    assert 0 < row["saved"] < 1


@quickly
def test_ladders_on_a_core_that_computes_right_or_wrong(monkeypatch, tmp_path):
    from residua.curves import affine
    from residua.papers.sbmm import ladder_campaign

    made, small = campaign("sbmm-ladders"), curve_from_parameters(SQUARE)

    class Core:
        """A driver that multiplies points, all but the one times 2."""

        cycles = 5

        def __init__(self, curve):
            self.curve = curve

        def execute(self, _operation, _index, operands, _count):
            from residua.cores.bus.driver.client import CoreError

            k, *point = operands
            found = affine.multiply(self.curve, k, tuple(point))
            if found is None:
                raise CoreError("neutral", "the neutral element")
            return found if k != 2 else (0, 0)

    def drivers(directory, _seed):
        from residua.cores.coprocessor.driver.simulated import curves

        (parameters,) = directory.manifest["specification"]["curve"]
        core = Core(curve_from_parameters(parameters))
        assert curves(directory)[0].field_size == 8
        return (core, core), (core, core)

    monkeypatch.setattr(ladder_campaign, "drivers", drivers)
    monkeypatch.setattr(ladder_campaign, "half_base_curve", lambda *_: small)
    row = made.row(Task("192 (12, 16)", 5, "abc", None, tmp_path))
    assert row["mismatches"] == 1
    assert made.faults(row)[0].startswith("k = 0x2, ")


def test_proofs(measured, monkeypatch):
    from residua.evidence.proofs import arithmetic, claims
    from residua.evidence.proofs.cores import constant_time, fresh, reset

    small = {"algorithm": "r2mm", "modulus": "0x1000b"}
    cases = [arithmetic.chains([8])[0], constant_time(**small), reset(**small), fresh(**small)]
    monkeypatch.setattr(claims, "CLAIMS", {"claim": lambda: cases})
    # What all simulators share is taken.
    monkeypatch.setattr(claims.cache, "anew", nullcontext)
    assert measured("proofs", 1, "claim")["cases"] == 4


def test_proofs_take_nothing_that_was_kept(monkeypatch, tmp_path):
    from residua.evidence.proofs import claims

    def kept():
        return cache.find("proofs", "one", "key") is not None

    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    cache.kept("proofs", "one", "key", Path.touch)
    monkeypatch.setattr(claims, "CLAIMS", {"claim": lambda: [lambda: not kept()]})
    monkeypatch.setattr(claims, "ARITHMETIC", ("errors.py",))
    assert campaign("proofs").row(Task("claim", 1, "abc", None, tmp_path))["mismatches"] == 0
    assert kept()


def test_claims_are_listed_without_making_hardware(monkeypatch):
    from amaranth.lib.wiring import Component

    from residua.evidence.proofs.claims import CLAIMS

    monkeypatch.setattr(Component, "__init__", refused)
    assert all(cases() for cases in CLAIMS.values())


def refused(*_, **__):
    raise NotProvedError("another value")


def test_a_claim_that_is_not_proved_is_a_fault(monkeypatch, tmp_path):
    from residua.evidence.proofs import claims

    cases = [lambda: True, lambda: False, refused]
    monkeypatch.setattr(claims, "CLAIMS", {"claim": lambda: cases})
    monkeypatch.setattr(claims, "ARITHMETIC", ("errors.py",))
    row = campaign("proofs").row(Task("claim", 1, "abc", None, tmp_path))
    assert (row["cases"], row["mismatches"]) == (3, 2)
    assert campaign("proofs").faults(row) == ["case 2 is not proved", "case 3: another value"]
