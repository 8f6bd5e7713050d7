// SPDX-License-Identifier: Apache-2.0
`resetall
`default_nettype none

// P4-NetFPGA's reg_sub: there a reg_ifElseRaw that can also subtract, and here the same as reg_ifElseRaw.
//
// Commands of the control plane, requests while the registers are cleared: register_engine.
// Flow control: none for requests, one every cycle.
// Latency: LATENCY_CYCLES, at least extern_pkg::register_latency.
// Limits: operation and relation codes as in register_engine; the result is the register of the chosen operation,
//   afterwards whatever the operation; boolean says whether the relation held.
module extern_reg_sub
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
    input  wire logic [INDEX_BITS-1:0] index_2,
    input  wire logic [VALUE_BITS-1:0] newVal_2,
    input  wire logic [VALUE_BITS-1:0] incVal_2,
    input  wire logic [7:0]            opCode_2,
    input  wire logic [INDEX_BITS-1:0] index_1,
    input  wire logic [VALUE_BITS-1:0] newVal_1,
    input  wire logic [VALUE_BITS-1:0] incVal_1,
    input  wire logic [7:0]            opCode_1,
    input  wire logic [INDEX_BITS-1:0] index_comp,
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
  extern_reg_ifElseRaw #(
      .INDEX_BITS       (INDEX_BITS),
      .VALUE_BITS       (VALUE_BITS),
      .DISTRIBUTED_WORDS(DISTRIBUTED_WORDS),
      .LATENCY_CYCLES   (LATENCY_CYCLES)
  ) register_inst (
      .clk,
      .rst,
      .input_valid,
      .index_2,
      .newVal_2,
      .incVal_2,
      .opCode_2,
      .index_1,
      .newVal_1,
      .incVal_1,
      .opCode_1,
      .index_comp,
      .compVal,
      .relOp,
      .result_result,
      .boolean_result,
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
