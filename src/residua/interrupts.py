"""Signals that end a program, SIGINT and SIGTERM: the first is obeyed, in peace."""

import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

ENDING = (signal.SIGINT, signal.SIGTERM)
"""The signals."""

_PEACE = 2.0
"""Seconds that what is obeyed has to put away its things, before another signal counts."""


_SOON = 0.01
"""Seconds until a signal comes again that was lost."""


class _State:
    """What is known of signals.

    Attributes:
        notes: what is called first, see `obey`.
        deaf_until: when a signal counts again, as a monotonic clock has it.
        holds: bodies of `held` that run.
        waiting: a signal that came in one of them.
        taken: the last signal that was obeyed.
        is_forked: in a process that has been forked and has not yet said what it does in an
            interrupt.
    """

    def __init__(self) -> None:
        self.notes: list[Callable[[int], None]] = []
        self.deaf_until = float("-inf")
        self.holds = 0
        self.waiting: int | None = None
        self.taken = int(signal.SIGINT)
        self.is_forked = False

    def take(self, number: int, _frame: FrameType | None) -> None:
        """The handler of both signals."""
        if self.is_forked:
            # An exception would go through what its parent was about, and put the parent's things
            # away.
            os._exit(128 + number)
        if self.holds:
            self.waiting = number
            return
        if time.monotonic() < self.deaf_until:
            return
        self.deaf_until = time.monotonic() + _PEACE
        self.taken = number
        for note in self.notes:
            note(number)
        raise KeyboardInterrupt

    def lost(self, unraisable: "sys.UnraisableHookArgs") -> None:
        """The hook for exceptions that Python drops: within a destructor, an interrupt too."""
        if not issubclass(unraisable.exc_type, KeyboardInterrupt):
            sys.__unraisablehook__(unraisable)
            return
        self.deaf_until = float("-inf")
        threading.Timer(_SOON, os.kill, (os.getpid(), self.taken)).start()


_state = _State()


def _begin_child() -> None:
    """A body of `held` in which a process has been forked goes on in its parent alone."""
    _state.holds, _state.waiting, _state.is_forked = 0, None, True


os.register_at_fork(after_in_child=_begin_child)


def obey(note: Callable[[int], None]) -> None:
    """Have either signal raise `KeyboardInterrupt`, once for all that come together.

    A terminal, a supervisor and the parent of a worker may each send one. A second exception would
    end what the first one is about: to stop programs that run, and to take away half of a file.

    Args:
        note: is called with the number of the signal before.
    """
    _state.notes.append(note)
    _state.is_forked = False
    sys.unraisablehook = _state.lost
    for number in ENDING:
        signal.signal(number, _state.take)


def ignore() -> None:
    """Have neither signal matter: the program has ended, and Python clears up."""
    for number in ENDING:
        signal.signal(number, signal.SIG_IGN)


@contextmanager
def obeyed() -> Iterator[None]:
    """What `obey` does, in the body alone."""
    _state.is_forked = False
    before = {number: signal.signal(number, _state.take) for number in ENDING}
    hook, sys.unraisablehook = sys.unraisablehook, _state.lost
    try:
        yield
    finally:
        sys.unraisablehook = hook
        for number, handler in before.items():
            signal.signal(number, handler)


@contextmanager
def held() -> Iterator[None]:
    """A signal that comes in the body is obeyed at its end: what it begins has a name by then."""
    if threading.current_thread() is not threading.main_thread():
        # Python runs handlers in the main thread alone.
        yield
        return
    _state.holds += 1
    try:
        yield
    finally:
        _state.holds -= 1
        if not _state.holds and _state.waiting is not None:
            number, _state.waiting = _state.waiting, None
            _state.take(number, None)
