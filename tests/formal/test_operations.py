"""Faults that no operand tells from the core, and those that one does: alone, late, or waiting."""

import re
from dataclasses import replace

import pytest

from residua.cores.proofs.boundary import Boundary
from residua.cores.proofs.operations import countable, difference
from residua.toolchain.planted.mutation import mutate

TRIPLE = """
module triple(input wire clk, input wire rst, input wire [3:0] operands_payload,
              input wire operands_valid, output wire operands_ready,
              output wire [9:0] result_payload, output wire result_valid, input wire result_ready);
  reg [2:0] turn;
  reg [5:0] x, kept;
  reg [7:0] out;
  reg error, waited, full;
  wire taken = operands_valid && operands_ready;
  wire [7:0] sum = x + {x, 1'b0};
  wire known = x == 37;
  wire odd = x == 38;
  wire none = x == 0;
  wire idle = turn != 2;
  wire second = turn == 1;
  wire echo = kept == 5 && idle;
  wire lost = waited && turn == 6;
  wire [7:0] product = none ? 8'd7 : known ? 8'd111 : odd ? 8'd115 : sum;
  assign operands_ready = turn == 0 || second;
  assign result_payload = {error, 1'b1, out ^ lost};
  assign result_valid = full;
  initial begin turn = 0; x = 0; kept = 0; out = 0; error = 0; waited = 0; full = 0; end
  always @(posedge clk) begin
    if (taken && turn == 0) x[3:0] <= operands_payload;
    if (taken && second) x[5:4] <= operands_payload[1:0];
    if (turn == 2 && !full) begin
      kept <= x;
      out <= product ^ echo;
      error <= !(|x);
    end
    turn <= rst ? 0 : taken ? turn + 1 : turn == 2 && !full ? 0 : turn;
    full <= !rst && (full ? !result_ready : turn == 2);
    waited <= !rst && full && !result_ready;
  end
endmodule
"""
"""3 x of x in two words, but one more of 38; 0 is an error. It takes words while a result waits."""

HALVE = """
module halve(input wire clk, input wire rst, input wire [3:0] operands_payload,
             input wire operands_valid, output wire operands_ready,
             output wire [9:0] result_payload, output wire result_valid, input wire result_ready);
  reg [2:0] state;
  reg [3:0] count;
  reg [5:0] x, kept;
  reg [7:0] steps;
  wire taken = operands_valid && operands_ready;
  wire ends = x[0] || count == 9;
  wire late = state == 5;
  wire echo = kept == 5 && late;
  wire [4:0] grown = steps + 1;
  assign operands_ready = state < 2;
  assign result_payload = {1'b0, 1'b1, steps ^ echo};
  assign result_valid = state == 4;
  initial begin state = 0; count = 0; x = 0; kept = 0; steps = 0; end
  always @(posedge clk) begin
    count <= count + 1;
    if (taken && state == 0) x[3:0] <= operands_payload;
    if (taken && state == 1) begin x[5:4] <= operands_payload[1:0]; count <= 0; steps <= 0; end
    if (state == 2 && !ends) begin x <= {1'b0, x[5:1]}; steps <= grown; end
    if (state == 4 && result_ready) kept <= x;
    state <= rst ? 0 : taken ? state + 1 : state == 4 ? (result_ready ? 0 : 4)
      : count == 10 && state[1] ? 4 : state == 2 && ends ? 3 : state;
  end
endmodule
"""
"""How often 2 divides x, and 9 of 0: its control follows x, but it always takes as long."""

OVERLAP = "operations overlap"

FAULTS = {
    "no operand tells": (TRIPLE, "eq", "x == 37", "const0", 0, ""),
    "one operand does": (TRIPLE, "eq", "x == 38", "const0", 0, "the results of operand 38 differ"),
    "the word of an error": (TRIPLE, "eq", "x == 0", "const0", 0, ""),
    "a word that is none": (TRIPLE, "eq", "x == 0", "const1", 0, "the results of operand 1 differ"),
    "what was left": (TRIPLE, "ne", "turn != 2", "const1", 0, f"a result is unclear; {OVERLAP}"),
    "a wait": (
        TRIPLE,
        "eq",
        "turn == 6",
        "const1",
        0,
        f"the results of operand 1 differ; {OVERLAP}",
    ),
    "a turn that never comes": (TRIPLE, "eq", "turn == 6", "const0", 0, ""),
    "a handshake": (TRIPLE, "eq", "turn == 1", "const0", 0, "a claim is false"),
    "a bit of 9": (HALVE, "add", "steps + 1", "const0", 3, "the results of operand 0 differ"),
    "a bit of 4": (HALVE, "add", "steps + 1", "const0", 2, "the results of operand 0 differ"),
    "a bit of no number": (HALVE, "add", "steps + 1", "const0", 4, ""),
    "a state that never comes": (HALVE, "eq", "state == 5", "const0", 0, ""),
    "what one left": (HALVE, "eq", "state == 5", "const1", 0, "a result is unclear"),
    "the last step": (HALVE, "eq", "count == 9", "const0", 0, "the results of operand 0 differ"),
}
"""A design, the cell whose output has a fault, which one and at which bit, and what is said."""

MANIFEST = {
    "ranges": {"x": ["0", "63"]},
    "interface": {
        "word_bits": 4,
        "words": 2,
        "operands": ["x"],
        "example": {"operand_words": ["0", "0"], "result_words": ["0"]},
    },
}


def boundary(name):
    outputs = {"result_payload": 8}
    return Boundary(name, ("operands_payload",), outputs, {}, errors={"result_payload": 9})


@pytest.fixture(scope="module")
def plain(tmp_path_factory):
    made = {}
    for text in (TRIPLE, HALVE):
        name = re.search(r"module (\w+)", text)[1]
        folder = tmp_path_factory.mktemp(name)
        (folder / f"{name}.v").write_text(text)
        made[text] = mutate([folder / f"{name}.v"], name, 8, out_dir=folder / "made")
    return made


@pytest.mark.parametrize("name", FAULTS)
def test_faults_and_what_tells_them(plain, name):
    text, kind, place, mode, bit, reason = FAULTS[name]
    line = text[: text.index(place)].count("\n") + 1
    mutants = plain[text]
    gold = (mutants.directory / "gold.il").read_text()
    (cell,) = re.findall(rf"^  cell \S+ (\${kind}\$\S*v:{line}\$\d+)$", gold, re.MULTILINE)
    command = f"mutate -mode {mode} -module {mutants.top} -cell {cell} -port Y -portbit {bit}"
    made = replace(mutants, commands=(command,))
    assert countable(made, MANIFEST)
    said = difference(made, 1, boundary(mutants.top), MANIFEST)
    assert said.endswith(reason) if reason else not said, said


def test_operands_that_are_too_many(plain):
    wide = {**MANIFEST, "interface": MANIFEST["interface"] | {"word_bits": 24}}
    assert not countable(plain[TRIPLE], wide | {"ranges": {}})
