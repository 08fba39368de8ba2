"""Cores that sign under a random factor, in simulation."""

import hashlib
import random

import pytest
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, utils
from tests.cores.generated import MONTGOMERY
from tests.cores.simulations import directory_simulator
from tests.small_curves import SQUARE, TINY

from residua.algorithms.fields.field import evaluate
from residua.cores.bus.driver.client import CoreError
from residua.cores.bus.simulator import BusSimulator
from residua.cores.coprocessor.driver import protocols
from residua.cores.coprocessor.driver.client import Client
from residua.cores.coprocessor.driver.simulated import curves, directory_model, simulated_client
from residua.cores.coprocessor.outcomes import given_operands
from residua.cores.coprocessor.shipped.driver import verify_driver
from residua.cores.coprocessor.simulator import Request, build_coprocessor_simulator
from residua.cores.kinds import core_of
from residua.cores.proofs.netlist import write_verilog
from residua.cores.specification.reading import check_any
from residua.curves import affine
from residua.curves.catalogue import find_curve
from residua.curves.operations.codes import Operation, Status
from residua.curves.operations.instructions import Invert, Read, Receive, Run
from residua.curves.operations.routines import common_routines
from residua.curves.parameters import curve_from_parameters
from residua.curves.protections import masked_order, masked_scalar
from residua.curves.protections.protection import Protection
from residua.errors import SpecificationError
from residua.evidence.attacks.groups import Compared
from residua.evidence.attacks.leakage import leakage
from residua.hardware.coprocessor.coprocessor import Coprocessor
from residua.hardware.coprocessor.durations import operation_cycles

MASKED = {"curve": [TINY], "bus": "stream", "blinding": 0, "protections": "masked-order"}

SIGNING = ("few", "ladders", "halves", "digits", "shared comb")

BEFORE = {"read random", "read operand", "load"}
"""Phases of an operation in which its numbers come in, and are bare."""


def signs(directory):
    """Curves of a core that sign, by their indices."""
    curves = directory.made.core.curves
    return [i for i, curve in enumerate(curves) if curve.form == "weierstrass"]


def signing(design, curve, numbers, **options):
    """A request for (z + r d) / k of the numbers k, d, r and z."""
    own = given_operands(design, curve, Operation.ORDER_SIGN, numbers, random.Random(1))
    return Request(Operation.ORDER_SIGN, own, curve=curve, **options)


@pytest.mark.parametrize("name", ["few", "ladders"])
def test_cycles_are_fewer_than_those_of_three_operations(made, name):
    """Those that are told; of the other cores the comparison of results compares them."""
    directory = made(name)
    design = directory.made.core.design
    for curve in signs(directory):
        (answer,) = directory_simulator(directory).run([signing(design, curve, (5, 7, 11, 13))])
        n = design.curves[curve].order
        assert answer.results == ((13 + 11 * 7) * pow(5, -1, n) % n,)
        assert answer.cycles == operation_cycles(design, Operation.ORDER_SIGN, curve)
        three = (Operation.ORDER_MULTIPLY_ADD, Operation.ORDER_INVERT, Operation.ORDER_MULTIPLY)
        # The numbers in between do not leave and come in again.
        assert answer.cycles < sum(operation_cycles(design, one, curve) for one in three)


def test_five_products_and_an_inversion():
    """Four of them in reductions of their own."""
    runs = [getattr(one, "routine", "") for one in masked_order.instructions()]
    programs = [one for name, one in masked_order.routines().items() if name in runs]
    products = sum(len(op.products) for one in programs for op in one.operations)
    assert products + runs.count("multiply_x") == 5


def by_instructions(n, numbers, factor, *, shared):
    """The number that leaves in the end, modulo n, by plain integers."""
    flow, given, state = masked_order.instructions(shared=shared), iter(numbers), {}
    runs = [one.routine for one in flow if isinstance(one, Run)]
    copies = {tuple(name.split("_")[1:]) for name in runs if name.startswith("copy_")}
    programs = common_routines(copies) | masked_order.routines()
    for one in flow:
        if isinstance(one, Read):
            state["number"] = factor if one.source == "random" else next(given)
        elif isinstance(one, Invert):
            state["inverse"] = pow(state["d"], -1, n)
        elif isinstance(one, Run) and one.routine in programs:
            program = programs[one.routine]
            state |= evaluate(program, n, {name: state[name] for name in program.inputs})
    return state["number"]


@pytest.mark.parametrize("shared", [False, True])
def test_openssl_takes_what_the_instructions_give(shared):
    curve, draw = find_curve("P-256"), random.Random(2)
    n = curve.order
    d, k, factor = (draw.randrange(1, n) for _ in range(3))
    digest = hashlib.sha256(b"signed").digest()
    r = affine.multiply(curve, k, curve.base_point)[0] % n
    numbers = (k, d, r, int.from_bytes(digest) % n)
    if shared:
        numbers = masked_scalar.split(Operation.ORDER_SIGN, numbers, n, draw)
    s = by_instructions(n, numbers, factor, shared=shared)
    public = ec.derive_private_key(d, ec.SECP256R1()).public_key()
    algorithm = ec.ECDSA(utils.Prehashed(hashes.SHA256()))
    public.verify(utils.encode_dss_signature(r, s), digest, algorithm)


def test_only_curves_with_signatures_have_it(made):
    groups = made("ladders").made.core.design.operations
    assert [Operation.ORDER_SIGN in group for group in groups] == [False, True, True]


