"""Faults that are never seen: proved by marks, and never of one that is seen."""

from dataclasses import replace

import pytest

from residua.cores.proofs.boundary import Boundary
from residua.cores.proofs.difference import unseen
from residua.toolchain.mutation import equivalent, mutate

DESIGN = """
module store(input wire clk, input wire rst, input wire go, input wire [1:0] word,
             output reg valid, output reg [1:0] result);
  reg [1:0] step, kept, at;
  reg [1:0] memory [0:3];
  wire [4:0] slot = step == 0 ? 5'b00100 : step == 1 ? 5'b01000 : step == 2 ? 5'b00010 : 5'b10001;
  integer i;
  initial begin
    step = 0; valid = 0; result = 0; kept = 0; at = 1;
    for (i = 0; i < 4; i = i + 1) memory[i] = 0;
  end
  always @(posedge clk) begin
    step <= rst ? 0 : step == 0 && !go ? 0 : step + 1;
    at <= rst ? 1 : at + slot[4];
    if (slot[2]) kept <= word;
    if (slot[3]) memory[at] <= kept;
    if (slot[1]) kept <= memory[at] ^ kept ^ word;
    valid <= rst ? 0 : slot[0];
    result <= slot[0] ? kept : word;
  end
endmodule
"""
"""Four steps: take a word, store it, add another one and a third, say the sum; words on the way."""

BOUNDARY = Boundary("store", ("word",), {"result": 2}, {})
VALID = {"result": "valid"}
COUNT = 32


@pytest.fixture(scope="module")
def mutants(tmp_path_factory):
    folder = tmp_path_factory.mktemp("difference")
    (folder / "store.v").write_text(DESIGN)
    return mutate([folder / "store.v"], "store", COUNT, out_dir=folder / "made")


@pytest.mark.slow
def test_unseen_ones_are_equivalent(mutants):
    """As two copies side by side say, whose every state is looked at."""
    found = [n for n in range(1, COUNT + 1) if unseen(mutants, n, BOUNDARY, valid=VALID)]
    assert len(found) > 2
    assert all(equivalent(mutants, number, valid=VALID) for number in found)
    # Some change a result, but not while it is valid.
    assert not all(unseen(mutants, number, BOUNDARY, valid={}) for number in found)


def test_wires_that_yosys_merged(mutants):
    """When a verdict is tested does not matter, so that the wires that say so may be gone."""
    merged = replace(BOUNDARY, verdicts={"valid": (("gone", True),), "nowhere": ()})
    assert isinstance(unseen(mutants, 1, merged, valid=VALID), bool)
