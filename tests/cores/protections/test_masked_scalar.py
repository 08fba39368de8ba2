"""Cores that take secret scalars as two shares, in simulation."""

import random
from dataclasses import replace

import numpy as np
import pytest
from amaranth.hdl import Const
from tests.cores.generated import MONTGOMERY
from tests.cores.protected import CORES
from tests.cores.simulations import directory_simulator
from tests.small_curves import EVEN, MIDDLE, SQUARE, TINY, WITHOUT_A

from residua.cores.bus.driver.client import DriverError
from residua.cores.bus.simulator import BusSimulator
from residua.cores.coprocessor.driver import protocols
from residua.cores.coprocessor.driver.client import Client
from residua.cores.coprocessor.driver.simulated import curves, directory_model, simulated_client
from residua.cores.coprocessor.shipped.driver import verify_driver
from residua.cores.coprocessor.simulator import Request
from residua.cores.directory import Directory, build
from residua.cores.kinds import core_of
from residua.cores.specification.reading import check_any
from residua.curves.formulas import Formula
from residua.curves.operations.codes import Operation, Status
from residua.curves.protections import masked_scalar
from residua.curves.protections.protection import Level, Protection
from residua.errors import SpecificationError
from residua.evidence.attacks import point_groups
from residua.evidence.attacks.groups import Compared
from residua.evidence.attacks.leakage import leakage
from residua.hardware.coprocessor.durations import operation_cycles
from residua.hardware.coprocessor.scalars.unit import ScalarUnit

SHARED = {"bus": "stream", "protections": "masked-scalar"}

MULTIPLICATIONS = (Operation.POINT_MULTIPLY, Operation.BASE_MULTIPLY, Operation.X_MULTIPLY)


def test_shares_are_looked_at_one_by_one(made):
    """The sum of two that fit may have a bit more; one that does not is refused, either one."""
    directory = made("shared comb")
    scalars = directory.made.core.design.scalars
    (curve,), (bits,) = scalars.curves, scalars.bits
    n, largest = curve.order, (1 << bits) - 1
    point = curve.base_point
    pairs = [(largest, largest), (0, 0), (1, n - 1), (largest + 1, 0), (0, largest + 1)]
    found = directory_simulator(directory).run(
        [Request(Operation.POINT_MULTIPLY, (*pair, *point)) for pair in pairs]
    )
    assert [answer.status for answer in found] == [
        Status.OK, Status.NEUTRAL, Status.NEUTRAL, Status.SCALAR_RANGE, Status.SCALAR_RANGE,
    ]  # fmt: skip


def test_a_sum_of_public_multiples_takes_its_scalars_as_they_are(made):
    directory = made("shared comb")
    assert operands(directory, Operation.DOUBLE_MULTIPLY) == "k, l, x1, y1, x2, y2"
    assert operands(directory, Operation.POINT_MULTIPLY) == "k0, k1, x, y"
    assert operands(made("shared comb"), Operation.ORDER_SIGN) == "k0, d0, k1, d1, r, z"


def operands(directory, operation):
    found = directory.manifest["interface"]["operations"]
    return next(one for one in found if one["code"] == operation)["forms"][0]["operands"]


def test_directories_tell_what_they_take(made):
    directory = Directory.open(made("shared comb").path)
    assert directory.manifest["parameters"]["protections"][-1] == "masked-scalar"
    readme = (directory.path / "README.md").read_text(encoding="utf-8")
    for text in ("A secret k comes as two shares", "| k0, k1, x, y |", "| operand 2 |"):
        assert text in readme
    assert len(directory.manifest["example"]["operands"]) == 2


def test_shares_make_the_numbers_again():
    draw = random.Random(1)
    for operation, names in (
        (Operation.X_MULTIPLY, ["k", "x", "y"]),
        (Operation.ORDER_SIGN, ["k", "d", "r", "z"]),
        (Operation.FIELD_INVERT, ["a"]),
    ):
        numbers = [draw.randrange(97) for _ in names]
        given = masked_scalar.split(operation, numbers, 97, draw)
        joined = masked_scalar.joined(operation, given)
        assert [number % 97 for number in joined] == numbers
        shared = masked_scalar.shared_names(operation, names)
        assert len(shared) == len(given)
        assert masked_scalar.whole_names(operation, shared) == names


