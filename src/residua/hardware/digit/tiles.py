"""Sums of products of digits, made of tiles for the cascades of DSP48 blocks."""

from typing import Any

from amaranth.hdl import Cat, Const, Module, Signal, Value
from amaranth.lib.wiring import Component, In, Out
from amaranth.utils import bits_for

LEFT_TILE, RIGHT_TILE = 17, 24
"""Bits of the unsigned factors of a DSP48 block; its cascade moves sums down by 17 bits."""


class TiledSum(Component):
    """``sum`` = ``addend`` + the sum of ``left_t`` ``right_t``, t = 0 ... ``products`` - 1.

    Each 24 bits of the right factors have a chain of tiles that goes through the left factors 17
    bits at a time, all products in turn: what a tile adds to comes from the one before, 17 bits
    lower where the left factors move on. The first tile of a chain adds its part of the addend. So
    blocks make all sums but those of the chains, of which there is one for each 24 bits.

    Factors have ``width`` bits, the addend ``addend_bits``. With ``registered`` tiles have a
    register behind their products, which ``clear_t`` keeps at 0: factors come a cycle before the
    addend.
    """

    def __init__(
        self,
        width: int,
        *,
        products: int = 1,
        addend_bits: int = 0,
        registered: bool = False,
    ) -> None:
        self.width, self.products, self.registered = width, products, registered
        largest = products * ((1 << width) - 1) ** 2 + (1 << addend_bits) - 1
        ports = {"addend": In(addend_bits), "sum": Out(bits_for(largest))}
        for t in range(products):
            ports |= {f"left_{t}": In(width), f"right_{t}": In(width)}
            if registered:
                ports[f"clear_{t}"] = In(1)
        super().__init__(ports)

    def elaborate(self, platform: Any) -> Module:
        """The chains, and the adders that join them."""
        m = Module()
        total: Value = Const(0, 0)
        for start in range(0, self.width, RIGHT_TILE):
            last = start + RIGHT_TILE >= self.width
            stop = len(self.addend) if last else start + RIGHT_TILE
            chain = self._chain(m, start, self.addend[start:stop])
            total = Cat(total[:start], total[start:] + chain)
        m.d.comb += self.sum.eq(total)
        return m

    def _chain(self, m: Module, start: int, addend: Value) -> Value:
        """The products of all left factors with 24 bits of the right ones, and an addend."""
        done: list[Value] = []
        total, largest = addend, (1 << len(addend)) - 1
        for low in range(0, self.width, LEFT_TILE):
            if low:
                done.append(total[:LEFT_TILE])
                total, largest = total[LEFT_TILE:], largest >> LEFT_TILE
            for t in range(self.products):
                tile = self._tile(m, t, low, start)
                largest += (1 << len(tile)) - 1
                added = Signal(range(largest + 1), name=f"sum_{start}_{low}_{t}")
                m.d.comb += added.eq(tile + total)
                total = added
        return Cat(*done, total)

    def _tile(self, m: Module, t: int, low: int, start: int) -> Value:
        """One block's product."""
        left = getattr(self, f"left_{t}")[low : low + LEFT_TILE]
        right = getattr(self, f"right_{t}")[start : start + RIGHT_TILE]
        if not self.registered:
            return left * right
        tile = Signal(len(left) + len(right), name=f"tile_{start}_{low}_{t}", reset_less=True)
        m.d.sync += tile.eq(left * right)
        with m.If(getattr(self, f"clear_{t}")):
            m.d.sync += tile.eq(0)
        return tile
