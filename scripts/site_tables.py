"""Hook of MkDocs: makes the tables of the documentation fit a phone and a narrow window.

A table with prose is marked, and each of its cells gets the heading of its column, so that the
style sheet can stack the cells of a row on a phone. Other wide tables scroll in a box of their own.
Pages of results and of keys get the room of the list of headings.
"""

import html
import re
from typing import Any

PROSE = 40
"""Characters of a cell from which on a table has prose."""

WIDE_PAGES = ("results/", "specification.md", "papers.md")
"""Pages without a list of headings beside them."""

_TABLE = re.compile(r"<table>.*?</table>", re.DOTALL)
_HEADING = re.compile(r"<th\b[^>]*>(.*?)</th>", re.DOTALL)
_ROW = re.compile(r"<tr>.*?</tr>", re.DOTALL)
_CELL = re.compile(r"<td(?P<attributes>[^>]*)>(?P<content>.*?)</td>", re.DOTALL)
_TAG = re.compile(r"<[^>]*>")


def on_page_markdown(markdown: str, *, page: Any, **_: object) -> str:  # noqa: ANN401 - MkDocs'
    """Hide the list of headings of pages that need the width."""
    if page.file.src_uri.startswith(WIDE_PAGES):
        page.meta.setdefault("hide", []).append("toc")
    return markdown


def on_page_content(content: str, **_: object) -> str:
    """Mark the tables of a page that can be stacked."""
    return _TABLE.sub(lambda found: stacked(found[0]), content)


def stacked(table: str) -> str:
    """A table whose rows can be stacked if it has prose; any other one as it is."""
    if all(len(_text(cell["content"])) <= PROSE for cell in _CELL.finditer(table)):
        return table
    headings = [_text(heading) for heading in _HEADING.findall(table)]
    return f'<div class="stacked">{_ROW.sub(lambda row: _named(row[0], headings), table)}</div>'


def _named(row: str, headings: list[str]) -> str:
    """A row whose cells have the headings of their columns."""
    left = iter(headings)

    def named(cell: re.Match[str]) -> str:
        heading = html.escape(next(left), quote=True)
        return f'<td data-heading="{heading}"{cell["attributes"]}>{cell["content"]}</td>'

    return _CELL.sub(named, row)


def _text(content: str) -> str:
    """The text of a cell, without tags."""
    return html.unescape(_TAG.sub("", content)).strip()
