"""Blinding of a private exponent: k (p - 1) + d in place of d, or k (p - 1) - d, word by word.

By Fermat's theorem they lead to the power modulo p that d leads to, and to its inverse. k is fresh
random bits, the highest first: each doubles what there is and adds p - 1 if it is 1, in one pass
over all words.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from amaranth.hdl import Cat, Module, Mux, Signal, Value
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import Component, In, Out

from residua.numbers.digits import join_digits


@dataclass(frozen=True)
class BlindingShape:
    """Sizes: words of ``width`` bits, ``half_words`` of p and d, ``words`` of what comes out.

    k has ``random_bits``.
    """

    width: int
    half_words: int
    words: int
    random_bits: int

    @property
    def random_words(self) -> int:
        """Words that k comes in, the highest of whose bits it is."""
        return -(-self.random_bits // self.width)

    def multiple(self, words: Sequence[int]) -> int:
        """k, by the words that are taken for it."""
        return join_digits(words, self.width) >> self.random_words * self.width - self.random_bits


class ExponentBlinding(Component):
    """Makes d + k (p - 1) of what another memory holds.

    Words come and go in the order of ``index``, the lowest first, in cycles that the caller
    chooses. First ``random`` is taken ``shape.random_words`` times with ``take``. Then there are
    ``shape.random_bits`` passes over all ``shape.words``, in which ``secret`` is p, with ``adds``.
    In one more, with ``gives``, it is d, and ``blinded`` the result. ``secret`` may be anything
    from ``shape.half_words`` on. If ``negative`` is set all the while the result is k (p - 1) - d,
    for d below p, and the highest bit of k is 1.
    """

    def __init__(self, shape: BlindingShape) -> None:
        self.shape = shape
        super().__init__(
            {
                "random": In(shape.width),
                "secret": In(shape.width),
                "index": In(range(shape.words)),
                "take": In(1),
                "adds": In(1),
                "gives": In(1),
                "negative": In(1),
                "blinded": Out(shape.width),
            }
        )

    def elaborate(self, platform: Any) -> Module:
        """A memory of k (p - 1) so far, the bits of k that are left, an adder."""
        m = Module()
        shape, width = self.shape, self.shape.width
        m.submodules.memory = memory = Memory(shape=width, depth=shape.words, init=[])
        write, read = memory.write_port(), memory.read_port(domain="comb")
        left = Signal(shape.random_words * width, name="bits_left", reset_less=True)
        fresh, carry, doubled = (Signal(name=name) for name in ("fresh", "carry", "doubled"))
        last = self.index == shape.words - 1
        held, number = Signal(width, name="held"), Signal(width, name="number")
        total, less = Signal(width + 1, name="total"), Signal(name="less")
        m.d.comb += less.eq(self.gives & self.negative)
        m.d.comb += [
            read.addr.eq(self.index),
            held.eq(Mux(fresh, 0, read.data)),
            number.eq(self._number(left[-1] | (fresh & self.negative))),
            total.eq(
                Mux(self.gives, held, Cat(doubled, held)[:width])
                + Mux(less, ~number, number)
                + (carry | (less & (self.index == 0)))
            ),
            self.blinded.eq(total[:width]),
            write.addr.eq(self.index),
            write.data.eq(self.blinded),
            write.en.eq(self.adds),
        ]
        with m.If(self.take):
            m.d.sync += [left.eq(Cat(left, self.random)[width:]), fresh.eq(1)]
        with m.If(self.adds | self.gives):
            m.d.sync += [carry.eq(total[width] & ~last), doubled.eq(held[-1] & ~last)]
        with m.If(self.adds & last):
            m.d.sync += [left.eq(left << 1), fresh.eq(0)]
        return m

    def _number(self, bit: Value) -> Value:
        """A word of d, or of p - 1 if the bit is 1; p is odd."""
        lowest = self.index == 0
        prime = Cat(self.secret[0] & ~lowest, self.secret[1:])
        there = self.index < self.shape.half_words
        return Mux(there & (self.gives | bit), Mux(self.gives, self.secret, prime), 0)
