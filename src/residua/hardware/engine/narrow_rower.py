"""Narrow rower: the extra channel modulo 2^g of a base (SBMM section 6.1 and figure 1).

It executes the slots of the other rowers a cycle later, so that in a pass around the ring it finds
in rower 0's output the word that rower 0 multiplies in the same slot. Modulo a power of two nothing
is folded: residues are the low g bits of sums, read as signed numbers.
"""

from collections.abc import Sequence
from typing import Any

from amaranth.hdl import Const, Module, Mux, Signal, Value, signed
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import Component, In, Out

from residua.hardware.delay import delayed
from residua.hardware.engine.controls import own_copies
from residua.hardware.engine.rower import RowerShape, right_memory
from residua.hardware.primitives import MULTIPLIER_LATENCY, Multiplier
from residua.machines.slots import Left

_SUM_LATENCY = 2 + MULTIPLIER_LATENCY
"""Cycles from the choice of a left operand by the other rowers to the sum; they take at least one
more for a fold, so that there is time to wait."""


class NarrowRower(Component):
    """One product and sum of g bits a slot, for the modulus 2^``bits``.

    Controls, registers and results are those of a `Rower`; ``latency`` is theirs, from a slot to
    ``residue``. With ``listens`` the left operand is ``ring``, the left operand that rower 0 had in
    the same slot; if that came from a row, it is ``row``, the same super-residue. ``operand`` is
    the own left operand of the previous slot, for the Cox; ``stored`` is the word of
    ``left_register``, a cycle before its slot, for the bus.
    """

    def __init__(
        self, shape: RowerShape, bits: int, latency: int, constants: Sequence[int]
    ) -> None:
        self.shape, self.bits, self.latency = shape, bits, latency
        self.controls: dict[str, Any] = {**shape.control(), "listens": 1}
        self.constants = tuple(constants)
        word = signed(bits)
        super().__init__(
            {name: In(port) for name, port in self.controls.items()}
            | ({"partner": In(word)} if Left.PARTNER in shape.lefts else {})
            | ({"row": In(word)} if shape.row else {})
            | {
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
        control = own_copies(m, self)
        m.submodules.multiplier = multiplier = Multiplier(self.bits, self.bits)
        m.d.comb += [
            multiplier.left.eq(self._left(m, control)),
            multiplier.right.eq(self._right(m, control)),
        ]
        product = multiplier.product[: self.bits].as_signed()
        total = self._signal("total")
        first = delayed(m, control["first"], _SUM_LATENCY - 1, "first", data=True)
        before = Mux(first, 0, total)
        if self.shape.subtracts:
            subtract = delayed(m, control["subtract"], _SUM_LATENCY - 1, "subtract", data=True)
            before = Mux(subtract, -before, before)
        m.d.sync += total.eq(product + before)
        waited = delayed(m, total, self.latency - _SUM_LATENCY, "total", data=True)
        m.d.comb += self.residue.eq(waited.as_signed())
        return m

    def _signal(self, name: str) -> Signal:
        return Signal(signed(self.bits), name=name, reset_less=True)

    def _left(self, m: Module, control: dict[str, Signal]) -> Value:
        """The own word, registered; then that of the ring or the bus in its place."""
        word, operand = self._signal("left_word"), self._signal("own_operand")
        bus = self._signal("bus_word")
        own: Value = Mux(self._takes(Left.RESULT, control), self.residue, word)
        if Left.PARTNER in self.shape.lefts:
            own = Mux(self._takes(Left.PARTNER, control), self.partner, own)
        m.d.sync += [word.eq(self.stored), operand.eq(own), bus.eq(self.bus)]
        listens = delayed(m, control["listens"], 1, "listens", data=True)
        takes_bus = delayed(m, self._takes(Left.BUS, control), 1, "takes_bus", data=True)
        m.d.comb += self.operand.eq(operand)
        ring: Value = self.ring
        if self.shape.row:
            takes_row = delayed(m, self._takes(Left.ROW, control), 1, "takes_row", data=True)
            ring = Mux(takes_row, self.row, ring)
        left: Value = Mux(listens, ring, Mux(takes_bus, bus, operand))
        return left

    def _takes(self, left: Left, control: dict[str, Signal]) -> Value:
        """Whether the other rowers have a left operand from there."""
        code = self.shape.left_codes.get(left)
        return Const(0) if code is None else control["left"] == code

    def _right(self, m: Module, control: dict[str, Signal]) -> Value:
        """Read both memories; the right operand comes when the left one does."""
        word = signed(self.bits)
        m.submodules.registers = memory = Memory(shape=word, depth=self.shape.registers, init=[])
        stores = [memory]
        left, right_word = memory.read_port(domain="comb"), self._signal("right_word")
        m.d.comb += [left.addr.eq(control["left_register"]), self.stored.eq(left.data)]
        if self.shape.joins_constants:
            rights = right_memory(self.shape, word, self.constants)
            m.submodules.right_registers = rights
            stores.append(rights)
            right = rights.read_port(domain="sync")
            m.d.comb += right.addr.eq(self.right_register)
            m.d.sync += right_word.eq(right.data)
        else:
            right = memory.read_port(domain="comb")
            m.d.comb += right.addr.eq(control["right_register"])
            m.d.sync += right_word.eq((right.data | self._constant(m, control)).as_signed())
        self._store(m, stores, control)
        return delayed(m, right_word, 1, "right", data=True).as_signed()

    def _store(self, m: Module, memories: Sequence[Memory], control: dict[str, Signal]) -> None:
        """The write ports, as a `Rower` has them, zero in register 0 after a reset."""
        value = Signal(signed(self.bits), name="write_word")
        enable = Signal(name="enable", init=1)
        address = Signal(range(self.shape.registers), name="address")
        m.d.sync += [
            value.eq(Mux(control["write"], self.residue, self.word)),
            enable.eq(control["write"] | self.load),
            address.eq(Mux(control["write"], control["write_register"], self.load_register)),
        ]
        for memory in memories:
            port = memory.write_port()
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
