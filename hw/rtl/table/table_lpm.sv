// SPDX-License-Identifier: Apache-2.0
`resetall
`default_nettype none

// Longest-prefix table: the value of the longest prefix that the key begins with.
//
// Prefixes cut the keys into ranges, in each of which one prefix is the longest. A search tree of the ranges' first
// keys finds the range of a key: its root stands in registers, each further level in memories of its own, one for
// each slot of a node, with its comparator. sw/p4sume/control keeps the tree. There are two trees: lookups use one,
// the control plane writes the other, and one command makes them change places, and the root of both the same.
//
// Flow control: a lookup every cycle, never refused. One command at a time: control_valid waits for control_ready,
//   and the answer comes with status_valid, which does not wait.
// Latency: a lookup takes exactly LATENCY_CYCLES (table_lpm_pkg::lpm_latency), at most 16. A command takes less than 30
//   cycles, CLEAR and the reset two for each leaf.
//   SWAP, CLEAR, and SET of a value that the tree in use refers to, take effect in one cycle: lookups before it see
//   the table without the command and lookups from it on with it; the cycle lies between the command's acceptance and
//   its status_valid. NODE changes nothing that lookups see.
// Limits: after a reset and after CLEAR both trees are empty, no slot occupied; every lookup misses, and no command
//   is taken until they are swept. The table does not check the tree that it is given. Values can be read back, nodes
//   cannot. result_value means nothing without result_hit.
module table_lpm
  import table_pkg::*;
  import table_lpm_pkg::*;
