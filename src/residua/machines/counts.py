"""The counts interpreter: the papers' cost tables, counted instead of asserted."""

from collections import Counter
from dataclasses import dataclass, fields

from residua.algorithms.program import Program
from residua.algorithms.terms import (
    Broadcast,
    Correction,
    Gated,
    HeldBroadcast,
    HeldCorrection,
    Product,
    Reduction,
    Residues,
    Rotated,
    Rows,
    Scaled,
    Stored,
    Term,
)


@dataclass(frozen=True)
class Counts:
    """Elementary operations of a program.

    ``emm`` and ``ema`` are w-bit modular products and additions. Adding or subtracting a value as
    it is counts as an addition; so does the Cox's correction, whose constants come from a small
    table, and a value that a bit selects. ``cox`` counts additions of t-bit words in the Cox,
    ``emw`` the w-bit words of stored constants.

    Of an extra narrow modulus, ``gmm`` are products modulo it, and ``narrow`` those of its words
    with w-bit constants, which the SBMM paper counts as full products where its Compress has them
    and leaves out of a Split (ERRATA E5).

    Hierarchical extensions have operations of other sizes, as HBE section IV-C counts them:
    ``cmul`` products of w and (c - 1) w bits and ``cadd`` additions of c w bits that make
    super-residues, ``cmr`` reductions of these modulo a channel.
    """

    emm: int
    ema: int
    cox: int
    emw: int
    cmul: int = 0
    cadd: int = 0
    cmr: int = 0
    gmm: int = 0
    narrow: int = 0


def count(program: Program) -> Counts:
    """The operations of one run of ``program``."""
    totals: Counter[str] = Counter()
    estimated: set[int] = set()
    for step in program.steps:
        summands = 0
        for term in step.terms[step.resumed :]:
            summands += _count_term(totals, step, term)
            if isinstance(term, Correction | HeldCorrection) and id(term.quotient) not in estimated:
                estimated.add(id(term.quotient))
                totals["cox"] += len(term.quotient.weights)
            if isinstance(term, Broadcast) and isinstance(term.source, Rows):
                _count_rows(totals, term.source, len(step.result.base))
        totals["ema"] += (summands - 1) * len(step.result.base)
    return Counts(**{each.name: totals[each.name] for each in fields(Counts)})


def _count_rows(totals: Counter[str], rows: Rows, channels: int) -> None:
    """Count what makes super-residues and reduces them in ``channels`` channels."""
    products = len(rows.multipliers)
    totals["cmul"] += products
    totals["cadd"] += products
    totals["emw"] += products * (rows.columns - 1)
    totals["cmr"] += rows.count * channels


def _count_term(totals: Counter[str], step: Reduction, term: Term) -> int:
    """Count the products and constants of a term; how many summands it adds to each channel."""
    base = step.result.base
    channels, extra = len(base), int(base.narrow)
    wide = channels - extra
    match term:
        case Product():
            totals["emm"] += wide
            totals["gmm"] += extra
            return 1
        case Scaled(_, _, unit):
            summands = 1
        case Gated() | Rotated() | HeldCorrection():
            return 1
        case HeldBroadcast(_, turns):
            totals["emm"] += len(turns) * wide
            return len(turns)
        case Stored() | Correction():
            totals["emw"] += channels
            return 1
        case Broadcast(source, matrix, unit):
            summands = len(matrix)
            if not unit and isinstance(source, Residues) and source.base.narrow:
                totals["narrow"] += wide
                totals["emm"] -= wide
    if not unit:
        totals["emm"] += summands * wide
        totals["gmm"] += summands * extra
        totals["emw"] += summands * channels
    return summands
