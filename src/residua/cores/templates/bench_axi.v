{% extends "bench_registers.v" %}
{% block access %}
  // The core on AXI.
  reg [11:0] awaddr = 12'd0, araddr = 12'd0;
  reg [31:0] wdata = 32'd0;
  reg awvalid = 1'b0, wvalid = 1'b0, bready = 1'b0, arvalid = 1'b0, rready = 1'b0;
  wire awready, wready, bvalid, arready, rvalid;
  wire [1:0] bresp, rresp;
  wire [31:0] rdata;
  reg addressed, supplied;

{% if streams %}
  wire operand_ready, {{ "random_ready, " if random }}result_valid;

  assign operand_taken = operand_valid && operand_ready;
  assign random_taken = {{ "random_ready" if random else "1'b0" }};
  assign result_taken = result_valid;

{% endif %}
  {{ top }} core (
    .clk(clk), .rst(rst), .irq(irq),
    .s_axi_awaddr(awaddr), .s_axi_awprot(3'd0), .s_axi_awvalid(awvalid), .s_axi_awready(awready),
    .s_axi_wdata(wdata), .s_axi_wstrb(4'b1111), .s_axi_wvalid(wvalid), .s_axi_wready(wready),
    .s_axi_bresp(bresp), .s_axi_bvalid(bvalid), .s_axi_bready(bready),
    .s_axi_araddr(araddr), .s_axi_arprot(3'd0), .s_axi_arvalid(arvalid), .s_axi_arready(arready),
    .s_axi_rdata(rdata), .s_axi_rresp(rresp), .s_axi_rvalid(rvalid), .s_axi_rready(rready){{ "," if streams }}
{% if streams %}
    .s_axis_operand_tdata(operand_word), .s_axis_operand_tvalid(operand_valid && !forget),
    .s_axis_operand_tready(operand_ready),
{% if random %}
    .s_axis_random_tdata(random_word), .s_axis_random_tvalid(1'b1),
    .s_axis_random_tready(random_ready),
{% endif %}
    .m_axis_result_tdata(result_word), .m_axis_result_tvalid(result_valid),
    .m_axis_result_tlast(result_is_last), .m_axis_result_tready(1'b1)
{% endif %}
  );

  task write(input [11:0] address, input [31:0] value);
    begin
      awaddr = address;
      wdata = value;
      awvalid = 1'b1;
      wvalid = 1'b1;
      bready = 1'b1;
      addressed = 1'b0;
      supplied = 1'b0;
      @(posedge clk);
      while (!bvalid) begin
        addressed = addressed || (awvalid && awready);
        supplied = supplied || (wvalid && wready);
        @(negedge clk);
        awvalid = !addressed;
        wvalid = !supplied;
        @(posedge clk);
      end
      check(address, bresp);
      @(negedge clk) bready = 1'b0;
    end
  endtask

  task read(input [11:0] address);
    begin
      araddr = address;
      arvalid = 1'b1;
      rready = 1'b1;
      addressed = 1'b0;
      @(posedge clk);
      while (!rvalid) begin
        addressed = addressed || (arvalid && arready);
        @(negedge clk) arvalid = !addressed;
        @(posedge clk);
      end
      word = rdata;
      check(address, rresp);
      @(negedge clk) rready = 1'b0;
    end
  endtask

  task check(input [11:0] address, input [1:0] response);
    if (response != 2'b00) begin
      $display("WRONG  the access to %h is answered with %b", address, response);
      failures = failures + 1;
    end
  endtask

{% if streams %}
  task advance;
    @(negedge clk);
  endtask

  task end_operation;
    begin
{% if several %}
      while (result_count < MOST_RESULTS) @(negedge clk);
{% else %}
      while (!irq) @(negedge clk);
{% endif %}
      spent = cycles - began;
      take_status;
    end
  endtask
{% else %}
{% include "bench_words.v" %}
{% endif %}
{% endblock %}
