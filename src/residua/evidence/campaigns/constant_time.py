"""Cycles of point multiplications over a thousand secrets, on each of some coprocessors."""

import time
from typing import Any

from residua.cores.coprocessor.engine.core import EngineCoprocessorCore
from residua.cores.coprocessor.simulator import build_coprocessor_simulator
from residua.cores.coprocessor.timing import TimingResult, measure_timing
from residua.evidence.campaign import Campaign, Figures, Request
from residua.evidence.pages import RowTable, commit, table_page
from residua.evidence.subjects import core

RUNS = 1000
SEED = 1

CORES: dict[str, dict[str, Any]] = {
    "P-256": {"curve": "P-256", "blinding": 0},
    "P-256, blinded": {"curve": "P-256"},
    "secp256k1": {"curve": "secp256k1", "blinding": 0},
    "Curve25519": {"curve": "Curve25519", "blinding": 0},
    "Curve25519, blinded": {"curve": "Curve25519"},
}
"""Specifications by the names of the rows."""

INTRODUCTION = """\
Multiplications of points on the simulated Verilog of each core, whose streams never wait: scalars
from 1 to n - 1, extremes first (both ends, single bits and gaps, long runs, alternating bits), then
random ones; the base point, its negative, its double and random points in turn; other random words
each time. Every result is compared with plain integers. Cycles and random words are all values that
occurred: with one value, the time does not depend on the secret. That it cannot is proved on the
netlist, see [Proofs](../proofs.md). `make constant-time` makes this page."""


def measure(request: Request) -> Figures:
    """Simulate the core of a row."""
    directory = request.directory()
    design = directory.core(EngineCoprocessorCore).core.design
    simulator = build_coprocessor_simulator(directory.sources(), directory.name, design)
    start = time.monotonic()
    found = measure_timing(simulator, design, runs=request.amount, seed=SEED)
    return {
        "operation": found.operation.name,
        "runs": found.runs,
        "points": found.points,
        "mismatches": found.mismatches,
        "cycles": list(found.cycles),
        "random_words": list(found.random_words),
        "failures": _failures(found),
        "seconds": round(time.monotonic() - start, 1),
    }


def _failures(found: TimingResult) -> list[str]:
    """Faults of a measurement, if there are any."""
    if found.passed:
        return []
    if found.mismatches:
        return [f"{found.mismatches} results are wrong"]
    return [f"the time depends on the secret: {found.cycles} cycles, {found.random_words} words"]


TABLE = RowTable(
    {
        "Core": lambda row: row.name,
        "Operation": lambda row: row["operation"],
        "Multiplications": lambda row: f"{row['runs']:,}",
        "Points": lambda row: row["points"],
        "Mismatches": lambda row: row["mismatches"],
        "Cycles": lambda row: ", ".join(f"{cycles:,}" for cycles in row["cycles"]),
        "Random words": lambda row: ", ".join(map(str, row["random_words"])),
        "Seconds": lambda row: f"{row['seconds']:.0f}",
        "Commit": commit,
    },
    texts=2,
)

CAMPAIGN = Campaign(
    table_page("constant-time", "Constant time, as measured", INTRODUCTION, (TABLE,)),
    dict.fromkeys(CORES, RUNS),
    lambda name: core({**CORES[name], "bus": "stream"}),
    measure,
)
