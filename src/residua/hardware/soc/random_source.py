"""A source of random words out of a bit of noise."""

from typing import Any

from amaranth.hdl import Cat, Module, Signal
from amaranth.lib.wiring import Component, In

from residua.hardware.soc.memory_port import WORD_BITS, memory_port

FOLD = 8
"""Bits of noise whose parity is a bit of a word, a power of two."""


class RandomSource(Component):
    """Collects words of noise; a read waits for one that was not read before.

    ``noise`` is sampled in each cycle through two registers, as it belongs to no clock. Each bit of
    a word is the parity of `FOLD` samples. What is written is ignored.
    """

    def __init__(self) -> None:
        super().__init__({"port": In(memory_port()), "noise": In(1)})

    @property
    def cycles(self) -> int:
        """Cycles that a word takes."""
        return FOLD * WORD_BITS

    def elaborate(self, platform: Any) -> Module:
        """A parity, a shift register of them, and how many samples it has."""
        m = Module()
        before, bit = Signal(name="noise_before"), Signal(name="noise_now")
        parity, word = Signal(name="parity"), Signal(WORD_BITS, name="word")
        count = Signal(range(self.cycles + 1), name="count")
        port, full = self.port, count == self.cycles
        reads = port.valid & ~port.strobe.any()
        m.d.sync += [before.eq(self.noise), bit.eq(before)]
        with m.If(~full):
            m.d.sync += [count.eq(count + 1), parity.eq(parity ^ bit)]
            with m.If(count[: FOLD.bit_length() - 1] == FOLD - 1):
                m.d.sync += [word.eq(Cat(word[1:], parity ^ bit)), parity.eq(0)]
        m.d.comb += [
            port.ready.eq(port.valid & (~reads | full)),
            port.read_data.eq(word),
        ]
        with m.If(reads & full):
            m.d.sync += [count.eq(0), word.eq(0)]
        return m
