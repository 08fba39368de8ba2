"""The coprocessor's Verilog in simulation, against plain integers.

OpenSSL and published vectors judge coprocessors of real curves, most of them on a bus.
"""

import random
from dataclasses import replace

import pytest
from tests.cores.simulations import VARIANTS, simulator
from tests.schedules import quick_schedules
from tests.small_curves import EVEN, MIDDLE, TINY

from residua.algorithms.position_residue import PositionResidueDomain
from residua.cores.coprocessor.cases import all_cases
from residua.cores.coprocessor.engine.core import EngineCoprocessorCore
from residua.cores.coprocessor.engine.rns_montgomery import EccCore
from residua.cores.coprocessor.simulator import CoprocessorSimulator, Request
from residua.cores.coprocessor.specification import CoprocessorSpecification
from residua.cores.specification.reading import check
from residua.curves import affine
from residua.curves.catalogue import find_curve
from residua.curves.formulas import Formula
from residua.curves.inversion import Inversion
from residua.curves.operations.codes import Operation, Status
from residua.curves.parameters import (
    WeierstrassCurve,
    curve_from_parameters,
    parameters_of,
)
from residua.errors import SpecificationError
from residua.hardware.coprocessor.durations import operation_cycles
from residua.hardware.coprocessor.engine_design import CoprocessorDesign
from residua.hardware.engine.datapath_design import EngineOptions

CURVES = {
    "residues": ((MIDDLE, EVEN), {Formula.DIFFERENCE_LADDER, Formula.XZ_LADDER}),
    "rows": ((MIDDLE, EVEN), {Formula.XZ_LADDER}),
}
"""Two curves of different lengths, the first of prime order, and their formulas."""


