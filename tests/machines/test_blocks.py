"""Placement of sequences: what a schedule has to keep, and how close to full it gets."""

import random
from dataclasses import replace

import pytest

from residua.cores.coprocessor.engine.rns_montgomery import EccCore
from residua.curves.catalogue import find_curve
from residua.errors import SpecificationError
from residua.machines.scheduling.blocks import Problem, list_schedule, place
from residua.machines.slots import Left, Machine, Sequence, Slot, Word

MACHINE = Machine(rowers=4, rower_latency=7, memory_delay=3, cox_latency=7, taps=2)


def sequence(name, result, reads, length):
    """Slots of which the first ones read words, left operand or right by turns."""
    slots = []
    for offset in range(length):
        word = Word(reads[offset], 0) if offset < len(reads) else None
        left = word if offset % 2 == 0 else None
        right = word if offset % 2 else None
        slots.append(Slot(Left.REGISTER, left_word=left, right_word=right))
    return Sequence(name, Word(result, 0), (), tuple(slots))


def random_problem(seed, loop, resumed=0.0):
    """Words 0 to 3 come from outside; some of them are replaced.

    A share of the sequences, ``resumed``, goes on with the sum of the one before.
    """
    chooser = random.Random(seed)
    sequences, chain = [], 0
    for job in range(chooser.randrange(3, 25)):
        resumes = bool(sequences) and chooser.random() < resumed
        chain = chain + 1 if resumes else 0
        known = list(range(4 + job - chain))
        reads = [chooser.choice(known) for _ in range(chooser.randrange(1, 4))]
        length = len(reads) + chooser.randrange(6)
        made = sequence(f"s{job}", 4 + job, reads, length)
        sequences.append(replace(made, resumes=Word(3 + job, 0)) if resumes else made)
    # Only words that nothing later in program order reads may be replaced by a result.
    carried = {}
    for old in range(chooser.randrange(4)):
        last = max((j for j, s in enumerate(sequences) if reads_word(s, old)), default=0)
        carried[Word(old, 0)] = Word(4 + chooser.randrange(last, len(sequences)), 0)
    if len(set(carried.values())) < len(carried):
        carried = {}
    return Problem(tuple(sequences), MACHINE, carried, loop)


@pytest.mark.parametrize("loop", [False, True])
@pytest.mark.parametrize("seed", range(20))
def test_sums_go_on_in_the_next_slot(seed, loop):
    problem = random_problem(seed, loop, 0.4)
    for starts in (list_schedule(problem), place(problem, 0.2)):
        problem.check(starts)
        for job, follower in problem.followers.items():
            assert problem.sequences[follower].resumes == problem.sequences[job].result
            assert starts[follower] == starts[job] + problem.durations[job]


def reads_word(candidate, value):
    return any(word.value == value for _, word, _ in candidate.reads)


@pytest.mark.parametrize("loop", [False, True])
@pytest.mark.parametrize("seed", range(30))
def test_every_placement_keeps_the_rules(seed, loop):
    problem = random_problem(seed, loop)
    prompt = list_schedule(problem)
    problem.check(prompt)
    better = place(problem, 0.5)
    problem.check(better)
    goal = problem.length if loop else problem.settled
    assert problem.total <= goal(better) <= goal(prompt)
    assert place(problem, 0.5) == better


@pytest.mark.parametrize("fault", ["early", "overlap", "between"])
def test_faulty_placements_are_found(fault):
    first, second = sequence("a", 1, [0], 2), sequence("b", 2, [1], 2)
    problem = Problem((first, second), MACHINE, {}, loop=False)
    ready = 2 - 1 + MACHINE.rower_latency
    problem.check([0, ready])
    starts = {"early": [0, ready - 1], "overlap": [0, 1], "between": [0, ready + 1]}[fault]
    with pytest.raises(AssertionError):
        problem.check(starts)


def test_a_place_overwritten_too_early_is_found():
    writer, reader = sequence("new", 1, [2], 1), sequence("late", 3, [0], 1)
    problem = Problem((writer, reader), MACHINE, {Word(0, 0): Word(1, 0)}, loop=False)
    visible = MACHINE.rower_latency + MACHINE.memory_delay
    problem.check([0, visible - 1])
    with pytest.raises(SpecificationError, match="late needs an element after its place"):
        problem.check([0, visible])


def test_a_round_waits_for_what_it_takes_over():
    problem = Problem((sequence("x", 1, [0], 1),), MACHINE, {Word(0, 0): Word(1, 0)}, loop=True)
    assert problem.length(place(problem, 1)) == MACHINE.rower_latency + MACHINE.memory_delay


def test_ladder_steps_fill_the_engine():
    core = EccCore([find_curve("P-256")])
    routine = core.design.processor.routines["ladder_step"]
    assert core.design.scalars.digit_bits == (1,)
    assert core.step_cycles <= 392
    assert core.utilisation >= 0.92
    assert routine.length == routine.problem.total


def test_named_elements_share_no_register():
    processor = EccCore([find_curve("secp112r1")]).design.processor
    parts = [
        register
        for element in processor.places.registers.values()
        for registers in element.values()
        for register in registers
    ]
    assert len(parts) == len(set(parts)) == processor.places.count - 1
    assert 0 not in parts
    for routine in processor.routines.values():
        fixed = set(dict(routine._fixed()))
        others = {r for word, r in routine.registers.items() if word not in fixed}
        assert not others & set(parts)
