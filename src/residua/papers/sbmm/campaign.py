"""SBMM with Compress, simulated in the sizes of Table 3."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from residua.algorithms.terms import Residues
from residua.cores.directory import Directory
from residua.cores.simulation.engine import case_inputs
from residua.cores.single_base.core import SingleBaseCore
from residua.cores.single_base.verification import single_base_workload
from residua.evidence.campaign import Campaign, Figures, Request
from residua.evidence.campaigns.multipliers import sizes
from residua.evidence.pages import RowTable, commit, mismatches, table_page
from residua.evidence.simulation import simulated
from residua.evidence.subjects import core
from residua.machines import values
from residua.papers.sbmm.published import PARAMETERS, SIZES

VECTORS = 1_000_000
SEED = 20
EXTRA_BITS = 12
"""m_gamma = 2^12, as in section 5 of the paper."""

SPLITS, COMPRESSIONS = ("k(u0)", "k(u1)"), ("k(z0)", "k(z1)")
"""The quotients of a product's program."""


def _specification(bits: int, rowers: str) -> dict[str, Any]:
    """A multiplier with Compress in one of the sizes of Table 3."""
    n, w = PARAMETERS["SBMM", bits]
    return {
        "algorithm": "sbmm",
        "channels": n,
        "width": w,
        "extra_bits": EXTRA_BITS,
        "rowers": rowers,
        "compress": True,
    }


CORES = {
    f"{bits} {PARAMETERS['SBMM', bits]}, {rowers}": _specification(bits, rowers)
    for bits in SIZES
    for rowers in ("half", "full")
}
"""Specifications by the names of the rows."""

INTRODUCTION = """\
The Verilog of SBMM multipliers with Compress, simulated with Verilator, against the bit-exact
model: every residue of K and R of every product, in both bases, m_gamma = 2^12 included. Rows: the
field with the (n, w) of the paper's Table 3; n / 2 rowers (half), as in the paper, or n (full), for
both Splits at once. Results, compressed, are operands of other products; beside them stand operands
at the ends of what the bounds of the program allow, of “operands” M_a in size, and others near
multiples and fractions of M_a and near the Cox's error. The elements 0, 1, −1 and the corners of
the ranges are multiplied with each other in every row: the results of some are 0 and 1, which
Compress takes then, those of others reach the bounds of U and V.

Half of the products are back to back, half with random gaps between operands and random values of
`enable`. “Quotients −1” are, of the 4096 chosen products, those in which the K of a Split is −1 and
those in which a quotient of Compress is. The oracle checks a sample with plain integers. Latency
and interval are measured, in cycles. A + after the commit says that the sources differed from it.
`make campaign-sbmm` writes this page."""


def measure(request: Request) -> Figures:
    """Simulate the core of a row."""
    return simulated(request, SEED, _told)


def _told(directory: Directory, vectors: int) -> Figures:
    """The size of a core and of its operands."""
    made = directory.core(SingleBaseCore)
    largest = made.ranges_of_operands[0].magnitude / made.domain.split.base_a.product
    return {
        **sizes(directory, vectors),
        "operands": round(float(largest), 3),
        **negative_quotients(made),
    }


def negative_quotients(core: SingleBaseCore) -> dict[str, int]:
    """Count the cases of the workload in which a quotient of a Split, or of Compress, is -1."""
    program = core.program
    quotients = {
        step.result.name: step.result
        for step in program.steps
        if step.result.name in (*SPLITS, *COMPRESSIONS)
    }
    program = replace(program, outputs=list(quotients.values()))
    workload = single_base_workload(core.program, core.domain, SEED)
    found = {"cases": len(workload.cases), "split": 0, "compress": 0}
    for case in workload.cases:
        words = values.run(program, case_inputs(program, workload, case))
        negative = {name for name, own in words.items() if is_minus_one(quotients[name], own)}
        found["split"] += not negative.isdisjoint(SPLITS)
        found["compress"] += not negative.isdisjoint(COMPRESSIONS)
    return found


def is_minus_one(vector: Residues, words: Sequence[int]) -> bool:
    """Whether these residues, with the factor of the vector, are those of -1."""
    channels = zip(words, vector.factor, vector.base, strict=True)
    return all((word + factor) % modulus.value == 0 for word, factor, modulus in channels)


TABLE = RowTable(
    {
        "Field (n, w), rowers": lambda row: row.name,
        "Products": lambda row: f"{row['vectors']:,}",
        "Mismatches": mismatches,
        "Oracle checks": lambda row: f"{row['oracle_checks']:,}",
        "Operands": lambda row: f"{row['operands']:g} M_a",
        "Quotients −1": lambda row: f"{row['split']:,} / {row['compress']:,}",
        "Latency": lambda row: row["cycles"]["latency"],
        "Interval": lambda row: row["cycles"]["interval"],
        "Commit": commit,
    }
)

CAMPAIGN = Campaign(
    table_page("sbmm-campaign", "Single-base products", INTRODUCTION, (TABLE,)),
    dict.fromkeys(CORES, VECTORS),
    lambda name: core(CORES[name]),
    measure,
)
