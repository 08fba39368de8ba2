"""Tables of inversion: counts beside the published ones, measured rows that are kept."""

import pytest
from tests.papers.making import make, stored

from residua.evidence import candidates
from residua.papers.inversion import costs as inversion_costs
from residua.papers.inversion.published import OPERATIONS, SIZES, WITH_DSP, WITHOUT_DSP
from residua.toolchain.process import ToolError

ROW = "plus-minus 192 12x17"


@pytest.fixture
def tools(monkeypatch):
    """Stands in for synthesis, and remembers what was asked for."""
    asked = []

    def mapped(_files, _top, target):
        asked.append(target)
        return {"lut": 2042, "ff": 1116, "dsp": 0, "bram": 0, "carry": 141}

    monkeypatch.setattr(candidates, "mapped", mapped)
    return asked


def test_published_counts_follow_their_formulas():
    """ERRATA E16, E17: products of 2 n^2 + 6 n EMM, 1.5 (l - 1) or 2 (l - 1) of them."""
    for (algorithm, bits, n), row in OPERATIONS.items():
        if algorithm == "PM":
            assert row.emm == row.cox
            continue
        products = (2 if algorithm == "NIST" else 1.5) * (bits - 1)
        expected = products * (2 * n * n + 6 * n)
        misprint = (algorithm, bits, n) == ("NIST", 192, 9)
        assert (row.emm == expected) != misprint


def test_counts(monkeypatch):
    monkeypatch.setattr(inversion_costs, "SAMPLE", 50)
    inversion_costs._samples.cache_clear()
    rows = inversion_costs.costs()
    inversion_costs._samples.cache_clear()
    assert len(rows) == len(OPERATIONS)
    for row in rows:
        counted, n = row["counted"], row["n"]
        assert row["w"] == dict(SIZES[row["bits"]])[n]
        if row["algorithm"] == "PM":
            assert counted["emm"] == pytest.approx(row["published"]["emm"], rel=0.02)
            assert counted["mod4"] == pytest.approx(row["published"]["mod4"], rel=0.02)
        else:
            assert counted["emm"] == counted["products"] * (2 * n * n + 4 * n)
            assert counted["emm"] < row["published"]["emm"]


def test_measured_rows_are_kept(tools, tmp_path, monkeypatch):
    monkeypatch.setattr(inversion_costs, "SAMPLE", 5)
    inversion_costs._samples.cache_clear()
    document, data = make("inversion", tmp_path, seeds=0, only=[ROW])
    assert tools == ["xc5v", "xc7", "xc5v without DSP"]
    (row,) = data["rows"]
    assert (row.name, row["xc7"]["lut"]) == (ROW, 2042)
    assert row["cycles"]["average"] < 1000
    again, _ = make("inversion", tmp_path, seeds=0, synthesis=False)
    inversion_costs._samples.cache_clear()
    assert len(tools) == 3
    assert again.parts == document.parts
    assert stored("inversion", tmp_path) == [row]
    text = (tmp_path / "inversion.md").read_text()
    assert f"{WITH_DSP['PM', 192, 12].cycles} / {row['cycles']['average']:g}" in text


def test_a_unit_is_shown_over_the_multiplier(tools, tmp_path, monkeypatch):
    monkeypatch.setattr(inversion_costs, "SAMPLE", 5)
    inversion_costs._samples.cache_clear()
    rows = ["plus-minus unit 192 7x29 on 4", "MM 192 7x29"]
    document, data = make("inversion", tmp_path, seeds=0, only=rows)
    inversion_costs._samples.cache_clear()
    assert len(tools) == 6
    by_name = {row.name: row for row in data["rows"]}
    assert by_name[rows[0]]["cycles"]["latency"] == 8 + 4 * 315 + 2 * 8 + 6
    table = next(part for part in document.parts if part.title == "Over the multiplier alone")
    line = next(line for line in table.rows if line[0] == rows[0])
    assert line[1:] == ("1290", *("2042 / 2042 / 100%", "1116 / 1116 / 100%") * 4)


def test_a_tool_that_fails_names_the_row_and_loses_no_other(tmp_path, monkeypatch):
    monkeypatch.setattr(inversion_costs, "SAMPLE", 5)
    inversion_costs._samples.cache_clear()
    rows = ["plus-minus unit 192 7x29 on 4", "division-steps 192 12x17"]

    def mapped(_files, top, _target):
        if top.startswith("division"):
            raise ToolError("Yosys failed", ["yosys"], None, "no memory")
        return {"lut": 1, "ff": 1, "dsp": 0, "bram": 0, "carry": 0}

    monkeypatch.setattr(candidates, "mapped", mapped)
    with pytest.raises(ToolError, match=r"^division-steps 192 12x17: Yosys failed"):
        make("inversion", tmp_path, seeds=0, only=rows)
    inversion_costs._samples.cache_clear()
    kept = stored("inversion", tmp_path)
    assert [row.name for row in kept] == rows[:1]


def test_printed_durations_are_cycles_by_frequencies():
    """Guards against misprints of ours; MHz are rounded, and times are rounded up."""
    for table in (WITH_DSP, WITHOUT_DSP):
        for row in table.values():
            low, high = (row.cycles / (row.mhz + shift) for shift in (0.5, -0.5))
            assert low - 0.1 <= row.microseconds <= high + 0.1
