// SPDX-License-Identifier: Apache-2.0
`resetall
`default_nettype none

// Between the registers of an extern's window and the extern: takes a command, waits for its end, keeps the answer.
//
// Flow control: a command that comes while one is under way is not taken; window_busy says so. One that comes while
//   the extern clears itself waits for it.
// Latency: the extern is told one cycle after window_command, and the answer is there one after the extern's.
// Limits: the registers of the window must stand still while window_busy.
module extern_control
  import extern_pkg::*;
#(
    parameter int INDEX_BITS = 10,  // 1 or more
    parameter int VALUE_BITS = 32   // 1 or more
) (
    input wire logic clk,
    input wire logic rst,

    input wire logic                  window_command,    // window_operation is being written; it is there a cycle later
    input wire control_op_t           window_operation,
    input wire logic [INDEX_BITS-1:0] window_index,
    input wire logic [VALUE_BITS-1:0] window_value,

    output logic                  window_busy,
    output logic [VALUE_BITS-1:0] window_found_value,

    output logic                  control_valid,
    input  wire logic             control_ready,
    output control_op_t           control_op,
    output logic [INDEX_BITS-1:0] control_index,
    output logic [VALUE_BITS-1:0] control_value,

    input wire logic                  status_valid,
    input wire logic [VALUE_BITS-1:0] status_value
);
  if (INDEX_BITS < 1) begin : gen_check_index_bits
    $fatal(1, "INDEX_BITS must be 1 or more (instance %m)");
  end
  if (VALUE_BITS < 1) begin : gen_check_value_bits
    $fatal(1, "VALUE_BITS must be 1 or more (instance %m)");
  end

  logic start_reg;
  logic waiting_reg;

  assign control_valid = start_reg;
  assign control_op    = window_operation;
  assign control_index = window_index;
  assign control_value = window_value;
  assign window_busy   = start_reg || waiting_reg || !control_ready;

  always_ff @(posedge clk) begin
    if (window_command && !waiting_reg) begin
      start_reg <= 1'b1;
    end
    if (start_reg && control_ready) begin
      start_reg   <= 1'b0;
      waiting_reg <= 1'b1;
    end
    if (status_valid) begin
      waiting_reg        <= 1'b0;
      window_found_value <= status_value;
    end
    if (rst) begin
      start_reg   <= 1'b0;
      waiting_reg <= 1'b0;
    end
  end
endmodule

`resetall
