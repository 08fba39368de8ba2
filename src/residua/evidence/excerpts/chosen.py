"""Tables of chosen rows, with dashes where a row was not measured."""

import shlex
from collections.abc import Callable, Mapping
from typing import Any

from residua.cores.templating import grouped
from residua.evidence.rows import Row
from residua.report.documents import Table

DASH = "–"

Cells = Mapping[str, Callable[[Row], object]]
"""What a cell is, by the heading of its column."""


def flags(keys: Mapping[str, Any]) -> str:
    """Make the cell of the flags of ``residua build`` that give the keys of a specification."""
    words = (word for key, value in keys.items() for word in (_flag(key), str(value)))
    return f"`{shlex.join(words)}`"


def _flag(key: str) -> str:
    return "--" + key.replace("_", "-")


def large(number: int | None) -> str:
    """Make the cell of a large number."""
    return DASH if number is None else grouped(number)


def milliseconds(cycles: int | None, placed: Row | None) -> str:
    """Make the cell of the time that so many cycles take at the clock of a row."""
    if cycles is None or placed is None or not placed.get("ecp5"):
        return DASH
    return f"{cycles / placed['ecp5']['fmax_mhz'] / 1000:.3f}"


def row_table(
    rows: Mapping[str, Row],
    names: Mapping[str, tuple[str, ...]],
    columns: Cells,
    heads: tuple[str, ...],
    *,
    closing_texts: int = 0,
) -> Table:
    """Make a table of chosen rows.

    Args:
        rows: of a campaign.
        names: of the rows, in order, with the first cells of each.
        columns: all other cells; dashes stand for those of a row that was not measured.
        heads: the headings of the first cells.
        closing_texts: how many columns at the right are text, too.
    """
    lines = (
        (*cells, *(str(cell(rows[name])) if name in rows else DASH for cell in columns.values()))
        for name, cells in names.items()
    )
    texts = len(heads), closing_texts
    return Table("", (*heads, *columns), tuple(lines), (), "", *texts)
