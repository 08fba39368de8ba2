"""What holds for all tests.

Two libraries come first: extension modules of Matplotlib fail to load after those of all other test
modules, and DuckDB's errors get lost after Matplotlib, pyosys and cocotb's runner.
"""

import gc
import signal
import sys
import tempfile
from pathlib import Path

import duckdb  # noqa: F401
import matplotlib.figure  # noqa: F401
import pytest
from tests.made_anew import made_anew

from residua import cache
from residua.numbers import solver

# As on the command line: the collector takes a fifth of the time that Python needs otherwise.
gc.set_threshold(2_000_000, 20, 20)


LONG = ("formal", "cores", "evidence", "docs", "hardware")
"""The folders whose tests take longest, in order."""


def pytest_collection_modifyitems(items):
    """What takes long comes first, so that at the end no process has to wait for another."""
    order = {folder: place for place, folder in enumerate(LONG)}
    folders = Path(__file__).parent
    items.sort(
        key=lambda item: order.get(item.path.relative_to(folders).parts[0], len(order)),
    )


def pytest_collection_finish():
    """Modules and tests stay to the end: the collector need not go through them each time."""
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="session", autouse=True)
def scratch(tmp_path_factory):
    """Whoever makes temporary files takes them away: none is left when all tests have run."""
    folder, before = tmp_path_factory.mktemp("scratch"), tempfile.tempdir
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TMPDIR", str(folder))
        tempfile.tempdir = None
        yield
    tempfile.tempdir = before
    left = [path.name for path in folder.iterdir() if not path.name.startswith("pytest-of-")]
    # Logs of tools that failed, as tests have them do, are for who reads the message.
    assert [name for name in left if not name.endswith(".log")] == []


@pytest.fixture(scope="module", autouse=True)
def collected():
    """Hardware that a module's tests make and never use fails the last of them.

    Otherwise Amaranth says so whenever the collector comes, in a test that has no part in it.
    """
    yield
    gc.collect()
    # What is left belongs to caches that the process keeps; it is not gone through once more.
    gc.freeze()


@pytest.fixture
def monkeypatch(monkeypatch, tmp_path_factory):
    """As ever; after a change to what something is made by, none of that kind is a kept one.

    That holds for files of cores, for Verilog, and for answers of the solver.
    """
    setattr_as_ever, shared = monkeypatch.setattr, cache.folder()

    def patched(target, *arguments, **options):
        directory = sys.modules.get("residua.cores.directory")
        if directory and _is_ours(target):
            setattr_as_ever(directory, "kept_files", made_anew)
        kept_verilog = sys.modules.get("tests.kept_verilog")
        if kept_verilog and _is_ours(target):
            setattr_as_ever(kept_verilog, "changed", True)
        if _dotted(target).startswith(solver.__name__) and cache.folder() == shared:
            monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))
        setattr_as_ever(target, *arguments, **options)

    monkeypatch.setattr = patched
    return monkeypatch


@pytest.fixture
def interruptible():
    """Ctrl-C is not ignored, here or by what is started, though tests run in the background."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield signal.default_int_handler
    signal.signal(signal.SIGINT, before)


def _is_ours(target):
    """Whether cores are made by a thing, or by what has this dotted name."""
    package, _, rest = _dotted(target).partition(".")
    above = sys.modules["residua.cores.kept_files"].ABOVE
    return package == "residua" and rest.partition(".")[0] not in above


def _dotted(target):
    """The dotted name of a thing's module, or that by which a test names what it changes."""
    if isinstance(target, str):
        return target
    return getattr(target, "__module__", None) or getattr(target, "__name__", "")
