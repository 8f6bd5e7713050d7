// SPDX-License-Identifier: Apache-2.0
`resetall
`default_nettype none

// The contract of probe_gate, for probe_gate.sby, from reset: whatever requests come, two cycles apart or more, and
// whatever the gap is, each result is that of requests done one after the other on plain registers; nothing passes that
// is not wanted. That the time may wrap: entry_age.sby.
module probe_gate_formal
  import extern_pkg::*, probe_gate_pkg::*;
#(
    parameter int TIME_BITS = 3,  // as of probe_gate
    parameter int TICK_BITS = 4   // likewise
) (
    input wire logic                 clk,
    input wire logic                 rst,
    input wire logic                 valid,
    input wire logic [          1:0] tor,
    input wire logic [          1:0] wanted,
    input wire logic [TIME_BITS-1:0] lag,
    input wire logic [TIME_BITS-1:0] gap
);
  localparam int TORS           = 2;
  localparam int PORTS          = 2;
  localparam int LATENCY_CYCLES = latency(TORS);

  typedef logic [TIME_BITS-1:0] tick_t;

  typedef struct packed {
    logic             valid;
    logic [PORTS-1:0] wanted;
    logic [PORTS-1:0] passed;
  } expected_t;

  logic [TIME_BITS+TICK_BITS-1:0] cycle_reg;
  tick_t            own;
  tick_t            now;
  logic [PORTS-1:0] passed;
  logic             control_ready;
  logic             status_valid;
  logic [PORTS*(1+TIME_BITS)-1:0] status_value;

  assign own = cycle_reg[TICK_BITS+:TIME_BITS];
  assign now = own - lag;

  probe_gate #(
      .TORS     (TORS),
      .TOR_BITS (2),
      .PORTS    (PORTS),
      .TIME_BITS(TIME_BITS),
      .TICK_BITS(TICK_BITS)
  ) dut (
      .clk,
      .rst,
      .cfg_gap_ticks(gap),
      .input_valid  (valid),
      .tor,
      .wanted,
      .now,
      .passed_result(passed),
      .control_valid(1'b0),
      .control_ready,
      .control_op   ('0),
      .control_index('0),
      .status_valid,
      .status_value
  );

  // The same on plain registers.
  logic      ever_reg[TORS][PORTS];
  tick_t     sent_reg[TORS][PORTS];
  logic      swept_reg;
  logic      swept;
  tick_t     bounded;
  expected_t expected;

  assign swept   = swept_reg || control_ready;
  assign bounded = gap[TIME_BITS-1] ? tick_t'(2 ** (TIME_BITS - 1) - 1) : gap;

  always_comb begin
    expected = '{valid: valid, wanted: wanted, passed: '0};
    for (int t = 0; t < TORS; t++) begin
      for (int p = 0; p < PORTS; p++) begin
        if (tor == 2'(t)) begin
          expected.passed[p] = wanted[p] && !(swept && ever_reg[t][p] && now - sent_reg[t][p] <= bounded);
        end
      end
    end
  end

  logic      begun_reg = 1'b0;
  logic      last_valid_reg;
  tick_t     last_now_reg;
  expected_t expected_reg[LATENCY_CYCLES];
  expected_t due;

  assign due = expected_reg[LATENCY_CYCLES-1];

  always_ff @(posedge clk) begin
    begun_reg       <= 1'b1;
    cycle_reg       <= cycle_reg + 1'b1;
    swept_reg       <= swept;
    last_valid_reg  <= valid;
    expected_reg[0] <= expected;
    for (int i = 1; i < LATENCY_CYCLES; i++) expected_reg[i] <= expected_reg[i-1];
    if (valid) last_now_reg <= now;
    for (int t = 0; t < TORS; t++) begin
      for (int p = 0; p < PORTS; p++) begin
        if (valid && swept && tor == 2'(t) && expected.passed[p]) begin
          ever_reg[t][p] <= 1'b1;
          sent_reg[t][p] <= now;
        end
        if (rst) ever_reg[t][p] <= 1'b0;
      end
    end
    if (rst) begin
      cycle_reg    <= '0;
      swept_reg    <= 1'b0;
      last_now_reg <= '0;
      for (int i = 0; i < LATENCY_CYCLES; i++) expected_reg[i].valid <= 1'b0;
    end
  end

  always_comb begin
    assume (rst == !begun_reg);
    assume (!valid || !last_valid_reg);
    assume (lag <= own && now >= last_now_reg);
    if (begun_reg && due.valid) begin
      serial      : assert (passed == due.passed);
      only_wanted : assert ((passed & ~due.wanted) == '0);
    end
  end
endmodule

`resetall
