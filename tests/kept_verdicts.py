"""A plugin of pytest: modules that have passed with the same files are not run again.

What a module of tests depends on is taken to be more than it reads, never less. One that starts
programs, looks at files by itself or imports the command line depends on every file of the
repository. Any other depends on itself and the test code that it imports, on the packages of
residua that these import and all those below them (on all packages, if one stands above the cores),
and on all files of src and tests that are no Python. All depend on the interpreter, the C++
compiler, every installed package, and what all tests have in common. A module's verdict is kept
when each of its tests was run and passed, and nothing has changed since.

``make test`` loads the plugin; ``make test ANEW=1`` has it run everything.
"""

import hashlib
import importlib.metadata
import platform
import sys
from collections import Counter, defaultdict
from functools import cache
from pathlib import Path

import pytest
from tests.imports import PACKAGE, ROOT, SHARED, below, modules_imported, packages_imported

from residua import cache as kept_cache
from residua.cores.kept_files import ABOVE
from residua.toolchain.verilator_runtime import version

KIND = "verdicts"
EVERY = frozenset(path.name for path in PACKAGE.iterdir() if path.is_dir())
"""All packages: some of those above the cores look for others by name."""

GENERATED = frozenset({"build", "dist", "node_modules", "__pycache__"})
COMMON = ROOT / "tests" / "conftest.py"
"""What all tests have in common: what it imports only serves those that import it themselves."""

PLACES = ("__file__", "ROOT", "PACKAGE", "rootpath", "cwd()")
"""Names by which a test gets at files of the repository."""

REACHING_OUT = frozenset({"importlib", "subprocess", "runpy"})
"""Modules by which a test gets at more than it imports."""


class Files:
    """The files of the repository as they are now, and what modules of tests depend on.

    ``digests`` has those of all files by their names.
    """

    def __init__(self, digests=None):
        self.digests = digests or {_relative(path): _digest(path) for path in _files(ROOT)}
        libraries = {f"{each.name} {each.version}" for each in importlib.metadata.distributions()}
        self._machine = [sys.version, platform.platform(), version(), *sorted(libraries)]
        self._states = {}

    def key(self, module):
        """Of everything that a module of tests depends on."""
        sources = _test_code(ROOT / module)
        packages = {name for path in sources for name in packages_imported(path)} - SHARED
        names = sorted(map(_relative, sources))
        if packages & {"cli", "residua"} or any(map(_reaches_out, sources)):
            state = self._state(None)
        else:
            state = self._state(EVERY if packages & ABOVE else frozenset(below(packages)))
        return kept_cache.key([module, state, *self._named(names)])

    def _state(self, packages):
        """A digest of what modules that need these packages have in common; None: all files."""
        if packages not in self._states:
            folders = packages and tuple(f"src/residua/{name}/" for name in packages)
            names = [
                name for name in sorted(self.digests) if not folders or _is_common(name, folders)
            ]
            self._states[packages] = kept_cache.key([*self._machine, *self._named(names)])
        return self._states[packages]

    def _named(self, names):
        return [part for name in names for part in (name, self.digests[name])]


def _is_common(name, folders):
    """Whether modules depend on a file that need the packages in some folders."""
    place, _, _ = name.rpartition("/")
    if place in ("", "src/residua") or name.startswith(folders):
        return True
    if place == "tests":
        return not _holds_tests(name)
    return not name.endswith(".py") and name.startswith(("src/", "tests/"))


def _relative(path):
    return path.relative_to(ROOT).as_posix()


def _files(root):
    for path in root.iterdir():
        if path.name.startswith(".") or path.name in GENERATED or path.suffix == ".egg-info":
            continue
        if path.is_dir():
            yield from _files(path)
        elif path.is_file():
            yield path


def _digest(path):
    return hashlib.sha256(path.read_bytes()).digest()


