"""What a board adds to a system: its reset, and lights that tell how it is."""

from typing import Any

from amaranth.hdl import Module, Signal
from amaranth.lib.wiring import Component, In, Out

RESET_CYCLES = 1024
"""Cycles of reset after the clock is there and the button is released."""


class BoardControl(Component):
    """Resets a system after power-on and on a button, and shows whether it runs.

    Ports: ``locked`` (the clock has its frequency) and ``button`` (pressed) belong to no clock.
    ``reset`` is set from configuration on, and until both have been in order for `RESET_CYCLES`
    cycles. ``alive`` changes every ``half_period`` cycles outside of it; ``error`` is set from
    ``trap``, the processor's stop, until the next reset. It needs no reset of its own: an FPGA
    gives registers their initial values.

    Args:
        half_period: cycles between changes of ``alive``.
        cycles: of reset, in place of `RESET_CYCLES`.
    """

    def __init__(self, half_period: int, cycles: int = RESET_CYCLES) -> None:
        self.half_period, self.cycles = half_period, cycles
        super().__init__(
            {
                "locked": In(1),
                "button": In(1),
                "trap": In(1),
                "reset": Out(1, init=1),
                "alive": Out(1),
                "error": Out(1),
            }
        )

    def elaborate(self, platform: Any) -> Module:
        """Two registers for each input of another clock, and two counters."""
        m = Module()
        before, ready = Signal(name="ready_before"), Signal(name="ready_now")
        settled = Signal(range(self.cycles + 1), name="settled")
        beat = Signal(range(self.half_period), name="beat")
        m.d.sync += [before.eq(self.locked & ~self.button), ready.eq(before)]
        with m.If(~ready):
            m.d.sync += [settled.eq(0), self.reset.eq(1)]
        with m.Elif(settled == self.cycles):
            m.d.sync += self.reset.eq(0)
        with m.Else():
            m.d.sync += settled.eq(settled + 1)
        with m.If(self.reset):
            m.d.sync += [beat.eq(0), self.alive.eq(0), self.error.eq(0)]
        with m.Else():
            m.d.sync += [beat.eq(beat + 1), self.error.eq(self.error | self.trap)]
            with m.If(beat == self.half_period - 1):
                m.d.sync += [beat.eq(0), self.alive.eq(~self.alive)]
        return m
