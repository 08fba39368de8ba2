"""Mutants by Yosys: made, switched in one simulation, proved equivalent or not."""

import os
import re
import subprocess
from dataclasses import replace

import pytest

from residua.errors import SpecificationError
from residua.toolchain.mutation import VARIABLE, equivalent, mutate
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


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("mutation")
    (path / "tiny.v").write_text(DESIGN)
    (path / "harness.cpp").write_text(HARNESS)
    return path


@pytest.fixture(scope="module")
def mutants(folder):
    return mutate([folder / "tiny.v"], "tiny", 30, out_dir=folder / "made")


def test_no_mutant_has_the_clock(mutants):
    assert len(set(mutants.commands)) == 30
    assert not [command for command in mutants.commands if "-port CLK" in command]


def test_mutants_are_the_same_wherever_the_files_are(mutants, tmp_path):
    (tmp_path / "elsewhere").mkdir()
    source = tmp_path / "elsewhere" / "tiny.v"
    source.write_text(DESIGN)
    again = mutate([source], "tiny", 30, out_dir=tmp_path / "made")
    assert again.commands == mutants.commands
    assert again.verilog.read_text() == mutants.verilog.read_text()
    assert str(tmp_path) not in again.verilog.read_text()


def test_equivalent_exactly_if_no_run_differs(mutants, folder):
    """The next state and outputs of all inputs tell, in a design without a history."""
    simulator = build([mutants.verilog], "tiny", folder / "harness.cpp", optimise=False)

    def printed(number):
        environment = {**os.environ, VARIABLE: str(number)}
        return subprocess.run([simulator], env=environment, capture_output=True, check=True).stdout

    expected = printed(0)
    assert expected == b"".join(
        b"%d %d\n" % (a + b, a & b & 1) for a in range(16) for b in range(16)
    )
    alike = [number for number in range(1, 31) if printed(number) == expected]
    assert alike
    assert len(alike) < 15
    assert [number for number in range(1, 31) if equivalent(mutants, number)] == alike


def test_a_command_that_changes_nothing_is_equivalent(mutants):
    none = replace(mutants, commands=("mutate -mode none",))
    assert equivalent(none, 1)


def test_more_than_there_are(folder):
    with pytest.raises(SpecificationError, match=re.escape("mutants of 5000 that are asked for")):
        mutate([folder / "tiny.v"], "tiny", 5000, out_dir=folder / "many")
