"""Elementary operations of a channel on their own: CMM(w, w) and CMR(2w + 1, w) (HBE Table I)."""

from typing import Any

from amaranth.hdl import Module, signed
from amaranth.lib.wiring import Component, In, Out

from residua.hardware.engine.multiply_accumulate import MultiplyAccumulate
from residua.hardware.engine.reducer import ChannelReducer, FoldPlan, plan_folds
from residua.numbers.cox import Range
from residua.numbers.folding import folds_needed
from residua.numbers.moduli import Modulus


class ModularProduct(Component):
    """left * right mod m: the multiplier and reducer of a channel, on words of w + 1 signed bits.

    A product enters in every cycle; its residue follows ``latency`` clock edges later.
    """

    def __init__(self, modulus: Modulus, levels_per_register: int = 1) -> None:
        largest = 1 << (2 * modulus.width)
        products = (-largest, largest)
        self.modulus, word = modulus, signed(modulus.width + 1)
        self.mac = MultiplyAccumulate(
            modulus.width + 1, products, 1, start=1 << (modulus.width - 1)
        )
        plans = _plans(modulus, products, levels_per_register)
        self.reducer = ChannelReducer([modulus], [products], plans)
        self.latency = self.mac.latency + self.reducer.latency
        super().__init__({"left": In(word), "right": In(word), "residue": Out(word)})

    def elaborate(self, platform: Any) -> Module:
        """Connect multiplication and reduction in a row."""
        m = Module()
        m.submodules.mac, m.submodules.reducer = self.mac, self.reducer
        m.d.comb += [
            self.mac.left.eq(self.left),
            self.mac.right.eq(self.right),
            self.mac.first.eq(1),
            self.reducer.value.eq(self.mac.sum),
            self.residue.eq(self.reducer.residue),
        ]
        return m


def row_reduction(modulus: Modulus, levels_per_register: int = 1) -> ChannelReducer:
    """The reduction of a super-residue of two moduli, as a row of a hierarchical engine has it.

    Its input has the sum of two products of words of w + 1 signed bits.
    """
    largest = 2 << (2 * modulus.width)
    sums = (-largest, largest)
    return ChannelReducer([modulus], [sums], _plans(modulus, sums, levels_per_register))


def _plans(modulus: Modulus, sums: Range, levels_per_register: int) -> list[FoldPlan]:
    return plan_folds(
        [modulus],
        folds_needed(modulus, sums),
        multiply_first=False,
        levels_per_register=levels_per_register,
    )
