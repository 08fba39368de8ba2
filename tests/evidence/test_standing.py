"""How rows stand to the sources: what holds, and what is stale, missing, short or faulty."""

import json
from pathlib import Path

import pytest
from tests.evidence.test_campaign import COLUMNS, Hardware
from typer.testing import CliRunner

from residua.cli import app
from residua.errors import SpecificationError
from residua.evidence.campaign import Campaign
from residua.evidence.catalogue import CAMPAIGNS, Entry
from residua.evidence.pages import RowTable, table_page
from residua.evidence.rows import Store
from residua.evidence.standing import State, standings

NAMES = ("one", "two", "three", "four", "five")


def measure(request):
    seeds = [{"seed": 1, "mhz": 100.0}]
    return {"vectors": request.amount, "ecp5": {"fmax_mhz": 100.0, "seeds": seeds}}


CAMPAIGN = Campaign(
    table_page("page", "A page", "Introduction.", (RowTable(COLUMNS),)),
    dict.fromkeys(NAMES, 10),
    Hardware,
    measure,
)


@pytest.fixture
def store(tmp_path, monkeypatch):
    """Holds rows of all states: of five one is missing, and each of the others has its own."""
    monkeypatch.setattr("residua.evidence.campaign.source_commit", lambda: "a")
    made = Store(tmp_path / "results")
    CAMPAIGN.run(made, tmp_path / "pages", jobs=1, work=tmp_path / "work")
    rows = made.read("page")
    del rows["one"]
    rows["two"] = rows["two"].model_copy(update={"verilog": "another"})
    rows["three"] = rows["three"].model_copy(update={"amount": 9})
    rows["four"] = rows["four"].model_copy(update={"failures": ["wrong"]})
    made.write("page", rows.values())
    return made


@pytest.mark.parametrize("jobs", [1, 2])
def test_each_row_has_its_state(store, jobs):
    told = []
    rows = standings({"page": CAMPAIGN}, store, jobs=jobs, progress=told.append)["page"]
    found = {row.name: row for row in rows}
    assert {name: row.state for name, row in found.items()} == {
        "one": State.MISSING,
        "two": State.STALE,
        "three": State.SHORT,
        "four": State.FAULTY,
        "five": State.HOLDS,
    }
    assert told == [f"page: {name}" for name in NAMES]
    assert (found["one"].commit, found["five"].commit) == (None, "a")
    assert [row.few_seeds for row in found.values()] == [False, True, True, True, True]


def test_sources_without_a_commit_leave_stale_rows(store):
    rows = store.read("page")
    rows["five"] = rows["five"].model_copy(update={"commit": "a+"})
    store.write("page", rows.values())
    (row,) = standings({"page": CAMPAIGN}, store, parts=["five"])["page"]
    assert row.state is State.STALE


def test_no_such_row(store):
    with pytest.raises(SpecificationError, match="no row has 'six' in its name"):
        standings({"page": CAMPAIGN}, store, parts=["six"])


@pytest.fixture
def residua(store, tmp_path, monkeypatch):
    """Runs the verb on the store."""
    monkeypatch.setitem(CAMPAIGNS, "page", Entry("tests.evidence.test_standing", "a page"))
    pages, work = tmp_path / "pages", tmp_path / "work"

    def run(*words):
        folders = ["--store", store.directory, "--output", pages, "--work", work, "--jobs", 1]
        return CliRunner().invoke(app, ["results", "page", *map(str, (*folders, *words))])

    return run


def states(result):
    found = json.loads(result.stdout)["campaigns"]["page"]
    return {row["name"]: row["state"] for row in found}


def test_verb_tells_of_rows_and_measures_them(residua, store):
    before = store.path("page").read_bytes()
    result = residua()
    assert result.exit_code == 0
    for name, state in (("one", "missing"), ("two", "stale"), ("three", "short")):
        (line,) = [text for text in result.stdout.splitlines() if f" {name} " in text]
        assert state in line
    assert store.path("page").read_bytes() == before
    assert states(residua("--json"))["two"] == "stale"
    assert set(states(residua("--measure", "--json")).values()) == {"holds"}
    assert list(store.read("page")) == list(NAMES)


