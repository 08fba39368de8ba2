"""Modular inverters: every inverse, and the cycles of every operand."""

import statistics
from collections.abc import Iterable
from typing import Any, NamedTuple

from residua.cores.inversion.core import InversionCore
from residua.cores.inversion.design import InverterDesign
from residua.cores.inversion.residue_verification import (
    build_residue_inverter_simulator,
    verify_residue_inversions,
)
from residua.cores.inversion.verification import build_inverter_simulator, verify_inversions
from residua.cores.simulation.result import VerificationResult
from residua.curves.catalogue import find_curve
from residua.evidence.campaign import Campaign, Figures, Request
from residua.evidence.campaigns.inversion_steps import figures, steps, steps_table
from residua.evidence.pages import Columns, RowTable, commit, mismatches, table_page
from residua.evidence.rows import Row
from residua.evidence.subjects import Design, Subject, core
from residua.hardware.inverters.plus_minus_inverter import PlusMinusDesign
from residua.hardware.inverters.residue_inverter import ResidueInverter
from residua.numbers.hats import hat_form
from residua.toolchain.targets import PRIMITIVE_FILE

SEED = 23
STALLED = 1000
"""Inversions of every row besides, with random gaps between words and results that wait."""

CORES: dict[str, tuple[int, dict[str, Any]]] = {
    "P-192, plus-minus": (
        100_000, {"modulus": "P-192", "inversion": "plus-minus", "width": 17, "channels": 12},
    ),
    "P-256, plus-minus": (
        100_000, {"modulus": "P-256", "inversion": "plus-minus", "width": 17, "channels": 16},
    ),
    "P-384, plus-minus": (
        10_000, {"modulus": "P-384", "inversion": "plus-minus", "width": 22, "channels": 18},
    ),
    "P-256, plus-minus-ct": (
        10_000, {"modulus": "P-256", "inversion": "plus-minus-ct", "width": 17, "channels": 16},
    ),
    "P-256, division-steps": (
        10_000, {"modulus": "P-256", "inversion": "division-steps", "width": 17},
    ),
}  # fmt: skip
"""Inversions and specifications by the names of the rows."""

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
    "P-256, on 16 rowers": Unit(20_000, (P_256.prime,), 17, 16, 16),
    "P-256, on 8 rowers": Unit(20_000, (P_256.prime,), 17, 16, 8),
    "P-256, on 4 rowers": Unit(20_000, (P_256.prime,), 17, 16, 4),
    "P-256 and its order": Unit(100_000, (P_256.prime, P_256.order), 17, 16, 8),
    "P-384, on 9 rowers": Unit(20_000, (P_384.prime,), 22, 18, 9),
    "P-384, on 6 rowers": Unit(20_000, (P_384.prime,), 22, 18, 6),
}
"""Units by the names of the rows."""

UNITS_TEXT = """\
The unit beside an engine alone. Against plain integers: U1 U3 x = f modulo P for every operand, or
U1 U3 = 0 if P divides x, no U beyond P, and constant cycles, from the last word in to the last one
of `busy`. Operands: 0, P, −P and those of the first table with both signs, about half of them with
an f of 0, ±1, ±2, half of P or next to ±P; as many random ones or more, with random f. Words are
any of w + 1 signed bits, in some operands all of them the lowest or the highest; of a few dozen
operands every word of U1 and U3 is that of the model. “And its order”: modulo the prime and the
order of the curve's group in turn, by `select`. The thousand besides have random gaps before words
and between inversions, with anything on the ports meanwhile."""


def subject(name: str) -> Subject:
    """Find the core or the unit of a row."""
    if name in UNITS:
        return Design("unit", UNITS[name].component)
    return core({"algorithm": "inversion", **CORES[name][1]})


def measure(request: Request) -> Figures:
    """Verify the core or the unit of a row."""
    return (_measure_unit if request.name in UNITS else _measure_core)(request)


