// SPDX-License-Identifier: Apache-2.0
`resetall
`default_nettype none

// The contract of packet_merge, for packet_merge.sby: everything that can happen in so many cycles after a reset.
//
// PACKETS packets of free lengths, with free plans, come again and again; when each stream moves is free. A byte tells
// its packet and its place, so that every byte that leaves can be judged by its place alone.
module packet_merge_formal #(
    parameter int DATA_BYTES = 4  // as of packet_merge
) (
    input wire logic clk,
    input wire logic rst,
    input wire logic s_plan_valid,
    input wire logic s_header_valid,
    input wire logic s_axis_tvalid,
    input wire logic m_ready
);
  localparam int PACKETS = 2;
  localparam int MOST_BYTES = 2 * DATA_BYTES + 1;  // of a window, of a header
  localparam int BITS = $clog2(4 * MOST_BYTES);
  localparam int STUCK_CYCLES = 3;

  typedef logic [BITS-1:0] count_t;
  typedef logic [$clog2(PACKETS)-1:0] number_t;
  typedef logic [$clog2(MOST_BYTES+1)-1:0] length_t;

  // What the packets are, and what becomes of them: picked before the start, never changed.
  count_t [PACKETS-1:0] packet_length_reg;
  length_t [PACKETS-1:0] header_length_reg;
  length_t [PACKETS-1:0] strip_length_reg;
  logic [PACKETS-1:0] drop_reg;

  // Which packet each stream is at, and how many of its bytes have passed.
  number_t plan_reg, header_reg, in_reg, out_reg;
  count_t in_bytes_reg, out_bytes_reg;

  function automatic logic [7:0] byte_of(logic header, number_t number, count_t place);
    return {header, number, 6'(place)};
  endfunction

  function automatic count_t result_length(number_t number);
    count_t rest = packet_length_reg[number] > count_t'(strip_length_reg[number]) ?
        packet_length_reg[number] - count_t'(strip_length_reg[number]) : '0;
    return drop_reg[number] ? '0 : count_t'(header_length_reg[number]) + rest;
  endfunction

  logic s_plan_ready, s_header_ready, s_axis_tready, s_axis_tlast;
  logic m_valid, m_last, dropped, empty;
  logic [DATA_BYTES*8-1:0] s_data, m_data;
  logic [DATA_BYTES-1:0] s_keep, m_keep;
  logic [MOST_BYTES*8-1:0] header;
  number_t m_user;

  always_comb begin
    s_axis_tlast = in_bytes_reg + count_t'(DATA_BYTES) >= packet_length_reg[in_reg];
    for (int lane = 0; lane < DATA_BYTES; lane++) begin
      s_keep[lane]       = in_bytes_reg + count_t'(lane) < packet_length_reg[in_reg];
      s_data[lane*8+:8]  = byte_of(1'b0, in_reg, in_bytes_reg + count_t'(lane));
    end
    for (int place = 0; place < MOST_BYTES; place++) begin
      header[(MOST_BYTES-1-place)*8+:8] = byte_of(1'b1, header_reg, count_t'(place));
    end
  end

  packet_merge #(
      .DATA_BYTES      (DATA_BYTES),
      .USER_BITS       ($bits(number_t)),
      .WINDOW_BYTES    (MOST_BYTES),
      .MAX_HEADER_BYTES(MOST_BYTES)
  ) dut (
      .clk,
      .rst,
      .s_plan_header_length(header_length_reg[plan_reg]),
      .s_plan_strip_length (strip_length_reg[plan_reg]),
      .s_plan_drop         (drop_reg[plan_reg]),
      .s_plan_valid,
      .s_plan_ready,
      .s_header_data       (header),
      .s_header_length     (header_length_reg[header_reg]),
      .s_header_drop       (drop_reg[header_reg]),
      .s_header_user       (header_reg),
      .s_header_valid,
      .s_header_ready,
      .s_axis_tdata        (s_data),
      .s_axis_tkeep        (s_keep),
      .s_axis_tlast,
      .s_axis_tvalid,
      .s_axis_tready,
      .m_axis_tdata        (m_data),
      .m_axis_tkeep        (m_keep),
      .m_axis_tuser        (m_user),
      .m_axis_tlast        (m_last),
      .m_axis_tvalid       (m_valid),
      .m_axis_tready       (m_ready),
      .status_dropped      (dropped),
      .status_empty        (empty)
  );

  logic begun_reg = 1'b0;
  logic stalled_reg, last_before_reg;
  logic [DATA_BYTES-1:0] keep_before_reg;
  logic [DATA_BYTES*8-1:0] data_before_reg;
  logic drop_due_reg, empty_due_reg;
  logic [2:0] stuck_reg;
  logic [3:0] under_way_reg;  // packets whose header is done and whose last beat has not left
  number_t out_number;
  logic plan_move, header_move, in_move, out_move, header_leaves, last_leaves, all_offered;

  // The packet that leaves is the next one that has a result.
  always_comb begin
    out_number = out_reg;
    for (int i = 0; i < PACKETS; i++) begin
      if (result_length(out_number) == '0) begin
        out_number = out_number + 1'b1;
      end
    end
  end

  assign plan_move     = s_plan_valid && s_plan_ready;
  assign header_move   = s_header_valid && s_header_ready;
  assign in_move       = s_axis_tvalid && s_axis_tready;
  assign out_move      = m_valid && m_ready;
  assign last_leaves   = out_move && m_last;
  assign header_leaves = header_move && result_length(header_reg) != '0;
  assign all_offered   = s_plan_valid && s_header_valid && s_axis_tvalid && m_ready;

  always_ff @(posedge clk) begin
    begun_reg       <= 1'b1;
    stalled_reg     <= m_valid && !m_ready;
    last_before_reg <= m_last;
    keep_before_reg <= m_keep;
    data_before_reg <= m_data;
    drop_due_reg    <= header_move && drop_reg[header_reg];
    empty_due_reg   <= header_move && !drop_reg[header_reg] && result_length(header_reg) == '0;
    stuck_reg       <= all_offered && !plan_move && !header_move && !in_move && !out_move ? stuck_reg + 1'b1 : '0;
    under_way_reg   <= under_way_reg + 4'(header_leaves) - 4'(last_leaves);
    plan_reg        <= plan_reg + number_t'(plan_move);
    header_reg      <= header_reg + number_t'(header_move);
    if (in_move) begin
      in_reg       <= in_reg + number_t'(s_axis_tlast);
      in_bytes_reg <= s_axis_tlast ? '0 : in_bytes_reg + count_t'(DATA_BYTES);
    end
    if (out_move) begin
      out_reg       <= m_last ? out_number + 1'b1 : out_reg;
      out_bytes_reg <= m_last ? '0 : out_bytes_reg + count_t'(DATA_BYTES);
    end
    packet_length_reg <= packet_length_reg;
    header_length_reg <= header_length_reg;
    strip_length_reg  <= strip_length_reg;
    drop_reg          <= drop_reg;
    if (rst) begin
      stalled_reg   <= 1'b0;
      drop_due_reg  <= 1'b0;
      empty_due_reg <= 1'b0;
      stuck_reg     <= '0;
      under_way_reg <= '0;
      plan_reg      <= '0;
      header_reg    <= '0;
      in_reg        <= '0;
      in_bytes_reg  <= '0;
      out_reg       <= '0;
      out_bytes_reg <= '0;
    end
  end

  // Lane by lane, what this beat has to be.
  logic [DATA_BYTES-1:0] keep_wanted;
  logic [DATA_BYTES-1:0] byte_wrong;

  always_comb begin
    for (int lane = 0; lane < DATA_BYTES; lane++) begin
      keep_wanted[lane] = out_bytes_reg + count_t'(lane) < result_length(out_number);
      byte_wrong[lane]  = keep_wanted[lane] && m_data[lane*8+:8] !=
          (out_bytes_reg + count_t'(lane) < count_t'(header_length_reg[out_number]) ?
           byte_of(1'b1, out_number, out_bytes_reg + count_t'(lane)) :
           byte_of(1'b0, out_number, out_bytes_reg + count_t'(lane) - count_t'(header_length_reg[out_number]) +
                                     count_t'(strip_length_reg[out_number])));
    end
  end

  always_comb begin
    assume (rst == !begun_reg);
    for (int i = 0; i < PACKETS; i++) begin
      assume (packet_length_reg[i] != '0 && packet_length_reg[i] <= count_t'(MOST_BYTES + DATA_BYTES));
      assume (header_length_reg[i] <= length_t'(MOST_BYTES));
      assume (strip_length_reg[i] <= length_t'(MOST_BYTES));
    end
    if (begun_reg) begin
      valid_stays :         assert (!stalled_reg || m_valid);
      beat_holds :          assert (!stalled_reg || {m_last, m_keep, m_data} ==
                                    {last_before_reg, keep_before_reg, data_before_reg});
      no_beat_torn :        assert (!m_valid || m_keep == keep_wanted);
      ends_where_it_ends :  assert (!m_valid || m_last ==
                                    (out_bytes_reg + count_t'(DATA_BYTES) >= result_length(out_number)));
      every_byte_right :    assert (!m_valid || byte_wrong == '0);
      user_goes_along :     assert (!m_valid || m_user == out_number);
      nothing_from_nothing : assert (!m_valid || result_length(out_number) != '0);
      dropped_is_counted :  assert (dropped == drop_due_reg);
      empty_is_counted :    assert (empty == empty_due_reg);
      none_lost_or_doubled : assert (under_way_reg <= 2 && (m_valid || under_way_reg == 0));
      never_stuck :         assert (stuck_reg < 3'(STUCK_CYCLES));
    end
  end
endmodule

`resetall
