"""Random words that a simulated core is given: each is another one."""

import pytest

from residua.cores.simulation.engine import compile_harness
from residua.cores.simulation.streams import Streams, harness_source, simulate_runs

STREAMS = Streams(width=32, operands=1, words=1, latency=3, interval=4)

DRAWER = """
module drawer(
  input wire clk, input wire rst,
  input wire [31:0] operands_payload, input wire operands_valid, output wire operands_ready,
  input wire [31:0] random_payload, input wire random_valid, output wire random_ready,
  output wire [32:0] result_payload, output wire result_valid, input wire result_ready
);
  reg [1:0] step;
  reg [31:0] number, drawn;
  assign operands_ready = step == 0;
  assign random_ready = step == 1 || step == 2;
  assign result_valid = step == 3;
  assign result_payload = {1'b1, number};
  wire moves = step == 0 ? operands_valid : step == 3 ? result_ready : random_valid;
  always @(posedge clk) begin
    step <= rst ? 0 : step + moves;
    if (step == 0) number <= operands_payload;
    if (step == 1) drawn <= random_payload;
    if (step == 2 && moves) number <= number + (drawn == random_payload);
  end
endmodule
"""
"""A number comes out as it is if two random words, one after the other, are different."""


@pytest.fixture(scope="module")
def drawer(tmp_path_factory):
    source = tmp_path_factory.mktemp("drawer") / "drawer.v"
    source.write_text(DRAWER)
    text = harness_source(STREAMS, "drawer", takes_random=True)
    return compile_harness(text, [source], "drawer", optimise=False)


@pytest.mark.parametrize("stalls", [False, True])
def test_no_random_word_comes_twice(drawer, stalls):
    cases = [(number, number) for number in range(40)]
    report = simulate_runs(drawer, STREAMS, cases, len(cases), 1, stalls)
    assert (report["vectors"], report["mismatches"], report["failure"]) == (len(cases), 0, "")
