"""Cycles of operations, by the times of the parts: of a controller's instructions, one by one.

They are what a host waits for from the cycle in which a command is taken to the one in which `done`
is set, if no stream waits and the operation ends well.
"""

from collections.abc import Iterator
from functools import cached_property

from residua.curves.operations.codes import ORDER_OPERATIONS, PUBLIC_OPERATIONS, Operation
from residua.curves.operations.instructions import (
    PLAIN,
    Admit,
    Check,
    Deliver,
    Instruction,
    Invert,
    Read,
    Receive,
    Reciprocate,
    Run,
    Source,
)
from residua.hardware.coprocessor.coprocessor import WIPES
from residua.hardware.coprocessor.design import CurveDesign
from residua.hardware.coprocessor.operand_reader import OperandReader
from residua.hardware.unbuilt import unbuilt

_PATIENCE = 8
"""An operation hangs after so many times the cycles of the longest one."""

ENTERED = 2
"""Cycles from the one in which a command is taken to the one in which the first instruction is
asked for."""

FETCHED = 3
"""Cycles from the one in which an instruction is asked for to the first one of what it does."""

ENDED = WIPES + 5
"""Cycles from the decoded end of an operation to `done`, beside those that wipe the field unit: the
states of the controller, the wipe of all parts, and registers on the way back."""

_STARTED = 1
"""Cycle between an instruction and the part that it waits for."""

_CHOSEN = 1
"""Cycle in which a unit for scalars is chosen."""

_HEARD = 1
"""Cycle between the end of a number that is read and the controller."""


def operation_cycles(design: CurveDesign, operation: Operation, curve: int) -> int:
    """Cycles from the one in which a command is taken to the one in which `done` is set.

    The field unit's registers take longest to be wiped.

    Args:
        design: the coprocessor.
        operation: one that the curve has, and none of `PUBLIC_OPERATIONS`.
        curve: index of the curve.
    """
    assert operation not in PUBLIC_OPERATIONS
    walk = _Walk(design, curve)
    for instruction in _called(design, operation, curve):
        walk.take(instruction)
    return walk.now + FETCHED + design.wipe_cycles + ENDED


def patience(design: CurveDesign) -> int:
    """Cycles after which an operation that has not ended is taken to hang.

    Streams that pause and verdicts on public data lengthen an operation, but not by so much.
    """
    return _PATIENCE * max(
        operation_cycles(design, operation, curve)
        for curve, operations in enumerate(design.operations)
        for operation in operations.keys() - PUBLIC_OPERATIONS
    )


def timeline(
    design: CurveDesign, operation: Operation, curve: int
) -> list[tuple[int, Instruction]]:
    """The instructions of an operation, each with the cycle in which it is asked for.

    They are those of an operation that ends well, on streams that do not wait.
    """
    walk, found = _Walk(design, curve), []
    for instruction in _called(design, operation, curve):
        if instruction is not None:
            found.append((walk.now, instruction))
        walk.take(instruction)
    return found


def _called(design: CurveDesign, operation: Operation, curve: int) -> Iterator[Instruction | None]:
    """The instructions of an operation and of its inversions; None is a call or a return."""
    page = design.curve_pages * curve + (operation in ORDER_OPERATIONS)
    for instruction in design.operations[curve][operation]:
        if isinstance(instruction, Invert):
            yield from (None, *design.inversions[page], None)
        else:
            yield instruction


class _Walk:
    """The cycle in which the next instruction is asked for, and that of the last routine's start.

    What gives a number or residues out runs on beside the instructions that follow.
    """

    def __init__(self, design: CurveDesign, curve: int) -> None:
        self.design, self.curve = design, curve
        self.now, self.started = ENTERED, 0

    def take(self, instruction: Instruction | None) -> None:
        """Go on to the next instruction."""
        begun = self.now + FETCHED
        match instruction:
            case Run(routine, rounds):
                count = rounds or self.design.scalars.rounds[self.curve]
                self.now = begun + self.design.routine_cycles(routine, self.curve, count)
                self.started = begun
            case Read("operand" | "random" | "choice"):
                self.now = begun + _STARTED + self._operand + _HEARD
            case Read(source):
                self.now = begun + _STARTED + _CHOSEN + self._scalar(source) + _HEARD
            case Receive():
                given = self.started + self.design.number_cycles
                self.now = max(begun, given) + _STARTED
            case Reciprocate():
                self.now = self.started + self.design.reciprocal_cycles
            case Admit() | Check() | Deliver() | None:
                self.now = begun

    @cached_property
    def _operand(self) -> int:
        """Cycles until an operand has been read."""
        design = self.design
        reader = OperandReader(design.moduli, design.words, design.width, design.binary_words)
        return unbuilt(reader).latency

    def _scalar(self, source: Source) -> int:
        """Cycles until a scalar is there, or an entry that its first column chooses."""
        scalars, layout = self.design.scalars, self.design.scalars.layout
        plain = source in PLAIN
        if "split" in source and (halves := scalars.half_scalars()):
            return unbuilt(halves).plain_latency if plain else unbuilt(halves).latency
        cycles = layout.plain_latency if plain else layout.latencies[self.curve]
        if source != "second scalar" and (reducer := scalars.reducer()):
            # Its first word comes instead of the first one of the scalar; the others follow.
            replaced = source in ("scalar", "base scalar") and self.curve in scalars.lengthened
            first = unbuilt(reducer).latency if replaced else unbuilt(reducer).plain_latency
            cycles += first - 1
        if source == "comb scalar" and (comb := scalars.comb_reader(self.design.entry_words)):
            cycles += unbuilt(comb).latency
        return cycles
