"""HBE's tables and figures: published numbers, counts against formulas, what is kept and reused."""

import pytest
from tests.papers.making import change, make, stored
from tests.report.markup import check_balanced

from residua.errors import SpecificationError
from residua.evidence import candidates
from residua.papers import tables as paper_tables
from residua.papers.hbe import costs as hbe_costs
from residua.papers.hbe import synthesis as hbe_synthesis
from residua.papers.hbe import tables as hbe_tables
from residua.papers.hbe.costs import COLUMNS, EXTENSION, OPERATIONS, PRODUCT, gain, published_cost
from residua.papers.hbe.position_residue_costs import weighted
from residua.papers.hbe.published import HBE, KBE


@pytest.mark.parametrize("table", [KBE, HBE], ids=["KBE", "HBE"])
def test_published_times_are_cycles_times_periods(table):
    """Guards against misprints of ours: the paper's rows multiply out, to its last digit."""
    for column in table.values():
        assert column.time_ns == pytest.approx(column.cycles * column.period_ns, abs=0.11)


@pytest.mark.parametrize("ratio", [2, 3, 4])
@pytest.mark.parametrize("channels", [8, 16, 32, 48])
@pytest.mark.parametrize("operation", OPERATIONS, ids=lambda one: one.name)
def test_counts_are_what_is_published(operation, channels, ratio):
    for columns in COLUMNS:
        if not operation.fits(channels, columns):
            continue
        published = published_cost(operation, channels, columns, ratio)
        counted = weighted(operation.counts(channels, columns), ratio)
        assert (published is None) == (operation.published is None or columns > 2)
        if channels == operation.step * columns:
            # The cofactor of a single row is 1, which costs nothing.
            assert published is None or counted < published
        else:
            assert published in (None, counted)


@pytest.mark.parametrize("columns", [2, 3, 4])
@pytest.mark.parametrize("channels", [12, 24])
def test_section_iv_c(channels, columns):
    """r^2 c (CMM + CMR) + r c (CMM + CMUL + CADD)."""
    rows, found = channels // columns, hbe_costs.extension_counts(channels, columns)
    inner, outer = rows**2 * columns, rows * columns
    assert (found.emm, found.cmr) == (inner + outer, inner)
    assert (found.cmul, found.cadd) == (outer, outer)


def test_gains_of_the_text():
    """Section V: 17 to 32 % for products of 16 and 32 moduli; E3b: 33.3 % for n = 32 at most."""
    assert gain(PRODUCT, 16, 2, 2) == pytest.approx(1 - 0.167, abs=0.001)
    assert gain(PRODUCT, 32, 2, 4) == pytest.approx(1 - 0.324, abs=0.001)
    assert gain(EXTENSION, 32, 2, 4) == pytest.approx(1 - 0.333, abs=0.001)


def test_quadratic_form_saves_n():
    plain, quadratic = (
        hbe_costs.product_counts(16, 2, form) for form in ("reordered", "quadratic")
    )
    assert plain.emm - quadratic.emm == 16


@pytest.mark.parametrize(("bits", "width"), list(hbe_synthesis.CHANNELS))
def test_channels_are_the_fewest_that_hold_the_field(bits, width):
    made = hbe_synthesis.specification(bits, width, "HBE")
    assert made.channels == hbe_synthesis.CHANNELS[bits, width]
    core = hbe_synthesis.BaseExtensionCore(made)
    low, high = core.domain.exact
    assert low <= 0
    assert high.bit_length() >= bits
    fewer = made.model_copy(update={"channels": made.channels - 2})
    with pytest.raises(SpecificationError, match=r"too narrow.*works"):
        hbe_synthesis.BaseExtensionCore(fewer)


def test_targets_in_cycles():
    """At most 30 cycles, and one DSP block for each of 16 channels of 17 bits."""
    for size in ((256, 17), (384, 28)):
        core = hbe_synthesis.BaseExtensionCore(hbe_synthesis.specification(*size, "HBE"))
        assert core.cycles["latency"] <= 30


