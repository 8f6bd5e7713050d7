// SPDX-License-Identifier: Apache-2.0
`resetall
`default_nettype none

// The contract of axis_fifo, for axis_fifo.sby, by induction. One beat, picked freely, is followed from its entry to its
// exit: what holds for it holds for every beat. Below 65 beats the memory is distributed RAM, above block RAM.
module axis_fifo_formal #(
    parameter int DEPTH_WORDS = 5  // as of axis_fifo
) (
    input wire logic       clk,
    input wire logic       rst,
    input wire logic [7:0] s_data,
    input wire logic       s_keep,
    input wire logic       s_user,
    input wire logic       s_last,
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
  logic s_ready, m_valid;
  logic [$clog2(DEPTH_WORDS+1)-1:0] level;

  assign s_beat = {s_last, s_user, s_keep, s_data};

  axis_fifo #(
      .DEPTH_WORDS(DEPTH_WORDS),
      .DATA_BYTES (1),
      .USER_BITS  (1)
  ) dut (
      .clk,
      .rst,
      .s_axis_tdata      (s_beat[7:0]),
      .s_axis_tkeep      (s_beat[8]),
      .s_axis_tuser      (s_beat[9]),
      .s_axis_tlast      (s_beat[10]),
      .s_axis_tvalid     (s_valid),
      .s_axis_tready     (s_ready),
      .m_axis_tdata      (m_beat[7:0]),
      .m_axis_tkeep      (m_beat[8]),
      .m_axis_tuser      (m_beat[9]),
      .m_axis_tlast      (m_beat[10]),
      .m_axis_tvalid     (m_valid),
      .m_axis_tready     (m_ready),
      .status_depth_words(level)
  );

  logic begun_reg = 1'b0;
  logic stalled_reg;
  beat_t before_reg;
  place_t inside_reg;  // beats that went in and have not come out
  logic following_reg;
  beat_t followed_reg;
  place_t ahead_reg;  // beats that leave before the followed one
  logic [1:0] hidden_reg;  // cycles in a row in which beats were inside and none was shown
  logic enter, leave;

  assign enter = s_valid && s_ready;
  assign leave = m_valid && m_ready;

  always_ff @(posedge clk) begin
    begun_reg   <= 1'b1;
    stalled_reg <= m_valid && !m_ready;
    before_reg  <= m_beat;
    inside_reg  <= inside_reg + place_t'(enter) - place_t'(leave);
    hidden_reg  <= m_valid || inside_reg == 0 ? 2'd0 : hidden_reg + 2'd1;
    if (following_reg) begin
      ahead_reg <= ahead_reg - place_t'(leave);
      if (leave && ahead_reg == 0) begin
        following_reg <= 1'b0;
      end
    end else if (enter && pick) begin
      following_reg <= 1'b1;
      followed_reg  <= s_beat;
      ahead_reg     <= inside_reg - place_t'(leave);
    end
    if (rst) begin
      stalled_reg   <= 1'b0;
      inside_reg    <= '0;
      hidden_reg    <= '0;
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
      valid_stays :          assert (!stalled_reg || m_valid);
      beat_holds :           assert (!stalled_reg || m_beat == before_reg);
      nothing_from_nothing : assert (!m_valid || inside_reg != 0);
      shown_in_time :        assert (hidden_reg < 2'(LATENCY_CYCLES));
      level_is_true :        assert (place_t'(level) == inside_reg);
      takes_what_fits :      assert (s_ready == (inside_reg != place_t'(DEPTH_WORDS)));
      never_over :           assert (inside_reg <= place_t'(DEPTH_WORDS));
      leaves_as_it_entered : assert (!in_out || m_beat == followed_reg);
      // What induction needs to know of the inside.
      count_agrees :         assert (place_t'(dut.write_reg - dut.left_reg) == inside_reg);
      way_agrees :           assert (on_the_way == place_t'(m_valid) + place_t'(read_valid));
      way_is_inside :        assert (on_the_way <= inside_reg);
      followed_is_inside :   assert (!following_reg || ahead_reg < inside_reg);
      followed_in_memory :   assert (!in_memory || memory_word == followed_reg);
      followed_in_read :     assert (!in_read || read_word == followed_reg);
      hidden_once :          assert (hidden_reg == 0 || m_valid || read_valid);
      hidden_twice :         assert (hidden_reg != 2'(LATENCY_CYCLES - 1) || m_valid);
    end
  end
endmodule

`resetall
