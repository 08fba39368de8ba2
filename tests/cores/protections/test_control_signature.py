"""Cores that hold what they run against what they have to run, in simulation."""

import pytest
from tests.cores.protected import CORES
from tests.cores.simulations import directory_simulator
from tests.small_curves import TINY

from residua.cores.directory import build
from residua.cores.specification.reading import check_any
from residua.curves.operations.codes import PUBLIC_OPERATIONS, Operation, Status
from residua.evidence.attacks.drawing import FaultKind
from residua.evidence.attacks.faults import Attack, attack
from residua.evidence.attacks.victims.victim import HARMFUL, Effect
from residua.hardware.coprocessor.control_program import ControlProgram

SIGNED = {"curve": [TINY], "bus": "stream", "blinding": 0, "protections": "control-signature"}


@pytest.mark.parametrize("name", [name for name in CORES if name != "few, halves"])
def test_every_operation_has_a_signature_of_its_own(made, name):
    program = made(name).made.core.design.controller.program
    signed = [word for word in program.words if word.get("signed")]
    whole = [key for key in program.entries if key[0] not in PUBLIC_OPERATIONS]
    assert len(signed) == len(whole)
    assert len({(word["signature"], word["flow"]) for word in signed}) == len(signed)


def test_an_operation_with_another_signature_is_a_fault(tmp_path, monkeypatch):
    """A bit of either part is wrong, each of one operation, and no other one is a fault."""
    signatures = ControlProgram._signatures

    def wrong(program, operation, *arguments):
        signature, flow = signatures(program, operation, *arguments)
        return (
            signature ^ (operation == Operation.FIELD_MULTIPLY) << 6,
            flow ^ (operation == Operation.ORDER_MULTIPLY) << 6,
        )

    monkeypatch.setattr(ControlProgram, "_signatures", wrong)
    monkeypatch.setattr("residua.cores.kept_files.MAKERS_STATE", "wrong")
    simulator = directory_simulator(build(check_any(SIGNED | {"name": "wrong"}), tmp_path / "core"))
    found = {
        operation.name: simulator.operate(operation, *operands).status
        for operation, operands in (
            (Operation.FIELD_MULTIPLY, (5, 7)),
            (Operation.ORDER_MULTIPLY, (5, 7)),
            (Operation.FIELD_INVERT, (5,)),
            (Operation.BASE_MULTIPLY, (5,)),
        )
    }
    assert found == {
        "FIELD_MULTIPLY": Status.FAULT,
        "ORDER_MULTIPLY": Status.FAULT,
        "FIELD_INVERT": Status.OK,
        "BASE_MULTIPLY": Status.OK,
    }


@pytest.mark.parametrize(
    ("name", "where", "count"),
    [
        ("ladders", "controller.*", 150),
        ("few", "controller.pause", 50),
        ("few", "processor.sequencer.rounds", 50),
        ("few, digits", "processor.rounds_left", 50),
    ],
)
def test_another_way_through_the_program_is_withheld(made, name, where, count):
    """Wrong states, addresses, counts of rounds, pauses."""
    found = attack(made(name), Attack(count=count, where=where, cycles=(0, 3000)))
    assert found["statuses"][Status.FAULT.name] > 5
    # A scalar that is read once more at the wrong time is no other way.
    assert found["harmful"].keys() <= {"controller.read_scalar"}


def test_a_wrong_instruction_is_withheld(made):
    """A flip in the memory of instructions, in those that come."""
    asked = Attack(FaultKind.MEMORY, count=300, where="controller.instructions_*")
    effects = attack(made("few"), asked)["effects"]
    assert effects[Effect.DETECTED] > 5
    assert not any(effects.get(effect) for effect in HARMFUL)
