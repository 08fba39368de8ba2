"""Compiled simulators and their cache; lint."""

import random
import subprocess
import tempfile
from pathlib import Path

import pytest

from residua.toolchain import verilator
from residua.toolchain.process import ToolError
from residua.toolchain.verilator import build, lint

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


def test_build_runs_and_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source, main = tmp_path / "counter.v", tmp_path / "main.cpp"
    source.write_text(COUNTER.replace("START", "`START"))
    main.write_text(MAIN)
    defines = {"START": "37"}
    simulator = build([source], "counter", main, defines=defines)
    run = subprocess.run([simulator], capture_output=True, text=True, check=True, timeout=30)
    assert run.stdout == "42\n"
    monkeypatch.setattr(verilator, "run", None)
    assert build([source], "counter", main, defines=defines) == simulator


WIDTHS, DEPTH = (5, 8, 40, 100), 50
"""Of memories; words of the last take several of C++."""

READ = """\
#include "Vtables.h"
#include <cstdio>
int main() {
  VerilatedContext context; Vtables dut(&context);
  for (dut.place = 0; dut.place < 50; ++dut.place) {
    dut.eval();
    for (int i = 0; i < 5; ++i) std::printf("%08x", dut.words[4 - i]);
    std::puts("");
  }
}
"""


def test_memories_have_their_words(tmp_path: Path) -> None:
    """Also where one is written again, and where the words of one are in another order."""
    draw = random.Random(1)
    words = [[draw.getrandbits(width) for width in WIDTHS] for _ in range(DEPTH)]
    orders = {width: range(DEPTH) for width in WIDTHS} | {5: [*range(1, DEPTH), 0]}
    memories = [f"reg [{w - 1}:0] m{w} [0:{DEPTH - 1}];" for w in WIDTHS]
    lines = [
        f"m{width}[{place}] = {width}'d{words[place][index]};"
        for index, width in enumerate(WIDTHS)
        for place in orders[width]
    ]
    words[7][1] = 3
    lines.append("m8[7] = 8'd3;")
    output = f"assign words = {{{', '.join(f'm{width}[place]' for width in WIDTHS)}}};"
    source, main = tmp_path / "tables.v", tmp_path / "main.cpp"
    body = "\n".join([*memories, "initial begin", *lines, "end", output])
    ports = f"input [5:0] place, output [{sum(WIDTHS) - 1}:0] words"
    source.write_text(f"module tables({ports});\n{body}\nendmodule\n")
    main.write_text(READ)
    simulator = build([source], "tables", main)
    run = subprocess.run([simulator], capture_output=True, text=True, check=True, timeout=30)
    for own, line in zip(words, run.stdout.split(), strict=True):
        joined = 0
        for width, word in zip(WIDTHS, own, strict=True):
            joined = joined << width | word
        assert int(line, 16) == joined


def test_broken_source_gives_a_message(tmp_path: Path) -> None:
    source, main = tmp_path / "counter.v", tmp_path / "main.cpp"
    source.write_text("module counter (; endmodule\n")
    main.write_text(MAIN)
    with pytest.raises(ToolError, match="verilator failed") as error:
        build([source], "counter", main)
    assert "syntax error" in error.value.output


def test_the_log_of_a_failure_stays_and_no_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    source, main = tmp_path / "counter.v", tmp_path / "main.cpp"
    source.write_text(COUNTER.replace("START", "8'd55"))
    main.write_text(MAIN)
    build([source], "counter", main)
    assert not list(tmp_path.glob("*.log"))
    main.write_text("int main( {}")
    with pytest.raises(ToolError) as error:
        build([source], "counter", main)
    assert error.value.log is not None
    assert "error:" in error.value.log.read_text()


def test_missing_compiler(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source, main = tmp_path / "counter.v", tmp_path / "main.cpp"
    source.write_text(COUNTER)
    main.write_text(MAIN)
    monkeypatch.setenv("CXX", "no-such-compiler")
    with pytest.raises(ToolError, match="there is no 'no-such-compiler' on the PATH"):
        build([source], "counter", main)


MAKEFILE = """\
SOURCES := bench.v
obj_dir/bench: $(SOURCES)
\t$(VERILATOR) --binary --timing -O3 -j $(JOBS) --top-module bench -Mdir obj_dir -o bench $(SOURCES)
"""

BENCH = """\
module odd (input [1:0] x, output y);
  assign y = x[0];
endmodule
module bench;
  reg [1:0] x = 0;
  wire [1:0] y;
  odd one (.x(x), .y(y[0]));
  odd two (.x({1'b0, x[1]}), .y(y[1]));
  always #1 x <= x + 1;
  always @(x) $display("%b", y);
  initial #5 $finish;
endmodule
"""


def test_a_bench_is_compiled_by_its_makefile(tmp_path: Path) -> None:
    files = {"Makefile": MAKEFILE, "bench.v": BENCH}
    files["apart.vlt"] = '`verilator_config\nno_inline -module "odd"\n'
    for name, text in files.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    sources = [tmp_path / name for name in files if name != "Makefile"]
    bench = verilator.build_bench(tmp_path, sources)
    output = subprocess.run([bench], capture_output=True, text=True, check=True).stdout
    assert output.split("\n")[:4] == ["00", "01", "10", "11"]


def test_lint_lists_warnings_and_errors(tmp_path: Path) -> None:
    source = tmp_path / "counter.v"
    source.write_text(COUNTER.replace("START", "8'd0").replace("8'd1", "9'd1"))
    assert any("WIDTHTRUNC" in line for line in lint([source], "counter"))
    source.write_text("module counter (; endmodule\n")
    assert any(line.startswith("%Error") for line in lint([source], "counter"))
