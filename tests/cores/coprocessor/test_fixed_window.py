"""Cores with the fixed window in simulation, against plain integers, and beside other formulas."""

import random

import pytest
from tests.cores.simulations import SimulatedCore
from tests.schedules import quick_schedules
from tests.small_curves import EVEN, WITHOUT_A

from residua.cores.coprocessor.boundary import coprocessor_boundary
from residua.cores.coprocessor.engine.core import EngineCoprocessorCore
from residua.cores.coprocessor.engine.rns_montgomery import EccCore
from residua.cores.coprocessor.simulator import Request
from residua.cores.coprocessor.specification import CoprocessorSpecification
from residua.cores.coprocessor.timing import measure_timing
from residua.cores.coprocessor.verification import verify_coprocessor
from residua.cores.proofs.constant_time import prove_netlist
from residua.cores.proofs.netlist import Netlist, read_netlist
from residua.cores.specification.reading import check
from residua.curves import affine
from residua.curves.catalogue import find_curve
from residua.curves.formulas import Formula
from residua.curves.inversion import Inversion
from residua.curves.operations.codes import Operation, Status
from residua.curves.parameters import curve_from_parameters
from residua.curves.protections.protection import Protection
from residua.errors import SpecificationError

SMALL = curve_from_parameters(WITHOUT_A)
ORDER = SMALL.order
HIERARCHICAL = {"columns": 2, "inversion": Inversion.PLUS_MINUS}
WITH_LADDER = curve_from_parameters(EVEN)


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    with quick_schedules():
        core = EccCore([SMALL], formula=Formula.FIXED_WINDOW)
        return SimulatedCore(core, tmp_path_factory.mktemp("small"))


@pytest.fixture(scope="module")
def mixed(tmp_path_factory):
    """A curve with the window after one of even order, which has a ladder; blinded scalars."""
    with quick_schedules():
        curves, checked = [WITH_LADDER, SMALL], frozenset({Protection.SCALAR_CHECK})
        core = EccCore(curves, blinding="auto", protections=checked)
        assert core.design.formulas == (Formula.XZ_LADDER, Formula.FIXED_WINDOW)
        return SimulatedCore(core, tmp_path_factory.mktemp("mixed"))


def test_all_operations(small):
    result = verify_coprocessor(
        small.design, small.sources, small.top, vectors=4, seed=1, stalls=False
    )
    assert result.passed, result.failures
    assert result.constant_time


