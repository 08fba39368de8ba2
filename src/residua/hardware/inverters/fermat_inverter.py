"""Fermat's inversion x^(P - 2) on a Cox-Rower engine, as an inverter on streams.

A field processor runs the chain of squarings and multiplications that
`residua.algorithms.addition_chains` finds for P, between the routines that take a number in and
give one out. Its instructions are the same for every x.
"""

from functools import cached_property
from typing import Any

from amaranth.hdl import Module, Signal
from amaranth.lib.wiring import Component

from residua.algorithms.addition_chains import fermat_chain
from residua.algorithms.fields.field import FieldProgram
from residua.curves.inversion import LONGEST_CHAIN, power_programs, power_runs
from residua.curves.operations.instructions import Run
from residua.hardware.converters.residue_to_binary import ResidueToBinary
from residua.hardware.engine.processor import Processor
from residua.hardware.exponentiation.field_list import LOAD, UNLOAD, FieldListDesign
from residua.hardware.exponentiation.routine_list import (
    State,
    execute,
    most_rounds,
)
from residua.hardware.inverters.streams import (
    ConstantTime,
    ModulusWords,
    OperandCheck,
    inverter_ports,
)


class FermatDesign(FieldListDesign, ConstantTime):
    """Design of a `FermatInverter` modulo the prime of a domain.

    Raises:
        SpecificationError: the bases are too narrow.
    """

    @cached_property
    def runs(self) -> list[Run]:
        """The routines of an inversion, in order."""
        chain = fermat_chain(self.modulus, registers=LONGEST_CHAIN)
        return [Run(LOAD), *power_runs(chain), Run(UNLOAD)]

    @cached_property
    def programs(self) -> dict[str, FieldProgram]:
        """The field programs, by the names of their routines."""
        return power_programs(self.runs)

    @property
    def longest(self) -> int:
        """Cycles from the last operand word to the last result word, of every operand."""
        return self.list_cycles

    @property
    def wake(self) -> int:
        """Cycles from the end of a reset to the first in which a word of an operand is taken."""
        return self.processor.clearing_cycles + 1

    @property
    def turns(self) -> int:
        """Places that results stand in by turns, those of the converter."""
        return self.conversion.result_pages

    def component(self) -> "FermatInverter":
        """A new component of the design."""
        return FermatInverter(self)


class FermatInverter(Component):
    """1 / x modulo a prime P, on streams of words, the lowest first, in constant time.

    Streams and ``error`` are those of
    `residua.hardware.inverters.plus_minus_inverter.PlusMinusInverter`. No cycle depends on x, also
    if it has no inverse.
    """

    def __init__(self, design: FermatDesign) -> None:
        self.design = design
        super().__init__(inverter_ports(design.width))

    def elaborate(self, platform: Any) -> Module:
        """Instructions, processor, converter."""
        m = Module()
        design = self.design
        m.submodules.processor = processor = Processor(design.processor, most_rounds(design))
        m.submodules.converter = converter = ResidueToBinary(design.conversion)
        state, word = Signal(State, name="state"), Signal(range(design.words + 1), name="word")
        taken, given = Signal(name="taken"), Signal(name="given")
        last = word == design.words - 1
        takes, gives = state == State.INPUT, state == State.OUTPUT
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
                m.d.sync += [word.eq(0), state.eq(State.FETCH)]
        with m.If(given & converter.result.payload.last):
            m.d.sync += state.eq(State.CLEAR)
        execute(m, state, design, processor)
        return m
