"""Control words of the fixed window, run one by one on integers, multiply points."""

import random

import pytest
from tests.small_curves import TINY, WITHOUT_A

from machines.control_words import Interpreter
from residua.algorithms.conversion import split_words
from residua.cores.coprocessor.engine.rns_montgomery import EccCore
from residua.curves import affine
from residua.curves.fixed_window import digit_flags, digits
from residua.curves.formulas import Formula
from residua.curves.operations.codes import Operation, Status
from residua.curves.operations.instructions import Invert, Read, Receive, Run
from residua.curves.parameters import curve_from_parameters
from residua.errors import SpecificationError
from residua.hardware.coprocessor import loops
from residua.machines.scheduling.blocks import Problem, list_schedule, place_by_lists


def core(parameters):
    curve = curve_from_parameters(parameters)
    return EccCore([curve], formula=Formula.FIXED_WINDOW, blinding=32)


@pytest.fixture(scope="module", params=[TINY, WITHOUT_A], ids=["a=-3", "a=0"])
def tiny(request):
    return core(request.param)


class Host:
    """Does what a controller does, with flags from plain integers."""

    def __init__(self, core, seed):
        self.design, self.draw = core.design, random.Random(seed)
        self.interpreter = Interpreter(core.design.processor, 0, seed)

    def multiply(self, scalar):
        """BASE_MULTIPLY of a scalar as it is after blinding: its status and results."""
        found = digits(scalar, self.design.scalars.served[0])
        results, emitted = [], []
        for instruction in self.design.operations[0][Operation.BASE_MULTIPLY]:
            match instruction:
                case Run():
                    emitted = self.run(instruction, found)
                case Receive(None, _):
                    results.append(self.number(emitted))
                case Receive(stop, status):
                    if (self.number(emitted) == 0) == (stop == "zero"):
                        return status, ()
                case Invert():
                    for run in self.design.inversions[0]:
                        self.run(run, found)
                case Read():
                    pass
        return Status.OK, tuple(results)

    def run(self, run, found):
        """A routine with the flags of the digits, or with a random number to load."""
        first, *others = found
        flags = {"window_start": [first], "ladder_step": others}.get(run.routine)
        number = self.draw.randrange(1, self.design.moduli[0])
        return self.interpreter.run(
            run.routine,
            rounds=len(others) if run.rounds is None else run.rounds,
            bits=flags and (lambda index: digit_flags(flags[index])),
            binary=split_words(number, self.design.binary_words, self.design.width),
        )

    def number(self, words):
        base, modulus = self.design.domains[0].base_b, self.design.moduli[0]
        total = sum(word * cofactor for word, cofactor in zip(words, base.cofactors, strict=True))
        number = total % base.product
        return (number - base.product if 2 * number > base.product else number) % modulus


def test_multiples_of_the_base_point(tiny):
    (curve,), n = tiny.curves, tiny.curves[0].order
    largest = (1 << tiny.design.scalars.served[0]) - 1
    scalars = [0, 1, n - 1, n, largest]
    if (curve.prime - curve.a) % curve.prime == 3:
        # Digits are the same for every curve.
        scalars += [2, n + 1, 0x888888888, 0x777777777]
    for seed, scalar in enumerate([*scalars, random.Random(2).randint(0, largest)]):
        expected = affine.multiply(curve, scalar % n, curve.base_point)
        status, results = Host(tiny, seed).multiply(scalar)
        assert results == (expected or ())
        assert status == (Status.OK if expected else Status.NEUTRAL)


def test_all_slots_are_the_same_for_all_digits(tiny):
    """Each step reads every entry of the table, whatever the digit."""
    places = tiny.design.processor.places.registers
    step = tiny.design.processor.routines["ladder_step"]
    read = {step.registers[slot.right_word] for *_, slot in step.slots() if slot.gate}
    table = [
        register
        for name, parts in places.items()
        if name.startswith("t")
        for registers in parts.values()
        for register in registers
    ]
    assert len(table) == 2 * 24
    assert read >= set(table)


def test_a_round_too_short_for_the_next_digit_is_refused(tiny, monkeypatch):
    pause = tiny.design.processor.routines["ladder_step"].gate_pause
    assert pause >= loops.DIGIT_DELAY == 15
    monkeypatch.setattr(loops, "DIGIT_DELAY", pause + 1)
    fresh = core(TINY | {"name": "other"}).design
    with pytest.raises(SpecificationError, match=r"ladder_step: .* too short for the next digit"):
        _ = fresh.controller


def test_repeated_list_schedules_fill_a_long_loop(tiny):
    """No solver is needed where late results leave slots that others can fill."""
    problem: Problem = tiny.design.processor.routines["ladder_step"].problem
    starts = place_by_lists(problem)
    problem.check(starts)
    once = problem.length(list_schedule(problem))
    assert problem.total <= problem.length(starts) < once, "repeating gains slots"
    assert problem.length(starts) <= 1.05 * problem.total
