{% extends "bench.v" %}
{% block bus %}
  // The core and its plain streams.
  reg [15:0] command_payload = 16'd0;
  reg command_valid = 1'b0, zeroise = 1'b0;
  wire command_ready, operands_ready, random_ready, result_valid, done, busy;
  wire [7:0] core_status;
  wire [32:0] result_payload;
  reg ended = 1'b0;
  reg [31:0] taken_in = 0, spent = 0;

  assign operand_taken = operand_valid && operands_ready;
  assign random_taken = random_ready;
  assign result_taken = result_valid;
  assign result_word = result_payload[31:0];
  assign result_is_last = result_payload[32];

  {{ top }} core (
    .clk(clk), .rst(rst),
    .command_payload(command_payload), .command_valid(command_valid), .command_ready(command_ready),
    .operands_payload(operand_word), .operands_valid(operand_valid), .operands_ready(operands_ready),
    .random_payload(random_word), .random_valid(1'b1), .random_ready(random_ready),
    .result_payload(result_payload), .result_valid(result_valid), .result_ready(1'b1),
    .status(core_status), .done(done), .busy(busy), .zeroise(zeroise)
  );

  always @(posedge clk) begin
    if (command_valid && command_ready) taken_in <= cycles;
    if (load) ended <= 1'b0;
    else if (done) begin
      ended <= 1'b1;
      status <= core_status;
      spent <= cycles - taken_in;
    end
  end

  task begin_bus;
    while (busy) @(negedge clk);
  endtask

  task begin_operation;
    begin
      command_payload = {curve[7:0], operation[7:0]};
      command_valid = 1'b1;
      @(posedge clk);
      while (!command_ready) @(posedge clk);
      @(negedge clk) command_valid = 1'b0;
    end
  endtask

  task zeroise_core;
    begin
      zeroise = 1'b1;
      @(negedge clk) zeroise = 1'b0;
    end
  endtask

  task advance;
    @(negedge clk);
  endtask

  task end_operation;
    while (!ended) @(negedge clk);
  endtask
{% endblock %}
