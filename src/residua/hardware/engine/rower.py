"""Rower: multiplier-accumulator, reducer and memories of the channels that share one unit."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from amaranth.hdl import Array, Module, Mux, Signal, Value, signed
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import Component, In, Out
from amaranth.utils import ceil_log2

from residua.hardware.block_memory import block_memory
from residua.hardware.delay import delayed
from residua.hardware.engine.controls import own_copies
from residua.hardware.engine.multiply_accumulate import MultiplyAccumulate
from residua.hardware.engine.reducer import ChannelReducer, FoldPlan
from residua.hardware.engine.row import RowShape
from residua.machines.slots import EVERY_LEFT, Left, left_codes
from residua.numbers.cox import Range
from residua.numbers.moduli import Modulus

RegisterMemory = Literal["distributed", "block"]
"""Kinds of register memories: logic, which is read within a cycle, or two block memories, whose
address is a register and whose output is another. The one of right operands holds the constants,
too, behind the registers."""


@dataclass(frozen=True)
class RowerShape:
    """Shape of all rowers of an engine.

    ``width`` is w, ``registers`` the depth of the register memory, ``constants`` the depth of the
    constant memory, ``moduli`` the number of moduli that a rower serves, ``terms`` the longest sum,
    ``sum_range`` the range of all sums, ``folds`` how the reducer is built,
    ``bus_width`` the bits of what comes on the bus, ``bus_registers`` the registers that a rower
    has for it, ``product_registers`` those between multiplier and accumulator, ``subtracts``
    whether products can be subtracted, ``row`` what rows have in common, None if there are none,
    ``lefts`` the sources of left operands, ``register_memory`` what the registers are made of.
    """

    width: int
    registers: int
    constants: int
    moduli: int
    terms: int
    sum_range: Range
    folds: tuple[FoldPlan, ...]
    bus_width: int
    bus_registers: int = 0
    product_registers: int = 0
    subtracts: bool = False
    row: RowShape | None = None
    lefts: tuple[Left, ...] = EVERY_LEFT
    register_memory: RegisterMemory = "distributed"

    @property
    def constants_in_block_memory(self) -> bool:
        """Whether the constants go to block memory of their own, whose read takes a cycle more."""
        return self.constants > LARGEST_LOGIC_MEMORY

    @property
    def joins_constants(self) -> bool:
        """Whether the constants lie behind the registers, in one memory of right operands."""
        return self.register_memory == "block"

    @property
    def first_constant(self) -> int:
        """The address of the first constant, in the memory that it is in."""
        return self.registers if self.joins_constants else 0

    @property
    def rights(self) -> int:
        """Words that ``right_register`` can address."""
        return self.registers + (self.constants if self.joins_constants else 0)

    @property
    def left_codes(self) -> dict[Left, int]:
        """The code of each source of left operands."""
        return left_codes(self.lefts)

    def control(self) -> dict[str, Any]:
        """The control inputs of a rower.

        The rower registers them first; a block memory takes its address as it comes (a constant in
        one is addressed a cycle before). After that, ``left``, ``first`` and ``subtract`` belong to
        the slot of the same cycle, the addresses to the slot of the next one; ``modulus`` comes
        with the complete sum, ``write`` and ``write_register`` with the residue. ``plain``, for a
        sum without the constant that centres the folds, belongs to the slot, ``row_modulus`` comes
        with the super-residue.
        """
        ports: dict[str, Any] = {
            "left": range(max(self.left_codes.values()) + 1),
            "left_register": range(self.registers),
            "right_register": range(self.rights),
            **({} if self.joins_constants else {"constant": range(self.constants)}),
            "first": 1,
        }
        if self.subtracts:
            ports["subtract"] = 1
        if self.row:
            ports |= {"plain": 1, "row_modulus": range(max(self.moduli, 2))}
        return ports | {
            "modulus": range(max(self.moduli, 2)),
            "write": 1,
            "write_register": range(self.registers),
        }


CONTROL_DELAY = 1
"""Cycles by which a rower delays its controls, to have them in registers of its own."""

LARGEST_LOGIC_MEMORY = 128
"""Words up to which a table of constants is logic; larger ones go to block memory."""

MEMORY_DELAY: Mapping[RegisterMemory, int] = {"distributed": 3, "block": 4}
"""Slots from the first that can take a residue as it comes to the first that can read it from the
register memory: a write register, the memory, a read register, and that of the address."""

MEMORY_BLIND: Mapping[RegisterMemory, int] = {"distributed": 0, "block": 1}
"""Slots before in which what was there cannot be read either: that in which the block memory is
written."""


class Rower(Component):
    """One multiplier-accumulator slot a cycle.

    A slot multiplies a left operand (register memory, neighbour in the ring, own residue, bus, or
    the super-residue ``row``, reduced) by a right operand: the word of ``right_register`` or the
    constant ``constant``. Register 0 and constant 0 hold zero, and the operand not wanted is read
    from there. Constants that lie behind the registers are words of ``right_register``, too. The
    residue of a sum is at ``residue`` ``latency`` cycles after the slot that completes it. It is
    stored in ``write_register`` if ``write`` is set. In other cycles ``load`` stores ``word`` in
    ``load_register``; `CONTROL_DELAY` cycles before, ``write`` was not set.

    ``bus`` comes ``bus_registers`` cycles before the slot that multiplies it. ``operand`` is the
    left operand of the previous slot, for the neighbour and for the Cox; with
    two lanes ``partner`` is that of the rower of the same channel in the other one. ``sum``
    is the complete sum, for the row.
    """

    def __init__(
        self,
        shape: RowerShape,
        moduli: Sequence[Modulus],
        ranges: Sequence[Range],
        constants: Sequence[int],
    ) -> None:
        self.shape, self.moduli = shape, tuple(moduli)
        self.controls, self.constants = shape.control(), tuple(constants)
        word = signed(shape.width + 1)
        self.mac = MultiplyAccumulate(
            shape.width + 1,
            shape.sum_range,
            shape.terms,
            start=1 << (shape.width - 1),
            subtracts=shape.subtracts,
            product_registers=shape.product_registers,
            plains=shape.row is not None,
        )
        self.reducer = ChannelReducer(moduli, ranges, shape.folds)
        self.latency = self.mac.latency + self.reducer.latency
        row: dict[str, Any] = {}
        if shape.row:
            same = [shape.row.range] * len(self.moduli)
            self.row_reducer = ChannelReducer(moduli, same, shape.row.folds)
            row = {"row": In(signed(shape.row.word)), "sum": Out(signed(self.mac.sum_width))}
        partner = {"partner": In(word)} if Left.PARTNER in shape.lefts else {}
        super().__init__(
            {name: In(port) for name, port in self.controls.items()}
            | row
            | partner
            | {
                "neighbour": In(word),
                "bus": In(signed(shape.bus_width)),
                "word": In(word),
                "load": In(1),
                "load_register": In(range(shape.registers)),
                "operand": Out(word),
                "residue": Out(word),
            }
        )

    def elaborate(self, platform: Any) -> Module:
        """Memories, operand multiplexers, multiplier-accumulator and reducer."""
        m = Module()
        control = own_copies(m, self)
        m.submodules.mac = mac = self.mac
        m.submodules.reducer = reducer = self.reducer
        left_word, right_word = self._operands(m, control)
        left_next = Signal(signed(self.shape.width + 1))
        operand = Signal(signed(self.shape.width + 1), reset_less=True)
        sources = {
            Left.REGISTER: left_word,
            Left.NEIGHBOUR: self.neighbour,
            Left.RESULT: self.residue,
            # One that is the rower's own keeps the wires to its multiplier short.
            Left.BUS: delayed(m, self.bus, self.shape.bus_registers, "bus", data=True).as_signed(),
        }
        if self.shape.row:
            sources[Left.ROW] = self._row(m, control)
        if Left.PARTNER in self.shape.lefts:
            sources[Left.PARTNER] = self.partner
        m.d.comb += [
            left_next.eq(self._choose(sources, control["left"])),
            mac.left.eq(left_next),
            mac.right.eq(right_word),
            mac.first.eq(control["first"]),
            reducer.value.eq(mac.sum),
            reducer.select.eq(control["modulus"]),
            self.residue.eq(reducer.residue),
            self.operand.eq(operand),
        ]
        if self.shape.subtracts:
            m.d.comb += mac.subtract.eq(control["subtract"])
        m.d.sync += operand.eq(left_next)
        return m

    def _choose(self, sources: dict[Left, Value], code: Value) -> Value:
        """The source of a code; a neighbour and a row share an input."""
        codes = self.shape.left_codes
        inputs = {code: sources[left] for left, code in codes.items()}
        if codes.get(Left.ROW, 0) > Left.ROW - 1:
            inputs[Left.NEIGHBOUR] = Mux(code[2], inputs.pop(Left.ROW), inputs[Left.NEIGHBOUR])
            code = code[:2]
        chosen: Value = Array(inputs[position] for position in sorted(inputs))[code]
        return chosen

    def _row(self, m: Module, control: dict[str, Signal]) -> Value:
        """The super-residue on the ring of rows, reduced."""
        m.submodules.row_reducer = reducer = self.row_reducer
        m.d.comb += [
            reducer.value.eq(self.row),
            reducer.select.eq(control["row_modulus"]),
            self.mac.plain.eq(control["plain"]),
            self.sum.eq(self.mac.sum),
        ]
        residue: Value = reducer.residue
        return residue

    def _operands(self, m: Module, control: dict[str, Signal]) -> tuple[Signal, Signal]:
        """Read both operands from the memories, each into a register."""
        if self.shape.register_memory == "block":
            return self._block_operands(m, control)
        word = signed(self.shape.width + 1)
        m.submodules.registers = memory = Memory(shape=word, depth=self.shape.registers, init=[])
        self._store(m, [memory], control)
        left, right = memory.read_port(domain="comb"), memory.read_port(domain="comb")
        left_word = Signal(word, name="left_word", reset_less=True)
        right_word = Signal(word, name="right_word", reset_less=True)
        m.d.comb += [
            left.addr.eq(control["left_register"]),
            right.addr.eq(control["right_register"]),
        ]
        m.d.sync += [
            left_word.eq(left.data),
            right_word.eq((right.data | self._constant(m, control)).as_signed()),
        ]
        return left_word, right_word

    def _block_operands(self, m: Module, control: dict[str, Signal]) -> tuple[Signal, Signal]:
        """Read both operands from block memories, whose output registers take them.

        A schedule never has a word that is read and written at once, nor asks for such a word.
        """
        word = signed(self.shape.width + 1)
        memories = {
            "left": block_memory(word, self.shape.registers),
            "right": right_memory(self.shape, word, self.constants),
        }
        words = []
        for side, memory in memories.items():
            m.submodules[f"{side}_registers"] = memory
            read = memory.read_port(domain="sync")
            m.d.comb += read.addr.eq(getattr(self, f"{side}_register"))
            words.append(Signal(word, name=f"{side}_word", reset_less=True))
            m.d.sync += words[-1].eq(read.data)
        self._store(m, memories.values(), control)
        left, right = words
        return left, right

    def _store(self, m: Module, memories: Iterable[Memory], control: dict[str, Signal]) -> None:
        """The write ports, behind a register that takes a residue or an operand from outside.

        A reset leaves there what writes zero to register 0, where it is read from: a memory may
        come up with anything, and what was on its way to be written may be anything, too.
        """
        stored = Signal(signed(self.shape.width + 1))
        enable = Signal(init=1)
        address = Signal(range(self.shape.registers))
        m.d.sync += [
            stored.eq(Mux(control["write"], self.residue, self.word)),
            enable.eq(control["write"] | self.load),
            address.eq(Mux(control["write"], control["write_register"], self.load_register)),
        ]
        for memory in memories:
            port = memory.write_port()
            m.d.comb += [port.data.eq(stored), port.en.eq(enable), port.addr.eq(address)]

    def _constant(self, m: Module, control: dict[str, Signal]) -> Signal:
        """The constant memory."""
        m.submodules.constants = memory = Memory(
            shape=signed(self.shape.width + 1), depth=self.shape.constants, init=self.constants
        )
        if not self.shape.constants_in_block_memory:
            read = memory.read_port(domain="comb")
            m.d.comb += read.addr.eq(control["constant"])
            data: Signal = read.data
            return data
        read = memory.read_port(domain="sync")
        word = Signal(signed(self.shape.width + 1), name="constant_word", reset_less=True)
        m.d.comb += read.addr.eq(self.constant)
        m.d.sync += word.eq(read.data)
        return word


def right_memory(shape: RowerShape, word: Any, constants: Sequence[int]) -> Memory:
    """A block memory of right operands: registers, and the constants behind them."""
    return block_memory(word, shape.rights, [*[0] * shape.first_constant, *constants])


def register_depth(used: int) -> int:
    """Depth of a memory with ``used`` words and the zero word: a power of two, at least 16."""
    depth: int = 1 << ceil_log2(used + 1)
    return max(depth, 16)
