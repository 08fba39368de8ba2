"""Common part of elliptic-curve coprocessors on any field unit."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from operator import itemgetter

from residua.algorithms.fields import field_unit
from residua.curves.blinding import BlindingChoice, random_bits
from residua.curves.formulas import Formula, admitted
from residua.curves.parameters import Curve, WeierstrassCurve, check_curve
from residua.errors import SpecificationError
from residua.hardware.coprocessor.design import CurveDesign
from residua.hardware.coprocessor.engine_design import CoprocessorDesign
from residua.machines.counts import count as counted
from residua.numbers.bases import Base
from residua.numbers.selection.coprime import Style


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
    *,
    whole: bool = False,
) -> Formula:
    """The formula asked for, or else, of those that the curve admits, that of fewest cycles.

    ``design_of`` makes the coprocessor of the curve with a formula; formulas that it refuses are
    not among them, nor, with ``whole``, those that halve scalars.

    Raises:
        SpecificationError: no formula fits the bases.
    """
    if isinstance(curve, WeierstrassCurve) and asked is not None:
        return asked
    candidates = admitted(curve, random_bits(curve, blinding))
    if whole:
        candidates = [one for one in candidates if one is not Formula.ENDOMORPHISM]
    return candidates[0] if len(candidates) == 1 else _fastest(candidates, design_of)


def _fastest(candidates: Sequence[Formula], design_of: Callable[[Formula], CurveDesign]) -> Formula:
    """The first of those with the fewest cycles; what cannot be faster than another waits."""
    failures: list[SpecificationError] = []
    designs: list[tuple[int, int, CurveDesign]] = []
    for place, formula in enumerate(candidates):
        with _noted(failures):
            design = design_of(formula)
            designs.append((design.least_cycles(0), place, design))
    found: list[tuple[int, int]] = []
    for least, place, design in sorted(designs, key=itemgetter(0, 1)):
        if found and (least, place) > min(found):
            break
        with _noted(failures):
            found.append((design.ladder_cycles(0), place))
    if not found:
        raise failures[-1]
    return candidates[min(found)[1]]


@contextmanager
def _noted(failures: list[SpecificationError]) -> Iterator[None]:
    """What cannot be made is one failure more."""
    try:
        yield
    except SpecificationError as error:
        failures.append(error)
