"""Cores with an endomorphism in simulation, against plain integers, and what is refused."""

import random
from dataclasses import replace
from itertools import cycle, product

import pytest
from tests import kept_verilog
from tests.cores.generated import MONTGOMERY
from tests.cores.simulations import SimulatedCore
from tests.schedules import quick_schedules
from tests.small_curves import LARGE_B, WITHOUT_A

from residua.cores.coprocessor.boundary import coprocessor_boundary
from residua.cores.coprocessor.cases import Case, all_cases
from residua.cores.coprocessor.digits.curve_core import DigitEccCore
from residua.cores.coprocessor.engine.core import EngineCoprocessorCore
from residua.cores.coprocessor.engine.rns_montgomery import EccCore
from residua.cores.coprocessor.outcomes import outcome
from residua.cores.coprocessor.simulator import Request
from residua.cores.coprocessor.specification import CoprocessorSpecification
from residua.cores.coprocessor.timing import measure_timing
from residua.cores.coprocessor.verification import verify_coprocessor
from residua.cores.proofs.constant_time import prove_netlist
from residua.cores.proofs.netlist import Netlist, read_netlist
from residua.cores.specification.reading import check
from residua.curves import affine
from residua.curves.endomorphism import lattice
from residua.curves.endomorphism.lattice import endomorphism
from residua.curves.formulas import Formula
from residua.curves.inversion import Inversion
from residua.curves.operations.codes import Operation, Status
from residua.curves.parameters import curve_from_parameters
from residua.errors import SpecificationError
from residua.hardware.coprocessor import design as curve_design
from residua.hardware.coprocessor.coprocessor import Coprocessor
from residua.hardware.coprocessor.engine_design import CoprocessorDesign
from residua.hardware.coprocessor.scalars import design as scalar_design
from residua.hardware.coprocessor.scalars import half_scalars
from residua.hardware.coprocessor.scalars.split_program import SplitProgram
from residua.hardware.unbuilt import unbuilt

HALVES = Formula.ENDOMORPHISM
SMALL = curve_from_parameters(WITHOUT_A)
OTHER = curve_from_parameters(LARGE_B)
ORDER = SMALL.order
MULTIPLICATIONS = (Operation.POINT_MULTIPLY, Operation.X_MULTIPLY, Operation.BASE_MULTIPLY)


@pytest.fixture(scope="module")
def plain(tmp_path_factory):
    core = DigitEccCore([SMALL], digit=17, formula=HALVES)
    return SimulatedCore(core, tmp_path_factory.mktemp("plain"))


@pytest.fixture(scope="module")
def blinded(tmp_path_factory):
    """On the engine, with curves that take the same steps to halve scalars.

    Those of combs are whole, and so are those of a Montgomery curve in between, whose ladder takes
    a blinded scalar of its own.
    """
    with quick_schedules():
        curves = [SMALL, curve_from_parameters(MONTGOMERY), OTHER]
        core = EccCore(curves, formula=HALVES, blinding="auto", fixed_base=(2, 3))
        return SimulatedCore(core, tmp_path_factory.mktemp("blinded"))


@pytest.mark.parametrize(("name", "vectors"), [("plain", 8), ("blinded", 1)])
def test_all_operations(name, vectors, request):
    """The cycles of every operation, too, are those that the design tells."""
    core = request.getfixturevalue(name)
    result = verify_coprocessor(
        core.design, core.sources, core.top, vectors=vectors, seed=1, stalls=None, resets=4
    )
    assert result.passed, result.failures
    assert result.constant_time
    assert result.resets > 0


