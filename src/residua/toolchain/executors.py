"""Executors of work: this process, its cores, or a Dask cluster."""

import multiprocessing
import os
import signal
import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Executor, Future, ProcessPoolExecutor
from contextlib import contextmanager, suppress
from typing import TypeVar

from residua import interrupts
from residua.errors import SpecificationError, library
from residua.toolchain.process import side_by_side

T = TypeVar("T")
R = TypeVar("R")

_AHEAD = 3
"""Tasks for each worker that are under way or wait."""

_PROGRAMS_AHEAD = 2
"""The same where tasks run programs, whose input may be large."""

_TIMEOUT = "10s"
"""Time that a cluster's scheduler has to answer."""


def cores() -> int:
    """Cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


@contextmanager
def workers(
    count: int | None = None, scheduler: str | None = None
) -> Iterator[tuple[Executor | None, int]]:
    """An executor and how many workers it has; None for one worker, this process itself.

    Tasks that are under way at the end are given up.

    Args:
        count: local processes; by default as many as there are cores.
        scheduler: the address of a Dask scheduler, whose workers have Residua installed.

    Raises:
        SpecificationError: fewer than 1 worker, Dask is not installed, or nothing answers there.
    """
    if count is not None and count < 1:
        raise SpecificationError(f"at least 1 worker is needed, not {count}")
    if scheduler is not None:
        with _cluster(scheduler) as found:
            yield found
        return
    count = count or cores()
    if count == 1:
        yield None, 1
        return
    with local_workers(count) as pool:
        yield pool, count


@contextmanager
def local_workers(count: int) -> Iterator[Executor]:
    """An executor of local processes; tasks that are under way at the end are given up.

    Args:
        count: processes, at least 1.
    """
    # From Python 3.12 on, a fork beside threads, such as a progress bar's, draws a warning.
    method = "forkserver" if sys.version_info >= (3, 12) else None
    context = multiprocessing.get_context(method)
    others = set(multiprocessing.active_children())
    pool = ProcessPoolExecutor(count, mp_context=context, initializer=_leave_interrupts)
    try:
        # Starts a worker, so that executors which are made later know that it is none of theirs.
        submitted(pool, int)
        yield pool
    finally:
        # Nobody waits for the tasks that are under way, several for each worker. A worker that has
        # just been forked still has the handlers of this process, and might survive another signal.
        for worker in set(multiprocessing.active_children()) - others:
            worker.kill()
        pool.shutdown(cancel_futures=True)


INTERRUPTED = 128 + signal.SIGINT
"""Exit code of a worker that was interrupted."""


@contextmanager
def tool_workers(
    count: int, begin: Callable[..., None] | None = None, arguments: tuple[object, ...] = ()
) -> Iterator[Executor]:
    """An executor of local processes whose tasks run tools, which end with it.

    Whatever ends the block ends the workers; each ends what it runs, see `ended_by_interrupts`.

    Args:
        count: processes, at least 1.
        begin: is called in each of them first.
        arguments: of ``begin``; a worker has them as they were when it was forked.
    """
    context = multiprocessing.get_context("fork")
    pool = ProcessPoolExecutor(count, context, _begun, (begin, arguments))
    with interrupts.obeyed(), pool:
        try:
            yield pool
        except BaseException:
            for worker in multiprocessing.active_children():
                worker.terminate()
            # Its thread ends here: at the end of the program Python would wake it as it ends.
            pool.shutdown(cancel_futures=True)
            raise


def ended_by_interrupts(call: Callable[[T], R], task: T) -> R:
    """Call ``call`` in a worker of `tool_workers`; a signal ends it when its tools are put away.

    An executor's worker would go on with the next task, whatever becomes of this one.
    """
    try:
        with interrupts.obeyed():
            return call(task)
    except KeyboardInterrupt:
        os._exit(INTERRUPTED)


def _begun(begin: Callable[..., None] | None, arguments: tuple[object, ...]) -> None:
    for number in interrupts.ENDING:
        signal.signal(number, _end)
    if begin is not None:
        begin(*arguments)


def _end(_number: int, _frame: object) -> None:
    """End a worker that has no task, and nothing to put away."""
    os._exit(INTERRUPTED)


def _leave_interrupts() -> None:
    """Leave it to the parent to end this process; a terminal interrupts the children too."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)


@contextmanager
def _cluster(address: str) -> Iterator[tuple[Executor, int]]:
    distributed = library("distributed", "Dask", "a cluster's scheduler", "cluster")
    try:
        client = distributed.Client(address, timeout=_TIMEOUT, set_as_default=False)
    except (OSError, ValueError) as error:
        raise SpecificationError(f"no Dask scheduler answers at {address}: {error}") from None
    with client:
        count = len(client.scheduler_info(n_workers=-1)["workers"])
        if not count:
            raise SpecificationError(f"the Dask scheduler at {address} has no workers")
        executor: Executor = client.get_executor(pure=False)
        yield executor, count


def submitted(
    executor: Executor, call: Callable[..., R], *arguments: object, **options: object
) -> "Future[R]":
    """A task that an executor has been given: an interrupt that comes meanwhile is obeyed then.

    Halfway it might leave a lock of the executor taken, for which whatever ends it waits for ever.
    """
    with interrupts.held():
        return executor.submit(call, *arguments, **options)


def in_order(
    executor: Executor | None,
    count: int,
    call: Callable[[T], R],
    tasks: Iterable[T],
    *,
    ahead: int = _AHEAD,
) -> Iterator[R]:
    """The results of ``call`` in the order of ``tasks``, which may be endless.

    Only ``ahead`` tasks for each of ``count`` workers are started ahead of the results. Whoever
    does not want all of them ends the executor, which drops the others: to cancel them here would
    meet what a pool of processes does with them when its workers are ended.
    """
    if executor is None:
        yield from map(call, tasks)
        return
    waiting: deque[Future[R]] = deque()
    for task in tasks:
        waiting.append(submitted(executor, call, task))
        if len(waiting) >= ahead * count:
            yield waiting.popleft().result()
    while waiting:
        yield waiting.popleft().result()


class _EnoughError(Exception):
    """Nobody wants the results of further programs."""


@contextmanager
def side_by_side_in_order(
    call: Callable[[T], R], tasks: Iterable[T]
) -> Iterator[Iterator[tuple[T, R]]]:
    """Tasks in their order, each with the result of ``call``, which runs programs.

    As many calls run at a time, in threads, as this process has cores. The programs that run when
    the block ends are stopped.
    """

    def with_task(task: T) -> tuple[T, R]:
        return task, call(task)

    count = cores()
    with suppress(_EnoughError), side_by_side(count) as pool:
        yield in_order(pool, count, with_task, tasks, ahead=_PROGRAMS_AHEAD)
        raise _EnoughError
