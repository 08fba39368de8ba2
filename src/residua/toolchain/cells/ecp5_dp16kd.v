// Behavioural model of the Lattice ECP5 block memory DP16KD, for simulation.
//
// 1024 words of 18 bits behind two ports of 1, 2, 4, 9 or 18 bits; ports of 1, 2 and 4 bits leave out
// every ninth bit. A port of 18 bits takes its byte enables as the two lowest bits of the address. Port A
// may write 36 bits, with byte enables in the four lowest bits of its address and the upper half in DIB,
// and port B read 36 bits, the lower half at DOA.
// With REGMODE "OUTREG" data pass one more register. The synchronous reset clears that register, or
// the latch where there is none. Not modelled: asynchronous reset, chip selects other than 0, inverted
// clocks, and both ports at one address while one of them writes.
module DP16KD #(
  parameter DATA_WIDTH_A = 18,
  parameter DATA_WIDTH_B = 18,
  parameter REGMODE_A = "NOREG",
  parameter REGMODE_B = "NOREG",
  parameter RESETMODE = "SYNC",
  parameter ASYNC_RESET_RELEASE = "SYNC",
  parameter CSDECODE_A = "0b000",
  parameter CSDECODE_B = "0b000",
  parameter WRITEMODE_A = "NORMAL",
  parameter WRITEMODE_B = "NORMAL",
  parameter CLKAMUX = "CLKA",
  parameter CLKBMUX = "CLKB",
  parameter GSR = "ENABLED",
  parameter [319:0] INITVAL_00 = 320'b0,
  parameter [319:0] INITVAL_01 = 320'b0,
  parameter [319:0] INITVAL_02 = 320'b0,
  parameter [319:0] INITVAL_03 = 320'b0,
  parameter [319:0] INITVAL_04 = 320'b0,
  parameter [319:0] INITVAL_05 = 320'b0,
  parameter [319:0] INITVAL_06 = 320'b0,
  parameter [319:0] INITVAL_07 = 320'b0,
  parameter [319:0] INITVAL_08 = 320'b0,
  parameter [319:0] INITVAL_09 = 320'b0,
  parameter [319:0] INITVAL_0A = 320'b0,
  parameter [319:0] INITVAL_0B = 320'b0,
  parameter [319:0] INITVAL_0C = 320'b0,
  parameter [319:0] INITVAL_0D = 320'b0,
  parameter [319:0] INITVAL_0E = 320'b0,
  parameter [319:0] INITVAL_0F = 320'b0,
  parameter [319:0] INITVAL_10 = 320'b0,
  parameter [319:0] INITVAL_11 = 320'b0,
  parameter [319:0] INITVAL_12 = 320'b0,
  parameter [319:0] INITVAL_13 = 320'b0,
  parameter [319:0] INITVAL_14 = 320'b0,
  parameter [319:0] INITVAL_15 = 320'b0,
  parameter [319:0] INITVAL_16 = 320'b0,
  parameter [319:0] INITVAL_17 = 320'b0,
  parameter [319:0] INITVAL_18 = 320'b0,
  parameter [319:0] INITVAL_19 = 320'b0,
  parameter [319:0] INITVAL_1A = 320'b0,
  parameter [319:0] INITVAL_1B = 320'b0,
  parameter [319:0] INITVAL_1C = 320'b0,
  parameter [319:0] INITVAL_1D = 320'b0,
  parameter [319:0] INITVAL_1E = 320'b0,
  parameter [319:0] INITVAL_1F = 320'b0,
  parameter [319:0] INITVAL_20 = 320'b0,
  parameter [319:0] INITVAL_21 = 320'b0,
  parameter [319:0] INITVAL_22 = 320'b0,
  parameter [319:0] INITVAL_23 = 320'b0,
  parameter [319:0] INITVAL_24 = 320'b0,
  parameter [319:0] INITVAL_25 = 320'b0,
  parameter [319:0] INITVAL_26 = 320'b0,
  parameter [319:0] INITVAL_27 = 320'b0,
  parameter [319:0] INITVAL_28 = 320'b0,
  parameter [319:0] INITVAL_29 = 320'b0,
  parameter [319:0] INITVAL_2A = 320'b0,
  parameter [319:0] INITVAL_2B = 320'b0,
  parameter [319:0] INITVAL_2C = 320'b0,
  parameter [319:0] INITVAL_2D = 320'b0,
  parameter [319:0] INITVAL_2E = 320'b0,
  parameter [319:0] INITVAL_2F = 320'b0,
  parameter [319:0] INITVAL_30 = 320'b0,
  parameter [319:0] INITVAL_31 = 320'b0,
  parameter [319:0] INITVAL_32 = 320'b0,
  parameter [319:0] INITVAL_33 = 320'b0,
  parameter [319:0] INITVAL_34 = 320'b0,
  parameter [319:0] INITVAL_35 = 320'b0,
  parameter [319:0] INITVAL_36 = 320'b0,
  parameter [319:0] INITVAL_37 = 320'b0,
  parameter [319:0] INITVAL_38 = 320'b0,
  parameter [319:0] INITVAL_39 = 320'b0,
  parameter [319:0] INITVAL_3A = 320'b0,
  parameter [319:0] INITVAL_3B = 320'b0,
  parameter [319:0] INITVAL_3C = 320'b0,
  parameter [319:0] INITVAL_3D = 320'b0,
  parameter [319:0] INITVAL_3E = 320'b0,
  parameter [319:0] INITVAL_3F = 320'b0
) (
  input wire DIA17, DIA16, DIA15, DIA14, DIA13, DIA12, DIA11, DIA10, DIA9, DIA8, DIA7, DIA6, DIA5,
      DIA4, DIA3, DIA2, DIA1, DIA0,
  input wire ADA13, ADA12, ADA11, ADA10, ADA9, ADA8, ADA7, ADA6, ADA5, ADA4, ADA3, ADA2, ADA1, ADA0,
  input wire CEA, OCEA, CLKA, WEA, RSTA, CSA2, CSA1, CSA0,
  output wire DOA17, DOA16, DOA15, DOA14, DOA13, DOA12, DOA11, DOA10, DOA9, DOA8, DOA7, DOA6, DOA5,
      DOA4, DOA3, DOA2, DOA1, DOA0,
  input wire DIB17, DIB16, DIB15, DIB14, DIB13, DIB12, DIB11, DIB10, DIB9, DIB8, DIB7, DIB6, DIB5,
      DIB4, DIB3, DIB2, DIB1, DIB0,
  input wire ADB13, ADB12, ADB11, ADB10, ADB9, ADB8, ADB7, ADB6, ADB5, ADB4, ADB3, ADB2, ADB1, ADB0,
  input wire CEB, OCEB, CLKB, WEB, RSTB, CSB2, CSB1, CSB0,
  output wire DOB17, DOB16, DOB15, DOB14, DOB13, DOB12, DOB11, DOB10, DOB9, DOB8, DOB7, DOB6, DOB5,
      DOB4, DOB3, DOB2, DOB1, DOB0
);
  // A parameter holds 16 words, each in the lower 18 of 20 bits.
  wire [20479:0] initial_words = {
    INITVAL_3F, INITVAL_3E, INITVAL_3D, INITVAL_3C, INITVAL_3B, INITVAL_3A, INITVAL_39, INITVAL_38,
    INITVAL_37, INITVAL_36, INITVAL_35, INITVAL_34, INITVAL_33, INITVAL_32, INITVAL_31, INITVAL_30,
    INITVAL_2F, INITVAL_2E, INITVAL_2D, INITVAL_2C, INITVAL_2B, INITVAL_2A, INITVAL_29, INITVAL_28,
    INITVAL_27, INITVAL_26, INITVAL_25, INITVAL_24, INITVAL_23, INITVAL_22, INITVAL_21, INITVAL_20,
    INITVAL_1F, INITVAL_1E, INITVAL_1D, INITVAL_1C, INITVAL_1B, INITVAL_1A, INITVAL_19, INITVAL_18,
    INITVAL_17, INITVAL_16, INITVAL_15, INITVAL_14, INITVAL_13, INITVAL_12, INITVAL_11, INITVAL_10,
    INITVAL_0F, INITVAL_0E, INITVAL_0D, INITVAL_0C, INITVAL_0B, INITVAL_0A, INITVAL_09, INITVAL_08,
    INITVAL_07, INITVAL_06, INITVAL_05, INITVAL_04, INITVAL_03, INITVAL_02, INITVAL_01, INITVAL_00
  };
  reg [17:0] words[0:1023];
  integer index;
  initial for (index = 0; index < 1024; index = index + 1) words[index] = initial_words[20 * index +: 18];

  wire [17:0] data_a = {DIA17, DIA16, DIA15, DIA14, DIA13, DIA12, DIA11, DIA10, DIA9, DIA8, DIA7, DIA6, DIA5,
      DIA4, DIA3, DIA2, DIA1, DIA0};
  wire [17:0] data_b = {DIB17, DIB16, DIB15, DIB14, DIB13, DIB12, DIB11, DIB10, DIB9, DIB8, DIB7, DIB6, DIB5,
      DIB4, DIB3, DIB2, DIB1, DIB0};
  wire [13:0] address_a = {ADA13, ADA12, ADA11, ADA10, ADA9, ADA8, ADA7, ADA6, ADA5, ADA4, ADA3, ADA2, ADA1, ADA0};
  wire [13:0] address_b = {ADB13, ADB12, ADB11, ADB10, ADB9, ADB8, ADB7, ADB6, ADB5, ADB4, ADB3, ADB2, ADB1, ADB0};
  wire [4:0] shift_a;
  wire [17:0] bits_a, enabled_a;
  reg [17:0] latch_a = 18'b0, register_a = 18'b0;
  wire [35:0] wide_a = {{9{address_a[3]}}, {9{address_a[2]}}, {9{address_a[1]}}, {9{address_a[0]}}};
  ecp5_dp16kd_lane #(DATA_WIDTH_A) lane_a (address_a, shift_a, bits_a, enabled_a);
  always @(posedge CLKA) begin
    if (CEA & WEA & DATA_WIDTH_A == 36) begin
      words[{address_a[13:5], 1'b0}] <= (words[{address_a[13:5], 1'b0}] & ~wide_a[17:0]) | (data_a & wide_a[17:0]);
      words[{address_a[13:5], 1'b1}] <= (words[{address_a[13:5], 1'b1}] & ~wide_a[35:18]) | (data_b & wide_a[35:18]);
    end else if (CEA & WEA)
      words[address_a[13:4]] <= (words[address_a[13:4]] & ~(enabled_a << shift_a))
          | ((data_a & enabled_a) << shift_a);
    if (RSTA & REGMODE_A == "NOREG") latch_a <= 18'b0;
    else if (CEA & (~WEA | WRITEMODE_A == "READBEFOREWRITE"))
      latch_a <= (words[address_a[13:4]] >> shift_a) & bits_a;
    else if (CEA & WRITEMODE_A == "WRITETHROUGH") latch_a <= data_a & bits_a;
    if (RSTA) register_a <= 18'b0;
    else if (OCEA) register_a <= latch_a;
  end
  reg [17:0] lower_latch = 18'b0, lower_register = 18'b0;
  wire [9:0] place_b = DATA_WIDTH_B == 36 ? {address_b[13:5], 1'b1} : address_b[13:4];
  always @(posedge CLKB) begin
    if (RSTB & REGMODE_A == "NOREG") lower_latch <= 18'b0;
    else if (CEB) lower_latch <= words[{address_b[13:5], 1'b0}];
    if (RSTB) lower_register <= 18'b0;
    else if (OCEB) lower_register <= lower_latch;
  end
  assign {DOA17, DOA16, DOA15, DOA14, DOA13, DOA12, DOA11, DOA10, DOA9, DOA8, DOA7, DOA6, DOA5,
      DOA4, DOA3, DOA2, DOA1, DOA0} = REGMODE_A == "OUTREG"
      ? (DATA_WIDTH_B == 36 ? lower_register : register_a) : (DATA_WIDTH_B == 36 ? lower_latch : latch_a);

  wire [4:0] shift_b;
  wire [17:0] bits_b, enabled_b;
  reg [17:0] latch_b = 18'b0, register_b = 18'b0;
  ecp5_dp16kd_lane #(DATA_WIDTH_B) lane_b (address_b, shift_b, bits_b, enabled_b);
  always @(posedge CLKB) begin
    if (CEB & WEB)
      words[address_b[13:4]] <= (words[address_b[13:4]] & ~(enabled_b << shift_b))
          | ((data_b & enabled_b) << shift_b);
    if (RSTB & REGMODE_B == "NOREG") latch_b <= 18'b0;
    else if (CEB & (~WEB | WRITEMODE_B == "READBEFOREWRITE"))
      latch_b <= (words[place_b] >> shift_b) & bits_b;
    else if (CEB & WRITEMODE_B == "WRITETHROUGH") latch_b <= data_b & bits_b;
    if (RSTB) register_b <= 18'b0;
    else if (OCEB) register_b <= latch_b;
  end
  assign {DOB17, DOB16, DOB15, DOB14, DOB13, DOB12, DOB11, DOB10, DOB9, DOB8, DOB7, DOB6, DOB5,
      DOB4, DOB3, DOB2, DOB1, DOB0} = REGMODE_B == "OUTREG" ? register_b : latch_b;

endmodule

// Where a port's word lies within 18 bits, the bits that it has, and those that a write changes.
module ecp5_dp16kd_lane #(
  parameter WIDTH = 18
) (
  input wire [13:0] address,
  output wire [4:0] shift,
  output wire [17:0] bits,
  output wire [17:0] enabled
);
  wire [2:0] bit_address = WIDTH == 9 ? 3'd0 : address[2:0] & ~(WIDTH[2:0] - 3'd1);
  assign shift = WIDTH >= 18 ? 5'd0 : (address[3] ? 5'd9 : 5'd0) + {2'b0, bit_address};
  assign bits = WIDTH >= 18 ? 18'h3ffff : 18'h3ffff >> (18 - WIDTH);
  assign enabled = WIDTH == 18 ? {{9{address[1]}}, {9{address[0]}}} : bits;
endmodule
