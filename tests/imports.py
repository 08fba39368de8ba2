"""What the packages of residua import of each other, as their sources say."""

import ast
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "src" / "residua"
SHARED = frozenset({"cache", "errors", "interrupts", "output", "__version__"})
"""What every package may import."""


@cache
def modules_imported(path):
    """The dotted names in the import statements of a file, with what is taken out of each."""
    found = []
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found += [(alias.name, ()) for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            found.append((node.module, tuple(alias.name for alias in node.names)))
    return found


def packages_imported(path):
    """The packages of residua that a file imports."""
    for module, names in modules_imported(path):
        first, *rest = module.split(".")
        if first == "residua":
            yield from rest[:1] or names


@cache
def imported(package):
    """What a package or module of residua imports of the others."""
    path = PACKAGE / package
    files = sorted(path.rglob("*.py")) if path.is_dir() else [path.with_suffix(".py")]
    return frozenset(name for file in files for name in packages_imported(file)) - {package}


def below(packages):
    """Some packages and all that they stand on."""
    found, left = set(), set(packages)
    while left:
        package = left.pop()
        found.add(package)
        left |= imported(package) - SHARED - found
    return found
