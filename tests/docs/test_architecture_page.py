"""Packages import only what the table of the architecture page allows."""

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "src" / "residua"
ROW = re.compile(r"^\| `(\w+)` \| ([^|]*) \| [^|]* \|$", re.MULTILINE)


def allowed() -> dict[str, set[str]]:
    """What each package may import, by the page."""
    page = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    return {name: set(re.findall(r"`(\w+)`", imports)) for name, imports in ROW.findall(page)}


def imported(package: str) -> set[str]:
    """What a package or module of residua imports of the others."""
    path = PACKAGE / package
    files = sorted(path.rglob("*.py")) if path.is_dir() else [path.with_suffix(".py")]
    names = set()
    for file in files:
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if not isinstance(node, ast.ImportFrom) or not node.module:
                continue
            parts = node.module.split(".")
            if parts[0] == "residua":
                names |= {parts[1]} if len(parts) > 1 else {alias.name for alias in node.names}
    return names - {package, "cache", "errors", "output", "__version__"}


def test_every_package_is_in_the_table():
    packages = {path.name for path in PACKAGE.iterdir() if (path / "__init__.py").is_file()}
    full = {name for name in packages if any((PACKAGE / name).glob("[!_]*.py"))}
    assert full | {"cli"} == set(allowed())


@pytest.mark.parametrize("package", sorted(allowed()))
def test_imports(package):
    assert imported(package) <= allowed()[package]
