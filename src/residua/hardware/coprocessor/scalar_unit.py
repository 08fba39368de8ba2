"""Scalar unit: a secret scalar, blinded by a multiple of the group order, bit by bit.

The numbers that it serves are those of `residua.machines.blinded_scalar`, whose names are used
here. k' = k + r F is computed in place. Of the memory, with room for R words of r, words from R on
hold z = k, those below r; b times, the lowest bit of r decides whether F is added to z, and all is
halved. What is lost is a bit of r, what comes in instead is the next bit of k', so that k' ends up
2^(32 R - b) times as high. z never outgrows its words: z, F < 2^m implies (z + F) / 2 < 2^m.

Of a scalar that comes as two shares the first one is taken for k. Only when it is blinded the
second one is taken, and its words go to k' at once, as high as that is: no register, and no word of
the memory, ever holds anything that is made of both and not of r.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from amaranth.hdl import Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import enum, stream
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import Component, In, Out

from residua.errors import SpecificationError
from residua.hardware import signature_register
from residua.hardware.constant_table import constant_table, selected, selector
from residua.hardware.signature_register import record
from residua.machines.blinded_scalar import ScalarForm

WORD = 32
"""Bits of a word."""

_WRITTEN = 3
"""Cycles from the one in which a pass reads a word to the one in which it writes it."""

BIT_LATENCY = 3
"""Cycles from a request for a bit of the scalar to that bit."""

_SHIFT = 5
_MASK = (1 << WORD) - 1


@dataclass(frozen=True)
class ScalarLayout:
    """Memory map of a scalar unit, and its times.

    Attributes:
        forms: of the scalars of each curve.
        count: words of a scalar as it comes in.
        sought: bits from the lowest of k' on that can be asked for by their places, for each curve.
        checked: if all bits of k' are gone through once before they are served: how many bits below
            the lowest one are asked for in the end, for each curve.

    Raises:
        SpecificationError: the words cannot hold a scalar, or one comes in shares and another has a
            fixed length.
    """

    forms: tuple[ScalarForm, ...]
    count: int
    sought: tuple[int, ...] = ()
    checked: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        if any(form.shared for form in self.forms) and any(form.lengthened for form in self.forms):
            raise SpecificationError(
                "scalars of fixed length are not for a unit that takes shares: leave either out"
            )
        for form in self.forms:
            if form.bits > self.count * WORD:
                raise SpecificationError(
                    f"{self.count * WORD} bits of words hold scalars of 1 to {self.count * WORD} "
                    f"bits, not {form.bits}"
                )

    @cached_property
    def random_words(self) -> tuple[int, ...]:
        """Words of r for each curve."""
        return tuple(-(-form.length // WORD) for form in self.forms)

    @cached_property
    def base(self) -> int:
        """R, the words below z."""
        return max(self.random_words)

    @cached_property
    def room(self) -> int:
        """Words of z."""
        return max(self.count, *(-(-form.factor.bit_length() // WORD) for form in self.forms))

    @property
    def length(self) -> int:
        """Words of r and z together."""
        return self.base + self.room

    @property
    def lowest(self) -> list[int]:
        """Position of the lowest bit of k', for each curve."""
        return [WORD * self.base - form.length for form in self.forms]

    @property
    def highest(self) -> list[int]:
        """Position of the first bit that is served, for each curve."""
        return [low + form.served - 1 for low, form in zip(self.lowest, self.forms, strict=True)]

    @property
    def depth(self) -> int:
        """Words of the memory. An even higher word of k' is always 0."""
        served = max(self.highest) // WORD + 1
        ends = [low + bits for low, bits in zip(self.lowest, self.sought, strict=False)]
        return max(self.length, served, *(-(-end // WORD) for end in ends))

    def fills(self, curve: int) -> bool:
        """Whether the scalars of a curve fill their words, so that their next bit is lost."""
        return self.forms[curve].bits == self.room * WORD

    @property
    def end(self) -> int:
        """Words that are written: of r and z, and those that the sum of two shares may reach."""
        shared = any(form.shared for form in self.forms)
        return max(self.length, max(self.highest) // WORD + 1) if shared else self.length

    @property
    def shifts(self) -> list[int]:
        """Places in a word by which a second share is as high as k', for each curve."""
        return [low % WORD for low in self.lowest]

    def kept(self, curve: int) -> int:
        """Bits of k' that the memory keeps: all but the highest one of a fixed length, if lost."""
        form = self.forms[curve]
        return form.served + (form.lengthened and not self.fills(curve))

    @property
    def plain_latency(self) -> int:
        """Cycles from the start to a plain scalar that is ready."""
        return self.end - self.base + 3

    @property
    def latencies(self) -> tuple[int, ...]:
        """Cycles from the start to a scalar that is ready, for each curve."""
        seen = [form.served + more for form, more in zip(self.forms, self.checked, strict=False)]
        return tuple(
            self.plain_latency
            + words
            + (form.length + 2 * form.lengthened) * (words + self.room + _WRITTEN)
            + form.shared * (self.end - self.base + words + 2)
            + own
            for form, words, own in zip(
                self.forms, self.random_words, seen or [0] * len(self.forms), strict=True
            )
        )


class _State(enum.Enum):
    """Use of the memory: ``READY`` is the cycle before the first bit.

    In ``LENGTHEN`` a second share is added, if there is one.
    """

    SWEEP = 0
    IDLE = 1
    LOAD = 2
    RANDOMISE = 3
    BLIND = 4
    LENGTHEN = 5
    READY = 6
    SERVE = 7


def bits_above(place: Value, bits: Sequence[int], curve: Value, base: int = 0) -> Value:
    """The bits of the word at a place that are not among the lowest of a number.

    ``bits`` are those of the number for each curve, ``base`` is the place of its lowest word.
    """
    boundary = selected([base + count // WORD for count in bits], curve)
    top = selected([(1 << WORD) - (1 << count % WORD) for count in bits], curve)
    return Mux(place == boundary, top, (place > boundary).replicate(WORD))


class ScalarUnit(Component):
    """Takes a scalar k of ``count`` words and serves the bits of k', the highest first.

    There are one or several curves, whose scalars have the ``forms``.

    ``start`` takes the index of the curve from ``select`` (a port that is only there if there are
    several) and begins: ``count`` words of k are taken from ``scalar``, the lowest first, then
    ``random_words[select]`` words from ``random``. With ``plain`` (a port that is only there if k
    can be changed) the bits of k itself are served, and there are no random words. ``base`` (a port
    that is only there if a curve's N is even) tells that the point is the base point. ``done`` is
    set for one cycle when the scalar is ready. From then on ``in_range`` tells whether k has no
    more bits than the curve's form allows, and ``bit`` is the highest of ``served[select]`` bits,
    or with ``plain`` of those that k may have, whatever their values.
    ``advance`` asks for the next bit, which is valid `BIT_LATENCY` cycles later, and has no effect
    at the lowest one. ``seek`` (a port that is only there with ``sought``) asks for the bit at
    ``place`` instead, of the memory: `ScalarLayout.lowest` has that of the lowest one; ``place``
    must stay for two cycles. ``rewind`` (a port that is only there if the unit ``rewinds``) asks
    for the first bit again, which is valid as much later. ``start`` is ignored while ``busy`` is
    set. ``agrees`` (a port that is only there if the unit is ``checked``) tells whether the bits
    that were served since the start, one for each ``advance``, are those that were there before,
    but for a chance of 2^-16; with ``plain`` it is set.

    A scalar whose form is ``shared`` comes as two numbers of ``count`` words, unless it is
    ``plain``. ``random`` is asked for between them, and ``in_range`` is about both.

    ``latencies`` are the numbers of cycles from ``start`` to ``done`` on each curve when neither
    stream waits, ``plain_latency`` that with ``plain``. They do not depend on the numbers, not even
    on ``in_range``. ``clear`` abandons whatever is under way and wipes all words and registers, as
    reset does; meanwhile ``clearing`` (and ``busy``) is set, for ``depth`` cycles.

    Raises:
        SpecificationError: the words cannot hold a scalar.
    """

    def __init__(
        self,
        forms: Sequence[ScalarForm],
        count: int,
        sought: Sequence[int] = (),
        *,
        rewinds: bool = False,
        checked: Sequence[int] = (),
    ) -> None:
        self.forms, self.count, self.rewinds = tuple(forms), count, rewinds
        self.checked = tuple(checked)
        self.served = tuple(form.served for form in self.forms)
        self.layout = layout = ScalarLayout(self.forms, count, tuple(sought), self.checked)
        places = {"seek": In(1), "place": In(range(WORD * layout.depth))}
        self._base, self._room, self._length = layout.base, layout.room, layout.length
        self.random_words, self.depth = layout.random_words, layout.depth
        self.plain_latency, self.latencies = layout.plain_latency, layout.latencies
        super().__init__(
            {
                "start": In(1),
                **selector(len(self.forms)),
                **({"plain": In(1)} if self.changes else {}),
                **({"base": In(1)} if self.distinguishes else {}),
                "scalar": In(stream.Signature(WORD)),
                "random": In(stream.Signature(WORD)),
                "clear": In(1),
                "clearing": Out(1),
                "busy": Out(1),
                "done": Out(1),
                "in_range": Out(1),
                "bit": Out(1),
                "advance": In(1),
                **(places if any(layout.sought) else {}),
                **({"rewind": In(1)} if rewinds else {}),
                **({"agrees": Out(1)} if checked else {}),
            }
        )

    @property
    def changes(self) -> bool:
        """Whether it does more than serve k's own bits, so that there is a port ``plain``."""
        others = any(form.served != form.bits for form in self.forms)
        return self._adds or others or bool(self.checked)

    @property
    def distinguishes(self) -> bool:
        """Whether it matters which point is multiplied, so that there is a port ``base``."""
        return any(form.kept for form in self.forms)

    @property
    def _blinds(self) -> bool:
        return any(form.random_bits for form in self.forms)

    @property
    def _lengthens(self) -> bool:
        return any(form.lengthened for form in self.forms)

    @property
    def _adds(self) -> bool:
        return self._blinds or self._lengthens

    @property
    def _shares(self) -> bool:
        return any(form.shared for form in self.forms)

    def elaborate(self, platform: Any) -> Module:
        """One memory, by turns swept, loaded, passed over and served."""
        m = Module()
        m.submodules.words = memory = Memory(shape=WORD, depth=self.depth, init=[])
        self._state = Signal(_State, name="state", init=_State.SWEEP)
        self._curve = Signal(range(len(self.forms)), name="curve")
        self._plain = Signal(name="is_plain")
        self._is_base = Signal(name="is_base")
        self._index = Signal(range(max(self.layout.end + _WRITTEN, self.depth)), name="index")
        self._write, self._read = memory.write_port(), memory.read_port(domain="comb")
        # The first word of r, where passes begin.
        self._first = self._own([self._base - words for words in self.random_words])
        resting = self._state.matches(_State.IDLE, _State.SERVE)
        m.d.comb += [
            self._read.addr.eq(self._index),
            self._write.addr.eq(self._index),
            self.busy.eq(~resting),
            self.clearing.eq(self._state == _State.SWEEP),
        ]
        if self.checked:
            self._unseen = Signal(name="unseen")
        ready = Signal(name="ready")
        m.d.sync += [
            ready.eq(self._is_ready() & ~self.clear),
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
                self._begin(m)
        if self._blinds:
            self._randomise(m)
        if self._adds:
            self._add(m)
        with m.If(self.start & resting):
            m.d.sync += [
                self._state.eq(_State.LOAD),
                self._index.eq(self._base),
                self.in_range.eq(1),
            ]
            if len(self.forms) > 1:
                m.d.sync += self._curve.eq(self.select)
            if self.changes:
                m.d.sync += self._plain.eq(self.plain)
            if self.distinguishes:
                m.d.sync += self._is_base.eq(self.base)
        with m.If(self.clear):
            m.d.sync += self.in_range.eq(0)
            with m.If(~self.clearing):
                m.d.sync += [self._state.eq(_State.SWEEP), self._index.eq(0)]
        return m

    def _is_ready(self) -> Value:
        """Whether the first bit comes next: with a check, all have been seen."""
        ready = self._state == _State.READY
        return ready & ~self._unseen if self.checked else ready

    def _begin(self, m: Module) -> None:
        """On to the bits, once all of them have been seen."""
        if not self.checked:
            m.d.sync += self._state.eq(_State.SERVE)
            return
        with m.If(~self._unseen):
            m.d.sync += self._state.eq(_State.SERVE)

    def _sum(self, m: Module, position: Signal, word: Value, final: Value) -> None:
        """Sum up all bits before they are served, and those that are when the next is asked for."""
        before = Signal(signature_register.WIDTH, name="before_sum")
        served = Signal(signature_register.WIDTH, name="served_sum")
        place, there = Signal(_SHIFT, name="place_seen"), Signal(name="seen")
        more = Signal(range(max(self.checked) + 1), name="more_seen")
        starts = self.start & self._state.matches(_State.IDLE, _State.SERVE)
        sees = (self._state == _State.READY) & self._unseen
        record(m, before, word.bit_select(place, 1), there, starts)
        record(m, served, self.bit, self.advance & (self._state == _State.SERVE), starts)
        m.d.comb += self.agrees.eq(self._plain | (before == served))
        m.d.sync += [place.eq(position[:_SHIFT]), there.eq(sees)]
        with m.If(sees):
            m.d.sync += position.eq(position - ~final)
            with m.If(final & (more == self._own(self.checked))):
                m.d.sync += [position.eq(self._own(self.layout.highest)), self._unseen.eq(0)]
            with m.Elif(final):
                m.d.sync += more.eq(more + 1)
        with m.If(starts):
            m.d.sync += [self._unseen.eq(~self.plain), more.eq(0)]

    def _own(self, numbers: Sequence[int]) -> Value:
        """The number of the curve."""
        return selected(numbers, self._curve)

    def _next(self, m: Module, end: int, state: Any, origin: Value | int = 0) -> None:
        """Count up to ``end``, then start again from ``origin`` in ``state``."""
        m.d.sync += self._index.eq(self._index + 1)
        with m.If(self._index == end - 1):
            m.d.sync += [self._index.eq(origin), self._state.eq(state)]

    def _load(self, m: Module) -> None:
        """The words of k, and zeros above; those bits that must be 0 are looked at on the way."""
        given = self._index < self._base + self.count
        taken, word = Signal(name="taken"), Signal(WORD, name="loaded")
        m.d.comb += [
            self.scalar.ready.eq(given),
            taken.eq(self.scalar.valid | ~given),
            word.eq(Mux(given, self.scalar.payload, 0)),
            self._write.data.eq(word),
            self._write.en.eq(taken),
        ]
        bits = [form.bits for form in self.forms]
        mask = bits_above(self._index, bits, self._curve, self._base)
        with m.If(taken):
            m.d.sync += self.in_range.eq(self.in_range & ~(word & mask).any())
            blinds = self._own([int(form.random_bits > 0) for form in self.forms])
            following = Mux(blinds, _State.RANDOMISE, self._unblinded)
            state = Mux(self._plain, _State.READY, following)
            self._next(m, self.layout.end, state, self._first)

    @property
    def _is_lengthened(self) -> Value:
        return self._own([int(form.lengthened) for form in self.forms])

    @property
    def _is_added_to(self) -> Value:
        """Whether something more is added to a blinded scalar."""
        return self._own([int(form.lengthened or form.shared) for form in self.forms])

    @property
    def _unblinded(self) -> Value:
        """The state after blinding."""
        return Mux(self._is_added_to, _State.LENGTHEN, _State.READY)

    def _randomise(self, m: Module) -> None:
        """The words of r."""
        with m.If(self._state == _State.RANDOMISE):
            m.d.comb += [
                self.random.ready.eq(1),
                self._write.data.eq(self.random.payload),
                self._write.en.eq(self.random.valid),
            ]
            with m.If(self.random.valid):
                self._next(m, self._base, _State.BLIND, self._first)

    def _add(self, m: Module) -> None:
        """Passes over r and z: a word is read, then added to, then halved, then written."""
        index, end = self._index, self._length + _WRITTEN
        odd, carry = Signal(name="odd"), Signal(name="carry")
        # The state after a reset makes zeros of them.
        left, right, before, passed = (
            Signal(WORD, name=name, reset_less=True)
            for name in ("left", "right", "before", "passed")
        )
        total = Signal(WORD + 1, name="total")
        lengths = [form.length for form in self.forms]
        passes, last = Signal(range(max(*lengths, 2)), name="passes"), index == end - 1
        final = passes == self._own([max(length, 1) - 1 for length in lengths])
        begins = index == self._first
        lengthens = Const(0) if self._shares else self._state == _State.LENGTHEN
        adds = Mux(lengthens, self._lengthen(m, passes, total, carry), odd)
        halved = Cat(before[1:], Mux(index == end - 2, carry, total[0]))
        m.d.comb += total.eq(left + right + carry)
        # At rest nothing of the scalar stays in registers.
        m.d.sync += [register.eq(0) for register in (odd, carry, left, right, before, passed)]
        chosen = self._chosen(m, passes, final, odd)
        with m.If((self._state == _State.BLIND) | lengthens):
            m.d.comb += [
                self._write.addr.eq(index - _WRITTEN),
                self._write.data.eq(passed),
                self._write.en.eq(index >= self._first + _WRITTEN),
            ]
            m.d.sync += [
                passed.eq(Mux(lengthens, before, halved)),
                left.eq(self._read.data),
                right.eq(Mux(adds, self._factor(m), 0)),
                before.eq(total),
                odd.eq(Mux(begins, chosen, odd)),
                passes.eq(passes + last),
                carry.eq(~begins & total[WORD]),
            ]
            self._next(m, end, self._state, self._first)
        with m.Else():
            m.d.sync += passes.eq(0)
        with m.If((self._state == _State.BLIND) & last & final):
            m.d.sync += [self._state.eq(self._unblinded), passes.eq(0)]
        with m.If(lengthens & last & (passes == 1)):
            m.d.sync += [self._state.eq(_State.READY), passes.eq(0)]
        if self._shares:
            self._add_share(m, (left, right, before, carry), total)

    def _add_share(
        self, m: Module, registers: tuple[Signal, Signal, Signal, Signal], total: Value
    ) -> None:
        """A pass over k' that adds a second share, word by word as it comes."""
        left, right, before, carry = registers
        index, end = self._index, self.layout.end + 2
        rest = Signal(WORD, name="share_rest")
        word, given = Signal(WORD, name="share_word"), Signal(name="share_given")
        shifts = self.layout.shifts
        shifted = Cat(rest, word).bit_select(self._own([WORD - shift for shift in shifts]), WORD)
        bits = [form.bits for form in self.forms]
        mask = bits_above(index - self._first, bits, self._curve)
        begins = index == self._first
        # At rest nothing of the share stays.
        m.d.sync += rest.eq(0)
        with m.If(self._state == _State.LENGTHEN):
            m.d.comb += [
                given.eq(index < self._first + self.count),
                self.scalar.ready.eq(given),
                word.eq(Mux(given, self.scalar.payload, 0)),
                self._write.addr.eq(index - 2),
                self._write.data.eq(before),
                self._write.en.eq(index >= self._first + 2),
            ]
            # While a word does not come, the pass stands still; the last one is written again.
            m.d.sync += [own.eq(own) for own in (*registers, rest)]
            with m.If(self.scalar.valid | ~given):
                m.d.sync += [
                    rest.eq(word),
                    left.eq(self._read.data),
                    right.eq(shifted),
                    before.eq(total),
                    carry.eq(~begins & total[WORD]),
                    self.in_range.eq(self.in_range & ~(word & mask).any()),
                ]
                self._next(m, end, _State.READY)

    def _chosen(self, m: Module, passes: Value, final: Value, previous: Value) -> Value:
        """The bit of r that a pass takes."""
        bit: Value = self._read.data[0]
        if self.distinguishes:
            kept = self._own([form.kept for form in self.forms])
            bit = bit & ((passes >= kept) | self._is_base)
        if self._lengthens and self._blinds:
            is_one, is_highest = self._comparisons(m)
            right = Mux(final, ~previous, (bit | is_one) & ~is_highest)
            bit = Mux(self._is_lengthened, right, bit)
        return bit

    def _comparisons(self, m: Module) -> tuple[Value, Value]:
        """Whether the last pass left z = 1, and whether z = n - 2."""
        is_one, is_highest = Signal(name="is_one"), Signal(name="is_highest")
        lowest = self._base + _WRITTEN
        column = Signal(range(max(self._room, 2)), name="compared")
        compares = self._index >= lowest
        m.d.comb += column.eq(Mux(compares, self._index - lowest, 0))
        lines = [
            _words(form.multiple - 2 if form.lengthened else 0, self._room) for form in self.forms
        ]
        highest = constant_table(m, "highest", lines, WORD, self._curve, column)
        word, begins = self._write.data, self._index == self._first
        m.d.sync += [is_one.eq(0), is_highest.eq(0)]
        with m.If(self._state == _State.BLIND):
            m.d.sync += [
                is_one.eq(begins | is_one & (~compares | (word == (self._index == lowest)))),
                is_highest.eq(begins | is_highest & (~compares | (word == highest))),
            ]
        return is_one, is_highest

    def _lengthen(self, m: Module, passes: Value, total: Value, carry: Value) -> Value:
        """Whether a pass adds n 2^b: the first one, and the second if bit t + b is still 0."""
        if not self._lengthens:
            return Const(0)
        short = Signal(name="short")
        ends = self._own([self._base + form.bits // WORD + 1 for form in self.forms])
        m.d.sync += short.eq(0)
        with m.If(self._state == _State.LENGTHEN):
            m.d.sync += short.eq(short)
            with m.If((passes == 0) & (self._index == ends)):
                m.d.sync += short.eq(~Mux(self._full(), carry, self._top(total)))
        return (passes == 0) | short

    def _full(self) -> Value:
        """Whether the scalars of the curve fill their words, so that their next bit is a carry."""
        return self._own([int(self.layout.fills(curve)) for curve in range(len(self.forms))])

    def _top(self, total: Value) -> Value:
        """The bit above those of the curve's scalars, in its word."""
        bit: Value = total.bit_select(self._own([form.bits % WORD for form in self.forms]), 1)
        return bit

    def _factor(self, m: Module) -> Value:
        """The word that is added at the index: of F beside z, 0 beside r; any beyond the last."""
        lines = [[0] * self._base + _words(form.factor, self._room) for form in self.forms]
        column = Mux(self._index < self._length, self._index, 0)
        return constant_table(m, "order", lines, WORD, self._curve, column)

    def _serve(self, m: Module) -> None:
        """The bit at a position that counts down."""
        position = Signal(range(WORD * self.depth), name="position")
        word = Signal(WORD, name="word")
        # A plain k stays above the place of r.
        lowest = Mux(self._plain, WORD * self._base, self._own(self.layout.lowest))
        m.d.sync += [self.bit.eq(0), word.eq(0)]
        serves = self._state.matches(_State.READY, _State.SERVE)
        with m.If(serves & ~self.rewind if self.rewinds else serves):
            m.d.comb += self._read.addr.eq(position >> _SHIFT)
            m.d.sync += [
                word.eq(self._read.data),
                self.bit.eq(word.bit_select(position[:_SHIFT], 1)),
            ]
            with m.If(self.advance & (self._state == _State.SERVE) & (position != lowest)):
                m.d.sync += position.eq(position - 1)
            if any(self.layout.sought):
                with m.If(self.seek):
                    m.d.sync += position.eq(self.place)
        with m.Else():
            highest = self._own(self.layout.highest)
            plain = self._own([WORD * self._base + form.bits - 1 for form in self.forms])
            m.d.sync += position.eq(Mux(self._plain, plain, highest))
        if self.checked:
            self._sum(m, position, word, position == lowest)


def _words(number: int, count: int) -> list[int]:
    """The words of a number, the lowest first."""
    return [number >> WORD * i & _MASK for i in range(count)]
