"""docs/papers.md: each algorithm, table and figure of a paper, and where it is.

``python -m residua.papers.contents.page ROOT`` writes the page of the project at ROOT.
"""

import re
import sys
from pathlib import Path

from residua.output import write_whole
from residua.papers.contents.citations import Place, cited, places, tests_of
from residua.papers.contents.items import ABSENT, PAPERS, Item, Paper

PAGE = "docs/papers.md"

MOST_PLACES, MOST_TESTS = 4, 2
"""Places and tests that a row names at most; the most particular ones."""

_INTRODUCTION = """# The papers

This page finds what you read in a paper: each algorithm, table and figure with the function or
module that has it, a test, and the page with its figures or its explanation. It is made from the
citations in docstrings (`make papers`).

| what there is | meaning |
|---|---|
| hardware | cores compute it; a kind of core, or a part of one, is generated |
| model only | written as an algorithm, with values and counts; no core has it |
| published beside measured or counted | a table or figure, with numbers of this package too |
| not reproduced | left out, for the reason given |

Names are modules of `residua`. Errors of the papers are corrected where docstrings say so (ERRATA,
E and a number).
"""


def text(root: Path) -> str:
    """The page of the project at ``root``."""
    found, tests = places(root / "src" / "residua"), tests_of(root / "tests")
    explained = _explained(root / "docs")
    parts = [_INTRODUCTION]
    for paper in PAPERS:
        heads = headings(root / "docs" / paper.page)
        rows = []
        for item in paper.items:
            about = (paper.short, item)
            anchor = heads.get(item.heading or item.label)
            page = f"[{item.heading or item.label}]({paper.page}#{anchor})" if anchor else ""
            page = page or ", ".join(explained.get(about, []))
            rows.append(_row(item, found.get(about, []), tests, page))
        parts.append("\n".join([*_beginning(paper), *rows]) + "\n")
    return "\n".join(parts)


def _beginning(paper: Paper) -> list[str]:
    volume = ", ".join(f"[{title}]({page})" for title, page in paper.campaigns.items())
    return [
        f"## {paper.short}",
        "",
        f"{paper.title}. [Tables and figures]({paper.page}). Simulated in volume: {volume}.",
        "",
        "| in the paper | what there is | where | tests | page |",
        "|---|---|---|---|---|",
    ]


def _row(item: Item, cites: list[Place], tests: dict[str, list[str]], page: str) -> str:
    title = f"{item.label}: {item.title}" if item.kind else item.title
    status = f"{item.status}: {item.note}" if item.note else item.status
    shown = [] if item.status == ABSENT else particular(cites)
    where = ", ".join(f"`{place}`" for place in shown[:MOST_PLACES])
    named = ", ".join(f"`{test}`" for test in _tests(shown, tests)[:MOST_TESTS])
    cells = (_cell(title), _cell(status), where, named, page)
    return f"| {' | '.join(cell or '–' for cell in cells)} |"


def _cell(words: str) -> str:
    """A text without what Markdown takes for markup."""
    return words.replace("*", "\\*").replace("_", "\\_")


def particular(cites: list[Place]) -> list[Place]:
    """The places of an item: not the modules of those in them; what computes first."""
    owners = {place.module for place in cites if place.name}
    kept = [place for place in cites if place.name or place.module not in owners]
    return sorted(kept, key=lambda place: _RANKS.get(place.module.partition(".")[0], 1))


_RANKS = {"algorithms": 0, "curves": 0, "papers": 3, "evidence": 4, "explore": 5}
"""Packages that come before and after the others."""


def _tests(cites: list[Place], tests: dict[str, list[str]]) -> list[str]:
    """The tests of these places; first the one with the name of a module."""
    found: list[str] = []
    for module in dict.fromkeys(place.module for place in cites):
        own = f"test_{module.rpartition('.')[2]}.py"
        listed = sorted(tests.get(module, []), key=lambda test: not test.endswith(f"/{own}"))
        found += [test for test in listed[:1] if test not in found]
    return found


def _explained(docs: Path) -> dict[tuple[str, Item], list[str]]:
    """Links to the pages beside those of results that cite an item with the name of its paper."""
    found: dict[tuple[str, Item], list[str]] = {}
    for page in sorted(docs.glob("*.md")):
        words = page.read_text(encoding="utf-8")
        link = f"[{words.partition(chr(10))[0].removeprefix('# ')}]({page.name})"
        for paragraph in words.split("\n\n") if page.name != Path(PAGE).name else ():
            for paper, item in cited(paragraph, None):
                listed = found.setdefault((paper.short, item), [])
                if link not in listed:
                    listed.append(link)
    return found


def headings(page: Path) -> dict[str, str]:
    """The anchors of a page's headings by the items that they name."""
    found: dict[str, str] = {}
    for title in re.findall(r"^## (.*)$", page.read_text(encoding="utf-8"), re.MULTILINE):
        anchor = re.sub(r"\s+", "-", re.sub(r"[^\w\s-]", "", title.lower()).strip())
        kind = re.match(r"(Table|Figure)s? ([\dIVX]+(?:(?: and | to )[\dIVX]+)?)\b", title)
        named = [f"{kind[1]} {number}" for number in _range(kind[2])] if kind else [title]
        for each in named:
            found.setdefault(each, anchor)
    return found


def _range(words: str) -> list[str]:
    first, joint, last = words.partition(" to ")
    return [str(n) for n in range(int(first), int(last) + 1)] if joint else words.split(" and ")


if __name__ == "__main__":
    project = Path(sys.argv[1])
    write_whole(project / PAGE, text(project))
