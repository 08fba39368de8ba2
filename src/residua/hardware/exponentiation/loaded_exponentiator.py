"""Modular exponentiation on a Cox-Rower engine modulo a number that is loaded at run time.

Like `residua.hardware.exponentiation.exponentiator`, with N in registers
(`residua.algorithms.fields.loaded_field`). Whoever loads N computes two numbers that belong to it:
-1 / N modulo M_a, and R^2 modulo N.
"""

from collections.abc import Sequence
from functools import cached_property
from typing import Any

from amaranth.hdl import Array, Const, Module, Signal, Value
from amaranth.lib import stream
from amaranth.lib.wiring import In, Member

from residua.algorithms.conversion import split_words
from residua.algorithms.fields import loaded_field
from residua.algorithms.fields.field import FieldProgram
from residua.algorithms.fields.loaded_field import INVERSE, NUMBER, ONE, SQUARE
from residua.algorithms.fields.rns_field import Lowered
from residua.algorithms.montgomery import MontgomeryDomain
from residua.curves.operations.instructions import Run
from residua.errors import SpecificationError
from residua.hardware.converters.conversion import Conversion
from residua.hardware.converters.final_reduction import FinalReduction, reduction_latency
from residua.hardware.converters.residue_to_binary import ResidueToBinary
from residua.hardware.engine.datapath_design import EngineOptions
from residua.hardware.engine.processor import Processor
from residua.hardware.exponentiation.exponentiator import (
    ExponentDigits,
    Exponentiator,
    ExponentiatorDesign,
)
from residua.hardware.exponentiation.field_list import LOAD, UNLOAD
from residua.hardware.exponentiation.routine_list import State, execute, most_rounds
from residua.numbers.residues import Redundant

NUMBERS = (NUMBER, INVERSE, SQUARE)
"""Numbers that are loaded, in order."""


