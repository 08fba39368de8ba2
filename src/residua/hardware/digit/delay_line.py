"""A delay of a fixed number of cycles: registers if it is short, else a memory."""

from typing import Any

from amaranth.hdl import Module, Signal
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import Component, In, Out

from residua.hardware.delay import delayed

_REGISTERS = 4
"""Cycles up to which registers are less than a memory with its counter."""


class DelayLine(Component):
    """``late`` is what ``early`` was ``cycles`` cycles before; 0 cycles are a wire."""

    def __init__(self, width: int, cycles: int) -> None:
        self.width, self.cycles = width, cycles
        super().__init__({"early": In(width), "late": Out(width)})

    def elaborate(self, platform: Any) -> Module:
        """Registers, or a ring in a memory with a register behind it."""
        m = Module()
        if self.cycles > _REGISTERS:
            self._ring(m)
            return m
        m.d.comb += self.late.eq(delayed(m, self.early, self.cycles, "stage", data=True))
        return m

    def _ring(self, m: Module) -> None:
        # Written at the end of a cycle, read into the port's register a round less a place later.
        depth = self.cycles - 1
        m.submodules.ring = ring = Memory(
            shape=self.width, depth=depth, init=[], attrs={"no_rw_check": 1}
        )
        write, read = ring.write_port(), ring.read_port(domain="comb")
        place, behind = Signal(range(depth), name="place"), Signal(self.width, reset_less=True)
        m.d.sync += [place.eq(place + 1), behind.eq(read.data)]
        with m.If(place == depth - 1):
            m.d.sync += place.eq(0)
        m.d.comb += [
            write.en.eq(1),
            write.addr.eq(place),
            write.data.eq(self.early),
            read.addr.eq(place),
            self.late.eq(behind),
        ]
