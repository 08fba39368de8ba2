"""Cores that hold what they run against what they have to run, in simulation."""

import pytest
from tests.cores import protected
from tests.cores.generated import MONTGOMERY
from tests.small_curves import TINY

from residua.cores.coprocessor.verification import verify_coprocessor
from residua.cores.directory import build
from residua.cores.specification.reading import check_any
from residua.curves.operations.codes import PUBLIC_OPERATIONS, Status
from residua.evidence.attacks.drawing import FaultKind
from residua.evidence.attacks.faults import Attack, attack
from residua.evidence.attacks.victims.victim import HARMFUL, Effect
from residua.hardware.coprocessor.control_program import ControlProgram

SIGNED = {"bus": "stream", "blinding": 0, "protections": "control-signature"}

CORES = {
    "two curves": SIGNED | {"curve": [MONTGOMERY, TINY]},
    "digits": SIGNED | {"curve": [TINY], "algorithm": "iddmm", "lanes": 2},
    "all, signatures": protected.HALVES,
    "all, combs": protected.COMBS,
    "all, digits": protected.DIGITS,
}


def verified(directory):
    design, sources = directory.made.core.design, directory.sources(top=directory.name)
    return verify_coprocessor(
        design, sources, directory.name, vectors=1, seed=1, stalls=None, resets=0
    )


@pytest.mark.parametrize("name", ["two curves", "digits"])
def test_results_are_what_they_were(made, check_results, name):
    """With pauses of the streams and resets in the middle, too."""
    check_results(made(name))


@pytest.mark.parametrize("name", list(CORES))
def test_every_operation_has_a_signature_of_its_own(made, name):
    program = made(name).made.core.design.controller.program
    signed = [word for word in program.words if word.get("signed")]
    whole = [key for key in program.entries if key[0] not in PUBLIC_OPERATIONS]
    assert len(signed) == len(whole)
    assert len({(word["signature"], word["flow"]) for word in signed}) == len(signed)


@pytest.mark.parametrize("part", ["signature", "flow"])
def test_an_operation_with_another_signature_is_a_fault(tmp_path, monkeypatch, part):
    signatures = ControlProgram._signatures

    def wrong(program, *arguments):
        found = dict(zip(("signature", "flow"), signatures(program, *arguments), strict=True))
        return tuple((found | {part: found[part] ^ 64}).values())

    monkeypatch.setattr(ControlProgram, "_signatures", wrong)
    keys = {**CORES["two curves"], "curve": [TINY], "name": f"wrong_{part}"}
    monkeypatch.setattr("residua.cores.kept_files.MAKERS_STATE", "wrong")
    result = verified(build(check_any(keys), tmp_path / "core"))
    assert not result.passed
    assert "FAULT () instead of OK" in result.failures[0]


@pytest.mark.parametrize(
    ("name", "where", "count"),
    [
        ("two curves", "controller.*", 150),
        ("two curves", "controller.pause", 50),
        ("two curves", "processor.sequencer.rounds", 50),
        ("digits", "processor.rounds_left", 50),
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
    asked = Attack(FaultKind.MEMORY, count=500, where="controller.instructions_*")
    effects = attack(made("two curves"), asked)["effects"]
    assert effects[Effect.DETECTED] > 5
    assert not any(effects.get(effect) for effect in HARMFUL)
