"""Rower: the multiplier-accumulator, reducer and memories of the channels that share one physical unit."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from amaranth.hdl import Array, Module, Signal, signed
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import Component, In, Out
from amaranth.utils import ceil_log2

from residua.hardware.multiply_accumulate import MultiplyAccumulate
from residua.hardware.reducer import ChannelReducer, FoldPlan
from residua.machines.schedule import Left
from residua.numbers.cox import Range
from residua.numbers.moduli import Modulus


@dataclass(frozen=True)
class RowerShape:
    """What all rowers of an engine have in common.

    ``width`` is w, ``registers`` the depth of the register memory, ``constants`` the depth of the constant
    memory, ``moduli`` the number of moduli that a rower serves, ``terms`` the longest sum, ``sum_range`` the
    range of all sums, ``folds`` how the reducer is built.
    """

    width: int
    registers: int
    constants: int
    moduli: int
    terms: int
    sum_range: Range
    folds: tuple[FoldPlan, ...]
    subtracts: bool = False

    def control(self) -> dict[str, Any]:
        """The control inputs of a rower.

        All but the last four belong to the slot of the same cycle. ``modulus`` comes with the complete sum,
        ``write``, ``load`` and ``write_register`` with the residue.
        """
        ports: dict[str, Any] = {
            "left": range(len(Left)),
            "left_register": range(self.registers),
            "right_register": range(self.registers),
            "constant": range(self.constants),
            "first": 1,
        }
        if self.subtracts:
            ports["subtract"] = 1
        return ports | {
            "modulus": range(max(self.moduli, 2)),
            "write": 1,
            "load": 1,
            "write_register": range(self.registers),
        }


class Rower(Component):
    """One multiplier-accumulator slot a cycle.

    A slot multiplies a left operand (register memory, neighbour in the ring, own residue, bus) by a right
    operand: the word of ``right_register`` or the constant ``constant``. Register 0 and constant 0 hold zero,
    and the operand not wanted is read from there. The residue of a sum is at ``residue`` ``latency`` cycles
    after the slot that completes it. It is stored in ``write_register`` if ``write`` is set; ``load`` stores
    ``word`` instead.

    ``operand`` is the left operand of the previous slot, for the neighbour and for the Cox.
    """

    def __init__(
        self,
        shape: RowerShape,
        moduli: Sequence[Modulus],
        ranges: Sequence[Range],
        constants: Sequence[int],
    ) -> None:
        self.shape, self.moduli = shape, tuple(moduli)
        self.constants = tuple(constants)
        word = signed(shape.width + 1)
        self.mac = MultiplyAccumulate(
            shape.width + 1,
            shape.sum_range,
            shape.terms,
            start=1 << (shape.width - 1),
            subtracts=shape.subtracts,
        )
        self.reducer = ChannelReducer(moduli, ranges, shape.folds)
        self.latency = self.mac.latency + self.reducer.latency
        super().__init__(
            {name: In(port) for name, port in shape.control().items()}
            | {
                "neighbour": In(word),
                "bus": In(word),
                "word": In(word),
                "operand": Out(word),
                "residue": Out(word),
            }
        )

    def elaborate(self, platform: Any) -> Module:
        """Memories, operand multiplexers, multiplier-accumulator and reducer."""
        m = Module()
        m.submodules.mac = mac = self.mac
        m.submodules.reducer = reducer = self.reducer
        left_word, right_word = self._registers(m)
        left_next = Signal(signed(self.shape.width + 1))
        operand = Signal(signed(self.shape.width + 1), reset_less=True)
        sources = {
            Left.REGISTER: left_word,
            Left.NEIGHBOUR: self.neighbour,
            Left.RESULT: self.residue,
            Left.BUS: self.bus,
        }
        m.d.comb += [
            left_next.eq(Array(sources[source] for source in Left)[self.left]),
            mac.left.eq(left_next),
            mac.right.eq((right_word | self._constant(m)).as_signed()),
            mac.first.eq(self.first),
            reducer.value.eq(mac.sum),
            reducer.select.eq(self.modulus),
            self.residue.eq(reducer.residue),
            self.operand.eq(operand),
        ]
        if self.shape.subtracts:
            m.d.comb += mac.subtract.eq(self.subtract)
        m.d.sync += operand.eq(left_next)
        return m

    def _registers(self, m: Module) -> tuple[Signal, Signal]:
        """The register memory: one write port, a read port for each operand."""
        m.submodules.registers = memory = Memory(
            shape=signed(self.shape.width + 1), depth=self.shape.registers, init=[]
        )
        write = memory.write_port()
        left, right = memory.read_port(domain="comb"), memory.read_port(domain="comb")
        m.d.comb += [
            write.addr.eq(self.write_register),
            write.data.eq(self.residue),
            write.en.eq(self.write | self.load),
            left.addr.eq(self.left_register),
            right.addr.eq(self.right_register),
        ]
        with m.If(self.load):
            m.d.comb += write.data.eq(self.word)
        return left.data, right.data

    def _constant(self, m: Module) -> Signal:
        """The constant memory."""
        m.submodules.constants = memory = Memory(
            shape=signed(self.shape.width + 1), depth=self.shape.constants, init=self.constants
        )
        read = memory.read_port(domain="comb")
        m.d.comb += read.addr.eq(self.constant)
        return read.data


def register_depth(used: int) -> int:
    """Depth of a memory with ``used`` words and the zero word: a power of two, at least 16."""
    return max(1 << ceil_log2(used + 1), 16)
