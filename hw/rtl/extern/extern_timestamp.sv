// SPDX-License-Identifier: Apache-2.0
`resetall
`default_nettype none

// P4-NetFPGA's timestamp: the cycles from the end of the reset to the request, modulo the result's width.
//
// Flow control: none; works every cycle, input_valid and `valid` or not.
// Latency: LATENCY_CYCLES. The time is that of the request, however long the result takes.
// Limits: none; instances that share a reset agree.
module extern_timestamp #(
    parameter int RESULT_BITS    = 32,  // 1 or more
    parameter int LATENCY_CYCLES = 1    // 1 or more
) (
    input wire logic clk,
    input wire logic rst,

    input  wire logic                   input_valid,
    input  wire logic                   valid,
    output logic      [RESULT_BITS-1:0] result_result
);
  if (RESULT_BITS < 1) begin : gen_check_result_bits
    $fatal(1, "RESULT_BITS must be 1 or more (instance %m)");
  end
  if (LATENCY_CYCLES < 1) begin : gen_check_latency
    $fatal(1, "LATENCY_CYCLES must be 1 or more (instance %m)");
  end

  logic [RESULT_BITS-1:0] count_reg;
  always_ff @(posedge clk) begin
    count_reg <= count_reg + 1'b1;
    if (rst) begin
      count_reg <= '0;
    end
  end

  pipeline_delay #(
      .BITS  (RESULT_BITS),
      .CYCLES(LATENCY_CYCLES)
  ) delay_inst (
      .clk,
      .rst,
      .in (count_reg),
      .out(result_result)
  );

  // The time passes without requests too.
  logic [1:0] unused;
  assign unused = {input_valid, valid};
endmodule

`resetall
