"""Cores that hold the bits of a scalar that a loop takes against those that were there."""

import pytest
from tests.cores.generated import MONTGOMERY
from tests.small_curves import EVEN, TINY, WITHOUT_A

from residua.cores.kinds import core_of
from residua.cores.specification.reading import check_any
from residua.curves.operations.codes import Status
from residua.errors import SpecificationError
from residua.evidence.attacks.faults import Attack, attack
from residua.evidence.attacks.victims.victim import HARMFUL

CHECKED = {"bus": "stream", "protections": "scalar-check"}

CORES = {
    "ladders, blinded": CHECKED | {"curve": [MONTGOMERY, EVEN, TINY]},
    "windows": CHECKED | {"curve": [TINY], "blinding": 0, "formula": "fixed-window"},
    "unblinded": CHECKED | {"curve": [TINY], "blinding": 0},
    "unblinded halves": CHECKED
    | {"curve": [WITHOUT_A], "blinding": 0, "formula": "endomorphism", "channels": 4},
}


@pytest.mark.parametrize("name", ["ladders, blinded", "windows", "unblinded halves"])
def test_results_are_what_they_were(made, check_results, name):
    """Of one scalar and of two, of scalars that are replaced, and of such as are not there."""
    check_results(made(name))


def test_it_takes_a_cycle_for_each_bit():
    keys = CORES["unblinded"]
    checked, plain = (
        core_of(check_any(keys | {"protections": own})) for own in ("scalar-check", "none")
    )
    more = checked.cycles["operations"][0], plain.cycles["operations"][0]
    served = checked.core.design.scalars.served[0]
    assert more[0]["POINT_MULTIPLY"] - more[1]["POINT_MULTIPLY"] == served
    assert more[0]["DOUBLE_MULTIPLY"] == more[1]["DOUBLE_MULTIPLY"]


@pytest.mark.parametrize(
    ("name", "where", "cycles"),
    [
        ("unblinded", "scalar_unit.words*", (300, 3000)),
        ("unblinded", "scalar_unit.position", (300, 3000)),
        ("unblinded", "processor.advance*", (500, 3000)),
        ("unblinded", "scalar_unit.*_sum", (0, 4000)),
        ("unblinded halves", "half_scalars.*_half*", (600, 2500)),
        ("unblinded halves", "half_scalars.place", (600, 2500)),
        ("unblinded halves", "half_scalars.*_sum", (0, 4000)),
    ],
)
def test_a_wrong_bit_is_withheld(made, name, where, cycles):
    found = attack(made(name), Attack(count=120, where=where, cycles=cycles))
    assert found["statuses"][Status.FAULT.name] > 10
    assert not any(found["effects"].get(effect) for effect in HARMFUL), found["harmful"]


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ({"curve": [TINY], "fixed_base": "comb"}, "takes columns of a scalar's bits"),
    ],
)
def test_scalars_that_are_taken_otherwise_are_refused(keys, message):
    with pytest.raises(SpecificationError, match=message):
        _ = core_of(check_any(CHECKED | keys)).core
