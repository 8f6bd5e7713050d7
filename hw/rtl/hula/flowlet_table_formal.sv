// SPDX-License-Identifier: Apache-2.0
`resetall
`default_nettype none

// The contract of flowlet_table, for flowlet_table.sby, from reset: whatever requests come, two cycles apart or more, and
// whatever the time-out is, each result is that of requests done one after the other on plain registers; a hop that is
// found is ok, a live entry whose hop is ok is kept, and no tag is in both ways. That the time may wrap: entry_age.sby.
module flowlet_table_formal
  import extern_pkg::*, flowlet_table_pkg::*;
#(
    parameter int TIME_BITS   = 4,  // as of flowlet_table
    parameter int TICK_BITS   = 3,  // likewise
    parameter int LATE_CYCLES = 0,  // likewise
    parameter bit ONE_SET     = 1'b0  // 1: all requests are to one set
) (
    input wire logic                 clk,
    input wire logic                 rst,
    input wire logic                 valid,
    input wire logic                 operation,
    input wire logic                 index,
    input wire logic [          1:0] tag,
    input wire logic [TIME_BITS-1:0] lag,
    input wire logic [TIME_BITS-1:0] timeout,
    input wire logic [          1:0] ok,
    input wire logic                 proposal,
    input wire logic                 spread
);
  localparam int LATENCY_CYCLES = latency(1, LATE_CYCLES);

  typedef logic [TIME_BITS-1:0] tick_t;

  typedef struct packed {
    logic       valid;
    logic [1:0] tag;
    logic       hop;
    tick_t      made;
  } entry_t;

  typedef struct packed {
    logic [1:0] ok;
    logic       proposal;
    logic       spread;
  } choice_t;

  typedef struct packed {
    logic     valid;
    logic     hop;
    outcome_t outcome;
    logic     found;
    logic     keeps;  // there is a live entry of the tag whose hop is ok
    logic     kept_hop;
    logic [1:0] ok;
  } expected_t;

  logic [TIME_BITS+TICK_BITS-1:0] cycle_reg;
  tick_t   own;
  tick_t   now;
  choice_t choice_line_reg[LATE_CYCLES+1];
  choice_t choice;
  logic    hop;
  outcome_t outcome;
  logic    found;
  logic    control_ready;
  logic    status_valid;
  logic [2*(1+2+1+TIME_BITS)-1:0] status_value;

  assign own = cycle_reg[TICK_BITS+:TIME_BITS];
  assign now = own - lag;
  if (LATE_CYCLES == 0) begin : gen_choice
    assign choice = '{ok: ok, proposal: proposal, spread: spread};
  end else begin : gen_late_choice
    assign choice = choice_line_reg[LATE_CYCLES-1];
  end

  flowlet_table #(
      .INDEX_BITS (1),
      .TAG_BITS   (2),
      .PORTS      (2),
      .TIME_BITS  (TIME_BITS),
      .TICK_BITS  (TICK_BITS),
      .LATE_CYCLES(LATE_CYCLES)
  ) dut (
      .clk,
      .rst,
      .cfg_timeout_ticks(timeout),
      .input_valid      (valid),
      .operation,
      .index,
      .tag,
      .now,
      .ok               (choice.ok),
      .proposal         (choice.proposal),
      .spread           (choice.spread),
      .hop_result       (hop),
      .outcome_result   (outcome),
      .found_result     (found),
      .control_valid    (1'b0),
      .control_ready,
      .control_op       ('0),
      .control_index    ('0),
      .status_valid,
      .status_value
  );

  // The same on plain registers.
  entry_t    entry_reg[4];
  entry_t    entry    [2];
  logic      live     [2];
  logic      mine     [2];
  logic      swept_reg;
  logic      swept;
  logic      way;
  logic      stored;
  expected_t expected;
  tick_t     allowed;

  assign swept   = swept_reg || control_ready;
  assign allowed = timeout[TIME_BITS-1] ? tick_t'(2 ** (TIME_BITS - 1) - 1) : timeout;

  always_comb begin
    for (int w = 0; w < 2; w++) begin
      entry[w]       = entry_reg[{index, w[0]}];
      entry[w].valid = entry[w].valid && swept;
      live[w]        = entry[w].valid && now - entry[w].made <= allowed;
      mine[w]        = entry[w].valid && entry[w].tag == tag;
    end
    way               = mine[1] || (!mine[0] && live[0]);
    expected.valid    = valid;
    expected.ok       = ok;
    expected.keeps    = 1'b0;
    expected.kept_hop = 1'b0;
    for (int w = 0; w < 2; w++) begin
      if (mine[w] && live[w] && ok[entry[w].hop]) begin
        expected.keeps    = 1'b1;
        expected.kept_hop = entry[w].hop;
      end
    end
    expected.hop = proposal;
    stored       = ok[proposal];
    if (expected.keeps) begin
      expected.outcome = OUTCOME_KEPT;
      expected.hop     = expected.kept_hop;
      stored           = 1'b1;
    end else if (!mine[0] && !mine[1] && live[0] && live[1]) begin
      expected.outcome = OUTCOME_CROWDED;
      stored           = 1'b0;
    end else if (!ok[proposal]) begin
      expected.outcome = OUTCOME_STUCK;
    end else if (mine[0] || mine[1]) begin
      expected.outcome = live[way] ? OUTCOME_MOVED : OUTCOME_RENEWED;
    end else begin
      expected.outcome = OUTCOME_NEW;
    end
    if (!stored) expected.hop = ok[spread] ? spread : ok == 2'b10;
    expected.found = ok[expected.hop];
  end

  logic      begun_reg = 1'b0;
  logic      last_valid_reg;
  tick_t     last_now_reg;
  expected_t expected_reg[LATENCY_CYCLES];
  logic      row_request_reg;

  always_ff @(posedge clk) begin
    begun_reg          <= 1'b1;
    cycle_reg          <= cycle_reg + 1'b1;
    swept_reg          <= swept;
    last_valid_reg     <= valid;
    row_request_reg    <= dut.row_request;
    choice_line_reg[0] <= '{ok: ok, proposal: proposal, spread: spread};
    expected_reg[0]    <= expected;
    for (int i = 1; i <= LATE_CYCLES; i++) choice_line_reg[i] <= choice_line_reg[i-1];
    for (int i = 1; i < LATENCY_CYCLES; i++) expected_reg[i] <= expected_reg[i-1];
    if (valid) last_now_reg <= now;
    if (valid && operation && stored && swept) begin
      entry_reg[{index, way}] <= '{valid: 1'b1, tag: tag, hop: expected.hop, made: now};
    end
    if (rst) begin
      cycle_reg       <= '0;
      swept_reg       <= 1'b0;
      last_now_reg    <= '0;
      row_request_reg <= 1'b0;
      for (int i = 0; i < 4; i++) entry_reg[i] <= '0;
      for (int i = 0; i < LATENCY_CYCLES; i++) expected_reg[i].valid <= 1'b0;
    end
  end

  expected_t due;
  assign due = expected_reg[LATENCY_CYCLES-1];

  always_comb begin
    assume (rst == !begun_reg);
    assume (!valid || !last_valid_reg);
    assume (lag <= own && now >= last_now_reg);
    assume (!ONE_SET || !index);
    assume (tag != 2'd3);  // three are a crowd
    if (begun_reg && due.valid) begin
      hop_is_serial     : assert (hop == due.hop);
      outcome_is_serial : assert (outcome == due.outcome);
      found_is_ok       : assert (found == due.ok[hop]);
      ok_is_found       : assert (found == (due.ok != 2'b00) || outcome == OUTCOME_KEPT);
      live_is_kept      : assert (!due.keeps || (outcome == OUTCOME_KEPT && hop == due.kept_hop && found));
    end
    if (begun_reg && row_request_reg) begin
      tag_is_in_one_way : assert (dut.hit_reg != 2'b11);
    end
  end
endmodule

`resetall
