// SPDX-License-Identifier: Apache-2.0
`resetall
`default_nettype none

// How often a ToR's probes are sent on: through the gate goes a probe to those of the wanted ports to which the last one
// went more than cfg_gap_ticks ago, or none did. Their time becomes that of this probe.
//
// A row is a ToR's: port 0 in the low bits, and of each port, from the top, valid, time.
//
//   tor ──────────► serial_rows ─► row ─► compare ─► result ─► changed row
//   wanted, now ──► wait ───────────────────┘
//
// Flow control: a request at most every second cycle; commands as in serial_rows: one that is taken in the first cycle
//   of a request's result may still be before that request.
// Latency: LATENCY_CYCLES from a request to its result, at least probe_gate_pkg::latency.
// Limits: `now` counts from the end of the reset, like this module, in ticks of 2**TICK_BITS cycles, and it never goes
//   back; a probe may be a quarter of its range old when its result comes. A gap of half of the range or more counts as
//   the tick below half. At TORS or above nothing passes. Until control_ready is high for the first time requests find
//   empty rows and leave nothing. Without input_valid the result means nothing.
module probe_gate
  import extern_pkg::*, serial_rows_pkg::*, entry_age_pkg::*, probe_gate_pkg::*;
#(
    parameter int TORS = 1024,  // ToRs, from 1 to 16384
    parameter int TOR_BITS = row_index_bits(TORS),  // bits of a ToR's number, that of TORS or more, to 32
    parameter int PORTS = 4,  // from 1 to 32
    parameter int TIME_BITS = 16,  // bits of `now`, from 3 to 32, enough for a sweep in a quarter of its range
    parameter int TICK_BITS = 8,  // bits of the cycle count below `now`, from 0 to 24
    parameter int LATENCY_CYCLES = latency(TORS)  // that much or more
) (
    input wire logic clk,
    input wire logic rst,

    input wire logic [TIME_BITS-1:0] cfg_gap_ticks,

    input  wire logic                 input_valid,
    input  wire logic [ TOR_BITS-1:0] tor,
    input  wire logic [    PORTS-1:0] wanted,
    input  wire logic [TIME_BITS-1:0] now,
    output logic      [    PORTS-1:0] passed_result,

    input  wire logic                            control_valid,
    output logic                                 control_ready,
    input  wire control_op_t                     control_op,
    input  wire logic [row_index_bits(TORS)-1:0] control_index,

    output logic                             status_valid,
    output logic [PORTS*(1+TIME_BITS)-1:0] status_value
);
  localparam int ROWS         = gate_rows(TORS);
  localparam int SWEEP_CYCLES = sweep_cycles(ROWS, read_cycles(ROWS));

  if (TORS < 1 || TORS > 16384) begin : gen_check_tors
    $fatal(1, "TORS must be from 1 to 16384 (instance %m)");
  end
  if (TOR_BITS < row_index_bits(TORS) || TOR_BITS > 32) begin : gen_check_tor_bits
    $fatal(1, "TOR_BITS must be from %0d to 32 (instance %m)", row_index_bits(TORS));
  end
  if (PORTS < 1 || PORTS > 32) begin : gen_check_ports
    $fatal(1, "PORTS must be from 1 to 32 (instance %m)");
  end
  if (TIME_BITS < 3 || TIME_BITS > 32) begin : gen_check_time_bits
    $fatal(1, "TIME_BITS must be from 3 to 32 (instance %m)");
  end
  if (TICK_BITS < 0 || TICK_BITS > 24) begin : gen_check_tick_bits
    $fatal(1, "TICK_BITS must be from 0 to 24 (instance %m)");
  end
  if (longint'(SWEEP_CYCLES) > sweep_limit(TIME_BITS, TICK_BITS)) begin : gen_check_sweep
    $fatal(1, "A quarter of the range of TIME_BITS must be %0d cycles or more (instance %m)", SWEEP_CYCLES);
  end
  if (LATENCY_CYCLES < latency(TORS)) begin : gen_check_latency
    $fatal(1, "LATENCY_CYCLES must be %0d or more (instance %m)", latency(TORS));
  end

  localparam int COMPARE_CYCLES = latency(TORS) - 1;  // from a request to its row
  localparam int IDLE_CYCLES    = LATENCY_CYCLES - latency(TORS);
  localparam int ROW_BITS       = PORTS * (1 + TIME_BITS);
  localparam int INDEX_BITS     = row_index_bits(TORS);

  typedef logic [TIME_BITS-1:0] tick_t;

  typedef struct packed {
    logic  valid;
    tick_t made;
  } entry_t;

  typedef entry_t [PORTS-1:0] row_t;

  typedef struct packed {
    logic [PORTS-1:0] wanted;
    tick_t            now;
    tick_t            gap;
  } request_t;

  // ---- the request, on its way to its row

  logic     exists;
  logic     early_valid;  // a cycle before the row
  request_t request;
  request_t early;

  assign exists         = input_valid && (TOR_BITS + 1)'(tor) < (TOR_BITS + 1)'(TORS);
  assign request.wanted = wanted;
  assign request.now    = now;
  assign request.gap    = {1'b0, cfg_gap_ticks[TIME_BITS-2:0] | {TIME_BITS - 1{cfg_gap_ticks[TIME_BITS-1]}}};

  pipeline_delay #(
      .BITS  (1),
      .CYCLES(COMPARE_CYCLES - 1),
      .RESET (1'b1)
  ) early_valid_inst (
      .clk,
      .rst,
      .in (exists),
      .out(early_valid)
  );

  pipeline_delay #(
      .BITS  ($bits(request_t)),
      .CYCLES(COMPARE_CYCLES - 1)
  ) early_inst (
      .clk,
      .rst,
      .in (request),
      .out(early)
  );

  logic [ROW_BITS-1:0] row_bits;
  logic [ROW_BITS-1:0] left_row;
  row_t                row;
  row_t                changed_row;
  logic                row_request;

  assign row = row_t'(row_bits);

  serial_rows #(
      .ROWS    (ROWS),
      .ROW_BITS(ROW_BITS)
  ) rows_inst (
      .clk,
      .rst,
      .request_valid(exists),
      .request_row  (tor[INDEX_BITS-1:0]),
      .row_request,
      .row          (row_bits),
      .changed_row  (ROW_BITS'(changed_row)),
      .left_row,
      .control_valid,
      .control_ready,
      .control_op,
      .control_index,
      .status_valid,
      .status_value
  );

  // ---- compare

  logic  [TIME_BITS+TICK_BITS-1:0] cycle_reg;  // as extern_timestamp counts
  tick_t                           seen_reg;   // the time at which the row is seen
  tick_t                           limit_reg;
  tick_t                           now_reg;
  logic  [PORTS-1:0]               wanted_reg;  // of a request to a ToR that exists
  logic  [PORTS-1:0]               there;
  logic  [PORTS-1:0]               live;
  logic  [PORTS-1:0]               passed_reg;
  row_t                            kept_reg;  // the times that still say something
  tick_t                           passed_now_reg;

  for (genvar port = 0; port < PORTS; port++) begin : gen_port
    entry_age #(
        .TIME_BITS(TIME_BITS)
    ) age_inst (
        .valid(row[port].valid),
        .made (row[port].made),
        .visit(!row_request),
        .seen (seen_reg),
        .limit(limit_reg),
        .there(there[port]),
        .live (live[port])
    );
  end

  always_ff @(posedge clk) begin
    cycle_reg  <= cycle_reg + 1'b1;
    seen_reg   <= early_valid ? early.now : cycle_reg[TICK_BITS+:TIME_BITS];
    limit_reg  <= early.now - early.gap;
    now_reg    <= early.now;
    wanted_reg <= early_valid ? early.wanted : '0;

    passed_now_reg <= now_reg;
    passed_reg     <= wanted_reg & ~live;
    kept_reg       <= row;
    for (int port = 0; port < PORTS; port++) begin
      kept_reg[port].valid <= there[port];
    end
    if (rst) begin
      cycle_reg <= '0;
    end
  end

  always_comb begin
    changed_row = kept_reg;
    for (int port = 0; port < PORTS; port++) begin
      if (passed_reg[port]) changed_row[port] = '{valid: 1'b1, made: passed_now_reg};
    end
  end

  if (IDLE_CYCLES == 0) begin : gen_result
    assign passed_result = passed_reg;
  end else begin : gen_late_result
    pipeline_delay #(
        .BITS  (PORTS),
        .CYCLES(IDLE_CYCLES)
    ) delay_inst (
        .clk,
        .rst,
        .in (passed_reg),
        .out(passed_result)
    );
  end

  // What a row was left as is nothing to look at here.
  logic unused;
  assign unused = ^left_row;
endmodule

`resetall
