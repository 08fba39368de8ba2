"""Bitstreams of a small design with pins, a phase-locked loop and a ring of inverters."""

from functools import partial

import pytest

from residua.toolchain.ecp5.bitstream import Part, pack, place
from residua.toolchain.ecp5.parts import MULTIPLIER_LIMIT_MHZ, TOTALS
from residua.toolchain.process import ToolError
from residua.toolchain.yosys import synthesise

DESIGN = """
module ring (output wire out);
  (* keep *) LUT4 #(.INIT(16'h5555)) inverter (.A(out), .B(1'b0), .C(1'b0), .D(1'b0), .Z(out));
endmodule

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
  ring source (.out(ring));
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
    return synthesise([folder / "top.v"], "top", "ecp5", out_dir=folder / "work")


@pytest.fixture(scope="module")
def placed(netlist):
    """`place` of the netlist, but for its pins and where it works."""
    return partial(
        place,
        netlist.json,
        "top",
        part=PART,
        instances=netlist.instances,
        owner=lambda path: path or "the rest",
        seed=1,
    )


def test_a_placement_and_its_bitstream(placed, tmp_path):
    first = placed(constraints=PINS, out_dir=tmp_path)
    assert list(first.clocks) == ["fast"]
    assert 50 < first.clocks["fast"] <= MULTIPLIER_LIMIT_MHZ[6]
    assert first.utilisation["EHXPLLL"] == (1, 2)
    assert first.utilisation["TRELLIS_COMB"][1] == PART.totals["lut"]
    # The inverter has a tile of its own, or lies in one with more of the rest.
    assert first.floor_plan.families["a"] == "the rest"
    assert set(first.floor_plan.families.values()) == {"the rest", "source"}
    assert "a" in "".join(first.floor_plan.rows)
    bitstream = pack(first, ["--compress"])
    # The preamble of a bitstream, behind its comment.
    assert b"\xff\xff\xbd\xb3" in bitstream[:1000]
    assert len(bitstream) < len(pack(first, []))
    again = placed(constraints=PINS, out_dir=tmp_path / "again")
    assert pack(again, ["--compress"]) == bitstream
    assert again.floor_plan == first.floor_plan


def test_a_pin_that_is_missing_is_an_error(placed, tmp_path):
    pins = PINS.replace('LOCATE COMP "light" SITE "B2";\n', "")
    with pytest.raises(ToolError, match="nextpnr-ecp5 failed"):
        placed(constraints=pins, out_dir=tmp_path)


def test_devices_with_transceivers_have_the_same_fabric():
    assert Part("LFE5UM5G-85F", "CABGA554", 8).totals == TOTALS["LFE5U-85F"]
