"""Words of one width to words of another, number by number."""

import math
from typing import Any

from amaranth.hdl import Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import stream
from amaranth.lib.wiring import Component, In, Out
from amaranth.utils import ceil_log2

from residua.errors import SpecificationError

WIDEST = 64
"""Bits of the widest word."""


class WordGearbox(Component):
    """Turns each number of ``count_in`` words into one of ``count_out`` words, lowest first.

    ``words_in`` has words of ``width_in`` bits, ``words_out`` words of ``width_out`` bits.
    ``count_out`` is by default what the words of a number need; further ones are zero. Bits above
    the last word are dropped. ``done`` is set for one cycle after a number has been taken and
    handed out; then and until the next number begins, ``overflow`` tells whether any dropped bit
    was 1.

    One word moves in a cycle, in or out: ``interval`` is the number of cycles from the first word
    of a number to the first one of the next when neither stream waits, ``rest`` that from the last
    word of a number to ``done`` when its words come too slowly to wait. They do not depend on the
    number. ``clear`` makes it forget a number that is under way; nothing of a number stays in
    registers after its end either.

    Raises:
        SpecificationError: a width is not within 1 to 64 bits, or a number has no words.
    """

    def __init__(
        self, width_in: int, width_out: int, count_in: int, count_out: int | None = None
    ) -> None:
        for width in (width_in, width_out):
            if not 1 <= width <= WIDEST:
                raise SpecificationError(f"a gearbox has words of 1 to {WIDEST} bits, not {width}")
        needed = -(-count_in * width_in // width_out)
        self.width_in, self.width_out = width_in, width_out
        self.count_in, self.count_out = count_in, needed if count_out is None else count_out
        if min(self.count_in, self.count_out) < 1:
            raise SpecificationError(
                f"a number has at least 1 word, not {self.count_in} in and {self.count_out} out"
            )
        self.steps = max(self.count_out, needed)
        taken = -(-self.steps * width_out // width_in)
        self.interval = taken + self.steps
        given = (self.count_in - 1) * width_in // width_out
        self.rest = taken - self.count_in + self.steps - given + 1
        super().__init__(
            {
                "words_in": In(stream.Signature(width_in)),
                "words_out": Out(stream.Signature(width_out)),
                "clear": In(1),
                "done": Out(1),
                "overflow": Out(1),
            }
        )

    def elaborate(self, platform: Any) -> Module:
        """A register that words shift through, and a window of an output word that moves on it.

        Words come in at the top. The window is the right one if ``offset``, its distance from the
        bottom, is less than an input word; else the next word must come in first, which is zero
        after the last one of a number. Offsets are counted in the bits of which words of both
        widths are multiples.
        """
        m = Module()
        unit = math.gcd(self.width_in, self.width_out)
        incoming, outgoing = self.width_in // unit, self.width_out // unit
        empty = incoming + outgoing - 1
        held = Signal(empty * unit, name="held")
        offset = Signal(range(empty + 1), init=empty, name="offset")
        taken = Signal(range(self.count_in + 1), name="taken")
        step = Signal(range(self.steps), name="step")
        # offset >= incoming, in a register that moves with the offset: all else waits for it.
        need = Signal(name="need", init=1)
        # Whether all words of a number have been taken, in a register that moves with `taken`.
        complete, take = Signal(name="complete"), Signal(name="take")
        give, end = Signal(name="give"), Signal(name="end")
        # Whether a word is the last one, and whether it is dropped, in registers that move with it.
        last = Signal(name="last_step", init=self.steps == 1)
        dropping = Signal(name="dropping") if self.steps > self.count_out else Const(0, 1)
        m.d.comb += [
            self.words_in.ready.eq(need & ~complete),
            take.eq(need & (complete | self.words_in.valid)),
            self.words_out.valid.eq(~need & ~dropping),
            self.words_out.payload.eq(self._window(held, offset, unit)),
            give.eq(~need & (dropping | self.words_out.ready)),
            end.eq(give & last),
        ]
        m.d.sync += self.done.eq(end & ~self.clear)
        with m.If(take):
            word = Mux(complete, 0, self.words_in.payload)
            m.d.sync += [
                held.eq(Cat(held, word)[self.width_in :]),
                offset.eq(offset - incoming),
                need.eq(offset >= 2 * incoming),
                taken.eq(taken + ~complete),
                complete.eq(complete | (taken == self.count_in - 1)),
            ]
        least = incoming - outgoing
        with m.If(give):
            m.d.sync += [
                offset.eq(offset + outgoing),
                need.eq(offset >= least if least > 0 else Const(1)),
                step.eq(step + 1),
                last.eq(step == self.steps - 2),
            ]
            if self.steps > self.count_out:
                drops = step >= self.count_out - 1 if self.count_out > 1 else Const(1)
                m.d.sync += dropping.eq(drops)
        with m.If(end | self.clear):
            m.d.sync += [held.eq(0), offset.eq(empty), need.eq(1), step.eq(0)]
            m.d.sync += [taken.eq(0), complete.eq(0), last.eq(self.steps == 1)]
            if self.steps > self.count_out:
                m.d.sync += dropping.eq(0)
        with m.If(self.clear | (take & (taken == 0))):
            m.d.sync += self.overflow.eq(0)
        with m.Elif(give & dropping):
            m.d.sync += self.overflow.eq(self.overflow | self.words_out.payload.any())
        return m

    def _window(self, held: Value, offset: Value, unit: int) -> Value:
        """An output word at ``offset``; each step of the shift keeps no more than the rest needs.

        Synthesis does not narrow the steps of a shift operator.
        """
        for bit in reversed(range(ceil_log2(self.width_in // unit))):
            rest = self.width_out + ((1 << bit) - 1) * unit
            held = Mux(offset[bit], held[unit << bit :][:rest], held[:rest])
        return held
