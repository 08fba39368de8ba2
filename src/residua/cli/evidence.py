"""The verb evidence."""

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from residua.cli.terminal import (
    Jobs,
    Json,
    PagesDirectory,
    RowNames,
    Scheduler,
    StoreDirectory,
    Verb,
    Work,
    show,
)
from residua.evidence.catalogue import CAMPAIGNS, campaign
from residua.evidence.rows import Store
from residua.report import documents

app = typer.Typer()

_NAMES = ", ".join(f"{name} ({entry.text})" for name, entry in CAMPAIGNS.items())


@app.command("evidence", cls=Verb)
def evidence_of(
    name: Annotated[str, typer.Argument(metavar="CAMPAIGN", help=f"One of {_NAMES}.")],
    *,
    output: PagesDirectory = Path("evidence"),
    store: StoreDirectory = None,
    rows: RowNames = None,
    most: Annotated[
        int | None, typer.Option(metavar="N", min=1, help="Most runs of each row.")
    ] = None,
    jobs: Jobs = 2,
    scheduler: Scheduler = None,
    work: Work = Path("build/evidence"),
    as_json: Json = False,
) -> None:
    """Measure published figures of all cores again; rows that still hold are kept."""
    asked, console = campaign(name), Console(stderr=True)
    found = asked.run(
        Store(store or output),
        output,
        parts=rows or (),
        most=most,
        jobs=jobs,
        scheduler=scheduler,
        work=work / name,
        progress=lambda text: console.print(text, markup=False, highlight=False),
    )
    data = {
        "files": [str(path) for path in found.files],
        "rows": [row.model_dump() for row in found.rows.values()],
        "faults": dict(found.faults),
    }
    show(data, as_json, lambda _: documents.terminal(found.document))
    if found.faults:
        raise typer.Exit(1)
