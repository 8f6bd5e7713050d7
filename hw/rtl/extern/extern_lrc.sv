// SPDX-License-Identifier: Apache-2.0
`resetall
`default_nettype none

// P4-NetFPGA's lrc, the longitudinal redundancy check: the exclusive or of the words of `data`.
//
// Flow control: none; works every cycle, input_valid or not.
// Latency: LATENCY_CYCLES.
// Limits: words are as wide as the result; what the most significant word lacks is zero.
module extern_lrc #(
    parameter int DATA_BITS      = 32,  // 1 or more
    parameter int RESULT_BITS    = 16,  // 1 or more
    parameter int LATENCY_CYCLES = 1    // 1 or more
) (
    input wire logic clk,
    input wire logic rst,

    input  wire logic                   input_valid,
    input  wire logic [  DATA_BITS-1:0] data,
    output logic      [RESULT_BITS-1:0] result_result
);
  if (DATA_BITS < 1) begin : gen_check_data_bits
    $fatal(1, "DATA_BITS must be 1 or more (instance %m)");
  end
  if (RESULT_BITS < 1) begin : gen_check_result_bits
    $fatal(1, "RESULT_BITS must be 1 or more (instance %m)");
  end
  if (LATENCY_CYCLES < 1) begin : gen_check_latency
    $fatal(1, "LATENCY_CYCLES must be 1 or more (instance %m)");
  end

  logic [RESULT_BITS-1:0] check;
  always_comb begin
    check = '0;
    for (int i = 0; i < DATA_BITS; i++) begin
      check[i%RESULT_BITS] = check[i%RESULT_BITS] ^ data[i];
    end
  end

  pipeline_delay #(
      .BITS  (RESULT_BITS),
      .CYCLES(LATENCY_CYCLES)
  ) delay_inst (
      .clk,
      .rst,
      .in (check),
      .out(result_result)
  );

  // No state, so no request that could be none.
  logic unused;
  assign unused = input_valid;
endmodule

`resetall
