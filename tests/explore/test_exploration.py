"""Explorations: the front of all points is found without trying all, however often they stop."""

import json
import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from residua.errors import SpecificationError
from residua.explore.designs import doer, exploration, points, results, space
from residua.explore.designs.estimates import FEWEST, encoded, errors, estimates
from residua.explore.designs.figures import FIGURES, Step, derived
from residua.explore.designs.fronts import front, spread
from residua.explore.designs.measures import Found, Task
from residua.explore.designs.points import Points, place
from residua.explore.designs.search import _reason

KEYS = {
    "modulus": "0x1000b",
    "width": {"from": 10, "to": 21},
    "rowers": [1, 3],
    "schedule": ["latency", "interval"],
}


def figures(keys):
    """What a smooth world with a little noise would measure."""
    noise = random.Random(json.dumps(keys, sort_keys=True)).gauss(1, 0.01)
    width, rowers, early = keys["width"], keys["rowers"], keys["schedule"] == "interval"
    return {
        "cycles": 4000 // (width * rowers) + 30 * early,
        "interval": 3000 // (width * rowers),
        "lut": round((width * rowers * 20 + 15 * width + 300) * noise),
        "ff": width * rowers,
        "dsp": rowers,
        "bram": 0,
        "mhz": round((260 - 3 * width) * noise, 1),
    }


def measure(task):
    """Stands in for tools: some points are no cores, some are the same, one does not fit."""
    keys = task.keys
    if keys["width"] == 11:
        return Found(refusal=f"w = {keys['width']} is too narrow")
    if task.step is not Step.MODEL and keys["width"] == 21:
        return Found(refusal="it does not fit")
    found = figures(keys)
    if task.step is Step.MODEL:
        chosen = keys | {"width": max(keys["width"], 13)}
        modelled = {name: figures(chosen)[name] for name in ("cycles", "interval")}
        return Found(kind="multiplier", name=f"core_{keys['width']}_{keys['rowers']}_"
                     f"{keys['schedule']}", specification=chosen, traits=chosen,
                     figures=modelled)  # fmt: skip
    mapped = {name: found[name] for name in ("lut", "ff", "dsp", "bram")}
    if task.step is Step.SYNTHESIS:
        return Found(verilog="digest", figures=mapped)
    return Found(verilog="digest", figures=mapped | {"mhz": found["mhz"]}, clocks=[found["mhz"]])


@pytest.fixture(autouse=True)
def _stand_in(monkeypatch):
    monkeypatch.setattr(doer, "measure", measure)


def cores_of(made):
    """The different cores of a space that fit, by trying all."""
    cores = {}
    for one in made.points:
        if one["width"] not in (11, 21):
            cores.setdefault((max(one["width"], 13), one["rowers"], one["schedule"]), one)
    return list(cores.values())


