// Noise for {{ name }}: {{ rings | length }} rings of inverters, of {{ rings | unique | sort | join(", ") }} look-up tables in turn, each sampled in
// every cycle by a register of its own; the output is the parity of the samples. The rings run freely and against
// each other, so that the sampled bits follow their jitter. How much of it there is depends on the device, its
// voltage and its temperature: it was measured nowhere, and nothing of it is certified.
/* verilator lint_off DECLFILENAME */

module {{ name }}_noise (
  input wire clk,
  output reg noise
);
  wire [{{ rings | length - 1 }}:0] ring;
  reg [{{ rings | length - 1 }}:0] sample;

{% for length in rings %}
  {{ name }}_ring_{{ length }} ring_{{ loop.index0 }} (.out(ring[{{ loop.index0 }}]));
{% endfor %}

  initial begin
    noise = 1'b0;
    sample = {{ rings | length }}'d0;
  end

  always @(posedge clk) begin
    sample <= ring;
    noise <= ^sample;
  end
endmodule
{% for length in rings | unique | sort %}

module {{ name }}_ring_{{ length }} (
  output wire out
);
  // Look-up tables that synthesis may not touch: an inverter is {{ length }} times itself.
  wire [{{ length - 1 }}:0] stage;

{% for number in range(length) %}
  (* keep *) LUT4 #(.INIT(16'h5555)) lut_{{ number }} (.A(stage[{{ (number - 1) % length }}]), .B(1'b0), .C(1'b0), .D(1'b0), .Z(stage[{{ number }}]));
{% endfor %}

  assign out = stage[{{ length - 1 }}];
endmodule
{% endfor %}
