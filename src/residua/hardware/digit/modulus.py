"""The modulus: in a constant memory, or loaded at run time with its inverse."""

from typing import Any

from amaranth.hdl import C, Cat, Module, Mux, Signal
from amaranth.lib import stream
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import Component, In, Out, connect, flipped

from residua.hardware.digit.memory import RowMemory
from residua.hardware.digit.shape import DigitStreams


class FixedModulus(Component):
    """``p`` is row ``row`` of the modulus, in the cycle after; ``inverse`` is p'.

    With a ``second`` reader there are ``second_row`` and ``second_p``, too.
    """

    def __init__(self, streams: DigitStreams, *, second: bool = False) -> None:
        self.streams, self._second = streams, second
        super().__init__({**_ports(streams, second=second), "loaded": Out(1)})

    def elaborate(self, platform: Any) -> Module:
        """A constant memory and a constant."""
        m = Module()
        streams = self.streams
        width = streams.lanes * streams.width
        assert streams.domain is not None
        for name, row, p in _readers(self, second=self._second):
            m.submodules[name] = memory = Memory(
                shape=width, depth=streams.rows, init=streams.modulus_rows
            )
            read = memory.read_port(domain="sync")
            m.d.comb += [read.addr.eq(row), p.eq(read.data)]
        m.d.comb += [self.inverse.eq(streams.domain.negative_inverse), self.loaded.eq(1)]
        return m


class LoadedModulus(Component):
    """A modulus that is loaded, as `FixedModulus` has it otherwise.

    ``words`` takes the words of p, the lowest first, and with ``streams.inverse`` ``supplied`` one
    of p' = -1 / p modulo 2^k after them. It takes them only while ``idle`` is set, and is
    ``loaded`` when p' is there: with ``computed`` k cycles after the last word, for all moduli.
    ``error`` is set until the next modulus if p is even, and ``loaded`` stays 0.
    """

    def __init__(self, streams: DigitStreams, *, second: bool = False) -> None:
        self.streams, self._second = streams, second
        super().__init__(
            {
                **_ports(streams, second=second),
                "words": In(stream.Signature(streams.width)),
                "idle": In(1),
                "loaded": Out(1),
                "error": Out(1),
            }
        )

    def elaborate(self, platform: Any) -> Module:
        """A memory, a counter, and one adder for the inverse."""
        m = Module()
        streams = self.streams
        position = Signal(range(streams.rows * streams.lanes + 1), name="position")
        row, lane = Signal(range(streams.rows), name="load_row"), Signal(streams.lanes, init=1)
        places = streams.rows * streams.lanes
        supplied = streams.inverse == "supplied"
        ready, done = Signal(name="taking", init=1), Signal(name="complete")
        # Without rows above there are no zeros to be chosen.
        given = position < streams.modulus_words if places > streams.modulus_words else C(1)
        store, take = Signal(name="store"), Signal(name="take")
        m.d.comb += [
            self.words.ready.eq(ready & Mux(position == places, supplied, given & self.idle)),
            take.eq(self.words.valid & self.words.ready),
            store.eq(ready & (position != places) & Mux(given, take, 1)),
        ]
        for name, read_row, p in _readers(self, second=self._second):
            m.submodules[name] = memory = RowMemory(streams.rows, streams.lanes, streams.width)
            m.d.comb += [
                memory.write.eq(Mux(store, lane, 0)),
                memory.write_row.eq(row),
                memory.digit.eq(Mux(given, self.words.payload, 0)),
                memory.read_row.eq(read_row),
                p.eq(memory.row),
            ]
        with m.If(store):
            m.d.sync += [
                position.eq(position + 1),
                lane.eq(lane.rotate_left(1)),
                row.eq(Mux(lane[-1], Mux(row == streams.rows - 1, 0, row + 1), row)),
            ]
            with m.If(position == 0):
                m.d.sync += [self.loaded.eq(0), self.error.eq(~self.words.payload[0])]
        with m.If(ready & (position == places) & (take if supplied else 1)):
            m.d.sync += [position.eq(0), lane.eq(1), row.eq(0)]
            m.d.comb += done.eq(1)
        if supplied:
            with m.If(done):
                m.d.sync += [self.inverse.eq(self.words.payload), self.loaded.eq(~self.error)]
        elif streams.inverse == "computed":
            self._invert(m, store & (position == 0), ready, done)
        else:
            with m.If(done):
                m.d.sync += self.loaded.eq(~self.error)
        return m

    def _invert(self, m: Module, first: Any, ready: Signal, done: Any) -> None:
        """p' bit by bit: p v + 1 loses its lowest bits, one a cycle, whatever they are."""
        k = self.streams.shape.digit
        lowest, rest = Signal(k, name="lowest_digit"), Signal(k, name="rest")
        count = Signal(range(k + 1), name="bits_left")
        with m.If(first):
            m.d.sync += [lowest.eq(self.words.payload), rest.eq(1)]
        with m.If(done):
            m.d.sync += [count.eq(k), ready.eq(0)]
        with m.If(count != 0):
            m.d.sync += [
                count.eq(count - 1),
                self.inverse.eq(Cat(self.inverse[1:], rest[0])),
                rest.eq((rest + Mux(rest[0], lowest, 0))[1:]),
            ]
            with m.If(count == 1):
                m.d.sync += [ready.eq(1), self.loaded.eq(~self.error)]


def make_modulus(streams: DigitStreams, *, second: bool = False) -> FixedModulus | LoadedModulus:
    """The one that there is."""
    kind = FixedModulus if streams.domain else LoadedModulus
    return kind(streams, second=second)


def connect_modulus(m: Module, core: Any, modulus: Any, operands: Any, unused: Any) -> None:
    """Give a core the ports of its loaded modulus.

    It is loaded while it is ``unused``, but not before operands that were complete before.
    """
    connect(m, flipped(core.modulus), modulus.words)
    # While the modulus is unused no bank is released, so that nothing need look ahead.
    waiting = operands.waiting & modulus.loaded
    m.d.comb += [modulus.idle.eq(unused & ~waiting), core.modulus_error.eq(modulus.error)]


def _ports(streams: DigitStreams, *, second: bool) -> dict[str, Any]:
    row, p = In(range(streams.rows)), Out(streams.lanes * streams.width)
    ports = {"row": row, "p": p, "inverse": Out(streams.shape.digit)}
    return ports | {"second_row": row, "second_p": p} if second else ports


def _readers(modulus: Any, *, second: bool) -> list[tuple[str, Any, Any]]:
    """Readers of memories: the name of the memory, the row that each wants and what it gets."""
    found = [("rows", modulus.row, modulus.p)]
    return [*found, ("second_rows", modulus.second_row, modulus.second_p)] if second else found
