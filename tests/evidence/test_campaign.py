"""Campaigns: which rows are measured, which are kept, and what becomes of those that fail."""

import json

import pytest

from residua.errors import SpecificationError
from residua.evidence.campaign import Campaign
from residua.evidence.pages import RowTable, commit, table_page
from residua.evidence.rows import Store
from residua.evidence.subjects import Subject, digest

COLUMNS = {"Name": lambda row: row.name, "Runs": lambda row: row["vectors"], "Commit": commit}


class Hardware(Subject):
    """Stands in for a core; its digest is that of its name."""

    def __init__(self, name):
        self.name = name

    def digest(self):
        return digest({"rtl/core.v": self.name})


def measure(request):
    """Count as many runs as are asked for; there is no row of what is "lost"."""
    if request.name == "lost":
        raise RuntimeError("no such core")
    failures = ["wrong"] if request.name == "faulty" else []
    return {"vectors": request.amount, "failures": failures}


@pytest.fixture
def run(tmp_path, monkeypatch):
    """Runs a campaign with these rows, of some commit."""

    def run(names, commit="a", **options):
        monkeypatch.setattr("residua.evidence.campaign.source_commit", lambda: commit)
        page = table_page("page", "A page", "Introduction.", (RowTable(COLUMNS),))
        made = Campaign(page, dict.fromkeys(names, 10), Hardware, measure)
        options = {"jobs": 1} | options
        return made.run(Store(tmp_path), tmp_path, work=tmp_path / "work", **options)

    return run


def commits(outcome):
    return {name: row.commit for name, row in outcome.rows.items()}


def test_rows_are_measured_written_and_kept(run, tmp_path):
    assert commits(run(["one", "two"], parts=["two"])) == {"two": "a"}
    assert commits(run(["one", "two"])) == {"one": "a", "two": "a"}
    text = (tmp_path / "page.md").read_text()
    assert text == (
        "# A page\n\nIntroduction.\n\n"
        "| Name | Runs | Commit |\n| --- | --: | --- |\n| one | 10 | `a` |\n| two | 10 | `a` |\n"
    )
    # Another commit with the same Verilog.
    told = []
    assert commits(run(["one", "two"], "b", progress=told.append)) == {"one": "a", "two": "a"}
    kept = [f"{name}: the same hardware as at a, kept" for name in ("one", "two")]
    assert told == ["2 rows, those that hold are kept", *kept]


def test_rows_are_measured_again(run, tmp_path):
    run(["one", "two", "three"], most=5)
    store = tmp_path / "page.json"
    found = json.loads(store.read_text())
    rows = {row["name"]: row for row in found["rows"]}
    assert {row["figures"]["vectors"] for row in rows.values()} == {5}
    rows["one"]["verilog"] = "another"
    rows["two"]["commit"] = "a+"
    store.write_text(json.dumps(found))
    assert commits(run(["one", "two", "three"], "b", most=5)) == {
        "one": "b",
        "two": "b",
        "three": "a",
    }
    # More was asked for.
    assert commits(run(["one", "two", "three"], "c")) == dict.fromkeys(rows, "c")
    # Sources that differ from their commit make a row every time.
    run(["one"], "c+")
    told = []
    run(["one"], "c+", progress=told.append)
    assert told[1:] == ["one: the same hardware as at c, kept"]


def test_rows_of_another_campaign_are_never_lost(run):
    run(["one", "old"])
    assert list(run(["two", "one"]).rows) == ["two", "one", "old"]


def test_rows_of_a_run_beside_it_are_never_lost(run, monkeypatch):
    def beside(request):
        monkeypatch.undo()
        run(["one", "two"], parts=["two"])
        return measure(request)

    monkeypatch.setitem(run.__globals__, "measure", beside)
    assert commits(run(["one", "two"], parts=["one"])) == {"one": "a", "two": "a"}


def test_faults_are_told_and_measured_again(run):
    told = []
    outcome = run(["one", "faulty"], progress=told.append)
    assert outcome.faults == {"faulty": ["wrong"]}
    assert told[1:] == ["one: 0 faults", "faulty: 1 faults\n  wrong"]
    assert commits(run(["one", "faulty"], "b")) == {"one": "a", "faulty": "b"}


@pytest.mark.parametrize(
    ("part", "names"),
    [("one", {"one"}), ("more", {"one, more"}), ("on", {"one", "one, more"})],
    ids=["a whole name", "a part of one", "a part of both"],
)
def test_rows_that_are_asked_for(part, names, run):
    assert set(run(["one", "one, more", "two"], parts=[part]).rows) == names


def test_a_row_that_cannot_be_made_leaves_the_others(run):
    outcome = run(["lost", "one"])
    assert commits(outcome) == {"one": "a"}
    assert outcome.faults == {"lost": ["no row was made: no such core"]}


def test_what_is_asked_for_is_refused_before_the_work(run, tmp_path):
    with pytest.raises(SpecificationError, match="no row has 'three' in its name: one; two"):
        run(["one", "two"], parts=["three"])
    (tmp_path / "page.json").write_text('{"rows": 1}')
    with pytest.raises(SpecificationError, match=r"page\.json has no rows of a store"):
        run(["one"])
    assert (tmp_path / "page.json").read_text() == '{"rows": 1}'


def test_rows_are_made_side_by_side(run):
    told = []
    outcome = run(["lost", "one", "two"], jobs=2, progress=told.append)
    assert list(outcome.rows) == ["one", "two"]
    assert str(outcome.lost["lost"]) == "no such core"
    assert sorted(told[1:]) == [
        "lost: no row was made: no such core",
        "one: 0 faults",
        "two: 0 faults",
    ]