class Core(CoprocessorSimulator):
    """A simulated coprocessor with its curves."""

    def __init__(self, simulated, curves):
        super().__init__(simulated.executable, simulated.words, simulated.patience)
        self.curves = curves

    @property
    def curve(self):
        return self.curves[0]

    @property
    def edges(self):
        """Scalars next to where something changes, and the longest one."""
        n, longest = self.curve.order, (1 << self.curve.order_bits) - 1
        middle = [n // 2 - 1, n // 2, n // 2 + 1]
        return [0, 1, 2, 3, *middle, n - 3, n - 2, n - 1, n, n + 1, n + 2, longest]


@pytest.fixture(scope="module", params=list(VARIANTS))
def made(request):
    """Two curves in one core, with blinded scalars."""
    parameters, formulas = CURVES[request.param]
    curves = [curve_from_parameters(each) for each in parameters]
    with quick_schedules():
        found = EccCore(curves, blinding=32, **VARIANTS[request.param])
        assert set(found.design.formulas) == formulas
        _ = found.design.blocks
        return found


@pytest.fixture(scope="module")
def core(made, tmp_path_factory):
    curves = made.design.curves
    return Core(simulator(made, tmp_path_factory.mktemp("core")), curves)


def point(curve, chooser):
    return affine.multiply(curve, chooser.randrange(1, curve.order), curve.base_point)


@pytest.mark.parametrize("operation", [Operation.POINT_MULTIPLY, Operation.BASE_MULTIPLY])
def test_exceptional_scalars(core, operation):
    chooser = random.Random(1)
    curve, edges = core.curve, core.edges
    base = curve.base_point if operation == Operation.BASE_MULTIPLY else point(curve, chooser)
    operands = () if operation == Operation.BASE_MULTIPLY else base
    answers = core.run(Request(operation, (k, *operands)) for k in edges)
    for k, answer in zip(edges, answers, strict=True):
        expected = affine.multiply(curve, k, base)
        assert answer.results == (expected or ())
        assert answer.status == (Status.OK if expected else Status.NEUTRAL)


def test_cycles_depend_on_nothing_secret(core, made):
    chooser = random.Random(2)
    curve = core.curve
    scalars = [k for k in core.edges if k % curve.order]
    scalars += [chooser.randrange(1 << curve.order_bits) for _ in range(10)]
    requests = [
        Request(Operation.POINT_MULTIPLY, (k, *point(curve, chooser)), seed=seed)
        for seed, k in enumerate(scalars)
    ]
    answers = core.run(requests)
    assert all(answer.status == Status.OK for answer in answers)
    assert len({(answer.cycles, answer.random_words) for answer in answers}) == 1
    assert answers[0].cycles == operation_cycles(made.design, Operation.POINT_MULTIPLY, 0)
    assert answers[0].cycles <= 833 * curve.order_bits


def test_cycles_are_those_of_the_parts(core, made):
    """Of operations of all kinds on both curves, with units that invert what they are given."""
    cases = {
        (case.curve, case.operation): case
        for case in all_cases(made.design, 1, seed=2)
        if case.expected[0] is Status.OK
    }
    requests = [Request(o, case.operands, curve=c) for (c, o), case in cases.items()]
    counted = {key: answer.cycles for key, answer in zip(cases, core.run(requests), strict=True)}
    assert counted == {(c, o): operation_cycles(made.design, o, c) for c, o in cases}


@pytest.mark.parametrize(
    ("operation", "operands", "status"),
    [
        (Operation.POINT_MULTIPLY, lambda c: (5, c.x, c.y ^ 1), Status.NOT_ON_CURVE),
        (Operation.POINT_MULTIPLY, lambda c: (5, 0, 0), Status.NOT_ON_CURVE),
        (Operation.POINT_MULTIPLY, lambda c: (5, c.prime, c.y), Status.OPERAND_RANGE),
        (
            Operation.POINT_MULTIPLY,
            lambda c: (5, c.x, (1 << c.field_bits) - 1),
            Status.OPERAND_RANGE,
        ),
        (Operation.X_MULTIPLY, lambda c: (5, c.x + 1, c.y), Status.NOT_ON_CURVE),
        (Operation.VALIDATE, lambda c: (c.x, c.prime - c.y), Status.OK),
        (Operation.VALIDATE, lambda c: (c.x, c.y + 1), Status.NOT_ON_CURVE),
        (Operation.FIELD_INVERT, lambda c: (0,), Status.NO_INVERSE),
        (Operation.ORDER_INVERT, lambda c: (c.order,), Status.OPERAND_RANGE),
        (Operation.FIELD_MULTIPLY, lambda c: (c.prime, 0), Status.OPERAND_RANGE),
        (0, lambda c: (), Status.BAD_OPERATION),
        (255, lambda c: (), Status.BAD_OPERATION),
    ],
)
def test_refusals_give_no_data(core, operation, operands, status):
    answer, after = core.run(
        [Request(operation, operands(core.curve)), Request(Operation.FIELD_MULTIPLY, (3, 5))]
    )
    assert (answer.status, answer.results) == (status, ())
    assert after.results == (15,)


def test_bad_curve(core):
    answer = core.run([Request(Operation.FIELD_MULTIPLY, (1, 1), curve=2)])[0]
    assert answer.status == Status.BAD_CURVE


@pytest.mark.parametrize("modulo", ["prime", "order"])
def test_field_and_order_operations(core, modulo):
    modulus = getattr(core.curve, modulo)
    names = ("FIELD" if modulo == "prime" else "ORDER", "")
    multiply, invert, add = (
        Operation[f"{names[0]}_{name}"] for name in ("MULTIPLY", "INVERT", "MULTIPLY_ADD")
    )
    chooser = random.Random(3)
    numbers = [0, 1, 2, modulus - 1, modulus - 2, *(chooser.randrange(modulus) for _ in range(6))]
    for a in numbers:
        b, c = chooser.choice(numbers), chooser.choice(numbers)
        products = core.run([Request(multiply, (a, b)), Request(add, (a, b, c))])
        assert products[0].results == (a * b % modulus,)
        assert products[1].results == ((a * b + c) % modulus,)
        if a:
            assert core.operate(invert, a).results == (pow(a, -1, modulus),)


def test_zeroise_in_mid_operation(core):
    chooser = random.Random(4)
    target = point(core.curve, chooser)
    cycles = core.operate(Operation.POINT_MULTIPLY, 7, *target).cycles
    for _ in range(15):
        late = chooser.randrange(6 * cycles // 10)
        cycle = chooser.choice([1, 2, 3, 50, 400, 900, 1200, late])
        aborted, after = core.run(
            [
                Request(Operation.POINT_MULTIPLY, (7, *target), abort=cycle),
                Request(Operation.FIELD_MULTIPLY, (11, 13)),
            ]
        )
        assert (aborted.status, aborted.results) == (Status.ZEROISED, ())
        assert after.results == (143,)


def test_reset_in_mid_operation_and_after_it(core):
    product = Request(Operation.FIELD_MULTIPLY, (11, 13))
    cycles = core.run([product])[0].cycles
    late = replace(product, abort=10 * cycles, reset=1)
    outcomes = core.outcomes([replace(product, abort=cycles // 2, reset=1), product, late])
    assert outcomes[0] is None
    assert [outcome.results for outcome in outcomes[1:]] == [(143,)] * 2


def test_several_curves_in_one_core(core):
    chooser = random.Random(5)
    for index, curve in enumerate(core.curves):
        assert isinstance(curve, WeierstrassCurve)
        base = point(curve, chooser)
        n = curve.order
        scalars = [0, 1, 2, n // 2, n // 2 + 1, n - 2, n - 1, n, n + 1]
        scalars += [chooser.randrange(curve.order) for _ in range(2)]
        answers = core.run(
            Request(Operation.POINT_MULTIPLY, (k, *base), curve=index, seed=number, stalls=20)
            for number, k in enumerate(scalars)
        )
        for k, answer in zip(scalars, answers, strict=True):
            assert answer.results == (affine.multiply(curve, k, base) or ())
        too_long = 1 << max(curve.order_bits, curve.field_bits)
        if too_long < 1 << 32 * core.words:
            answer = core.operate(Operation.BASE_MULTIPLY, too_long, curve=index)
            assert answer.status == Status.SCALAR_RANGE


def test_sums_of_equal_opposite_and_vanishing_points(core):
    chooser, curve = random.Random(8), core.curve
    n = curve.order
    x, y = target = point(curve, chooser)
    opposite, k = (x, curve.prime - y), chooser.randrange(1, n)
    for first, second, other in [
        (k, k, target),
        (k, k, opposite),
        (k, n - k, target),
        (0, 0, target),
        (0, k, opposite),
        (n, 1, opposite),
        (core.edges[-1], core.edges[-1], target),
        (2, 1, opposite),
        (1, 1, curve.base_point),
    ]:
        total = affine.add(
            curve, affine.multiply(curve, first, target), affine.multiply(curve, second, other)
        )
        answer = core.operate(Operation.DOUBLE_MULTIPLY, first, second, *target, *other)
        assert answer.status == (Status.NEUTRAL if total is None else Status.OK)
        assert answer.results == (total or ())
    for points in ((*target, x, y ^ 1), (x, y ^ 1, *target)):
        answers = core.run(
            [
                Request(Operation.DOUBLE_MULTIPLY, (1, 1, *points)),
                Request(Operation.FIELD_MULTIPLY, (3, 5)),
            ]
        )
        assert answers[0].status == Status.NOT_ON_CURVE
        assert answers[1].results == (15,)


def test_a_base_that_has_no_inverses_is_refused():
    bases = [131077, 131067], [131072, 131071]
    with pytest.raises(SpecificationError, match=r"odd moduli below 2\^17 in base b, not 131072"):
        EccCore([curve_from_parameters(TINY)], bases=bases, inversion=Inversion.PLUS_MINUS)


def test_inversion_in_variable_time_is_refused():
    with pytest.raises(SpecificationError, match="inverts secrets: take 'plus-minus-ct'"):
        check(CoprocessorSpecification, {"curve": "P-256", "inversion": "plus-minus"})


@pytest.mark.parametrize(("keys", "rowers"), [({"channels": 3}, 2), ({"inverter_rowers": 1}, 1)])
def test_rowers_of_an_inverter(keys, rowers):
    curve = parameters_of(curve_from_parameters(TINY))
    asked = {"curve": [curve], "inversion": "plus-minus-ct", **keys}
    with quick_schedules():
        made = EngineCoprocessorCore(check(CoprocessorSpecification, asked))
        assert made.parameters["inverter_rowers"] == made.specification.inverter_rowers == rowers
        assert made.core.design.inverter_rowers == rowers


def test_rowers_of_an_inverter_that_cannot_share():
    asked = {"curve": "secp112r1", "inversion": "plus-minus-ct", "inverter_rowers": 5}
    with pytest.raises(SpecificationError, match=r"possible: 1, 2, 3, 4, 8$"), quick_schedules():
        _ = EngineCoprocessorCore(check(CoprocessorSpecification, asked)).core


def test_rowers_of_no_inverter_are_refused():
    for inversion in ("fermat", "division-steps"):
        asked = {"curve": "P-256", "inversion": inversion, "inverter_rowers": 1}
        with pytest.raises(SpecificationError, match=f"inversion = '{inversion}' has no such"):
            check(CoprocessorSpecification, asked)


def test_inversion_of_residues_needs_rns_montgomery():
    curve = find_curve("P-256")
    domain = object.__new__(PositionResidueDomain)
    with pytest.raises(SpecificationError, match="not on the pairs of SBMM"):
        CoprocessorDesign(
            [curve],
            [domain],
            EngineOptions(rowers=2),
            [Formula.XZ_LADDER],
            inversion=Inversion.PLUS_MINUS,
        )
