// SPDX-License-Identifier: Apache-2.0
`resetall
`default_nettype none

// P4-NetFPGA's reg_rw: reads or overwrites a register, or both.
//
// Commands of the control plane, requests while the registers are cleared: register_engine.
// Flow control: none for requests, one every cycle.
// Latency: LATENCY_CYCLES, at least extern_pkg::register_latency.
// Limits: of register_engine's operation codes READ, WRITE and READ_WRITE; others do nothing. The result is the register
//   afterwards, before READ_WRITE, zero of other codes.
module extern_reg_rw
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
    input  wire logic [7:0]            opCode,
    output logic      [VALUE_BITS-1:0] result_result,

    input  wire logic                  control_valid,
    output logic                       control_ready,
    input  wire control_op_t           control_op,
    input  wire logic [INDEX_BITS-1:0] control_index,
    input  wire logic [VALUE_BITS-1:0] control_value,

    output logic                  status_valid,
    output logic [VALUE_BITS-1:0] status_value
);
  localparam logic [7:0] OP_READ       = 8'd0;
  localparam logic [7:0] OP_WRITE      = 8'd1;
  localparam logic [7:0] OP_NULL       = 8'd4;
  localparam logic [7:0] OP_READ_WRITE = 8'd5;

  logic       known;
  logic [7:0] operation;
  logic       unused;
  assign known     = opCode == OP_READ || opCode == OP_WRITE || opCode == OP_READ_WRITE;
  assign operation = known ? opCode : OP_NULL;

  // Both operations are the same, so that nothing depends on the comparison.
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
      .increment_2 (newVal),
      .operation_2 (operation),
      .new_value_1 (newVal),
      .increment_1 (newVal),
      .operation_1 (operation),
      .compared    (newVal),
      .relation    (operation),
      .result      (result_result),
      .holds_result(unused),
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
