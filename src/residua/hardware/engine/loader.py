"""Loader: takes the operands of the next run into the register memories."""

from typing import Any

from amaranth.hdl import Module, Signal
from amaranth.lib.wiring import Component, In, Out


class OperandLoader(Component):
    """Accepts ``count`` words for each run, into registers 1, 2, ... ``count`` of ``registers``.

    A word is taken (``load``) in a cycle in which ``valid`` and ``ready`` are set, never in one in
    which the write port is ``busy``. After the last one ``request`` asks for a run until ``start``
    grants it; the next words are taken after ``release``, when the run has read all of its
    operands.
    """

    def __init__(self, count: int, registers: int | None = None) -> None:
        self.count = count
        super().__init__(
            {
                "valid": In(1),
                "ready": Out(1),
                "busy": In(1),
                "load": Out(1),
                "register": Out(range(registers or count + 1), init=1),
                "request": Out(1),
                "start": In(1),
                "release": In(1),
            }
        )

    def elaborate(self, platform: Any) -> Module:
        """A register counter and two flags."""
        m = Module()
        accepting = Signal(init=1)
        last = self.load & (self.register == self.count)
        m.d.comb += [
            self.ready.eq(accepting & ~self.busy),
            self.load.eq(self.valid & self.ready),
        ]
        with m.If(last):
            m.d.sync += [self.register.eq(1), accepting.eq(0), self.request.eq(1)]
        with m.Elif(self.load):
            m.d.sync += self.register.eq(self.register + 1)
        with m.If(self.start):
            m.d.sync += self.request.eq(0)
        with m.If(self.release):
            m.d.sync += accepting.eq(1)
        return m
