"""One channel: registers, adder, subtracter, multiplier, selector, and binary to residue.

All channels together are the RNS registers and units of the ECPM paper's figures 4 to 6.
"""

from collections.abc import Mapping
from typing import Any

from amaranth.hdl import Array, Cat, Const, Module, Mux, Signal, Value
from amaranth.lib.wiring import Component, In, Out

from residua.hardware.digit.memory import add_memory
from residua.hardware.ecpm.control import SOURCES, channel_fields
from residua.hardware.ecpm.horner import HornerMultiplier
from residua.hardware.ecpm.modular import ModularAdder, ModularSubtracter, canonical, folded
from residua.machines.point_schedule import CONSTANTS
from residua.numbers.moduli import Modulus


class Channel(Component):
    """A channel of an ECPM.

    Its control inputs are `channel_fields`; ``choose`` is what the selector was told. ``chunk`` is
    a piece of a binary number, the highest first, ``chunk_first`` with the first one: the residue
    of the number can be written two cycles after the last one. ``xi`` has the product of a channel,
    ``zero`` whether what was written in the cycle before is 0.
    """

    def __init__(
        self,
        modulus: Modulus,
        constants: Mapping[str, int],
        *,
        digit: int,
        steps: int,
        chunk: int,
        registers: int,
    ) -> None:
        self.modulus, self.constants = modulus, dict(constants)
        self.digit, self.steps, self.registers = digit, steps, registers
        super().__init__(
            {
                **{name: In(bits) for name, bits in channel_fields(registers).items()},
                "choose": In(1),
                "chunk": In(chunk),
                "chunk_first": In(1),
                "xi": Out(modulus.width),
                "zero": Out(1),
            }
        )

    def elaborate(self, platform: Any) -> Module:
        """Two copies of the registers, which are read two cycles before operands are used."""
        m = Module()
        width, value = self.modulus.width, self.modulus.value
        written = Signal(width, name="written")
        left, right = (
            Signal(width, name=name, reset_less=True) for name in ("left_operand", "right_operand")
        )
        reads = []
        for name, address in (("left", self.left), ("right", self.right)):
            write, read = add_memory(m, f"{name}_registers", width, self.registers)
            m.d.comb += [
                write.en.eq(self.write),
                write.addr.eq(self.target),
                write.data.eq(written),
                read.addr.eq(address),
            ]
            reads.append(read.data)
        table = [Const(0, width), *(Const(self.constants[name], width) for name in CONSTANTS)]
        constant = Array(table)[self.constant]
        m.d.sync += [left.eq(reads[0]), right.eq(Mux(self.constant == 0, reads[1], constant))]
        m.submodules.adder = adder = ModularAdder(value)
        m.submodules.subtracter = subtracter = ModularSubtracter(value)
        m.submodules.multiplier = multiplier = HornerMultiplier(
            self.modulus, self.digit, self.steps
        )
        for unit in (adder, subtracter, multiplier):
            m.d.comb += [unit.left.eq(left), unit.right.eq(right)]
        m.d.comb += [
            multiplier.start.eq(self.start),
            multiplier.first.eq(self.first),
            self.xi.eq(multiplier.product),
        ]
        selected = Signal(width, name="selected", reset_less=True)
        m.d.sync += selected.eq(Mux(self.choose, left, right))
        results = {
            "add": adder.sum,
            "subtract": subtracter.difference,
            "multiply": multiplier.product,
            "select": selected,
            "convert": self._residue(m),
        }
        m.d.comb += written.eq(Array([results[name] for name in SOURCES])[self.source])
        m.d.sync += self.zero.eq(written == 0)
        return m

    def _residue(self, m: Module) -> Value:
        """Binary to residue: Horner's rule on pieces of the number."""
        modulus, bits = self.modulus, len(self.chunk)
        residue = Signal((2 * modulus.value - 1).bit_length(), name="residue", reset_less=True)
        result = Signal(modulus.width, name="residue_result", reset_less=True)
        largest = (2 * modulus.value << bits) - 1
        longer = Cat(self.chunk, Mux(self.chunk_first, 0, residue))
        below, _ = folded(m, longer, largest, modulus, "residue")
        m.d.sync += [
            residue.eq(below),
            result.eq(canonical(m, residue, modulus.value, "residue")),
        ]
        return result
