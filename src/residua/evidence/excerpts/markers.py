"""Markers in pages of prose, and the tables of rows between them."""

import re
from collections.abc import Callable, Mapping
from pathlib import Path

from residua.errors import SpecificationError
from residua.evidence.rows import Store
from residua.output import write_whole
from residua.report.documents import Table, markdown_table

Excerpt = Callable[[Store], Table]
"""Makes a table of rows of a store."""

END = "<!-- end of rows -->"

_BEGIN = re.compile(r"^<!-- rows: (.*) -->$", re.MULTILINE)


def begin(name: str) -> str:
    """Make the marker before a table."""
    return f"<!-- rows: {name} -->"


def filled(text: str, store: Store, excerpts: Mapping[str, Excerpt], page: str) -> str:
    """Put the tables of the rows between the markers of a page, in place of what is there.

    Args:
        text: of the page.
        store: of the rows.
        excerpts: the tables by the names that the markers have.
        page: its name, for messages.

    Raises:
        SpecificationError: a marker names no table or has no end, or a file of the store is faulty.
    """
    parts, place = [], 0
    for marker in _BEGIN.finditer(text):
        name = marker[1]
        if name not in excerpts:
            raise SpecificationError(
                f"{page} has a marker of a table '{name}': one of {', '.join(excerpts)}"
            )
        following = _BEGIN.search(text, marker.end())
        end = text.find(END, marker.end(), following.start() if following else len(text))
        if end < 0:
            raise SpecificationError(f"the table '{name}' of {page} has no end: {END}")
        table = markdown_table(excerpts[name](store))
        parts += [text[place : marker.end()], f"\n\n{table}\n\n"]
        place = end
    return "".join([*parts, text[place:]])


def names(text: str) -> list[str]:
    """List the tables that the markers of a page name."""
    return _BEGIN.findall(text)


def fill(pages: list[Path], store: Store, excerpts: Mapping[str, Excerpt]) -> list[Path]:
    """Make the tables in pages anew; those that changed.

    Raises:
        SpecificationError: see `filled`; no page is written then.
    """
    found = {}
    for page in pages:
        text = page.read_text(encoding="utf-8")
        new = filled(text, store, excerpts, page.name)
        if new != text:
            found[page] = new
    for page, new in found.items():
        write_whole(page, new)
    return list(found)
