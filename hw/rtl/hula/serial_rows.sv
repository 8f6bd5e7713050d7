// SPDX-License-Identifier: Apache-2.0
`resetall
`default_nettype none

// Rows in a memory that requests read and change, one after the other: each request is shown the row as the requests
// before it have left it, and the user's rule says what it leaves.
//
//   request ─► memory, or what is still under way ─► row ─► rule, two cycles of logic ─► changed_row ─► memory
//                                                     ▲                                     │
//                                                     └──── the next request of this row ◄──┘
//
// In cycles without a request a sweeper visits the rows, one every 4 cycles: to the rule a visit is a row without
// row_request. What a rule does at a visit no later request may notice, and every request must do the same to its row:
// a visit is left out if a request to the row is just under way.
//
// Flow control: a request at most every second cycle; commands of the control plane by valid and ready, one at a time.
// Latency: `row` comes READ_CYCLES + 2 cycles (serial_rows_pkg::row_cycles) after its request, from a register. The rule
//   has changed_row ready in the cycle after that, in time for one multiplexer more; in the cycle that follows it is
//   left_row. A READ is answered within READ_CYCLES + 6 cycles, a CLEAR within 4 * ROWS + READ_CYCLES + 7. When a row is
//   shown, the change that it holds was shown at most serial_rows_pkg::sweep_cycles before.
// Limits: a READ shows the row as it was at some time between the command and its answer; CLEAR clears each row at a
//   time of its own, between two requests. At ROWS or above READ shows zeros, and there must be no request. After rst
//   all rows are cleared, one in each cycle without a request; until LATE_CYCLES after control_ready is high for the
//   first time requests find zeros and leave nothing.
module serial_rows
  import extern_pkg::*;
  import serial_rows_pkg::*;
