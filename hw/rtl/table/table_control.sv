// SPDX-License-Identifier: Apache-2.0
`resetall
`default_nettype none

// Between the registers of a table's window and the table: takes a command, waits for its end, keeps the answer.
//
// Flow control: a command that comes while one is under way is not taken; window_busy says so. One that comes while
//   the table clears itself waits for it.
// Latency: the table is told one cycle after window_command, and the answer is there one after the table's.
// Limits: the registers of the window must stand still while window_busy. DEFAULT is done here: it changes what a
//   lookup that misses gives, for all lookups from one cycle on.
module table_control
  import table_pkg::*;
#(
    parameter int                    KEY_BITS      = 48,  // 1 or more
    parameter int                    MASK_BITS     = KEY_BITS,  // 1 or more
    parameter int                    VALUE_BITS    = 32,  // 1 or more
    parameter logic [VALUE_BITS-1:0] DEFAULT_VALUE = '0   // what a miss gives after reset
) (
    input wire logic clk,
    input wire logic rst,

    input wire logic                  window_command,    // window_operation is being written; it is there a cycle later
    input wire op_t                   window_operation,
    input wire index_t                window_index,
    input wire logic [  KEY_BITS-1:0] window_key,
    input wire logic [ MASK_BITS-1:0] window_mask,
    input wire logic [VALUE_BITS-1:0] window_value,

    output logic                  window_busy,
    output code_t                 window_outcome,
    output logic                  window_found,
    output logic [  KEY_BITS-1:0] window_found_key,
    output logic [ MASK_BITS-1:0] window_found_mask,
    output logic [VALUE_BITS-1:0] window_found_value,

    output logic                  control_valid,
    input  wire logic             control_ready,
    output op_t                   control_op,
    output logic [  KEY_BITS-1:0] control_key,
    output logic [ MASK_BITS-1:0] control_mask,
    output logic [VALUE_BITS-1:0] control_value,
    output index_t                control_index,

    input wire logic                  status_valid,
    input wire code_t                 status_code,
    input wire logic                  status_occupied,
    input wire logic [  KEY_BITS-1:0] status_key,
    input wire logic [ MASK_BITS-1:0] status_mask,
    input wire logic [VALUE_BITS-1:0] status_value,

    output logic [VALUE_BITS-1:0] default_value
);
  if (KEY_BITS < 1) begin : gen_check_key_bits
    $fatal(1, "KEY_BITS must be 1 or more (instance %m)");
  end
  if (MASK_BITS < 1) begin : gen_check_mask_bits
    $fatal(1, "MASK_BITS must be 1 or more (instance %m)");
  end
  if (VALUE_BITS < 1) begin : gen_check_value_bits
    $fatal(1, "VALUE_BITS must be 1 or more (instance %m)");
  end

  localparam op_t OP_DEFAULT = 3'd6;  // of the window alone: tables never see it

  logic start_reg;
  logic asking_reg;
  logic waiting_reg;

  assign control_valid = asking_reg;
  assign control_op    = window_operation;
  assign control_key   = window_key;
  assign control_mask  = window_mask;
  assign control_value = window_value;
  assign control_index = window_index;
  logic under_way;

  assign under_way     = start_reg || asking_reg || waiting_reg;
  assign window_busy   = under_way || !control_ready;

  always_ff @(posedge clk) begin
    start_reg <= window_command && !under_way;
    if (start_reg) begin
      if (window_operation == OP_DEFAULT) begin
        default_value  <= window_value;
        window_outcome <= CODE_OK;
      end else begin
        asking_reg <= 1'b1;
      end
    end
    if (asking_reg && control_ready) begin
      asking_reg  <= 1'b0;
      waiting_reg <= 1'b1;
    end
    if (status_valid) begin
      waiting_reg        <= 1'b0;
      window_outcome     <= status_code;
      window_found       <= status_occupied;
      window_found_key   <= status_key;
      window_found_mask  <= status_mask;
      window_found_value <= status_value;
    end
    if (rst) begin
      start_reg     <= 1'b0;
      asking_reg    <= 1'b0;
      waiting_reg   <= 1'b0;
      default_value <= DEFAULT_VALUE;
    end
  end
endmodule

`resetall
