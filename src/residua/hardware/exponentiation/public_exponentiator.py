"""RSA's public operation on a Cox-Rower engine: x^e modulo N for any public key (N, e).

The key is loaded at run time, e with N. It is public, and the routines follow its bits: a squaring
for each after the highest one, a product for each that is 1. x may be secret: no cycle depends on
it. As e is odd, the last product is one with x itself in place of x R, which leads out of
Montgomery form without a reduction of its own.
"""

from dataclasses import replace
from functools import cached_property
from typing import Any

from amaranth.hdl import Const, Module, Mux, Signal, Value
from amaranth.lib import stream
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import Out

from residua.algorithms.conversion import split_words
from residua.algorithms.fields import field_exponentiation, loaded_field
from residua.algorithms.fields.field import FieldProgram
from residua.algorithms.fields.field_exponentiation import BASE, POWER
from residua.algorithms.fields.rns_field import Lowered, smallest_bound
from residua.algorithms.montgomery import MontgomeryDomain
from residua.curves.operations.instructions import Run
from residua.errors import SpecificationError
from residua.hardware.converters.conversion import Conversion
from residua.hardware.converters.final_reduction import FinalReduction, reduction_latency
from residua.hardware.converters.residue_to_binary import ResidueToBinary
from residua.hardware.digit.results import result_payload
from residua.hardware.engine.datapath_design import EngineOptions
from residua.hardware.exponentiation.field_list import LOAD, UNLOAD
from residua.hardware.exponentiation.loaded_exponentiator import (
    NUMBERS,
    LoadedExponentiator,
    LoadedExponentiatorDesign,
)
from residua.hardware.exponentiation.number_check import check_numbers
from residua.hardware.exponentiation.public_exponent import PublicExponent, exponent_runs
from residua.hardware.exponentiation.routine_list import (
    Path,
    State,
    execute,
    instruction_cycles,
    list_address,
)
from residua.numbers.residues import Redundant

PLAIN = "plain"
"""The element that is x itself."""

_COPY, _SQUARE, _MULTIPLY = "copy", "square", "multiply"


