{% extends "bench_registers.v" %}
{% block access %}
  // The core on Wishbone.
  reg cyc = 1'b0, we = 1'b0;
  reg [9:0] adr = 10'd0;
  reg [31:0] dat_w = 32'd0;
  wire ack, err, stall;
  wire [31:0] dat_r;
  reg operand_written = 1'b0, random_written = 1'b0, result_read = 1'b0;

  // Words go through registers: the program below says when.
  assign operand_taken = operand_written;
  assign random_taken = random_written;
  assign result_taken = result_read;
  assign result_word = word;
  assign result_is_last = 1'b1;

  {{ top }} core (
    .clk(clk), .rst(rst), .irq(irq),
    .wb_cyc_i(cyc), .wb_stb_i(cyc), .wb_we_i(we), .wb_adr_i(adr), .wb_sel_i(4'b1111),
    .wb_dat_i(dat_w), .wb_dat_o(dat_r), .wb_ack_o(ack), .wb_err_o(err), .wb_stall_o(stall)
  );

  task access(input writes, input [11:0] address, input [31:0] value);
    begin
      cyc = 1'b1;
      we = writes;
      adr = address[11:2];
      dat_w = value;
      @(posedge clk);
      while (!ack && !err) @(posedge clk);
      word = dat_r;
      if (err) begin
        $display("WRONG  the access to %h is refused", address);
        failures = failures + 1;
      end
      @(negedge clk) cyc = 1'b0;
    end
  endtask

  task write(input [11:0] address, input [31:0] value);
    access(1'b1, address, value);
  endtask

  task read(input [11:0] address);
    access(1'b0, address, 32'd0);
  endtask

  // One look at the status, and the words that it asks for or offers.
  task advance;
    begin
      read(STATUS);
      if (word[RESULT_VALID]) begin
        read(RESULT);
        result_read = 1'b1;
        @(negedge clk) result_read = 1'b0;
        word[BUSY] = 1'b1;  // as it was, for all that is known
      end else if (word[OPERAND_READY] && operand_valid) begin
        write(OPERAND, operand_word);
        operand_written = 1'b1;
        @(negedge clk) operand_written = 1'b0;
        word[BUSY] = 1'b1;
{% if random %}
      end else if (word[BUSY] && word[RANDOM_READY]) begin
        write(RANDOM, random_word);
        random_written = 1'b1;
        @(negedge clk) random_written = 1'b0;
        word[BUSY] = 1'b1;
{% endif %}
      end
    end
  endtask

{% if several %}
  task end_operation;
    begin
      while (result_count < MOST_RESULTS) advance;
      spent = cycles - began;
      take_status;
      advance;  // takes a word too many, if there is one
    end
  endtask
{% else %}
  task end_operation;
    begin
      word[BUSY] = 1'b1;
      while (word[BUSY]) begin
        advance;
        if (!irq) spent = cycles - began;
      end
      take_status;
      if (status == 8'd{{ status_ok }}) while (result_count < result_words) advance;
      advance;  // takes a word too many, if there is one
    end
  endtask
{% endif %}
{% endblock %}
