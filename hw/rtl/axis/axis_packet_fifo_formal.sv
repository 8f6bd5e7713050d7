// SPDX-License-Identifier: Apache-2.0
`resetall
`default_nettype none

// The contract of axis_packet_fifo, for axis_packet_fifo.sby, by induction. Beside it stands the rule of its header,
// in numbers of beats. One beat, picked freely, is followed: it leaves as it entered, in its place, or its packet is
// dropped while nothing of it has left; what holds for it holds for every beat.
module axis_packet_fifo_formal #(
    parameter int DEPTH_WORDS    = 5,    // as of axis_packet_fifo
    parameter bit DROP_WHEN_FULL = 1'b1  // as of axis_packet_fifo
) (
    input wire logic       clk,
    input wire logic       rst,
    input wire logic [7:0] s_data,
    input wire logic       s_keep,
    input wire logic       s_user,
    input wire logic       s_last,
    input wire logic       s_bad,
    input wire logic       s_valid,
    input wire logic       m_ready,
    input wire logic       pick  // follow the beat that enters now
);
  localparam int ADDRESS_BITS = $clog2(DEPTH_WORDS);
  localparam bit BLOCK = DEPTH_WORDS > 64;
  localparam int LATENCY_CYCLES = BLOCK ? 3 : 2;

  typedef logic [10:0] beat_t;
  typedef logic [ADDRESS_BITS:0] place_t;

  beat_t s_beat, m_beat;
  logic s_ready, m_valid, dropped_bad, dropped_full;
  logic [$clog2(DEPTH_WORDS+1)-1:0] level;

  assign s_beat = {s_last, s_user, s_keep, s_data};

  axis_packet_fifo #(
      .DEPTH_WORDS   (DEPTH_WORDS),
      .DROP_WHEN_FULL(DROP_WHEN_FULL),
      .DATA_BYTES    (1),
      .USER_BITS     (1)
  ) dut (
      .clk,
      .rst,
      .s_axis_tdata       (s_beat[7:0]),
      .s_axis_tkeep       (s_beat[8]),
      .s_axis_tuser       (s_beat[9]),
      .s_axis_tlast       (s_beat[10]),
      .s_axis_tbad        (s_bad),
      .s_axis_tvalid      (s_valid),
      .s_axis_tready      (s_ready),
      .m_axis_tdata       (m_beat[7:0]),
      .m_axis_tkeep       (m_beat[8]),
      .m_axis_tuser       (m_beat[9]),
      .m_axis_tlast       (m_beat[10]),
      .m_axis_tvalid      (m_valid),
      .m_axis_tready      (m_ready),
      .status_depth_words (level),
      .status_dropped_bad (dropped_bad),
      .status_dropped_full(dropped_full)
  );

  logic begun_reg = 1'b0;
  logic stalled_reg;
  beat_t before_reg;
  logic following_reg;
  beat_t followed_reg;
  place_t ahead_reg;  // beats that leave before the followed one
  logic [1:0] hidden_reg;  // cycles in a row in which whole packets were inside and no beat was shown
  logic enter, leave;

  // The rule.
  place_t complete_reg;  // beats of whole packets inside
  place_t coming_reg;  // beats of the packet that comes in
  logic dropping_reg;  // that packet is being dropped
  logic bad_due_reg, full_due_reg;  // the pulses due now
  place_t present;
  logic no_room, drop, keep;

  assign enter   = s_valid && s_ready;
  assign leave   = m_valid && m_ready;
  assign present = complete_reg + coming_reg;
  assign no_room = dropping_reg || present == place_t'(DEPTH_WORDS);
  assign drop    = enter && (no_room || (s_last && s_bad));
  assign keep    = enter && !drop;

  always_ff @(posedge clk) begin
    begun_reg    <= 1'b1;
    stalled_reg  <= m_valid && !m_ready;
    before_reg   <= m_beat;
    hidden_reg   <= m_valid || complete_reg == 0 ? 2'd0 : hidden_reg + 2'd1;
    complete_reg <= complete_reg - place_t'(leave) + (keep && s_last ? coming_reg + 1'b1 : '0);
    coming_reg   <= drop || (keep && s_last) ? '0 : coming_reg + place_t'(keep);
    bad_due_reg  <= drop && !no_room;
    full_due_reg <= enter && no_room && s_last;
    if (enter) begin
      dropping_reg <= no_room && !s_last;
    end
    if (following_reg) begin
      ahead_reg <= ahead_reg - place_t'(leave);
      if ((leave && ahead_reg == 0) || (drop && ahead_reg >= complete_reg)) begin
        following_reg <= 1'b0;
      end
    end else if (keep && pick) begin
      following_reg <= 1'b1;
      followed_reg  <= s_beat;
      ahead_reg     <= present - place_t'(leave);
    end
    if (rst) begin
      stalled_reg   <= 1'b0;
      hidden_reg    <= '0;
      complete_reg  <= '0;
      coming_reg    <= '0;
      bad_due_reg   <= 1'b0;
      full_due_reg  <= 1'b0;
      dropping_reg  <= 1'b0;
      following_reg <= 1'b0;
    end
  end

  // Where the followed beat is, as induction needs it.
  place_t place, on_the_way;
  logic in_memory, in_read, in_out;
  beat_t memory_word, read_word;
  logic read_valid;

  assign place      = dut.left_reg + ahead_reg;
  assign on_the_way = dut.read_reg - dut.left_reg;
  if (BLOCK) begin : gen_block
    assign memory_word = dut.memory_inst.gen_block.memory[place[ADDRESS_BITS-1:0]];
    assign read_word   = dut.memory_inst.gen_block.read_reg;
    assign read_valid  = dut.memory_inst.gen_block.read_valid_reg;
  end else begin : gen_distributed
    assign memory_word = dut.memory_inst.gen_distributed.memory[place[ADDRESS_BITS-1:0]];
    assign read_word   = '0;
    assign read_valid  = 1'b0;
  end
  assign in_memory = following_reg && ahead_reg >= on_the_way;
  assign in_out    = following_reg && m_valid && ahead_reg == 0;
  assign in_read   = following_reg && read_valid && ahead_reg == place_t'(m_valid);

  always_comb begin
    assume (begun_reg || rst);
    if (begun_reg) begin
      valid_stays :           assert (!stalled_reg || m_valid);
      beat_holds :            assert (!stalled_reg || m_beat == before_reg);
      only_whole_leave :      assert (!m_valid || complete_reg != 0);
      shown_in_time :         assert (hidden_reg < 2'(LATENCY_CYCLES));
      level_is_true :         assert (place_t'(level) == present);
      never_over :            assert (present <= place_t'(DEPTH_WORDS));
      bad_is_counted_once :   assert (dropped_bad == bad_due_reg);
      full_is_counted_once :  assert (dropped_full == full_due_reg);
      never_stalls_if_drops : assert (!DROP_WHEN_FULL || s_ready);
      waits_if_it_may :       assert (DROP_WHEN_FULL || s_ready == (present != place_t'(DEPTH_WORDS) || complete_reg == 0));
      leaves_as_it_entered :  assert (!in_out || m_beat == followed_reg);
      // What induction needs to know of the inside.
      complete_agrees :       assert (place_t'(dut.start_reg - dut.left_reg) == complete_reg);
      coming_agrees :         assert (place_t'(dut.write_reg - dut.start_reg) == coming_reg);
      dropping_agrees :       assert (dut.dropping_reg == dropping_reg);
      nothing_while_dropped : assert (!dropping_reg || coming_reg == 0);
      way_agrees :            assert (on_the_way == place_t'(m_valid) + place_t'(read_valid));
      way_is_complete :       assert (on_the_way <= complete_reg);
      sum_does_not_wrap :     assert ({1'b0, complete_reg} + {1'b0, coming_reg} <= DEPTH_WORDS);
      followed_is_inside :    assert (!following_reg || ahead_reg < present);
      followed_in_memory :    assert (!in_memory || memory_word == followed_reg);
      followed_in_read :      assert (!in_read || read_word == followed_reg);
      hidden_once :           assert (hidden_reg == 0 || m_valid || read_valid);
      hidden_twice :          assert (hidden_reg != 2'(LATENCY_CYCLES - 1) || m_valid);
    end
  end
endmodule

`resetall
