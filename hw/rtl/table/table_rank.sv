// SPDX-License-Identifier: Apache-2.0
`resetall
`default_nettype none

// Finds the range that a key is in, among ranges that begin at given boundaries: how many of these are not above it.
//
// Flow control: none; a key every cycle.
// Latency: table_lpm_pkg::rank_cycles.
// Limits: boundaries rise from slot 0 on, and the occupied slots are the first ones; else the rank is another.
module table_rank
  import table_lpm_pkg::*;
#(
    parameter int KEY_BITS = 32,  // 1 or more
    parameter int SLOTS    = 15   // boundaries, 1 to 31
) (
    input wire logic clk,

    input  wire logic [            KEY_BITS-1:0]               key,
    input  wire logic [               SLOTS-1:0]               occupied,
    input  wire logic [               SLOTS-1:0][KEY_BITS-1:0] boundary,
    output logic      [     $clog2(SLOTS+1)-1:0]               rank
);
  if (KEY_BITS < 1) begin : gen_check_key_bits
    $fatal(1, "KEY_BITS must be 1 or more (instance %m)");
  end
  if (SLOTS < 1 || SLOTS > 31) begin : gen_check_slots
    $fatal(1, "SLOTS must be from 1 to 31 (instance %m)");
  end

  localparam int RANK_BITS = $clog2(SLOTS + 1);

  logic [SLOTS-1:0] reached;  // the boundary is not above the key

  if (rank_cycles(KEY_BITS) == 1) begin : gen_once
    always_comb begin
      for (int slot = 0; slot < SLOTS; slot++) reached[slot] = occupied[slot] && key >= boundary[slot];
    end
  end else begin : gen_twice
    localparam int GROUPS = (KEY_BITS + RANK_GROUP_BITS - 1) / RANK_GROUP_BITS;
    localparam int PADDED = GROUPS * RANK_GROUP_BITS;

    logic [SLOTS-1:0]             occupied_reg;
    logic [SLOTS-1:0][GROUPS-1:0] above_reg;
    logic [SLOTS-1:0][GROUPS-1:0] equal_reg;

    for (genvar slot = 0; slot < SLOTS; slot++) begin : gen_slot
      logic [PADDED-1:0] padded_key;
      logic [PADDED-1:0] padded_boundary;
      always_comb begin
        padded_key                     = '0;
        padded_boundary                = '0;
        padded_key[KEY_BITS-1:0]       = key;
        padded_boundary[KEY_BITS-1:0]  = boundary[slot];
      end
      always_ff @(posedge clk) begin
        occupied_reg[slot] <= occupied[slot];
        for (int group = 0; group < GROUPS; group++) begin
          if (group == 0) begin  // below it there is nothing that could decide
            above_reg[slot][group] <= padded_key[group*RANK_GROUP_BITS+:RANK_GROUP_BITS] >=
                padded_boundary[group*RANK_GROUP_BITS+:RANK_GROUP_BITS];
          end else begin
            above_reg[slot][group] <= padded_key[group*RANK_GROUP_BITS+:RANK_GROUP_BITS] >
                padded_boundary[group*RANK_GROUP_BITS+:RANK_GROUP_BITS];
          end
          equal_reg[slot][group] <= padded_key[group*RANK_GROUP_BITS+:RANK_GROUP_BITS] ==
              padded_boundary[group*RANK_GROUP_BITS+:RANK_GROUP_BITS];
        end
      end
    end

    always_comb begin
      for (int slot = 0; slot < SLOTS; slot++) begin
        reached[slot] = 1'b0;
        for (int group = 0; group < GROUPS; group++) begin
          reached[slot] = above_reg[slot][group] || (equal_reg[slot][group] && reached[slot]);
        end
        reached[slot] = reached[slot] && occupied_reg[slot];
      end
    end
  end

  // Where those that are reached end.
  logic [RANK_BITS-1:0] end_of_reached;
  always_comb begin
    end_of_reached = '0;
    for (int slot = 0; slot < SLOTS; slot++) begin
      if (reached[slot] && (slot == SLOTS - 1 || !reached[(slot+1)%SLOTS])) begin
        end_of_reached = end_of_reached | RANK_BITS'(unsigned'(slot + 1));
      end
    end
  end

  always_ff @(posedge clk) rank <= end_of_reached;
endmodule

`resetall
