// SPDX-License-Identifier: Apache-2.0
`resetall
`default_nettype none

// A word, late: `out` is `in` as it was CYCLES enabled cycles ago.
//
// Flow control: none; moves in every cycle with `enable`.
// Latency: CYCLES enabled cycles.
// Limits: what was in the line survives a reset, but for its last register. That one is reset so that it stays a
// flip-flop: shift-register LUTs have no reset, and are too slow at their output to feed an adder.
module delay_line #(
    parameter int BITS   = 32,  // bits of the word, 1 or more
    parameter int CYCLES = 8    // 0 or more; 0 is a wire
) (
    input wire logic clk,
    input wire logic rst,

    input  wire logic            enable,
    input  wire logic [BITS-1:0] in,
    output logic      [BITS-1:0] out
);
  if (BITS < 1) begin : gen_check_bits
    $fatal(1, "BITS must be 1 or more (instance %m)");
  end
  if (CYCLES < 0) begin : gen_check_cycles
    $fatal(1, "CYCLES must be 0 or more (instance %m)");
  end

  if (CYCLES <= 0) begin : gen_wire
    assign out = in;
    wire unused = &{1'b0, clk, rst, enable};
  end else begin : gen_line
    logic [BITS-1:0] line_reg[0:CYCLES-1];
    assign out = line_reg[CYCLES-1];

    always_ff @(posedge clk) begin
      if (enable) begin
        line_reg[0] <= in;
        for (int i = 1; i < CYCLES; i++) line_reg[i] <= line_reg[i-1];
      end
      if (rst) line_reg[CYCLES-1] <= '0;
    end
  end
endmodule

`resetall
