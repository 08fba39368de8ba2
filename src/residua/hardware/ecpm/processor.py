"""ECA, ECD and ECPM on an extended RNS: ECPM paper, figures 5, 6 and 7.

One set of RNS units serves addition and doubling, which a binary method never does at a time; a
counter through microcode drives them, as in the paper. An addition is made for every bit of the
scalar, and selectors, not control, decide what becomes of it.
"""

from functools import reduce
from operator import and_
from typing import Any

from amaranth.hdl import Array, Cat, Module, Mux, Signal, Value
from amaranth.lib import stream
from amaranth.lib.wiring import Component, In, Out, connect, flipped

from residua.hardware.delay import delayed
from residua.hardware.digit.results import result_payload
from residua.hardware.ecpm.channel import Channel
from residua.hardware.ecpm.control import TESTS, channel_fields
from residua.hardware.ecpm.converter import Converter
from residua.hardware.ecpm.design import EcpmDesign
from residua.hardware.ecpm.sequencer import PointSequencer
from residua.machines.point_schedule import CONDITIONS


class EcpmProcessor(Component):
    """A point operation on streams of w-bit words, the lowest word of each number first.

    ``operands`` takes the scalar (of a multiplication), then X, Y and Z of each point in Jacobian
    coordinates, each in [0, p - 1]; Z = 0 is the neutral element. Bits of the scalar above
    ``scalar_bits`` do not count; other numbers out of range give wrong results. ``result`` gives
    X, Y and Z likewise, ``last`` with the highest word of Z. A sum by (10) alone has Z = 0 for
    equal, opposite and neutral points (E21); a multiple is right for every point and scalar.
    Operands are taken when the last result has left.

    Attributes:
        latency: cycles from the last operand word to the last result word, without waits.
        interval: cycles between results when neither stream waits.
    """

    def __init__(self, design: EcpmDesign) -> None:
        self.design = design
        self.latency, self.interval = design.latency, design.interval
        width = design.width
        super().__init__(
            {
                "operands": In(stream.Signature(width)),
                "result": Out(stream.Signature(result_payload(width))),
            }
        )

    def elaborate(self, platform: Any) -> Module:
        """Sequencer, channels, converter, and the registers of numbers and scalar."""
        m = Module()
        design = self.design
        m.submodules.sequencer = sequencer = PointSequencer(design)
        control = sequencer.control
        connect(m, flipped(self.operands), sequencer.operands)
        connect(m, sequencer.result, flipped(self.result))
        m.submodules.converter = converter = Converter(design.conversion_shape)
        m.d.comb += sequencer.number.eq(converter.number)
        for name in ("collect", "sum_first", "fold", "weigh", "subtract", "shift"):
            m.d.comb += getattr(converter, name).eq(control[name])
        chunk, first = self._chunks(m, control, sequencer.operand, converter.number)
        choose = Signal(name="choose")
        zeros = []
        for index, modulus in enumerate(design.base.moduli):
            channel = Channel(
                modulus,
                design.constants(index),
                digit=design.digit,
                steps=design.product_steps,
                chunk=design.chunk,
                registers=design.registers,
            )
            m.submodules[f"channel_{index}"] = channel
            for name in channel_fields(design.registers):
                m.d.comb += getattr(channel, name).eq(control[name])
            m.d.comb += [
                channel.chunk.eq(chunk),
                channel.chunk_first.eq(first),
                channel.choose.eq(choose),
                getattr(converter, f"xi_{index}").eq(channel.xi),
            ]
            zeros.append(channel.zero)
        self._conditions(m, sequencer, Cat(*zeros).all(), choose)
        return m

    def _chunks(
        self, m: Module, control: Any, operand: Value, number: Value
    ) -> tuple[Value, Value]:
        """The pieces of a number, the highest first, for all channels."""
        design = self.design
        total = design.chunks * design.chunk
        pieces = Signal(total, name="pieces", reset_less=True)
        m.d.sync += pieces.eq(pieces << design.chunk)
        with m.If(control.spread):
            m.d.sync += pieces.eq(Mux(control.supplied, operand, number))
        first = delayed(m, control.spread, 1, "spread_first")
        return pieces[total - design.chunk :], first

    def _conditions(self, m: Module, sequencer: Any, zero: Value, choose: Signal) -> None:
        """Drive the conditions of selectors, from tests for zero and from the scalar."""
        control = sequencer.control
        tested = Signal(len(TESTS), name="tested")
        for place in range(len(TESTS)):
            with m.If(control.test == place + 1):
                m.d.sync += tested[place].eq(zero)
        answers = [
            reduce(and_, (tested[TESTS.index(test)] for test in tests)) if tests else sequencer.bit
            for tests in CONDITIONS.values()
        ]
        m.d.comb += choose.eq(Array(answers)[control.condition])
