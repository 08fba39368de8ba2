"""Rows of papers' tables that tools measure: those of an earlier run, and which to measure."""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from residua.errors import SpecificationError
from residua.report.hbe_synthesis import Candidate

Row = dict[str, Any]


def kept(path: Path) -> dict[str, Row]:
    """The rows of an earlier run by their names; none if there is no such file.

    Raises:
        SpecificationError: the file is something else.
    """
    if not path.exists():
        return {}
    try:
        rows = json.loads(path.read_text(encoding="utf-8"))["rows"]
        return {row["name"]: row for row in rows}
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise SpecificationError(
            f"{path} is no data of an earlier run: remove it or name another directory"
        ) from error


def chosen(candidates: Iterable[Candidate], only: Iterable[str]) -> list[Candidate]:
    """The candidates with one of these parts in their names, all of them if there are none.

    Raises:
        SpecificationError: no candidate has a name with such a part.
    """
    found, parts = list(candidates), list(only)
    for part in parts:
        if not any(part in one.name for one in found):
            names = "; ".join(one.name for one in found)
            raise SpecificationError(f"no row has '{part}' in its name: {names}")
    return [one for one in found if not parts or any(part in one.name for part in parts)]
