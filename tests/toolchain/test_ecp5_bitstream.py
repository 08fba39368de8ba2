"""Bitstreams of a small design with pins, a phase-locked loop and a ring of inverters."""

import pytest

from residua.toolchain.ecp5.bitstream import Part, pack, place
from residua.toolchain.nextpnr import MULTIPLIER_LIMIT_MHZ, TOTALS
from residua.toolchain.process import ToolError
from residua.toolchain.yosys import synthesise

DESIGN = """
module top (input wire clock, output reg light);
  (* keep *) wire fast;
  wire back, ring;
  reg [23:0] count;
  reg sample;
  reg [17:0] x, y;
  reg [35:0] product;
  EHXPLLL #(.CLKI_DIV(1), .CLKFB_DIV(1), .CLKOP_DIV(24), .CLKOS_ENABLE("ENABLED"), .CLKOS_DIV(12),
    .FEEDBK_PATH("CLKOP")) pll (.CLKI(clock), .CLKFB(back), .CLKOP(back), .CLKOS(fast),
    .RST(1'b0), .STDBY(1'b0));
  (* keep *) LUT4 #(.INIT(16'h5555)) inverter (.A(ring), .B(1'b0), .C(1'b0), .D(1'b0), .Z(ring));
  always @(posedge fast) begin
    count <= count + 1'b1;
    sample <= ring;
    x <= {x[16:0], sample};
    y <= y + x;
    product <= x * y;
    light <= count[23] ^ sample ^ (^product);
  end
endmodule
"""

PINS = """
LOCATE COMP "clock" SITE "G2";
LOCATE COMP "light" SITE "B2";
IOBUF PORT "clock" IO_TYPE=LVCMOS33;
IOBUF PORT "light" IO_TYPE=LVCMOS33;
FREQUENCY PORT "clock" 25 MHZ;
"""

PART = Part("LFE5U-25F", "CABGA381", 6)


@pytest.fixture(scope="module")
def netlist(tmp_path_factory):
    folder = tmp_path_factory.mktemp("synthesis")
    (folder / "top.v").write_text(DESIGN)
    return synthesise([folder / "top.v"], "top", "ecp5", out_dir=folder / "work").json


def test_a_placement_and_its_bitstream(netlist, tmp_path):
    placed = place(netlist, "top", part=PART, constraints=PINS, seed=1, out_dir=tmp_path)
    assert list(placed.clocks) == ["fast"]
    assert 50 < placed.clocks["fast"] <= MULTIPLIER_LIMIT_MHZ[6]
    assert placed.utilisation["EHXPLLL"] == (1, 2)
    assert placed.utilisation["TRELLIS_COMB"][1] == PART.totals["lut"]
    bitstream = pack(placed, ["--compress"])
    # The preamble of a bitstream, behind its comment.
    assert b"\xff\xff\xbd\xb3" in bitstream[:1000]
    assert len(bitstream) < len(pack(placed, []))
    again = place(netlist, "top", part=PART, constraints=PINS, seed=1, out_dir=tmp_path / "again")
    assert pack(again, ["--compress"]) == bitstream


def test_a_pin_that_is_missing_is_an_error(netlist, tmp_path):
    pins = PINS.replace('LOCATE COMP "light" SITE "B2";\n', "")
    with pytest.raises(ToolError, match="nextpnr-ecp5 failed"):
        place(netlist, "top", part=PART, constraints=pins, seed=1, out_dir=tmp_path)


def test_devices_with_transceivers_have_the_same_fabric():
    assert Part("LFE5UM5G-85F", "CABGA554", 8).totals == TOTALS["LFE5U-85F"]
