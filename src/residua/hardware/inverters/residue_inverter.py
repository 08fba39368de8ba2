"""Modular inverter on residues: plus-minus beside an engine, in constant time, no multiplier.

Words come from the engine as it gives them out, in cofactor form over one base, and go back as they
are: 4 x, 4 f and P come, and

    U3, U1    with    U1 U3 = f / x modulo P,    0 if P divides x

go, one after the other; x, f, U1 and U3 lie in [-P, P]. What is left to do is a product, which
makes the sign right as well. See `residua.algorithms.plus_minus.settled` for the steps, of which
there are always as many, and no test.

Channels share rowers. A step reads V3 and U3 of a rower's channels in turn, then V1 and U1. The Cox
takes longer than that. So it tells more of V than V modulo 4, and thereby of U, which is a V of
before. V modulo 4 of the next steps follows: a step is decided by what the Cox said one or two
steps before.
"""

from collections.abc import Sequence
from enum import IntEnum
from typing import Any

from amaranth.hdl import Cat, Const, Module, Mux, Signal, Value, signed
from amaranth.lib.wiring import Component, In, Out

from residua.algorithms.plus_minus import Kind, sufficient_steps
from residua.errors import SpecificationError, first_possible
from residua.hardware.adder_tree import sum_mod_4
from residua.hardware.constant_table import selector
from residua.hardware.delay import delayed
from residua.hardware.inverters.residue_inverter_cox import ResidueInverterCox
from residua.hardware.inverters.residue_inverter_rower import LATENCY, ResidueInverterRower
from residua.hardware.inverters.residue_inverter_tags import (
    ResidueInverterTags,
    look_ahead,
    modulus_tag,
    tag_bits,
)
from residua.machines.plus_minus import PlainNumbers
from residua.numbers.bases import Base
from residua.numbers.hats import HatForm

VECTORS_IN, VECTORS_OUT = 3, 2
"""Vectors of words that an inversion takes and gives."""

_PAIRS = "v3", "v1"
"""Names of the pairs: of V3 and U3, and of V1 and U1."""


