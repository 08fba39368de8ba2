// Behavioural model of the Lattice ECP5 multiplier MULT18X18D, for simulation.
//
// Product of two 18-bit operands, each signed or unsigned, in 36 bits. Every register (input A,
// input B, pipeline, output) is bypassed or takes one of CLK0 to CLK3, with its clock enable and
// synchronous reset. SIGNEDA and SIGNEDB have to be constant: the cell registers them with the
// operands. Not modelled: operand C, the shift chains (SOURCEA and SOURCEB have to be 0), asynchronous
// reset, clock dividers.
module MULT18X18D #(
  parameter REG_INPUTA_CLK = "NONE",
  parameter REG_INPUTA_CE = "CE0",
  parameter REG_INPUTA_RST = "RST0",
  parameter REG_INPUTB_CLK = "NONE",
  parameter REG_INPUTB_CE = "CE0",
  parameter REG_INPUTB_RST = "RST0",
  parameter REG_INPUTC_CLK = "NONE",
  parameter REG_INPUTC_CE = "CE0",
  parameter REG_INPUTC_RST = "RST0",
  parameter REG_PIPELINE_CLK = "NONE",
  parameter REG_PIPELINE_CE = "CE0",
  parameter REG_PIPELINE_RST = "RST0",
  parameter REG_OUTPUT_CLK = "NONE",
  parameter REG_OUTPUT_CE = "CE0",
  parameter REG_OUTPUT_RST = "RST0",
  parameter CLK0_DIV = "ENABLED",
  parameter CLK1_DIV = "ENABLED",
  parameter CLK2_DIV = "ENABLED",
  parameter CLK3_DIV = "ENABLED",
  parameter HIGHSPEED_CLK = "NONE",
  parameter GSR = "ENABLED",
  parameter CAS_MATCH_REG = "FALSE",
  parameter SOURCEB_MODE = "B_SHIFT",
  parameter MULT_BYPASS = "DISABLED",
  parameter RESETMODE = "SYNC"
) (
  input wire A17, A16, A15, A14, A13, A12, A11, A10, A9, A8, A7, A6, A5, A4, A3, A2, A1, A0,
  input wire B17, B16, B15, B14, B13, B12, B11, B10, B9, B8, B7, B6, B5, B4, B3, B2, B1, B0,
  input wire C17, C16, C15, C14, C13, C12, C11, C10, C9, C8, C7, C6, C5, C4, C3, C2, C1, C0,
  input wire SRIA17, SRIA16, SRIA15, SRIA14, SRIA13, SRIA12, SRIA11, SRIA10, SRIA9, SRIA8,
      SRIA7, SRIA6, SRIA5, SRIA4, SRIA3, SRIA2, SRIA1, SRIA0,
  input wire SRIB17, SRIB16, SRIB15, SRIB14, SRIB13, SRIB12, SRIB11, SRIB10, SRIB9, SRIB8,
      SRIB7, SRIB6, SRIB5, SRIB4, SRIB3, SRIB2, SRIB1, SRIB0,
  input wire SIGNEDA, SIGNEDB, SOURCEA, SOURCEB,
  input wire CLK3, CLK2, CLK1, CLK0, CE3, CE2, CE1, CE0, RST3, RST2, RST1, RST0,
  output wire P35, P34, P33, P32, P31, P30, P29, P28, P27, P26, P25, P24, P23, P22, P21, P20,
      P19, P18, P17, P16, P15, P14, P13, P12, P11, P10, P9, P8, P7, P6, P5, P4, P3, P2, P1, P0,
  output wire SROA17, SROA16, SROA15, SROA14, SROA13, SROA12, SROA11, SROA10, SROA9, SROA8,
      SROA7, SROA6, SROA5, SROA4, SROA3, SROA2, SROA1, SROA0,
  output wire SROB17, SROB16, SROB15, SROB14, SROB13, SROB12, SROB11, SROB10, SROB9, SROB8,
      SROB7, SROB6, SROB5, SROB4, SROB3, SROB2, SROB1, SROB0,
  output wire ROA17, ROA16, ROA15, ROA14, ROA13, ROA12, ROA11, ROA10, ROA9, ROA8, ROA7, ROA6,
      ROA5, ROA4, ROA3, ROA2, ROA1, ROA0,
  output wire ROB17, ROB16, ROB15, ROB14, ROB13, ROB12, ROB11, ROB10, ROB9, ROB8, ROB7, ROB6,
      ROB5, ROB4, ROB3, ROB2, ROB1, ROB0,
  output wire ROC17, ROC16, ROC15, ROC14, ROC13, ROC12, ROC11, ROC10, ROC9, ROC8, ROC7, ROC6,
      ROC5, ROC4, ROC3, ROC2, ROC1, ROC0,
  output wire SIGNEDP
);
  wire [17:0] a = {A17, A16, A15, A14, A13, A12, A11, A10, A9, A8, A7, A6, A5, A4, A3, A2, A1,
      A0};
  wire [17:0] b = {B17, B16, B15, B14, B13, B12, B11, B10, B9, B8, B7, B6, B5, B4, B3, B2, B1,
      B0};
  wire [3:0] clk = {CLK3, CLK2, CLK1, CLK0};
  wire [3:0] ce = {CE3, CE2, CE1, CE0};
  wire [3:0] rst = {RST3, RST2, RST1, RST0};
  wire [17:0] left, right;
  wire [35:0] product, p;

  ecp5_mult18x18d_register #(18, REG_INPUTA_CLK, REG_INPUTA_CE, REG_INPUTA_RST) input_a (
    clk, ce, rst, a, left);
  ecp5_mult18x18d_register #(18, REG_INPUTB_CLK, REG_INPUTB_CE, REG_INPUTB_RST) input_b (
    clk, ce, rst, b, right);

  wire [35:0] left_wide = {{18{SIGNEDA & left[17]}}, left};
  wire [35:0] right_wide = {{18{SIGNEDB & right[17]}}, right};

  ecp5_mult18x18d_register #(36, REG_PIPELINE_CLK, REG_PIPELINE_CE, REG_PIPELINE_RST) pipeline (
    clk, ce, rst, left_wide * right_wide, product);
  ecp5_mult18x18d_register #(36, REG_OUTPUT_CLK, REG_OUTPUT_CE, REG_OUTPUT_RST) result (
    clk, ce, rst, product, p);

  assign {P35, P34, P33, P32, P31, P30, P29, P28, P27, P26, P25, P24, P23, P22, P21, P20, P19,
      P18, P17, P16, P15, P14, P13, P12, P11, P10, P9, P8, P7, P6, P5, P4, P3, P2, P1, P0} = p;
