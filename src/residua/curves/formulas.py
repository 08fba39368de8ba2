"""Formulas: the ways to multiply a point, and which of them a curve admits."""

from enum import StrEnum
from typing import TypeGuard

from residua.curves import fixed_window
from residua.curves.difference_ladder import LEAST_ORDER
from residua.curves.endomorphism.lattice import refusal
from residua.curves.parameters import Curve, MontgomeryCurve, WeierstrassCurve
from residua.errors import SpecificationError


class Formula(StrEnum):
    """Methods to multiply points by secret scalars."""

    XZ_LADDER = "xz-ladder"
    """`residua.curves.ladder`: any point of any short Weierstrass curve."""
    DIFFERENCE_LADDER = "difference-ladder"
    """`residua.curves.difference_ladder`: short Weierstrass curves of prime order."""
    FIXED_WINDOW = "fixed-window"
    """`residua.curves.fixed_window`: short Weierstrass curves of odd order."""
    ENDOMORPHISM = "endomorphism"
    """`residua.curves.endomorphism`: curves of prime order with a = 0, p = 1 modulo 3."""
    MONTGOMERY_LADDER = "montgomery-ladder"
    """`residua.curves.montgomery_ladder`: Montgomery curves."""


def formulas(curve: Curve, blinding: int = 0) -> dict[Formula, str]:
    """Every formula with the reason why the curve does not admit it, empty if it does.

    ``blinding`` is the number of random bits that blind scalars.
    """
    if isinstance(curve, MontgomeryCurve):
        return {
            Formula.MONTGOMERY_LADDER: "",
            Formula.XZ_LADDER: "it is for short Weierstrass curves",
            Formula.DIFFERENCE_LADDER: "it is for short Weierstrass curves",
            Formula.FIXED_WINDOW: "it is for short Weierstrass curves",
            Formula.ENDOMORPHISM: refusal(curve),
        }
    return {
        Formula.DIFFERENCE_LADDER: _against_differences(curve, blinding),
        Formula.XZ_LADDER: "",
        Formula.FIXED_WINDOW: _against_complete_formulas(curve),
        Formula.ENDOMORPHISM: refusal(curve),
        Formula.MONTGOMERY_LADDER: "it is for Montgomery curves",
    }


def _against_differences(curve: WeierstrassCurve, blinding: int) -> str:
    if curve.cofactor != 1:
        return f"it needs a curve of prime order, and the cofactor is {curve.cofactor}"
    if curve.order < LEAST_ORDER:
        return f"it needs an order of at least {LEAST_ORDER}, not {curve.order}"
    if curve.order_bits <= blinding + 2:
        return f"it needs an order of more than {blinding + 2} bits for {blinding} bits of blinding"
    return ""


def _against_complete_formulas(curve: WeierstrassCurve) -> str:
    if has_complete_formulas(curve):
        return ""
    return f"it needs a curve of odd order, and this one has {curve.order * curve.cofactor} points"


def has_complete_formulas(curve: Curve) -> TypeGuard[WeierstrassCurve]:
    """Whether additions have no exceptions: on short Weierstrass curves without points of order 2.

    Combs and sums of two multiples need it.
    """
    if not isinstance(curve, WeierstrassCurve):
        return False
    return curve.cofactor % 2 == 1 and curve.order % 2 == 1


def admitted(curve: Curve, blinding: int = 0) -> list[Formula]:
    """The formulas that a curve admits."""
    return [formula for formula, reason in formulas(curve, blinding).items() if not reason]


def check_formula(curve: Curve, formula: Formula, blinding: int = 0) -> None:
    """Nothing if the curve admits the formula.

    Raises:
        SpecificationError: it does not.
    """
    reason = formulas(curve, blinding)[formula]
    if reason:
        others = ", ".join(admitted(curve, blinding))
        raise SpecificationError(f"{curve.name} has no {formula}: {reason}; it has {others}")


def digit_bits(formula: Formula) -> int:
    """Bits of the scalar that one round of a formula's loop takes."""
    windows = (Formula.FIXED_WINDOW, Formula.ENDOMORPHISM)
    return fixed_window.WINDOW if formula in windows else 1


def scalar_bits(curve: Curve, formula: Formula) -> int:
    """Bits that a scalar may have: those of the order or, if that is more, of the field.

    The difference ladder takes scalars modulo the order, of as many bits as that.
    """
    if formula is Formula.DIFFERENCE_LADDER:
        return curve.order_bits
    return max(curve.order_bits, curve.field_bits)