COMB = Compared(traces=96, operation="BASE_MULTIPLY")
"""A ladder takes longer, and far more traces; the campaign of leakage has some."""

SIGN = Compared(traces=200, operation="ORDER_SIGN")


def before_the_result(directory, asked, folder):
    """The threshold, and the largest t of phases before the result, of first and second order.

    A fixed scalar has a fixed result.
    """
    found = leakage(directory, asked, keep=folder / "traces.npz")
    orders = []
    with np.load(folder / "traces.npz") as kept:
        for t in (kept["t1"], kept["t2"]):
            largest = {}
            starts = kept["starts"].tolist()
            for name, first, end in zip(kept["phases"], starts, [*starts[1:], None], strict=True):
                if name.endswith("_result"):
                    break
                largest[name] = max(largest.get(name, 0), abs(t[first:end]).max())
            orders.append(largest)
    return found["threshold"], *orders


def test_traces_tell_nothing_of_a_scalar(made, tmp_path):
    """From its first word to the coordinates of the result."""
    threshold, *orders = before_the_result(made("shared comb"), COMB, tmp_path)
    for found in orders:
        assert {"read comb scalar", "comb_addition", "square"} < found.keys()
        assert max(found.values()) < threshold, found


@pytest.mark.parametrize("operand", [0, 1])
def test_traces_tell_nothing_of_key_and_nonce(made, operand):
    """Neither while they are read and multiplied by the factor: only of s, which leaves."""
    found = leakage(made("shared comb"), replace(SIGN, operand=operand))
    assert found["operand"] == "kd"[operand]
    for order in ("first", "second"):
        assert {"load", "masked_d", "second_masked_y"} < found[order]["phases"].keys()
        assert found[order]["t"] < found["threshold"], found[order]["phases"]


def test_a_share_that_is_always_the_same_hides_nothing(made, monkeypatch):
    """A planted fault: the other share is the secret then, as in a core that takes one number."""

    monkeypatch.setattr(
        point_groups,
        "given_operands",
        lambda design, curve, operation, operands, draw: (*operands[:2], 0, 0, *operands[2:]),
    )
    found = leakage(made("shared comb"), SIGN)
    assert found["first"]["phases"]["load"] > 2 * found["threshold"]
    assert found["second"]["phases"]["masked_d"] > found["threshold"]


def test_a_sum_that_nothing_hides_is_found(monkeypatch, tmp_path):
    """A planted fault: what blinds the first share is 0, so that registers have the scalar."""
    monkeypatch.setattr(ScalarUnit, "_chosen", lambda *_: Const(0, 1))
    keys = CORES["shared comb"] | {"bus": "stream", "protections": "masked-scalar"}
    directory = build(check_any(keys), tmp_path / "core")
    threshold, *orders = before_the_result(directory, COMB, tmp_path)
    for found in orders:
        assert min(found["read comb scalar"], found["comb_addition"]) > threshold


def test_cycles_beside_those_of_one_number(made):
    """A pass over the words of what blinds the scalar and of the scalar, and two cycles."""
    design = made("shared comb").made.core.design
    bare = [one for one in CORES["shared comb"]["protections"] if one != Protection.MASKED_SCALAR]
    other = core_of(check_any(CORES["shared comb"] | {"protections": bare})).core.design
    layout = design.scalars.layout
    passes = layout.end - layout.base + layout.random_words[0] + 2
    assert set(MULTIPLICATIONS) <= design.operation_codes
    for operation in MULTIPLICATIONS:
        times = [operation_cycles(own, operation, 0) for own in (design, other)]
        assert times[0] - times[1] == passes


