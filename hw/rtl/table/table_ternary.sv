// SPDX-License-Identifier: Apache-2.0
`resetall
`default_nettype none

// Ternary table: the first row, by its number, whose key agrees with the looked-up one in the bits of its mask.
//
// The rows match in distributed RAM: for five bits of the key a word says which of six rows they fit. To write a row
// takes a pass over these words. Meanwhile, a comparator made of registers stands in for a row that was in use, with
// its old key and mask, so that lookups see nothing of the pass; then it steps back, in one cycle.
//
// Flow control: a lookup every cycle, never refused. One command at a time: control_valid waits for control_ready,
//   and the answer comes with status_valid, which does not wait.
// Latency: a lookup takes exactly LATENCY_CYCLES (table_ternary_pkg::ternary_latency). SET takes some 200 cycles and one for
//   each six rows, the other commands less than ten and as many for the rows.
//   Each command takes effect in one cycle: lookups before it see the table without the command and lookups from it
//   on with it; the cycle lies between the command's acceptance and its status_valid.
// Limits: a row has the number that the control plane gives it; sw/p4sume/control keeps priorities in order. A range
//   takes several rows. result_value means nothing without result_hit.
module table_ternary
  import table_pkg::*;
  import table_ternary_pkg::*;
#(
    parameter int KEY_BITS       = 32,  // 1 to 512
    parameter int VALUE_BITS     = 32,  // 1 or more
    parameter int ENTRIES        = 32,  // rows, 1 to 512
    parameter int LATENCY_CYCLES = ternary_latency(ENTRIES)  // nothing else: what the user counts on
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
    input  wire op_t                   control_op,     // SET, DELETE and READ by index, CLEAR
    input  wire logic [  KEY_BITS-1:0] control_key,
    input  wire logic [  KEY_BITS-1:0] control_mask,   // one: this bit of the key counts
    input  wire logic [VALUE_BITS-1:0] control_value,
    input  wire index_t                control_index,  // of a row

    output logic                  status_valid,
    output code_t                 status_code,
    output logic                  status_occupied,  // READ: the row holds an entry, which the next three are
    output logic [  KEY_BITS-1:0] status_key,
    output logic [  KEY_BITS-1:0] status_mask,
    output logic [VALUE_BITS-1:0] status_value,
    output count_t                status_entries    // always: how many rows are occupied
);
  if (KEY_BITS < 1 || KEY_BITS > 512) begin : gen_check_key_bits
    $fatal(1, "KEY_BITS must be from 1 to 512 (instance %m)");
  end
  if (VALUE_BITS < 1) begin : gen_check_value_bits
    $fatal(1, "VALUE_BITS must be 1 or more (instance %m)");
  end
  if (ENTRIES < 1 || ENTRIES > 512) begin : gen_check_entries
    $fatal(1, "ENTRIES must be from 1 to 512 (instance %m)");
  end
  if (LATENCY_CYCLES != ternary_latency(ENTRIES)) begin : gen_check_latency
    $fatal(1, "LATENCY_CYCLES must be %0d (instance %m)", ternary_latency(ENTRIES));
  end

  localparam int CHUNK_BITS    = 5;  // of the key, that a word of distributed RAM is asked with
  localparam int CHUNK_VALUES  = 2 ** CHUNK_BITS;
  localparam int CHUNKS        = (KEY_BITS + CHUNK_BITS - 1) / CHUNK_BITS;
  localparam int GROUP_ROWS    = 6;  // that one word is about
  localparam int GROUPS        = (ENTRIES + GROUP_ROWS - 1) / GROUP_ROWS;
  localparam int BUNDLE_CHUNKS = 6;  // that are joined in the first stage
  localparam int BUNDLES       = (CHUNKS + BUNDLE_CHUNKS - 1) / BUNDLE_CHUNKS;
  localparam int PADDED_BITS   = CHUNKS * CHUNK_BITS;
  localparam int ROW_BITS      = ENTRIES > 1 ? $clog2(ENTRIES) : 1;
  localparam int GROUP_BITS    = GROUPS > 1 ? $clog2(GROUPS) : 1;
  localparam int VALUE_WORDS   = memory_words(ENTRIES);
  localparam int VALUE_CYCLES  = memory_cycles(VALUE_WORDS);
  localparam int RULE_WORDS    = 8 * 2 ** GROUP_BITS;
  localparam int RULE_CYCLES   = 2;  // from the number of a row to its key and mask
  localparam logic [2:0] LAST_MEMBER = 3'(GROUP_ROWS - 1);

  typedef logic [KEY_BITS-1:0]    table_key_t;
  typedef logic [VALUE_BITS-1:0]  value_t;
  typedef logic [PADDED_BITS-1:0] padded_t;
  typedef logic [GROUP_ROWS-1:0]  group_t;
  typedef logic [ROW_BITS-1:0]    row_t;
  typedef logic [GROUP_BITS-1:0]  group_number_t;
  typedef logic [2:0]             member_t;  // a row's place in its group
  typedef logic [CHUNK_BITS-1:0]  chunk_t;

  typedef struct packed {
    table_key_t key;
    table_key_t mask;
  } rule_t;

  typedef enum logic [2:0] {
    STATE_WAITING,    // for a command
    STATE_DIVIDING,   // the row's number by the rows of a group
    STATE_FETCHING,   // the row as it is
    STATE_COVERING,   // it by the comparator
    STATE_WRITING,    // the words of its group
    STATE_SWITCHING,  // to the row as it shall be
    STATE_STORING,    // its value, when the first lookup that sees the row asks for it
    STATE_ANSWERING
  } state_t;

  localparam int WAIT_BITS = 3;

  state_t               state_reg;
  logic [WAIT_BITS-1:0] wait_reg;  // cycles until what a state waits for is there
  op_t                  op_reg;
  rule_t                rule_reg;
  value_t               value_reg;
  code_t                code_reg;
  count_t               entries_reg;
  row_t                 row_reg;
  row_t                 rest_reg;
  group_number_t        group_reg;
  logic [ENTRIES-1:0]   occupied_reg;
  logic [ENTRIES-1:0]   covered_reg;
  rule_t                cover_reg;

  logic store;
  assign store = state_reg == STATE_STORING && wait_reg == 0;

  // ---- the pass over the words of a group ----

  typedef struct packed {
    logic    valid;
    chunk_t  chunk;   // value of the key's bits
    member_t member;  // row of the group
  } step_t;

  step_t step_reg;
  step_t read_step_reg;
  step_t rule_step_reg;
  step_t word_step_reg;

  (* ram_style = "auto" *)
  rule_t rules [RULE_WORDS];  // key and mask of each row
  rule_t rule_read_reg;
  rule_t rule_word_reg;
  always_ff @(posedge clk) begin
    if (store) begin
      rules[{group_reg, member_t'(rest_reg)}] <= rule_reg;
    end
    rule_read_reg <= rules[{group_reg, step_reg.valid ? step_reg.member : member_t'(rest_reg)}];
    rule_word_reg <= rule_read_reg;
  end

  rule_t   member_rule;
  padded_t member_key;
  padded_t member_mask;
  assign member_rule = rule_step_reg.member == member_t'(rest_reg) ? rule_reg : rule_word_reg;
  assign member_key  = padded_t'(member_rule.key);
  assign member_mask = padded_t'(member_rule.mask);

  group_t [CHUNKS-1:0] word_reg;
  always_ff @(posedge clk) begin
    for (int chunk = 0; chunk < CHUNKS; chunk++) begin
      if (rule_step_reg.valid) begin
        word_reg[chunk][rule_step_reg.member] <=
            ((rule_step_reg.chunk ^ member_key[chunk*CHUNK_BITS+:CHUNK_BITS]) &
             member_mask[chunk*CHUNK_BITS+:CHUNK_BITS]) == '0;
      end
    end
  end

  logic word_write;
  assign word_write = word_step_reg.valid && word_step_reg.member == LAST_MEMBER;

  // ---- lookup ----

  padded_t                               asked;
  logic [GROUPS*GROUP_ROWS-1:0][BUNDLES-1:0] part_reg;
  assign asked = padded_t'(lookup_key);

  for (genvar group = 0; group < GROUPS; group++) begin : gen_group
    group_t [BUNDLES*BUNDLE_CHUNKS-1:0] fits;
    for (genvar chunk = 0; chunk < BUNDLES * BUNDLE_CHUNKS; chunk++) begin : gen_chunk
      if (chunk < CHUNKS) begin : gen_used
        (* ram_style = "distributed" *)
        group_t words [CHUNK_VALUES];
        always_ff @(posedge clk) begin
          if (word_write && group_reg == group_number_t'(group)) begin
            words[word_step_reg.chunk] <= word_reg[chunk];
          end
        end
        assign fits[chunk] = words[asked[chunk*CHUNK_BITS+:CHUNK_BITS]];
      end else begin : gen_unused
        assign fits[chunk] = '1;
      end
    end
    for (genvar member = 0; member < GROUP_ROWS; member++) begin : gen_member
      for (genvar bundle = 0; bundle < BUNDLES; bundle++) begin : gen_bundle
        logic [BUNDLE_CHUNKS-1:0] bundled;
        for (genvar i = 0; i < BUNDLE_CHUNKS; i++) begin : gen_bit
          assign bundled[i] = fits[bundle*BUNDLE_CHUNKS+i][member];
        end
        always_ff @(posedge clk) part_reg[group*GROUP_ROWS+member][bundle] <= &bundled;
      end
    end
  end

  // The comparator that stands in for a row while it is written.
  localparam int BUNDLE_BITS = BUNDLE_CHUNKS * CHUNK_BITS;
  logic [BUNDLES*BUNDLE_BITS-1:0] cover_differs;
  logic [BUNDLES-1:0]             cover_part_reg;
  table_key_t                     cover_difference;
  assign cover_difference = (lookup_key ^ cover_reg.key) & cover_reg.mask;
  assign cover_differs    = (BUNDLES * BUNDLE_BITS)'(cover_difference);
  always_ff @(posedge clk) begin
    for (int bundle = 0; bundle < BUNDLES; bundle++) begin
      cover_part_reg[bundle] <= cover_differs[bundle*BUNDLE_BITS+:BUNDLE_BITS] == '0;
    end
  end

  logic [ENTRIES-1:0] match_reg;
  always_ff @(posedge clk) begin
    for (int row = 0; row < ENTRIES; row++) begin
      match_reg[row] <= occupied_reg[row] && (covered_reg[row] ? &cover_part_reg : &part_reg[row]);
    end
  end
  wire unused = &{1'b0, part_reg};  // the last group has places for more rows than there are

  logic any;
  row_t first;
  table_priority #(
      .WIDTH(ENTRIES)
  ) priority_inst (
      .clk,
      .request(match_reg),
      .any,
      .index  (first)
  );

  typedef logic [$clog2(VALUE_WORDS)-1:0] value_address_t;
  value_t row_value;
  table_memory #(
      .DEPTH_WORDS(VALUE_WORDS),
      .WORD_BITS  (VALUE_BITS)
  ) value_inst (
      .clk,
      .a_address   (value_address_t'(first)),
      .a_word      (result_value),
      .b_address   (value_address_t'(row_reg)),
      .b_write     (store),
      .b_write_word(value_reg),
      .b_word      (row_value)
  );

  logic [VALUE_CYCLES-1:0]   hit_line_reg;
  logic [LATENCY_CYCLES-1:0] valid_line_reg;
  assign result_hit   = hit_line_reg[VALUE_CYCLES-1];
  assign result_valid = valid_line_reg[LATENCY_CYCLES-1];
  always_ff @(posedge clk) begin
    hit_line_reg   <= VALUE_CYCLES'({hit_line_reg, any});
    valid_line_reg <= LATENCY_CYCLES'({valid_line_reg, lookup_valid});
    if (rst) begin
      valid_line_reg <= '0;
    end
  end

  // ---- commands ----

  assign control_ready   = state_reg == STATE_WAITING;
  assign status_valid    = state_reg == STATE_ANSWERING;
  assign status_code     = code_reg;
  assign status_occupied = occupied_reg[row_reg];
  assign status_key      = rule_word_reg.key;
  assign status_mask     = rule_word_reg.mask;
  assign status_value    = row_value;
  assign status_entries  = entries_reg;

  always_ff @(posedge clk) begin
    wait_reg      <= wait_reg - WAIT_BITS'(wait_reg != 0);
    read_step_reg <= step_reg;
    rule_step_reg <= read_step_reg;
    word_step_reg <= rule_step_reg;

    case (state_reg)
      STATE_WAITING: begin
        op_reg         <= control_op;
        rule_reg       <= '{key: control_key, mask: control_mask};
        value_reg      <= control_value;
        code_reg       <= CODE_OK;
        row_reg        <= row_t'(control_index);
        rest_reg       <= row_t'(control_index);
        group_reg      <= '0;
        step_reg.valid <= 1'b0;
        if (control_valid) begin
          case (control_op)
            OP_SET, OP_DELETE, OP_READ: begin
              if (control_index < index_t'(ENTRIES)) begin
                state_reg <= STATE_DIVIDING;
              end else begin
                code_reg  <= CODE_BAD_REQUEST;
                state_reg <= STATE_ANSWERING;
              end
            end
            OP_CLEAR: begin
              occupied_reg <= '0;
              entries_reg  <= '0;
              state_reg    <= STATE_ANSWERING;
            end
            default: begin
              code_reg  <= CODE_BAD_REQUEST;
              state_reg <= STATE_ANSWERING;
            end
          endcase
        end
      end

      STATE_DIVIDING: begin
        wait_reg <= WAIT_BITS'(RULE_CYCLES);
        if (ENTRIES > GROUP_ROWS && rest_reg > row_t'(LAST_MEMBER)) begin
          rest_reg  <= rest_reg - row_t'(GROUP_ROWS);
          group_reg <= group_reg + 1'b1;
        end else begin
          state_reg <= STATE_FETCHING;
        end
      end

      STATE_FETCHING: begin
        cover_reg <= rule_word_reg;
        if (wait_reg == 0) begin
          wait_reg  <= WAIT_BITS'(1);
          state_reg <= STATE_COVERING;
          if (op_reg == OP_READ) begin
            state_reg <= STATE_ANSWERING;
          end
          if (op_reg == OP_DELETE) begin
            state_reg <= STATE_ANSWERING;
            if (occupied_reg[row_reg]) begin
              occupied_reg[row_reg] <= 1'b0;
              entries_reg           <= entries_reg - 1'b1;
            end else begin
              code_reg <= CODE_NOT_FOUND;
            end
          end
        end
      end

      // The comparator has had a cycle for the lookups that reach the rows' last stage in the next one.
      STATE_COVERING: begin
        step_reg <= '{valid: 1'b1, chunk: '0, member: '0};
        if (wait_reg == 0) begin
          covered_reg[row_reg] <= 1'b1;
          state_reg            <= STATE_WRITING;
        end else begin
          step_reg.valid <= 1'b0;
        end
      end

      STATE_WRITING: begin
        if (step_reg.member == LAST_MEMBER) begin
          step_reg.member <= '0;
          step_reg.chunk  <= step_reg.chunk + 1'b1;
          if (&step_reg.chunk) step_reg.valid <= 1'b0;
        end else begin
          step_reg.member <= step_reg.member + 1'b1;
        end
        if (word_write && &word_step_reg.chunk) begin
          wait_reg  <= WAIT_BITS'(1);
          state_reg <= STATE_SWITCHING;
        end
      end

      // In the next cycle the row's own words, all written, decide. The lookup that they decide on then reads the
      // row's value when it has passed the priorities.
      STATE_SWITCHING: begin
        if (wait_reg == 0) begin
          covered_reg[row_reg]  <= 1'b0;
          occupied_reg[row_reg] <= 1'b1;
          if (!occupied_reg[row_reg]) entries_reg <= entries_reg + 1'b1;
          wait_reg  <= WAIT_BITS'(priority_cycles(ENTRIES));
          state_reg <= STATE_STORING;
        end
      end

      STATE_STORING: if (store) state_reg <= STATE_ANSWERING;

      STATE_ANSWERING: state_reg <= STATE_WAITING;

      default: state_reg <= STATE_WAITING;
    endcase

    if (rst) begin
      occupied_reg   <= '0;
      covered_reg    <= '0;
      entries_reg    <= '0;
      step_reg.valid <= 1'b0;
      state_reg      <= STATE_WAITING;
    end
  end
endmodule

`resetall
