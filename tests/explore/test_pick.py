"""The choice of a core: the best that fits, or what comes nearest."""

import json
from pathlib import Path

import pytest
from tests.explore.test_commands import run  # noqa: F401 - a fixture

from residua.cores.specification.reading import check_any
from residua.errors import SpecificationError
from residua.evidence.rows import Row, Store
from residua.explore.designs import choice, shipped
from residua.explore.designs.choice import Wish, for_goal, pick, read
from residua.explore.designs.results import shown

ROOT = Path(__file__).parents[2]


def row(width, rowers, *, lut, mhz, cycles=100, dsp=2, modulus="0x1000b", target="ecp5"):
    keys = {"modulus": modulus, "width": width, "rowers": rowers}
    figures = {"cycles": cycles, "interval": cycles, "lut": lut, "ff": lut, "dsp": dsp, "bram": 0}
    return Row(
        name=f"core_{modulus}_{width}_{rowers}",
        specification=keys,
        verilog="digest",
        commit="commit",
        tools={},
        amount=3,
        seconds=None,
        failures=[],
        figures={
            **shown(figures | {"mhz": mhz}),
            "chosen": check_any(keys).items(),
            "operation": "",
            "target": target,
            "clocks": [mhz - 1, mhz, mhz + 1],
        },
    )


ROWS = [
    row(12, 2, lut=600, mhz=200.0),
    row(13, 2, lut=500, mhz=160.0),
    row(12, 1, lut=300, mhz=150.0, cycles=200, dsp=1),
    row(17, 2, lut=90, mhz=300.0, cycles=10, modulus="0x1000f"),
]
SMALL = {"modulus": "65547"}


def best(keys=SMALL, by="ms", device="", **limits):
    return pick(ROWS, Wish(keys, by, limits, device))["best"]["keys"]


def test_the_best_by_a_figure():
    assert best() == ROWS[0].specification
    assert best(by="lut") == ROWS[2].specification
    assert best(by="per_second") == ROWS[0].specification
    assert best({"modulus": "0x1000f"}) == ROWS[3].specification


def test_devices_of_other_families():
    """Cores that were placed on a family are for devices of this family alone."""
    placed = [*ROWS, row(14, 2, lut=300, mhz=900.0, target="gowin")]
    for device, width in (("", 12), ("LFE5U-25F", 12), ("GW2A-18", 14)):
        found = pick(placed, Wish(SMALL, "ms", {}, device))
        assert found["best"]["keys"]["width"] == width
        assert found["cores"] == (1 if device == "GW2A-18" else 3)
    with pytest.raises(SpecificationError, match="no core with --modulus 65547 was measured"):
        pick(placed, Wish(SMALL, "ms", {}, "CCGM1A1"))


def test_limits():
    assert best(lut=550) == ROWS[1].specification
    assert best(dsp=1) == ROWS[2].specification
    assert best(by="lut", mhz=155) == ROWS[1].specification
    assert best(SMALL | {"rowers": "1"}) == ROWS[2].specification
    assert best(SMALL | {"width": "13"}) == ROWS[1].specification
    assert best(device="LFE5U-25F") == ROWS[0].specification


def test_runners_up_and_why_they_lost():
    found = pick(ROWS, Wish(SMALL, "ms", {}))
    assert found["cores"] == 3
    assert [core["worse"] for core in found["runners_up"]] == [
        0.25,
        pytest.approx(1.6667, abs=1e-3),
    ]
    command = "residua build --modulus 0x1000b --width 12 --rowers 2"
    assert found["best"]["command"] == command
    rising = pick(ROWS, Wish(SMALL, "mhz", {}))
    assert rising["runners_up"][0]["worse"] == 0.25


CURVE = "no core with --curve P-256 was measured, what was: --modulus 0x1000b; --modulus 0x1000f"
NEAREST = (
    r"no core of 3 fits; the nearest has lut = 300 \(at most 250\): "
    "residua build --modulus 0x1000b --width 12 --rowers 1"
)


