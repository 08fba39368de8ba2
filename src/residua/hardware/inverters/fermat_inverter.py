"""Fermat's inversion x^(P - 2) on a Cox-Rower engine, as an inverter on streams.

A field processor runs the chain of squarings and multiplications that `residua.algorithms.powers`
finds for P, between the routines that take a number in and give one out. Its instructions are the
same for every x.
"""

from functools import cached_property
from typing import Any

from amaranth.hdl import Module, Signal
from amaranth.lib.wiring import Component

from residua.algorithms.fields import rns_field
from residua.algorithms.fields.field import FieldProgram
from residua.algorithms.montgomery import MontgomeryDomain
from residua.algorithms.powers import fermat_chain
from residua.curves.inversion import LONGEST_CHAIN, power_programs, power_runs
from residua.curves.operations import NUMBER, Run
from residua.hardware.converters.conversion import Conversion, conversion_cox
from residua.hardware.converters.residue_to_binary import ResidueToBinary
from residua.hardware.engine.datapath_design import EngineOptions
from residua.hardware.engine.processor import Processor
from residua.hardware.engine.processor_design import ProcessorDesign
from residua.hardware.exponentiation.routine_list import (
    RoutineListDesign,
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
from residua.machines.routine import Source
from residua.numbers.residues import Redundant


class FermatDesign(RoutineListDesign, ConstantTime):
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
        chain = fermat_chain(self.modulus, registers=LONGEST_CHAIN)
        return [Run("load"), *power_runs(chain), Run("unload")]

    @cached_property
    def _programs(self) -> dict[str, FieldProgram]:
        return power_programs(self.runs)

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

    @property
    def longest(self) -> int:
        """Cycles from the last operand word to the last result word, of every operand."""
        return self.list_cycles

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
