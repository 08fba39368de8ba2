"""Cells of tables: published numbers beside measured ones."""

from fractions import Fraction
from typing import Any

from residua.evidence.rows import Row

_WHOLE = 1e6
"""Numbers from here on are shown with all their digits."""


def number(row: Row | None, *keys: str) -> float | None:
    """Look up a number of a row; None if it was not measured."""
    found: Any = row
    for key in keys:
        found = found.get(key) if found else None
    return None if found is None else float(found)


def shown(figure: float | Fraction | None) -> str:
    """Show a number in a table; a dash for one that is not there."""
    if figure is None:
        return "–"
    return f"{float(figure):g}" if figure < _WHOLE else f"{float(figure):.0f}"


def both(published: float | Fraction | None, own: float | Fraction | None) -> str:
    """Show a published and a measured number."""
    return f"{shown(published)} / {shown(own)}"
