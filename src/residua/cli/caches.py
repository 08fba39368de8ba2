"""The verb cache."""

from collections.abc import Sequence
from typing import Annotated, Any

import typer
from rich.console import RenderableType
from rich.table import Table

from residua import cache as caches
from residua.cli.terminal import Json, Verb, show

app = typer.Typer()


@app.command(cls=Verb)
def cache(
    *,
    clear: Annotated[bool, typer.Option("--clear", help="Remove everything.")] = False,
    as_json: Json = False,
) -> None:
    """Show what is kept to save time, and where; nothing depends on it."""
    if clear:
        caches.clear()
    kinds = {
        kind: {"entries": len(paths), "bytes": sum(path.stat().st_size for path in paths)}
        for kind, paths in caches.entries().items()
    }
    found = {"folder": str(caches.folder()), "limit": caches.LIMIT, "kinds": kinds}
    show(found, as_json, _table)


def _table(found: dict[str, Any]) -> Sequence[RenderableType]:
    kept = sum(kind["bytes"] for kind in found["kinds"].values())
    caption = f"{kept / 1e6:.1f} MB of {found['limit'] / 1e6:.0f} in {found['folder']}"
    table = Table("kept", "entries", "MB", caption=caption)
    for name, kind in found["kinds"].items():
        table.add_row(name, str(kind["entries"]), f"{kind['bytes'] / 1e6:.1f}")
    return [table]
