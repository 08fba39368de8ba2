"""Which modules of tests need not run again, and which verdicts are kept."""

from types import SimpleNamespace

import pytest
from tests import kept_verdicts
from tests.imports import ROOT
from tests.kept_verdicts import Files, Verdicts

PLAIN = "tests/numbers/test_ranges.py"
OF_HARDWARE = "tests/hardware/engine/test_reducer.py"
OF_EVIDENCE = "tests/evidence/attacks/test_attack_leakage.py"
SELECTED = SimpleNamespace(keyword="", markexpr="", deselect=None)


@pytest.fixture(scope="module")
def files():
    return Files()


def changed_by(files, module, path):
    """Whether the key of a module is another one after a change of a file."""
    assert files.key(module) == Files(dict(files.digests)).key(module)
    return Files(files.digests | {path: b"other"}).key(module) != files.key(module)


@pytest.mark.parametrize(
    ("module", "path", "changed"),
    [
        (PLAIN, PLAIN, True),
        (PLAIN, "tests/conftest.py", True),
        (PLAIN, "tests/cores/generated.py", False),
        (PLAIN, "pyproject.toml", True),
        (PLAIN, "src/residua/numbers/solver.py", True),
        (PLAIN, "src/residua/errors.py", True),
        # What numbers is built without.
        (PLAIN, "src/residua/hardware/delay.py", False),
        (PLAIN, "docs/engine.md", False),
        (PLAIN, OF_HARDWARE, False),
        (OF_HARDWARE, "src/residua/hardware/delay.py", True),
        # Hardware stands on the algorithms, and nobody knows who reads a file that is no Python.
        (OF_HARDWARE, "src/residua/algorithms/program.py", True),
        (OF_HARDWARE, "src/residua/toolchain/cells/ecp5_dp16kd.v", True),
        (OF_HARDWARE, "src/residua/cli/cores.py", False),
        # Evidence finds campaigns by their names.
        (OF_EVIDENCE, "src/residua/papers/hbe/__init__.py", True),
        (OF_EVIDENCE, "results/rsa.json", False),
        # Programs are started, files are looked at, or the command line is called.
        ("tests/test_cli.py", "docs/engine.md", True),
        ("tests/docs/test_readme.py", "README.md", True),
        ("tests/evidence/test_published.py", "results/rsa.json", True),
    ],
)
def test_what_a_module_depends_on(files, module, path, changed):
    assert changed_by(files, module, path) is changed


def test_libraries_and_the_compiler_are_among_it(monkeypatch, files):
    with monkeypatch.context() as patch:
        patch.setattr(kept_verdicts.importlib.metadata, "distributions", list)
        assert Files(files.digests).key(PLAIN) != files.key(PLAIN)
    monkeypatch.setattr(kept_verdicts, "version", lambda: "another compiler")
    assert Files(files.digests).key(PLAIN) != files.key(PLAIN)


@pytest.fixture
def verdicts(monkeypatch, tmp_path, files):
    """A run in which three tests of a module are collected."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(kept_verdicts, "Files", lambda: files)
    run = Verdicts()
    assert run.kept == []
    run.pytest_xdist_node_collection_finished([f"{PLAIN}::test_{i}" for i in range(3)])
    return run


def report(run, outcomes, when="call"):
    for i, outcome in enumerate(outcomes):
        phase = SimpleNamespace(nodeid=f"{PLAIN}::test_{i}", passed=outcome == "passed", when=when)
        run.pytest_runtest_logreport(phase)


def finish(run, code=pytest.ExitCode.OK, **options):
    """The end of a run; its exit code, and what the next one need not run."""
    chosen = SimpleNamespace(**vars(SELECTED) | options)
    session = SimpleNamespace(exitstatus=code, config=SimpleNamespace(option=chosen))
    run.pytest_sessionfinish(session, code)
    return session.exitstatus, Verdicts().kept


def test_what_has_passed_is_kept(verdicts):
    report(verdicts, ["passed"] * 3)
    assert finish(verdicts) == (pytest.ExitCode.OK, [PLAIN])


def test_all_can_be_run_again(verdicts):
    report(verdicts, ["passed"] * 3)
    finish(verdicts)
    assert Verdicts(anew=True).kept == []


def test_nothing_is_left_to_run(verdicts):
    report(verdicts, ["passed"] * 3)
    finish(verdicts)
    again = Verdicts()
    assert again.pytest_report_header().startswith("verdicts: 1 of ")
    nothing = pytest.ExitCode.NO_TESTS_COLLECTED
    assert finish(again, nothing) == (pytest.ExitCode.OK, [PLAIN])


def test_nothing_to_run_is_an_error_without_verdicts(verdicts):
    nothing = pytest.ExitCode.NO_TESTS_COLLECTED
    assert finish(verdicts, nothing) == (nothing, [])


@pytest.mark.parametrize(
    "outcomes", [["passed", "failed", "passed"], ["passed", "skipped", "passed"], ["passed"] * 2]
)
def test_what_failed_was_skipped_or_not_run_is_not_kept(verdicts, outcomes):
    report(verdicts, outcomes)
    assert finish(verdicts)[1] == []


def test_what_failed_afterwards_is_not_kept(verdicts):
    report(verdicts, ["passed"] * 3)
    report(verdicts, ["failed"], when="teardown")
    assert finish(verdicts)[1] == []


def test_some_tests_of_a_module_are_no_verdict(verdicts):
    report(verdicts, ["passed"] * 3)
    assert finish(verdicts, keyword="0 or 1 or 2")[1] == []


def test_a_file_that_was_changed_meanwhile_leaves_no_verdict(verdicts, files, monkeypatch):
    report(verdicts, ["passed"] * 3)
    other = Files(files.digests | {PLAIN: b"other"})
    monkeypatch.setattr(kept_verdicts, "Files", lambda: other)
    assert finish(verdicts)[1] == []
    monkeypatch.setattr(kept_verdicts, "Files", lambda: files)
    assert Verdicts().kept == []


def test_modules_that_are_kept_are_not_collected(verdicts):
    config = SimpleNamespace(stash={kept_verdicts.KEPT: frozenset({PLAIN})})
    assert kept_verdicts.pytest_ignore_collect(ROOT / PLAIN, config) is True
    assert kept_verdicts.pytest_ignore_collect(ROOT / OF_HARDWARE, config) is None
    assert kept_verdicts.pytest_ignore_collect(ROOT.parent / "elsewhere.py", config) is None
    node = SimpleNamespace(workerinput={})
    verdicts.pytest_configure_node(node)
    assert node.workerinput == {"kept_verdicts": []}
