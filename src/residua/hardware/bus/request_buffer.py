"""Request buffer: a request and its operands, until a coprocessor takes them."""

from collections.abc import Mapping
from enum import IntEnum
from typing import Any

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib import data, stream
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import Component, In, Out

REQUEST = data.StructLayout({"operation": 8, "curve": 8, "tag": 8})
"""An operation, the curve that it is on, and a number that comes back with its result."""

WORD = 32
"""Bits of a word of the operands."""


class _State(IntEnum):
    """What the buffer does."""

    EMPTY = 0
    FILL = 1
    OFFER = 2
    GIVE = 3
    CLEAR = 4


class RequestBuffer(Component):
    """Holds one request, with as many operand words as its operation takes.

    ``request`` is taken when the buffer is empty; then its words are, through ``operands``, at one
    a cycle: ``counts`` says how many an operation takes on a curve, any other takes none. When all
    are there, ``whole`` is set, until ``take``. Then ``given`` hands them out. Each word is wiped
    as it leaves. ``drop``, after ``take``, ends a request whose words are not wanted any more,
    ``clear`` any; both wipe the memory, as a reset does, for ``depth`` cycles. ``held`` is the
    request, ``waiting`` is set while there is one or the memory is wiped.
    """

    def __init__(self, counts: Mapping[tuple[int, int], int]) -> None:
        self.counts = dict(counts)
        self.depth = max([1, *self.counts.values()])
        super().__init__(
            {
                "request": In(stream.Signature(REQUEST)),
                "operands": In(stream.Signature(WORD)),
                "held": Out(REQUEST),
                "whole": Out(1),
                "take": In(1),
                "given": Out(stream.Signature(WORD)),
                "drop": In(1),
                "clear": In(1),
                "waiting": Out(1, init=1),
            }
        )

    def elaborate(self, platform: Any) -> Module:
        """A memory with one position, to fill, to hand out and to wipe."""
        m = Module()
        m.submodules.words = memory = Memory(shape=WORD, depth=self.depth, init=[])
        write, read = memory.write_port(), memory.read_port(domain="comb")
        state = Signal(_State, name="state", init=_State.CLEAR)
        position = Signal(range(self.depth), name="position")
        expected = Signal(range(self.depth + 1), name="expected")
        gives, clears = state == _State.GIVE, state == _State.CLEAR
        moves = (self.operands.valid & self.operands.ready) | (gives & self.given.ready)
        last = position == expected - 1
        m.d.comb += [
            self.request.ready.eq(state == _State.EMPTY),
            self.operands.ready.eq(state == _State.FILL),
            self.whole.eq(state == _State.OFFER),
            self.waiting.eq(state != _State.EMPTY),
            self.given.valid.eq(gives),
            self.given.payload.eq(Mux(gives, read.data, 0)),
            read.addr.eq(position),
            write.addr.eq(position),
            write.data.eq(Mux(self.operands.ready, self.operands.payload, 0)),
            write.en.eq(moves | clears),
        ]
        with m.If(moves | clears):
            m.d.sync += position.eq(position + 1)
        with m.Switch(state):
            with m.Case(_State.EMPTY), m.If(self.request.valid):
                m.d.sync += [self.held.eq(self.request.payload), state.eq(_State.OFFER)]
                m.d.sync += [expected.eq(0), position.eq(0)]
                self._expect(m, state, expected)
            with m.Case(_State.FILL), m.If(moves & last):
                m.d.sync += [state.eq(_State.OFFER), position.eq(0)]
            with m.Case(_State.OFFER), m.If(self.take):
                m.d.sync += state.eq(Mux(expected == 0, _State.EMPTY, _State.GIVE))
            with m.Case(_State.GIVE):
                with m.If(moves & last):
                    m.d.sync += state.eq(_State.EMPTY)
                with m.If(self.drop):
                    m.d.sync += [state.eq(_State.CLEAR), position.eq(0)]
            with m.Case(_State.CLEAR), m.If(position == self.depth - 1):
                m.d.sync += [state.eq(_State.EMPTY), position.eq(0)]
        with m.If(self.clear):
            m.d.sync += [state.eq(_State.CLEAR), position.eq(0), self.held.eq(0)]
        return m

    def _expect(self, m: Module, state: Signal, expected: Signal) -> None:
        """The words of the operation that is asked for, and whether there are any."""
        asked = self.request.payload
        for (operation, curve), count in self.counts.items():
            if count:
                with m.If((asked.operation == operation) & (asked.curve == curve)):
                    m.d.sync += [expected.eq(count), state.eq(_State.FILL)]
