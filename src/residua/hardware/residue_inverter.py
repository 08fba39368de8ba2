"""Modular inverter on residues: plus-minus beside an engine, in constant time, no multiplier.

Words come from the engine as it gives them out, in cofactor form over one base, and go back as they
are: 4 x, 4 f and P come, and

    U1, U3    with    U1 U3 = f / x modulo P,    0 if P divides x

go, one after the other; x, f, U1 and U3 lie in [-P, P]. What is left to do is a product, which
makes the sign right as well. See `residua.algorithms.plus_minus.settled` for the steps, of which
there are always as many, and no test.

Channels share rowers. A step reads V3 and U3 of a rower's channels in turn, then V1 and U1; what
happens to V3 is decided while V1 is read, and the other way round, so that the Cox has time.
"""

from collections.abc import Sequence
from enum import IntEnum
from typing import Any

from amaranth.hdl import Array, Cat, Const, Module, Mux, Signal, Value, signed
from amaranth.lib.wiring import Component, In, Out

from residua.algorithms.plus_minus import Kind, settling_steps
from residua.errors import SpecificationError
from residua.hardware.adder_tree import sum_mod_4
from residua.hardware.constant_table import selector
from residua.hardware.delay import delayed
from residua.hardware.residue_inverter_cox import ResidueInverterCox, tree_registers
from residua.hardware.residue_inverter_rower import ResidueInverterRower
from residua.machines.plus_minus import PlainNumbers
from residua.numbers.bases import Base
from residua.numbers.hats import HatForm

VECTORS_IN, VECTORS_OUT = 3, 2
"""Vectors of words that an inversion takes and gives."""


class _State(IntEnum):
    """What the inverter does; it takes words, ends taking them, reduces, gives and forgets them."""

    IDLE = 0
    TAKE = 1
    TAKEN = 2
    REDUCE = 3
    GIVE = 4
    FORGET = 5


