"""Some channels of the inverter on residues: words in memories, two adders.

Each channel has two pairs of words, (V3, U3) and (V1, U1). An operation replaces the V of a pair by

    (V + b + K) / 4,    b one of V, 0, U, -U,

where K, a multiple of m_i away from the operation's multiple of P, makes the sum divisible by 4
(`residua.numbers.hats`; the form is centred, so that K has nothing else in it); of an exchange U
takes the V of before. Words lie in [-m, m).

The channels take turns: a slot, which is one of the channels, is read in one cycle; in the next one
V + b and K are calculated and U is written, one later the sum is made and V is written. The U words
of all rowers are a chain, through which words come and go.
"""

from collections.abc import Sequence
from typing import Any

from amaranth.hdl import Cat, Const, Module, Mux, Signal, Value, signed
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import Component, In, Out
from amaranth.utils import ceil_log2

from residua.algorithms.plus_minus import Kind
from residua.hardware.delay import delayed
from residua.hardware.inverters.plus_minus_rower import leading_bits
from residua.numbers.hats import HatForm

KIND_BITS, MULTIPLE_BITS = 2, 2
"""Bits of the kind of an operation, and of its multiple of P modulo 4 (3 for -1)."""

LATENCY = 3
"""Cycles from the one in which a slot is read to the bits of its new V for the Cox."""

_TABLE_BITS = 6
"""Index bits of a table that is written as one: the inputs of a look-up table."""


