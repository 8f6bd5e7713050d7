// SPDX-License-Identifier: Apache-2.0
`resetall
`default_nettype none

// The contract of extern_reg_raw, for extern_reg_raw.sby, from reset: whatever requests come, in every cycle too, and
// whatever the control plane writes meanwhile, each result is the one of requests that are done one after the other
// on plain registers; and every command is answered in time.
module extern_reg_raw_formal
  import extern_pkg::*;
#(
    parameter int VALUE_BITS        = 2,  // as of extern_reg_raw
    parameter int DISTRIBUTED_WORDS = 64  // likewise
) (
    input wire logic                  clk,
    input wire logic                  rst,
    input wire logic                  valid,
    input wire logic                  index,
    input wire logic [VALUE_BITS-1:0] new_value,
    input wire logic [VALUE_BITS-1:0] increment,
    input wire logic [3:0]            code,
    input wire logic                  control_valid,
    input wire control_op_t           control_op,
    input wire logic                  control_index,
    input wire logic [VALUE_BITS-1:0] control_value
);
  localparam int LATENCY_CYCLES = register_latency(1, DISTRIBUTED_WORDS);
  localparam bit BLOCK = LATENCY_CYCLES == 4;
  localparam int ANSWER_CYCLES = 4;

  typedef logic [VALUE_BITS-1:0] value_t;

  value_t result;
  logic control_ready, status_valid;
  value_t status_value;

  extern_reg_raw #(
      .INDEX_BITS       (1),
      .VALUE_BITS       (VALUE_BITS),
      .DISTRIBUTED_WORDS(DISTRIBUTED_WORDS)
  ) dut (
      .clk,
      .rst,
      .input_valid  (valid),
      .index,
      .newVal       (new_value),
      .incVal       (increment),
      .opCode       ({4'b0, code}),
      .result_result(result),
      .control_valid,
      .control_ready,
      .control_op,
      .control_index,
      .control_value,
      .status_valid,
      .status_value
  );

  // The same on plain registers. A write of the control plane comes before the request of the cycle in which it is
  // taken with block RAM, after it with distributed RAM.
  value_t register_reg[2];
  value_t old, after, shown;
  logic [VALUE_BITS:0] sum;
  value_t held[2];
  logic swept_reg;
  logic taken_write;

  assign taken_write = control_valid && control_ready && control_op == CONTROL_WRITE;

  always_comb begin
    held = register_reg;
    if (BLOCK && taken_write) held[control_index] = control_value;
    old   = held[index];
    sum   = {1'b0, old} + {1'b0, increment};
    after = old;
    case (code)
      4'd1, 4'd5: after = new_value;
      4'd2: after = sum[VALUE_BITS-1:0];
      4'd3: after = old - increment;
      4'd6: after = sum[VALUE_BITS] ? '1 : sum[VALUE_BITS-1:0];
      4'd7: after = old < increment ? '0 : old - increment;
      default: ;
    endcase
    shown = code == 4'd5 ? old : code == 4'd4 || code > 4'd7 ? '0 : after;
  end

  logic begun_reg = 1'b0;
  logic [2:0] waited_reg;  // cycles since a command was taken, while it is not answered
  logic expected_valid_reg[LATENCY_CYCLES];
  value_t expected_reg[LATENCY_CYCLES];

  always_ff @(posedge clk) begin
    begun_reg             <= 1'b1;
    swept_reg             <= swept_reg || control_ready;
    expected_valid_reg[0] <= valid && (swept_reg || control_ready);
    expected_reg[0]       <= shown;
    for (int i = 1; i < LATENCY_CYCLES; i++) begin
      expected_valid_reg[i] <= expected_valid_reg[i-1];
      expected_reg[i]       <= expected_reg[i-1];
    end
    if (swept_reg || control_ready) begin
      register_reg <= held;
      if (valid) register_reg[index] <= after;
      if (!BLOCK && taken_write) register_reg[control_index] <= control_value;
    end
    waited_reg <= waited_reg == 0 || status_valid ? 3'd0 : waited_reg + 3'd1;
    if (control_valid && control_ready) waited_reg <= 3'd1;
    if (rst) begin
      swept_reg       <= 1'b0;
      register_reg[0] <= '0;
      register_reg[1] <= '0;
      waited_reg      <= '0;
      for (int i = 0; i < LATENCY_CYCLES; i++) expected_valid_reg[i] <= 1'b0;
    end
  end

  always_comb begin
    // One reset, and no CLEAR: that clears each register at an instant of its own.
    assume (rst == !begun_reg);
    assume (control_op != CONTROL_CLEAR);
    if (begun_reg) begin
      serial          : assert (!expected_valid_reg[LATENCY_CYCLES-1] || result == expected_reg[LATENCY_CYCLES-1]);
      answered        : assert (waited_reg < 3'(ANSWER_CYCLES) || status_valid);
      no_other_answer : assert (!status_valid || waited_reg != 0);
    end
  end
endmodule

`resetall
