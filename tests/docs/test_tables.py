"""Every table of the documentation is one table on the rendered page."""

import re
from pathlib import Path

import markdown
import pytest
import yaml

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
EXTENSIONS = ["tables", "def_list", "toc", "pymdownx.highlight", "pymdownx.superfences"]

FENCE = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
TAG = re.compile(r"<(table|/table|code|/code)>")


def stray_lines(text: str) -> list[str]:
    """Lines of a page that begin with a bar and are in no table."""
    page = markdown.markdown(FENCE.sub("", text), extensions=EXTENSIONS)
    outside = re.sub(r"<table>.*?</table>", "", page, flags=re.DOTALL)
    plain = re.sub(r"<[^>]*>", "", outside)
    return [line for line in plain.splitlines() if line.startswith(("| ", "|-"))]


def test_the_extensions_are_those_of_the_site():
    settings = yaml.safe_load((ROOT / "mkdocs.yml").read_text(encoding="utf-8"))
    named = [next(iter(e)) if isinstance(e, dict) else e for e in settings["markdown_extensions"]]
    assert named == EXTENSIONS


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_tables_are_whole(page):
    assert stray_lines(page.read_text(encoding="utf-8")) == []


def test_a_split_table_is_found():
    table = "| a | b |\n|---|---|\n| 1 | 2 |\n| 3 | 4 |\n"
    assert stray_lines(table) == []
    assert stray_lines(table.replace("2 |\n", "2 |\n\n")) == ["| 3 | 4 |"]
    assert stray_lines("Text\n" + table) != []
