// SPDX-License-Identifier: Apache-2.0
`resetall
`default_nettype none

// A hop for as long as a flow does not pause: two ways of entries (tag, hop, time), of which an index chooses a set.
//
// KEEP_OR_SET gives the hop of the tag's entry while that is live and its hop is one of `ok`, else the proposal, and
// stores it; PEEK says the same and stores nothing. Rules and outcomes: docs/hula.md. A row is a set: way 0 in the low
// bits, and of each way, from the top, valid, tag, hop, time.
//
//   index ─────────► serial_rows ─► row ─► compare ─► choose ─► result, changed row
//   tag, now ──────► wait ───────────────────┤
//   ok, proposal, spread, LATE_CYCLES later ─┘
//
// Flow control: a request at most every second cycle; commands as in serial_rows.
// Latency: LATENCY_CYCLES from a request to its result, at least flowlet_table_pkg::latency.
// Limits: `now` counts from the end of the reset, like this module, in ticks of 2**TICK_BITS cycles, and it never goes
//   back; a packet may be a quarter of its range old when its result comes. A time-out of half of the range or more
//   counts as the tick below half; what is older than that is there no more. Until control_ready is high for the first
//   time requests find empty sets and leave nothing. Without input_valid the result means nothing.
module flowlet_table
  import extern_pkg::*, serial_rows_pkg::*, entry_age_pkg::*, flowlet_table_pkg::*;
