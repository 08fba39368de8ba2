"""Scalar reducer: a scalar modulo the group order, without the values at which a ladder fails.

The ladder of `residua.curves.difference_ladder` is right for a scalar whose residue k modulo the
order n is not one of 0, 1, -1, -2 and (n - 1) / 2. In place of the first four this unit gives 2, in
place of the last (n + 1) / 2, and tells by flags how the ladder's result is to be put right.
"""

from collections.abc import Sequence
from enum import IntEnum
from typing import Any

from amaranth.hdl import Array, Cat, Module, Mux, Signal, Value
from amaranth.lib import enum, stream
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import Component, In, Out, connect, flipped

from residua.errors import SpecificationError
from residua.hardware.bus.stream_buffer import StreamBuffer
from residua.hardware.constant_table import constant_table, selector
from residua.hardware.coprocessor.scalars.layout import WORD

_MASK = (1 << WORD) - 1


class _State(enum.Enum):
    SWEEP = 0
    IDLE = 1
    LOAD = 2
    PASS = 3
    GIVE = 4


class _Pass(IntEnum):
    """Passes over the words, each beside a constant of the curve."""

    BORROW = 0
    REDUCE = 1
    ZERO = 2
    ONE = 3
    MINUS_ONE = 4
    MINUS_TWO = 5
    HALF = 6
    REPLACE = 7


_WRITTEN = 3
"""Cycles from the one in which a word is read to the one in which it is written."""


def _constants(order: int) -> list[int]:
    """The constant of each pass."""
    n, half = order, order // 2
    return [n, n, 0, 1, n - 1, n - 2, half, half + 1]