#(
    parameter int KEY_BITS       = 32,    // 8 to 128
    parameter int VALUE_BITS     = 32,    // 1 or more
    parameter int ENTRIES        = 1024,  // prefixes, 1 to 16384
    parameter int LATENCY_CYCLES = lpm_latency(KEY_BITS, ENTRIES)  // nothing else: what the user counts on
) (
    input wire logic clk,
    input wire logic rst,

    input wire logic                lookup_valid,
    input wire logic [KEY_BITS-1:0] lookup_key,

    output logic                  result_valid,
    output logic                  result_hit,
    output logic [VALUE_BITS-1:0] result_value,

    input  wire logic                  control_valid,
    output logic                       control_ready,
    input  wire op_t                   control_op,      // SET and READ of a value by index, NODE, SWAP, CLEAR
    input  wire logic [  KEY_BITS-1:0] control_key,     // NODE: the first key of the range that begins in this slot
    input  wire lpm_target_t           control_target,  // NODE: the range's prefix
    input  wire logic [VALUE_BITS-1:0] control_value,   // SET
    input  wire index_t                control_index,   // of a value; NODE: lpm_index_t; SWAP: how many entries there are

    output logic                  status_valid,
    output code_t                 status_code,
    output logic [VALUE_BITS-1:0] status_value,   // READ
    output count_t                status_entries  // always: how many there are, as the last SWAP said
);
  if (KEY_BITS < 8 || KEY_BITS > 128) begin : gen_check_key_bits
    $fatal(1, "KEY_BITS must be from 8 to 128 (instance %m)");
  end
  if (VALUE_BITS < 1) begin : gen_check_value_bits
    $fatal(1, "VALUE_BITS must be 1 or more (instance %m)");
  end
  if (ENTRIES < 1 || ENTRIES > 16384) begin : gen_check_entries
    $fatal(1, "ENTRIES must be from 1 to 16384 (instance %m)");
  end
  if (LATENCY_CYCLES != lpm_latency(KEY_BITS, ENTRIES)) begin : gen_check_latency
    $fatal(1, "LATENCY_CYCLES must be %0d (instance %m)", lpm_latency(KEY_BITS, ENTRIES));
  end

  localparam int LEVELS       = lpm_levels(ENTRIES);
  localparam int LEAVES       = lpm_leaves(ENTRIES);
  localparam int ROOT_SLOTS   = lpm_nodes(ENTRIES, 1) - 1;
  localparam int ROOT_BITS    = $clog2(ROOT_SLOTS + 1);
  localparam int NODE_BITS    = $clog2(LEAVES);
  localparam int VALUE_WORDS  = memory_words(ENTRIES);
  localparam int VALUE_BITS_A = $clog2(VALUE_WORDS);  // of an address
  localparam int VALUE_CYCLES = memory_cycles(VALUE_WORDS);
  localparam int RANK_CYCLES  = rank_cycles(KEY_BITS);
  localparam int RANGES       = LPM_LEAF_SLOTS + 1;

  typedef logic [KEY_BITS-1:0]     table_key_t;
  typedef logic [VALUE_BITS-1:0]   value_t;
  typedef logic [NODE_BITS-1:0]    node_t;
  typedef logic [VALUE_BITS_A-1:0] value_address_t;
  typedef logic [NODE_BITS:0]      sweep_t;  // a tree and a node

  typedef struct packed {
    logic           hit;
    value_address_t index;
  } target_t;

  typedef enum logic [2:0] {
    STATE_SWEEPING,  // every node of both trees, cleared
    STATE_SETTLING,  // until no lookup is under way that began before
    STATE_WAITING,   // for a command
    STATE_WRITING,   // a slot of a node, or a value
    STATE_READING,   // a value
    STATE_ANSWERING
  } state_t;

  localparam int WAIT_BITS = 5;

  state_t               state_reg;
  logic [WAIT_BITS-1:0] wait_reg;  // cycles until what a state waits for is over
  op_t                  op_reg;
  table_key_t           key_reg;
  lpm_target_t          target_reg;
  value_t               value_reg;
  index_t               index_reg;
  code_t                code_reg;
  count_t               entries_reg;
  sweep_t               sweep_reg;
  logic                 swept_reg;
  logic                 tree_reg;  // the one in use

  logic       sweeping;
  logic       write_node;
  logic       swap;
  lpm_index_t place;
  assign sweeping   = state_reg == STATE_SWEEPING;
  assign write_node = state_reg == STATE_WRITING && op_reg == OP_NODE;
  assign swap       = state_reg == STATE_WAITING && control_valid && control_op == OP_SWAP;
  assign place      = lpm_index_t'(index_reg);

  // ---- the tree: at each level the key, the tree and the number of the node that it comes to ----

  table_key_t [LEVELS:0] level_key;
  logic       [LEVELS:0] level_tree;
  node_t      [LEVELS:0] level_node;

  // The root: of the tree in use, and as it will be from the next SWAP on.
  logic [ROOT_SLOTS-1:0]               root_occupied_reg;
  logic [ROOT_SLOTS-1:0][KEY_BITS-1:0] root_boundary_reg;
  logic [ROOT_SLOTS-1:0]               coming_occupied_reg;
  logic [ROOT_SLOTS-1:0][KEY_BITS-1:0] coming_boundary_reg;
  logic [ROOT_BITS-1:0]                root_rank;
  table_key_t                          root_key_reg  [RANK_CYCLES];
  logic                                root_tree_reg [RANK_CYCLES];

  always_ff @(posedge clk) begin
    for (int slot = 0; slot < ROOT_SLOTS; slot++) begin
      if (write_node && place.level == 0 && place.slot == lpm_slot_t'(slot)) begin
        coming_occupied_reg[slot] <= target_reg.occupied;
        coming_boundary_reg[slot] <= key_reg;
      end
    end
    if (swap) begin
      root_occupied_reg <= coming_occupied_reg;
      root_boundary_reg <= coming_boundary_reg;
    end
    if (sweeping) begin
      root_occupied_reg   <= '0;
      coming_occupied_reg <= '0;
    end
  end

  table_rank #(
      .KEY_BITS(KEY_BITS),
      .SLOTS   (ROOT_SLOTS)
  ) root_inst (
      .clk,
      .key     (lookup_key),
      .occupied(root_occupied_reg),
      .boundary(root_boundary_reg),
      .rank    (root_rank)
  );

  always_ff @(posedge clk) begin
    root_key_reg[0]  <= lookup_key;
    root_tree_reg[0] <= tree_reg;
    for (int i = 1; i < RANK_CYCLES; i++) begin
      root_key_reg[i]  <= root_key_reg[i-1];
      root_tree_reg[i] <= root_tree_reg[i-1];
    end
  end
  assign level_key[0]  = root_key_reg[RANK_CYCLES-1];
  assign level_tree[0] = root_tree_reg[RANK_CYCLES-1];
  assign level_node[0] = node_t'(root_rank);

  target_t [RANGES-1:0] leaf_targets;  // beside the rank of the leaf
  logic    [4:0]        leaf_rank;

  for (genvar level = 1; level <= LEVELS; level++) begin : gen_level
    localparam bit IS_LEAF      = level == LEVELS;
    localparam int SLOTS        = IS_LEAF ? LPM_LEAF_SLOTS : LPM_INNER_SLOTS;
    localparam int NODES        = lpm_nodes(ENTRIES, level);
    localparam int ADDRESS_BITS = $clog2(NODES) + 1;
    localparam int READ_CYCLES  = memory_cycles(2 * NODES);
    localparam int CYCLES       = READ_CYCLES + RANK_CYCLES;

    typedef logic [ADDRESS_BITS-1:0] address_t;

    address_t read_address;
    address_t write_address;
    logic     write_here;
    assign read_address  = {level_tree[level-1], level_node[level-1][ADDRESS_BITS-2:0]};
    assign write_address = sweeping ? address_t'(sweep_reg) : {!tree_reg, place.node[ADDRESS_BITS-2:0]};
    assign write_here    = write_node && place.level == 2'(level);

    logic [SLOTS-1:0]                occupied;
    logic [SLOTS-1:0][KEY_BITS-1:0]  boundary;
    logic [$clog2(SLOTS+1)-1:0]      rank;

    // The resets keep the registers in front of logic flip-flops: shift-register LUTs are too slow there.
    table_key_t key_line_reg  [CYCLES];
    logic       tree_line_reg [CYCLES];
    node_t      node_line_reg [CYCLES];
    always_ff @(posedge clk) begin
      key_line_reg[0]  <= level_key[level-1];
      tree_line_reg[0] <= level_tree[level-1];
      node_line_reg[0] <= level_node[level-1];
      for (int i = 1; i < CYCLES; i++) begin
        key_line_reg[i]  <= key_line_reg[i-1];
        tree_line_reg[i] <= tree_line_reg[i-1];
        node_line_reg[i] <= node_line_reg[i-1];
      end
      if (rst) begin
        key_line_reg[READ_CYCLES-1] <= '0;
      end
    end
    assign level_key[level]  = key_line_reg[CYCLES-1];
    assign level_tree[level] = tree_line_reg[CYCLES-1];
    assign level_node[level] = IS_LEAF ? '0 : node_t'({node_line_reg[CYCLES-1], rank[3:0]});

    table_rank #(
        .KEY_BITS(KEY_BITS),
        .SLOTS   (SLOTS)
    ) rank_inst (
        .clk,
        .key     (key_line_reg[READ_CYCLES-1]),
        .occupied(occupied),
        .boundary(boundary),
        .rank    (rank)
    );

    if (IS_LEAF) begin : gen_leaf
      typedef struct packed {
        logic       occupied;
        table_key_t key;
        target_t    target;
      } slot_t;

      slot_t write_slot;
      assign write_slot = sweeping ? '0 : slot_t'{
          occupied: target_reg.occupied,
          key: key_reg,
          target: target_t'{hit: target_reg.hit, index: value_address_t'(target_reg.index)}
      };

      target_t [RANGES-1:0] targets;
      target_t              unused_first;

      table_memory #(
          .DEPTH_WORDS(2 * NODES),
          .WORD_BITS  ($bits(target_t))
      ) first_inst (
          .clk,
          .a_address   (read_address),
          .a_word      (targets[0]),
          .b_address   (write_address),
          .b_write     (sweeping || (write_here && place.slot == LPM_FIRST)),
          .b_write_word(write_slot.target),
          .b_word      (unused_first)
      );
      wire first_unused = &{1'b0, unused_first};

      for (genvar slot = 0; slot < SLOTS; slot++) begin : gen_slot
        slot_t read_slot;
        slot_t unused_slot;
        table_memory #(
            .DEPTH_WORDS(2 * NODES),
            .WORD_BITS  ($bits(slot_t))
        ) slot_inst (
            .clk,
            .a_address   (read_address),
            .a_word      (read_slot),
            .b_address   (write_address),
            .b_write     (sweeping || (write_here && place.slot == lpm_slot_t'(slot))),
            .b_write_word(write_slot),
            .b_word      (unused_slot)
        );
        assign occupied[slot]  = read_slot.occupied;
        assign boundary[slot]  = read_slot.key;
        assign targets[slot+1] = read_slot.target;
        wire slot_unused = &{1'b0, unused_slot};
      end

      target_t [RANGES-1:0] target_line_reg [RANK_CYCLES];
      always_ff @(posedge clk) begin
        target_line_reg[0] <= targets;
        for (int i = 1; i < RANK_CYCLES; i++) target_line_reg[i] <= target_line_reg[i-1];
        if (rst) begin
          target_line_reg[RANK_CYCLES-1] <= '0;
        end
      end
      assign leaf_targets = target_line_reg[RANK_CYCLES-1];
      assign leaf_rank    = rank;
    end else begin : gen_inner
      typedef struct packed {
        logic       occupied;
        table_key_t key;
      } slot_t;

      slot_t write_slot;
      assign write_slot = sweeping ? '0 : slot_t'{occupied: target_reg.occupied, key: key_reg};

      for (genvar slot = 0; slot < SLOTS; slot++) begin : gen_slot
        slot_t read_slot;
        slot_t unused_slot;
        table_memory #(
            .DEPTH_WORDS(2 * NODES),
            .WORD_BITS  ($bits(slot_t))
        ) slot_inst (
            .clk,
            .a_address   (read_address),
            .a_word      (read_slot),
            .b_address   (write_address),
            .b_write     (sweeping || (write_here && place.slot == lpm_slot_t'(slot))),
            .b_write_word(write_slot),
            .b_word      (unused_slot)
        );
        assign occupied[slot] = read_slot.occupied;
        assign boundary[slot] = read_slot.key;
        wire slot_unused = &{1'b0, unused_slot};
      end
    end
  end
  wire unused = &{1'b0, level_key[LEVELS], level_tree[LEVELS], level_node, place.unused};

  // ---- the value ----

  target_t target_found_reg;
  always_ff @(posedge clk) begin
    target_found_reg     <= leaf_targets[leaf_rank];
    target_found_reg.hit <= leaf_targets[leaf_rank].hit && swept_reg;
  end

  value_t read_value;
  table_memory #(
      .DEPTH_WORDS(VALUE_WORDS),
      .WORD_BITS  (VALUE_BITS)
  ) value_inst (
      .clk,
      .a_address   (target_found_reg.index),
      .a_word      (result_value),
      .b_address   (value_address_t'(index_reg)),
      .b_write     (state_reg == STATE_WRITING && op_reg == OP_SET),
      .b_write_word(value_reg),
      .b_word      (read_value)
  );

  logic [VALUE_CYCLES-1:0]   hit_line_reg;
  logic [LATENCY_CYCLES-1:0] valid_line_reg;
  assign result_hit   = hit_line_reg[VALUE_CYCLES-1];
  assign result_valid = valid_line_reg[LATENCY_CYCLES-1];
  always_ff @(posedge clk) begin
    hit_line_reg   <= VALUE_CYCLES'({hit_line_reg, target_found_reg.hit});
    valid_line_reg <= LATENCY_CYCLES'({valid_line_reg, lookup_valid});
    if (rst) begin
      valid_line_reg <= '0;
    end
  end

  // ---- commands ----

  lpm_index_t asked_place;
  assign asked_place = lpm_index_t'(control_index);

  // A slot that there is.
  logic is_slot;
  always_comb begin
    is_slot = asked_place.level == 0 && asked_place.node == 0 && int'(asked_place.slot) < ROOT_SLOTS;
    for (int level = 1; level <= LEVELS; level++) begin
      if (asked_place.level == 2'(level) && int'(asked_place.node) < lpm_nodes(ENTRIES, level)) begin
        is_slot = int'(asked_place.slot) < (level == LEVELS ? LPM_LEAF_SLOTS : LPM_INNER_SLOTS) ||
            (level == LEVELS && asked_place.slot == LPM_FIRST);
      end
    end
    if (asked_place.unused) is_slot = 1'b0;
  end

  assign control_ready  = state_reg == STATE_WAITING;
  assign status_valid   = state_reg == STATE_ANSWERING;
  assign status_code    = code_reg;
  assign status_value   = read_value;
  assign status_entries = entries_reg;

  always_ff @(posedge clk) begin
    wait_reg <= wait_reg - WAIT_BITS'(wait_reg != 0);
    case (state_reg)
      STATE_SWEEPING: begin
        sweep_reg <= sweep_reg + 1'b1;
        wait_reg  <= WAIT_BITS'(LATENCY_CYCLES);
        if (&sweep_reg) state_reg <= STATE_SETTLING;
      end

      STATE_SETTLING: begin
        if (wait_reg == 0) begin
          swept_reg <= 1'b1;
          state_reg <= op_reg == OP_NODE ? STATE_WAITING : STATE_ANSWERING;
        end
      end

      STATE_WAITING: begin
        op_reg     <= control_op;
        key_reg    <= control_key;
        target_reg <= control_target;
        value_reg  <= control_value;
        index_reg  <= control_index;
        code_reg   <= CODE_OK;
        wait_reg   <= WAIT_BITS'(LATENCY_CYCLES);
        if (control_valid) begin
          code_reg  <= CODE_BAD_REQUEST;
          state_reg <= STATE_ANSWERING;
          case (control_op)
            OP_SET, OP_READ:
            if (control_index < index_t'(ENTRIES)) begin
              code_reg  <= CODE_OK;
              state_reg <= control_op == OP_SET ? STATE_WRITING : STATE_READING;
            end
            OP_NODE:
            if (is_slot) begin
              code_reg  <= CODE_OK;
              state_reg <= STATE_WRITING;
            end
            OP_SWAP: begin
              code_reg    <= CODE_OK;
              tree_reg    <= !tree_reg;
              entries_reg <= count_t'(control_index);
              state_reg   <= STATE_SETTLING;
            end
            OP_CLEAR: begin
              code_reg    <= CODE_OK;
              swept_reg   <= 1'b0;
              entries_reg <= '0;
              state_reg   <= STATE_SWEEPING;
            end
            default: ;
          endcase
        end
      end

      STATE_WRITING: state_reg <= STATE_ANSWERING;

      STATE_READING: if (wait_reg == 0) state_reg <= STATE_ANSWERING;

      STATE_ANSWERING: state_reg <= STATE_WAITING;

      default: state_reg <= STATE_WAITING;
    endcase

    if (rst) begin
      op_reg      <= OP_NODE;  // nobody waits for an answer
      entries_reg <= '0;
      sweep_reg   <= '0;
      swept_reg   <= 1'b0;
      tree_reg    <= 1'b0;
      state_reg   <= STATE_SWEEPING;
    end
  end
endmodule

`resetall
