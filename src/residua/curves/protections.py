"""Protections of a coprocessor against whoever disturbs it."""

from enum import StrEnum


class Protection(StrEnum):
    """Protections by their names.

    ``EXIT_CHECK`` holds a multiple of a point against the curve before it leaves, and the point
    once more, see `residua.curves.exit_check`.
    """

    EXIT_CHECK = "exit-check"


Protections = frozenset[Protection]
"""The protections that a core has."""

NONE: Protections = frozenset()
"""No protections."""