class ResidueInverterRower(Component):
    """The words of ``channels`` of ``forms``, a slot for each, None for a slot without a channel.

    The forms share base and Cox; ``page`` chooses one. Every cycle ``slot`` of ``pair`` is read;
    ``empty_v`` and ``empty_u`` make zeros of its words. ``operate`` and ``shift`` tell what happens
    to them in the cycles after: an operation, of which U takes ``chain`` with ``shift``. Which
    operation (``kind``, ``multiple``, ``exchange``) is said one cycle before it begins, with
    ``choose``, and stays. ``word`` is the U that was read in the cycle before. `LATENCY` cycles
    after a slot was read, ``leading`` has the leading bits of its new V, ``low`` the ``tag_bits``
    lowest bits of V / m_i; both are 0 of a slot without a channel. Words of a single slot may be
    shifted in every cycle, as those of several are.
    """

    def __init__(
        self, forms: Sequence[HatForm], channels: Sequence[int | None], tag_bits: int
    ) -> None:
        self.forms, self.channels = tuple(forms), tuple(channels)
        self.bits = forms[0].base.width + 1
        word = signed(self.bits)
        super().__init__(
            {
                "slot": In(range(len(channels))),
                "pair": In(1),
                "empty_v": In(1),
                "empty_u": In(1),
                "operate": In(1),
                "shift": In(1),
                "choose": In(1),
                "kind": In(KIND_BITS),
                "multiple": In(MULTIPLE_BITS),
                "exchange": In(1),
                "page": In(range(max(len(forms), 2))),
                "chain": In(word),
                "word": Out(word),
                "leading": Out(signed(leading_bits(forms[0]))),
                "low": Out(tag_bits),
            }
        )

    def elaborate(self, platform: Any) -> Module:
        """Copies of control, memories, adders."""
        m = Module()
        for name in ("slot", "pair", "operate", "shift", "kind", "multiple", "exchange"):
            port = getattr(self, name)
            copy = Signal.like(port, name=f"own_{name}")
            setattr(self, f"_{name}", copy)
            with m.If(self.choose if name in ("kind", "multiple", "exchange") else Const(1)):
                m.d.sync += copy.eq(port)
        v, u = (Signal(signed(self.bits), name=name, reset_less=True) for name in ("v", "u"))
        place = Cat(self._slot, self._pair)
        self._late_slot = delayed(m, self._slot, 1, "late_slot")
        late_place = Cat(self._late_slot, delayed(m, self._pair, 1, "late_pair"))
        self._late_operate = delayed(m, self._operate, 1, "late_operate")
        new = self._result(m, v, u)
        stored = self._store(m, "v", late_place, self._late_operate, new)
        m.d.sync += v.eq(Mux(self.empty_v, 0, stored))
        kept = Mux(self._exchange, v, u)
        taken = Mux(self._shift, self.chain, kept)
        stored = self._store(m, "u", place, self._operate | self._shift, taken)
        if len(self.channels) == 1:
            # What is shifted in is shifted out in the next cycle, before the memory has it.
            passes = self._shift & (self._pair == self.pair)
            stored = Mux(passes, self.chain, stored)
        m.d.sync += u.eq(Mux(self.empty_u, 0, stored))
        m.d.comb += self.word.eq(u)
        self._look(m, new)
        return m

    def _store(self, m: Module, name: str, place: Value, writes: Value, new: Value) -> Value:
        """The word of slot and pair, from a memory written later, at the ``place`` of then."""
        memory = Memory(
            shape=signed(self.bits),
            depth=2 << len(self.slot),
            init=[],
            attrs={"ram_style": "distributed"},
        )
        m.submodules[f"{name}_words"] = memory
        read, write = memory.read_port(domain="comb"), memory.write_port()
        m.d.comb += [
            read.addr.eq(Cat(self.slot, self.pair)),
            write.addr.eq(place),
            write.data.eq(new),
            write.en.eq(writes),
        ]
        return read.data

    def _look(self, m: Module, new: Value) -> None:
        """Derive from a result what the Cox needs of it."""
        vacant = [slot for slot, channel in enumerate(self.channels) if channel is None]
        there = ~self._late_slot.matches(*vacant) if vacant else Const(1)
        bits = len(self.low)
        index = Cat(new[:bits], self._late_slot)
        low = _looked_up_words(index, [self._low(n) for n in range(1 << len(index))], bits)
        with m.If(self._late_operate):
            m.d.sync += [
                self.leading.eq(Mux(there, new >> (self.bits - len(self.leading)), 0)),
                self.low.eq(low),
            ]

    def _low(self, index: int) -> int:
        """The lowest bits of V / m_i, which is V T_i / M, by those of V and the slot."""
        limit = 1 << len(self.low)
        slot, v = divmod(index, limit)
        channel = self.channels[slot] if slot < len(self.channels) else None
        if channel is None:
            return 0
        modulus = self.forms[0].base.moduli[channel].value
        return v * pow(modulus, -1, limit) % limit

    def _result(self, m: Module, v: Value, u: Value) -> Value:
        # Differences: of a sum synthesis may have the table in front of the carry chain, not in it.
        taken, borrow = Signal(signed(self.bits), name="taken"), Signal(name="borrow")
        with m.Switch(self._kind):
            with m.Case(Kind.HALVE):
                m.d.comb += [taken.eq(~v), borrow.eq(1)]
            with m.Case(Kind.ADD):
                m.d.comb += [taken.eq(~u), borrow.eq(1)]
            with m.Case(Kind.SUBTRACT):
                m.d.comb += taken.eq(u)
        # A place below the others makes V + b of V - ~b.
        both = Signal(signed(self.bits + 2), name="both")
        m.d.comb += both.eq(Cat(Const(0, 1), v).as_signed() - Cat(borrow, taken).as_signed())
        partial = Signal(signed(self.bits + 1), name="partial", reset_less=True)
        addend = Signal(signed(self.bits + 1), name="subtrahend_held", reset_less=True)
        total = Signal(signed(self.bits + 2), name="total")
        m.d.sync += [partial.eq(both >> 1), addend.eq(self._subtrahend(m, both[1:3]))]
        m.d.comb += total.eq(partial - addend)
        return total[2:].as_signed()

    def _subtrahend(self, m: Module, low: Value) -> Value:
        """-K: K is the multiple of P, over T_i, that suits a sum which is ``low`` modulo 4."""
        page = self.page[: ceil_log2(len(self.forms))]
        index = Signal(4 + len(self.slot) + len(page), name="addend_index")
        m.d.comb += index.eq(Cat(low, self._multiple, self._slot, page))
        table = [-self._constant(number) for number in range(1 << len(index))]
        subtrahend = Signal(signed(self.bits + 1), name="subtrahend")
        m.d.comb += subtrahend.eq(_looked_up_words(index, table, self.bits + 1))
        return subtrahend

    def _constant(self, index: int) -> int:
        """K by the index of the table."""
        low, multiple, rest = index & 3, index >> 2 & 3, index >> 4
        slot, page = rest % (1 << len(self.slot)), rest >> len(self.slot)
        channel = self.channels[slot] if slot < len(self.channels) else None
        if channel is None or page >= len(self.forms):
            return 0
        k = -1 if multiple == 3 else multiple
        form = self.forms[page]
        return form.addend(channel, k * form.modulus, low)


def _looked_up_words(index: Value, words: Sequence[int], bits: int) -> Value:
    """One of the words, by gates, not a memory: what chooses may be secret."""
    return Cat(_looked_up(index, [word >> place & 1 for word in words]) for place in range(bits))


def _looked_up(index: Value, bits: Sequence[int]) -> Value:
    """One of the bits, by gates: of the lowest bits of the index tables, among which others choose.

    Of one large table synthesis makes up to three times as many look-up tables.
    """
    if len(index) > _TABLE_BITS:
        half = len(bits) // 2
        zeros, ones = (_looked_up(index[:-1], part) for part in (bits[:half], bits[half:]))
        return Mux(index[-1], ones, zeros)
    ones = [number for number, bit in enumerate(bits) if bit]
    return index.matches(*ones) if ones else Const(0, 1)
