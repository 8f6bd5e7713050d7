// SPDX-License-Identifier: Apache-2.0
`resetall
`default_nettype none

// The rule of best_hops, for best_hops.sby: the proof begins in any state, thus with any row whose entries are sorted,
// and any request to it, or a visit of the sweeper. What is left, and what is answered, is what docs/hula.md says: so
// the row is sorted again, no port comes to stand in it twice, nothing older than the time-out is answered, and k
// entries are there when there are so many to keep. That requests are done one after the other is for serial_rows to
// prove, on whose row and left_row all this rests.
module best_hops_formal
  import extern_pkg::*;
  import best_hops_pkg::*;
#(
    parameter int K     = 4,  // as of best_hops
    parameter int PORTS = 4   // likewise
) (
    input wire logic        clk,
    input wire logic        valid,
    input wire logic        operation,
    input wire logic        tor,
    input wire logic [ 4:0] port,
    input wire logic [ 7:0] utilisation,
    input wire logic [ 4:0] now,
    input wire logic [ 4:0] fail_ticks,
    input wire logic [ 2:0] literal,
    input wire control_op_t control_op,
    input wire logic        control_valid
);
  localparam int TIME_BITS = 5;
  localparam int PORT_BITS = 5;
  localparam int HOP_BITS  = port_index_bits(PORTS);
  localparam int ROW_BITS  = hops_row_bits(K, PORTS, TIME_BITS);
  localparam int LIMIT     = fail_ticks_limit(TIME_BITS, 4, 8);

  typedef logic [TIME_BITS-1:0] time_t;

  typedef struct packed {
    logic [HOP_BITS-1:0] port;
    logic [7:0]          utilisation;
    time_t               stamp;
    logic                valid;
  } hop_t;

  typedef struct packed {
    time_t stamp;
    logic  valid;
  } last_t;

  typedef struct packed {
    last_t [PORTS-1:0] last;
    hop_t [K-1:0]      hop;
  } row_t;

  logic [K*PORT_BITS-1:0] ports;
  logic [K*8-1:0] utilisations;
  logic [COUNT_BITS-1:0] count;
  logic [7:0] best;
  logic [PORTS-1:0] alive;
  logic control_ready, status_valid;
  logic [ROW_BITS-1:0] status;

  best_hops #(
      .TORS      (2),
      .K         (K),
      .PORTS     (PORTS),
      .TOR_BITS  (1),
      .PORT_BITS (PORT_BITS),
      .TIME_BITS (TIME_BITS),
      .TICK_BITS (4),
      .LAG_CYCLES(8)
  ) dut (
      .clk,
      .rst                (1'b0),
      .cfg_fail_ticks     (fail_ticks),
      .cfg_literal        (literal),
      .input_valid        (valid),
      .operation,
      .tor,
      .port,
      .utilisation,
      .now,
      .ports_result       (ports),
      .utilisations_result(utilisations),
      .count_result       (count),
      .best_result        (best),
      .alive_result       (alive),
      .control_valid,
      .control_ready,
      .control_op,
      .control_index      (1'b0),
      .status_valid,
      .status_value       (status)
  );

  // ---- by the page: what is left of `row`, and what is answered

  row_t row;
  time_t fail;  // the time-out of this request, at most LIMIT
  logic [K-1:0] live, kept;
  logic none_live, acts, was_single;
  logic [7:0] rank_1, put;
  row_t right;            // what is left, but for holes
  hop_t [K-1:0] listed;   // what is answered
  logic [PORTS-1:0] right_alive;

  function automatic int number(input logic [K-1:0] mask, input int below);
    number = 0;
    for (int i = 0; i < K; i++) if (i < below && mask[i]) number++;
  endfunction

  assign row = dut.row;

  always_comb begin
    none_live  = 1'b1;
    was_single = !dut.shown_reg.literal[2];
    for (int i = 0; i < K; i++) begin
      for (int j = 0; j < i; j++) begin
        if (row.hop[i].valid && row.hop[j].valid && row.hop[i].port == row.hop[j].port) was_single = 1'b0;
      end
    end
    rank_1    = '1;
    for (int i = 0; i < K; i++) begin
      live[i] = row.hop[i].valid && time_t'(dut.shown_reg.live.now - row.hop[i].stamp) <= fail;
      kept[i] = live[i] && (dut.shown_reg.literal[2] || row.hop[i].port != dut.shown_reg.port);
      if (live[i]) begin
        none_live = 1'b0;
        if (row.hop[i].utilisation < rank_1) rank_1 = row.hop[i].utilisation;
      end
    end
    acts = dut.row_request && dut.shown_reg.probe &&
        (!dut.shown_reg.literal[0] || none_live || dut.shown_reg.utilisation < rank_1);
    put = dut.shown_reg.utilisation;
    if (dut.shown_reg.literal[1] && !none_live && rank_1 < put) put = rank_1;

    // Its place is the number of those ahead of it.
    right  = row;
    listed = '0;
    for (int i = 0; i < K; i++) begin
      right.hop[i].valid = row.hop[i].valid && time_t'(dut.reference_reg - row.hop[i].stamp) < 5'd24;
      for (int rank = 0; rank < K; rank++) begin
        if (!acts && live[i] && number(live, i) == rank) listed[rank] = row.hop[i];
        if (acts && kept[i] && number(kept, i) + int'(row.hop[i].utilisation > put) == rank) begin
          listed[rank] = row.hop[i];
        end
      end
    end
    for (int rank = 0; rank < K; rank++) begin
      logic [K-1:0] ahead;
      for (int i = 0; i < K; i++) ahead[i] = kept[i] && row.hop[i].utilisation <= put;
      if (acts && number(ahead, K) == rank) begin
        listed[rank] = '{port: dut.shown_reg.port, utilisation: put, stamp: dut.shown_reg.live.now, valid: 1'b1};
      end
    end
    for (int i = 0; i < PORTS; i++) begin
      right.last[i].valid = row.last[i].valid && time_t'(dut.reference_reg - row.last[i].stamp) < 5'd24;
      right_alive[i] = row.last[i].valid && time_t'(dut.shown_reg.live.now - row.last[i].stamp) <= fail;
      if (acts && dut.shown_reg.port == HOP_BITS'(i)) begin
        right.last[i]  = '{stamp: dut.shown_reg.live.now, valid: 1'b1};
        right_alive[i] = 1'b1;
      end
    end
  end

  // ---- what was right, until it is there

  logic [2:0] step_reg = 3'd0;
  logic request_reg[3], acts_reg[3], clear_reg[2];  // clear_reg: left_row is none that is left
  logic was_single_reg[2];  // no port in two entries, nor may that come to be
  row_t right_reg[2];
  hop_t [K-1:0] listed_reg[3];
  logic [PORTS-1:0] alive_reg[3];

  always_ff @(posedge clk) begin
    fail          <= fail;
    step_reg      <= step_reg == 3'd7 ? 3'd7 : step_reg + 3'd1;
    request_reg[0] <= dut.shown_reg.exists;
    acts_reg[0]   <= acts;
    right_reg[0]  <= right;
    was_single_reg[0] <= was_single;
    was_single_reg[1] <= was_single_reg[0];
    listed_reg[0] <= listed;
    alive_reg[0]  <= right_alive;
    right_reg[1]  <= right_reg[0];
    clear_reg[0]  <= dut.rows_inst.line_reg[dut.rows_inst.LEFT_CYCLES-1].clear;
    clear_reg[1]  <= clear_reg[0];
    for (int i = 1; i < 3; i++) begin
      request_reg[i] <= request_reg[i-1];
      acts_reg[i]    <= acts_reg[i-1];
      listed_reg[i]  <= listed_reg[i-1];
      alive_reg[i]   <= alive_reg[i-1];
    end
  end

  row_t left;
  hop_t [K-1:0] left_listed;
  logic [K-1:0] left_valid;

  assign left = dut.left;

  always_comb begin
    left_listed = '0;
    for (int i = 0; i < K; i++) left_valid[i] = left.hop[i].valid;
    for (int i = 0; i < K; i++) begin
      for (int rank = 0; rank < K; rank++) begin
        if (left_valid[i] && number(left_valid, i) == rank) left_listed[rank] = left.hop[i];
      end
    end
  end

  logic is_sorted, is_single;
  logic [K*PORT_BITS-1:0] right_ports;
  logic [K*8-1:0] right_utilisations;
  logic [COUNT_BITS-1:0] right_count;

  always_comb begin
    is_sorted = 1'b1;
    is_single = 1'b1;
    for (int i = 0; i < K; i++) begin
      for (int j = 0; j < i; j++) begin
        if (left_valid[i] && left_valid[j]) begin
          if (left.hop[j].utilisation > left.hop[i].utilisation) is_sorted = 1'b0;
          if (left.hop[j].port == left.hop[i].port) is_single = 1'b0;
        end
      end
    end
    right_count = '0;
    for (int rank = 0; rank < K; rank++) begin
      right_ports[rank*PORT_BITS+:PORT_BITS] = PORT_BITS'(listed_reg[2][rank].port);
      right_utilisations[rank*8+:8] = listed_reg[2][rank].valid ? listed_reg[2][rank].utilisation : 8'hff;
      if (listed_reg[2][rank].valid) right_count = COUNT_BITS'(unsigned'(rank + 1));
    end
  end

  always_comb begin
    if (step_reg == 0) begin
      assume (int'(fail) <= LIMIT);
      assume (dut.row_request == dut.shown_reg.exists);
      assume (int'(dut.shown_reg.port) < PORTS);
      assume (dut.shown_reg.live.oldest == time_t'(dut.shown_reg.live.now - fail));
      assume (dut.shown_reg.live.wraps == (fail > dut.shown_reg.live.now));
      assume (!dut.shown_reg.exists || dut.reference_reg == dut.shown_reg.live.now);
      for (int i = 0; i < K; i++) begin
        for (int j = 0; j < i; j++) begin
          assume (!row.hop[i].valid || !row.hop[j].valid || row.hop[j].utilisation <= row.hop[i].utilisation);
        end
      end
    end
    if (step_reg == 2 && !clear_reg[0]) begin
      last_is_right : assert (left.last == right_reg[1].last);
      stays         : assert (acts_reg[1] || left.hop == right_reg[1].hop);
      moves         : assert (!acts_reg[1] || left_listed == listed_reg[1]);
      sorted        : assert (is_sorted);
      several_never : assert (is_single || !was_single_reg[1]);
    end
    if (step_reg == 3 && request_reg[2] && !clear_reg[1]) begin
      answered       : assert (ports == right_ports && utilisations == right_utilisations && count == right_count);
      answered_best  : assert (best == utilisations[7:0]);
      answered_alive : assert (alive == alive_reg[2]);
    end
  end
endmodule

`resetall
