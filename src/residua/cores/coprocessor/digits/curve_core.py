"""Elliptic-curve coprocessor on digits: the small one."""

from collections.abc import Sequence

from residua.cores.coprocessor.curve_core import CurveCore, checked, fastest_formula
from residua.cores.coprocessor.naming import curves_part
from residua.curves.blinding import BlindingChoice
from residua.curves.formulas import Formula, check_formula
from residua.curves.parameters import Curve, WeierstrassCurve
from residua.curves.protections.protection import NONE, Protections
from residua.hardware.coprocessor.digit_design import DigitCoprocessorDesign


class DigitEccCore(CurveCore):
    """Parameters of a coprocessor on digits, each calculated when it is asked for.

    ``curves`` share one core. ``digit`` is k, the bits of a digit; ``lanes`` are those of the
    multiplier; with ``pipeline`` it has the datapath of the report with so many levels instead.
    ``blinding`` is the number of random bits that blind each scalar, taken as it is, or "auto" for
    as many as each curve needs. ``formula`` is that of the Weierstrass curves; None takes for each
    curve the one with the fewest cycles. ``protections`` are those of multiples of points.

    Raises:
        SpecificationError: a curve is wrong, or there is no such multiplier.
    """

    design: DigitCoprocessorDesign

    def __init__(
        self,
        curves: Sequence[Curve],
        *,
        digit: int,
        lanes: int = 1,
        pipeline: int | None = None,
        blinding: BlindingChoice = 0,
        formula: Formula | None = None,
        protections: Protections = NONE,
    ) -> None:
        self.curves = checked(curves)
        if formula and not any(isinstance(curve, WeierstrassCurve) for curve in curves):
            check_formula(curves[0], formula)
        self._blinding = blinding
        self._options = (digit, lanes, pipeline, blinding, protections)
        chosen = [self._chosen(curve, formula) for curve in self.curves]
        self.design = DigitCoprocessorDesign(self.curves, chosen, *self._options)
        _ = self.design.processor.multiplier

    def _chosen(self, curve: Curve, formula: Formula | None) -> Formula:
        def design_of(one: Formula) -> DigitCoprocessorDesign:
            return DigitCoprocessorDesign([curve], [one], *self._options)

        return fastest_formula(curve, formula, self._blinding, design_of)

    @property
    def name(self) -> str:
        """Kind, curves and size: ecc_iddmm_<curves>_<digits>x<bits>, with several lanes those."""
        field, lanes = self.design.field, self.design.lanes
        size = f"{field.digits}x{field.digit}" + (f"_lanes_{lanes}" if lanes > 1 else "")
        return f"ecc_iddmm_{curves_part(self.curves)}_{size}"

    @property
    def utilisation(self) -> float:
        """The share of a step of the first curve's loop in which the multiplier works."""
        processor = self.design.processor
        routine = processor.store.routines["ladder_step"]
        return routine.products * processor.timing.compute / routine.cycles
