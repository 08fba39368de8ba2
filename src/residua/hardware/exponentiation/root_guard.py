"""The guard of an RSA core: a root leaves only if it is that of the message that came.

A single fault may change a message, a root, or the order of what is done with them. The guard sees
the words themselves, where they come, go to the check and leave, and keeps them in a memory of its
own, so that a fault in the core leaves it with other words than the core has.
"""

from enum import IntEnum
from typing import Any

from amaranth.hdl import Cat, Module, Mux, Signal, Value
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import Component, In, Out
from amaranth.utils import ceil_log2


class _Phase(IntEnum):
    """What comes next."""

    MESSAGE = 0
    ROOT = 1
    CHECK = 2
    RELEASE = 3


class _Kept(IntEnum):
    """Numbers in the memory."""

    MODULUS = 0
    MESSAGE = 1
    ROOT = 2


_BESIDE = {
    _Phase.MESSAGE: _Kept.MODULUS,
    _Phase.ROOT: _Kept.MODULUS,
    _Phase.CHECK: _Kept.MESSAGE,
    _Phase.RELEASE: _Kept.ROOT,
}
"""The number that words are compared with."""


class RootGuard(Component):
    """Compares the words of an operation of RSA, numbers of ``words`` words, the lowest first.

    Each of these says what ``word`` is in a cycle; cycles of one number need not follow each other:

    - ``loads``: of N, before a message;
    - ``takes``: of the message x, as it comes;
    - ``keeps``: of the root s, as it goes to its check;
    - ``compares``: of what the check makes of s, s^e if all is well;
    - ``leaves``: of s, as it leaves, ``last`` with the highest.

    ``root`` is the word that leaves, as it went to the check, unless ``withholds`` is set: then 0
    leaves. That is so unless x < N, s < N and s^e = x, all words have come in this order, this one
    is still what went to the check, and ``granted`` is set. ``clear``, between operations, forgets
    what there was of one. A word is compared at the earliest in the second cycle after the number
    before it was complete. Only ``withholds`` depends on the numbers.
    """

    def __init__(self, words: int, width: int) -> None:
        self.words, self.width = words, width
        super().__init__(
            {
                "clear": In(1),
                "word": In(width),
                "loads": In(1),
                "takes": In(1),
                "keeps": In(1),
                "compares": In(1),
                "leaves": In(1),
                "last": In(1),
                "granted": In(1),
                "root": Out(width),
                "withholds": Out(1, init=1),
            }
        )

    def elaborate(self, platform: Any) -> Module:
        """A memory, a place in the number that moves, and what has been found."""
        m = Module()
        self._phase = phase = Signal(_Phase, name="phase")
        self._place = place = Signal(range(max(self.words, 2)), name="place")
        order = {
            _Phase.MESSAGE: self.takes,
            _Phase.ROOT: self.keeps,
            _Phase.CHECK: self.compares,
            _Phase.RELEASE: self.leaves,
        }
        expected, moves, last = Signal(name="expected"), Signal(name="moves"), Signal(name="at_end")
        with m.Switch(phase):
            for own, comes in order.items():
                with m.Case(own):
                    m.d.comb += expected.eq(comes)
        m.d.comb += [moves.eq(expected | self.loads), last.eq(place == self.words - 1)]
        following = Signal.like(place, name="following")
        m.d.comb += following.eq(Mux(self.clear, 0, Mux(moves, Mux(last, 0, place + 1), place)))
        m.d.sync += place.eq(following)
        with m.If(expected & last):
            m.d.sync += phase.eq(phase + 1)
        with m.If(self.clear):
            m.d.sync += phase.eq(_Phase.MESSAGE)
        self._keep(m, following)
        self._judge(m, expected, moves, last)
        return m

    def _keep(self, m: Module, following: Value) -> None:
        """The words that come, and the one beside the next word."""
        bits = ceil_log2(max(self.words, 2))
        # No word is read in the cycle in which it is written, or it is read again.
        m.submodules.memory = memory = Memory(
            shape=self.width, depth=len(_Kept) << bits, init=[], attrs={"no_rw_check": 1}
        )
        write, read = memory.write_port(), memory.read_port(domain="sync")
        beside = Signal(_Kept, name="beside")
        with m.Switch(self._phase):
            for phase, kept in _BESIDE.items():
                with m.Case(phase):
                    m.d.comb += beside.eq(kept)
        kept = Mux(self.keeps, _Kept.ROOT, Mux(self.takes, _Kept.MESSAGE, _Kept.MODULUS))
        m.d.comb += [
            read.addr.eq(Cat(following, beside)),
            write.addr.eq(Cat(self._place, kept)),
            write.data.eq(self.word),
            write.en.eq(self.loads | self.takes | self.keeps),
            self.root.eq(read.data),
        ]

    def _judge(self, m: Module, expected: Value, moves: Value, last: Value) -> None:
        """What has been found; that s^e = x is in two registers, which no single fault changes."""
        self._is_root, self._differs = Signal(name="is_root"), Signal(name="differs")
        fits, below = Signal(name="fits"), Signal(name="below")
        difference, other = Signal(self.width + 1, name="difference"), Signal(name="other")
        is_below = difference[self.width]
        m.d.comb += [
            difference.eq(self.word - self.root - below),
            other.eq(self.word != self.root),
        ]
        with m.If(moves):
            m.d.sync += below.eq(is_below & ~last)
        with m.If(expected), m.Switch(self._phase):
            with m.Case(_Phase.MESSAGE), m.If(last):
                m.d.sync += fits.eq(is_below)
            with m.Case(_Phase.ROOT), m.If(last):
                m.d.sync += fits.eq(fits & is_below)
            with m.Case(_Phase.CHECK):
                m.d.sync += self._differs.eq(self._differs | other)
                m.d.sync += self._is_root.eq(last & fits & ~self._differs & ~other)
            with m.Case(_Phase.RELEASE):
                # What follows a word that is withheld is so, too.
                m.d.sync += self._differs.eq(self.withholds)
        with m.If(self.clear):
            m.d.sync += [below.eq(0), fits.eq(0), self._is_root.eq(0), self._differs.eq(0)]
        found = self._is_root & ~self._differs & ~other
        sound = (self._phase == _Phase.RELEASE) & found & (self.last == last) & self.granted
        m.d.comb += self.withholds.eq(~sound)
