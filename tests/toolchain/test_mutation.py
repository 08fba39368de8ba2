"""Mutants by Yosys: made, switched in one simulation, proved equivalent or not."""

import os
import re
import subprocess
from dataclasses import replace

import pytest

from residua.errors import SpecificationError
from residua.toolchain.planted.mutation import VARIABLE, equivalent, mutate
from residua.toolchain.verilator import build

DESIGN = """
module tiny(input wire clk, input wire [3:0] a, input wire [3:0] b, output reg [4:0] sum,
             output wire covered);
  assign covered = (a[0] & b[0]) | (a[0] & b[0] & a[1]);
  always @(posedge clk) sum <= a + b;
endmodule
"""

HARNESS = """
#include <cstdio>
#include "Vtiny.h"
int main() {
  Vtiny top;
  for (int a = 0; a < 16; ++a)
    for (int b = 0; b < 16; ++b) {
      top.a = a; top.b = b;
      top.clk = 0; top.eval(); top.clk = 1; top.eval();
      std::printf("%d %d\\n", top.sum, top.covered);
    }
}
"""


STORE = """
module store(input wire clk, input wire write, input wire [1:0] at, input wire [1:0] word,
             output reg [1:0] held, output wire covered);
  reg [1:0] memory [0:3];
  integer i;
  initial for (i = 0; i < 4; i = i + 1) memory[i] = 0;
  assign covered = held[0] | (held[0] & held[1]);
  always @(posedge clk) begin
    if (write) memory[at] <= word;
    held <= memory[at];
  end
endmodule
"""

STORE_HARNESS = """
#include <cstdio>
#include <random>
#include "Vstore.h"
int main() {
  Vstore top;
  std::minstd_rand random(1);
  for (int run = 0; run < 2000; ++run) {
    unsigned drawn = random() >> 8;
    top.write = drawn & 1; top.at = drawn >> 1 & 3; top.word = drawn >> 3 & 3;
    top.clk = 0; top.eval(); top.clk = 1; top.eval();
    std::printf("%d %d\\n", top.held, top.covered);
  }
}
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("mutation")
    (path / "tiny.v").write_text(DESIGN)
    (path / "harness.cpp").write_text(HARNESS)
    return path


def printing(mutants, harness):
    """What the simulation of a mutant prints, by its number."""
    simulator = build([mutants.verilog], mutants.top, harness)

    def printed(number):
        environment = {**os.environ, VARIABLE: str(number)}
        return subprocess.run([simulator], env=environment, capture_output=True, check=True).stdout

    return printed


@pytest.fixture(scope="module")
def mutants(folder):
    return mutate([folder / "tiny.v"], "tiny", 10, out_dir=folder / "made")


def test_no_mutant_has_the_clock(mutants):
    assert len(set(mutants.commands)) == 10
    assert not [command for command in mutants.commands if "-port CLK" in command]


def test_mutants_are_the_same_wherever_the_files_are(mutants, tmp_path):
    (tmp_path / "elsewhere").mkdir()
    source = tmp_path / "elsewhere" / "tiny.v"
    source.write_text(DESIGN)
    again = mutate([source], "tiny", 10, out_dir=tmp_path / "made")
    assert again.commands == mutants.commands
    assert again.verilog.read_text() == mutants.verilog.read_text()
    assert str(tmp_path) not in again.verilog.read_text()


def test_equivalent_exactly_if_no_run_differs(mutants, folder):
    """The next state and outputs of all inputs tell, in a design without a history."""
    printed = printing(mutants, folder / "harness.cpp")
    expected = printed(0)
    assert expected == b"".join(
        b"%d %d\n" % (a + b, a & b & 1) for a in range(16) for b in range(16)
    )
    alike = [number for number in range(1, 11) if printed(number) == expected]
    assert alike
    assert len(alike) < 5
    assert [number for number in range(1, 11) if equivalent(mutants, number)] == alike


def test_equivalent_with_a_memory(tmp_path):
    """A long run tells them apart: of the memory's contents, and of gates behind it."""
    (tmp_path / "store.v").write_text(STORE)
    (tmp_path / "harness.cpp").write_text(STORE_HARNESS)
    mutants = mutate([tmp_path / "store.v"], "store", 12, out_dir=tmp_path / "made")
    printed = printing(mutants, tmp_path / "harness.cpp")
    expected = printed(0)
    alike = [number for number in range(1, 13) if printed(number) == expected]
    assert alike
    assert len(alike) < 6
    assert any("memwr" in command for command in mutants.commands)
    assert [number for number in range(1, 13) if equivalent(mutants, number)] == alike


HELD = """
module held(input wire clk, input wire go, input wire word, output reg there, output reg kept);
  initial begin there = 1'b0; kept = 1'b1; end
  always @(posedge clk) begin
    there <= go;
    kept <= go ? word : ~word;
  end
endmodule
"""


def test_outputs_count_while_they_are_valid(tmp_path):
    """What is kept without ``there`` may change, and only that; some mutants hold a register."""
    (tmp_path / "held.v").write_text(HELD)
    mutants = mutate([tmp_path / "held.v"], "held", 10, out_dir=tmp_path / "made")
    assert any("-mode const1" in line and "-port Q" in line for line in mutants.commands)
    unseen = [number for number, line in enumerate(mutants.commands, 1) if "-cell $not$" in line]
    assert len(unseen) > 2
    assert not any(equivalent(mutants, number) for number in unseen)
    seen = [n for n in range(1, 11) if not equivalent(mutants, n, valid={"kept": "there"})]
    assert sorted(seen + unseen) == list(range(1, 11))


def test_a_command_that_changes_nothing_is_equivalent(mutants):
    none = replace(mutants, commands=("mutate -mode none",))
    assert equivalent(none, 1)


def test_more_than_there_are(folder):
    with pytest.raises(SpecificationError, match=re.escape("mutants of 5000 that are asked for")):
        mutate([folder / "tiny.v"], "tiny", 5000, out_dir=folder / "many")
