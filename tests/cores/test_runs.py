"""Runs in batches: all of them once, with pauses in those that shall have them."""

import pytest

from residua.cores.directory import build
from residua.cores.simulation.runs import DEFAULT_CYCLES, STALLED, Batch, Runs, runs_by_default
from residua.cores.specification.reading import check_any
from residua.cores.verification import run_directory
from residua.evidence.changed import with_top


@pytest.mark.parametrize("stalls", [False, True, None])
@pytest.mark.parametrize("runs", [1, 9, 10, 95, 1000])
def test_every_run_is_in_one_batch(runs, stalls):
    made = list(Runs(runs, stalls=stalls).batches(7))
    before = [sum(batch.count for batch in made[:index]) for index in range(len(made))]
    assert [batch.done for batch in made] == before
    assert sum(batch.count for batch in made) == runs
    assert all(1 <= batch.count <= 7 for batch in made)
    stalled = sum(batch.count for batch in made if batch.stalls)
    assert stalled == {False: 0, True: runs, None: runs // STALLED}[stalls]


def test_those_with_pauses_come_last():
    assert list(Runs(20).batches(10)) == [
        Batch(0, 10, False),
        Batch(10, 8, False),
        Batch(18, 2, True),
    ]


def test_small_cores_make_more_runs():
    assert runs_by_default(100, interval=DEFAULT_CYCLES // 99) == 100
    assert runs_by_default(100, interval=DEFAULT_CYCLES // 5000) == 5000


def test_verification_lets_results_wait(tmp_path):
    """A core that does not wait until its words are taken is found by default, by pauses alone."""
    core = build(check_any({"algorithm": "r2mm", "modulus": "0x1000b"}), tmp_path / "core")
    text = core.sources()[0].read_text()
    hasty = text.replace("if (result_ready)", "if (1'b1)")
    assert hasty != text
    changed = with_top(core, hasty, tmp_path / "hasty")
    assert run_directory(changed, vectors=300, stalls=False)["passed"]
    assert not run_directory(changed, vectors=300)["passed"]
