"""Cores that check a multiple before they give it out, in simulation."""

import pytest

from residua.cores.specification.reading import check_any
from residua.curves.formulas import Formula
from residua.curves.operations.codes import point_operation
from residua.errors import SpecificationError
from residua.evidence.attacks.faults import Attack, attack
from residua.evidence.attacks.victims.victim import Effect
from residua.hardware.coprocessor.durations import operation_cycles

FORMULAS = (Formula.MONTGOMERY_LADDER, Formula.DIFFERENCE_LADDER, Formula.XZ_LADDER)


def arithmetic_fails(directory, curve):
    """Faults in rowers, until the result is converted, which takes place after the check."""
    design = directory.made.core.design
    assert design.formulas == FORMULAS
    whole = operation_cycles(design, point_operation(design.curves[curve]), curve)
    last = whole - design.wipe_cycles - 4 * design.number_cycles
    return attack(
        directory, Attack(count=100, where="processor.rower_*", cycles=(0, last), curve=curve)
    )


@pytest.mark.parametrize("curve", [1, 2])
def test_what_left_the_curve_is_withheld(made, curve):
    found = arithmetic_fails(made("ladders"), curve)
    assert found["statuses"]["FAULT"] > 20
    assert not found["effects"].get(Effect.OFF_CURVE)


def test_what_is_no_end_of_the_ladder_is_withheld(made):
    """On a Montgomery curve every x would do."""
    found = arithmetic_fails(made("ladders"), 0)
    assert found["statuses"]["FAULT"] > 20
    assert not found["effects"].get(Effect.SILENT)


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (
            "zap",
            "no protection is called .zap.: one of exit-check, control-signature, scalar-check",
        ),
        (["exit-check", 3], "no protection is called '3'"),
        ("", "no protection is called ''"),
        (7, "protections"),
    ],
)
def test_other_protections_are_refused(value, message):
    with pytest.raises(SpecificationError, match=message):
        check_any({"curve": "P-256", "protections": value})


def test_other_cores_have_none():
    with pytest.raises(SpecificationError, match="protections"):
        check_any({"modulus": "P-256", "protections": "exit-check"})
