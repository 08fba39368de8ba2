"""Cores that sign under a random factor, in simulation."""

import hashlib
import random

import pytest
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, utils
from tests.cores import protected
from tests.cores.generated import MONTGOMERY
from tests.cores.simulations import directory_simulator
from tests.small_curves import SQUARE, TINY

from residua.cores.bus.driver.client import CoreError
from residua.cores.bus.simulator import BusSimulator
from residua.cores.coprocessor.boundary import coprocessor_boundary
from residua.cores.coprocessor.driver import protocols
from residua.cores.coprocessor.driver.client import Client
from residua.cores.coprocessor.driver.simulated import curves, directory_model, simulated_client
from residua.cores.coprocessor.shipped.driver import verify_driver
from residua.cores.coprocessor.simulator import Request, build_coprocessor_simulator
from residua.cores.kinds import core_of
from residua.cores.proofs.constant_time import prove_netlist
from residua.cores.proofs.netlist import read_netlist, write_verilog
from residua.cores.specification.reading import check_any
from residua.curves.operations.codes import Operation, Status
from residua.curves.operations.instructions import Receive
from residua.curves.protections import masked_order
from residua.curves.protections.protection import Protection
from residua.errors import SpecificationError
from residua.evidence.attacks.groups import Compared
from residua.evidence.attacks.leakage import leakage
from residua.hardware.coprocessor.coprocessor import Coprocessor
from residua.hardware.coprocessor.durations import operation_cycles

MASKED = {"bus": "stream", "blinding": 0, "protections": "masked-order"}

CORES = {
    "one curve": MASKED | {"curve": [TINY]},
    "all, three curves, comb": protected.COMBS,
    "all, signatures, halves": protected.HALVES,
    "all, division steps": protected.DIVISION_STEPS,
    "all, digits": protected.DIGITS,
    "Wishbone": {"curve": [TINY], "bus": "wishbone", "protections": "masked-order"},
    "Wishbone, bare": {"curve": [TINY], "bus": "wishbone"},
    "P-192": MASKED | {"curve": "P-192", "bus": "axi"} | {"inversion": "plus-minus-ct"},
}

SMALL = [name for name in CORES if "Wishbone" not in name and name != "P-192"]

BEFORE = {"read random", "read operand", "load"}
"""Phases of an operation in which its numbers come in, and are bare."""


def signs(directory):
    """Curves of a core that sign, by their indices."""
    curves = directory.made.core.curves
    return [i for i, curve in enumerate(curves) if curve.form == "weierstrass"]


def test_results_are_those_of_plain_integers(made, check_results):
    """Extreme numbers and refused ones, too, with pauses and resets."""
    check_results(made("one curve"))


@pytest.mark.parametrize("name", SMALL)
def test_cycles_are_those_that_are_told(made, name):
    directory = made(name)
    design = directory.made.core.design
    for curve in signs(directory):
        (answer,) = directory_simulator(directory).run(
            [Request(Operation.ORDER_SIGN, (5, 7, 11, 13), curve=curve)]
        )
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


def test_only_curves_with_signatures_have_it(made):
    groups = made("all, three curves, comb").made.core.design.operations
    assert [Operation.ORDER_SIGN in group for group in groups] == [False, True, True]


@pytest.mark.parametrize("name", SMALL)
def test_a_factor_of_zero_is_refused(made, name):
    """Also a multiple of the order; the operand that is 0 has a status of its own."""
    directory = made(name)
    for curve in signs(directory):
        n = directory.made.core.curves[curve].order
        numbers, words = (5, 7, 11, 13), {0} | ({n} if n < 1 << 32 else set())
        stuck = [Request(Operation.ORDER_SIGN, numbers, curve=curve, supply=w) for w in words]
        none = Request(Operation.ORDER_SIGN, (0, *numbers[1:]), curve=curve)
        again = Request(none.operation, numbers, curve)
        found = directory_simulator(directory).run([*stuck, none, again])
        statuses = [answer.status for answer in found]
        assert statuses == [*[Status.RANDOM_ZERO] * len(words), Status.NO_INVERSE, Status.OK]
        assert not any(answer.results for answer in found[:-1])


def test_without_that_test_it_would_be_released(monkeypatch, tmp_path):
    """A planted fault, which `test_a_factor_of_zero_is_refused` would find: 0 comes for s."""
    monkeypatch.setattr(masked_order, "stop_if", lambda *_: [])
    core = core_of(check_any(CORES["one curve"] | {"name": "blind"})).core
    sources, top = write_verilog(Coprocessor(core.design), tmp_path)
    simulator = build_coprocessor_simulator(sources, top, core.design, optimise=False)
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
    asked = Compared(traces=400, operation="ORDER_SIGN", operand=operand)
    found = leakage(made("one curve"), asked)
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
    found = leakage(made("one curve"), asked)
    assert found["first"]["phases"][phase] > found["threshold"]


def test_time_depends_on_what_is_tested_alone(tmp_path):
    core = core_of(check_any(CORES["one curve"] | {"blinding": "auto"})).core
    sources, top = write_verilog(Coprocessor(core.design), tmp_path)
    netlist = read_netlist(sources, top, tmp_path, coprocessor_boundary(core.design))
    assert not netlist.leaks
    assert prove_netlist(netlist, out_dir=tmp_path).passed


def test_drivers_sign_with_it(made):
    directory = made("Wishbone")
    assert verify_driver(directory, directory.made.core.design) == []


def test_a_driver_whose_random_words_are_stuck_gets_nothing(made):
    directory = made("Wishbone")
    simulator = BusSimulator(directory_model(directory, optimise=False), seed=1)
    client = Client(simulator, simulator.model.registers, curves(directory), random=lambda: 0)
    numbers = [number.to_bytes(client.curves[0].order_size) for number in (5, 7, 11, 13)]
    with pytest.raises(CoreError) as caught:
        client.sign_numbers(0, *numbers)
    assert caught.value.status == "random_zero"


def test_signatures_do_not_depend_on_it(made):
    """Bit by bit; the driver in Python takes what the core has."""
    found = []
    for name in ("Wishbone", "Wishbone, bare"):
        client = simulated_client(made(name))
        asked = []
        execute = client.execute
        client.execute = lambda operation, *rest, own=execute, to=asked: (
            to.append(operation),
            own(operation, *rest),
        )[1]
        draw = random.Random(1)
        size = client.curves[0].order_size
        key, nonce = (draw.randrange(1, TINY["order"]).to_bytes(size) for _ in range(2))
        found.append(protocols.ecdsa_sign(client, 0, key, b"digest", nonce))
        assert ("order_sign" in asked) == ("order_invert" not in asked) == (name == "Wishbone")
    assert found[0] == found[1]


def test_openssl_takes_the_signatures(made):
    client = simulated_client(made("P-192"))
    draw = random.Random(2)
    private, nonce = (draw.randrange(1, client.curves[0].order) for _ in range(2))
    digest = hashlib.sha256(b"signed").digest()
    made_by_core = protocols.ecdsa_sign(client, 0, private.to_bytes(24), digest, nonce.to_bytes(24))
    r, s = (int.from_bytes(half) for half in (made_by_core[:24], made_by_core[24:]))
    public = ec.derive_private_key(private, ec.SECP192R1()).public_key()
    algorithm = ec.ECDSA(utils.Prehashed(hashes.SHA256()))
    public.verify(utils.encode_dss_signature(r, s), digest, algorithm)


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
