// SPDX-License-Identifier: Apache-2.0
`resetall
`default_nettype none

// The contract of header_window, for header_window.sby, by induction: which beats wait, which make a window, what is in
// it. Beats have one byte, so that each is full.
module header_window_formal #(
    parameter int WINDOW_BYTES   = 3,  // as of header_window
    parameter int SPACING_CYCLES = 2   // as of header_window
) (
    input wire logic       clk,
    input wire logic       rst,
    input wire logic [7:0] s_axis_tdata,
    input wire logic       s_axis_tuser,
    input wire logic       s_axis_tlast,
    input wire logic       s_axis_tvalid
);
  typedef logic [$clog2(WINDOW_BYTES+1)-1:0] length_t;

  logic                      s_axis_tready;
  logic [WINDOW_BYTES*8-1:0] window_data;
  length_t                   window_length;
  logic                      window_ended, window_user, window_valid;

  header_window #(
      .DATA_BYTES    (1),
      .USER_BITS     (1),
      .WINDOW_BYTES  (WINDOW_BYTES),
      .SPACING_CYCLES(SPACING_CYCLES)
  ) dut (
      .clk,
      .rst,
      .s_axis_tdata,
      .s_axis_tkeep(1'b1),
      .s_axis_tuser,
      .s_axis_tlast,
      .s_axis_tvalid,
      .s_axis_tready,
      .window_data,
      .window_length,
      .window_ended,
      .window_user,
      .window_valid
  );

  logic                      begun_reg = 1'b0;
  length_t                   count_reg;   // beats of this packet that have passed, at most those of a window
  logic [WINDOW_BYTES*8-1:0] data_reg;    // them, and zeros
  length_t                   length_reg;  // how many they are
  logic                      user_reg;
  logic                      ended_reg;
  logic                      made_reg;    // the beat of the cycle before makes a window
  logic                      last_reg;    // it ended its packet
  logic                      held_reg;    // a beat waited in the cycle before
  logic                      shown_reg;   // there was a window in the cycle before
  logic                      pass;
  logic                      counts;      // the beat that comes is one of the window
  logic [WINDOW_BYTES*8-1:0] data_next;

  assign pass   = s_axis_tvalid && s_axis_tready;
  assign counts = count_reg != length_t'(WINDOW_BYTES);

  always_comb begin
    data_next = count_reg == 0 ? '0 : data_reg;
    data_next[(WINDOW_BYTES-1-count_reg)*8+:8] = s_axis_tdata;
  end

  always_ff @(posedge clk) begin
    begun_reg <= 1'b1;
    made_reg  <= pass && counts && (s_axis_tlast || count_reg == length_t'(WINDOW_BYTES - 1));
    last_reg  <= pass && s_axis_tlast;
    held_reg  <= s_axis_tvalid && !s_axis_tready;
    shown_reg <= window_valid;
    if (pass) begin
      count_reg <= s_axis_tlast ? '0 : counts ? count_reg + 1'b1 : count_reg;
      if (counts) begin
        data_reg   <= data_next;
        length_reg <= count_reg + 1'b1;
        ended_reg  <= s_axis_tlast;
        user_reg   <= count_reg == 0 ? s_axis_tuser : user_reg;
      end
    end
    if (rst) begin
      count_reg <= '0;
      made_reg  <= 1'b0;
      last_reg  <= 1'b0;
      held_reg  <= 1'b0;
      shown_reg <= 1'b0;
    end
  end

  always_comb begin
    assume (begun_reg || rst);
    if (begun_reg) begin
      a_window_for_each :     assert (window_valid == made_reg);
      window_is_the_packet :  assert (!window_valid || (window_data == data_reg && window_length == length_reg &&
                                                        window_user == user_reg && window_ended == ended_reg));
      windows_are_apart :     assert (SPACING_CYCLES == 1 || !(window_valid && shown_reg));
      one_never_waits :       assert (SPACING_CYCLES != 1 || s_axis_tready);
      waits_behind_a_window : assert (s_axis_tready || (window_valid && last_reg && count_reg == 0));
      waits_if_it_is_one :    assert (s_axis_tready || s_axis_tlast || WINDOW_BYTES == 1);
      waits_a_cycle :         assert (s_axis_tready || !held_reg);
      // What induction needs to know of the inside.
      index_agrees :          assert (dut.index_reg == count_reg);
      last_is_first_again :   assert (!last_reg || count_reg == 0);
      made_is_last_or_full :  assert (!made_reg || last_reg || count_reg == length_t'(WINDOW_BYTES));
      held_has_no_window :    assert (!held_reg || !made_reg);
      begun_agrees :          assert (count_reg == 0 || (dut.window_reg == data_reg && dut.user_reg == user_reg));
      made_agrees :           assert (!made_reg || (dut.window_reg == data_reg && dut.user_reg == user_reg &&
                                                    dut.length_reg == length_reg && dut.ended_reg == ended_reg));
    end
  end
endmodule

`resetall
