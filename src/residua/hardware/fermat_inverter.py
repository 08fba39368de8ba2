"""Fermat's inversion x^(P - 2) on a Cox-Rower engine, as an inverter on streams.

A field processor runs the chain of squarings and multiplications that `residua.curves.powers` finds
for P, between the routines that take a number in and give one out. Its instructions are the same
for every x.
"""

from enum import IntEnum
from functools import cached_property
from typing import Any

from amaranth.hdl import Cat, Module, Signal
from amaranth.lib import data
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import Component
from amaranth.utils import ceil_log2

from residua.algorithms import rns_field
from residua.algorithms.field import FieldProgram
from residua.algorithms.montgomery import MontgomeryDomain
from residua.curves.inversion import Inversion, inversion
from residua.curves.operations import NUMBER, Run, common_routines
from residua.hardware.controller import GAP
from residua.hardware.conversion import Conversion, conversion_cox
from residua.hardware.engine import EngineOptions
from residua.hardware.inverter_streams import (
    ConstantTime,
    ModulusWords,
    OperandCheck,
    inverter_ports,
)
from residua.hardware.microsequencer import STORE_LATENCY
from residua.hardware.processor import Processor, ProcessorDesign
from residua.hardware.residue_to_binary import ResidueToBinary
from residua.machines.routine import Source
from residua.numbers.residues import Redundant

_OVERHEAD = GAP + 1
"""Cycles of an instruction besides the slots of its routine."""


