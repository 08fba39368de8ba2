"""Half scalars: digits or bits of the halves of one scalar or of two, which an endomorphism makes.

One multiplier of words goes through the steps of
`residua.hardware.coprocessor.scalars.split_program`, the same ones for every scalar: those for a
scalar by which one point is multiplied, or those for a scalar of a sum of two multiples, which are
not blinded. If no scalar is, they are the same.
"""

from collections.abc import Sequence
from typing import Any

from amaranth.hdl import Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import data, enum, stream
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import Component, In, Out

from residua.curves.endomorphism.joint import HALVES, entry, half_bits
from residua.curves.endomorphism.split import Split
from residua.curves.fixed_window import digit_flags
from residua.hardware import signature_register
from residua.hardware.constant_table import constant_table, selected, selector
from residua.hardware.coprocessor.scalars.digit_recoder import FLAGS, DigitRecoder
from residua.hardware.coprocessor.scalars.layout import WORD, bits_above
from residua.hardware.coprocessor.scalars.split_program import SPLIT_WORD, SplitProgram, Target
from residua.hardware.coprocessor.scalars.unit import BIT_LATENCY
from residua.hardware.delay import delayed
from residua.hardware.primitives import Multiplier

MULTIPLIERS = 1
"""Products of words that are made in a cycle."""

_PRODUCT = 2
"""Cycles from the operands of the multiplier to their product."""

_DRAIN = 1 + _PRODUCT
"""Cycles from the one that asks for a step to the one that stores what it gives."""

_PLACE = 4
"""Bits of a place in a word."""


class _State(enum.Enum):
    SWEEP = 0
    IDLE = 1
    LOAD = 2
    SPLIT = 3
    REVIEW = 4
    SERVE = 5


_NAMES = ("first", "second", "third", "fourth")
"""Of what belongs to each half of k, then of l."""


def _entry_flags(bits: int) -> int:
    """The flags of the entry that bits of k1, k2, l1 and l2 choose."""
    flags = digit_flags(entry([bits >> index & 1 for index in range(HALVES)]))
    return sum(flags[flag.name] << index for index, flag in enumerate(FLAGS))


_ENTRIES = [_entry_flags(bits) for bits in range(1 << HALVES)]


