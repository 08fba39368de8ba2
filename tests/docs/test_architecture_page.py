"""Packages import only what the table of the architecture page allows."""

import re

import pytest
from tests.imports import PACKAGE, ROOT, SHARED, imported, modules_imported

from residua.cores import kept_files, kinds

ROW = re.compile(r"^\| `(\w+)` \| ([^|]*) \| [^|]* \|$", re.MULTILINE)


def allowed() -> dict[str, set[str]]:
    """What each package may import, by the page."""
    page = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    return {name: set(re.findall(r"`(\w+)`", imports)) for name, imports in ROW.findall(page)}


def test_every_package_is_in_the_table():
    packages = {path.name for path in PACKAGE.iterdir() if (path / "__init__.py").is_file()}
    full = {name for name in packages if any((PACKAGE / name).glob("[!_]*.py"))}
    assert full | {"cli"} == set(allowed())


@pytest.mark.parametrize("package", sorted(allowed()))
def test_imports(package):
    assert imported(package) - SHARED <= allowed()[package]


def test_what_no_core_imports():
    """Files of directories are kept whatever is changed above the cores."""
    below = allowed()["cores"] | {"cores"}
    assert below.isdisjoint(kept_files.ABOVE)
    assert below | kept_files.ABOVE == set(allowed())


KINDS = {name.partition(":")[0].rpartition(".")[2] for name in kinds._OWN}
KNOWN = {
    "specification/reading.py": {"rns_montgomery", "coprocessor"},
    "engine/core.py": {"rns_montgomery", "base_extension", "single_base"},
}
"""Modules that serve several kinds and name some: what is meant without an algorithm, types."""


def test_what_serves_all_kinds_knows_none():
    cores = PACKAGE / "cores"
    for path in sorted(cores.rglob("*.py")):
        name = path.relative_to(cores)
        if name.parts[0] in KINDS:
            continue
        found = {
            module.split(".")[2]
            for module, _ in modules_imported(path)
            if module.startswith("residua.cores.")
        }
        assert found & KINDS == KNOWN.get(name.as_posix(), set()), name


def test_folders_can_be_looked_through():
    tops = (PACKAGE, ROOT / "tests")
    for folder in (*tops, *(path for top in tops for path in top.rglob("*") if path.is_dir())):
        if folder.name != "__pycache__":
            files = [path for path in folder.iterdir() if path.is_file()]
            assert len(files) <= 20, folder
