"""Faults that are never seen: proved by marks, and never of one that is seen."""

import re
from dataclasses import replace

import pytest

from residua.cores.proofs import difference
from residua.cores.proofs.boundary import Boundary
from residua.cores.proofs.difference import absorbed, dormant, unseen
from residua.cores.proofs.netlist import Netlist
from residua.cores.proofs.operands import word_bits
from residua.toolchain.gates import Outcome
from residua.toolchain.planted.mutation import equivalent, mutate, names_of

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


def mutants_of(text, folder, count=8):
    """Mutants of a design, whose last module has the others inside."""
    *_, name = re.findall(r"^module (\w+)", text, re.MULTILINE)
    (folder / f"{name}.v").write_text(text)
    return mutate([folder / f"{name}.v"], name, count, out_dir=folder / "made")


@pytest.fixture(scope="module")
def mutants(tmp_path_factory):
    return mutants_of(DESIGN, tmp_path_factory.mktemp("difference"), COUNT)


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


PACED = """
module paced(input wire clk, input wire rst, input wire [1:0] word,
             output reg valid, output reg [3:0] result);
  reg [9:0] age;
  reg [2:0] turn, pause;
  reg at;
  reg [3:0] kept [0:1];
  wire scratch = turn == 2;
  wire [3:0] product = word * (turn[0] ? 2'd3 : 2'd0);
  wire late = pause >= 6;
  wire again = age == 599;
  wire write = scratch || turn == 5;
  initial begin
    age = 0; turn = 0; pause = 0; valid = 0; result = 0; at = 0; kept[0] = 0; kept[1] = 0;
  end
  always @(posedge clk) begin
    age <= rst || again ? 0 : age + 1;
    turn <= rst ? 0 : turn + 1;
    pause <= rst || turn == 7 ? 0 : pause + 1;
    at <= rst ? 0 : at ^ (turn == 7);
    if (write) kept[at] <= product;
    valid <= !rst && turn == 6 && late && !age[9:8];
    result <= kept[at];
  end
endmodule
"""
"""A product is kept, over which another one is written before the result is valid; the counter of
steps is there twice, and one that goes up to 599 takes part."""

FAULTS = {
    "a word that is written over": ("const0", r"\$eq\S*v:8\$\d+", "Y", 0, True),
    "a word that is read": ("const0", r"\$eq\S*v:12\$\d+", "Y", 0, False),
    "a verdict that is always the same": ("const1", r"\$ge\S*v:10\$\d+", "Y", 0, True),
    "and one that is needed": ("const0", r"\$ge\S*v:10\$\d+", "Y", 0, False),
    "the end of 600 cycles": ("const0", r"\$eq\S*v:11\$\d+", "A", 3, True),
    "no end of them": ("const1", r"\$eq\S*v:11\$\d+", "A", 3, False),
    "a factor of 0 and of 3": ("inv", r"\$mul\S*v:9\$\d+", "A", 0, False),
}
"""How Yosys is to make a fault, at which cell, port and bit, and whether nothing comes of it."""


@pytest.fixture(scope="module")
def plain(tmp_path_factory):
    return mutants_of(PACED, tmp_path_factory.mktemp("paced"))


def with_fault(plain, mode, cell, port, bit):
    """The design with one fault, at the only cell that a pattern names."""
    text = (plain.directory / "gold.il").read_text()
    (found,) = re.findall(rf"^  cell \S+ ({cell})$", text, re.MULTILINE)
    command = f"mutate -mode {mode} -module {plain.top} -cell {found} -port {port} -portbit {bit}"
    return replace(plain, commands=(command,))


@pytest.mark.parametrize("name", FAULTS)
def test_faults_of_every_sort_and_those_beside_them(plain, name):
    *fault, harmless = FAULTS[name]
    made = with_fault(plain, *fault)
    boundary = Boundary("paced", ("word",), {"result": 4}, {})
    assert unseen(made, 1, boundary, valid=VALID) == harmless
    assert unseen(made, 1, boundary, valid=VALID, exact=True) == harmless


@pytest.mark.parametrize("name", FAULTS)
def test_faults_in_every_state_of_the_control(plain, name, monkeypatch):
    """Where ABC finds no invariant, states are looked at one by one."""
    monkeypatch.setattr(difference, "watch", lambda *_, **__: Outcome())
    *fault, harmless = FAULTS[name]
    made = with_fault(plain, *fault)
    assert unseen(made, 1, Boundary("paced", ("word",), {"result": 4}, {}), valid=VALID) == harmless