@cache
def _test_code(path):
    """A file of tests and all test code that it imports, with what comes before each of them."""
    found, left = set(), {path}
    while left:
        file = left.pop()
        if file == COMMON:
            continue
        found.add(file)
        left |= {
            each
            for folder in file.parents
            if ROOT in folder.parents
            for each in (folder / "conftest.py", folder / "__init__.py")
            if each.is_file()
        }
        for module, names in modules_imported(file):
            if module.split(".")[0] == "tests":
                left |= set(_sources(module, names))
        left -= found
    return found


def _sources(module, names):
    """The files that an import of test code may mean."""
    place = ROOT.joinpath(*module.split("."))
    for path in (place, *(place / name for name in names)):
        for file in (path.with_suffix(".py"), path / "__init__.py"):
            if file.is_file():
                yield file


@cache
def _reaches_out(path):
    """Whether a file of test code gets at files or programs that it does not import."""
    text = path.read_text(encoding="utf-8")
    modules = {module.split(".")[0] for module, _ in modules_imported(path)}
    return path.name != "conftest.py" and (
        any(word in text for word in PLACES) or bool(modules & REACHING_OUT)
    )


def _holds_tests(name):
    return name.startswith("tests/") and Path(name).match("test_*.py")


def _name(module):
    return module.removesuffix(".py").replace("/", "_")


KEPT = pytest.StashKey()
"""The modules that need not run."""


class Verdicts:
    """Which modules need not run, and which of those that do have passed.

    A part of the plugin that the process which starts the others has.
    """

    def __init__(self, *, anew=False):
        files = Files()
        self._keys = {name: files.key(name) for name in files.digests if _holds_tests(name)}
        self.kept = []
        if not anew:
            self.kept = sorted(
                name for name, key in self._keys.items() if kept_cache.find(KIND, _name(name), key)
            )
        self._collected, self._passed, self._spoilt = defaultdict(set), Counter(), set()

    def _note(self, names):
        for name in names:
            self._collected[name.partition("::")[0]].add(name)

    def pytest_report_header(self):
        """Say what is not run."""
        few = f"{len(self.kept)} of {len(self._keys)} modules have passed with the same files"
        return f"verdicts: {few}; ANEW=1 runs all"

    @pytest.hookimpl(optionalhook=True)
    def pytest_configure_node(self, node):
        """Tell a process what not to collect."""
        node.workerinput["kept_verdicts"] = self.kept

    @pytest.hookimpl(optionalhook=True)
    def pytest_xdist_node_collection_finished(self, ids):
        """All tests that a process knows."""
        self._note(ids)

    def pytest_collection_finish(self, session):
        """All tests, where there is one process."""
        self._note(item.nodeid for item in session.items)

    def pytest_runtest_logreport(self, report):
        """One phase of a test."""
        module = report.nodeid.partition("::")[0]
        if not report.passed:
            self._spoilt.add(module)
        elif report.when == "call":
            self._passed[module] += 1

    def pytest_sessionfinish(self, session, exitstatus):
        """Keep the verdict of every module all of whose tests have passed."""
        if exitstatus == pytest.ExitCode.NO_TESTS_COLLECTED and self.kept:
            session.exitstatus = pytest.ExitCode.OK
        options = session.config.option
        if options.keyword or options.markexpr or options.deselect:
            return
        now = Files()
        for module, names in self._collected.items():
            if module in self._spoilt or self._passed[module] != len(names):
                continue
            if now.key(module) == self._keys[module]:
                kept_cache.kept(KIND, _name(module), self._keys[module], Path.touch)


def pytest_addoption(parser):
    """The plugin's option."""
    parser.addoption("--anew", action="store_true", help="run modules that have passed, too")


def pytest_configure(config):
    """Look what has been kept, or be told."""
    if hasattr(config, "workerinput"):
        kept = config.workerinput["kept_verdicts"]
    else:
        verdicts = Verdicts(anew=config.option.anew)
        config.pluginmanager.register(verdicts, "verdicts")
        kept = verdicts.kept
    config.stash[KEPT] = frozenset(kept)


def pytest_ignore_collect(collection_path, config):
    """Pass over the modules that need not run."""
    if not collection_path.is_relative_to(ROOT):
        return None
    return _relative(collection_path) in config.stash[KEPT] or None
