"""An AXI4-Lite subordinate in front of a write port and a read port of registers.

Source: AMBA AXI Protocol Specification (ARM IHI 0022), the chapters on AXI4-Lite, handshakes and
dependencies between channels.
"""

from typing import Any

from amaranth.hdl import Module, Signal
from amaranth.lib.wiring import Component, In, Out, Signature

from residua.hardware.bus.register_file import read_port, write_port

OKAY, SLVERR = 0b00, 0b10


def axi_lite(address_width: int) -> Signature:
    """AXI4-Lite with 32-bit data, as its manager sees it."""
    return Signature(
        {
            "awaddr": Out(address_width),
            "awprot": Out(3),
            "awvalid": Out(1),
            "awready": In(1),
            "wdata": Out(32),
            "wstrb": Out(4),
            "wvalid": Out(1),
            "wready": In(1),
            "bresp": In(2),
            "bvalid": In(1),
            "bready": Out(1),
            "araddr": Out(address_width),
            "arprot": Out(3),
            "arvalid": Out(1),
            "arready": In(1),
            "rdata": In(32),
            "rresp": In(2),
            "rvalid": In(1),
            "rready": Out(1),
        }
    )


class AxiLiteSubordinate(Component):
    """Turns AXI4-Lite transfers into accesses of a write port and a read port.

    Address and data of a write may come in either order. Writing and reading are independent. All
    outputs to the bus are registered. A read takes two cycles from the last handshake to its
    response, a write three, and there is one of each at a time. The two low address bits and
    ``awprot`` and ``arprot`` do not matter. An error of a port is answered by SLVERR, with data 0.
    """

    def __init__(self, address_width: int = 12) -> None:
        super().__init__(
            {
                "bus": In(axi_lite(address_width)),
                "write": Out(write_port(address_width)),
                "read": Out(read_port(address_width)),
            }
        )

    def elaborate(self, platform: Any) -> Module:
        """A register for each channel and its flag."""
        m = Module()
        self._write_channels(m)
        self._read_channels(m)
        return m

    def _write_channels(self, m: Module) -> None:
        bus, addressed, supplied, due = self.bus, Signal(), Signal(), Signal(name="due")
        m.d.comb += [
            bus.awready.eq(~addressed),
            bus.wready.eq(~supplied),
            self.write.valid.eq(due),
        ]
        m.d.sync += due.eq(addressed & supplied & ~due & (~bus.bvalid | bus.bready))
        with m.If(bus.awvalid & bus.awready):
            m.d.sync += [addressed.eq(1), self.write.address.eq(bus.awaddr[2:])]
        with m.If(bus.wvalid & bus.wready):
            m.d.sync += [supplied.eq(1), self.write.data.eq(bus.wdata)]
            m.d.sync += self.write.strobe.eq(bus.wstrb)
        with m.If(self.write.valid):
            m.d.sync += [addressed.eq(0), supplied.eq(0), bus.bvalid.eq(1)]
            m.d.sync += [bus.bresp.eq(_response(self.write.error)), self.write.data.eq(0)]
        with m.Elif(bus.bready):
            m.d.sync += bus.bvalid.eq(0)

    def _read_channels(self, m: Module) -> None:
        bus, addressed = self.bus, Signal()
        m.d.comb += [
            bus.arready.eq(~addressed),
            self.read.valid.eq(addressed & (~bus.rvalid | bus.rready)),
        ]
        with m.If(bus.arvalid & bus.arready):
            m.d.sync += [addressed.eq(1), self.read.address.eq(bus.araddr[2:])]
        with m.If(self.read.valid):
            m.d.sync += [addressed.eq(0), bus.rvalid.eq(1)]
            m.d.sync += [bus.rresp.eq(_response(self.read.error)), bus.rdata.eq(self.read.data)]
        with m.Elif(bus.rready):
            m.d.sync += [bus.rvalid.eq(0), bus.rdata.eq(0)]


def _response(error: Any) -> Any:
    return error << 1
