"""Verbs of cores: build, verify, synth, report, compare, and what is known before: bases, cost.

What a verb runs is imported when it runs: its help needs none of it.
"""

from pathlib import Path
from typing import Annotated

import typer

from residua.cli.flags import Flags, SpecificationVerb, specification_flags
from residua.cli.terminal import Json, Verb, counter, show, steps
from residua.cores.rns_montgomery.specification import RnsMontgomerySpecification
from residua.cores.simulation.runs import (
    EVERY,
    EXPONENTIATIONS,
    INVERSIONS,
    POINTS,
    PRODUCTS,
    SEEDS,
    STALLED,
    Resets,
)
from residua.cores.specification import reading as specifications
from residua.errors import SpecificationError
from residua.toolchain.targets import TARGETS

BASE_KEYS = ("modulus", "width", "channels", "rowers", "bases", "weight", "truncation", "sigma0")
"""Keys that a search of bases takes."""

LARGEST_SEED = (1 << 31) - 1
"""Largest seed; the test benches take it as a number of 64 bits, with the number of the run."""

app = typer.Typer()

Output = Annotated[Path, typer.Option("--output", "-o", metavar="DIR", help="Directory to make.")]
Core = Annotated[Path, typer.Argument(metavar="DIR", help="A directory of `residua build`.")]


@app.command(cls=SpecificationVerb)
@specification_flags(*specifications.keys())
def build(
    *,
    output: Output,
    flags: Flags,
    spec: Annotated[
        Path | None, typer.Argument(metavar="SPEC", help="A TOML file; flags override it.")
    ] = None,
    goal: Annotated[
        str | None,
        typer.Option(
            metavar="GOAL",
            help="Choose the keys that are not given by measured cores: speed, balanced or area.",
        ),
    ] = None,
    force: Annotated[
        bool,
        typer.Option("--force", help="Replace a directory that residua built, as it was built."),
    ] = False,
    as_json: Json = False,
) -> None:
    """Build the directory of a core: Verilog, manifest, documentation."""
    from residua.cores import directory as directories
    from residua.report import tables

    directories.check_output(output, force=force)
    values, source = specifications.asked(spec, flags)
    if goal is not None:
        from residua.explore.designs import choice

        values = choice.for_goal(choice.read([choice.SHIPPED]), values, goal)
    specification = specifications.check_any(values, source)
    with steps("build") as step:
        made = directories.build(specification, output, step, force=force)
    show(directories.summary(made.manifest), as_json, lambda found: tables.built(found, output))


def _resets(text: str | None) -> Resets:
    """Read the number of resets in mid-run."""
    if text is None:
        return None
    if text == EVERY:
        return EVERY
    if not text.isdecimal():
        raise SpecificationError(f"--resets {text}: give a number, or '{EVERY}'")
    return int(text)


@app.command(cls=Verb)
def verify(
    directory: Core,
    *,
    vectors: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            min=1,
            help=f"Results to compare (default {PRODUCTS}, {EXPONENTIATIONS} exponentiations, "
            f"{INVERSIONS} inversions; of a coprocessor, multiplications of points on each curve, "
            f"{POINTS}; more of small cores).",
        ),
    ] = None,
    seed: Annotated[
        int, typer.Option(metavar="S", min=0, max=LARGEST_SEED, help="Seed of the operands.")
    ] = 1,
    stalls: Annotated[
        bool | None,
        typer.Option(
            help="Random gaps between operands and results that have to wait, or runs back to back "
            f"(default: gaps in one of {STALLED})."
        ),
    ] = None,
    resets: Annotated[
        str | None,
        typer.Option(
            metavar="N|every",
            help="Resets of 1, 2 and 3 cycles in mid-run, of a coprocessor for each operation: a "
            "number, or 'every' for all cycles of a run (default: as many as take seconds).",
        ),
    ] = None,
    as_json: Json = False,
) -> None:
    """Simulate the Verilog of a directory against its model, or against plain integers."""
    from residua.cores.directory import Directory
    from residua.cores.verification import verify_directory
    from residua.report import tables

    wanted = _resets(resets)
    opened = Directory.open(directory, write=True)
    with counter("verify") as progress:
        found = verify_directory(
            opened,
            vectors=vectors,
            seed=seed,
            stalls=stalls,
            resets=wanted,
            progress=progress,
        )
    show(found, as_json, lambda result: tables.verified(result, opened.kind))
    if not found["passed"]:
        raise typer.Exit(1)


@app.command(cls=Verb)
def synth(
    directory: Core,
    *,
    target: Annotated[str, typer.Option(metavar="TARGET", help=f"One of {', '.join(TARGETS)}.")],
    seeds: Annotated[
        int, typer.Option(metavar="N", min=1, help="Placements, where nextpnr places.")
    ] = SEEDS,
    force: Annotated[
        bool, typer.Option("--force", help="Run the tools again, whatever they found before.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Synthesise a directory for a device; place and route it where nextpnr can."""
    from residua.cores.directory import Directory
    from residua.cores.synthesis import synthesise_directory
    from residua.report import tables

    opened = Directory.open(directory, write=True)
    with steps("synth") as step:
        found = synthesise_directory(opened, target, seeds=seeds, force=force, progress=step)
    show(found, as_json, lambda result: tables.synthesised(result, opened.kind))


@app.command(cls=Verb)
def report(directory: Core, *, as_json: Json = False) -> None:
    """Write report.html into a directory, with all results so far."""
    from residua.cores.directory import Directory
    from residua.report import page, system_page, tables
    from residua.systems.soc_directory import SocDirectory

    with steps("report") as step:
        step("report.html")
        if SocDirectory.is_at(directory):
            found = system_page.write(SocDirectory.open(directory))
        else:
            found = page.write(Directory.open(directory, write=True))
    show(found, as_json, tables.reported)


@app.command(cls=Verb)
def compare(
    directories: Annotated[
        list[Path], typer.Argument(metavar="DIR DIR...", help="Directories of `residua build`.")
    ],
    *,
    as_json: Json = False,
) -> None:
    """Compare cores side by side: keys, cycles, resources, clocks, verification."""
    from residua.cores.directory import Directory
    from residua.report import comparison, tables

    with steps("compare") as step:
        opened = []
        for path in directories:
            step(str(path))
            opened.append(Directory.open(path))
        found = comparison.compare(opened)
    show(found, as_json, tables.compared)


@app.command(cls=Verb)
@specification_flags(*BASE_KEYS)
def bases(*, flags: Flags, as_json: Json = False) -> None:
    """Search the pair of bases that a specification leads to."""
    from residua.cores.rns_montgomery.core import search
    from residua.report import tables

    specification = specifications.load(RnsMontgomerySpecification, None, flags)
    with steps("bases") as step:
        step("search")
        found = search(specification)
    show(found, as_json, tables.bases)


@app.command(cls=Verb)
@specification_flags("width", "channels")
def cost(*, flags: Flags, as_json: Json = False) -> None:
    """Count the operations of the algorithms beside the formulas."""
    from residua.papers.cost import cost_table
    from residua.report import tables

    found = cost_table(flags)
    show(found, as_json, tables.cost)
