"""The Cox of the inverter on residues: the lowest bits of a number from channels that come in turn.

The sums are those of `residua.hardware.inverters.plus_minus_cox`, with more bits than two, over a
channel of each rower in a cycle, to which those of the cycles before are added.
"""

from collections.abc import Sequence
from operator import add
from typing import Any

from amaranth.hdl import Const, Module, Mux, Signal, Value, signed
from amaranth.lib import data
from amaranth.lib.wiring import Component, In, Out

from residua.hardware.adder_tree import adder_tree, held, tree_depth
from residua.hardware.delay import delayed
from residua.hardware.inverters.plus_minus_rower import leading_bits
from residua.numbers.hats import HatForm

_ADDITIONS = 2
"""Most additions between two registers."""


def sum_registers(rowers: int) -> int:
    """Registers in the sum over so many rowers and over the cycles before, the last at its end."""
    return -(-(tree_depth(rowers) + 1) // _ADDITIONS)


class ResidueInverterCox(Component):
    """``tag`` has the lowest bits of X / M, ``latency`` cycles after the bits of its last channels.

    M is the product of the base. ``valid`` tells of bits of a channel from each of ``rowers``, of
    which each has ``share``, and ``opens`` of the first ones of X. ``tag`` has ``tag_bits`` bits,
    and stays until the next bits have come as far.
    """

    def __init__(self, form: HatForm, rowers: int, share: int, tag_bits: int) -> None:
        self.form, self.share = form, share
        self.latency = self._registers = sum_registers(rowers)
        super().__init__(
            {
                "valid": In(1),
                "opens": In(1),
                "leading": In(data.ArrayLayout(signed(leading_bits(form)), rowers)),
                "low": In(data.ArrayLayout(tag_bits, rowers)),
                "tag": Out(tag_bits),
            }
        )

    def elaborate(self, platform: Any) -> Module:
        """Two trees of adders, what came before, the difference of both sums."""
        m = Module()
        form, rowers = self.form, range(len(self.low))
        bits = form.truncation + len(self.tag)
        leading = [held(m, f"leading_{i}", bits, self.leading[i]) for i in rowers]
        quotient = self._total(m, "quotient", leading, form.cox.start)
        low = self._total(m, "low", [self.low[i] for i in rowers], 0)
        m.d.comb += self.tag.eq(low - quotient[form.truncation :])
        return m

    def _total(self, m: Module, name: str, terms: Sequence[Value], start: int) -> Value:
        """The sum of the terms and of those that came before, from ``start`` on."""
        bits, last = len(terms[0]), self._registers - 1
        inner = [_ADDITIONS * (i + 1) for i in range(last)]
        tree = adder_tree(m, f"{name}_sum", terms, add, inner)
        total = Signal(bits, name=f"{name}_total", reset_less=True)
        before: Value = Const(start, bits)
        if self.share > 1:
            opens = delayed(m, self.opens, last, f"{name}_opened")
            before = held(m, f"{name}_before", bits, Mux(opens, start, total))
        with m.If(delayed(m, self.valid, last, f"{name}_valid")):
            m.d.sync += total.eq(add(before, tree))
        return total
