"""What words that are predicted tell of a scalar, and what they do not."""

import dataclasses

import pytest
from tests.evidence.attacks.attacked import BARE, LADDER
from tests.schedules import quick_schedules

from residua.cores.directory import build
from residua.cores.specification.reading import check_any
from residua.errors import SpecificationError
from residua.evidence.attacks.correlation import Correlated, correlation

KNOWN = Correlated(traces=40, random_word=0x1234567)
"""An attack that finds all bits of a small scalar."""


@pytest.fixture(scope="module")
def directory(tmp_path_factory):
    with quick_schedules():
        yield build(check_any(LADDER), tmp_path_factory.mktemp("attack") / "core")


def changed(**changes):
    return dataclasses.replace(KNOWN, **changes)


def test_words_that_are_known_give_the_scalar(directory):
    found = correlation(directory, KNOWN)
    assert found["bits"] == directory.made.core.design.scalars.rounds[0]
    assert (found["whole"], found["right"]) == (True, 1)
    assert found["chosen"] > found["chance"] > found["other"]
    stored = directory.results()["correlation"]
    assert {**stored, "name": found["name"]} == found


@pytest.mark.parametrize(
    "asked",
    [
        changed(random_word=None),
        changed(noise=2000.0),
        # An operand reader has the point alone.
        changed(where="operand_reader.*"),
    ],
    ids=["fresh words", "noise", "other registers"],
)
def test_what_hides_the_scalar(directory, asked):
    found = correlation(directory, asked)
    assert not found["whole"]
    assert found["right"] <= found["bound"]
    assert found["chosen"] < max(1.3 * found["other"], found["chance"] + 0.01)


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        (changed(traces=19), "traces = 19: 20 are the fewest"),
        (changed(noise=-1.0), "noise = -1.0: a standard deviation is not negative"),
        (changed(curve=3), r"curve = 3: the core has 0 \(tiny\)"),
        (changed(steps=99), "steps = 99: the ladder has"),
        (changed(where="x*"), r"no register has a name like 'x\*'"),
    ],
)
def test_bad_requests_are_named(directory, asked, message):
    with pytest.raises(SpecificationError, match=message):
        correlation(directory, asked)


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ({"formula": "fixed-window"}, "fixed-window: the attack is on the steps of a ladder"),
        (
            {"formula": "xz-ladder", "algorithm": "rns-montgomery", "protections": "standard"},
            "random words that are all 0x1234567: random-health ends every operation then",
        ),
        ({"formula": "xz-ladder"}, "on an engine for RNS Montgomery multiplication alone"),
        (
            {"formula": "xz-ladder", "algorithm": "rns-montgomery", "protections": "random-bases"},
            "in bases that are known: build one without random-bases",
        ),
    ],
)
def test_cores_that_are_not_followed(tmp_path, keys, message):
    core = build(check_any(BARE | {"algorithm": "iddmm"} | keys), tmp_path / "core")
    with pytest.raises(SpecificationError, match=message):
        correlation(core, KNOWN)
