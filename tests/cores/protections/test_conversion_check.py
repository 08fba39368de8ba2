"""Cores that check the words of a result, in simulation."""

import pytest
from tests.cores import protected
from tests.small_curves import TINY

from residua.cores.kinds import core_of
from residua.cores.specification.reading import check_any
from residua.curves.operations.codes import Operation, Status
from residua.curves.operations.instructions import Deliver, Receive
from residua.errors import SpecificationError
from residua.evidence.attacks.drawing import FaultKind
from residua.evidence.attacks.faults import Attack, attack
from residua.evidence.attacks.victims.victim import HARMFUL

CHECKED = {"bus": "stream", "blinding": 0, "protections": "exit-check,conversion-check"}

CORES = {
    "all, combs": protected.COMBS,
    "all, halves": protected.HALVES,
    "all, division steps": protected.DIVISION_STEPS,
    "all, digits": protected.DIGITS,
    "all, SBMM": protected.SINGLE_BASE,
    "exit-check": CHECKED | {"curve": [TINY], "protections": "exit-check"},
    "one curve": CHECKED | {"curve": [TINY]},
}

CONSTANTS = Attack(FaultKind.MEMORY, count=150, where="converter.*constants*")


def test_results_are_what_they_were(made, check_results):
    """With pauses and resets, in the times that are told."""
    check_results(made("one curve"))


def test_wrong_constants_of_the_converter_are_found(made):
    """They are not by the check of the residues: a planted fault that it does not see."""
    without, found = (attack(made(name), CONSTANTS) for name in ("exit-check", "one curve"))
    assert sum(without["effects"].get(effect, 0) for effect in HARMFUL) > 10
    assert not any(found["effects"].get(effect) for effect in HARMFUL), found["harmful"]
    assert found["statuses"][Status.FAULT.name] > 10


def test_every_result_of_a_multiplication_is_read_again(made):
    for name in CORES:
        design = made(name).made.core.design
        for group in design.operations:
            for operation, instructions in group.items():
                kept = instructions.count(Receive())
                if Receive("nonzero", Status.FAULT) in instructions and name != "exit-check":
                    assert instructions[-1] == Receive("nonzero", Status.FAULT)
                    assert instructions.count(Deliver("operand")) == kept > 0
                elif operation is not Operation.ECDSA_VERIFY:
                    assert Deliver("operand") not in instructions


def test_without_an_exit_check_it_is_refused():
    asked = check_any(CORES["one curve"] | {"protections": "conversion-check,scalar-check"})
    with pytest.raises(SpecificationError, match="take the words that leave: name both"):
        _ = core_of(asked).core
