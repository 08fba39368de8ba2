"""Output registers of block memories: which are absorbed, and that the netlist stays the same."""

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest
from amaranth.hdl import Module, Signal
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import Component, In, Out

from residua.toolchain import yosys
from residua.toolchain.output_registers import absorb_output_registers
from residua.toolchain.verilator import build
from residua.verilog.writer import to_verilog

SIZES = {"nine": (9, 1024), "pair": (18, 512), "wide": (36, 512)}
"""Bits and number of the words, for different shapes of the block memory."""

ABSORBED = {"nine": {"plain", "stored"}, "pair": {"plain", "stored"}, "wide": {"plain"}}
"""Memories that get registers: a wide one at its upper half alone, with nothing around it."""


class Table(Component):
    """Memories with what may be behind them: a plain register, or one that has to stay."""

    def __init__(self, width: int, words: int) -> None:
        self.width, self.words = width, words
        super().__init__(
            {
                "address": In(range(words)),
                "write": In(1),
                "data": In(width),
                "plain": Out(width),
                "cleared": Out(width),
                "enabled": Out(width),
                "tapped": Out(width),
                "stored": Out(width),
            }
        )

    def elaborate(self, _: Any) -> Module:
        m = Module()
        init = [self.content(index) for index in range(self.words)]
        read = {}
        for name in ("plain", "cleared", "enabled", "tapped", "stored"):
            contents = [] if name == "stored" else [value ^ len(name) for value in init]
            memory = Memory(shape=self.width, depth=self.words, init=contents)
            m.submodules[f"{name}_memory"] = memory
            port = memory.read_port(domain="sync")
            m.d.comb += port.addr.eq(self.address)
            read[name] = port.data
            if name == "stored":
                store = memory.write_port()
                m.d.comb += [
                    store.addr.eq(self.address),
                    store.data.eq(self.data),
                    store.en.eq(self.write),
                ]
        for name in ("plain", "enabled", "tapped", "stored"):
            register = Signal(self.width, name=f"{name}_register", reset_less=True)
            with m.If(self.write if name == "enabled" else 1):
                m.d.sync += register.eq(read[name])
            m.d.comb += getattr(self, name).eq(register)
        m.d.comb += self.tapped.eq(read["tapped"])
        with m.If(self.write):
            m.d.sync += self.cleared.eq(0)
        with m.Else():
            m.d.sync += self.cleared.eq(read["cleared"])
        return m

    def content(self, index: int) -> int:
        """Any function of the address that fills all bits."""
        return (index * 0x9E3779B97F4A7C15 >> 11) % (1 << self.width)


HARNESS = r"""
#include "V%(top)s.h"
#include <cstdint>
#include <cstdio>
int main() {
  VerilatedContext context; V%(top)s dut(&context);
  uint64_t state = 1;
  dut.rst = 0;
  for (int cycle = 0; cycle < 6000; ++cycle) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    dut.address = (state >> 40) %% %(words)d;
    dut.write = state >> 39 & 1;
    dut.data = (state >> 20) & %(mask)dull;
    dut.clk = 0; dut.eval(); dut.clk = 1; dut.eval();
    std::printf("%%llx %%llx %%llx %%llx %%llx\n", (unsigned long long)dut.plain,
        (unsigned long long)dut.cleared, (unsigned long long)dut.enabled,
        (unsigned long long)dut.tapped, (unsigned long long)dut.stored);
  }
}
"""


def simulate(sources: list[Path], table: Table, work: Path, **options: Any) -> str:
    harness = work / "main.cpp"
    work.mkdir(parents=True, exist_ok=True)
    mask = (1 << table.width) - 1
    harness.write_text(HARNESS % {"top": "table_core", "words": table.words, "mask": mask})
    executable = build(sources, "table_core", harness, optimise=False, **options)
    run = subprocess.run([executable], capture_output=True, text=True, check=True, timeout=60)
    return run.stdout


@pytest.mark.parametrize("kind", list(SIZES))
def test_netlist_with_output_registers(kind: str, tmp_path: Path) -> None:
    table = Table(*SIZES[kind])
    source = tmp_path / "table.v"
    source.write_text(to_verilog(table, name="table_core"))
    result = yosys.synthesise([source], "table_core", "ecp5", out_dir=tmp_path / "synthesis")
    module = json.loads(result.json.read_text())["modules"]["table_core"]
    assert absorb_output_registers(module) == 0, "some were left"
    cells = module["cells"]
    modes = {
        name.split("_")[0]: {cell["parameters"][f"REGMODE_{side}"] for side in "AB"}
        for name, cell in cells.items()
        if cell["type"] == "DP16KD"
    }
    assert {name for name, found in modes.items() if "OUTREG" in found} == ABSORBED[kind]
    assert all(modes[name] == {"NOREG"} for name in ("cleared", "enabled", "tapped"))
    registers = {name.split("_")[0] for name, c in cells.items() if c["type"] == "TRELLIS_FF"}
    assert kind == "wide" or registers.isdisjoint({"plain", "stored"})
    assert "enabled" in registers
    expected = simulate([source], table, tmp_path / "rtl")
    actual = simulate(
        [result.netlist, *yosys.cell_models("ecp5")],
        table,
        tmp_path / "netlist",
        includes=yosys.cell_model_directories("ecp5"),
    )
    assert actual == expected
    assert len(set(expected.splitlines())) > 1000
