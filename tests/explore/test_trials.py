"""Points that an optimiser chooses: the front of all is found by few, however often it stops."""

import sys
import tracemalloc
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from residua.cores.templating import grouped
from residua.errors import SpecificationError
from residua.explore.designs import doer, exploration, optimiser, results, space, trials
from residua.explore.designs.figures import Step, derived
from residua.explore.designs.fronts import front
from residua.explore.designs.measures import Found
from residua.explore.designs.optimiser import Verdict
from residua.explore.designs.points import Points
from residua.report.exploration_tables import tried

KEYS = {
    "modulus": "0x1000b",
    "width": {"from": 10, "to": 33},
    "rowers": [1, 2, 3, 4, 6, 8],
    "levels_per_register": [1, 2, 3],
    "columns": ["default", 2, 3, 4],
    "schedule": ["latency", "interval"],
}
TRIALS = 450
"""Of 3456 points."""


def figures(keys):
    """What a world with trade-offs measures: several keys have a best value in the middle."""
    width, rowers, levels = keys["width"], keys["rowers"], keys["levels_per_register"]
    columns, early = keys.get("columns", 1), keys["schedule"] == "interval"
    channels = 1 + 528 // width
    cycles = channels * channels // (rowers * columns) + 6 * channels + 9 * columns - 5 * levels
    clock = 230 - 2.1 * width - 22 * abs(levels - 2) - 6 * columns - 1.5 * rowers
    return {
        "cycles": cycles + 40 * early,
        "interval": cycles - 30 * early,
        "lut": width * rowers * (14 + 3 * columns) + 40 * levels + 900,
        "ff": width * rowers,
        "dsp": rowers * (1 + (width > 18)),
        "bram": 0,
        "mhz": clock,
    }


def measure(task):
    """Stands in for tools: wide cores of many columns are none, and some do not fit."""
    keys = task.keys
    if keys["width"] * keys.get("columns", 1) > 100:
        return Found(refusal=f"{keys['width']} bits are too many")
    found = figures(keys)
    if task.step is not Step.MODEL and keys["width"] * keys["rowers"] > 240:
        return Found(refusal="it does not fit")
    if task.step is Step.MODEL:
        modelled = {name: found[name] for name in ("cycles", "interval")}
        return Found(kind="multiplier", name="core", specification=keys, traits=keys,
                     figures=modelled)  # fmt: skip
    mapped = {name: found[name] for name in ("lut", "ff", "dsp", "bram")}
    if task.step is Step.SYNTHESIS:
        return Found(verilog="digest", figures=mapped)
    return Found(verilog="digest", figures=mapped | {"mhz": found["mhz"]}, clocks=[found["mhz"]])


@pytest.fixture(autouse=True)
def _stand_in(monkeypatch):
    monkeypatch.setattr(doer, "measure", measure)


def made(**values):
    return space.check({"keys": KEYS, "seeds": 1} | values)


def front_of_all(objectives):
    """The figures of the front of all points."""
    own = [derived(figures(point)) for point in made().points if fits(point)]
    costs = np.array([[one[name] for name in objectives] for one in own])
    return [own[place] for place in front(costs)]


def surpassed(outcome, objectives, wanted, slack):
    """The share of a front that what was found comes up to, as far as this."""
    found = [derived(outcome.points[place].figures) for place in outcome.front]
    reached = [
        any(all(one[name] <= slack * best[name] for name in objectives) for one in found)
        for best in wanted
    ]
    return sum(reached) / len(reached)


def fits(keys):
    return keys["width"] * keys.get("columns", 1) <= 100 and keys["width"] * keys["rowers"] <= 240


def test_few_trials_find_the_front(tmp_path):
    space_of_all = made()
    outcome = exploration.explore(space_of_all, tmp_path, jobs=1, tries=TRIALS)
    assert outcome.finished
    assert outcome.optimiser.startswith("NSGA-II of Optuna 5.")
    (refused,) = outcome.refused.items()
    assert refused[0] == "N bits are too many"
    assert len(outcome.points) + refused[1] == TRIALS
    assert refused[1] < TRIALS / 10, "the optimiser does not leave what is no core"
    assert sum("mhz" in point.figures for point in outcome.points) < 120
    wanted = front_of_all(space_of_all.objectives)
    assert len(wanted) == 62
    assert surpassed(outcome, space_of_all.objectives, wanted, 1.03) >= 0.9
    assert surpassed(outcome, space_of_all.objectives, wanted, 1.000001) >= 0.5


@pytest.mark.usefixtures("quick_fits")
def test_neither_workers_nor_stops_change_what_is_tried(tmp_path, monkeypatch):
    searched = made(objectives=["cycles", "lut"], target="xc7")
    options = {"tries": 130, "last": Step.SYNTHESIS}
    whole = exploration.explore(searched, tmp_path / "whole", jobs=2, **options)
    keep, left = Points.keep, [90]

    def kept(self, found):
        keep(self, found)
        left[0] -= len(found)
        if left[0] < 0:
            raise KeyboardInterrupt

    monkeypatch.setattr(Points, "keep", kept)
    for number in (90, 45):
        left[0] = number
        with pytest.raises(KeyboardInterrupt):
            exploration.explore(searched, tmp_path / "stopped", jobs=1, **options)
    left[0] = 1000
    again = exploration.explore(searched, tmp_path / "stopped", jobs=1, **options)
    assert again == whole
    assert results.rows(searched, again) == results.rows(searched, whole)
    assert left[0] > 1000 - 200, "what was found before was found again"


