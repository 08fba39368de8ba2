"""Cores that check a multiple before they give it out, in simulation."""

import pytest
from tests.cores.generated import MONTGOMERY
from tests.small_curves import EVEN, TINY, WITHOUT_A

from residua.cores.specification.reading import check_any
from residua.curves.operations.codes import point_operation
from residua.errors import SpecificationError
from residua.evidence.attacks.faults import Attack, attack
from residua.evidence.attacks.victims.victim import Effect
from residua.hardware.coprocessor.durations import operation_cycles

CHECKED = {"bus": "stream", "blinding": 0, "protections": ["exit-check"]}

CORES = {
    "engine, three curves, combs": CHECKED
    | {"curve": [TINY, MONTGOMERY, EVEN], "fixed_base": "comb", "comb_teeth": 2},
    "digits, endomorphism": CHECKED
    | {"curve": [WITHOUT_A], "algorithm": "iddmm", "formula": "endomorphism"},
}


@pytest.fixture(scope="module")
def engine(made):
    return made("engine, three curves, combs")


@pytest.mark.parametrize("name", list(CORES))
def test_results_are_what_they_were(made, check_results, name):
    """For all operations, exceptional scalars and points included, and in a constant time."""
    check_results(made(name))


def arithmetic_fails(directory, curve):
    """Faults in rowers, until the result is converted, which takes place after the check."""
    design = directory.made.core.design
    whole = operation_cycles(design, point_operation(design.curves[curve]), curve)
    last = whole - design.wipe_cycles - 4 * design.number_cycles
    return attack(
        directory, Attack(count=150, where="processor.rower_*", cycles=(0, last), curve=curve)
    )


@pytest.mark.parametrize("curve", [0, 2])
def test_what_left_the_curve_is_withheld(engine, curve):
    found = arithmetic_fails(engine, curve)
    assert found["statuses"]["FAULT"] > 30
    assert not found["effects"].get(Effect.OFF_CURVE)


def test_what_is_no_end_of_the_ladder_is_withheld(engine):
    """On a Montgomery curve every x would do."""
    found = arithmetic_fails(engine, 1)
    assert found["statuses"]["FAULT"] > 30
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
