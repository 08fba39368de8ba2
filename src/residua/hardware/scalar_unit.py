"""Scalar unit: a secret scalar, blinded by a multiple of the group order, bit by bit.

k' = k + r n is computed in place. The memory holds Z = k 2^b + r; b times, r_0 = Z mod 2 adds n 2^b
to Z, and Z is halved. What is lost is r_0, what comes in instead is the next bit of k', so that Z
ends as k'. It never outgrows its words: k, n < 2^v implies (k + n) / 2 < 2^v.

A ladder that starts from P itself needs a scalar of fixed length. For k < n with t bits of n,
k' < 2^(t + b); adding n 2^b once, or twice if once is not enough, gives a number of just t + b + 1
bits, of which the highest is not served. r is made 2 modulo 4 then, so that a leading part of the
number (of t bits or more) is 0 or -1 modulo n for k = 0, 1, -1 and, without blinding, -2 alone.
"""

from collections.abc import Collection, Sequence
from typing import Any

from amaranth.hdl import Array, Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import enum, stream
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import Component, In, Out

from residua.errors import SpecificationError
from residua.hardware.constant_table import constant_table, selector

WORD = 32
"""Bits of a word."""

_SHIFT = 5
_MASK = (1 << WORD) - 1


class _State(enum.Enum):
    """What the memory is used for: ``READY`` is the cycle before the first bit."""

    SWEEP = 0
    IDLE = 1
    LOAD = 2
    RANDOMISE = 3
    BLIND = 4
    LENGTHEN = 5
    READY = 6
    SERVE = 7


