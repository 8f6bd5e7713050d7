// SPDX-License-Identifier: Apache-2.0
`resetall
`default_nettype none

// The contract of input_arbiter, for input_arbiter.sby, up to a depth: with a wire, the CPU and the probe source, packets
// leave whole and in their source's order, each with its source and length; every packet is counted once; none that was
// taken is lost, and none waits while the way out is free. Every beat carries its source, its packet's number and its place.
module input_arbiter_formal
  import switch_pkg::*;
(
    input wire logic clk,
    input wire logic rst,
    input wire logic [2:0] s_last,
    input wire logic [2:0] s_bad,
    input wire logic [2:0] s_valid,
    input wire logic cpu_index,
    input wire logic m_ready,
    input wire logic [2:0] pick  // watch the packet of this source that begins now
);
  localparam int N_SOURCES   = 3;
  localparam int CPU         = 1;
  localparam int PROBE       = 2;
  localparam int MAX_BEATS   = 2;
  localparam int USER_BITS   = user_bits(1);

  typedef logic [3:0] count_t;  // as wide as the depth of the proof needs

  typedef struct packed {
    logic [3:0] source;
    count_t     number;
    logic [3:0] zero;
    count_t     place;
  } beat_t;

  beat_t [N_SOURCES-1:0] s_data;
  beat_t m_data;
  logic [N_SOURCES-1:0] s_ready, s_pass, s_begins;
  logic [1:0] m_keep;
  logic [USER_BITS-1:0] m_user;
  logic m_last, m_valid, m_pass;
  logic [N_SOURCES-1:0] taken, bad, long, full;
  logic [N_SOURCES-1:0][LENGTH_BITS-1:0] taken_bytes;

  count_t [N_SOURCES-1:0] s_number_reg, s_place_reg;
  count_t [N_SOURCES-1:0] outcomes_reg;  // packets that were counted
  count_t [N_SOURCES-1:0] inside_reg;    // packets taken and not yet gone
  logic [N_SOURCES-1:0] early;           // more packets were counted than have ended
  logic [N_SOURCES-1:0] crowded;         // more packets are inside than have room

  assign s_ready[0] = 1'b1;
  assign s_pass     = s_valid & s_ready;

  for (genvar i = 0; i < N_SOURCES; i++) begin : gen_source
    assign s_data[i]   = '{source: 4'(i), number: s_number_reg[i], zero: '0, place: s_place_reg[i]};
    assign s_begins[i] = s_pass[i] && s_place_reg[i] == 0;
    assign early[i]    = outcomes_reg[i] > s_number_reg[i];
    assign crowded[i]  = inside_reg[i] > 4'd5;
  end

  input_arbiter #(
      .N_PORTS         (1),
      .QUEUE_WORDS     (3),
      .MAX_PACKET_BYTES(2 * MAX_BEATS),
      .QUANTUM_BYTES   (2 * MAX_BEATS + 2),
      .DATA_BYTES      (2)
  ) dut (
      .clk,
      .rst,
      .s_axis_wire_tdata  (s_data[0]),
      .s_axis_wire_tkeep  (2'b11),
      .s_axis_wire_tlast  (s_last[0]),
      .s_axis_wire_tbad   (s_bad[0]),
      .s_axis_wire_tvalid (s_valid[0]),
      .s_axis_cpu_tdata   (s_data[CPU]),
      .s_axis_cpu_tkeep   (2'b11),
      .s_axis_cpu_tuser   (cpu_index),
      .s_axis_cpu_tlast   (s_last[CPU]),
      .s_axis_cpu_tbad    (s_bad[CPU]),
      .s_axis_cpu_tvalid  (s_valid[CPU]),
      .s_axis_cpu_tready  (s_ready[CPU]),
      .s_axis_probe_tdata (s_data[PROBE]),
      .s_axis_probe_tkeep (2'b11),
      .s_axis_probe_tlast (s_last[PROBE]),
      .s_axis_probe_tvalid(s_valid[PROBE]),
      .s_axis_probe_tready(s_ready[PROBE]),
      .m_axis_tdata       (m_data),
      .m_axis_tkeep       (m_keep),
      .m_axis_tuser       (m_user),
      .m_axis_tlast       (m_last),
      .m_axis_tvalid      (m_valid),
      .m_axis_tready      (m_ready),
      .queue_size         ('0),
      .cfg_cpu_rate       ('1),
      .cfg_cpu_burst      ('1),
      .status_taken       (taken),
      .status_taken_bytes (taken_bytes),
      .status_dropped_bad (bad),
      .status_dropped_long(long),
      .status_dropped_full(full)
  );

  logic begun_reg = 1'b0;
  logic stalled_reg;
  logic [USER_BITS+18:0] before_reg;
  logic m_inside_reg;                     // a packet is leaving
  beat_t m_beat_reg;                      // its last beat so far
  count_t [N_SOURCES-1:0] next_reg;       // the lowest number that may begin to leave
  logic [2:0] hidden_reg;                 // cycles in which something was inside and nothing was shown
  logic picked_reg, pick_ended_reg, pick_taken_reg;
  logic [1:0] pick_source_reg;
  count_t pick_number_reg, pick_length_reg;
  logic [N_SOURCES-1:0] counted;
  logic [1:0] from;
  logic is_picked;

  assign m_pass    = m_valid && m_ready;
  assign from      = m_data.source[1:0];
  assign counted   = taken | bad | long | full;
  assign is_picked = picked_reg && from == pick_source_reg && m_data.number == pick_number_reg;

  always_ff @(posedge clk) begin
    begun_reg   <= 1'b1;
    stalled_reg <= m_valid && !m_ready;
    before_reg  <= {m_last, m_user, m_keep, m_data};
    hidden_reg  <= m_valid || inside_reg == '0 ? '0 : hidden_reg + 3'(!(&hidden_reg));
    if (m_pass) begin
      m_inside_reg <= !m_last;
      m_beat_reg   <= m_data;
    end
    for (int i = 0; i < N_SOURCES; i++) begin
      if (s_pass[i]) begin
        s_place_reg[i]  <= s_last[i] ? '0 : s_place_reg[i] + 1'b1;
        s_number_reg[i] <= s_number_reg[i] + count_t'(s_last[i]);
      end
      outcomes_reg[i] <= outcomes_reg[i] + count_t'(counted[i]);
      inside_reg[i]   <= inside_reg[i] + count_t'(taken[i]) - count_t'(m_pass && m_last && from == 2'(i));
      if (m_pass && from == 2'(i)) begin
        next_reg[i] <= m_data.number + 1'b1;
      end
      if (s_begins[i] && pick[i] && !picked_reg) begin
        picked_reg      <= 1'b1;
        pick_source_reg <= 2'(i);
        pick_number_reg <= s_number_reg[i];
      end
      if (s_pass[i] && s_last[i] && (picked_reg ? pick_source_reg == 2'(i) && s_number_reg[i] == pick_number_reg
          : s_begins[i] && pick[i])) begin
        pick_ended_reg  <= 1'b1;
        pick_length_reg <= s_place_reg[i] + 1'b1;
      end
      if (picked_reg && pick_source_reg == 2'(i) && taken[i] && outcomes_reg[i] == pick_number_reg) begin
        pick_taken_reg <= 1'b1;
      end
    end
    if (rst) begin
      stalled_reg    <= 1'b0;
      m_inside_reg   <= 1'b0;
      hidden_reg     <= '0;
      s_place_reg    <= '0;
      s_number_reg   <= '0;
      outcomes_reg   <= '0;
      inside_reg     <= '0;
      next_reg       <= '0;
      picked_reg     <= 1'b0;
      pick_ended_reg <= 1'b0;
      pick_taken_reg <= 1'b0;
    end
  end

  always_comb begin
    assume (begun_reg || rst);
    assume ((pick & (pick - 1'b1)) == '0);
    if (begun_reg && !rst) begin
      valid_stays :       assert (!stalled_reg || m_valid);
      beat_holds :        assert (!stalled_reg || {m_last, m_user, m_keep, m_data} == before_reg);
      a_source :          assert (!m_valid || m_data.source < 4'(N_SOURCES));
      told_of_source :    assert (!m_valid || m_user[src_port_low()+:2] == (from == 2'd0 ? 2'b01 : from == 2'd1 ? 2'b10 : 2'b00));
      packets_begin :     assert (!m_valid || m_inside_reg || m_data.place == '0);
      packets_not_mixed : assert (!(m_valid && m_inside_reg)
          || (m_data.source == m_beat_reg.source && m_data.number == m_beat_reg.number
              && m_data.place == m_beat_reg.place + 1'b1));
      packets_in_order :  assert (!m_valid || m_inside_reg || m_data.number >= next_reg[from]);
      taken_ones_leave :  assert (!(m_valid && picked_reg && pick_taken_reg && from == pick_source_reg)
          || m_data.number <= pick_number_reg || next_reg[from] > pick_number_reg);
      ends_where_it_did : assert (!(m_valid && is_picked)
          || (pick_ended_reg && m_last == (m_data.place + 1'b1 == pick_length_reg)
              && m_user[LENGTH_BITS-1:0] == {11'b0, pick_length_reg, 1'b0}));
      none_too_long :     assert (!m_valid || m_data.place < count_t'(MAX_BEATS));
      shown_in_time :     assert (hidden_reg < 4);
      counted_after_its_end : assert (early == '0);
      counted_once :      assert ((taken & bad | taken & long | taken & full | bad & long | bad & full | long & full) == '0);
      gone_once :         assert (crowded == '0);
    end
  end
endmodule

`resetall