class LoadedExponentiatorDesign(ExponentiatorDesign):
    """Design of a `LoadedExponentiator` for N of at most ``bits`` bits.

    The modulus of the domain is above all N. Other arguments are those of `ExponentiatorDesign`.

    Raises:
        SpecificationError: the exponent or the window does not do, or the bases are too narrow.
    """

    def __init__(
        self,
        domain: MontgomeryDomain,
        options: EngineOptions,
        bits: int,
        exponent_bits: int,
        window: int = 1,
        exponent: int | None = None,
    ) -> None:
        self.bits = bits
        super().__init__(domain, options, exponent_bits, window, exponent)

    @property
    def words(self) -> int:
        """Words of N, of the base, of the exponent and of the power."""
        return -(-self.bits // self.width)

    @property
    def inverse_words(self) -> int:
        """Words of a number below M_a."""
        return -(-self._open_domain.base_a.product.bit_length() // self.width)

    def check(self, modulus: int) -> None:
        """Refuse numbers that cannot be loaded.

        Raises:
            SpecificationError: the number, and what would do.
        """
        if not loaded_field.SMALLEST <= modulus < 1 << self.bits:
            raise SpecificationError(
                f"a modulus of {modulus.bit_length()} bits: this core takes numbers from 2^15 to "
                f"2^{self.bits} - 1"
            )
        try:
            pow(modulus, -1, self._open_domain.montgomery_factor)
        except ValueError:
            raise SpecificationError(
                "the modulus shares a factor with M_a, modulo which it has no inverse"
            ) from None

    def numbers(self, modulus: int) -> dict[str, int]:
        """Numbers that are loaded for a modulus, in order.

        Raises:
            SpecificationError: the modulus cannot be loaded.
        """
        self.check(modulus)
        factor = self._open_domain.montgomery_factor
        return {
            NUMBER: modulus,
            INVERSE: pow(-modulus, -1, factor),
            SQUARE: factor * factor % modulus,
        }

    def load_words(self, modulus: int) -> tuple[int, ...]:
        """The words to load for a modulus: N, -1 / N modulo M_a, R^2 modulo N."""
        numbers = zip(self.numbers(modulus).values(), self.load_lengths, strict=False)
        return tuple(
            word for number, count in numbers for word in split_words(number, count, self.width)
        )

    @property
    def load_lengths(self) -> tuple[int, ...]:
        """Words of the numbers that are loaded."""
        return self.words, self.inverse_words, self.words

    @property
    def loads(self) -> list[Run]:
        """The routines that take N and what belongs to it."""
        return [Run(f"load_{name}") for name in NUMBERS]

    @property
    def _one(self) -> str:
        return ONE

    def _closed(self, programs: Sequence[FieldProgram]) -> MontgomeryDomain:
        return loaded_field.closed_domain(self._open_domain, programs, self.words, Redundant(1))

    def _lowered(self, program: FieldProgram) -> Lowered:
        return loaded_field.lower(program, self.domain, Redundant(1))

    def _conversions(self) -> dict[str, Lowered]:
        domain, representation = self.domain, Redundant(1)
        return {
            f"load_{NUMBER}": loaded_field.load_number(domain, self.words, representation),
            f"load_{INVERSE}": loaded_field.load_inverse(
                domain, self.inverse_words, representation
            ),
            f"load_{SQUARE}": loaded_field.load_square(domain, self.words, representation),
            **self._conversions_in(domain),
        }

    def _conversions_in(self, domain: MontgomeryDomain) -> dict[str, Lowered]:
        """The routines that take the base in, and give the power out."""
        base, power = self.ends
        return {
            LOAD: loaded_field.load(base, domain, self.words, Redundant(1)),
            UNLOAD: loaded_field.unload(power, domain, Redundant(1)),
        }

    @cached_property
    def conversion(self) -> Conversion:
        """The conversion of results to two's complement of a word more, not reduced."""
        return self._conversion_modulo(1 << self.width * (self.words + 1))

    @property
    def latency(self) -> int:
        """Cycles from the last operand word to the last word of the result."""
        return self.list_cycles + reduction_latency(self.words)

    def power(self, x: int, y: int, modulus: int) -> int:
        """The power as the engine computes it, residue by residue."""
        _ = self.processor.folds
        numbers = {self.ends[0]: x, **self.numbers(modulus)}
        found = self._number(self._run([*self.loads, *self.runs], numbers, y))
        assert -modulus <= found <= modulus
        return found % modulus

    def component(self) -> "LoadedExponentiator":
        """A new component of the design."""
        return LoadedExponentiator(self)


class LoadedExponentiator(Exponentiator):
    """x^y modulo a loaded N on streams of words, the lowest first; see `Exponentiator`.

    ``modulus`` takes the words of N, those of -1 / N modulo M_a and those of R^2 modulo N, before
    the first power and then whenever another N is offered between powers: it goes before operands.
    """

    def __init__(self, design: LoadedExponentiatorDesign, **ports: Member) -> None:
        self.design: LoadedExponentiatorDesign
        super().__init__(design, modulus=In(stream.Signature(design.width)), **ports)

    def elaborate(self, platform: Any) -> Module:
        """Instructions, processor, converter, final reduction, exponent."""
        m = Module()
        design = self.design
        processor = self._connect(m)
        if design.exponent is None:
            m.submodules.exponent = exponent = ExponentDigits(design)
            self._join(m, exponent, processor)
            m.d.comb += [
                exponent.word.eq(self.operands.payload),
                exponent.write.eq(self._taken & self._operand & ~self._is_base),
                exponent.start.eq(self._state == State.CLEAR),
            ]
        execute(m, self._state, design, processor, self._phase)
        return m

    def _connect(self, m: Module) -> Processor:
        """The processor, which takes what is loaded and operands, and gives results."""
        design = self.design
        m.submodules.processor = processor = Processor(design.processor, self._most_rounds)
        m.submodules.converter = converter = self._converter()
        m.submodules.reduction = reduction = FinalReduction(design.words, design.width)
        self._state = state = Signal(State, name="state")
        lengths = [*design.load_lengths, design.operand_words]
        self._word = word = Signal(range(max(lengths)), name="word")
        self._phase = phase = Signal(range(len(lengths)), name="phase")
        self._operand = operand = phase == len(design.load_lengths)
        takes, gives = state == State.INPUT, state == State.OUTPUT
        loads, self._other = Signal(name="takes_modulus"), Signal(name="another_modulus")
        self._is_base, self._taken = word < design.words, Signal(name="taken")
        other, taken = self._other, self._taken
        m.d.comb += [
            other.eq(takes & operand & (word == 0) & self.modulus.valid),
            loads.eq(takes & ~operand & processor.binary.ready),
            self.modulus.ready.eq(loads),
            self.operands.ready.eq(takes & operand & ~self._refuses & processor.binary.ready),
            taken.eq(
                (self.modulus.valid & self.modulus.ready)
                | (self.operands.valid & self.operands.ready)
            ),
            processor.binary.payload.eq(
                Array([self.modulus.payload, self.operands.payload])[operand]
            ),
            processor.binary.valid.eq(taken & self._enters),
            reduction.modulus.eq(self.modulus.payload),
            reduction.load.eq(taken & (phase == 0)),
            converter.residues.payload.eq(processor.residue[0]),
            converter.residues.valid.eq(processor.residue_valid),
            reduction.number.payload.eq(converter.result.payload.word),
            reduction.number.valid.eq(converter.result.valid & gives),
            converter.result.ready.eq(reduction.number.ready & gives),
        ]
        self._give(m, reduction)
        with m.If(other):
            m.d.sync += phase.eq(0)
        with m.If(taken):
            m.d.sync += word.eq(word + 1)
            with m.If(word == Array([Const(count - 1) for count in lengths])[phase]):
                m.d.sync += [word.eq(0), state.eq(State.FETCH)]
                with m.If(~operand):
                    m.d.sync += phase.eq(phase + 1)
        with m.If(self.result.valid & self.result.ready & self.result.payload.last):
            m.d.sync += state.eq(State.CLEAR)
        return processor

    def _converter(self) -> ResidueToBinary:
        return ResidueToBinary(self.design.conversion)

    @property
    def _most_rounds(self) -> int:
        return most_rounds(self.design)

    @property
    def _refuses(self) -> Value:
        """Whether no word of an operand is taken."""
        return self._other

    @property
    def _enters(self) -> Value:
        """Whether the word that is taken goes to the processor."""
        return ~self._operand | self._is_base

    def _give(self, m: Module, reduction: FinalReduction) -> None:
        """Words of results, as they leave."""
        m.d.comb += [
            self.result.payload.eq(reduction.result.payload),
            self.result.valid.eq(reduction.result.valid),
            reduction.result.ready.eq(self.result.ready),
        ]
