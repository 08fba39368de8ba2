"""Cores that verify ECDSA signatures as one operation: results, public control, secrets, faults."""

import random
from dataclasses import replace

import pytest
from tests import kept_verilog
from tests.cores.protected import CORES as PROTECTED
from tests.cores.simulations import SimulatedCore
from tests.schedules import quick_schedules
from tests.small_curves import EVEN, LARGE_B, LEAST, TINY, WITHOUT_A

from residua.cores.coprocessor import boundary
from residua.cores.coprocessor.boundary import coprocessor_boundary
from residua.cores.coprocessor.cases import all_cases
from residua.cores.coprocessor.engine.rns_montgomery import EccCore
from residua.cores.coprocessor.outcomes import outcome
from residua.cores.coprocessor.simulator import Request
from residua.cores.coprocessor.verification import verify_coprocessor
from residua.cores.directory import build
from residua.cores.proofs.constant_time import prove_netlist
from residua.cores.proofs.netlist import read_netlist
from residua.cores.proofs.reset import prove_first_cycles
from residua.cores.specification.reading import check_any
from residua.curves import affine
from residua.curves.formulas import Formula
from residua.curves.inversion import Inversion
from residua.curves.operations.codes import PUBLIC_OPERATIONS, Operation, Status
from residua.curves.operations.instructions import Follow, Run, every
from residua.curves.parameters import curve_from_parameters
from residua.curves.signatures import verification
from residua.curves.signatures.sliding_windows import LEAST_ORDER
from residua.errors import SpecificationError
from residua.hardware.coprocessor.coprocessor import Coprocessor
from residua.hardware.coprocessor.scalars.parts import ScalarParts

CORES = {
    "halves of three curves, comb": lambda: EccCore(
        [curve_from_parameters(c) for c in (LARGE_B, WITHOUT_A, LEAST)],
        verifies=True,
        inversion=Inversion.DIVISION_STEPS,
        formula=Formula.ENDOMORPHISM,
        fixed_base=(2, 3),
    ),
    "one curve with, one without, comb": lambda: EccCore(
        [curve_from_parameters(c | {"name": f"c{i}"}) for i, c in enumerate((EVEN, TINY))],
        verifies=True,
        inversion=Inversion.PLUS_MINUS,
        fixed_base=(2, 3),
        columns=2,
        channels=4,
    ),
}
"""Of scalars in halves, and of whole ones, with an order above the prime among them.

With protections, one of a curve and one of two: `tests/cores/protections/test_results.py`.
"""


def whole_core():
    """A core whose scalars are whole and blinded, for what is proved."""
    return EccCore(
        [curve_from_parameters(TINY)],
        verifies=True,
        blinding=32,
        inversion=Inversion.DIVISION_STEPS,
    )


@pytest.fixture(scope="module", params=list(CORES))
def small(request, tmp_path_factory):
    with quick_schedules():
        return SimulatedCore(CORES[request.param](), tmp_path_factory.mktemp("small"))


def test_all_operations(small):
    result = verify_coprocessor(
        small.design, small.sources, small.top, vectors=1, seed=1, stalls=None, resets=3
    )
    assert result.passed, result.failures
    assert result.constant_time
    for own, curve in zip(result.cycles, small.design.verified, strict=True):
        assert Operation.ECDSA_VERIFY.name not in own
        assert "POINT_MULTIPLY" in own
        assert curve is None or curve.cofactor == 1


