"""Cores that hold the bits of a scalar that a loop takes against those that were there."""

import pytest
from tests.cores.generated import MONTGOMERY
from tests.small_curves import EVEN, TINY, WITHOUT_A

from residua.cores.kinds import core_of
from residua.cores.specification.reading import check_any
from residua.curves.operations import Status
from residua.errors import SpecificationError
from residua.evidence.attacks.faults import HARMFUL, Attack, attack

CHECKED = {"bus": "stream", "protections": "scalar-check"}

CORES = {
    "ladders, blinded": CHECKED | {"curve": [MONTGOMERY, EVEN, TINY]},
    "signatures": CHECKED
    | {"curve": [TINY], "ecdsa": "verify", "inversion": "plus-minus-ct", "channels": 4}
    | {"blinding": 0, "formula": "fixed-window"},
    "digits": CHECKED | {"curve": [WITHOUT_A], "algorithm": "iddmm", "formula": "fixed-window"},
    "unblinded": CHECKED | {"curve": [TINY], "blinding": 0},
}


@pytest.mark.parametrize("name", [name for name in CORES if name != "unblinded"])
def test_results_are_what_they_were(made, check_results, name):
    """Of one scalar and of two, of scalars that are replaced, and of such as are not there."""
    check_results(made(name))


def test_it_takes_a_cycle_for_each_bit():
    keys = CORES["unblinded"]
    checked, plain = (core_of(check_any(keys | {"protections": own})) for own in (
        "scalar-check", None
    ))  # fmt: skip
    more = checked.cycles["operations"][0], plain.cycles["operations"][0]
    served = checked.core.design.served[0]
    assert more[0]["POINT_MULTIPLY"] - more[1]["POINT_MULTIPLY"] == served
    assert more[0]["DOUBLE_MULTIPLY"] == more[1]["DOUBLE_MULTIPLY"]


@pytest.mark.parametrize(
    ("where", "cycles"),
    [
        ("scalar_unit.words*", (300, 3000)),
        ("scalar_unit.position", (300, 3000)),
        ("processor.advance*", (500, 3000)),
        ("scalar_unit.*_sum", (0, 4000)),
    ],
)
def test_a_wrong_bit_is_withheld(made, where, cycles):
    found = attack(made("unblinded"), Attack(count=120, where=where, cycles=cycles))
    assert found["statuses"][Status.FAULT.name] > 20
    assert not any(found["effects"].get(effect) for effect in HARMFUL), found["harmful"]


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ({"curve": [WITHOUT_A], "formula": "endomorphism"}, "takes halves of scalars"),
        ({"curve": [TINY], "fixed_base": "comb"}, "takes columns of a scalar's bits"),
    ],
)
def test_scalars_that_are_taken_otherwise_are_refused(keys, message):
    with pytest.raises(SpecificationError, match=message):
        _ = core_of(check_any(CHECKED | keys)).core
