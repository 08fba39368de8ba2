"""MWR2MM: a bit of Y an iteration, a word of X and p a cycle; a base line for IDDMM."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from amaranth.hdl import Cat, Module, Mux, Signal, Value

from residua.hardware.delay import delayed
from residua.hardware.digit.counter import Counter
from residua.hardware.digit.memory import add_memory
from residua.hardware.digit.modulus import connect_modulus
from residua.hardware.digit.multiplier import DigitComponent, RunDesign, add_frame
from residua.hardware.digit.shape import DigitStreams
from residua.hardware.digit.subtraction import less
from residua.numbers.digits import DigitDomain, DigitShape


@dataclass(frozen=True)
class Mwr2mmDesign(RunDesign):
    """Design of an MWR2MM multiplier with one processing element.

    Attributes:
        shape: N and the variant, with digits of one bit.
        domain: the modulus, None if it is loaded at run time.
        width: bits of a word.
    """

    shape: DigitShape
    domain: DigitDomain | None
    width: int

    @cached_property
    def streams(self) -> DigitStreams:
        """The numbers that go in and out, and how they are kept."""
        rows = -(-(self.shape.operand_bits + 1) // self.width)
        columns = -(-self.shape.iterations // self.width)
        return DigitStreams(self.shape, self.width, 1, rows, columns, self.domain)

    @property
    def period(self) -> int:
        """Cycles of an iteration: a word each, and at least until the first word can be read."""
        return max(self.streams.rows, 3)

    @property
    def latency(self) -> int:
        """Cycles from the last operand word to the last result word, from idle, without waits."""
        streams = self.streams
        zeros = streams.columns - streams.words
        return zeros + self.compute - self.period + streams.rows + streams.words + 4

    @property
    def multipliers(self) -> int:
        """Number of multipliers: 0, as steps are additions."""
        return 0

    def component(self) -> "Mwr2mm":
        """A new component."""
        return Mwr2mm(self)


class Mwr2mm(DigitComponent):
    """A Montgomery multiplier on streams of words; interface and contract of `Iddmm`."""

    def __init__(self, design: Mwr2mmDesign) -> None:
        self.design = design
        super().__init__(design)

    def elaborate(self, platform: Any) -> Module:
        """Memories, counters, and one processing element."""
        m = Module()
        design, streams = self.design, self.design.streams
        operands, modulus, results, count = add_frame(m, self, design)
        if design.domain is None:
            connect_modulus(m, self, modulus, operands, results.empty)
        word, bit = self._bits(m, count)
        m.d.comb += [
            operands.x_row.eq(count.slot),
            operands.y_word.eq(word),
            modulus.row.eq(count.slot),
        ]
        valid = count.running & (count.slot < streams.rows)
        now = {
            "valid": valid,
            "first": count.slot == 0,
            "last": valid & (count.slot == streams.rows - 1),
            "fresh": count.iteration == 0,
            "final": count.final,
        }
        # Memories answer a cycle later, and so do the flags.
        self._flags = {name: delayed(m, value, 1, name) for name, value in now.items()}
        chosen = operands.y.bit_select(delayed(m, bit, 1, "bit"), 1)
        self._element(m, Mux(chosen, operands.x, 0), modulus.p, count.slot)
        self._store(m, results, modulus.p)
        return m

    def _bits(self, m: Module, count: Counter) -> tuple[Signal, Signal]:
        """The word and the bit of Y for the current iteration."""
        word = Signal(range(self.design.streams.columns), name="y_word")
        bit = Signal(range(self.design.width), name="y_bit")
        highest = bit == self.design.width - 1
        with m.If(count.end):
            m.d.sync += [word.eq(0), bit.eq(0)]
        with m.Elif(count.end_of_iteration):
            m.d.sync += [bit.eq(Mux(highest, 0, bit + 1)), word.eq(word + highest)]
        return word, bit

    def _element(self, m: Module, product: Value, p: Value, slot: Signal) -> None:
        """S + y X + q p, and the word below it shifted by a bit."""
        w, flags = self.design.width, self._flags
        write, read = add_memory(m, "sums", w, self.design.streams.rows)
        carry_a, carry_b, odd = (Signal(name=name) for name in ("c_a", "c_b", "odd"))
        before = Signal(w - 1, name="before", reset_less=True)
        first = flags["first"]
        total = Signal(w + 1, name="with_x")
        both = Signal(w + 1, name="with_p")
        parity = Mux(first, total[0], odd)
        m.d.comb += [
            read.addr.eq(slot),
            total.eq(Mux(flags["fresh"], 0, read.data) + product + (carry_a & ~first)),
            both.eq(total[:w] + Mux(parity, p, 0) + (carry_b & ~first)),
        ]
        m.d.sync += [
            carry_a.eq(total[w]),
            carry_b.eq(both[w]),
            odd.eq(parity),
            before.eq(both[1:w]),
        ]
        # The highest word is complete a cycle after the others would be.
        ended = delayed(m, flags["last"], 1, "ended")
        place = Signal(range(self.design.streams.rows), name="place")
        stored = Signal(name="stored")
        word = Signal(w, name="word")
        m.d.comb += [
            stored.eq((flags["valid"] & ~first) | ended),
            word.eq(Cat(before, Mux(ended, carry_a ^ carry_b, both[0]))),
            write.addr.eq(place),
            write.data.eq(word),
            write.en.eq(stored),
        ]
        with m.If(stored):
            m.d.sync += place.eq(Mux(ended, 0, place + 1))
        self._stored, self._word, self._place, self._ended = stored, word, place, ended

    def _store(self, m: Module, results: Any, p: Value) -> None:
        """The words of the last iteration."""
        final = self._flags["final"]
        final = Mux(self._ended, delayed(m, final, 1, "final_behind"), final)
        m.d.comb += [
            results.write.eq(self._stored & final),
            results.write_row.eq(self._place),
            results.row.eq(self._word),
            results.finish.eq(self._ended & final),
        ]
        if self.design.shape.variant == "closed":
            return
        w = self.design.width
        borrow, difference = Signal(name="borrow"), Signal(w + 1, name="difference")
        taken = borrow & (self._place != 0)
        m.d.comb += [
            difference.eq(less(self._word, delayed(m, p, 1, "p_behind", data=True), taken)),
            results.difference.eq(difference[:w]),
            results.keep.eq(difference[w]),
        ]
        with m.If(self._stored):
            m.d.sync += borrow.eq(difference[w])
