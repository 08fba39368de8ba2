"""The neighbourhood of a measured core: one key is changed, what is asked for stays."""

import json
import shlex

import pytest
from tests.explore.test_commands import run  # noqa: F401 - a fixture
from tests.explore.test_pick import ROWS, SMALL, row

from residua.cores.specification.command import flags
from residua.evidence.rows import Store
from residua.explore.designs import doer, neighbourhood
from residua.explore.designs.choice import Wish
from residua.explore.designs.figures import Step
from residua.explore.designs.measures import Found
from residua.explore.designs.measures import measure as measured
from residua.explore.designs.neighbourhood import NAME, around, improve, neighbours

pytestmark = pytest.mark.usefixtures("quick_fits")

BEST = row(12, 1, lut=400, mhz=155.0, cycles=50, dsp=1)


NEAR = SMALL | {"width": "12", "rowers": "1", "schedule": "latency"}
"""What is asked for, so that there are few neighbours."""


def measure(task):
    """Stands in for tools: the fewest look-up tables are those of three levels."""
    found = measured(task.__class__(task.keys, Step.MODEL, task.target, task.seeds))
    if task.step is Step.MODEL or found.refusal:
        return found
    keys = found.specification
    lut = 250 + 10 * keys["width"] + 50 * keys["rowers"] - 20 * keys["levels_per_register"]
    figures = {"lut": lut, "ff": 10, "dsp": keys["rowers"], "bram": 0}
    if task.step is Step.PLACEMENT:
        figures["mhz"] = 160.0 - 5 * keys["levels_per_register"]
    return Found(verilog="digest", figures=figures, clocks=[150.0] * task.seeds)


@pytest.fixture(autouse=True)
def _stand_in(monkeypatch):
    monkeypatch.setattr(doer, "measure", measure)


def differences(keys, other):
    return {name for name in keys | other if keys.get(name) != other.get(name)}


def test_one_key_is_changed():
    found = neighbours(BEST, SMALL)
    changed = [differences(BEST.specification, keys) for keys in found]
    assert all(len(names) == 1 for names in changed)
    assert all(keys["modulus"] == "0x1000b" for keys in found)
    assert len({json.dumps(keys, sort_keys=True) for keys in found}) == len(found)
    widths = {keys["width"] for keys in found if "width" in keys}
    assert widths == {6, 10, 11, 12, 13, 14, 24}
    assert {keys.get("schedule") for keys in found} == {None, "interval"}
    assert {keys.get("levels_per_register") for keys in found} == {None, 0, 2, 3}
    assert any("rowers" not in keys for keys in found)


def test_what_is_asked_for_stays():
    found = neighbours(BEST, SMALL | {"width": "12", "schedule": "latency"})
    assert {keys["width"] for keys in found} == {12}
    assert not any("schedule" in keys for keys in found)


def test_keys_that_say_nothing_are_left_out():
    loose = BEST.model_copy(update={"specification": BEST.specification | {"channels": 2}})
    assert not any(keys.get("channels") == 2 for keys in neighbours(loose, SMALL))
    kept = neighbours(loose, SMALL | {"channels": "2"})
    assert all(keys["channels"] == 2 for keys in kept)


def test_what_a_core_does_is_not_changed():
    known = {name for keys in neighbours(BEST, SMALL) for name in keys}
    assert not known & {"result", "interface", "bus", "blinding", "algorithm", "name", "bits"}
    inverter = BEST.model_copy(
        update={"specification": {"algorithm": "inversion", "modulus": "0x1000b"}}
    )
    assert not any("inversion" in keys for keys in neighbours(inverter, SMALL))


def test_the_space_has_the_core_and_the_limits():
    made = around(BEST, Wish(SMALL, "per_second", {"lut": 400, "mhz": 100.5}, "LFE5U-12F"))
    assert made.objectives == ("per_second",)
    assert "lut <= 400" in made.limits
    assert "mhz >= 100.5" in made.limits
    assert any(limit.startswith("dsp <= ") for limit in made.limits)
    assert made.points[0] == BEST.specification


def test_a_better_neighbour_is_found_and_kept(tmp_path):
    Store(tmp_path / "rows").write("space", [ROWS[0], BEST])
    wish = Wish(NEAR, "lut", {})
    first = improve([tmp_path / "rows"], wish, tmp_path / "near", jobs=1)
    assert first["best"]["keys"] == BEST.specification | {"levels_per_register": 3}
    assert first["best"]["figures"]["lut"] == 250 + 120 + 50 - 60
    told = first["explored"]
    assert told["around"] == BEST.name
    assert told["better"] == 0.1
    assert told["finished"]
    assert told["points"] == sum(told["refused"].values()) + told["cores"] + told["same"]
    assert 0 < told["placed"] <= told["cores"]
    again = improve([tmp_path / "rows"], wish, tmp_path / "near", jobs=1)
    assert again["explored"]["around"] == first["best"]["name"]
    assert again["best"]["figures"]["lut"] <= first["best"]["figures"]["lut"]
    assert len(Store(tmp_path / "near").read(NAME)) >= told["placed"]


def test_time_that_is_over(tmp_path):
    Store(tmp_path / "rows").write("space", [BEST])
    found = improve([tmp_path / "rows"], Wish(NEAR, "lut", {}), tmp_path / "near", hours=1e-9)
    assert not found["explored"]["finished"]
    assert found["explored"]["better"] == 0
    assert found["best"]["name"] == BEST.name


def test_the_verb(run, tmp_path):  # noqa: F811
    Store(tmp_path / "rows").write("space", [BEST])
    words = ("pick", *shlex.split(flags(NEAR)), "--smallest", "--store", "rows", "--explore")
    code, out, err = run(*words, "-o", "near", "--jobs", 1)
    assert code == 0, err
    for text in ("explored around", "with its own", "best of them", "--levels-per-register 3"):
        assert text in out
    assert {path.name for path in (tmp_path / "near").iterdir()} >= {
        f"{neighbourhood.NAME}.json",
        "points.duckdb",
    }


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--explore",), "--explore keeps what it finds: name a directory by --output"),
        (("--hours", 1), "--hours is for --explore: give both or none"),
        (("-o", "near"), "--output is for --explore"),
        (("--explore", "-o", "near", "--max-lut", 200), "no core of 1 fits; the nearest has lut"),
        (("--explore", "-o", "near", "--width", 99), "--width 99 was measured"),
        (("--explore", "-o", "rows/space.json"), "rows/space.json"),
    ],
)
def test_refusals_leave_nothing(run, tmp_path, words, message):  # noqa: F811
    Store(tmp_path / "rows").write("space", [BEST])
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    code, out, err = run("pick", "--modulus", "0x1000b", "--store", "rows", *words)
    assert (code, out) == (2, "")
    assert message in " ".join(err.split())
    assert {p: p.read_bytes() for p in tmp_path.rglob("*") if p.is_file()} == before
