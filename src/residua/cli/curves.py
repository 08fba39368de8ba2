"""The verb curve."""

from pathlib import Path
from typing import Annotated

import typer

from residua.cli.terminal import Json, Verb, counter, show
from residua.explore import curve_search
from residua.report import prime_tables

app = typer.Typer()


@app.command(cls=Verb)
def curve(
    *,
    prime: Annotated[
        str, typer.Option(metavar="P", help="A number, or the pick.json of residua primes.")
    ],
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="FILE", help="TOML file to write.")
    ],
    name: Annotated[str, typer.Option(metavar="NAME", help="Name of the curve.")] = "generated",
    order: Annotated[
        curve_search.Method,
        typer.Option(
            help="Source of the order: a random curve's points counted by PARI, a curve of "
            "complex multiplication, or a random curve without an order."
        ),
    ] = "count",
    cofactor: Annotated[int, typer.Option(metavar="H", min=1, help="The largest cofactor.")] = 1,
    seed: Annotated[int, typer.Option(metavar="S", min=0, help="Seed of the curve.")] = 0,
    as_json: Json = False,
) -> None:
    """Make a curve over a prime of one's own, for `residua build`."""
    with counter("curve") as progress:
        found = curve_search.make(
            curve_search.prime_of(prime), output,
            name=name, method=order, cofactor=cofactor, seed=seed, progress=progress,
        )  # fmt: skip
    show(found, as_json, prime_tables.curve)
