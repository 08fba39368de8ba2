"""Range check: whether operands are below their limits, beside a run and without memory ports."""

from typing import Any

from amaranth.hdl import Cat, Module, Signal, Value
from amaranth.lib.wiring import Component, In, Out

from residua.hardware.delay import delayed
from residua.hardware.digit.subtraction import less


class RangeCheck(Component):
    """Watches the digits that `DigitCell` is presented with, in the same cycles.

    ``y_due`` is set for digit j of p in iteration j, ``fresh`` in the first iteration, in which all
    digits of x pass. ``out_of_range`` tells after the last iteration, until digit 0 of the next run
    is presented, that Y was not below p; with ``double`` that X or Y was not below 2 p.
    """

    def __init__(self, width: int, *, double: bool) -> None:
        self.width, self.double = width, double
        super().__init__(
            {
                **{name: In(width) for name in ("x", "y", "p")},
                **{name: In(1) for name in ("work", "first", "fresh", "y_due")},
                "out_of_range": Out(1),
            }
        )

    def elaborate(self, platform: Any) -> Module:
        """A comparison digit by digit for each operand that has a limit."""
        m = Module()
        limit: Value = self.p
        if self.double:
            carried = delayed(m, self.p[-1], 1, "highest_bit", data=True) & ~self.first
            limit = Cat(carried, self.p[:-1])
        checks = {"y": (self.y, self.work & self.y_due)}
        if self.double:
            checks["x"] = self.x, self.work & self.fresh
        wrong: list[Value] = []
        for name, (digit, due) in checks.items():
            below = Signal(name=f"{name}_below")
            begins = self.first & self.fresh
            with m.If(due):
                m.d.sync += below.eq(less(digit, limit, below & ~begins)[-1])
            wrong.append(~below)
        m.d.comb += self.out_of_range.eq(Cat(*wrong).any())
        return m
