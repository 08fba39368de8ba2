"""What pages and docstrings say of files and modules of the package is there."""

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "src" / "residua"
FOLDERS = ("src", "tests", "scripts", "benchmarks")
PACKAGES = sorted(path.name for path in PACKAGE.iterdir() if path.is_dir())

PATH = re.compile(rf"`(?:src/residua/)?((?:{'|'.join(PACKAGES)})/[\w/]+\.\w+)`")
BARE = re.compile(r"`(\w+\.py)`")
MODULE = re.compile(rf"\b(?:residua\.|`)((?:{'|'.join(PACKAGES)})(?:\.\w+)+)")

PAGES = sorted({*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *PACKAGE.rglob("*.md")})
NAMES = {path.name for folder in FOLDERS for path in (ROOT / folder).rglob("*.py")}
SOURCES = sorted([*PACKAGE.rglob("*.py"), *PAGES])


def there(dotted: str) -> bool:
    """Whether there is what a dotted name stands for: a module, or what one defines."""
    path, parts = PACKAGE, dotted.split(".")
    while parts and (path / parts[0]).is_dir():
        path /= parts.pop(0)
    if not parts:
        return True
    module, *names = parts
    file = path / f"{module}.py"
    return file.is_file() and (not names or names[0] in defined(file))


def defined(file: Path) -> set[str]:
    """The names that a module gives a meaning at its top, by itself."""
    names = set()
    for node in ast.parse(file.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            names.add(node.name)
        elif isinstance(node, ast.Assign):
            names |= {target.id for target in node.targets if isinstance(target, ast.Name)}
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            names.add(node.target.id)
    return names


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_files(page):
    text = page.read_text(encoding="utf-8")
    assert [path for path in PATH.findall(text) if not (PACKAGE / path).exists()] == []
    assert [name for name in BARE.findall(text) if name not in NAMES] == []


def test_modules():
    missing = [
        f"{file.relative_to(ROOT)}: {dotted}"
        for file in SOURCES
        for dotted in MODULE.findall(prose(file))
        if not there(dotted)
    ]
    assert missing == []


def prose(file: Path) -> str:
    """A page, or the docstrings of a module: imports are the interpreter's to check."""
    text = file.read_text(encoding="utf-8")
    if file.suffix != ".py":
        return text
    found = (node.value for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Constant))
    return "\n".join(value for value in found if isinstance(value, str))


def test_what_is_not_there_is_found():
    assert there("hardware.engine.engine_design.EngineDesign")
    assert not there("hardware.engine.engine.Nothing")
    assert not there("hardware.nothing")
