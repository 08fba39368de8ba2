"""Blinding of scalars: by which multiple, and with how many random bits, for each curve.

In place of a scalar k the multiple k' = k + r N of a point is computed, with fresh random bits r.
N leaves every point that a core takes as it is: on a Weierstrass curve it is the number of points;
on a Montgomery curve, where a u may belong to the twist, the least common multiple of the numbers
of points of curve and twist.

**What r hides.** Bit j of k' is 1 where x = k / 2^(j+1) + r a, modulo 1, is 1/2 or more, with
a = N / 2^(j+1). So it depends on k no more than the points r a, 0 <= r < 2^b, are spread unevenly
over the circle. For any fraction p / q with |a - p / q| <= 1 / q^2, q consecutive of them have one
in each q-th part of the circle but for shifts by less than such a part, so that any arc has its
share of them within 3. Therefore

    |P(bit j of k' is 1) - 1/2| <= 3 / q + q / 2^(b+1),

and the same for every arc. Bits below b are fair, as r F runs through all numbers modulo 2^b for
the odd part F of N, which takes the place of N here. A bit is hidden if a has a convergent whose
denominator q is far from 1 and far below 2^b.

Where N has L equal bits in a row from bit j down, a is within 2^-L of an integer, and no convergent
has a q between 1 and 2^L: fewer than L random bits move x by less than a turn, and the bit stays
bare. With b > L random bits, x goes round 2^(b-L) times. So a run of L equal bits takes b = L + 64
(`MARGIN`): then the bits of k' at the upper end of the run, too, are hidden by 64 random bits.
(Bits that repeat with a longer period bring a near a fraction with a small denominator, and do less
harm. The bound above covers them; tests evaluate it for every bit on every curve of the catalogue.)

Primes next to a power of two make such runs. The points of a curve are as many as its prime but for
the lower half of the bits (Hasse), so that the run of P-521 has 262 bits: r of 64 bits would leave
198 bits of k bare.

**What a run does not harm.** Let scalars have t bits. Two scalars move x for a bit j >= t by less
than 2^(t-j-1) from each other: the bit differs only for those r whose x is within such an arc below
0 or 1/2, which are few if b exceeds the run down from bit j, less its part above bit t. So runs
count as far as they lie below bit t.

The leading bits of k' = N (r + k / N) are unevenly spread because N has a shape, not because k has
one: another k moves r + k / N by less than 1 (or 2, if k exceeds N) of its 2^b values, so that a
number's leading i bits have the same distribution for all k, within 2^(i+1-b).

Trailing zeros of N leave bits of k as they are (`residua.machines.blinded_scalar`): k modulo the
power of two in the number of points, which a point of such an order shows to everybody who may
choose it. Where the point is the base point these bits are blinded as well.

**Halves.** With an endomorphism k is taken as two halves (k1, k2) less r1 v1 + r2 v2, for two
vectors of a lattice (`residua.curves.endomorphism.split`) and for r1 and r2 of b random bits each.
What is said of N holds for either coordinate of either vector: whatever r2 is, r1 alone hides the
bits of k1 by the first coordinate of v1, or r2 by that of v2, and so the bits of k2 by the second
ones. The coordinate has to be odd, so that low bits are fair. One of the two is, as the determinant
is the odd n; if both are, the one with the shorter run counts. It is written with as many bits as a
half has without blinding. What is split is k + r N, as above, so that the numbers from which halves
are made are blinded as well.

**Other splittings.** k = q r + (k mod r) takes a multiple q (r P) + (k mod r) P of two points,
whose step costs about twice one of a ladder, besides a division; k = (k / r) r an inversion modulo
n and the affine r P before the main multiplication, and multiplies the bare k in the field unit
each time. ``docs/blinding.md`` compares their costs.
"""

from collections.abc import Sequence
from itertools import groupby
from math import lcm
from typing import Literal

from residua.curves.endomorphism.lattice import endomorphism
from residua.curves.endomorphism.split import Split
from residua.curves.formulas import Formula
from residua.curves.parameters import Curve, MontgomeryCurve, WeierstrassCurve
from residua.errors import SpecificationError

MARGIN = 64
"""Random bits beyond the longest run of equal bits."""

MOST_RANDOM_BITS = 1024
"""Random bits that may be asked for."""

