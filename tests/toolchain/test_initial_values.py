"""Verilog without initial values: constants stay, all that can change does not."""

from residua.toolchain.initial_values import without_initial_values

VERILOG = """\
module first (
  input clk
);
  reg [3:0] count;
  reg [7:0] written [0:1];
  reg [7:0] constant [0:1];
  reg [1:0] address;
  reg [7:0] partly [0:4];
  always @(posedge clk)
    if (count == 4'h0) written[count[0]] <= 8'h00;
  always @(posedge clk)
    partly[{1'b0, address}] <= written[count[1]];
  initial begin
    count = 4'h0;
    written[0] = 8'h01;
    constant[0] = 8'h02;
    constant[1] = 8'h03;
    partly[3] = 8'h05;
    partly[4] = 8'h06;
  end
endmodule
module second (
  input clk
);
  reg [7:0] written [0:1];
  initial begin
    written[0] = 8'h04;
  end
endmodule
"""


def test_registers_and_written_memories_lose_theirs():
    text = without_initial_values(VERILOG)
    for value in ("count = 4'h0", "written[0] = 8'h01"):
        assert f"    {value};\n" in VERILOG
        assert f"    {value};\n" not in text
    for value in ("constant[0] = 8'h02", "constant[1] = 8'h03"):
        assert f"    {value};\n" in text


def test_a_memory_of_that_name_in_another_module_is_constant():
    assert "    written[0] = 8'h04;\n" in without_initial_values(VERILOG)


def test_words_that_no_write_can_reach_are_constant():
    text = without_initial_values(VERILOG)
    assert "    partly[4] = 8'h06;\n" in text
    assert "partly[3] = " not in text
    anywhere = VERILOG.replace("partly[{1'b0, address}]", "partly[count]")
    assert "partly[4] = " not in without_initial_values(anywhere)
    twice = VERILOG.replace("written[count[0]]", "partly[count[0]]")
    assert "partly[4] = " not in without_initial_values(twice)


def test_nothing_else_changes():
    lost = {line for line in VERILOG.splitlines() if line not in without_initial_values(VERILOG)}
    assert lost == {"    count = 4'h0;", "    written[0] = 8'h01;", "    partly[3] = 8'h05;"}