def test_verb_takes_rows_over(residua, store, tmp_path):
    theirs = Store(tmp_path / "theirs")
    rows = store.read("page")
    missing = rows["five"].model_copy(update={"name": "one"})
    theirs.write("page", [missing])
    found = json.loads(residua("--merge", theirs.directory, "--json").stdout)
    assert found["merged"] == {"page": ["one"]}
    assert list(store.read("page")) == list(NAMES)
    assert "| one |" in (tmp_path / "pages" / "page.md").read_text()


def test_verb_refuses_stores_that_disagree_or_are_none(residua, store, tmp_path):
    theirs = Store(tmp_path / "theirs")
    five = store.read("page")["five"]
    theirs.write("page", [five.model_copy(update={"figures": {"vectors": 11}})])
    before = store.path("page").read_bytes()
    result = residua("--merge", theirs.directory)
    assert isinstance(result.exception, SpecificationError)
    assert "nothing was taken over: page: five: other figures at a than at a" in str(
        result.exception
    )
    assert store.path("page").read_bytes() == before
    (theirs.directory / "page.json").unlink()
    theirs.write("pages", [five])
    result = residua("--merge", theirs.directory)
    assert "has rows of no campaign, and nothing was taken over: pages" in str(result.exception)
    assert store.campaigns() == ["page"]
    result = residua("--merge", Path("nowhere"))
    assert str(result.exception) == "there is no store in nowhere: no such directory"
    result = CliRunner().invoke(app, ["results", "pages"])
    assert "there is no campaign 'pages'" in str(result.exception)


def files_of(path):
    return {each: each.read_bytes() for each in path.rglob("*") if each.is_file()}


@pytest.mark.parametrize("words", [(), ("--measure",), ("--pages",), ("--merge",)])
def test_a_file_of_another_schema_is_named_and_changes_nothing(residua, store, tmp_path, words):
    theirs = Store(tmp_path / "theirs")
    theirs.write("page", [store.read("page")["five"].model_copy(update={"name": "six"})])
    bad = theirs if words == ("--merge",) else store
    text = bad.path("page").read_text()
    bad.path("page").write_text(text.replace('"schema": 1', '"schema": 2'))
    before = files_of(tmp_path)
    result = residua(*words, *([theirs.directory] if words == ("--merge",) else []))
    assert isinstance(result.exception, SpecificationError)
    assert str(result.exception).startswith(f"{bad.path('page')} has schema 2, and this version")
    assert files_of(tmp_path) == before


def test_a_campaign_does_not_overwrite_a_file_of_another_schema(store, tmp_path):
    text = store.path("page").read_text()
    store.path("page").write_text(text.replace('"schema": 1', '"schema": 2'))
    before = files_of(tmp_path)
    with pytest.raises(SpecificationError, match="has schema 2"):
        CAMPAIGN.run(store, tmp_path / "pages", jobs=1, work=tmp_path / "work")
    assert files_of(tmp_path) == before


def test_a_row_with_a_wrong_digest_is_named_and_stays(residua, tmp_path):
    before = files_of(tmp_path)
    found = json.loads(residua("--json").stdout)["campaigns"]["page"]
    (stale,) = [row for row in found if row["state"] == "stale"]
    assert (stale["name"], stale["commit"]) == ("two", "a")
    assert files_of(tmp_path) == before


def test_one_disagreement_keeps_all_campaigns_of_another_store_out(residua, store, tmp_path):
    """A campaign that agrees is not taken over beside one that does not."""
    theirs = Store(tmp_path / "theirs")
    rows = store.read("page")
    theirs.write("page", [rows["five"].model_copy(update={"name": "one"})])
    store.write("resets", [rows["five"]])
    theirs.write("resets", [rows["five"].model_copy(update={"figures": {"vectors": 11}})])
    before = files_of(tmp_path)
    result = residua("--merge", theirs.directory)
    assert "resets: five: other figures at a than at a" in str(result.exception)
    assert files_of(tmp_path) == before
