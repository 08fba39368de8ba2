"""A plugin of pytest: CPU seconds of the tests by what they are spent on.

Each process of the run writes what it has measured to the folder that ``RESIDUA_SUITE_TIMES``
names. The plugin is loaded before the package, so that all of it calls the measuring functions.
"""

import json
import os
import resource
from collections import Counter
from functools import wraps
from pathlib import Path
from time import process_time

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

_seconds: Counter[str] = Counter()


def _of_programs():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _assign(kind):
    """Give a kind what programs have used since the last one that ended."""
    _seconds[kind] += _of_programs() - sum(s for k, s in _seconds.items() if k not in _OWN)


_OWN = ("solve", "Python")


def _measured_run(run):
    @wraps(run)
    def measured(*arguments, **options):
        _assign("other programs")
        try:
            return run(*arguments, **options)
        finally:
            _assign(KINDS.get(options["tool"], "compile"))

    return measured


def _measured_search(search):
    @wraps(search)
    def measured(*arguments):
        start = process_time()
        try:
            return search(*arguments)
        finally:
            _seconds["solve"] += process_time() - start

    return measured


def pytest_unconfigure(config):
    """Write what this process has measured; of the one that starts the others, only its own."""
    if hasattr(config, "workerinput"):
        _assign("other programs")
    _seconds["Python"] = process_time() - _seconds["solve"]
    folder = Path(os.environ["RESIDUA_SUITE_TIMES"])
    (folder / f"{os.getpid()}.json").write_text(json.dumps(_seconds), encoding="utf-8")


process.run = _measured_run(process.run)
solver._search = _measured_search(solver._search)
