// Model of the clocks of the Lattice ECP5's phase-locked loop EHXPLLL, for simulation of what they
// drive: it is locked, and every output is the input, whatever the divisors say.
module EHXPLLL #(
  parameter CLKI_DIV = 1,
  parameter CLKFB_DIV = 1,
  parameter CLKOP_DIV = 8,
  parameter CLKOS_DIV = 8,
  parameter CLKOS2_DIV = 8,
  parameter CLKOS3_DIV = 8,
  parameter CLKOP_ENABLE = "ENABLED",
  parameter CLKOS_ENABLE = "DISABLED",
  parameter CLKOS2_ENABLE = "DISABLED",
  parameter CLKOS3_ENABLE = "DISABLED",
  parameter CLKOP_CPHASE = 0,
  parameter CLKOS_CPHASE = 0,
  parameter CLKOS2_CPHASE = 0,
  parameter CLKOS3_CPHASE = 0,
  parameter CLKOP_FPHASE = 0,
  parameter CLKOS_FPHASE = 0,
  parameter CLKOS2_FPHASE = 0,
  parameter CLKOS3_FPHASE = 0,
  parameter FEEDBK_PATH = "CLKOP",
  parameter STDBY_ENABLE = "DISABLED",
  parameter DPHASE_SOURCE = "DISABLED",
  parameter PLLRST_ENA = "DISABLED",
  parameter INTFB_WAKE = "DISABLED"
) (
  input wire CLKI, CLKFB, PHASESEL1, PHASESEL0, PHASEDIR, PHASESTEP, PHASELOADREG, STDBY,
  input wire PLLWAKESYNC, RST, ENCLKOP, ENCLKOS, ENCLKOS2, ENCLKOS3,
  output wire CLKOP, CLKOS, CLKOS2, CLKOS3, LOCK, INTLOCK, REFCLK, CLKINTFB
);
  assign {CLKOP, CLKOS, CLKOS2, CLKOS3, REFCLK, CLKINTFB} = {6{CLKI}};
  assign {LOCK, INTLOCK} = 2'b11;
endmodule
