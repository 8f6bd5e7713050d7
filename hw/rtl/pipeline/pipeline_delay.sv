// SPDX-License-Identifier: Apache-2.0
`resetall
`default_nettype none

// A word, late: `out` is `in` as it was CYCLES cycles ago.
//
// Flow control: none; moves every cycle.
// Latency: CYCLES cycles.
// Limits: rst clears the last register; with RESET it clears all, as a line of valid bits wants it, and all are
//   flip-flops. Without, the line before the last register is shift-register LUTs, which have no reset and are slow
//   at their output: its reset is what keeps the last register a flip-flop.
module pipeline_delay #(
    parameter int BITS   = 32,   // bits of the word, 1 or more
    parameter int CYCLES = 8,    // 1 or more
    parameter bit RESET  = 1'b0  // 1: rst clears the whole line; 0: its last register
) (
    input wire logic clk,
    input wire logic rst,

    input  wire logic [BITS-1:0] in,
    output logic      [BITS-1:0] out
);
  if (BITS < 1) begin : gen_check_bits
    $fatal(1, "BITS must be 1 or more (instance %m)");
  end
  if (CYCLES < 1) begin : gen_check_cycles
    $fatal(1, "CYCLES must be 1 or more (instance %m)");
  end

  logic [BITS-1:0] out_reg;
  logic [BITS-1:0] ahead;  // `out` a cycle from now

  assign out = out_reg;

  if (CYCLES < 2) begin : gen_wire
    assign ahead = in;
  end else begin : gen_line
    logic [BITS-1:0] line_reg[CYCLES-1];
    assign ahead = line_reg[CYCLES-2];

    always_ff @(posedge clk) begin
      line_reg[0] <= in;
      for (int i = 1; i < CYCLES - 1; i++) begin
        line_reg[i] <= line_reg[i-1];
      end
      if (RESET && rst) begin
        for (int i = 0; i < CYCLES - 1; i++) begin
          line_reg[i] <= '0;
        end
      end
    end
  end

  always_ff @(posedge clk) begin
    out_reg <= ahead;
    if (rst) begin
      out_reg <= '0;
    end
  end
endmodule

`resetall