@pytest.fixture
def tools(monkeypatch):
    """Stands in for synthesis and placement, and remembers what was asked for."""
    asked = []

    def mapped(_files, top, target):
        asked.append((top, target))
        return {"lut": 1000, "ff": 200, "dsp": 16, "bram": 0, "carry": 3}

    def placed(_files, top, seeds):
        asked.append((top, f"{seeds} seeds"))
        made = [{"seed": s + 1, "mhz": 200.0} for s in range(seeds)]
        return {"lut": 1100, "fmax_mhz": 200.0, "seeds": made}

    monkeypatch.setattr(candidates, "mapped", mapped)
    monkeypatch.setattr(candidates, "placed", placed)
    return asked


def test_page_without_tools(tmp_path):
    one, two = tmp_path / "one", tmp_path / "two"
    for directory in (one, two):
        make("hbe", directory, synthesis=False)
    files = sorted(path.name for path in one.iterdir())
    pictures = [f"hbe_figure_{number}.svg" for number in (2, 3, 4, 5, 6)]
    assert files == ["hbe.html", "hbe.json", "hbe.md", *pictures]
    for name in files:
        content = (one / name).read_bytes()
        assert content == (two / name).read_bytes()
        assert str(tmp_path).encode() not in content
    check_balanced((one / "hbe.html").read_text())
    text = (one / "hbe.md").read_text()
    for part in ("Table I:", "| CMM 28 | 5 / – |", "| BE | 16 | 2 | 144 |", "E3a", "E3b"):
        assert part in text
    assert "| HBE 384/28 | 14 | 93 / – | – | 80 / – | 1145 / – | 106 / – | 874.2 / – |" in text


def test_rows_are_measured_once(tmp_path, tools):
    only = ["CMR 17", "HBE 256/17"]
    _, data = make("hbe", tmp_path, seeds=0, only=only)
    assert tools == [("cmr_17", "xc7"), ("base_extension_16x17", "xc7")]
    row = data["rows"][-1]
    assert (row.name, row["n"], row["cycles"]["latency"]) == ("HBE 256/17", 16, 25)
    assert row["shortest_interval"] < row["cycles"]["interval"]
    tools.clear()
    make("hbe", tmp_path, seeds=0, only=only)
    assert tools == []
    make("hbe", tmp_path, seeds=2, only=["CMR 17"])
    assert tools == [("cmr_17", "2 seeds")]
    make("hbe", tmp_path, seeds=1, only=["CMR 17"])
    assert len(tools) == 1
    assert "| CMR 17 | 2 / 16 | 1 | 1000, 200 | 1 / 4 | 2.4 / 20 | 5.0 |" in (
        (tmp_path / "hbe.md").read_text()
    )
    assert "HBE 256/17: at most 30 cycles and 20 DSP blocks, reached" in (
        (tmp_path / "hbe.md").read_text()
    )


def test_changed_verilog_is_measured_again(tmp_path, tools):
    make("hbe", tmp_path, seeds=0, only=["CMR 17"])
    change("hbe", tmp_path, verilog="0" * 64, commit="of other sources")
    make("hbe", tmp_path, seeds=0, only=["CMR 17"])
    assert tools == [("cmr_17", "xc7")] * 2


def test_an_interrupted_run_keeps_its_rows(tmp_path, tools, monkeypatch):
    def stop(_files, _top, _target):
        if tools:
            raise KeyboardInterrupt
        tools.append("first")
        return {"lut": 1, "ff": 2, "dsp": 3, "bram": 0, "carry": 0}

    monkeypatch.setattr(candidates, "mapped", stop)
    with pytest.raises(KeyboardInterrupt):
        make("hbe", tmp_path, seeds=0, only=["CMR"])
    kept = stored("hbe", tmp_path)
    assert [row.name for row in kept] == ["CMR 17"]


def test_refusals(tmp_path):
    with pytest.raises(SpecificationError, match="no tables of 'sbmmm': one of hbe"):
        make("sbmmm", tmp_path)
    with pytest.raises(SpecificationError, match="seeds = -1: give 0"):
        make("hbe", tmp_path, seeds=-1)
    with pytest.raises(SpecificationError, match="no row has 'XYZ' in its name: CMR 17; CMM 17"):
        make("hbe", tmp_path, only=["XYZ"])
    (tmp_path / "hbe.json").write_text('{"rows": []}')
    with pytest.raises(SpecificationError, match="has no rows of a store"):
        make("hbe", tmp_path, synthesis=False)
    with pytest.raises(SpecificationError, match="exists and is no directory"):
        make("hbe", tmp_path / "hbe.json")
    assert hbe_tables.NAME in paper_tables.PAPERS