@pytest.mark.parametrize(
    ("wish", "message"),
    [
        (Wish({"width": "12"}, "ms", {}), "what is the core for"),
        (Wish({"curve": "P-256"}, "ms", {}), CURVE),
        (Wish(SMALL | {"width": "99"}, "ms", {}), "--width 99 was measured"),
        (Wish(SMALL, "ms", {}, "XC7A35T"), "device 'XC7A35T' is unknown: one of LFE5U-12F"),
        (Wish(SMALL, "ms", {"lut": 250}), NEAREST),
        (Wish(SMALL, "ms", {"lut": 590, "mhz": 195}), r"lut = 600 \(at most 590\)"),
        (Wish(SMALL, "ms", {"bram": 0, "mhz": 201}), r"mhz = 200 \(at least 201\)"),
    ],
)
def test_what_does_not_fit(wish, message):
    with pytest.raises(SpecificationError, match=message):
        pick(ROWS, wish)


def test_goals_leave_what_was_asked_for():
    assert for_goal(ROWS, SMALL, "speed") == ROWS[0].specification | SMALL
    assert for_goal(ROWS, SMALL, "area")["rowers"] == 1
    assert for_goal(ROWS, SMALL | {"rowers": 2}, "area") == ROWS[1].specification | SMALL
    with pytest.raises(SpecificationError, match="goal 'best' is none: one of speed, balanced"):
        for_goal(ROWS, SMALL, "best")
    with pytest.raises(SpecificationError, match="--width 21 was measured"):
        for_goal(ROWS, SMALL | {"width": 21}, "area")


def test_a_core_by_its_goal(run, tmp_path, monkeypatch):  # noqa: F811
    Store(tmp_path / "rows").write("space", ROWS)
    monkeypatch.setattr(choice, "SHIPPED", tmp_path / "rows")
    small = ("--modulus", "0x1000b", "--goal", "area")
    assert run("build", *small, "-o", "core")[0] == 0
    built = json.loads((tmp_path / "core" / "manifest.json").read_text())["specification"]
    assert (built["width"], built["rowers"]) == (12, 1)
    assert run("build", *small, "--width", 13, "-o", "other")[0] == 0
    assert json.loads((tmp_path / "other" / "manifest.json").read_text())["parameters"]["w"] == 13
    code, _, err = run("build", "--curve", "P-256", "--goal", "speed", "-o", "none")
    assert code == 2
    assert "no core with --curve P-256 was measured" in " ".join(err.split())
    assert not (tmp_path / "none").exists()


def test_rows_that_are_shipped_are_those_of_the_store():
    """Made by `make shipped`; which cores are chosen follows from nothing else."""
    placed = {
        json.dumps(row.specification): row
        for row in Store(ROOT / "results").read(shipped.PLACED).values()
    }
    rows = Store(choice.SHIPPED).read(shipped.PLACED).values()
    assert rows
    for row in rows:
        found = placed[json.dumps(row.specification)]
        assert (row.verilog, row.commit) == (found.verilog, found.commit)
        assert row["lut"] == found["ecp5"]["resources"]["lut"]
        assert row["mhz"] == found["ecp5"]["fmax_mhz"]
        assert len(row["clocks"]) == len(found["ecp5"]["seeds"])
    explored = Store(ROOT / "results" / shipped.EXPLORED)
    for name in explored.campaigns():
        assert Store(choice.SHIPPED).read(name) == explored.read(name)


def test_no_rows(tmp_path):
    with pytest.raises(SpecificationError, match="no such directory"):
        read([tmp_path / "none"])
    with pytest.raises(SpecificationError, match="was measured, nothing was"):
        pick(read([tmp_path]), Wish(SMALL, "ms", {}))


def test_the_verb(run, tmp_path):  # noqa: F811
    Store(tmp_path / "rows").write("space", ROWS)
    store = ("--store", "rows")
    code, out, _ = run(
        "pick", "--modulus", "0x1000b", "--fastest", "--max-lut", 550, *store, "--json"
    )
    assert (code, json.loads(out)["best"]["keys"]) == (0, ROWS[1].specification)
    code, out, _ = run("pick", "--modulus", "0x1000b", "--min-mhz", 155, "--smallest", *store)
    assert code == 0
    assert "--width 13 --rowers 2" in " ".join(out.split())
    assert "160 MHz (159 to 161, 3 placements)" in out
    for wrong, message in (
        (("--by", "speed"), "--by speed is no figure"),
        (("--fastest", "--smallest"), "give one of them"),
    ):
        code, out, err = run("pick", "--modulus", "0x1000b", *wrong, *store)
        assert (code, out) == (2, "")
        assert message in err