class _State(IntEnum):
    """States of the inverter: takes words, ends taking them, reduces, gives and forgets them."""

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
    words of U3 and then of U1 leave on ``word`` while ``word_valid`` is set. ``busy`` is set from
    the cycle after ``start`` until nothing of them is left; so it is after a reset, in the middle
    of an inversion too, and there is no start until then. ``latency`` is the number of cycles
    from the one in which the last word is there to the last one of ``busy``; it depends on nothing
    but the design. With several moduli ``select`` is the index of P; it must stay while ``busy`` is
    set. ``rowers`` work on ``share`` channels each, one after the other, two by default; a step
    takes ``period`` cycles and is decided ``ahead`` steps before the Cox would tell.

    Raises:
        SpecificationError: a modulus is even or below 3, one of the base even or above 2^w, the
            base too small, or the channels cannot be shared by so many rowers.
    """

    def __init__(self, moduli: Sequence[int], base: Base, rowers: int | None = None) -> None:
        for modulus in moduli:
            PlainNumbers(modulus)
        self.forms = centred_forms(moduli, base)
        self.channels = len(base)
        self.rowers = default_rowers(self.channels) if rowers is None else rowers
        self.share = channels_of_a_rower(self.channels, self.rowers)
        told, self.ahead, self.period, self._follows = look_ahead(self.share, self.rowers)
        self._rest = self.period - 2 * self.share
        # The first tags are those of the first step; that of V1 comes last.
        self._first_rest = told - self.share + 1
        self.steps = sufficient_steps(max(moduli).bit_length())
        self._places = self.rowers * self.share
        self._vacant = self._places - self.channels
        given, forgotten = VECTORS_OUT * self._places, 2 * self.share + LATENCY - 1
        begun = self.share + self._first_rest
        self.latency = begun + self.period * self.steps + given + forgotten
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
        """Loop, rowers in a chain, Cox, tags."""
        m = Module()
        self._signals()
        self._datapath(m)
        self._control(m)
        self._choose(m)
        self._look_ahead(m)
        return m

    def _signals(self) -> None:
        # A reset may come in the middle of an inversion.
        self._state = Signal(_State, name="state", init=_State.FORGET)
        self._count = Signal(range(max(self.steps, self._places)), name="count")
        self._slot = Signal(range(self.share), name="slot")
        self._heads = Signal(name="first_words")
        # What states mean for words, in registers that move with them: they reach far.
        self._empty_v = Signal(name="empties_v", init=1)
        self._empty_u = Signal(name="empties_u", init=1)
        self._reduces = Signal(name="reduces")
        self._pair, self._third = Signal(name="pair"), Signal(name="third_vector")
        self._resting = Signal(range(max(self._rest, self._first_rest) + 1), name="resting")
        self._turn, self._first = Signal(name="turn"), Signal(name="first_of_v1")
        self._last, self._ends = Signal(name="last_slot"), Signal(name="step_ends")
        self._operate, self._shift = Signal(name="operate"), Signal(name="shift")
        self._operation, self._multiple = Signal(Kind, name="operation"), Signal(2, name="multiple")
        self._exchange = Signal(name="exchange")
        # Of steps; what is taken in sets them.
        self._kind = Signal(Kind, name="kind")
        self._exchanging = Signal(name="exchanging")
        self._tags = [ResidueInverterTags(self.forms, self.ahead, self._follows) for _ in range(2)]
        # How many bits more than U3 V3 has lost, less 1/2: from 0 on they may change places.
        bits = max(form.modulus.bit_length() for form in self.forms) + 3
        self._lead = Signal(signed(bits.bit_length() + 1), name="lead")

    @property
    def _selected(self) -> Value:
        return self.select if len(self.forms) > 1 else Const(0, 1)

    def _rower(self, index: int) -> ResidueInverterRower:
        """A rower; places without a channel come first."""
        first = index * self.share - self._vacant
        channels = [c if c >= 0 else None for c in range(first, first + self.share)]
        return ResidueInverterRower(self.forms, channels, tag_bits(self.ahead))

    def _datapath(self, m: Module) -> None:
        bits = tag_bits(self.ahead)
        m.submodules.cox = cox = ResidueInverterCox(self.forms[0], self.rowers, self.share, bits)
        entering: Value = delayed(m, self.residue, 1, "entering", data=True)
        rowers = [self._rower(index) for index in range(self.rowers)]
        for index, rower in enumerate(rowers):
            m.submodules[f"rower_{index}"] = rower
            m.d.comb += [
                rower.slot.eq(self._slot),
                rower.pair.eq(self._pair),
                rower.empty_v.eq(self._empty_v),
                rower.empty_u.eq(self._empty_u),
                rower.operate.eq(self._operate),
                rower.shift.eq(self._shift),
                rower.choose.eq(self._turn | self._first | ~self._reduces),
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

    def _announce(self, m: Module, cox: ResidueInverterCox) -> None:
        """Tell the Cox which results come, as long after they were read as they do."""
        opens, closes = self._slot == 0, self._last
        if self._vacant:
            # Words do not come from slot 0 on.
            takes, last = self._is(_State.TAKE), min(self.share, self.channels) - 1
            opens = Mux(takes, self._count == 0, opens)
            closes = Mux(takes, self._count == last, closes)
        for port, value in ((cox.valid, self._operate), (cox.opens, opens)):
            m.d.comb += port.eq(delayed(m, value, LATENCY, f"cox_{port.name}"))
        told = LATENCY + cox.latency
        for number, reads in enumerate((~self._pair, self._pair)):
            tells, tags = self._operate & closes & reads, self._tags[number]
            m.d.comb += [
                tags.tag.eq(cox.tag),
                tags.told.eq(delayed(m, tells, told, f"tells_{_PAIRS[number]}")),
            ]

    def _is(self, *states: _State) -> Value:
        return Cat(self._state == state for state in states).any()

    def _control(self, m: Module) -> None:
        """Go from one state to the next, after as many words, steps or slots as each takes.

        ``turn`` is the first cycle of a step, in which V3's next operation is chosen; V1's follows
        when it is read in its turn.
        """
        state, pair = self._state, self._pair
        gives, forgets = self._is(_State.GIVE), self._is(_State.FORGET)
        # Until the last word has been overwritten.
        overwrites = [delayed(m, forgets, n, f"forgets_{n}") for n in range(1, LATENCY)]
        full, passed = self._counted(m), self._operate & self._last
        self._end_steps(m)
        # In registers: what they choose reaches all rowers.
        goes_on = self._is(_State.TAKEN) | (self._reduces & ~full)
        m.d.sync += [
            self._turn.eq(self._ends & goes_on),
            self._first.eq(self._reduces & passed & ~pair),
        ]
        sends = gives & (self._count >= self._vacant)
        m.d.comb += [
            self._last.eq(self._slot == self.share - 1),
            self.word_valid.eq(delayed(m, sends, 1, "sends")),
            self.busy.eq((state != _State.IDLE) | Cat(overwrites).any()),
        ]
        with m.If(self._operate | self._shift):
            m.d.sync += self._slot.eq(Mux(self._last, 0, self._slot + 1))
        if self._vacant:
            # The first words have no place before that of channel 0.
            with m.If(self._is(_State.IDLE) | (self._is(_State.TAKE) & full & ~self._third)):
                m.d.sync += self._slot.eq(self._vacant)
        with m.If(Mux(self._is(_State.TAKE, _State.GIVE), full, passed)):
            m.d.sync += pair.eq(~pair)
        with m.Switch(state):
            with m.Case(_State.IDLE), m.If(self.start):
                m.d.sync += [state.eq(_State.TAKE), self._empty_v.eq(1)]
            with m.Case(_State.TAKE), m.If(full):
                m.d.sync += self._third.eq(pair)
                with m.If(self._third):
                    m.d.sync += state.eq(_State.TAKEN)
            with m.Case(_State.TAKEN), m.If(self._ends):
                m.d.sync += [state.eq(_State.REDUCE), self._empty_v.eq(0), self._reduces.eq(1)]
            with m.Case(_State.REDUCE), m.If(full):
                m.d.sync += [state.eq(_State.GIVE), self._reduces.eq(0)]
            with m.Case(_State.GIVE), m.If(full & pair):
                m.d.sync += [state.eq(_State.FORGET), self._empty_v.eq(1), self._empty_u.eq(1)]
            with m.Case(_State.FORGET), m.If(self._last & pair):
                m.d.sync += [state.eq(_State.IDLE), self._empty_v.eq(0), self._empty_u.eq(0)]

    def _counted(self, m: Module) -> Value:
        """Whether this is the last word of a vector, taken or given, or the end of all steps."""
        counts, before = Signal(name="counts"), Signal.like(self._count, name="count_before_last")
        last, full = Signal(name="last_count"), Signal(name="full")
        single = self._is(_State.TAKE, _State.GIVE) if self.channels == 1 else Const(0)
        m.d.comb += full.eq(counts & (last | single))
        with m.Switch(self._state):
            with m.Case(_State.TAKE):
                m.d.comb += [counts.eq(self.residue_valid), before.eq(max(self.channels - 2, 0))]
            with m.Case(_State.REDUCE):
                m.d.comb += [counts.eq(self._ends), before.eq(self.steps - 2)]
            with m.Case(_State.GIVE):
                m.d.comb += [counts.eq(1), before.eq(max(self._places - 2, 0))]
        # That the next count is the last one is in a register, and that it is one of the first, a
        # word of each channel of a rower: much hangs on them.
        with m.If(counts):
            m.d.sync += [self._count.eq(self._count + 1), last.eq(self._count == before)]
        with m.If(counts & (self._count == self.share - 1)):
            m.d.sync += self._heads.eq(0)
        with m.If(full):
            m.d.sync += [self._count.eq(0), last.eq(0), self._heads.eq(1)]
        return full

    def _end_steps(self, m: Module) -> None:
        """A step ends with the last slot of V1, or with a rest after it: a register says when."""
        steps, resting = self._is(_State.TAKEN, _State.REDUCE) & self._pair, self._resting
        at_once = Signal(name="ends_at_once")
        m.d.comb += self._ends.eq(at_once | (resting == 1))
        if not self._rest:
            m.d.sync += at_once.eq(self._reduces & self._pair & (self._slot == self.share - 2))
        with m.If(steps & self._operate & self._last):
            m.d.sync += resting.eq(Mux(self._reduces, self._rest, self._first_rest))
        with m.Elif(resting > 0):
            m.d.sync += resting.eq(resting - 1)

    def _choose(self, m: Module) -> None:
        """Choose what the rowers do in the next cycle."""
        kind, exchange = self._choose_v3(m)
        multiple = self._multiple_for_v1(m)
        takes = self._is(_State.TAKE) & self.residue_valid
        # With V = 0 and U = 4 x the sum and an exchange make V = x and U = 0: of x and U3 while P
        # follows into U3, of f and U1 at the end.
        enters = takes & self._third & self._heads
        steps = self._is(_State.TAKEN, _State.REDUCE) & (self._resting == 0)
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
                self._multiple.eq(multiple),
            ]

    def _choose_v3(self, m: Module) -> tuple[Value, Value]:
        """Choose the operation on V3 by its tag, and whether U3 takes it; V1 and U1 do the same."""
        tag, tag_u = self._tags[0].v, self._tags[0].u
        odd, adds = tag[0], tag[1] ^ tag_u[1]
        kind, exchange = Signal(Kind, name="chosen"), Signal(name="exchange_v3")
        m.d.comb += exchange.eq(odd & (self._lead >= 0))
        with m.If(odd):
            m.d.comb += kind.eq(Mux(adds, Kind.ADD, Kind.SUBTRACT))
        with m.Else():
            m.d.comb += kind.eq(Mux(tag[1], Kind.HALVE, Kind.QUARTER))
        with m.If(self._turn):
            m.d.sync += [self._kind.eq(kind), self._exchanging.eq(exchange)]
        with m.If(self._first):
            # An exchange makes -x of x. With a difference synthesis needs nothing but the carry
            # chain.
            turned = self._lead ^ self._exchanging.replicate(len(self._lead))
            m.d.sync += self._lead.eq(turned - Mux(self._kind == Kind.QUARTER, -2, -1))
        with m.If(self._is(_State.TAKEN)):
            m.d.sync += self._lead.eq(-1)
        return kind, exchange

    def _multiple_for_v1(self, m: Module) -> Value:
        """k modulo 4 for which V1, with U1 or without, and k P can be divided (ERRATA E14)."""
        own, both = Signal(2, name="own_tag"), Signal(2, name="tag_sum")
        multiple, tags = Signal(2, name="multiple_for_v1"), self._tags[1]
        with m.Switch(self._kind):
            with m.Case(Kind.ADD):
                m.d.comb += own.eq(tags.u)
            with m.Case(Kind.SUBTRACT):
                m.d.comb += own.eq(-tags.u)
        m.d.comb += both.eq(sum_mod_4(tags.v, own))
        # An odd k is 1 if the tag and P make 4, else -1. To halve, 2 P is added to twice V1.
        odd = Cat(Const(1, 1), both[1] ^ ~self._modulus_tag[1])
        halves = self._kind == Kind.HALVE
        m.d.comb += multiple.eq(Mux(both[0], Mux(halves, 2, odd), Mux(halves, 0, both)))
        return multiple

    def _look_ahead(self, m: Module) -> None:
        """Tell the tags of both pairs which step was chosen, and what comes before the first."""
        v3, v1 = self._tags
        for name, tags in zip(_PAIRS, self._tags, strict=True):
            m.submodules[f"tags_{name}"] = tags
            m.d.comb += tags.begin.eq(self._is(_State.TAKEN))
            if len(self.forms) > 1:
                m.d.comb += tags.select.eq(self.select)
        m.d.comb += [
            v3.first_u.eq(self._modulus_tag),
            v3.chosen.eq(self._turn),
            v1.chosen.eq(self._first),
            v1.multiple.eq(self._multiple),
        ]
        for tags in self._tags:
            m.d.comb += [tags.kind.eq(self._operation), tags.exchange.eq(self._exchange)]

    @property
    def _modulus_tag(self) -> Value:
        """P / M, as far as the Cox would tell it."""
        return modulus_tag(self.forms, self._selected, Const(1, 2), tag_bits(self.ahead))


def default_rowers(channels: int) -> int:
    """The rowers of an inverter over so many channels, if none are asked for: one for two."""
    return -(-channels // 2)


def channels_of_a_rower(channels: int, rowers: int) -> int:
    """The channels that each of so many rowers works on.

    Raises:
        SpecificationError: so many rowers cannot share the channels.
    """
    if 0 < rowers <= channels:
        share = -(-channels // rowers)
        if -(-channels // share) == rowers:
            return share
    possible = sorted({-(-channels // each) for each in range(1, channels + 1)})
    shown = ", ".join(map(str, possible))
    raise SpecificationError(
        f"{rowers} rowers cannot share {channels} channels of an inverter; possible: {shown}"
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

    def make(truncation: int) -> tuple[HatForm, ...]:
        return tuple(HatForm(base, modulus, truncation, centred=True) for modulus in moduli)

    return first_possible(range(1, base.width + 1), make)
