"""The Cox of plus-minus inversion: a number in hat form modulo 4, from all channels at once.

q is the sum of the words' leading bits, and of a start value, without its fraction, s the sum of
the words' two lowest bits, each times T_i modulo 4; X mod 4 = s - q M (CHES 2013 slides, algorithm
(3/4)). As only q modulo 4 counts, t + 2 bits of the sum are enough.
"""

from operator import add
from typing import Any

from amaranth.hdl import Const, Module, Signal, Value, signed
from amaranth.lib import data
from amaranth.lib.wiring import Component, In, Out

from residua.errors import SpecificationError
from residua.hardware.adder_tree import (
    adder_tree,
    difference_mod_4,
    held,
    sum_mod_4,
    tree_depth,
)
from residua.hardware.delay import delayed
from residua.hardware.inverters.plus_minus_rower import TESTED, leading_bits
from residua.numbers.hats import HatForm

_DECISION = 2
"""Additions that take as long as what follows the Cox, up to the next register."""


class PlusMinusCox(Component):
    """``tag`` is X mod 4, ``tests`` is whether X is each of `TESTED`.

    Both come ``latency`` cycles after the words' bits, and may change in every cycle.

    Raises:
        SpecificationError: the latency is negative.
    """

    def __init__(self, form: HatForm, latency: int) -> None:
        if latency < 0:
            raise SpecificationError(f"a Cox has 0 registers or more, not {latency}")
        self.form, self.latency = form, latency
        channels = len(form.base)
        super().__init__(
            {
                "leading": In(data.ArrayLayout(signed(leading_bits(form)), channels)),
                "low": In(data.ArrayLayout(2, channels)),
                "channel_tests": In(data.ArrayLayout(len(TESTED), channels)),
                "tag": Out(2),
                "tests": Out(len(TESTED)),
            }
        )

    def elaborate(self, platform: Any) -> Module:
        """Two trees of adders and one of gates."""
        m = Module()
        form, channels = self.form, range(len(self.form.base))
        bits = form.truncation + 2
        leading: list[Value] = [held(m, f"leading_{i}", bits, self.leading[i]) for i in channels]
        if form.cox.start:
            leading.append(Const(form.cox.start, bits))
        lows = []
        for i in channels:
            own = self.low[i]
            negative = form.base.cofactors[i] % 4 == 3
            lows.append(held(m, f"low_{i}", 2, -own if negative else own))
        registers = self._registers(len(leading))
        quotient = adder_tree(m, "quotient_sum", leading, add, registers)[form.truncation :]
        s = adder_tree(m, "low_sum", lows, sum_mod_4, self._registers(len(lows)))
        subtracts = form.base.product % 4 == 1
        tag = (difference_mod_4 if subtracts else sum_mod_4)(s, quotient)
        m.d.comb += self.tag.eq(tag)
        tests = delayed(m, ~self._all_zero(m), self.latency, "tests")
        m.d.comb += self.tests.eq(tests)
        return m

    def _all_zero(self, m: Module) -> Value:
        """Tests of all channels for zero."""
        failed = Signal(len(TESTED), name="failed")
        for index in range(len(TESTED)):
            bits = [~self.channel_tests[i][index] for i in range(len(self.form.base))]
            total = bits[0]
            for bit in bits[1:]:
                total = total | bit
            m.d.comb += failed[index].eq(total)
        return failed

    def _registers(self, terms: int) -> list[int]:
        """Levels of a tree of adders after which registers lie."""
        depth, parts = tree_depth(terms), self.latency + 1
        return [min((depth + _DECISION) * (i + 1) // parts, depth) for i in range(self.latency)]
