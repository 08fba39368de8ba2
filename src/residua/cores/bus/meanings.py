"""Purposes of the ports of a core on a bus."""

_MEANINGS = {
    "clk": "clock, rising edge",
    "rst": "synchronous reset, active high",
    "irq": "interrupt, a level",
    "s_axi_": "AXI4-Lite: registers",
    "s_axis_operand_": "AXI4-Stream: words of the operands",
    "s_axis_random_": "AXI4-Stream: words of fresh randomness",
    "m_axis_result_": "AXI4-Stream: words of the results",
    "wb_": "Wishbone: registers",
}
"""Purposes of ports by the beginnings of their names."""


def bus_meaning(port: str) -> str:
    """Purpose of a port of the top module."""
    return next(text for start, text in _MEANINGS.items() if port.startswith(start))
