"""A serial port: bytes in both directions, eight bits, no parity, one stop bit."""

from typing import Any

from amaranth.hdl import Cat, Module, Signal
from amaranth.lib import stream
from amaranth.lib.fifo import SyncFIFOBuffered
from amaranth.lib.wiring import Component, In, Out

from residua.hardware.soc.memory_port import memory_port

RECEIVED = 16
"""Bytes that wait to be read."""

EMPTY, LOST = 31, 30
"""Bits of a word that is read: no byte is there; a byte was lost before this one."""

FEWEST_CYCLES = 4
"""Cycles of a bit, at least: it is sampled in the middle."""


class Transmitter(Component):
    """Sends bytes, each as a start bit, eight bits from the lowest on, and a stop bit.

    ``line`` is high at rest. A byte is taken while none is being sent; `cycles` later its last bit
    is through.
    """

    def __init__(self, divisor: int) -> None:
        self.divisor = divisor
        super().__init__({"data": In(stream.Signature(8)), "line": Out(1, init=1)})

    @property
    def cycles(self) -> int:
        """Cycles of a byte."""
        return 10 * self.divisor

    def elaborate(self, platform: Any) -> Module:
        """A shift register behind a counter of cycles and one of bits."""
        m = Module()
        bits, left = Signal(9, init=0x1FF, name="bits"), Signal(range(11), name="left")
        wait = Signal(range(self.divisor), name="wait")
        m.d.comb += [self.data.ready.eq(left == 0), self.line.eq(bits[0])]
        with m.If(self.data.valid & self.data.ready):
            m.d.sync += [
                bits.eq(Cat(0, self.data.payload)),
                left.eq(10),
                wait.eq(self.divisor - 1),
            ]
        with m.Elif(wait != 0):
            m.d.sync += wait.eq(wait - 1)
        with m.Elif(left != 0):
            m.d.sync += [bits.eq(Cat(bits[1:], 1)), left.eq(left - 1), wait.eq(self.divisor - 1)]
        return m


class Receiver(Component):
    """Receives what a `Transmitter` sends.

    ``data`` has a byte for one cycle, in the middle of its stop bit; ``broken`` is set instead if
    that bit is low.
    """

    def __init__(self, divisor: int) -> None:
        self.divisor = divisor
        super().__init__({"line": In(1, init=1), "byte": Out(8), "valid": Out(1), "broken": Out(1)})

    def elaborate(self, platform: Any) -> Module:
        """Two registers for a line of another clock; samples in the middle of bits."""
        m = Module()
        before, line = Signal(init=1, name="line_before"), Signal(init=1, name="line_now")
        bits, left = Signal(9, name="bits"), Signal(range(11), name="left")
        wait, ended = Signal(range(self.divisor), name="wait"), Signal(name="ended")
        m.d.sync += [before.eq(self.line), line.eq(before), ended.eq(0)]
        with m.If((left == 0) & ~line):
            m.d.sync += [left.eq(10), wait.eq(self.divisor // 2)]
        with m.Elif(wait != 0):
            m.d.sync += wait.eq(wait - 1)
        with m.Elif(left != 0):
            m.d.sync += [
                bits.eq(Cat(bits[1:], line)),
                left.eq(left - 1),
                wait.eq(self.divisor - 1),
                ended.eq(left == 1),
            ]
            with m.If((left == 10) & line):
                # Not a start bit but noise.
                m.d.sync += left.eq(0)
        m.d.comb += [
            self.byte.eq(bits[:8]),
            self.valid.eq(ended & bits[8]),
            self.broken.eq(ended & ~bits[8]),
        ]
        return m


class Uart(Component):
    """A serial port with one register, at every address of its region.

    A byte that is written is sent; the access ends when the transmitter takes it. A read takes the
    oldest byte that was received: bit `EMPTY` is set if there is none, bit `LOST` if bytes were
    lost before it, as `RECEIVED` others waited or one was broken.

    Args:
        divisor: cycles of a bit, at least `FEWEST_CYCLES`.
    """

    def __init__(self, divisor: int) -> None:
        self.divisor = divisor
        super().__init__({"port": In(memory_port()), "receive": In(1, init=1), "send": Out(1)})

    def elaborate(self, platform: Any) -> Module:
        """Both directions, and a queue of what was received."""
        m = Module()
        m.submodules.transmitter = transmitter = Transmitter(self.divisor)
        m.submodules.receiver = receiver = Receiver(self.divisor)
        m.submodules.received = queue = SyncFIFOBuffered(width=8, depth=RECEIVED)
        port, lost, writes = self.port, Signal(name="lost"), self.port.strobe.any()
        m.d.comb += [
            receiver.line.eq(self.receive),
            self.send.eq(transmitter.line),
            queue.w_data.eq(receiver.byte),
            queue.w_en.eq(receiver.valid),
            transmitter.data.payload.eq(port.write_data[:8]),
            transmitter.data.valid.eq(port.valid & writes),
            port.ready.eq(port.valid & (~writes | transmitter.data.ready)),
            port.read_data[:8].eq(queue.r_data),
            port.read_data[EMPTY].eq(~queue.r_rdy),
            port.read_data[LOST].eq(lost),
            queue.r_en.eq(port.valid & ~writes),
        ]
        with m.If(port.valid & ~writes):
            m.d.sync += lost.eq(0)
        with m.If(receiver.broken | (receiver.valid & ~queue.w_rdy)):
            m.d.sync += lost.eq(1)
        return m
