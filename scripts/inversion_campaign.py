"""The verification campaign of modular inverters: every inverse, and the cycles of every operand.

Writes docs/results/inversions.md, .json and .svg with the commit. Rows that are in the .json for
the same commit, or for the same Verilog, are kept, so that an interrupted campaign goes on where it
stopped; ``--rows`` limits it to rows with a part of their names.
"""

import argparse
import statistics
import sys
from functools import partial
from typing import Any, NamedTuple

from campaign_rows import (
    RESULTS,
    ROOT,
    Columns,
    Page,
    Row,
    complete,
    current_commit,
    digest,
    emptied,
    holds,
    made,
    mismatches,
    prepare,
    table,
    verilog,
)
from inversion_steps import STEP_COLUMNS, STEPS_TEXT, drawn, plot, steps

from residua.cores.inversion.core import InversionCore
from residua.cores.inversion.residue_verification import (
    build_residue_inverter_simulator,
    verify_residue_inversions,
)
from residua.cores.inversion.verification import build_inverter_simulator, verify_inversions
from residua.cores.simulation.result import VerificationResult
from residua.curves.catalogue import find_curve
from residua.hardware.inverters.plus_minus_inverter import PlusMinusDesign
from residua.hardware.inverters.residue_inverter import ResidueInverter
from residua.hardware.rtl import emit
from residua.numbers.hats import hat_form
from residua.toolchain.targets import PRIMITIVE_FILE

WORK = ROOT / "build" / "inversion_campaign"
SEED = 23
STALLED = 1000
"""Inversions of every row besides, with random gaps between words and results that wait."""

ROWS: dict[str, tuple[int, dict[str, Any]]] = {
    "P-192, plus-minus": (
        100_000,
        {"modulus": "P-192", "inversion": "plus-minus", "width": 17, "channels": 12},
    ),
    "P-256, plus-minus": (
        100_000,
        {"modulus": "P-256", "inversion": "plus-minus", "width": 17, "channels": 16},
    ),
    "P-384, plus-minus": (
        10_000,
        {"modulus": "P-384", "inversion": "plus-minus", "width": 22, "channels": 18},
    ),
    "P-256, plus-minus-ct": (
        10_000,
        {"modulus": "P-256", "inversion": "plus-minus-ct", "width": 17, "channels": 16},
    ),
    "P-256, division-steps": (
        10_000,
        {"modulus": "P-256", "inversion": "division-steps", "width": 17},
    ),
}
"""Inversions and keys by the name of the row."""

INTRODUCTION = """\
The Verilog of each core, simulated with Verilator, back to back: every word of every result is
compared with gmpy2's inverse, so that results times operands are 1; the cycles of every operand,
from the last operand word to the last result word, with the bound, and those of constant time and
of 2000 others with the model's. Operands: 1, 2, other small ones, P − 1, P − 2, halves, thirds and
quarters of P, those next to every power of two and to P less every power of two, the inverses of
all these, and random ones, one in 16 of them short. 0, P and more are among them and must raise the
error flag; they do not count into cycles. A thousand inversions of each row, besides, have random
gaps between words and results that wait. A + after the commit says that the sources differed from
it. `make campaign-inversions` writes this page."""


class Unit(NamedTuple):
    """Inversions of a row on residues, and its unit."""

    vectors: int
    moduli: tuple[int, ...]
    width: int
    channels: int
    rowers: int

    def component(self) -> ResidueInverter:
        """A new component."""
        base = hat_form(max(self.moduli), self.width, self.channels).base
        return ResidueInverter(self.moduli, base, self.rowers)


P_192, P_256, P_384 = (find_curve(name) for name in ("P-192", "P-256", "P-384"))

UNITS = {
    "P-192, on 6 rowers": Unit(100_000, (P_192.prime,), 17, 12, 6),
    "P-192, on 2 rowers": Unit(20_000, (P_192.prime,), 17, 12, 2),
    "P-192, a vacant place": Unit(20_000, (P_192.prime,), 22, 9, 5),
    "P-256, on 8 rowers": Unit(20_000, (P_256.prime,), 17, 16, 8),
    "P-256, on 4 rowers": Unit(20_000, (P_256.prime,), 17, 16, 4),
    "P-256 and its order": Unit(100_000, (P_256.prime, P_256.order), 17, 16, 8),
    "P-384, on 9 rowers": Unit(20_000, (P_384.prime,), 22, 18, 9),
    "P-384, on 6 rowers": Unit(20_000, (P_384.prime,), 22, 18, 6),
}
"""Units by the name of the row."""

UNITS_TEXT = """\
The unit beside an engine alone. Against plain integers: U1 U3 x = f modulo P for every operand, or
U1 U3 = 0 if P divides x, no U beyond P, and constant cycles, from the last word in to the last one
of `busy`. Operands: 0, P, −P and those of the first table with both signs, about half of them with
an f of 0, ±1, ±2, half of P or next to ±P; as many random ones or more, with random f. Words are
any of w + 1 signed bits, in some operands all of them the lowest or the highest; of a few dozen
operands every word of U1 and U3 is that of the model. “And its order”: modulo the prime and the
order of the curve's group in turn, by `select`. The thousand besides have random gaps before words
and between inversions, with anything on the ports meanwhile."""


