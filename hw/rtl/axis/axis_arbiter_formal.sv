// SPDX-License-Identifier: Apache-2.0
`resetall
`default_nettype none

// The contract of axis_arbiter, for axis_arbiter.sby, by induction: what leaves is what the ports gave, packets do not
// mix, no time is lost, and no port waits for more than N_PORTS-1 packets of others.
module axis_arbiter_formal #(
    parameter int N_PORTS = 3  // as of axis_arbiter, 2 or more
) (
    input wire logic                    clk,
    input wire logic                    rst,
    input wire logic [N_PORTS-1:0][7:0] s_data,
    input wire logic [N_PORTS-1:0]      s_keep,
    input wire logic [N_PORTS-1:0]      s_user,
    input wire logic [N_PORTS-1:0]      s_last,
    input wire logic [N_PORTS-1:0]      s_valid,
    input wire logic                    m_ready
);
  localparam int ID_BITS = $clog2(N_PORTS);

  logic [N_PORTS-1:0] s_ready;
  logic [7:0] m_data;
  logic m_keep, m_user, m_last, m_valid;
  logic [ID_BITS-1:0] m_id;

  axis_arbiter #(
      .N_PORTS   (N_PORTS),
      .DATA_BYTES(1),
      .USER_BITS (1)
  ) dut (
      .clk,
      .rst,
      .s_axis_tdata (s_data),
      .s_axis_tkeep (s_keep),
      .s_axis_tuser (s_user),
      .s_axis_tlast (s_last),
      .s_axis_tvalid(s_valid),
      .s_axis_tready(s_ready),
      .m_axis_tdata (m_data),
      .m_axis_tkeep (m_keep),
      .m_axis_tuser (m_user),
      .m_axis_tid   (m_id),
      .m_axis_tlast (m_last),
      .m_axis_tvalid(m_valid),
      .m_axis_tready(m_ready)
  );

  typedef logic [10+ID_BITS:0] beat_t;

  logic begun_reg = 1'b0;
  logic stalled_reg, held_reg;
  logic m_inside_reg;  // a packet has begun to leave and not ended
  logic [ID_BITS-1:0] m_inside_id_reg;
  logic s_inside_reg;  // a packet has begun to enter and not ended
  logic [ID_BITS-1:0] s_inside_id_reg;
  beat_t before_reg, entered_reg;
  logic [N_PORTS-1:0] waited_reg, last_reg;
  logic [N_PORTS-1:0][4:0] seen_reg;  // packets of others that have begun while this port waited to begin one

  logic [N_PORTS-1:0] enter;
  logic leave;
  beat_t m_beat, entering;
  logic [ID_BITS-1:0] from;

  assign enter  = s_valid & s_ready;
  assign leave  = m_valid && m_ready;
  assign m_beat = {m_id, m_last, m_user, m_keep, m_data};

  always_comb begin
    entering = 'x;
    from     = 'x;
    for (int i = 0; i < N_PORTS; i++) begin
      if (enter[i]) begin
        from     = ID_BITS'(i);
        entering = {ID_BITS'(i), s_last[i], s_user[i], s_keep[i], s_data[i]};
      end
    end
  end

  always_ff @(posedge clk) begin
    begun_reg   <= 1'b1;
    stalled_reg <= m_valid && !m_ready;
    before_reg  <= m_beat;
    waited_reg  <= s_valid & ~s_ready;
    last_reg    <= s_last;
    held_reg    <= |enter || (held_reg && !leave);
    if (|enter) begin
      entered_reg     <= entering;
      s_inside_reg    <= !s_last[from];
      s_inside_id_reg <= from;
    end
    if (leave) begin
      m_inside_reg    <= !m_last;
      m_inside_id_reg <= m_id;
    end
    for (int i = 0; i < N_PORTS; i++) begin
      if (enter[i] || !s_valid[i]) begin
        seen_reg[i] <= '0;
      end else if (|enter && !s_inside_reg) begin
        seen_reg[i] <= seen_reg[i] + 1'b1;
      end
    end
    if (rst) begin
      stalled_reg  <= 1'b0;
      waited_reg   <= '0;
      held_reg     <= 1'b0;
      s_inside_reg <= 1'b0;
      m_inside_reg <= 1'b0;
      seen_reg     <= '0;
    end
  end

  logic [N_PORTS-1:0][4:0] turns;  // how many turns from the chosen port to this one
  for (genvar i = 0; i < N_PORTS; i++) begin : gen_turns
    assign turns[i] = dut.chosen_reg > ID_BITS'(i) ? 5'(i + N_PORTS) - 5'(dut.chosen_reg) : 5'(i) - 5'(dut.chosen_reg);
  end

  for (genvar i = 0; i < N_PORTS; i++) begin : gen_port
    always_comb begin
      assume (!waited_reg[i] || (s_valid[i] && s_last[i] == last_reg[i]));
      if (begun_reg) begin
        no_starvation : assert (!s_valid[i] || seen_reg[i] < 5'(N_PORTS));
        not_mixed_in :  assert (!(enter[i] && s_inside_reg) || s_inside_id_reg == ID_BITS'(i));
        // What induction needs to know of the inside.
        turn_comes :    assert (!waited_reg[i] || turns[i] == 0 || seen_reg[i] + turns[i] - 5'(s_inside_reg) < 5'(N_PORTS));
        seen_if_waits : assert (waited_reg[i] || seen_reg[i] == 0);
      end
    end
  end

  always_comb begin
    assume (begun_reg || rst);
    if (begun_reg) begin
      valid_stays :          assert (!stalled_reg || m_valid);
      beat_holds :           assert (!stalled_reg || m_beat == before_reg);
      one_at_a_time :        assert ($onehot0(s_ready));
      shows_what_entered :   assert (m_valid == held_reg && (!m_valid || m_beat == entered_reg));
      nothing_overwritten :  assert (!(|enter && m_valid) || leave);
      not_mixed_out :        assert (!(m_valid && m_inside_reg) || m_id == m_inside_id_reg);
      no_bubble :            assert (!(|waited_reg && !s_inside_reg && (!m_valid || m_ready)) || |enter);
      // What induction needs to know of the inside.
      chosen_in_range :      assert (dut.chosen_reg < N_PORTS);
      inside_agrees :        assert (dut.inside_reg == s_inside_reg);
      inside_is_chosen :     assert (!s_inside_reg || dut.chosen_reg == s_inside_id_reg);
      ends_agree :           assert ((m_valid ? !m_last : m_inside_reg) == s_inside_reg);
      ids_agree :            assert (!s_inside_reg || (m_valid ? m_id : m_inside_id_reg) == s_inside_id_reg);
      waiting_is_chosen :    assert (!(|waited_reg && !s_inside_reg) || s_valid[dut.chosen_reg]);
    end
  end
endmodule

`resetall
