"""One channel of the inverter on residues: two pairs of words and two adders.

(V3, U3) and (V1, U1) take turns: each operation replaces the V of the pair in front by

    (V + b + K) / 4,    b one of V, 0, U, -U,

where K, a multiple of m_i away from the operation's multiple of P, makes the sum divisible by 4
(`residua.numbers.hats`; the form is centred, so that K has nothing else in it). Words lie in
[-m, m). The pairs change places with every operation.

The U words of all channels are a chain, through which words come and go.
"""

from collections.abc import Sequence
from typing import Any

from amaranth.hdl import Cat, Const, Module, Mux, Signal, Value, signed
from amaranth.lib.wiring import Component, In, Out
from amaranth.utils import ceil_log2

from residua.algorithms.plus_minus import Kind
from residua.hardware.plus_minus_rower import leading_bits
from residua.numbers.hats import HatForm

KIND_BITS, MULTIPLE_BITS = 2, 2
"""Of an operation: what it does, and its multiple of P modulo 4 (3 for -1)."""


class ResidueInverterRower(Component):
    """The words of channel ``channel`` in ``forms``, one of which ``page`` chooses.

    The forms share base and Cox. ``kind``, ``multiple``, ``exchange``, ``go`` and ``shift`` tell
    what happens in the next cycle: with ``go`` an operation (of an exchange U takes the V of
    before), with ``shift`` the U behind takes ``chain``, in place of what an operation gives it.
    ``clear`` makes all words zero at once. ``word`` is the U behind, ``leading`` and ``low`` have
    the leading and the two lowest bits of the newest V.
    """

    def __init__(self, forms: Sequence[HatForm], channel: int) -> None:
        self.forms, self.channel = tuple(forms), channel
        self.bits = forms[0].base.width + 1
        word = signed(self.bits)
        super().__init__(
            {
                "kind": In(KIND_BITS),
                "multiple": In(MULTIPLE_BITS),
                "exchange": In(1),
                "go": In(1),
                "shift": In(1),
                "clear": In(1),
                "page": In(range(max(len(forms), 2))),
                "chain": In(word),
                "word": Out(word),
                "leading": Out(signed(leading_bits(forms[0]))),
                "low": Out(2),
            }
        )

    def elaborate(self, platform: Any) -> Module:
        """Control copies, pairs, adders."""
        m = Module()
        control = {}
        for name in ("kind", "multiple", "exchange", "go", "shift"):
            port = getattr(self, name)
            control[name] = Signal.like(port, name=f"own_{name}")
            m.d.sync += control[name].eq(port)
        v, u = ([Signal(signed(self.bits), name=f"{x}_{y}") for y in "ab"] for x in "vu")
        new = self._result(m, control["kind"], control["multiple"], v[0], u[0])
        with m.If(control["go"]):
            m.d.sync += [v[1].eq(new), v[0].eq(v[1]), u[0].eq(u[1])]
        with m.If(control["go"] | control["shift"]):
            kept = Mux(control["exchange"], v[0], u[0])
            m.d.sync += u[1].eq(Mux(control["shift"], self.chain, kept))
        with m.If(self.clear):
            m.d.sync += [word.eq(0) for word in (*v, *u)]
        m.d.comb += [
            self.word.eq(u[1]),
            self.leading.eq(v[1] >> (self.bits - len(self.leading))),
            self.low.eq(v[1][:2]),
        ]
        return m

    def _result(self, m: Module, kind: Value, multiple: Value, v: Value, u: Value) -> Value:
        # Differences: of a sum synthesis may have the table in front of the carry chain, not in it.
        taken, borrow = Signal(signed(self.bits), name="taken"), Signal(name="borrow")
        with m.Switch(kind):
            with m.Case(Kind.HALVE):
                m.d.comb += [taken.eq(~v), borrow.eq(1)]
            with m.Case(Kind.ADD):
                m.d.comb += [taken.eq(~u), borrow.eq(1)]
            with m.Case(Kind.SUBTRACT):
                m.d.comb += taken.eq(u)
        # A place below the others makes V + b of V - ~b.
        both = Signal(signed(self.bits + 2), name="both")
        m.d.comb += both.eq(Cat(Const(0, 1), v).as_signed() - Cat(borrow, taken).as_signed())
        partial = Signal(signed(self.bits + 1), name="partial")
        total = Signal(signed(self.bits + 2), name="total")
        m.d.comb += [
            partial.eq(both >> 1),
            total.eq(partial - self._subtrahend(m, multiple, partial[:2])),
        ]
        return total[2:].as_signed()

    def _subtrahend(self, m: Module, multiple: Value, low: Value) -> Value:
        """-K: K is the multiple of P, over T_i, that suits a sum which is ``low`` modulo 4."""
        page_bits = ceil_log2(len(self.forms))
        index = Signal(4 + page_bits, name="addend_index")
        m.d.comb += index.eq(Cat(low, multiple, self.page[:page_bits]))
        table = [-self._constant(index) for index in range(len(self.forms) << 4)]
        subtrahend = Signal(signed(self.bits + 1), name="subtrahend")
        # Gates, not a memory: what chooses may be secret.
        for place in range(len(subtrahend)):
            ones = [n for n, value in enumerate(table) if value >> place & 1]
            m.d.comb += subtrahend[place].eq(index.matches(*ones) if ones else Const(0, 1))
        return subtrahend

    def _constant(self, index: int) -> int:
        """K by the index of the table."""
        low, multiple, form = index & 3, index >> 2 & 3, self.forms[index >> 4]
        k = -1 if multiple == 3 else multiple
        return form.addend(self.channel, k * form.modulus, low)
