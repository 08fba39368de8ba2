// The processor of {{ name }}: PicoRV32 (picorv32.v) behind names and a reset like those around it.
// All interrupts stay masked: the program has the instruction that waits for one, and no handler.

module {{ name }}_cpu (
  input wire clk,
  input wire rst,
  output wire port_valid,
  output wire [31:0] port_address,
  output wire [3:0] port_strobe,
  output wire [31:0] port_write_data,
  input wire port_ready,
  input wire [31:0] port_read_data,
  input wire [31:0] irq,
  output wire trap
);
  // Outputs of the processor that nothing needs.
  wire mem_instr;
  wire mem_la_read;
  wire mem_la_write;
  wire [31:0] mem_la_addr;
  wire [31:0] mem_la_wdata;
  wire [3:0] mem_la_wstrb;
  wire pcpi_valid;
  wire [31:0] pcpi_insn;
  wire [31:0] pcpi_rs1;
  wire [31:0] pcpi_rs2;
  wire [31:0] eoi;
  wire trace_valid;
  wire [35:0] trace_data;
  wire unused = &{1'b0, mem_instr, mem_la_read, mem_la_write, mem_la_addr, mem_la_wdata, mem_la_wstrb, pcpi_valid, pcpi_insn, pcpi_rs1, pcpi_rs2, eoi, trace_valid, trace_data};

  picorv32 #(
    .BARREL_SHIFTER(1),
    .ENABLE_COUNTERS64(0),
    .ENABLE_IRQ(1),
    .ENABLE_IRQ_QREGS(0),
    .LATCHED_IRQ(32'h00000000),
    .PROGADDR_RESET(32'h00000000)
  ) processor (
    .clk(clk),
    .resetn(~rst),
    .trap(trap),
    .mem_valid(port_valid),
    .mem_instr(mem_instr),
    .mem_ready(port_ready),
    .mem_addr(port_address),
    .mem_wdata(port_write_data),
    .mem_wstrb(port_strobe),
    .mem_rdata(port_read_data),
    .mem_la_read(mem_la_read),
    .mem_la_write(mem_la_write),
    .mem_la_addr(mem_la_addr),
    .mem_la_wdata(mem_la_wdata),
    .mem_la_wstrb(mem_la_wstrb),
    .pcpi_valid(pcpi_valid),
    .pcpi_insn(pcpi_insn),
    .pcpi_rs1(pcpi_rs1),
    .pcpi_rs2(pcpi_rs2),
    .pcpi_wr(1'b0),
    .pcpi_rd(32'h00000000),
    .pcpi_wait(1'b0),
    .pcpi_ready(1'b0),
    .irq(irq),
    .eoi(eoi),
    .trace_valid(trace_valid),
    .trace_data(trace_data)
  );
endmodule
