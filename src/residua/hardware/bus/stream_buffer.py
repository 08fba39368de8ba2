"""A place for two items of a stream, all of its outputs registered."""

from typing import Any, ClassVar

from amaranth.hdl import Module, Signal
from amaranth.lib import stream
from amaranth.lib.wiring import Component, In, Out


class StreamBuffer(Component):
    """Passes a stream on, one cycle later, at one item a cycle.

    No combinational path leads from one side to the other. ``clear`` drops what is inside; an item
    that is offered in that cycle is taken and dropped. A payload is overwritten as soon as it has
    been passed on, so that secrets do not stay.
    """

    LATENCY: ClassVar[int] = 1
    """Cycles that an item takes."""

    def __init__(self, shape: Any) -> None:
        self._shape = shape
        super().__init__(
            {
                "clear": In(1),
                "input": In(stream.Signature(shape)),
                "output": Out(stream.Signature(shape)),
            }
        )

    def elaborate(self, platform: Any) -> Module:
        """The output register and a spare one for what comes while the output waits."""
        m = Module()
        spare, occupied = Signal(self._shape), Signal()
        taken = self.input.valid & self.input.ready
        m.d.comb += self.input.ready.eq(~occupied)
        with m.If(self.clear):
            m.d.sync += [self.output.payload.eq(0), self.output.valid.eq(0)]
            m.d.sync += [spare.eq(0), occupied.eq(0)]
        with m.Elif(~self.output.valid | self.output.ready):
            m.d.sync += [spare.eq(0), occupied.eq(0)]
            with m.If(occupied):
                m.d.sync += self.output.payload.eq(spare)
            with m.Elif(taken):
                m.d.sync += [self.output.payload.eq(self.input.payload), self.output.valid.eq(1)]
            with m.Else():
                m.d.sync += [self.output.payload.eq(0), self.output.valid.eq(0)]
        with m.Elif(taken):
            m.d.sync += [spare.eq(self.input.payload), occupied.eq(1)]
        return m
