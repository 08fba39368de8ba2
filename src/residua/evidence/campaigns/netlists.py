"""Synthesised netlists of the 192-bit multiplier, simulated against its model."""

from typing import Any

from residua.cores.rns_montgomery.core import RnsMontgomeryCore
from residua.cores.simulation.engine import verify
from residua.cores.simulation.netlists import netlist_simulator
from residua.evidence.campaign import Campaign, Figures, Request
from residua.evidence.pages import RowTable, commit, mismatches, table_page, tools_notes
from residua.evidence.subjects import core

SEED = 1
PRODUCTS = 10_000

CORE: dict[str, Any] = {"modulus": "P-192", "width": 17, "channels": 12}
"""Specification of the core, but for its reduction."""

NETLISTS = {
    f"{target}, {reduction}": (target, reduction)
    for target in ("ecp5", "xc7")
    for reduction in ("shift", "multiply")
}
"""Targets and reductions by the names of the rows."""

CELLS = {
    "ecp5": ("MULT18X18D", "CCU2C", "LUT4", "PFUMX", "TRELLIS_FF", "TRELLIS_DPR16X4"),
    "xc7": ("DSP48E1", "CARRY4", "LUT6", "RAM32M", "FDRE"),
}
"""The cells that are counted, by the target."""

INTRODUCTION = f"""\
What synthesis makes of a core, simulated with models of the device's cells and compared with the
model of the core: every residue of every result. `make netlists` makes this page.

The core: RNS Montgomery multiplication modulo P-192, n = 12, w = 17, residues to residues, with
reducers that shift and add, and with reducers whose first fold multiplies. Operands: first the
adversarial cases of the core's workload (0, 1, P - 1, bounds, Cox sums at the limits of their
truncation), then random ones, and results as operands again. Each netlist runs back to back and
once more with random stalls, with seed {SEED}.

Models: those of Yosys for all cells but MULT18X18D, whose model is Residua's own
(`src/residua/toolchain/cells`). Netlists are flat; timing is not simulated."""


def measure(request: Request) -> Figures:
    """Synthesise and simulate the core of a row."""
    target, reduction = NETLISTS[request.name]
    directory = request.directory()
    # Compiling with optimisation would take longer than it saves.
    netlist = netlist_simulator(
        directory.core(RnsMontgomeryCore),
        target,
        out_dir=request.folder("netlist"),
        seed=SEED,
        optimise=False,
    )
    steady, stalled = (
        verify(netlist.simulator, vectors=request.amount, seed=SEED, stalls=stalls)
        for stalls in (False, True)
    )
    return {
        "target": target,
        "reduction": reduction,
        "products": steady.vectors,
        "stalled": stalled.vectors,
        "mismatches": steady.mismatches + stalled.mismatches,
        "failures": [*steady.failures, *stalled.failures],
        "cycles": {"latency": steady.latency, "interval": steady.interval},
        "cells": {kind: netlist.synthesis.cells.get(kind, 0) for kind in CELLS[target]},
    }


TABLE = RowTable(
    {
        "Target": lambda row: row["target"],
        "Reduction": lambda row: row["reduction"],
        "Products": lambda row: f"{row['products']:,}",
        "With stalls": lambda row: f"{row['stalled']:,}",
        "Differences": mismatches,
        "Latency": lambda row: row["cycles"]["latency"],
        "Interval": lambda row: row["cycles"]["interval"],
        "Cells": lambda row: ", ".join(f"{count} {kind}" for kind, count in row["cells"].items()),
        "Commit": commit,
    },
    texts=2,
    closing_texts=2,
    notes=tools_notes,
)

CAMPAIGN = Campaign(
    table_page("netlists", "Netlists", INTRODUCTION, (TABLE,)),
    dict.fromkeys(NETLISTS, PRODUCTS),
    lambda name: core({**CORE, "reduction": NETLISTS[name][1]}),
    measure,
)
