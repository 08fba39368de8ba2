"""Cores side by side, of the same kind and of different ones."""

import json

import pytest
from tests.small_curves import TINY

from residua import cli
from residua.cores.directory import build
from residua.cores.specification.reading import check_any
from residua.errors import SpecificationError
from residua.report import comparison

IDDMM = {"algorithm": "iddmm", "modulus": "0x1000b"}
SYNTHESIS = {
    "target": "ecp5",
    "resources": {"lut": 812, "ff": 400, "carry": 9, "dsp": 3, "bram": 0},
    "cycles": {"latency": 20, "interval": 10},
    "fmax_mhz": 200.0,
    "fmax_limit_mhz": 205.0,
    "latency_ns": 100.0,
    "interval_ns": 50.0,
    "area_time": 81.2,
    "seeds": [{"seed": seed, "mhz": mhz} for seed, mhz in ((1, 190.0), (2, 200.0), (3, 210.5))],
}


@pytest.fixture(scope="module")
def cores(tmp_path_factory):
    folder = tmp_path_factory.mktemp("cores")
    requests = {
        "five": IDDMM | {"digit": 5},
        "eight": IDDMM | {"digit": 8},
        "engine": {"modulus": "0x1000b", "width": 12},
    }
    made = {name: build(check_any(one), folder / name) for name, one in requests.items()}
    made["five"].store("verify", {"passed": True})
    made["five"].store("synth-ecp5", SYNTHESIS)
    made["eight"].store("verify", {"passed": True})
    made["eight"].store("verify-stalls", {"passed": False})
    return made


def table(*directories):
    found = comparison.compare(directories)
    return {label: texts for label, *texts in comparison.lines(found["cores"])}


def test_what_differs_is_told(cores):
    found = table(cores["five"], cores["eight"])
    assert found["digit"] == ["5", "8"]
    assert "architecture" not in found
    assert "name" not in found
    assert found["latency"][0] == f"{cores['five'].manifest['cycles']['latency']} cycles"
    assert found["latency"][0] != found["latency"][1]


def test_what_was_found_is_told(cores):
    found = table(cores["five"], cores["eight"], cores["engine"])
    assert found["verification"] == ["passed", "FAILED", "–"]
    assert found["LUT, ecp5"] == ["812", "–", "–"]
    assert found["clock, ecp5"][0] == "200 MHz (190 to 205, 3 placements)"
    assert found["latency, ecp5"][0] == "20 cycles, 100.0 ns"


def test_kinds_stand_side_by_side(cores):
    found = table(cores["five"], cores["engine"])
    assert found["algorithm"] == ["iddmm", "rns-montgomery"]
    assert (found["digit"], found["rowers"][0]) == (["5", "–"], "–")
    assert len(set(found["kind"])) == 2


def test_long_values_are_short(cores, tmp_path):
    made = build(check_any({"curve": [TINY], "bus": "stream"}), tmp_path / "core")
    assert table(made, cores["five"])["curve"] == ["tiny", "–"]
    assert comparison._text(list(range(16))) == "16 values"


def test_the_command(cores, monkeypatch, capsys):
    paths = [str(cores[name].path) for name in ("five", "eight")]
    monkeypatch.setattr("sys.argv", ["residua", "compare", *paths, "--json"])
    with pytest.raises(SystemExit):
        cli.main()
    found = json.loads(capsys.readouterr().out)["cores"]
    assert [one["directory"] for one in found] == paths
    assert [one["verified"] for one in found] == [True, False]
    assert found[0]["syntheses"]["ecp5"]["fmax_mhz"] == SYNTHESIS["fmax_mhz"]


@pytest.mark.parametrize("paths", [["{five}"], ["{five}", "nowhere"]])
def test_what_is_no_core_is_refused(paths, cores, monkeypatch, capsys):
    given = [path.format(five=cores["five"].path) for path in paths]
    monkeypatch.setattr("sys.argv", ["residua", "compare", *given])
    with pytest.raises(SystemExit) as caught:
        cli.main()
    assert caught.value.code == 2
    assert capsys.readouterr().err.startswith("residua: ")


def test_one_is_no_comparison(cores):
    with pytest.raises(SpecificationError, match="at least 2 directories"):
        comparison.compare([cores["five"]])
