"""Half scalars: the digits of both halves of a scalar, which an endomorphism makes.

One multiplier of words goes through the steps of
`residua.hardware.coprocessor.split_program`, the same ones for every scalar.
"""

from collections.abc import Sequence
from typing import Any

from amaranth.hdl import Cat, Module, Mux, Signal, Value
from amaranth.lib import data, enum, stream
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import Component, In, Out

from residua.curves.endomorphism.split import Split
from residua.hardware.constant_table import constant_table, selected, selector
from residua.hardware.coprocessor.digit_recoder import FLAGS, DigitRecoder
from residua.hardware.coprocessor.scalar_unit import WORD, bits_above
from residua.hardware.coprocessor.split_program import SPLIT_WORD, SplitProgram, Target
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
    SERVE = 4


class HalfScalars(Component):
    """Takes a scalar k of ``words`` words and gives the digits of its halves, the highest first.

    ``splits`` are the halves of the scalars of each curve, None for a curve whose scalars are not
    halved.

    ``start`` takes the index of the curve from ``select`` (a port that is only there if there are
    several) and begins: ``words`` words of k are taken from ``scalar``, the lowest first, then, if
    scalars are blinded, ``random_words`` from ``random``, those of r1, of r2 and of r. ``done`` is
    set for one cycle when the halves are ready. From then on ``in_range`` tells whether k has no
    more bits than the curve allows, ``first`` and ``second`` are the flags of a digit of k1 and of
    k2, in the order of `residua.hardware.coprocessor.digit_recoder.FLAGS`. The first digits come as
    after the start of a `DigitRecoder`; ``take`` asks for the next ones. ``start`` is ignored while
    ``busy`` is set.

    ``latency`` is the number of cycles from ``start`` to ``done`` when neither stream waits. It
    depends on nothing but the design. A reset wipes all words; meanwhile ``clearing`` (and
    ``busy``) is set, for ``depth`` cycles.
    """

    def __init__(self, splits: Sequence[Split | None], words: int) -> None:
        self.splits, self.words = tuple(splits), words
        self.program = program = SplitProgram(splits, words)
        self.random_words = program.random + program.whole // 2
        self.depth = max(program.memory, program.half)
        self._loads = 2 * (words + self.random_words)
        self._split_cycles = len(program.steps) + _DRAIN
        # The highest bits come two cycles after the last of these.
        self.latency = 1 + self._loads + self._split_cycles + 1
        super().__init__(
            {
                "start": In(1),
                **selector(len(self.splits)),
                "scalar": In(stream.Signature(WORD)),
                "random": In(stream.Signature(WORD)),
                "clearing": Out(1),
                "busy": Out(1),
                "done": Out(1),
                "in_range": Out(1),
                "take": In(1),
                "first": Out(len(FLAGS)),
                "second": Out(len(FLAGS)),
            }
        )

    def elaborate(self, platform: Any) -> Module:
        """Memories, by turns swept, loaded, computed with and served."""
        m = Module()
        self._state = Signal(_State, name="state", init=_State.SWEEP)
        self._curve = Signal(range(len(self.splits)), name="curve")
        self._index = Signal(range(max(self.depth, self._loads, self._split_cycles)), name="index")
        m.submodules.words = words = Memory(shape=SPLIT_WORD, depth=self.program.memory, init=[])
        self._write, self._read = words.write_port(), words.read_port(domain="comb")
        self._address = Signal(range(self.depth), name="address")
        self._target = Signal(range(self.program.memory + 1), name="target")
        self._half_target = Signal(range(self.program.half + 1), name="half_target")
        m.d.comb += [
            self._write.addr.eq(self._address),
            self.busy.eq(~self._state.matches(_State.IDLE, _State.SERVE)),
            self.clearing.eq(self._state == _State.SWEEP),
        ]
        with m.Switch(self._state):
            with m.Case(_State.SWEEP):
                m.d.comb += [
                    self._address.eq(self._index),
                    self._write.en.eq(self._index < self.program.memory),
                    self._write.data.eq(self._index == 0),
                ]
                self._next(m, self.depth, _State.IDLE)
            with m.Case(_State.IDLE, _State.SERVE), m.If(self.start):
                m.d.sync += [self._state.eq(_State.LOAD), self.in_range.eq(1)]
                if len(self.splits) > 1:
                    m.d.sync += self._curve.eq(self.select)
            with m.Case(_State.LOAD):
                self._load(m)
        self._serve(m, *self._compute(m))
        return m

    def _next(self, m: Module, end: int, state: Any) -> None:
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
            self._next(m, self._loads, _State.SPLIT)
        with m.If(is_scalar & self.scalar.valid & ~is_upper):
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
        partial = Signal(2 * SPLIT_WORD + self.program.longest.bit_length(), name="partial")
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
                self._write.data.eq(total[:SPLIT_WORD]),
                self._write.en.eq(stored),
            ]
            self._next(m, self._split_cycles, _State.SERVE)
        with m.Else():
            m.d.sync += [partial.eq(0), self._target.eq(self.program.given)]
        return total[:SPLIT_WORD], mine

    def _fetch(self, m: Module) -> tuple[Value, Any]:
        """Whether there is a step, and the step."""
        steps = self.program.steps
        layout = data.StructLayout(
            {
                "word": range(self.program.memory),
                "constant": range(self.program.count),
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
        is_step = self._index < len(steps)
        m.d.comb += read.addr.eq(Mux(is_step, self._index, 0))
        m.d.sync += runs.eq((self._state == _State.SPLIT) & is_step)
        return runs, read.data

    def _multiply(self, m: Module, runs: Value, step: Any) -> Value:
        """The product of a step; of nothing where there is none, so that no word stays inside."""
        m.submodules.multiplier = multiplier = Multiplier(SPLIT_WORD + 1, SPLIT_WORD + 1)
        lines = [self.program.constants(split) for split in self.splits]
        column = Mux(runs, step.constant, 0)
        constant = constant_table(m, "constants", lines, SPLIT_WORD, self._curve, column)
        m.d.comb += [
            self._read.addr.eq(Mux(runs, step.word, 0)),
            multiplier.left.eq(Mux(runs, self._read.data, 0)),
            multiplier.right.eq(Mux(runs, constant, 0)),
        ]
        product: Value = multiplier.product[: 2 * SPLIT_WORD]
        return product

    def _serve(self, m: Module, given: Value, mine: Value) -> None:
        """The bits of both halves at a position that counts down, to what makes digits of them."""
        place = Signal(range(SPLIT_WORD * self.program.half), name="place")
        serves, ready = self._state == _State.SERVE, Signal(name="ready")
        highest = [split.served - 1 if split else 0 for split in self.splits]
        counts = [split.served if split else 0 for split in self.splits]
        m.d.sync += [
            ready.eq((self._state == _State.SPLIT) & (self._index == self._split_cycles - 1)),
            self.done.eq(ready),
        ]
        with m.If(~serves):
            m.d.sync += place.eq(selected(highest, self._curve))
        recoders = [DigitRecoder(counts) for _ in range(2)]
        for index, (name, flags) in enumerate((("first", self.first), ("second", self.second))):
            m.submodules[f"{name}_half"] = memory = Memory(
                shape=SPLIT_WORD, depth=self.program.half, init=[]
            )
            write, read = memory.write_port(), memory.read_port(domain="comb")
            m.submodules[f"{name}_recoder"] = recoder = recoders[index]
            word, bit = Signal(SPLIT_WORD, name=f"{name}_word"), Signal(name=f"{name}_bit")
            sweeps = self.clearing & (self._index < self.program.half)
            m.d.comb += [
                write.addr.eq(Mux(self.clearing, self._index, self._half_target)),
                write.data.eq(Mux(self.clearing, 0, given)),
                write.en.eq(sweeps | mine[index]),
                read.addr.eq(place[_PLACE:]),
                recoder.start.eq(self.done),
                recoder.plain.eq(0),
                recoder.take.eq(self.take),
                recoder.bit.eq(bit),
                flags.eq(recoder.flags),
            ]
            m.d.sync += [
                word.eq(Mux(serves, read.data, 0)),
                bit.eq(serves & word.bit_select(place[:_PLACE], 1)),
            ]
            if len(self.splits) > 1:
                m.d.comb += recoder.select.eq(self._curve)
        # Both take as many bits at the same time.
        with m.If(serves & recoders[0].advance & (place != 0)):
            m.d.sync += place.eq(place - 1)
