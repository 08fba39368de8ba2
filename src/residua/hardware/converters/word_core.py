"""Word-stream core: a modular multiplier with binary operands and results."""

from abc import ABC, abstractmethod
from dataclasses import replace
from functools import cached_property
from typing import Any

from amaranth.hdl import Module, Signal
from amaranth.lib import stream
from amaranth.lib.wiring import Component, In, Out, connect, flipped

from residua.algorithms.fields.field_unit import Domain, number_base, wide_bases
from residua.algorithms.program import Program
from residua.algorithms.terms import Words
from residua.hardware.converters.conversion import Conversion, conversion_cox
from residua.hardware.converters.residue_to_binary import ResidueToBinary
from residua.hardware.engine.datapath_design import EngineOptions
from residua.hardware.engine.engine import Engine
from residua.hardware.engine.engine_design import EngineDesign
from residua.numbers.cox import Range


class WordDesign(ABC):
    """Design of a core with words: program, engine, conversion of the result, cycle counts.

    The program leads from the words of x and y to the residues, in cofactor form, of a number that
    is congruent to the result; the converter makes the result of them, in [0, P).

    Attributes:
        domain: bases and modulus.
        multipliers: columns that the conversion to binary computes side by side.

    Raises:
        SpecificationError: the engine or the converter cannot be built with these options.
    """

    domain: Domain

    def __init__(self, domain: Domain, options: EngineOptions, multipliers: int = 1) -> None:
        self.domain, self.options, self.multipliers = domain, options, multipliers

    @cached_property
    @abstractmethod
    def program(self) -> Program:
        """Program from the words of x and y to the residues from which the result is read."""

    @property
    @abstractmethod
    def largest(self) -> int:
        """The largest y."""

    @property
    @abstractmethod
    def largest_x(self) -> int:
        """The largest x."""

    @abstractmethod
    def expected(self, x: int, y: int) -> int:
        """The result for two operands, by plain integers."""

    @property
    def width(self) -> int:
        """Bits of a word, w."""
        return wide_bases(self.domain)[0].width

    @property
    def words(self) -> int:
        """Words of each operand and of the result."""
        return -(-self.domain.modulus.bit_length() // self.width)

    @property
    def operand_words(self) -> int:
        """Words of both operands."""
        return 2 * self.words

    @property
    def most(self) -> int:
        """The largest number that the words of an operand hold."""
        return (1 << (self.words * self.width)) - 1

    @property
    def wake(self) -> int:
        """Cycles from the end of a reset to the first in which a word is taken: none."""
        return 0

    @property
    def modulus_words(self) -> tuple[int, ...]:
        """Words of the modulus that are loaded: none, as it is built in."""
        return ()

    @property
    def tested_words(self) -> tuple[int, ...]:
        """Which of them the core tests: none."""
        return ()

    @property
    def error_flag(self) -> None:
        """What a flag beside a result tells: there is none."""
        return None

    def operand(self, program: Program, name: str, largest: int) -> Words:
        """The words of an operand of the program."""
        return program.words(name, self.words, self.width, largest)

    @cached_property
    def conversion(self) -> Conversion:
        """The conversion of the result to words."""
        return Conversion(
            number_base(self.domain),
            conversion_cox(self.domain, self.converted),
            (self.domain.modulus,),
            (self.reached,),
            self.multipliers,
        )

    @property
    def reached(self) -> Range:
        """The range of the number that the program leaves to the conversion."""
        reached = self.program.outputs[0].range.integers()
        return int(reached.low), int(reached.high)

    @property
    def converted(self) -> int:
        """The largest magnitude for which the Cox of the conversion is chosen."""
        return max(map(abs, self.reached))

    @cached_property
    def engine(self) -> EngineDesign:
        """The engine of the program, no faster than the conversion."""
        options = replace(self.options, serial=True, shortest_interval=self.conversion.interval)
        design = EngineDesign(self.program, options)
        self.program.representation = design.bounds.representation
        return design

    @cached_property
    def pages(self) -> int:
        """Results that the converter must have room for, so that runs start without waiting."""
        span = self.engine.serial_latency + self.conversion.occupancy + 2
        return -(-span // self.interval)

    @property
    def turns(self) -> int:
        """Places that results stand in by turns, as many as products write all of."""
        return max(self.pages, self.conversion.result_pages)

    @property
    def interval(self) -> int:
        """Cycles between results when neither stream waits."""
        return self.engine.schedule.interval

    @property
    def latency(self) -> int:
        """Cycles from the last operand word to the last result word, from idle, without waits."""
        return 1 + self.engine.serial_latency + self.conversion.latency


class WordCore(Component):
    """A modular multiplier on words of w bits.

    ``operands`` takes the words of x and then those of y, ``design.words`` each, the lowest first.
    ``result`` hands out the canonical result in [0, P), the lowest word first, ``last`` with the
    highest. Operands above ``design.largest_x`` and ``design.largest`` give wrong results.

    ``latency`` and ``interval`` are those of the design. They do not depend on the operands: a run
    starts only when its result is sure to have a place, and then never waits.
    """

    def __init__(self, design: WordDesign) -> None:
        self.design = design
        self.latency, self.interval = design.latency, design.interval
        super().__init__(
            {
                "operands": In(stream.Signature(design.width)),
                "result": Out(stream.Signature(design.conversion.payload)),
            }
        )

    def elaborate(self, platform: Any) -> Module:
        """Engine, converter, and the count of results that have a place reserved."""
        m = Module()
        design = self.design
        m.submodules.engine = engine = Engine(design.engine)
        m.submodules.converter = converter = ResidueToBinary(design.conversion, design.pages)
        connect(m, flipped(self.operands), engine.binary)
        connect(m, converter.result, flipped(self.result))
        reserved = Signal(range(design.pages + 1))
        m.d.sync += reserved.eq(reserved + engine.start - converter.freed)
        m.d.comb += [
            engine.enable.eq(reserved != design.pages),
            converter.residues.payload.eq(engine.result[0]),
            converter.residues.valid.eq(engine.result_valid),
        ]
        return m
