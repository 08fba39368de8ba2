"""Proves everything that `make test` proves and more, and writes docs/results/proofs.md and .json.

The formula of the channel reducer over the integers at every width, its RTL at small widths in
every form, the ECP5 forms of the primitives at many widths, constant time and resets of whole
cores. Claims that are in the .json for the same commit are not proved again; ``--claims`` limits it
to those whose names have one of these parts.
"""

import argparse
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any

from amaranth.lib.wiring import Component
from campaign_rows import TINY, Page, Row, complete, current_commit, made

from residua import cache
from residua.cores.base_extension.core import BaseExtensionCore
from residua.cores.coprocessor.boundary import coprocessor_boundary
from residua.cores.coprocessor.core import CurveBuild
from residua.cores.coprocessor.digit import DigitEccCore
from residua.cores.coprocessor.rns_montgomery import EccCore
from residua.cores.digit.boundary import digit_boundary
from residua.cores.digit.core import DigitMontgomeryCore
from residua.cores.digit.specification import DigitSpecification
from residua.cores.directory import build
from residua.cores.engine.boundary import engine_boundary
from residua.cores.exponentiation.boundary import exponentiator_boundary
from residua.cores.exponentiation.core import ExponentiationCore
from residua.cores.exponentiation.specification import ExponentiationSpecification
from residua.cores.extended_rns.boundary import point_boundary
from residua.cores.extended_rns.core import ExtendedCore
from residua.cores.inversion.boundary import inverter_boundary
from residua.cores.inversion.core import InversionCore
from residua.cores.inversion.specification import InversionSpecification
from residua.cores.proofs.boundary import Boundary
from residua.cores.proofs.constant_time import prove_netlist
from residua.cores.proofs.integers import NotProvedError, prove_chain, prove_step
from residua.cores.proofs.netlist import read_netlist, write_verilog
from residua.cores.proofs.primitives import prove_primitives
from residua.cores.proofs.reducer import prove_reducer
from residua.cores.proofs.reset import prove_first_cycles, prove_reset
from residua.cores.rns_montgomery.boundary import word_boundary
from residua.cores.rns_montgomery.core import RnsMontgomeryCore
from residua.cores.single_base.core import SingleBaseCore
from residua.cores.specification.reading import check, check_any
from residua.curves.catalogue import find_curve
from residua.evidence.freshness import run_marked
from residua.hardware.coprocessor.coprocessor import Coprocessor
from residua.hardware.engine.reducer import plan_folds
from residua.hardware.primitives import Accumulator, AddSubtract, Multiplier, Primitive, SelectAdder
from residua.numbers.folding import folds_needed
from residua.numbers.moduli import Modulus
from residua.numbers.search import MOST_CHANNELS, WIDTHS
from residua.toolchain.process import ToolError, versions

TIMEOUT = 900
TERMS = 4 * MOST_CHANNELS + 8
"""Products in the longest sum of any engine."""

INTRODUCTION = f"""\
What each one claims is told in [Proofs](../proofs.md); `make proofs` makes this page. A proof that
does not end within {TIMEOUT} s is not counted as proved. Made with
{", ".join(f"{name} {found}" for name, found in versions().items())}."""

PAGE = Page(
    "proofs",
    "Proofs, as last run",
    INTRODUCTION,
    {
        "Claim": lambda row: row["claim"],
        "Cases": lambda row: f"{row['cases']:,}",
        "Proved": lambda row: f"{row['cases'] - row['mismatches']:,}",
        "Seconds": lambda row: row["seconds"],
        "Commit": lambda row: f"`{row['commit']}`",
    },
    key="claim",
)

Proof = Callable[[], bool]


