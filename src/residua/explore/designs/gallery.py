"""The page of the documentation with the fronts of all spaces that were explored."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from residua.cores.specification.command import flags
from residua.evidence.pages import commit, tools_notes
from residua.evidence.rows import Row, Store
from residua.explore.designs.results import cores
from residua.explore.designs.shipped import EXPLORED
from residua.output import write_whole
from residua.report import documents
from residua.report.clocks import Clock
from residua.report.documents import Document, Figure, Table
from residua.report.exploration_tables import (
    common_keys,
    differing_keys,
    number,
    own_keys,
)
from residua.report.space_page import drawing, label

_TITLE = "Explored spaces"

_ABOUT = (
    "Fronts of [spaces](../exploring.md) that `make explore-NAME` explored for an ECP5: cores that "
    "no other one of the space surpasses. All measured cores come with Residua, for "
    "[`residua pick`](../exploring.md#choosing-a-core)."
)

_NONE = "No space was explored yet: `make explore-NAME` explores `spaces/NAME.toml`."

_SHOWN = ("ms", "lut", "dsp", "bram", "ff", "cycles", "interval")

_TIME = "ms"
"""What tables go by, and pictures have against other figures."""


def write(page: Document, directory: Path) -> list[Path]:
    """Write the page and its pictures; the files."""
    files = documents.files(page)
    for name, text in files.items():
        write_whole(directory / name, text)
    return [directory / name for name in files]


def document(store: Store) -> Document:
    """Make the page.

    Args:
        store: of rows, those of explorations in its folder `EXPLORED`.
    """
    explored = Store(store.directory / EXPLORED)
    found = {name: list(explored.read(name).values()) for name in explored.campaigns()}
    parts = [part for name, rows in found.items() if rows for part in _parts(name, rows)]
    return Document(EXPLORED, _TITLE, _ABOUT if parts else f"{_ABOUT}\n\n{_NONE}", tuple(parts))


def _parts(name: str, rows: Sequence[Row]) -> tuple[Table | Figure, ...]:
    """The front of a space: a table, and its time against look-up tables and multipliers."""
    measured = cores(rows)
    against = [one for one in ("lut", "dsp") if len({core[one] for core in measured}) > 1]
    pictures = [
        Figure("", f"{EXPLORED}_{name}_{one}.svg", drawing(measured, _TIME, one)) for one in against
    ]
    return (_table(name, rows), *pictures)


def _table(name: str, rows: Sequence[Row]) -> Table:
    front = sorted((row for row in rows if row["front"]), key=lambda row: float(row[_TIME]))
    placed = cores(front)
    keys = differing_keys(placed)
    columns = ("flags", *map(label, _SHOWN), "MHz", "commit")
    lines = [(_flags(row, keys), *_cells(row)) for row in front]
    operations = sorted({row["operation"] for row in front} - {""})
    introduction = (
        f"`make explore-{name}`: {len(rows)} cores were placed, {len(front)} are on the front. All "
        f"of these have `{flags(common_keys(placed))}`."
    )
    if operations:
        introduction += f" Times are those of {' or '.join(operations)}."
    return Table(name, columns, tuple(lines), tools_notes(list(rows)), introduction, 1, 2)


def _keys(row: Row) -> Mapping[str, Any]:
    return row.specification or {}


def _flags(row: Row, keys: Sequence[str]) -> str:
    own = own_keys({"keys": _keys(row)}, keys)
    return f"`{flags(own)}`" if own else "none"


def _cells(row: Row) -> list[str]:
    return [
        *(number(row[name]) for name in _SHOWN),
        Clock(row["mhz"], sorted(row["clocks"])).text,
        commit(row),
    ]
