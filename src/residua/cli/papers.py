"""The verb tables."""

from pathlib import Path
from typing import Annotated

import typer

from residua.cli.terminal import (
    Jobs,
    Json,
    PagesDirectory,
    RowNames,
    StoreDirectory,
    Verb,
    show,
    steps,
)
from residua.evidence.rows import PUBLISHED_SEEDS, Store
from residua.papers import tables as paper_tables
from residua.report import documents

app = typer.Typer()


@app.command("tables", cls=Verb)
def tables_of(
    paper: Annotated[
        str, typer.Argument(metavar="PAPER", help=f"One of {', '.join(paper_tables.PAPERS)}.")
    ],
    *,
    output: PagesDirectory = Path("tables"),
    store: StoreDirectory = None,
    seeds: Annotated[
        int, typer.Option(metavar="N", min=0, help="Placements on an ECP5; 0 leaves them out.")
    ] = PUBLISHED_SEEDS,
    synthesis: Annotated[
        bool, typer.Option(help="Measure with tools, or only take over rows that are there.")
    ] = True,
    only: RowNames = None,
    jobs: Jobs = 2,
    as_json: Json = False,
) -> None:
    """Make the tables and figures of a paper, with measured columns beside the published ones."""
    with steps("tables") as step:
        document, data = paper_tables.make(
            paper,
            Store(store or output),
            output,
            seeds=seeds,
            synthesis=synthesis,
            only=only or (),
            jobs=jobs,
            progress=step,
        )
    show(data, as_json, lambda _: documents.terminal(document))
