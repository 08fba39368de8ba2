"""A directory with any byte of any file changed is refused, before anything is simulated."""

import json
import re
import shutil

import pytest
from tests.cores.planted import rehash
from tests.small_curves import MIDDLE

from residua.cores import directory as directories
from residua.cores.directory import Directory, build
from residua.cores.kinds import core_of
from residua.cores.manifest import MANIFEST, SPECIFICATION
from residua.cores.specification.reading import check_any
from residua.cores.synthesis import synthesise_directory
from residua.cores.verification import verify_directory
from residua.errors import SpecificationError
from residua.report import page

SMALL = {"modulus": 0x1000B, "width": 12}
COPROCESSOR = {"algorithm": "iddmm", "curve": MIDDLE, "digit": 20}

KINDS = {
    "multiplier": SMALL,
    "bus": {"algorithm": "inversion", "modulus": 65537, "bus": "wishbone"},
    "stream": {**COPROCESSOR, "bus": "stream"},
}
"""One module, one with a bus around it and a driver, and a coprocessor."""


@pytest.fixture(scope="module", params=KINDS)
def built(request, tmp_path_factory):
    """A directory of a kind, and its files made a second time."""
    specification = check_any(KINDS[request.param])
    made = build(specification, tmp_path_factory.mktemp(request.param) / "core")
    return made, core_of(specification).files()


def flip(path, position):
    content = bytearray(path.read_bytes())
    content[position] ^= 1
    path.write_bytes(content)


def test_any_byte_of_any_file(built, tmp_path, monkeypatch):
    """Refused as it is, and with hashes that were made to match."""
    made, files = built
    monkeypatch.setattr("residua.cores.directory.core_of", lambda _specification: object())
    monkeypatch.setattr(directories, "kept_files", lambda _specification: files)
    Directory.open(made.path).check()
    path = shutil.copytree(made.path, tmp_path / "core")
    for name in made.manifest["files"]:
        size = (path / name).stat().st_size
        for position in {0, size // 3, size - 1}:
            flip(path / name, position)
            with pytest.raises(SpecificationError, match="is not as it was built: build again"):
                Directory.open(path)
            rehash(path)
            opened = Directory.open(path)
            # The manifest differs, too: only the file's own name tells that it was looked at.
            told = None if name == SPECIFICATION else f"What differs: .*{re.escape(name)}"
            with pytest.raises(SpecificationError, match=told):
                opened.check()
            flip(path / name, position)
            rehash(path)
            Directory.open(path).check()
        (path / name).rename(tmp_path / "away")
        with pytest.raises(SpecificationError, match="cannot read"):
            Directory.open(path)
        (tmp_path / "away").rename(path / name)
    size = (path / MANIFEST).stat().st_size
    for position in range(0, size, max(1, size // 50)):
        flip(path / MANIFEST, position)
        with pytest.raises(SpecificationError):
            Directory.open(path).check()
        flip(path / MANIFEST, position)


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    return build(check_any(SMALL), tmp_path_factory.mktemp("small") / "core")


@pytest.fixture
def copy(small, tmp_path):
    return shutil.copytree(small.path, tmp_path / "core")


def edited(path, **changes):
    """The directory with other entries in its manifest, hashes and all."""
    manifest = json.loads((path / MANIFEST).read_text()) | changes
    (path / MANIFEST).write_text(json.dumps(manifest, indent=2, ensure_ascii=False) + "\n")
    return Directory.open(path)


@pytest.mark.parametrize("verb", [verify_directory, page.write, synthesise_directory])
def test_edited_cycles_are_refused_by_every_verb(verb, small, copy):
    cycles = small.manifest["cycles"]
    opened = edited(copy, cycles=cycles | {"latency": cycles["latency"] - 1})
    arguments = ["xc7"] if verb is synthesise_directory else []
    with pytest.raises(SpecificationError, match=r"What differs: manifest.json \(cycles\)"):
        verb(opened, *arguments)
    assert sorted(p.name for p in copy.iterdir()) == sorted(p.name for p in small.path.iterdir())


def test_a_specification_of_another_core_is_refused(copy):
    text = (copy / "spec.toml").read_text()
    (copy / "spec.toml").write_text(text.replace("width = 12", "width = 13"))
    rehash(copy)
    with pytest.raises(SpecificationError):
        verify_directory(Directory.open(copy))


@pytest.mark.parametrize("name", ["rtl/more.v", "notes.txt", "driver/residua.c", "sim/x/bench.v"])
def test_files_that_the_manifest_does_not_list_are_refused(name, copy):
    (copy / name).parent.mkdir(exist_ok=True, parents=True)
    (copy / name).write_text("more")
    with pytest.raises(SpecificationError, match=rf"{name} is not a file of this core: remove it"):
        Directory.open(copy)


def test_what_tools_write_is_no_file_of_the_core(copy):
    for name in ("synth/ecp5/netlist.json", "build/x/y", "report.html", "sim/obj_dir/bench"):
        (copy / name).parent.mkdir(parents=True, exist_ok=True)
        (copy / name).write_text("output")
    Directory.open(copy).check()


def test_a_file_less_in_the_manifest_is_refused(small, copy):
    files = {name: one for name, one in small.manifest["files"].items() if name != "README.md"}
    (copy / "README.md").unlink()
    with pytest.raises(SpecificationError, match=r"README.md, manifest.json \(files\)"):
        edited(copy, files=files).check()
    with pytest.raises(SpecificationError, match="does not list the files"):
        edited(copy, files=[])


def test_a_changed_result_is_refused(copy):
    Directory.open(copy).store("verify", {"passed": True, "cycles": {"latency": 30}})
    target = copy / "results" / "verify.json"
    assert Directory.open(copy).results() == {"verify": {"passed": True, "cycles": {"latency": 30}}}
    for position in range(target.stat().st_size):
        flip(target, position)
        with pytest.raises(SpecificationError, match=r"verify\.json"):
            Directory.open(copy)
        flip(target, position)
    target.write_text("[]")
    with pytest.raises(SpecificationError, match="is not a result of Residua: remove it"):
        Directory.open(copy)


def test_a_result_of_other_files_is_refused(copy, tmp_path):
    other = build(check_any({**SMALL, "name": "other"}), tmp_path / "other")
    other.store("verify", {"passed": True})
    shutil.copytree(other.path / "results", copy / "results")
    with pytest.raises(SpecificationError, match="was found on other files: remove it"):
        Directory.open(copy)
