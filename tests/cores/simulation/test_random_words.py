"""Random words that a simulated core is given: each is another one."""

import subprocess
from types import SimpleNamespace

import pytest

from residua.cores.simulation.engine import compile_harness
from residua.cores.simulation.streams import Streams, harness_source, simulate_runs
from residua.cores.simulation.word_bench import word_bench_source

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


ONE_OPERATION = """
int main() {
  print(Bench{100}.run({1, -1, {}, {7}}));
}
"""
"""The number 7, with fresh random words."""


@pytest.fixture(scope="module")
def compiled(tmp_path_factory):
    source = tmp_path_factory.mktemp("drawer") / "drawer.v"
    source.write_text(DRAWER)
    return lambda text: compile_harness(text, [source], "drawer")


def test_no_random_word_of_a_stream_comes_twice(compiled):
    drawer = compiled(harness_source(STREAMS, "drawer", takes_random=True))
    cases = [(number, number) for number in range(40)]
    for stalls in (False, True):
        report = simulate_runs(drawer, STREAMS, cases, len(cases), 1, stalls)
        assert (report["vectors"], report["mismatches"], report["failure"]) == (40, 0, "")


def test_no_random_word_of_an_operation_comes_twice(compiled):
    design = SimpleNamespace(modulus_words=(), tested_words=(), error_flag=None, width=32)
    bench = compiled(word_bench_source(design, "drawer", takes_random=True) + ONE_OPERATION)
    printed = subprocess.run([bench], capture_output=True, text=True, check=True).stdout
    status, _, taken, number, last = printed.split()
    assert (status, taken, int(number, 16), int(last, 16)) == ("0", "2", 7, 1)
