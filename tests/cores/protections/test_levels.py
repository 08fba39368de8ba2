"""Levels of protection, which stand for what a core can have of them."""

import pytest
from tests.cores.generated import MONTGOMERY
from tests.small_curves import SQUARE, TINY, WITHOUT_A

from residua.cores.directory import Directory
from residua.cores.kinds import core_of
from residua.cores.specification.reading import check_any
from residua.curves.protections.protection import Level, Protection
from residua.errors import SpecificationError

PLAIN = {"curve": [TINY], "bus": "stream"}


def chosen(**keys):
    return check_any(PLAIN | keys).chosen_protections


def test_each_level_has_what_the_one_below_has():
    none, standard, high = (set(level.protections) for level in Level)
    assert not none
    others = {
        Protection.MASKED_SCALAR,
        Protection.RANDOM_BASES,
        Protection.REDUNDANT_RESIDUE,
    }
    assert none < standard < high == set(Protection) - others


@pytest.mark.parametrize("level", [Level.STANDARD, Level.HIGH])
@pytest.mark.parametrize(
    ("keys", "without"),
    [
        ({}, set()),
        ({"curve": [MONTGOMERY, TINY]}, set()),
        ({"algorithm": "iddmm"}, set()),
        ({"formula": "endomorphism", "curve": [WITHOUT_A]}, set()),
        ({"curve": [MONTGOMERY]}, {Protection.MASKED_ORDER}),
        ({"algorithm": "sbmm", "curve": [SQUARE]}, {Protection.MASKED_ORDER}),
    ],
)
def test_a_level_is_a_list(keys, without, level):
    assert chosen(protections=level, **keys) == set(level.protections) - without
    assert chosen(protections=f" {level} ", **keys) == set(level.protections) - without


def test_standard_is_the_default():
    for keys in (PLAIN, PLAIN | {"algorithm": "iddmm"}):
        assert check_any(keys | {"protections": "standard"}) == check_any(keys)
    assert not chosen(protections="none")


def test_a_level_leaves_out_what_a_core_cannot_have():
    """What is refused by its name; nothing else is."""
    keys = {"fixed_base": "comb", "comb_teeth": 2}
    reason = "takes columns of a scalar's bits"
    asked = check_any(PLAIN | keys | {"protections": "high"})
    assert set(asked.left_out) == {Protection.SCALAR_CHECK}
    assert reason in asked.left_out[Protection.SCALAR_CHECK]
    assert asked.chosen_protections == set(Level.HIGH.protections) - {Protection.SCALAR_CHECK}
    with pytest.raises(SpecificationError, match=reason):
        _ = core_of(check_any(PLAIN | keys | {"protections": "scalar-check"})).core


@pytest.mark.parametrize("value", ["standard,exit-check", ["high"], ["exit-check", "none"]])
def test_a_level_stands_alone(value):
    with pytest.raises(SpecificationError, match="is a level, which stands for several"):
        check_any(PLAIN | {"protections": value})


def test_other_names_are_refused():
    with pytest.raises(SpecificationError, match="or a level, none, standard, high"):
        check_any(PLAIN | {"protections": "highest"})


def test_a_directory_tells_what_a_level_is(made):
    """In its manifest and README."""
    directory = Directory.open(made("SBMM").path)
    parameters = directory.manifest["parameters"]
    left_out = {"masked-order"}
    assert parameters["protection_level"] == "high"
    assert set(parameters["protections"]) == set(Level.HIGH.protections) - left_out
    assert set(parameters["protections_left_out"]) == left_out
    readme = (directory.path / "README.md").read_text(encoding="utf-8")
    assert "The level of protection is high: exit-check" in readme
    assert "The core is without masked-order: " in readme
