"""Executors that are ended while tasks are under way and others wait."""

import os
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import Executor, Future
from functools import partial

import pytest

from residua import interrupts
from residua.toolchain import executors
from residua.toolchain.process import ToolError, run


def end_all(number):
    """The first task interrupts its worker and this process at once, as a terminal does."""
    if number == 0:
        os.kill(os.getppid(), signal.SIGINT)
        os.kill(os.getpid(), signal.SIGTERM)
    time.sleep(60)


@pytest.fixture
def complaints(monkeypatch):
    """What threads have raised and nobody has caught."""
    found = []
    monkeypatch.setattr(threading, "excepthook", found.append)
    return found


@pytest.mark.parametrize("kind", [executors.tool_workers, executors.local_workers])
def test_workers_that_are_gone_already_are_no_complaint(complaints, monkeypatch, kind):
    for _ in range(20):
        monkeypatch.setattr(interrupts, "_state", interrupts._State())
        with (
            interrupts.obeyed(),
            pytest.raises((KeyboardInterrupt, OSError)),
            kind(2) as pool,
        ):
            list(executors.in_order(pool, 100, end_all, range(300)))
    assert complaints == []


class Interrupted(Executor):
    """An interrupt comes while it takes a task, when one of its locks may be taken."""

    taken = False

    def submit(self, call, *arguments):
        os.kill(os.getpid(), signal.SIGINT)
        self.taken = True
        task = Future()
        task.set_result(call(*arguments))
        return task


def test_a_task_is_taken_before_an_interrupt_is_obeyed(monkeypatch):
    monkeypatch.setattr(interrupts, "_state", interrupts._State())
    pool = Interrupted()
    with interrupts.obeyed(), pytest.raises(KeyboardInterrupt):
        list(executors.in_order(pool, 1, abs, [-1]))
    assert pool.taken


BORN = """
import os, signal
from concurrent.futures.process import BrokenProcessPool
from residua import interrupts
from residua.toolchain import executors

os.register_at_fork(after_in_child=lambda: os.kill(os.getpid(), signal.SIGTERM))
parent = os.getpid()
try:
    with interrupts.obeyed(), executors.tool_workers(1) as pool:
        executors.submitted(pool, abs, -1).result()
except BrokenProcessPool:
    print("broken", flush=True)
finally:
    if os.getpid() != parent:
        print("what its parent was about is put away", flush=True)
"""


def test_a_worker_that_is_ended_as_it_is_born_puts_nothing_of_its_parent_away():
    command = [sys.executable, "-c", BORN]
    ended = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60)
    assert ended.stdout == "broken\n"


def test_all_results_come_in_order():
    with executors.tool_workers(2) as pool:
        assert list(executors.in_order(pool, 2, abs, range(-50, 0))) == list(range(50, 0, -1))


def slept(work, number):
    """A program that sleeps so many seconds, and then the number."""
    command = [sys.executable, "-c", f"import time; time.sleep({number})"]
    run(command, tool="Python", cwd=work, log=work / f"{number}.log")
    return number


def test_programs_run_side_by_side_and_their_results_come_in_order(tmp_path, monkeypatch):
    monkeypatch.setattr(executors, "cores", lambda: 3)
    met = threading.Barrier(3)

    def call(number):
        met.wait(60)
        return slept(tmp_path, (3 - number) / 10)

    with executors.side_by_side_in_order(call, range(3)) as found:
        assert list(found) == [(0, 0.3), (1, 0.2), (2, 0.1)]


def test_programs_whose_results_nobody_wants_are_stopped(tmp_path, monkeypatch):
    monkeypatch.setattr(executors, "cores", lambda: 2)
    begun = time.monotonic()
    with executors.side_by_side_in_order(partial(slept, tmp_path), [0, 600, 601, 602]) as found:
        assert next(found) == (0, 0)
    assert time.monotonic() - begun < 60
    assert not (tmp_path / "602.log").exists()


def test_a_program_that_fails_ends_the_others(tmp_path, monkeypatch):
    monkeypatch.setattr(executors, "cores", lambda: 2)
    begun = time.monotonic()
    with (
        pytest.raises(ToolError, match="Python failed"),
        executors.side_by_side_in_order(partial(slept, tmp_path), ["none", 600]) as found,
    ):
        list(found)
    assert time.monotonic() - begun < 60
