"""Cores that hold the bits of a scalar that a loop takes against those that were there."""

import pytest
from tests.small_curves import TINY

from residua.cores.kinds import core_of
from residua.cores.specification.reading import check_any
from residua.curves.operations.codes import Status
from residua.errors import SpecificationError
from residua.evidence.attacks.faults import Attack, attack
from residua.evidence.attacks.victims.victim import HARMFUL

UNBLINDED = {"curve": [TINY], "bus": "stream", "blinding": 0}


def test_it_takes_a_cycle_for_each_bit():
    checked, plain = (
        core_of(check_any(UNBLINDED | {"protections": own})) for own in ("scalar-check", "none")
    )
    more = checked.cycles["operations"][0], plain.cycles["operations"][0]
    served = checked.core.design.scalars.served[0]
    assert more[0]["POINT_MULTIPLY"] - more[1]["POINT_MULTIPLY"] == served
    assert more[0]["DOUBLE_MULTIPLY"] == more[1]["DOUBLE_MULTIPLY"]


@pytest.mark.parametrize(
    ("name", "where", "count", "cycles"),
    [
        ("ladders", "scalar_unit.words*", 120, (300, 3000)),
        ("ladders", "scalar_unit.position", 40, (300, 3000)),
        ("ladders", "processor.advance*", 40, (500, 3000)),
        ("ladders", "scalar_unit.*_sum", 40, (0, 4000)),
        ("few, halves", "half_scalars.*_half*", 120, (600, 2500)),
        ("few, halves", "half_scalars.place", 40, (600, 2500)),
        ("few, halves", "half_scalars.*_sum", 40, (0, 4000)),
    ],
)
def test_a_wrong_bit_is_withheld(made, name, where, count, cycles):
    asked = Attack(count=count, where=where, cycles=cycles, curve=int(name == "ladders"))
    found = attack(made(name), asked)
    assert found["statuses"][Status.FAULT.name] > 10
    assert not any(found["effects"].get(effect) for effect in HARMFUL), found["harmful"]


def test_scalars_that_are_taken_otherwise_are_refused():
    keys = UNBLINDED | {"fixed_base": "comb", "protections": "scalar-check"}
    with pytest.raises(SpecificationError, match="takes columns of a scalar's bits"):
        _ = core_of(check_any(keys)).core
