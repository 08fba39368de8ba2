"""Modular multiplier by Horner's rule: ECPM paper, figure 3, Algorithm 3 for i = 1 to r (E21)."""

from typing import Any

from amaranth.hdl import Module, Mux, Signal, Value
from amaranth.lib.wiring import Component, In, Out

from residua.hardware.ecpm.modular import canonical, folded
from residua.numbers.moduli import Modulus


class HornerMultiplier(Component):
    """``product`` = left * right mod m, ``digit`` bits of left a cycle, the highest first.

    ``start`` takes operands in [0, m); the next ones may be taken ``steps`` cycles later. The
    product is there ``latency`` cycles after ``start``, for a cycle at least. Partial results are
    below 2 m; ``first`` is ``start`` two cycles ago.

    Attributes:
        steps: digits of left, r of the paper.
        latency: steps + 3.
    """

    def __init__(self, modulus: Modulus, digit: int, steps: int) -> None:
        self.modulus, self.digit, self.steps = modulus, digit, steps
        self.latency = steps + 3
        width = modulus.width
        super().__init__(
            {
                "start": In(1),
                "first": In(1),
                "left": In(width),
                "right": In(width),
                "product": Out(width),
            }
        )

    def elaborate(self, platform: Any) -> Module:
        """Two registers of operands, one of digit times right, one of the partial result."""
        m = Module()
        modulus, digit = self.modulus, self.digit
        left = Signal(digit * self.steps, name="left_digits", reset_less=True)
        right = Signal(modulus.width, name="right_held", reset_less=True)
        part = Signal(modulus.width + digit, name="part", reset_less=True)
        partial = Signal((2 * modulus.value - 1).bit_length(), name="partial", reset_less=True)
        m.d.sync += left.eq(left << digit)
        with m.If(self.start):
            m.d.sync += [left.eq(self.left), right.eq(self.right)]
        rows = [Mux(bit, right, 0) << place for place, bit in enumerate(left[-digit:])]
        m.d.sync += part.eq(total(rows))
        radix = 1 << digit
        largest = radix * (2 * modulus.value - 1) + (radix - 1) * (modulus.value - 1)
        value = Signal(largest.bit_length(), name="value")
        m.d.comb += value.eq((Mux(self.first, 0, partial) << digit) + part)
        below, _ = folded(m, value, largest, modulus, "value")
        m.d.sync += [
            partial.eq(below),
            self.product.eq(canonical(m, partial, modulus.value, "partial")),
        ]
        return m


def total(terms: list[Value]) -> Value:
    """The sum in a balanced tree."""
    while len(terms) > 1:
        pairs = [terms[i : i + 2] for i in range(0, len(terms), 2)]
        terms = [pair[0] + pair[1] if len(pair) > 1 else pair[0] for pair in pairs]
    return terms[0]
