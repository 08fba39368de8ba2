"""Verbs of spaces of cores: explore, pick."""

import inspect
from pathlib import Path
from typing import Annotated

import typer

from residua.cli.flags import Flags, SpecificationVerb, specification_flags, with_options
from residua.cli.terminal import Json, Scheduler, Verb, counter, show
from residua.cores.specification import reading as specifications
from residua.errors import SpecificationError
from residua.explore.designs.figures import FIGURES, Step

app = typer.Typer()

Hours = Annotated[
    float | None,
    typer.Option(metavar="H", min=0, help="CPU hours after which nothing more begins."),
]
Processes = Annotated[
    int | None, typer.Option(metavar="N", min=1, help="Processes; by default one a core.")
]


@app.command(cls=Verb)
def explore(
    space: Annotated[Path, typer.Argument(metavar="SPACE", help="A TOML file.")],
    *,
    output: Annotated[
        Path,
        typer.Option(
            "--output", "-o", metavar="DIR", help="Directory; an earlier run in it goes on."
        ),
    ],
    last: Annotated[Step, typer.Option("--to", help="The last step.")] = Step.PLACEMENT,
    trials: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            min=1,
            help="Combinations that an optimiser chooses; by default all are tried unless they are "
            "too many.",
        ),
    ] = None,
    hours: Hours = None,
    jobs: Processes = None,
    scheduler: Scheduler = None,
    export: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Write the measured cores as .csv or .parquet, too."),
    ] = None,
    report: Annotated[
        bool, typer.Option("--report", help="Write DIR/SPACE.html with all measured cores, too.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Find the best cores of a space: all modelled, those that may be best placed."""
    from residua.evidence.rows import Store
    from residua.explore.designs import exploration, points, results
    from residua.explore.designs.space import read
    from residua.output import check_directory, write_whole
    from residua.report import space_page
    from residua.report.exploration_tables import explored

    if export:
        points.check_export(export)
    if report:
        space_page.check()
    asked = read(space)
    check_directory(output)
    with counter("explore") as progress:
        outcome = exploration.explore(
            asked, output, last=last, tries=trials, hours=hours, jobs=jobs, scheduler=scheduler,
            progress=lambda _step, done, total: progress(done, total),
        )  # fmt: skip
    rows = results.rows(asked, outcome)
    Store(output).write(space.stem, rows)
    if export:
        points.export(rows, export)
    found = results.summary(asked, outcome)
    if report:
        page = space_page.render(space.stem, found, results.cores(rows))
        write_whole(output / f"{space.stem}.html", page)
    results.check_front(asked, outcome)
    show(found, as_json, explored)


_Limits = dict[str, float]


_LIMITS = {f"{'min' if figure.rises else 'max'}_{name}": name for name, figure in FIGURES.items()}
"""The figure that each option of a limit is about."""


def _limit(option: str, name: str) -> inspect.Parameter:
    """The option of the limit of a figure."""
    figure = FIGURES[name]
    made = typer.Option(
        f"--{option.replace('_', '-')}",
        metavar="N",
        min=0,
        help=f"{'At least' if figure.rises else 'At most'} so many {figure.meaning}.",
        rich_help_panel="Limits",
    )
    kind = Annotated[float | None, made]
    return inspect.Parameter(option, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=kind)


def _limits(given: dict[str, object]) -> dict[str, object]:
    """The limits that are given, by figure."""
    return {_LIMITS[option]: value for option, value in given.items() if value is not None}


@app.command(cls=SpecificationVerb)
@with_options("limits", [_limit(*one) for one in _LIMITS.items()], _limits)
@specification_flags(*specifications.keys())
def pick(
    *,
    flags: Flags,
    limits: _Limits,
    by: Annotated[
        str | None,
        typer.Option(
            metavar="FIGURE",
            help=f"The figure of which the best is wanted: {', '.join(FIGURES)}. [default: lut_ms]",
        ),
    ] = None,
    fastest: Annotated[bool, typer.Option("--fastest", help="The same as --by ms.")] = False,
    smallest: Annotated[bool, typer.Option("--smallest", help="The same as --by lut.")] = False,
    device: Annotated[
        str, typer.Option(metavar="DEVICE", help="On which the core has to fit, as LFE5U-25F.")
    ] = "",
    store: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="DIR", help="Where explorations left rows; by default what Residua ships."
        ),
    ] = None,
    search: Annotated[
        bool,
        typer.Option("--explore", help="Measure neighbours of the best, one key changed, first."),
    ] = False,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", metavar="DIR", help="Takes what --explore finds; it goes on there."
        ),
    ] = None,
    hours: Hours = None,
    jobs: Processes = None,
    scheduler: Scheduler = None,
    as_json: Json = False,
) -> None:
    """Choose a core among those that explorations measured."""
    from residua.explore.designs import choice
    from residua.report.exploration_tables import picked

    asked = {name: value for name, value in flags.items() if value is not None}
    wish = choice.Wish(asked, _figure(by, fastest=fastest, smallest=smallest), limits, device)
    stores = store or [choice.SHIPPED]
    if not search:
        for option, value in (
            ("output", output), ("hours", hours), ("jobs", jobs), ("scheduler", scheduler)
        ):  # fmt: skip
            if value is not None:
                raise SpecificationError(f"--{option} is for --explore: give both or none")
        show(choice.pick(choice.read(stores), wish), as_json, picked)
        return
    if output is None:
        raise SpecificationError("--explore keeps what it finds: name a directory by --output")
    from residua.explore.designs.neighbourhood import improve
    from residua.output import check_directory

    check_directory(output)
    with counter("pick") as progress:
        found = improve(
            stores, wish, output, hours=hours, jobs=jobs, scheduler=scheduler,
            progress=lambda _step, done, total: progress(done, total),
        )  # fmt: skip
    show(found, as_json, picked)


def _figure(by: str | None, *, fastest: bool, smallest: bool) -> str:
    """The figure that was asked for."""
    asked = [*([by] if by else []), *(["ms"] if fastest else []), *(["lut"] if smallest else [])]
    if len(asked) > 1:
        raise SpecificationError("--by, --fastest and --smallest: give one of them")
    if asked and asked[0] not in FIGURES:
        raise SpecificationError(f"--by {asked[0]} is no figure: one of {', '.join(FIGURES)}")
    return asked[0] if asked else "lut_ms"
