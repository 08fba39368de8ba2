"""Designs whose state can be changed from outside."""

import subprocess

import pytest

from residua.toolchain import verilator
from residua.toolchain.planted.injection import open_state
from residua.toolchain.process import ToolError

DESIGN = """
module part(input clk, input rst, input [3:0] step, output reg [7:0] total);
  always @(posedge clk) if (rst) total <= 8'd5; else total <= total + step;
endmodule

module dut(
  input clk, input rst, input write, input [1:0] address, input [7:0] data,
  output [7:0] total, output reg [7:0] word, output [5:0] constant
);
  reg [7:0] words [0:3];
  reg [5:0] constants [0:3];
  initial begin
    constants[0] = 6'd7; constants[1] = 6'd11; constants[2] = 6'd13; constants[3] = 6'd17;
    words[0] = 8'd1; words[1] = 8'd2; words[2] = 8'd3; words[3] = 8'd4;
  end
  part inner(.clk(clk), .rst(rst), .step(4'd1), .total(total));
  assign constant = constants[address];
  always @(posedge clk) begin
    if (write) words[address] <= data;
    word <= words[address];
  end
endmodule
"""

HARNESS = """
#include "Vdut.h"
#include <cstdio>
int main() {
  VerilatedContext context;
  Vdut dut{&context};
  auto step = [&] { dut.clk = 0; dut.eval(); dut.clk = 1; dut.eval(); };
  auto show = [&] { std::printf("%d %d %d\\n", dut.total, dut.word, dut.constant); };
  dut.rst = 1; step(); dut.rst = 0; dut.address = 2;
  for (int cycle = 0; cycle < 5; ++cycle) {
    AT_CYCLE
    dut.write = cycle == 3;
    dut.data = 99;
    step();
    show();
#ifdef OPEN
    dut.fault_flip = dut.fault_keep = dut.fault_memory = dut.fault_address = dut.fault_mask = 0;
#endif
  }
}
"""

PLAIN = ["6 3 13", "7 3 13", "8 3 13", "9 3 13", "10 99 13"]


@pytest.fixture(scope="module")
def source(tmp_path_factory):
    path = tmp_path_factory.mktemp("open") / "dut.v"
    path.write_text(DESIGN)
    return path


@pytest.fixture(scope="module")
def opened(source):
    return open_state([source], "dut", out_dir=source.parent / "work")


def simulated(source, path, at_cycle="", flags=None):
    harness = path / "harness.cpp"
    harness.write_text(HARNESS.replace("AT_CYCLE", at_cycle))
    simulator = verilator.build([source], "dut", harness, defines=flags)
    done = subprocess.run([simulator], capture_output=True, text=True, check=True)
    return done.stdout.splitlines()


def with_fault(opened, path, cycle, *settings):
    body = " ".join(f"dut.fault_{setting};" for setting in settings)
    return simulated(opened.verilog, path, f"if (cycle == {cycle}) {{ {body} }}", {"OPEN": "1"})


def register(opened, name):
    (found,) = (one for one in opened.registers if one.name == name)
    return found


def memory(opened, name):
    (found,) = (one for one in opened.memories if one.name == name)
    return found


def test_all_state_is_listed(opened):
    names = {one.name: one.width for one in opened.registers}
    assert names == {"inner.total": 8, "word": 8}
    assert [one.first for one in opened.registers] == [
        sum(one.width for one in opened.registers[:index]) for index in range(len(opened.registers))
    ]
    words, constants = memory(opened, "words"), memory(opened, "constants")
    assert (words.width, words.depth, words.is_written) == (8, 4, True)
    assert (constants.width, constants.depth, constants.is_written) == (6, 4, False)


def test_without_a_fault_it_is_the_design(source, opened, tmp_path):
    assert simulated(source, tmp_path) == PLAIN
    assert with_fault(opened, tmp_path, 0) == PLAIN


def test_a_flip_inverts_what_is_stored(opened, tmp_path):
    bit = 1 << register(opened, "inner.total").first + 4
    assert with_fault(opened, tmp_path, 1, f"flip = {bit}") == [
        "6 3 13", "23 3 13", "24 3 13", "25 3 13", "26 99 13"
    ]  # fmt: skip


def test_a_register_that_is_kept_has_no_clock(opened, tmp_path):
    bits = 255 << register(opened, "inner.total").first
    assert with_fault(opened, tmp_path, 1, f"keep = {bits}") == [
        "6 3 13", "6 3 13", "7 3 13", "8 3 13", "9 99 13"
    ]  # fmt: skip


def test_a_bit_may_be_kept_inverted(opened, tmp_path):
    bit = 1 << register(opened, "inner.total").first
    assert with_fault(opened, tmp_path, 1, f"keep = {bit}", f"flip = {bit}")[1] == "7 3 13"
    assert with_fault(opened, tmp_path, 2, f"keep = {bit}", f"flip = {bit}")[2] == "8 3 13"
    assert with_fault(opened, tmp_path, 2, f"keep = {bit}")[2] == "9 3 13"


@pytest.mark.parametrize("cycle", [0, 2])
def test_words_of_both_kinds_of_memories_change(opened, tmp_path, cycle):
    settings = "address = 2", "mask = 4"
    words, constants = memory(opened, "words").index, memory(opened, "constants").index
    changed = with_fault(opened, tmp_path, cycle, f"memory = {1 << words}", *settings)
    wanted = [line.replace(" 3 ", " 7 ") if i > cycle else line for i, line in enumerate(PLAIN)]
    assert changed == wanted
    changed = with_fault(opened, tmp_path, cycle, f"memory = {1 << constants}", *settings)
    assert changed == [
        line.replace("13", "9") if i >= cycle else line for i, line in enumerate(PLAIN)
    ]


def test_other_registers_are_refused(tmp_path):
    source = tmp_path / "latch.v"
    source.write_text(
        "module latch(input g, input d, output reg q); always @* if (g) q = d; endmodule"
    )
    with pytest.raises(ToolError, match=r"a register of the kind .*latch is left"):
        open_state([source], "latch", out_dir=tmp_path / "work")