def measure(name: str, vectors: int, commit: str, known: Row | None) -> Row:
    """Build the core of one row and verify it, unless what is known holds."""
    directory = prepare(name, {"algorithm": "inversion", **ROWS[name][1]}, WORK)
    if known and holds(known, verilog(directory), "vectors", vectors):
        return known
    core = directory.core(InversionCore)
    simulator = build_inverter_simulator(core, directory.sources())
    prompt = verify_inversions(simulator, vectors=vectors, seed=SEED, stalls=False)
    stalled = verify_inversions(simulator, vectors=STALLED, seed=SEED + 1, stalls=True)
    row = {
        **verified(name, prompt.verdict, stalled.verdict),
        "timing": core.parameters["timing"],
        "inverses": len(prompt.cycles),
        "cycles": {
            "fewest": min(prompt.cycles),
            "average": round(statistics.fmean(prompt.cycles), 2),
            "most": max(prompt.cycles),
            "bound": core.design.longest,
        },
        "commit": commit,
        "verilog": verilog(directory),
    }
    if isinstance(core.design, PlusMinusDesign):
        row |= {"steps": steps(core.design, prompt.cycles)}
    return row


def measure_unit(name: str, vectors: int, commit: str, known: Row | None) -> Row:
    """The same for a row on residues."""
    asked, path = UNITS[name], emptied(name, WORK)
    unit = asked.component()
    files = emit(unit, "unit")
    if known and holds(known, digest(files), "vectors", vectors):
        return known
    sources = [path / "unit.v", path / "primitives.v"]
    path.mkdir(parents=True)
    for source, file in zip(sources, ("rtl/unit.v", PRIMITIVE_FILE), strict=True):
        source.write_text(files[file], encoding="utf-8")
    simulator = build_residue_inverter_simulator(unit, sources, top="unit")
    prompt, stalled = (
        verify_residue_inversions(simulator, vectors=count, seed=SEED + stalls, stalls=bool(stalls))
        for stalls, count in enumerate((vectors, STALLED))
    )
    return {
        **verified(name, prompt, stalled),
        "size": f"{asked.channels} × {asked.width}",
        "rowers": asked.rowers,
        "cycles": prompt.latency,
        "commit": commit,
        "verilog": digest(files),
    }


def verified(name: str, prompt: VerificationResult, stalled: VerificationResult) -> Row:
    """What rows of both kinds have of their verifications."""
    verdicts = (prompt, stalled)
    return {
        "configuration": name,
        "vectors": prompt.vectors,
        "stalled": stalled.vectors,
        "mismatches": sum(verdict.mismatches for verdict in verdicts),
        "model_checks": sum(verdict.model_checks for verdict in verdicts),
        "failures": [failure for verdict in verdicts for failure in verdict.failures],
        "seconds": round(sum(verdict.seconds for verdict in verdicts), 1),
    }


def closing(rows: list[Row]) -> str:
    """What follows the first table: steps and their distribution, then the units."""
    parts = [
        STEPS_TEXT,
        table(STEP_COLUMNS, drawn(rows), ends=0),
        "![How many operands take how many steps](inversions.svg)",
        "## On residues",
        UNITS_TEXT,
        table(UNIT_COLUMNS, [row for row in rows if row["configuration"] in UNITS], texts=2),
    ]
    return "\n" + "\n\n".join(parts) + "\n"


def spread(row: Row) -> str:
    """The fewest and the most cycles."""
    return " to ".join(map(str, sorted({row["cycles"]["fewest"], row["cycles"]["most"]})))


COUNTS: Columns = {
    "Inversions": lambda row: f"{row['vectors'] + row['stalled']:,}",
    "Mismatches": mismatches,
}
CHECKS: Columns = {
    "Model": lambda row: row["model_checks"],
    "Commit": lambda row: f"`{row['commit']}`",
}

UNIT_COLUMNS: Columns = {
    "Configuration": lambda row: row["configuration"],
    "n × w": lambda row: row["size"],
    "Rowers": lambda row: row["rowers"],
    **COUNTS,
    "Cycles": lambda row: row["cycles"],
    **CHECKS,
}

PAGE = Page(
    "inversions",
    "Modular inversion",
    INTRODUCTION,
    {
        "Configuration": lambda row: row["configuration"],
        "Timing": lambda row: row["timing"],
        **COUNTS,
        "Cycles": spread,
        "Average": lambda row: row["cycles"]["average"],
        "Bound": lambda row: row["cycles"]["bound"],
        **CHECKS,
    },
    texts=2,
    tabled=lambda row: row["configuration"] in ROWS,
    closing=closing,
)


def main() -> int:
    """Run the rows that are missing; 0 if every row is without fault."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", nargs="*", default=[""], metavar="PART")
    parser.add_argument("--vectors", type=int, default=100_000, help="inversions, at most")
    parser.add_argument("--jobs", type=int, default=2, help="rows at once")
    options = parser.parse_args()
    commit, rows = current_commit(), PAGE.rows()
    asked = {name: (measure, vectors) for name, (vectors, _) in ROWS.items()}
    asked |= {name: (measure_unit, unit.vectors) for name, unit in UNITS.items()}
    tasks = {}
    for name, (measured, most) in asked.items():
        known, vectors = rows.get(name), min(most, options.vectors)
        if any(part in name for part in options.rows) and not made(
            known, commit, "vectors", vectors
        ):
            tasks[name] = partial(measured, name, vectors, commit, known)
    complete(PAGE, rows, list(asked), tasks, options.jobs)
    PAGE.write(rows, asked)
    if variable := drawn([rows[name] for name in asked if name in rows]):
        (RESULTS / "inversions.svg").write_text(plot(variable), encoding="utf-8")
    return int(any(row["failures"] for row in rows.values()))


if __name__ == "__main__":
    sys.exit(main())
