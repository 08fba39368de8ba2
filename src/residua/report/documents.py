"""Pages of tables and figures, for a terminal, as Markdown and as HTML."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from markupsafe import Markup
from rich.box import SIMPLE
from rich.console import RenderableType
from rich.table import Table as RichTable

from residua.cores.templating import environment
from residua.output import write_whole


@dataclass(frozen=True)
class Table:
    """A table: the first column is text, the others are figures. ``notes`` follow it."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Figure:
    """A drawing that is kept as ``file`` beside the page."""

    title: str
    file: str
    svg: str
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Document:
    """A page; ``name`` is that of its files, ``data`` what the tables and figures were made of."""

    name: str
    title: str
    introduction: str
    parts: tuple[Table | Figure, ...]
    data: dict[str, Any] = field(default_factory=dict)


def write(document: Document, directory: Path) -> list[Path]:
    """Write <name>.md, .html and .json and the figures; the same document, the same bytes."""
    files = {
        f"{document.name}.md": markdown(document),
        f"{document.name}.html": html(document),
        f"{document.name}.json": json.dumps(document.data, indent=2, ensure_ascii=False) + "\n",
        **{part.file: part.svg for part in document.parts if isinstance(part, Figure)},
    }
    for name, text in files.items():
        write_whole(directory / name, text)
    return [directory / name for name in files]


def markdown(document: Document) -> str:
    """The page as Markdown; figures are links to their files."""
    blocks = [f"# {document.title}", document.introduction]
    for part in document.parts:
        blocks.append(f"## {part.title}")
        if isinstance(part, Figure):
            blocks.append(f"![{part.title}]({part.file})")
        else:
            rows = [part.columns, ("---", *["--:"] * (len(part.columns) - 1)), *part.rows]
            blocks.append("\n".join(_row(row) for row in rows))
        blocks += part.notes
    return "\n\n".join(blocks) + "\n"


def _row(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def html(document: Document) -> str:
    """The page as one HTML file that holds its figures."""
    parts = [
        {
            "title": part.title,
            "notes": part.notes,
            "table": part if isinstance(part, Table) else None,
            # Made here: nothing in it comes from outside.
            "svg": Markup(part.svg[part.svg.index("<svg") :])  # noqa: S704
            if isinstance(part, Figure)
            else None,
        }
        for part in document.parts
    ]
    template = environment("residua.report", html=True).get_template("document.html")
    return template.render(title=document.title, introduction=document.introduction, parts=parts)


def terminal(document: Document) -> list[RenderableType]:
    """The tables of the page for a terminal, and which figures there are."""
    shown: list[RenderableType] = []
    for part in document.parts:
        if isinstance(part, Figure):
            shown.append(f"{part.title}: {part.file}")
            continue
        table = RichTable(box=SIMPLE, title=part.title, title_justify="left")
        for index, column in enumerate(part.columns):
            table.add_column(column, justify="right" if index else "left", no_wrap=not index)
        for row in part.rows:
            table.add_row(*row)
        shown += [table, *(f"{note}\n" for note in part.notes)]
    return shown
