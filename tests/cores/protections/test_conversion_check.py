"""Cores that check the words of a result, in simulation."""

import pytest
from tests.cores.generated import MONTGOMERY
from tests.small_curves import EVEN, SQUARE, TINY, WITHOUT_A

from residua.cores.kinds import core_of
from residua.cores.specification.reading import check_any
from residua.curves.operations import Deliver, Operation, Receive, Status
from residua.errors import SpecificationError
from residua.evidence.attacks.drawing import FaultKind
from residua.evidence.attacks.faults import HARMFUL, Attack, attack

BOTH = "exit-check,conversion-check"

CHECKED = {"bus": "stream", "blinding": 0, "protections": BOTH}

CORES = {
    "three curves, comb": CHECKED
    | {"curve": [TINY, MONTGOMERY, EVEN], "fixed_base": "comb", "comb_teeth": 2},
    "signatures, halves": CHECKED
    | {"curve": [WITHOUT_A], "formula": "endomorphism", "ecdsa": "verify"}
    | {"inversion": "plus-minus-ct", "protections": f"{BOTH},control-signature"},
    "division steps": CHECKED
    | {"curve": [TINY], "inversion": "division-steps", "formula": "xz-ladder"},
    "digits": CHECKED
    | {"curve": [TINY], "algorithm": "iddmm", "digit": 11, "formula": "fixed-window"},
    "SBMM": CHECKED | {"curve": [SQUARE], "algorithm": "sbmm"},
    "exit-check": CHECKED | {"curve": [TINY], "protections": "exit-check"},
    "one curve": CHECKED | {"curve": [TINY]},
}

CONSTANTS = Attack(FaultKind.MEMORY, count=400, where="converter.*constants*")


@pytest.mark.parametrize("name", [name for name in CORES if name != "exit-check"])
def test_results_are_what_they_were(made, check_results, name):
    """With pauses and resets, in the times that are told."""
    check_results(made(name))


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
