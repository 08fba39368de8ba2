"""Instructions of a controller: where those of an operation begin, and how one is fetched."""

from typing import Any

from amaranth.hdl import Cat, Module, Signal, Value
from amaranth.lib.memory import Memory
from amaranth.utils import ceil_log2

from residua.hardware.coprocessor.control_program import ControlProgram

_COLUMN = 18
"""Most bits of an instruction in one memory: those of a port of a block memory."""


def fetched(m: Module, program: ControlProgram, address: Value) -> Any:
    """The instruction at an address, two cycles later, out of a register.

    It can be the one at the output of a block memory, of which each is as wide as that.
    """
    layout = program.layout
    words = [layout.const(word).as_bits() for word in program.words]
    depth = 1 << ceil_log2(max(len(words), 2))
    columns = []
    for low in range(0, layout.size, _COLUMN):
        width = min(_COLUMN, layout.size - low)
        init = [word >> low & (1 << width) - 1 for word in words]
        memory = Memory(shape=width, depth=depth, init=init)
        m.submodules[f"instructions_{low // _COLUMN}"] = memory
        read = memory.read_port(domain="sync")
        m.d.comb += read.addr.eq(address)
        columns.append(read.data)
    instruction = Signal(layout, name="instruction", reset_less=True)
    m.d.sync += instruction.eq(Cat(columns))
    return instruction


def entry_of(
    m: Module, program: ControlProgram, operation: Value, curve: Value, curves: int
) -> Value:
    """Address of the first instruction of an operation on one of so many curves.

    One that there is not has instructions that refuse it.
    """
    entry = Signal(range(len(program.words)), name="entry")
    m.d.sync += entry.eq(program.bad_operation)
    # Without a carry chain.
    with m.If(~Cat(curve == known for known in range(curves)).any()):
        m.d.sync += entry.eq(program.bad_curve)
    for (own_operation, own_curve), address in program.entries.items():
        with m.If((operation == own_operation) & (curve == own_curve)):
            m.d.sync += entry.eq(address)
    return entry
