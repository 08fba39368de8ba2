"""The verb attack: what faults make of a core, and what its traces tell."""

from pathlib import Path
from typing import Annotated

import typer

from residua.cli.cores import LARGEST_SEED, Core
from residua.cli.terminal import Json, Verb, counter, show

app = typer.Typer()
attack = typer.Typer(
    name="attack", help="Attack a simulated core, and tell what comes of it.", no_args_is_help=True
)
app.add_typer(attack)

Seed = Annotated[
    int,
    typer.Option(metavar="S", min=0, max=LARGEST_SEED, help="Seed of all that is drawn."),
]
Where = Annotated[
    str,
    typer.Option(metavar="PATTERN", help="Registers or memories with such names alone."),
]
CurveIndex = Annotated[int, typer.Option(metavar="I", min=0, help="Index of the curve.")]
Noise = Annotated[
    float, typer.Option(metavar="BITS", min=0, help="Standard deviation of noise in a sample.")
]
RandomWord = Annotated[
    int | None,
    typer.Option(
        metavar="W",
        min=0,
        max=0xFFFFFFFF,
        help="Every random word, as of a port that is stuck. [default: fresh ones]",
    ),
]


@app.callback()
def _group() -> None:
    """Hold one verb with verbs of its own."""


@attack.command(cls=Verb)
def faults(
    directory: Core,
    *,
    kind: Annotated[
        str,
        typer.Option(
            metavar="KIND",
            help="Of the faults: flip (a bit of a register), double (two of them), skip (a "
            "register has no clock for a cycle), stuck (a bit, to the end), memory (a bit of a "
            "word).",
        ),
    ] = "flip",
    count: Annotated[int, typer.Option(metavar="N", min=1, help="Faults.")] = 1000,
    seed: Seed = 1,
    where: Where = "*",
    cycles: Annotated[
        str | None,
        typer.Option(metavar="FROM:TO", help="Cycles of the operation, without the last."),
    ] = None,
    curve: CurveIndex = 0,
    keys: Annotated[
        int,
        typer.Option(metavar="N", min=1, help="Scalars, or keys, with which each fault is tried."),
    ] = 1,
    invalid: Annotated[
        bool,
        typer.Option(
            "--invalid",
            help="Give what has to be refused: a point that is none of the curve, a wrong RSA key.",
        ),
    ] = False,
    jobs: Annotated[int, typer.Option(metavar="N", min=1, help="Simulations at once.")] = 2,
    as_json: Json = False,
) -> None:
    """Run an operation with faults in registers or memories: which are noticed, which are not."""
    from residua.cores.directory import Directory
    from residua.evidence.attacks.drawing import kind_of, span_of
    from residua.evidence.attacks.faults import Attack, attack
    from residua.report import tables

    asked = Attack(
        kind=kind_of(kind),
        count=count,
        seed=seed,
        where=where,
        cycles=span_of(cycles),
        curve=curve,
        keys=keys,
        invalid=invalid,
    )
    opened = Directory.open(directory, write=True)
    with counter("attack faults") as progress:
        found = attack(opened, asked, jobs=jobs, progress=progress)
    show(found, as_json, tables.attacked)


@attack.command(cls=Verb)
def leakage(
    directory: Core,
    *,
    traces: Annotated[
        int, typer.Option(metavar="N", min=4, help="Traces, of both groups together.")
    ] = 500,
    seed: Seed = 1,
    where: Where = "*",
    curve: CurveIndex = 0,
    control: Annotated[
        bool, typer.Option("--control", help="Random operands in both groups: what chance gives.")
    ] = False,
    operation: Annotated[
        str | None,
        typer.Option(
            metavar="NAME", help="Operation. [default: multiplication of a point, or the only one]"
        ),
    ] = None,
    operand: Annotated[
        int,
        typer.Option(metavar="I", min=0, help="Index of the operand that is fixed or random."),
    ] = 0,
    random_word: RandomWord = None,
    keep: Annotated[
        Path | None,
        typer.Option(metavar="FILE.npz", help="Write traces and t as NumPy arrays."),
    ] = None,
    as_json: Json = False,
) -> None:
    """Compare traces of a fixed operand and of random ones by Welch's t, cycle by cycle."""
    from residua.cores.directory import Directory
    from residua.evidence.attacks.groups import Compared
    from residua.evidence.attacks.leakage import leakage
    from residua.report import tables

    asked = Compared(
        traces=traces,
        seed=seed,
        where=where,
        curve=curve,
        control=control,
        operation=operation,
        operand=operand,
        random_word=random_word,
    )
    opened = Directory.open(directory, write=True)
    with counter("attack leakage") as progress:
        found = leakage(opened, asked, keep=keep, progress=progress)
    show(found, as_json, tables.leaked)


@attack.command(cls=Verb)
def templates(
    directory: Core,
    *,
    traces: Annotated[
        int, typer.Option(metavar="N", min=20, help="Traces that are learned from.")
    ] = 1000,
    attacked: Annotated[
        int, typer.Option(metavar="N", min=1, help="Other traces, each attacked by itself.")
    ] = 100,
    noise: Noise = 0,
    seed: Seed = 1,
    where: Where = "*",
    curve: CurveIndex = 0,
    as_json: Json = False,
) -> None:
    """Learn bits of scalars from many traces with a known one, then guess those of single ones."""
    from residua.cores.directory import Directory
    from residua.evidence.attacks.templates import Profile, templates
    from residua.report import tables

    asked = Profile(
        traces=traces, attacked=attacked, seed=seed, where=where, curve=curve, noise=noise
    )
    opened = Directory.open(directory, write=True)
    with counter("attack templates") as progress:
        found = templates(opened, asked, progress=progress)
    show(found, as_json, tables.guessed)


@attack.command(cls=Verb)
def correlation(
    directory: Core,
    *,
    traces: Annotated[
        int, typer.Option(metavar="N", min=20, help="Traces, each of another point.")
    ] = 200,
    steps: Annotated[
        int | None,
        typer.Option(metavar="N", min=1, help="Steps, from the first on. [default: all]"),
    ] = None,
    noise: Noise = 0,
    random_word: RandomWord = None,
    seed: Seed = 1,
    where: Where = "*",
    curve: CurveIndex = 0,
    as_json: Json = False,
) -> None:
    """Multiply many points by one scalar, and guess its bits by words that are predicted."""
    from residua.cores.directory import Directory
    from residua.evidence.attacks.correlation import Correlated, correlation
    from residua.report import tables

    asked = Correlated(
        traces=traces,
        seed=seed,
        where=where,
        curve=curve,
        noise=noise,
        random_word=random_word,
        steps=steps,
    )
    opened = Directory.open(directory, write=True)
    with counter("attack correlation") as progress:
        found = correlation(opened, asked, progress=progress)
    show(found, as_json, tables.correlated)
