"""Row: the super-residue of c rowers, and its place on the ring of rows."""

from dataclasses import dataclass
from typing import Any

from amaranth.hdl import Cat, Module, Mux, Signal, Value, signed
from amaranth.lib import data
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import Component, In, Out
from amaranth.utils import ceil_log2

from residua.hardware.engine.controls import own_copies
from residua.hardware.engine.reducer import FoldPlan
from residua.machines.slots import Launch
from residua.numbers.cox import Range

LAUNCH_DELAY = 1
"""Cycles from the control that starts a pass to its first word on the ring."""


def row_latency(columns: int, digits: int) -> int:
    """Cycles from the complete sums of a row to its super-residue.

    One for each level of adders, and one to put ``digits`` digits together if there are several.
    """
    return (columns - 1).bit_length() + (digits > 1)


@dataclass(frozen=True)
class RowShape:
    """Shape of all rows of an engine.

    ``columns`` is c, ``width`` w, ``digits`` the most digits that a multiplier has, ``word`` the
    bits of a super-residue with the constant that centres the folds, ``range`` its range without,
    ``folds`` how its reducers are built, ``registers`` how many of them are stored.
    """

    columns: int
    width: int
    digits: int
    range: Range
    folds: tuple[FoldPlan, ...]
    registers: int

    @property
    def word(self) -> int:
        """Bits of a super-residue, the constant that centres the folds added."""
        low, high = (bound + (1 << (self.width - 1)) for bound in self.range)
        return max(low.bit_length(), high.bit_length()) + 1

    @property
    def latency(self) -> int:
        """Cycles from complete sums to a complete super-residue."""
        return row_latency(self.columns, self.digits)

    @property
    def lead(self) -> int:
        """Cycles from the control that starts a pass to the first slot that multiplies its word."""
        return LAUNCH_DELAY + sum(fold.latency for fold in self.folds)

    def control(self) -> dict[str, Any]:
        """The control inputs of a row.

        The row registers them first. After that ``row_first`` belongs to the sums that the adders
        have added up, ``row_write`` and ``row_write_register`` to the super-residue, ``row_launch``
        and ``row_register`` to the cycle before the ring has it.
        """
        ports: dict[str, Any] = {"row_launch": range(len(Launch))}
        if self.digits > 1:
            ports["row_first"] = 1
        if self.registers:
            address = range(max(self.registers, 2))
            ports |= {"row_write": 1, "row_write_register": address, "row_register": address}
        return ports


class Row(Component):
    """The super-residue of c rowers: the sum over their products, digit by digit.

    ``sums`` are the complete sums of its rowers, one of them with the constant that centres the
    folds. ``word`` is what the ring brings: the super-residue of this row when a pass begins, then
    those of the next rows, which come from ``neighbour``.
    """

    def __init__(self, shape: RowShape, sum_width: int) -> None:
        self.shape, self.controls = shape, shape.control()
        word = signed(shape.word)
        super().__init__(
            {name: In(port) for name, port in self.controls.items()}
            | {
                "sums": In(data.ArrayLayout(signed(sum_width), shape.columns)),
                "neighbour": In(word),
                "word": Out(word),
            }
        )

    def elaborate(self, platform: Any) -> Module:
        """The adders, the register that puts digits together, the ring, the memory."""
        m = Module()
        control = own_copies(m, self)
        result = self._sum(m)
        if self.shape.digits > 1:
            result = self._join(m, result, control["row_first"])
        stored = self._stored(m, result, control) if self.shape.registers else result
        launch = control["row_launch"]
        ring = Signal(signed(self.shape.word), reset_less=True)
        with m.Switch(launch):
            with m.Case(Launch.TURN):
                m.d.sync += ring.eq(self.neighbour)
            with m.Case(Launch.RESULT):
                m.d.sync += ring.eq(result)
            with m.Default():
                m.d.sync += ring.eq(stored)
        m.d.comb += self.word.eq(ring)
        return m

    def _sum(self, m: Module) -> Value:
        """The sum over the rowers, by pairs, a register a level."""
        terms: list[Value] = [self.sums[column] for column in range(self.shape.columns)]
        level = 0
        while len(terms) > 1:
            pairs = [terms[i : i + 2] for i in range(0, len(terms), 2)]
            terms = []
            for index, pair in enumerate(pairs):
                total = Signal(
                    signed(self.shape.word), name=f"sum_{level}_{index}", reset_less=True
                )
                m.d.sync += total.eq(sum(pair[1:], pair[0]))
                terms.append(total)
            level += 1
        return terms[0]

    def _join(self, m: Module, digit: Value, first: Value) -> Value:
        """The digits so far and the next lower one."""
        total = Signal(signed(self.shape.word), name="super_residue", reset_less=True)
        low, high = digit[: self.shape.width], digit[self.shape.width :].as_signed()
        m.d.sync += total.eq(Cat(low, (high + Mux(first, 0, total))[: self.shape.word]))
        return total

    def _stored(self, m: Module, result: Value, control: dict[str, Signal]) -> Value:
        """A super-residue that has waited for its pass."""
        word = signed(self.shape.word)
        depth = 1 << ceil_log2(max(self.shape.registers, 2))
        m.submodules.super_residues = memory = Memory(shape=word, depth=depth, init=[])
        write, read = memory.write_port(), memory.read_port(domain="comb")
        m.d.comb += [
            write.data.eq(result),
            write.en.eq(control["row_write"]),
            write.addr.eq(control["row_write_register"]),
            read.addr.eq(control["row_register"]),
        ]
        stored: Value = read.data
        return stored
