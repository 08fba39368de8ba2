"""Modular inverter on residues: plus-minus beside an engine, in constant time, no multiplier.

Words come from the engine as it gives them out, in cofactor form over one base, and go back as they
are: 4 x, 4 f and P come, and

    U1, U3    with    U1 U3 = f / x modulo P,    0 if P divides x

go, one after the other; x, f, U1 and U3 lie in [-P, P]. What is left to do is a product, which
makes the sign right as well. See `residua.algorithms.plus_minus.settled` for the steps, of which
there are always as many, and no test.
"""

from collections.abc import Sequence
from enum import IntEnum
from typing import Any

from amaranth.hdl import Array, Cat, Const, Module, Mux, Signal, Value, signed
from amaranth.lib.wiring import Component, In, Out

from residua.algorithms.plus_minus import Kind, settling_steps
from residua.errors import SpecificationError
from residua.hardware.constant_table import selector
from residua.hardware.delay import delayed
from residua.hardware.plus_minus_cox import PlusMinusCox, sum_mod_4
from residua.hardware.residue_inverter_rower import ResidueInverterRower
from residua.machines.plus_minus import PlainNumbers
from residua.numbers.bases import Base
from residua.numbers.hats import HatForm

VECTORS_IN, VECTORS_OUT = 3, 2
"""Vectors of words that an inversion takes and gives."""


class _State(IntEnum):
    """What the inverter does: it waits, takes words, ends taking them, reduces, gives words."""

    IDLE = 0
    TAKE = 1
    TAKEN = 2
    REDUCE = 3
    GIVE = 4


