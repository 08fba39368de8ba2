"""A Dask cluster of two processes: the same results as here, also when a worker dies."""

import os
import signal
import tempfile
from functools import partial

import pytest
from distributed import LocalCluster
from tests.evidence.test_campaign import Hardware
from tests.explore import test_exploration as stand_in

from residua.errors import SpecificationError
from residua.evidence.campaign import Campaign
from residua.evidence.pages import RowTable, table_page
from residua.evidence.rows import Store
from residua.explore.designs import doer, exploration, space
from residua.explore.designs.figures import Step
from residua.explore.prime_search import find, request


@pytest.fixture(scope="module")
def scheduler(tmp_path_factory):
    """The address of its scheduler; workers that die leave temporary files behind."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TMPDIR", str(tmp_path_factory.mktemp("cluster")))
        patch.setattr(tempfile, "tempdir", None)
        with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0") as cluster:
            yield cluster.scheduler_address


def measure(directory, request):
    """Count the runs; the process that is the first to measure "deadly" does not survive it."""
    met = directory / request.name
    if request.name == "deadly" and not met.exists():
        met.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    if request.name == "lost":
        raise RuntimeError("no such core")
    return {"vectors": request.amount, "process": os.getpid()}


@pytest.fixture
def run(tmp_path):
    """Runs a campaign with these rows."""

    def run(names, **options):
        page = table_page("page", "A page", "", (RowTable({"Name": lambda row: row.name}),))
        made = Campaign(page, dict.fromkeys(names, 10), Hardware, partial(measure, tmp_path))
        return made.run(Store(tmp_path), tmp_path, work=tmp_path / "work", **options)

    return run


def test_rows_of_a_campaign_are_measured_there(run, scheduler):
    outcome = run([f"row {n}" for n in range(8)], scheduler=scheduler)
    assert [row["vectors"] for row in outcome.rows.values()] == [10] * 8
    assert os.getpid() not in {row["process"] for row in outcome.rows.values()}
    assert not outcome.faults


def test_a_worker_that_dies_takes_no_row_with_it(run, scheduler, tmp_path):
    outcome = run(["one", "deadly", "two", "lost"], scheduler=scheduler)
    assert (tmp_path / "deadly").exists()
    assert list(outcome.rows) == ["one", "deadly", "two"]
    assert outcome.faults == {"lost": ["no row was made: no such core"]}


def test_primes_found_there_are_those_found_here(scheduler, tmp_path):
    search = request(bits=128, width=16, seed=5)
    here = find(search, 60, tmp_path / "here", processes=1)
    there = find(search, 60, tmp_path / "there", scheduler=scheduler)
    assert there.path.read_bytes() == here.path.read_bytes()


DEADLY = ((Step.MODEL, 12), (Step.PLACEMENT, 20))


def timed_or_dead(directory, task):
    """Measure a point; twice, the process that is the first to come to a certain one dies."""
    mark = directory / str(task.step)
    if (task.step, task.keys["width"]) in DEADLY and not mark.exists():
        mark.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return stand_in.measure(task), 0.0


def test_an_exploration_whose_workers_die(scheduler, tmp_path, monkeypatch):
    keys = stand_in.KEYS | {"width": [12, 14, 16, 18, 20], "schedule": "latency"}
    made = space.check({"keys": keys, "seeds": 1})
    monkeypatch.setattr(doer, "measure", stand_in.measure)
    here = exploration.explore(made, tmp_path / "here", jobs=2)
    monkeypatch.setattr(doer, "_timed", partial(timed_or_dead, tmp_path))
    there = exploration.explore(made, tmp_path / "there", scheduler=scheduler)
    assert all((tmp_path / str(step)).exists() for step, _ in DEADLY)
    assert there == here


def test_a_scheduler_without_workers_is_refused(tmp_path):
    with LocalCluster(n_workers=0, dashboard_address=":0") as empty:
        address = empty.scheduler_address
        with pytest.raises(SpecificationError, match=f"scheduler at {address} has no workers"):
            find(request(bits=128, width=16, seed=5), 1, tmp_path, scheduler=address)
