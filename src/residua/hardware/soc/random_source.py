"""A source of random words out of a bit of noise."""

from typing import Any

from amaranth.hdl import Cat, Module, Signal
from amaranth.lib.wiring import Component, In

from residua.hardware.random_monitor import VERDICT, RandomMonitor
from residua.hardware.soc.memory_port import WORD_BITS, memory_port

DATA, STATUS = 0, 4
"""Offsets of the registers."""

UNFIT = 0
"""The bit of `STATUS` that tells that the words fail a test."""

FOLD = 8
"""Bits of noise whose parity is a bit of a word, a power of two."""


class RandomSource(Component):
    """Collects words of noise; a read of `DATA` waits for one that was not read before.

    ``noise`` is sampled in each cycle through two registers, as it belongs to no clock. Each bit of
    a word is the parity of `FOLD` samples. What is written is ignored.

    Words are tested as they are collected, by the tests of
    `residua.hardware.random_monitor.RandomMonitor`: from the word on that fails one,
    `STATUS` has its bit `UNFIT`, and `DATA` reads as 0, until a reset.
    """

    def __init__(self) -> None:
        super().__init__({"port": In(memory_port()), "noise": In(1)})

    @property
    def cycles(self) -> int:
        """Cycles from a read to the next word: its samples, and the verdict on it."""
        return FOLD * WORD_BITS + VERDICT

    def elaborate(self, platform: Any) -> Module:
        """A parity, a shift register of them, and how many samples it has."""
        m = Module()
        before, bit = Signal(name="noise_before"), Signal(name="noise_now")
        parity, word = Signal(name="parity"), Signal(WORD_BITS, name="word")
        samples = FOLD * WORD_BITS
        count = Signal(range(samples + 1), name="count")
        port, full = self.port, count == samples
        reads = port.valid & ~port.strobe.any()
        asks, judged = port.address[2] == STATUS >> 2, Signal(range(VERDICT + 1), name="judged")
        m.submodules.monitor = monitor = RandomMonitor()
        m.d.comb += [
            monitor.word.eq(word),
            monitor.valid.eq(full & (judged == 0)),
            monitor.ready.eq(1),
        ]
        m.d.sync += [before.eq(self.noise), bit.eq(before)]
        with m.If(~full):
            m.d.sync += [count.eq(count + 1), parity.eq(parity ^ bit)]
            with m.If(count[: FOLD.bit_length() - 1] == FOLD - 1):
                m.d.sync += [word.eq(Cat(word[1:], parity ^ bit)), parity.eq(0)]
        ready = judged == VERDICT
        with m.If(full & ~ready):
            m.d.sync += judged.eq(judged + 1)
        m.d.comb += port.ready.eq(port.valid & (~reads | asks | ready))
        with m.If(asks):
            m.d.comb += port.read_data[UNFIT].eq(monitor.unfit)
        with m.Elif(~monitor.unfit):
            m.d.comb += port.read_data.eq(word)
        with m.If(reads & ~asks & ready):
            m.d.sync += [count.eq(0), word.eq(0), judged.eq(0)]
        return m
