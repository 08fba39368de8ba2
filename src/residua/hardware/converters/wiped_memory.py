"""Memories that a reset overwrites with zeros."""

from amaranth.hdl import Module, Signal, Value
from amaranth.lib.memory import WritePort


def wiped(m: Module, port: WritePort) -> Value:
    """Overwrites a memory after a reset, before anything else writes; whether it is under way."""
    depth = 1 << len(port.addr)
    address, wiping = Signal(range(depth)), Signal(init=1)
    with m.If(wiping):
        m.d.comb += [port.addr.eq(address), port.data.eq(0), port.en.eq(1)]
        m.d.sync += [address.eq(address + 1), wiping.eq(address != depth - 1)]
    return wiping