TESTED = """
module tester(input wire [3:0] number, output wire zero);
  assign zero = number == 0;
endmodule

module tested(input wire clk, input wire rst, input wire go, input wire [3:0] word,
              output reg valid, output reg [3:0] result);
  reg [2:0] step;
  reg [3:0] kept;
  wire nothing;
  tester tester(.number(kept), .zero(nothing));
  wire asks = step == 3;
  wire ends = step == 6;
  initial begin step = 0; kept = 0; valid = 0; result = 0; end
  always @(posedge clk) begin
    step <= rst ? 0 : step == 0 ? go : asks && nothing ? 5 : ends ? 0 : step + 1;
    if (step == 0) kept <= word;
    valid <= !rst && ends;
    result <= kept;
  end
endmodule
"""
"""A number that is 0 has one step less; that it is so has two names in the flat design."""


@pytest.mark.parametrize(
    ("fault", "harmless"),
    [
        (("const0", r"\$eq\S*v:13\$\d+", "A", 0), True),
        (("const0", r"\$eq\S*v:13\$\d+", "A", 1), False),
        (("const0", r"\$eq\S*v:12\$\d+", "A", 0), False),
    ],
)
@pytest.mark.parametrize("invariants", [True, False])
def test_a_verdict_under_another_name(tmp_path, monkeypatch, fault, harmless, invariants):
    """A step that is never there, one too few, and a verdict that is not asked for."""
    if not invariants:
        monkeypatch.setattr(difference, "watch", lambda *_, **__: Outcome())
    plain = mutants_of(TESTED, tmp_path)
    assert {"nothing", "tester.zero"} < {*names_of(plain, ["nothing"])["nothing"]}
    made = with_fault(plain, *fault)
    for verdict in ("nothing", "tester.zero"):
        boundary = Boundary("tested", ("word",), {"result": 4}, {verdict: ()})
        assert unseen(made, 1, boundary, valid=VALID) == harmless
    # Without it the control depends on data, so that nothing is known of it.
    assert not unseen(made, 1, replace(boundary, verdicts={}), valid=VALID)


KEPT = """
module paired(input wire clk, input wire rst, input wire go, input wire [3:0] word,
              output reg valid, output reg [3:0] result);
  reg [1:0] step;
  reg [3:0] kept;
  reg [2:0] first, second;
  reg even;
  wire loads = go && step == 0;
  wire next = step == 2;
  wire alike = first == second;
  initial begin step = 0; kept = 0; first = 0; second = 0; even = 0; valid = 0; result = 0; end
  always @(posedge clk) begin
    step <= rst ? 0 : step == 0 ? go : step + 1;
    if (loads) even <= !word[1];
    if (loads) kept <= word;
    first <= rst ? 0 : first + (step == 1 && !even);
    second <= rst ? 0 : second + (next && !even);
    valid <= !rst && step == 3 && alike;
    result <= kept;
  end
endmodule
"""
"""A bit of an input is kept as a verdict, by which two counters go on, one after the other."""


@pytest.mark.parametrize(
    ("fault", "harmless"),
    [
        (("const1", r"\$eq\S*v:10\$\d+", "Y", 0), True),
        (("const1", r"\$logic_and\S*v:8\$\d+", "Y", 0), False),
        (("const0", r"\$eq\S*v:9\$\d+", "A", 1), False),
    ],
)
def test_a_verdict_that_an_input_decides(tmp_path, monkeypatch, fault, harmless):
    """It stays what it is: then both counters are alike, which they are not by any verdict."""
    monkeypatch.setattr(difference, "watch", lambda *_, **__: Outcome())
    plain = mutants_of(KEPT, tmp_path)
    boundary = Boundary("paired", ("word",), {"result": 4}, {"even": ()})
    made = with_fault(plain, *fault)
    assert unseen(made, 1, boundary, valid=VALID) == harmless
    netlist = difference._netlist(made, 1, boundary)
    (sources,) = netlist.decided.values()
    assert sources == {netlist.ports["word"]["bits"][1]}
    monkeypatch.setattr(Netlist, "decided", {})
    assert not unseen(made, 1, boundary, valid=VALID)


def test_a_verdict_of_what_was_computed(tmp_path):
    """It may be any in every cycle."""
    text = KEPT.replace("even <= !word[1]", "even <= !kept[1]")
    plain = mutants_of(text, tmp_path)
    boundary = Boundary("paired", ("word",), {"result": 4}, {"even": ()})
    assert difference._netlist(plain, 1, boundary).decided == {}


SHIFTER = """
module shifter(input wire clk, input wire rst, input wire go, input wire [7:0] word,
               output reg valid, output wire [7:0] result);
  reg [3:0] step;
  reg [7:0] rest;
  wire begins = go && step == 0;
  wire moves = step > 3;
  wire takes = begins | moves;
  wire [7:0] next = moves ? {rest[6:0], word[0] ^ rest[7]} : 8'd1;
  assign result = rest;
  initial begin step = 0; rest = 0; valid = 0; end
  always @(posedge clk) begin
    step <= rst ? 0 : step == 0 ? go : step + 1;
    if (takes) rest <= next;
    valid <= !rst && step == 14;
  end
endmodule
"""
"""A number is begun with, waits, goes on, and is of no use then."""


