"""Narrow rower: the extra channel modulo 2^g of a base (SBMM section 6.1 and figure 1).

It executes the slots of the other rowers a cycle later, so that in a pass around the ring it finds
in rower 0's output the word that rower 0 multiplies in the same slot. Modulo a power of two nothing
is folded: residues are the low g bits of sums, read as signed numbers.
"""

from collections.abc import Sequence
from typing import Any

from amaranth.hdl import Module, Mux, Signal, Value, signed
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import Component, In, Out

from residua.hardware.delay import delayed
from residua.hardware.rower import RowerShape
from residua.machines.slots import Left

_SUM_LATENCY = 4
"""Cycles from the choice of a left operand by the other rowers to the sum; they take at least one
more for a fold, so that there is time to wait."""


class NarrowRower(Component):
    """One product and sum of g bits a slot, for the modulus 2^``bits``.

    Controls, registers and results are those of a `Rower`; ``latency`` is theirs, from a slot to
    ``residue``. With ``listens`` the left operand is ``ring``, the left operand that rower 0 had in
    the same slot. ``operand`` is the own left operand of the previous slot, for the Cox; ``stored``
    is the word of ``left_register``, a cycle before its slot, for the bus.
    """

    def __init__(
        self, shape: RowerShape, bits: int, latency: int, constants: Sequence[int]
    ) -> None:
        self.shape, self.bits, self.latency = shape, bits, latency
        self.constants = tuple(constants)
        word = signed(bits)
        super().__init__(
            {name: In(port) for name, port in shape.control().items()}
            | {
                "listens": In(1),
                "ring": In(word),
                "bus": In(word),
                "word": In(word),
                "load": In(1),
                "load_register": In(range(shape.registers)),
                "operand": Out(word),
                "stored": Out(word),
                "residue": Out(word),
            }
        )

    def elaborate(self, platform: Any) -> Module:
        """Memories, two stages of operand multiplexers, product, sum."""
        m = Module()
        control = {
            name: Signal(shape, name=f"{name}_copy", reset_less=name != "write")
            for name, shape in (*self.shape.control().items(), ("listens", 1))
        }
        m.d.sync += [copy.eq(getattr(self, name)) for name, copy in control.items()]
        right = self._right(m, control)
        left = self._left(m, control)
        product = self._signal("product")
        total = self._signal("total")
        m.d.sync += product.eq(left * right)
        before = Mux(delayed(m, control["first"], 3, "first"), 0, total)
        if self.shape.subtracts:
            before = Mux(delayed(m, control["subtract"], 3, "subtract"), -before, before)
        m.d.sync += total.eq(product + before)
        waited = delayed(m, total, self.latency - _SUM_LATENCY, "total")
        m.d.comb += self.residue.eq(waited.as_signed())
        return m

    def _signal(self, name: str) -> Signal:
        return Signal(signed(self.bits), name=name, reset_less=True)

    def _left(self, m: Module, control: dict[str, Signal]) -> Signal:
        """The own word, registered; then that of the ring or the bus in its place."""
        codes, code = self.shape.left_codes, control["left"]
        word, operand, left = (self._signal(n) for n in ("left_word", "own_operand", "left"))
        bus = self._signal("bus_word")
        m.d.sync += [
            word.eq(self.stored),
            operand.eq(Mux(code == codes[Left.RESULT], self.residue, word)),
            bus.eq(self.bus),
        ]
        listens = delayed(m, control["listens"], 1, "listens")
        takes_bus = delayed(m, code == codes[Left.BUS], 1, "takes_bus")
        m.d.sync += left.eq(Mux(listens, self.ring, Mux(takes_bus, bus, operand)))
        m.d.comb += self.operand.eq(operand)
        return left

    def _right(self, m: Module, control: dict[str, Signal]) -> Value:
        """Both memories; the right operand comes when the left one does."""
        word = signed(self.bits)
        m.submodules.registers = memory = Memory(shape=word, depth=self.shape.registers, init=[])
        self._store(m, memory, control)
        left, right = memory.read_port(domain="comb"), memory.read_port(domain="comb")
        right_word = self._signal("right_word")
        m.d.comb += [
            left.addr.eq(control["left_register"]),
            right.addr.eq(control["right_register"]),
            self.stored.eq(left.data),
        ]
        m.d.sync += right_word.eq((right.data | self._constant(m, control)).as_signed())
        return delayed(m, right_word, 2, "right").as_signed()

    def _store(self, m: Module, memory: Memory, control: dict[str, Signal]) -> None:
        """The write port, as a `Rower` has it."""
        port = memory.write_port()
        value, enable = self._signal("write_word"), Signal(name="write_enable")
        address = Signal(range(self.shape.registers), name="write_address", reset_less=True)
        m.d.sync += [
            value.eq(Mux(control["write"], self.residue, self.word)),
            enable.eq(control["write"] | self.load),
            address.eq(Mux(control["write"], control["write_register"], self.load_register)),
        ]
        m.d.comb += [port.data.eq(value), port.en.eq(enable), port.addr.eq(address)]

    def _constant(self, m: Module, control: dict[str, Signal]) -> Value:
        m.submodules.constants = memory = Memory(
            shape=signed(self.bits), depth=self.shape.constants, init=self.constants
        )
        if not self.shape.constants_in_block_memory:
            read = memory.read_port(domain="comb")
            m.d.comb += read.addr.eq(control["constant"])
            data: Signal = read.data
            return data
        read = memory.read_port(domain="sync")
        word = self._signal("constant_word")
        m.d.comb += read.addr.eq(self.constant)
        m.d.sync += word.eq(read.data)
        return word
