"""Operand reader: takes a number into the engine's words, and tells whether it is reduced."""

from collections.abc import Sequence
from typing import Any

from amaranth.hdl import Module, Signal
from amaranth.lib import stream
from amaranth.lib.wiring import Component, In, Out

from residua.errors import SpecificationError
from residua.hardware.constant_table import constant_table, selector
from residua.hardware.converters.word_gearbox import WordGearbox

BUS_WIDTH = 32
"""Bits of a word of the operand stream."""


class OperandReader(Component):
    """Passes one number on in words of ``width`` bits and compares it with one of ``moduli``.

    ``start`` takes the index of the modulus from ``select`` (a port that is only there if there are
    several) and begins with the next number: ``count`` words of 32 bits are taken from ``words``,
    ``length`` words of ``width`` bits handed out through ``operand``, the lowest first. ``length``
    is by default what the largest modulus needs. ``done`` is set for one cycle at the end; then and
    until the next ``start``, ``in_range`` tells whether the number is below the modulus. ``start``
    is ignored while ``busy`` is set.

    ``latency`` is the number of cycles from ``start`` to ``done`` when neither stream waits. It
    does not depend on the number. ``clear`` abandons a number and forgets what was read of it.

    Raises:
        SpecificationError: the words cannot hold a modulus.
    """

    def __init__(
        self, moduli: Sequence[int], count: int, width: int, length: int | None = None
    ) -> None:
        bits = max(modulus.bit_length() for modulus in moduli)
        self.moduli, self.count, self.width = tuple(moduli), count, width
        self.length = -(-bits // width) if length is None else length
        for words, size in ((count, BUS_WIDTH), (self.length, width)):
            if words * size < bits:
                raise SpecificationError(
                    f"{words} words of {size} bits cannot hold a modulus of {bits} bits"
                )
        self.gearbox = WordGearbox(BUS_WIDTH, width, count, self.length)
        self.latency = self.gearbox.interval + 2
        super().__init__(
            {
                "start": In(1),
                **selector(len(self.moduli)),
                "words": In(stream.Signature(BUS_WIDTH)),
                "operand": Out(stream.Signature(width)),
                "clear": In(1),
                "busy": Out(1),
                "done": Out(1),
                "in_range": Out(1),
            }
        )

    def elaborate(self, platform: Any) -> Module:
        """A gearbox, and a subtraction of which only the borrow is kept."""
        m = Module()
        m.submodules.gearbox = gearbox = self.gearbox
        chosen = Signal(range(len(self.moduli)), name="chosen")
        index, borrow = Signal(range(self.length), name="index"), Signal(name="borrow")
        difference = Signal(self.width + 1, name="difference")
        active, begin = Signal(name="active"), Signal(name="begin")
        closing, finished = Signal(name="closing"), Signal(name="finished")
        taking, goes = Signal(name="taking"), Signal(name="goes")
        # A register between the gearbox and all that takes a word.
        word, given = Signal(self.width, name="word"), Signal(name="given")
        mask = (1 << self.width) - 1
        rows = [
            [modulus >> (self.width * i) & mask for i in range(self.length)]
            for modulus in self.moduli
        ]
        subtrahend = constant_table(m, "modulus", rows, self.width, chosen, index)
        m.d.comb += [
            self.busy.eq(active & ~finished),
            taking.eq(active & ~finished & ~closing & ~gearbox.done),
            begin.eq(self.start & ~self.busy & ~self.clear),
            gearbox.words_in.payload.eq(self.words.payload),
            gearbox.words_in.valid.eq(self.words.valid & taking),
            self.words.ready.eq(gearbox.words_in.ready & taking),
            self.operand.payload.eq(word),
            self.operand.valid.eq(given),
            goes.eq(given & self.operand.ready),
            gearbox.words_out.ready.eq(~given | self.operand.ready),
            gearbox.clear.eq(self.clear),
            difference.eq(word - subtrahend - borrow),
            self.done.eq(finished),
            self.in_range.eq(borrow & ~gearbox.overflow),
        ]
        with m.If(begin):
            m.d.sync += active.eq(1)
            if len(self.moduli) > 1:
                m.d.sync += chosen.eq(self.select)
        with m.Elif(self.clear | finished):
            m.d.sync += active.eq(0)
        with m.If(self.clear):
            m.d.sync += [word.eq(0), given.eq(0)]
        with m.Elif(gearbox.words_out.ready):
            m.d.sync += [
                word.eq(gearbox.words_out.payload),
                given.eq(gearbox.words_out.valid),
            ]
        # At an end the last word may still wait to be taken.
        waits, ends = given & ~self.operand.ready, gearbox.done | closing
        m.d.sync += [
            closing.eq(ends & waits & ~self.clear),
            finished.eq(ends & ~waits & ~self.clear),
        ]
        with m.If(begin | self.clear):
            m.d.sync += [index.eq(0), borrow.eq(0)]
        with m.Elif(goes):
            m.d.sync += [index.eq(index + 1), borrow.eq(difference[self.width])]
        return m
