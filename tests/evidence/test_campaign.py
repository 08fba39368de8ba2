"""Campaigns: which rows are measured, which are kept, and what becomes of those that fail."""

import json

import pytest

from residua.errors import SpecificationError
from residua.evidence.campaign import Campaign, digest
from residua.evidence.rows import RowTable, commit, table_page

COLUMNS = {"Name": lambda row: row["name"], "Runs": lambda row: row["vectors"], "Commit": commit}


def hardware(name):
    return digest({"rtl/core.v": name})


def measure(request):
    """A row that says which commit it is of; there is none of what is "lost"."""
    if request.name == "lost":
        raise RuntimeError("no such core")
    if known := request.kept(hardware(request.name)):
        return known
    failures = ["wrong"] if request.name == "faulty" else []
    return request.row(hardware(request.name), vectors=request.amount, failures=failures)


@pytest.fixture
def run(tmp_path, monkeypatch):
    """Runs a campaign with these rows, of some commit."""

    def run(names, commit="a", **options):
        monkeypatch.setattr("residua.evidence.campaign.source_commit", lambda: commit)
        page = table_page("page", "A page", "Introduction.", (RowTable(COLUMNS),))
        made = Campaign(page, dict.fromkeys(names, 10), measure)
        options = {"jobs": 1} | options
        return made.run(tmp_path, work=tmp_path / "work", **options)

    return run


def commits(outcome):
    return {name: row["commit"] for name, row in outcome.rows.items()}


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
    kept = [f"{name}: the same Verilog as at a, kept" for name in ("one", "two")]
    assert told == ["2 of 2 rows to be measured", *kept]


def test_rows_are_measured_again(run, tmp_path):
    run(["one", "two", "three"], most=5)
    store = tmp_path / "page.json"
    rows = {row["name"]: row for row in json.loads(store.read_text())}
    assert {row["vectors"] for row in rows.values()} == {5}
    rows["one"]["verilog"] = "another"
    rows["two"]["commit"] = "a+"
    store.write_text(json.dumps(list(rows.values())))
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
    assert told[1:] == ["one: the same Verilog as at c, kept"]


def test_rows_of_another_campaign_are_never_lost(run):
    run(["one", "old"])
    assert list(run(["two", "one"]).rows) == ["two", "one", "old"]


def test_faults_are_told_and_measured_again(run):
    told = []
    outcome = run(["one", "faulty"], progress=told.append)
    assert outcome.faults == {"faulty": ["wrong"]}
    assert told[1:] == ["one: 0 faults", "faulty: 1 faults\n  wrong"]
    assert commits(run(["one", "faulty"], "b")) == {"one": "a", "faulty": "b"}


def test_a_row_that_cannot_be_made_leaves_the_others(run):
    outcome = run(["lost", "one"])
    assert commits(outcome) == {"one": "a"}
    assert outcome.faults == {"lost": ["no row was made: no such core"]}


def test_what_is_asked_for_is_refused_before_the_work(run, tmp_path):
    with pytest.raises(SpecificationError, match="no row has 'three' in its name: one; two"):
        run(["one", "two"], parts=["three"])
    (tmp_path / "page.json").write_text('{"rows": 1}')
    with pytest.raises(SpecificationError, match=r"page\.json has no rows of an earlier run"):
        run(["one"])
    assert (tmp_path / "page.json").read_text() == '{"rows": 1}'


def test_comments_are_no_hardware():
    code = "module m;\nendmodule\n"
    assert digest({"rtl/m.v": f"// Made of this.\n{code}"}) == digest({"rtl/m.v": code})
    assert digest({"rtl/m.v": code}) != digest({"rtl/n.v": code})


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
