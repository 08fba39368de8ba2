"""Products of digits in a pipeline of multiplier blocks, for any width."""

from typing import Any

from amaranth.hdl import Cat, Const, Module, Signal, Value
from amaranth.lib.wiring import Component, In, Out

from residua.hardware.primitives import MULTIPLIER_LATENCY, Multiplier

TILE = 17
"""Unsigned bits that a signed multiplier of 18 bits takes."""


class PipelinedProduct(Component):
    """``product`` = ``left`` ``right``, unsigned numbers of ``width`` bits.

    A product enters in every cycle and is there ``latency`` clock edges later. Digits of more than
    17 bits are cut into tiles, whose products a tree of registered adders sums. With ``low`` only
    the lowest ``width`` bits are made. ``multipliers`` is the number of tiles' products.
    """

    def __init__(self, width: int, *, low: bool = False) -> None:
        self.width, self.low = width, low
        starts = range(0, width, TILE)
        self._places = [(a, b) for a in starts for b in starts if not low or a + b < width]
        self.multipliers = len(self._places)
        self.latency = product_latency(width, low=low)
        self._out = width if low else 2 * width
        super().__init__({"left": In(width), "right": In(width), "product": Out(self._out)})

    def elaborate(self, platform: Any) -> Module:
        """Multipliers and adders."""
        m = Module()
        summands: list[Value] = []
        for a, b in self._places:
            left, right = self.left[a : a + TILE], self.right[b : b + TILE]
            tile = Multiplier(len(left) + 1, len(right) + 1)
            m.submodules[f"tile_{a}_{b}"] = tile
            m.d.comb += [tile.left.eq(left), tile.right.eq(right)]
            product = tile.product[: len(left) + len(right)]
            summands.append(Cat(Const(0, a + b), product)[: self._out])
        level = 0
        while len(summands) > 1:
            level += 1
            summands = [
                self._registered(m, summands[i : i + 2], f"sum_{level}_{i // 2}")
                for i in range(0, len(summands), 2)
            ]
        m.d.comb += self.product.eq(summands[0])
        return m

    def _registered(self, m: Module, pair: list[Value], name: str) -> Value:
        """The sum of one or two, a cycle later."""
        total = Signal(self._out, name=name, reset_less=True)
        m.d.sync += total.eq(pair[0] if len(pair) == 1 else pair[0] + pair[1])
        return total


def product_latency(width: int, *, low: bool = False) -> int:
    """Clock edges through a `PipelinedProduct`."""
    starts = range(0, width, TILE)
    tiles = sum(not low or a + b < width for a in starts for b in starts)
    return MULTIPLIER_LATENCY + (tiles - 1).bit_length()


def product_multipliers(width: int, *, low: bool = False) -> int:
    """Multiplier blocks of a `PipelinedProduct`."""
    starts = range(0, width, TILE)
    return sum(not low or a + b < width for a in starts for b in starts)
