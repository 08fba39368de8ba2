"""A plugin of pytest: CPU seconds of the tests by what they are spent on.

Each process of the run writes what it has measured to the folder that ``RESIDUA_SUITE_TIMES``
names. The plugin is loaded before the package, so that all of it calls the measuring functions.
"""

import json
import os
import resource
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from time import process_time
from typing import ParamSpec, TypeVar

import pytest

from residua.numbers import solver
from residua.toolchain import process

KINDS = {
    "simulator": "simulate",
    "the simulator": "simulate",
    "the test bench": "simulate",
    "yosys": "synthesise",
    "nextpnr-ecp5": "synthesise",
    "SymbiYosys": "prove",
    "abc": "prove",
}
"""What a tool does; all others compile."""

P = ParamSpec("P")
R = TypeVar("R")

_seconds: dict[str, float] = {}


def _of_programs() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _assign(kind: str) -> None:
    """Give a kind what programs have used since the last one that ended."""
    before = sum(seconds for known, seconds in _seconds.items() if known not in _OWN)
    _add(kind, _of_programs() - before)


def _add(kind: str, seconds: float) -> None:
    _seconds[kind] = _seconds.get(kind, 0.0) + seconds


_OWN = ("solve", "Python")


def _measured_run(run: Callable[P, R]) -> Callable[P, R]:
    @wraps(run)
    def measured(*arguments: P.args, **options: P.kwargs) -> R:
        _assign("other programs")
        try:
            return run(*arguments, **options)
        finally:
            _assign(KINDS.get(str(options["tool"]), "compile"))

    return measured


def _measured_search(search: Callable[P, R]) -> Callable[P, R]:
    @wraps(search)
    def measured(*arguments: P.args, **options: P.kwargs) -> R:
        start = process_time()
        try:
            return search(*arguments, **options)
        finally:
            _add("solve", process_time() - start)

    return measured


def pytest_unconfigure(config: pytest.Config) -> None:
    """Write what this process has measured; of the one that starts the others, only its own."""
    if hasattr(config, "workerinput"):
        _assign("other programs")
    _seconds["Python"] = process_time() - _seconds.get("solve", 0.0)
    folder = Path(os.environ["RESIDUA_SUITE_TIMES"])
    (folder / f"{os.getpid()}.json").write_text(json.dumps(_seconds), encoding="utf-8")


process.run = _measured_run(process.run)
solver._search = _measured_search(solver._search)