class ScalarReducer(Component):
    """Takes a scalar of ``count`` words, gives out as many of its replacement, the lowest first.

    There are one or several curves; ``orders`` are their n, ``bits`` the number of bits that a
    scalar may have on each: those of n, which is odd and above 8. ``start`` takes the index of the
    curve from ``select`` (a port that is only there if there are several) and begins: words are
    taken from ``scalar`` and given through ``reduced``. With ``plain`` they are given unchanged.
    ``start`` is ignored while ``busy`` is set.

    When the first word given is there, ``in_range`` tells whether the scalar is below 2^bits, and
    the flags are valid: ``neutral`` for k = 0, ``own`` for k = 1 and -1, ``negate``
    for -1, -2 and (n - 1) / 2. If s is the number given out, k P is O, +-P or +-s P.

    ``latency`` is the number of cycles from ``start`` to the first word given when ``scalar`` does
    not wait, ``plain_latency`` that with ``plain``; they do not depend on the number. ``clear``
    abandons whatever is under way and wipes all words and registers, as reset does; meanwhile
    ``clearing`` (and ``busy``) is set, for ``count`` cycles.

    Raises:
        SpecificationError: an order has other bits than its scalars, or is even or too small.
    """

    def __init__(self, orders: Sequence[int], bits: Sequence[int], count: int) -> None:
        for order, size in zip(orders, bits, strict=True):
            if order and (order.bit_length() != size or order % 2 == 0 or order <= 8):
                raise SpecificationError(
                    f"scalars of {size} bits are not replaced modulo {order}: "
                    f"an odd order of {size} bits above 8 is needed"
                )
        self.orders, self.bits, self.count = tuple(orders), tuple(bits), count
        self.plain_latency = 1 + count + StreamBuffer.LATENCY
        self._pass_cycles = count + _WRITTEN
        self.latency = self.plain_latency + len(_Pass) * self._pass_cycles
        super().__init__(
            {
                "start": In(1),
                **selector(len(self.orders)),
                "plain": In(1),
                "scalar": In(stream.Signature(WORD)),
                "reduced": Out(stream.Signature(WORD)),
                "clear": In(1),
                "clearing": Out(1),
                "busy": Out(1),
                "in_range": Out(1),
                "neutral": Out(1),
                "own": Out(1),
                "negate": Out(1),
            }
        )

    def elaborate(self, platform: Any) -> Module:
        """One memory, by turns swept, loaded, passed over and given out."""
        m = Module()
        m.submodules.words = memory = Memory(shape=WORD, depth=self.count, init=[])
        # Out of the memory a word has a way of its own to a register: that to the unit is long.
        m.submodules.given = given = StreamBuffer(WORD)
        connect(m, given.output, flipped(self.reduced))
        self._state = Signal(_State, name="state", init=_State.SWEEP)
        self._curve = Signal(range(len(self.orders)), name="curve")
        self._plain = Signal(name="is_plain")
        self._index = Signal(range(self._pass_cycles), name="index")
        # Whether a word has a bit that must be 0, a cycle after it has come.
        self._above = Signal(name="above_range")
        self._write, self._read = memory.write_port(), memory.read_port(domain="comb")
        m.d.comb += [
            self._read.addr.eq(self._index),
            self._write.addr.eq(self._index),
            self.busy.eq((self._state != _State.IDLE) | given.output.valid),
            self.clearing.eq(self._state == _State.SWEEP),
            given.clear.eq(self.clear),
            given.input.payload.eq(self._read.data),
            given.input.valid.eq(self._state == _State.GIVE),
        ]
        m.d.sync += self._above.eq(0)
        with m.If(self._above):
            m.d.sync += self.in_range.eq(0)
        with m.Switch(self._state):
            with m.Case(_State.SWEEP):
                m.d.comb += self._write.en.eq(1)
                self._next(m, self.count, _State.IDLE)
            with m.Case(_State.IDLE):
                self._begin(m)
            with m.Case(_State.LOAD):
                self._load(m)
            with m.Case(_State.GIVE), m.If(given.input.ready):
                self._next(m, self.count, _State.IDLE)
        self._pass(m)
        with m.If(self.clear):
            m.d.sync += self._flags(0)
            with m.If(~self.clearing):
                m.d.sync += [self._state.eq(_State.SWEEP), self._index.eq(0)]
        return m

    def _begin(self, m: Module) -> None:
        with m.If(self.start & ~self.busy):
            m.d.sync += [
                self._state.eq(_State.LOAD),
                self._plain.eq(self.plain),
                *self._flags(0),
                self.in_range.eq(1),
            ]
            if len(self.orders) > 1:
                m.d.sync += self._curve.eq(self.select)

    def _flags(self, value: int) -> list[Any]:
        return [flag.eq(value) for flag in (self.in_range, self.neutral, self.own, self.negate)]

    def _next(self, m: Module, end: int, state: Any) -> None:
        """Count up to ``end``, then start again in ``state``."""
        m.d.sync += self._index.eq(self._index + 1)
        with m.If(self._index == end - 1):
            m.d.sync += [self._index.eq(0), self._state.eq(state)]

    def _load(self, m: Module) -> None:
        """The words of the scalar; those bits that must be 0 are looked at on the way."""
        m.d.comb += [
            self.scalar.ready.eq(1),
            self._write.data.eq(self.scalar.payload),
            self._write.en.eq(self.scalar.valid),
        ]
        boundary = Array([size // WORD for size in self.bits])[self._curve]
        forbidden = Array([_MASK + 1 - (1 << size % WORD) for size in self.bits])[self._curve]
        mask = Mux(self._index == boundary, forbidden, (self._index > boundary).replicate(WORD))
        with m.If(self.scalar.valid):
            m.d.sync += self._above.eq((self.scalar.payload & mask).any())
            self._next(m, self.count, Mux(self._plain, _State.GIVE, _State.PASS))

    def _pass(self, m: Module) -> None:
        """A word is read, one cycle later replaced, one later changed or compared, and written."""
        index, end = self._index, self._pass_cycles
        number = Signal(_Pass, name="pass")
        # The state after a reset makes zeros of them.
        read, constant, left, right, word = (
            Signal(WORD, name=name, reset_less=True)
            for name in ("read_word", "constant_word", "left", "right", "word")
        )
        carry, equal = Signal(name="carry"), Signal(name="equal")
        borrow = Signal(name="borrow")
        self._small, self._half = Signal(name="small"), Signal(name="half")
        total = Signal(WORD + 1, name="total")
        # What a pass does, in registers: whole words wait for it, the first one at index 1.
        reduces, replaces = Signal(name="reduces"), Signal(name="replaces")
        keep = (number == _Pass.REDUCE) & borrow
        m.d.comb += total.eq(left + ~right + carry)
        m.d.sync += constant.eq(self._constant(m, number))
        with m.If(self._state == _State.PASS):
            m.d.comb += [
                self._write.addr.eq(index - _WRITTEN),
                self._write.data.eq(word),
                self._write.en.eq(index >= _WRITTEN),
            ]
            m.d.sync += [
                read.eq(self._read.data),
                left.eq(read),
                right.eq(Mux(keep, 0, constant)),
                carry.eq((index == 1) | total[WORD]),
                equal.eq((index == 1) | (equal & (left == right))),
                word.eq(Mux(reduces, total, left)),
                reduces.eq(number == _Pass.REDUCE),
                replaces.eq(number == _Pass.REPLACE),
            ]
            with m.If(replaces & self._half):
                m.d.sync += left.eq(constant)
            with m.If(replaces & self._small):
                m.d.sync += left.eq(Mux(index == 1, 2, 0))
            with m.If(index == end - 1):
                m.d.sync += number.eq(number + 1)
                self._note(m, number, equal)
                with m.If(number == _Pass.BORROW):
                    m.d.sync += borrow.eq(~carry)
            last = number == max(_Pass)
            self._next(m, end, Mux(last, _State.GIVE, _State.PASS))
        with m.Else():
            # At rest nothing of the scalar stays in registers.
            words = (read, left, right, word, carry, equal, borrow)
            passes = (self._small, self._half, number, reduces, replaces)
            m.d.sync += [register.eq(0) for register in (*words, *passes)]

    def _note(self, m: Module, number: Value, equal: Value) -> None:
        """Note the meaning of the outcome of a comparison."""
        meanings = {
            _Pass.ZERO: (self._small, self.neutral),
            _Pass.ONE: (self._small, self.own),
            _Pass.MINUS_ONE: (self._small, self.own, self.negate),
            _Pass.MINUS_TWO: (self._small, self.negate),
            _Pass.HALF: (self._half, self.negate),
        }
        with m.Switch(number):
            for which, flags in meanings.items():
                with m.Case(which):
                    m.d.sync += [flag.eq(flag | equal) for flag in flags]

    def _constant(self, m: Module, number: Value) -> Value:
        """The word at the index of the pass' constant; anything beyond the last one."""
        lines = [
            [constant >> WORD * i & _MASK for i in range(self.count)]
            for order in self.orders
            for constant in _constants(order)
        ]
        column = Mux(self._index < self.count, self._index, 0)
        return constant_table(m, "constants", lines, WORD, Cat(number, self._curve), column)
