"""Cores that check the words of a result, in simulation."""

import pytest
from tests.cores.protected import CORES, MOST
from tests.small_curves import TINY

from residua.cores.kinds import core_of
from residua.cores.specification.reading import check_any
from residua.curves.operations.codes import Operation, Status
from residua.curves.operations.instructions import Deliver, Receive
from residua.errors import SpecificationError
from residua.evidence.attacks.drawing import FaultKind
from residua.evidence.attacks.faults import Attack, attack
from residua.evidence.attacks.victims.victim import HARMFUL

CONSTANTS = Attack(FaultKind.MEMORY, count=75, where="converter.*constants*")


def test_wrong_constants_of_the_converter_are_found(made):
    """They do harm where words are not checked: a planted fault."""
    without, found = (attack(made(name), CONSTANTS) for name in ("few", "ladders"))
    assert sum(without["effects"].get(effect, 0) for effect in HARMFUL) > 10
    assert not any(found["effects"].get(effect) for effect in HARMFUL), found["harmful"]
    assert found["statuses"][Status.FAULT.name] > 10


@pytest.mark.parametrize("name", list(CORES))
def test_every_result_of_a_multiplication_is_read_again(made, name):
    design = made(name).made.core.design
    for group in design.operations:
        for operation, instructions in group.items():
            kept = instructions.count(Receive())
            if Receive("nonzero", Status.FAULT) in instructions and name in MOST:
                assert instructions[-1] == Receive("nonzero", Status.FAULT)
                assert instructions.count(Deliver("operand")) == kept > 0
            elif operation is not Operation.ECDSA_VERIFY:
                assert Deliver("operand") not in instructions


def test_without_an_exit_check_it_is_refused():
    keys = {"curve": [TINY], "blinding": 0, "protections": "conversion-check,scalar-check"}
    with pytest.raises(SpecificationError, match="take the words that leave: name both"):
        _ = core_of(check_any(keys)).core