class PublicExponentiatorDesign(LoadedExponentiatorDesign):
    """Design of a `PublicExponentiator` for N of at most ``bits`` bits.

    The modulus of the domain is above all N. A public exponent has up to ``exponent_bits``, the
    converter of results ``multipliers``.

    Raises:
        SpecificationError: so long an exponent, or so many multipliers, will not do, or the bases
            are too narrow.
    """

    def __init__(
        self,
        domain: MontgomeryDomain,
        options: EngineOptions,
        bits: int,
        exponent_bits: int,
        multipliers: int = 1,
    ) -> None:
        if exponent_bits < 2:
            raise SpecificationError(
                f"exponent_bits = {exponent_bits}: a public exponent of RSA has 2 bits or more"
            )
        super().__init__(domain, options, bits, exponent_bits)
        self.multipliers = multipliers

    @property
    def operand_words(self) -> int:
        """Words of x."""
        return self.words

    @property
    def exponent_words(self) -> int:
        """Words of an exponent."""
        return -(-self.exponent_bits // self.width)

    @property
    def largest(self) -> int:
        """The largest exponent among operands: 0, as there is none."""
        return 0

    @property
    def largest_x(self) -> int:
        """The largest x, for the largest N."""
        return (1 << self.bits) - 2

    @property
    def load_lengths(self) -> tuple[int, ...]:
        """Words of the numbers that are loaded, those of e at last."""
        return *super().load_lengths, self.exponent_words

    @property
    def ends(self) -> tuple[str, str]:
        """The elements that x is loaded to, and that the power is in."""
        return BASE, POWER

    def products_of(self, exponent: int) -> int:
        """Montgomery products of a power, the one that converts x included."""
        runs = exponent_runs(exponent)
        return 1 + sum(runs) + len(runs)

    @cached_property
    def runs(self) -> list[Run]:
        """Every routine once; `runs_of` has them as they follow each other."""
        return [Run(LOAD), *map(Run, (_COPY, _SQUARE, _MULTIPLY)), Run(UNLOAD)]

    def runs_of(self, exponent: int) -> list[Run]:
        """The routines of a power, in order."""
        found = [Run(LOAD), Run(_COPY)]
        for squarings in exponent_runs(exponent):
            found += [Run(_SQUARE, squarings), Run(_MULTIPLY)]
        return [*found[:-1], Run(UNLOAD)]

    @cached_property
    def programs(self) -> dict[str, FieldProgram]:
        """The field programs, by the names of their routines."""
        return {
            _COPY: field_exponentiation.copy(),
            _SQUARE: field_exponentiation.square(),
            _MULTIPLY: field_exponentiation.multiply(),
        }

    @cached_property
    def domain(self) -> MontgomeryDomain:
        """The domain with a bound that all programs keep."""

        def check(candidate: MontgomeryDomain) -> None:
            kind = Redundant(1)
            loaded_field.load_square(candidate, self.words, kind)
            self._conversions_in(candidate)
            for program in self.programs.values():
                loaded_field.lower(program, candidate, kind)

        return smallest_bound(self._open_domain, check)

    def _conversions_in(self, domain: MontgomeryDomain) -> dict[str, Lowered]:
        (base, power), kind = self.ends, Redundant(1)
        return {
            LOAD: loaded_field.load(base, domain, self.words, kind, PLAIN),
            UNLOAD: loaded_field.unload(power, domain, kind, PLAIN),
        }

    @cached_property
    def conversion(self) -> Conversion:
        """The conversion of results to two's complement of a word more, not reduced."""
        found = self._conversion_modulo(1 << self.width * (self.words + 1))
        return replace(found, multipliers=self.multipliers)

    def check_exponent(self, exponent: int) -> None:
        """Refuse exponents that cannot be loaded.

        Raises:
            SpecificationError: the exponent, and what would do.
        """
        if exponent < 3 or exponent % 2 == 0 or exponent.bit_length() > self.exponent_bits:
            raise SpecificationError(
                f"exponent = {exponent}: this core takes odd numbers from 3 to "
                f"2^{self.exponent_bits} - 1"
            )

    def key_words(self, modulus: int, exponent: int) -> tuple[int, ...]:
        """The words to load for a key: those of `load_words`, and then those of e.

        Raises:
            SpecificationError: the modulus or the exponent cannot be loaded.
        """
        self.check_exponent(exponent)
        own = split_words(exponent, self.exponent_words, self.width)
        return (*self.load_words(modulus), *own)

    def latency_of(self, exponent: int) -> int:
        """Cycles from the last word of x to the last word of the power."""
        names = [run.routine for run in self.runs]
        words = dict(zip(names, self.instructions[len(self.loads) :], strict=True))
        chain = sum(
            instruction_cycles(words[run.routine], run.rounds or 1)
            for run in self.runs_of(exponent)[:-1]
        )
        return chain + self.unload_cycles + reduction_latency(self.words)

    def interval_of(self, exponent: int) -> int:
        """Cycles between results; the next x comes after a result."""
        return self.latency_of(exponent) + self.operand_words + 1

    def power(self, x: int, y: int, modulus: int) -> int:
        """The power x^y as the engine computes it, residue by residue."""
        _ = self.processor.folds
        numbers = {self.ends[0]: x, **self.numbers(modulus)}
        found = self._number(self._run([*self.loads, *self.runs_of(y)], numbers, y))
        assert -modulus <= found <= modulus
        return found % modulus

    def component(self) -> "PublicExponentiator":
        """A new component of the design."""
        return PublicExponentiator(self)


class PublicExponentiator(LoadedExponentiator):
    """x^e modulo N for a public key, on streams of words, the lowest first.

    ``modulus`` takes the words of a key, `PublicExponentiatorDesign.key_words`, before the first x
    and then whenever another key is offered between powers: it goes before an x. ``modulus_error``
    is set until the next key if N is even or below 2^15, or e even or 1; then no x is taken.

    ``operands`` takes the words of x. Of an x that is not below N all words of the result are 0,
    and ``error`` is set with them, after as many cycles. How many these are depends on e alone.
    """

    def __init__(self, design: PublicExponentiatorDesign) -> None:
        self.design: PublicExponentiatorDesign
        payload = result_payload(design.width, flagged=True)
        super().__init__(design, result=Out(stream.Signature(payload)), modulus_error=Out(1))

    def elaborate(self, platform: Any) -> Module:
        """Instructions, processor, converter, final reduction, exponent, checks."""
        m = Module()
        design = self.design
        self._above = Signal(name="above")
        processor = self._connect(m)
        exponent = PublicExponent(design.width, design.exponent_words)
        m.submodules.exponent = exponent
        unfit, is_exponent = Signal(name="unfit"), self._phase == len(NUMBERS)
        m.d.comb += [
            exponent.word.eq(self.modulus.payload),
            exponent.write.eq(self._taken & is_exponent),
            exponent.start.eq(self._state == State.INPUT),
            self.modulus_error.eq(unfit | (self._operand & ~exponent.sound)),
        ]
        with m.If(self._taken & is_exponent):
            # There is no routine for it.
            m.d.sync += self._state.eq(State.INPUT)
        check_numbers(
            m,
            unfit,
            self.modulus.payload,
            self._word,
            width=design.width,
            moves=self._taken & (self._phase == 0),
            last=self._word == design.words - 1,
            begins=Const(1),
        )
        self._compare(m)
        places = [run.routine for run in (*design.loads, *design.runs)]
        square, multiply, unload = map(places.index, (_SQUARE, _MULTIPLY, UNLOAD))
        address = list_address(design)
        squares = address == square
        m.d.comb += exponent.advance.eq((self._state == State.START) & squares)
        straight = Mux(address == multiply, square, address + 1)
        path = Path(
            address,
            Mux(squares, Mux(exponent.last, unload, multiply), straight),
            lambda own: Mux(squares, exponent.squarings, own),
        )
        load = Mux(self._operand, len(design.loads), self._phase)
        execute(m, self._state, design, processor, load, path)
        return m

    def _converter(self) -> ResidueToBinary:
        # Results take turns in its pages, so that one more does not overwrite all of them. They are
        # cleared long before there is anything to convert.
        return ResidueToBinary(self.design.conversion, wipes=True)

    @property
    def _most_rounds(self) -> int:
        return self.design.exponent_words * self.design.width

    @property
    def _refuses(self) -> Value:
        return self._other | self.modulus_error

    @property
    def _enters(self) -> Value:
        return self._phase != len(NUMBERS)

    def _compare(self, m: Module) -> None:
        """Whether x is not below N, word by word as it is taken."""
        design = self.design
        m.submodules.bound = bound = Memory(shape=design.width, depth=design.words, init=[])
        write, read = bound.write_port(), bound.read_port(domain="comb")
        place, borrow = self._word[: len(read.addr)], Signal(name="borrow")
        difference = Signal(design.width + 1, name="difference")
        m.d.comb += [
            write.addr.eq(place),
            write.data.eq(self.modulus.payload),
            write.en.eq(self._taken & (self._phase == 0)),
            read.addr.eq(place),
            difference.eq(self.operands.payload - read.data - (borrow & (self._word != 0))),
        ]
        with m.If(self._taken & self._operand):
            m.d.sync += [borrow.eq(difference[-1]), self._above.eq(~difference[-1])]

    def _give(self, m: Module, reduction: FinalReduction) -> None:
        given = reduction.result
        m.d.comb += [
            self.result.payload.word.eq(Mux(self._above, 0, given.payload.word)),
            self.result.payload.last.eq(given.payload.last),
            self.result.payload.error.eq(self._above),
            self.result.valid.eq(given.valid),
            given.ready.eq(self.result.ready),
        ]