class ScalarUnit(Component):
    """Takes a scalar k of ``count`` words and serves the bits of k + r n, the highest first.

    There are one or several curves; ``orders`` are their n, ``bits`` the number of bits that k may
    have on each. r has ``blinding`` random bits, a multiple of 32. Curves in ``lengthened`` get
    numbers of fixed length; their k must be below n, which has ``bits`` bits. Leading zeros make
    the bits that are served a multiple of ``digits``, the bits of a digit on each curve (None: 1).

    ``start`` takes the index of the curve from ``select`` (a port that is only there if there are
    several) and begins: ``count`` words of k are taken from ``scalar``, the lowest first, then
    ``blinding`` / 32 words from ``random``. With ``plain`` (a port that is only there if k can be
    changed) the bits of k itself are served, and there are no random words. ``done`` is set for one
    cycle when the scalar is ready. From then on ``in_range`` tells whether k < 2^bits, and ``bit``
    is the highest of ``served[select]`` bits, or with ``plain`` of ``bits[select]``, whatever their
    values.
    ``advance`` asks for the next bit, which is valid three cycles later, and has no effect at the
    lowest one. ``start`` is ignored while ``busy`` is set.

    ``latency`` is the number of cycles from ``start`` to ``done`` when neither stream waits,
    ``plain_latency`` that with ``plain``. It does not depend on the numbers, not even on
    ``in_range``. ``clear`` abandons whatever is under
    way and wipes all words and registers, as reset does; meanwhile ``clearing`` (and ``busy``) is
    set, for ``depth`` cycles.

    Raises:
        SpecificationError: the words cannot hold a scalar or an order, the blinded scalar can have
            more bits than are served, or the blinding is not whole words.
    """

    def __init__(
        self,
        orders: Sequence[int],
        bits: Sequence[int],
        count: int,
        blinding: int = 0,
        lengthened: Collection[int] = (),
        digits: Sequence[int] | None = None,
    ) -> None:
        if blinding < 0 or blinding % WORD:
            raise SpecificationError(
                f"blinding has a multiple of {WORD} bits, 0 or more, not {blinding}"
            )
        for order, size in zip(orders, bits, strict=True):
            _check(order, size, count * WORD, blinding)
        self.orders, self.bits = tuple(orders), tuple(bits)
        self.count, self.blinding = count, blinding
        self.lengthened = frozenset(lengthened)
        for curve in self.lengthened:
            if orders[curve].bit_length() != bits[curve]:
                raise SpecificationError(
                    f"scalars of {bits[curve]} bits cannot be lengthened by an order of "
                    f"{orders[curve].bit_length()}"
                )
        self.served = served_bits(bits, blinding, lengthened, digits)
        # The memory: r, then k. An even higher word of k' is always 0.
        self.random_count = blinding // WORD
        self.length = self.random_count + count
        self.depth = max(self.length, -(-max(self.served) // WORD))
        self.plain_latency = count + 3
        passes = blinding + (2 if self.lengthened else 0)
        self.latency = self.plain_latency + self.random_count + passes * (self.length + 2)
        super().__init__(
            {
                "start": In(1),
                **selector(len(self.orders)),
                **({"plain": In(1)} if self.changes else {}),
                "scalar": In(stream.Signature(WORD)),
                "random": In(stream.Signature(WORD)),
                "clear": In(1),
                "clearing": Out(1),
                "busy": Out(1),
                "done": Out(1),
                "in_range": Out(1),
                "bit": Out(1),
                "advance": In(1),
            }
        )

    @property
    def changes(self) -> bool:
        """Whether anything but k's own bits can be served, so that there is a port ``plain``."""
        return self._adds or self.served != self.bits

    @property
    def _adds(self) -> bool:
        return self.blinding > 0 or len(self.lengthened) > 0

    def elaborate(self, platform: Any) -> Module:
        """One memory, by turns swept, loaded, passed over and served."""
        m = Module()
        m.submodules.words = memory = Memory(shape=WORD, depth=self.depth, init=[])
        self._state = Signal(_State, name="state", init=_State.SWEEP)
        self._curve = Signal(range(len(self.orders)), name="curve")
        self._plain = Signal(name="is_plain")
        self._index = Signal(range(max(self.length + 2, self.depth)), name="index")
        self._write, self._read = memory.write_port(), memory.read_port(domain="comb")
        resting = self._state.matches(_State.IDLE, _State.SERVE)
        m.d.comb += [
            self._read.addr.eq(self._index),
            self._write.addr.eq(self._index),
            self.busy.eq(~resting),
            self.clearing.eq(self._state == _State.SWEEP),
        ]
        ready = Signal(name="ready")
        m.d.sync += [
            ready.eq((self._state == _State.READY) & ~self.clear),
            self.done.eq(ready & ~self.clear),
        ]
        self._serve(m)
        with m.Switch(self._state):
            with m.Case(_State.SWEEP):
                m.d.comb += self._write.en.eq(1)
                self._next(m, self.depth, _State.IDLE)
            with m.Case(_State.LOAD):
                self._load(m)
            with m.Case(_State.READY):
                m.d.sync += self._state.eq(_State.SERVE)
        if self.blinding:
            self._randomise(m)
        if self._adds:
            self._add(m)
        with m.If(self.start & resting):
            m.d.sync += [
                self._state.eq(_State.LOAD),
                self._index.eq(self.random_count),
                self.in_range.eq(1),
            ]
            if len(self.orders) > 1:
                m.d.sync += self._curve.eq(self.select)
            if self.changes:
                m.d.sync += self._plain.eq(self.plain)
        with m.If(self.clear):
            m.d.sync += self.in_range.eq(0)
            with m.If(~self.clearing):
                m.d.sync += [self._state.eq(_State.SWEEP), self._index.eq(0)]
        return m

    def _next(self, m: Module, end: int, state: Any) -> None:
        """Count up to ``end``, then start again in ``state``."""
        m.d.sync += self._index.eq(self._index + 1)
        with m.If(self._index == end - 1):
            m.d.sync += [self._index.eq(0), self._state.eq(state)]

    def _load(self, m: Module) -> None:
        """The words of k; those bits that must be 0 are looked at on the way."""
        m.d.comb += [
            self.scalar.ready.eq(1),
            self._write.data.eq(self.scalar.payload),
            self._write.en.eq(self.scalar.valid),
        ]
        boundary = Array([self.random_count + size // WORD for size in self.bits])[self._curve]
        forbidden = Array([(1 << WORD) - (1 << size % WORD) for size in self.bits])[self._curve]
        mask = Mux(self._index == boundary, forbidden, (self._index > boundary).replicate(WORD))
        with m.If(self.scalar.valid):
            m.d.sync += self.in_range.eq(self.in_range & ~(self.scalar.payload & mask).any())
            following = _State.RANDOMISE if self.blinding else self._unblinded
            self._next(m, self.length, Mux(self._plain, _State.READY, following))

    @property
    def _unblinded(self) -> Any:
        """The state after blinding."""
        return _State.LENGTHEN if self.lengthened else _State.READY

    def _randomise(self, m: Module) -> None:
        """The words of r."""
        word = self.random.payload
        if self.lengthened:
            word = Mux(self._index == 0, Cat(Const(2, 2), word[2:]), word)
        with m.If(self._state == _State.RANDOMISE):
            m.d.comb += [
                self.random.ready.eq(1),
                self._write.data.eq(word),
                self._write.en.eq(self.random.valid),
            ]
            with m.If(self.random.valid):
                self._next(m, self.random_count, _State.BLIND)

    def _add(self, m: Module) -> None:
        """Passes over Z: a word is read, one cycle later added to, one later halved and written."""
        index, end = self._index, self.length + 2
        odd, carry = Signal(name="odd"), Signal(name="carry")
        left, right = Signal(WORD, name="left"), Signal(WORD, name="right")
        total, before = Signal(WORD + 1, name="total"), Signal(WORD, name="before")
        passes, last = Signal(range(max(self.blinding, 2)), name="passes"), index == end - 1
        lengthens = self._state == _State.LENGTHEN
        adds = Mux(lengthens, self._lengthen(m, passes, total, carry), odd)
        halved = Cat(before[1:], Mux(last, carry, total[0]))
        m.d.comb += total.eq(left + right + carry)
        # At rest nothing of the scalar stays in registers.
        m.d.sync += [register.eq(0) for register in (odd, carry, left, right, before)]
        with m.If((self._state == _State.BLIND) | lengthens):
            m.d.comb += [
                self._write.addr.eq(index - 2),
                self._write.data.eq(Mux(lengthens, before, halved)),
                self._write.en.eq(index >= 2),
            ]
            m.d.sync += [
                left.eq(self._read.data),
                right.eq(Mux(adds, self._order(m), 0)),
                before.eq(total),
                odd.eq(Mux(index == 0, self._read.data[0], odd)),
                passes.eq(passes + last),
                carry.eq((index != 0) & total[WORD]),
            ]
            self._next(m, end, self._state)
        with m.Else():
            m.d.sync += passes.eq(0)
        with m.If((self._state == _State.BLIND) & last & (passes == self.blinding - 1)):
            m.d.sync += [self._state.eq(self._unblinded), passes.eq(0)]
        with m.If(lengthens & last & (passes == 1)):
            m.d.sync += [self._state.eq(_State.READY), passes.eq(0)]

    def _lengthen(self, m: Module, passes: Value, total: Value, carry: Value) -> Value:
        """Whether a pass adds n 2^b: the first one, and the second if bit t + b is still 0."""
        if not self.lengthened:
            return Const(0)
        short = Signal(name="short")
        ends = Array([self.random_count + size // WORD + 1 for size in self.bits])[self._curve]
        m.d.sync += short.eq(0)
        with m.If(self._state == _State.LENGTHEN):
            m.d.sync += short.eq(short)
            with m.If((passes == 0) & (self._index == ends)):
                m.d.sync += short.eq(~Mux(self._full(), carry, self._top(total)))
        applies = Array([int(c in self.lengthened) for c in range(len(self.orders))])[self._curve]
        return applies & ((passes == 0) | short)

    def _full(self) -> Value:
        """Whether the scalars of the curve fill their words, so that their next bit is a carry."""
        full: Value = Array([int(size == self.count * WORD) for size in self.bits])[self._curve]
        return full

    def _top(self, total: Value) -> Value:
        """The bit above those of the curve's scalars, in its word."""
        places = Array([size % WORD for size in self.bits])
        bit: Value = total.bit_select(places[self._curve], 1)
        return bit

    def _order(self, m: Module) -> Value:
        """The word of n 2^b at the index; anything beyond the last one."""
        lines = [
            [0] * self.random_count + [order >> WORD * i & _MASK for i in range(self.count)]
            for order in self.orders
        ]
        column = Mux(self._index < self.length, self._index, 0)
        return constant_table(m, "order", lines, WORD, self._curve, column)

    def _serve(self, m: Module) -> None:
        """The bit at a position that counts down."""
        position = Signal(range(max(self.served)), name="position")
        word = Signal(WORD, name="word")
        m.d.sync += [self.bit.eq(0), word.eq(0)]
        with m.If(self._state.matches(_State.READY, _State.SERVE)):
            m.d.comb += self._read.addr.eq(position >> _SHIFT)
            m.d.sync += [
                word.eq(self._read.data),
                self.bit.eq(word.bit_select(position[:_SHIFT], 1)),
            ]
            with m.If(self.advance & (self._state == _State.SERVE) & (position != 0)):
                m.d.sync += position.eq(position - 1)
        with m.Else():
            highest = Array([size - 1 for size in self.served])[self._curve]
            # A plain k stays above the place of r.
            plain = Array([size + self.blinding - 1 for size in self.bits])[self._curve]
            m.d.sync += position.eq(Mux(self._plain, plain, highest))


def served_bits(
    bits: Sequence[int],
    blinding: int,
    lengthened: Collection[int] = (),
    digits: Sequence[int] | None = None,
) -> tuple[int, ...]:
    """The bits that a `ScalarUnit` serves of a scalar that is not plain, for each curve."""
    longest = [
        size + blinding + (blinding > 0 and curve not in lengthened)
        for curve, size in enumerate(bits)
    ]
    sizes = digits or [1] * len(longest)
    return tuple(-(-count // size) * size for count, size in zip(longest, sizes, strict=True))


def _check(order: int, size: int, room: int, blinding: int) -> None:
    """Whether k' has at most ``size`` + ``blinding`` + 1 bits, and all numbers have room."""
    if not 0 <= order < 1 << room:
        raise SpecificationError(f"{room} bits of words cannot hold an order of {order}")
    if not 1 <= size <= room:
        raise SpecificationError(
            f"{room} bits of words hold scalars of 1 to {room} bits, not {size}"
        )
    largest = (1 << size) - 1 + ((1 << blinding) - 1) * order
    if blinding and largest.bit_length() > size + blinding + 1:
        raise SpecificationError(
            f"an order of {order.bit_length()} bits makes blinded scalars longer than "
            f"{size} + {blinding} + 1 bits"
        )
