"""Rows of measurements, which are kept from run to run, and the page that is made of them."""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from residua.errors import SpecificationError
from residua.output import write_whole
from residua.report import documents
from residua.report.documents import Document, Figure, Table

Row = dict[str, Any]
"""A ``name``, the ``commit`` it was measured at, and what was measured."""

Rows = dict[str, Row]
"""Rows by their names."""

Columns = Mapping[str, Callable[[Row], object]]
"""What a cell of a row is, by the heading of its column."""


def _as_they_are(row: Row) -> Iterable[Row]:
    return (row,)


def _nothing(_rows: list[Row]) -> tuple[()]:
    return ()


@dataclass(frozen=True)
class RowTable:
    """Makes a table of a page out of rows.

    Attributes:
        columns: headings and cells.
        title, introduction, texts, closing_texts: see `residua.report.documents.Table`.
        lines: the lines of a row, which are rows themselves; none leaves the row out.
        notes: the paragraphs that follow, out of all rows of the page.
    """

    columns: Columns
    title: str = ""
    introduction: str = ""
    texts: int = 1
    closing_texts: int = 1
    lines: Callable[[Row], Iterable[Row]] = _as_they_are
    notes: Callable[[list[Row]], tuple[str, ...]] = _nothing

    def table(self, rows: list[Row]) -> Table:
        """The table of these rows."""
        cells = tuple(
            tuple(str(cell(line)) for cell in self.columns.values())
            for row in rows
            for line in self.lines(row)
        )
        return Table(
            self.title,
            tuple(self.columns),
            cells,
            self.notes(rows),
            self.introduction,
            self.texts,
            self.closing_texts,
        )


@dataclass(frozen=True)
class Page:
    """Keeps rows in ``name``.json, and shows them on the page that ``document`` makes of them."""

    name: str
    document: Callable[[list[Row]], Document]

    def rows(self, directory: Path) -> Rows:
        """Read the rows that an earlier run left in a directory, of whatever commit.

        Raises:
            SpecificationError: the file is not of an earlier run.
        """
        path = directory / f"{self.name}.json"
        if not path.exists():
            return {}
        try:
            rows: list[Row] = json.loads(path.read_text(encoding="utf-8"))
            return {row["name"]: row for row in rows if row["commit"]}
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise SpecificationError(
                f"{path} has no rows of an earlier run: remove it or name another directory"
            ) from error

    def write(self, rows: Rows, directory: Path) -> list[Path]:
        """Write rows, page and figures; their paths."""
        ordered = list(rows.values())
        files = {
            **documents.files(self.document(ordered)),
            f"{self.name}.json": json.dumps(ordered, indent=1, ensure_ascii=False) + "\n",
        }
        for name, text in files.items():
            write_whole(directory / name, text)
        return [directory / name for name in files]


def table_page(
    name: str,
    title: str,
    introduction: str,
    tables: Sequence[RowTable],
    figures: Callable[[list[Row]], tuple[Figure, ...]] = _nothing,
) -> Page:
    """Make a page of tables of rows.

    Args:
        name: of its files.
        title: the page's heading.
        introduction: what was measured, and how.
        tables: one after the other.
        figures: drawings of the rows, which follow the first table.
    """

    def document(rows: list[Row]) -> Document:
        first, *others = (table.table(rows) for table in tables)
        return Document(name, title, introduction, (first, *figures(rows), *others))

    return Page(name, document)


def commit(row: Row) -> str:
    """The cell that says where a row was measured."""
    return f"`{row['commit']}`"


def mismatches(row: Row) -> str:
    """The cell that counts mismatches, and says so if anything else failed."""
    return f"{row['mismatches']}, FAILED" if row["failures"] else str(row["mismatches"])


def tools_notes(rows: list[Row]) -> tuple[str, ...]:
    """The notes that say which ``tools`` rows were made with."""
    made = dict.fromkeys(
        ", ".join(f"{name} {version}" for name, version in row["tools"].items()) for row in rows
    )
    return tuple(f"Made with {tools}." for tools in made)
