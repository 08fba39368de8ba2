"""Products of digits in a pipeline of multiplier blocks, for any widths."""

from typing import Any

from amaranth.hdl import Cat, Const, Module, Signal, Value
from amaranth.lib.wiring import Component, In, Out

from residua.hardware.primitives import MULTIPLIER_LATENCY, Multiplier

TILE = 17
"""Unsigned bits that a signed multiplier of 18 bits takes."""


class PipelinedProduct(Component):
    """``product`` = ``left`` ``right``, unsigned, of ``left_width`` and ``right_width`` bits.

    A product enters in every cycle and is there ``latency`` clock edges later. Factors of more than
    17 bits are cut into tiles, whose products a tree of registered adders sums. With ``low`` only
    the lowest ``left_width`` bits are made. ``multipliers`` is the number of tiles' products.
    """

    def __init__(self, left_width: int, right_width: int, *, low: bool = False) -> None:
        self.left_width, self.right_width, self.low = left_width, right_width, low
        self._places = _tiles(left_width, right_width, low=low)
        self.multipliers = len(self._places)
        self.latency = product_latency(left_width, right_width, low=low)
        self._out = left_width if low else left_width + right_width
        super().__init__(
            {"left": In(left_width), "right": In(right_width), "product": Out(self._out)}
        )

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


def product_latency(left_width: int, right_width: int, *, low: bool = False) -> int:
    """Clock edges through a `PipelinedProduct`."""
    tiles = product_multipliers(left_width, right_width, low=low)
    return MULTIPLIER_LATENCY + (tiles - 1).bit_length()


def product_multipliers(left_width: int, right_width: int, *, low: bool = False) -> int:
    """Multiplier blocks of a `PipelinedProduct`."""
    return len(_tiles(left_width, right_width, low=low))


def _tiles(left_width: int, right_width: int, *, low: bool) -> list[tuple[int, int]]:
    """The lowest bits of the factors of each tile's product."""
    left, right = range(0, left_width, TILE), range(0, right_width, TILE)
    return [(a, b) for a in left for b in right if not low or a + b < left_width]
