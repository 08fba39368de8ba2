"""Elliptic-curve coprocessor: from curves to bases, domains and hardware."""

from collections.abc import Sequence
from functools import cached_property
from typing import Literal

from residua.algorithms.montgomery import MontgomeryDomain
from residua.curves.parameters import Curve, check_curve
from residua.errors import SpecificationError
from residua.hardware.coprocessor import CoprocessorDesign
from residua.hardware.engine import EngineOptions
from residua.machines.counts import count as counted
from residua.numbers.bases import Base
from residua.numbers.roots import orient_pairs
from residua.numbers.search import BasePair, Style, search_bases

MOST_EXTRA_CHANNELS = 4
"""Channels beyond the least that are tried for room that sums of products need."""


class EccCore:
    """Everything about one coprocessor; what is not asked for is not calculated.

    ``curves`` share one core. ``channels`` None takes the fewest moduli that work, ``style`` None
    moduli whose h have few digits (up to ``weight``) if there are enough of them, ``reduction``
    None folds by shifts for those and by multipliers for any other. ``blinding`` is the number of
    random bits that blind each scalar on Weierstrass curves.

    Raises:
        SpecificationError: a curve is wrong, or no bases serve all of them.
    """

    def __init__(
        self,
        curves: Sequence[Curve],
        *,
        width: int = 17,
        channels: int | None = None,
        style: Style | None = None,
        weight: int = 3,
        reduction: Literal["shift", "multiply"] | None = None,
        rowers: int | None = None,
        blinding: int = 0,
        product_registers: int = 0,
        levels_per_register: int = 1,
    ) -> None:
        if not curves:
            raise SpecificationError("a coprocessor needs at least one curve")
        for curve in curves:
            check_curve(curve)
        self.curves, self.width = tuple(curves), width
        self._style, self._weight = style, weight
        self._options = (reduction, rowers, product_registers, levels_per_register)
        self._blinding = blinding
        self.pair, self.design = self._find(channels)
        self.blinding = self.design.blinding

    @property
    def name(self) -> str:
        """Name of the top module: ecc_<channels>x<width>."""
        return f"ecc_{self.channels}x{self.width}"

    @property
    def channels(self) -> int:
        """n, the moduli of each base."""
        return self.pair.channels

    @property
    def moduli(self) -> list[int]:
        """The prime and the order of each curve."""
        return [modulus for curve in self.curves for modulus in (curve.prime, curve.order)]

    def _find(self, channels: int | None) -> tuple[BasePair, CoprocessorDesign]:
        """The narrowest bases that hold every sum of every program."""
        least = channels or -(-max(self.moduli).bit_length() // self.width)
        failure: SpecificationError | None = None
        for count in range(least, least + (1 if channels else MOST_EXTRA_CHANNELS + 1)):
            try:
                pair = self._search(count)
                design = self._design(pair)
                _ = design.domains
            except SpecificationError as error:
                failure = error
            else:
                return pair, design
        assert failure is not None
        raise failure

    def _search(self, channels: int) -> BasePair:
        largest, style = max(self.moduli), self._style
        try:
            first = style or "sparse"
            return search_bases(largest, self.width, channels, style=first, weight=self._weight)
        except SpecificationError:
            if style is not None:
                raise
            return search_bases(largest, self.width, channels, style="any")

    @property
    def style(self) -> Style:
        """Whether every h is within the weight."""
        moduli = (*self.pair.base_a, *self.pair.base_b)
        return "sparse" if all(m.weight <= self._weight for m in moduli) else "any"

    def _design(self, pair: BasePair) -> CoprocessorDesign:
        reduction, rowers, product_registers, levels = self._options
        moduli_a, moduli_b = orient_pairs(
            list(zip(pair.base_a, pair.base_b, strict=True)), self.moduli[0]
        )
        domains = [
            MontgomeryDomain(
                modulus,
                Base(moduli_a),
                Base(moduli_b),
                pair.cox,
                pair.cox,
                modulus,
                "quadratic",
                skips_quotient=True,
            )
            for modulus in self.moduli
        ]
        sparse = all(m.weight <= self._weight for m in (*pair.base_a, *pair.base_b))
        options = EngineOptions(
            rowers=rowers or pair.channels,
            reduction=reduction or ("shift" if sparse else "multiply"),
            product_registers=product_registers,
            levels_per_register=levels,
        )
        return CoprocessorDesign(self.curves, domains, options, self._blinding)

    @cached_property
    def step_cycles(self) -> int:
        """Cycles that the ladder takes for each bit of the scalar."""
        return self.design.processor.routines["ladder_step"].length

    @cached_property
    def utilisation(self) -> float:
        """Elementary multiplications of a ladder step over rowers times cycles."""
        routine = self.design.processor.routines["ladder_step"]
        return counted(routine.program).emm / (self.design.processor.rowers * routine.length)
