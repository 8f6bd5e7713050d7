// SPDX-License-Identifier: Apache-2.0
`resetall
`default_nettype none

// Limits a rate: tokens for bytes come in steadily, up to a burst; packets may pass while there is no debt.
//
// Flow control: none; who asks for may_pass charges each packet that it lets pass, whole, when it begins.
// Latency: a charge shows in may_pass in the next cycle, and so does a rate that is or was zero.
// Limits: the bucket may be overdrawn by one packet, and has that paid back before the next one. It holds at most a
//   burst and the tokens of two cycles; what is above a burst that has been lowered stays until it is spent. With a burst
//   smaller than the tokens of two cycles the rate is not reached. A rate of zero lets nothing pass. After a reset the
//   bucket is empty, without debt.
module token_bucket
  import switch_pkg::*;
#(
    parameter int BURST_BITS = 16  // bits of the burst, 1 to 24
) (
    input wire logic clk,
    input wire logic rst,

    input wire logic [ RATE_BITS-1:0] cfg_rate,   // bytes a cycle, RATE_FRACTION_BITS of it behind the point
    input wire logic [BURST_BITS-1:0] cfg_burst,  // bytes

    input  wire logic                   charge,
    input  wire logic [LENGTH_BITS-1:0] charge_bytes,
    output logic                        may_pass
);
  if (BURST_BITS < 1 || BURST_BITS > 24) begin : gen_check_burst_bits
    $fatal(1, "BURST_BITS must be 1 to 24 (instance %m)");
  end

  // Wide enough for a burst, a cycle's tokens, and a debt of the longest packet.
  localparam int BYTE_BITS  = (BURST_BITS > LENGTH_BITS ? BURST_BITS : LENGTH_BITS) + 2;
  localparam int TOKEN_BITS = BYTE_BITS + RATE_FRACTION_BITS;

  typedef logic signed [TOKEN_BITS-1:0] tokens_t;

  tokens_t tokens_reg;
  tokens_t income;
  tokens_t spending;
  logic    full_reg;
  logic    running_reg;

  assign income   = full_reg ? tokens_t'(0) : tokens_t'({1'b0, cfg_rate});
  assign spending = charge ? tokens_t'({1'b0, charge_bytes, RATE_FRACTION_BITS'(0)}) : tokens_t'(0);
  assign may_pass = !tokens_reg[TOKEN_BITS-1] && running_reg;

  always_ff @(posedge clk) begin
    tokens_reg  <= tokens_reg + income - spending;
    full_reg    <= tokens_reg >= tokens_t'({1'b0, cfg_burst, RATE_FRACTION_BITS'(0)});
    running_reg <= cfg_rate != '0;
    if (rst) begin
      tokens_reg  <= '0;
      full_reg    <= 1'b0;
      running_reg <= 1'b0;
    end
  end
endmodule

`resetall