def test_keys_and_digests_that_make_additions_fail(small):
    """Sums of equal and opposite multiples on the way, which the complete formulas put right."""
    draw = random.Random(4)
    for number, curve in enumerate(small.design.verified):
        if curve is None:
            continue
        n, requests = curve.order, []
        for index in range(40):
            secret = draw.choice((1, 2, 3, n - 1, n - 2, pow(2, -1, n), draw.randrange(1, n)))
            x, y = affine.multiply(curve, secret, curve.base_point)
            s, v = draw.randrange(1, n), draw.randrange(1, 200)
            u = draw.choice((0, v, n - v, secret * v % n, -secret * v % n, draw.randrange(200)))
            operands = (u * s % n, v * s % n, s, x, y)
            requests.append(
                Request(Operation.ECDSA_VERIFY, operands, curve=number, stalls=64 * (index % 2))
            )
        bits, seen = small.design.scalars.bits[number], set()
        for request, answer in zip(requests, small.simulator.run(requests), strict=True):
            expected = outcome(curve, bits, Operation.ECDSA_VERIFY, request.operands)
            assert (answer.status, answer.results) == expected
            seen.add(answer.cycles)
        assert max(seen) > 1.4 * min(seen)


def test_a_zeroisation_at_any_time_leaves_nothing(small):
    number = next(i for i, curve in enumerate(small.design.verified) if curve)
    curve = small.design.curves[number]
    n, base = curve.order, curve.base_point
    x, y = affine.multiply(curve, 5, base)
    r = affine.multiply(curve, 7, base)[0] % n
    s = (9 + r * 5) * pow(7, -1, n) % n
    whole = Request(Operation.ECDSA_VERIFY, (9, r, s, x, y), curve=number)
    (answer,) = small.simulator.run([whole])
    assert (answer.status, answer.results) == (Status.OK, (r,))
    draw, requests = random.Random(6), []
    for seed in range(24):
        abort = 1 + draw.randrange(answer.cycles - 1)
        requests += [replace(whole, abort=abort, seed=seed), whole]
        requests.append(Request(Operation.FIELD_MULTIPLY, (3, 5), curve=number))
    for index, found in enumerate(small.simulator.run(requests)):
        expected = ((Status.ZEROISED, ()), (Status.OK, (r,)), (Status.OK, (15,)))[index % 3]
        assert (found.status, found.results) == expected


