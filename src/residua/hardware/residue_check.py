"""Residue check: check residues of results, each against what the other residues give.

The result of a reduction has one from those of the operands, and another one when its residues have
gone to the other base. Both are of the integer that these stand for, so that they are equal unless
a residue, a constant or the Cox was wrong.
"""

from typing import Any

from amaranth.hdl import Module, Mux, Signal, Value, signed
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import Component, In, Out

from residua.hardware.engine.controls import own_copies


class ResidueCheck(Component):
    """Keeps words of ``bits`` bits, up to ``depth`` of them, until they are compared.

    ``residue`` comes a cycle after its controls: with ``keeps`` it goes to ``kept_register``, with
    ``compares`` it is held against what is there. ``differs`` is set from two cycles after one that
    is another word on, until a reset. ``clear`` overwrites ``clear_register`` with zero.
    """

    def __init__(self, bits: int, depth: int) -> None:
        self.bits, self.depth = bits, depth
        self.controls: dict[str, Any] = {"keeps": 1, "compares": 1, "kept_register": range(depth)}
        super().__init__(
            {name: In(shape) for name, shape in self.controls.items()}
            | {
                "residue": In(signed(bits)),
                "clear": In(1),
                "clear_register": In(range(depth)),
                "differs": Out(1),
            }
        )

    def elaborate(self, platform: Any) -> Module:
        """A memory, its write port behind a register, and a comparison in two steps."""
        m = Module()
        control = own_copies(m, self)
        shape = signed(self.bits)
        m.submodules.kept = memory = Memory(shape=shape, depth=self.depth, init=[])
        write, read = memory.write_port(), memory.read_port(domain="comb")
        enable = Signal(name="enable", init=1)
        address = Signal(range(self.depth), name="address")
        value = Signal(shape, name="value", reset_less=True)
        m.d.comb += [
            read.addr.eq(control["kept_register"]),
            write.addr.eq(address),
            write.data.eq(value),
            write.en.eq(enable),
        ]
        m.d.sync += [
            enable.eq(control["keeps"] | self.clear),
            address.eq(Mux(self.clear, self.clear_register, control["kept_register"])),
            value.eq(Mux(self.clear, 0, self.residue)),
        ]
        word = Signal(shape, name="word", reset_less=True)
        kept = Signal(shape, name="kept_word", reset_less=True)
        compares = Signal(name="comparing")
        m.d.sync += [
            word.eq(self.residue),
            kept.eq(read.data),
            compares.eq(control["compares"]),
        ]
        with m.If(compares & self.finding(word, kept)):
            m.d.sync += self.differs.eq(1)
        return m

    @staticmethod
    def finding(word: Value, kept: Value) -> Value:
        """Whether a word is another one than what was kept for it."""
        return word != kept
