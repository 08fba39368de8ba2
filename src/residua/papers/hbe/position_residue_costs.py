"""Costs of hybrid position-residue products, counted and as published (HBE Table II).

Counts do not depend on the moduli. They are taken on moduli near 2^24, with base b of n/d moduli
that are as much wider as the program demands; the papers add an uncounted small modulus instead.
"""

from dataclasses import dataclass
from fractions import Fraction

from residua.algorithms.position_residue import (
    Multiplication,
    closed_ranges,
    design,
    multiply,
    normalise,
    operand,
)
from residua.algorithms.program import Program
from residua.algorithms.split import Form
from residua.errors import SpecificationError
from residua.machines.counts import Counts, count
from residua.numbers.primes.position_primes import nearest_base
from residua.numbers.residues import Canonical

CHANNELS = (8, 16, 24, 32, 48, 64)
"""n of the default table."""

DEGREES = (2, 4)
"""d of HBE's Table II."""

COLUMNS = (1, 2)
"""Kawamura's extension, and the hierarchical one with c = 2."""

RATIOS = (2, 4)
"""CMM / CMR of HBE's Table II."""

_WIDTH = 24


@dataclass(frozen=True)
class PositionResidueCost:
    """One row: a product with n moduli in all, d coefficients and extensions of c columns.

    ``product`` is counted, and ``normalisation`` what brings the coefficients of its result back to
    the range of operands, which the papers do not count. ``published`` is Table II by the ratio
    CMM / CMR, in CMM; ``measured`` weighs ``product`` alike.
    """

    channels: int
    degree: int
    columns: int
    product: Counts
    normalisation: Counts
    published: dict[int, Fraction]
    measured: dict[int, Fraction]


def position_residue_costs(
    n: int,
    d: int,
    columns: int = 1,
    *,
    form: Form = "lean",
    multiplication: Multiplication = "karatsuba",
    normalised: bool = False,
) -> Counts:
    """The operations of one product modulo M_a^d - 2 with n/d moduli in base a and in base b.

    ``columns`` 1 is Kawamura's extension, c > 1 the hierarchical one. With ``normalised`` they
    include the second pass of Splits that makes the result an operand again.

    Raises:
        SpecificationError: d does not divide n, or ``columns`` n/d.
    """
    if n % d or n < d:
        raise SpecificationError(f"n = {n} moduli do not make d = {d} equal coefficients")
    representation = Canonical()
    base_a = nearest_base(_WIDTH, n // d, odd=True)
    domain = design(d, 2, base_a, columns=columns, form=form, multiplication=multiplication)
    program = Program("product", representation)
    ranges = closed_ranges(domain, representation)
    result = multiply(
        program,
        domain,
        operand(program, domain, "x", ranges),
        operand(program, domain, "y", ranges),
    )
    if normalised:
        normalise(program, domain, result)
    return count(program)


def published_cost(n: int, d: int, columns: int = 1, ratio: int = 2) -> Fraction:
    """HBE Table II in CMM, CMUL taken for CMM; ``ratio`` is CMM / CMR.

    The printed columns are d = 2 and d = 4, which follow one formula in d. For c other than 2 the
    row sums and reductions are those of HBE section IV-C.
    """
    linear = (2 * d + 4) * n
    extensions = Fraction(2 * n * n, d)
    if columns == 1:
        return extensions + linear
    return extensions * (1 + Fraction(1, ratio)) / columns + linear + 2 * n


def weighted(counts: Counts, ratio: int) -> Fraction:
    """Counts in CMM, as HBE weighs them: CMUL for CMM, CMR for 1 / ``ratio`` of it."""
    return counts.emm + counts.cmul + Fraction(counts.cmr, ratio)


def position_residue_table() -> list[PositionResidueCost]:
    """All sizes of `CHANNELS`, `DEGREES` and `COLUMNS`, in this order."""
    return [_row(n, d, columns) for n in CHANNELS for d in DEGREES for columns in COLUMNS]


def _row(n: int, d: int, columns: int) -> PositionResidueCost:
    product = position_residue_costs(n, d, columns)
    both = position_residue_costs(n, d, columns, normalised=True)
    names = ("emm", "ema", "cox", "emw", "cmul", "cadd", "cmr")
    rest = Counts(**{name: getattr(both, name) - getattr(product, name) for name in names})
    return PositionResidueCost(
        n,
        d,
        columns,
        product,
        rest,
        {ratio: published_cost(n, d, columns, ratio) for ratio in RATIOS},
        {ratio: weighted(product, ratio) for ratio in RATIOS},
    )
