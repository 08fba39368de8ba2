"""Operand memory: rows of digits in block RAM, filled digit by digit."""

from typing import Any

from amaranth.hdl import Cat, Module
from amaranth.lib.wiring import Component, In, Out

from residua.hardware.block_memory import block_memory


class RowMemory(Component):
    """``rows`` rows of ``lanes`` digits of ``width`` bits, one memory a lane.

    Lane l of row ``write_row`` takes ``digit`` where bit l of ``write`` is set. ``row`` has row
    ``read_row`` in the cycle after. A row is not written and read in the same cycle.
    """

    def __init__(self, rows: int, lanes: int, width: int) -> None:
        self.rows, self.lanes, self.width = rows, lanes, width
        super().__init__(
            {
                "write": In(lanes),
                "write_row": In(range(rows)),
                "digit": In(width),
                "read_row": In(range(rows)),
                "row": Out(lanes * width),
            }
        )

    def elaborate(self, platform: Any) -> Module:
        """One memory a lane."""
        m = Module()
        digits = []
        for lane in range(self.lanes):
            write, read = add_memory(m, f"lane_{lane}", self.width, self.rows)
            m.d.comb += [
                write.en.eq(self.write[lane]),
                write.addr.eq(self.write_row),
                write.data.eq(self.digit),
                read.addr.eq(self.read_row),
            ]
            digits.append(read.data)
        m.d.comb += self.row.eq(Cat(*digits))
        return m


def add_memory(m: Module, name: str, width: int, depth: int) -> tuple[Any, Any]:
    """The write port of a `block_memory`, and its read port."""
    m.submodules[name] = memory = block_memory(width, depth)
    return memory.write_port(), memory.read_port(domain="sync")
