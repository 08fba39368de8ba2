"""Routines: registers that nobody overwrites too early, constants by page, what is refused."""

from collections import defaultdict

import pytest

from machines.examples import (
    CHANNELS,
    FIELD_PROGRAMS,
    MODULI,
    all_constants,
    domains,
    processor,
)
from residua.algorithms.fields.field import Constant, FieldProgram, Flag
from residua.algorithms.fields.rns_field import lower
from residua.errors import SpecificationError
from residua.machines.routine import Places, Routine, Source
from residua.machines.slots import Left, Machine
from residua.numbers.residues import Redundant

ROWERS = [CHANNELS, CHANNELS // 2]
MACHINE = Machine(rowers=CHANNELS, rower_latency=8, memory_delay=3, cox_latency=7, taps=3)


def lowered(program, page=0):
    return lower(program, domains()[page], all_constants(page), Redundant(1))


def routine(program, *pages, **options):
    source = Source(program.name, pages or (lowered(program),), **options)
    return Routine(source, Places([source], MACHINE.rowers), MACHINE)


def accesses(one):
    """When each word is written and read in one run, by slots of the run.

    A read of the left operand that is forwarded is no access of the memory.
    """
    machine, written, read = one.machine, {}, defaultdict(list)
    for placed in one.placed:
        result = placed.sequence.result
        if result is not None and result in one.registers:
            written[result] = placed.last + machine.rower_latency + machine.memory_delay
    for time, _, _, slot in one.slots():
        if slot.left_word is not None and one.left(time, slot) is Left.REGISTER:
            read[slot.left_word].append(time)
        if slot.right_word is not None:
            read[slot.right_word].append(time)
    return written, read


@pytest.mark.parametrize("rowers", ROWERS)
def test_every_read_finds_its_word(rowers):
    """Replays the registers of each routine, loops for three rounds, by the names of words."""
    for one in processor(rowers).routines.values():
        written, read = accesses(one)
        rounds = 3 if one.source.loop else 1
        carried = {new: old for old, new in one.problem.carried.items()}
        events = []
        for number in range(rounds):
            offset = number * one.length
            for word, time in written.items():
                events.append((offset + time, 0, number, word))
            for word, times in read.items():
                events += [(offset + time, 1, number, word) for time in times]
        inputs = {word for word in read if word not in written}
        kept = inputs - one.problem.carried.keys()
        content = {
            one.registers[word]: {(word, number) for number in range(rounds if word in kept else 1)}
            for word in inputs
        }
        for _, is_read, number, word in sorted(events, key=lambda event: event[:2]):
            register = one.registers[word]
            if is_read:
                assert (word, number) in content[register], (one.name, word)
            else:
                content[register] = {(word, number)}
                if word in carried:
                    # The next round knows it as the word that it replaces.
                    content[register].add((carried[word], number + 1))


@pytest.mark.parametrize("rowers", ROWERS)
def test_reads_come_from_where_a_word_is(rowers):
    """A word is forwarded in the one slot in which it is at the reducer, or read when stored."""
    for one in processor(rowers).routines.values():
        ready = {
            p.sequence.result: p.last + one.machine.rower_latency
            for p in one.placed
            if p.sequence.result is not None
        }
        for time, _, _, slot in one.slots():
            if slot.left_word in ready and one.left(time, slot) is Left.RESULT:
                assert time == ready[slot.left_word]
            elif slot.left_word in ready:
                assert time >= ready[slot.left_word] + one.machine.memory_delay
            if slot.right_word in ready:
                assert time >= ready[slot.right_word] + one.machine.memory_delay


@pytest.mark.parametrize("rowers", ROWERS)
def test_named_elements_keep_their_registers(rowers):
    design = processor(rowers)
    groups = CHANNELS // rowers
    taken = [
        register
        for parts in design.places.registers.values()
        for registers in parts.values()
        for register in registers
    ]
    assert sorted(taken) == list(range(1, design.places.count))
    assert set(design.places.registers) == {"number", "x", "y", "z", "x0", "z0", "x1", "z1"}
    for parts in design.places.registers.values():
        assert {name: len(registers) for name, registers in parts.items()} == {
            "a": groups,
            "b": groups,
        }
    for one in design.routines.values():
        reference = one.source.reference
        names = {**reference.inputs, **({} if one.source.serial else reference.outputs)}
        owned = {
            r for name in names for part in design.places.registers[name].values() for r in part
        }
        others = set(range(1, design.places.count)) - owned
        assert not set(one.registers.values()) & others
        assert 0 not in one.registers.values()


def test_slots_of_a_round():
    for rowers in ROWERS:
        for one in processor(rowers).routines.values():
            times = sorted(time for time, _, _, _ in one.slots())
            assert len(set(times)) == len(times)
            assert times[0] >= 0
            assert times[-1] < one.length <= one.settled
            gates = [time for time, _, _, slot in one.slots() if slot.gate]
            assert one.last_gate == (max(gates) if gates else None)
            if not gates:
                assert one.gate_pause is None
            else:
                assert one.gate_pause == one.length - max(gates) + min(gates)


def test_constants_differ_by_page():
    first, second = lowered(FIELD_PROGRAMS["mixed"]), lowered(FIELD_PROGRAMS["mixed"], 1)
    one = routine(FIELD_PROGRAMS["mixed"], first, None, second)
    assert one.program is first.program
    assert all(vectors[1] is None for vectors in one.constants.values())
    assert any(vectors[0] != vectors[2] for vectors in one.constants.values())
    alone = routine(FIELD_PROGRAMS["mixed"], second)
    assert {key: vectors[2] for key, vectors in one.constants.items()} == {
        key: vectors[0] for key, vectors in alone.constants.items()
    }


def test_the_first_page_may_be_absent():
    second = lowered(FIELD_PROGRAMS["mixed"], 1)
    one = routine(FIELD_PROGRAMS["mixed"], None, second)
    assert one.source.reference is second
    assert all(vectors[0] is None for vectors in one.constants.values())


def variants():
    """Pairs of programs that take other slots: one product more, a combination for a product."""
    several = []
    for build in (
        lambda p, x: p.product("y", x, x),
        lambda p, x: p.product_sum("y", (x, x, 1), (x, Constant(1), 1)),
        lambda p, x: p.combine("y", (x, 1)),
    ):
        program = FieldProgram("variant")
        program.output("y", build(program, program.input("x")))
        several.append(program)
    return several


@pytest.mark.parametrize("other", [1, 2])
def test_pages_that_differ_in_more_than_constants_are_refused(other):
    programs = variants()
    with pytest.raises((SpecificationError, ValueError)) as caught:
        _ = routine(programs[0], lowered(programs[0]), lowered(programs[other], 1)).constants
    if other == 1:
        assert "variant: its programs differ in more than constants" in str(caught.value)


def test_rowers_that_do_not_divide_are_refused():
    source = Source("mixed", (lowered(FIELD_PROGRAMS["mixed"]),))
    machine = Machine(rowers=3, rower_latency=8, memory_delay=3, cox_latency=7, taps=1)
    with pytest.raises(SpecificationError, match="3 rowers cannot share 8 moduli evenly"):
        Routine(source, Places([source], 3), machine)


def test_elements_that_change_places():
    """Both names are read before either is overwritten; a loop may do so again and again."""
    program = FieldProgram("exchange")
    x, y = program.input("x"), program.input("y")
    program.output("x", program.combine("x", (y, 1)))
    program.output("y", program.combine("y", (x, 1)))
    for loop in (False, True):
        one = routine(program, loop=loop)
        written, read = accesses(one)
        for old, new in one.problem.carried.items():
            assert one.registers[old] == one.registers[new]
            assert max(read[old]) < written[new]
            if loop:
                assert one.length + min(read[old]) >= written[new]


def test_a_routine_without_gates_has_no_pause():
    one = routine(FIELD_PROGRAMS["to_x"])
    assert one.gate_pause is None
    assert one.last_gate is None
    flagged = FieldProgram("flagged")
    x = flagged.input("x")
    flagged.output("x", flagged.select("x", Flag("bit"), x, x, -1))
    assert routine(flagged, loop=True).gate_pause is not None


def test_moduli_are_those_of_the_pages():
    assert [domain.modulus for domain in domains()] == list(MODULI)


@pytest.mark.parametrize("given", ["a product", "what it reads"])
def test_a_value_of_several_names_is_in_as_many_places(given):
    program = FieldProgram("twice")
    x = program.input("x")
    value = x if given == "what it reads" else program.product("square", x, x)
    program.output("y", value)
    program.output("z", value)
    one = routine(program)
    stored = [register for register in one.registers.values() if register]
    named = {r for parts in one.places.registers.values() for own in parts.values() for r in own}
    assert named <= {*stored}
    assert len({*stored}) == len(stored)
