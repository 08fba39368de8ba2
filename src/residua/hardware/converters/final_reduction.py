"""Final reduction modulo a number N that is loaded: from [-N, N] to [0, N), word by word."""

from typing import Any

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib import data, stream
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import Component, In, Out


def reduction_latency(words: int) -> int:
    """`FinalReduction.latency` for numbers of ``words`` words."""
    return words + 1


class FinalReduction(Component):
    """Adds N to a negative number, and takes it off one that is not below N.

    ``modulus`` takes the words of N, ``words`` of ``width`` bits, the lowest first, in cycles in
    which ``load`` is set; no number may be on the way then. ``number`` takes words + 1 words of a
    number from -N to N in two's complement. ``result`` hands out the words of the result, the
    lowest first, ``last`` with the highest, before the next number is taken.

    ``latency`` is the number of cycles from the last word of a number to that of the result if
    neither stream waits. It does not depend on the number.
    """

    def __init__(self, words: int, width: int) -> None:
        self.words, self.width = words, width
        self.latency = reduction_latency(words)
        super().__init__(
            {
                "modulus": In(width),
                "load": In(1),
                "number": In(stream.Signature(width)),
                "result": Out(stream.Signature(data.StructLayout({"word": width, "last": 1}))),
            }
        )

    def elaborate(self, platform: Any) -> Module:
        """Memories of N and of the number, a borrow while it comes, a carry while it leaves."""
        m = Module()
        width, words = self.width, self.words
        m.submodules.modulus_words = modulus = Memory(shape=width, depth=words, init=[])
        m.submodules.number_words = number = Memory(shape=width, depth=words, init=[])
        loads, keeps = modulus.write_port(), number.write_port()
        subtrahend, read = modulus.read_port(domain="comb"), number.read_port(domain="comb")
        loaded, index = Signal(range(words), name="loaded"), Signal(range(words + 1), name="index")
        gives, taken = Signal(name="gives"), Signal(name="taken")
        m.d.comb += [
            loads.addr.eq(loaded),
            loads.data.eq(self.modulus),
            loads.en.eq(self.load),
            subtrahend.addr.eq(index),
            read.addr.eq(index),
            keeps.addr.eq(index),
            keeps.data.eq(self.number.payload),
            keeps.en.eq(taken & (index < words)),
            self.number.ready.eq(~gives),
            taken.eq(self.number.valid & self.number.ready),
        ]
        with m.If(self.load):
            m.d.sync += loaded.eq(Mux(loaded == words - 1, 0, loaded + 1))
        adds, subtracts = Signal(name="adds"), Signal(name="subtracts")
        carry, advance = Signal(name="carry"), Signal(name="advance")
        self._compare(m, taken, index, subtrahend.data, adds, subtracts)
        total = Signal(width + 1, name="total")
        addend = Mux(adds, subtrahend.data, Mux(subtracts, ~subtrahend.data, 0))[:width]
        last = index == words - 1
        m.d.comb += [
            total.eq(read.data + addend + carry),
            advance.eq(gives & (~self.result.valid | self.result.ready)),
        ]
        with m.If(taken):
            m.d.sync += index.eq(index + 1)
            with m.If(index == words):
                m.d.sync += [index.eq(0), gives.eq(1)]
        with m.If(self.result.ready):
            m.d.sync += self.result.valid.eq(0)
        # To subtract is to add the complement and 1.
        with m.If(advance):
            m.d.sync += [
                self.result.payload.word.eq(total[:width]),
                self.result.payload.last.eq(last),
                self.result.valid.eq(1),
                carry.eq(total[width]),
                index.eq(Mux(last, 0, index + 1)),
                gives.eq(~last),
            ]
        with m.Elif(~gives):
            m.d.sync += carry.eq(self._not_below & taken)
        return m

    def _compare(
        self,
        m: Module,
        taken: Signal,
        index: Signal,
        subtrahend: Signal,
        adds: Signal,
        subtracts: Signal,
    ) -> None:
        """Whether the number is negative, or N or more, known with its highest word."""
        below, difference = Signal(name="below"), Signal(self.width + 1, name="difference")
        top = index == self.words
        self._not_below = Signal(name="not_below")
        negative = self.number.payload[-1]
        m.d.comb += [
            difference.eq(self.number.payload - subtrahend - below),
            self._not_below.eq(top & ~negative & ~below),
        ]
        with m.If(taken):
            m.d.sync += [
                below.eq(difference[self.width] & ~top),
                adds.eq(top & negative),
                subtracts.eq(self._not_below),
            ]