#(
    parameter int ROWS = 1024,  // rows, from 2 to 65536
    parameter int ROW_BITS = 64,  // bits of a row, 1 or more
    parameter int READ_CYCLES = read_cycles(ROWS),  // from 1 to 3; other than read_cycles only to try it with few rows
    parameter int BANK_ROWS = BLOCK_ROWS,  // as of row_memory
    parameter int LATE_CYCLES = 0  // which the user takes to hand a request on: the first that counts comes so many
                                   // cycles after control_ready; 0 or more
) (
    input wire logic clk,
    input wire logic rst,

    input wire logic                            request_valid,
    input wire logic [row_index_bits(ROWS)-1:0] request_row,

    output logic                     row_request,  // `row` is that of a request
    output logic      [ROW_BITS-1:0] row,
    input  wire logic [ROW_BITS-1:0] changed_row,  // a cycle after `row`
    output logic      [ROW_BITS-1:0] left_row,     // changed_row, a cycle later

    input  wire logic                            control_valid,
    output logic                                 control_ready,
    input  wire control_op_t                     control_op,
    input  wire logic [row_index_bits(ROWS)-1:0] control_index,

    output logic                status_valid,
    output logic [ROW_BITS-1:0] status_value
);
  // The other parameters are checked by row_memory.
  if (LATE_CYCLES < 0) begin : gen_check_late_cycles
    $fatal(1, "LATE_CYCLES must be 0 or more (instance %m)");
  end

  localparam int INDEX_BITS  = row_index_bits(ROWS);
  localparam int ROW_CYCLES  = row_cycles(READ_CYCLES);
  localparam int LEFT_CYCLES = ROW_CYCLES + 2;  // from a request to what it leaves: it goes into the memory then
  // A change may be under way that reaches the memory after a row's word was read. One that is so many cycles ahead or
  // more is there when the word comes; one that is nearer is taken later.
  localparam int MERGED = 4;

  typedef logic [INDEX_BITS-1:0] index_t;
  typedef logic [ROW_BITS-1:0]   row_t;

  // What a cycle's access to the memory is for.
  typedef struct packed {
    logic   request;  // that will leave something
    logic   clear;
    logic   sweep;
    logic   read;
    index_t index;
  } access_t;

  // ---- what this cycle is for

  logic       swept_reg;
  logic [1:0] phase_reg;  // 0, 1: one of the two is the sweeper's; 2, 3: the control plane's
  logic       sweep_waits_reg;
  logic       read_waits_reg;
  logic       clearing_reg;
  index_t     sweep_index_reg;
  index_t     held_index_reg;

  logic    counts;  // requests leave something
  logic    sweep_turn;
  logic    read_turn;
  access_t access;

  assign sweep_turn = !request_valid && (!swept_reg || phase_reg == 2'd0 || (phase_reg == 2'd1 && sweep_waits_reg));
  assign read_turn  = !request_valid && swept_reg && phase_reg[1] && read_waits_reg;

  assign access.request = request_valid && counts;
  assign access.clear   = sweep_turn && clearing_reg;
  assign access.sweep   = sweep_turn && !clearing_reg;
  assign access.read    = read_turn;
  assign access.index   = request_valid ? request_row : swept_reg && phase_reg[1] ? held_index_reg : sweep_index_reg;

  always_ff @(posedge clk) begin
    phase_reg       <= phase_reg + 2'd1;
    sweep_waits_reg <= phase_reg == 2'd0 && request_valid;
    if (sweep_turn) begin
      sweep_index_reg <= sweep_index_reg == index_t'(ROWS - 1) ? '0 : sweep_index_reg + 1'b1;
    end
    if (rst) begin
      phase_reg       <= '0;
      sweep_waits_reg <= 1'b0;
      sweep_index_reg <= '0;
    end
  end

  if (LATE_CYCLES == 0) begin : gen_counts
    assign counts = swept_reg;
  end else begin : gen_counts_later
    logic [LATE_CYCLES-1:0] counts_reg;

    assign counts = counts_reg[LATE_CYCLES-1];
    always_ff @(posedge clk) begin
      counts_reg <= LATE_CYCLES'({counts_reg, swept_reg});
      if (rst) begin
        counts_reg <= '0;
      end
    end
  end

  // ---- what is under way, and whether it is to the same row

  access_t line_reg [1:LEFT_CYCLES];  // by age
  logic    asked_reg[1:ROW_CYCLES];  // there was a request, also while the rows are cleared for the first time
  logic [LEFT_CYCLES:1] near_request;
  logic [LEFT_CYCLES:1] near_clear;
  logic [LEFT_CYCLES:1] near_request_reg;
  logic [LEFT_CYCLES:1] near_clear_reg;

  always_comb begin
    for (int age = 1; age <= LEFT_CYCLES; age++) begin
      near_request[age] = line_reg[age].request && line_reg[age].index == access.index;
      near_clear[age]   = line_reg[age].clear && line_reg[age].index == access.index;
    end
  end

  always_ff @(posedge clk) begin
    line_reg[1]  <= access;
    asked_reg[1] <= request_valid;
    for (int age = 2; age <= LEFT_CYCLES; age++) begin
      line_reg[age] <= line_reg[age-1];
      if (age == 2 && (near_request_reg != '0 || near_clear_reg != '0)) begin
        line_reg[age].sweep <= 1'b0;
      end
    end
    for (int age = 2; age <= ROW_CYCLES; age++) begin
      asked_reg[age] <= asked_reg[age-1];
    end
    near_request_reg <= near_request;
    near_clear_reg   <= near_clear;
    if (rst) begin
      for (int age = 1; age <= LEFT_CYCLES; age++) begin
        line_reg[age].request <= 1'b0;
        line_reg[age].clear   <= 1'b0;
        line_reg[age].sweep   <= 1'b0;
        line_reg[age].read    <= 1'b0;
      end
      for (int age = 1; age <= ROW_CYCLES; age++) begin
        asked_reg[age] <= 1'b0;
      end
    end
  end

  // ---- the row: the memory's, or the one that the nearest request or clearing ahead leaves

  // Found when an access is a cycle old: what is ahead of it. The nearest counts.
  logic is_zero;                          // nothing: the row is cleared
  logic from_rule;                        // the request two cycles ahead
  logic from_left;                        // three
  logic [LEFT_CYCLES:MERGED] from_late;     // four and more
  logic is_zero_reg   [2:READ_CYCLES+1];  // by the access's age
  logic from_rule_reg [2:READ_CYCLES+1];
  logic from_left_reg [2:READ_CYCLES+1];
  logic [LEFT_CYCLES:MERGED] word_from_late;  // of the access whose word is there

  assign is_zero   = line_reg[1].clear || (asked_reg[1] && !line_reg[1].request) || near_clear_reg[1] ||
      near_clear_reg[2] || (near_clear_reg[3] && !near_request_reg[2]);
  assign from_rule = near_request_reg[2];
  assign from_left = near_request_reg[3];
  assign from_late = near_request_reg[LEFT_CYCLES:MERGED] | near_clear_reg[LEFT_CYCLES:MERGED];

  always_ff @(posedge clk) begin
    is_zero_reg[2]   <= is_zero;
    from_rule_reg[2] <= from_rule;
    from_left_reg[2] <= from_left;
    for (int age = 3; age <= READ_CYCLES + 1; age++) begin
      is_zero_reg[age]   <= is_zero_reg[age-1];
      from_rule_reg[age] <= from_rule_reg[age-1];
      from_left_reg[age] <= from_left_reg[age-1];
    end
  end

  if (READ_CYCLES == 1) begin : gen_word_next
    assign word_from_late = from_late;
  end else begin : gen_word_later
    logic [LEFT_CYCLES:MERGED] from_late_reg[2:READ_CYCLES];

    assign word_from_late = from_late_reg[READ_CYCLES];
    always_ff @(posedge clk) begin
      from_late_reg[2] <= from_late;
      for (int age = 3; age <= READ_CYCLES; age++) begin
        from_late_reg[age] <= from_late_reg[age-1];
      end
    end
  end

  row_t word;
  row_t merged;
  row_t merged_reg;
  row_t row_reg;
  row_t late_reg[MERGED:LEFT_CYCLES];  // what was left, the latest first

  assign row         = row_reg;
  assign row_request = asked_reg[ROW_CYCLES];
  assign left_row    = late_reg[MERGED];

  always_comb begin
    merged = word;
    for (int age = LEFT_CYCLES; age >= MERGED; age--) begin
      if (word_from_late[age]) merged = late_reg[age];
    end
  end

  always_ff @(posedge clk) begin
    merged_reg <= merged;

    row_reg <= from_left_reg[READ_CYCLES+1] ? late_reg[MERGED] : merged_reg;
    if (from_rule_reg[READ_CYCLES+1]) row_reg <= changed_row;
    if (is_zero_reg[READ_CYCLES+1]) row_reg <= '0;

    late_reg[MERGED] <= changed_row;
    if (line_reg[LEFT_CYCLES-1].clear) late_reg[MERGED] <= '0;
    for (int age = MERGED + 1; age <= LEFT_CYCLES; age++) begin
      late_reg[age] <= late_reg[age-1];
    end
  end

  row_memory #(
      .ROWS       (ROWS),
      .ROW_BITS   (ROW_BITS),
      .READ_CYCLES(READ_CYCLES),
      .BANK_ROWS  (BANK_ROWS)
  ) memory_inst (
      .clk,
      .read_row  (access.index),
      .read_word (word),
      .write     (line_reg[LEFT_CYCLES].request || line_reg[LEFT_CYCLES].clear || line_reg[LEFT_CYCLES].sweep),
      .write_row (line_reg[LEFT_CYCLES].index),
      .write_word(late_reg[MERGED])
  );

  // ---- the control plane

  typedef enum logic [2:0] {
    STATE_CLEARING,
    STATE_DRAINING,  // the last cleared row goes into the memory
    STATE_WAITING,   // for a command
    STATE_READING,
    STATE_ANSWERING
  } state_t;

  localparam int DRAIN_BITS = $clog2(LEFT_CYCLES + 1);

  state_t                state_reg;
  index_t                cleared_reg;  // rows, less one
  logic [DRAIN_BITS-1:0] drain_reg;
  logic                  exists_reg;   // held_index_reg is below ROWS
  row_t                  status_value_reg;

  assign control_ready = state_reg == STATE_WAITING;
  assign status_valid  = state_reg == STATE_ANSWERING;
  assign status_value  = status_value_reg;

  always_ff @(posedge clk) begin
    drain_reg  <= drain_reg - 1'b1;
    exists_reg <= int'(held_index_reg) < ROWS;
    case (state_reg)
      STATE_CLEARING: begin
        drain_reg <= DRAIN_BITS'(unsigned'(LEFT_CYCLES));
        if (sweep_turn) begin
          cleared_reg <= cleared_reg + 1'b1;
          if (cleared_reg == index_t'(ROWS - 1)) begin
            clearing_reg <= !swept_reg;
            state_reg    <= STATE_DRAINING;
          end
        end
      end

      STATE_DRAINING: begin
        if (drain_reg == 0) begin
          clearing_reg <= 1'b0;
          swept_reg    <= 1'b1;
          state_reg    <= swept_reg ? STATE_ANSWERING : STATE_WAITING;
        end
      end

      STATE_WAITING: begin
        cleared_reg    <= '0;
        held_index_reg <= control_index;
        if (control_valid) begin
          clearing_reg   <= control_op == CONTROL_CLEAR;
          read_waits_reg <= control_op != CONTROL_CLEAR;
          state_reg      <= control_op == CONTROL_CLEAR ? STATE_CLEARING : STATE_READING;
        end
      end

      STATE_READING: begin
        if (read_turn) read_waits_reg <= 1'b0;
        status_value_reg <= exists_reg ? word : '0;
        if (line_reg[READ_CYCLES].read) state_reg <= STATE_ANSWERING;
      end

      default: state_reg <= STATE_WAITING;
    endcase

    if (rst) begin
      swept_reg      <= 1'b0;
      clearing_reg   <= 1'b1;
      read_waits_reg <= 1'b0;
      cleared_reg    <= '0;
      state_reg      <= STATE_CLEARING;
    end
  end

`ifndef SYNTHESIS
  // What the user has promised.
  always_ff @(posedge clk) begin
    if (!rst && request_valid) begin
      a_requests_have_distance : assert (!asked_reg[1]);
      a_request_row_exists     : assert (int'(request_row) < ROWS);
    end
  end
`endif
endmodule

`resetall
