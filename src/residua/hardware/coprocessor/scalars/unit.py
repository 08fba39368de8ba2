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
from enum import IntFlag, auto
from functools import reduce
from operator import or_
from typing import Any

from amaranth.hdl import Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import stream
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import Component, In, Out

from residua.hardware import signature_register
from residua.hardware.constant_table import constant_table, selected, selector
from residua.hardware.coprocessor.scalars.fixed_length import FixedLength
from residua.hardware.coprocessor.scalars.layout import WORD, WRITTEN, ScalarLayout, bits_above
from residua.hardware.coprocessor.scalars.passes import Passes
from residua.hardware.signature_register import record
from residua.machines.blinded_scalar import ScalarForm
from residua.numbers.digits import split_digits

BIT_LATENCY = 3
"""Cycles from a request for a bit of the scalar to that bit."""

_SHIFT = 5


class _State(IntFlag):
    """Use of the memory: ``READY`` is the cycle before the first bit.

    In ``LENGTHEN`` a second share is added, if there is one. Each has a bit of its own, as it
    chooses what is written.
    """

    SWEEP = auto()
    IDLE = auto()
    LOAD = auto()
    RANDOMISE = auto()
    BLIND = auto()
    LENGTHEN = auto()
    READY = auto()
    SERVE = auto()


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
        self._state = Signal(len(_State), name="state", init=_State.SWEEP)
        self._following = Signal.like(self._state, name="following_state")
        # Whether bits are read, with a register of its own: an address waits for it.
        self._serves = Signal(name="serves")
        self._curve = Signal(range(len(self.forms)), name="curve")
        self._plain = Signal(name="is_plain")
        self._is_base = Signal(name="is_base")
        self._index = Signal(range(max(self.layout.end + WRITTEN, self.depth)), name="index")
        self._write, self._read = memory.write_port(), memory.read_port(domain="comb")
        # The first word of r, where passes begin.
        self._first = self._own([self._base - words for words in self.random_words])
        # Whether a word has a bit that must be 0, a cycle after it has come.
        self._above = Signal(name="above_range")
        # Whether words of k come, a use of `_State.LOAD`.
        self._comes = Signal(name="scalar_comes")
        # What may be written; of these at most one is not 0.
        self._words: list[Value] = [Mux(self._comes, self.scalar.payload, 0)]
        resting = self._in(_State.IDLE | _State.SERVE)
        m.d.comb += [
            self._following.eq(self._state),
            self._read.addr.eq(self._index),
            self._write.addr.eq(self._index),
            self.busy.eq(~resting),
            self.clearing.eq(self._in(_State.SWEEP)),
        ]
        if self.checked:
            self._unseen = Signal(name="unseen")
        ready = Signal(name="ready")
        m.d.sync += [
            self._state.eq(self._following),
            self._serves.eq((self._following & (_State.READY | _State.SERVE)).any()),
            ready.eq(self._is_ready() & ~self.clear),
            self.done.eq(ready & ~self.clear),
        ]
        self._serve(m)
        m.d.sync += self._above.eq(0)
        with m.If(self._above):
            m.d.sync += self.in_range.eq(0)
        with m.If(self.clearing):
            m.d.comb += self._write.en.eq(1)
            self._next(m, self.depth, _State.IDLE)
        with m.If(self._in(_State.LOAD)):
            self._load(m)
        with m.If(self._in(_State.READY)):
            self._begin(m)
        if self._blinds:
            self._randomise(m)
        if self._adds:
            self._add(m)
        with m.If(self.start & resting):
            self._start(m)
        with m.If(self.clear):
            m.d.sync += [self.in_range.eq(0), self._comes.eq(0)]
            with m.If(~self.clearing):
                self._enter(m, _State.SWEEP)
                m.d.sync += self._index.eq(0)
        m.d.comb += self._write.data.eq(reduce(or_, self._words))
        return m

    def _start(self, m: Module) -> None:
        """On to the words of a scalar, of which nothing else is asked from then on."""
        self._enter(m, _State.LOAD)
        m.d.sync += [self._index.eq(self._base), self._comes.eq(1), self.in_range.eq(1)]
        if len(self.forms) > 1:
            m.d.sync += self._curve.eq(self.select)
        if self.changes:
            m.d.sync += self._plain.eq(self.plain)
        if self.distinguishes:
            m.d.sync += self._is_base.eq(self.base)

    def _enter(self, m: Module, state: Any) -> None:
        """Use the memory in another way from the next cycle on."""
        m.d.comb += self._following.eq(state)

    def _in(self, states: _State) -> Value:
        """Whether the memory is in one of these uses."""
        return (self._state & states).any()

    def _is_ready(self) -> Value:
        """Whether the first bit comes next: with a check, all have been seen."""
        ready = self._in(_State.READY)
        return ready & ~self._unseen if self.checked else ready

    def _begin(self, m: Module) -> None:
        """On to the bits, once all of them have been seen."""
        if not self.checked:
            self._enter(m, _State.SERVE)
            return
        with m.If(~self._unseen):
            self._enter(m, _State.SERVE)

    def _sum(self, m: Module, position: Signal, word: Value, final: Value) -> None:
        """Sum up all bits before they are served, and those that are when the next is asked for."""
        before = Signal(signature_register.WIDTH, name="before_sum")
        served = Signal(signature_register.WIDTH, name="served_sum")
        place, there = Signal(_SHIFT, name="place_seen"), Signal(name="seen")
        more = Signal(range(max(self.checked) + 1), name="more_seen")
        starts = self.start & self._in(_State.IDLE | _State.SERVE)
        sees = self._in(_State.READY) & self._unseen
        record(m, before, word.bit_select(place, 1), there, starts)
        record(m, served, self.bit, self.advance & self._in(_State.SERVE), starts)
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
            self._enter(m, state)
            m.d.sync += self._index.eq(origin)

    def _load(self, m: Module) -> None:
        """The words of k, and zeros above; those bits that must be 0 are looked at on the way."""
        taken = Signal(name="taken")
        m.d.comb += [
            self.scalar.ready.eq(self._comes),
            taken.eq(self.scalar.valid | ~self._comes),
            self._write.en.eq(taken),
        ]
        bits = [form.bits for form in self.forms]
        mask = bits_above(self._index, bits, self._curve, self._base)
        with m.If(taken):
            m.d.sync += self._above.eq(self._comes & (self.scalar.payload & mask).any())
            with m.If(self._index == self._base + self.count - 1):
                m.d.sync += self._comes.eq(0)
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
        self._words.append(Mux(self._in(_State.RANDOMISE), self.random.payload, 0))
        with m.If(self._in(_State.RANDOMISE)):
            m.d.comb += [
                self.random.ready.eq(1),
                self._write.en.eq(self.random.valid),
            ]
            with m.If(self.random.valid):
                self._next(m, self._base, _State.BLIND, self._first)

    def _add(self, m: Module) -> None:
        """Passes over r and z: a word is read, then added to, then halved, then written."""
        index, end = self._index, self._length + WRITTEN
        odd, carry = Signal(name="odd"), Signal(name="carry")
        # The state after a reset makes zeros of them.
        left, right, before, passed = (
            Signal(WORD, name=name, reset_less=True)
            for name in ("left", "right", "before", "passed")
        )
        total = Signal(WORD + 1, name="total")
        lengths = [max(form.length, 1) for form in self.forms]
        # Passes that follow; which of them is on stands in registers, too.
        follow = Signal(range(max(*lengths, 2)), name="passes_to_follow")
        first, final = Signal(name="first_pass"), Signal(name="final_pass")
        others = self._own([length - 1 for length in lengths])
        begin = [follow.eq(others), first.eq(1), final.eq(others == 0)]
        lengthens = Const(0) if self._shares else self._in(_State.LENGTHEN)
        self._fixed = FixedLength(m, self.layout, self._curve, self._index)
        passing = self._in(_State.BLIND) | lengthens
        passes = Passes(m, index, end, passing)
        last = passes.ends
        in_lengthen = self._in(_State.LENGTHEN)
        fixed = self._fixed.adds(in_lengthen, first, total, carry) if self._lengthens else Const(0)
        adds = Mux(lengthens, fixed, odd)
        halved = Cat(before[1:], Mux(passes.nearly_ends, carry, total[0]))
        writes = Signal(name="writes")
        m.d.comb += total.eq(left + right + carry)
        self._words.append(Mux(writes, passed, 0))
        # At rest nothing of the scalar stays in registers.
        registers = (odd, carry, left, right, before, passed, writes)
        m.d.sync += [register.eq(0) for register in registers]
        factor = self._factor(m, passing & ~last)
        chosen = self._chosen(m, follow, final, odd, (passes.begins, passed))
        with m.If(passing):
            m.d.comb += [self._write.addr.eq(passes.place), self._write.en.eq(writes)]
            m.d.sync += [
                writes.eq(passes.made),
                passed.eq(Mux(lengthens, before, halved)),
                left.eq(self._read.data),
                right.eq(Mux(adds, factor, 0)),
                before.eq(total),
                odd.eq(Mux(passes.begins, chosen, odd)),
                carry.eq(~passes.begins & total[WORD]),
                index.eq(index + 1),
            ]
            with m.If(last):
                m.d.sync += [
                    index.eq(self._first),
                    follow.eq(follow - 1),
                    first.eq(0),
                    final.eq(follow == 1),
                ]
        with m.Else():
            m.d.sync += begin
        with m.If(self._in(_State.BLIND) & last & final):
            self._enter(m, self._unblinded)
            m.d.sync += begin
        with m.If(lengthens & last & ~first):
            self._enter(m, _State.READY)
        with m.If(self.clear):
            m.d.sync += writes.eq(0)
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
        self._words.append(Mux(self._in(_State.LENGTHEN), before, 0))
        shifts = self.layout.shifts
        shifted = Cat(rest, word).bit_select(self._own([WORD - shift for shift in shifts]), WORD)
        bits = [form.bits for form in self.forms]
        mask = bits_above(index - self._first, bits, self._curve)
        begins = index == self._first
        # At rest nothing of the share stays.
        m.d.sync += rest.eq(0)
        with m.If(self._in(_State.LENGTHEN)):
            m.d.comb += [
                given.eq(index < self._first + self.count),
                self.scalar.ready.eq(given),
                word.eq(Mux(given, self.scalar.payload, 0)),
                self._write.addr.eq(index - 2),
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
                    self._above.eq((word & mask).any()),
                ]
                self._next(m, end, _State.READY)

    def _chosen(
        self,
        m: Module,
        follow: Value,
        final: Value,
        previous: Value,
        written: tuple[Value, Value],
    ) -> Value:
        """The bit of r that a pass takes; see `FixedLength.comparisons` for ``written``."""
        bit: Value = self._read.data[0]
        if self.distinguishes:
            changed = self._own([max(form.length - form.kept, 0) for form in self.forms])
            bit = bit & ((follow < changed) | self._is_base)
        if self._lengthens and self._blinds:
            is_one, is_highest = self._fixed.comparisons(self._in(_State.BLIND), *written)
            right = Mux(final, ~previous, (bit | is_one) & ~is_highest)
            bit = Mux(self._is_lengthened, right, bit)
        return bit

    def _factor(self, m: Module, goes_on: Value) -> Value:
        """The word that is added at the index: of F beside z, 0 beside r; any beyond the last.

        Unless a pass ``goes_on`` the next word is its first one.
        """
        below = (0,) * self._base
        lines = [below + split_digits(form.factor, self._room, WORD) for form in self.forms]
        firsts = [
            line[self._base - words] for line, words in zip(lines, self.random_words, strict=True)
        ]
        following = Signal(range(self._length + WRITTEN + 1), name="following_index")
        m.d.sync += following.eq(Mux(goes_on, following + 1, self._first + 1))
        # What goes on chooses behind the table: it comes late.
        word = constant_table(m, "order", lines, WORD, self._curve, following)
        factor = Signal(WORD, name="factor", reset_less=True)
        m.d.sync += factor.eq(Mux(goes_on, word, self._own(firsts)))
        return factor

    def _serve(self, m: Module) -> None:
        """The bit at a position that counts down."""
        position = Signal(range(WORD * self.depth), name="position")
        word = Signal(WORD, name="word")
        # A plain k stays above the place of r.
        lowest = Mux(self._plain, WORD * self._base, self._own(self.layout.lowest))
        m.d.sync += [self.bit.eq(0), word.eq(0)]
        with m.If(self._serves & ~self.rewind if self.rewinds else self._serves):
            m.d.comb += self._read.addr.eq(position >> _SHIFT)
            m.d.sync += [
                word.eq(self._read.data),
                self.bit.eq(word.bit_select(position[:_SHIFT], 1)),
            ]
            with m.If(self.advance & self._in(_State.SERVE) & (position != lowest)):
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
