"""The choice of a core: the best that fits, or what comes nearest."""

import json

import pytest
from tests.explore.test_commands import run  # noqa: F401 - a fixture

from residua.cores.specification.reading import check_any
from residua.errors import SpecificationError
from residua.evidence.rows import Row, Store
from residua.explore.designs.choice import Wish, pick, read
from residua.explore.designs.results import shown


def row(width, rowers, *, lut, mhz, cycles=100, dsp=2, modulus="0x1000b"):
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
