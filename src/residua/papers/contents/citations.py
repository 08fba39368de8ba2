"""Citations of papers in docstrings, and the tests of what cites them."""

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from residua.papers.contents.items import PAPERS, Item, Paper

_WORD = re.compile("|".join(rf"\b{word}\b" for paper in PAPERS for word in paper.words))
_NUMBER = r"(?:\d+|[IVX]+)\b"
_CITED = re.compile(
    rf"\b(Algorithm|Table|[Ff]igure)s? ({_NUMBER}(?:(?:, | and | to )(?:line \d+ and )?{_NUMBER})*)"
)


@dataclass(frozen=True)
class Place:
    """A docstring: of a module, or of a function, class or value in it.

    Attributes:
        module: without the name of the package.
        name: what has the docstring; empty for the module itself.
    """

    module: str
    name: str = ""

    def __str__(self) -> str:
        return f"{self.module}.{self.name}" if self.name else self.module


def places(source: Path) -> dict[tuple[str, Item], list[Place]]:
    """The places that cite each item, by the short name of its paper, in the order of the files.

    Args:
        source: the folder of the package.
    """
    found: dict[tuple[str, Item], list[Place]] = {}
    for file in sorted(source.rglob("*.py")):
        module = ".".join(file.relative_to(source).with_suffix("").parts).removesuffix(".__init__")
        if module.startswith("papers.contents"):
            continue
        documented = list(docstrings(file))
        about = _paper_of(module, documented[0][1] if documented else "")
        for name, text in documented:
            for paper, item in cited(text, about):
                listed = found.setdefault((paper.short, item), [])
                place = Place(module, name)
                if place not in listed:
                    listed.append(place)
    return found


def docstrings(file: Path) -> Iterator[tuple[str, str]]:
    """The docstrings of a module, with the public name that each belongs to; first its own."""
    tree = ast.parse(file.read_text(encoding="utf-8"))
    yield "", ast.get_docstring(tree) or ""
    yield from _inside(tree, "")


def _inside(node: ast.Module | ast.ClassDef, owner: str) -> Iterator[tuple[str, str]]:
    """Docstrings of what a module or class defines; what is private counts as its owner."""
    before = ""
    for child in node.body:
        if isinstance(child, ast.FunctionDef | ast.ClassDef):
            name = owner or ("" if child.name.startswith("_") else child.name)
            yield name, ast.get_docstring(child) or ""
            if isinstance(child, ast.ClassDef):
                yield from _inside(child, name)
        elif isinstance(child, ast.Expr) and before and _is_text(child.value):
            yield before, ast.literal_eval(child.value)
        before = owner or _assigned(child)


def _is_text(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


def _assigned(node: ast.stmt) -> str:
    """The public name that a statement gives a value."""
    target = node.targets[0] if isinstance(node, ast.Assign) else getattr(node, "target", None)
    name = target.id if isinstance(target, ast.Name) else ""
    return "" if name.startswith("_") else name


def _paper_of(module: str, text: str) -> Paper | None:
    """The paper that a module is about: by its folder, or the first one that it names."""
    for paper in PAPERS:
        if module.startswith(paper.folders) if paper.folders else False:
            return paper
    first = _WORD.search(text)
    return _named(first[0]) if first else None


def _named(word: str) -> Paper:
    return next(paper for paper in PAPERS if word in paper.words)


def cited(text: str, about: Paper | None) -> Iterator[tuple[Paper, Item]]:
    """The items that a text cites; ``about`` is the paper of numbers without a word before them."""
    plain = " ".join(text.split())
    for found in _CITED.finditer(plain):
        before = list(_WORD.finditer(plain, 0, found.start()))
        paper = _named(before[-1][0]) if before else about
        for number in numbers(found[2]):
            yield from _numbered(paper, found[1].capitalize(), number)
    for paper in PAPERS:
        for item in paper.items:
            if item.phrase and re.search(item.phrase, plain):
                yield paper, item


def _numbered(paper: Paper | None, kind: str, number: str) -> Iterator[tuple[Paper, Item]]:
    if paper:
        for item in paper.items:
            if (item.kind, item.number) == (kind, number):
                yield paper, item


def numbers(text: str) -> list[str]:
    """The numbers of a list such as ``5 to 7`` or ``2, 4 and 5``."""
    found = re.findall(_NUMBER, text)
    if " to " in text and all(number.isdecimal() for number in found):
        first, last = int(found[-2]), int(found[-1])
        return [*found[:-2], *map(str, range(first, last + 1))]
    return found


def tests_of(tests: Path) -> dict[str, list[str]]:
    """The test files that import from each module of the package, by the name of the module."""
    found: dict[str, list[str]] = {}
    for file in sorted(tests.rglob("test_*.py")):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("residua."):
                for module in _imported(node):
                    listed = found.setdefault(module, [])
                    name = file.relative_to(tests.parent).as_posix()
                    if name not in listed:
                        listed.append(name)
    return found


def _imported(node: ast.ImportFrom) -> list[str]:
    """What an import may name: the module, or modules of a package."""
    module = (node.module or "").removeprefix("residua.")
    return [module, *(f"{module}.{alias.name}" for alias in node.names)]
