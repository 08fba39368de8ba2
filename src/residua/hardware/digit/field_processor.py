"""Field processor on digits: elements in block RAM, a Montgomery multiplier, sums a digit a cycle.

It runs the passes of `residua.machines.digit_passes`. The digits of a pass go through six stages:
address, memory, word, product with the coefficient, that added to or taken from the sum so far,
and the carry. The word goes to the multiplier instead where a pass feeds it.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from functools import cached_property
from typing import Any

from amaranth.hdl import Array, Cat, Const, Module, Mux, Signal, Value, signed
from amaranth.lib import data, stream
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import Component, In, Out
from amaranth.utils import ceil_log2

from residua.algorithms.fields.digit_field import (
    INVERSE,
    MODULUS,
    NEGATIVE,
    DigitField,
    DigitProgram,
)
from residua.hardware.delay import delayed
from residua.hardware.digit.iddmm import IddmmDesign
from residua.hardware.digit.lanes import LanesDesign
from residua.hardware.digit.memory import add_memory
from residua.hardware.signature_register import TRACE_PORTS, record
from residua.machines.digit_passes import (
    RAW,
    WIPE,
    DigitStore,
    Pass,
    PassTiming,
    Source,
    assemble,
    duration,
)
from residua.numbers.digits import DigitShape

WORD_STAGE, STORE_STAGE = 2, 5
"""Cycles from the address of a digit to its word, and to the write of a digit of the sum."""

FIRST_WORD = 7
"""Cycles before the first word of a number leaves: a controller wants to be ready for it."""

_BEGUN = 2
"""Cycles for the states before the first word of the modulus and before the first pass."""


@dataclass(frozen=True)
class DigitProcessorDesign:
    """Design of a field processor on digits.

    Attributes:
        field: moduli and digits.
        programs: with whether each is a loop.
        named: the integers of named constants, for each modulus.
        lanes: L, digits that the multiplier takes at a time.
        pipeline: levels of the datapath of the report, if it takes the place of lanes.

    Raises:
        SpecificationError: there is no such multiplier.
    """

    field: DigitField
    programs: tuple[tuple[DigitProgram, bool], ...]
    named: tuple[Mapping[str, int], ...]
    lanes: int = 1
    pipeline: int | None = None

    @cached_property
    def multiplier(self) -> IddmmDesign | LanesDesign:
        """The Montgomery multiplier; R has two bits more than what it takes for the modulus."""
        field = self.field
        shape = DigitShape(field.digit * field.digits - 2, field.digit, "closed")
        if self.pipeline is not None:
            return IddmmDesign(shape, None, pipeline=self.pipeline, inverse="supplied")
        return LanesDesign(shape, None, self.lanes, inverse="supplied")

    @property
    def multipliers(self) -> int:
        """Products of a digit that are made in a cycle."""
        return self.multiplier.multipliers + 1

    @cached_property
    def timing(self) -> PassTiming:
        """Cycles of passes and products."""
        streams, digits = self.multiplier.streams, self.field.digits
        # The multiplier fills up rows of X with zeros, and its results pause for two cycles.
        filled = max(streams.rows * streams.lanes - digits, 2)
        length = max(digits + filled, STORE_STAGE + 1)
        fed = self.multiplier.latency + WORD_STAGE + 1
        return PassTiming(length, fed, self.multiplier.compute)

    @cached_property
    def store(self) -> DigitStore:
        """The passes of all programs."""
        return assemble(self.programs, self.field, self.timing)

    @property
    def _modulus_cycles(self) -> int:
        """Cycles in which the multiplier takes the modulus and its inverse, before any pass."""
        return FIRST_WORD + 1 + self.field.digits * (WORD_STAGE + 1)

    def run_cycles(self, name: str, rounds: int) -> int:
        """Cycles from the start of a routine to the instruction after it.

        A number that the routine ends with leaves beside that instruction.
        """
        routine = self.store.routines[name]
        if routine.passes[-1].emits:
            return 1 + self._emission_start(name)
        return 1 + self._modulus_cycles + _BEGUN + rounds * routine.cycles + STORE_STAGE

    def _emission_start(self, name: str) -> int:
        """Cycles from the start of a routine to the pass that gives its number out."""
        made = duration(self.store.routines[name].passes[:-1], self.timing)
        return self._modulus_cycles + _BEGUN + made

    def emission_cycles(self, name: str) -> int:
        """Cycles from the start of a routine to the last digit of the number that it ends with.

        None of the digits waits.
        """
        leaving = FIRST_WORD + (self.field.digits - 1) * (WORD_STAGE + 1)
        return self._emission_start(name) + leaving

    @cached_property
    def clearing_cycles(self) -> int:
        """Cycles of a reset: registers, the modulus, then passes that wipe the multiplier."""
        block = self.store.blocks[WIPE]
        passes = self.store.passes[block.start : block.start + block.length]
        words: int = self.store.registers << ceil_log2(self.field.digits)
        wiped = duration(passes, self.timing) + STORE_STAGE
        return words + self._modulus_cycles + _BEGUN - 1 + wiped

    @property
    def gates(self) -> tuple[str, ...]:
        """The names of the bits that come from outside."""
        return self.store.gates

    @property
    def layout(self) -> data.StructLayout:
        """The fields of a pass."""
        store = self.store
        return data.StructLayout(
            {
                "source": len(Source).bit_length(),
                "place": (max(store.registers, len(store.constants)) - 1).bit_length(),
                "feeds": 1,
                "coefficient": store.largest_coefficient.bit_length(),
                "subtract": 1,
                "gate": (len(store.gates) + 1).bit_length(),
                "inverted": 1,
                "first": 1,
                "stores": 1,
                "target": (store.registers - 1).bit_length(),
                "tested": 1,
                "emits": 1,
                "advances": 1,
            }
        )

    def encoded(self, item: Pass) -> dict[str, int]:
        """The fields of a pass; gate 0 is always open, the last one is `NEGATIVE`."""
        gates = ["", *self.store.gates, NEGATIVE.name]
        flag, opens = item.gate or (None, True)
        return {
            "source": item.source,
            "place": item.place,
            "feeds": item.feeds,
            "coefficient": abs(item.coefficient),
            "subtract": item.coefficient < 0,
            "gate": gates.index(flag.name) if flag else 0,
            "inverted": not opens,
            "first": item.first,
            "stores": item.target is not None,
            "target": item.target or 0,
            "tested": item.tested,
            "emits": item.emits,
            "advances": item.advances,
        }


class _State(Enum):
    SWEEP = 0
    IDLE = 1
    MODULUS = 2
    WAIT = 3
    PASS = 4
    EMIT = 5


class DigitProcessor(Component):
    """Runs routines on the elements in its registers.

    ``run`` starts ``length`` + 1 passes at ``origin``, ``rounds`` + 1 times, when ``ready`` is set.
    It is set early, too, while a number leaves, but nothing may run before all of it has left.
    ``page`` chooses the modulus. ``gates`` are the bits that sums depend on; ``advance`` is set
    when a round has read them for the last time, and they may change from then on.

    ``binary`` takes the words of a number, the lowest first, into the register `RAW`;
    ``binary_start`` has to come before. ``number`` hands out the digits of a number, ``last`` with
    the highest.

    A reset, which has to end any run, overwrites the registers and all that the multiplier holds
    with zeros, while ``clearing`` is set. One that is ``traced`` sums up the addresses of all
    passes since ``trace_clear`` in ``trace``, see `residua.hardware.signature_register`. Cycles
    depend on routines, moduli and ``number.ready``.
    """

    def __init__(
        self, design: DigitProcessorDesign, most_rounds: int, *, traced: bool = False
    ) -> None:
        self.design, self.traced = design, traced
        longest = max(block.length for block in design.store.blocks.values())
        width = design.field.digit
        super().__init__(
            {
                "run": In(1),
                "origin": In(range(design.store.words)),
                "length": In(range(longest)),
                "rounds": In(range(most_rounds)),
                "ready": Out(1),
                "page": In(range(max(len(design.field.moduli), 2))),
                "gates": In(max(len(design.gates), 1)),
                "advance": Out(1),
                "binary": In(stream.Signature(width)),
                "binary_start": In(1),
                "number": Out(stream.Signature(data.StructLayout({"word": width, "last": 1}))),
                "clearing": Out(1, init=1),
            }
            | (TRACE_PORTS if traced else {})
        )

    def elaborate(self, platform: Any) -> Module:
        """Sequencer, memories, multiplier, and the stages of a pass."""
        m = Module()
        self._multiplier = self.design.multiplier.component()
        m.submodules.multiplier = self._multiplier
        self._state = Signal(_State, name="state", init=_State.SWEEP)
        self._index = Signal(range(self.design.timing.length + STORE_STAGE), name="index")
        self._phase = Signal(range(FIRST_WORD + 1), name="phase")
        self._current = Signal(self.design.layout, name="current")
        self._negative = Signal(name="negative")
        self._sequence(m, self._registers(m))
        return m

    def _sequence(self, m: Module, word: Value) -> None:
        """Sequence the operations."""
        state, index, phase, current = self._state, self._index, self._phase, self._current
        digits, wiping = self.design.field.digits, Signal(name="wiping", init=1)
        begin, final = Signal(name="begin"), Signal(name="final")
        self._count(m, begin, final)
        given = phase == FIRST_WORD
        modulus, number = self._multiplier.modulus, self.number
        m.d.comb += [
            self.ready.eq((state == _State.IDLE) | ((state == _State.EMIT) & final)),
            self.clearing.eq((state == _State.SWEEP) | wiping),
            self.advance.eq((state == _State.PASS) & current.advances & (index == digits - 1)),
            modulus.payload.eq(word),
            modulus.valid.eq((state == _State.MODULUS) & given),
            number.payload.word.eq(word),
            number.payload.last.eq((state == _State.EMIT) & (index == digits - 1)),
            number.valid.eq((state == _State.EMIT) & given),
        ]
        # At the end of a routine all sums are stored.
        length = self.design.timing.length
        passed = index == Mux(final, length - 1 + STORE_STAGE, length - 1)
        ended = Mux(state == _State.PASS, passed, number.ready & given & (index == digits - 1))
        over = ended & state.matches(_State.PASS, _State.EMIT)
        there = (self._fetched.source != Source.PRODUCT) | self._multiplier.result.valid
        m.d.comb += begin.eq(there & ((state == _State.WAIT) | (over & ~final)))
        with m.Switch(state):
            with m.Case(_State.IDLE), m.If(self.run):
                m.d.sync += state.eq(_State.MODULUS)
            with m.Case(_State.MODULUS):
                self._pace(m, modulus.ready)
                with m.If(given & modulus.ready & (index == digits)):
                    m.d.sync += [state.eq(_State.WAIT), index.eq(0), phase.eq(0)]
            with m.Case(_State.PASS):
                m.d.sync += index.eq(index + 1)
            with m.Case(_State.EMIT):
                self._pace(m, number.ready)
        with m.If(over):
            m.d.sync += [
                state.eq(Mux(final, _State.IDLE, _State.WAIT)),
                index.eq(0),
                phase.eq(0),
                wiping.eq(wiping & ~final),
            ]
        with m.If(begin):
            m.d.sync += [
                current.eq(self._fetched),
                state.eq(Mux(self._fetched.emits, _State.EMIT, _State.PASS)),
            ]
        with m.If((state == _State.SWEEP) & self._swept):
            m.d.sync += state.eq(_State.MODULUS)

    def _pace(self, m: Module, taken: Value) -> None:
        """A word at a time, for those who need not take one each cycle."""
        with m.If(self._phase != FIRST_WORD):
            m.d.sync += self._phase.eq(self._phase + 1)
        with m.Elif(taken):
            m.d.sync += [
                self._phase.eq(FIRST_WORD - WORD_STAGE),
                self._index.eq(self._index + 1),
            ]

    def _count(self, m: Module, begin: Signal, final: Signal) -> None:
        """The address of the next pass, what is left of a round, and rounds."""
        block = self.design.store.blocks[WIPE]
        layout, store = self.design.layout, self.design.store
        init = [layout.const(self.design.encoded(item)).as_bits() for item in store.passes]
        depth = 1 << ceil_log2(max(len(init), 2))
        m.submodules.passes = memory = Memory(shape=layout.size, depth=depth, init=init)
        read = memory.read_port(domain="sync")
        address = Signal(range(store.words), name="address")
        origin = Signal.like(address, name="round_origin")
        length = Signal.like(self.length, name="round_length", init=block.length - 1)
        left = Signal.like(self.length, name="left", init=block.length - 1)
        rounds, last = Signal.like(self.rounds, name="rounds_left"), left == 0
        self._fetched = Signal(layout, name="fetched", reset_less=True)
        m.d.comb += read.addr.eq(address)
        m.d.sync += self._fetched.eq(read.data)
        if self.traced:
            record(m, self.trace, address, begin, self.trace_clear)
        with m.If(self.run & self.ready):
            m.d.sync += [
                address.eq(self.origin),
                origin.eq(self.origin),
                length.eq(self.length),
                left.eq(self.length),
                rounds.eq(self.rounds),
            ]
        with m.Elif(begin):
            m.d.sync += [
                address.eq(Mux(last, origin, address + 1)),
                left.eq(Mux(last, length, left - 1)),
                rounds.eq(rounds - last),
                final.eq(last & (rounds == 0)),
            ]

    def _registers(self, m: Module) -> Value:
        """Carry a word from a digit's address to the multiplier and into the sum."""
        design, current, index = self.design, self._current, self._index
        width, digits = design.field.digit, design.field.digits
        bits = ceil_log2(digits)
        write, read = add_memory(m, "elements", width, design.store.registers << bits)
        constants = self._constants(m, bits)
        loads = self._state == _State.MODULUS
        m.d.comb += read.addr.eq(Cat(index[:bits], current.place)[: len(read.addr)])
        active = Signal(name="active")
        m.d.comb += active.eq((self._state == _State.PASS) & (index < digits))
        source = delayed(m, Mux(loads, Source.CONSTANT, current.source), 1, "source")
        operands, result = self._multiplier.operands, self._multiplier.result
        word = Signal(width, name="word")
        product = result.payload.word
        m.d.sync += word.eq(Array([read.data, constants, product, product])[source])
        takes = delayed(m, active, 1, "active")
        feeds = delayed(m, active & current.feeds, WORD_STAGE, "feeds")
        m.d.comb += [
            result.ready.eq(takes & (source == Source.PRODUCT)),
            operands.payload.eq(word),
            operands.valid.eq(feeds),
        ]
        self._store(m, write, self._sum(m, word, active, bits), active, bits)
        return word

    def _store(self, m: Module, write: Any, total: Value, active: Value, bits: int) -> None:
        """Write zeros, sums, or a number that arrives, to registers."""
        current, depth = self._current, self.design.store.registers << bits
        stores = delayed(m, active & current.stores, STORE_STAGE, "stores")
        place = delayed(m, Cat(self._index[:bits], current.target), STORE_STAGE, "target")
        # Words come from afar.
        number = delayed(m, self.binary.payload, 1, "binary_word")
        arrived = delayed(m, self.binary.valid, 1, "binary_arrived")
        sweep, position = Signal(range(depth), name="sweep"), Signal(bits, name="position")
        sweeps = self._state == _State.SWEEP
        with m.If(sweeps):
            m.d.sync += sweep.eq(sweep + 1)
        with m.If(self.binary_start):
            m.d.sync += position.eq(0)
        with m.Elif(arrived):
            m.d.sync += position.eq(position + 1)
        self._swept = sweep == depth - 1
        raw = self.design.store.places[RAW] << bits
        m.d.comb += [
            self.binary.ready.eq(~self.clearing),
            write.en.eq(stores | sweeps | arrived),
            write.addr.eq(Mux(sweeps, sweep, Mux(stores, place, raw | position))),
            write.data.eq(Mux(sweeps, 0, Mux(stores, total, number))),
        ]

    def _constants(self, m: Module, bits: int) -> Value:
        """The digit of a constant of the page; of p and -1 / p while they are loaded."""
        design = self.design
        digits, width = design.field.digits, design.field.digit
        mask = (1 << width) - 1
        places = 1 << ceil_log2(len(design.store.constants))
        init = [
            number >> width * digit & mask
            for numbers in design.store.constant_words(design.named)
            for number in [*numbers, *[0] * (places - len(numbers))]
            for digit in range(1 << bits)
        ]
        m.submodules.constants = memory = Memory(shape=width, depth=len(init), init=init)
        read = memory.read_port(domain="sync")
        inverse = self._index == digits
        loaded = Mux(inverse, design.store.constants.index(INVERSE), 0)
        assert design.store.constants[0] == MODULUS
        loads = self._state == _State.MODULUS
        digit = Mux(loads & inverse, 0, self._index)
        place = Mux(loads, loaded, self._current.place)
        address = [digit[:bits], place[: ceil_log2(places)]]
        if len(design.field.moduli) > 1:
            address.append(self.page)
        m.d.comb += read.addr.eq(Cat(*address))
        found: Value = read.data
        return found

    def _sum(self, m: Module, word: Value, active: Value, bits: int) -> Value:
        """A digit of the sum, `STORE_STAGE` cycles after the digit's address."""
        design, current, index = self.design, self._current, self._index
        width = design.field.digit
        own = [self.gates[i] for i in range(len(design.gates))]
        gates = Array([Const(1, 1), *own, self._negative])
        opens = gates[current.gate] ^ current.inverted
        gated = Mux(opens, current.coefficient, 0)
        coefficient = delayed(m, gated, WORD_STAGE, "coefficient")
        write, read = add_memory(m, "sum", width, 1 << bits)
        digit = delayed(m, index[:bits], 1, "digit")
        first = delayed(m, current.first, WORD_STAGE, "first")
        subtract = delayed(m, current.subtract, WORD_STAGE + 1, "subtract")
        scaled = Signal(width + len(gated), name="scaled")
        before = Signal(width, name="before")
        term = Signal(signed(len(scaled) + 2), name="term")
        carry = Signal(signed(design.store.carry_bits), name="carry")
        total, result = Signal(signed(len(term) + 1), name="total"), Signal(width, name="result")
        started = delayed(m, index == 0, WORD_STAGE + 2, "started")
        ended = active & (index == design.field.digits - 1) & current.tested
        m.d.comb += [
            read.addr.eq(digit),
            total.eq(term + Mux(started, 0, carry)),
            write.addr.eq(delayed(m, digit, STORE_STAGE - 1, "sum_digit")),
            write.data.eq(result),
            write.en.eq(delayed(m, active, STORE_STAGE, "sums")),
        ]
        m.d.sync += [
            scaled.eq(word * coefficient),
            before.eq(Mux(first, 0, read.data)),
            term.eq(Mux(subtract, before - scaled, before + scaled)),
            carry.eq(total >> width),
            result.eq(total[:width]),
        ]
        with m.If(delayed(m, ended, WORD_STAGE + 2, "tested")):
            m.d.sync += self._negative.eq(total[-1])
        return result