@pytest.mark.parametrize("name", ["plain", "blinded"])
def test_exceptional_scalars_and_points(name, request):
    """Halves that are 0 or extreme, multiples of the order, P and -P, phi(P).

    Random words are part of blinded halves: there, and with other multiplications, the scalars and
    the points take turns.
    """
    core = request.getfixturevalue(name)
    n, seeds, split = ORDER, iter(range(100, 2000)), core.design.scalars.splits[0]
    x, y = base = SMALL.base_point
    targets = (base, (x, SMALL.prime - y), (split.endomorphism.beta * x % SMALL.prime, y))
    most = (1 << core.design.scalars.bits[0]) - 1
    scalars = [0, 1, 2, 7, 8, 9, 15, 16, n // 2, n - 2, n - 1, n, n + 1, most - 1, most]
    scalars += split.edges
    for operation in MULTIPLICATIONS:
        all_pairs = name == "plain" and operation is Operation.POINT_MULTIPLY
        pairs = product(scalars, targets) if all_pairs else zip(scalars, cycle(targets))
        requests = [
            Request(
                operation,
                (k,) if operation is Operation.BASE_MULTIPLY else (k, *target),
                seed=next(seeds),
                stalls=stalls,
            )
            for (k, target), stalls in zip(pairs, cycle((0, 64)))
        ]
        assert len(requests) == len(scalars) * (3 if all_pairs else 1)
        for request_, answer in zip(requests, core.simulator.run(requests), strict=True):
            k, *target = request_.operands
            expected = affine.multiply(SMALL, k, tuple(target) or base)
            assert answer.status == (Status.OK if expected else Status.NEUTRAL)
            length = 1 if operation is Operation.X_MULTIPLY else 2
            assert answer.results == (expected or ())[:length]


@pytest.mark.parametrize("name", ["plain", "blinded"])
def test_sums_of_exceptional_points(name, request):
    """Images of a point and their negatives, scalars that cancel each other, and both refused."""
    core, n, draw = request.getfixturevalue(name), ORDER, random.Random(4)
    split, p = core.design.scalars.splits[0], SMALL.prime
    mapping, most = split.endomorphism, (1 << core.design.scalars.bits[0]) - 1
    x, y = affine.multiply(SMALL, draw.randrange(1, n), SMALL.base_point)
    requests = []
    for power in range(3):
        second = x * pow(mapping.beta, power, p) % p
        root = pow(mapping.eigenvalue, power, n)
        for sign in (1, -1):
            k = draw.randrange(n)
            pairs = [(sign * -k * root % n, k), (k * root % n, k), (0, 0), (1, 1), (n, most)]
            pairs += [
                (draw.getrandbits(17), draw.choice(split.edges)),
                (most + 1, 1),
                (1, most + 1),
            ]
            points = x, y, second, sign * y % p
            requests += [Request(Operation.DOUBLE_MULTIPLY, (*pair, *points)) for pair in pairs]
    answers = core.simulator.run(requests)
    for request_, answer in zip(requests, answers, strict=True):
        expected = outcome(SMALL, 17, Operation.DOUBLE_MULTIPLY, request_.operands)
        assert (answer.status, answer.results) == expected
    statuses = {answer.status for answer in answers}
    assert statuses == {Status.OK, Status.NEUTRAL, Status.SCALAR_RANGE}
    assert len({answer.cycles for answer in answers if answer.status == Status.OK}) == 1


def test_units_for_whole_scalars_are_there_for_whole_scalars(plain, blinded):
    mixed = DigitEccCore([curve_from_parameters(MONTGOMERY), SMALL], digit=17, formula=HALVES)
    for design, count in ((plain.design, 0), (blinded.design, 1), (mixed.design, 1)):
        units = design.scalars.unit(), design.scalars.second_unit()
        assert sum(unbuilt(unit) is not None for unit in units if unit) == count


def test_verification_by_halves_and_without_does_not_mix():
    with quick_schedules():
        design = EccCore(
            [OTHER, SMALL], formula=HALVES, verifies=True, inversion=Inversion.PLUS_MINUS
        ).design
    formulas = [HALVES, Formula.FIXED_WINDOW]
    with pytest.raises(SpecificationError, match="on all curves of a core or on none"):
        CoprocessorDesign(
            design.curves,
            design.domains,
            design.options,
            formulas,
            inversion=Inversion.PLUS_MINUS,
            verifies=True,
        )


def test_a_scalar_that_is_too_long_is_refused(plain):
    for k in (1 << plain.design.scalars.bits[0], (1 << 32) - 1):
        answer = plain.simulator.operate(Operation.POINT_MULTIPLY, k, *SMALL.base_point)
        assert (answer.status, answer.results) == (Status.SCALAR_RANGE, ())


@pytest.mark.parametrize("name", ["plain", "blinded"])
def test_cycles_depend_on_nothing_secret(name, request):
    core = request.getfixturevalue(name)
    result = measure_timing(core.simulator, core.design, runs=24, seed=2)
    assert result.passed, result


def test_random_words_are_those_of_both_multiples(plain, blinded):
    """Coordinates are randomised in either core; 72, 72 and 78 bits are three words each.

    Whole scalars of a comb are blinded by the order, with as many bits as without halves, which
    need fewer or more than that.
    """
    words = [
        core.simulator.operate(operation, 5, *point, seed=1).random_words
        for core, operation, point in (
            (plain, Operation.POINT_MULTIPLY, SMALL.base_point),
            (blinded, Operation.POINT_MULTIPLY, SMALL.base_point),
            (blinded, Operation.BASE_MULTIPLY, ()),
        )
    ]
    design = blinded.design
    form, split = design.scalars.forms[0], design.scalars.splits[0]
    assert (design.blinding[0], design.comb_blinding[0]) == (72, 78)
    assert (form.random_bits, form.multiple, split.random_bits) == (78, ORDER, 72)
    assert words[1] - words[0] == 9
    assert words[1] - words[2] == 6


def test_nothing_seen_depends_on_secrets(tmp_path):
    """Proved as for other cores; the words of blinded halves are among the secrets."""
    design = DigitEccCore([SMALL], digit=17, formula=HALVES, blinding="auto").design
    sources, top = kept_verilog.write(Coprocessor, design, tmp_path)
    netlist: Netlist = read_netlist(sources, top, tmp_path, coprocessor_boundary(design))
    assert netlist.leaks == ()
    secret = ("partial", "first_word", "second_word", "first_recoder.flags", "second_recoder.bits")
    public = ("state", "index", "target", "place", "runs", "first_recoder.pending")
    wires = [{netlist.wire(f"half_scalars.{name}") for name in own} for own in (secret, public)]
    assert wires[0] <= {*netlist.secrets}
    assert not wires[1] & {*netlist.secrets}
    assert prove_netlist(netlist, out_dir=tmp_path).passed


def test_digits_that_steer_are_seen(plain, tmp_path, monkeypatch):
    """A split that is over sooner for some scalars leaks, and the proof refuses it."""
    serve = half_scalars.HalfScalars._serve

    def steered(self, m, given, mine):
        serve(self, m, given, mine)
        with m.If(mine[0] & (given == 0)):
            m.d.sync += self._index.eq(self._index + 2)

    monkeypatch.setattr(half_scalars.HalfScalars, "_serve", steered)
    core = SimulatedCore(plain.core, tmp_path)
    netlist = read_netlist(core.sources, core.top, tmp_path, coprocessor_boundary(core.design))
    assert netlist.leaks or not prove_netlist(netlist, out_dir=tmp_path).passed


def test_a_wrong_endomorphism_is_seen(tmp_path, monkeypatch):
    """Of one curve a vector that is none of the lattice, of the other the other root of one."""
    found = {curve: endomorphism(curve) for curve in (SMALL, OTHER)}
    (a, b), other = found[SMALL].basis
    basis = found | {SMALL: replace(found[SMALL], basis=((a + 1, b), other))}
    beta = found | {OTHER: replace(found[OTHER], beta=found[OTHER].beta ** 2 % OTHER.prime)}
    monkeypatch.setattr(scalar_design, "endomorphism", basis.get)
    monkeypatch.setattr(curve_design.window, "endomorphism", beta.get)
    core = SimulatedCore(DigitEccCore([SMALL, OTHER], digit=17, formula=HALVES), tmp_path)
    cases: dict[tuple[int, int], Case] = {}
    for case in all_cases(core.design, 1, seed=1):
        if 0 < case.operation < Operation.VALIDATE and case.expected[0] is Status.OK:
            cases.setdefault((case.curve, case.operation), case)
    assert len(cases) == 2 * 4
    answers = core.simulator.run(
        Request(case.operation, case.operands, case.curve) for case in cases.values()
    )
    for case, answer in zip(cases.values(), answers, strict=True):
        assert answer.results != case.expected[1], case


@pytest.mark.parametrize(
    ("keys", "reason"),
    [
        (
            {"curve": "P-256"},
            (
                "P-256 has no endomorphism: it needs a curve y.2 = x.3 [+] b, and the coefficient "
                "a of this one is not 0; it has difference-ladder, xz-ladder, fixed-window"
            ),
        ),
        (
            {"curve": "secp112r2"},
            "secp112r2 has no endomorphism: .*; it has xz-ladder",
        ),
        (
            {"curve": "Curve25519"},
            "Curve25519 has no endomorphism: it is for short Weierstrass curves; it has montgomery",
        ),
        (
            {"curve": "secp256k1", "blinding": 190, "fixed_base": "comb"},
            "blinding = 190: on secp256k1 .* the order has a run of 127 .* at least 191, or 0",
        ),
        (
            {"curve": "P-256", "blinding": 129},
            "P-256 has no endomorphism: it needs a curve",
        ),
        (
            {"curve": "secp256k1", "blinding": 68},
            "blinding = 68: on secp256k1 .* of 5 equal bits: take 'auto', or at least 69, or 0",
        ),
    ],
)
def test_what_is_refused(keys, reason):
    with pytest.raises(SpecificationError, match=reason):
        _ = EngineCoprocessorCore(
            check(CoprocessorSpecification, keys | {"formula": "endomorphism"})
        ).core


def test_a_build_tells_halves_and_random_bits():
    request = {"curve": [WITHOUT_A], "formula": "endomorphism"}
    with quick_schedules():
        build = EngineCoprocessorCore(check(CoprocessorSpecification, request))
        (row,), (told,) = build.blinding, build.parameters["endomorphism"]
        cycles = build.cycles
    assert build.specification.formula == "endomorphism"
    assert (row["bits"], row["run"], row["bare"]) == (72, 8, 0)
    assert row["multiple"] == "the lattice of the endomorphism"
    assert cycles["ladder_steps"] == [row["steps"]] == [21]
    assert cycles["ladder_bits"] == [told["bits"]] == [4 * 21]
    assert row["steps_unblinded"] == 3
    assert int(told["beta"], 16) == endomorphism(SMALL).beta
    point = cycles["operations"][0]["POINT_MULTIPLY"]
    assert point - row["cycles"] > 3 * cycles["ladder_step"]


@pytest.mark.parametrize("blinding", ["auto", 0, 200])
def test_a_directory_with_a_comb_is_made_again_from_its_specification(blinding):
    """Whole scalars may have another number of random bits than halves."""
    request = {
        "curve": [WITHOUT_A], "formula": "endomorphism", "blinding": blinding,
        "fixed_base": "comb", "comb_teeth": 2, "comb_tables": 2,
    }  # fmt: skip
    with quick_schedules():
        made = EngineCoprocessorCore(check(CoprocessorSpecification, request))
        items = made.specification.items()
        again = EngineCoprocessorCore(check(CoprocessorSpecification, items))
        assert made.specification.blinding == blinding
        one, other = made.core.design, again.core.design
        assert (one.blinding, one.comb_blinding) == (other.blinding, other.comb_blinding)
        assert again.specification.blinding == blinding


def test_the_steps_that_halve_a_scalar(blinded):
    """Word for word as on plain integers, and none reads a quotient before it is there."""
    design = blinded.design
    unit = SplitProgram(design.scalars.splits, design.words)
    draw, split = random.Random(5), design.scalars.splits[0]
    for k in (*split.edges, *(draw.getrandbits(split.bits) for _ in range(50))):
        own = draw.getrandbits(72), draw.getrandbits(72), draw.getrandbits(78)
        assert unit.run(0, k, own) == split.halves(k, own)
    splits = design.scalars.half_splits
    unit, split = SplitProgram(splits, design.words), splits[0]
    for k in (*split.edges, *(draw.getrandbits(split.bits) for _ in range(50))):
        assert unit.run(0, k) == split.halves(k)
    assert lattice.endomorphism(SMALL).order == ORDER
