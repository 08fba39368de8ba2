"""Secret scalars that come as two shares, of which no register holds the sum.

In place of k the core takes k0 and k1 with k0 + k1 = k modulo the order n: a random k0 below n, new
for each operation, and k1 = k - k0. Either alone is uniform, and tells nothing of k. The core
blinds k0 by r n first, with a random r (`residua.curves.blinding`), and adds k1 to that, a word at
a time, as it comes: k0 + r n + k1 is k modulo n, and a blinded scalar like any other. So no
register and no memory ever has anything made of both shares that r does not hide.

Of ``ORDER_SIGN`` (`residua.curves.protections.masked_order`) both secrets come so: the product of
each with the random factor is the sum of two, one for each share. Shares of one secret do not
follow each other, so that no register goes from one to the other.

Shares are integers modulo n. So n times any point that the core takes has to be neutral: the number
of points has to be n. On a Montgomery curve, where a u may belong to the twist, shares would be
numbers modulo the least common multiple of two numbers of points, which has twice as many bits.
"""

import random
from collections.abc import Sequence

from residua.curves.formulas import Formula
from residua.curves.operations.codes import Operation
from residua.curves.parameters import Curve, MontgomeryCurve

SECRETS = {
    Operation.POINT_MULTIPLY: 1,
    Operation.BASE_MULTIPLY: 1,
    Operation.X_MULTIPLY: 1,
    Operation.ORDER_SIGN: 2,
}
"""How many of an operation's first operands come as shares: first the shares k0 of all, then k1."""


def split(
    operation: Operation, operands: Sequence[int], order: int, draw: random.Random
) -> tuple[int, ...]:
    """The operands of an operation with fresh shares in the places of its secrets."""
    count = SECRETS.get(operation, 0)
    first = [draw.randrange(order) for _ in range(count)]
    second = [(k - own) % order for k, own in zip(operands, first, strict=False)]
    return *first, *second, *operands[count:]


def joined(operation: Operation, operands: Sequence[int]) -> tuple[int, ...]:
    """The operands of an operation with the sums of shares, which are not reduced."""
    count = SECRETS.get(operation, 0)
    sums = map(sum, zip(operands[:count], operands[count : 2 * count], strict=True))
    return *sums, *operands[2 * count :]


def shared_names(operation: Operation, names: Sequence[str]) -> list[str]:
    """The operands of an operation by their names, shares after the names of their secrets."""
    count = SECRETS.get(operation, 0)
    shares = [f"{name}{share}" for share in "01" for name in names[:count]]
    return [*shares, *names[count:]]


def whole_names(operation: Operation, names: Sequence[str]) -> list[str]:
    """What `shared_names` made these of."""
    count = SECRETS.get(operation, 0)
    return [*(name.removesuffix("0") for name in names[:count]), *names[2 * count :]]


def refusal(
    curves: Sequence[Curve], formulas: Sequence[Formula], random_bits: Sequence[int]
) -> str:
    """Why a core cannot have scalars in shares; empty if it can.

    Args:
        curves: of the core.
        formulas: of each curve.
        random_bits: that blind a scalar of each curve.
    """
    if not all(random_bits):
        return "the sum of two shares is hidden by what blinds scalars, and blinding = 0 has none"
    for curve, formula in zip(curves, formulas, strict=True):
        if isinstance(curve, MontgomeryCurve):
            return (
                "shares are numbers modulo the order, and on a Montgomery curve as "
                f"{curve.name} a u may be that of a point of the twist, which has another order"
            )
        if curve.cofactor != 1:
            return (
                f"shares are numbers modulo the order, and {curve.name}, with cofactor = "
                f"{curve.cofactor}, has points of another order"
            )
        if formula is Formula.ENDOMORPHISM:
            return "a scalar is halved as a whole, and formula = 'endomorphism' takes halves"
        if formula is Formula.DIFFERENCE_LADDER:
            return (
                "formula = 'difference-ladder' compares the scalar as a whole with what its ladder "
                "fails at"
            )
    return ""