class ResidueInverter(Component):
    """Inversion modulo one of ``moduli`` over ``base``, whose moduli are odd.

    ``start`` begins with the next words on ``residue`` that ``residue_valid`` tells of: those of
    4 x, 4 f and P in cofactor form, channel 0 first, any representatives of w + 1 signed bits. The
    words of U1 and then of U3 leave on ``word`` while ``word_valid`` is set. ``busy`` is set from
    the cycle after ``start`` until nothing of them is left. ``latency`` is the number of cycles
    from the one in which the last word is there to the last one of ``busy``; it depends on nothing
    but the design. With several moduli ``select`` is the index of P; it must stay while ``busy`` is
    set. ``rowers`` work on ``share`` channels each, one after the other, two by default; a step
    takes ``period`` cycles.

    Raises:
        SpecificationError: a modulus is even or below 3, one of the base even or above 2^w, the
            base too small, or the channels cannot be shared by so many rowers.
    """

    def __init__(self, moduli: Sequence[int], base: Base, rowers: int | None = None) -> None:
        for modulus in moduli:
            PlainNumbers(modulus)
        self.forms = centred_forms(moduli, base)
        self.channels = len(base)
        self.rowers = most_rowers(self.channels) if rowers is None else rowers
        self.share = channels_of_a_rower(self.channels, self.rowers)
        # What is decided of the pair that is read first comes when it is written again.
        decided = self.share + 1 + tree_registers(self.rowers)
        self.period = max(2 * self.share, decided)
        self._held = self.period > decided
        self.steps = max(map(settling_steps, moduli))
        self._places = self.rowers * self.share
        self._vacant = self._places - self.channels
        given, forgotten = VECTORS_OUT * self._places, 2 * self.share
        self.latency = self.period * (self.steps + 1) - self.share + given + forgotten + 1
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
        self._phase = Signal(range(self.period), name="phase", init=self.share)
        self._count = Signal(range(max(self.steps, self._places)), name="count")
        self._vector = Signal(range(VECTORS_IN), name="vector")
        self._slot = Signal(range(self.share), name="slot", init=self._vacant)
        self._pair = Signal(name="pair")
        self._kind, self._operation = Signal(Kind, name="kind"), Signal(Kind, name="operation")
        self._multiple = Signal(2, name="multiple")
        self._exchange, self._exchanging = Signal(name="exchange"), Signal(name="exchanging")
        self._operate, self._shift = Signal(name="operate"), Signal(name="shift")
        self._tag_u3, self._tag_u1 = Signal(2, name="tag_u3"), Signal(2, name="tag_u1")
        bits = max(form.modulus.bit_length() for form in self.forms) + 3
        self._ahead = Signal(signed(bits.bit_length() + 1), name="ahead")
        self._turn, self._first = Signal(name="turn"), Signal(name="first_phase")
        self._ends = Signal(name="ends")

    @property
    def _selected(self) -> Value:
        return self.select if len(self.forms) > 1 else Const(0, 1)

    @property
    def _low_of_modulus(self) -> Value:
        return Array([Const(form.modulus % 4, 2) for form in self.forms])[self._selected]

    def _rower(self, index: int) -> ResidueInverterRower:
        """A rower; places without a channel come first."""
        first = index * self.share - self._vacant
        channels = [c if c >= 0 else None for c in range(first, first + self.share)]
        return ResidueInverterRower(self.forms, channels)

    def _datapath(self, m: Module) -> ResidueInverterCox:
        m.submodules.cox = cox = ResidueInverterCox(self.forms[0], self.rowers, held=self._held)
        entering: Value = delayed(m, self.residue, 1, "entering")
        rowers = [self._rower(index) for index in range(self.rowers)]
        forgets = self._is(_State.FORGET)
        for index, rower in enumerate(rowers):
            m.submodules[f"rower_{index}"] = rower
            m.d.comb += [
                rower.slot.eq(self._slot),
                rower.pair.eq(self._pair),
                rower.empty_v.eq(self._is(_State.TAKE, _State.TAKEN) | forgets),
                rower.empty_u.eq(forgets),
                rower.operate.eq(self._operate),
                rower.shift.eq(self._shift),
                rower.choose.eq(self._turn | self._first | ~self._is(_State.REDUCE)),
                rower.kind.eq(self._operation),
                rower.multiple.eq(self._multiple),
                rower.exchange.eq(self._exchange),
                rower.page.eq(self._selected),
                rower.chain.eq(rowers[index + 1].word if index + 1 < self.rowers else entering),
                cox.leading[index].eq(rower.leading),
                cox.low[index].eq(rower.low),
            ]
        m.d.comb += self.word.eq(rowers[0].word)
        self._announce(m, cox)
        return cox

    def _announce(self, m: Module, cox: ResidueInverterCox) -> None:
        """Tell the Cox which results come two cycles after they were read."""
        # With vacant places words do not come from slot 0 on.
        place = Mux(self._is(_State.TAKE), self._count, self._slot) if self._vacant else self._slot
        for port, value in (
            (cox.valid, self._operate),
            (cox.opens, place == 0),
            (cox.closes, self._operate & (place == self.share - 1)),
        ):
            m.d.comb += port.eq(delayed(m, value, 2, f"cox_{port.name}", resets=True))

    def _is(self, *states: _State) -> Value:
        return Cat(self._state == state for state in states).any()

    def _control(self, m: Module) -> None:
        """From one state to the next, after as many words, steps or cycles as each takes.

        ``turn`` is the first phase of a step, in which V3's next operation is chosen; V1's follows
        when it is read in its turn.
        """
        state, phase, share = self._state, self._phase, self.share
        reducing, gives, forgets = (
            self._is(each) for each in (_State.REDUCE, _State.GIVE, _State.FORGET)
        )
        sends = gives & (self._count >= self._vacant)
        m.d.comb += [
            self._turn.eq(reducing & (phase == 0)),
            self._first.eq(reducing & (phase == share)),
            self._ends.eq(phase == self.period - 1),
            self.word_valid.eq(delayed(m, sends, 1, "sends", resets=True)),
            self.busy.eq((state != _State.IDLE) | delayed(m, forgets, 1, "forgets", resets=True)),
        ]
        with m.If(reducing | self._is(_State.TAKEN)):
            m.d.sync += phase.eq(Mux(self._ends, 0, phase + 1))
        with m.Switch(state):
            with m.Case(_State.IDLE):
                m.d.sync += self._pair.eq(0)
                if self._vacant:
                    m.d.sync += self._slot.eq(self._vacant)
                with m.If(self.start):
                    m.d.sync += state.eq(_State.TAKE)
            with m.Case(_State.TAKE), m.If(self.residue_valid):
                self._read(m)
                self._vectors(m, VECTORS_IN, self.channels, self._vacant, _State.TAKEN)
            with m.Case(_State.TAKEN):
                with m.If(self._operate):
                    self._read(m)
                with m.If(self._ends):
                    m.d.sync += [state.eq(_State.REDUCE), self._pair.eq(0)]
            with m.Case(_State.REDUCE):
                with m.If(self._operate):
                    self._read(m)
                with m.If(phase == share - 1):
                    m.d.sync += self._pair.eq(1)
                with m.If(self._ends):
                    self._step(m)
            with m.Case(_State.GIVE):
                self._read(m)
                self._vectors(m, VECTORS_OUT, self._places, 0, _State.FORGET)
            with m.Case(_State.FORGET):
                self._read(m)
                self._vectors(m, 2, share, 0, _State.IDLE)

    def _read(self, m: Module) -> None:
        """The next slot follows."""
        m.d.sync += self._slot.eq(Mux(self._slot == self.share - 1, 0, self._slot + 1))

    def _vectors(self, m: Module, times: int, places: int, first: int, following: _State) -> None:
        """Count places of vectors, which change pairs; from slot ``first`` on but for the last."""
        m.d.sync += self._count.eq(self._count + 1)
        with m.If(self._count == places - 1):
            m.d.sync += [self._count.eq(0), self._pair.eq(~self._pair)]
            with m.If(self._vector == times - 1):
                m.d.sync += [self._vector.eq(0), self._state.eq(following)]
            with m.Else():
                m.d.sync += [self._vector.eq(self._vector + 1), self._slot.eq(first)]

    def _step(self, m: Module) -> None:
        """After a step the next one, or U1 and U3 leave."""
        m.d.sync += [self._count.eq(self._count + 1), self._pair.eq(0)]
        with m.If(self._count == self.steps - 1):
            m.d.sync += [
                self._count.eq(0),
                self._pair.eq(1),
                self._phase.eq(self.share),
                self._state.eq(_State.GIVE),
            ]

    def _choose(self, m: Module, cox: ResidueInverterCox) -> None:
        """What the rowers do in the next cycle."""
        kind, exchange = self._choose_v3(m, cox)
        count, share, phase = self._count, self.share, self._phase
        takes = self._is(_State.TAKE) & self.residue_valid
        # With V = 0 and U = 4 x the sum and an exchange make V = x and U = 0: of x and U3 while P
        # follows into U3, of f and U1 at the end.
        enters = takes & (self._vector == VECTORS_IN - 1) & (count < share)
        steps = self._is(_State.TAKEN, _State.REDUCE) & (phase < 2 * share)
        m.d.comb += [
            self._shift.eq(takes | self._is(_State.GIVE)),
            self._operate.eq(enters | steps | self._is(_State.FORGET)),
            self._exchange.eq(1),
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

    def _choose_v3(self, m: Module, cox: ResidueInverterCox) -> tuple[Value, Value]:
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
            # Later than it could be: the Cox's tag has a long way as it is. -x is ~x + 1, and an
            # exchange is always with a division by 4 of a sum.
            turns = self._exchanging
            grown = Mux(turns | (self._kind == Kind.QUARTER), 2, 1)
            m.d.sync += self._ahead.eq((self._ahead ^ turns.replicate(len(self._ahead))) + grown)
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


def most_rowers(channels: int) -> int:
    """The most rowers that an inverter has over so many channels: one for two of them."""
    return -(-channels // 2)


def channels_of_a_rower(channels: int, rowers: int) -> int:
    """The channels that each of so many rowers works on.

    Raises:
        SpecificationError: so many rowers cannot share the channels.
    """
    if 0 < rowers <= most_rowers(channels):
        share = max(-(-channels // rowers), 2)
        if -(-channels // share) == rowers:
            return share
    possible = sorted({-(-channels // each) for each in range(2, max(channels, 2) + 1)})
    shown = ", ".join(map(str, possible))
    raise SpecificationError(
        f"{rowers} rowers cannot share {channels} channels of an inverter, two or more to each "
        f"rower; possible: {shown}"
    )


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
