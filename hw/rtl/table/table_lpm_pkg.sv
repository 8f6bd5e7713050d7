// SPDX-License-Identifier: Apache-2.0
`resetall
`default_nettype none

// Commands that table_lpm alone has, and its sizes and latency, as they follow from its parameters.
package table_lpm_pkg;
  import table_pkg::*;

  // table_rank uses only some of these.
  // verilator lint_off UNUSEDPARAM

  // Further operations.
  localparam op_t OP_NODE = 3'd4;  // one slot of a node of the tree that is not in use
  localparam op_t OP_SWAP = 3'd5;  // the trees change places

  // table_rank: the comparison of a wide key takes a cycle of its own.
  localparam int RANK_ONCE_BITS  = 16;  // as wide as a key may be that is compared in one cycle
  localparam int RANK_GROUP_BITS = 64;  // that are compared in one go where a key takes two cycles

  function automatic int rank_cycles(input int key_bits);
    return key_bits > RANK_ONCE_BITS ? 2 : 1;
  endfunction

  localparam int LPM_LEAF_SLOTS  = 16;  // boundaries in a leaf, which has one range more
  localparam int LPM_INNER_SLOTS = 15;  // in a node above, which has one child more

  typedef logic [4:0] lpm_slot_t;
  localparam lpm_slot_t LPM_FIRST = 5'd31;  // names the range of a leaf that begins before its first boundary

  // What control_index is in OP_NODE.
  typedef struct packed {
    logic        unused;
    logic [1:0]  level;  // 0 is the root, lpm_levels the leaves
    lpm_slot_t   slot;
    logic [11:0] node;   // its number in its level
  } lpm_index_t;

  // What control_target is.
  typedef struct packed {
    logic        occupied;  // there is a boundary in this slot
    logic        hit;       // of a leaf: a prefix covers the range that begins here
    logic [13:0] index;     // of a leaf: where that prefix's value is
  } lpm_target_t;

  // Leaves that hold the ranges of the worst set of prefixes, in which no two share a boundary.
  function automatic int lpm_leaves(input int entries);
    int least;
    least = (2 * entries + 1 + LPM_LEAF_SLOTS) / (LPM_LEAF_SLOTS + 1);
    return least > 2 ? 2 ** $clog2(least) : 2;
  endfunction

  // Levels below the root, the leaves included.
  function automatic int lpm_levels(input int entries);
    return lpm_leaves(entries) > 256 ? 3 : lpm_leaves(entries) > 16 ? 2 : 1;
  endfunction

  function automatic int lpm_nodes(input int entries, input int level);
    return lpm_leaves(entries) >> (4 * (lpm_levels(entries) - level));
  endfunction

  function automatic int lpm_latency(input int key_bits, input int entries);
    int cycles;
    cycles = rank_cycles(key_bits);
    for (int level = 1; level <= lpm_levels(entries); level++) begin
      cycles = cycles + memory_cycles(2 * lpm_nodes(entries, level)) + rank_cycles(key_bits);
    end
    return cycles + 1 + memory_cycles(memory_words(entries));
  endfunction
  // verilator lint_on UNUSEDPARAM
endpackage

`resetall
