"""The verb range."""

from typing import Annotated

import typer

from residua.cli.terminal import Json, Verb, show, steps
from residua.explore import dynamic_range as dynamic_ranges
from residua.report import range_table

app = typer.Typer()


@app.command("range", cls=Verb)
def range_of(
    formula: Annotated[
        str,
        typer.Argument(
            metavar="FORMULA",
            help=f"{', '.join(dynamic_ranges.FORMULAS)}, or a file with a formula as text.",
        ),
    ],
    *,
    modulus: Annotated[str, typer.Option(metavar="P", help="A name, a number, or @file.")],
    reduce: Annotated[
        str | None,
        typer.Option(
            metavar="NAME,...",
            help="Evaluate only the placement that reduces these values beside the results.",
        ),
    ] = None,
    fixed: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="NAME=N", help="Give an input a small value."),
    ] = None,
    bits: Annotated[
        int | None, typer.Option(metavar="B", min=1, help="Bits of the range that is available,")
    ] = None,
    width: Annotated[
        int | None, typer.Option(metavar="W", min=1, help="or bits of a modulus")
    ] = None,
    channels: Annotated[
        int | None, typer.Option(metavar="N", min=1, help="and the number of moduli.")
    ] = None,
    most: Annotated[
        int, typer.Option(metavar="K", min=0, help="Most values to reduce beside the results.")
    ] = dynamic_ranges.MOST,
    cost: Annotated[
        int, typer.Option(metavar="C", min=0, help="Cost of a reduction, in products.")
    ] = dynamic_ranges.REDUCTION_COST,
    as_json: Json = False,
) -> None:
    """Find where to reduce a formula in an RNS, and the range that it needs then."""
    available = dynamic_ranges.available_bits(bits, width, channels)
    names = None if reduce is None else [name for name in reduce.split(",") if name]
    with steps("range") as step:
        step("placements")
        found = dynamic_ranges.dynamic_range(
            formula, modulus, reduce=names, fixed=fixed or (), bits=available, most=most, cost=cost
        )
    show(found, as_json, range_table.placements)
