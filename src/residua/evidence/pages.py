"""Pages of the documentation that are made of rows."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from residua.evidence.rows import PUBLISHED_SEEDS, Row
from residua.output import write_whole
from residua.report import documents
from residua.report.clocks import clock_of
from residua.report.documents import Document, Figure, Table

Columns = Mapping[str, Callable[[Any], object]]
"""What a cell of a line is, by the heading of its column."""


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
        lines: the lines of a row; none leaves the row out.
        notes: the paragraphs that follow, out of all rows of the page.
    """

    columns: Columns
    title: str = ""
    introduction: str = ""
    texts: int = 1
    closing_texts: int = 1
    lines: Callable[[Row], Iterable[Any]] = _as_they_are
    notes: Callable[[list[Row]], tuple[str, ...]] = _nothing

    def table(self, rows: list[Row]) -> Table:
        """Make the table of these rows."""
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
    """Shows the rows of ``name`` on the page that ``document`` makes of them."""

    name: str
    document: Callable[[list[Row]], Document]

    def write(self, rows: Iterable[Row], directory: Path) -> list[Path]:
        """Write page and figures; their paths."""
        return write(self.document(list(rows)), directory)


def write(document: Document, directory: Path) -> list[Path]:
    """Write a page and its figures; their paths."""
    files = documents.files(document)
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
    """Make the cell that says where a row was measured."""
    return f"`{row.commit}`"


def mismatches(row: Row) -> str:
    """Make the cell that counts mismatches, and says so if anything else failed."""
    return f"{row['mismatches']}, FAILED" if row.failures else str(row["mismatches"])


def resources(row: Row | None, target: str = "ecp5") -> str:
    """Make the cell of look-up tables, flip-flops and multipliers on a target; a dash if none."""
    found = row.get(target) if row else None
    if not found:
        return "–"
    used = found.get("resources", found)
    return " / ".join(str(used[kind]) for kind in ("lut", "ff", "dsp"))


def clock(row: Row | None, target: str = "ecp5", *, limited: bool = True) -> str:
    """Make the cell of a clock on a target in MHz: the median, and the lowest and highest.

    A median of fewer than `PUBLISHED_SEEDS` placements is marked; without one there is a dash.

    Args:
        row: with the placements; None if nothing was measured.
        target: whose device they are on.
        limited: to no more than the device's multiplier can do, which nextpnr does not time.
    """
    placed = row.get(target) if row else None
    found = clock_of(placed, limited=limited) if placed else None
    if found is None:
        return "–"
    if not found.placements:
        return f"{found.median:g} (seeds not noted)"
    if len(found.placements) == 1:
        return f"{found.median:g} (one placement)"
    few = len(found.placements) < PUBLISHED_SEEDS
    number = f", {len(found.placements)} placements" if few else ""
    return f"{found.median:g} ({found.spread}{number})"


def tools_notes(rows: list[Row]) -> tuple[str, ...]:
    """Make the notes that say which tools rows were made with."""
    made = dict.fromkeys(
        ", ".join(f"{name} {version}" for name, version in row.tools.items())
        for row in rows
        if row.tools
    )
    return tuple(f"Made with {tools}." for tools in made)