@pytest.mark.parametrize(
    ("fault", "harmless"),
    [
        (("const1", r"\$or\S*v:8\$\d+", "Y", 0), True),
        (("const0", r"\$logic_and\S*v:6\$\d+", "Y", 0), False),
        (("const1", r"\$gt\S*v:7\$\d+", "Y", 0), False),
    ],
)
def test_what_is_begun_with_again(tmp_path, fault, harmless):
    """It may be anything until then: but not while it waits, nor if nothing begins."""
    plain = mutants_of(SHIFTER, tmp_path)
    boundary = Boundary("shifter", ("word",), {"result": 8}, {})
    assert absorbed(with_fault(plain, *fault), 1, boundary, valid=VALID) == harmless


PASSER = """
module passer(input wire clk, input wire rst, input wire [3:0] word,
              output reg valid, output reg [3:0] result);
  reg [2:0] step;
  reg [3:0] a, b, c, d;
  wire early = step == 6;
  wire [3:0] next = early ? ~word : word;
  initial begin step = 0; a = 0; b = 0; c = 0; d = 0; valid = 0; result = 0; end
  always @(posedge clk) begin
    step <= rst ? 0 : step + 1;
    a <= next;
    b <= a;
    c <= b;
    d <= c;
    valid <= !rst && step == 5;
    result <= d;
  end
endmodule
"""
"""Words go through four registers; only what came in step 1 is a result."""


@pytest.mark.parametrize(("mode", "harmless"), [("const0", True), ("const1", False)])
def test_a_fault_that_gets_far_before_it_is_of_no_use(tmp_path, monkeypatch, mode, harmless):
    plain = mutants_of(PASSER, tmp_path)
    made = with_fault(plain, mode, r"\$eq\S*v:6\$\d+", "Y", 0)
    boundary = Boundary("passer", ("word",), {"result": 4}, {})
    assert absorbed(made, 1, boundary, valid=VALID) == harmless
    # Registers behind each other say too little: those that differ in a simulation are asked for.
    monkeypatch.setattr(difference._Proof, "met", lambda *_, **__: None)
    assert not absorbed(made, 1, boundary, valid=VALID)


TOTAL = """
module totaller(input wire clk, input wire rst, input wire go, input wire [2:0] word,
                output reg valid, output reg [5:0] result);
  reg [1:0] step;
  reg [5:0] total;
  wire [5:0] before = step == 0 ? 6'd5 : total;
  wire [5:0] next = before + word;
  wire again = total > 19;
  initial begin step = 0; total = 0; valid = 0; result = 0; end
  always @(posedge clk) begin
    if (rst) step <= 0;
    else if (go) step <= step + 1;
    if (go) total <= step == 3 ? 6'd1 : again ? 6'd3 : next;
    valid <= !rst && go && step == 2;
    result <= total;
  end
endmodule
"""
"""Adds up two words and begins again, whenever it goes on; the sum is said once it is complete."""


@pytest.mark.parametrize(("bit", "harmless"), [(5, True), (2, False)])
def test_what_is_inverted_twice(tmp_path, bit, harmless):
    """The highest bit comes right with the second word, but not one with a carry."""
    plain = mutants_of(TOTAL.replace("again ? 6'd3 : ", ""), tmp_path)
    made = with_fault(plain, "inv", r"\$add\S*v:7\$\d+", "A", bit)
    boundary = Boundary("totaller", ("word",), {"result": 6}, {})
    assert not unseen(made, 1, boundary, valid=VALID, exact=True)
    assert unseen(made, 1, boundary, valid=VALID, exact=True, copied=True) == harmless


@pytest.mark.parametrize(
    ("fault", "harmless"),
    [
        (("const0", r"\$add\S*v:7\$\d+", "Y", 5), True),
        (("const0", r"\$add\S*v:7\$\d+", "Y", 4), False),
        (("const0", r"\$gt\S*v:8\$\d+", "Y", 0), True),
    ],
)
def test_a_fault_that_nothing_sets_off(tmp_path, fault, harmless):
    """No sum of two words gets so large, whatever there was before."""
    text = TOTAL.replace("if (go) total", "total").replace("total > 19", "total > 27")
    text = text.replace("else if (go) step", "else step")
    made = with_fault(mutants_of(text, tmp_path), *fault)
    boundary = Boundary("totaller", ("word",), {"result": 6}, {})
    assert dormant(made, 1, boundary, valid=VALID) == harmless


