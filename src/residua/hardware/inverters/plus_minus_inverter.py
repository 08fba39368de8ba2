"""Plus-minus inversion in hardware: rowers, a Cox that tells tags, and the loop that follows them.

An operation takes ``period`` cycles: V3 in the first, V1 in the second, while the Cox looks at V3;
its tag decides what the next operation does. Binary words become residues, and residues binary
words, by the same adders, two bits an operation: X = d + 4 X' is taken in as X' / 4 + d 4^(L-1),
from the lowest digit on, and V1 is given out as V1 mod 4 and the rest.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum
from functools import cached_property
from typing import Any

from amaranth.hdl import Cat, Const, Module, Mux, Signal, Value, signed
from amaranth.lib.wiring import Component

from residua.algorithms.plus_minus import sufficient_steps
from residua.errors import SpecificationError
from residua.hardware.inverters.plus_minus_cox import PlusMinusCox
from residua.hardware.inverters.plus_minus_rower import Mode, PlusMinusRower
from residua.hardware.inverters.streams import ModulusWords, OperandCheck, inverter_ports
from residua.machines.plus_minus import HatWords, PlainNumbers
from residua.numbers.hats import HatForm


@dataclass(frozen=True)
class PlusMinusDesign:
    """Design of a plus-minus inverter; see `PlusMinusInverter`.

    With ``padded`` every inversion takes as long as the longest one could. ``cox_registers`` lie in
    the Cox, each of which makes an operation a cycle longer.

    Raises:
        SpecificationError: P is too small, or the registers are fewer than 0.
    """

    form: HatForm
    padded: bool = False
    cox_registers: int = 0

    def __post_init__(self) -> None:
        PlainNumbers(self.modulus)
        if self.cox_registers < 0:
            raise SpecificationError(f"a Cox has 0 registers or more, not {self.cox_registers}")

    @property
    def modulus(self) -> int:
        """P."""
        return self.form.modulus

    @property
    def width(self) -> int:
        """Bits of a word of the streams, w."""
        return self.form.base.width

    @property
    def words(self) -> int:
        """Words of an operand and of a result."""
        return -(-self.modulus.bit_length() // self.width)

    @property
    def digits(self) -> int:
        """L, digits of two bits in an operand."""
        return -(-self.words * self.width // 2)

    @property
    def period(self) -> int:
        """Cycles of an operation."""
        return 2 + self.cox_registers

    @cached_property
    def model(self) -> HatWords:
        """The words that the rowers hold."""
        return HatWords(self.form, self.digits)

    @property
    def most_steps(self) -> int:
        """Steps that no operand exceeds."""
        return sufficient_steps(self.modulus.bit_length())

    @property
    def frame(self) -> int:
        """Cycles from the last operand word to the last result word, besides the steps."""
        loading = 2 * (self.digits - 1) + self.period
        return 1 + loading + self.digits * self.period + 1 + self.words

    @property
    def refusal(self) -> int:
        """Cycles for an operand that has no place, unless ``padded``."""
        return 1 + self.words

    def latency(self, steps: int) -> int:
        """Cycles from the last operand word to the last result word, of an operand with inverse."""
        return self.frame + (self.most_steps if self.padded else steps) * self.period

    @property
    def longest(self) -> int:
        """The latency that no operand exceeds."""
        return self.latency(self.most_steps)

    @property
    def wake(self) -> int:
        """Cycles from the end of a reset to the first in which a word of an operand is taken."""
        return 0

    @property
    def turns(self) -> int:
        """Places that results stand in by turns: there is one."""
        return 1

    @property
    def pause(self) -> int:
        """Cycles from the last word of a result to the last one of an operand right behind it."""
        return self.words

    @property
    def fewest(self) -> int:
        """The latency of x = 1, which needs no step."""
        return self.latency(0)

    def cycles(self, x: int) -> int | None:
        """Cycles from the last operand word to the last result word; None if x fails late.

        Late is what shares a factor with P, and is refused when V3 is 0.
        """
        if self.padded:
            return self.longest
        if not 0 < x < self.modulus:
            return self.refusal
        try:
            return self.latency(len(PlainNumbers(self.modulus).reduction(x).steps))
        except SpecificationError:
            return None

    def component(self) -> "PlusMinusInverter":
        """A new component of the design."""
        return PlusMinusInverter(self)


class _State(IntEnum):
    """States of the inverter: takes words, begins, loads, reduces, waits, unloads, hands out."""

    INPUT = 0
    BEGIN = 1
    LOAD = 2
    REDUCE = 3
    WAIT = 4
    UNLOAD = 5
    OUTPUT = 6


class PlusMinusInverter(Component):
    """1 / x modulo P, on streams of words, the lowest first.

    ``operands`` takes the words of x. ``result`` hands out as many, of a number in [0, P), ``last``
    with the highest; all have ``error`` set, and a word of no meaning, if x has no inverse: if it
    is 0, P or more, or shares a factor with P. The next operand is taken after the last word.

    From the last operand word to the last result word it takes ``design.latency`` cycles if the
    result does not have to wait; unless the design is ``padded`` that depends on x.
    """

    def __init__(self, design: PlusMinusDesign) -> None:
        self.design = design
        super().__init__(inverter_ports(design.width))

    def elaborate(self, platform: Any) -> Module:
        """Loop, rowers, Cox, binary numbers."""
        m = Module()
        self._signals()
        rowers, cox = self._datapath(m)
        self._operand(m)
        self._phases(m)
        self._decide(m, cox)
        self._choose_v3(m, cox)
        self._choose_v1(m, cox)
        self._binary(m, cox)
        for rower in rowers:
            m.d.comb += [
                rower.mode.eq(self._mode),
                rower.amount.eq(self._amount),
                rower.exchange.eq(self._exchange),
                rower.go.eq(self._go),
                rower.clear.eq(self._is(_State.INPUT)),
            ]
        return m

    def _signals(self) -> None:
        design = self.design
        self._state = Signal(_State, name="state")
        self._phase = Signal(range(design.period), name="phase")
        self._mode = Signal(3, name="mode")
        self._amount = Signal(2, name="amount")
        self._exchange, self._go = Signal(name="exchange"), Signal(name="go")
        # The operation that is under way, and the tags of U3 and U1.
        self._kind = Signal(3, name="kind")
        self._exchanging = Signal(name="exchanging")
        self._tag_u3, self._tag_u1 = Signal(2, name="tag_u3"), Signal(2, name="tag_u1")
        # The lead v - u, less 1/2: from 0 on V and U change places.
        lead = design.modulus.bit_length() + 3
        self._lead = Signal(signed(lead.bit_length() + 1), name="lead")
        self._count = Signal(range(max(design.digits, design.most_steps) + 1), name="count")
        self._word = Signal(range(max(design.words, 2)), name="word")
        self._failed, self._negate = Signal(name="failed"), Signal(name="negate")
        self._turn, self._taken = Signal(name="turn"), Signal(name="taken")
        self._ends, self._left = Signal(name="ends"), Signal(name="left")

    def _is(self, *states: _State) -> Value:
        return Cat(self._state == state for state in states).any()

    def _datapath(self, m: Module) -> tuple[Sequence[PlusMinusRower], PlusMinusCox]:
        design = self.design
        cox = PlusMinusCox(design.form, design.cox_registers)
        m.submodules.cox = cox
        rowers = []
        for channel in range(len(design.form.base)):
            rower = PlusMinusRower(design.model, channel)
            m.submodules[f"rower_{channel}"] = rower
            m.d.comb += [
                cox.leading[channel].eq(rower.leading),
                cox.low[channel].eq(rower.low),
                cox.channel_tests[channel].eq(rower.tests),
            ]
            rowers.append(rower)
        return rowers, cox

    def _phases(self, m: Module) -> None:
        """Phases of an operation; ``turn`` is the last one, in which the next is chosen."""
        running = self._is(_State.LOAD, _State.REDUCE, _State.WAIT, _State.UNLOAD)
        more = self._is(_State.LOAD) & (self._count != 0)
        last = Mux(more, self._phase == 1, self._phase == self.design.period - 1)
        m.d.comb += self._turn.eq(running & last)
        with m.If(running):
            m.d.sync += self._phase.eq(Mux(last, 0, self._phase + 1))

    def _decide(self, m: Module, cox: PlusMinusCox) -> None:
        """Go from one state to the next."""
        design, state = self.design, self._state
        m.d.comb += [
            self._ends.eq(cox.tests.any() | self._failed),
            self._left.eq(self._count == 0),
        ]
        with m.Switch(state):
            with m.Case(_State.BEGIN):
                m.d.sync += [
                    self._failed.eq(self._check.refused),
                    self._phase.eq(0),
                    self._count.eq(design.digits - 1),
                    state.eq(_State.LOAD),
                ]
                if not design.padded:
                    with m.If(self._check.refused):
                        m.d.sync += state.eq(_State.OUTPUT)
            with m.Case(_State.LOAD), m.If(self._turn):
                m.d.sync += self._count.eq(self._count - 1)
                with m.If(self._left):
                    m.d.sync += [state.eq(_State.REDUCE), self._count.eq(self._budget)]
                    self._end(m, cox)
            with m.Case(_State.REDUCE), m.If(self._turn):
                m.d.sync += self._count.eq(self._count - 1)
                self._end(m, cox)
            with m.Case(_State.WAIT), m.If(self._turn):
                m.d.sync += self._count.eq(self._count - 1)
                with m.If(self._left):
                    self._unload(m)
            with m.Case(_State.UNLOAD), m.If(self._phase == 0):
                m.d.sync += self._count.eq(self._count - 1)
                with m.If(self._left):
                    m.d.sync += state.eq(_State.OUTPUT)

    @property
    def _budget(self) -> int:
        """Operations that follow, if all take as many."""
        return self.design.most_steps - 1

    def _end(self, m: Module, cox: PlusMinusCox) -> None:
        """Unload a reduced operand, or wait first."""
        with m.If(self._ends):
            m.d.sync += [
                self._negate.eq(cox.tests[1]),
                self._failed.eq(self._failed | cox.tests[2]),
            ]
            if self.design.padded:
                m.d.sync += self._state.eq(_State.WAIT)
                with m.If(self._at_once):
                    self._unload(m)
            else:
                self._unload(m)
                with m.If(cox.tests[2]):
                    m.d.sync += self._state.eq(_State.OUTPUT)

    def _unload(self, m: Module) -> None:
        m.d.sync += [self._state.eq(_State.UNLOAD), self._count.eq(self.design.digits)]

    def _choose_v3(self, m: Module, cox: PlusMinusCox) -> None:
        """Choose the next operation on V3, from its tag, and the exchange of both pairs."""
        odd, adds = cox.tag[0], Signal(name="adds")
        load = self._is(_State.BEGIN) | (self._is(_State.LOAD) & ~self._left)
        reduces = self._is(_State.LOAD, _State.REDUCE) & ~self._ends
        chosen, exchange = Signal(3, name="chosen"), Signal(name="exchange_v3")
        m.d.comb += [
            adds.eq((cox.tag ^ self._tag_u3)[1]),
            exchange.eq(~load & odd & (self._lead >= 0)),
        ]
        with m.If(load):
            m.d.comb += chosen.eq(Mode.LOAD)
        with m.Elif(odd):
            m.d.comb += chosen.eq(Mux(adds, Mode.ADD, Mode.SUBTRACT))
        with m.Else():
            m.d.comb += chosen.eq(Mux(cox.tag[1], Mode.HALVE, Mode.QUARTER))
        with m.If(self._turn | self._is(_State.BEGIN)):
            moves = load | reduces | self._unloads
            m.d.comb += [
                self._mode.eq(chosen),
                self._amount.eq(Mux(load, self._buffer[:2], 0)),
                self._exchange.eq(exchange),
                self._go.eq(moves),
            ]
            m.d.sync += [self._kind.eq(chosen), self._exchanging.eq(exchange)]
        with m.If(self._is(_State.BEGIN)):
            m.d.sync += [self._tag_u3.eq(self.design.modulus % 4), self._lead.eq(-1)]
        with m.Elif(self._turn & reduces & ~load):
            grown = Mux(odd, 1, Mux(cox.tag[1], 1, 2))
            # An exchange makes -x of x.
            m.d.sync += self._lead.eq(Mux(exchange, ~self._lead, self._lead) + grown)
            with m.If(exchange):
                m.d.sync += self._tag_u3.eq(cox.tag)

    @property
    def _unloads(self) -> Value:
        """Whether, in the last phase, the next operation unloads."""
        unloads = self._is(_State.UNLOAD) | (self._is(_State.WAIT) & self._left)
        return unloads | (self._ends & self._at_once)

    @property
    def _at_once(self) -> Value:
        """Whether an end is followed by unloading."""
        if self.design.padded:
            return self._is(_State.REDUCE) & self._left
        return self._is(_State.LOAD, _State.REDUCE)

    def _choose_v1(self, m: Module, cox: PlusMinusCox) -> None:
        """Choose the operation on V1 in the first phase: that of V3, with its own multiple."""
        tag = Signal(2, name="tag_sum")
        m.d.comb += tag.eq(cox.tag)
        with m.Switch(self._kind):
            with m.Case(Mode.ADD):
                m.d.comb += tag.eq(cox.tag + self._tag_u1)
            with m.Case(Mode.SUBTRACT):
                m.d.comb += tag.eq(cox.tag - self._tag_u1)
        # k P with k odd: P if tag + P is divisible by 4, else -P, which is 3 P modulo 4.
        plus = Const(4 - self.design.modulus % 4, 2)
        odd = Mux(tag == plus, 1, 3)
        first = self._phase == 0
        with m.If(first & self._is(_State.LOAD)):
            m.d.comb += [self._mode.eq(Mode.LOAD), self._go.eq(1)]
        with m.Elif(first & self._is(_State.REDUCE)):
            halves = self._kind == Mode.HALVE
            m.d.comb += [
                self._mode.eq(self._kind),
                self._amount.eq(Mux(halves, tag[0], Mux(tag[0], odd, tag))),
                self._exchange.eq(self._exchanging),
                self._go.eq(1),
            ]
            with m.If(self._exchanging):
                m.d.sync += self._tag_u1.eq(cox.tag)
        with m.Elif(first & self._is(_State.UNLOAD)):
            m.d.comb += [self._mode.eq(Mode.UNLOAD), self._amount.eq(cox.tag), self._go.eq(1)]
        with m.If(self._is(_State.BEGIN)):
            m.d.sync += self._tag_u1.eq(0)

    def _operand(self, m: Module) -> None:
        """The register that words and digits pass through, P beside it, and the check."""
        design = self.design
        self._buffer = Signal(2 * design.digits, name="buffer", reset_less=True)
        self._modulus = ModulusWords(design.modulus, design.words, design.width, self._word).word
        m.d.comb += [
            self.operands.ready.eq(self._is(_State.INPUT)),
            self._taken.eq(self.operands.valid & self.operands.ready),
        ]
        self._check = OperandCheck(
            m, self.operands.payload, self._modulus, self._taken, self._word == 0
        )

    def _binary(self, m: Module, cox: PlusMinusCox) -> None:
        """Words in, digits out, digits in, words out; V1 or -V1, and P added to it below 0."""
        design, width, buffer = self.design, self.design.width, self._buffer
        # -V1 is ~V1 + 1, digit by digit.
        digit, carry = Signal(2, name="digit"), Signal(name="digit_carry")
        m.d.comb += digit.eq(Mux(self._negate, ~cox.tag + carry, cox.tag))
        below, borrow = Signal(name="below_zero"), Signal(name="word_carry")
        total = Signal(width + 1, name="word_sum")
        m.d.comb += total.eq(buffer[:width] + Mux(below, self._modulus, 0) + borrow)
        given, tells = Signal(name="given"), Signal(name="tells")
        m.d.comb += [
            given.eq(self.result.valid & self.result.ready),
            tells.eq(self._is(_State.UNLOAD) & (self._phase == 0)),
        ]
        loads = self._is(_State.BEGIN) | (self._turn & self._is(_State.LOAD))
        with m.If(self._taken):
            rest = Cat(buffer[: design.words * width], self.operands.payload)
            m.d.sync += buffer.eq(rest[width:])
        with m.Elif(given):
            m.d.sync += buffer.eq(buffer[width:])
        with m.Elif((tells & ~self._left) | loads):
            m.d.sync += buffer.eq(Cat(buffer[2:], digit))
        with m.If(self._is(_State.BEGIN)):
            m.d.sync += carry.eq(1)
        with m.Elif(tells):
            m.d.sync += [
                carry.eq(carry & (cox.tag == 0)),
                below.eq(cox.tag[1] ^ self._negate),
                borrow.eq(0),
            ]
        with m.Elif(given):
            m.d.sync += borrow.eq(total[-1])
        last = self._word == design.words - 1
        with m.If(self._taken | given):
            m.d.sync += self._word.eq(Mux(last, 0, self._word + 1))
            with m.If(last):
                takes = self._is(_State.INPUT)
                m.d.sync += self._state.eq(Mux(takes, _State.BEGIN, _State.INPUT))
        m.d.comb += [
            self.result.valid.eq(self._is(_State.OUTPUT)),
            self.result.payload.word.eq(total),
            self.result.payload.last.eq(last),
            self.result.payload.error.eq(self._failed),
        ]
