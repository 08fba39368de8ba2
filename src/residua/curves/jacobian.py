"""Jacobian addition and doubling over the integers, and the binary method: the ECPM paper.

Formulas (10) and (9) of section III.B, without reductions. `ADDITION` and `DOUBLING` have 7 and 5,
placed so that numbers have four times the bits of p and four more (ERRATA E19). (10) yields
2 Y2, which is even as long as W, R, T and M come from the same four products (E18).
"""

from collections.abc import Sequence
from typing import Protocol, TypeVar

from residua.algorithms.integer_program import Arithmetic, parse, placed, run

V = TypeVar("V")

_ADDITION = """
u0 = X0 * Z1^2
u1 = X1 * Z0^2
s0 = Y0 * Z1^3
s1 = Y1 * Z0^3
W = u0 - u1
R = s0 - s1
T = u0 + u1
M = s0 + s1
TW2 = T * W^2
X2 = R^2 - TW2
V = TW2 - 2 * X2
Y2 = (V * R - M * W^3) / 2
Z2 = Z0 * Z1 * W
return X2, Y2, Z2
"""

_DOUBLING = """
Z4 = Z1^4
M = 3 * X1^2 + a * Z4
S = 4 * X1 * Y1^2
T = 8 * Y1^4
X2 = M^2 - 2 * S
Y2 = M * (S - X2) - T
Z2 = 2 * Y1 * Z1
return X2, Y2, Z2
"""

FORMULAS = {
    "jacobian-addition": parse("jacobian-addition", _ADDITION),
    "jacobian-doubling": parse("jacobian-doubling", _DOUBLING),
}
"""Formulas by name, without reductions."""

PLACEMENTS = {
    "jacobian-addition": ("u0", "u1", "s0", "s1"),
    "jacobian-doubling": ("Z4", "M"),
}
"""Values that E19 reduces beside the results."""

ADDITION, DOUBLING = (placed(FORMULAS[name], names) for name, names in PLACEMENTS.items())


class PointArithmetic(Arithmetic[V], Protocol[V]):
    """Arithmetic with which points can be told apart."""

    def is_zero(self, x: V) -> bool:
        """Whether a reduced value, or a difference of two, is 0 modulo p."""


Triple = Sequence[V]
"""X, Y and Z, reduced; Z = 0 is the neutral element."""


def add(arithmetic: PointArithmetic[V], p: Triple[V], q: Triple[V], a: V) -> Triple[V]:
    """P + Q by (10), by (9) if they are equal; a neutral one gives the other. P = -Q has Z = 0."""
    if arithmetic.is_zero(p[2]):
        return q
    if arithmetic.is_zero(q[2]):
        return p
    values = run(ADDITION, arithmetic, _pair(p, q))
    if arithmetic.is_zero(values["W"]) and arithmetic.is_zero(values["R"]):
        return double(arithmetic, p, a)
    return [values[name] for name in ADDITION.outputs.values()]


def double(arithmetic: PointArithmetic[V], p: Triple[V], a: V) -> Triple[V]:
    """2 P by (9); the neutral element and points of order 2 give Z = 0 by themselves."""
    values = run(DOUBLING, arithmetic, dict(zip(("X1", "Y1", "Z1", "a"), (*p, a), strict=True)))
    return [values[name] for name in DOUBLING.outputs.values()]


def multiply(
    arithmetic: PointArithmetic[V], k: int, bits: int, p: Triple[V], a: V, neutral: Triple[V]
) -> Triple[V]:
    """k P by Algorithm 1, the binary method, with an addition for every one of ``bits`` bits.

    That of a clear bit is computed and dropped, and 2 P stands by for Q = P, so that operations do
    not depend on k. ``neutral`` is what the method starts from, (1 : 1 : 0). Scalars are any of
    ``bits`` bits.
    """
    twice, q = double(arithmetic, p, a), neutral
    for position in reversed(range(bits)):
        q = double(arithmetic, q, a)
        values = run(ADDITION, arithmetic, _pair(q, p))
        total: Triple[V] = [values[name] for name in ADDITION.outputs.values()]
        if arithmetic.is_zero(values["W"]) and arithmetic.is_zero(values["R"]):
            total = twice
        if arithmetic.is_zero(q[2]):
            total = p
        q = total if k >> position & 1 else q
    return q


def _pair(p: Triple[V], q: Triple[V]) -> dict[str, V]:
    return dict(zip(("X0", "Y0", "Z0", "X1", "Y1", "Z1"), (*p, *q), strict=True))
