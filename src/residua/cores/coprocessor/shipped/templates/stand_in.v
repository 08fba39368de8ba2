// Stands in for a coprocessor behind its bus: it gives back every word that it takes.
//
// The operation says how many words it takes: of operands in bits 0 to 3, of random words in bits 4
// to 7. They are its result, with a last word that is the command. It ends with the status of the
// command's curve. Each channel pauses at random, that of commands for long, and it wipes for long.
// Bit 16 of the last word says whether a word ever stayed on a channel after it was taken.

module {{ module }} (
  input wire clk,
  input wire rst,
  input wire [15:0] command_payload,
  input wire command_valid,
  output wire command_ready,
  input wire [31:0] operands_payload,
  input wire operands_valid,
  output wire operands_ready,
  input wire [31:0] random_payload,
  input wire random_valid,
  output wire random_ready,
  output wire [32:0] result_payload,
  output wire result_valid,
  input wire result_ready,
  output wire [7:0] status,
  output reg done,
  output wire busy,
  input wire zeroise
);
  localparam IDLE = 0, TAKING = 1, GIVING = 2, WIPING = 3;

  reg [1:0] state = IDLE;
  reg [15:0] command;
  reg [3:0] operands_left, random_left, place;
  reg [4:0] given;
  reg [31:0] operands [0:15];
  reg [31:0] random [0:15];
  reg [31:0] pauses = {{ seed }};
  reg offered = 0, wiped = 0, lingered = 0;
  wire all_given = given == command[3:0] + command[7:4];
  wire [4:0] random_place = given - command[3:0];

  assign command_ready = state == IDLE && pauses[3] && pauses[13] && pauses[23];
  assign operands_ready = state == TAKING && operands_left != 0 && pauses[7];
  assign random_ready = state == TAKING && random_left != 0 && pauses[11];
  assign result_valid = state == GIVING && offered;
  assign result_payload[32] = all_given;
  assign result_payload[31:0] = all_given ? {15'h0000, lingered, command}
    : given < command[3:0] ? operands[given[3:0]] : random[random_place[3:0]];
  assign busy = state != IDLE;
  assign status = wiped ? 8'd{{ zeroised }} : command[15:8];

  always @(posedge clk) begin
    pauses <= {pauses[30:0], pauses[31] ^ pauses[21] ^ pauses[1] ^ pauses[0]};
    done <= 0;
    lingered <= lingered || (!operands_valid && operands_payload != 0)
      || (!random_valid && random_payload != 0);
    case (state)
      IDLE: if (command_valid && command_ready) begin
        command <= command_payload;
        operands_left <= command_payload[3:0];
        random_left <= command_payload[7:4];
        given <= 0;
        wiped <= 0;
        state <= TAKING;
      end
      TAKING: begin
        if (operands_valid && operands_ready) begin
          operands[command[3:0] - operands_left] <= operands_payload;
          operands_left <= operands_left - 1;
        end
        if (random_valid && random_ready) begin
          random[command[7:4] - random_left] <= random_payload;
          random_left <= random_left - 1;
        end
        if (operands_left == 0 && random_left == 0) state <= GIVING;
      end
      GIVING: begin
        offered <= pauses[15] || (offered && !result_ready);
        if (offered && result_ready) begin
          given <= given + 1;
          if (all_given) begin
            offered <= 0;
            done <= 1;
            state <= IDLE;
          end
        end
      end
      WIPING: if (pauses[19] && pauses[27] && pauses[9]) begin
        done <= 1;
        state <= IDLE;
      end
    endcase
    if (zeroise) begin
      offered <= 0;
      wiped <= 1;
      done <= 0;
      state <= WIPING;
    end
    if (rst) begin
      offered <= 0;
      wiped <= 0;
      done <= 0;
      state <= IDLE;
    end
  end
endmodule
