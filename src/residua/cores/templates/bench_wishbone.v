{% extends "bench_registers.v" %}
{% block access %}
  // The core on Wishbone.
  reg cyc = 1'b0, we = 1'b0;
  reg [9:0] adr = 10'd0;
  reg [31:0] dat_w = 32'd0;
  wire ack, err, stall;
  wire [31:0] dat_r;

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

{% include "bench_words.v" %}
{% endblock %}
