"""AXI4-Stream ports. Source: AMBA AXI-Stream Protocol Specification (ARM IHI 0051)."""

from typing import Any

from amaranth.hdl import Module
from amaranth.lib.wiring import In, Out, Signature


def axi_stream(*, last: bool = False) -> Signature:
    """AXI4-Stream with 32-bit data, as its transmitter sees it; ``last`` adds ``tlast``."""
    members: dict[str, Any] = {"tdata": Out(32), "tvalid": Out(1), "tready": In(1)}
    return Signature(members | ({"tlast": Out(1)} if last else {}))


def receive(m: Module, port: Any, stream: Any) -> None:
    """Feed ``stream``, of 32-bit words, from an AXI4-Stream ``port``."""
    m.d.comb += [
        stream.payload.eq(port.tdata),
        stream.valid.eq(port.tvalid),
        port.tready.eq(stream.ready),
    ]


def transmit(m: Module, stream: Any, port: Any) -> None:
    """Send ``stream``, of words with ``last``, to an AXI4-Stream ``port``."""
    m.d.comb += [
        port.tdata.eq(stream.payload.word),
        port.tlast.eq(stream.payload.last),
        port.tvalid.eq(stream.valid),
        stream.ready.eq(port.tready),
    ]
