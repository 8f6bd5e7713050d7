// SPDX-License-Identifier: Apache-2.0
`resetall
`default_nettype none

// The contract of serial_rows, for serial_rows.sby, from reset: whatever requests come at a distance of two cycles or
// more, and whatever sweeps, READs and CLEARs come between them, each request finds what requests that are done one after
// the other on plain rows find, a CLEAR being done with each row once between its command and its answer; the change
// that it finds was shown no longer ago than sweep_cycles; commands are answered in time, and READ shows a row as it was.
//
// The rule: a row is a value, to which a request adds; a bit that says whether it was ever left; and the time when it
// was shown last, which sweeps renew too. Proved for each row, by following the one of an arbitrary number.
module serial_rows_formal
  import extern_pkg::*;
  import serial_rows_pkg::*;
#(
    parameter int ROWS        = 2,  // as of serial_rows
    parameter int READ_CYCLES = 1,  // likewise
    parameter int BANK_ROWS   = 2,  // likewise
    parameter int VALUE_BITS  = 2,  // of the value, 1 or more
    parameter bit SWEEPS      = 0   // 0: what requests find; 1: how old it is, and what commands are promised
) (
    input wire logic                            clk,
    input wire logic                            rst,
    input wire logic                            valid,
    input wire logic [row_index_bits(ROWS)-1:0] index,
    input wire logic [          VALUE_BITS-1:0] increment,
    input wire logic                            control_valid,
    input wire control_op_t                     control_op,
    input wire logic [row_index_bits(ROWS)-1:0] control_index
);
  localparam int INDEX_BITS = row_index_bits(ROWS);
  localparam int ROW_CYCLES = row_cycles(READ_CYCLES);
  localparam int TIME_BITS  = SWEEPS ? 6 : 1;

  typedef logic [INDEX_BITS-1:0] index_t;
  typedef logic [VALUE_BITS-1:0] value_t;
  typedef logic [TIME_BITS-1:0]  time_t;

  typedef struct packed {
    logic   was_left;
    time_t  shown;
    value_t value;
  } row_t;

  row_t row, changed, changed_reg, left, left_reg, status;
  logic row_request, changed_request_reg, left_request_reg, control_ready, status_valid;
  time_t time_reg;

  serial_rows #(
      .ROWS       (ROWS),
      .ROW_BITS   ($bits(row_t)),
      .READ_CYCLES(READ_CYCLES),
      .BANK_ROWS  (BANK_ROWS)
  ) dut (
      .clk,
      .rst,
      .request_valid(valid),
      .request_row  (index),
      .row_request,
      .row,
      .changed_row  (changed_reg),
      .left_row     (left),
      .control_valid,
      .control_ready,
      .control_op,
      .control_index,
      .status_valid,
      .status_value (status)
  );

  // ---- the rule

  value_t increment_reg[1:ROW_CYCLES];

  always_comb begin
    changed = row;
    if (SWEEPS && (row_request || row.was_left)) begin
      changed.was_left = 1'b1;
      changed.shown    = time_reg;
    end
    if (!SWEEPS && row_request) changed.value = row.value + increment_reg[ROW_CYCLES];
  end

  // ---- one row as it should be

  // Arbitrary, for all time.
  index_t followed;
  value_t watched;

  logic live, mine, takes, clears;
  logic swept_reg;
  logic before_reg;  // there was a request in the last cycle
  logic begun_reg = 1'b0;

  assign live   = swept_reg || control_ready;
  assign mine   = valid && index == followed;
  assign takes  = control_valid && control_ready;
  assign clears = live && dut.access.clear && dut.access.index == followed;  // its place among the requests

  value_t value_reg;
  logic   [5:0] absent_reg;  // cycles since value_reg was `watched`
  logic   [5:0] reading_reg;   // cycles since READ of this row was taken, while it is not answered
  logic   [5:0] other_reg;     // likewise READ of another row
  logic   [5:0] clearing_reg;  // likewise CLEAR
  logic   cleared_reg;         // since CLEAR was taken

  logic   requested_reg [1:ROW_CYCLES];
  logic   expected_reg [1:ROW_CYCLES];
  value_t expected_value_reg [1:ROW_CYCLES];

  always_ff @(posedge clk) begin
    followed    <= followed;
    watched     <= watched;
    begun_reg   <= 1'b1;
    time_reg    <= time_reg + 1'b1;
    before_reg  <= valid;
    swept_reg   <= live;
    changed_reg <= changed;
    left_reg    <= changed_reg;
    changed_request_reg <= row_request;
    left_request_reg    <= changed_request_reg;

    increment_reg[1]      <= increment;
    requested_reg[1]      <= valid;
    expected_reg[1]       <= mine;
    expected_value_reg[1] <= live ? value_reg : '0;
    for (int age = 2; age <= ROW_CYCLES; age++) begin
      increment_reg[age]      <= increment_reg[age-1];
      requested_reg[age]      <= requested_reg[age-1];
      expected_reg[age]       <= expected_reg[age-1];
      expected_value_reg[age] <= expected_value_reg[age-1];
    end

    if (mine && live) value_reg <= value_reg + increment;
    if (clears) value_reg <= '0;
    absent_reg <= value_reg == watched ? '0 : &absent_reg ? absent_reg : absent_reg + 1'b1;

    reading_reg  <= reading_reg == 0 || status_valid ? '0 : reading_reg + 1'b1;
    other_reg    <= other_reg == 0 || status_valid ? '0 : other_reg + 1'b1;
    clearing_reg <= clearing_reg == 0 || status_valid ? '0 : clearing_reg + 1'b1;
    if (clears) cleared_reg <= 1'b1;
    if (takes) begin
      if (control_op == CONTROL_CLEAR) clearing_reg <= 1;
      else if (control_index == followed) reading_reg <= 1;
      else other_reg <= 1;
      cleared_reg <= 1'b0;
    end

    if (rst) begin
      time_reg     <= '0;
      swept_reg    <= 1'b0;
      before_reg   <= 1'b0;
      value_reg    <= '0;
      absent_reg   <= '1;
      reading_reg  <= '0;
      other_reg    <= '0;
      clearing_reg <= '0;
      changed_request_reg <= 1'b0;
      left_request_reg    <= 1'b0;
      for (int age = 1; age <= ROW_CYCLES; age++) begin
        requested_reg[age] <= 1'b0;
        expected_reg[age]  <= 1'b0;
      end
    end
  end

  always_comb begin
    assume (rst == !begun_reg);
    assume (int'(followed) < ROWS);
    assume (int'(index) < ROWS);
    assume (!valid || !before_reg);
    if (begun_reg && !SWEEPS) begin
      shown_on_time : assert (row_request == requested_reg[ROW_CYCLES]);
      serial        : assert (!expected_reg[ROW_CYCLES] || row.value == expected_value_reg[ROW_CYCLES]);
      left_stands   : assert (!left_request_reg || left == left_reg);
      read_was_held : assert (!status_valid || reading_reg == 0 || status.value != watched ||
          absent_reg <= reading_reg + 6'(ROW_CYCLES + 2));
    end
    if (begun_reg && SWEEPS) begin
      swept         : assert (!expected_reg[ROW_CYCLES] || !row.was_left ||
          time_reg - row.shown <= TIME_BITS'(sweep_cycles(ROWS, READ_CYCLES)));
      read_on_time  : assert (reading_reg <= 6'(READ_CYCLES + 6) && other_reg <= 6'(READ_CYCLES + 6));
      clear_on_time : assert (clearing_reg <= 6'(4 * ROWS + READ_CYCLES + 7));
      clear_clears  : assert (!status_valid || clearing_reg == 0 || cleared_reg);
      answer_is_due : assert (!status_valid || reading_reg != 0 || other_reg != 0 || clearing_reg != 0);
    end
  end
endmodule

`resetall
