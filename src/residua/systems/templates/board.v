// {{ name }} on the board {{ board.name }}: pins, clock, reset, noise.

module {{ name }}_board (
{% for pin in pins %}
  {{ pin.direction }} wire {{ pin.port }}{{ "" if loop.last else "," }}
{% endfor %}
);
  wire feedback_clock;
{% for net in clocks.values() %}
  (* keep *) wire {{ net }};
{% endfor %}
  wire locked;
  wire reset;
  wire noise;
  wire trap;
  wire button_pressed = {{ inputs.button }};
  wire running;
  wire stopped;
  wire received = {{ inputs.uart_receive }};
  wire sent;

  // {{ "%g" % pll.input_mhz }} MHz / {{ pll.reference }} * {{ pll.feedback }} * {{ pll.primary }} = {{ "%g" % pll.oscillator_mhz }} MHz of the oscillator, divided by {{ pll.outputs | join(" and ") }}.
  (* ICP_CURRENT="12" *) (* LPF_RESISTOR="8" *) (* MFG_ENABLE_FILTEROPAMP="1" *) (* MFG_GMCREF_SEL="2" *)
  EHXPLLL #(
    .PLLRST_ENA("DISABLED"),
    .INTFB_WAKE("DISABLED"),
    .STDBY_ENABLE("DISABLED"),
    .DPHASE_SOURCE("DISABLED"),
    .FEEDBK_PATH("CLKOP"),
    .CLKI_DIV({{ pll.reference }}),
    .CLKFB_DIV({{ pll.feedback }}),
    .CLKOP_ENABLE("ENABLED"),
    .CLKOP_DIV({{ pll.primary }}),
    .CLKOP_CPHASE({{ pll.primary - 1 }}),
    .CLKOP_FPHASE(0),
{% for port in clocks %}
{% set output = pll.outputs[loop.index0] %}
    .{{ port }}_ENABLE("ENABLED"),
    .{{ port }}_DIV({{ output }}),
    .{{ port }}_CPHASE({{ output - 1 }}),
    .{{ port }}_FPHASE(0){{ "" if loop.last else "," }}
{% endfor %}
  ) pll (
    .RST(1'b0),
    .STDBY(1'b0),
    .CLKI({{ inputs.clock }}),
    .CLKFB(feedback_clock),
    .CLKOP(feedback_clock),
{% for port, net in clocks.items() %}
    .{{ port }}({{ net }}),
{% endfor %}
    .PHASESEL0(1'b0),
    .PHASESEL1(1'b0),
    .PHASEDIR(1'b1),
    .PHASESTEP(1'b1),
    .PHASELOADREG(1'b1),
    .PLLWAKESYNC(1'b0),
    .ENCLKOP(1'b0),
    .LOCK(locked)
  );

  {{ name }}_control control (
    .clk({{ system_clock }}),
    .rst(1'b0),
    .locked(locked),
    .button(button_pressed),
    .trap(trap),
    .reset(reset),
    .alive(running),
    .error(stopped)
  );

  {{ name }}_noise {{ source }} (
    .clk({{ system_clock }}),
    .noise(noise)
  );

{% if core_clock %}
  // The reset of the coprocessors, by their own clock.
  reg [1:0] core_reset = 2'b11;
  always @(posedge {{ core_clock }}) core_reset <= {core_reset[0], reset};

{% endif %}
  {{ name }} {{ system }} (
    .clk({{ system_clock }}),
    .rst(reset),
    .uart_receive(received),
    .noise(noise),
{% if core_clock %}
    .core_clk({{ core_clock }}),
    .core_rst(core_reset[1]),
{% endif %}
    .uart_send(sent),
    .trap(trap)
  );

{% for port, value in outputs.items() %}
  assign {{ port }} = {{ value }};
{% endfor %}
endmodule
