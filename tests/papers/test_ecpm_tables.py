"""Tables of the ECPM paper: published numbers, measured rows that are kept."""

import pytest
from tests.papers.making import make, stored

from residua.errors import SpecificationError
from residua.evidence import candidates, subjects
from residua.hardware.unbuilt import unbuilt
from residua.papers.ecpm.published import TABLE_I


@pytest.fixture
def tools(monkeypatch):
    """Stands in for synthesis and placement, and remembers what was asked for."""
    asked = []

    def mapped(_files, _top, target):
        asked.append(target)
        return {"lut": 30_000, "ff": 200, "dsp": 0, "bram": 5, "carry": 30}

    def placed(_files, _top, seeds):
        asked.append(f"{seeds} seeds")
        figures = {"lut": 33_000, "ff": 230, "dsp": 0, "bram": 5, "fmax_mhz": 100.0}
        return {**figures, "seeds": [{"seed": s + 1, "mhz": 200.0} for s in range(seeds)]}

    def emit(component, name):
        unbuilt(component)
        return {f"rtl/{name}.v": "module"}

    monkeypatch.setattr(candidates, "mapped", mapped)
    monkeypatch.setattr(candidates, "placed", placed)
    monkeypatch.setattr(subjects, "emit", emit)
    return asked


def test_the_published_total_is_160_doublings_and_80_additions():
    times = {operation: own for operation, (_, own) in TABLE_I.items()}
    total = 160 * times["EC doubling"] + 80 * times["EC addition"]
    assert total == pytest.approx(times["General point multiplication"])


def test_measured_rows_are_kept(tools, tmp_path):
    for _ in range(2):
        document, data = make("ecpm", tmp_path, seeds=1, only=["20 x 33"])
    assert tools == ["xc2vp", "1 seeds"]
    (row,) = data["rows"]
    assert stored("ecpm", tmp_path) == [row]
    assert row["n"] == 20
    assert row["w"] == 33
    first, second = document.parts
    times = {line[0]: line for line in first.rows}
    cycles = row["cycles"]["latency"]
    assert times["General point multiplication"][-1] == f"{cycles / 100 / 1000:.4g}"
    assert "reached with 30000" in second.notes[0]


def test_nothing_measured(tmp_path):
    document, _ = make("ecpm", tmp_path, synthesis=False)
    assert "not measured" in document.parts[0].notes[0]
    assert "not measured" in document.parts[1].notes[0]


def test_rows_that_do_not_exist(tmp_path):
    with pytest.raises(SpecificationError, match="no row has 'radix 3'"):
        make("ecpm", tmp_path, only=["radix 3"])
