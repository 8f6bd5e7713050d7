// SPDX-License-Identifier: Apache-2.0
`resetall
`default_nettype none

// Stream half of a deparser: drops the first bytes of each packet, puts a header before the rest, drops whole packets.
//
// A packet leaves as the first header_length bytes of its header, then its own bytes from strip_length on. It comes
// in three parts, each in the order of the packets: its beats on s_axis; its plan, which says what becomes of it; its
// header, with the same length and drop flag again, and the tuser that every beat of the result gets. The plan is
// wanted first; the header may come later.
// Flow control: full. No path runs from m_axis_tready to another ready. A packet of I beats of which O leave takes
//   max(I, O) cycles in a steady stream, also if it is dropped, and if I = O = 1.
// Latency: two cycles from a plan to the beat, given the header one cycle after the plan, if the beat is all header.
//   A beat that holds bytes of the packet waits for these: one cycle more for each whole beat that is stripped in
//   front of them, and one more if two beats make one. The last header byte waits with them when it ends a beat,
//   because only they tell whether tlast belongs to it.
// Limits: stripping more than there is leaves the header alone. A result without bytes is none: it raises
//   status_empty for a cycle, a dropped one status_dropped; every packet leaves or raises one of the two.
//   SHIFTS promises which differences of lengths occur. Another one, or a length out of its range, would tear bytes; it
//   stops a simulation.
module packet_merge #(
    parameter int DATA_BYTES       = 32,   // bytes a beat, a power of two, 2 or more
    parameter int USER_BITS        = 128,  // bits of tuser, 1 or more
    parameter int WINDOW_BYTES     = 128,  // most bytes stripped from a packet, 1 or more
    parameter int MAX_HEADER_BYTES = 128,  // most bytes put before a packet, 1 or more
    // Bit k: (header_length - strip_length) mod DATA_BYTES may be k. At least one bit.
    parameter bit [DATA_BYTES-1:0] SHIFTS = '1  // a bit for each lane, as said above
) (
    input wire logic clk,
    input wire logic rst,

    input  wire logic [$clog2(MAX_HEADER_BYTES+1)-1:0] s_plan_header_length,  // bytes
    input  wire logic [    $clog2(WINDOW_BYTES+1)-1:0] s_plan_strip_length,   // bytes
    input  wire logic                                  s_plan_drop,
    input  wire logic                                  s_plan_valid,
    output logic                                       s_plan_ready,

    input  wire logic [        MAX_HEADER_BYTES*8-1:0] s_header_data,    // byte 0 is the most significant
    input  wire logic [$clog2(MAX_HEADER_BYTES+1)-1:0] s_header_length,  // bytes
    input  wire logic                                  s_header_drop,
    input  wire logic [                 USER_BITS-1:0] s_header_user,
    input  wire logic                                  s_header_valid,
    output logic                                       s_header_ready,

    input  wire logic [DATA_BYTES*8-1:0] s_axis_tdata,
    input  wire logic [  DATA_BYTES-1:0] s_axis_tkeep,
    input  wire logic                    s_axis_tlast,
    input  wire logic                    s_axis_tvalid,
    output logic                         s_axis_tready,

    output logic [DATA_BYTES*8-1:0] m_axis_tdata,
    output logic [  DATA_BYTES-1:0] m_axis_tkeep,
    output logic [   USER_BITS-1:0] m_axis_tuser,
    output logic                    m_axis_tlast,
    output logic                    m_axis_tvalid,
    input  wire logic               m_axis_tready,

    output logic status_dropped,  // pulse: a packet was dropped as its drop flag wants it
    output logic status_empty     // pulse: a packet had no bytes left and was dropped
);
  if (DATA_BYTES < 2 || 2 ** $clog2(DATA_BYTES) != DATA_BYTES) begin : gen_check_data_bytes
    $fatal(1, "DATA_BYTES must be a power of two, 2 or more (instance %m)");
  end
  if (USER_BITS < 1) begin : gen_check_user_bits
    $fatal(1, "USER_BITS must be 1 or more (instance %m)");
  end
  if (WINDOW_BYTES < 1) begin : gen_check_window_bytes
    $fatal(1, "WINDOW_BYTES must be 1 or more (instance %m)");
  end
  if (MAX_HEADER_BYTES < 1) begin : gen_check_max_header_bytes
    $fatal(1, "MAX_HEADER_BYTES must be 1 or more (instance %m)");
  end
  if (SHIFTS == '0) begin : gen_check_shifts
    $fatal(1, "SHIFTS must have a bit (instance %m)");
  end

  localparam int LANE_BITS    = $clog2(DATA_BYTES);
  localparam int SKIP_BEATS   = WINDOW_BYTES / DATA_BYTES;  // most whole beats stripped
  localparam int SKIP_BITS    = $clog2(SKIP_BEATS + 2);     // one more, to count the beat behind them
  localparam int HEADER_BEATS = (MAX_HEADER_BYTES + DATA_BYTES - 1) / DATA_BYTES;
  localparam int INDEX_BITS   = $clog2(HEADER_BEATS + 1);
  localparam int FEW_SHIFTS   = 4;  // up to so many a multiplexer is one LUT; more take a shifter of several

  typedef logic [LANE_BITS-1:0] lane_t;
  typedef logic [SKIP_BITS-1:0] skip_t;
  typedef logic [INDEX_BITS-1:0] index_t;
  typedef logic [DATA_BYTES-1:0][8:0] lanes_t;  // keep and byte of each lane

  function automatic int count_shifts();
    int count = 0;
    for (int k = 0; k < DATA_BYTES; k++) begin
      count += int'(SHIFTS[k]);
    end
    return count;
  endfunction

  // How many of the possible shifts are smaller.
  function automatic int rank_of(int shift);
    int rank = 0;
    for (int k = 0; k < shift; k++) begin
      rank += int'(SHIFTS[k]);
    end
    return rank;
  endfunction

  function automatic lanes_t rotate(lanes_t lanes, int shift);
    lanes_t moved;
    for (int lane = 0; lane < DATA_BYTES; lane++) begin
      moved[(lane+shift)%DATA_BYTES] = lanes[lane];
    end
    return moved;
  endfunction

  // First half: throws away the whole beats that are stripped and turns the others into place.

  typedef struct packed {
    skip_t skip;   // whole beats that are stripped
    lane_t first;  // the lane of the first byte behind them that is not
    lane_t shift;  // how many lanes the bytes move up
    logic  late;   // they move past the last lane: one more beat is needed to fill the first one that leaves
    logic  drop;
  } plan_t;

  // Of a packet, in this order: its beats from the first that is not stripped whole, or one that has none.
  typedef struct packed {
    logic   last;
    logic   none;   // nothing of the packet is left
    logic   spill;  // some of its bytes belong to the beat after the one that it fills first
    lane_t  shift;
    logic   plain;  // it fills one beat alone: nothing is shifted
    logic   late;
    lanes_t lanes;
  } beat_t;

  plan_t  plan_next;
  plan_t  plan_reg;
  logic   plan_valid_reg;
  skip_t  skipped_reg;  // beats of the packet that have been taken, up to one more than are stripped
  logic   skipping;
  logic   at_first;     // this is the first beat that is not stripped whole
  logic   passes;       // this beat goes on, with bytes or without
  logic   take;
  logic   room;
  lanes_t lanes;
  lanes_t turned;
  beat_t  turned_beat;
  logic   arrives;

  lane_t header_rest;  // bytes of the header behind its whole beats
  lane_t strip_rest;

  assign header_rest = lane_t'(s_plan_header_length);
  assign strip_rest  = lane_t'(s_plan_strip_length);
  wire unused = &{1'b0, s_plan_header_length};
  always_comb begin
    plan_next.skip  = skip_t'(32'(s_plan_strip_length) >> LANE_BITS);
    plan_next.first = strip_rest;
    plan_next.shift = header_rest - strip_rest;
    plan_next.late  = header_rest < strip_rest;
    plan_next.drop  = s_plan_drop;
  end

  assign skipping      = plan_reg.drop || skipped_reg < plan_reg.skip;
  assign at_first      = skipped_reg == plan_reg.skip;
  assign passes        = !skipping || s_axis_tlast;
  assign s_axis_tready = plan_valid_reg && (room || !passes);
  assign take          = s_axis_tvalid && s_axis_tready;
  assign arrives       = take && passes;
  assign s_plan_ready  = !plan_valid_reg || (take && s_axis_tlast);

  always_ff @(posedge clk) begin
    if (s_plan_ready) begin
      plan_reg       <= plan_next;
      plan_valid_reg <= s_plan_valid;
      skipped_reg    <= '0;
    end else if (take && (skipping || at_first)) begin
      skipped_reg <= skipped_reg + 1'b1;
    end
    if (rst) begin
      plan_valid_reg <= 1'b0;
    end
  end

  for (genvar lane = 0; lane < DATA_BYTES; lane++) begin : gen_in
    assign lanes[lane] = {s_axis_tkeep[lane], s_axis_tdata[lane*8+:8]};
  end

  if (count_shifts() <= FEW_SHIFTS) begin : gen_few_shifts
    typedef logic [$clog2(FEW_SHIFTS)-1:0] rank_t;

    rank_t rank_next;
    rank_t rank_reg;

    always_comb begin
      rank_next = '0;
      for (int shift = 0; shift < DATA_BYTES; shift++) begin
        if (SHIFTS[shift] && plan_next.shift == lane_t'(shift)) begin
          rank_next |= rank_t'(rank_of(shift));
        end
      end
    end

    always_ff @(posedge clk) begin
      if (s_plan_ready) begin
        rank_reg <= rank_next;
      end
    end

    always_comb begin
      turned = '0;
      for (int shift = 0; shift < DATA_BYTES; shift++) begin
        if (SHIFTS[shift] && (rank_reg == rank_t'(rank_of(shift)) || count_shifts() == 1)) begin
          turned |= rotate(lanes, shift);
        end
      end
    end
  end else begin : gen_many_shifts
    always_comb begin
      turned = lanes;
      for (int i = 0; i < LANE_BITS; i++) begin
        if (plan_reg.shift[i]) begin
          turned = rotate(turned, 1 << i);
        end
      end
    end
  end

  always_comb begin
    turned_beat.last  = s_axis_tlast;
    turned_beat.none  = skipping || (at_first && !s_axis_tkeep[plan_reg.first]);
    turned_beat.spill = !turned_beat.none && plan_reg.shift != '0 && turned[0][8];
    turned_beat.shift = plan_reg.shift;
    turned_beat.plain = plan_reg.shift == '0;
    turned_beat.late  = plan_reg.late;
    turned_beat.lanes = turned;
    for (int lane = 0; lane < DATA_BYTES; lane++) begin
      turned_beat.lanes[lane][8] = turned[lane][8] && !turned_beat.none;
    end
  end

  // Between the halves: two beats, of which the second is there only if the first is. What leaves is made of both.

  beat_t first_reg;
  logic  first_valid_reg;
  beat_t second_reg;
  logic  second_valid_reg;
  logic  leave;       // the first has done its part
  logic  leave_both;  // so has the second

  assign room = !second_valid_reg || leave;

  always_ff @(posedge clk) begin
    if (leave || !first_valid_reg) begin
      first_reg       <= second_valid_reg && !leave_both ? second_reg : turned_beat;
      first_valid_reg <= (second_valid_reg && !leave_both) || arrives;
    end
    if (leave || !second_valid_reg) begin
      second_reg       <= turned_beat;
      second_valid_reg <= arrives && first_valid_reg && !leave_both && (second_valid_reg || !leave);
    end
    if (rst) begin
      first_valid_reg  <= 1'b0;
      second_valid_reg <= 1'b0;
    end
  end

  // Second half: the header's whole beats, then what is left of it with the packet's bytes behind.

  typedef logic [HEADER_BEATS*DATA_BYTES-1:0][7:0] header_t;  // byte 0 is the lowest here

  header_t header;
  index_t  index_reg;      // whole header beats that have left
  logic    joined_reg;     // so has the beat that holds the rest of the header
  lane_t   rest;           // bytes of that rest
  logic    whole;          // this beat is all header
  logic    ends_header;    // and no header byte comes after it
  logic    both;           // what leaves of the packet is made of both beats
  logic    need_first;     // this beat cannot leave without the first beat
  logic    need_second;    // nor without the second
  logic    vanish;         // the packet ends without a beat, once the first beat is there
  logic    gone;           // now it does
  logic    last;
  logic    finish;         // the packet is done with
  logic    send;
  logic    send_ready;
  logic    sent;
  logic    dropped_reg;
  logic    empty_reg;

  logic [DATA_BYTES*8-1:0] out_data;
  logic [  DATA_BYTES-1:0] out_keep;

  for (genvar place = 0; place < HEADER_BEATS * DATA_BYTES; place++) begin : gen_header
    if (place < MAX_HEADER_BYTES) begin : gen_byte
      assign header[place] = s_header_data[(MAX_HEADER_BYTES-1-place)*8+:8];
    end else begin : gen_none
      assign header[place] = '0;
    end
  end

  assign rest        = lane_t'(s_header_length);
  assign whole       = index_reg != index_t'(32'(s_header_length) >> LANE_BITS);
  assign ends_header = rest == '0 && index_reg + 1'b1 == index_t'(32'(s_header_length) >> LANE_BITS);
  assign need_first  = s_header_drop || !whole || ends_header;
  assign both        = (joined_reg || first_reg.late) && !first_reg.plain;
  assign need_second = !whole && both && !first_reg.last;
  assign vanish      = s_header_drop || (!whole && first_reg.none && rest == '0);

  always_comb begin
    if (whole) begin
      last = ends_header && first_reg.none;
    end else if (both) begin
      last = first_reg.last || (second_reg.last && !second_reg.spill);
    end else begin
      last = first_reg.last && !first_reg.spill;
    end
  end

  assign gone       = s_header_valid && first_valid_reg && vanish;
  assign send       = s_header_valid && !vanish &&
                      (!need_first || first_valid_reg) && (!need_second || second_valid_reg);
  assign sent       = send && send_ready;
  assign finish     = gone || (sent && last);
  assign leave      = finish || (sent && !whole && (both || first_reg.plain));
  assign leave_both = sent && last && need_second;

  assign s_header_ready = finish;

  always_comb begin
    for (int lane = 0; lane < DATA_BYTES; lane++) begin
      if (whole || (!joined_reg && lane_t'(lane) < rest)) begin
        {out_keep[lane], out_data[lane*8+:8]} = {1'b1, header[int'(index_reg)*DATA_BYTES+lane]};
      end else if (!both || lane_t'(lane) < first_reg.shift) begin
        {out_keep[lane], out_data[lane*8+:8]} = first_reg.lanes[lane];
      end else begin
        {out_keep[lane], out_data[lane*8+:8]} = second_reg.lanes[lane];
        out_keep[lane] &= !first_reg.last;
      end
    end
  end

  always_ff @(posedge clk) begin
    if (finish) begin
      index_reg  <= '0;
      joined_reg <= 1'b0;
    end else if (sent && whole) begin
      index_reg <= index_reg + 1'b1;
    end else if (sent) begin
      joined_reg <= 1'b1;
    end
    dropped_reg <= gone && s_header_drop;
    empty_reg   <= gone && !s_header_drop;
    if (rst) begin
      index_reg   <= '0;
      joined_reg  <= 1'b0;
      dropped_reg <= 1'b0;
      empty_reg   <= 1'b0;
    end
  end

  assign status_dropped = dropped_reg;
  assign status_empty   = empty_reg;

  axis_register #(
      .DATA_BYTES(DATA_BYTES),
      .USER_BITS (USER_BITS)
  ) out_inst (
      .clk          (clk),
      .rst          (rst),
      .s_axis_tdata (out_data),
      .s_axis_tkeep (out_keep),
      .s_axis_tuser (s_header_user),
      .s_axis_tlast (last),
      .s_axis_tvalid(send),
      .s_axis_tready(send_ready),
      .m_axis_tdata (m_axis_tdata),
      .m_axis_tkeep (m_axis_tkeep),
      .m_axis_tuser (m_axis_tuser),
      .m_axis_tlast (m_axis_tlast),
      .m_axis_tvalid(m_axis_tvalid),
      .m_axis_tready(m_axis_tready)
  );

`ifndef SYNTHESIS
  always_ff @(posedge clk) begin
    if (!rst && s_plan_valid && !s_plan_drop) begin
      a_shift_is_promised : assert (SHIFTS[plan_next.shift]);
      a_strip_is_in_range : assert (int'(s_plan_strip_length) <= WINDOW_BYTES);
      a_header_is_in_range : assert (int'(s_plan_header_length) <= MAX_HEADER_BYTES);
    end
  end
`endif
endmodule

`resetall
