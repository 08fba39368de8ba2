"""Multiplier-accumulator with lazy accumulation, for operands wider than one multiplier."""

from typing import Any

from amaranth.hdl import C, Cat, Module, Signal, Value, signed
from amaranth.lib.wiring import Component, In, Out

from residua.hardware.delay import delayed
from residua.hardware.primitives import MULTIPLIER_LATENCY, Accumulator, Multiplier
from residua.numbers.cox import Range

DIGIT_WIDTH = 17
"""Bits of an unsigned operand digit: with its zero sign bit it fills an 18-bit multiplier."""


def digit_count(width: int) -> int:
    """Digits of a signed operand of ``width`` bits; the top one has the sign."""
    return -(-(width - 1) // DIGIT_WIDTH)


def accumulation_latency(width: int, product_registers: int = 0) -> int:
    """Clock edges from the operands of the last product to the complete sum.

    The multipliers' registers, the accumulators and a register for each level of the tree that
    joins them.
    """
    levels = (digit_count(width) ** 2 - 1).bit_length()
    return MULTIPLIER_LATENCY + product_registers + 1 + levels


class MultiplyAccumulate(Component):
    """A running sum of signed products, never reduced.

    ``sum`` <- left * right + (start if first else sum); left * right - (...) where ``subtract`` is
    set. Operands are split in digits of 17 bits; every pair of digits has its own multiplier and
    accumulator, and the partial sums meet in a pipelined adder tree after the last product only.

    ``first`` (and ``subtract``) come with the operands, ``sum`` is complete ``latency`` clock edges
    after the operands of the last product and stays one cycle. ``accumulator`` is the range of
    complete sums without ``start``, ``terms`` the largest number of products in one.
    ``product_registers`` are further registers between the multipliers and the accumulators. With
    ``plains`` a sum for which ``plain`` is set starts from 0.
    """

    def __init__(
        self,
        width: int,
        accumulator: Range,
        terms: int,
        *,
        start: int = 0,
        subtracts: bool = False,
        product_registers: int = 0,
        plains: bool = False,
    ) -> None:
        self.width, self.start, self.subtracts = width, start, subtracts
        self.plains = plains
        self.product_latency = MULTIPLIER_LATENCY + product_registers
        self.latency = accumulation_latency(width, product_registers)
        low, high = accumulator[0] + min(start, 0), accumulator[1] + max(start, 0)
        self.sum_width = max(low.bit_length(), high.bit_length()) + 1
        self.growth = terms.bit_length()
        self.digits = digit_count(width)
        ports = {
            "left": In(signed(width)),
            "right": In(signed(width)),
            "first": In(1),
            "sum": Out(signed(self.sum_width)),
        }
        if subtracts:
            ports["subtract"] = In(1)
        if plains:
            ports["plain"] = In(1)
        super().__init__(ports)

    def elaborate(self, platform: Any) -> Module:
        """Digit multipliers, their accumulators and the tree that joins them."""
        m = Module()
        first = delayed(m, self.first, self.product_latency, "first", data=True)
        subtract: Value | None = None
        if self.subtracts:
            subtract = delayed(m, self.subtract, self.product_latency, "subtract", data=True)
        if self.plains:
            plain = delayed(m, self.plain, self.product_latency, "plain", data=True)
        partial: list[tuple[int, Value]] = []
        starts = self._starts()
        for i, left in enumerate(self._split(self.left)):
            for j, right in enumerate(self._split(self.right)):
                multiplier = Multiplier(len(left), len(right))
                product_width = len(left) + len(right)
                start = starts.get((i, j), 0)
                accumulator = Accumulator(
                    product_width,
                    min(product_width + self.growth, self.sum_width),
                    start=start,
                    subtracts=self.subtracts,
                    plains=self.plains and start != 0,
                )
                m.submodules[f"multiplier_{i}_{j}"] = multiplier
                m.submodules[f"accumulator_{i}_{j}"] = accumulator
                extra = self.product_latency - MULTIPLIER_LATENCY
                product = delayed(m, multiplier.product, extra, f"product_{i}_{j}", data=True)
                m.d.comb += [
                    multiplier.left.eq(left),
                    multiplier.right.eq(right),
                    accumulator.product.eq(product),
                    accumulator.first.eq(first),
                ]
                if subtract is not None:
                    m.d.comb += accumulator.subtract.eq(subtract)
                if accumulator.plains:
                    m.d.comb += accumulator.plain.eq(plain)
                partial.append(((i + j) * DIGIT_WIDTH, accumulator.sum))
        m.d.comb += self.sum.eq(self._join(m, partial))
        return m

    def _starts(self) -> dict[tuple[int, int], int]:
        """The start value, in the highest accumulator whose weight divides it."""
        places = [(i, i) for i in range(self.digits)] + [(i + 1, i) for i in range(self.digits - 1)]
        for i, j in sorted(places, reverse=True):
            weight = 1 << (i + j) * DIGIT_WIDTH
            if self.start % weight == 0 and abs(self.start) >= weight:
                return {(i, j): self.start // weight}
        return {}

    def _split(self, operand: Value) -> list[Value]:
        """Digits, the lowest first: unsigned but for the top one, all as signed values."""
        digits: list[Value] = []
        for index in range(self.digits - 1):
            low = operand[index * DIGIT_WIDTH : (index + 1) * DIGIT_WIDTH]
            digits.append(Cat(low, C(0, 1)).as_signed())
        digits.append(operand[(self.digits - 1) * DIGIT_WIDTH :].as_signed())
        return digits

    def _join(self, m: Module, partial: list[tuple[int, Value]]) -> Value:
        """Add the partial sums by pairs, one register a level.

        Sorted by weight and paired from both ends, so that low bits pass by without an adder.
        """
        partial = sorted(partial, key=lambda item: item[0])
        level = 0
        while len(partial) > 1:
            joined: list[tuple[int, Value]] = []
            for index in range(0, len(partial) - 1, 2):
                (low_shift, low), (high_shift, high) = partial[index], partial[index + 1]
                register = Signal(
                    signed(self.sum_width - low_shift),
                    name=f"partial_{level}_{index // 2}",
                    reset_less=True,
                )
                gap = high_shift - low_shift
                low_bits = Cat(*(low[min(bit, len(low) - 1)] for bit in range(gap)))
                m.d.sync += register.eq(Cat(low_bits, (low >> gap) + high).as_signed())
                joined.append((low_shift, register))
            if len(partial) % 2:
                shift, rest = partial[-1]
                register = Signal(rest.shape(), name=f"partial_{level}_rest", reset_less=True)
                m.d.sync += register.eq(rest)
                joined.append((shift, register))
            partial, level = joined, level + 1
        return partial[0][1]
