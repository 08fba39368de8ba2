"""Verification of the inverter on residues in volume: what it accepts, what it finds."""

import random
from dataclasses import replace
from itertools import islice

import pytest
from amaranth.hdl import Fragment

from residua.cores.inversion.residue_verification import (
    MODEL_CHECKS,
    build_residue_inverter_simulator,
    edge_operands,
    given_words,
    tasks_of,
    verify_residue_inversions,
)
from residua.errors import SpecificationError
from residua.hardware.inverters.residue_inverter import ResidueInverter
from residua.hardware.rtl import emit
from residua.numbers.hats import hat_form
from residua.toolchain.targets import PRIMITIVE_FILE

P, Q = 2**31 - 1, 2**31 - 19
WIDTH = 11
SEED = 7


def unit_of(*moduli, rowers=None):
    unit = ResidueInverter(moduli, hat_form(P, WIDTH).base, rowers)
    Fragment.get(unit, None)
    return unit


def simulator_of(unit, path, change=("", "")):
    """A simulator of a unit, with a part of its Verilog replaced."""
    files = emit(unit, "unit")
    sources = [path / "unit.v", path / "primitives.v"]
    text = files["rtl/unit.v"]
    assert change[0] in text
    for source, content in zip(
        sources, (text.replace(*change), files[PRIMITIVE_FILE]), strict=True
    ):
        source.write_text(content)
    return build_residue_inverter_simulator(unit, sources, top="unit")


@pytest.fixture(scope="module")
def simulator(tmp_path_factory):
    return simulator_of(unit_of(P, Q), tmp_path_factory.mktemp("unit"))


def verify(simulator, vectors=200, stalls=False):
    return verify_residue_inversions(simulator, vectors=vectors, seed=SEED, stalls=stalls)


@pytest.mark.parametrize("stalls", [False, True])
def test_unit_is_right(simulator, stalls):
    reports = []
    found = verify_residue_inversions(
        simulator,
        vectors=1500,
        seed=SEED,
        stalls=stalls,
        progress=lambda done, total: reports.append((done, total)),
    )
    assert found.failures == ()
    assert (found.vectors, found.mismatches) == (1500, 0)
    assert (found.oracle_checks, found.model_checks) == (1500, MODEL_CHECKS)
    assert found.latency == simulator.unit.latency
    assert reports == [(1000, 1500), (1500, 1500)]


def test_one_modulus(tmp_path):
    """On three rowers, which look ahead by two words."""
    assert verify(simulator_of(unit_of(P, rowers=3), tmp_path), stalls=True).passed


def test_another_modulus_is_found(simulator):
    """The same netlist, held against one for other moduli and as many cycles."""
    wrong = replace(simulator, unit=unit_of(Q, P))
    assert wrong.unit.latency == simulator.unit.latency
    for stalls in (False, True):
        found = verify(wrong, stalls=stalls)
        assert not found.passed
        assert found.mismatches > 100
        assert len(found.failures) == 3
        assert any("is not f / x" in failure for failure in found.failures)


def test_wrong_cycles_are_found(simulator):
    wrong = replace(simulator, unit=unit_of(P, Q))
    wrong.unit.latency += 1
    found = verify(wrong)
    latency = simulator.unit.latency
    assert found.failures == (f"{latency} cycles measured, {latency + 1} computed",)


def test_other_words_are_found(simulator):
    """A model with a step less than the unit, so that U3 is not yet what it will be."""
    wrong = replace(simulator, unit=unit_of(P, Q))
    wrong.unit.steps = 1
    found = verify(wrong)
    assert 0 < found.mismatches <= MODEL_CHECKS
    assert all(failure.endswith("has other words") for failure in found.failures)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (("assign exchange_v3 = ", "assign exchange_v3 = ~"), "f = "),
        (("assign busy = ", "assign busy = 1 | "), "the unit does not end"),
        (("word_valid <= ", "word_valid <= 1 | "), "a word leaves before all have come"),
    ],
)
def test_a_wrong_unit_does_not_pass(change, message, tmp_path):
    found = verify(simulator_of(unit_of(P), tmp_path, change), stalls=True)
    assert not found.passed
    assert any(message in failure for failure in found.failures)


@pytest.mark.parametrize(
    "change",
    [
        # U takes the V of a step too early; a step that is followed before it was made.
        ("tag_u_1 <= after_0", "tag_u_1 <= tag_v[3:0]"),
        ("follows_0_1 & made_before_1", "follows_0_1"),
    ],
)
def test_a_wrong_look_ahead_is_found(change, tmp_path):
    unit = unit_of(P, rowers=3)
    assert unit.ahead == 2
    found = verify(simulator_of(unit, tmp_path, change))
    assert found.mismatches > 100
    assert any("is not f / x" in failure for failure in found.failures)


def test_operands(simulator):
    edges = edge_operands(P)
    assert set(edges) >= {0, P, -P, 1, -1, 2, P - 1, 1 - P, P // 2, -(P // 2), 2**30, 2**30 - P}
    assert max(map(abs, edges)) == P
    assert {x for x in edge_operands(15) if x % 3 == 0} == {0, 15, -15}
    unit, count = simulator.unit, 8 * len(edges)
    tasks = list(islice(tasks_of(unit, random.Random(SEED)), count))
    for select, p in enumerate((P, Q)):
        chosen = [task for task in tasks if task.select == select]
        assert len(chosen) == count // 2
        assert {task.x for task in chosen} > set(edge_operands(p))
        assert max(abs(number) for task in chosen for number in task) <= p
        assert {0, 1, -1, p, -p} <= {task.first for task in chosen}


def test_words_are_any_of_their_bits(simulator):
    unit, chooser = simulator.unit, random.Random(SEED)
    words = set()
    for task in islice(tasks_of(unit, chooser), 2000):
        form = unit.forms[task.select]
        given = given_words(unit, task, chooser)
        numbers = (4 * task.x, 4 * task.first, form.modulus)
        for own, number in zip(given, numbers, strict=True):
            assert form.equals(own, number)
            words.update(own)
    assert (min(words), max(words)) == (-(2**WIDTH), 2**WIDTH - 1)


def test_refusals(simulator, tmp_path):
    with pytest.raises(SpecificationError, match="at least 1 run, not 0"):
        verify(simulator, vectors=0)
    wide = ResidueInverter((P,), hat_form(P, 64).base)
    with pytest.raises(SpecificationError, match="at most 64 bits, not 65"):
        simulator_of(wide, tmp_path)
