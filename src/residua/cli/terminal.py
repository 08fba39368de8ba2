"""Common part of the verbs: results and progress on the terminal."""

import json
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperCommand, TyperOption

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.progress import Progress

PagesDirectory = Annotated[
    Path, typer.Option("--output", "-o", metavar="DIR", help="Directory of page and figures.")
]
StoreDirectory = Annotated[
    Path | None,
    typer.Option(
        "--store",
        metavar="DIR",
        help="Directory of the rows, of earlier runs too. [default: that of the page]",
    ),
]
Jobs = Annotated[int, typer.Option(metavar="N", min=1, help="Rows measured at once.")]
RowNames = Annotated[
    list[str] | None,
    typer.Option(
        metavar="NAME", help="Measure only the row of this name, or those with this in it."
    ),
]
Work = Annotated[Path, typer.Option(metavar="DIR", help="Directory in which cores are built.")]
Scheduler = Annotated[
    str | None, typer.Option(metavar="ADDRESS", help="A Dask scheduler to work on.")
]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object instead of a table.")]


def show(
    found: dict[str, Any],
    as_json: bool,
    table: Callable[[dict[str, Any]], "Sequence[RenderableType]"],
) -> None:
    """Print what a verb found, as one JSON object or as tables."""
    if as_json:
        sys.stdout.write(json.dumps(found, indent=2, ensure_ascii=False) + "\n")
    else:
        from rich.console import Console

        Console().print(*table(found), sep="\n")


@contextmanager
def _progress(verb: str) -> Iterator[tuple["Progress", Any]]:
    """Progress on standard error, out of the way of what is printed."""
    from rich.console import Console
    from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    columns = (
        SpinnerColumn(), TextColumn("{task.fields[verb]}: {task.description}"), BarColumn(),
        TimeElapsedColumn(),
    )  # fmt: skip
    console = Console(stderr=True)
    with Progress(
        *columns, console=console, transient=True, disable=not console.is_terminal
    ) as bar:
        yield bar, bar.add_task("", verb=verb, total=None)


@contextmanager
def steps(verb: str) -> Iterator[Callable[[str], None]]:
    """Progress of a verb without an end that is known: a function that takes the next step."""
    with _progress(verb) as (bar, task):
        yield lambda step: bar.update(task, description=step)


@contextmanager
def counter(verb: str) -> Iterator[Callable[[int, int | None], None]]:
    """Progress of a verb: a function that takes what is done and the total."""
    with _progress(verb) as (bar, task):
        bar.update(task, description="start")
        yield lambda done, total: bar.update(
            task,
            completed=done,
            total=total,
            description=f"{done} of {total}" if total else f"{done}",
        )


class Verb(TyperCommand):
    """A verb, whose options refuse another option as their value."""

    # The class of contexts is private to Typer.
    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:  # noqa: ANN401
        """Parse as click does, but refuse an option as the value of another one."""
        options = [one for one in self.params if isinstance(one, TyperOption)]
        names = {name for one in options for name in one.opts + one.secondary_opts}
        taking = {name: one for one in options if not one.is_flag for name in one.opts}
        for word, following in pairwise(args):
            option = taking.get(word)
            if option and (following in names or following.startswith("--")):
                raise typer.BadParameter(
                    f"it needs a value, and {following} is another option: {option.help}",
                    ctx,
                    option,
                )
        rest: list[str] = super().parse_args(ctx, args)
        return rest