@pytest.mark.parametrize("name", ["two shared", "shared comb"])
def test_drivers_make_shares_and_take_them(made, name):
    directory = made(name)
    assert verify_driver(directory, directory.made.core.design) == []


def test_the_driver_in_python_makes_shares_and_takes_them(made):
    """Shares have to be new each time: the scalar alone is never a word on the bus."""
    client = simulated_client(made("two shared"))
    size, n = client.curves[0].order_size, client.curves[0].order
    draw, sent = random.Random(1), []
    execute = client.execute
    client.execute = lambda operation, curve, operands, results: (
        sent.append(operands),
        execute(operation, curve, operands, results),
    )[1]
    k, d = (draw.randrange(1, n) for _ in range(2))
    scalar = k.to_bytes(size)
    points = {client.base_multiply(0, scalar) for _ in range(2)}
    first = draw.randrange(n)
    points.add(client.base_multiply(0, (first.to_bytes(size), ((k - first) % n).to_bytes(size))))
    assert len(points) == 1
    (one, two, given) = sent
    assert [sum(pair) % n for pair in sent] == [k] * 3
    assert one != two
    assert given[0] == first
    sent.clear()
    signature = protocols.ecdsa_sign(client, 0, d.to_bytes(size), b"digest", scalar)
    assert len(signature) == 2 * size
    (k0, d0, k1, d1, *_) = sent[-1]
    assert ((k0 + k1) % n, (d0 + d1) % n) == (k, d)


@pytest.mark.parametrize(
    ("random_word", "error", "message"),
    [
        (None, SpecificationError, "give random to make them"),
        (lambda: 0xFFFFFFFF, DriverError, "64 random numbers of 40 bits were all too large"),
    ],
)
def test_a_driver_without_random_words_makes_no_shares(made, random_word, error, message):
    simulator = BusSimulator(directory_model(made("two shared")), seed=1)
    registers = simulator.model.registers
    client = Client(simulator, registers, curves(made("two shared")), random=random_word)
    with pytest.raises(error, match=message):
        client.base_multiply(0, (5).to_bytes(client.curves[0].order_size))


def test_shares_for_a_core_that_takes_one_number_are_refused(made):
    client = simulated_client(made("few"))
    share = (5).to_bytes(client.curves[0].order_size)
    with pytest.raises(SpecificationError, match="takes no shares of a secret"):
        client.base_multiply(0, (share, share))


REFUSED = {
    "halves": ({"curve": [WITHOUT_A], "formula": "endomorphism"}, "takes halves"),
    "differences": ({"curve": "secp112r1", "formula": "difference-ladder"}, "as a whole"),
    "no blinding": ({"curve": [TINY], "blinding": 0}, "blinding = 0 has none"),
    "twist": ({"curve": [MONTGOMERY]}, "that of a point of the twist"),
    "cofactor": ({"curve": [TINY, EVEN], "algorithm": "iddmm"}, "even, with cofactor = 4"),
    "SBMM": ({"curve": [SQUARE], "algorithm": "sbmm"}, "with cofactor"),
    "digits": (
        {"curve": "secp112r1", "algorithm": "iddmm", "formula": "difference-ladder"},
        "as a whole",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_where_it_cannot_be_it_is_refused(name):
    keys, reason = REFUSED[name]
    with pytest.raises(SpecificationError, match=f"protections: masked-scalar: .*{reason}"):
        _ = core_of(check_any(SHARED | keys)).core


def test_no_formula_is_chosen_that_cannot_have_it():
    """Where the ladder on differences would be the fastest one."""
    keys = {"curve": [MIDDLE], "bus": "stream", "blinding": 0}
    bare = core_of(check_any(keys)).core.design
    shared = core_of(check_any(keys | {"blinding": "auto"} | SHARED)).core.design
    assert bare.formulas == (Formula.DIFFERENCE_LADDER,)
    assert shared.formulas != bare.formulas


def test_no_level_has_it():
    """It changes what a core takes, and what formulas there are for it."""
    assert not any(Protection.MASKED_SCALAR in level.protections for level in Level)
