"""The command line: verbs, and nothing that calculates."""

import functools
import inspect
import json
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

from residua.cores import cost as costs
from residua.cores import directory as directories
from residua.cores import dynamic_range as dynamic_ranges
from residua.cores import specification as specifications
from residua.cores.evidence import INVERSIONS, POINTS, POWERS, PRODUCTS, verify_directory
from residua.cores.manifest import version
from residua.cores.rns_montgomery import search
from residua.cores.specification_keys import Key
from residua.cores.synthesis import SEEDS, TARGETS, synthesise_directory
from residua.errors import SpecificationError
from residua.explore import curve_search, prime_check, prime_search
from residua.explore.chain_bounds import Chain, Closing
from residua.numbers.search import Style
from residua.report import documents, page, paper_tables, prime_tables, range_table, tables
from residua.toolchain.process import ToolError

BASE_KEYS = ("modulus", "width", "channels", "rowers", "bases", "weight", "truncation", "sigma0")
"""Keys that a search of bases takes."""

LISTS = ("curve",)
"""Keys whose flags may be given several times."""

app = typer.Typer(
    name="residua",
    help="From a modulus or a curve to verified RNS modular-arithmetic hardware.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)

Output = Annotated[Path, typer.Option("--output", "-o", metavar="DIR", help="Directory to make.")]
Core = Annotated[Path, typer.Argument(metavar="DIR", help="What `residua build` wrote.")]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object instead of a table.")]
Flags = dict[str, str | None]


def specification_flags(*names: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Give a verb one flag for each of these keys, as text, in its argument ``flags``."""

    def decorate(verb: Callable[..., None]) -> Callable[..., None]:
        @functools.wraps(verb)
        def wrapper(**arguments: object) -> None:
            flags = {name: _joined(arguments.pop(name)) for name in names}
            verb(**arguments, flags=flags)

        signature = inspect.signature(verb, eval_str=True)
        own = [p for name, p in signature.parameters.items() if name != "flags"]
        added = [_flag(name, specifications.keys()[name]) for name in names]
        parameters = sorted([*own, *added], key=lambda p: p.default is not p.empty)
        vars(wrapper)["__signature__"] = inspect.Signature(parameters)
        wrapper.__annotations__ = {p.name: p.annotation for p in parameters}
        return wrapper

    return decorate


def _flag(name: str, key: Key) -> inspect.Parameter:
    text = f"{key.meaning} Values: {key.allowed}. Default: {key.default}.".replace("`", "")
    option = typer.Option(f"--{name.replace('_', '-')}", metavar=key.metavar, help=text)
    kind: Any = list[str] | None if name in LISTS else str | None
    return inspect.Parameter(
        name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=Annotated[kind, option]
    )


def _joined(value: object) -> str | None:
    """A flag's value; one that was given several times as a list with commas."""
    if isinstance(value, list):
        return ",".join(value) or None
    return None if value is None else str(value)


def _version(wanted: bool) -> None:
    if wanted:
        sys.stdout.write(f"residua {version()}\n")
        raise typer.Exit


@app.callback()
def _main(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    del version


@app.command()
@specification_flags(*specifications.keys())
def build(
    *,
    output: Output,
    flags: Flags,
    spec: Annotated[
        Path | None, typer.Argument(metavar="SPEC", help="A TOML file; flags override it.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Make the directory of a core: Verilog, manifest, interface."""
    directories.check_free(output)
    specification = specifications.load_any(spec, flags)
    with _steps("build") as step:
        made = directories.build(specification, output, step)
    _show(directories.summary(made.manifest), as_json, lambda found: tables.built(found, output))


@app.command()
def verify(
    directory: Core,
    *,
    vectors: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            help=f"Results to compare (default {PRODUCTS}, {POWERS} powers, {INVERSIONS} inverses)"
            f"; of a coprocessor, multiplications of points on each curve (default {POINTS}).",
        ),
    ] = None,
    seed: Annotated[int, typer.Option(metavar="S", help="Seed of the operands.")] = 1,
    stalls: Annotated[
        bool, typer.Option(help="Random gaps between operands, or runs back to back.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Simulate the Verilog of a directory against its model, or against plain integers."""
    opened = directories.Directory.open(directory)
    with _counter("verify") as progress:
        found = verify_directory(
            opened, vectors=vectors, seed=seed, stalls=stalls, progress=progress
        )
    _show(found, as_json, tables.verified)
    if not found["passed"]:
        raise typer.Exit(1)


@app.command()
def synth(
    directory: Core,
    *,
    target: Annotated[str, typer.Option(metavar="TARGET", help=f"One of {', '.join(TARGETS)}.")],
    seeds: Annotated[int, typer.Option(metavar="N", help="Placements, for ecp5.")] = SEEDS,
    as_json: Json = False,
) -> None:
    """Synthesise a directory for a device; place and route it for an ECP5."""
    opened = directories.Directory.open(directory)
    with _steps("synth") as step:
        found = synthesise_directory(opened, target, seeds=seeds, progress=step)
    _show(found, as_json, tables.synthesised)


@app.command()
def report(directory: Core, *, as_json: Json = False) -> None:
    """Write report.html into a directory, with all results so far."""
    opened = directories.Directory.open(directory)
    with _steps("report") as step:
        step("report.html")
        found = page.write(opened)
    _show(found, as_json, tables.reported)


@app.command()
@specification_flags(*BASE_KEYS)
def bases(*, flags: Flags, as_json: Json = False) -> None:
    """Search the pair of bases that a specification leads to."""
    specification = specifications.load(None, flags)
    with _steps("bases") as step:
        step("search")
        found = search(specification)
    _show(found, as_json, tables.bases)


@app.command()
@specification_flags("width", "channels")
def cost(*, flags: Flags, as_json: Json = False) -> None:
    """Count the operations of the algorithms beside the formulas."""
    found = costs.cost_table(flags)
    _show(found, as_json, tables.cost)


@app.command("range")
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
        typer.Option(metavar="NAME,...", help="Only this placement, beside the results."),
    ] = None,
    fixed: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="NAME=N", help="An input that is a small number."),
    ] = None,
    bits: Annotated[int | None, typer.Option(metavar="B", help="The range that there is.")] = None,
    width: Annotated[int | None, typer.Option(metavar="W", help="Or bits of a modulus,")] = None,
    channels: Annotated[int | None, typer.Option(metavar="N", help="and their number.")] = None,
    most: Annotated[
        int, typer.Option(metavar="K", help="Values to reduce beside the results.")
    ] = dynamic_ranges.MOST,
    cost: Annotated[
        int, typer.Option(metavar="C", help="Products that a reduction takes as long as.")
    ] = dynamic_ranges.REDUCTION_COST,
    as_json: Json = False,
) -> None:
    """Find where a formula is best reduced in an RNS, and the range that it needs then."""
    available = dynamic_ranges.available_bits(bits, width, channels)
    names = None if reduce is None else [name for name in reduce.split(",") if name]
    with _steps("range") as step:
        step("placements")
        found = dynamic_ranges.dynamic_range(
            formula, modulus, reduce=names, fixed=fixed or (), bits=available, most=most, cost=cost
        )
    _show(found, as_json, range_table.placements)


@app.command("tables")
def tables_of(
    paper: Annotated[
        str, typer.Argument(metavar="PAPER", help=f"One of {', '.join(paper_tables.PAPERS)}.")
    ],
    *,
    output: Annotated[
        Path,
        typer.Option(
            "--output",
            "-o",
            metavar="DIR",
            help="Where the page goes, and where rows of an earlier run are taken from.",
        ),
    ] = Path("tables"),
    seeds: Annotated[
        int, typer.Option(metavar="N", help="Placements on an ECP5; 0 leaves them out.")
    ] = paper_tables.SEEDS,
    synthesis: Annotated[
        bool, typer.Option(help="Measure with tools, or only take over what is there.")
    ] = True,
    only: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="Measure only rows with this in their names."),
    ] = None,
    as_json: Json = False,
) -> None:
    """Make the tables and figures of a paper with measured columns beside its own."""
    with _steps("tables") as step:
        document, data = paper_tables.make(
            paper, output, seeds=seeds, synthesis=synthesis, only=only or (), progress=step
        )
    _show(data, as_json, lambda _: documents.terminal(document))


@app.command()
def primes(
    *,
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="DIR", help="Directory; one is continued.")
    ] = Path("primes"),
    bits: Annotated[int | None, typer.Option(metavar="B", help="Bits of P.")] = None,
    width: Annotated[int | None, typer.Option(metavar="W", help="Bits of a modulus.")] = None,
    channels: Annotated[
        int | None, typer.Option(metavar="N", help="Moduli of both half-bases, even.")
    ] = None,
    moduli: Annotated[
        str | None, typer.Option(metavar="M,M,...", help="Choose base a from these moduli.")
    ] = None,
    multiplier: Annotated[int, typer.Option(metavar="D", help="d of P = d M_a^2 - c.")] = 1,
    offset: Annotated[int, typer.Option(metavar="C", help="c of P = d M_a^2 - c.")] = 2,
    bases: Annotated[Style, typer.Option(help="Any h, or h of low signed-digit weight.")] = "any",
    weight: Annotated[int, typer.Option(metavar="D", help="Signed digits of a sparse h.")] = 3,
    largest: Annotated[int | None, typer.Option(metavar="H", help="The largest h.")] = None,
    count: Annotated[int, typer.Option(metavar="N", help="Primes to find.")] = 1,
    seed: Annotated[int, typer.Option(metavar="S", help="Which primes come first.")] = 0,
    pick: Annotated[
        int, typer.Option(metavar="K", help="Prove the K-th and find its base b; 0: none.")
    ] = 1,
    products: Annotated[int, typer.Option(metavar="K", help="Successive products.")] = 1,
    terms: Annotated[int, typer.Option(metavar="S", help="Products that each sums.")] = 1,
    closing: Annotated[Closing, typer.Option(help="What follows the products.")] = "compress",
    below: Annotated[int, typer.Option(metavar="B", help="Operands are below B M_a.")] = 1,
    unsigned: Annotated[bool, typer.Option(help="K and R non-negative, as published.")] = False,
    width_b: Annotated[
        int | None, typer.Option(metavar="W", help="Bits of base b's moduli; as base a's.")
    ] = None,
    gamma: Annotated[
        int | None, typer.Option(metavar="G", help="m_gamma = 2^G; as small as it may be.")
    ] = None,
    workers: Annotated[int | None, typer.Option(metavar="N", help="Processes; one a core.")] = None,
    scheduler: Annotated[
        str | None, typer.Option(metavar="ADDRESS", help="A Dask scheduler to work on.")
    ] = None,
    check: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Only check a file of an earlier run.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Find primes d M_a^2 - c for SBMM; prove one and find its second half-base."""
    if check:
        with _counter("primes") as progress:
            verdict = prime_check.check_file(check, progress)
        _show(verdict, as_json, prime_tables.checked)
        return
    search = prime_search.request(
        bits=bits, width=width, channels=channels, multiplier=multiplier, offset=offset,
        style=bases, weight=weight, largest=largest, seed=seed,
        moduli=prime_search.numbers(moduli),
    )  # fmt: skip
    chain = Chain(products, terms, closing, below, unsigned)
    with _counter("primes") as progress:
        found = prime_search.run(
            search, chain, output, count=count, pick_number=pick, width_b=width_b, gamma=gamma,
            processes=workers, scheduler=scheduler, progress=progress,
        )  # fmt: skip
    _show(found, as_json, prime_tables.primes)


@app.command()
def curve(
    *,
    prime: Annotated[
        str, typer.Option(metavar="P", help="A number, or the pick.json of residua primes.")
    ],
    output: Annotated[Path, typer.Option("--output", "-o", metavar="FILE", help="TOML to make.")],
    name: Annotated[str, typer.Option(metavar="NAME", help="Of the curve.")] = "generated",
    order: Annotated[
        curve_search.Method,
        typer.Option(
            help="How the order is known: a random curve's points counted by PARI, a curve of "
            "complex multiplication, or a random curve without an order."
        ),
    ] = "count",
    cofactor: Annotated[int, typer.Option(metavar="H", help="The largest cofactor.")] = 1,
    seed: Annotated[int, typer.Option(metavar="S", help="Which curve.")] = 0,
    as_json: Json = False,
) -> None:
    """Make a curve over a prime of one's own, for `residua build`."""
    with _counter("curve") as progress:
        found = curve_search.make(
            curve_search.prime_of(prime), output,
            name=name, method=order, cofactor=cofactor, seed=seed, progress=progress,
        )  # fmt: skip
    _show(found, as_json, prime_tables.curve)


def _show(
    found: dict[str, Any], as_json: bool, table: Callable[[dict[str, Any]], tables.Text]
) -> None:
    if as_json:
        sys.stdout.write(json.dumps(found, indent=2, ensure_ascii=False) + "\n")
    else:
        Console().print(*table(found), sep="\n")


@contextmanager
def _progress(verb: str) -> Iterator[tuple[Progress, Any]]:
    """Progress on standard error, out of the way of what is printed."""
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
def _steps(verb: str) -> Iterator[Callable[[str], None]]:
    with _progress(verb) as (bar, task):
        yield lambda step: bar.update(task, description=step)


@contextmanager
def _counter(verb: str) -> Iterator[Callable[[int, int | None], None]]:
    with _progress(verb) as (bar, task):
        bar.update(task, description="start")
        yield lambda done, total: bar.update(
            task,
            completed=done,
            total=total,
            description=f"{done} of {total}" if total else f"{done}",
        )


def main() -> None:
    """The program: what a user can put right ends in one paragraph and exit code 2."""
    try:
        app()
    except (SpecificationError, ToolError) as error:
        sys.stderr.write(f"residua: {error}\n")
        sys.exit(2)
    except BrokenPipeError:
        # The reader of a pipe left; nothing is wrong here.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