@pytest.mark.parametrize("small", ["halves of three curves, comb"], indirect=True)
def test_every_digest_and_every_scalar_of_a_tiny_curve(small):
    """So many sums fail there that windows and complete formulas take turns."""
    curve = curve_from_parameters(LEAST)
    number = small.design.curves.index(curve)
    assert LEAST_ORDER <= curve.order < curve.prime
    n, draw, requests = curve.order, random.Random(11), []
    for first, secret in enumerate((1, draw.randrange(2, n - 1))):
        key = affine.multiply(curve, secret, curve.base_point)
        r, s = (draw.randrange(1, n) for _ in range(2))
        refused = [*range(first, n, 8), n]
        own = [Request(Operation.ECDSA_VERIFY, (e, r, s, *key)) for e in refused]
        for e in range(first, n, 2):
            k = draw.randrange(1, n)
            r = affine.multiply(curve, k, curve.base_point)[0] % n
            operands = (e, r, pow(k, -1, n) * (e + r * secret) % n, *key)
            own.append(Request(Operation.ECDSA_VERIFY, operands))
        points = (*curve.base_point, *key)
        own += [
            Request(Operation.DOUBLE_MULTIPLY, (k, draw.randrange(1 << 9), *points))
            for k in range(first, 1 << small.design.scalars.bits[number], 2)
        ]
        requests += [replace(request, curve=number) for request in own]
    seen, cycles = set(), {}
    for request, answer in zip(requests, small.simulator.run(requests), strict=True):
        operation, bits = Operation(request.operation), small.design.scalars.bits[number]
        assert (answer.status, answer.results) == outcome(curve, bits, operation, request.operands)
        seen.add((operation, Status(answer.status)))
        cycles.setdefault(operation, []).append(answer.cycles)
    verify, multiply = Operation.ECDSA_VERIFY, Operation.DOUBLE_MULTIPLY
    assert seen >= {(verify, one) for one in (Status.OK, Status.INVALID, Status.OPERAND_RANGE)}
    assert seen >= {(multiply, one) for one in (Status.OK, Status.NEUTRAL)}
    usual = sorted(cycles[verify])[len(cycles[verify]) // 2]
    assert any(own > 1.3 * usual for own in cycles[verify])


@pytest.fixture(scope="module")
def whole():
    with quick_schedules():
        return whole_core()


@pytest.fixture(scope="module")
def halves(tmp_path_factory):
    """The directory of a core with every protection that it can have."""
    with quick_schedules():
        directory = build(
            check_any(PROTECTED["halves"]), tmp_path_factory.mktemp("halves") / "core"
        )
        _ = directory.made.core.design.controller
    return directory


def netlist_of(core, folder):
    sources, top = kept_verilog.write(Coprocessor, core.design, folder)
    return read_netlist(sources, top, folder, coprocessor_boundary(core.design))


def test_nothing_seen_depends_on_secrets(whole, tmp_path):
    """Windows are public: of the bits of scalars they see those of a verification alone."""
    netlist = netlist_of(whole, tmp_path)
    assert netlist.leaks == ()
    assert netlist.wire("scalar_unit.bit_signal") in netlist.secrets
    public = ("state", "place", "first_digit", "second_digit", "index", "positive")
    assert not {netlist.wire(f"window_recoder.{name}") for name in public} & {*netlist.secrets}
    assert prove_netlist(netlist, out_dir=tmp_path).passed


def test_nothing_seen_depends_on_secret_halves(halves, tmp_path):
    """The same words and bits are halves of secret scalars and of public ones."""
    boundary = coprocessor_boundary(halves.made.core.design)
    sources = halves.sources(top=halves.name)
    netlist = read_netlist(sources, halves.name, tmp_path, boundary)
    assert netlist.leaks == ()
    secret = ("first_bit", "third_bit", "fourth_word", "chosen", "lowest", "partial")
    assert {netlist.wire(f"half_scalars.{name}") for name in secret} <= {*netlist.secrets}
    public = ("state", "place", "index", "is_plain", "is_later")
    assert not {netlist.wire(f"half_scalars.{name}") for name in public} & {*netlist.secrets}
    public = ("state", "place", "third_digit", "fourth_digit", "index", "positive")
    assert not {netlist.wire(f"window_recoder.{name}") for name in public} & {*netlist.secrets}
    assert prove_netlist(netlist, out_dir=tmp_path).passed
    # So one cycle of reset ends a verification, as it does all else.
    assert prove_first_cycles(netlist, out_dir=tmp_path).passed


def test_windows_over_a_secret_scalar_are_found_out(whole, tmp_path, monkeypatch):
    """Without the gate that keeps bits away in all operations but one, nothing is constant."""
    follow = ScalarParts._follow

    def open_to_all(self, m):
        follow(self, m)
        controller = self._controller
        m.d.comb += self._windows.public.eq(controller.public | controller.follow)

    monkeypatch.setattr(ScalarParts, "_follow", open_to_all)
    assert not prove_netlist(netlist_of(whole, tmp_path), out_dir=tmp_path).passed


def test_a_verdict_at_any_time_is_not_enough(whole, tmp_path, monkeypatch):
    """What the proof takes to be public is public while bits are taken, not at other times."""
    elaborate = ScalarParts._follow

    def curious(self, m):
        elaborate(self, m)
        with m.If(self._units[0].bit):
            m.d.comb += self._windows.follow.eq(1)

    monkeypatch.setattr(ScalarParts, "_follow", curious)
    assert netlist_of(whole, tmp_path).leaks


def test_a_key_operation_that_follows_its_scalar_is_refused():
    with quick_schedules():
        design = whole_core().design
        flow = design.operations[0]
        follows = [i for i in every(flow[Operation.ECDSA_VERIFY]) if isinstance(i, Follow)]
        flow[Operation.POINT_MULTIPLY] = [*flow[Operation.POINT_MULTIPLY], *follows]
        with pytest.raises(
            SpecificationError, match=r"POINT_MULTIPLY follows .* secret: only ECDSA"
        ):
            _ = design.controller


def test_a_key_operation_that_follows_all_the_same_gets_zeros(tmp_path, monkeypatch):
    """The bits of its scalar do not come to the windows, whatever its instructions say."""
    # The program is made as if all operations were public; the controller knows better.
    monkeypatch.setattr(
        "residua.hardware.coprocessor.control_program.PUBLIC_OPERATIONS", {*Operation}
    )
    with quick_schedules():
        core = whole_core()
    flow = core.design.operations[0]
    follow = next(i for i in every(flow[Operation.ECDSA_VERIFY]) if isinstance(i, Follow))
    multiply = flow[Operation.POINT_MULTIPLY]
    loop = next(i for i, own in enumerate(multiply) if own == Run("ladder_step", None))
    multiply[loop] = follow
    assert prove_netlist(netlist_of(core, tmp_path), out_dir=tmp_path).passed


def test_public_operations_have_no_secret():
    assert {Operation.ECDSA_VERIFY} == PUBLIC_OPERATIONS
    for count in (2, 4):
        names = ("first", "second", "third", "fourth")[:count]
        assert set(boundary.public_bits(count)) == {f"window_recoder.{n}_bit" for n in names}


def test_wrong_routines_are_found_out(tmp_path, monkeypatch):
    """An output of another sign in one program of each curve; verifications on it tell."""
    wrong = ("window_doubling", "window_addition", "window_table")
    wrong += ("window_table_images", "window_image", "window_image_2")
    routines = verification.routines

    def altered(curve, *, splits):
        made = routines(curve, splits=splits)
        if curve.name in wrong:
            program = made[curve.name]
            own = next(n for n in program.outputs if n not in ("zz", "x0"))
            program.outputs[own] = program.combine("wrong", (program.outputs[own], -1))
        return made

    monkeypatch.setattr(verification, "routines", altered)
    curves = [curve_from_parameters(WITHOUT_A | {"name": name}) for name in wrong]
    with quick_schedules():
        inversion, formula = Inversion.DIVISION_STEPS, Formula.ENDOMORPHISM
        core = EccCore(curves, verifies=True, inversion=inversion, formula=formula)
        made = SimulatedCore(core, tmp_path)
    cases = [
        case
        for case in all_cases(made.design, vectors=1, seed=1)
        if case.operation == Operation.ECDSA_VERIFY
    ]
    requests = [Request(case.operation, case.operands, curve=case.curve) for case in cases]
    answers = made.simulator.run(requests)
    found = {
        curves[case.curve].name
        for case, answer in zip(cases, answers, strict=True)
        if (answer.status, answer.results) != case.expected
    }
    assert found == {*wrong}


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ({"inversion": "fermat"}, "P-256: inversion = 'fermat' needs the registers; take"),
        ({"curve": "Curve25519"}, "Curve25519: it is no short Weierstrass curve"),
        ({"curve": "secp112r2"}, "secp112r2: its order is not a prime of at least 256 alone"),
        ({"algorithm": "sbmm"}, "a core on SBMM does not compute modulo orders"),
        ({"algorithm": "iddmm"}, "ecdsa"),
        ({"ecdsa": "sign"}, "ecdsa"),
    ],
)
def test_what_cannot_be_is_refused(keys, message):
    asked = {"curve": "P-256", "ecdsa": "verify", "inversion": "plus-minus-ct"}
    with pytest.raises(SpecificationError, match=message):
        check_any(asked | keys)


def test_a_build_tells_what_is_public(halves):
    made = halves.made
    (windows,) = made.cycles["windows"]
    told = {own["name"]: own.get("time") for own in made.interface["operations"]}
    assert windows["doubling"] < windows["addition"]
    assert {name for name, time in told.items() if time} == {"ECDSA_VERIFY"}
    assert made.specification.ecdsa == made.parameters["ecdsa"] == "verify"
