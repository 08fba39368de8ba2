"""Pages of tables and figures, for a terminal, as Markdown and as HTML."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from markupsafe import Markup
from rich.box import SIMPLE
from rich.console import RenderableType
from rich.table import Table as RichTable

from residua.cores.templating import environment


@dataclass(frozen=True)
class Table:
    """A table.

    Attributes:
        title: its heading; empty if the page's own is enough.
        columns: headings of the columns.
        rows: a cell for each column.
        notes: paragraphs that follow it.
        introduction: a paragraph before it.
        texts: how many columns at the left are text; those after them are figures.
        closing_texts: how many columns at the right are text, too.
    """

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    notes: tuple[str, ...] = ()
    introduction: str = ""
    texts: int = 1
    closing_texts: int = 0

    def is_text(self, column: int) -> bool:
        """Whether a column, counted from 0, is text."""
        return column < self.texts or column >= len(self.columns) - self.closing_texts


@dataclass(frozen=True)
class Figure:
    """A drawing that is kept as ``file`` beside the page."""

    title: str
    file: str
    svg: str
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Document:
    """A page; ``name`` is that of its files, ``data`` what was counted for its tables."""

    name: str
    title: str
    introduction: str
    parts: tuple[Table | Figure, ...]
    data: dict[str, Any] = field(default_factory=dict)


def files(document: Document) -> dict[str, str]:
    """Make <name>.md, <name>.html and the figures; the same document, the same bytes."""
    return {
        f"{document.name}.md": markdown(document),
        f"{document.name}.html": html(document),
        **{part.file: part.svg for part in document.parts if isinstance(part, Figure)},
    }


def markdown(document: Document) -> str:
    """The page as Markdown; figures are links to their files."""
    blocks = [f"# {document.title}", document.introduction]
    for part in document.parts:
        blocks += [f"## {part.title}"] if part.title else []
        if isinstance(part, Figure):
            blocks.append(f"![{part.title or part.file}]({part.file})")
        else:
            blocks += [part.introduction] if part.introduction else []
            blocks += [markdown_table(part)] if part.rows else []
        blocks += part.notes
    return "\n\n".join(blocks) + "\n"


def markdown_table(table: Table) -> str:
    """A table as Markdown, without its title and notes."""
    rules = ["---" if table.is_text(k) else "--:" for k in range(len(table.columns))]
    return "\n".join(_row(row) for row in (table.columns, rules, *table.rows))


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
            justify: Literal["left", "right"] = "left" if part.is_text(index) else "right"
            table.add_column(column, justify=justify, no_wrap=not index)
        for row in part.rows:
            table.add_row(*row)
        shown += [table, *(f"{note}\n" for note in part.notes)]
    return shown
