// SPDX-License-Identifier: Apache-2.0
`resetall
`default_nettype none

// The contract of table_rank, for table_rank.sby: of rising boundaries, the occupied ones first, the rank is the number
// of those that are not above the key.
module table_rank_formal #(
    parameter int KEY_BITS = 33,  // as of table_rank
    parameter int SLOTS    = 5    // as of table_rank
) (
    input wire logic                           clk,
    input wire logic [KEY_BITS-1:0]            key,
    input wire logic [SLOTS-1:0]               occupied,
    input wire logic [SLOTS-1:0][KEY_BITS-1:0] boundary
);
  localparam int RANK_BITS = $clog2(SLOTS + 1);
  localparam int CYCLES    = table_lpm_pkg::rank_cycles(KEY_BITS);

  logic [RANK_BITS-1:0] rank;

  table_rank #(
      .KEY_BITS(KEY_BITS),
      .SLOTS   (SLOTS)
  ) dut (
      .clk,
      .key,
      .occupied,
      .boundary,
      .rank
  );

  logic                             in_order;
  logic [RANK_BITS-1:0]             count;
  logic [CYCLES-1:0]                order_reg = '0;
  logic [CYCLES-1:0][RANK_BITS-1:0] count_reg;

  always_comb begin
    in_order = 1'b1;
    count    = '0;
    for (int slot = 0; slot < SLOTS; slot++) begin
      if (occupied[slot] && key >= boundary[slot]) count = count + 1'b1;
      if (slot > 0 && occupied[slot] && (!occupied[slot-1] || boundary[slot] < boundary[slot-1])) in_order = 1'b0;
    end
  end

  always_ff @(posedge clk) begin
    order_reg <= CYCLES'({order_reg, in_order});
    count_reg <= (CYCLES * RANK_BITS)'({count_reg, count});
  end

  always_comb begin
    rank_counts : assert (!order_reg[CYCLES-1] || rank == count_reg[CYCLES-1]);
  end
endmodule

`resetall
