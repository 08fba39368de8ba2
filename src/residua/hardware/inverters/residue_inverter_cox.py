"""The Cox of the inverter on residues: a number modulo 4 from channels that come in turn.

The sums are those of `residua.hardware.inverters.plus_minus_cox`, over a channel of each rower in a
cycle, to which those of the cycles before are added.
"""

from collections.abc import Sequence
from operator import add
from typing import Any

from amaranth.hdl import Module, Mux, Signal, Value, signed
from amaranth.lib import data
from amaranth.lib.wiring import Component, In, Out

from residua.hardware.adder_tree import (
    Adder,
    adder_tree,
    difference_mod_4,
    held,
    sum_mod_4,
    tree_depth,
)
from residua.hardware.delay import delayed
from residua.hardware.inverters.plus_minus_rower import leading_bits
from residua.numbers.hats import HatForm

_ADDITIONS = 2
"""Most additions between two registers."""


def sum_registers(rowers: int) -> int:
    """Registers in the sum over so many rowers and over the cycles before, the last at its end."""
    return -(-(tree_depth(rowers) + 1) // _ADDITIONS)


class ResidueInverterCox(Component):
    """``tag`` is X mod 4, ``latency`` cycles after the bits of its last channels.

    ``valid`` tells of bits of a channel from each rower, ``opens`` of the first ones of X and
    ``closes`` of the last. ``tag`` stays until that of the next number comes if it is ``held``;
    else until the next bits have come as far, which saves a cycle.
    """

    def __init__(self, form: HatForm, rowers: int, *, held: bool) -> None:
        self.form, self.held = form, held
        self._registers = sum_registers(rowers)
        self.latency = self._registers + held
        super().__init__(
            {
                "valid": In(1),
                "opens": In(1),
                "closes": In(1),
                "leading": In(data.ArrayLayout(signed(leading_bits(form)), rowers)),
                "low": In(data.ArrayLayout(2, rowers)),
                "tag": Out(2),
            }
        )

    def elaborate(self, platform: Any) -> Module:
        """Two trees of adders, what came before, the difference of both sums."""
        m = Module()
        form, rowers = self.form, range(len(self.low))
        bits = form.truncation + 2
        leading = [held(m, f"leading_{i}", bits, self.leading[i]) for i in rowers]
        quotient = self._total(m, "quotient", leading, form.cox.start, add)
        s = self._total(m, "low", [self.low[i] for i in rowers], 0, sum_mod_4)
        subtracts = form.base.product % 4 == 1
        tag = (difference_mod_4 if subtracts else sum_mod_4)(s, quotient[form.truncation :])
        if self.held:
            closes = delayed(m, self.closes, self._registers, "closed")
            with m.If(closes):
                m.d.sync += self.tag.eq(tag)
        else:
            m.d.comb += self.tag.eq(tag)
        return m

    def _total(self, m: Module, name: str, terms: Sequence[Value], start: int, add: Adder) -> Value:
        """The sum of the terms and of those that came before, from ``start`` on."""
        bits, last = len(terms[0]), self._registers - 1
        inner = [_ADDITIONS * (i + 1) for i in range(last)]
        tree = adder_tree(m, f"{name}_sum", terms, add, inner)
        total = Signal(bits, name=f"{name}_total", reset_less=True)
        opens = delayed(m, self.opens, last, f"{name}_opened")
        before = held(m, f"{name}_before", bits, Mux(opens, start, total))
        with m.If(delayed(m, self.valid, last, f"{name}_valid")):
            m.d.sync += total.eq(add(before, tree))
        return total
