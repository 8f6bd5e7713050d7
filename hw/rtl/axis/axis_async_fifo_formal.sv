// SPDX-License-Identifier: Apache-2.0
`resetall
`default_nettype none

// The contract of axis_async_fifo, for axis_async_fifo.sby, up to a depth, with one clock on both sides; the two-clock
// case is simulated. It starts as a reset leaves it; with RESETS, either side is reset whenever it likes.
//
// Input packets are made so that a tear shows: tuser marks the first beat, all beats carry the packet's number. One beat,
// picked freely, is followed; what holds for it holds for every beat.
module axis_async_fifo_formal #(
    parameter int DEPTH_WORDS = 2,    // as of axis_async_fifo
    parameter bit RESETS      = 1'b0  // 1: resets at any time
) (
    input wire logic       clk,
    input wire logic       s_rst,
    input wire logic       m_rst,
    input wire logic [1:0] number,   // of a packet that begins
    input wire logic       s_last,
    input wire logic       s_valid,
    input wire logic       m_ready,
    input wire logic       pick      // follow the beat that enters now
);
  logic [7:0] s_number_reg, m_number_reg, s_data, m_data;
  logic s_inside_reg;  // a packet has begun to enter and not ended
  logic m_inside_reg;  // a packet has begun to leave and not ended
  logic s_ready, m_valid, m_keep, m_first, m_last, m_bad;

  assign s_data = s_inside_reg ? s_number_reg : 8'(number);

  axis_async_fifo #(
      .DEPTH_WORDS(DEPTH_WORDS),
      .DATA_BYTES (1),
      .USER_BITS  (1)
  ) dut (
      .s_clk        (clk),
      .s_rst,
      .m_clk        (clk),
      .m_rst,
      .s_axis_tdata (s_data),
      .s_axis_tkeep (1'b1),
      .s_axis_tuser (!s_inside_reg),
      .s_axis_tbad  (1'b0),
      .s_axis_tlast (s_last),
      .s_axis_tvalid(s_valid),
      .s_axis_tready(s_ready),
      .m_axis_tdata (m_data),
      .m_axis_tkeep (m_keep),
      .m_axis_tuser (m_first),
      .m_axis_tbad  (m_bad),
      .m_axis_tlast (m_last),
      .m_axis_tvalid(m_valid),
      .m_axis_tready(m_ready)
  );

  logic begun_reg = 1'b0;
  logic [4:0] entered_reg, left_reg, place_reg;
  logic following_reg;
  logic [8:0] followed_reg;
  logic stalled_reg;
  logic [11:0] before_reg, m_beat;
  logic enter, leave;

  assign m_beat = {m_bad, m_last, m_first, m_keep, m_data};
  assign enter  = s_valid && s_ready && !s_rst;
  assign leave  = m_valid && m_ready && !m_rst;

  always_ff @(posedge clk) begin
    begun_reg   <= 1'b1;
    stalled_reg <= m_valid && !m_ready && !m_rst;
    before_reg  <= m_beat;
    if (enter) begin
      entered_reg  <= entered_reg + 1'b1;
      s_inside_reg <= !s_last;
      s_number_reg <= s_data;
      if (pick && !following_reg) begin
        following_reg <= 1'b1;
        followed_reg  <= {s_last, s_data};
        place_reg     <= entered_reg;
      end
    end
    if (leave) begin
      left_reg     <= left_reg + 1'b1;
      m_inside_reg <= !m_last;
      m_number_reg <= m_data;
    end
    if (s_rst) begin
      s_inside_reg <= 1'b0;
    end
    if (m_rst) begin
      m_inside_reg <= 1'b0;
    end
  end

  always_comb begin
    assume (RESETS || (!s_rst && !m_rst));
    if (!begun_reg) begin
      assume ({dut.s_request_reg, dut.s_request_sync1_reg, dut.s_request_sync2_reg} == '0);
      assume ({dut.m_request_reg, dut.m_request_sync1_reg, dut.m_request_sync2_reg} == '0);
      assume ({dut.s_answer_reg, dut.s_answer_sync1_reg, dut.s_answer_sync2_reg} == '0);
      assume ({dut.m_answer_reg, dut.m_answer_sync1_reg, dut.m_answer_sync2_reg} == '0);
      assume ({dut.write_reg, dut.write_gray_reg, dut.write_gray_sync1_reg, dut.write_gray_sync2_reg} == '0);
      assume ({dut.read_reg, dut.read_gray_reg, dut.read_gray_sync1_reg, dut.read_gray_sync2_reg} == '0);
      assume ({dut.s_wanted_reg, dut.m_wanted_reg} == '0);
      assume ({dut.s_inside_reg, dut.dropping_reg, dut.m_inside_reg, dut.out_valid_reg} == '0);
      assume (!dut.memory_inst.out_valid_reg);
      assume ({s_inside_reg, m_inside_reg, stalled_reg, following_reg, entered_reg, left_reg} == '0);
    end else begin
      valid_stays :      assert (!stalled_reg || m_valid);
      beat_holds :       assert (!stalled_reg || m_beat == before_reg);
      packets_begin :    assert (!m_valid || m_inside_reg || (m_first && !m_bad));
      packets_are_one :  assert (!m_valid || !m_inside_reg || m_bad || (!m_first && m_data == m_number_reg));
      cut_ones_end :     assert (!(m_valid && m_bad) || m_last);
    end
    if (begun_reg && !RESETS) begin
      nothing_is_cut :       assert (!(m_valid && m_bad));
      nothing_from_nothing : assert (!m_valid || entered_reg != left_reg);
      nothing_over :         assert (5'(entered_reg - left_reg) <= 5'(DEPTH_WORDS + 2));
      leaves_as_it_entered : assert (!(m_valid && following_reg && place_reg == left_reg) || {m_last, m_data} == followed_reg);
    end
  end
endmodule

`resetall