class ResidueInverter(Component):
    """Inversion modulo one of ``moduli`` over ``base``, whose moduli are odd.

    ``start`` begins with the next words on ``residue`` that ``residue_valid`` tells of: those of
    4 x, 4 f and P in cofactor form, channel 0 first, any representatives of w + 1 signed bits. The
    words of U1 and then of U3 leave on ``word`` while ``word_valid`` is set. ``busy`` is set from
    the cycle after ``start`` until the last one has left. ``latency`` is the number of cycles from
    the one in which the last word is there to the last one of ``busy``; it depends on nothing but
    the design. With several moduli ``select`` is the index of P; it must stay while ``busy`` is
    set. ``cox_registers`` lie in the Cox, each of which makes a step a cycle longer.

    Raises:
        SpecificationError: a modulus is even or below 3, one of the base even or above 2^w, or the
            base too small.
    """

    def __init__(self, moduli: Sequence[int], base: Base, cox_registers: int = 0) -> None:
        for modulus in moduli:
            PlainNumbers(modulus)
        self.forms = centred_forms(moduli, base)
        self.cox_registers, self.period = cox_registers, 2 + cox_registers
        self.steps = max(map(settling_steps, moduli))
        self.channels = len(base)
        given = VECTORS_OUT * self.channels + 1
        self.latency = self.period * self.steps + given + 2
        word = signed(base.width + 1)
        super().__init__(
            {
                "start": In(1),
                "residue": In(word),
                "residue_valid": In(1),
                "word": Out(word),
                "word_valid": Out(1),
                "busy": Out(1),
                **selector(len(self.forms)),
            }
        )

    def elaborate(self, platform: Any) -> Module:
        """Loop, rowers in a chain, Cox."""
        m = Module()
        self._signals()
        cox = self._datapath(m)
        self._control(m)
        self._choose(m, cox)
        return m

    def _signals(self) -> None:
        self._state = Signal(_State, name="state")
        self._phase = Signal(range(self.period), name="phase")
        most = max(self.steps, VECTORS_IN * self.channels, VECTORS_OUT * self.channels + 1)
        self._count = Signal(range(most), name="count")
        self._kind, self._operation = Signal(Kind, name="kind"), Signal(Kind, name="operation")
        self._multiple = Signal(2, name="multiple")
        self._exchange, self._exchanging = Signal(name="exchange"), Signal(name="exchanging")
        self._go, self._shift = Signal(name="go"), Signal(name="shift")
        self._tag_u3, self._tag_u1 = Signal(2, name="tag_u3"), Signal(2, name="tag_u1")
        bits = max(form.modulus.bit_length() for form in self.forms) + 3
        self._ahead = Signal(signed(bits.bit_length() + 1), name="ahead")
        self._turn, self._first = Signal(name="turn"), Signal(name="first_phase")

    @property
    def _selected(self) -> Value:
        return self.select if len(self.forms) > 1 else Const(0, 1)

    @property
    def _low_of_modulus(self) -> Value:
        return Array([Const(form.modulus % 4, 2) for form in self.forms])[self._selected]

    def _datapath(self, m: Module) -> PlusMinusCox:
        m.submodules.cox = cox = PlusMinusCox(self.forms[0], self.cox_registers, tests=False)
        entering: Value = delayed(m, self.residue, 1, "entering", resets=True)
        rowers = [ResidueInverterRower(self.forms, channel) for channel in range(self.channels)]
        for channel, rower in enumerate(rowers):
            m.submodules[f"rower_{channel}"] = rower
            last = channel == self.channels - 1
            m.d.comb += [
                rower.kind.eq(self._operation),
                rower.multiple.eq(self._multiple),
                rower.exchange.eq(self._exchange),
                rower.go.eq(self._go),
                rower.shift.eq(self._shift),
                rower.clear.eq(self._is(_State.IDLE)),
                rower.page.eq(self._selected),
                rower.chain.eq(entering if last else rowers[channel + 1].word),
                cox.leading[channel].eq(rower.leading),
                cox.low[channel].eq(rower.low),
            ]
        m.d.comb += self.word.eq(rowers[0].word)
        return cox

    def _is(self, *states: _State) -> Value:
        return Cat(self._state == state for state in states).any()

    def _control(self, m: Module) -> None:
        """From one state to the next, after as many words, steps or cycles as each takes.

        ``turn`` is the last phase of a step, in which V3's next operation is chosen; V1's follows
        in the first phase of the next one.
        """
        state, count, channels = self._state, self._count, self.channels
        sends = delayed(m, self._is(_State.GIVE) & (count != channels), 1, "sends", resets=True)
        reducing = self._is(_State.REDUCE)
        m.d.comb += [
            self._turn.eq(reducing & (self._phase == self.period - 1)),
            self._first.eq(reducing & (self._phase == 0)),
            self.word_valid.eq(sends),
            self.busy.eq((state != _State.IDLE) | sends),
        ]
        with m.If(reducing):
            m.d.sync += self._phase.eq(Mux(self._turn, 0, self._phase + 1))
        with m.Switch(state):
            with m.Case(_State.IDLE):
                m.d.sync += count.eq(0)
                with m.If(self.start & ~sends):
                    m.d.sync += state.eq(_State.TAKE)
            with m.Case(_State.TAKE):
                self._after(m, VECTORS_IN * channels, self.residue_valid, _State.TAKEN)
            with m.Case(_State.TAKEN):
                # V3 is there since long, V1 follows: as after the first phase of a step.
                m.d.sync += [state.eq(_State.REDUCE), self._phase.eq(1)]
            with m.Case(_State.REDUCE):
                self._after(m, self.steps, self._first, _State.GIVE)
            with m.Case(_State.GIVE):
                self._after(m, VECTORS_OUT * channels + 1, Const(1), _State.IDLE)

    def _after(self, m: Module, times: int, event: Value, following: _State) -> None:
        """Count events, and go on after as many."""
        with m.If(event):
            m.d.sync += self._count.eq(self._count + 1)
            with m.If(self._count == times - 1):
                m.d.sync += [self._state.eq(following), self._count.eq(0)]

    def _choose(self, m: Module, cox: PlusMinusCox) -> None:
        """What the rowers do in the next cycle."""
        kind, exchange = self._choose_v3(m, cox)
        count, channels = self._count, self.channels
        takes = self._is(_State.TAKE) & self.residue_valid
        gives, between = self._is(_State.GIVE), count == channels
        # With V = 0 and U = 4 x the sum and an exchange make V = x and U = 0. The first word of the
        # next vector may come at the same time.
        enters = (takes & (between | (count == 2 * channels))) | self._is(_State.TAKEN)
        m.d.comb += [
            self._shift.eq(takes | (gives & ~between)),
            self._go.eq(enters | self._turn | self._first | (gives & between)),
            self._exchange.eq(enters),
            self._operation.eq(Kind.ADD),
        ]
        with m.If(self._turn):
            m.d.comb += [self._operation.eq(kind), self._exchange.eq(exchange)]
        with m.If(self._first):
            m.d.comb += [
                self._operation.eq(self._kind),
                self._exchange.eq(self._exchanging),
                self._multiple.eq(self._multiple_for_v1(m, cox.tag)),
            ]
            with m.If(self._exchanging):
                m.d.sync += self._tag_u1.eq(cox.tag)

    def _choose_v3(self, m: Module, cox: PlusMinusCox) -> tuple[Value, Value]:
        """What happens to V3 by its tag, and whether U3 takes it; V1 and U1 do the same."""
        odd, adds = cox.tag[0], (cox.tag ^ self._tag_u3)[1]
        kind, exchange = Signal(Kind, name="chosen"), Signal(name="exchange_v3")
        m.d.comb += exchange.eq(odd & (self._ahead > 0))
        with m.If(odd):
            m.d.comb += kind.eq(Mux(adds, Kind.ADD, Kind.SUBTRACT))
        with m.Else():
            m.d.comb += kind.eq(Mux(cox.tag[1], Kind.HALVE, Kind.QUARTER))
        with m.If(self._is(_State.TAKEN)):
            m.d.sync += [
                self._tag_u3.eq(self._low_of_modulus),
                self._tag_u1.eq(0),
                self._ahead.eq(0),
            ]
        with m.If(self._turn):
            m.d.sync += [self._kind.eq(kind), self._exchanging.eq(exchange)]
            with m.If(exchange):
                m.d.sync += self._tag_u3.eq(cox.tag)
        with m.If(self._first):
            # A cycle later than it could be: the Cox's tag has a long way as it is.
            grown = Mux(self._kind == Kind.QUARTER, 2, 1)
            m.d.sync += self._ahead.eq(Mux(self._exchanging, -self._ahead, self._ahead) + grown)
        return kind, exchange

    def _multiple_for_v1(self, m: Module, tag: Value) -> Value:
        """k modulo 4 for which V1, with U1 or without, and k P can be divided (ERRATA E14)."""
        own, both = Signal(2, name="own_tag"), Signal(2, name="tag_sum")
        multiple = Signal(2, name="multiple_for_v1")
        with m.Switch(self._kind):
            with m.Case(Kind.ADD):
                m.d.comb += own.eq(self._tag_u1)
            with m.Case(Kind.SUBTRACT):
                m.d.comb += own.eq(-self._tag_u1)
        m.d.comb += both.eq(sum_mod_4(tag, own))
        # An odd k is 1 if the tag and P make 4, else -1. To halve, 2 P is added to twice V1.
        odd = Cat(Const(1, 1), both[1] ^ ~self._low_of_modulus[1])
        halves = self._kind == Kind.HALVE
        m.d.comb += multiple.eq(Mux(both[0], Mux(halves, 2, odd), Mux(halves, 0, both)))
        return multiple


def centred_forms(moduli: Sequence[int], base: Base) -> tuple[HatForm, ...]:
    """The centred form for each modulus over one base, with the fewest bits in the Cox for all.

    Raises:
        SpecificationError: a modulus of the base is even or above 2^w, or the base is too small.
    """
    wrong = [m.value for m in base if m.value % 2 == 0 or m.value > 1 << m.width]
    if wrong:
        raise SpecificationError(
            f"plus-minus inversion needs odd moduli below 2^{base.width} in base b, not {wrong[0]}"
        )
    failure: SpecificationError | None = None
    for truncation in range(1, base.width + 1):
        try:
            return tuple(HatForm(base, modulus, truncation, centred=True) for modulus in moduli)
        except SpecificationError as error:
            failure = error
    assert failure is not None
    raise failure
