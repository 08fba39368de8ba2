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
"""Memories that get registers: Yosys puts logic behind a wide one that is written."""

BEHIND = ("plain", "cleared", "enabled", "tapped", "stored")
"""What may be behind a memory: a plain register, or one that has to stay."""


class Tables(Component):
    """Memories of every size, with all that may be behind them."""

    def __init__(self) -> None:
        outputs = {
            f"{kind}_{name}": Out(width) for kind, (width, _) in SIZES.items() for name in BEHIND
        }
        super().__init__({"address": In(10), "write": In(1), "data": In(36)} | outputs)

    def elaborate(self, _: Any) -> Module:
        m = Module()
        for kind, size in SIZES.items():
            m.submodules[kind] = table = Table(*size)
            m.d.comb += [
                table.address.eq(self.address),
                table.write.eq(self.write),
                table.data.eq(self.data),
                *(getattr(self, f"{kind}_{name}").eq(getattr(table, name)) for name in BEHIND),
            ]
        return m


class Table(Component):
    """Memories of one size."""

    def __init__(self, width: int, words: int) -> None:
        self.width, self.words = width, words
        super().__init__(
            {
                "address": In(range(words)),
                "write": In(1),
                "data": In(width),
                **{name: Out(width) for name in BEHIND},
            }
        )

    def elaborate(self, _: Any) -> Module:
        m = Module()
        init = [self.content(index) for index in range(self.words)]
        read = {}
        for name in BEHIND:
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
#include "Vtables.h"
#include <cstdint>
#include <cstdio>
int main() {
  VerilatedContext context; Vtables dut(&context);
  uint64_t state = 1;
  dut.rst = 0;
  for (int cycle = 0; cycle < 6000; ++cycle) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    dut.address = (state >> 40) %% 1024;
    dut.write = state >> 39 & 1;
    dut.data = (state >> 20) & 0xfffffffffull;
    dut.clk = 0; dut.eval(); dut.clk = 1; dut.eval();
    for (unsigned long long word : {%(outputs)s}) std::printf("%%llx ", word);
    std::printf("\n");
  }
}
"""


def simulate(sources: list[Path], work: Path, **options: Any) -> str:
    """The words of all memories in each cycle, a line for each."""
    harness = work / "main.cpp"
    work.mkdir(parents=True, exist_ok=True)
    outputs = (f"(unsigned long long)dut.{kind}_{name}" for kind in SIZES for name in BEHIND)
    harness.write_text(HARNESS % {"outputs": ", ".join(outputs)})
    executable = build(sources, "tables", harness, **options)
    run = subprocess.run([executable], capture_output=True, text=True, check=True, timeout=60)
    return run.stdout


@pytest.fixture(scope="module")
def synthesised(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, yosys.SynthesisResult]:
    """The memories, and what becomes of them."""
    folder = tmp_path_factory.mktemp("tables")
    source = folder / "tables.v"
    source.write_text(to_verilog(Tables(), name="tables"))
    return source, yosys.synthesise([source], "tables", "ecp5", out_dir=folder / "synthesis")


@pytest.mark.parametrize("kind", list(SIZES))
def test_registers_are_absorbed(kind: str, synthesised: tuple[Path, yosys.SynthesisResult]) -> None:
    module = json.loads(synthesised[1].json.read_text())["modules"]["tables"]
    assert absorb_output_registers(module) == 0, "some were left"
    cells = {
        name.removeprefix(f"{kind}."): cell
        for name, cell in module["cells"].items()
        if name.startswith(f"{kind}.")
    }
    modes = {
        name.split("_")[0]: {cell["parameters"][f"REGMODE_{side}"] for side in "AB"}
        for name, cell in cells.items()
        if cell["type"] == "DP16KD"
    }
    assert {name for name, found in modes.items() if "OUTREG" in found} == ABSORBED[kind]
    assert all(modes[name] == {"NOREG"} for name in ("cleared", "enabled", "tapped"))
    if kind == "wide":
        assert all(len(found) == 1 for found in modes.values()), "a word in two halves"
    registers = {name.split("_")[0] for name, c in cells.items() if c["type"] == "TRELLIS_FF"}
    assert registers.isdisjoint(ABSORBED[kind])
    assert "enabled" in registers


def test_the_netlist_is_the_same(
    synthesised: tuple[Path, yosys.SynthesisResult], tmp_path: Path
) -> None:
    source, result = synthesised
    expected = simulate([source], tmp_path / "rtl")
    actual = simulate(
        [result.netlist, *yosys.cell_models("ecp5")],
        tmp_path / "netlist",
        includes=yosys.cell_model_directories("ecp5"),
    )
    assert actual == expected
    assert len(set(expected.splitlines())) > 1000