class FermatDesign(ConstantTime):
    """Everything about a `FermatInverter` modulo the prime of a domain.

    The domain's bound is chosen here.

    Raises:
        SpecificationError: the bases are too narrow.
    """

    def __init__(self, domain: MontgomeryDomain, options: EngineOptions) -> None:
        self._open_domain, self.options = domain, options

    @property
    def modulus(self) -> int:
        """P."""
        return self._open_domain.modulus

    @property
    def width(self) -> int:
        """Bits of a word, w."""
        return self._open_domain.base_a.width

    @property
    def words(self) -> int:
        """Words of an operand and of a result."""
        return -(-self.modulus.bit_length() // self.width)

    @cached_property
    def runs(self) -> list[Run]:
        """The routines of an inversion, in order."""
        steps = inversion(self.modulus, Inversion.FERMAT)
        chain = [step for step in steps if isinstance(step, Run)]
        first, last = Run(f"copy_l_{NUMBER}"), Run(f"copy_{NUMBER}_inverse")
        return [Run("load"), first, *chain[1:], last, Run("unload")]

    @cached_property
    def _programs(self) -> dict[str, FieldProgram]:
        names = {run.routine for run in self.runs}
        parts = [name.split("_") for name in names if name.startswith("copy_")]
        common = common_routines({(target, source) for _, target, source in parts})
        return {name: program for name, program in common.items() if name in names}

    @cached_property
    def domain(self) -> MontgomeryDomain:
        """The domain with a bound that all programs keep."""
        programs = [(program, dict[str, int]()) for program in self._programs.values()]
        number = (self.words, self.width)
        return rns_field.closed_domain(self._open_domain, programs, number, Redundant(1))

    @cached_property
    def processor(self) -> ProcessorDesign:
        """The field processor."""
        domain, representation = self.domain, Redundant(1)
        sources = [
            Source(
                name,
                (rns_field.lower(program, domain, {}, representation),),
                loop=name == "square",
            )
            for name, program in self._programs.items()
        ]
        load = rns_field.load(NUMBER, domain, self.words, self.width, representation)
        unload = rns_field.unload(NUMBER, domain, representation)
        sources += [Source("load", (load,)), Source("unload", (unload,), serial=True)]
        return ProcessorDesign(sources, self.options)

    @cached_property
    def conversion(self) -> Conversion:
        """The conversion of results to binary."""
        return Conversion(
            self.domain.base_b,
            conversion_cox(self.domain, self.modulus),
            (self.modulus,),
            ((-self.modulus, self.modulus),),
        )

    @cached_property
    def instructions(self) -> list[dict[str, int]]:
        """The fields of every instruction."""
        found = []
        for run in self.runs:
            block = self.processor.store.blocks[run.routine]
            assert run.rounds is not None
            found.append(
                {
                    "origin": block.start,
                    "length": block.length - 1,
                    "rounds": run.rounds - 1,
                    "pause": max(block.settled - block.length - GAP, 0),
                }
            )
        return found

    @cached_property
    def chain_cycles(self) -> int:
        """Cycles of all instructions before the one that gives out."""
        return sum(
            _OVERHEAD + (word["length"] + 1) * (word["rounds"] + 1) + word["pause"]
            for word in self.instructions[:-1]
        )

    @cached_property
    def longest(self) -> int:
        """Cycles from the last operand word to the last result word, of every operand."""
        store = self.processor.store
        block = store.blocks["unload"]
        slots = store.fields["emit"][block.start : block.start + block.length]
        # The first residue, from the slot in which it is emitted on.
        residue = slots.index(1) + STORE_LATENCY + self.processor.delays["emit"]
        return self.chain_cycles + _OVERHEAD + 2 + residue + self.conversion.latency

    def component(self) -> "FermatInverter":
        """A new component of the design."""
        return FermatInverter(self)


class _State(IntEnum):
    CLEAR = 0
    INPUT = 1
    FETCH = 2
    LATCH = 3
    DECODE = 4
    START = 5
    RUN = 6
    PAUSE = 7
    OUTPUT = 8


class FermatInverter(Component):
    """1 / x modulo a prime P, on streams of words, the lowest first, in constant time.

    Streams and ``error`` are those of `residua.hardware.plus_minus_inverter.PlusMinusInverter`. No
    cycle depends on x, also if it has no inverse.
    """

    def __init__(self, design: FermatDesign) -> None:
        self.design = design
        super().__init__(inverter_ports(design.width))

    def elaborate(self, platform: Any) -> Module:
        """Instructions, processor, converter."""
        m = Module()
        design = self.design
        most_rounds = max(word["rounds"] for word in design.instructions) + 1
        m.submodules.processor = processor = Processor(design.processor, most_rounds)
        m.submodules.converter = converter = ResidueToBinary(design.conversion)
        state, word = Signal(_State, name="state"), Signal(range(design.words + 1), name="word")
        taken, given = Signal(name="taken"), Signal(name="given")
        last = word == design.words - 1
        takes, gives = state == _State.INPUT, state == _State.OUTPUT
        modulus = ModulusWords(design.modulus, design.words, design.width, word)
        check = OperandCheck(m, self.operands.payload, modulus.word, taken, word == 0)
        m.d.comb += [
            processor.binary.payload.eq(self.operands.payload),
            processor.binary.valid.eq(self.operands.valid & takes),
            self.operands.ready.eq(processor.binary.ready & takes),
            taken.eq(self.operands.valid & self.operands.ready),
            converter.residues.payload.eq(processor.residue[0]),
            converter.residues.valid.eq(processor.residue_valid),
            self.result.payload.word.eq(converter.result.payload.word),
            self.result.payload.last.eq(converter.result.payload.last),
            self.result.payload.error.eq(check.refused),
            self.result.valid.eq(converter.result.valid & gives),
            converter.result.ready.eq(self.result.ready & gives),
            given.eq(self.result.valid & self.result.ready),
        ]
        with m.If(taken):
            m.d.sync += word.eq(word + 1)
            with m.If(last):
                m.d.sync += [word.eq(0), state.eq(_State.FETCH)]
        with m.If(given & converter.result.payload.last):
            m.d.sync += state.eq(_State.CLEAR)
        self._execute(m, state, processor)
        return m

    def _execute(self, m: Module, state: Signal, processor: Processor) -> None:
        """One instruction after the other."""
        words = self.design.instructions
        widths = {name: max(word[name] for word in words).bit_length() or 1 for name in words[0]}
        layout = data.StructLayout(widths)
        address = Signal(range(len(words) + 1), name="address")
        depth = 1 << ceil_log2(len(words))
        init = [layout.const(word).as_bits() for word in words]
        m.submodules.instructions = memory = Memory(shape=layout.size, depth=depth, init=init)
        read = memory.read_port(domain="sync")
        instruction = Signal(layout, name="instruction", reset_less=True)
        pause = Signal(widths["pause"], name="pause")
        m.d.sync += instruction.eq(read.data)
        m.d.comb += [
            read.addr.eq(address),
            processor.run.eq(state == _State.START),
            processor.origin.eq(instruction.origin),
            processor.length.eq(instruction.length),
            processor.rounds.eq(instruction.rounds),
            processor.binary_start.eq((state == _State.CLEAR) & ~processor.clearing),
        ]
        # Of the next one, unless it was the last.
        following = Cat(address == len(words))
        with m.Switch(state):
            with m.Case(_State.CLEAR):
                m.d.sync += address.eq(0)
                with m.If(~processor.clearing):
                    m.d.sync += state.eq(_State.INPUT)
            with m.Case(_State.FETCH):
                m.d.sync += state.eq(_State.LATCH)
            with m.Case(_State.LATCH):
                m.d.sync += state.eq(_State.DECODE)
            with m.Case(_State.DECODE):
                m.d.sync += [state.eq(_State.START), pause.eq(instruction.pause)]
            with m.Case(_State.START):
                m.d.sync += [state.eq(_State.RUN), address.eq(address + 1)]
            with m.Case(_State.RUN), m.If(processor.ready):
                with m.If(pause != 0):
                    m.d.sync += state.eq(_State.PAUSE)
                with m.Elif(following):
                    m.d.sync += state.eq(_State.OUTPUT)
                with m.Else():
                    m.d.sync += state.eq(_State.FETCH)
            with m.Case(_State.PAUSE):
                m.d.sync += pause.eq(pause - 1)
                with m.If(pause == 1):
                    m.d.sync += state.eq(_State.FETCH)
                    with m.If(following):
                        m.d.sync += state.eq(_State.OUTPUT)