class HalfScalars(Component):
    """Takes a scalar k of ``words`` words, or two, and gives digits or bits of their halves.

    ``splits`` are the halves of the scalar of one multiplication on each curve, ``plain_splits``
    those of the scalars of a sum k P + l Q, which are odd; None for a curve whose scalars are not
    halved.

    ``start`` takes the index of the curve from ``select`` (a port that is only there if there are
    several) and begins: ``words`` words of k are taken from ``scalar``, the lowest first, then, if
    scalars are blinded, ``random_words`` from ``random``, those of r1, of r2 and of r. ``done`` is
    set for one cycle when the halves are ready. From then on ``in_range`` tells whether k has no
    more bits than the curve allows, ``first`` and ``second`` are the flags of a digit of k1 and of
    k2, in the order of `residua.hardware.coprocessor.scalars.digit_recoder.FLAGS`. The first
    digits come as after the start of a `DigitRecoder`; ``take`` asks for the next ones. ``start``
    is ignored while ``busy`` is set.

    With ``plain`` the scalar is one of a sum: k, or l if ``later`` is set, which must come after k.
    There are no random words. When l is ready ``bits`` are the highest of `half_bits` of k1, k2, l1
    and l2, and ``first`` the flags of the `entry` that they choose, a cycle later. ``take`` or
    ``advance`` asks for the next bits, which are valid `BIT_LATENCY` cycles later; it has no effect
    at the lowest ones. ``rewind`` asks for the first ones again.

    With ``below`` the bits of k1 and k2 are checked: ``agrees`` (a port that is only there then)
    tells whether those that were served since the start, down to the lowest ones and these so many
    times again, are those that there were before, but for a chance of 2^-16; with ``plain`` it is
    set.

    ``latency`` is the number of cycles from ``start`` to ``done`` when neither stream waits,
    ``review`` of them for the check, ``plain_latency`` that with ``plain``. They depend on nothing
    but the design. A reset wipes all words; meanwhile ``clearing`` (and ``busy``) is set, for
    ``depth`` cycles.
    """

    def __init__(
        self,
        splits: Sequence[Split | None],
        plain_splits: Sequence[Split | None],
        words: int,
        below: int | None = None,
    ) -> None:
        self.splits, self.plain_splits, self.words = tuple(splits), tuple(plain_splits), words
        self.program = SplitProgram(self.splits, words)
        kinds = dict.fromkeys((self.splits, self.plain_splits))
        self.programs = [SplitProgram(own, words) for own in kinds]
        self._random_words = [own.random + own.whole // 2 for own in self.programs]
        self.random_words = self._random_words[0]
        self.half = max(own.half for own in self.programs)
        self.memory = max(own.memory for own in self.programs)
        self.depth = max(self.memory, self.half)
        self._loads = [2 * (words + count) for count in self._random_words]
        self._split_cycles = [len(own.steps) + _DRAIN for own in self.programs]
        # The highest bits come two cycles after the last of these.
        latencies = [
            1 + loads + steps + 1
            for loads, steps in zip(self._loads, self._split_cycles, strict=True)
        ]
        self.checked = below is not None
        self._served = [split.served if split else 0 for split in self.splits]
        self._reviewed = [served + (below or 0) if served else 0 for served in self._served]
        self.review = max(self._reviewed) if self.checked else 0
        self.latency, self.plain_latency = latencies[0] + self.review, latencies[-1]
        super().__init__(
            {
                "start": In(1),
                **selector(len(self.splits)),
                "plain": In(1),
                "later": In(1),
                "scalar": In(stream.Signature(WORD)),
                "random": In(stream.Signature(WORD)),
                "clearing": Out(1),
                "busy": Out(1),
                "done": Out(1),
                "in_range": Out(1),
                "take": In(1),
                "first": Out(len(FLAGS)),
                "second": Out(len(FLAGS)),
                "advance": In(1),
                "rewind": In(1),
                "bits": Out(HALVES),
                **({"agrees": Out(1)} if self.checked else {}),
            }
        )

    def elaborate(self, platform: Any) -> Module:
        """Memories, by turns swept, loaded, computed with and served."""
        m = Module()
        self._state = Signal(_State, name="state", init=_State.SWEEP)
        self._curve = Signal(range(len(self.splits)), name="curve")
        self._plain, self._later = Signal(name="is_plain"), Signal(name="is_later")
        longest = max(self.depth, *self._loads, *self._split_cycles, self.review)
        self._index = Signal(range(longest), name="index")
        m.submodules.words = words = Memory(shape=SPLIT_WORD, depth=self.memory, init=[])
        self._write, self._read = words.write_port(), words.read_port(domain="comb")
        self._address = Signal(range(self.depth), name="address")
        self._target = Signal(range(self.memory + 1), name="target")
        self._half_target = Signal(range(self.half + 1), name="half_target")
        self._lowest = Signal(name="lowest")
        m.d.comb += [
            self._write.addr.eq(self._address),
            self.busy.eq(~self._state.matches(_State.IDLE, _State.SERVE)),
            self.clearing.eq(self._state == _State.SWEEP),
        ]
        with m.Switch(self._state):
            with m.Case(_State.SWEEP):
                m.d.comb += [
                    self._address.eq(self._index),
                    self._write.en.eq(self._index < self.memory),
                    self._write.data.eq(self._index == 0),
                ]
                self._next(m, self.depth, _State.IDLE)
            with m.Case(_State.IDLE, _State.SERVE), m.If(self.start):
                m.d.sync += [
                    self._state.eq(_State.LOAD),
                    self.in_range.eq(1),
                    self._plain.eq(self.plain),
                    self._later.eq(self.later),
                ]
                if len(self.splits) > 1:
                    m.d.sync += self._curve.eq(self.select)
            with m.Case(_State.LOAD):
                self._load(m)
        self._serve(m, *self._compute(m))
        return m

    def _own(self, numbers: Sequence[int]) -> Value:
        """The number of the program that is gone through."""
        return selected(numbers, self._plain)

    def _of_curve(self, numbers: Sequence[int], plain: Sequence[int]) -> Value:
        """The number of the curve, or its ``plain`` one."""
        pairs = zip(numbers, plain, strict=True)
        return selected([own for pair in pairs for own in pair], Cat(self._plain, self._curve))

    def _next(self, m: Module, end: Value | int, state: Any) -> None:
        """Count up to ``end``, then start again in ``state``."""
        m.d.sync += self._index.eq(self._index + 1)
        with m.If(self._index == end - 1):
            m.d.sync += [self._index.eq(0), self._state.eq(state)]

    def _load(self, m: Module) -> None:
        """A word of k or of a random number in two halves, the lower one as it comes."""
        index, upper = self._index, Signal(SPLIT_WORD, name="upper")
        place, is_upper = index[1:], index[0]
        is_scalar = place < self.words
        word, valid = Signal(WORD, name="word"), Signal(name="valid")
        m.d.comb += [
            self.scalar.ready.eq(is_scalar & ~is_upper),
            self.random.ready.eq(~is_scalar & ~is_upper),
            valid.eq(Mux(is_scalar, self.scalar.valid, self.random.valid)),
            word.eq(Mux(is_scalar, self.scalar.payload, self._masked(place))),
            self._address.eq(index + 1),
            self._write.data.eq(Mux(is_upper, upper, word[:SPLIT_WORD])),
            self._write.en.eq(is_upper | valid),
        ]
        m.d.sync += upper.eq(Mux(is_upper, 0, word[SPLIT_WORD:]))
        with m.If(self._write.en):
            self._next(m, self._own(self._loads), _State.SPLIT)
        with m.If(is_scalar & self.scalar.valid & ~is_upper):
            with m.If(place == 0):
                m.d.sync += self._lowest.eq(self.scalar.payload[0])
            bits = [split.bits if split else 0 for split in self.splits]
            mask = bits_above(place, bits, self._curve)
            m.d.sync += self.in_range.eq(self.in_range & ~(self.scalar.payload & mask).any())

    def _masked(self, place: Value) -> Value:
        """A random word, as far as it belongs to r1, r2 or r."""
        count, halves, wholes = self.program.random // 2, [0], [0]
        if self.random_words:
            halves = [split.random_bits if split else 0 for split in self.splits]
            wholes = [split.whole_bits if split else 0 for split in self.splits]
        second, third = self.words + count, self.words + 2 * count
        above = Mux(
            place < third,
            bits_above(place - Mux(place < second, self.words, second), halves, self._curve),
            bits_above(place - third, wholes, self._curve),
        )
        return self.random.payload & ~above

    def _compute(self, m: Module) -> tuple[Value, Value]:
        """The steps, one a cycle; the words that their columns give, to the memory or the halves.

        Returns:
            The word, and whether it is one of k1 and one of k2, as two bits.
        """
        runs, step = self._fetch(m)
        product = self._multiply(m, runs, step)
        ends, finishes = (
            delayed(m, runs & flag, _PRODUCT, name)
            for flag, name in ((step.ends, "ends"), (step.finishes, "finishes"))
        )
        target = delayed(m, Mux(runs, step.target, Target.NOTHING), _PRODUCT, "target_kind")
        partial = Signal(
            2 * SPLIT_WORD + max(own.longest for own in self.programs).bit_length(), name="partial"
        )
        total = Signal.like(partial, name="total")
        m.d.comb += total.eq(partial + product)
        m.d.sync += partial.eq(Mux(ends, Mux(finishes, 0, total[SPLIT_WORD:]), total))
        # Numbers lie one behind the other, but for k1 and k2, each in a memory of its own.
        stored = target == Target.MEMORY
        mine = Cat(target == own for own in (Target.FIRST, Target.SECOND))
        m.d.sync += [
            self._target.eq(self._target + stored),
            self._half_target.eq(Mux(finishes, 0, self._half_target + mine.any())),
        ]
        with m.If(self._state == _State.SPLIT):
            m.d.comb += [
                self._address.eq(self._target),
                self._write.data.eq(Cat(self._parity(total[0]), total[1:SPLIT_WORD])),
                self._write.en.eq(stored),
            ]
            waits = self._plain & ~self._later
            ready = _State.SERVE
            if self.checked:
                ready = Mux(self._plain, _State.SERVE, _State.REVIEW)
            self._next(m, self._own(self._split_cycles), Mux(waits, _State.IDLE, ready))
        with m.Else():
            given = self._own([own.given for own in self.programs])
            m.d.sync += [partial.eq(0), self._target.eq(given)]
        return total[:SPLIT_WORD], mine

    def _parity(self, bit: Value) -> Value:
        """The lowest bit of a word, or, of d1 and d2, the one that makes halves odd."""
        is_odd = self._plain if len(self.programs) > 1 else Const(1)
        for index, address in enumerate(self.programs[-1].parities):
            pairs = [own.parities[index] if own else (0, 0) for own in self.plain_splits]
            fixed, follows = (selected(own, self._curve) for own in zip(*pairs, strict=True))
            replaced = fixed ^ (self._lowest & follows)
            bit = Mux(is_odd & (self._target == address), replaced, bit)
        return bit

    def _fetch(self, m: Module) -> tuple[Value, Any]:
        """Whether there is a step, and the step."""
        steps = [step for own in self.programs for step in own.steps]
        layout = data.StructLayout(
            {
                "word": range(self.memory),
                "constant": range(max(own.count for own in self.programs)),
                "ends": 1,
                "finishes": 1,
                "target": range(len(Target)),
            }
        )
        init = [
            {
                "word": step.word,
                "constant": step.constant,
                "ends": int(step.ends),
                "finishes": int(step.finishes),
                "target": int(step.target),
            }
            for step in steps
        ]
        m.submodules.steps = memory = Memory(shape=layout, depth=len(steps), init=init)
        read, runs = memory.read_port(domain="sync"), Signal(name="runs")
        counts = [len(own.steps) for own in self.programs]
        is_step = self._index < self._own(counts)
        # The steps of a second program come after those of the first.
        start = self._own([sum(counts[:index]) for index in range(len(counts))])
        m.d.comb += read.addr.eq(Mux(is_step, start + self._index, 0))
        m.d.sync += runs.eq((self._state == _State.SPLIT) & is_step)
        return runs, read.data

    def _multiply(self, m: Module, runs: Value, step: Any) -> Value:
        """The product of a step; of nothing where there is none, so that no word stays inside."""
        m.submodules.multiplier = multiplier = Multiplier(SPLIT_WORD + 1, SPLIT_WORD + 1)
        pairs = zip(self.splits, self.plain_splits, strict=True)
        lines = [
            program.constants(split)
            for pair in pairs
            for program, split in zip(self.programs, pair, strict=False)
        ]
        row = Cat(self._plain, self._curve) if len(self.programs) > 1 else self._curve
        column = Mux(runs, step.constant, 0)
        constant = constant_table(m, "constants", lines, SPLIT_WORD, row, column)
        m.d.comb += [
            self._read.addr.eq(Mux(runs, step.word, 0)),
            multiplier.left.eq(Mux(runs, self._read.data, 0)),
            multiplier.right.eq(Mux(runs, constant, 0)),
        ]
        product: Value = multiplier.product[: 2 * SPLIT_WORD]
        return product

    def _serve(self, m: Module, given: Value, mine: Value) -> None:
        """The bits of all halves at a position that counts down, and what is made of them."""
        place = Signal(range(SPLIT_WORD * self.half), name="place")
        serves, ready = self._state == _State.SERVE, Signal(name="ready")
        split = (self._state == _State.SPLIT) & (self._index == self._own(self._split_cycles) - 1)
        reviews, reviewed = self._reviews(m) if self.checked else (Const(0), Const(0))
        ends = Mux(self._plain, split, reviewed) if self.checked else split
        m.d.sync += [ready.eq(ends), self.done.eq(ready)]
        # The place of a bit in its word, which comes a cycle later than that of the word.
        within = Signal(_PLACE, name="place_within")
        m.d.comb += within.eq(place)
        if self.checked:
            before = Signal(_PLACE, name="place_before")
            m.d.sync += before.eq(place)
            with m.If(delayed(m, reviews, 1, "reviews")):
                m.d.comb += within.eq(before)
        for index in range(HALVES):
            scalar, half = divmod(index, 2)
            takes = mine[half] & (self._later == scalar)
            self._half(m, index, place, within, reviews, given, takes)
        recoders = [DigitRecoder(self._served) for _ in range(2)]
        for recoder, name, bit in zip(recoders, _NAMES, self.bits, strict=False):
            m.submodules[f"{name}_recoder"] = recoder
            m.d.comb += [
                recoder.start.eq(self.done),
                recoder.plain.eq(self._plain),
                recoder.take.eq(self.take),
                recoder.bit.eq(bit),
            ]
            if len(self.splits) > 1:
                m.d.comb += recoder.select.eq(self._curve)
        chosen = Signal(len(FLAGS), name="chosen")
        m.d.sync += chosen.eq(selected(_ENTRIES, self.bits))
        first, second = recoders
        m.d.comb += [
            self.first.eq(Mux(self._plain, chosen, first.flags)),
            self.second.eq(second.flags),
        ]
        # Both recoders take as many bits at the same time.
        asks = Mux(self._plain, self.take | self.advance, first.advance)
        if self.checked:
            self._compare(m, reviews, first.advance & serves & ~self._plain)
        with m.If(~(serves | reviews) | reviewed | self.rewind):
            highest = [max(served - 1, 0) for served in self._served]
            plain = [half_bits(split) - 1 if split else 0 for split in self.plain_splits]
            m.d.sync += place.eq(self._of_curve(highest, plain))
        with m.Elif((asks | reviews) & (place != 0)):
            m.d.sync += place.eq(place - 1)

    def _reviews(self, m: Module) -> tuple[Value, Value]:
        """Whether all bits are gone through before they are served, and the last cycle of that."""
        reviews = self._state == _State.REVIEW
        with m.If(reviews):
            self._next(m, self.review, _State.SERVE)
        return reviews, reviews & (self._index == self.review - 1)

    def _compare(self, m: Module, reviews: Value, served: Value) -> None:
        """Sum up the bits of k1 and k2 as they are gone through, and as they are ``served``."""
        sums = [Signal(signature_register.WIDTH, name=f"{name}_sum") for name in ("own", "served")]
        seen = reviews
        if len(set(self._reviewed)) > 1:
            seen &= self._index < selected(self._reviewed, self._curve)
        # A bit comes so long after its place, which comes a cycle after what asks for it.
        events = delayed(m, seen, BIT_LATENCY - 1, "seen"), served
        starts = self.start & self._state.matches(_State.IDLE, _State.SERVE)
        for total, event in zip(sums, events, strict=True):
            signature_register.record(m, total, self.bits[:2], event, starts)
        own, used = sums
        m.d.comb += self.agrees.eq(self._plain | (own == used))

    def _half(
        self,
        m: Module,
        index: int,
        place: Value,
        within: Value,
        reviews: Value,
        given: Value,
        takes: Value,
    ) -> None:
        """The memory of a half, and its bit at a place, a cycle later ``within`` its word."""
        name = _NAMES[index]
        reads = (self._state == _State.SERVE) | reviews
        m.submodules[f"{name}_half"] = memory = Memory(shape=SPLIT_WORD, depth=self.half, init=[])
        write, read = memory.write_port(), memory.read_port(domain="comb")
        word, bit = Signal(SPLIT_WORD, name=f"{name}_word"), Signal(name=f"{name}_bit")
        m.d.comb += [
            write.addr.eq(Mux(self.clearing, self._index, self._half_target)),
            write.data.eq(Mux(self.clearing, 0, given)),
            write.en.eq((self.clearing & (self._index < self.half)) | takes),
            read.addr.eq(place[_PLACE:]),
            self.bits[index].eq(bit),
        ]
        m.d.sync += [
            word.eq(Mux(reads, read.data, 0)),
            bit.eq(reads & word.bit_select(within, 1)),
        ]
