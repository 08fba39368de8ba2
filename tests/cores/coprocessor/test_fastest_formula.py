"""Which formula a curve gets if none is asked for."""

from dataclasses import dataclass, field

import pytest
from tests.schedules import quick_schedules
from tests.small_curves import TINY, WITHOUT_A

from residua.cores.coprocessor.curve_core import fastest_formula
from residua.cores.coprocessor.engine import rns_montgomery
from residua.cores.coprocessor.engine.rns_montgomery import EccCore
from residua.curves.catalogue import find_curve
from residua.curves.formulas import Formula, admitted
from residua.curves.inversion import Inversion
from residua.curves.parameters import curve_from_parameters
from residua.curves.protections.protection import Protection
from residua.errors import SpecificationError
from residua.hardware.coprocessor.engine_design import CoprocessorDesign

XZ, DIFFERENCE, WINDOW, HALVES = (
    Formula.XZ_LADDER,
    Formula.DIFFERENCE_LADDER,
    Formula.FIXED_WINDOW,
    Formula.ENDOMORPHISM,
)
CURVE = find_curve("secp256k1")


@dataclass
class Designs:
    """Coprocessors of so many cycles, with a bound that these are not below."""

    cycles: dict[Formula, int]
    bounds: dict[Formula, int] = field(default_factory=dict)
    scheduled: list[Formula] = field(default_factory=list)

    def __call__(self, formula):
        if formula not in self.cycles:
            raise SpecificationError(f"no bases for {formula}")
        return Design(self, formula)


@dataclass
class Design:
    designs: Designs
    formula: Formula

    def least_cycles(self, curve):
        assert curve == 0
        return self.designs.bounds.get(self.formula, 0)

    def ladder_cycles(self, curve):
        assert curve == 0
        self.designs.scheduled.append(self.formula)
        return self.designs.cycles[self.formula]


def chosen(designs, asked=None, **options):
    return fastest_formula(CURVE, asked, "auto", designs, **options)


def test_fewest_cycles():
    cycles = {DIFFERENCE: 40, XZ: 50, WINDOW: 30, HALVES: 20}
    assert set(cycles) == set(admitted(CURVE))
    assert chosen(Designs(cycles)) is HALVES
    assert chosen(Designs(cycles), whole=True) is WINDOW
    assert chosen(Designs(cycles | {HALVES: 31})) is WINDOW
    assert chosen(Designs(cycles), asked=XZ) is XZ


def test_of_equals_the_first():
    """Also where a later one has to be scheduled before it."""
    cycles, bounds = {DIFFERENCE: 20, XZ: 20, WINDOW: 20, HALVES: 20}, {DIFFERENCE: 20, HALVES: 5}
    assert chosen(Designs(cycles)) is DIFFERENCE
    assert chosen(Designs(cycles, bounds)) is DIFFERENCE


def test_what_cannot_be_faster_is_not_scheduled():
    designs = Designs(
        {DIFFERENCE: 45, XZ: 50, WINDOW: 33, HALVES: 20},
        {DIFFERENCE: 40, XZ: 45, WINDOW: 30, HALVES: 19},
    )
    assert chosen(designs) is HALVES
    assert designs.scheduled == [HALVES]


@pytest.mark.parametrize("parameters", [TINY, WITHOUT_A])
@pytest.mark.parametrize("options", [{}, {"blinding": "auto"}, {"fixed_base": (2, 3)}])
def test_what_waits_is_no_loss(parameters, options, monkeypatch):
    """The choice is that among all formulas, each of them scheduled."""
    curves = [curve_from_parameters(parameters)]
    with quick_schedules():
        chosen = EccCore(curves, **options).design.formulas
        monkeypatch.setattr(CoprocessorDesign, "least_cycles", lambda design, curve: 0)
        assert EccCore(curves, **options).design.formulas == chosen


def test_what_is_refused_is_none_of_them():
    assert chosen(Designs({XZ: 50, WINDOW: 30})) is WINDOW
    with pytest.raises(SpecificationError, match="no bases for"):
        chosen(Designs({}))


def test_halves_on_the_engine():
    curves = [curve_from_parameters(TINY), find_curve("secp192k1")]
    with quick_schedules():
        core = EccCore(curves, protections=frozenset({Protection.SCALAR_CHECK}))
        assert core.design.formulas == (DIFFERENCE, HALVES)


@pytest.mark.parametrize(("count", "verifies"), [(1, True), (2, False), (2, True)])
def test_scalars_stay_whole_where_another_curve_has_signatures(count, verifies, monkeypatch):
    asked = []

    def choice(*_arguments, whole):
        asked.append(whole)
        return DIFFERENCE

    monkeypatch.setattr(rns_montgomery, "fastest_formula", choice)
    curves = [curve_from_parameters(one) for one in (WITHOUT_A, TINY)[:count]]
    core = EccCore(curves, verifies=verifies, inversion=Inversion.PLUS_MINUS)
    assert core.design.formulas == (DIFFERENCE,) * count
    assert asked == [verifies and count > 1] * count