def test_exceptional_scalars_and_points(small):
    n, base, seeds = ORDER, SMALL.base_point, iter(range(100, 200))
    opposite = (base[0], SMALL.prime - base[1])
    most = (1 << small.design.scalars.bits[0]) - 1
    assert small.design.scalars.bits == (17,)
    assert small.design.scalars.rounds == (5,)
    edges = (0, 1, 2, 7, 8, 9, 15, 16, n // 2, n - 2, n - 1, n, n + 1, n + 2, most - 1, most)
    for target in (base, opposite):
        requests = [
            Request(operation, (k, *target), seed=next(seeds), stalls=stalls)
            for k, stalls in zip(edges, (0, 64) * len(edges), strict=False)
            for operation in (Operation.POINT_MULTIPLY, Operation.X_MULTIPLY)
        ]
        for request, answer in zip(requests, small.simulator.run(requests), strict=True):
            expected = affine.multiply(SMALL, request.operands[0], target)
            assert answer.status == (Status.OK if expected else Status.NEUTRAL)
            length = 1 if request.operation == Operation.X_MULTIPLY else 2
            assert answer.results == (expected or ())[:length]


def test_cycles_depend_on_nothing_secret(small):
    result = measure_timing(small.simulator, small.design, runs=24, seed=2)
    assert result.passed, result


def test_a_core_with_a_ladder_as_well(mixed):
    chooser = random.Random(3)
    for number, curve in enumerate(mixed.design.curves):
        n, target = curve.order, affine.multiply(curve, 5, curve.base_point)
        most = (1 << mixed.design.scalars.bits[number]) - 1
        scalars = [0, 1, n - 1, n + 1, most, *(chooser.randint(0, most) for _ in range(2))]
        answers = mixed.simulator.run(
            Request(Operation.POINT_MULTIPLY, (k, *target), curve=number, seed=k % 1000)
            for k in scalars
        )
        for k, answer in zip(scalars, answers, strict=True):
            assert answer.results == (affine.multiply(curve, k, target) or ())
        timed = {answer.cycles for answer in answers if answer.status is Status.OK}
        assert len(timed) == 1
    other = affine.multiply(curve, 9, target)
    answer = mixed.simulator.operate(
        Operation.DOUBLE_MULTIPLY, 3, n - 5, *target, *other, curve=1, seed=4
    )
    assert answer.results == affine.multiply(curve, (3 + (n - 5) * 9) % n, target)


def test_nothing_seen_depends_on_secrets(small, tmp_path):
    """Proved as for other cores; the digits' registers are among the secrets."""
    netlist: Netlist = read_netlist(
        small.sources, small.top, tmp_path, coprocessor_boundary(small.design)
    )
    assert netlist.leaks == ()
    assert {netlist.wire(f"digit_recoder.{name}") for name in ("flags", "bits")} <= {
        *netlist.secrets
    }
    public = {netlist.wire(f"digit_recoder.{name}") for name in ("pending", "delay", "advance")}
    assert not public & {*netlist.secrets}
    assert prove_netlist(netlist, out_dir=tmp_path).passed


def test_auto_takes_what_fits_the_bases():
    # On the bases that the ladder takes there is no room for it here.
    assert EccCore([find_curve("secp160k1")]).design.formulas == (Formula.DIFFERENCE_LADDER,)
    assert EccCore([find_curve("secp160r1")]).design.formulas == (Formula.DIFFERENCE_LADDER,)


def test_a_window_that_needs_wider_bases_gets_them():
    core = EccCore([find_curve("secp160k1")], formula=Formula.FIXED_WINDOW)
    assert core.channels == 1 + EccCore([find_curve("secp160k1")]).channels


@pytest.mark.parametrize(
    ("name", "formula", "options", "share"),
    [
        ("secp112r1", Formula.DIFFERENCE_LADDER, {}, 0.9),
        ("secp112r1", Formula.DIFFERENCE_LADDER, HIERARCHICAL, 0.6),
        ("secp192k1", Formula.ENDOMORPHISM, {}, 0.9),
        ("secp192k1", Formula.FIXED_WINDOW, {}, 0.9),
    ],
)
def test_least_cycles_are_a_bound(name, formula, options, share):
    with quick_schedules():
        design = EccCore([find_curve(name)], formula=formula, **options).design
        cycles = design.ladder_cycles(0)
    assert share * cycles < design.least_cycles(0) <= cycles


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("secp112r2", "it needs a curve of odd order, and this one has [0-9]+ points; it has xz-l"),
        ("Curve25519", "it is for short Weierstrass curves; it has montgomery-ladder"),
    ],
)
def test_curves_without_it_are_refused(name, reason):
    build = EngineCoprocessorCore(
        check(CoprocessorSpecification, {"curve": name, "formula": "fixed-window"})
    )
    with pytest.raises(SpecificationError, match=f"{name} has no fixed-window: {reason}"):
        _ = build.core


def test_a_build_tells_bits_and_steps():
    request = {"curve": [WITHOUT_A], "formula": "fixed-window"}
    with quick_schedules():
        build = EngineCoprocessorCore(check(CoprocessorSpecification, request))
        cycles = build.cycles
    assert build.specification.formula == "fixed-window"
    assert cycles["ladder_bits"] == [4 * 24]
    assert cycles["ladder_steps"] == [24]
    assert cycles["operations"][0]["POINT_MULTIPLY"] > 24 * cycles["ladder_step"]
    assert cycles["ladder_step"] < 4 * 312