def test_the_front_is_found_without_placing_all(tmp_path):
    made = space.check({"keys": KEYS, "seeds": 1})
    outcome = exploration.explore(made, tmp_path, jobs=2)
    assert outcome.finished
    assert outcome.refused == {"w = N is too narrow": 4}
    assert outcome.same == 2 * 4
    placed = sum("mhz" in point.figures for point in outcome.points)
    assert placed < 0.7 * len(outcome.points)
    front_found = [derived(outcome.points[place].figures) for place in outcome.front]
    for core in cores_of(made):
        own = derived(figures(core))
        assert any(
            all(one[name] <= 1.03 * own[name] for name in made.objectives) for one in front_found
        ), core
    assert any(point.refusal == "it does not fit" for point in outcome.points)
    assert outcome.errors["lut"][len(outcome.errors["lut"]) // 2] < 0.05


def test_neither_workers_nor_stops_change_the_outcome(tmp_path, monkeypatch):
    made = space.check({"keys": KEYS, "seeds": 1})
    whole = exploration.explore(made, tmp_path / "whole", jobs=2)
    keep, left = Points.keep, [40]

    def kept(self, found):
        keep(self, found)
        left[0] -= len(found)
        if left[0] < 0:
            raise KeyboardInterrupt

    monkeypatch.setattr(Points, "keep", kept)
    for number in (40, 12):
        left[0] = number
        with pytest.raises(KeyboardInterrupt):
            exploration.explore(made, tmp_path / "stopped", jobs=1)
    left[0] = 1000
    again = exploration.explore(made, tmp_path / "stopped", jobs=1)
    assert again == whole
    assert results.rows(made, again) == results.rows(made, whole)
    assert left[0] > 1000 - 60, "what was found before was found again"


@pytest.mark.usefixtures("quick_fits")
def test_limits(tmp_path):
    keys = KEYS | {"width": [12, 14, 16], "schedule": "latency"}
    made = space.check({"keys": keys, "seeds": 1, "limits": ["lut < 1300", "dsp > 0"]})
    outcome = exploration.explore(made, tmp_path, jobs=1)
    assert outcome.finished
    assert {outcome.points[n].keys["rowers"] for n in outcome.front} == {1, 3}
    assert all(outcome.points[n].figures["lut"] < 1300 for n in outcome.settled)
    none = space.check({"keys": keys, "seeds": 1, "limits": ["lut < 1300", "lut > 1400"]})
    outcome = exploration.explore(none, tmp_path, jobs=1)
    assert outcome.front == []
    with pytest.raises(SpecificationError, match=r"meet 'lut < 1300', \d+ meet 'lut > 1400'"):
        results.check_front(none, outcome)


def test_tools_that_always_fail(tmp_path):
    made = space.check({"keys": KEYS | {"width": [21]}, "seeds": 1})
    outcome = exploration.explore(made, tmp_path, jobs=1)
    assert outcome.finished
    with pytest.raises(SpecificationError, match="tools failed on all cores: it does not fit"):
        results.check_front(made, outcome)


@pytest.mark.usefixtures("quick_fits")
def test_what_was_found_is_not_found_again(tmp_path, monkeypatch):
    made = space.check({"keys": KEYS, "seeds": 1})
    first = exploration.explore(made, tmp_path, jobs=1)
    monkeypatch.setattr(doer, "measure", None)
    told = []
    again = exploration.explore(made, tmp_path, jobs=1, progress=lambda *one: told.append(one))
    assert again == first
    assert (Step.MODEL, 48, 48) in told


@pytest.mark.usefixtures("quick_fits")
def test_time_that_is_over(tmp_path):
    made = space.check({"keys": KEYS, "seeds": 1})
    outcome = exploration.explore(made, tmp_path, jobs=1, hours=1e-9)
    assert not outcome.finished
    assert exploration.explore(made, tmp_path, jobs=1).finished


def test_another_state_of_the_package_finds_all_anew(tmp_path, monkeypatch):
    made = space.check({"keys": KEYS | {"width": [12]}, "seeds": 1})
    exploration.explore(made, tmp_path, jobs=1)
    monkeypatch.setattr(points, "STATE", "another")
    monkeypatch.setattr(doer, "measure", lambda task: Found(refusal="none any more"))
    with pytest.raises(
        SpecificationError, match=r"no point of the space is a core: none any more \("
    ):
        exploration.explore(made, tmp_path, jobs=1)


@pytest.mark.parametrize(
    ("last", "values", "message"),
    [
        (Step.MODEL, {}, "'ms' needs mhz, which comes after the step model"),
        (Step.SYNTHESIS, {"objectives": ["lut", "per_second"]}, "'per_second' needs mhz"),
        (Step.MODEL, {"objectives": ["cycles", "lut"]}, "'lut' needs lut"),
        (
            Step.SYNTHESIS,
            {"objectives": ["lut"], "limits": ["dsp < 9 OR ms < 1"]},
            "'ms' needs mhz",
        ),
        (Step.PLACEMENT, {"target": "xc7", "objectives": ["lut"]}, "'xc7' has no placement"),
    ],
)
def test_a_step_that_does_not_find_what_is_wanted(tmp_path, last, values, message):
    made = space.check({"keys": KEYS} | values)
    with pytest.raises(SpecificationError, match=message):
        exploration.explore(made, tmp_path / "never", last=last)
    assert not (tmp_path / "never").exists()


@pytest.mark.usefixtures("quick_fits")
def test_steps_before_the_last(tmp_path):
    made = space.check({"keys": KEYS, "objectives": ["cycles", "lut"], "target": "xc7"})
    outcome = exploration.explore(made, tmp_path, last=Step.SYNTHESIS, jobs=1)
    assert outcome.finished
    assert not any("mhz" in point.figures for point in outcome.points)
    assert {row.figures["target"] for row in results.rows(made, outcome)} == {"xc7"}
    model = space.check({"keys": KEYS, "objectives": ["cycles"]})
    outcome = exploration.explore(model, tmp_path, last=Step.MODEL, jobs=1)
    (only,) = outcome.front
    assert outcome.points[only].figures["cycles"] == min(
        point.figures["cycles"] for point in outcome.points
    )


@pytest.mark.parametrize(
    ("write", "message"),
    [
        (lambda path: path.write_bytes(b"not a database"), "cannot open the points in"),
        (lambda path: changed(path, "UPDATE schema_of SET number = 99"), "has schema 99"),
        (lambda path: changed(path, "DROP TABLE schema_of"), "has no points"),
    ],
)
def test_a_file_that_is_none_of_points(tmp_path, write, message):
    made = space.check({"keys": KEYS | {"width": [12]}, "seeds": 1})
    exploration.explore(made, tmp_path, jobs=1)
    write(tmp_path / points.FILE)
    with pytest.raises(SpecificationError, match=message):
        exploration.explore(made, tmp_path, jobs=1)


def changed(path, statement):
    with points.database().connect(str(path)) as connection:
        connection.execute(statement)


def test_exports(tmp_path):
    made = space.check({"keys": KEYS | {"width": [12, 14]}, "seeds": 1})
    rows = results.rows(made, exploration.explore(made, tmp_path, jobs=1))
    for form in points.FORMATS:
        path = tmp_path / f"it's.{form}"
        points.export(rows, path)
        quoted = str(path).replace("'", "''")
        with points.database().connect() as connection:
            read = connection.execute(f"SELECT width, lut, ms FROM '{quoted}'").fetchall()
        assert [(int(width), lut, ms) for width, lut, ms in read] == [
            (row.specification["width"], row["lut"], row["ms"]) for row in rows
        ]
    with pytest.raises(SpecificationError, match=r"ends with \.csv or \.parquet"):
        points.export(rows, tmp_path / "table.xls")
    with pytest.raises(SpecificationError, match="cannot write"):
        points.export(rows, tmp_path / "nowhere" / "table.csv")


def test_places_tell_what_counts_apart():
    one = Task({"a": 1, "b": 2}, Step.PLACEMENT, "ecp5", 3)
    assert place(one) == place(Task({"b": 2, "a": 1}, Step.PLACEMENT, "ecp5", 3))
    assert place(one) != place(Task({"a": 1, "b": 2}, Step.PLACEMENT, "ecp5", 5))
    model = Task({"a": 1}, Step.MODEL, "ecp5", 3)
    assert place(model) == place(Task({"a": 1}, Step.MODEL, "xc7", 5))


COSTS = st.lists(st.tuples(*[st.integers(0, 4)] * 2), max_size=12)


@given(costs=COSTS)
@settings(max_examples=200, deadline=None)
def test_fronts_against_their_definition(costs):
    def surpasses(one, other):
        return one != other and all(a <= b for a, b in zip(one, other, strict=True))

    expected = {one for one in costs if not any(surpasses(other, one) for other in costs)}
    found = [costs[n] for n in front(np.array(costs, dtype=float).reshape(-1, 2))]
    assert len(found) == len(set(found))
    assert set(found) == expected


def test_points_that_are_far_apart():
    traits: NDArray[np.float64] = np.array([[0.0], [0.1], [5.0], [5.0], [10.0]])
    assert spread(traits, 3) == [0, 4, 2]
    assert sorted(spread(traits, 9)) == [0, 1, 2, 4]


def test_estimates_know_what_they_do_not_know():
    traits = encoded([{"width": n, "kind": "ab"[n % 2]} for n in range(4, 24)])
    assert traits.shape == (20, 2)
    truth = {n: 100.0 * (n + 4) * (1 + n % 2) for n in range(20)}
    few = {n: truth[n] for n in range(FEWEST - 1)}
    assert estimates(traits, few)[19] is None
    known = {n: truth[n] for n in truth if n % 3}
    found = estimates(traits, known)
    for n, value in truth.items():
        assert found[n].low <= value * 1.0001
        assert found[n].high >= value * 0.9999
        assert found[n].likely == pytest.approx(value, rel=0.05)
    assert errors(traits, known)[-1] < 0.2
    assert errors(traits, few) == []


@pytest.mark.parametrize(
    ("refusals", "reason"),
    [
        (("w = 8 is below 12 bits", "w = 9 is below 0x1f bits"), "w = N is below N bits"),
        (("an error of 1.26e-05 in 4", "an error of 0.5 in 12"), "an error of N in N"),
        (("5 cannot share 7: 1, 7 can", "3 cannot share 8: 1, 2, 4 or 8 can"),
         "N cannot share N: N, … can"),
    ],
)  # fmt: skip
def test_refusals_for_the_same_reason(refusals, reason):
    assert {_reason(refusal) for refusal in refusals} == {reason}


def test_traits_that_are_all_the_same():
    assert encoded([{"width": 3}, {"width": 3}]).shape == (2, 1)


@pytest.mark.usefixtures("quick_fits")
def test_figures_of_the_front_are_all_there(tmp_path):
    made = space.check({"keys": KEYS, "seeds": 1})
    outcome = exploration.explore(made, tmp_path, jobs=1)
    summary = results.summary(made, outcome)
    assert summary["points"] == 48
    assert summary["failed"] == {"it does not fit": summary["failed"]["it does not fit"]}
    assert all(FIGURES.keys() <= core.keys() for core in summary["front"])
    times = [core["ms"] for core in summary["front"]]
    assert times == sorted(times)
