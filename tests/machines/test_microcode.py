"""Microcode: every control of every slot, in the phase in which it acts."""

from dataclasses import fields

import pytest

from algorithms.domains import P64, product_program, signed_domain
from residua.machines.bounds import analyse
from residua.machines.controls import Timing
from residua.machines.microcode import assemble
from residua.machines.schedule import schedule
from residua.machines.slots import Left, Machine
from residua.numbers.residues import Redundant

TIMING = Timing(**{each.name: delay for delay, each in enumerate(fields(Timing))})


def assembled(form, signs, rowers, goal):
    domain = signed_domain(P64, 17, 4, form, len(signs))
    folds = analyse(product_program(domain, Redundant(1), signs)).folds
    program = product_program(domain, Redundant(folds), signs)
    placed = schedule(program, Machine(rowers, 7, 2, 6, min(rowers, 2)), goal)
    return placed, assemble(placed, TIMING)


@pytest.mark.parametrize("goal", ["latency", "interval"])
@pytest.mark.parametrize("rowers", [4, 2, 1])
@pytest.mark.parametrize(("form", "signs"), [("quadratic", (1,)), ("reordered", (1, -1))])
def test_controls_are_in_their_phases(form, signs, rowers, goal):
    placed, code = assembled(form, signs, rowers, goal)
    interval = placed.interval
    assert code.phases == interval
    assert {len(values) for values in code.fields.values()} == {interval}

    def control(name: str, time: int) -> int:
        return code.fields[name][time % interval]

    assert len(code.constants) == len(code.moduli) == rowers
    assert all(memory[0] == 0 for memory in code.constants)
    for time, sequence, slot in placed.slots():
        address = control("constant", time + TIMING.constant)
        row = tuple(memory[address] for memory in code.constants)
        assert row == (slot.constants or (0,) * rowers)
        left = control("left", time + TIMING.operand)
        register = control("left_register", time + TIMING.address)
        if slot.left_word is None:
            assert (left, register) == (slot.left, 0)
        else:
            assert left == placed.operand(time, slot.left_word)
            wanted = placed.registers[slot.left_word] if left == Left.REGISTER else 0
            assert register == wanted
        right = control("right_register", time + TIMING.address)
        assert right == (placed.registers[slot.right_word] if slot.right_word else 0)
        assert control("first", time + TIMING.operand) == slot.first
        assert control("subtract", time + TIMING.operand) == slot.subtract
        for tap, weight in enumerate(slot.tap_weights):
            chosen = control(f"cox_weight_{tap}", time + TIMING.cox_weights)
            assert (code.weights[chosen - 1] if chosen else 0) == weight
        assert control("cox_first", time + TIMING.cox_first) == slot.cox_first
        if slot.last:
            select = control("modulus", time + TIMING.modulus)
            assert tuple(moduli[select] for moduli in code.moduli) == sequence.sequence.moduli


@pytest.mark.parametrize("rowers", [4, 2])
def test_every_result_is_written_or_emitted_once(rowers):
    placed, code = assembled("quadratic", (1,), rowers, "interval")
    results = {each.sequence.result for each in placed.placed}
    assert sum(code.fields["write"]) == len(results & set(placed.registers))
    assert sum(code.fields["emit"]) == len(placed.outputs)
    emitted = [
        word for word, on in zip(code.fields["emit_word"], code.fields["emit"], strict=True) if on
    ]
    assert sorted(emitted) == list(range(len(placed.outputs)))
    assert sum(code.fields["release"]) == 1


def test_registers_are_distinct_and_zero_is_free():
    placed, _ = assembled("reordered", (1, -1), 2, "latency")
    registers = list(placed.registers.values())
    assert len(set(registers)) == len(registers)
    assert 0 not in registers
    assert [placed.registers[word] for word in placed.inputs] == list(
        range(1, len(placed.inputs) + 1)
    )


def test_equal_constants_share_a_word():
    _, code = assembled("quadratic", (1,), 1, "latency")
    rows = list(zip(*code.constants, strict=True))
    assert len(set(rows)) == len(rows)
