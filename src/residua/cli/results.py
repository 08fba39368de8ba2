"""The verb results."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console, RenderableType
from rich.table import Table

from residua.cli.terminal import Jobs, Json, PagesDirectory, Scheduler, Verb, Work, show, steps
from residua.errors import SpecificationError
from residua.evidence.catalogue import CAMPAIGNS, campaign
from residua.evidence.excerpts.catalogue import EXCERPTS, PAGES
from residua.evidence.excerpts.markers import fill
from residua.evidence.rows import PUBLISHED_SEEDS, Store, merge
from residua.evidence.standing import MEANINGS, Standing, State, standings

app = typer.Typer()


@app.command("results", cls=Verb)
def results_of(
    names: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[CAMPAIGN]...", help="Those of `evidence`; all of them by default."
        ),
    ] = None,
    *,
    store: Annotated[Path, typer.Option(metavar="DIR", help="Where the rows are.")] = Path(
        "results"
    ),
    output: PagesDirectory = Path("docs/results"),
    measure: Annotated[
        bool, typer.Option("--measure", help="Measure the rows that do not hold.")
    ] = False,
    pages: Annotated[
        bool,
        typer.Option(
            "--pages",
            help="Make the pages anew, and all tables of rows in README.md and docs/*.md of this "
            "directory; tell nothing else.",
        ),
    ] = False,
    merged: Annotated[
        Path | None,
        typer.Option("--merge", metavar="DIR", help="Take over the rows of another store first."),
    ] = None,
    jobs: Jobs = 2,
    scheduler: Scheduler = None,
    work: Work = Path("build/evidence"),
    as_json: Json = False,
) -> None:
    """Tell which measured rows hold, and which are stale or missing."""
    asked = list(names or CAMPAIGNS)
    for name in asked:
        campaign(name)
    rows = Store(store)
    taken = _merged(rows, Store(merged), output) if merged else {}
    if measure:
        _measure(asked, rows, output, jobs, scheduler, work)
    if pages:
        from residua.explore.designs import gallery

        # All rows are read before anything is written.
        explored = None if names else gallery.document(rows)
        written = [str(path) for path in _write_pages(asked, rows, output)]
        written += [str(path) for path in gallery.write(explored, output)] if explored else []
        show({"pages": written}, as_json, lambda _: written)
        return
    with steps("results") as step:
        found = standings({name: campaign(name) for name in asked}, rows, jobs=jobs, progress=step)
    data = {
        "store": str(store),
        "merged": dict(taken),
        "campaigns": {name: [asdict(row) for row in told] for name, told in found.items()},
    }
    show(data, as_json, lambda _: _tables(found))


def _merged(own: Store, other: Store, pages: Path) -> Mapping[str, list[str]]:
    """Take over rows, and make the pages of their campaigns anew."""
    if not other.directory.is_dir():
        raise SpecificationError(f"there is no store in {other.directory}: no such directory")
    found = merge(own, other)
    if found.conflicts:
        raise SpecificationError(
            "the stores disagree, and nothing was taken over: " + "; ".join(found.conflicts)
        )
    own_campaigns = {made.name: made for made in map(campaign, CAMPAIGNS)}
    if unknown := sorted(found.rows.keys() - own_campaigns.keys()):
        raise SpecificationError(
            f"{other.directory} has rows of no campaign, and nothing was taken over: "
            f"{', '.join(unknown)}"
        )
    for name, merged in found.rows.items():
        taken = {row.name: row for row in merged if row.name in found.added[name]}
        rows = own.add(name, taken, own_campaigns[name].ordered)
        own_campaigns[name].page.write(rows.values(), pages)
    return found.added


def _write_pages(names: Sequence[str], store: Store, pages: Path) -> list[Path]:
    """Make pages and tables of the rows anew; the files that were written."""
    prose = sorted(path for pattern in PAGES for path in Path().glob(pattern))
    # All rows are read before anything is written: a faulty file changes nothing.
    found = [(made, made.rows(store)) for made in map(campaign, names)]
    written = fill(prose, store, EXCERPTS)
    for made, rows in found:
        written += made.page.write(rows.values(), pages) if rows else []
    return written


def _measure(
    names: Sequence[str],
    store: Store,
    pages: Path,
    jobs: int,
    scheduler: str | None,
    work: Path,
) -> None:
    console = Console(stderr=True)
    for name in names:
        console.print(name, style="bold")
        campaign(name).run(
            store,
            pages,
            jobs=jobs,
            scheduler=scheduler,
            work=work / name,
            progress=lambda text: console.print(text, markup=False, highlight=False),
        )


def _tables(found: Mapping[str, list[Standing]]) -> Sequence[RenderableType]:
    table = Table("campaign", "rows", *State, f"below {PUBLISHED_SEEDS} seeds", "hours to make")
    for name, rows in found.items():
        counts = Counter(row.state for row in rows)
        few = sum(row.few_seeds for row in rows)
        cells = [str(number or "–") for number in (*(counts[state] for state in State), few)]
        table.add_row(name, str(len(rows)), *cells, _hours(rows))
    left = Table("campaign", "row", "state", "of commit")
    for name, rows in found.items():
        for row in rows:
            if row.state is not State.HOLDS:
                left.add_row(name, row.name, row.state, row.commit or "–")
    meanings = "; ".join(f"{state}: {meaning}" for state, meaning in MEANINGS.items())
    return [table, *([left] if left.row_count else []), meanings]


def _hours(rows: Sequence[Standing]) -> str:
    """Sum up what the rows that do not hold took when they were made, where it was noted."""
    left = [row for row in rows if row.state is not State.HOLDS]
    known: list[Any] = [row.seconds for row in left if row.seconds is not None]
    if not left:
        return "–"
    unknown = len(left) - len(known)
    return f"{sum(known) / 3600:.1f}" + (f" and {unknown} rows" if unknown else "")
