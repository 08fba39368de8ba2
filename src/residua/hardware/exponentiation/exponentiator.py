"""Modular exponentiation on a Cox-Rower engine, on streams of words, in constant time.

A field processor runs a fixed list of routines: it takes the base into Montgomery form, makes a
table of its powers, goes through the exponent in windows and takes the power out again
(`residua.algorithms.fields.field_exponentiation`). The exponent drives the bits that the bus
carries when the table is looked up, nothing else: not an address, not a control. A public exponent
has a chain of squarings and products of its own (`residua.algorithms.addition_chains`).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from amaranth.hdl import Cat, Module, Signal
from amaranth.lib import stream
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import Component, In, Member, Out

from residua.algorithms.addition_chains import AdditionChain, addition_chain
from residua.algorithms.conversion import from_cofactors, split_words
from residua.algorithms.fields import field_exponentiation
from residua.algorithms.fields.field import FieldProgram
from residua.algorithms.montgomery import MontgomeryDomain
from residua.algorithms.terms import Words
from residua.curves.inversion import LONGEST_CHAIN, power_programs, power_runs
from residua.curves.operations.instructions import NUMBER, Run
from residua.errors import SpecificationError
from residua.hardware.converters.residue_to_binary import ResidueToBinary
from residua.hardware.engine.datapath_design import EngineOptions
from residua.hardware.engine.processor import Processor
from residua.hardware.exponentiation.field_list import LOAD, UNLOAD, FieldListDesign
from residua.hardware.exponentiation.routine_list import (
    State,
    execute,
    most_rounds,
)
from residua.machines.values import outputs

LARGEST_WINDOW = 8


class ExponentiatorDesign(FieldListDesign):
    """Design of an `Exponentiator` modulo the number of a domain.

    The domain's bound is chosen here. ``exponent_bits`` are those of all exponents, ``window`` the
    bits of a digit; with an ``exponent``, which is public, there is no other one.

    Raises:
        SpecificationError: the exponent or the window does not do, or the bases are too narrow.
    """

    listed = True

    def __init__(
        self,
        domain: MontgomeryDomain,
        options: EngineOptions,
        exponent_bits: int,
        window: int = 1,
        exponent: int | None = None,
    ) -> None:
        super().__init__(domain, options)
        self.exponent_bits, self.window, self.exponent = exponent_bits, window, exponent
        most = self.words * self.width
        if exponent is None and not 1 <= exponent_bits <= most:
            raise SpecificationError(
                f"exponent_bits = {exponent_bits}: the words of an operand hold 1 to {most}"
            )
        if not 1 <= window <= min(LARGEST_WINDOW, exponent_bits):
            raise SpecificationError(
                f"window = {window}: 1 to {min(LARGEST_WINDOW, exponent_bits)} bits"
            )
        if exponent is not None and not 2 <= exponent.bit_length() == exponent_bits:
            raise SpecificationError(
                f"exponent = {exponent}: a public exponent is at least 2, and has "
                f"{exponent.bit_length()} bits, not {exponent_bits}"
            )

    @property
    def words(self) -> int:
        """Words of the base, of the exponent and of the power."""
        return -(-self.modulus.bit_length() // self.width)

    @property
    def operand_words(self) -> int:
        """Words of the operands: the base, and the exponent if it is one."""
        return self.words * (1 if self.exponent else 2)

    @property
    def largest(self) -> int:
        """The largest exponent; 0 if there is only one."""
        return 0 if self.exponent else (1 << self.exponent_bits) - 1

    @property
    def largest_x(self) -> int:
        """The largest base: any that its words hold."""
        return (1 << self.words * self.width) - 1

    @cached_property
    def chain(self) -> AdditionChain | None:
        """The products of a public exponent."""
        if self.exponent is None:
            return None
        return addition_chain(self.exponent, registers=LONGEST_CHAIN)

    @property
    def _one(self) -> str | None:
        """The element that is 1 in Montgomery form, if it is no constant."""
        return None

    @property
    def ends(self) -> tuple[str, str]:
        """The elements that the base is loaded to, and that the power is in."""
        if self.chain:
            return NUMBER, NUMBER
        return field_exponentiation.BASE, field_exponentiation.POWER

    @property
    def digits(self) -> int:
        """Digits of an exponent."""
        return -(-self.exponent_bits // self.window)

    @property
    def products(self) -> int:
        """Montgomery products, those that convert at both ends included."""
        if self.chain:
            return self.chain.squarings + self.chain.multiplications + 2
        return field_exponentiation.step_products(self.exponent_bits, self.window)

    @cached_property
    def runs(self) -> list[Run]:
        """The routines of a power, in order."""
        if self.chain:
            return [Run(LOAD), *power_runs(self.chain), Run(UNLOAD)]
        rounds = {
            LOAD: 1,
            "start": 1,
            "table_step": (1 << self.window) - 2,
            "first": 1,
            "step": self.digits - 1,
            UNLOAD: 1,
        }
        return [Run(routine, count) for routine, count in rounds.items() if count]

    @cached_property
    def programs(self) -> dict[str, FieldProgram]:
        """The field programs, by the names of their routines."""
        if self.chain:
            return power_programs(self.runs)
        return self._windowed(self.window)

    def _windowed(self, squarings: int) -> dict[str, FieldProgram]:
        """The programs for a window, with some number of squarings in a step."""
        window, used = self.window, {run.routine for run in self.runs}
        programs = {
            "start": field_exponentiation.start(window, self._one),
            "table_step": field_exponentiation.table_step(window),
            "first": field_exponentiation.first(window),
            "step": field_exponentiation.step(window, squarings),
        }
        return {name: program for name, program in programs.items() if name in used}

    @cached_property
    def domain(self) -> MontgomeryDomain:
        """The domain with a bound that all programs keep."""
        # One squaring more leads to where one has led.
        programs = self.programs if self.chain else self._windowed(1)
        return self._closed(list(programs.values()))

    @property
    def latency(self) -> int:
        """Cycles from the last operand word to the last word of the result."""
        return self.list_cycles

    @property
    def interval(self) -> int:
        """Cycles between results; the operands of the next one come after a result."""
        return self.latency + self.operand_words + 1

    def model(self, x: int, y: int) -> int:
        """The power as the engine computes it, residue by residue."""
        # The bounds give all programs their representation.
        _ = self.processor.folds
        return self._number(self._run(self.runs, {self.ends[0]: x}, y)) % self.modulus

    def _run(
        self, runs: Sequence[Run], numbers: Mapping[str, int], y: int
    ) -> list[tuple[int, ...]]:
        """The outputs of the last routine; ``numbers`` are those that routines take in."""
        programs = {source.name: source.reference for source in self.processor.sources}
        # Entries of the table that are not made yet move along.
        nothing = (0,) * len(self.domain.base_a)
        state: dict[str, tuple[int, ...]] = {}
        flags = map(self._flags, field_exponentiation.digits(y, self.exponent_bits, self.window))
        found: list[tuple[int, ...]] = []
        for run in runs:
            lowered = programs[run.routine]
            for _ in range(run.rounds or 1):
                words = {v.name: state.get(v.name, nothing) for v in lowered.program.inputs}
                for value in lowered.program.inputs:
                    if isinstance(value, Words):
                        own = numbers[value.name]
                        words[value.name] = split_words(own, value.count, value.width)
                words |= next(flags) if lowered.program.bits else {}
                found = outputs(lowered.program, words)
                for index, name in enumerate(lowered.outputs):
                    state[f"{name}_a"], state[f"{name}_b"] = found[2 * index : 2 * index + 2]
        return found

    def _number(self, found: Sequence[Sequence[int]]) -> int:
        """The number that UNLOAD gives out, not reduced."""
        return from_cofactors(self.domain.base_b, found[0], self.conversion.cox)

    def _flags(self, digit: int) -> dict[str, tuple[int, ...]]:
        flags = field_exponentiation.digit_flags(digit, self.window)
        return {name: (int(flag),) for name, flag in flags.items()}

    def component(self) -> "Exponentiator":
        """A new component of the design."""
        return Exponentiator(self)


class Exponentiator(Component):
    """x^y modulo N on streams of words, the lowest first: those of x and then those of y.

    Any x that its words hold will do. Bits of y above ``exponent_bits`` are ignored. An
    ``exponent`` of the design takes the place of y. The number of cycles depends on no operand.
    """

    def __init__(self, design: ExponentiatorDesign, **ports: Member) -> None:
        self.design = design
        super().__init__(
            {
                "operands": In(stream.Signature(design.width)),
                "result": Out(stream.Signature(design.conversion.payload)),
                **ports,
            }
        )

    def elaborate(self, platform: Any) -> Module:
        """Instructions, processor, converter, exponent."""
        m = Module()
        design = self.design
        m.submodules.processor = processor = Processor(design.processor, most_rounds(design))
        m.submodules.converter = converter = ResidueToBinary(design.conversion)
        state = Signal(State, name="state")
        word = Signal(range(design.operand_words + 1), name="word")
        takes, gives = state == State.INPUT, state == State.OUTPUT
        is_base, taken = word < design.words, Signal(name="taken")
        m.d.comb += [
            processor.binary.payload.eq(self.operands.payload),
            processor.binary.valid.eq(self.operands.valid & takes & is_base),
            self.operands.ready.eq(processor.binary.ready & takes),
            taken.eq(self.operands.valid & self.operands.ready),
            converter.residues.payload.eq(processor.residue[0]),
            converter.residues.valid.eq(processor.residue_valid),
            self.result.payload.eq(converter.result.payload),
            self.result.valid.eq(converter.result.valid & gives),
            converter.result.ready.eq(self.result.ready & gives),
        ]
        with m.If(taken):
            m.d.sync += word.eq(word + 1)
            with m.If(word == design.operand_words - 1):
                m.d.sync += [word.eq(0), state.eq(State.FETCH)]
        with m.If(self.result.valid & self.result.ready & self.result.payload.last):
            m.d.sync += state.eq(State.CLEAR)
        if design.exponent is None:
            m.submodules.exponent = exponent = ExponentDigits(design)
            self._join(m, exponent, processor)
            m.d.comb += [
                exponent.word.eq(self.operands.payload),
                exponent.write.eq(taken & ~is_base),
                exponent.start.eq(state == State.CLEAR),
            ]
        execute(m, state, design, processor)
        return m

    def _join(self, m: Module, exponent: "ExponentDigits", processor: Processor) -> None:
        """The digit in use drives the bits by which the table is looked up."""
        digits = [int(name.split("_")[1]) for name in self.design.processor.gates]
        m.d.comb += [
            exponent.advance.eq(processor.advance),
            processor.gates.eq(Cat(exponent.flags[digit] for digit in digits)),
        ]


@dataclass(frozen=True)
class ExponentShape:
    """Sizes of an exponent: ``words`` of ``width`` bits, and digits of ``window`` bits."""

    width: int
    words: int
    exponent_bits: int
    window: int


class ExponentDigits(Component):
    """The digits of an exponent, the highest first, as one bit for each value.

    ``word`` is the next word, the lowest first, in a cycle in which ``write`` is set. After the
    last one ``flags`` is the first digit, ``design.window`` + 3 cycles later at the latest; in the
    cycle after one with ``advance`` the next digit, if there are as many cycles in between.
    ``start`` comes before the first word, and forgets all.
    """

    def __init__(self, design: ExponentiatorDesign | ExponentShape) -> None:
        self.design = design
        super().__init__(
            {
                "word": In(design.width),
                "write": In(1),
                "start": In(1),
                "advance": In(1),
                "flags": Out(1 << design.window),
            }
        )

    def elaborate(self, platform: Any) -> Module:
        """A memory, a bit a cycle into the next digit, and the digit in use."""
        m = Module()
        design, words = self.design, self.design.words
        top_word, top_bit = divmod(design.exponent_bits - 1, design.width)
        shortest = (design.exponent_bits - 1) % design.window
        m.submodules.memory = memory = Memory(shape=design.width, depth=words, init=[])
        write, read = memory.write_port(), memory.read_port(domain="comb")
        position, complete = Signal(range(words), name="position"), Signal(name="complete")
        word = Signal(range(words), init=top_word, name="exponent_word")
        bit = Signal(range(design.width), init=top_bit, name="exponent_bit")
        left = Signal(range(design.window), init=shortest, name="bits_left")
        digit, there = Signal(design.window, name="digit"), Signal(name="digit_complete")
        used = Signal(name="first_digit_used")
        m.d.comb += [
            write.addr.eq(position),
            write.data.eq(self.word),
            write.en.eq(self.write),
            read.addr.eq(word),
        ]
        with m.If(self.write):
            m.d.sync += position.eq(position + 1)
            with m.If(position == words - 1):
                m.d.sync += [position.eq(0), complete.eq(1)]
        with m.If(there & (self.advance | ~used)):
            m.d.sync += [
                self.flags.eq(1 << digit),
                digit.eq(0),
                there.eq(0),
                left.eq(design.window - 1),
                used.eq(1),
            ]
        with m.Elif(complete & ~there):
            m.d.sync += [
                digit.eq(Cat(read.data.bit_select(bit, 1), digit)),
                left.eq(left - 1),
                there.eq(left == 0),
                bit.eq(bit - 1),
            ]
            with m.If(bit == 0):
                m.d.sync += [bit.eq(design.width - 1), word.eq(word - 1)]
        with m.If(self.start):
            m.d.sync += [
                complete.eq(0),
                there.eq(0),
                used.eq(0),
                digit.eq(0),
                self.flags.eq(0),
                left.eq(shortest),
                bit.eq(top_bit),
                word.eq(top_word),
            ]
        return m
