"""Synthesised netlists of a small core of each kind and of a multiplier, simulated."""

from typing import Any

from residua.cores.coprocessor.core import CoprocessorCore
from residua.cores.simulation.netlists import map_core
from residua.cores.simulation.runs import Runs
from residua.evidence.campaign import Campaign, Figures, Request
from residua.evidence.campaigns.mutants import CORES as OF_EACH_KIND
from residua.evidence.pages import RowTable, commit, mismatches, table_page, tools_notes
from residua.evidence.subjects import core
from residua.hardware.bus.tops import BUSES

SEED = 1

MULTIPLIER: dict[str, Any] = {"modulus": "P-192", "width": 17, "channels": 12}
"""Specification of the multiplier, but for its reduction."""

_MULTIPLIERS = {
    f"{target}, {reduction}": (target, MULTIPLIER | {"reduction": reduction})
    for target in ("ecp5", "xc7")
    for reduction in ("shift", "multiply")
}

_KINDS = {
    f"{target}, {kind}": (target, keys)
    for target in ("ecp5", "ice40up5k", "gatemate")
    for kind, keys in OF_EACH_KIND.items()
    # A netlist is of a core without its bus.
    if keys.get("bus") not in BUSES
}

CORES = _MULTIPLIERS | _KINDS
"""Target and specification by the names of the rows."""

_PRODUCTS = 10_000

_FEW = ("modexp", "rsa-crt", "inversion", "ecpm-2006")

CELLS = {
    "ecp5": (
        "MULT18X18D", "DP16KD", "CCU2C", "LUT4", "PFUMX", "TRELLIS_FF", "TRELLIS_DPR16X4",
    ),
    "xc7": ("DSP48E1", "CARRY4", "LUT6", "RAM32M", "FDRE"),
    "ice40up5k": ("SB_MAC16", "SB_RAM40_4K", "SB_CARRY", "SB_LUT4"),
    "gatemate": ("CC_MULT", "CC_BRAM_20K", "CC_BRAM_40K", "CC_ADDF", "CC_L2T4", "CC_DFF"),
}  # fmt: skip
"""The cells that are counted, by the target."""

INTRODUCTION = f"""\
What synthesis makes of a core, simulated with models of the device's cells, by the harness and
the comparison that the RTL has: every number of every result. `make netlists` makes this page.

One core of each kind, small, and a multiplier: RNS Montgomery multiplication modulo P-192, n = 12,
w = 17, residues to residues, with reducers that shift and add, and with reducers whose first fold
multiplies. Operands: first the adversarial cases of the core's workload, then random ones. Results
come back to back, one in ten with random stalls; the core is reset in mid-run, on random initial
values. All with seed {SEED}.

Models: those of Yosys for all cells but MULT18X18D and DP16KD, whose models are Residua's own
(`src/residua/toolchain/cells`). Netlists are flat; timing is not simulated."""


def _runs(keys: dict[str, Any]) -> int:
    """How many results of a small core are compared: gates are slow."""
    if "curve" in keys:
        return 20
    return 100 if keys.get("algorithm") in _FEW else 1000


def measure(request: Request) -> Figures:
    """Synthesise and simulate the core of a row."""
    target, _ = CORES[request.name]
    made = request.directory().made
    netlist = map_core(made, target, out_dir=request.folder("netlist"))
    found: Any = made.simulate(netlist.sources, Runs(request.amount, SEED))
    points = isinstance(made, CoprocessorCore)
    return {
        "target": target,
        "products": found.operations if points else found.vectors,
        "resets": found.resets,
        "mismatches": found.mismatches,
        "failures": list(found.failures),
        "cells": {kind: netlist.synthesis.cells.get(kind, 0) for kind in CELLS[target]},
    }


TABLE = RowTable(
    {
        "Target": lambda row: row["target"],
        "Core": lambda row: row.name.partition(", ")[2],
        "Results": lambda row: f"{row['products']:,}",
        "Resets": lambda row: row["resets"],
        "Differences": mismatches,
        "Cells": lambda row: ", ".join(
            f"{count} {kind}" for kind, count in row["cells"].items() if count
        ),
        "Commit": commit,
    },
    texts=2,
    closing_texts=2,
    notes=tools_notes,
)

CAMPAIGN = Campaign(
    table_page("netlists", "Netlists", INTRODUCTION, (TABLE,)),
    dict.fromkeys(_MULTIPLIERS, _PRODUCTS)
    | {name: _runs(keys) for name, (_, keys) in _KINDS.items()},
    lambda name: core(CORES[name][1]),
    measure,
    is_complete=lambda row: "resets" in row.figures,
)
