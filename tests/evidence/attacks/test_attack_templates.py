"""What templates find in traces of coprocessors, and what they do not."""

import numpy as np
import pytest
from tests.evidence.attacks.attacked import BARE, LADDER
from tests.schedules import quick_schedules

from residua.cores.directory import build
from residua.cores.specification.reading import check_any
from residua.errors import SpecificationError
from residua.evidence.attacks import templates as attack
from residua.evidence.attacks.templates import Profile, templates

LEARNED, ATTACKED = 70, 12
"""Traces of the attack that finds all bits."""


@pytest.fixture(scope="module")
def directory(tmp_path_factory):
    with quick_schedules():
        yield build(check_any(LADDER), tmp_path_factory.mktemp("attack") / "core")


@pytest.fixture(scope="module")
def found(directory):
    return templates(directory, Profile(traces=LEARNED, attacked=ATTACKED))


def test_a_step_of_a_ladder_tells_its_bit(directory, found):
    """A trace without noise tells all of them; the first step has no bit before it."""
    loop, design = found["loop"], directory.made.core.design
    assert loop["bits"] == ATTACKED * (design.scalars.rounds[0] - 1)
    assert loop["right"] > 0.95 > loop["bound"]
    assert loop["whole"] > ATTACKED // 2
    assert directory.results()["templates"]["loop"] == loop


def test_who_knows_nothing_is_right_in_half_of_the_bits(found):
    for goal in ("scalar", "loop"):
        assert 0.4 < found[goal]["guess"] < 0.6
        assert found[goal]["guess"] < found[goal]["bound"] < 0.7


def test_noise_hides(directory):
    loop = templates(directory, Profile(traces=LEARNED, attacked=ATTACKED, noise=2000))["loop"]
    assert abs(loop["right"] - loop["guess"]) < 0.12
    assert loop["whole"] < 3


def test_registers_that_know_nothing_tell_nothing(directory):
    """An operand reader has the point alone, which is the same in all traces."""
    own = templates(directory, Profile(traces=30, attacked=ATTACKED, where="operand_reader.*"))
    assert own["loop"]["whole"] < 3
    assert abs(own["loop"]["right"] - own["loop"]["guess"]) < 0.12


def test_bits_of_the_scalar_are_found_while_it_is_read():
    """Samples of which one is the bit, in noise, and labels that are always the same."""
    draw = np.random.default_rng(1)
    bits = draw.random((300, 3)) < 0.5
    bits[:, 2] = True
    samples = draw.normal(50, 2, (300, 100))
    samples[:, 7] += 12 * bits[:, 0]
    samples[:, 9] = 5
    known = slice(200), slice(200, None)
    told = attack._guess_scalar(samples.astype(np.int16), bits, known)
    assert told["bits"] == 300
    # All of the first, all of the last, half of the others.
    assert 0.75 < told["right"] < 0.92
    assert told["guess"] < 0.75


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        (Profile(traces=19), "traces = 19, attacked = 100: 20 to learn from"),
        (Profile(attacked=0), "attacked = 0: 20 to learn from and 1 to attack"),
        (Profile(noise=-1.0), "noise = -1.0: a standard deviation is not negative"),
        (Profile(curve=3), r"curve = 3: the core has 0 \(tiny\)"),
        (Profile(traces=20, attacked=1, where="x*"), r"no register has a name like 'x\*'"),
    ],
)
def test_bad_requests_are_named(directory, asked, message):
    with pytest.raises(SpecificationError, match=message):
        templates(directory, asked)


def test_formulas_without_steps_of_a_bit_are_refused(tmp_path):
    window = build(
        check_any(BARE | {"algorithm": "iddmm", "formula": "fixed-window"}), tmp_path / "core"
    )
    with pytest.raises(SpecificationError, match="fixed-window: the attack is on the steps of a"):
        templates(window, Profile())
