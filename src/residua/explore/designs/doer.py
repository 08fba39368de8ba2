"""Steps that are done by workers, and what they find kept."""

import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor, as_completed
from contextlib import closing, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from residua.explore.designs.figures import Step
from residua.explore.designs.measures import Found, Task, measure
from residua.explore.designs.points import Points, place
from residua.toolchain import executors

Told = Callable[[Step, int, int | None], None]
"""Told of progress: the step, how many points have done it, and of how many if that is known."""

_AHEAD = 64
"""Tasks that are handed out at once."""

_LOST = 0.5
"""Seconds of work that may be lost if this process is killed, beside what is under way."""


class OutOfTimeError(Exception):
    """No step begins any more."""


@dataclass(frozen=True)
class _Workers:
    """Workers, how many they are, and what they call for a task."""

    executor: Executor
    count: int
    call: Callable[[Task], tuple[Found, float]]


class Doer:
    """Has tasks done that were not done before, and keeps what they find."""

    def __init__(
        self, points: Points, workers: _Workers, limit: float | None, progress: Told
    ) -> None:
        self._points, self._workers = points, workers
        self._limit, self._progress = limit, progress
        self._known = points.known()
        self._done: Counter[Step] = Counter()

    def done(self, tasks: Sequence[Task], total: int | None = None) -> list[Found]:
        """Find what each task finds.

        Args:
            tasks: what is to be found.
            total: points that do this step in all, if that is known.

        Raises:
            OutOfTimeError: the time was over before all of them had begun; what was found is kept.
        """
        left = [task for task in tasks if place(task) not in self._known]
        for task in tasks:
            if place(task) in self._known:
                self._tell(task, total)
        for first in range(0, len(left), _AHEAD):
            if self._limit is not None and time.monotonic() > self._limit:
                raise OutOfTimeError
            self._run(left[first : first + _AHEAD], total)
        return [self._known[place(task)] for task in tasks]

    def _run(self, tasks: Sequence[Task], total: int | None) -> None:
        workers = self._workers
        futures = {
            executors.submitted(workers.executor, workers.call, task): task for task in tasks
        }
        fresh: list[tuple[Task, Found, float]] = []
        kept = time.monotonic()
        try:
            for future in as_completed(futures):
                task = futures[future]
                found, seconds = future.result()
                fresh.append((task, found, seconds))
                self._known[place(task)] = found
                self._tell(task, total)
                if time.monotonic() > kept + _LOST:
                    self._points.keep(fresh)
                    fresh, kept = [], time.monotonic()
        finally:
            self._points.keep(fresh)

    def _tell(self, task: Task, total: int | None) -> None:
        self._done[task.step] += 1
        self._progress(task.step, self._done[task.step], total)


@contextmanager
def doer(
    directory: Path, hours: float | None, jobs: int | None, scheduler: str | None, progress: Told
) -> Iterator[Doer]:
    """Start workers; see `residua.explore.designs.exploration.explore`."""
    with _workers(jobs, scheduler) as workers, closing(Points(directory)) as points:
        limit = None if hours is None else time.monotonic() + 3600 * hours / workers.count
        yield Doer(points, workers, limit, progress)


@contextmanager
def _workers(jobs: int | None, scheduler: str | None) -> Iterator[_Workers]:
    if scheduler is not None:
        with executors.workers(scheduler=scheduler) as (cluster, count):
            assert cluster is not None
            yield _Workers(cluster, count, _timed)
        return
    count = jobs or executors.cores()
    with executors.tool_workers(count) as pool:
        # Workers are forked here, before libraries of this process start threads.
        executors.submitted(pool, int)
        yield _Workers(pool, count, partial(executors.ended_by_interrupts, _timed))


def _timed(task: Task) -> tuple[Found, float]:
    start = time.monotonic()
    return measure(task), time.monotonic() - start
