"""The Cox of plus-minus inversion: a number in hat form modulo 4, from all channels at once.

q is the sum of the words' leading bits, and of a start value, without its fraction, s the sum of
the words' two lowest bits, each times T_i modulo 4; X mod 4 = s - q M (CHES 2013 slides, algorithm
(3/4)). As only q modulo 4 counts, t + 2 bits of the sum are enough.
"""

from collections.abc import Callable, Sequence
from operator import add
from typing import Any

from amaranth.hdl import Cat, Const, Module, Signal, Value, signed
from amaranth.lib import data
from amaranth.lib.wiring import Component, In, Out

from residua.errors import SpecificationError
from residua.hardware.delay import delayed
from residua.hardware.plus_minus_rower import TESTED, leading_bits
from residua.numbers.hats import HatForm

DECISION = 2
"""Additions that take as long as what follows the Cox, up to the next register."""

_IN_A_ROW = 3
"""Additions between two registers of a Cox that does not slow its core."""


class PlusMinusCox(Component):
    """``tag`` is X mod 4; unless ``tests`` is False, ``tests`` is whether X is each of `TESTED`.

    Both come ``latency`` cycles after the words' bits, and may change in every cycle.

    Raises:
        SpecificationError: the latency is negative.
    """

    def __init__(self, form: HatForm, latency: int, *, tests: bool = True) -> None:
        if latency < 0:
            raise SpecificationError(f"a Cox has 0 registers or more, not {latency}")
        self.form, self.latency, self.has_tests = form, latency, tests
        channels = len(form.base)
        tested = {
            "channel_tests": In(data.ArrayLayout(len(TESTED), channels)),
            "tests": Out(len(TESTED)),
        }
        super().__init__(
            {
                "leading": In(data.ArrayLayout(signed(leading_bits(form)), channels)),
                "low": In(data.ArrayLayout(2, channels)),
                "tag": Out(2),
            }
            | (tested if tests else {})
        )

    def elaborate(self, platform: Any) -> Module:
        """Two trees of adders and one of gates."""
        m = Module()
        form, channels = self.form, range(len(self.form.base))
        bits = form.truncation + 2
        leading = [_held(m, f"leading_{i}", bits, self.leading[i]) for i in channels]
        if form.cox.start:
            leading.append(Const(form.cox.start, bits))
        lows = []
        for i in channels:
            own = self.low[i]
            negative = form.base.cofactors[i] % 4 == 3
            lows.append(_held(m, f"low_{i}", 2, -own if negative else own))
        quotient = self._sum(m, "quotient_sum", leading)[form.truncation :]
        s = self._sum(m, "low_sum", lows, sum_mod_4)
        if form.base.product % 4 == 1:
            quotient = Cat(quotient[0], quotient[1] ^ quotient[0])
        m.d.comb += self.tag.eq(sum_mod_4(s, quotient))
        if self.has_tests:
            tests = ~self._all_zero(m)
            m.d.comb += self.tests.eq(delayed(m, tests, self.latency, "tests"))
        return m

    def _all_zero(self, m: Module) -> Value:
        """For each test whether a channel fails."""
        failed = Signal(len(TESTED), name="failed")
        for index in range(len(TESTED)):
            bits = [~self.channel_tests[i][index] for i in range(len(self.form.base))]
            total = bits[0]
            for bit in bits[1:]:
                total = total | bit
            m.d.comb += failed[index].eq(total)
        return failed

    def _sum(
        self,
        m: Module,
        name: str,
        terms: Sequence[Value],
        add: Callable[[Value, Value], Value] = add,
    ) -> Value:
        """The sum modulo a power of two, by a tree with ``latency`` registers in it."""
        depth, parts = max((len(terms) - 1).bit_length(), 1), self.latency + 1
        after = [min((depth + DECISION) * (i + 1) // parts, depth) for i in range(self.latency)]
        level, values = 0, list(terms)
        while True:
            for _ in range(after.count(level)):
                values = [delayed(m, v, 1, f"{name}_{level}_{i}") for i, v in enumerate(values)]
            if level == depth:
                return values[0]
            level += 1
            pairs = [values[i : i + 2] for i in range(0, len(values), 2)]
            values = [
                _held(
                    m,
                    f"{name}_level_{level}_{i}",
                    len(pair[0]),
                    add(*pair) if pair[1:] else pair[0],
                )
                for i, pair in enumerate(pairs)
            ]


def fitting_registers(channels: int) -> int:
    """The fewest registers with which a centred form's Cox does not slow the core beside it."""
    depth = channels.bit_length()
    return -(-(depth + DECISION) // _IN_A_ROW) - 1


def sum_mod_4(x: Value, y: Value) -> Value:
    """x + y of two bits each, in gates: a carry chain would be slower than these."""
    return Cat(x[0] ^ y[0], x[1] ^ y[1] ^ (x[0] & y[0]))


def _held(m: Module, name: str, bits: int, value: Value) -> Signal:
    signal = Signal(bits, name=name)
    m.d.comb += signal.eq(value)
    return signal
