"""Field processor on digits: elements in block RAM, a Montgomery multiplier, sums a digit a cycle.

It runs the passes of `residua.machines.digit_passes`; `residua.hardware.digit.field.design` tells
in which stages, and when.
"""

from enum import Enum
from typing import Any

from amaranth.hdl import Array, Cat, Const, Module, Mux, Signal, Value, signed
from amaranth.lib import data, stream
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import Component, In, Out, connect, flipped
from amaranth.utils import ceil_log2

from residua.algorithms.fields.digit_field import INVERSE, MODULUS
from residua.hardware.bus.stream_buffer import StreamBuffer
from residua.hardware.delay import delayed
from residua.hardware.digit.field.design import (
    FIRST_WORD,
    PAUSE,
    WORD_STAGE,
    DigitProcessorDesign,
)
from residua.hardware.digit.memory import add_memory
from residua.hardware.digit.pipelined_product import PipelinedProduct
from residua.hardware.primitives import AddSubtract
from residua.hardware.signature_register import TRACE_PORTS, record
from residua.machines.digit_passes import RAW, WIPE, Source


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
        longest = self.design.timing.length + self.design.store_stage
        self._index = Signal(range(longest), name="index")
        self._phase = Signal(range(FIRST_WORD + 1), name="phase")
        self._current = Signal(self.design.layout, name="current")
        self._fetched = Signal(self.design.layout, name="fetched", reset_less=True)
        self._decided, self._begin = Signal(name="decided"), Signal(name="begin")
        self._final = Signal(name="final")
        self._active, self._last = Signal(name="active"), Signal(name="last_digit")
        self._wiping = Signal(name="wiping", init=1)
        self._negative = Signal(name="negative")
        self._count(m)
        self._sequence(m, self._registers(m))
        return m

    def _sequence(self, m: Module, word: Value) -> None:
        """Go from state to state, and tell of it outside."""
        state, index, phase, last = self._state, self._index, self._phase, self._last
        digits = self.design.field.digits
        modulus, number = self._leaving(m, word)
        m.d.comb += [
            self.ready.eq(state.matches(_State.IDLE, _State.EMIT)),
            self.clearing.eq((state == _State.SWEEP) | self._wiping),
            last.eq(index == digits - 1),
        ]
        m.d.sync += self.advance.eq(self._active & self._current.advances & last)
        with m.If(last):
            m.d.sync += self._active.eq(0)
        with m.Switch(state):
            with m.Case(_State.SWEEP), m.If(self._swept):
                m.d.sync += state.eq(_State.MODULUS)
            with m.Case(_State.IDLE), m.If(self.run):
                m.d.sync += state.eq(_State.MODULUS)
            with m.Case(_State.MODULUS), m.If(self._pace(m, modulus) & (index == digits)):
                m.d.sync += [state.eq(_State.WAIT), index.eq(0), phase.eq(0)]
            with m.Case(_State.WAIT), m.If(self._begin):
                emits = self._fetched.emits
                m.d.sync += [
                    self._current.eq(self._fetched),
                    state.eq(Mux(emits, _State.EMIT, _State.PASS)),
                    self._active.eq(~emits),
                ]
            with m.Case(_State.PASS):
                self._pass(m)
            with m.Case(_State.EMIT), m.If(self._pace(m, number) & last):
                m.d.sync += [state.eq(_State.IDLE), index.eq(0), phase.eq(0)]

    def _pass(self, m: Module) -> None:
        """Count up to the pause before the next pass, or until the sums of a routine are stored."""
        index, final, length = self._index, self._final, self.design.timing.length
        over, stored = Signal(name="over"), length - 1 + self.design.store_stage
        m.d.comb += over.eq(index == Mux(final, stored, length - 1 - PAUSE))
        m.d.sync += index.eq(index + 1)
        with m.If(over):
            m.d.sync += [
                self._state.eq(Mux(final, _State.IDLE, _State.WAIT)),
                index.eq(0),
                self._wiping.eq(self._wiping & ~final),
            ]

    def _leaving(self, m: Module, word: Value) -> tuple[Any, Any]:
        """The ways of words to the modulus of the multiplier and, as a number, out of here.

        Both are buffers: what takes the words decides far away whether it is ready.
        """
        given = self._phase == FIRST_WORD
        m.submodules.modulus_words = modulus = StreamBuffer(len(word))
        m.submodules.number_words = number = StreamBuffer(self.number.payload.shape())
        connect(m, modulus.output, self._multiplier.modulus)
        connect(m, number.output, flipped(self.number))
        m.d.comb += [
            modulus.input.payload.eq(word),
            modulus.input.valid.eq((self._state == _State.MODULUS) & given),
            number.input.payload.word.eq(word),
            number.input.payload.last.eq(self._last),
            number.input.valid.eq((self._state == _State.EMIT) & given),
        ]
        return modulus.input, number.input

    def _pace(self, m: Module, words: Any) -> Value:
        """Give a word at a time, to those who need not take one each cycle, and tell of it."""
        taken = words.valid & words.ready
        with m.If(taken):
            m.d.sync += [
                self._phase.eq(FIRST_WORD - WORD_STAGE),
                self._index.eq(self._index + 1),
            ]
        with m.Elif(self._phase != FIRST_WORD):
            m.d.sync += self._phase.eq(self._phase + 1)
        return taken

    def _count(self, m: Module) -> None:
        """The next pass, what is left of a round, and rounds.

        It begins a cycle after it has been decided that it may.
        """
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
        rounds, begin = Signal.like(self.rounds, name="rounds_left"), self._begin
        # Registers tell of counters that stay for longer than that.
        last, last_round = Signal(name="last_pass"), Signal(name="last_round")
        there = (self._fetched.source != Source.PRODUCT) | self._multiplier.result.valid
        m.d.comb += [
            read.addr.eq(address),
            self._decided.eq((self._state == _State.WAIT) & ~begin & there),
        ]
        m.d.sync += [
            self._fetched.eq(read.data),
            last.eq(left == 0),
            last_round.eq(rounds == 0),
            begin.eq(self._decided),
        ]
        if self.traced:
            record(m, self.trace, address, begin, self.trace_clear)
        with m.If(begin):
            m.d.sync += [
                address.eq(Mux(last, origin, address + 1)),
                left.eq(Mux(last, length, left - 1)),
                rounds.eq(rounds - last),
                self._final.eq(last & last_round),
            ]
        with m.Elif(self.run & (self._state == _State.IDLE)):
            m.d.sync += [
                address.eq(self.origin),
                origin.eq(self.origin),
                length.eq(self.length),
                left.eq(self.length),
                rounds.eq(self.rounds),
            ]

    def _registers(self, m: Module) -> Value:
        """Carry a word from a digit's address to the multiplier and into the sum."""
        design, current, index = self.design, self._current, self._index
        width, digits = design.field.digit, design.field.digits
        bits = ceil_log2(digits)
        write, read = add_memory(m, "elements", width, design.store.registers << bits)
        m.d.comb += read.addr.eq(Cat(index[:bits], current.place)[: len(read.addr)])
        loads = self._state == _State.MODULUS
        element = delayed(m, read.data, 1, "element", data=True)
        constant = delayed(m, self._constants(m, bits), 1, "constant", data=True)
        product = self._product(m)
        source = Mux(loads, Source.CONSTANT, current.source)
        source = delayed(m, source, WORD_STAGE - 1, "source")
        word = Signal(width, name="word")
        m.d.sync += word.eq(Array([element, constant, product, product])[source])
        operands = self._multiplier.operands
        m.d.comb += [
            operands.payload.eq(word),
            operands.valid.eq(delayed(m, self._active & current.feeds, WORD_STAGE, "feeds")),
        ]
        self._store(m, write, self._sum(m, word, bits), bits)
        return word

    def _product(self, m: Module) -> Value:
        """Digits of a product, when their word is chosen.

        They are taken from the cycle on in which their pass begins, before their addresses, so that
        the next product is there when it is decided whether the pass after that one may begin.
        """
        result, collects = self._multiplier.result, Signal(name="collects")
        m.d.comb += result.ready.eq(collects)
        with m.If(self._decided):
            m.d.sync += collects.eq(self._fetched.source == Source.PRODUCT)
        with m.Elif(self._active & (self._index == self.design.field.digits - 2)):
            m.d.sync += collects.eq(0)
        return delayed(m, result.payload.word, WORD_STAGE, "product", data=True)

    def _store(self, m: Module, write: Any, total: Value, bits: int) -> None:
        """Write zeros, sums, or a number that arrives, to registers."""
        current, depth = self._current, self.design.store.registers << bits
        stage = self.design.store_stage
        stores = delayed(m, self._active & current.stores, stage, "stores")
        place = delayed(m, Cat(self._index[:bits], current.target), stage, "target")
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

    def _sum(self, m: Module, word: Value, bits: int) -> Value:
        """A digit of the sum, ``store_stage`` cycles after the digit's address."""
        design, current, index = self.design, self._current, self._index
        width, stage = design.field.digit, design.scaled_stage
        write, read = add_memory(m, "sum", width, 1 << bits)
        # The memory's word goes through a register of its own, then to where the product comes.
        digit = delayed(m, index[:bits], stage - 3, "digit")
        first = delayed(m, current.first, stage - 1, "first")
        before = Signal(width, name="before")
        scaled = self._scaled(m, word)
        m.submodules.term = adder = AddSubtract(len(scaled) + 2)
        term = Signal(signed(adder.width), name="term")
        carry = Signal(signed(design.carry_bits), name="carry")
        total, result = Signal(signed(len(term) + 1), name="total"), Signal(width, name="result")
        started = delayed(m, index == 0, stage + 1, "started")
        ended = self._active & self._last & current.tested
        m.d.comb += [
            read.addr.eq(digit),
            adder.augend.eq(before),
            adder.addend.eq(scaled),
            adder.subtract.eq(delayed(m, current.subtract, stage, "subtract")),
            total.eq(term + Mux(started, 0, carry)),
            write.addr.eq(delayed(m, digit, design.store_stage - stage + 3, "sum_digit")),
            write.data.eq(result),
            write.en.eq(delayed(m, self._active, design.store_stage, "sums")),
        ]
        m.d.sync += [
            before.eq(Mux(first, 0, delayed(m, read.data, 1, "sum_so_far", data=True))),
            term.eq(adder.sum),
            carry.eq(total >> width),
            result.eq(total[:width]),
        ]
        with m.If(delayed(m, ended, stage + 1, "tested")):
            m.d.sync += self._negative.eq(total[-1])
        return result

    def _scaled(self, m: Module, word: Value) -> Value:
        """The product of a word and the coefficient of its pass, which is 0 if its gate is shut."""
        current, size = self._current, self.design.coefficient_bits
        own = [self.gates[i] for i in range(len(self.design.gates))]
        gates = Array([Const(1, 1), *own, self._negative])
        opens = delayed(m, gates[current.gate] ^ current.inverted, 1, "opens")
        coefficient = delayed(m, current.coefficient, 1, "coefficient")
        gated = delayed(m, Mux(opens, coefficient, 0), WORD_STAGE - 1, "gated")
        m.submodules.scaled = product = PipelinedProduct(len(word), size)
        m.d.comb += [product.left.eq(word), product.right.eq(gated)]
        return product.product