@pytest.mark.parametrize("name", SIGNING)
def test_a_factor_of_zero_is_refused(made, name):
    """Also a multiple of the order; the operand that is 0 has a status of its own."""
    directory = made(name)
    design = directory.made.core.design
    for curve in signs(directory):
        n = design.curves[curve].order
        numbers, words = (5, 7, 11, 13), {0} | ({n} if design.words == 1 else set())
        stuck = [signing(design, curve, numbers, supply=word) for word in words]
        none = signing(design, curve, (0, *numbers[1:]))
        again = signing(design, curve, numbers)
        found = directory_simulator(directory).run([*stuck, none, again])
        statuses = [answer.status for answer in found]
        assert statuses == [*[Status.RANDOM_ZERO] * len(words), Status.NO_INVERSE, Status.OK]
        assert not any(answer.results for answer in found[:-1])


def test_without_that_test_it_would_be_released(monkeypatch, tmp_path):
    """A planted fault, which `test_a_factor_of_zero_is_refused` would find: 0 comes for s."""
    monkeypatch.setattr(masked_order, "stop_if", lambda *_: [])
    core = core_of(check_any(MASKED | {"name": "blind"})).core
    sources, top = write_verilog(Coprocessor(core.design), tmp_path)
    simulator = build_coprocessor_simulator(sources, top, core.design)
    request = Request(Operation.ORDER_SIGN, (5, 7, 11, 13), supply=0)
    (answer,) = simulator.run([request])
    assert (answer.status, answer.results) == (Status.OK, (0,))


def test_all_operands_are_taken_before_any_is_refused():
    instructions = masked_order.instructions()
    tests = [i for i, own in enumerate(instructions) if isinstance(own, Receive) and own.stop]
    reads = [i for i, own in enumerate(instructions) if type(own).__name__ == "Read"]
    assert max(reads) < min(tests)


@pytest.mark.parametrize(("operand", "own"), [(0, "masked_d"), (1, "masked_y")])
def test_traces_tell_nothing_of_key_and_nonce_behind_the_factor(made, operand, own):
    """Up to the product with the factor they do."""
    asked = Compared(traces=300, operation="ORDER_SIGN", operand=operand)
    found = leakage(made("few"), asked)
    assert found["operand"] == "kd"[operand]
    for order in (found["first"], found["second"]):
        behind = {k: t for k, t in order["phases"].items() if k not in BEFORE | {own}}
        assert {"masked_sum", "unload", "square", "multiply", "multiply_x"} < behind.keys()
        assert max(behind.values()) < found["usual"], behind
    assert found["first"]["phases"]["load"] > found["threshold"]


@pytest.mark.parametrize(
    ("asked", "phase"),
    [
        (Compared(traces=100, operation="ORDER_INVERT"), "square"),
        (Compared(operation="ORDER_MULTIPLY_ADD", operand=1), "multiply_add"),
        # A planted fault: the factor is 1 whenever it is drawn.
        (Compared(traces=100, operation="ORDER_SIGN", random_word=1), "square"),
    ],
)
def test_without_the_factor_they_do(made, asked, phase):
    found = leakage(made("few"), asked)
    assert found["first"]["phases"][phase] > found["threshold"]


def test_drivers_sign_with_it(made):
    """They take no shares, and say so."""
    directory = made("few")
    assert verify_driver(directory, directory.made.core.design) == []


def test_a_driver_whose_random_words_are_stuck_gets_nothing(made):
    directory = made("few")
    simulator = BusSimulator(directory_model(directory), seed=1)
    client = Client(simulator, simulator.model.registers, curves(directory), random=lambda: 0)
    numbers = [number.to_bytes(client.curves[0].order_size) for number in (5, 7, 11, 13)]
    with pytest.raises(CoreError) as caught:
        client.sign_numbers(0, *numbers)
    assert caught.value.status == "random_zero"


def test_a_signature_is_as_without_it(made):
    """Bit by bit; the driver in Python takes what the core has."""
    client, asked = simulated_client(made("few")), []
    execute = client.execute
    client.execute = lambda operation, *rest: (asked.append(operation), execute(operation, *rest))[
        1
    ]
    draw = random.Random(1)
    curve, n, size = curve_from_parameters(TINY), TINY["order"], client.curves[0].order_size
    key, nonce = (draw.randrange(1, n) for _ in range(2))
    digest = hashlib.sha256(b"signed").digest()
    found = protocols.ecdsa_sign(client, 0, key.to_bytes(size), digest, nonce.to_bytes(size))
    assert "order_sign" in asked
    assert "order_invert" not in asked
    r = affine.multiply(curve, nonce, curve.base_point)[0] % n
    z = int.from_bytes(digest) >> 256 - n.bit_length()
    s = (z + r * key) * pow(nonce, -1, n) % n
    assert found == r.to_bytes(size) + s.to_bytes(size)


@pytest.mark.parametrize(
    ("keys", "reason"),
    [
        ({"curve": [SQUARE], "algorithm": "sbmm"}, "algorithm = 'sbmm' has none"),
        ({"curve": [MONTGOMERY]}, "no curve of the core has them"),
    ],
)
def test_where_it_cannot_be_it_is_refused(keys, reason):
    asked = MASKED | keys
    with pytest.raises(SpecificationError, match=f"protections: masked-order: .*{reason}"):
        _ = core_of(check_any(asked)).core
    high = check_any(asked | {"protections": "high"})
    assert reason in high.left_out[Protection.MASKED_ORDER]
    assert Protection.MASKED_ORDER not in high.chosen_protections
    assert core_of(high).core.design.operation_codes.isdisjoint({Operation.ORDER_SIGN})
