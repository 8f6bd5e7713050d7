// SPDX-License-Identifier: Apache-2.0
`resetall
`default_nettype none

// The k best ports of each top-of-rack switch (ToR), as probes tell: HULA's table, with k entries instead of one.
//
// A row has K entries, the best first, and for each port the time of its last probe. A PROBE drops the entries that are
// not live and the one of its port, and puts itself before the first with a greater utilisation; the answer, to a READ
// too, is the row afterwards, live entries only. docs/hula.md has all rules, cfg_literal among them.
//
// A row may have holes. An entry that is dropped leaves one, and what is put in takes one, the entries between the two
// move by one place: so an entry stays, moves up, or moves down. If there is no hole the last entry is pushed out.
//
//   request ─► serial_rows ─► row ─► live? same port? worse? ─► who moves ─► changed row ─► live entries without holes
//
// Flow control: none for requests, one at most every second cycle; commands of the control plane by valid and ready, one
//   at a time: READ 0 shows the row of control_index as it is stored (hop_t, rank 1 in the low bits; above them last_t,
//   port 0 in the low bits), CLEAR 2 empties all rows.
// Latency: LATENCY_CYCLES, at least best_hops_pkg::hops_latency. Commands as in serial_rows.
// Limits: `now` is bits TICK_BITS and up of the count of cycles from the end of the reset, taken at most LAG_CYCLES before
//   the request, and never before that of the request ahead. cfg_fail_ticks counts at most as
//   best_hops_pkg::fail_ticks_limit. Until control_ready is high for the first time after rst, requests find empty rows
//   and leave nothing.
module best_hops
  import extern_pkg::*;
  import serial_rows_pkg::*;
  import best_hops_pkg::*;
