"""What Yosys is told for each family, and what netlists need after it."""

from pathlib import Path
from typing import Any

import pyosys
import pytest
from toolchain_designs import Engine

from residua.toolchain import yosys
from residua.toolchain.mapping import commands, free_carries, knows_instances
from residua.toolchain.process import ToolError
from residua.toolchain.targets import YOSYS_TARGETS
from residua.verilog.writer import to_verilog

MEMORY = """
module d (input clk, input we, input [8:0] wa, ra, input [15:0] x, b, output reg [31:0] p);
  (* ram_style = "block", no_rw_check = 1 *) reg [15:0] m [0:511];
  reg [15:0] y;
  always @(posedge clk) begin
    if (we) m[wa] <= x;
    y <= m[ra];
    p <= y * b;
  end
endmodule
"""
"""A memory whose register a multiplier could take for its operand."""


@pytest.fixture(scope="module")
def sources(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("sources")
    found = {"engine": folder / "engine.v", "d": folder / "d.v"}
    found["engine"].write_text(to_verilog(Engine(channels=2), name="engine"))
    found["d"].write_text(MEMORY)
    return found


@pytest.mark.parametrize(
    ("target", "dsp", "bram"),
    [
        ("ice40up5k", 1, 2),
        ("nexus", 1, 1),
        ("gowin", 1, 1),
        ("gatemate", 1, 1),
        ("machxo3", 0, 1),
    ],
)
def test_memories_and_multipliers(
    sources: dict[str, Path], tmp_path: Path, target: str, dsp: int, bram: int
) -> None:
    used = yosys.synthesise([sources["d"]], "d", target, out_dir=tmp_path).used
    assert (used.dsp, used.bram) == (dsp, bram)
    without = yosys.synthesise([sources["d"]], "d", target, out_dir=tmp_path / "logic", dsp=False)
    assert without.used.dsp == 0
    assert without.used.bram == bram
    assert without.used.lut >= used.lut + (16 * 16 // 2 if dsp else 0)


@pytest.mark.parametrize("target", ["ice40up5k", "nexus", "gowin", "gatemate", "machxo3"])
def test_instances_and_pads(sources: dict[str, Path], tmp_path: Path, target: str) -> None:
    """A core alone has no pads; where instances are known their sum is the design's."""
    alone, pins = (
        yosys.synthesise(
            [sources["engine"]], "engine", target, out_dir=tmp_path / str(pads), pads=pads
        )
        for pads in (False, True)
    )
    assert not [kind for kind in alone.cells if "BUF" in kind or kind in ("IB", "OB", "SB_IO")]
    assert alone.used.ff > 0 < alone.used.carry
    buffered = sum(count for kind, count in pins.cells.items() if kind not in alone.cells)
    assert (buffered > 0) == (target in ("nexus", "gowin", "gatemate"))
    assert bool(alone.by_instance) == (target != "gatemate")


def module(**cells: dict[str, Any]) -> dict[str, Any]:
    return {"cells": cells}


def test_carries_are_freed_where_a_constant_drives_them() -> None:
    constant = {"type": "VLO", "connections": {"Z": [5]}, "port_directions": {"Z": "output"}}
    directions = {"CIN": "input", "COUT": "output"}

    def carry(first: str = "0xFFFF", **connections: list[Any]) -> dict[str, Any]:
        return {
            "type": "CCU2",
            "parameters": {"INIT0": first, "INIT1": "0x00AA", "INJECT": "NO"},
            "connections": connections,
            "port_directions": {port: directions[port] for port in connections},
        }

    netlist = module(
        zero=constant,
        first=carry(CIN=[5], COUT=[6]),
        second=carry(CIN=[6], COUT=[7]),
        literal=carry(CIN=["0"], COUT=[8]),
        free=carry(COUT=[9]),
        # The carry of a cell within a chain counts.
        inner=carry("0x96AA", CIN=[5], COUT=[9]),
    )
    assert free_carries(netlist) == 2
    assert netlist == module(
        zero=constant,
        first=carry(COUT=[6]),
        second=carry(CIN=[6], COUT=[7]),
        literal=carry(COUT=[8]),
        free=carry(COUT=[9]),
        inner=carry("0x96AA", CIN=[5], COUT=[9]),
    )
    assert free_carries(netlist) == 0


def test_every_target_has_commands() -> None:
    for target in YOSYS_TARGETS:
        text = "\n".join(commands("top", target, dsp=True, pads=False))
        assert "-top top" in text
        assert ("t:$scopeinfo" in text) == knows_instances(target)


HEADS = """
module heads (input carry, output same);
  wire [1:0] out;
  CCU2 #(.INIT0("0xFFFF"), .INIT1("%s"), .INJECT("NO")) zero (.CIN(1'b0), .COUT(out[0]),
    .A0(1'b1), .B0(1'b1), .C0(1'b1), .D0(1'b1), .A1(carry), .B1(1'b1), .C1(1'b1), .D1(1'b1));
  CCU2 #(.INIT0("0xFFFF"), .INIT1("%s"), .INJECT("NO")) one (.CIN(1'b1), .COUT(out[1]),
    .A0(1'b1), .B0(1'b1), .C0(1'b1), .D0(1'b1), .A1(carry), .B1(1'b1), .C1(1'b1), .D1(1'b1));
  assign same = out[0] == carry && out[1] == carry;
endmodule
"""
"""The first cell of a chain twice, with either constant at its input."""


def test_the_first_carry_does_not_count(tmp_path: Path) -> None:
    """By Yosys' own model of the cell; with other parameters it does."""
    prove_heads(tmp_path, "0x00AA")
    with pytest.raises(ToolError, match="proof did fail"):
        prove_heads(tmp_path, "0x96AA")


def prove_heads(tmp_path: Path, second: str) -> None:
    model = Path(pyosys.__file__).parent / "share" / "lattice" / "cells_sim_nexus.v"
    heads = tmp_path / "heads.v"
    heads.write_text(HEADS % (second, second))
    yosys.run_script(
        [
            f"read_verilog {heads.name} {model}",
            "hierarchy -top heads",
            "proc",
            "flatten",
            "sat -verify -prove same 1",
        ],
        reads=[heads, model],
        writes=[],
        out_dir=tmp_path,
    )
