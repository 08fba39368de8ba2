"""R2MM: a bit of Y a cycle, all bits of X and p at once; a base line for IDDMM."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from amaranth.hdl import Cat, Const, Module, Mux, Signal, Value

from residua.hardware.digit.multiplier import DigitComponent
from residua.hardware.digit.shape import DigitStreams
from residua.numbers.digits import DigitDomain, DigitShape


@dataclass(frozen=True)
class R2mmDesign:
    """Design of an R2MM multiplier.

    Attributes:
        shape: N and the variant, with digits of one bit.
        domain: the modulus, None if it is loaded at run time.
        width: bits of a word of the streams.
    """

    shape: DigitShape
    domain: DigitDomain | None
    width: int

    @cached_property
    def streams(self) -> DigitStreams:
        """The numbers that go in and out."""
        words = -(-self.shape.operand_bits // self.width)
        return DigitStreams(self.shape, self.width, 1, words, words, self.domain)

    @property
    def subtracts(self) -> bool:
        """Whether a cycle of its own subtracts p."""
        return self.shape.variant == "subtract"

    @property
    def compute(self) -> int:
        """Cycles of all iterations."""
        return self.shape.iterations

    @property
    def interval(self) -> int:
        """Cycles between results when neither stream waits; operands come after a result."""
        return 3 * self.streams.words + self.compute + self.subtracts

    @property
    def latency(self) -> int:
        """Cycles from the last operand word to the last result word, without waits."""
        return self.compute + self.subtracts + self.streams.words

    @property
    def multipliers(self) -> int:
        """Number of multipliers: 0, as steps are additions."""
        return 0

    def component(self) -> "R2mm":
        """A new component."""
        return R2mm(self)


class R2mm(DigitComponent):
    """A Montgomery multiplier on streams of words; interface and contract of `Iddmm`.

    It holds one product at a time: the next operands are taken when the result has left.
    """

    def __init__(self, design: R2mmDesign) -> None:
        self.design = design
        super().__init__(design)

    def elaborate(self, platform: Any) -> Module:
        """Registers as long as the numbers, two adders, and a state machine."""
        m = Module()
        shape, words = self.design.shape, self.design.streams.words
        whole = self.design.width * words
        x, y = (Signal(whole, name=name, reset_less=True) for name in "xy")
        s = Signal(max(whole, shape.operand_bits + 1), name="s", reset_less=True)
        taken = Signal(range(2 * words), name="words_taken")
        bits, left = Signal(range(shape.iterations), name="bit"), Signal(range(words), name="word")
        p, loaded = self._modulus(m, taken == 0)
        with m.FSM(name="state"):
            with m.State("TAKE"):
                m.d.comb += self.operands.ready.eq(loaded)
                with m.If(self.operands.valid & loaded):
                    # X passes through the register of Y.
                    m.d.sync += Cat(x, y).eq(Cat(x, y, self.operands.payload)[self.design.width :])
                    m.d.sync += [taken.eq(taken + 1), s.eq(0), bits.eq(0)]
                    with m.If(taken == 2 * words - 1):
                        m.d.sync += taken.eq(0)
                        m.next = "MULTIPLY"
            with m.State("MULTIPLY"):
                total = s + Mux(y[0], x, 0)
                m.d.sync += [
                    s.eq((total + Mux(total[0], p, 0))[1:]),
                    y.eq(y[1:]),
                    bits.eq(bits + 1),
                    left.eq(0),
                ]
                with m.If(bits == shape.iterations - 1):
                    m.next = "SUBTRACT" if self.design.subtracts else "GIVE"
            if self.design.subtracts:
                with m.State("SUBTRACT"):
                    difference = Signal(len(s) + 1, name="difference")
                    m.d.comb += difference.eq(s - p)
                    m.d.sync += s.eq(Mux(difference[-1], s, difference))
                    m.next = "GIVE"
            with m.State("GIVE"):
                m.d.comb += [
                    self.result.valid.eq(1),
                    self.result.payload.word.eq(s),
                    self.result.payload.last.eq(left == words - 1),
                ]
                with m.If(self.result.ready):
                    m.d.sync += [s.eq(s >> self.design.width), left.eq(left + 1)]
                    with m.If(left == words - 1):
                        m.next = "TAKE"
        return m

    def _modulus(self, m: Module, idle: Value) -> tuple[Value, Value]:
        """p, and whether it is there."""
        streams = self.design.streams
        if streams.domain is not None:
            return Const(streams.domain.modulus, streams.shape.bits), Const(1, 1)
        width, words = streams.width, streams.modulus_words
        p = Signal(width * words, name="p", reset_less=True)
        loaded, position = Signal(name="loaded"), Signal(range(words), name="position")
        m.d.comb += self.modulus.ready.eq(idle & self.operands.ready | ~loaded)
        with m.If(self.modulus.valid & self.modulus.ready):
            m.d.sync += [p.eq(Cat(p, self.modulus.payload)[width:]), position.eq(position + 1)]
            m.d.sync += loaded.eq(0)
            with m.If(position == 0):
                m.d.sync += self.modulus_error.eq(~self.modulus.payload[0])
            with m.If(position == words - 1):
                odd = self.modulus.payload[0] if words == 1 else ~self.modulus_error
                m.d.sync += [position.eq(0), loaded.eq(odd)]
        return p, loaded
