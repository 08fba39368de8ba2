"""Files of directories are made once for each specification, and the same as without a cache."""

import json

import pytest
from tests import kept_verilog

from residua import cache
from residua.cores import kept_files as module
from residua.cores.directory import Directory, build
from residua.cores.kept_files import kept_files
from residua.cores.kinds import core_of
from residua.cores.specification.reading import check_any
from residua.hardware import rtl
from residua.hardware.digit.iddmm import Iddmm, IddmmDesign
from residua.numbers.digits import DigitShape

REQUEST = {"algorithm": "r2mm", "modulus": 2**61 - 1}


@pytest.fixture(autouse=True)
def own_cache(monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


def made(monkeypatch):
    """The specifications whose files are made from now on."""
    found = []

    def noted(specification):
        found.append(specification)
        return core_of(specification)

    monkeypatch.setattr("residua.cores.kept_files.core_of", noted)
    return found


def test_made_once_for_a_request_and_for_what_it_leads_to(monkeypatch, tmp_path):
    found = made(monkeypatch)
    request = check_any(REQUEST)
    expected = core_of(request).files()
    assert list(kept_files(request).items()) == list(expected.items())
    assert kept_files(request) == expected
    directory = build(request, tmp_path / "core")
    monkeypatch.undo()
    assert len(found) == 1
    Directory.open(directory.path).check()


def test_the_directory_finds_its_own_files(monkeypatch, tmp_path):
    directory = build(check_any(REQUEST), tmp_path / "core")
    found = made(monkeypatch)
    monkeypatch.setattr("residua.cores.directory.kept_files", kept_files)
    Directory.open(directory.path).check()
    assert not found


def test_what_is_asked_for_is_told_apart(monkeypatch):
    requests = [REQUEST, REQUEST | {"modulus": 2**61 - 3}, REQUEST | {"name": "own"}]
    texts = [json.dumps(kept_files(check_any(request))) for request in requests]
    assert len(set(texts)) == 3
    monkeypatch.setattr(module, "MAKERS_STATE", "another state of the package")
    found = made(monkeypatch)
    kept_files(check_any(REQUEST))
    assert len(found) == 1


def state(folder, without=()):
    """That of a package in a folder."""
    return module._state(module._files(folder), without)


def test_the_state_is_that_of_all_files(tmp_path):
    (tmp_path / "one.py").write_text("1")
    states = [state(tmp_path)]
    (tmp_path / "one.py").write_text("2")
    states.append(state(tmp_path))
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "template.md").write_text("")
    states.append(state(tmp_path))
    assert len(set(states)) == 3
    assert state(tmp_path) == states[-1]


def test_what_no_core_imports_makes_no_file(tmp_path):
    """Packages above the cores, with which none of their directories changes."""
    for name in ("cores", *module.ABOVE):
        (tmp_path / name).mkdir()
    before = state(tmp_path), state(tmp_path, module.ABOVE)
    for name in module.ABOVE:
        (tmp_path / name / "one.py").write_text("")
    assert state(tmp_path) != before[0]
    assert state(tmp_path, module.ABOVE) == before[1]
    (tmp_path / "cores" / "report").mkdir()
    (tmp_path / "cores" / "report" / "one.py").write_text("")
    assert state(tmp_path, module.ABOVE) != before[1]


def test_a_changed_package_is_not_kept_by_tests(monkeypatch, tmp_path):
    """What `conftest.py` is for: a planted fault neither finds nor leaves files."""
    entries = cache.entries()
    monkeypatch.setattr(rtl, "SEVERAL_MODULES", rtl.SEVERAL_MODULES + "// planted\n")
    directory = build(check_any(REQUEST), tmp_path / "core")
    assert "// planted" in (directory.path / "rtl/primitives.v").read_text()
    assert cache.entries() == entries


emit = rtl.emit


def little():
    return IddmmDesign(DigitShape(8, 4), None)


def emitted(design, name="core", kind=Iddmm):
    """The Verilog of a multiplier, and whether it was made for this."""
    made = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(kept_verilog.rtl, "emit", lambda *given: made.append(1) or emit(*given))
        return kept_verilog.emit(kind, design, name), bool(made)


def test_verilog_of_a_design_is_made_once():
    text = emit(Iddmm(little()), "core")
    assert emitted(little()) == (text, True)
    assert emitted(little()) == (text, False)
    other, made = emitted(IddmmDesign(DigitShape(12, 4), None))
    assert made
    assert other != text
    assert emitted(little(), "other")[1]


class Another(Iddmm):
    """A component of a test."""


def test_verilog_that_a_test_may_have_changed_is_made_anew(monkeypatch):
    assert [emitted(little())[1] for _ in range(2)] == [True, False]
    assert [emitted(little(), kind=Another)[1] for _ in range(2)] == [True, True]
    own = little()
    own.__dict__["marked"] = Another
    assert [emitted(own)[1] for _ in range(2)] == [True, True]
    own.__dict__["marked"] = lambda: None
    assert [emitted(own)[1] for _ in range(2)] == [True, True]
    monkeypatch.setattr(rtl, "SEVERAL_MODULES", "")
    assert [emitted(little())[1] for _ in range(2)] == [True, True]
    monkeypatch.undo()
    assert not kept_verilog.changed