#(
    parameter int TORS           = 10240,                      // rows, from 2 to 65536
    parameter int K              = 4,                          // entries of a row, from 1 to 8
    parameter int PORTS          = 4,                          // from 1 to 32
    parameter int TOR_BITS       = 24,                         // bits of `tor`, enough for TORS
    parameter int PORT_BITS      = 8,                          // bits of `port`, enough for PORTS
    parameter int TIME_BITS      = 16,                         // bits of `now`, from 4 to 30
    parameter int TICK_BITS      = 6,                          // of the count of cycles that are below `now`, from 0
    parameter int LAG_CYCLES     = 256,                        // 0 or more
    parameter int READ_CYCLES    = read_cycles(TORS),          // as of serial_rows
    parameter int BANK_ROWS      = BLOCK_ROWS,                 // as of serial_rows
    parameter int LATENCY_CYCLES = hops_latency(READ_CYCLES)  // that much or more
) (
    input wire logic clk,
    input wire logic rst,

    input wire logic [TIME_BITS-1:0] cfg_fail_ticks,
    input wire logic [          2:0] cfg_literal,

    input  wire logic                   input_valid,
    input  wire logic                   operation,  // 0 READ, 1 PROBE
    input  wire logic [   TOR_BITS-1:0] tor,
    input  wire logic [  PORT_BITS-1:0] port,
    input  wire logic [            7:0] utilisation,
    input  wire logic [  TIME_BITS-1:0] now,
    output logic      [K*PORT_BITS-1:0] ports_result,
    output logic      [        K*8-1:0] utilisations_result,
    output logic      [ COUNT_BITS-1:0] count_result,
    output logic      [            7:0] best_result,
    output logic      [      PORTS-1:0] alive_result,

    input  wire logic                            control_valid,
    output logic                                 control_ready,
    input  wire control_op_t                     control_op,
    input  wire logic [row_index_bits(TORS)-1:0] control_index,

    output logic                                           status_valid,
    output logic [hops_row_bits(K, PORTS, TIME_BITS)-1:0] status_value
);
  // TORS, READ_CYCLES and BANK_ROWS are checked by row_memory, as its ROWS, READ_CYCLES and BANK_ROWS.
  if (K < 1 || K > 8) begin : gen_check_k
    $fatal(1, "K must be from 1 to 8 (instance %m)");
  end
  if (PORTS < 1 || PORTS > 32) begin : gen_check_ports
    $fatal(1, "PORTS must be from 1 to 32 (instance %m)");
  end
  if (TOR_BITS < row_index_bits(TORS)) begin : gen_check_tor_bits
    $fatal(1, "TOR_BITS must be %0d or more (instance %m)", row_index_bits(TORS));
  end
  if (PORT_BITS < port_index_bits(PORTS)) begin : gen_check_port_bits
    $fatal(1, "PORT_BITS must be %0d or more (instance %m)", port_index_bits(PORTS));
  end
  if (TIME_BITS < 4 || TIME_BITS > 30) begin : gen_check_time_bits
    $fatal(1, "TIME_BITS must be from 4 to 30 (instance %m)");
  end
  if (TICK_BITS < 0 || TICK_BITS > 30) begin : gen_check_tick_bits
    $fatal(1, "TICK_BITS must be from 0 to 30 (instance %m)");
  end
  if (LAG_CYCLES < 0) begin : gen_check_lag_cycles
    $fatal(1, "LAG_CYCLES must be 0 or more (instance %m)");
  end
  // From where an entry is dropped to where it looks young again is a quarter of all times.
  if (ticks(LAG_CYCLES + READ_CYCLES + 3, TICK_BITS) + ticks(sweep_cycles(TORS, READ_CYCLES), TICK_BITS) >
      2 ** (TIME_BITS - 2)) begin : gen_check_sweep
    $fatal(1, "TIME_BITS and TICK_BITS must give the sweeper more time (instance %m)");
  end
  if (LATENCY_CYCLES < hops_latency(READ_CYCLES)) begin : gen_check_latency
    $fatal(1, "LATENCY_CYCLES must be %0d or more (instance %m)", hops_latency(READ_CYCLES));
  end

  localparam int ROW_CYCLES = row_cycles(READ_CYCLES);
  localparam int WAITS      = LATENCY_CYCLES - hops_latency(READ_CYCLES);
  localparam int INDEX_BITS = row_index_bits(TORS);
  localparam int HOP_BITS   = port_index_bits(PORTS);

  typedef logic [INDEX_BITS-1:0] index_t;
  typedef logic [HOP_BITS-1:0]   port_t;
  typedef logic [TIME_BITS-1:0]  time_t;
  typedef logic [7:0]            utilisation_t;

  localparam time_t        DROP_TICKS       = time_t'(3 * 2 ** (TIME_BITS - 2));  // as old as that it is dropped
  localparam time_t        FAIL_TICKS_LIMIT = time_t'(fail_ticks_limit(TIME_BITS, TICK_BITS, LAG_CYCLES));
  localparam utilisation_t UTILISATION_NONE = '1;

  typedef struct packed {
    port_t        port;
    utilisation_t utilisation;
    time_t        stamp;
    logic         valid;
  } hop_t;

  typedef struct packed {
    time_t stamp;
    logic  valid;
  } last_t;

  typedef struct packed {
    last_t [PORTS-1:0] last;
    hop_t [K-1:0]      hop;
  } row_t;

  typedef logic [K-1:0] mask_t;

  // ---- the request

  typedef struct packed {
    time_t now;
    time_t oldest;  // that is live; while it is taken in: the time-out
    logic  wraps;   // `oldest` is above `now`
  } window_t;

  typedef struct packed {
    logic         exists;  // a request, and there is such a ToR
    logic         probe;   // that may change something
    port_t        port;
    utilisation_t utilisation;
    window_t      live;
    logic [2:0]   literal;
  } asked_t;

  function automatic logic is_in(input time_t stamp, input window_t live);
    return live.wraps ? stamp >= live.oldest || stamp <= live.now : stamp >= live.oldest && stamp <= live.now;
  endfunction

  index_t index_reg;
  asked_t taken_reg;
  asked_t asked_reg;
  asked_t asked;  // with the row that comes in the next cycle

  always_ff @(posedge clk) begin
    index_reg             <= index_t'(tor);
    taken_reg.exists      <= input_valid && 64'(tor) < 64'(TORS);
    taken_reg.probe       <= operation && 64'(port) < 64'(PORTS) && utilisation != UTILISATION_NONE;
    taken_reg.port        <= port_t'(port);
    taken_reg.utilisation <= utilisation;
    taken_reg.live.now    <= now;
    taken_reg.live.oldest <= cfg_fail_ticks < FAIL_TICKS_LIMIT ? cfg_fail_ticks : FAIL_TICKS_LIMIT;
    taken_reg.live.wraps  <= 1'b0;
    taken_reg.literal     <= cfg_literal;

    asked_reg             <= taken_reg;
    asked_reg.live.oldest <= taken_reg.live.now - taken_reg.live.oldest;
    asked_reg.live.wraps  <= taken_reg.live.oldest > taken_reg.live.now;
    if (rst) begin
      taken_reg.exists <= 1'b0;
    end
  end

  pipeline_delay #(
      .BITS  ($bits(asked_t)),
      .CYCLES(ROW_CYCLES - 2)
  ) asked_inst (
      .clk,
      .rst,
      .in (asked_reg),
      .out(asked)
  );

  // ---- the row

  row_t row;
  row_t changed;
  row_t left;
  logic row_request;

  serial_rows #(
      .ROWS       (TORS),
      .ROW_BITS   ($bits(row_t)),
      .READ_CYCLES(READ_CYCLES),
      .BANK_ROWS  (BANK_ROWS),
      .LATE_CYCLES(1)
  ) rows_inst (
      .clk,
      .rst,
      .request_valid(taken_reg.exists),
      .request_row  (index_reg),
      .row_request,
      .row,
      .changed_row  (changed),
      .left_row     (left),
      .control_valid,
      .control_ready,
      .control_op,
      .control_index,
      .status_valid,
      .status_value
  );

  // ---- time, for sweeps

  logic [TIME_BITS+TICK_BITS-1:0] cycle_reg;

  always_ff @(posedge clk) begin
    cycle_reg <= cycle_reg + 1'b1;
    if (rst) begin
      cycle_reg <= '0;
    end
  end

  // ---- first cycle of the rule: each entry by itself

  asked_t shown_reg;      // of the row that is there now
  time_t  reference_reg;  // `now`, or the sweeper's time

  mask_t                live;
  mask_t                fresh;    // valid, and not so old as to be dropped
  mask_t                keep;     // survives a PROBE
  mask_t                greater;  // than the PROBE's utilisation
  mask_t [K-1:0]        unequal;  // utilisations, [i][j] where j is below i
  logic  [PORTS-1:0]    last_fresh;

  function automatic logic is_fresh(input time_t reference, input time_t stamp);
    return time_t'(reference - stamp) < DROP_TICKS;
  endfunction

  always_comb begin
    unequal = '0;
    for (int i = 0; i < K; i++) begin
      live[i]    = row.hop[i].valid && is_in(row.hop[i].stamp, shown_reg.live);
      fresh[i]   = row.hop[i].valid && is_fresh(reference_reg, row.hop[i].stamp);
      keep[i]    = live[i] && (shown_reg.literal[2] || row.hop[i].port != shown_reg.port);
      greater[i] = row.hop[i].utilisation > shown_reg.utilisation;
      for (int j = 0; j < i; j++) begin
        unequal[i][j] = row.hop[i].utilisation != row.hop[j].utilisation;
      end
    end
    for (int i = 0; i < PORTS; i++) begin
      last_fresh[i] = row.last[i].valid && is_fresh(reference_reg, row.last[i].stamp);
    end
  end

  row_t              row_reg;
  asked_t            rule_reg;
  mask_t             live_reg;
  mask_t             fresh_reg;
  mask_t             keep_reg;
  mask_t             greater_reg;
  mask_t [K-1:0]     unequal_reg;
  logic  [PORTS-1:0] last_fresh_reg;

  always_ff @(posedge clk) begin
    shown_reg      <= asked;
    reference_reg  <= asked.exists ? asked.live.now : cycle_reg[TICK_BITS+:TIME_BITS];
    row_reg        <= row;
    rule_reg       <= shown_reg;
    rule_reg.probe <= shown_reg.probe && row_request;
    live_reg       <= live;
    fresh_reg      <= fresh;
    keep_reg       <= keep;
    greater_reg    <= greater;
    unequal_reg    <= unequal;
    last_fresh_reg <= last_fresh;
  end

  // ---- second cycle: who moves

  mask_t        first;      // the live entry that is rank 1
  logic         better;     // the PROBE is better than it, or there is none
  logic         acts;       // the PROBE changes the row
  utilisation_t rank_1;     // utilisation of rank 1
  hop_t         made;       // what the PROBE puts in
  mask_t        worse;      // entries that stand after it
  mask_t        ahead;      // and before it
  mask_t        hole;
  mask_t        reaches_ahead;  // there is one of those here or further back
  mask_t        reaches_worse;  // here or further ahead
  mask_t        runs_worse;     // and no hole between the first of those and here
  mask_t        runs_ahead;     // between here and the last
  logic         has_gap;        // a hole lies between the two kinds
  logic         moves_up;       // there is none, but one before them
  mask_t        from_next;
  mask_t        from_previous;
  mask_t        from_probe;

  always_comb begin
    rank_1 = '0;
    for (int i = 0; i < K; i++) begin
      first[i] = live_reg[i];
      for (int j = 0; j < i; j++) begin
        if (live_reg[j]) first[i] = 1'b0;
      end
      if (first[i]) rank_1 |= row_reg.hop[i].utilisation;
    end
    better = (first & ~greater_reg) == '0;
    acts   = rule_reg.probe && (!rule_reg.literal[0] || better);

    made.port        = rule_reg.port;
    made.utilisation = rule_reg.literal[1] && !better ? rank_1 : rule_reg.utilisation;
    made.stamp       = rule_reg.live.now;
    made.valid       = 1'b1;

    for (int i = 0; i < K; i++) begin
      worse[i] = keep_reg[i] && (greater_reg[i] || (rule_reg.literal[1] && (first & unequal_reg[i]) != '0));
      ahead[i] = keep_reg[i] && !worse[i];
    end
    hole = ~keep_reg;

    for (int i = 0; i < K; i++) begin
      reaches_worse[i] = 1'b0;
      runs_worse[i]    = 1'b1;
      for (int j = 0; j <= i; j++) begin
        if (worse[j]) reaches_worse[i] = 1'b1;
        if (reaches_worse[j] && hole[j]) runs_worse[i] = 1'b0;
      end
      if (!reaches_worse[i]) runs_worse[i] = 1'b0;
    end
    for (int i = K - 1; i >= 0; i--) begin
      reaches_ahead[i] = 1'b0;
      runs_ahead[i]    = 1'b1;
      for (int j = K - 1; j >= i; j--) begin
        if (ahead[j]) reaches_ahead[i] = 1'b1;
        if (reaches_ahead[j] && hole[j]) runs_ahead[i] = 1'b0;
      end
      if (!reaches_ahead[i]) runs_ahead[i] = 1'b0;
    end
    has_gap  = (~reaches_ahead & ~reaches_worse) != '0;
    moves_up = !has_gap && (hole & reaches_ahead) != '0;

    for (int i = 0; i < K; i++) begin
      from_next[i]     = moves_up && i < K - 1 && runs_ahead[i < K - 1 ? i + 1 : i];
      from_previous[i] = !has_gap && !moves_up && i > 0 && runs_worse[i > 0 ? i - 1 : i];
      if (has_gap) begin
        from_probe[i] = !reaches_ahead[i] && !reaches_worse[i] && (i == 0 || reaches_ahead[i > 0 ? i - 1 : i]);
      end else if (moves_up) begin
        from_probe[i] = reaches_ahead[i] && (i == K - 1 || !reaches_ahead[i < K - 1 ? i + 1 : i]);
      end else begin
        from_probe[i] = reaches_worse[i] && (i == 0 || !reaches_worse[i > 0 ? i - 1 : i]);
      end
    end

    changed = row_reg;
    for (int i = 0; i < K; i++) begin
      changed.hop[i].valid = acts ? keep_reg[i] : fresh_reg[i];
      if (acts && from_previous[i]) changed.hop[i] = row_reg.hop[i > 0 ? i - 1 : i];
      if (acts && from_next[i]) changed.hop[i] = row_reg.hop[i < K - 1 ? i + 1 : i];
      if (acts && from_probe[i]) changed.hop[i] = made;
    end
    for (int i = 0; i < PORTS; i++) begin
      changed.last[i].valid = last_fresh_reg[i];
      if (acts && rule_reg.port == port_t'(i)) begin
        changed.last[i] = '{stamp: rule_reg.live.now, valid: 1'b1};
      end
    end
  end

  // ---- the answer: live entries without the holes

  typedef struct packed {
    logic [K*PORT_BITS-1:0] ports;
    logic [K*8-1:0]         utilisations;
    logic [COUNT_BITS-1:0]  count;
    logic [PORTS-1:0]       alive;
  } answer_t;

  logic    exists_reg;
  window_t window_reg;
  mask_t   stored_live_reg;  // entries that are live, where nothing has moved
  logic    moved_reg;
  mask_t   listed;
  logic [K:0] listed_ahead;  // how many are listed, up to here: one bit
  answer_t answer;
  answer_t answer_reg;
  answer_t result;

  always_comb begin
    for (int i = 0; i < K; i++) begin
      listed[i] = exists_reg && (moved_reg ? left.hop[i].valid : stored_live_reg[i]);
    end
    answer.ports        = '0;
    answer.utilisations = '1;
    listed_ahead        = (K + 1)'(1);
    for (int i = 0; i < K; i++) begin
      for (int rank = 0; rank <= i; rank++) begin
        if (listed[i] && listed_ahead[rank]) begin
          answer.ports[PORT_BITS*rank+:PORT_BITS] = PORT_BITS'(left.hop[i].port);
          answer.utilisations[8*rank+:8]          = left.hop[i].utilisation;
        end
      end
      if (listed[i]) listed_ahead = listed_ahead << 1;
    end
    answer.count = '0;
    for (int count = 1; count <= K; count++) begin
      if (listed_ahead[count]) answer.count = COUNT_BITS'(unsigned'(count));
    end
    for (int i = 0; i < PORTS; i++) begin
      answer.alive[i] = exists_reg && left.last[i].valid && is_in(left.last[i].stamp, window_reg);
    end
  end

  always_ff @(posedge clk) begin
    exists_reg      <= rule_reg.exists;
    window_reg      <= rule_reg.live;
    stored_live_reg <= live_reg;
    moved_reg       <= acts;
    answer_reg      <= answer;
    if (rst) begin
      // Which keeps them from becoming shift-register LUTs: they are slow at their output.
      exists_reg <= 1'b0;
      window_reg <= '0;
    end
  end

  if (WAITS == 0) begin : gen_result
    assign result = answer_reg;
  end else begin : gen_late_result
    pipeline_delay #(
        .BITS  ($bits(answer_t)),
        .CYCLES(WAITS)
    ) delay_inst (
        .clk,
        .rst,
        .in (answer_reg),
        .out(result)
    );
  end

  assign ports_result        = result.ports;
  assign utilisations_result = result.utilisations;
  assign count_result        = result.count;
  assign best_result         = result.utilisations[7:0];
  assign alive_result        = result.alive;
endmodule

`resetall
