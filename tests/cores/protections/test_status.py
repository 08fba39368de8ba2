"""Cores whose status is kept twice, in codes that a few wrong bits do not exchange."""

from itertools import combinations

import pytest

from residua.curves.operations.codes import Status
from residua.curves.protections.status_codes import BITS, PLAIN, StatusCodes
from residua.evidence.attacks.drawing import FaultKind
from residua.evidence.attacks.faults import Attack, attack
from residua.evidence.attacks.victims.victim import HARMFUL, Effect
from residua.hardware.bus.register_map import Capabilities, RegisterMap

SPARSE = StatusCodes(sparse=True)


def test_codes_are_far_from_each_other():
    codes = [SPARSE.of(status) for status in Status]
    assert min((a ^ b).bit_count() for a, b in combinations(codes, 2)) >= 3
    bounds = 0, (1 << BITS) - 1
    assert min((a ^ b).bit_count() for a in codes for b in bounds) >= 2
    assert all(SPARSE.statuses[SPARSE.of(status)] is status for status in Status)


@pytest.mark.parametrize("codes", [PLAIN, SPARSE])
def test_the_registers_have_the_same_ones(codes):
    registers = RegisterMap(Capabilities(1, 1, [1], sparse_status=codes.sparse))
    assert registers.statuses == {status.name.lower(): codes.of(status) for status in Status}
    assert ("sparse_status" in registers["CAPABILITY"].fields) == codes.sparse


@pytest.mark.parametrize("name", ["two shared", "shared comb", "few"])
def test_a_manifest_tells_the_codes(made, name):
    """Drivers of these know them: `test_masked_scalar`, `test_masked_order`."""
    codes = PLAIN if name == "few" else SPARSE
    told = {one["name"]: one["code"] for one in made(name).manifest["interface"]["statuses"]}
    assert told == {status.name: codes.of(status) for status in Status}


WHERE = "controller.status*"


def test_one_wrong_bit_of_a_status_makes_it_another_one(made):
    """Without the protection NOT_ON_CURVE becomes OK, and the host waits for words."""
    asked = Attack(FaultKind.STUCK, count=300, where=WHERE, invalid=True)
    found = attack(made("few"), asked)
    assert found["effects"][Effect.HANG] > 5
    assert {"SMALL_ORDER", "BAD_OPERATION"} <= found["statuses"].keys()


@pytest.mark.parametrize(
    "asked",
    [
        # Those in the end stay.
        Attack(FaultKind.FLIP, count=200, where=WHERE, curve=1, cycles=(5200, 5468)),
        Attack(FaultKind.FLIP, count=300, where=WHERE, curve=1, invalid=True),
        *(
            Attack(kind, count=100, where=WHERE, curve=1, invalid=invalid)
            for kind in (FaultKind.STUCK, FaultKind.SKIP)
            for invalid in (False, True)
        ),
    ],
    ids=lambda asked: f"{asked.kind}-{asked.invalid}",
)
def test_a_wrong_status_is_no_other_one(made, asked):
    found = attack(made("ladders"), asked)
    assert not any(found["effects"].get(effect) for effect in HARMFUL), found["harmful"]
    others = {one.name for one in Status} - {"NOT_ON_CURVE", "OK"}
    assert not others & found["statuses"].keys()
    assert asked.kind is FaultKind.SKIP or any(
        name.startswith("code ") for name in found["statuses"]
    )


@pytest.mark.parametrize("where", ["granted", "operating", "results.releasing"])
def test_nothing_leaves_beside_another_status(made, where):
    """What says that words may leave, stuck at either value."""
    asked = Attack(FaultKind.STUCK, count=100, where=where, curve=1, invalid=True)
    effects = attack(made("ladders"), asked)["effects"]
    assert not effects.get(Effect.WORDS)
    assert not effects.get(Effect.ADMITTED)
