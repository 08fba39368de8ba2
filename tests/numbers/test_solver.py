"""CP-SAT, interrupted."""

import signal
import threading
import time

import pytest
from ortools.sat.python import cp_model

from residua import cache
from residua.cores.coprocessor.engine.rns_montgomery import EccCore
from residua.curves.catalogue import find_curve
from residua.numbers import solver
from residua.numbers.solver import solve


def hard_model():
    """A schedule that CP-SAT looks for much longer than anyone waits."""
    model = cp_model.CpModel()
    starts = [model.new_int_var(0, 10_000, f"start{job}") for job in range(200)]
    lengths = [3 + job * 7919 % 41 for job in range(200)]
    intervals = [
        model.new_fixed_size_interval_var(start, length, "job")
        for start, length in zip(starts, lengths, strict=True)
    ]
    model.add_cumulative(intervals, [1 + job * 31 % 7 for job in range(200)], 9)
    end = model.new_int_var(0, 10_000, "end")
    for start, length in zip(starts, lengths, strict=True):
        model.add(end >= start + length)
    model.minimize(sum(starts) + end)
    return model


def test_an_interrupt_is_raised_at_once_and_no_half_answer_is_used(interruptible):
    model = hard_model()
    main = threading.main_thread().ident
    start = time.monotonic()
    threading.Timer(1, signal.pthread_kill, (main, signal.SIGINT)).start()
    with pytest.raises(KeyboardInterrupt):
        solve(model, effort=1000)
    assert time.monotonic() - start < 3
    assert signal.getsignal(signal.SIGINT) is interruptible


def test_answers():
    model = cp_model.CpModel()
    x = model.new_int_var(0, 9, "x")
    model.add(2 * x <= 11)
    model.maximize(x)
    answer = solve(model, 1.0)
    assert answer.value(x) == 5
    model.add(x >= 8)
    assert solve(model, 1.0).solution is None


def test_what_a_search_without_relaxations_leaves_open_is_searched_with_them(monkeypatch):
    searches = []
    search = solver._search

    def recorded(model, effort, *, relaxed=True):
        searches.append((relaxed, search(model, effort, relaxed=relaxed)))
        return searches[-1][1]

    monkeypatch.setattr(solver, "_search", recorded)
    answer = solve(hard_model(), 1.0, schedule=True)
    (first, without), (second, with_them) = searches
    assert (first, second) == (False, True)
    assert not without.settled
    better = with_them if with_them.objective < without.objective else without
    assert answer.solution == better.answer.solution
    # It goes on from what was found.
    assert with_them.objective <= without.objective


def test_a_schedule_that_is_settled_is_searched_once(monkeypatch):
    model = cp_model.CpModel()
    starts = [model.new_int_var(0, 9, f"start{job}") for job in range(3)]
    model.add_no_overlap([model.new_fixed_size_interval_var(s, 2, "job") for s in starts])
    model.minimize(sum(starts))
    monkeypatch.setattr(solver, "_SECOND", None)
    assert sorted(solve(model, 20.0, schedule=True).solution) == [0, 2, 4]
    model.add(starts[0] + starts[1] < 2)
    assert solve(model, 20.0, schedule=True).solution is None


def test_after_a_change_of_the_solver_no_answer_is_a_kept_one(monkeypatch):
    """`tests/conftest.py` sees to it: a search that is watched would otherwise not be made."""
    model = cp_model.CpModel()
    model.maximize(model.new_int_var(0, 9, "x"))
    solve(model, 1.0)
    before, search, searches = cache.folder(), solver._search, []

    def watched(*arguments, **options):
        searches.append(arguments)
        return search(*arguments, **options)

    monkeypatch.setattr("residua.numbers.solver._search", watched)
    solve(model, 1.0)
    own = cache.folder()
    assert own != before
    assert len(searches) == 1
    monkeypatch.setattr(solver, "_SECOND", 0.1)
    assert cache.folder() == own


def test_answers_are_kept(monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    model = cp_model.CpModel()
    x = model.new_int_var(0, 9, "x")
    model.maximize(x)
    first = solve(model, 1.0)
    search = solver._search
    monkeypatch.setattr(solver, "_search", None)
    assert solve(model, 1.0) == first
    monkeypatch.setattr(solver, "_search", search)
    model.minimize(x)
    assert solve(model, 1.0).value(x) == 0
    assert len(cache.entries()["answers"]) == 2


@pytest.mark.parametrize("name", ["P-256", "Curve25519", "brainpoolP384r1"])
def test_answers_for_the_catalogue_are_part_of_the_package(name, monkeypatch, tmp_path):
    """If not: `make answers`."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(solver, "_search", None)
    core = EccCore([find_curve(name)], blinding="auto")
    assert core.design.processor.store.words > 1000
    assert not cache.entries()


def test_shipped_answers_are_taken_and_no_others(monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    model = cp_model.CpModel()
    x = model.new_int_var(0, 9, "x")
    model.maximize(x)
    assert solve(model, 1.0).value(x) == 9
    (entry,) = cache.entries()["answers"]
    planted = {entry.name.split("-")[1]: {"solution": [3], "time": 0.0}}
    monkeypatch.setattr(solver, "shipped", lambda: planted)
    assert solve(model, 1.0).value(x) == 3
    assert solve(model, 2.0).value(x) == 9