endmodule

// One register of the cell, or a wire where CLOCK is "NONE".
module ecp5_mult18x18d_register #(
  parameter WIDTH = 1,
  parameter CLOCK = "NONE",
  parameter ENABLE = "CE0",
  parameter RESET = "RST0"
) (
  input wire [3:0] clk,
  input wire [3:0] ce,
  input wire [3:0] rst,
  input wire [WIDTH-1:0] d,
  output wire [WIDTH-1:0] q
);
  localparam C = (CLOCK == "CLK1") ? 1 : (CLOCK == "CLK2") ? 2 : (CLOCK == "CLK3") ? 3 : 0;
  localparam E = (ENABLE == "CE1") ? 1 : (ENABLE == "CE2") ? 2 : (ENABLE == "CE3") ? 3 : 0;
  localparam R = (RESET == "RST1") ? 1 : (RESET == "RST2") ? 2 : (RESET == "RST3") ? 3 : 0;

  generate
    if (CLOCK == "NONE") begin : bypass
      assign q = d;
    end else begin : registered
      reg [WIDTH-1:0] value;
      initial value = {WIDTH{1'b0}};
      always @(posedge clk[C])
        if (rst[R]) value <= {WIDTH{1'b0}};
        else if (ce[E]) value <= d;
      assign q = value;
    end
  endgenerate
endmodule