def offsets(width: int) -> Sequence[int]:
    """All |h| < 2^(w/2) up to w = 16; above, small ones, sparse ones and the extremes."""
    limit = 1 << width // 2
    if width <= 16:
        return range(1 - limit, limit)
    sparse = {(1 << exponent) + digit for exponent in range(width // 2) for digit in (-1, 0, 1)}
    chosen = {*range(16), *sparse, limit - 1, limit - 2, limit // 3, 2 * limit // 3}
    return sorted({sign * h for h in chosen for sign in (-1, 1) if abs(h) < limit})


def step(width: int) -> bool:
    return prove_step(width) > 0


def steps() -> list[Proof]:
    return [partial(step, width) for width in WIDTHS]


def chains(widths: Sequence[int]) -> list[Proof]:
    """Both for a single product and for the longest sum."""
    return [
        partial(chain, Modulus(width, h), terms)
        for width in widths
        for h in offsets(width)
        for terms in (1, TERMS)
    ]


def chain(modulus: Modulus, terms: int) -> bool:
    value = -terms << 2 * modulus.width, terms << 2 * modulus.width
    return prove_chain(modulus, value, folds_needed(modulus, value)) > 0


def reducers(width: int, cases: Sequence[tuple[tuple[int, ...], int]]) -> list[Proof]:
    """Both kinds of first fold, and one or two adders between registers."""
    forms = [(False, 1), (False, 2), (True, 1)]
    return [partial(reducer, width, hs, terms, *form) for hs, terms in cases for form in forms]


def reducer(width: int, hs: Sequence[int], terms: int, multiply: bool, levels: int) -> bool:
    moduli = [Modulus(width, h) for h in hs]
    ranges = [(-terms << 2 * width, terms << 2 * width)] * len(moduli)
    folds = max(map(folds_needed, moduli, ranges))
    plans = plan_folds(moduli, folds, multiply_first=multiply, levels_per_register=levels)
    with tempfile.TemporaryDirectory() as work:
        return prove_reducer(
            moduli, ranges, plans, out_dir=Path(work), divides=width == 8, timeout=TIMEOUT
        ).passed


def forms(primitives: Sequence[Primitive]) -> Proof:
    def run() -> bool:
        with tempfile.TemporaryDirectory() as work:
            return prove_primitives(primitives, out_dir=Path(work), timeout=TIMEOUT).passed

    return run


def coprocessor(
    *names: str, kind: type[EccCore] | type[DigitEccCore] = EccCore, **options: Any
) -> Proof:
    def run() -> bool:
        design = kind([find_curve(name) for name in names], **options).design
        return constant(Coprocessor(design), coprocessor_boundary(design))

    return run


def streamed(make: Callable[[], Any], boundary: Callable[[Any], Boundary]) -> Proof:
    """Of a core whose design has its component."""

    def run() -> bool:
        design = make().design
        return constant(design.component(), boundary(design))

    return run


def exponentiator(**values: object) -> Proof:
    asked = {"algorithm": "modexp", "unit": "rns-montgomery", **values}
    return streamed(
        lambda: ExponentiationCore(check(ExponentiationSpecification, asked)),
        exponentiator_boundary,
    )


def inverter(**values: object) -> Proof:
    asked = {"algorithm": "inversion", **values}
    return streamed(lambda: InversionCore(check(InversionSpecification, asked)), inverter_boundary)


def digit(**values: object) -> Proof:
    return streamed(
        lambda: DigitMontgomeryCore.of(check(DigitSpecification, values)), digit_boundary
    )


def constant(component: Component, boundary: Boundary) -> bool:
    """Constant time, and with its induction that one cycle of reset is enough."""
    with tempfile.TemporaryDirectory() as work:
        folder = Path(work)
        netlist = read_netlist(*write_verilog(component, folder), folder, boundary)
        result = prove_netlist(netlist, out_dir=folder, timeout=TIMEOUT)
        after_reset = prove_first_cycles(netlist, out_dir=folder, timeout=TIMEOUT)
    for leak in result.leaks:
        print(leak, file=sys.stderr)
    return result.passed and after_reset.passed


def resets(kind: type[Any], boundary: Callable[[Any], Boundary], **values: object) -> Proof:
    """Of a core of which constant time is not claimed."""

    def run() -> bool:
        core = kind(check_any(values))
        design = getattr(core, "words", None) or core.design
        with tempfile.TemporaryDirectory() as work:
            folder = Path(work)
            verilog = write_verilog(core.component(), folder)
            netlist = read_netlist(*verilog, folder, boundary(design))
            return prove_reset(netlist, out_dir=folder, timeout=TIMEOUT).passed

    return run


def fresh(**values: object) -> Proof:
    """No word from before a reset in a result, of a small core."""

    def run() -> bool:
        with tempfile.TemporaryDirectory() as work:
            directory = build(check_any(values), Path(work) / "core")
            vectors = 1 if isinstance(directory.made, CurveBuild) else MARKED_RUNS
            found = run_marked(directory, vectors=vectors)
        print(*found["failures"], sep="\n", file=sys.stderr)
        return bool(found["passed"])

    return run


def accumulators() -> list[Primitive]:
    return [
        Accumulator(
            product_width, product_width + growth, start=start, subtracts=subtracts, plains=plains
        )
        for product_width in (17, 20, 36)
        for growth in (1, 6, 9)
        for start in (0, 1 << 16, -1)
        for subtracts in (False, True)
        for plains in (False, True)
    ]


SMALL = {"modulus": "0x1000b", "width": 12}
MARKED_RUNS = 20

PAIRS = [((3,), 16), ((-9, 9), 1), ((3, -5), 1), ((0, 1), 16), ((-1, 0), 1), ((7, 1, -2), 1)]
HEAVY = [((11, -13), 1), ((13,), 16)]
FOUR_DIGITS = [((43,), 1), ((43, -3), 1)]

CLAIMS: dict[str, Callable[[], list[Proof]]] = {
    "one fold, every h, every range, w = 8 to 64": steps,
    "all folds, every h, w = 8 to 16": lambda: chains(range(8, 17)),
    "all folds, chosen h, w = 17 to 64": lambda: chains(range(17, 65)),
    "reducer RTL, class included, w = 8": lambda: reducers(8, [*PAIRS, *HEAVY]),
    "reducer RTL, w = 9": lambda: reducers(9, PAIRS),
    "reducer RTL, w = 10": lambda: reducers(10, PAIRS[1:4]),
    "reducer RTL, h of 4 signed digits, w = 12": lambda: reducers(12, FOUR_DIGITS),
    "ECP5 adders that select, w = 1 to 40": lambda: [
        forms([SelectAdder(width, negate_first=first, negate_second=second)])
        for width in (*range(1, 12), 20, 21, 40)
        for first, second in product([False, True], repeat=2)
    ],
    "ECP5 adder-subtractors, w = 1 to 40": lambda: [
        forms([AddSubtract(width) for width in (*range(1, 12), 20, 21, 40)])
    ],
    "ECP5 accumulators": lambda: [forms([accumulator]) for accumulator in accumulators()],
    "multipliers on an engine, one cycle of reset": lambda: [
        resets(RnsMontgomeryCore, engine_boundary, modulus="P-256", width=17),
        resets(RnsMontgomeryCore, engine_boundary, modulus="P-256", width=17, rowers=4),
        resets(
            RnsMontgomeryCore, engine_boundary, modulus="P-521", width=33, extension="hierarchical"
        ),
        *(
            resets(RnsMontgomeryCore, word_boundary, interface="words", **values)
            for values in (
                {"modulus": "P-256", "width": 17},
                {"modulus": "brainpoolP320r1", "width": 31},
                {"modulus": 2**96 - 1, "width": 23, "rowers": 1},
                {"modulus": "P-256", "width": 17, "result": "plain"},
            )
        ),
    ],
    "base extensions and SBMM, one cycle of reset": lambda: [
        resets(
            BaseExtensionCore,
            engine_boundary,
            algorithm="base-extension",
            modulus="P-256",
            width=17,
        ),
        *(
            resets(
                SingleBaseCore,
                engine_boundary,
                algorithm="sbmm",
                channels=12,
                width=17,
                rowers=rowers,
                compress=True,
            )
            for rowers in ("half", "full")
        ),
    ],
    "plus-minus inverters, one cycle of reset": lambda: [
        resets(InversionCore, inverter_boundary, algorithm="inversion", modulus="P-192", **values)
        for values in (
            {"inversion": "plus-minus", "width": 17},
            {"inversion": "plus-minus-ct", "width": 17},
        )
    ],
    "point multipliers of 2006, one cycle of reset": lambda: [
        resets(
            ExtendedCore,
            point_boundary,
            algorithm="ecpm-2006",
            curve="secp160r1",
            operation=operation,
        )
        for operation in ("add", "multiply")
    ],
    "coprocessors in constant time, one cycle of reset": lambda: [
        coprocessor("P-256"),
        coprocessor("P-256", blinding="auto"),
        coprocessor("P-256", blinding="auto", columns=2),
        coprocessor("P-256", "secp256k1", blinding="auto"),
        coprocessor("Curve25519"),
        coprocessor("P-521", blinding="auto"),
    ],
    "exponentiators on an engine in constant time, one cycle of reset": lambda: [
        exponentiator(modulus="P-256"),
        exponentiator(modulus="P-256", extension="hierarchical"),
        exponentiator(modulus="P-521", width=33, exponent=65537),
        exponentiator(bits=256),
    ],
    "inverters in constant time, one cycle of reset": lambda: [
        inverter(modulus=modulus, inversion=method)
        for modulus in ("P-192", "P-256", "P-521")
        for method in ("division-steps", "fermat")
    ],
    "coprocessors on digits in constant time, one cycle of reset": lambda: [
        coprocessor("P-256", kind=DigitEccCore, digit=17, blinding="auto"),
        coprocessor("P-256", "Curve25519", kind=DigitEccCore, digit=17, lanes=2, blinding="auto"),
    ],
    "digit multipliers in constant time, one cycle of reset": lambda: [
        digit(algorithm="r2mm", bits=256),
        digit(algorithm="mwr2mm", bits=256, digit=16),
        *(
            digit(algorithm="iddmm", bits=1024, digit=64, architecture=architecture, version=3)
            for architecture in (1, 2)
        ),
        digit(algorithm="iddmm", modulus="P-256", digit=16, operand_check="flag"),
        digit(algorithm="iddmm", bits=2048, digit=17, lanes=8, variant="closed"),
    ],
    "exponentiators on digits and RSA in constant time, one cycle of reset": lambda: [
        digit(algorithm="modexp", bits=1024, digit=34, lanes=3),
        digit(algorithm="modexp", bits=1024, digit=34, lanes=3, exponent=65537),
        digit(algorithm="rsa-crt", bits=1024, digit=17, lanes=8),
        digit(algorithm="rsa-crt", bits=2048, digit=17, lanes=8),
    ],
    "no word from before a reset in a result, engines": lambda: [
        fresh(**SMALL),
        fresh(**SMALL, interface="words"),
        fresh(**SMALL, interface="words", rowers=1),
        fresh(modulus="0x1000b", width=12, channels=4, extension="hierarchical"),
        fresh(algorithm="base-extension", channels=4, width=12),
        fresh(algorithm="sbmm", channels=4, width=12),
        fresh(algorithm="modexp", unit="rns-montgomery", **SMALL),
    ],
    "no word from before a reset in a result, digits": lambda: [
        fresh(algorithm="r2mm", modulus="0x1000b"),
        fresh(algorithm="mwr2mm", modulus="0x1000b", digit=5),
        *(
            fresh(algorithm="iddmm", bits=24, digit=5, architecture=architecture)
            for architecture in (1, 2)
        ),
        fresh(algorithm="modexp", modulus="0x1000b", digit=5),
        fresh(algorithm="rsa-crt", bits=64, digit=11),
    ],
    "no word from before a reset in a result, inverters": lambda: [
        *(
            fresh(algorithm="inversion", inversion=method, **SMALL)
            for method in ("plus-minus", "plus-minus-ct")
        ),
        fresh(algorithm="inversion", inversion="fermat", modulus="0x10001", width=12),
        fresh(algorithm="inversion", inversion="division-steps", modulus="0x10001"),
    ],
    "no word from before a reset in a result, points": lambda: [
        fresh(algorithm="ecpm-2006", curve=TINY, operation="add"),
        fresh(curve=[TINY], bus="stream", blinding=0),
        fresh(curve=[TINY], bus="stream", blinding=0, inversion="division-steps"),
        fresh(curve=[TINY], bus="stream", blinding=0, inversion="plus-minus-ct"),
        fresh(curve=[TINY], bus="stream", blinding=0, algorithm="iddmm", digit=16),
    ],
    "ECP5 multipliers": lambda: [
        forms([Multiplier(left, right)]) for left, right in product((4, 9, 17, 18), repeat=2)
    ],
}


def passes(proof: Proof) -> bool:
    try:
        return proof()
    except (NotProvedError, ToolError) as error:
        print(error, file=sys.stderr, flush=True)
        return False


def prove(claim: str, commit: str) -> Row:
    """All proofs of a claim; those that fail are its ``mismatches``."""
    start, proofs = time.monotonic(), CLAIMS[claim]()
    with cache.anew():
        failed = [f"case {number}" for number, proof in enumerate(proofs, 1) if not passes(proof)]
    return {
        "claim": claim,
        "commit": commit,
        "cases": len(proofs),
        "mismatches": len(failed),
        "failures": failed,
        "seconds": round(time.monotonic() - start),
    }


def main() -> int:
    """Prove the claims that are asked for; 0 if every claim is proved."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--claims", nargs="*", default=[""], metavar="PART")
    parser.add_argument("--jobs", type=int, default=2, help="claims at once")
    options = parser.parse_args()
    rows, commit = PAGE.rows(), current_commit()
    tasks = {
        claim: partial(prove, claim, commit)
        for claim in CLAIMS
        if any(part in claim for part in options.claims)
        and not (made(rows.get(claim), commit, "cases", 1) and not rows[claim]["failures"])
    }
    complete(PAGE, rows, list(CLAIMS), tasks, options.jobs)
    return int(any(row["failures"] for row in rows.values()))


if __name__ == "__main__":
    sys.exit(main())
