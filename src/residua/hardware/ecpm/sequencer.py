"""Sequencer of an ECPM: words in, a counter through microcode, words out."""

from typing import Any

from amaranth.hdl import Array, Cat, Module, Mux, Signal
from amaranth.lib import stream
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import Component, In, Out

from residua.hardware.digit.results import result_payload
from residua.hardware.ecpm.control import control_layout
from residua.hardware.ecpm.design import EcpmDesign

_TAKE, _RUN, _GIVE = range(3)


class PointSequencer(Component):
    """Goes through the steps of a design, which depend on nothing but the streams' handshakes.

    ``control`` is the word of the microcode, all 0 between segments. ``operand`` is the number that
    was taken last, ``bit`` that of the scalar in this round, ``number`` what becomes a result.
    """

    def __init__(self, design: EcpmDesign) -> None:
        self.design = design
        width = design.width
        super().__init__(
            {
                "operands": In(stream.Signature(width)),
                "result": Out(stream.Signature(result_payload(width))),
                "control": Out(control_layout(design.registers)),
                "operand": Out(design.number_words * width),
                "bit": Out(1),
                "number": In(design.prime.bit_length()),
            }
        )

    def elaborate(self, platform: Any) -> Module:
        """Microcode, registers of numbers, and a state with step, position and round."""
        m = Module()
        steps = self.design.steps
        self._step = Signal(range(len(steps)), name="step")
        self._state = Signal(2, name="state")
        self._count = Signal(range(self._most_words() + 1), name="words_done")
        self._address = Signal(range(len(self.design.rom)), name="address")
        self._position = Signal(range(self._longest()), name="position")
        most = max(step.rounds for step in steps)
        self._rounds = Signal(range(most + 1), init=steps[0].rounds, name="rounds_left")
        self._following = Signal(range(len(steps)), name="following")
        last = self._step == len(steps) - 1
        m.d.comb += self._following.eq(Mux(last, 0, self._step + 1))
        self._microcode(m)
        self._numbers(m)
        with m.Switch(self._state):
            with m.Case(_TAKE):
                self._take(m)
            with m.Case(_RUN):
                self._run(m)
            with m.Case(_GIVE):
                self._give(m)
        return m

    def _most_words(self) -> int:
        return max(self.design.scalar_words, self.design.number_words)

    def _longest(self) -> int:
        return max(map(len, self.design.microcode.values()))

    def _microcode(self, m: Module) -> None:
        """The word of an address two cycles later, in a register of its own."""
        bits, words = len(self.control.as_value()), self.design.rom
        m.submodules.microcode = memory = Memory(shape=bits, depth=len(words), init=words)
        read, fetched = memory.read_port(domain="sync"), Signal(name="fetched")
        m.d.comb += read.addr.eq(self._address)
        m.d.sync += [
            fetched.eq(self._state == _RUN),
            self.control.as_value().eq(Mux(fetched, read.data, 0)),
        ]

    def _numbers(self, m: Module) -> None:
        """Operand, scalar and result, as shift registers."""
        design, width = self.design, self.design.width
        scalar = Signal(max(design.scalar_words, 1) * width, name="scalar", reset_less=True)
        result = Signal(len(self.operand), name="result_number", reset_less=True)
        is_scalar = Array([int(step.takes == "scalar") for step in design.steps])[self._step]
        m.d.comb += [
            self.operands.ready.eq(self._state == _TAKE),
            self.bit.eq(scalar[design.scalar_bits - 1]),
            self.result.valid.eq(self._state == _GIVE),
            self.result.payload.word.eq(result),
            self.result.payload.last.eq(
                (self._count == design.number_words - 1) & (self._step == len(design.steps) - 1)
            ),
        ]
        with m.If(self.operands.valid & self.operands.ready):
            with m.If(is_scalar):
                m.d.sync += scalar.eq(Cat(scalar, self.operands.payload)[width:])
            with m.Else():
                m.d.sync += self.operand.eq(Cat(self.operand, self.operands.payload)[width:])
        with m.Elif(self.control.next_bit):
            m.d.sync += scalar.eq(scalar << 1)
        with m.If(self.control.result):
            m.d.sync += result.eq(self.number)
        with m.Elif(self.result.valid & self.result.ready):
            m.d.sync += result.eq(result >> width)

    def _take(self, m: Module) -> None:
        """The words of a scalar, which has no segment, or of a number."""
        design = self.design
        sizes = {"scalar": design.scalar_words, "number": design.number_words, "": 1}
        last = Array([sizes[step.takes] - 1 for step in design.steps])[self._step]
        runs = Array([int(bool(step.segment)) for step in design.steps])[self._step]
        with m.If(self.operands.valid):
            m.d.sync += self._count.eq(self._count + 1)
            with m.If(self._count == last):
                with m.If(runs):
                    m.d.sync += self._state.eq(_RUN)
                with m.Else():
                    self._enter(m)

    def _run(self, m: Module) -> None:
        """The segment of a step, round by round."""
        design = self.design
        lengths = [max(len(design.microcode.get(s.segment, ())), 1) for s in design.steps]
        last = Array([length - 1 for length in lengths])[self._step]
        gives = Array([int(step.gives) for step in design.steps])[self._step]
        m.d.sync += [
            self._address.eq(self._address + 1),
            self._position.eq(self._position + 1),
        ]
        with m.If(self._position == last):
            m.d.sync += [self._position.eq(0), self._rounds.eq(self._rounds - 1)]
            with m.If(self._rounds != 1):
                m.d.sync += self._address.eq(self._starts()[self._step])
            with m.Elif(gives):
                m.d.sync += [self._state.eq(_GIVE), self._count.eq(0)]
            with m.Else():
                self._enter(m)

    def _give(self, m: Module) -> None:
        """The words of a number."""
        with m.If(self.result.ready):
            m.d.sync += self._count.eq(self._count + 1)
            with m.If(self._count == self.design.number_words - 1):
                self._enter(m)

    def _starts(self) -> Any:
        return Array([self.design.starts.get(step.segment, 0) for step in self.design.steps])

    def _enter(self, m: Module) -> None:
        """The step that follows, from the first one again after the last."""
        steps, following = self.design.steps, self._following
        m.d.sync += [
            self._step.eq(following),
            self._state.eq(Array([_TAKE if s.takes else _RUN for s in steps])[following]),
            self._address.eq(self._starts()[following]),
            self._rounds.eq(Array([step.rounds for step in steps])[following]),
            self._position.eq(0),
            self._count.eq(0),
        ]
