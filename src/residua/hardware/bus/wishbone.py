"""A Wishbone B4 slave in front of a write port and a read port of registers.

Source: WISHBONE System-on-Chip Interconnection Architecture, revision B.4 (OpenCores), the chapters
on single accesses in standard and in pipelined mode and on their combination.
"""

from typing import Any

from amaranth.hdl import Module, Signal
from amaranth.lib.wiring import Component, In, Out, Signature

from residua.hardware.bus.register_file import read_port, write_port


def wishbone(address_width: int) -> Signature:
    """Wishbone with 32-bit data and 8-bit granularity; names and directions are the slave's.

    ``adr_i`` is the bus's ADR(``address_width`` - 1 ... 2), an address in words.
    """
    return Signature(
        {
            "cyc_i": In(1),
            "stb_i": In(1),
            "we_i": In(1),
            "adr_i": In(address_width - 2),
            "sel_i": In(4),
            "dat_i": In(32),
            "dat_o": Out(32),
            "ack_o": Out(1),
            "err_o": Out(1),
            "stall_o": Out(1),
        }
    )


class WishboneSlave(Component):
    """Turns Wishbone cycles into accesses of a write port and a read port.

    Masters of the standard (classic) mode and of the pipelined mode are served alike: a read takes
    two clock cycles, a write three; ACK or ERR is high in the last one, STALL in the others. A
    standard master leaves ``stall_o`` open. ERR is the answer to an error of a port; the data are 0
    then. SEL does not matter for reading.
    """

    def __init__(self, address_width: int = 12) -> None:
        super().__init__(
            {
                "bus": Out(wishbone(address_width)),
                "write": Out(write_port(address_width)),
                "read": Out(read_port(address_width)),
            }
        )

    def elaborate(self, platform: Any) -> Module:
        """A cycle for a write to be there, the access, its registered answer in the cycle after."""
        m = Module()
        bus, selected, answering, failed = self.bus, Signal(), Signal(), Signal()
        waited, accessed = Signal(name="waited"), Signal(name="accessed")
        m.d.comb += [
            selected.eq(bus.cyc_i & bus.stb_i),
            accessed.eq(selected & ~answering & (waited | ~bus.we_i)),
            self.write.valid.eq(accessed & bus.we_i),
            self.write.address.eq(bus.adr_i),
            self.write.data.eq(bus.dat_i),
            self.write.strobe.eq(bus.sel_i),
            self.read.valid.eq(accessed & ~bus.we_i),
            self.read.address.eq(bus.adr_i),
            bus.ack_o.eq(selected & answering & ~failed),
            bus.err_o.eq(selected & answering & failed),
            bus.stall_o.eq(~answering),
        ]
        m.d.sync += [
            waited.eq(selected & ~answering & ~accessed),
            answering.eq(accessed),
            bus.dat_o.eq(0),
        ]
        with m.If(self.write.valid):
            m.d.sync += failed.eq(self.write.error)
        with m.If(self.read.valid):
            m.d.sync += [failed.eq(self.read.error), bus.dat_o.eq(self.read.data)]
        return m
