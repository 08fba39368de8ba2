"""The verb trace: what registers of a core hold in each cycle of an operation."""

from pathlib import Path
from typing import Annotated

import typer

from residua.cli.cores import LARGEST_SEED, Core
from residua.cli.terminal import Json, Verb, show, steps

app = typer.Typer()


@app.command(cls=Verb)
def trace(
    directory: Core,
    *,
    vcd: Annotated[Path | None, typer.Option(metavar="FILE.vcd", help="Write a waveform.")] = None,
    arrays: Annotated[
        Path | None, typer.Option(metavar="FILE.npz", help="Write NumPy arrays.")
    ] = None,
    operation: Annotated[
        str | None,
        typer.Option(
            metavar="NAME", help="Operation. [default: multiplication of a point, or the only one]"
        ),
    ] = None,
    operand: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NUMBER",
            help="Operand, decimal or 0x; give all in their order. [default: random ones]",
        ),
    ] = None,
    curve: Annotated[int, typer.Option(metavar="I", min=0, help="Index of the curve.")] = 0,
    seed: Annotated[
        int,
        typer.Option(
            metavar="S", min=0, max=LARGEST_SEED, help="Seed of random words, and of loaded keys."
        ),
    ] = 1,
    where: Annotated[
        str, typer.Option(metavar="PATTERN", help="Registers with such names alone.")
    ] = "*",
    cycles: Annotated[
        str | None,
        typer.Option(metavar="FROM:TO", help="Cycles of the operation, without the last."),
    ] = None,
    as_json: Json = False,
) -> None:
    """Record what registers hold in each cycle of an operation, with names of what happens."""
    from residua.cores.directory import Directory
    from residua.evidence.attacks.drawing import span_of
    from residua.evidence.traces.recording import Recording, operands_of, record
    from residua.evidence.traces.runs import Operation
    from residua.report import tables

    asked = Recording(
        operation=Operation(operation, operands_of(operand), curve, seed),
        where=where,
        cycles=span_of(cycles),
    )
    opened = Directory.open(directory)
    with steps("trace") as progress:
        progress("simulating")
        found = record(opened, asked, vcd=vcd, arrays=arrays)
    show(found, as_json, tables.traced)
