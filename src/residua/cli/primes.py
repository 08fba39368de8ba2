"""The verb primes."""

from pathlib import Path
from typing import Annotated

import typer

from residua.cli.terminal import Json, Scheduler, Verb, counter, show
from residua.explore import prime_search
from residua.explore.chain import Chain, Closing
from residua.numbers.selection.coprime import Style
from residua.report import prime_tables

app = typer.Typer()


@app.command(cls=Verb)
def primes(
    *,
    output: Annotated[
        Path,
        typer.Option(
            "--output", "-o", metavar="DIR", help="Directory; an earlier run in it is continued."
        ),
    ] = Path("primes"),
    bits: Annotated[int | None, typer.Option(metavar="B", min=1, help="Bits of P.")] = None,
    width: Annotated[
        int | None, typer.Option(metavar="W", min=1, help="Bits of a modulus.")
    ] = None,
    channels: Annotated[
        int | None, typer.Option(metavar="N", min=2, help="Moduli of both half-bases, even.")
    ] = None,
    moduli: Annotated[
        str | None, typer.Option(metavar="M,M,...", help="Choose base a from these moduli.")
    ] = None,
    multiplier: Annotated[int, typer.Option(metavar="D", min=1, help="d of P = d M_a^2 - c.")] = 1,
    offset: Annotated[
        int, typer.Option(metavar="C", min=-255, max=255, help="c of P = d M_a^2 - c.")
    ] = 2,
    bases: Annotated[Style, typer.Option(help="Any h, or h of low signed-digit weight.")] = "any",
    weight: Annotated[
        int, typer.Option(metavar="D", min=1, help="Signed digits of a sparse h.")
    ] = 3,
    largest: Annotated[int | None, typer.Option(metavar="H", min=1, help="The largest h.")] = None,
    count: Annotated[int, typer.Option(metavar="N", min=1, help="Primes to find.")] = 1,
    seed: Annotated[int, typer.Option(metavar="S", min=0, help="Seed of the search.")] = 0,
    pick: Annotated[
        int, typer.Option(metavar="K", min=0, help="Prove the K-th and find its base b; 0: none.")
    ] = 1,
    products: Annotated[int, typer.Option(metavar="K", min=1, help="Successive products.")] = 1,
    terms: Annotated[int, typer.Option(metavar="S", min=1, help="Summands of each product.")] = 1,
    closing: Annotated[Closing, typer.Option(help="Operation after the products.")] = "compress",
    below: Annotated[int, typer.Option(metavar="B", min=1, help="Operands are below B M_a.")] = 1,
    unsigned: Annotated[bool, typer.Option(help="K and R non-negative, as published.")] = False,
    width_b: Annotated[
        int | None,
        typer.Option(
            metavar="W", min=1, help="Bits of base b's moduli; by default those of base a's."
        ),
    ] = None,
    gamma: Annotated[
        int | None,
        typer.Option(
            metavar="G", min=0, help="m_gamma = 2^G; by default the smallest that will do."
        ),
    ] = None,
    workers: Annotated[
        int | None, typer.Option(metavar="N", min=1, help="Processes; by default one a core.")
    ] = None,
    scheduler: Scheduler = None,
    check: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Only check a file of an earlier run.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Find primes d M_a^2 - c for SBMM; prove one and find its second half-base."""
    if check:
        # SymPy takes longer to load than many a search.
        from residua.explore import prime_check

        with counter("primes") as progress:
            verdict = prime_check.check_file(check, progress)
        show(verdict, as_json, prime_tables.checked)
        return
    search = prime_search.request(
        bits=bits, width=width, channels=channels, multiplier=multiplier, offset=offset,
        style=bases, weight=weight, largest=largest, seed=seed,
        moduli=prime_search.numbers(moduli),
    )  # fmt: skip
    chain = Chain(products, terms, closing, below, unsigned)
    with counter("primes") as progress:
        found = prime_search.run(
            search, chain, output, count=count, pick_number=pick, width_b=width_b, gamma=gamma,
            processes=workers, scheduler=scheduler, progress=progress,
        )  # fmt: skip
    show(found, as_json, prime_tables.primes)
