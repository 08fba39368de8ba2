"""Residues to a number modulo p: multiplication and accumulation of all channels at once.

The paper's CMAC multiplies xi_i by constants and accumulates. Here a few bits of every xi_i at a
time select multiples of |M_i|_p from tables of four address bits, a tree adds them, and Horner's
rule adds up over the bits; what grows beyond p's bits is folded back by tables in the same cycle.
"""

from collections.abc import Sequence
from functools import cached_property
from typing import Any

from amaranth.hdl import Array, Cat, Const, Module, Mux, Signal, Value
from amaranth.lib.wiring import Component, In, Out

from residua.errors import SpecificationError
from residua.hardware.ecpm.modular import canonical
from residua.numbers.extended_base import ExtendedBase

ADDRESS_BITS = 4
"""Address bits of a table: the inputs of a LUT4."""


class ConversionShape:
    """Sizes and cycles of a conversion modulo ``prime``, ``bits`` bits of every xi a cycle.

    Raises:
        SpecificationError: the redundant modulus is not 2^g - 1.
    """

    def __init__(self, base: ExtendedBase, prime: int, bits: int) -> None:
        if base.redundant.offset != 1:
            raise SpecificationError(
                f"the redundant modulus of a converter is 2^g - 1, not {base.redundant}"
            )
        self.base, self.prime, self.bits = base, prime, bits
        self.weights = tuple(cofactor % prime for cofactor in base.base.cofactors)
        self.together = max(ADDRESS_BITS // bits, 1)

    @property
    def field_bits(self) -> int:
        """Bits of p."""
        return self.prime.bit_length()

    @property
    def steps(self) -> int:
        """Cycles in which bits of xi are added."""
        return -(-self.base.base.width // self.bits)

    @property
    def groups(self) -> list[range]:
        """The channels that share a table."""
        count = len(self.weights)
        return [range(i, min(i + self.together, count)) for i in range(0, count, self.together)]

    @property
    def levels(self) -> int:
        """Levels of the adder tree, each with a register."""
        return (len(self.groups) - 1).bit_length()

    @cached_property
    def largest_part(self) -> int:
        """Largest sum of tables and tree in a cycle."""
        return sum(self.weights) * ((1 << self.bits) - 1)

    @cached_property
    def largest_sum(self) -> int:
        """The largest partial sum, with as many fold tables as it needs itself."""
        tables = 1
        while True:
            folded = (1 << self.field_bits) - 1 + tables * (self.prime - 1)
            largest = (folded << self.bits) + self.largest_part
            if -(-(largest >> self.field_bits).bit_length() // ADDRESS_BITS) <= tables:
                return largest
            tables += 1

    @property
    def fold_tables(self) -> list[range]:
        """The bits of a partial sum above those of p, by table."""
        ends = range(self.field_bits, self.largest_sum.bit_length(), ADDRESS_BITS)
        return [range(i, min(i + ADDRESS_BITS, self.largest_sum.bit_length())) for i in ends]

    @cached_property
    def largest_unreduced(self) -> int:
        """The largest number before multiples of p are subtracted."""
        return (1 << self.field_bits) - 1 + (len(self.fold_tables) + 1) * (self.prime - 1)

    @property
    def subtractions(self) -> int:
        """Cycles that take multiples 2^k p away, k going down to 0."""
        return (self.largest_unreduced // self.prime).bit_length()

    @property
    def sum_delay(self) -> int:
        """Cycles from that in which xi are taken to that which adds their first bits."""
        return 2 + self.levels

    @property
    def last_sum(self) -> int:
        """The cycle, counted so, in which the sum of all bits is there."""
        return self.sum_delay + self.steps

    @property
    def interval(self) -> int:
        """Cycles from one conversion to the next, at least."""
        return max(self.steps, self.sum_delay, self.subtractions + 1)

    @property
    def done(self) -> int:
        """The cycle, counted so, in which the number modulo p is there."""
        return self.last_sum + 3 + self.subtractions


class Converter(Component):
    """The number in [0, p) that residues stand for, of either sign, modulo p.

    ``xi`` are the scaled residues of all channels, the redundant one last, taken with ``collect``.
    The other inputs tell the cycles of a conversion, see `ConversionShape`: ``sum_first`` at
    ``sum_delay``, ``fold`` at ``last_sum``, ``weigh`` two cycles later, and then ``subtract`` for
    each of ``subtractions`` cycles with the exponent ``shift``. ``number`` is there at ``done``.
    """

    def __init__(self, shape: ConversionShape) -> None:
        self.shape = shape
        super().__init__(
            {
                **{f"xi_{i}": In(m.width) for i, m in enumerate(shape.base.moduli)},
                "collect": In(1),
                "sum_first": In(1),
                "fold": In(1),
                "weigh": In(1),
                "subtract": In(1),
                "shift": In(range(max(shape.subtractions, 2))),
                "number": Out(shape.field_bits),
            }
        )

    def elaborate(self, platform: Any) -> Module:
        """Shift registers, tables and a tree for the sum and for r, and subtractions of p."""
        m = Module()
        shape = self.shape
        digits, added = self._digits(m)
        redundant = shape.base.redundant.value
        parts = self._tables(m, digits, shape.weights, None, "multiple")
        part = self._tree(m, parts, None, "sum")
        overflow_parts = self._tables(
            m, digits, shape.base.overflow_weights, redundant, "overflow_multiple"
        )
        overflow_part = self._tree(m, overflow_parts, redundant, "overflow_sum")
        total = Signal(shape.largest_sum.bit_length(), name="total", reset_less=True)
        back = self._folded(total)
        m.d.sync += total.eq((Mux(self.sum_first, 0, back) << shape.bits) + part)
        self._number(m, back, self._overflow(m, overflow_part, added))
        return m

    def _digits(self, m: Module) -> tuple[list[Value], Value]:
        """The leading bits of each xi in turn, and what the redundant residue adds to r."""
        shape = self.shape
        length, digits = shape.steps * shape.bits, []
        for i in range(len(shape.base.base)):
            register = Signal(length, name=f"xi_digits_{i}", reset_less=True)
            m.d.sync += register.eq(register << shape.bits)
            with m.If(self.collect):
                m.d.sync += register.eq(getattr(self, f"xi_{i}"))
            digits.append(register[length - shape.bits :])
        # The next conversion begins before r of this one is complete.
        own, kept = (
            Signal(shape.base.redundant.width, name=name, reset_less=True)
            for name in ("added", "added_kept")
        )
        with m.If(self.collect):
            m.d.sync += own.eq(getattr(self, f"xi_{len(digits)}"))
        with m.If(self.sum_first):
            m.d.sync += kept.eq(own)
        return digits, kept

    def _tables(
        self, m: Module, digits: list[Value], weights: Sequence[int], modulus: int | None, name: str
    ) -> list[Value]:
        """Sums of digits times weights of the channels of a group, registered."""
        found: list[Value] = []
        for place, group in enumerate(self.shape.groups):
            address = Cat(*(digits[i] for i in group))
            words = []
            for word in range(1 << len(address)):
                parts = [word >> (k * self.shape.bits) for k in range(len(group))]
                mask = (1 << self.shape.bits) - 1
                value = sum((x & mask) * weights[i] for x, i in zip(parts, group, strict=True))
                words.append(value if modulus is None else value % modulus)
            entry = Signal(max(words).bit_length(), name=f"{name}_{place}", reset_less=True)
            m.d.sync += entry.eq(_looked_up(words, address, len(entry)))
            found.append(entry)
        return found

    def _tree(self, m: Module, parts: list[Value], modulus: int | None, name: str) -> Value:
        """All parts added, modulo ``modulus`` if there is one, a level a cycle."""
        for level in range(self.shape.levels):
            following: list[Value] = []
            for i in range(0, len(parts), 2):
                value = parts[i] if i + 1 == len(parts) else parts[i] + parts[i + 1]
                label = f"{name}_{level}_{i // 2}"
                if modulus is not None and i + 1 < len(parts):
                    plain = Signal(len(value), name=f"{label}_plain")
                    m.d.comb += plain.eq(value)
                    value = canonical(m, plain, modulus, label)
                register = Signal(len(value), name=label, reset_less=True)
                m.d.sync += register.eq(value)
                following.append(register)
            parts = following
        return parts[0]

    def _folded(self, total: Signal) -> Value:
        """The class of a partial sum, with its bits above those of p looked up."""
        shape = self.shape
        value: Value = total[: shape.field_bits]
        for bits in shape.fold_tables:
            address = total[bits.start : bits.stop]
            words = [(word << bits.start) % shape.prime for word in range(1 << len(bits))]
            value = value + _looked_up(words, address, shape.field_bits)
        return value

    def _overflow(self, m: Module, part: Value, added: Value) -> Value:
        """|-r M|_p, two cycles after the last part of r was added."""
        shape = self.shape
        redundant = shape.base.redundant.value
        bits = shape.base.redundant.width
        total = Signal(bits, name="overflow_total", reset_less=True)
        # Powers of two modulo 2^g - 1 rotate.
        shifted = Mux(self.sum_first, 0, total.rotate_left(shape.bits))
        plain = Signal(bits + 1, name="overflow_plain")
        m.d.comb += plain.eq(shifted + part)
        m.d.sync += total.eq(canonical(m, plain, redundant, "overflow_plain"))
        last = Signal(bits + 1, name="overflow_last")
        m.d.comb += last.eq(total + added)
        count = len(shape.base.base)
        overflow = Signal(range(count + 1), name="overflow", reset_less=True)
        m.d.sync += overflow.eq(canonical(m, last, redundant, "overflow_last"))
        product = shape.base.base.product
        words = [-r * product % shape.prime for r in range(count + 1)]
        multiple = Signal(shape.field_bits, name="overflow_multiple", reset_less=True)
        m.d.sync += multiple.eq(_looked_up(words, overflow, shape.field_bits))
        return multiple

    def _number(self, m: Module, back: Value, multiple: Value) -> None:
        """The sum folded once more, with what r stands for, less multiples of p."""
        shape = self.shape
        kept = Signal(len(back), name="folded", reset_less=True)
        value = Signal(shape.largest_unreduced.bit_length(), name="value", reset_less=True)
        multiples = [Const(shape.prime << k) for k in range(shape.subtractions)]
        less = Signal(len(value) + 1, name="value_less")
        m.d.comb += [less.eq(value - Array(multiples)[self.shift]), self.number.eq(value)]
        with m.If(self.fold):
            m.d.sync += kept.eq(back)
        with m.If(self.weigh):
            m.d.sync += value.eq(kept + multiple)
        with m.Elif(self.subtract & ~less[-1]):
            m.d.sync += value.eq(less)


def _looked_up(words: list[int], address: Value, width: int) -> Value:
    """The word of an address, as logic."""
    padded = words + [0] * ((1 << len(address)) - len(words))
    return Array([Const(word, width) for word in padded])[address]
