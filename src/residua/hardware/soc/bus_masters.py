"""A processor's accesses as those of a bus: Wishbone, or AXI4-Lite."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib.wiring import Component, In, Member, Out

from residua.hardware.bus.axi_lite import axi_lite
from residua.hardware.bus.tops import ADDRESS_WIDTH
from residua.hardware.bus.wishbone import wishbone
from residua.hardware.soc.memory_port import memory_port


class WishboneMaster(Component):
    """Turns accesses of a processor into single cycles of Wishbone, in standard mode.

    Ports: ``port`` and ``wb``, whose names and directions are the slave's, see
    `residua.hardware.bus.wishbone.wishbone`. An access that the slave answers with ERR reads as 0.
    """

    def __init__(self) -> None:
        super().__init__({"port": In(memory_port()), "wb": In(wishbone(ADDRESS_WIDTH))})

    def elaborate(self, platform: Any) -> Module:
        """The slave answers while it is asked; there is nothing to keep."""
        m = Module()
        port, wb = self.port, self.wb
        writes = port.strobe.any()
        m.d.comb += [
            wb.cyc_i.eq(port.valid),
            wb.stb_i.eq(port.valid),
            wb.we_i.eq(writes),
            wb.adr_i.eq(port.address[2:]),
            wb.sel_i.eq(Mux(writes, port.strobe, ~0)),
            wb.dat_i.eq(port.write_data),
            port.ready.eq(port.valid & (wb.ack_o | wb.err_o)),
            port.read_data.eq(Mux(wb.err_o, 0, wb.dat_o)),
        ]
        return m


class AxiLiteMaster(Component):
    """Turns accesses of a processor into transfers of AXI4-Lite, one at a time.

    Ports: ``port`` and ``s_axi``, with the name of the subordinate's. Address and data of a write
    are offered together, and each until it is taken; the answer is taken when it comes. An access
    that is answered with an error reads as 0.
    """

    def __init__(self) -> None:
        super().__init__({"port": In(memory_port()), "s_axi": Out(axi_lite(ADDRESS_WIDTH))})

    def elaborate(self, platform: Any) -> Module:
        """A flag for an address that is taken, and one for data."""
        m = Module()
        port, axi = self.port, self.s_axi
        addressed, supplied = Signal(name="addressed"), Signal(name="supplied")
        writes = port.strobe.any()
        m.d.comb += [
            axi.awaddr.eq(port.address),
            axi.araddr.eq(port.address),
            axi.wdata.eq(port.write_data),
            axi.wstrb.eq(port.strobe),
            axi.awvalid.eq(port.valid & writes & ~addressed),
            axi.wvalid.eq(port.valid & writes & ~supplied),
            axi.arvalid.eq(port.valid & ~writes & ~addressed),
            axi.bready.eq(1),
            axi.rready.eq(1),
            port.ready.eq(port.valid & (axi.bvalid | axi.rvalid)),
            port.read_data.eq(Mux(axi.rresp == 0, axi.rdata, 0)),
        ]
        with m.If((axi.awvalid & axi.awready) | (axi.arvalid & axi.arready)):
            m.d.sync += addressed.eq(1)
        with m.If(axi.wvalid & axi.wready):
            m.d.sync += supplied.eq(1)
        with m.If(port.ready):
            m.d.sync += [addressed.eq(0), supplied.eq(0)]
        return m


@dataclass(frozen=True)
class CoreBus:
    """How a system reaches a core.

    Attributes:
        port: name of the core's port.
        member: what it is, as the core has it.
        master: makes a component with ``port``, of a processor, and the core's port as its master.
    """

    port: str
    member: Member
    master: Callable[[], Component]


CORE_BUSES = {
    "wishbone": CoreBus("wb", Out(wishbone(ADDRESS_WIDTH)), WishboneMaster),
    "axi-lite": CoreBus("s_axi", In(axi_lite(ADDRESS_WIDTH)), AxiLiteMaster),
}
"""Buses of cores that a system reaches, by the value of ``bus``."""
