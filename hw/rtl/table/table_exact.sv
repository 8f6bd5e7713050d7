// SPDX-License-Identifier: Apache-2.0
`resetall
`default_nettype none

// Exact-match table: a key is found, with its value, if it was set and not deleted.
//
// A cuckoo hash table: each of several ways has one row for a key, at the place that its hash says. A new key goes
// into any of its rows that is free. If none is, a path is searched, breadth first, along which keys can step to
// another of their rows until one is free; then they step from its end on, each by a copy that is written before
// the old row is overwritten. So no lookup ever misses a key that is there.
//
// Flow control: a lookup every cycle, never refused. One command at a time: control_valid waits for control_ready,
//   and the answer comes with status_valid, which does not wait.
// Latency: a lookup takes exactly LATENCY_CYCLES (table_exact_pkg::exact_latency). A command takes some thirty cycles, SET
//   with a long path some thousand, CLEAR and the reset one for each row of a way.
//   Each command takes effect in one cycle: lookups before it see the table without the command and lookups from it
//   on with it; the cycle lies between the command's acceptance and its status_valid.
// Limits: holds ENTRIES keys; SET of one more answers FULL and changes nothing. It does so too if it finds no path
//   among NODES rows, which was not seen in any of the fills that README.md lists. result_value means nothing
//   without result_hit. Until the sweep after a reset has ended every lookup misses and no command is taken.
module table_exact
  import table_pkg::*;
  import table_exact_pkg::*;
