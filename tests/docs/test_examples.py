"""The examples of the documentation run, and print what the pages say that they print."""

import contextlib
import io
import re
import sys
import types
from dataclasses import dataclass
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / "docs"

FENCE = re.compile(r"^```python\n(.*?)^```\n(?:\n```text\n(.*?)^```\n)?", re.MULTILINE | re.DOTALL)
"""A block of Python, with the block of text that follows it at once: what it prints.

A block marked ``py`` needs a directory that was built before, and is not run.
"""

FILE_NAME = re.compile(r"# (\w+\.py)\n")


@dataclass(frozen=True)
class Example:
    """A block of a page; ``file`` is the name that its first line gives it."""

    code: str
    output: str | None
    file: str


def examples(page: Path) -> list[Example]:
    found = []
    for code, output in FENCE.findall(page.read_text(encoding="utf-8")):
        named = FILE_NAME.match(code)
        found.append(Example(code, output or None, named.group(1) if named else page.name))
    return found


PAGES = [page for page in sorted(DOCS.rglob("*.md")) if examples(page)]


def test_pages_are_found():
    assert DOCS / "adding-an-algorithm.md" in PAGES


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(DOCS).as_posix())
def test_examples(page, monkeypatch):
    # The blocks of a page follow one another in one module.
    module = types.ModuleType("example")
    monkeypatch.setitem(sys.modules, "example", module)
    for example in examples(page):
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(example.code, example.file, "exec"), module.__dict__)
        if example.output is not None:
            assert printed.getvalue() == example.output
