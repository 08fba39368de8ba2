import html
import re

import pytest
from tests.report.markup import check_balanced
from tests.schedules import quick_schedules
from tests.small_curves import MIDDLE

from residua.cores.directory import Directory, build
from residua.cores.rns_montgomery.specification import RnsMontgomerySpecification
from residua.cores.specification.reading import check, check_any
from residua.report import bars, page
from residua.report.floor_plan import floor_plan
from residua.report.parts import parts


@pytest.fixture(scope="module")
def core(tmp_path_factory):
    return build(
        check(RnsMontgomerySpecification, {"modulus": 0x1000B, "width": 12}),
        tmp_path_factory.mktemp("page") / "core",
    )


def test_page_is_well_formed_self_contained_and_repeatable(core):
    text = page.render(core)
    check_balanced(text)
    assert not re.search(r"(?:src|href)=|@import|url\((?!#)", text)
    assert text == page.render(Directory.open(core.path))
    assert str(core.path) not in text
    for part in (core.name, core.manifest["configuration"], "Pipeline occupancy", "<svg"):
        assert part in text


def test_results_appear(core):
    core.store("verify", {
        "vectors": 123456, "mismatches": 0, "passed": True, "oracle_checks": 7, "stalls": False,
        "seed": 1, "cycles": {"latency": 30, "interval": None},
    })  # fmt: skip
    resources = {"lut": 4321, "ff": 99, "dsp": 2, "bram": 0, "carry": 5}
    plain = {
        "target": "xc7", "tool": "yosys", "resources": resources, "fmax_mhz": None,
        "latency_ns": None, "area_time": None,
    }  # fmt: skip
    placed = {
        **plain, "target": "ecp5", "device": "LFE5U-85F speed 8", "fmax_mhz": 225.0,
        "fmax_limit_mhz": 225.0, "latency_ns": 133.3, "interval_ns": 100.0, "area_time": 1.5,
        "seeds": [{"seed": 1, "mhz": 231.5}],
    }  # fmt: skip
    core.store("synth-xc7", plain)
    core.store("synth-ecp5", placed)
    text = page.render(core)
    for part in ("123456", "4321", "231.5 MHz", "133.3 ns", "Capped at 225.0 MHz", "passed",
                 "4 321 of 83 640, 5.2 %", "2 of 156, 1.3 %"):  # fmt: skip
        assert part in text
    written = page.write(core)
    assert written["results"] == ["synth-ecp5", "synth-xc7", "verify"]


def test_bars_are_shares_of_the_device():
    drawn = bars.shares({"lut": 50, "dsp": 30, "carry": 7}, {"lut": 200, "dsp": 15}, "Resources")
    inner = re.findall(r'class="(bar|quotient)" x="120" y="\d+" width="([\d.]+)"', drawn)
    assert inner == [("bar", "75"), ("quotient", "300")]
    assert "50 of 200, 25.0 %" in drawn
    assert "30 of 15, 200.0 %" in drawn
    assert ">7</text>" in drawn


def cards(text):
    return re.findall(r'<div class="card"><b>([^<]*)</b><span>([^<]*)</span>', text)


@pytest.mark.parametrize("flags", [{}, {"algorithm": "iddmm"}], ids=["engine", "digits"])
def test_first_figures_of_a_coprocessor(flags, tmp_path):
    wanted = {"curve": [MIDDLE], "blinding": "0", **flags}
    with quick_schedules():
        made = build(check_any(wanted), tmp_path / "core")
        cycles = made.manifest["cycles"]["operations"][0]["POINT_MULTIPLY"]
        told = f"{cycles:,}".replace(",", " "), f"cycles of k P on {MIDDLE['name']}"
        assert cards(page.render(made))[0] == told
        point = {"curve": MIDDLE["name"], "operation": "POINT_MULTIPLY", "cycles": 172018,
                 "microseconds": 1075.1, "area_time": 3.2}  # fmt: skip
        made.store("synth-ecp5", {
            "target": "ecp5", "tool": "yosys", "device": "LFE5U-85F speed 8", "fmax_mhz": 160.0,
            "resources": {"lut": 14976, "ff": 99, "dsp": 17, "bram": 4, "carry": 5},
            "points": [point],
        })  # fmt: skip
        shown = cards(page.render(made))
        unit = "digit unit" if flags else "Cox-Rower engine"
        for part in (">AXI<", "k, not blinded", f">{unit}<", "Fermat's theorem on the"):
            assert part in html.unescape(page.render(made))
    assert [number for number, _ in shown[:6]] == [
        "172 018", "1.075 ms", "930", "14 976", "17", "4",
    ]  # fmt: skip


def test_floor_plan_is_cropped_and_coloured_by_size():
    """The largest parts have colours; runs of a tile's part are one rectangle."""
    families = {letter: f"part {letter}" for letter in "abcdefghi"}
    rows = [".....", "..aab", "..ihc"]
    drawn = floor_plan(families, rows, "Plan")
    tiles = drawn.split('width="12"')[0]
    assert tiles.count('class="part0"') == 1 + 1  # the first line of the legend begins
    assert 'x="0" y="0" width="13"' in tiles
    assert tiles.count('class="others"') == 2
    assert "part a, 2 tiles" in drawn
    assert "others, 2 tiles" in drawn
    assert "<rect" not in floor_plan({}, [], "Plan")


def test_parts_that_are_worth_a_line():
    counts = {"instances": 1, "ff": 0, "carry": 0, "dsp": 0, "bram": 0}
    modules = [
        counts | {"name": "core", "lut": 900},
        counts | {"name": "core.small", "lut": 4},
        counts | {"name": "core.multiplier_*", "lut": 0, "dsp": 2},
    ]
    found = parts({"resources": {"lut": 1000}, "modules": modules})
    assert [(one.depth, one.label) for one in found] == [(0, "core"), (1, "multiplier_*")]
    assert found[0].counts == (1, 900, 0, 0, 0, 0)
    assert parts({"resources": {"lut": 1000}}) == []