def _measure_core(request: Request) -> Figures:
    directory = request.directory()
    made = directory.core(InversionCore)
    simulator = build_inverter_simulator(made, directory.sources())
    prompt = verify_inversions(simulator, vectors=request.amount, seed=SEED, stalls=False)
    stalled = verify_inversions(simulator, vectors=STALLED, seed=SEED + 1, stalls=True)
    return {
        **_verified(prompt.verdict, stalled.verdict),
        "timing": made.parameters["timing"],
        "inverses": len(prompt.cycles),
        "cycles": {
            "fewest": min(prompt.cycles),
            "average": round(statistics.fmean(prompt.cycles), 2),
            "most": max(prompt.cycles),
            "bound": made.design.longest,
        },
        **_steps(made.design, prompt.cycles),
    }


def _steps(design: InverterDesign, cycles: tuple[int, ...]) -> dict[str, Any]:
    """Numbers of steps of inversions, if the core makes steps."""
    return {"steps": steps(design, cycles)} if isinstance(design, PlusMinusDesign) else {}


def _measure_unit(request: Request) -> Figures:
    asked, path = UNITS[request.name], request.folder()
    assert isinstance(request.subject, Design)
    unit, files = request.subject.made, request.subject.files
    assert isinstance(unit, ResidueInverter)
    sources = [path / "unit.v", path / "primitives.v"]
    path.mkdir(parents=True)
    for source, file in zip(sources, ("rtl/unit.v", PRIMITIVE_FILE), strict=True):
        source.write_text(files[file], encoding="utf-8")
    simulator = build_residue_inverter_simulator(unit, sources, top="unit")
    prompt, stalled = (
        verify_residue_inversions(simulator, vectors=count, seed=SEED + stalls, stalls=bool(stalls))
        for stalls, count in enumerate((request.amount, STALLED))
    )
    return {
        **_verified(prompt, stalled),
        "size": f"{asked.channels} × {asked.width}",
        "rowers": asked.rowers,
        "cycles": prompt.latency,
    }


def _verified(prompt: VerificationResult, stalled: VerificationResult) -> dict[str, Any]:
    """Columns of verifications that rows of both kinds have."""
    verdicts = (prompt, stalled)
    return {
        "vectors": prompt.vectors,
        "stalled": stalled.vectors,
        "mismatches": sum(verdict.mismatches for verdict in verdicts),
        "model_checks": sum(verdict.model_checks for verdict in verdicts),
        "failures": [failure for verdict in verdicts for failure in verdict.failures],
        "seconds": round(sum(verdict.seconds for verdict in verdicts), 1),
    }


def _spread(row: Row) -> str:
    """The cell of the fewest and the most cycles."""
    return " to ".join(map(str, sorted({row["cycles"]["fewest"], row["cycles"]["most"]})))


def _cores(row: Row) -> Iterable[Row]:
    return [row] if row.name in CORES else []


def _units(row: Row) -> Iterable[Row]:
    return [row] if row.name in UNITS else []


COUNTS: Columns = {
    "Inversions": lambda row: f"{row['vectors'] + row['stalled']:,}",
    "Mismatches": mismatches,
}
CHECKS: Columns = {"Model": lambda row: row["model_checks"], "Commit": commit}

CORE_TABLE = RowTable(
    {
        "Configuration": lambda row: row.name,
        "Timing": lambda row: row["timing"],
        **COUNTS,
        "Cycles": _spread,
        "Average": lambda row: row["cycles"]["average"],
        "Bound": lambda row: row["cycles"]["bound"],
        **CHECKS,
    },
    texts=2,
    lines=_cores,
)

UNIT_TABLE = RowTable(
    {
        "Configuration": lambda row: row.name,
        "n × w": lambda row: row["size"],
        "Rowers": lambda row: row["rowers"],
        **COUNTS,
        "Cycles": lambda row: row["cycles"],
        **CHECKS,
    },
    title="On residues",
    introduction=UNITS_TEXT,
    texts=2,
    lines=_units,
)

CAMPAIGN = Campaign(
    table_page(
        "inversions",
        "Modular inversion",
        INTRODUCTION,
        (CORE_TABLE, steps_table(), UNIT_TABLE),
        figures,
    ),
    {name: vectors for name, (vectors, _) in CORES.items()}
    | {name: unit.vectors for name, unit in UNITS.items()},
    subject,
    measure,
)
