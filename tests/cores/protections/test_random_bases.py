"""Coprocessors whose bases are chosen at random, in simulation."""

import random
from itertools import pairwise

import numpy as np
import pytest
from tests.cores.generated import MONTGOMERY
from tests.cores.simulations import directory_simulator, simulator
from tests.small_curves import SQUARE, TINY, WITHOUT_A

from residua.cores.coprocessor.outcomes import given_outcome
from residua.cores.coprocessor.simulator import Request
from residua.cores.directory import build
from residua.cores.kinds import core_of
from residua.cores.specification.reading import check_any
from residua.curves.operations.codes import Operation, Status
from residua.curves.operations.instructions import Read, Run
from residua.curves.protections.protection import Level, Protection
from residua.curves.protections.random_bases import BEGINNING, PREPARE
from residua.errors import SpecificationError
from residua.evidence.attacks.tracing import Tracer
from residua.evidence.attacks.victims.coprocessor import PointVictim
from residua.hardware.coprocessor.durations import operation_cycles, timeline

KEYS = {
    "curve": [TINY], "bus": "stream", "blinding": 0, "protections": "random-bases",
    "formula": "xz-ladder",
}  # fmt: skip
TWO = KEYS | {"curve": [MONTGOMERY, WITHOUT_A], "formula": "auto", "inversion": "division-steps"}
"""A ladder of Montgomery's beside windows, with pages of two curves."""

HIGH_BITS = 0x5A5A0000
"""What random words have beside a choice, so that none is 0."""


def requests(design, curve, supply):
    """Every operation of a curve, with numbers of its own, and what it has to give."""
    draw = random.Random(7)
    own = design.curves[curve]
    for operation in design.operations[curve]:
        modulus = own.order if operation.name.startswith("ORDER") else own.prime
        numbers = [draw.randrange(1, modulus) for _ in range(6)]
        base = (own.x,) if own.form == "montgomery" else (own.x, own.y)
        k, other = draw.randrange(1, own.order), draw.randrange(1, own.order)
        given = {
            "POINT_MULTIPLY": (k, *base),
            "X_MULTIPLY": (k, *base),
            "BASE_MULTIPLY": (k,),
            "VALIDATE": base,
            "DOUBLE_MULTIPLY": (k, other, *base, *base),
            "FIELD_INVERT": numbers[:1],
            "ORDER_INVERT": numbers[:1],
        }.get(operation.name, numbers[: 3 if operation.name.endswith("ADD") else 2])
        request = Request(operation, tuple(given), curve=curve, supply=supply)
        yield request, given_outcome(design, curve, operation, tuple(given))


def check_all_operations(engine, design, curve, supply):
    """Results are right, and cycles are those that are told."""
    asked = list(requests(design, curve, supply))
    answers = engine.run([request for request, _ in asked])
    for (request, expected), answer in zip(asked, answers, strict=True):
        assert (answer.status, answer.results) == expected, request
        if request.operation != Operation.DOUBLE_MULTIPLY:
            wanted = operation_cycles(design, Operation(request.operation), curve)
            assert answer.cycles == wanted


@pytest.mark.parametrize("keys", [KEYS, TWO], ids=["one curve", "two curves"])
def test_all_operations_with_every_choice(keys, tmp_path):
    core = core_of(check_any(keys)).core
    design = core.design
    engine = simulator(core, tmp_path)
    for choice in range(1 << core.channels):
        for curve in range(len(design.curves)):
            check_all_operations(engine, design, curve, HIGH_BITS | choice)


def test_an_operation_begins_with_a_choice():
    design = core_of(check_any(TWO)).core.design
    for group in design.operations:
        for instructions in group.values():
            assert instructions[:4] == [Read("choice"), *map(Run, BEGINNING)]
            assert Read("choice") not in instructions[4:]


@pytest.fixture(scope="module")
def chosen(tmp_path_factory):
    return build(check_any(KEYS), tmp_path_factory.mktemp("chosen"))


def test_registers_differ_with_the_choice_from_the_first_use_of_it(chosen, tmp_path):
    """The same operation with words that differ in the bits of the choice alone, which blind
    nothing here: what is read before is the same, and nearly nothing is after it."""
    victim = PointVictim(chosen.made, 0, 1, keys=1)
    choices = range(1 << victim.core.core.channels)
    design, code = victim.design, victim.code
    lines = [
        Request(code, victim.given[0], supply=HIGH_BITS | choice).line(design.words)
        for choice in choices
    ]
    tracer = Tracer(chosen, victim.bench, victim.cycles, len(lines), tmp_path, where="*total*")
    ((_, traces, _),) = tracer.take(lines, lambda *_: None)
    begins = next(cycle for cycle, one in timeline(design, code, 0) if one == Run(PREPARE))
    for one, two in pairwise(traces):
        assert not np.array_equal(one[begins:], two[begins:])
    constant = {tuple(trace[:begins]) for trace in traces}
    assert len(constant) == 1


def test_choices_are_drawn_anew(chosen):
    """One for each operation, of words that nobody else gets."""
    engine = directory_simulator(chosen)
    asked = Request(Operation.FIELD_MULTIPLY, (3, 4))
    once, twice = (engine.run([asked] * count) for count in (1, 2))
    assert [answer.random_words for answer in once] == [1]
    assert [answer.random_words for answer in twice] == [1, 1]
    assert {answer.results for answer in twice} == {(12,)}


def test_words_that_repeat_end_an_operation(tmp_path):
    keys = KEYS | {"protections": "random-bases,random-health"}
    watched = build(check_any(keys), tmp_path)
    asked = Request(Operation.FIELD_MULTIPLY, (3, 4), supply=HIGH_BITS)
    answers = directory_simulator(watched).run([asked] * 8)
    statuses = [answer.status for answer in answers]
    assert statuses[0] == Status.OK
    assert statuses[-1] == Status.RANDOM_FAULT


@pytest.mark.parametrize(
    ("more", "reason"),
    [
        ({"extension": "hierarchical", "channels": 4}, "extension = 'kawamura'"),
        ({"fixed_base": "comb"}, "fixed_base = 'comb' has tables"),
        ({"inversion": "plus-minus-ct"}, "takes residues in a base that is known"),
        ({"ecdsa": "verify", "inversion": "division-steps"}, "computes modulo two numbers"),
        ({"algorithm": "iddmm", "digit": 8}, "algorithm = 'rns-montgomery'"),
        ({"algorithm": "sbmm", "curve": [SQUARE]}, "algorithm = 'rns-montgomery'"),
        ({"register_memory": "block"}, "register_memory = 'distributed'"),
        ({"rowers": 1}, "every channel has a rower of its own"),
    ],
)
def test_where_it_cannot_be_it_is_refused(more, reason):
    asked = {key: value for key, value in KEYS.items() if key != "formula"} | more
    with pytest.raises(SpecificationError, match=reason):
        _ = core_of(check_any(asked)).core.design.controller


def test_no_level_has_it():
    assert not any(Protection.RANDOM_BASES in level.protections for level in Level)
