"""Comb reader: the columns of a scalar, and for each the entry of a table of points.

The bits of a column are secret, so that nothing but a comparison depends on them: for each column
all words of its table are read, one a cycle, and the rowers keep those of the entry that matches.
"""

from collections.abc import Sequence
from typing import Any

from amaranth.hdl import Array, Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import enum
from amaranth.lib.wiring import Component, In, Out

from residua.curves.comb import Comb
from residua.hardware.constant_table import selector
from residua.hardware.coprocessor.scalars.unit import BIT_LATENCY
from residua.hardware.delay import delayed
from residua.hardware.engine.entry_keeper import KEEP_DELAY, MATCH_DELAY

SEEK_CYCLES = 2
"""Cycles of a request for a bit of the scalar; bit 0 of a counter tells which one it is."""


class _State(enum.Enum):
    """``LOAD`` is when the words of an entry go to the rowers, ``WAIT`` before one may."""

    IDLE = 0
    GATHER = 1
    SCAN = 2
    SETTLE = 3
    WAIT = 4
    LOAD = 5


class CombReader(Component):
    """Takes the bits of a scalar by columns, and has the entries of points brought, one by one.

    ``combs`` has the comb of each curve, None where there is none; all have as many teeth.
    ``lowest`` are the places of the lowest bits of scalars, ``entry_words`` the words of an entry
    in each rower.

    ``start``, when the scalar is there, takes the index of the curve from ``select`` (a port that
    is only there if there are several). ``seek`` asks for the bit at ``place``, which is valid at
    ``bit`` `BIT_LATENCY` cycles later. ``done`` is set for one cycle when the first entry is where
    an addition reads it, and the second one is known. From then on each ``take`` tells that an
    addition has read the entry for the last time, and has the next one brought; it must not come
    sooner after the one before than `period` cycles and those in which loads wait. ``positive`` is
    the sign of the entry, valid from the cycle after ``take`` on.

    ``latency`` is the number of cycles from ``start`` to ``done`` if no load waits.

    `residua.hardware.engine.entry_keeper` says what ``address``, ``matches``, ``first`` and
    ``keep`` mean. ``loading`` is set while the words of an entry wait to be stored, one for each
    cycle of ``loaded``.
    """

    def __init__(
        self, combs: Sequence[Comb | None], lowest: Sequence[int], places: int, entry_words: int
    ) -> None:
        self.combs, self.lowest, self.entry_words = tuple(combs), tuple(lowest), entry_words
        self.teeth = next(comb.teeth for comb in self.combs if comb)
        self._entries = 1 << (self.teeth - 1)
        self._scan = entry_words * self._entries
        found = gather_cycles(self.teeth) + self._scan + KEEP_DELAY
        self.latency = 2 * found + entry_words + 1
        self.depth = table_words(self.combs, entry_words)
        super().__init__(
            {
                "start": In(1),
                **selector(len(self.combs)),
                "seek": Out(1),
                "place": Out(range(places)),
                "bit": In(1),
                "take": In(1),
                "done": Out(1),
                "positive": Out(1),
                "address": Out(range(self.depth)),
                "matches": Out(1),
                "first": Out(1),
                "keep": Out(1),
                "loading": Out(1),
                "loaded": In(1),
            }
        )

    def elaborate(self, platform: Any) -> Module:
        """Counters of what is public, and the bits of a column."""
        m = Module()
        self._state = Signal(_State, name="state")
        self._count = Signal(range(max(self._scan, gather_cycles(self.teeth))), name="count")
        self._column = Signal(range(max(c.columns for c in self.combs if c) + 1), name="column")
        self._fresh, self._starting = Signal(name="fresh"), Signal(name="starting")
        self._bits = Signal(self.teeth, name="bits")
        table = Signal(range(max(c.tables for c in self.combs if c)), name="table")
        place = Signal.like(self.place, name="place_next")
        self._seek(m, table, place)
        self._match(m)
        m.d.sync += self.done.eq(0)
        with m.Switch(self._state):
            with m.Case(_State.GATHER):
                self._gather(m)
            with m.Case(_State.SCAN):
                m.d.sync += self.address.eq(self.address + 1)
                self._next(m, self._scan, _State.SETTLE)
            with m.Case(_State.SETTLE):
                self._settle(m, table)
            with m.Case(_State.WAIT), m.If(self.take):
                self._begin_load(m)
            with m.Case(_State.LOAD), m.If(self.loaded):
                more = Mux(self._column == 0, _State.IDLE, _State.GATHER)
                self._next(m, self.entry_words, more)
                with m.If((self._count == self.entry_words - 1) & (self._column == 0)):
                    self._tell(m)
        with m.If(self.start):
            m.d.sync += [
                self._state.eq(_State.GATHER),
                self._count.eq(0),
                self._fresh.eq(1),
                self._starting.eq(1),
                self._column.eq(self._own([c.columns if c else 0 for c in self.combs])),
                self.address.eq(self._own(self._bases)),
                table.eq(0),
            ]
        m.d.comb += self.loading.eq(self._state == _State.LOAD)
        return m

    @property
    def _bases(self) -> list[int]:
        """Where the tables of each curve begin."""
        return table_bases(self.combs, self.entry_words)

    def _own(self, numbers: Sequence[int]) -> Value:
        """The number of the curve."""
        if len(numbers) == 1:
            return Const(numbers[0])
        width = max(numbers).bit_length()
        own: Value = Array([Const(number, width) for number in numbers])[self.select]
        return own

    def _next(self, m: Module, end: int, state: Any) -> None:
        """Count up to ``end``, then go to ``state``."""
        m.d.sync += self._count.eq(self._count + 1)
        with m.If(self._count == end - 1):
            m.d.sync += [self._count.eq(0), self._state.eq(state)]

    def _seek(self, m: Module, table: Signal, place: Signal) -> None:
        """The places of the bits of a column, the lowest tooth first, one column after the other.

        ``table`` counts the tables of the column that is gathered.
        """
        shapes = [comb or Comb(self.teeth, 1, 1) for comb in self.combs]
        width = len(self.place) + 1

        def own(numbers: Sequence[int]) -> Value:
            masked = [number % (1 << width) for number in numbers]
            return self._own(masked)[:width]

        back = [-(self.teeth - 1) * c.columns for c in shapes]
        further = own([b + c.spacing for b, c in zip(back, shapes, strict=True)])
        down = own([b - (c.tables - 1) * c.spacing - 1 for b, c in zip(back, shapes, strict=True)])
        last_table = table == self._own([c.tables - 1 for c in shapes])
        gathers = self._state == _State.GATHER
        asks = gathers & (self._count < SEEK_CYCLES * self.teeth)
        last_tooth = self._count >= SEEK_CYCLES * (self.teeth - 1)
        m.d.comb += [self.place.eq(place), self.seek.eq(asks)]
        with m.If(asks & self._count[0]):
            stride = Mux(
                last_tooth, Mux(last_table, down, further), own([c.columns for c in shapes])
            )
            m.d.sync += place.eq(place + stride)
        with m.If(self.start):
            firsts = [low + c.spacing - 1 for low, c in zip(self.lowest, shapes, strict=True)]
            m.d.sync += place.eq(self._own(firsts))

    def _gather(self, m: Module) -> None:
        """The bits as they come."""
        with m.If((self._count >= BIT_LATENCY) & (self._count[0] == BIT_LATENCY % SEEK_CYCLES)):
            m.d.sync += self._bits.eq(Cat(self._bits[1:], self.bit))
        self._next(m, gather_cycles(self.teeth), _State.SCAN)

    def _match(self, m: Module) -> None:
        """Whether the word that is read belongs to the entry, when it is there."""
        entry = self._count[: self.teeth - 1]
        index = self._bits[:-1] ^ (~self._bits[-1]).replicate(self.teeth - 1)
        scans = self._state == _State.SCAN
        matches = scans & (entry == index)
        first, keep = scans & (entry == 0), scans & (entry == self._entries - 1)
        for name, value, cycles in (
            ("matches", matches, MATCH_DELAY),
            ("first", first, MATCH_DELAY),
            ("keep", keep, KEEP_DELAY),
        ):
            m.d.comb += getattr(self, name).eq(delayed(m, value, cycles, name))

    def _settle(self, m: Module, table: Signal) -> None:
        """Wait for the last word; go to the next table, after the last one to the first again."""
        last = table == self._own([c.tables - 1 if c else 0 for c in self.combs])
        with m.If(self._count == KEEP_DELAY - 1):
            m.d.sync += [
                self._column.eq(self._column - 1),
                table.eq(Mux(last, 0, table + 1)),
                self.address.eq(Mux(last, self._own(self._bases), self.address)),
            ]
            with m.If(self._fresh):
                self._begin_load(m)
            with m.Else():
                m.d.sync += self._state.eq(_State.WAIT)
                self._tell(m)
        m.d.sync += self._count.eq(Mux(self._count == KEEP_DELAY - 1, 0, self._count + 1))

    def _tell(self, m: Module) -> None:
        """Tell once that additions may begin."""
        m.d.sync += [self.done.eq(self._starting), self._starting.eq(0)]

    def _begin_load(self, m: Module) -> None:
        m.d.sync += [
            self._state.eq(_State.LOAD),
            self._fresh.eq(0),
            self.positive.eq(self._bits[-1]),
        ]


def gather_cycles(teeth: int) -> int:
    """Cycles in which the bits of a column come."""
    return SEEK_CYCLES * (teeth - 1) + BIT_LATENCY + 1


def period(teeth: int, entry_words: int) -> int:
    """Cycles from the end of an entry to that of the next one, besides waiting loads."""
    scan = entry_words << (teeth - 1)
    return 1 + entry_words + gather_cycles(teeth) + scan + KEEP_DELAY


def table_bases(combs: Sequence[Comb | None], entry_words: int) -> list[int]:
    """Where the tables of each curve begin in the memories of the rowers."""
    sizes = [comb.points * entry_words if comb else 0 for comb in combs]
    return [sum(sizes[:curve]) for curve in range(len(sizes))]


def table_words(combs: Sequence[Comb | None], entry_words: int) -> int:
    """Words of all tables in the memory of a rower."""
    return sum(comb.points * entry_words for comb in combs if comb)
