"""Cores that refuse random words which are not what they should be, in simulation."""

import random

import pytest
from tests.cores.protected import MOST
from tests.cores.simulations import directory_simulator
from tests.small_curves import TINY

from residua.cores.coprocessor.outcomes import given_operands, operand_point
from residua.cores.coprocessor.simulator import (
    NO_WORDS,
    Request,
    build_coprocessor_simulator,
)
from residua.cores.directory import build
from residua.cores.specification.reading import check_any
from residua.curves.operations.codes import Status, point_operation
from residua.curves.operations.instructions import Read, Receive
from residua.hardware import random_monitor

BLIND = {"curve": [TINY], "bus": "stream", "blinding": 0, "protections": "random-health"} | {
    "formula": "xz-ladder", "name": "blind",
}  # fmt: skip

EVERY = ("ladders", "halves", "digits")
"""Cores that take random words for coordinates alone, for halves first, and for whole scalars."""

WAITED = f"waited[{random_monitor.PATIENCE_BITS}]"
"""What says that a word has not come for too long."""


@pytest.fixture
def impatient(made, tmp_path):
    """Makes the simulator of a core that waits for a random word for 128 cycles, not for 2^24."""

    def make(name):
        directory = made(name)
        (monitored, *others) = sorted(
            directory.sources(top=directory.name), key=lambda path: WAITED not in path.read_text()
        )
        text = monitored.read_text(encoding="utf-8")
        assert text.count(WAITED) == 2
        changed = tmp_path / monitored.name
        changed.write_text(text.replace(WAITED, "waited[7]"), encoding="utf-8")
        return build_coprocessor_simulator(
            [changed, *others], directory.name, directory.made.core.design
        )

    return make


def requested(directory, curve=0, **keys):
    """A multiplication of the base point."""
    design = directory.made.core.design
    own = design.curves[curve]
    operation = point_operation(own)
    operands = (own.order // 3, *operand_point(own, own.base_point))
    given = given_operands(design, curve, operation, operands, random.Random(1))
    return Request(operation, given, curve=curve, **keys)


def statuses(directory, requests):
    return statuses_of(directory_simulator(directory), requests)


def statuses_of(simulator, requests):
    answers = simulator.run(requests)
    assert all(not answer.results or answer.status is Status.OK for answer in answers)
    return [answer.status for answer in answers]


@pytest.mark.parametrize("name", EVERY)
def test_words_that_repeat_end_every_operation(made, name):
    """Until a zeroisation, and not before so many as the cut-off says."""
    directory = made(name)
    for curve in range(len(directory.made.core.curves)):
        stuck = [requested(directory, curve, supply=0xDEADBEEF)] * 8
        zeroised = requested(directory, curve, abort=100)
        found = statuses(directory, [*stuck, requested(directory, curve), zeroised, stuck[0]])
        taken = directory_simulator(directory).run(stuck[:1])[0].random_words
        passed = -(-random_monitor.repetition_cutoff() // taken) - 1
        assert found[:9] == [Status.OK] * passed + [Status.RANDOM_FAULT] * (9 - passed)
        assert found[9] in (Status.RANDOM_FAULT, Status.ZEROISED)


def test_a_zeroisation_begins_anew(made):
    directory = made("ladders")
    stuck = [requested(directory, supply=1)] * 6
    fresh = requested(directory)
    found = statuses(directory, [*stuck, fresh, requested(directory, abort=1), fresh])
    assert found[-4:] == [
        Status.RANDOM_FAULT, Status.RANDOM_FAULT, Status.ZEROISED, Status.OK,
    ]  # fmt: skip


@pytest.mark.parametrize("name", EVERY)
def test_zeros_end_an_operation(made, name):
    directory = made(name)
    for curve in range(len(directory.made.core.curves)):
        zero = requested(directory, curve, supply=0)
        (found,) = statuses(directory, [zero])
        # Halves take so many words that they are refused before.
        assert found is (Status.RANDOM_FAULT if name == "halves" else Status.RANDOM_ZERO)


def test_multiples_of_the_prime_are_zero(made):
    """A scaling by the prime hides as little."""
    directory = made("ladders")
    for number, curve in enumerate(directory.made.core.curves):
        assert statuses(directory, [
            requested(directory, number, supply=curve.prime * multiple + more)
            for multiple, more in ((1, 0), (2, 0), (1, 1))
        ]) == [Status.RANDOM_ZERO, Status.RANDOM_ZERO, Status.OK]  # fmt: skip


def test_without_the_test_of_factors_they_pass(monkeypatch, tmp_path):
    """A planted fault, which `test_multiples_of_the_prime_are_zero` would find."""
    monkeypatch.setattr("residua.hardware.coprocessor.design.refuse_zeros", list)
    monkeypatch.setattr("residua.cores.kept_files.STATE", "blind")
    directory = build(check_any(BLIND), tmp_path / "core")
    zero = requested(directory, supply=directory.made.core.curves[0].prime)
    assert statuses(directory, [zero]) != [Status.RANDOM_ZERO]


@pytest.mark.parametrize("name", EVERY)
def test_a_port_that_starves_ends_an_operation(made, impatient, name):
    """Whatever waits for the word; the next operation is as good as ever."""
    directory, simulator = made(name), impatient(name)
    for curve in range(len(directory.made.core.curves)):
        starved, fresh = requested(directory, curve, supply=NO_WORDS), requested(directory, curve)
        found = statuses_of(simulator, [starved, fresh, starved])
        assert found == [Status.RANDOM_STARVED, Status.OK, Status.RANDOM_STARVED]


def test_every_random_factor_is_tested(made):
    """In every operation of every formula, once for each number that is read."""
    for name in MOST:
        for group in made(name).made.core.design.operations:
            for instructions in group.values():
                reads = instructions.count(Read("random"))
                tests = instructions.count(Receive("zero", Status.RANDOM_ZERO))
                assert tests == reads
