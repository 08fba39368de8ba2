// The memory of {{ name }}: {{ ram_bytes }} bytes, which begin as firmware.hex says. An access takes two cycles.

module {{ name }}_ram #(
  parameter PROGRAM = "firmware.hex"
) (
  input wire clk,
  input wire rst,
  input wire port_valid,
  input wire [31:0] port_address,
  input wire [3:0] port_strobe,
  input wire [31:0] port_write_data,
  output reg port_ready,
  output reg [31:0] port_read_data
);
  reg [31:0] memory [0:{{ ram_bytes // 4 - 1 }}];
  wire [{{ (ram_bytes // 4 - 1).bit_length() - 1 }}:0] word = port_address[{{ (ram_bytes - 1).bit_length() - 1 }}:2];
  wire taken = port_valid & ~port_ready;
  wire unused = &{1'b0, port_address[31:{{ (ram_bytes - 1).bit_length() }}], port_address[1:0]};

  initial begin
    port_ready = 1'b0;
    $readmemh(PROGRAM, memory);
  end

  always @(posedge clk) begin
    port_ready <= taken & ~rst;
  end

  always @(posedge clk) begin
    if (taken) begin
      port_read_data <= memory[word];
{% for byte in range(4) %}
      if (port_strobe[{{ byte }}]) memory[word][{{ 8 * byte }} +: 8] <= port_write_data[{{ 8 * byte }} +: 8];
{% endfor %}
    end
  end
endmodule
