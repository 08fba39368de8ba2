// Self-checking test bench of {{ top }}, made by Residua {{ tools.residua }}.
//
// Runs the operations in vectors.hex and compares status and results with those that plain integers
// gave when the core was built. Verilog-2005; the makefile beside it has the commands for Verilator
// and for Icarus Verilog. It ends with PASS, or with FAIL and $fatal, so that the simulator's exit
// code is not 0.

`timescale 1ns / 1ps

/* verilator lint_off WIDTH */

module bench;
  parameter VECTORS = "vectors.hex";

  localparam SIZE = {{ size }};  // words in vectors.hex
  localparam HEADER = {{ header }};  // words of a record before its operands
  localparam [31:0] END = 32'h{{ "%08x" | format(end) }};  // after the last record
{% if several %}
  localparam INSTANCES = {{ several.instances }};  // coprocessors, each of which runs each operation
  localparam PACKET = {{ several.words }};  // words of each result, whose last one says how it ended
  localparam MOST_RESULTS = INSTANCES * PACKET;
{% else %}
  localparam MOST_RESULTS = {{ most_results }};  // words that the longest result has
{% endif %}
  localparam PATIENCE = {{ patience }};  // cycles after which an operation hangs

  reg clk = 1'b0;
  reg rst = 1'b1;
  always #2 clk = !clk;

  // What is driven here changes with the falling edge, what the core gives is read at the rising
  // one: no order of events within an instant matters.

  reg [31:0] vectors [0:SIZE - 1];
  reg [31:0] at = 0;  // where the record begins
  reg [31:0] operation, curve, abort, expected, operand_words, result_words;

  reg load = 1'b0;  // begins a record
  reg forget = 1'b0;  // drops what has not been handed over
{% if several %}
  reg replay = 1'b0;  // begins the operands once more
{% endif %}

  // Operands and results.
  reg [31:0] operand_at = 0, operand_end = 0;
  wire [31:0] operand_word = vectors[operand_at];
  wire operand_valid = operand_at != operand_end;
  wire operand_taken;

  reg [31:0] results [0:MOST_RESULTS - 1];
  reg [31:0] result_count = 0;
  reg result_last = 1'b0;
  wire [31:0] result_word;
  wire result_is_last;
  wire result_taken;

  // Good enough for a simulation, and for nothing else.
  reg [31:0] random_word = 32'h2545F491;
  wire random_taken;

  reg [31:0] cycles = 0;

  function [31:0] next_random(input [31:0] word);
    reg [31:0] once, twice;
    begin
      once = word ^ (word << 13);
      twice = once ^ (once >> 17);
      next_random = twice ^ (twice << 5);
    end
  endfunction

  always @(posedge clk) begin
    cycles <= load ? 0 : cycles + 1;
    if (random_taken) random_word <= next_random(random_word);
    if (load) begin
      operand_at <= at + HEADER;
      operand_end <= at + HEADER + operand_words;
    end else if (forget) operand_end <= operand_at;
{% if several %}
    else if (replay) operand_at <= at + HEADER;
{% endif %}
    else if (operand_taken) operand_at <= operand_at + 1;
    if (load || forget) begin
      result_count <= 0;
      result_last <= 1'b0;
    end else if (result_taken) begin
      if (result_count < MOST_RESULTS) results[result_count] <= result_word;
      result_count <= result_count + 1;
      result_last <= result_is_last;
    end
    if (cycles > PATIENCE) begin
      $display("FAIL: operation %0d hangs", operation);
      $fatal(1, "no end after %0d cycles", cycles);
    end
  end

{% block bus %}
{% endblock %}

  // The program.
  reg [31:0] runs = 0, failures = 0, index;
{% if several %}
  reg [31:0] packet, last_word;
  reg [INSTANCES - 1:0] tags;
{% endif %}
  reg [7:0] status;
  reg right;

  function [8 * 18 - 1:0] name(input [31:0] code);
    case (code)
{% for own, code in operations.items() %}
      {{ code }}: name = "{{ own }}";
{% endfor %}
      default: name = "unknown operation";
    endcase
  endfunction

  task one_operation;
    begin
      operation = vectors[at];
      curve = vectors[at + 1];
      abort = vectors[at + 2];
      expected = vectors[at + 3];
      operand_words = vectors[at + 4];
      result_words = vectors[at + 5];
      load = 1'b1;
      @(negedge clk) load = 1'b0;
      begin_operation;
      if (abort != 0) begin
{% if several %}
        await_cores;
{% endif %}
        while (cycles < abort) advance;
        forget = 1'b1;
        zeroise_core;
        forget = 1'b0;
      end
      end_operation;
      // There is time for a result to come, and for one that must not.
      repeat (4 * MOST_RESULTS + 64) @(negedge clk);
{% if several %}
      right = {24'd0, status} == expected && result_count == MOST_RESULTS && result_last;
      tags = 0;
      for (packet = 0; packet < INSTANCES; packet = packet + 1) begin
        last_word = results[packet * PACKET + PACKET - 1];
        if (last_word[7:0] != status) right = 1'b0;
        tags[last_word[15:8]] = 1'b1;
        if (last_word[20:16] >= INSTANCES) right = 1'b0;
        for (index = 0; index < result_words && index < PACKET - 1; index = index + 1)
          if (results[packet * PACKET + index] != vectors[at + HEADER + operand_words + index])
            right = 1'b0;
      end
      if (!(&tags)) right = 1'b0;
{% else %}
      right = {24'd0, status} == expected && result_count == result_words
          && result_last == (result_words != 0);
      for (index = 0; index < result_words && index < MOST_RESULTS; index = index + 1)
        if (results[index] != vectors[at + HEADER + operand_words + index]) right = 1'b0;
{% endif %}
      $display("%s  %0s on curve %0d: status %0d, %0d words, %0d cycles",
          right ? "ok    " : "WRONG ", name(operation), curve, status, result_count, spent);
      runs = runs + 1;
      if (!right) failures = failures + 1;
      at = at + HEADER + operand_words + result_words;
    end
  endtask

  initial begin
    $readmemh(VECTORS, vectors);
    if (^vectors[0] === 1'bx || vectors[0] == 0) $fatal(1, "there are no vectors in %0s", VECTORS);
    repeat (4) @(negedge clk);
    rst = 1'b0;
    begin_bus;
    while (at < SIZE && vectors[at] != END) one_operation;
    if (at >= SIZE) $fatal(1, "the vectors in %0s have no end", VECTORS);
    if (failures != 0) begin
      $display("FAIL: %0d of %0d operations are wrong", failures, runs);
      $fatal(1, "the core is not as it was built");
    end
    $display("PASS: %0d operations", runs);
    $finish;
  end
endmodule