def test_time_that_is_over(tmp_path):
    outcome = exploration.explore(made(), tmp_path, jobs=1, hours=1e-9, tries=150)
    assert not outcome.finished
    assert outcome.front == []


MORE = ("channels", "digit", "lanes", "blinding", "bits", "exponent_bits", "window", "truncation")
VAST = KEYS | {key: {"from": 1, "to": 10} for key in MORE}


def test_a_vast_space_is_not_listed(tmp_path, monkeypatch):
    vast = space.check({"keys": VAST, "objectives": ["cycles", "interval"]})
    assert vast.size == 3456 * 10**8
    monkeypatch.setattr(trials, "TRIALS", 100)
    tracemalloc.start()
    outcome = exploration.explore(vast, tmp_path, jobs=1, last=Step.MODEL)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 50e6
    assert len(outcome.points) + sum(outcome.refused.values()) == 100
    summary = results.summary(vast, outcome)
    assert tried(summary) == (f"100 of 345 600 000 000 combinations, chosen by {optimiser.name()}")
    assert tried(summary | {"combinations": 10**40}).startswith("100 of 10^40 combinations, ")


@pytest.mark.usefixtures("quick_fits")
def test_parts_limits_and_conditions(tmp_path):
    other = {"modulus": "0x1000b", "width": [12, 16], "rowers": [1, 2], "columns": 2,
             "levels_per_register": [1, 2], "schedule": "latency"}  # fmt: skip
    values = {"keys": [KEYS, other], "limits": ["lut < 3000"], "where": ["rowers <= 3"],
              "objectives": ["cycles", "lut"], "target": "xc7"}  # fmt: skip
    outcome = exploration.explore(made(**values), tmp_path, jobs=1, tries=100, last=Step.SYNTHESIS)
    assert (
        len(outcome.points) + outcome.same + sum(outcome.refused.values()) == 100 - outcome.excluded
    )
    assert 0 < outcome.excluded < 50
    assert all(point.keys["rowers"] <= 3 for point in outcome.points)
    assert all(outcome.points[place].figures["lut"] < 3000 for place in outcome.settled)
    assert outcome.front
    told = tried(results.summary(made(**values), outcome))
    assert told.endswith(f"; {outcome.excluded} of them do not meet the conditions")


def test_spaces_that_have_fewer_points_than_trials(tmp_path):
    few = made(keys=KEYS | {"width": [12], "rowers": [1, 2], "schedule": "latency"},
               objectives=["cycles"])  # fmt: skip
    last = Step.MODEL
    every = exploration.explore(few, tmp_path, jobs=1, last=last)
    assert len(every.points) == 24
    assert exploration.explore(few, tmp_path, jobs=1, tries=24, last=last) == every
    assert every.optimiser == ""
    assert exploration.explore(few, tmp_path, jobs=1, tries=23, last=last).optimiser


def test_trials_none_of_which_is_a_core(tmp_path):
    none = made(keys=KEYS | {"width": [101]})
    with pytest.raises(SpecificationError, match="no point of the space is a core: N bits"):
        exploration.explore(none, tmp_path, jobs=1, tries=100)
    excluded = made(where=["width > 99"])
    with pytest.raises(SpecificationError, match="the space is empty"):
        exploration.explore(excluded, tmp_path, jobs=1, tries=100)


def test_a_search_without_optuna(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "optuna", None)
    with pytest.raises(SpecificationError, match=r"needs Optuna.*'residua\[explore\]'"):
        exploration.explore(made(), tmp_path / "none", jobs=1, tries=100)
    assert not (tmp_path / "none").exists()


@given(seed=st.integers(0, 5), costs=st.lists(st.floats(-1e9, 1e9), min_size=64, max_size=64))
@settings(max_examples=5, deadline=None)
def test_the_same_verdicts_lead_to_the_same_points(seed, costs):
    def chosen():
        searched = optimiser.Optimiser(made(), seed)
        first = searched.ask()
        searched.tell([Verdict((own, -own), int(own > 0)) for own in costs])
        return first, searched.ask()

    first, second = chosen()
    assert (first, second) == chosen()
    again = optimiser.Optimiser(made(), seed, second[:9]).ask()
    assert all(genes in again for genes in second[:9])


def test_the_documentation_has_the_numbers():
    page = (Path(__file__).parents[2] / "docs" / "exploring.md").read_text(encoding="utf-8")
    assert f"up to {grouped(space.MOST_POINTS)} points" in page
    assert f"more than {grouped(space.MOST_COMBINATIONS)} combinations" in page
    assert f"{trials.TRIALS} different combinations" in page
    assert f"{optimiser.GENERATION} at a time" in page
    assert f"{made().size} points" in page
    assert f"{TRIALS} trials" in page
    assert trials.ROUNDS == 8, "eight times"
