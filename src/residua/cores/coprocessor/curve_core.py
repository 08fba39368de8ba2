"""Common part of elliptic-curve coprocessors on any field unit."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from functools import cached_property

from residua.algorithms.fields import field_unit
from residua.curves.blinding import BlindingChoice, random_bits
from residua.curves.formulas import Formula, eligible
from residua.curves.parameters import Curve, WeierstrassCurve, check_curve
from residua.errors import SpecificationError
from residua.hardware.coprocessor.design import CurveDesign
from residua.hardware.coprocessor.engine_design import CoprocessorDesign
from residua.machines.counts import count as counted
from residua.numbers.bases import Base
from residua.numbers.search import Style


class CurveCore(ABC):
    """Parameters of a coprocessor, and the design that follows from them.

    Attributes:
        curves: which share the core.
        design: all that follows.
    """

    curves: tuple[Curve, ...]
    design: CurveDesign

    @property
    @abstractmethod
    def name(self) -> str:
        """Name of the core: its kind, curves and size."""

    @cached_property
    def step_cycles(self) -> int:
        """Cycles that the loop takes for each bit or digit of a scalar on the first curve."""
        return self.design.step_cycles(0)

    @property
    @abstractmethod
    def utilisation(self) -> float:
        """Share of a step of the loop in which the multipliers work."""


class EngineCurveCore(CurveCore):
    """A coprocessor on a Cox-Rower engine."""

    design: CoprocessorDesign
    _weight: int

    @property
    @abstractmethod
    def channels(self) -> int:
        """n as the specification counts moduli."""

    @property
    def bases(self) -> tuple[Base, Base]:
        """Base a and base b, without an extra modulus."""
        return field_unit.wide_bases(self.design.domains[0])

    @property
    def width(self) -> int:
        """w, bits of a modulus."""
        return self.bases[0].width

    @property
    def heaviest(self) -> int:
        """The most signed digits that the h of a modulus has."""
        return max(modulus.weight for base in self.bases for modulus in base)

    @property
    def style(self) -> Style:
        """Whether every h is within the weight."""
        return "sparse" if self.heaviest <= self._weight else "any"

    @cached_property
    def utilisation(self) -> float:
        """Elementary multiplications of a ladder step over rowers times cycles.

        Products of an extra modulus's words by constants are among them, those modulo it are not.
        """
        routine = self.design.processor.routines["ladder_step"]
        found = counted(routine.program)
        return (found.emm + found.narrow) / (self.design.processor.rowers * routine.length)


def checked(curves: Sequence[Curve]) -> tuple[Curve, ...]:
    """The curves of a core, each of them checked.

    Raises:
        SpecificationError: there are none, or one is wrong.
    """
    if not curves:
        raise SpecificationError("a coprocessor needs at least one curve")
    for curve in curves:
        check_curve(curve)
    return tuple(curves)


def fastest_formula(
    curve: Curve,
    asked: Formula | None,
    blinding: BlindingChoice,
    design_of: Callable[[Formula], CurveDesign],
) -> Formula:
    """The formula asked for, or else, of those that the curve admits, that of fewest cycles.

    ``design_of`` makes the coprocessor of the curve with a formula.

    Raises:
        SpecificationError: no formula fits the bases.
    """
    candidates = eligible(curve, random_bits(curve, blinding))
    if isinstance(curve, WeierstrassCurve) and asked is not None:
        return asked
    if len(candidates) == 1:
        return candidates[0]
    best: tuple[int, Formula] | None = None
    failure: SpecificationError | None = None
    for formula in candidates:
        try:
            design = design_of(formula)
            if best is not None and design.least_cycles(0) >= best[0]:
                continue
            cycles = design.ladder_cycles(0)
        except SpecificationError as error:
            failure = error
        else:
            best = (cycles, formula) if best is None or cycles < best[0] else best
    if best is None:
        assert failure is not None
        raise failure
    return best[1]