#(
    parameter int INDEX_BITS = 12,  // bits of an index, from 1 to 16: there are two to their power sets
    parameter int TAG_BITS = 16,  // 1 or more
    parameter int PORTS = 4,  // from 1 to 32
    parameter int PORT_BITS = port_bits(PORTS),  // bits of a port's number, that of PORTS or more, to 16
    parameter int TIME_BITS = 16,  // bits of `now`, from 3 to 32, enough for a sweep in a quarter of its range
    parameter int TICK_BITS = 8,  // bits of the cycle count below `now`, from 0 to 24
    parameter int LATE_CYCLES = 0,  // from a request to ok, proposal and spread, from 0 to 64
    parameter int LATENCY_CYCLES = latency(INDEX_BITS, LATE_CYCLES)  // that much or more
) (
    input wire logic clk,
    input wire logic rst,

    input wire logic [TIME_BITS-1:0] cfg_timeout_ticks,

    input wire logic                  input_valid,
    input wire logic                  operation,
    input wire logic [INDEX_BITS-1:0] index,
    input wire logic [  TAG_BITS-1:0] tag,
    input wire logic [ TIME_BITS-1:0] now,

    input wire logic [    PORTS-1:0] ok,        // these three LATE_CYCLES after input_valid
    input wire logic [PORT_BITS-1:0] proposal,
    input wire logic [PORT_BITS-1:0] spread,

    output logic     [PORT_BITS-1:0] hop_result,
    output outcome_t                 outcome_result,
    output logic                     found_result,

    input  wire logic                  control_valid,
    output logic                       control_ready,
    input  wire control_op_t           control_op,
    input  wire logic [INDEX_BITS-1:0] control_index,

    output logic                                               status_valid,
    output logic [2*(1+TAG_BITS+port_bits(PORTS)+TIME_BITS)-1:0] status_value
);
  localparam int SWEEP_CYCLES = sweep_cycles(2 ** INDEX_BITS, read_cycles(2 ** INDEX_BITS));

  if (INDEX_BITS < 1 || INDEX_BITS > 16) begin : gen_check_index_bits
    $fatal(1, "INDEX_BITS must be from 1 to 16 (instance %m)");
  end
  if (TAG_BITS < 1) begin : gen_check_tag_bits
    $fatal(1, "TAG_BITS must be 1 or more (instance %m)");
  end
  if (PORTS < 1 || PORTS > 32) begin : gen_check_ports
    $fatal(1, "PORTS must be from 1 to 32 (instance %m)");
  end
  if (PORT_BITS < port_bits(PORTS) || PORT_BITS > 16) begin : gen_check_port_bits
    $fatal(1, "PORT_BITS must be from %0d to 16 (instance %m)", port_bits(PORTS));
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
  if (LATE_CYCLES < 0 || LATE_CYCLES > 64) begin : gen_check_late_cycles
    $fatal(1, "LATE_CYCLES must be from 0 to 64 (instance %m)");
  end
  if (LATENCY_CYCLES < latency(INDEX_BITS, LATE_CYCLES)) begin : gen_check_latency
    $fatal(1, "LATENCY_CYCLES must be %0d or more (instance %m)", latency(INDEX_BITS, LATE_CYCLES));
  end

  localparam int WAYS           = 2;
  localparam int HOP_BITS       = port_bits(PORTS);  // a hop that is stored is one of the ports
  localparam int WAIT_CYCLES    = wait_cycles(INDEX_BITS, LATE_CYCLES);
  localparam int COMPARE_CYCLES = latency(INDEX_BITS, LATE_CYCLES) - 2;  // from a request to its row
  localparam int IDLE_CYCLES    = LATENCY_CYCLES - latency(INDEX_BITS, LATE_CYCLES);

  localparam int ROW_BITS       = WAYS * (1 + TAG_BITS + HOP_BITS + TIME_BITS);

  typedef logic [TIME_BITS-1:0] tick_t;
  typedef logic [PORT_BITS-1:0] port_t;
  typedef logic [HOP_BITS-1:0]  hop_t;
  typedef logic [TAG_BITS-1:0]  tag_t;

  typedef struct packed {
    logic  valid;
    tag_t  tag;
    hop_t  hop;
    tick_t made;
  } entry_t;

  typedef entry_t [WAYS-1:0] row_t;

  typedef struct packed {
    logic  stores;
    tag_t  tag;
    tick_t now;
    tick_t timeout;
  } request_t;

  typedef struct packed {
    logic [PORTS-1:0] ok;
    port_t            proposal;
    port_t            spread;
  } choice_t;

  // ---- the request, on its way to its row

  request_t              request;
  logic                  row_request_valid;
  logic [INDEX_BITS-1:0] row_request_index;

  assign request.stores  = operation == OPERATION_KEEP_OR_SET;
  assign request.tag     = tag;
  assign request.now     = now;
  assign request.timeout = {1'b0, cfg_timeout_ticks[TIME_BITS-2:0] | {TIME_BITS - 1{cfg_timeout_ticks[TIME_BITS-1]}}};

  if (WAIT_CYCLES == 0) begin : gen_no_wait
    assign row_request_valid = input_valid;
    assign row_request_index = index;
  end else begin : gen_wait
    pipeline_delay #(
        .BITS  (1),
        .CYCLES(WAIT_CYCLES),
        .RESET (1'b1)
    ) valid_inst (
        .clk,
        .rst,
        .in (input_valid),
        .out(row_request_valid)
    );

    pipeline_delay #(
        .BITS  (INDEX_BITS),
        .CYCLES(WAIT_CYCLES)
    ) index_inst (
        .clk,
        .rst,
        .in (index),
        .out(row_request_index)
    );
  end

  logic [ROW_BITS-1:0] row_bits;
  logic [ROW_BITS-1:0] left_row;
  row_t                row;
  row_t                changed_row;
  logic                row_request;

  assign row = row_t'(row_bits);

  serial_rows #(
      .ROWS       (2 ** INDEX_BITS),
      .ROW_BITS   (ROW_BITS),
      .LATE_CYCLES(WAIT_CYCLES)
  ) rows_inst (
      .clk,
      .rst,
      .request_valid(row_request_valid),
      .request_row  (row_request_index),
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

  // ---- a cycle before the row

  logic     early_valid;
  request_t early;
  choice_t  choice;  // in the cycle of the row

  pipeline_delay #(
      .BITS  (1),
      .CYCLES(COMPARE_CYCLES - 1),
      .RESET (1'b1)
  ) early_valid_inst (
      .clk,
      .rst,
      .in (input_valid),
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

  pipeline_delay #(
      .BITS  ($bits(choice_t)),
      .CYCLES(COMPARE_CYCLES - LATE_CYCLES)
  ) choice_inst (
      .clk,
      .rst,
      .in ({ok, proposal, spread}),
      .out(choice)
  );

  logic [TIME_BITS+TICK_BITS-1:0] cycle_reg;  // as extern_timestamp counts
  tick_t                          seen_reg;  // the time at which the row is seen
  tick_t                          limit_reg;
  tick_t                          now_reg;
  tag_t                           tag_reg;
  logic                           stores_reg;

  always_ff @(posedge clk) begin
    cycle_reg     <= cycle_reg + 1'b1;
    seen_reg <= early_valid ? early.now : cycle_reg[TICK_BITS+:TIME_BITS];
    limit_reg     <= early.now - early.timeout;
    now_reg       <= early.now;
    tag_reg       <= early.tag;
    stores_reg    <= early_valid && early.stores;
    if (rst) begin
      cycle_reg <= '0;
    end
  end

  // ---- the row is there: compare

  function automatic logic allows(input logic [PORTS-1:0] ports, input port_t port);
    allows = 1'b0;
    for (int i = 0; i < PORTS; i++) begin
      if (port == port_t'(i)) allows = ports[i];
    end
  endfunction

  function automatic port_t lowest(input logic [PORTS-1:0] ports);
    lowest = '0;
    for (int i = PORTS - 1; i >= 0; i--) begin
      if (ports[i]) lowest = port_t'(i);
    end
  endfunction

  logic   [WAYS-1:0] there;
  logic   [WAYS-1:0] live;
  logic   [WAYS-1:0] hit_reg;      // there, and of this tag
  logic   [WAYS-1:0] live_reg;
  logic   [WAYS-1:0] allowed_reg;  // its hop is ok
  row_t              kept_reg;     // the entries that are there
  logic              choose_store_reg;
  tag_t              choose_tag_reg;
  tick_t             choose_now_reg;
  port_t             proposal_reg;
  logic              proposal_ok_reg;
  port_t             fallback_reg;
  logic              fallback_ok_reg;

  for (genvar way = 0; way < WAYS; way++) begin : gen_way
    entry_age #(
        .TIME_BITS(TIME_BITS)
    ) age_inst (
        .valid    (row[way].valid),
        .made     (row[way].made),
        .visit    (!row_request),
        .seen     (seen_reg),
        .limit    (limit_reg),
        .there    (there[way]),
        .live     (live[way])
    );

    always_ff @(posedge clk) begin
      hit_reg[way]        <= there[way] && row[way].tag == tag_reg;
      live_reg[way]       <= live[way];
      allowed_reg[way]    <= allows(choice.ok, port_t'(row[way].hop));
      kept_reg[way]       <= row[way];
      kept_reg[way].valid <= there[way];
    end
  end

  always_ff @(posedge clk) begin
    choose_store_reg <= stores_reg;
    choose_tag_reg   <= tag_reg;
    choose_now_reg   <= now_reg;
    proposal_reg     <= choice.proposal;
    proposal_ok_reg  <= allows(choice.ok, choice.proposal);
    fallback_reg     <= allows(choice.ok, choice.spread) ? choice.spread : lowest(choice.ok);
    fallback_ok_reg  <= choice.ok != '0;
  end

  // ---- choose

  typedef struct packed {
    port_t    hop;
    outcome_t outcome;
    logic     found;
  } answer_t;

  logic    [WAYS-1:0] own_live;
  logic    [WAYS-1:0] keeps;
  logic    [WAYS-1:0] takes;  // the entry that becomes this flow's, or stays it
  outcome_t           wanted;
  logic               falls_back;
  answer_t            answer;
  answer_t            answer_reg;

  always_comb begin
    own_live = hit_reg & live_reg;
    keeps    = own_live & allowed_reg;
    if (hit_reg != '0) begin
      wanted = keeps != '0 ? OUTCOME_KEPT : own_live != '0 ? OUTCOME_MOVED : OUTCOME_RENEWED;
      takes  = hit_reg;
    end else begin
      wanted = live_reg == '1 ? OUTCOME_CROWDED : OUTCOME_NEW;
      takes  = {live_reg[0] && !live_reg[1], !live_reg[0]};
    end
    falls_back     = wanted == OUTCOME_CROWDED || (wanted != OUTCOME_KEPT && !proposal_ok_reg);
    answer.outcome = falls_back && wanted != OUTCOME_CROWDED ? OUTCOME_STUCK : wanted;
    answer.found   = falls_back ? fallback_ok_reg : 1'b1;
    answer.hop     = falls_back ? fallback_reg : proposal_reg;
    for (int way = 0; way < WAYS; way++) begin
      if (keeps[way]) answer.hop = port_t'(kept_reg[way].hop);
    end

    changed_row = kept_reg;
    for (int way = 0; way < WAYS; way++) begin
      if (choose_store_reg && takes[way] && !falls_back) begin
        changed_row[way].valid = 1'b1;
        changed_row[way].tag   = choose_tag_reg;
        changed_row[way].made  = choose_now_reg;
        if (!keeps[way]) changed_row[way].hop = hop_t'(proposal_reg);
      end
    end
  end

  always_ff @(posedge clk) begin
    answer_reg <= answer;
  end

  if (IDLE_CYCLES == 0) begin : gen_result
    assign {hop_result, outcome_result, found_result} = answer_reg;
  end else begin : gen_late_result
    pipeline_delay #(
        .BITS  ($bits(answer_t)),
        .CYCLES(IDLE_CYCLES)
    ) delay_inst (
        .clk,
        .rst,
        .in (answer_reg),
        .out({hop_result, outcome_result, found_result})
    );
  end

  // What a row was left as is nothing to look at here.
  logic unused;
  assign unused = ^left_row;
endmodule

`resetall
