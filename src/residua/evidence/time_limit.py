"""An end to what might not find one."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager


class LateError(Exception):
    """Something takes longer than it may."""


@contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """End what runs in the main thread after a time, a simulation too.

    Raises:
        LateError: it is over.
    """

    def late(_number: int, _frame: object) -> None:
        raise LateError(f"takes longer than {seconds:g} s")

    before = signal.signal(signal.SIGALRM, late)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