#(
    parameter int KEY_BITS       = 48,           // 1 to 512
    parameter int VALUE_BITS     = 32,           // 1 or more
    parameter int ENTRIES        = 1024,         // keys it holds, 1 to 65536
    parameter int HASH_SEED      = 1779033703,  // any; another seed lays the keys out in another way
    parameter int LATENCY_CYCLES = exact_latency(KEY_BITS, ENTRIES)  // nothing else: what the user counts on
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
    input  wire op_t                   control_op,     // SET and DELETE by key, READ by index, CLEAR
    input  wire logic [  KEY_BITS-1:0] control_key,
    input  wire logic [VALUE_BITS-1:0] control_value,
    input  wire index_t                control_index,  // of a row: way, then place

    output logic                  status_valid,
    output code_t                 status_code,
    output logic                  status_occupied,  // READ: the row holds an entry, which the next two are
    output logic [  KEY_BITS-1:0] status_key,
    output logic [VALUE_BITS-1:0] status_value,
    output count_t                status_entries    // always: how many keys are in
);
  if (KEY_BITS < 1 || KEY_BITS > 512) begin : gen_check_key_bits
    $fatal(1, "KEY_BITS must be from 1 to 512 (instance %m)");
  end
  if (VALUE_BITS < 1) begin : gen_check_value_bits
    $fatal(1, "VALUE_BITS must be 1 or more (instance %m)");
  end
  if (ENTRIES < 1 || ENTRIES > 65536) begin : gen_check_entries
    $fatal(1, "ENTRIES must be from 1 to 65536 (instance %m)");
  end
  if (LATENCY_CYCLES != exact_latency(KEY_BITS, ENTRIES)) begin : gen_check_latency
    $fatal(1, "LATENCY_CYCLES must be %0d (instance %m)", exact_latency(KEY_BITS, ENTRIES));
  end

  localparam int WAYS          = exact_ways(ENTRIES);
  localparam int ROWS          = exact_rows(ENTRIES);
  localparam int PLACE_BITS    = $clog2(ROWS);
  localparam int WAY_BITS      = $clog2(WAYS);
  localparam int MEMORY_CYCLES = memory_cycles(ROWS);
  localparam int NODES         = 64;  // rows that a search looks at
  localparam int NODE_BITS     = $clog2(NODES);
  localparam int GROUPS        = (KEY_BITS + COMPARE_GROUP_BITS - 1) / COMPARE_GROUP_BITS;
  localparam int KEY_CYCLES    = HASH_CYCLES + MEMORY_CYCLES;  // that a lookup's key waits for its rows
  localparam logic [WAY_BITS-1:0] LAST_WAY = WAY_BITS'(WAYS - 1);

  typedef logic [WAY_BITS-1:0]   way_t;
  typedef logic [PLACE_BITS-1:0] place_t;
  typedef logic [NODE_BITS-1:0]  node_number_t;
  typedef logic [KEY_BITS-1:0]   table_key_t;
  typedef logic [VALUE_BITS-1:0] value_t;
  typedef logic [GROUPS-1:0]     groups_t;

  typedef struct packed {
    logic [1:0] epochs;  // one bit for each epoch: the row holds an entry in that epoch
    table_key_t key;
    value_t     value;
  } row_t;

  typedef struct packed {
    logic         is_root;
    node_number_t parent;
    way_t         way;
    place_t       place;
  } node_t;

  // CLEAR begins another epoch, in which no row holds an entry; the sweep then clears the rows for the epoch after.
  logic epoch_reg;
  logic swept_reg;

  // Equal groups of bits, to be joined by the next stage.
  function automatic groups_t equal_groups(input table_key_t a, input table_key_t b);
    logic [GROUPS*COMPARE_GROUP_BITS-1:0] differ;
    groups_t equal;
    differ = (GROUPS * COMPARE_GROUP_BITS)'(a ^ b);
    for (int group = 0; group < GROUPS; group++) begin
      equal[group] = differ[group*COMPARE_GROUP_BITS+:COMPARE_GROUP_BITS] == '0;
    end
    return equal;
  endfunction

  // ---- rows ----

  place_t [WAYS-1:0] lookup_place;
  row_t              lookup_row   [WAYS];
  place_t            place_reg    [WAYS];  // control side: the place that each way reads or writes
  row_t              place_row    [WAYS];
  logic   [WAYS-1:0] place_write;
  row_t              write_row;

  for (genvar way = 0; way < WAYS; way++) begin : gen_way
    table_memory #(
        .DEPTH_WORDS(ROWS),
        .WORD_BITS  ($bits(row_t))
    ) memory_inst (
        .clk,
        .a_address   (lookup_place[way]),
        .a_word      (lookup_row[way]),
        .b_address   (place_reg[way]),
        .b_write     (place_write[way]),
        .b_write_word(write_row),
        .b_word      (place_row[way])
    );
  end

  // ---- lookup ----

  table_hash #(
      .KEY_BITS  (KEY_BITS),
      .WAYS      (WAYS),
      .PLACE_BITS(PLACE_BITS),
      .SEED      (HASH_SEED)
  ) lookup_hash_inst (
      .clk,
      .key   (lookup_key),
      .places(lookup_place)
  );

  // The reset keeps the last register a flip-flop: a shift-register LUT is too slow in front of a comparison.
  table_key_t key_line_reg [KEY_CYCLES];
  always_ff @(posedge clk) begin
    key_line_reg[0] <= lookup_key;
    for (int i = 1; i < KEY_CYCLES; i++) key_line_reg[i] <= key_line_reg[i-1];
    if (rst) begin
      key_line_reg[KEY_CYCLES-1] <= '0;
    end
  end

  logic   [WAYS-1:0] hit_reg;
  value_t            hit_value_reg [WAYS];

  if (compare_cycles(KEY_BITS) == 1) begin : gen_compare_once
    always_ff @(posedge clk) begin
      for (int way = 0; way < WAYS; way++) begin
        hit_reg[way] <= lookup_row[way].key == key_line_reg[KEY_CYCLES-1] && lookup_row[way].epochs[epoch_reg] &&
            swept_reg;
        hit_value_reg[way] <= lookup_row[way].value;
      end
    end
  end else begin : gen_compare_twice
    groups_t           equal_reg [WAYS];
    logic   [WAYS-1:0] occupied_reg;
    value_t            value_reg [WAYS];
    always_ff @(posedge clk) begin
      for (int way = 0; way < WAYS; way++) begin
        equal_reg[way]     <= equal_groups(lookup_row[way].key, key_line_reg[KEY_CYCLES-1]);
        occupied_reg[way]  <= lookup_row[way].epochs[epoch_reg] && swept_reg;
        value_reg[way]     <= lookup_row[way].value;
        hit_reg[way]       <= &equal_reg[way] && occupied_reg[way];
        hit_value_reg[way] <= value_reg[way];
      end
    end
  end

  // While a key steps it stands in two rows, with the same value.
  value_t found_value;
  always_comb begin
    found_value = '0;
    for (int way = 0; way < WAYS; way++) begin
      if (hit_reg[way]) found_value = found_value | hit_value_reg[way];
    end
  end

  logic [LATENCY_CYCLES-1:0] valid_line_reg;
  assign result_valid = valid_line_reg[LATENCY_CYCLES-1];
  always_ff @(posedge clk) begin
    result_hit     <= |hit_reg;
    result_value   <= found_value;
    valid_line_reg <= LATENCY_CYCLES'({valid_line_reg, lookup_valid});
    if (rst) begin
      valid_line_reg <= '0;
    end
  end

  // ---- commands ----

  typedef enum logic [3:0] {
    STATE_SWEEPING,   // every row of every way, cleared
    STATE_SETTLING,   // until no lookup is under way with a row as it was before
    STATE_WAITING,    // for a command
    STATE_HASHING,    // the command's key, or in a search the key of the row looked at
    STATE_READING,    // the rows of that key
    STATE_PICKING,    // one of them
    STATE_COMPARING,  // with the command's key
    STATE_JUDGING,
    STATE_DECIDING,   // the key is not in the table
    STATE_LISTING,    // the rows of a key as nodes of the search
    STATE_VISITING,   // the next node
    STATE_FETCHING,   // a node's row
    STATE_EXTENDING,  // the search by this row's other rows
    STATE_MOVING,     // a row to a free place, or to one that has moved already
    STATE_STORING,    // the command's own row
    STATE_ANSWERING
  } state_t;

  localparam int WAIT_BITS = 2;

  state_t               state_reg;
  logic [WAIT_BITS-1:0] wait_reg;  // cycles until what a state waits for is there
  op_t                  op_reg;
  table_key_t           key_reg;
  value_t               value_reg;
  code_t                code_reg;
  count_t               entries_reg;
  way_t                 way_reg;
  row_t                 row_reg;
  groups_t              same_reg;
  logic                 found_reg;
  logic                 searching_reg;
  logic                 moving_reg;
  place_t               free_place_reg;  // where the next row on the path goes
  way_t                 free_way_reg;

  logic [WAYS-1:0] is_free;
  way_t            first_free;
  always_comb begin
    first_free = '0;
    for (int way = WAYS - 1; way >= 0; way--) begin
      is_free[way] = !place_row[way].epochs[epoch_reg];
      if (is_free[way]) first_free = way_t'(way);
    end
  end

  // The nodes of a search, in the order in which they are looked at.
  (* ram_style = "distributed" *)
  node_t                nodes [NODES];
  node_t                node_reg;     // the one that is looked at
  logic [NODE_BITS:0]   number_reg;   // its number
  logic [NODE_BITS:0]   listed_reg;   // how many there are
  node_number_t         read_number;
  logic                 node_write;
  logic                 room;

  assign room        = listed_reg != (NODE_BITS + 1)'(NODES);
  assign read_number = moving_reg ? node_reg.parent : number_reg[NODE_BITS-1:0];
  assign node_write  = state_reg == STATE_LISTING && room && !(searching_reg && way_reg == node_reg.way);

  always_ff @(posedge clk) begin
    if (node_write) begin
      nodes[listed_reg[NODE_BITS-1:0]] <= '{
          is_root: !searching_reg,
          parent: number_reg[NODE_BITS-1:0],
          way: way_reg,
          place: place_reg[way_reg]
      };
    end
  end

  place_t [WAYS-1:0] hashed_place;
  table_hash #(
      .KEY_BITS  (KEY_BITS),
      .WAYS      (WAYS),
      .PLACE_BITS(PLACE_BITS),
      .SEED      (HASH_SEED)
  ) control_hash_inst (
      .clk,
      .key   (searching_reg ? row_reg.key : key_reg),
      .places(hashed_place)
  );

  logic is_same;
  assign is_same = &same_reg && row_reg.epochs[epoch_reg];

  row_t own_row;
  assign own_row = '{epochs: {epoch_reg, !epoch_reg}, key: key_reg, value: value_reg};

  always_comb begin
    place_write = '0;
    write_row   = row_reg;
    case (state_reg)
      STATE_SWEEPING: begin
        place_write = '1;
        write_row   = '0;
      end
      STATE_MOVING: place_write[way_reg] = 1'b1;
      STATE_STORING: begin
        place_write[way_reg] = 1'b1;
        write_row            = op_reg == OP_DELETE ? '0 : own_row;
      end
      default: ;
    endcase
  end

  assign control_ready   = state_reg == STATE_WAITING;
  assign status_valid    = state_reg == STATE_ANSWERING;
  assign status_code     = code_reg;
  assign status_occupied = row_reg.epochs[epoch_reg];
  assign status_key      = row_reg.key;
  assign status_value    = row_reg.value;
  assign status_entries  = entries_reg;

  always_ff @(posedge clk) begin
    wait_reg <= wait_reg - WAIT_BITS'(wait_reg != 0);
    case (state_reg)
      STATE_SWEEPING: begin
        for (int way = 0; way < WAYS; way++) place_reg[way] <= place_reg[way] + 1'b1;
        wait_reg <= WAIT_BITS'(MEMORY_CYCLES);
        if (&place_reg[0]) state_reg <= STATE_SETTLING;
      end

      STATE_SETTLING: begin
        if (wait_reg == 0) begin
          swept_reg <= 1'b1;
          state_reg <= swept_reg ? STATE_ANSWERING : STATE_WAITING;
        end
      end

      STATE_WAITING: begin
        op_reg        <= control_op;
        key_reg       <= control_key;
        value_reg     <= control_value;
        code_reg      <= CODE_OK;
        way_reg       <= way_t'(control_index >> PLACE_BITS);
        searching_reg <= 1'b0;
        moving_reg    <= 1'b0;
        for (int way = 0; way < WAYS; way++) place_reg[way] <= place_t'(control_index);
        wait_reg <= WAIT_BITS'(HASH_CYCLES);
        if (control_valid) begin
          case (control_op)
            OP_SET, OP_DELETE: state_reg <= STATE_HASHING;
            OP_READ: begin
              wait_reg <= WAIT_BITS'(MEMORY_CYCLES);
              if (control_index < index_t'(WAYS * ROWS)) begin
                state_reg <= STATE_FETCHING;
              end else begin
                code_reg  <= CODE_BAD_REQUEST;
                state_reg <= STATE_ANSWERING;
              end
            end
            OP_CLEAR: begin
              epoch_reg   <= !epoch_reg;
              entries_reg <= '0;
              for (int way = 0; way < WAYS; way++) place_reg[way] <= '0;
              state_reg <= STATE_SWEEPING;
            end
            default: begin
              code_reg  <= CODE_BAD_REQUEST;
              state_reg <= STATE_ANSWERING;
            end
          endcase
        end
      end

      STATE_HASHING: begin
        if (wait_reg == 0) begin
          for (int way = 0; way < WAYS; way++) place_reg[way] <= hashed_place[way];
          wait_reg  <= WAIT_BITS'(MEMORY_CYCLES);
          state_reg <= STATE_READING;
        end
      end

      STATE_READING: begin
        if (wait_reg == 0) begin
          way_reg   <= '0;
          state_reg <= searching_reg ? STATE_EXTENDING : STATE_PICKING;
        end
      end

      STATE_PICKING: begin
        row_reg   <= place_row[way_reg];
        state_reg <= STATE_COMPARING;
      end

      STATE_COMPARING: begin
        same_reg  <= equal_groups(row_reg.key, key_reg);
        state_reg <= STATE_JUDGING;
      end

      STATE_JUDGING: begin
        found_reg <= is_same;
        if (is_same) begin
          state_reg <= STATE_STORING;
        end else begin
          way_reg   <= way_reg + 1'b1;
          state_reg <= way_reg == LAST_WAY ? STATE_DECIDING : STATE_PICKING;
        end
      end

      STATE_DECIDING: begin
        listed_reg <= '0;
        number_reg <= '0;
        way_reg    <= first_free;
        state_reg  <= STATE_ANSWERING;
        if (op_reg == OP_DELETE) begin
          code_reg <= CODE_NOT_FOUND;
        end else if (entries_reg == count_t'(ENTRIES)) begin
          code_reg <= CODE_FULL;
        end else if (|is_free) begin
          state_reg <= STATE_STORING;
        end else begin
          state_reg <= STATE_LISTING;  // from way 0, since none is free
        end
      end

      STATE_LISTING: begin
        way_reg    <= way_reg + 1'b1;
        listed_reg <= listed_reg + (NODE_BITS + 1)'(node_write);
        if (way_reg == LAST_WAY) begin
          number_reg    <= number_reg + (NODE_BITS + 1)'(searching_reg);
          searching_reg <= 1'b1;
          state_reg     <= STATE_VISITING;
        end
      end

      STATE_VISITING: begin
        node_reg <= nodes[read_number];
        wait_reg <= WAIT_BITS'(MEMORY_CYCLES + 1);
        if (!moving_reg && number_reg == listed_reg) begin
          code_reg  <= CODE_FULL;
          state_reg <= STATE_ANSWERING;
        end else begin
          state_reg <= STATE_FETCHING;
        end
      end

      STATE_FETCHING: begin
        if (op_reg != OP_READ) begin
          for (int way = 0; way < WAYS; way++) place_reg[way] <= node_reg.place;
          way_reg <= node_reg.way;
        end
        if (wait_reg == 0) begin
          row_reg   <= place_row[way_reg];
          wait_reg  <= WAIT_BITS'(HASH_CYCLES);
          state_reg <= op_reg == OP_READ ? STATE_ANSWERING : STATE_HASHING;
          if (moving_reg) begin
            for (int way = 0; way < WAYS; way++) place_reg[way] <= free_place_reg;
            way_reg   <= free_way_reg;
            state_reg <= STATE_MOVING;
          end
        end
      end

      STATE_EXTENDING: begin
        way_reg   <= first_free;
        state_reg <= |is_free ? STATE_MOVING : STATE_LISTING;
      end

      STATE_MOVING: begin
        moving_reg     <= 1'b1;
        free_place_reg <= node_reg.place;
        free_way_reg   <= node_reg.way;
        for (int way = 0; way < WAYS; way++) place_reg[way] <= node_reg.place;
        way_reg   <= node_reg.way;
        state_reg <= node_reg.is_root ? STATE_STORING : STATE_VISITING;
      end

      STATE_STORING: begin
        if (op_reg == OP_DELETE) entries_reg <= entries_reg - 1'b1;
        else if (!found_reg) entries_reg <= entries_reg + 1'b1;
        state_reg <= STATE_ANSWERING;
      end

      STATE_ANSWERING: state_reg <= STATE_WAITING;

      default: state_reg <= STATE_WAITING;
    endcase

    if (rst) begin
      for (int way = 0; way < WAYS; way++) place_reg[way] <= '0;
      entries_reg <= '0;
      epoch_reg   <= 1'b0;
      swept_reg   <= 1'b0;
      state_reg   <= STATE_SWEEPING;
    end
  end
endmodule

`resetall
