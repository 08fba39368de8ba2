"""Compiled simulators and their cache; lint."""

import subprocess
import time
from pathlib import Path

import pytest

from residua.toolchain import verilator
from residua.toolchain.process import ToolError
from residua.toolchain.verilator import build, cache_dir, lint

COUNTER = """
module counter (input wire clk, output reg [7:0] count);
  initial count = START;
  always @(posedge clk) count <= count + 8'd1;
endmodule
"""

MAIN = r"""
#include "Vcounter.h"
#include <cstdio>
int main() {
  VerilatedContext context; Vcounter dut(&context);
  for (int cycle = 0; cycle < 5; ++cycle) { dut.clk = 0; dut.eval(); dut.clk = 1; dut.eval(); }
  std::printf("%d\n", dut.count);
}
"""


def test_build_runs_and_is_kept(tmp_path: Path) -> None:
    source, main = tmp_path / "counter.v", tmp_path / "main.cpp"
    source.write_text(COUNTER.replace("START", "`START"))
    main.write_text(MAIN)
    arguments = {"build_dir": tmp_path / "build", "defines": {"START": "37"}, "optimise": False}
    simulator = build([source], "counter", main, **arguments)
    run = subprocess.run([simulator], capture_output=True, text=True, check=True, timeout=30)
    assert run.stdout == "42\n"
    start = time.monotonic()
    assert build([source], "counter", main, **arguments) == simulator
    assert time.monotonic() - start < 0.5
    assert list((tmp_path / "build").iterdir()) == [simulator]


def test_two_processes_may_build_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One begins while the other runs and ends first; neither takes the other's log away."""
    source, main = tmp_path / "counter.v", tmp_path / "main.cpp"
    source.write_text(COUNTER)
    main.write_text(MAIN)
    logs = []

    def tool(_command: object, *, cwd: Path, log: Path, **_options: object) -> str:
        log.write_text("output")
        logs.append(log)
        (cwd / "build").mkdir()
        (cwd / "build" / "simulator").write_text("simulator")
        if len(logs) == 1:
            build([source], "counter", main, build_dir=tmp_path / "build")
        return log.read_text()

    monkeypatch.setattr(verilator, "run", tool)
    found = build([source], "counter", main, build_dir=tmp_path / "build")
    assert len(set(logs)) == 2
    assert list((tmp_path / "build").iterdir()) == [found]


def test_broken_source_gives_a_message(tmp_path: Path) -> None:
    source, main = tmp_path / "counter.v", tmp_path / "main.cpp"
    source.write_text("module counter (; endmodule\n")
    main.write_text(MAIN)
    with pytest.raises(ToolError, match="verilator failed") as error:
        build([source], "counter", main, build_dir=tmp_path / "build")
    assert "syntax error" in error.value.output


def test_missing_compiler(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source, main = tmp_path / "counter.v", tmp_path / "main.cpp"
    source.write_text(COUNTER)
    main.write_text(MAIN)
    monkeypatch.setenv("CXX", "no-such-compiler")
    with pytest.raises(ToolError, match="there is no 'no-such-compiler' on the PATH"):
        build([source], "counter", main, build_dir=tmp_path / "build")


def test_lint_lists_warnings_and_errors(tmp_path: Path) -> None:
    source = tmp_path / "counter.v"
    source.write_text(COUNTER.replace("START", "8'd0").replace("8'd1", "9'd1"))
    assert any("WIDTHTRUNC" in line for line in lint([source], "counter"))
    source.write_text("module counter (; endmodule\n")
    assert any(line.startswith("%Error") for line in lint([source], "counter"))


def test_cache_dir_follows_the_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert cache_dir() == tmp_path / "residua"
