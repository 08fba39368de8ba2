"""The tags of V and U of the inverter on residues: what the next steps hang on, before it is told.

A step takes V to (V + b + k P) / 4, b one of V, 0, U, -U, and U takes the V of before or stays. So
V modulo 4^n after it follows from V, U and k P modulo 4^(n + 1) before it. The Cox tells V of an
earlier step with two bits more for each step since then, and one stage for each of these follows
it. All tags are those of numbers over M, the product of the base, which is odd.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

from amaranth.hdl import Array, Const, Module, Mux, Signal, Value
from amaranth.lib.wiring import Component, In, Out

from residua.algorithms.plus_minus import Kind
from residua.hardware.constant_table import selector
from residua.hardware.delay import delayed
from residua.hardware.inverters.residue_inverter_cox import sum_registers
from residua.hardware.inverters.residue_inverter_rower import LATENCY, MULTIPLE_BITS
from residua.numbers.hats import HatForm

_MOST_AHEAD = 2
"""Most steps that are looked ahead: a table of a channel for the Cox has an index of 6 bits."""


class LookAhead(NamedTuple):
    """When steps are decided, in cycles."""

    told: int
    """From the first slot of V3 that is read to when the register of its tag has it."""
    ahead: int
    """Steps, not cycles: as many before the tag of V, its low bits are needed."""
    period: int
    """Of a step."""
    follows: int
    """From a choice to when its stage finds V after it."""


def look_ahead(share: int, rowers: int) -> LookAhead:
    """The shortest step of so many rowers with ``share`` channels each, the least far ahead.

    All words are read before they are read again, and a V is back `LATENCY` cycles after it was
    read. A tag comes ``ahead`` steps late, and each of these takes a cycle to follow: that of the
    oldest once its tag is there, that of the latest 2 cycles after it was chosen or later.
    """
    told = share + LATENCY + sum_registers(rowers)

    def period(ahead: int) -> int:
        return max(2 * share, LATENCY, -(-(told + ahead) // (ahead + 1)))

    ahead = min(range(1, _MOST_AHEAD + 1), key=period)
    follows = max(told - ahead * period(ahead) + ahead - 1, 2)
    return LookAhead(told, ahead, period(ahead), follows)


def tag_bits(ahead: int) -> int:
    """Bits of V that the Cox tells for so many steps to be looked ahead."""
    return 2 * (ahead + 1)


class ResidueInverterTags(Component):
    """``v`` and ``u`` are V and U modulo 4, for the step to be chosen.

    ``begin`` makes the last ``tag`` of the Cox, which ``told`` brings, that of V before the first
    step, and ``first_u`` that of U. In the cycle in which a step is ``chosen`` it is said which:
    ``kind``, ``exchange`` and ``multiple``, the k of k P modulo 4 (3 for -1). The stage of that
    step works ``follows`` cycles later, that of the step before, with two steps ``ahead``, one
    cycle earlier; the last ``tag`` must then be that of V before the oldest of these steps, as
    `look_ahead` has it. ``select`` is the index of P.
    """

    def __init__(self, forms: Sequence[HatForm], ahead: int, follows: int) -> None:
        self.forms, self.ahead, self.follows = tuple(forms), ahead, follows
        bits = tag_bits(ahead)
        super().__init__(
            {
                "tag": In(bits),
                "told": In(1),
                "begin": In(1),
                "first_u": In(bits),
                "chosen": In(1),
                "kind": In(Kind),
                "exchange": In(1),
                "multiple": In(MULTIPLE_BITS),
                **selector(len(forms)),
                "v": Out(2),
                "u": Out(2),
            }
        )

    def elaborate(self, platform: Any) -> Module:
        """The last choice, and a stage for each step that is looked ahead, the oldest first."""
        m = Module()
        self._tag_v = v = Signal(tag_bits(self.ahead), name="tag_v")
        with m.If(self.told):
            m.d.sync += v.eq(self.tag)
        self._keep_choice(m)
        u: Value = self.first_u
        for stage in range(self.ahead):
            v, u = self._stage(m, stage, v)
        m.d.comb += [self.v.eq(v), self.u.eq(u)]
        return m

    def _keep_choice(self, m: Module) -> None:
        """Keep the last choice, and that of a cycle ago: a sum is made from it in between.

        In the cycle after a choice the one of a cycle ago is still that of the step before.
        """
        self._chosen_kind = kind = Signal(Kind, name="chosen_kind")
        self._chosen_multiple = multiple = Signal(MULTIPLE_BITS, name="chosen_multiple")
        exchange, made = Signal(name="chosen_exchange"), Signal(name="made")
        with m.If(self.chosen):
            m.d.sync += [
                kind.eq(self.kind),
                exchange.eq(self.exchange),
                multiple.eq(self.multiple),
                made.eq(1),
            ]
        with m.If(self.begin):
            m.d.sync += made.eq(0)
        self._halves = delayed(m, kind == Kind.HALVE, 1, "halves")
        self._exchanges = delayed(m, exchange, 1, "exchanges")
        self._made = delayed(m, made, 1, "made_before")

    def _stage(self, m: Module, stage: int, v: Signal) -> tuple[Signal, Value]:
        """V after a step, with two bits less, and U after it, modulo 4."""
        u, after = Signal(len(v), name=f"tag_u_{stage}"), Signal(len(v) - 2, name=f"after_{stage}")
        total = Signal(len(v), name=f"total_{stage}")
        addend = delayed(m, self._addend(m, stage, u), 1, f"addend_{stage}")
        m.d.comb += total.eq(Mux(self._halves, v << 1, v) + addend)
        follows = delayed(
            m, self.chosen, self.follows - (self.ahead - 1 - stage), f"follows_{stage}"
        )
        with m.If(follows & self._made):
            m.d.sync += after.eq(total[2:])
            with m.If(self._exchanges):
                m.d.sync += u.eq(v)
        with m.If(self.begin):
            m.d.sync += [after.eq(self._tag_v), u.eq(self.first_u)]
        return after, u[:2]

    def _addend(self, m: Module, stage: int, u: Signal) -> Value:
        """What a step of the chosen kind adds to V or, to halve it, to 2 V."""
        page = self.select if len(self.forms) > 1 else Const(0, 1)
        multiple = modulus_tag(self.forms, page, self._chosen_multiple, len(u))
        addend = Signal(len(u), name=f"own_{stage}")
        m.d.comb += addend.eq(multiple)
        with m.Switch(self._chosen_kind):
            with m.Case(Kind.ADD):
                m.d.comb += addend.eq(multiple + u)
            with m.Case(Kind.SUBTRACT):
                m.d.comb += addend.eq(multiple - u)
        return addend


def modulus_tag(forms: Sequence[HatForm], page: Value, multiple: Value, bits: int) -> Value:
    """The lowest bits of k P / M, P of the form ``page``; a ``multiple`` of 3 is a k of -1."""
    limit = 1 << bits
    inverse = pow(forms[0].base.product, -1, limit)
    tags = [
        Array(Const(k * form.modulus * inverse % limit, bits) for k in (0, 1, 2, -1))
        for form in forms
    ]
    return Array(tags)[page][multiple]
