"""Table 7 of SBMM in cycles: a step of its ladder on both field units, on as many rowers."""

from dataclasses import asdict
from functools import cache
from typing import Any

from residua.papers.measured import Row
from residua.papers.sbmm.ladder_comparison import LadderStep, ladder_step
from residua.papers.sbmm.published import GAINS
from residua.report.documents import Table

STEPS = ((12, 16), (12, 32), (16, 32), (24, 16), (32, 16))
"""n and w that are compared; both bases of RNS Montgomery have w + 1 bits."""


def steps(kept: list[Row], commit: str) -> list[Row]:
    """The steps of `STEPS`; those that were counted at exactly this ``commit`` are taken over."""
    known = {(row["channels"], row["width"]): row for row in kept if row["commit"] == commit}
    return [known.get(size) or {**_counted(size), "commit": commit} for size in STEPS]


@cache
def _counted(size: tuple[int, int]) -> Row:
    return asdict(ladder_step(*size))


def cycles(rows: list[Row]) -> Table:
    """Table 7, measured."""
    lines = []
    for row in rows:
        step = LadderStep(**{name: value for name, value in row.items() if name != "commit"})
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
