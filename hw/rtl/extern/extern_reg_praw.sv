// SPDX-License-Identifier: Apache-2.0
`resetall
`default_nettype none

// P4-NetFPGA's reg_praw: does reg_raw's operation where `compVal relOp register` holds, else reads the register.
//
// Commands of the control plane, requests while the registers are cleared: register_engine.
// Flow control: none for requests, one every cycle.
// Latency: LATENCY_CYCLES, at least extern_pkg::register_latency.
// Limits: operation and relation codes as in register_engine; the result is the register afterwards, before READ_WRITE,
//   zero of NULL and of unknown codes; boolean says whether the relation held.
module extern_reg_praw
  import extern_pkg::*;
#(
    parameter int INDEX_BITS = 10,  // bits of an index, from 1 to 16: there are two to their power registers
    parameter int VALUE_BITS = 32,  // bits of a register, 1 or more
    parameter int DISTRIBUTED_WORDS = 64,  // registers up to which the memory is distributed RAM, 1 or more
    parameter int LATENCY_CYCLES = register_latency(INDEX_BITS, DISTRIBUTED_WORDS)  // that much or more
) (
    input wire logic clk,
    input wire logic rst,

    input  wire logic                  input_valid,
    input  wire logic [INDEX_BITS-1:0] index,
    input  wire logic [VALUE_BITS-1:0] newVal,
    input  wire logic [VALUE_BITS-1:0] incVal,
    input  wire logic [7:0]            opCode,
    input  wire logic [VALUE_BITS-1:0] compVal,
    input  wire logic [7:0]            relOp,
    output logic      [VALUE_BITS-1:0] result_result,
    output logic                       boolean_result,

    input  wire logic                  control_valid,
    output logic                       control_ready,
    input  wire control_op_t           control_op,
    input  wire logic [INDEX_BITS-1:0] control_index,
    input  wire logic [VALUE_BITS-1:0] control_value,

    output logic                  status_valid,
    output logic [VALUE_BITS-1:0] status_value
);
  localparam logic [7:0] OP_READ = 8'd0;

  register_engine #(
      .INDEX_BITS       (INDEX_BITS),
      .VALUE_BITS       (VALUE_BITS),
      .READS            (1),
      .RESULT_AFTER     (1'b0),
      .DISTRIBUTED_WORDS(DISTRIBUTED_WORDS),
      .LATENCY_CYCLES   (LATENCY_CYCLES)
  ) engine_inst (
      .clk,
      .rst,
      .input_valid,
      .index,
      .new_value_2 (newVal),
      .increment_2 (incVal),
      .operation_2 (OP_READ),
      .new_value_1 (newVal),
      .increment_1 (incVal),
      .operation_1 (opCode),
      .compared    (compVal),
      .relation    (relOp),
      .result      (result_result),
      .holds_result(boolean_result),
      .control_valid,
      .control_ready,
      .control_op,
      .control_index,
      .control_value,
      .status_valid,
      .status_value
  );
endmodule

`resetall