TAKER = """
module taker(input wire clk, input wire rst, input wire [3:0] operands_payload,
             input wire operands_valid, output wire operands_ready,
             output reg valid, output reg [7:0] result);
  reg second, wait_one;
  reg [3:0] low;
  wire [7:0] more = {operands_payload, low} + 8'd3;
  wire taken = operands_valid && operands_ready;
  assign operands_ready = !wait_one;
  initial begin second = 0; wait_one = 0; low = 0; valid = 0; result = 0; end
  always @(posedge clk) begin
    second <= rst ? 0 : second ^ taken;
    wait_one <= !rst && taken && second;
    if (taken && !second) low <= operands_payload;
    valid <= !rst && taken && second;
    result <= more;
  end
endmodule
"""
"""Takes a number in two words, of which the second one may be 0 or 1."""


@pytest.mark.parametrize(("bit", "harmless"), [(6, True), (4, False), (3, False)])
def test_operands_keep_to_their_range(tmp_path, bit, harmless):
    """Bits that no operand has may be lost; resets at any time do not shift the words."""
    made = mutants_of(TAKER, tmp_path)
    text = (made.directory / "gold.il").read_text()
    (adder,) = re.findall(r"^  cell \$add (\S+)$", text, re.MULTILINE)
    made = replace(
        made,
        commands=(f"mutate -mode const0 -module taker -cell {adder} -port A -portbit {bit}",),
    )
    boundary = Boundary("taker", ("operands_payload",), {"result": 8}, {})
    assert not unseen(made, 1, boundary, valid=VALID, exact=True)
    assert unseen(made, 1, boundary, valid=VALID, exact=True, operands=(4, 1)) == harmless
    # What takes the word is in the same state with every word.
    assert absorbed(made, 1, boundary, valid=VALID, operands=(4, 1)) == harmless
    assert not absorbed(made, 1, boundary, valid=VALID)


def test_bits_of_words():
    ranges = {"x": ["0", "131071"], "y": ["0", "65546"]}
    interface = {"word_bits": 5, "words": 4, "operands": ["x", "y", "z"]}
    example = {"operand_words": ["0"] * 12}
    manifest = {"ranges": ranges, "interface": interface | {"example": example}}
    assert word_bits(manifest) == (5, 5, 5, 2, 5, 5, 5, 2, 5, 5, 5, 5)
    # A stream of which the manifest tells something else has any words.
    assert (
        word_bits({"ranges": ranges, "interface": interface | {"words": 3, "example": example}})
        == ()
    )
    assert word_bits({"interface": {}}) == ()
    # A scalar before coordinates.
    ranges = {"coordinates": ["0", "65520"], "scalars": ["0", "131071"]}
    interface = {"word_bits": 9, "number_words": 2, "scalar_words": 2, "operands": ["k", "X", "Y"]}
    manifest = {"ranges": ranges, "interface": interface | {"example": {"operand_words": [0] * 6}}}
    assert word_bits(manifest) == (9, 8, 9, 7, 9, 7)


AVERAGE = """
module average(input wire clk, input wire rst, input wire [7:0] operands_payload,
               input wire operands_valid, output wire operands_ready,
               output reg valid, output reg [11:0] result);
  reg [1:0] state;
  reg [11:0] sum, term;
  wire [12:0] both = sum + term;
  wire [12:0] next = both >> 1;
  assign operands_ready = state == 0;
  initial begin state = 0; sum = 12'hfff; term = 0; valid = 0; result = 0; end
  always @(posedge clk) begin
    state <= rst ? 0 : state == 0 ? operands_valid : state + 1;
    if (state == 0) begin
      sum <= operands_valid ? 0 : {sum[10:0], operands_payload[7]};
      term <= {4'b0000, operands_payload};
    end else sum <= next[11:0];
    valid <= !rst && state == 3;
    result <= next;
  end
endmodule
"""
"""Halves a sum three times: its upper bits are 0 then, while they may be any before."""


@pytest.mark.parametrize(("bit", "harmless"), [(11, True), (8, True), (7, False)])
def test_facts_of_a_state(tmp_path, bit, harmless):
    """A bit that is 0 in one state of a control register may be lost in that state."""
    plain = mutants_of(AVERAGE, tmp_path)
    text = (plain.directory / "gold.il").read_text()
    (found,) = re.findall(r"^  cell \S+ (\$add\S*v:7\$\d+)$", text, re.MULTILINE)
    command = f"mutate -mode const0 -module average -cell {found} -port A -portbit {bit}"
    made = replace(plain, commands=(command,))
    boundary = Boundary("average", ("operands_payload",), {"result": 12}, {})
    assert unseen(made, 1, boundary, valid=VALID, exact=True) == harmless
