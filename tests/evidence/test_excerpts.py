"""Tables of rows in pages of prose: those that are there, and markers that are wrong."""

import os
from pathlib import Path

import pytest
from typer.testing import CliRunner

from residua.cli import app
from residua.errors import SpecificationError
from residua.evidence import pages
from residua.evidence.excerpts import chosen, markers
from residua.evidence.excerpts.catalogue import EXCERPTS, PAGES
from residua.evidence.rows import Row, Store
from residua.report.documents import Table

ROOT = Path(__file__).parents[2]
STORE = Store(ROOT / "results")
PROSE = sorted(path for pattern in PAGES for path in ROOT.glob(pattern))

TEXT = f"Before.\n\n{markers.begin('one')}\nold\n{markers.END}\n\nAfter.\n"
ONE = {"one": lambda store: Table("", ("a", "b"), (("x", "1"),))}

ROW = Row(
    name="core",
    specification=None,
    verilog="d",
    commit="c",
    tools={},
    amount=1,
    seconds=None,
    failures=[],
    figures={
        "cycles": 5000,
        "ecp5": {"fmax_mhz": 100.0, "seeds": [{"mhz": 100.0}], "resources": {"lut": 1, "ff": 2}},
        "xc7": {"lut": 3, "ff": 4, "dsp": 5},
    },
)


@pytest.mark.parametrize("page", PROSE, ids=lambda page: page.name)
def test_tables_are_made_of_rows(page):
    text = page.read_text(encoding="utf-8")
    assert markers.filled(text, STORE, EXCERPTS, page.name) == text


def test_every_table_is_on_a_page():
    used = [name for page in PROSE for name in markers.names(page.read_text(encoding="utf-8"))]
    assert sorted(used) == sorted(EXCERPTS)


def test_tables_need_no_rows(tmp_path):
    for make in EXCERPTS.values():
        cells = [row for row in make(Store(tmp_path)).rows if "–" in row]
        assert cells


def test_a_table_takes_the_place_of_what_was_there():
    new = markers.filled(TEXT, STORE, ONE, "page")
    assert "old" not in new
    assert "| a | b |\n| --- | --: |\n| x | 1 |\n" in new
    assert new.startswith("Before.\n")
    assert new.endswith(f"{markers.END}\n\nAfter.\n")
    assert markers.filled(new, STORE, ONE, "page") == new


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (TEXT.replace("one", "two"), "page.md has a marker of a table 'two': one of one"),
        (TEXT.replace(markers.END, ""), "the table 'one' of page.md has no end: <!-- end of rows"),
        (TEXT.replace(markers.END, "") + TEXT, "the table 'one' of page.md has no end"),
    ],
)
def test_wrong_markers_change_nothing(tmp_path, text, message):
    first, second = tmp_path / "a.md", tmp_path / "page.md"
    first.write_text(TEXT)
    second.write_text(text)
    with pytest.raises(SpecificationError, match=message):
        markers.fill([first, second], STORE, ONE)
    assert (first.read_text(), second.read_text()) == (TEXT, text)


def test_verb_makes_pages_and_tables(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "docs").mkdir()
    name = "steps on SBMM"
    page = tmp_path / "docs" / "page.md"
    page.write_text(TEXT.replace("one", name))
    words = ["results", "resets", "--pages", "--store", os.fspath(STORE.directory), "--json"]
    result = CliRunner().invoke(app, words)
    assert result.exit_code == 0
    assert "| RNS Montgomery | 748 |" in page.read_text()
    written = (tmp_path / "docs" / "results" / "resets.md").read_text()
    assert written == (ROOT / "docs" / "results" / "resets.md").read_text()
    assert "docs/page.md" in result.stdout


def test_cells():
    assert chosen.flags({"curve": "P-256", "levels_per_register": 2}) == (
        "`--curve P-256 --levels-per-register 2`"
    )
    assert chosen.large(1234567) == "1 234 567"
    assert (chosen.large(None), chosen.milliseconds(5000, None)) == ("–", "–")
    assert chosen.milliseconds(5000, ROW) == "0.050"
    assert (pages.resources(ROW, "xc7"), pages.resources(ROW, "ice40")) == ("3 / 4 / 5", "–")
    assert pages.clock(ROW) == "100 (one placement)"
    assert pages.clock(None) == "–"
