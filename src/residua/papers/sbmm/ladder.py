"""Table 7 of SBMM in cycles: a step of its ladder on both field units, on as many rowers."""

from collections.abc import Mapping
from dataclasses import asdict, fields
from typing import Any

from residua.evidence.campaign import Figures, Request
from residua.evidence.rows import Row
from residua.papers.sbmm.ladder_comparison import LadderStep, ladder_step
from residua.papers.sbmm.published import GAINS
from residua.report.documents import Table

STEPS = {
    f"ladder step ({n}, {w})": (n, w) for n, w in ((12, 16), (12, 32), (16, 32), (24, 16), (32, 16))
}
"""n and w that are compared; both bases of RNS Montgomery have w + 1 bits."""


def measure(request: Request) -> Figures:
    """Count the cycles of a step."""
    return asdict(ladder_step(*STEPS[request.name]))


def cycles(rows: Mapping[str, Row]) -> Table:
    """Table 7, measured."""
    lines = []
    names = [each.name for each in fields(LadderStep)]
    for row in (rows[name] for name in STEPS if name in rows):
        step = LadderStep(**{name: row[name] for name in names})
        cells: list[Any] = [step.rowers, step.extra_bits, step.montgomery, step.sbmm]
        lines.append(
            (
                f"n = {step.channels}, w = {step.width}",
                *map(str, cells),
                f"{GAINS[step.channels]} / {100 * step.saved:.1f} %",
            )
        )
    notes = (
        (
            "Cycles of one bit of the (X, Z) ladder on the coprocessor's field units with n / 2 "
            "rowers each, SBMM's narrow one beside, from the schedules that the hardware runs, "
            "any a and b; SBMM compresses the four results of a step. Saved: the paper's EMM, "
            "with products of all channels alike, and measured cycles, in which additions of "
            "residues and quotients take slots like products."
        ),
    )
    return Table(
        "Table 7 in cycles: a step of the ladder",
        ("size", "rowers", "g", "RNS Montgomery", "SBMM", "saved"),
        tuple(lines),
        notes,
    )
