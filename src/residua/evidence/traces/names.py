"""Names of what a core does in each cycle: instruction, round, slot and step."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from residua.curves.operations.codes import PUBLIC_OPERATIONS, Operation
from residua.curves.operations.instructions import Instruction, Read, Run
from residua.hardware.coprocessor.design import CurveDesign
from residua.hardware.coprocessor.durations import ENDED, ENTERED, FETCHED, timeline
from residua.hardware.engine.processor_design import ProcessorDesign

_SLOT = FETCHED + 1
"""Cycles from the one in which a routine's instruction is asked for to that of its first slot."""

Numbers = NDArray[np.int32]
"""A number for each cycle."""


@dataclass(frozen=True)
class CycleNames:
    """What happens in each cycle of an operation.

    Attributes:
        programs: names of instructions, of routines their own; the first one is of cycles that have
            none.
        steps: names of the steps of routines; the first one is of cycles in which none is begun.
        program: index of each cycle in ``programs``.
        round: of the routine, from 0 on; -1 where none runs.
        slot: of the round, from 0 on; -1 where none runs.
        step: index of each cycle in ``steps``.
    """

    programs: tuple[str, ...]
    steps: tuple[str, ...]
    program: Numbers
    round: Numbers
    slot: Numbers
    step: Numbers


def cycle_names(design: CurveDesign, operation: Operation, curve: int, cycles: int) -> CycleNames:
    """The names of the cycles of an operation that took so many, on streams that do not wait.

    A slot counts in the cycle in which the address of its control word is in its register. Where
    the processor is not an engine there are no slots and steps. An operation of
    `PUBLIC_OPERATIONS`, whose way follows from its operands, has no names.
    """
    names = _Names(design, curve, cycles)
    if operation not in PUBLIC_OPERATIONS:
        # When the last instruction is left, also before its time.
        end = cycles - design.wipe_cycles - ENDED
        found = [(cycle, own) for cycle, own in timeline(design, operation, curve) if cycle < end]
        for (cycle, instruction), following in zip(
            found, [*(cycle for cycle, _ in found[1:]), end], strict=True
        ):
            names.take(instruction, cycle, following)
        names.fill("begin", 0, ENTERED)
        names.fill("end", end, cycles)
    return names.all()


def stretches(values: NDArray[np.int64] | Numbers) -> Iterator[tuple[int, int]]:
    """The spans of cycles in which a number stays as it is, first ones and those after the last."""
    changes = np.flatnonzero(np.diff(values)) + 1
    ends = [*changes.tolist(), len(values)]
    yield from zip([0, *ends], ends, strict=False)


class NameTable:
    """Names of so many cycles, which begin without any."""

    def __init__(self, cycles: int) -> None:
        self._programs, self._steps = {"": 0}, {"": 0}
        self._program, self._step = np.zeros(cycles, np.int32), np.zeros(cycles, np.int32)
        self._round, self._slot = np.full(cycles, -1, np.int32), np.full(cycles, -1, np.int32)

    def all(self) -> CycleNames:
        """All of them."""
        return CycleNames(
            tuple(self._programs),
            tuple(self._steps),
            self._program,
            self._round,
            self._slot,
            self._step,
        )

    def fill(self, name: str, first: int, end: int) -> None:
        """Name the program of a span of cycles."""
        self._program[first:end] = self._programs.setdefault(name, len(self._programs))

    def run(self, processor: ProcessorDesign, routine: str, start: int, slots: int) -> None:
        """Name round, slot and step of a routine whose first slot is in a cycle."""
        count = max(min(slots, len(self._slot) - start), 0)
        span, length = slice(start, start + count), processor.store.blocks[routine].length
        places = np.arange(count, dtype=np.int32)
        self._round[span], self._slot[span] = np.divmod(places, length)
        self._step[span] = self._steps_of(processor, routine, length)[self._slot[span]]

    def _steps_of(self, processor: ProcessorDesign, routine: str, length: int) -> Numbers:
        """The step of each slot of a routine; of those of other rounds, too, in a loop."""
        found: dict[int, dict[str, None]] = {}
        for time, name in _begun(processor, routine):
            found.setdefault(time % length, {})[name] = None
        steps = np.zeros(length, np.int32)
        for time, names in found.items():
            steps[time] = self._steps.setdefault(" | ".join(names), len(self._steps))
        return steps


class _Names(NameTable):
    """Names of an operation of a coprocessor, instruction by instruction."""

    def __init__(self, design: CurveDesign, curve: int, cycles: int) -> None:
        super().__init__(cycles)
        self.design, self.curve = design, curve

    def take(self, instruction: Instruction, first: int, end: int) -> None:
        self.fill(_name(instruction), first, end)
        processor = self.design.processor
        if not isinstance(instruction, Run) or not isinstance(processor, ProcessorDesign):
            return
        length = self.design.block(instruction.routine, self.curve).length
        rounds = instruction.rounds or self.design.scalars.rounds[self.curve]
        variant = self.design.routines.variant(instruction.routine, self.curve)
        self.run(processor, variant, first + _SLOT, rounds * length)


def _begun(processor: ProcessorDesign, routine: str) -> Iterator[tuple[int, str]]:
    """The slots of a routine, each with the step that it is of."""
    made = processor.routines[routine]
    for time, job, _, _ in made.slots():
        yield time, made.placed[job].sequence.name


def _name(instruction: Instruction) -> str:
    match instruction:
        case Run(routine):
            return routine
        case Read(source):
            return f"read {source}"
        case _:
            return type(instruction).__name__.lower()
