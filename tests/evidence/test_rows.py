"""The store of rows: what is read, written, merged and refused."""

import json
from functools import partial

import pytest

from residua.errors import SpecificationError
from residua.evidence.rows import Row, Store, merge
from residua.toolchain.executors import tool_workers

ROW = Row(
    name="one",
    specification={"modulus": "P-256"},
    verilog="d1",
    commit="c1",
    tools={"yosys": "1"},
    amount=10,
    seconds=2.5,
    failures=[],
    figures={"cycles": 5, "ecp5": {"fmax_mhz": 100.0, "seeds": [{"seed": 1, "mhz": 100.0}]}},
)


def other(**values):
    return ROW.model_copy(update=values)


@pytest.fixture
def store(tmp_path):
    return Store(tmp_path / "store")


def test_rows_come_back_as_they_were(store):
    assert store.read("resets") == {}
    rows = [other(name="two", specification=None, seconds=None), ROW]
    path = store.write("resets", rows)
    assert list(store.read("resets").values()) == rows
    assert store.campaigns() == ["resets"]
    before = path.read_bytes()
    store.write("resets", store.read("resets").values())
    assert path.read_bytes() == before


def test_runs_that_add_to_one_store_at_a_time_lose_nothing(store):
    names = [f"{run}{number}" for run in "ab" for number in range(10, 30)]
    with tool_workers(2) as pool:
        list(pool.map(partial(added, store), [names[:20], names[20:]]))
    assert list(store.read("resets")) == names


def added(store, names):
    for name in names:
        rows = store.add(
            "resets", {name: other(name=name)}, lambda rows: dict(sorted(rows.items()))
        )
        assert name in rows


def test_figures_are_looked_up_in_the_row():
    assert (ROW["cycles"], ROW.get("area"), ROW.get("area", 1)) == (5, None, 1)
    with pytest.raises(KeyError):
        ROW["area"]
    assert (ROW.placements, other(figures={"cycles": 5}).placements) == (1, None)
    assert (ROW.is_dirty, other(commit="c1+").is_dirty) == (False, True)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda found: found.pop("schema"), r"resets\.json has no rows of a store"),
        (lambda found: found.update(schema=2), "has schema 2, and this version reads 1"),
        (lambda found: found.update(campaign="rsa"), "has rows of 'rsa', not 'resets'"),
        (lambda found: found["rows"][0].pop("verilog"), "row 1 of .*: verilog: Field required"),
        (lambda found: found["rows"][0].update(area=1), "row 1 of .*: area: Extra inputs"),
        (lambda found: found["rows"][0].update(amount="10"), "row 1 of .*: amount: Input should"),
        (lambda found: found["rows"][0].update(amount=-1), "row 1 of .*: amount: Input should"),
        (lambda found: found["rows"].append(found["rows"][0]), "two rows of the name 'one'"),
    ],
)
def test_what_is_no_store_is_refused(store, change, message):
    path = store.write("resets", [ROW])
    found = json.loads(path.read_text())
    change(found)
    path.write_text(json.dumps(found))
    before = path.read_bytes()
    with pytest.raises(SpecificationError, match=message):
        store.read("resets")
    assert path.read_bytes() == before


def test_text_is_refused(store):
    path = store.write("resets", [ROW])
    path.write_text("no rows")
    with pytest.raises(SpecificationError, match=r"cannot read the rows in .*resets\.json"):
        store.read("resets")


def test_another_store_adds_rows_and_longer_runs(store, tmp_path):
    longer, new = other(amount=20, commit="c2"), other(name="two")
    store.write("resets", [ROW, other(name="three", amount=20)])
    theirs = Store(tmp_path / "theirs")
    theirs.write("resets", [longer, new, other(name="three")])
    theirs.write("rsa", [ROW])
    found = merge(store, theirs)
    assert found.conflicts == []
    assert found.added == {"resets": ["one", "two"], "rsa": ["one"]}
    assert found.rows["resets"] == [longer, other(name="three", amount=20), new]
    assert merge(store, store).added == {}


@pytest.mark.parametrize(
    ("row", "message"),
    [
        (other(figures={"cycles": 6}), "resets: one: other figures at c1 than at c1"),
        (other(commit="c2", seconds=3.0), "resets: one: other commit, seconds at c2 than at c1"),
        (other(verilog="d2", amount=20), "resets: one: of other hardware at c1 than at c1"),
    ],
)
def test_stores_that_disagree_are_told(store, tmp_path, row, message):
    store.write("resets", [ROW])
    theirs = Store(tmp_path / "theirs")
    theirs.write("resets", [row])
    found = merge(store, theirs)
    assert (found.conflicts, found.added) == ([message], {})
