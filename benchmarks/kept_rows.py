"""Rows of measurements: those of the same commit are kept, so that an interrupted run goes on."""

import json
import subprocess
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

from rich.console import Console

Row = dict[str, Any]


def current_commit() -> str:
    """The commit that is checked out."""
    git = ["git", "-C", str(Path(__file__).parent), "rev-parse", "--short", "HEAD"]
    return subprocess.run(git, capture_output=True, text=True, check=True).stdout.strip()


def measured(
    store: Path, wanted: Iterable[str], measure: Callable[[str], Row], console: Console
) -> Iterator[tuple[dict[str, Row], str]]:
    """All rows by name and the commit, after each of those ``wanted``.

    ``measure`` makes the row of a name unless ``store`` has it, which then has all of them.
    """
    commit = current_commit()
    store.parent.mkdir(parents=True, exist_ok=True)
    saved = json.loads(store.read_text()) if store.exists() else {}
    rows: dict[str, Row] = saved["rows"] if saved.get("commit") == commit else {}
    for name in wanted:
        if name not in rows:
            rows[name] = measure(name)
            console.print(rows[name])
        store.write_text(json.dumps({"commit": commit, "rows": rows}, indent=2) + "\n")
        yield rows, commit
