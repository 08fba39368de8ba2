"""Division steps as an inverter on streams: the modular inverter, a check, room for a result."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import Component

from residua.hardware.inverters.modular_inverter import ModularInverter
from residua.hardware.inverters.streams import (
    ConstantTime,
    ModulusWords,
    OperandCheck,
    inverter_ports,
)
from residua.hardware.unbuilt import unbuilt


@dataclass(frozen=True)
class DivisionStepsDesign(ConstantTime):
    """Design of a `DivisionStepsInverter` modulo a prime."""

    modulus: int
    width: int

    @property
    def words(self) -> int:
        """Words of an operand and of a result."""
        return -(-self.modulus.bit_length() // self.width)

    @cached_property
    def inverter(self) -> ModularInverter:
        """A unit like the one within, for its figures."""
        return unbuilt(ModularInverter((self.modulus,), self.width, self.words))

    @property
    def longest(self) -> int:
        """Cycles from the last operand word to the last result word, of every operand."""
        return self.inverter.latency + self.words

    @property
    def wake(self) -> int:
        """Cycles from the end of a reset to the first in which a word of an operand is taken."""
        return self.inverter.depth + 1

    def component(self) -> "DivisionStepsInverter":
        """A new component of the design."""
        return DivisionStepsInverter(self)


class DivisionStepsInverter(Component):
    """1 / x modulo a prime P, on streams of words, the lowest first, in constant time.

    Streams and ``error`` are those of
    `residua.hardware.inverters.plus_minus_inverter.PlusMinusInverter`. No cycle depends on x, also
    if it has no inverse.
    """

    def __init__(self, design: DivisionStepsDesign) -> None:
        self.design = design
        super().__init__(inverter_ports(design.width))

    def elaborate(self, platform: Any) -> Module:
        """The unit between two counters of words."""
        m = Module()
        design = self.design
        m.submodules.inverter = unit = ModularInverter(
            (design.modulus,), design.width, design.words
        )
        m.submodules.results = memory = Memory(shape=design.width, depth=design.words, init=[])
        word, gives = Signal(range(max(design.words, 2)), name="word"), Signal(name="gives")
        taken, given = Signal(name="taken"), Signal(name="given")
        ready, last = Signal(name="ready"), word == design.words - 1
        modulus = ModulusWords(design.modulus, design.words, design.width, word)
        check = OperandCheck(m, self.operands.payload, modulus.word, taken, word == 0)
        m.d.comb += [
            unit.start.eq(~unit.busy & ~gives & ~unit.done),
            unit.words.valid.eq(self.operands.valid & ready),
            unit.words.payload.word.eq(self.operands.payload),
            unit.words.payload.last.eq(last),
            self.operands.ready.eq(unit.words.ready & ready),
            taken.eq(self.operands.valid & self.operands.ready),
            given.eq(self.result.valid & self.result.ready),
        ]
        with m.If(taken | unit.word_valid | given):
            m.d.sync += word.eq(Mux(last, 0, word + 1))
        with m.If(unit.start & ~unit.clearing):
            m.d.sync += ready.eq(1)
        with m.If(taken & last):
            m.d.sync += ready.eq(0)
        with m.If(unit.done):
            m.d.sync += gives.eq(1)
        with m.If(given & last):
            m.d.sync += gives.eq(0)
        write, read = memory.write_port(), memory.read_port(domain="comb")
        m.d.comb += [
            write.en.eq(unit.word_valid),
            write.addr.eq(word),
            write.data.eq(unit.word),
            read.addr.eq(word),
            self.result.valid.eq(gives),
            self.result.payload.word.eq(read.data),
            self.result.payload.last.eq(last),
            self.result.payload.error.eq(check.refused),
        ]
        return m
