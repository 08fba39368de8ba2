"""Counted operations of hierarchical extensions, SBMM, digit multipliers and inversions.

They are counted by the functions of the papers' folders, on moduli and primes of their own: counts
do not depend on them.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from residua.machines.counts import Counts, count
from residua.numbers.catalogue import parse_modulus
from residua.papers.hbe import costs as hbe
from residua.papers.iddmm import costs as iddmm
from residua.papers.inversion import costs as inversion
from residua.papers.sbmm import costs as sbmm

LEAST_SINGLE_BASE = 4
"""n of the smallest half-bases that are counted."""


@dataclass(frozen=True)
class CountedRow:
    """An algorithm on n channels, the formula for its EMM, and its counts."""

    name: str
    formula: str
    emm: int
    counts: Callable[[], Counts]


def engine_rows(channels: int) -> list[CountedRow]:
    """List the algorithms that n channels allow: two rows of c or more, two halves for SBMM."""
    n = channels
    found = [row for c in hbe.COLUMNS[1:] if n % c == 0 and c < n for row in _hierarchical(n, c)]
    return found + (_single_base(n) if n % 2 == 0 and n >= LEAST_SINGLE_BASE else [])


def _hierarchical(n: int, c: int) -> list[CountedRow]:
    """Extension and product over rows of c moduli (HBE Algorithm 2, section V)."""
    square = "n^2" if c == 2 else f"2n^2/{c}"
    return [
        CountedRow(
            f"extension, hierarchical, c = {c}",
            f"n^2/{c} + n",
            n * n // c + n,
            lambda: hbe.extension_counts(n, c),
        ),
        CountedRow(
            f"product, hierarchical, c = {c}",
            f"{square} + 4n",
            2 * n * n // c + 4 * n,
            lambda: hbe.product_counts(n, c),
        ),
    ]


def _single_base(n: int) -> list[CountedRow]:
    """Split, product and Compress of SBMM, as ERRATA E5 corrects their formulas."""
    return [
        CountedRow(
            "SBMM, Split",
            "n^2/2 + 3n/2",
            n * n // 2 + 3 * n // 2,
            lambda: count(sbmm.split_program(n)),
        ),
        CountedRow(
            "SBMM, product", "n^2 + 6n", n * n + 6 * n, lambda: count(sbmm.product_program(n))
        ),
        CountedRow(
            "SBMM, product and Compress",
            "n^2 + 7n",
            n * n + 7 * n,
            lambda: count(sbmm.product_program(n, compressed=True)),
        ),
    ]


def digit_rows(channels: int, width: int) -> list[dict[str, Any]]:
    """Count digit multipliers for numbers of n digits of w bits, see `iddmm.passes`."""
    return iddmm.passes(channels * width, width)


def inversion_rows(channels: int, width: int) -> list[dict[str, Any]]:
    """Count inversions modulo the NIST primes of the slides that n channels of w bits hold.

    Plus-minus counts are averages of random operands.
    """
    found = []
    for bits, name in inversion.NIST.items():
        if parse_modulus(name).bit_length() < channels * width:
            fermat, own = inversion.fermat(name, channels), inversion.plus_minus(bits, channels)
            found += [
                {"algorithm": f"Fermat, {name}", "steps": fermat.pop("products"), **fermat},
                {"algorithm": f"plus-minus, {name}", **own},
            ]
    return found
