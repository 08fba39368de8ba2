"""A fixed list of routines on a field processor, from the words of an operand to a number.

`RoutineListDesign` has the instructions and their cycles, `execute` the state machine that runs
them; it is the same for every operand.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum
from functools import cached_property

from amaranth.hdl import Cat, Module, Mux, Signal, Value, ValueLike
from amaranth.lib import data
from amaranth.lib.memory import Memory
from amaranth.utils import ceil_log2

from residua.curves.operations.instructions import Run
from residua.hardware.converters.conversion import Conversion
from residua.hardware.engine.microsequencer import GAP, STORE_LATENCY, pause_after
from residua.hardware.engine.processor import Processor
from residua.hardware.engine.processor_design import ProcessorDesign

_OVERHEAD = GAP + 1
"""Cycles of an instruction besides the slots of its routine."""


class State(IntEnum):
    """States of a list: taking operands, an instruction, giving the result."""

    CLEAR = 0
    INPUT = 1
    FETCH = 2
    LATCH = 3
    DECODE = 4
    START = 5
    RUN = 6
    PAUSE = 7
    OUTPUT = 8


class RoutineListDesign(ABC):
    """A list of runs of which the last one gives a number out, and its cycles."""

    @property
    @abstractmethod
    def runs(self) -> Sequence[Run]:
        """The routines, in order; the last one is "unload"."""

    @property
    def loads(self) -> Sequence[Run]:
        """Routines before the list, each of which waits for a number of its own; none, usually."""
        return ()

    @property
    @abstractmethod
    def processor(self) -> ProcessorDesign:
        """The field processor."""

    @property
    @abstractmethod
    def conversion(self) -> Conversion:
        """The conversion of results to binary."""

    @cached_property
    def instructions(self) -> list[dict[str, int]]:
        """The fields of every instruction, those of `loads` first."""
        found = []
        for run in (*self.loads, *self.runs):
            block = self.processor.store.blocks[run.routine]
            assert run.rounds is not None
            found.append(
                {
                    "origin": block.start,
                    "length": block.length - 1,
                    "rounds": run.rounds - 1,
                    "pause": pause_after(block),
                }
            )
        return found

    @cached_property
    def chain_cycles(self) -> int:
        """Cycles of all instructions of the list before the one that gives out."""
        own = self.instructions[len(self.loads) : -1]
        return sum(instruction_cycles(word, word["rounds"] + 1) for word in own)

    @cached_property
    def list_cycles(self) -> int:
        """Cycles from the last operand word to the last result word, of every operand."""
        return self.chain_cycles + self.unload_cycles

    @property
    def unload_cycles(self) -> int:
        """Cycles from the end of the instructions before "unload" to the last result word."""
        store = self.processor.store
        block = store.blocks["unload"]
        slots = store.fields["emit"][block.start : block.start + block.length]
        # The first residue, from the slot in which it is emitted on.
        residue = slots.index(1) + STORE_LATENCY + self.processor.delays["emit"]
        return _OVERHEAD + 2 + residue + self.conversion.latency


def instruction_cycles(word: Mapping[str, int], rounds: int) -> int:
    """Cycles of an instruction that runs so many rounds."""
    return _OVERHEAD + (word["length"] + 1) * rounds + word["pause"]


@dataclass(frozen=True)
class Path:
    """A way through a list that is not straight on.

    Attributes:
        address: of the instruction that runs.
        following: of the one after it.
        rounds: makes the rounds of an instruction, less 1, of those of the list.
    """

    address: Signal
    following: Value
    rounds: Callable[[Value], Value]


def most_rounds(design: RoutineListDesign) -> int:
    """Largest count of the processor of a list."""
    return max(word["rounds"] for word in design.instructions) + 1


def list_address(design: RoutineListDesign) -> Signal:
    """The address of an instruction, or the one after the last."""
    return Signal(range(len(design.instructions) + 1), name="address")


def _straight_on(design: RoutineListDesign) -> Path:
    address = list_address(design)
    return Path(address, address + 1, lambda own: own)


def execute(
    m: Module,
    state: Signal,
    design: RoutineListDesign,
    processor: Processor,
    load: Value | None = None,
    path: Path | None = None,
) -> None:
    """One instruction after the other, from `State.FETCH` to `State.OUTPUT`.

    In `State.CLEAR`, which leads to `State.INPUT`, the processor expects a new operand. Where there
    are `RoutineListDesign.loads`, ``load`` tells in `State.INPUT` which of them is next, or else is
    their number; after one comes `State.CLEAR`. A ``path`` leads from one instruction to the next,
    which is the following one without it.
    """
    words = design.instructions
    widths = {name: max(word[name] for word in words).bit_length() or 1 for name in words[0]}
    layout = data.StructLayout(widths)
    path = path or _straight_on(design)
    address = path.address
    depth = 1 << ceil_log2(len(words))
    init = [layout.const(word).as_bits() for word in words]
    m.submodules.instructions = memory = Memory(shape=layout.size, depth=depth, init=init)
    read = memory.read_port(domain="sync")
    instruction = Signal(layout, name="instruction", reset_less=True)
    pause = Signal(widths["pause"], name="pause")
    m.d.sync += instruction.eq(read.data)
    m.d.comb += [
        read.addr.eq(address),
        processor.run.eq(state == State.START),
        processor.origin.eq(instruction.origin),
        processor.length.eq(instruction.length),
        processor.rounds.eq(path.rounds(instruction.rounds)),
        processor.binary_start.eq((state == State.CLEAR) & ~processor.clearing),
    ]
    # Of the next one, unless it was the last.
    following: Value = Cat(address == len(words))
    end: ValueLike = State.OUTPUT
    if load is not None:
        following = (address <= len(design.loads)) | (address == len(words))
        end = Mux(address == len(words), State.OUTPUT, State.CLEAR)
    with m.Switch(state):
        with m.Case(State.CLEAR):
            m.d.sync += address.eq(0)
            with m.If(~processor.clearing):
                m.d.sync += state.eq(State.INPUT)
        if load is not None:
            with m.Case(State.INPUT):
                m.d.sync += address.eq(load)
        with m.Case(State.FETCH):
            m.d.sync += state.eq(State.LATCH)
        with m.Case(State.LATCH):
            m.d.sync += state.eq(State.DECODE)
        with m.Case(State.DECODE):
            m.d.sync += [state.eq(State.START), pause.eq(instruction.pause)]
        with m.Case(State.START):
            m.d.sync += [state.eq(State.RUN), address.eq(path.following)]
        with m.Case(State.RUN), m.If(processor.ready):
            with m.If(pause != 0):
                m.d.sync += state.eq(State.PAUSE)
            with m.Elif(following):
                m.d.sync += state.eq(end)
            with m.Else():
                m.d.sync += state.eq(State.FETCH)
        with m.Case(State.PAUSE):
            m.d.sync += pause.eq(pause - 1)
            with m.If(pause == 1):
                m.d.sync += state.eq(State.FETCH)
                with m.If(following):
                    m.d.sync += state.eq(end)
