"""Tables of the IDDMM report: formulas, published rows, measured rows that are kept."""

import pytest
from tests.papers.making import change, make

from residua.errors import SpecificationError
from residua.evidence import candidates
from residua.papers.iddmm import costs as iddmm_costs
from residua.papers.iddmm import synthesis as iddmm_synthesis
from residua.papers.iddmm.competitors import COMPETITORS, THROUGHPUT, printed, throughput
from residua.papers.iddmm.published import (
    BITS,
    DIGITS,
    IMPLEMENTATIONS,
    TABLE_4,
    TABLE_4_CYCLES,
    VERSIONS,
)

POINT = "N=256 k=16 arch2 ver4"


@pytest.fixture
def tools(monkeypatch):
    """Stands in for synthesis and placement, and remembers what was asked for."""
    asked = []

    def mapped(_files, _top, target):
        asked.append(target)
        return {"lut": 300, "ff": 200, "dsp": 3, "bram": 5, "carry": 30}

    def placed(_files, _top, seeds):
        asked.append(f"{seeds} seeds")
        figures = {"lut": 400, "ff": 230, "dsp": 3, "bram": 5, "fmax_mhz": 160.0}
        return {**figures, "seeds": [{"seed": s + 1, "mhz": 200.0} for s in range(seeds)]}

    monkeypatch.setattr(candidates, "mapped", mapped)
    monkeypatch.setattr(candidates, "placed", placed)
    return asked


def test_gates_by_formula():
    """Architecture 1 as printed; architecture 2 as ERRATA E27 corrects it."""
    for width in (4, 8, 16, 32, 64):
        first, printed = iddmm_costs.datapath_gates(width, 1), TABLE_4[width, 1]
        assert (first.gates_and, first.gates_xor) == (printed.gates_and, printed.gates_xor)
    correct = {4: (179, 165), 8: (747, 701), 16: (3059, 2901), 32: (12387, 11813)}
    for width, gates in (correct | {64: (49859, 47685)}).items():
        found = iddmm_costs.datapath_gates(width, 2)
        assert (found.gates_and, found.gates_xor) == gates
    assert iddmm_costs.multiplier_gates(64) == iddmm_costs.Gates(16405, 15595)


def test_cycles_are_those_of_table_4():
    for width, cycles in TABLE_4_CYCLES.items():
        assert iddmm_costs.cycles(1024, width, 0) == cycles


def test_passes_are_those_of_table_2():
    rows = {row["algorithm"]: row for row in iddmm_costs.passes(256, 16)}
    for name in ("R2MM", "MWR2MM", "MWR2^3MM", "IDDMM 1", "IDDMM 2"):
        assert rows[name]["steps"] == rows[name]["published"]
    assert rows["IDDMM, 4 lanes"]["steps"] == 64


def test_times_of_table_6_leave_a_cycle_out():
    """ERRATA E28: n (n + 2) cycles at the printed clocks, to half a percent."""
    rows = [one for one in IMPLEMENTATIONS if one.table == "6"]
    assert len(rows) == 18
    for one in rows:
        n = one.bits // one.digit
        assert one.microseconds * one.mhz == pytest.approx(n * (n + 2), rel=0.006)


def test_points_are_the_whole_product():
    names = [one.name for one in iddmm_synthesis.points()]
    assert len(set(names)) == len(names)
    space = [one for one in iddmm_synthesis.points() if "version" in one.values]
    assert len(space) == len(BITS) * len(DIGITS) * 2 * len(VERSIONS)
    printed = {(one.bits, one.digit, one.version) for one in IMPLEMENTATIONS}
    first = {one.name for one in space[: len(printed)]}
    assert first == {iddmm_synthesis.point_name(n, k, 2, v) for n, k, v in printed}


def test_page_without_tools(tmp_path):
    one, two = tmp_path / "one", tmp_path / "two"
    for directory in (one, two):
        make("iddmm", directory, synthesis=False)
    files = sorted(path.name for path in one.iterdir())
    assert files == ["iddmm.html", "iddmm.json", "iddmm.md"]
    for name in files:
        assert (one / name).read_bytes() == (two / name).read_bytes()
    text = (one / "iddmm.md").read_text()
    assert "| 64, 2 | 49219 / 49859 | 46789 / 47685 | 65 | 288 / 288 |" in text
    assert "| 5: N=1024 k=64 arch2 ver4 | xc5vlx50 | – / – | 33 / – |" in text
    assert "0 of 240 points are measured" in text


def test_points_are_measured_once(tmp_path, tools):
    _, found = make("iddmm", tmp_path, seeds=0, only=[POINT])
    assert tools == ["xc3se", "xc5v"]
    (row,) = found["rows"]
    assert (row.name, row["cycles"]["compute"]) == (POINT, 304)
    tools.clear()
    make("iddmm", tmp_path, seeds=0, only=[POINT])
    assert tools == []
    make("iddmm", tmp_path, seeds=2, only=[POINT])
    assert tools == ["2 seeds"]
    make("iddmm", tmp_path, seeds=1, only=[POINT])
    assert tools == ["2 seeds"]
    text = (tmp_path / "iddmm.md").read_text()
    line = f"| {POINT} | 304 | 3 | 400 | 230 | 5 | 160 (200 to 200, 2 placements) | 1.9 | 134.7 |"
    assert f"{line} 760 |" in text
    assert "150 MHz, reached, 160 at most" in text
    assert f"| 6: {POINT} | xc3s500e | 289 / 304 | – / 3 | – / 300 |" in text
    change("iddmm", tmp_path, verilog="0" * 64, commit="of other sources")
    tools.clear()
    make("iddmm", tmp_path, seeds=0, only=[POINT])
    assert tools == ["xc3se", "xc5v"]


def test_figures_show_measured_points(tmp_path, tools):
    only = ["N=1024 k=16 arch1 ver2", "N=1024 k=32 arch1 ver2"]
    _, found = make("iddmm", tmp_path, seeds=0, only=only)
    assert len(tools) == 4
    assert len(found["rows"]) == 2
    files = {path.name for path in tmp_path.iterdir()}
    assert {"iddmm_figure_11.svg", "iddmm_figure_13.svg"} <= files
    assert "iddmm_figure_12.svg" not in files


def test_lanes_are_placed(tmp_path, tools):
    _, found = make("iddmm", tmp_path, seeds=1, only=["N=256 k=17 lanes=2"])
    assert tools == ["1 seeds"]
    (row,) = found["rows"]
    assert (row["lanes"], row["cycles"]["compute"]) == (2, 128)


def test_refusals(tmp_path):
    with pytest.raises(SpecificationError, match="no row has 'N=17' in its name: "):
        make("iddmm", tmp_path, only=["N=17"])
    (tmp_path / "iddmm.json").write_text('{"rows": []}')
    with pytest.raises(SpecificationError, match="has no rows of a store"):
        make("iddmm", tmp_path, synthesis=False)


def test_printed_throughputs_follow_from_times():
    """Guards against misprints of ours; times are rounded, and one of the report's is wrong."""
    for one in COMPETITORS:
        if one.mbps is not None:
            assert throughput(one.bits, one.microseconds) == pytest.approx(one.mbps, rel=2e-3)
    for one in IMPLEMENTATIONS:
        mbps, wrong = printed(one), (one.table, one.digit) == ("5", 32)
        if mbps is not None and not wrong:
            assert throughput(one.bits, one.microseconds) == pytest.approx(mbps, rel=6e-3)
    assert len([one for one in IMPLEMENTATIONS if printed(one)]) == len(THROUGHPUT)
