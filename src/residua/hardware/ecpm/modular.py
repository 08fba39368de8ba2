"""Modular adder and subtracter, and reductions modulo 2^w - h: ECPM paper, figures 1 and 2."""

from typing import Any

from amaranth.hdl import Module, Mux, Signal, Value
from amaranth.lib.wiring import Component, In, Out

from residua.numbers.moduli import Modulus


class ModularAdder(Component):
    """``sum`` = left + right mod m, in the cycle after: Algorithm 2, left half.

    Operands are in [0, m), as they have to be: the published bound <= m is wrong (E21).
    """

    def __init__(self, modulus: int) -> None:
        self.modulus = modulus
        width = (modulus - 1).bit_length()
        super().__init__({"left": In(width), "right": In(width), "sum": Out(width)})

    def elaborate(self, platform: Any) -> Module:
        """A sum, the sum less m, and a choice by the sign."""
        m = Module()
        total = Signal(len(self.left) + 1, name="total")
        m.d.comb += total.eq(self.left + self.right)
        m.d.sync += self.sum.eq(canonical(m, total, self.modulus, "total"))
        return m


class ModularSubtracter(Component):
    """``difference`` = left - right mod m, in the cycle after: Algorithm 2, right half."""

    def __init__(self, modulus: int) -> None:
        self.modulus = modulus
        width = (modulus - 1).bit_length()
        super().__init__({"left": In(width), "right": In(width), "difference": Out(width)})

    def elaborate(self, platform: Any) -> Module:
        """A difference, the difference plus m, and a choice by the sign."""
        m = Module()
        plain = Signal(len(self.left) + 1, name="plain")
        m.d.comb += plain.eq(self.left - self.right)
        m.d.sync += self.difference.eq(Mux(plain[-1], plain + self.modulus, plain))
        return m


def canonical(m: Module, value: Value, modulus: int, name: str) -> Value:
    """A value below 2 m modulo m."""
    less = Signal(len(value) + 1, name=f"{name}_less")
    m.d.comb += less.eq(value - modulus)
    return Mux(less[-1], value, less)[: (modulus - 1).bit_length()]


def folded(m: Module, value: Value, largest: int, modulus: Modulus, name: str) -> tuple[Value, int]:
    """A value below 2 m in the class of ``value``, and the largest that it can be.

    Every fold replaces 2^w by h. ``largest`` is the largest that ``value`` can be.
    """
    fold = 0
    while largest >= 2 * modulus.value:
        high, low = value[modulus.width :], value[: modulus.width]
        # The result is below (high + 1) 2^w for every high, so its largest is at one of two.
        largest = max(
            (largest >> modulus.width) * modulus.offset + (largest & ((1 << modulus.width) - 1)),
            max((largest >> modulus.width) - 1, 0) * modulus.offset + (1 << modulus.width) - 1,
        )
        shorter = Signal(largest.bit_length(), name=f"{name}_fold_{fold}")
        m.d.comb += shorter.eq(low + multiple(high, modulus))
        value, fold = shorter, fold + 1
    return value, largest


def multiple(value: Value, modulus: Modulus) -> Value:
    """``value`` times h, by shifts and additions."""
    total: Value = value << modulus.digits[0][1]
    for sign, exponent in modulus.digits[1:]:
        term = value << exponent
        total = total + term if sign > 0 else total - term
    return total
