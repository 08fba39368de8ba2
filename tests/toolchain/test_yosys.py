"""Synthesis: every target, the counts, and the mapped netlist against the multiplier's contract."""

import subprocess
from pathlib import Path

import pytest
from toolchain_designs import Cell18, Engine

from residua.errors import SpecificationError
from residua.toolchain import yosys
from residua.toolchain.process import ToolError
from residua.toolchain.verilator import build
from residua.verilog.writer import to_verilog


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Path:
    source = tmp_path_factory.mktemp("engine") / "engine.v"
    source.write_text(to_verilog(Engine(channels=2), name="engine"))
    return source


@pytest.mark.parametrize("target", ["ecp5", "xc7"])
def test_resources(engine: Path, tmp_path: Path, target: str) -> None:
    result = yosys.synthesise([engine], "engine", target, out_dir=tmp_path)
    assert result.used.dsp == 2
    assert result.used.bram == 0
    assert result.used.lut > 50
    assert result.used.carry >= 4
    assert result.netlist.exists()
    assert list(result.cells) == sorted(result.cells)
    if target == "xc7":
        assert result.cells["DSP48E1"] == 2
        assert result.used.ff < 40  # the registers around the products are inside


@pytest.mark.parametrize("target", ["ecp5", "xc7"])
def test_resources_without_dsp(engine: Path, tmp_path: Path, target: str) -> None:
    with_dsp, without = (
        yosys.synthesise([engine], "engine", target, out_dir=tmp_path / str(dsp), dsp=dsp)
        for dsp in (True, False)
    )
    assert (with_dsp.used.dsp, without.used.dsp) == (2, 0)
    assert without.used.lut > with_dsp.used.lut + 2 * 9 * 9 // 2


def test_lut_weights(tmp_path: Path) -> None:
    source = tmp_path / "d.v"
    source.write_text(
        "module d(input clk, input [3:0] wa, ra, input [31:0] x, output reg [31:0] y, input we);\n"
        "reg [31:0] m[0:15]; always @(posedge clk) begin if (we) m[wa]<=x; y<=m[ra]; end\n"
        "endmodule\n"
    )
    ecp5 = yosys.synthesise([source], "d", "ecp5", out_dir=tmp_path / "ecp5")
    assert ecp5.cells["TRELLIS_DPR16X4"] == 8
    assert ecp5.used.lut == 8 * 6 + ecp5.cells.get("LUT4", 0)


def test_ports(engine: Path, tmp_path: Path) -> None:
    ports = yosys.read_ports([engine], "engine", out_dir=tmp_path)
    assert ports[:3] == (
        yosys.Port("clk", "input", 1),
        yosys.Port("rst", "input", 1),
        yosys.Port("in_payload", "input", 9),
    )
    assert yosys.Port("reg_payload", "output", 22) in ports


HARNESS = r"""
#include "Vcells.h"
#include <cstdint>
#include <cstdio>
int main() {
  VerilatedContext context; Vcells dut(&context);
  uint64_t state = 1; int64_t expected[2] = {0, 0}; int wrong = 0;
  dut.rst = 0;
  for (int cycle = 0; cycle < 10000; ++cycle) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    int32_t left = int32_t(state >> 46) - (1 << 17);
    int32_t right = int32_t(state >> 20 & 0x3ffff) - (1 << 17);
    if (cycle % 16 == 3) left = -(1 << 17);
    if (cycle % 16 == 3 || cycle % 16 == 5) right = -(1 << 17);
    dut.left = left & 0x3ffff; dut.right = right & 0x3ffff;
    dut.clk = 0; dut.eval(); dut.clk = 1; dut.eval();
    int64_t product = int64_t(dut.registered << 28) >> 28, plain = int64_t(dut.plain << 28) >> 28;
    wrong += cycle > 1 && (product != expected[1] || plain != expected[1]);
    expected[1] = int64_t(left) * right;
  }
  std::printf("%d wrong\n", wrong);
}
"""


def test_ecp5_netlist_and_multiplier_model(tmp_path: Path) -> None:
    source, harness = tmp_path / "cells.v", tmp_path / "main.cpp"
    source.write_text(to_verilog(Cell18(), name="cells"))
    harness.write_text(HARNESS)
    result = yosys.synthesise([source], "cells", "ecp5", out_dir=tmp_path / "synthesis")
    assert result.used.dsp == 2
    simulator = build(
        [result.netlist, *yosys.cell_models("ecp5")],
        "cells",
        harness,
        includes=yosys.cell_model_directories("ecp5"),
    )
    run = subprocess.run([simulator], capture_output=True, text=True, check=True, timeout=30)
    assert run.stdout == "0 wrong\n"


def test_xilinx_models_exist_where_they_are_promised() -> None:
    assert all(path.exists() for path in yosys.cell_models("xc7"))
    with pytest.raises(SpecificationError, match="the cells of 'xcup' have no simulation models"):
        yosys.cell_models("xcup")


def test_unknown_target(tmp_path: Path) -> None:
    with pytest.raises(SpecificationError, match="'xc9'; one of ecp5, ice40up5k"):
        yosys.synthesise([], "top", "xc9", out_dir=tmp_path)


def test_failure_names_log_and_last_lines(tmp_path: Path) -> None:
    source = tmp_path / "broken.v"
    source.write_text("module top(; endmodule\n")
    for _again in range(2):  # a failure is not kept
        with pytest.raises(ToolError, match="yosys failed") as error:
            yosys.synthesise([source], "top", "xc7", out_dir=tmp_path)
        assert error.value.log == tmp_path / "yosys.log"
        assert "broken.v:1: ERROR: syntax error" in str(error.value)


def test_initial_values_in_short_blocks_are_the_same(tmp_path: Path) -> None:
    rows = "\n".join(f"    rows[{i}] = 8'h{i * 37 % 256:02x};" for i in range(150))
    text = (
        "module d(input clk, input [7:0] a, output reg [7:0] y);\n  reg [7:0] rows [0:149];\n"
        f"  initial begin\n    y = 8'h2a;\n{rows}\n  end\n"
        "  always @(posedge clk) begin\n    y <= rows[a];\n  end\nendmodule\n"
    )
    source = tmp_path / "d.v"
    source.write_text(text)
    (name,) = yosys.gather([source], tmp_path)
    copy = (tmp_path / name).read_text()
    assert copy.count("initial begin") == 3
    assert copy.replace(" end initial begin", "") == text
    written = []
    for read in ("d.v", name):
        script = [f"read_verilog {read}", "proc", "memory", "write_verilog -noattr made.v"]
        yosys.run_script(script, reads=[read], writes=["made.v"], out_dir=tmp_path)
        written.append((tmp_path / "made.v").read_text())
    assert written[0] == written[1]
