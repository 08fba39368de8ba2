"""Result buffer: holds results back until the controller releases them all together."""

from typing import Any

from amaranth.hdl import Array, Module, Mux, Signal
from amaranth.lib import data, stream
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import Component, In, Out

from residua.errors import SpecificationError
from residua.hardware.converters.word_gearbox import WordGearbox

BUS_WIDTH = 32
"""Bits of a word of the result stream."""

PAYLOAD = data.StructLayout({"word": BUS_WIDTH, "last": 1})
"""Payload of the stream of released results."""


class ResultBuffer(Component):
    """Stores up to ``capacity`` numbers; hands them out after ``release``.

    A number comes through ``results`` as ``length`` words of ``width`` bits, the lowest first,
    ``last`` with the highest; it leaves through ``released`` as ``count`` words of 32 bits, the
    lowest first, ``last`` with the highest word of the last number. ``received`` is set for one
    cycle when a number has been taken; then and until the next one begins, ``zero`` tells whether
    it is 0. A number is looked at but not stored if ``test_only`` is set from the cycle before its
    first word until ``received``. No word is taken in the cycle after that, nor while the memory is
    full, unless ``test_only`` is set.

    ``release`` hands out everything that is stored; it is a pulse between two numbers, with
    ``received`` at the earliest. Each word is wiped as it leaves. ``clear`` discards everything,
    that of which only a part has come or left included, and wipes the memory, as reset does;
    meanwhile ``clearing`` is set, for ``depth`` cycles. ``busy`` is set while words are handed out
    or wiped.

    With ``passes``, the words of 32 bits, stored or not, also come by at ``passed`` while
    ``passing`` is set, before ``received``.

    ``latency`` is the number of cycles from the first word of a number to ``received`` when
    ``results`` does not wait. It does not depend on the number.

    Raises:
        SpecificationError: there is no room for a number, or a number has no words.
    """

    def __init__(
        self, width: int, length: int, count: int, capacity: int = 2, *, passes: bool = False
    ) -> None:
        if capacity < 1:
            raise SpecificationError(f"a result buffer holds at least 1 number, not {capacity}")
        self.width, self.length, self.passes = width, length, passes
        self.count, self.capacity = count, capacity
        self.gearbox = WordGearbox(width, BUS_WIDTH, length, count)
        self.depth = capacity * count
        self.latency = self.gearbox.interval
        incoming = data.StructLayout({"word": width, "last": 1})
        super().__init__(
            {
                "results": In(stream.Signature(incoming)),
                "test_only": In(1),
                "received": Out(1),
                "zero": Out(1),
                "release": In(1),
                "released": Out(stream.Signature(PAYLOAD)),
                "clear": In(1),
                "clearing": Out(1, init=1),
                "busy": Out(1, init=1),
                **({"passed": Out(BUS_WIDTH), "passing": Out(1)} if passes else {}),
            }
        )

    def elaborate(self, platform: Any) -> Module:
        """A gearbox and a memory; one position, to write, to hand out and to wipe."""
        m = Module()
        m.submodules.gearbox = gearbox = self.gearbox
        m.submodules.words = memory = Memory(shape=BUS_WIDTH, depth=self.depth, init=[])
        write, read = memory.write_port(), memory.read_port(domain="comb")
        self._held = Signal(range(self.capacity + 1), name="held")
        # Whether no more can be held, in a register that moves with it.
        self._full = Signal(name="full")
        self._position = Signal(range(self.depth + 1), name="position")
        self._releasing = Signal(name="releasing")
        accept, store, leave = Signal(name="accept"), Signal(name="store"), Signal(name="leave")
        # A register between the gearbox and the memory; the last word is stored with `received`.
        word = Signal(BUS_WIDTH, name="word")
        given = gearbox.words_out.valid & ~self.clear
        m.d.sync += [
            word.eq(gearbox.words_out.payload),
            store.eq(given & ~self.test_only & ~self.busy),
        ]
        # Whether words may come, in a register: `done` tells of the end of a number in time.
        closes = self.busy | self.release | self.clear | gearbox.done
        opened = Signal(name="opened")
        m.d.sync += opened.eq(~closes & (self.test_only | ~self._full))
        m.d.comb += [
            accept.eq(opened & ~gearbox.done),
            self.results.ready.eq(accept & gearbox.words_in.ready),
            gearbox.words_in.valid.eq(accept & self.results.valid),
            gearbox.words_in.payload.eq(self.results.payload.word),
            gearbox.words_out.ready.eq(1),
            gearbox.clear.eq(self.clear),
            self.received.eq(gearbox.done),
            write.addr.eq(self._position),
            write.data.eq(Mux(store, word, 0)),
            write.en.eq(store | leave | self.clearing),
            read.addr.eq(self._position),
            leave.eq(self.released.valid & self.released.ready),
            # What is not released yet is not to be seen either.
            self.released.payload.word.eq(Mux(self._releasing, read.data, 0)),
        ]
        with m.If(gearbox.done & ~self.test_only):
            m.d.sync += [
                self._held.eq(self._held + 1),
                self._full.eq(self._held == self.capacity - 1),
            ]
        with m.If(store | leave | self.clearing):
            m.d.sync += self._position.eq(self._position + 1)
        if self.passes:
            m.d.comb += [self.passed.eq(gearbox.words_out.payload), self.passing.eq(given)]
        self._test(m)
        self._release(m)
        self._clear(m)
        return m

    def _test(self, m: Module) -> None:
        """Whether all words of a number are 0."""
        fresh = Signal(name="fresh", init=1)
        word = self.results.payload.word
        with m.If(self.clear):
            m.d.sync += [fresh.eq(1), self.zero.eq(0)]
        with m.Elif(self.results.valid & self.results.ready):
            m.d.sync += [
                self.zero.eq((fresh | self.zero) & ~word.any()),
                fresh.eq(self.results.payload.last),
            ]

    def _release(self, m: Module) -> None:
        """Hand out all numbers, from position 0 on."""
        ends = Array([max(number * self.count - 1, 0) for number in range(self.capacity + 1)])
        any_held, last = self._held != 0, self._position == ends[self._held]
        m.d.comb += [
            self.released.valid.eq(self._releasing),
            self.released.payload.last.eq(self.released.valid & last),
        ]
        with m.If(self.release & ~self.busy & (any_held | (self.received & ~self.test_only))):
            m.d.sync += [self.busy.eq(1), self._releasing.eq(1), self._position.eq(0)]
        with m.If(self._releasing & last & self.released.ready):
            m.d.sync += [self.busy.eq(0), self._releasing.eq(0), self._position.eq(0)]
            m.d.sync += [self._held.eq(0), self._full.eq(0)]

    def _clear(self, m: Module) -> None:
        """Wipe the memory from position 0 on."""
        with m.If(self.clearing & (self._position == self.depth - 1)):
            m.d.sync += [self.busy.eq(0), self.clearing.eq(0), self._position.eq(0)]
        with m.If(self.clear & ~self.clearing):
            m.d.sync += [
                self.busy.eq(1),
                self.clearing.eq(1),
                self._releasing.eq(0),
                self._position.eq(0),
                self._held.eq(0),
                self._full.eq(0),
            ]
