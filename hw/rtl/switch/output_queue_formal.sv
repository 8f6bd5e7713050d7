// SPDX-License-Identifier: Apache-2.0
`resetall
`default_nettype none

// The contract of output_queue, for output_queue.sby, up to a depth: packets leave whole and in order, each one is counted
// once, nothing is lost, nothing waits for nothing. Every beat carries its packet's number and its place in it.
module output_queue_formal #(
    parameter int DEPTH_WORDS = 4,  // as of output_queue
    parameter int FREE_WORDS  = 2   // as of output_queue
) (
    input wire logic clk,
    input wire logic rst,
    input wire logic s_source,
    input wire logic s_last,
    input wire logic s_valid,
    input wire logic m_ready,
    input wire logic port_up,
    input wire logic pick  // watch the length of the packet that begins now
);
  typedef logic [3:0] count_t;  // as wide as the depth of the proof needs

  count_t s_number_reg, s_place_reg;
  logic s_source_reg;
  logic [15:0] m_data;
  logic [1:0] m_keep;
  logic m_user, m_last, m_valid;
  logic taken, full, share, down, left, discarded;
  logic [$clog2(DEPTH_WORDS+1)-1:0] depth;
  logic s_begins;

  assign s_begins = s_valid && s_place_reg == 0;

  output_queue #(
      .DEPTH_WORDS (DEPTH_WORDS),
      .FREE_WORDS  (FREE_WORDS),
      .CREDIT_WORDS(1),
      .N_SOURCES   (2),
      .DATA_BYTES  (2),
      .USER_BITS   (1)
  ) dut (
      .clk,
      .rst,
      .s_axis_tdata        ({4'b0, s_number_reg, 4'b0, s_place_reg}),
      .s_axis_tkeep        (2'b11),
      .s_axis_tuser        (s_number_reg[0]),
      .s_axis_tsource      (s_begins ? s_source : s_source_reg),
      .s_axis_tlast        (s_last),
      .s_axis_tvalid       (s_valid),
      .m_axis_tdata        (m_data),
      .m_axis_tkeep        (m_keep),
      .m_axis_tuser        (m_user),
      .m_axis_tlast        (m_last),
      .m_axis_tvalid       (m_valid),
      .m_axis_tready       (m_ready),
      .port_up             (port_up),
      .status_depth_words  (depth),
      .status_taken        (taken),
      .status_dropped_full (full),
      .status_dropped_share(share),
      .status_dropped_down (down),
      .status_left         (left),
      .status_discarded    (discarded)
  );

  logic begun_reg = 1'b0;
  logic stalled_reg;
  logic [19:0] before_reg;
  count_t m_number, m_place;
  count_t next_number_reg;  // the lowest that may begin to leave
  count_t m_place_reg;      // the place that has to come next
  count_t m_number_reg;     // of the packet that leaves
  count_t inside_reg;       // packets taken and not yet counted as gone
  count_t open_reg;         // packets begun and not yet counted in any way
  logic [2:0] quiet_reg;    // cycles without input
  logic [2:0] hidden_reg;   // cycles in which something was inside and nothing was shown or discarded
  logic picked_reg;
  logic pick_ended_reg;
  count_t pick_number_reg, pick_length_reg;
  logic m_pass;

  assign m_number = m_data[11:8];
  assign m_place  = m_data[3:0];
  assign m_pass = m_valid && m_ready;

  always_ff @(posedge clk) begin
    begun_reg   <= 1'b1;
    stalled_reg <= m_valid && !m_ready;
    before_reg  <= {m_last, m_user, m_keep, m_data};
    if (s_valid) begin
      s_place_reg  <= s_last ? '0 : s_place_reg + 1'b1;
      s_number_reg <= s_number_reg + count_t'(s_last);
    end
    if (s_begins) begin
      s_source_reg <= s_source;
    end
    if (m_pass) begin
      m_place_reg     <= m_last ? '0 : m_place_reg + 1'b1;
      m_number_reg    <= m_number;
      next_number_reg <= m_number + 1'b1;
    end
    inside_reg <= inside_reg + count_t'(taken) - count_t'(left) - count_t'(discarded);
    open_reg   <= open_reg + count_t'(s_begins) - count_t'(taken) - count_t'(full) - count_t'(share) - count_t'(down);
    quiet_reg  <= s_valid ? '0 : quiet_reg + 3'(!(&quiet_reg));
    hidden_reg <= m_valid || dut.move || inside_reg == 0 ? '0 : hidden_reg + 3'(!(&hidden_reg));
    if (s_begins && pick && !picked_reg) begin
      picked_reg      <= 1'b1;
      pick_number_reg <= s_number_reg;
    end
    if (s_valid && s_last && (picked_reg ? s_number_reg == pick_number_reg : s_begins && pick)) begin
      pick_ended_reg  <= 1'b1;
      pick_length_reg <= s_place_reg + 1'b1;
    end
    if (rst) begin
      stalled_reg     <= 1'b0;
      s_place_reg     <= '0;
      s_number_reg    <= '0;
      m_place_reg     <= '0;
      next_number_reg <= '0;
      inside_reg      <= '0;
      open_reg        <= '0;
      quiet_reg       <= '0;
      hidden_reg      <= '0;
      picked_reg      <= 1'b0;
      pick_ended_reg  <= 1'b0;
    end
  end

  logic is_picked;
  assign is_picked = pick_ended_reg && m_number == pick_number_reg;

  always_comb begin
    assume (begun_reg || rst);
    if (begun_reg && !rst) begin
      valid_stays :        assert (!stalled_reg || m_valid);
      beat_holds :         assert (!stalled_reg || {m_last, m_user, m_keep, m_data} == before_reg);
      beats_in_order :     assert (!m_valid || m_place == m_place_reg);
      packets_in_order :   assert (!m_valid || m_place != 0 || m_number >= next_number_reg);
      packets_not_mixed :  assert (!m_valid || m_place == 0 || m_number == m_number_reg);
      beat_is_its_own :    assert (!m_valid || (m_user == m_number[0] && m_keep == '1));
      ends_where_it_did :  assert (!(m_valid && is_picked) || m_last == (m_place + 1'b1 == pick_length_reg));
      whole_ones_only :    assert (!m_valid || m_number < s_number_reg);
      counted_once :       assert (open_reg <= 2);
      counted_in_time :    assert (!(quiet_reg > 2 && s_place_reg == 0) || open_reg == 0);
      gone_once :          assert (inside_reg <= count_t'(DEPTH_WORDS + 1));
      nothing_from_nowhere : assert (!(inside_reg == 0 && quiet_reg > 2) || (!m_valid && (depth == 0 || s_place_reg != 0)));
      shown_in_time :      assert (hidden_reg < 4);
    end
  end
endmodule

`resetall
