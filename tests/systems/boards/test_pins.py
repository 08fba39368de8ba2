"""Every board's pins, standards and clock are accepted by place and route, and by the packer.

But for the smaller ULX3S, whose pins are those of the larger one (`test_board.py`).
"""

import json
from fractions import Fraction

import pytest

from residua.systems.boards.board import find_board
from residua.systems.boards.sources import BOARDS
from residua.systems.boards.top import BoardTop
from residua.toolchain.ecp5.bitstream import pack, place
from residua.toolchain.yosys import synthesise

SYSTEM = """
module soc (input wire clk, rst, uart_receive, noise, output reg uart_send, output wire trap);
  assign trap = 1'b0;
  always @(posedge clk) uart_send <= ~rst & uart_receive ^ noise;
endmodule
"""
"""What stands for a system."""


@pytest.mark.parametrize("name", [name for name in BOARDS if name != "ulx3s-25f"])
def test_the_pins_of_a_board(name, tmp_path):
    board = find_board(name)
    top = BoardTop("soc", board, Fraction(50))
    sources = {"soc.v": SYSTEM} | {
        path.rpartition("/")[2]: text for path, text in top.files().items() if path.endswith(".v")
    }
    for file, text in sources.items():
        (tmp_path / file).write_text(text)
    mapped = synthesise(
        [tmp_path / file for file in sources],
        top.module,
        "ecp5",
        out_dir=tmp_path / "synthesis",
        parameters=True,
    )
    placed = place(
        mapped.json,
        top.module,
        part=board.part,
        constraints=board.constraints(),
        instances=mapped.instances,
        owner=lambda path: path,
        seed=1,
        out_dir=tmp_path / "placed",
    )
    assert placed.clocks["system_clock"] > 50
    kinds = {"lut": "TRELLIS_COMB", "ff": "TRELLIS_FF", "dsp": "MULT18X18D", "bram": "DP16KD"}
    report = json.loads((tmp_path / "placed" / "report.json").read_text())
    found = {name: report["utilization"][kind]["available"] for name, kind in kinds.items()}
    assert found == board.part.totals
    log = (tmp_path / "placed" / "nextpnr.log").read_text()
    for pin in board.pins:
        assert f"pin '{pin.port}$tr_io' constrained to Bel" in log
    assert f"constraining clock net 'clock' to {float(board.clock_mhz):.2f} MHz" in log
    assert "Derived frequency constraint of 50.0 MHz for net system_clock" in log
    assert board.part.device.encode() in pack(placed, board.packing)[:200]
