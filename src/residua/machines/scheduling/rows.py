"""Rows of a program: the super-residues that it broadcasts, and the digits that make them."""

from collections.abc import Iterable

from residua.algorithms.program import Program
from residua.algorithms.terms import Broadcast, Rows, Term
from residua.numbers.cox import Range


def broadcast_rows(program: Program) -> list[Rows]:
    """The super-residues that a program broadcasts, in its order."""
    return [rows for step in program.steps for rows in rows_of(step.terms[step.resumed :])]


def rows_of(terms: Iterable[Term]) -> list[Rows]:
    """The super-residues that are broadcast among some terms."""
    return [
        term.source
        for term in terms
        if isinstance(term, Broadcast) and isinstance(term.source, Rows)
    ]


def row_digits(program: Program) -> tuple[int, ...]:
    """Digits of the multipliers of each of `broadcast_rows`."""
    return tuple(
        max(
            len(signed_words(multiplier, rows.source.base.width)) for multiplier in rows.multipliers
        )
        for rows in broadcast_rows(program)
    )


def row_product_range(program: Program) -> Range:
    """The range of the products that super-residues are made of, whatever the residues."""
    ends = [(0, 0)]
    for rows in broadcast_rows(program):
        width = rows.source.base.width
        ends += [
            (-digit << width, digit * ((1 << width) - 1))
            for multiplier in rows.multipliers
            for digit in signed_words(multiplier, width)
        ]
    return min(map(min, ends)), max(map(max, ends))


def signed_words(multiplier: int, width: int) -> list[int]:
    """Signed digits in base 2^w, the lowest first; the top one in w + 1 bits."""
    digits = []
    while not -(1 << width) <= multiplier < 1 << width:
        low = (multiplier + (1 << (width - 1))) % (1 << width) - (1 << (width - 1))
        digits.append(low)
        multiplier = (multiplier - low) >> width
    return [*digits, multiplier]