BlindingChoice = int | Literal["auto"]
"""Random bits for all curves, 0 for no blinding, or for each curve as many as it needs."""


def neutral_multiple(curve: Curve) -> int:
    """N: times any point that a core takes for one of the curve, it is the neutral element."""
    points = curve.order * curve.cofactor
    if isinstance(curve, MontgomeryCurve):
        return lcm(points, 2 * curve.prime + 2 - points)
    return points


def multiple_name(curve: Curve, formula: Formula | None = None) -> str:
    """Name of N, for people, or of what takes its place with a formula."""
    if formula is Formula.ENDOMORPHISM:
        return "the lattice of the endomorphism"
    if isinstance(curve, MontgomeryCurve):
        return "the least common multiple of the numbers of points of curve and twist"
    return "the order" if curve.cofactor == 1 else "the number of points"


def longest_run(curve: Curve, formula: Formula | None = None) -> int:
    """The longest run of equal bits in N without trailing zeros, below the length of a scalar.

    With a formula that halves scalars, that in the coordinates which take the place of N.
    """
    return max(_runs(curve, formula))


def _runs(curve: Curve, formula: Formula | None) -> list[int]:
    if formula is Formula.ENDOMORPHISM and isinstance(curve, WeierstrassCurve):
        return _runs_of_halves(curve)
    multiple = neutral_multiple(curve)
    odd = multiple // (multiple & -multiple)
    return _runs_in(f"{odd:b}"[::-1][: max(curve.order_bits, curve.field_bits)])


def _runs_in(bits: str) -> list[int]:
    return [len(list(equal)) for _, equal in groupby(bits)]


def _runs_of_halves(curve: WeierstrassCurve) -> list[int]:
    """The runs in the better odd coordinate for either half."""
    mapping = endomorphism(curve)
    bits = max(curve.order_bits, curve.field_bits)
    halves = zip(Split(mapping, bits, 0, bits).largest, *mapping.basis, strict=True)
    found: list[int] = []
    for largest, *coordinates in halves:
        written = [f"{abs(x):0{largest.bit_length()}b}" for x in coordinates if x % 2]
        found += min(map(_runs_in, written), key=max)
    return found


def needed_bits(curve: Curve, formula: Formula | None = None) -> int:
    """The fewest random bits that hide every bit of a scalar; for halves, each of two numbers."""
    return longest_run(curve, formula) + MARGIN


def random_bits(curve: Curve, choice: BlindingChoice, formula: Formula | None = None) -> int:
    """The random bits that a choice means for a curve."""
    return needed_bits(curve, formula) if choice == "auto" else choice


def bare_bits(curve: Curve, random: int, margin: int = 0, formula: Formula | None = None) -> int:
    """The bits of a scalar that no more than ``margin`` of ``random`` bits hide; 0: bare ones.

    For halves, the bits of both.
    """
    return sum(max(0, min(run, run + margin - random)) for run in _runs(curve, formula))


def _counted(bits: int) -> str:
    return f"{bits} bit{'s' * (bits > 1)}"


def check_blinding(
    curves: Sequence[Curve], choice: BlindingChoice, formula: Formula | None = None
) -> None:
    """Nothing if a choice hides every bit of a scalar on each curve, or is not to blind at all.

    ``formula`` is that of short Weierstrass curves, None any that does not halve scalars.

    Raises:
        SpecificationError: how many bits are not hidden, on which curve, and what would do.
    """
    if choice in ("auto", 0):
        return
    assert isinstance(choice, int)
    for curve in curves:
        own = formula if isinstance(curve, WeierstrassCurve) else None
        needed = needed_bits(curve, own)
        if choice >= needed:
            continue
        bare, run = bare_bits(curve, choice, formula=own), longest_run(curve, own)
        left = f"{_counted(bare)} of every scalar would stay bare"
        if not bare:
            weak = bare_bits(curve, choice, MARGIN, own)
            left = (
                f"{_counted(weak)} of every scalar would be hidden by fewer than {MARGIN} random "
                "bits"
            )
        raise SpecificationError(
            f"blinding = {choice}: on {curve.name} {left}, as {multiple_name(curve, own)} has a "
            f"run of {run} equal bits: take 'auto', or at least {needed}, or 0 for no blinding"
        )
