// SPDX-License-Identifier: Apache-2.0
`resetall
`default_nettype none

// The contract of pipeline_flow, for pipeline_flow.sby, by induction: no result is written over one that is needed, and
// none is lost or doubled. The pipeline is assumed to give no result that was not started. One result, picked freely,
// is followed to both outputs: what holds for it holds for every result.
module pipeline_flow_formal #(
    parameter int RESULT_WORDS = 4  // as of pipeline_flow
) (
    input wire logic       clk,
    input wire logic       rst,
    input wire logic       s_start_valid,
    input wire logic [7:0] result_header,
    input wire logic       result_header_length,
    input wire logic       result_strip_length,
    input wire logic       result_drop,
    input wire logic       result_user,
    input wire logic       result_valid,
    input wire logic       m_plan_ready,
    input wire logic       m_header_ready,
    input wire logic       pick  // follow the result that comes now
);
  localparam int ADDRESS_BITS = $clog2(RESULT_WORDS);

  typedef logic [ADDRESS_BITS:0] place_t;

  logic s_start_ready, m_plan_valid, m_header_valid;
  logic [2:0] plan;
  logic [10:0] header;
  place_t packets;

  pipeline_flow #(
      .RESULT_WORDS    (RESULT_WORDS),
      .USER_BITS       (1),
      .WINDOW_BYTES    (1),
      .MAX_HEADER_BYTES(1)
  ) dut (
      .clk,
      .rst,
      .s_start_valid,
      .s_start_ready,
      .result_header,
      .result_header_length,
      .result_strip_length,
      .result_drop,
      .result_user,
      .result_valid,
      .m_plan_header_length(plan[2]),
      .m_plan_strip_length (plan[1]),
      .m_plan_drop         (plan[0]),
      .m_plan_valid,
      .m_plan_ready,
      .m_header_data       (header[10:3]),
      .m_header_length     (header[2]),
      .m_header_drop       (header[1]),
      .m_header_user       (header[0]),
      .m_header_valid,
      .m_header_ready,
      .status_packets      (packets)
  );

  logic begun_reg = 1'b0;
  place_t running_reg;    // started, and the result has not come
  place_t unplanned_reg;  // results that m_plan has not given
  place_t kept_reg;       // results that m_header has not given
  logic plan_followed_reg, header_followed_reg;
  place_t plans_ahead_reg, headers_ahead_reg;
  logic [2:0] plan_followed;
  logic [10:0] word_followed_reg;
  logic plan_strip_reg;
  logic start, plan_leaves, header_leaves;

  assign start         = s_start_valid && s_start_ready;
  assign plan_leaves   = m_plan_valid && m_plan_ready;
  assign header_leaves = m_header_valid && m_header_ready;
  assign plan_followed = {word_followed_reg[2], plan_strip_reg, word_followed_reg[1]};

  always_ff @(posedge clk) begin
    begun_reg     <= 1'b1;
    running_reg   <= running_reg + place_t'(start) - place_t'(result_valid);
    unplanned_reg <= unplanned_reg + place_t'(result_valid) - place_t'(plan_leaves);
    kept_reg      <= kept_reg + place_t'(result_valid) - place_t'(header_leaves);
    if (plan_followed_reg) begin
      plans_ahead_reg   <= plans_ahead_reg - place_t'(plan_leaves);
      plan_followed_reg <= !(plan_leaves && plans_ahead_reg == 0);
    end
    if (header_followed_reg) begin
      headers_ahead_reg   <= headers_ahead_reg - place_t'(header_leaves);
      header_followed_reg <= !(header_leaves && headers_ahead_reg == 0);
    end
    if (pick && result_valid && !plan_followed_reg && !header_followed_reg) begin
      word_followed_reg   <= {result_header, result_header_length, result_drop, result_user};
      plan_strip_reg      <= result_strip_length;
      plan_followed_reg   <= !(plan_leaves && unplanned_reg == 0);
      plans_ahead_reg     <= unplanned_reg - place_t'(plan_leaves);
      header_followed_reg <= 1'b1;
      headers_ahead_reg   <= kept_reg - place_t'(header_leaves);
    end
    if (rst) begin
      running_reg         <= '0;
      unplanned_reg       <= '0;
      kept_reg            <= '0;
      plan_followed_reg   <= 1'b0;
      header_followed_reg <= 1'b0;
    end
  end

  // Where the followed result is, as induction needs it.
  place_t plan_place, header_place, on_the_way;
  logic in_memory;
  logic [10:0] header_word;

  assign plan_place   = dut.planned_reg + plans_ahead_reg;
  assign header_place = dut.left_reg + headers_ahead_reg;
  assign on_the_way   = dut.read_reg - dut.left_reg;
  assign header_word  = dut.header_memory_inst.gen_distributed.memory[header_place[ADDRESS_BITS-1:0]];
  assign in_memory    = header_followed_reg && headers_ahead_reg >= on_the_way;

  always_comb begin
    assume (begun_reg || rst);
    assume (!result_valid || running_reg != 0);
    if (begun_reg) begin
      never_over :           assert (kept_reg <= place_t'(RESULT_WORDS) && unplanned_reg <= place_t'(RESULT_WORDS));
      room_for_a_result :    assert (!result_valid || (kept_reg != place_t'(RESULT_WORDS) &&
                                                       unplanned_reg != place_t'(RESULT_WORDS)));
      packets_is_true :      assert (packets == running_reg + kept_reg);
      starts_what_fits :     assert (s_start_ready == (running_reg + kept_reg != place_t'(RESULT_WORDS) &&
                                                       running_reg + unplanned_reg != place_t'(RESULT_WORDS)));
      plan_from_a_result :   assert (m_plan_valid == (result_valid || unplanned_reg != 0));
      header_from_a_result : assert (!m_header_valid || kept_reg != 0);
      plan_is_the_result :   assert (!plan_followed_reg || plans_ahead_reg != 0 || plan == plan_followed);
      header_is_the_result : assert (!header_followed_reg || headers_ahead_reg != 0 || !m_header_valid ||
                                     header == word_followed_reg);
      // What induction needs to know of the inside.
      kept_agrees :          assert (place_t'(dut.write_reg - dut.left_reg) == kept_reg);
      unplanned_agrees :     assert (place_t'(dut.write_reg - dut.planned_reg) == unplanned_reg);
      running_agrees :       assert (place_t'(dut.start_reg - dut.write_reg) == running_reg);
      running_fits :         assert (running_reg <= place_t'(RESULT_WORDS) - kept_reg &&
                                     running_reg <= place_t'(RESULT_WORDS) - unplanned_reg);
      way_agrees :           assert (on_the_way == place_t'(m_header_valid) && on_the_way <= kept_reg);
      plan_is_ahead :        assert (!plan_followed_reg || plans_ahead_reg < unplanned_reg);
      header_is_ahead :      assert (!header_followed_reg || headers_ahead_reg < kept_reg);
      plan_in_memory :       assert (!plan_followed_reg ||
                                     dut.plan_memory[plan_place[ADDRESS_BITS-1:0]] == plan_followed);
      header_in_memory :     assert (!in_memory || header_word == word_followed_reg);
    end
  end
endmodule

`resetall
