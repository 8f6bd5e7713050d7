// SPDX-License-Identifier: Apache-2.0
`resetall
`default_nettype none

// The contract of axis_register, for axis_register.sby, by induction. One beat, picked freely, is followed from its
// entry to its exit: what holds for it holds for every beat.
module axis_register_formal (
    input wire logic clk,
    input wire logic rst,

    input wire logic [7:0] s_data,
    input wire logic       s_keep,
    input wire logic       s_user,
    input wire logic       s_last,
    input wire logic       s_valid,
    input wire logic       m_ready,
    input wire logic       pick  // follow the beat that enters now
);
  typedef logic [10:0] beat_t;

  beat_t s_beat, m_beat;
  logic s_ready, m_valid;

  assign s_beat = {s_last, s_user, s_keep, s_data};

  axis_register #(
      .DATA_BYTES(1),
      .USER_BITS (1)
  ) dut (
      .clk,
      .rst,
      .s_axis_tdata (s_beat[7:0]),
      .s_axis_tkeep (s_beat[8]),
      .s_axis_tuser (s_beat[9]),
      .s_axis_tlast (s_beat[10]),
      .s_axis_tvalid(s_valid),
      .s_axis_tready(s_ready),
      .m_axis_tdata (m_beat[7:0]),
      .m_axis_tkeep (m_beat[8]),
      .m_axis_tuser (m_beat[9]),
      .m_axis_tlast (m_beat[10]),
      .m_axis_tvalid(m_valid),
      .m_axis_tready(m_ready)
  );

  logic begun_reg = 1'b0;
  logic stalled_reg;
  beat_t before_reg;
  logic [1:0] inside_reg;  // beats that went in and have not come out
  logic following_reg;
  beat_t followed_reg;
  logic [1:0] ahead_reg;  // beats that leave before the followed one
  logic enter, leave;

  assign enter = s_valid && s_ready;
  assign leave = m_valid && m_ready;

  always_ff @(posedge clk) begin
    begun_reg   <= 1'b1;
    stalled_reg <= m_valid && !m_ready;
    before_reg  <= m_beat;
    inside_reg  <= inside_reg + 2'(enter) - 2'(leave);
    if (following_reg) begin
      ahead_reg <= ahead_reg - 2'(leave);
      if (leave && ahead_reg == 0) begin
        following_reg <= 1'b0;
      end
    end else if (enter && pick) begin
      following_reg <= 1'b1;
      followed_reg  <= s_beat;
      ahead_reg     <= inside_reg - 2'(leave);
    end
    if (rst) begin
      stalled_reg   <= 1'b0;
      inside_reg    <= '0;
      following_reg <= 1'b0;
    end
  end

  always_comb begin
    assume (begun_reg || rst);
    if (begun_reg) begin
      valid_stays :          assert (!stalled_reg || m_valid);
      beat_holds :           assert (!stalled_reg || m_beat == before_reg);
      nothing_from_nothing : assert (m_valid == (inside_reg != 0));
      nothing_over_two :     assert (inside_reg <= 2 && s_ready == (inside_reg != 2));
      leaves_as_it_entered : assert (!(following_reg && m_valid && ahead_reg == 0) || m_beat == followed_reg);
      // What induction needs to know of the inside.
      count_agrees :         assert (inside_reg == 2'(dut.out_valid_reg) + 2'(dut.spare_valid_reg));
      spare_behind_out :     assert (!dut.spare_valid_reg || dut.out_valid_reg);
      followed_is_inside :   assert (!following_reg || ahead_reg < inside_reg);
      spare_is_followed :    assert (!(following_reg && ahead_reg == 1) || dut.spare_reg == followed_reg);
    end
  end
endmodule

`resetall
