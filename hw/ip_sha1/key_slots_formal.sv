// SPDX-License-Identifier: Apache-2.0
`resetall
`default_nettype none

// The contract of key_slots, for key_slots.sby: whatever the user and the reset do, what is taken leaves exactly
// LATENCY_CYCLES later with what belongs to it, nothing else leaves, and a slot comes round exactly in time.
module key_slots_formal #(
    parameter int CYCLES_PER_KEY = 3,  // as of key_slots
    parameter int LATENCY_CYCLES = 8   // as of key_slots
) (
    input wire logic       clk,
    input wire logic       rst,
    input wire logic       s_valid,
    input wire logic [1:0] s_side
);
  logic s_ready, m_valid;
  logic [1:0] m_side;
  logic [6:0] phase;
  key_slots #(
      .CYCLES_PER_KEY(CYCLES_PER_KEY),
      .LATENCY_CYCLES(LATENCY_CYCLES),
      .SIDE_BITS     (2)
  ) slots_inst (
      .*
  );

  // What happened in the cycles before this one, the last one at index 1; forgotten in reset.
  logic begun_reg = 1'b0;
  logic [LATENCY_CYCLES:1] taken_reg;
  logic [LATENCY_CYCLES:1][1:0] side_reg;
  logic [CYCLES_PER_KEY+1:1] out_of_reset_reg;
  logic [CYCLES_PER_KEY:1] ready_reg;
  always_ff @(posedge clk) begin
    begun_reg        <= 1'b1;
    taken_reg        <= {taken_reg, s_valid && s_ready};
    side_reg         <= {side_reg, s_side};
    ready_reg        <= {ready_reg, s_ready};
    out_of_reset_reg <= {out_of_reset_reg, 1'b1};
    if (rst) begin
      taken_reg        <= '0;
      out_of_reset_reg <= '0;
    end
  end

  logic known, steady;
  assign known  = out_of_reset_reg[1];
  assign steady = out_of_reset_reg[CYCLES_PER_KEY+1];
  always_comb begin
    assume (begun_reg || rst);
    if (begun_reg) begin
      taken_leaves_in_time :  assert (m_valid == taken_reg[LATENCY_CYCLES]);
      its_side_leaves_too :   assert (!m_valid || m_side == side_reg[LATENCY_CYCLES]);
      taken_in_phase_0_only : assert (!s_ready || phase == 0);
      ready_in_phase_0 :      assert (!known || s_ready == (phase == 0));
      phase_in_range :        assert (phase < CYCLES_PER_KEY);
      a_slot_comes_round :    assert (!steady || s_ready == ready_reg[CYCLES_PER_KEY]);
      one_slot_in_a_period :  assert (!steady || $countones(ready_reg) == 1);
    end
  end
endmodule

`resetall
