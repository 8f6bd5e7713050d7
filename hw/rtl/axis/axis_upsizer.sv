// SPDX-License-Identifier: Apache-2.0
`resetall
`default_nettype none

// Widens a stream: gathers narrow beats into one wide beat, the first in the lowest bytes.
//
// tuser of a wide beat is that of the first narrow beat in it. A wide beat ends when it is full or with tlast.
// Flow control: full; takes a narrow beat every cycle while the output moves.
// Latency: one cycle from the narrow beat that completes a wide one.
// Limits: every narrow beat but a packet's last must be full. m_axis_tready reaches s_axis_tready without a register.
module axis_upsizer #(
    parameter int S_DATA_BYTES = 8,   // bytes a beat at the input, 1 or more
    parameter int M_DATA_BYTES = 32,  // bytes a beat at the output, a multiple of S_DATA_BYTES, twice or more
    parameter int USER_BITS    = 128  // bits of tuser, 1 or more
) (
    input wire logic clk,
    input wire logic rst,

    input  wire logic [S_DATA_BYTES*8-1:0] s_axis_tdata,
    input  wire logic [  S_DATA_BYTES-1:0] s_axis_tkeep,
    input  wire logic [     USER_BITS-1:0] s_axis_tuser,
    input  wire logic                      s_axis_tlast,
    input  wire logic                      s_axis_tvalid,
    output logic                           s_axis_tready,

    output logic [M_DATA_BYTES*8-1:0] m_axis_tdata,
    output logic [  M_DATA_BYTES-1:0] m_axis_tkeep,
    output logic [     USER_BITS-1:0] m_axis_tuser,
    output logic                      m_axis_tlast,
    output logic                      m_axis_tvalid,
    input  wire logic                 m_axis_tready
);
  if (S_DATA_BYTES < 1) begin : gen_check_s_data_bytes
    $fatal(1, "S_DATA_BYTES must be 1 or more (instance %m)");
  end
  if (M_DATA_BYTES < 2 * S_DATA_BYTES || M_DATA_BYTES % S_DATA_BYTES != 0) begin : gen_check_m_data_bytes
    $fatal(1, "M_DATA_BYTES must be a multiple of S_DATA_BYTES, twice or more (instance %m)");
  end
  if (USER_BITS < 1) begin : gen_check_user_bits
    $fatal(1, "USER_BITS must be 1 or more (instance %m)");
  end

  localparam int LANES = M_DATA_BYTES / (S_DATA_BYTES > 0 ? S_DATA_BYTES : 1);  // elaborates where the check fires

  typedef logic [LANES-1:0] lanes_t;

  localparam lanes_t FIRST_LANE = lanes_t'(1);

  logic [M_DATA_BYTES*8-1:0] data_reg;
  logic [  M_DATA_BYTES-1:0] keep_reg;
  logic [     USER_BITS-1:0] user_reg;
  logic                      last_reg;
  logic                      valid_reg;
  lanes_t                    lane_reg;  // one-hot: where the next beat goes

  assign m_axis_tdata  = data_reg;
  assign m_axis_tkeep  = keep_reg;
  assign m_axis_tuser  = user_reg;
  assign m_axis_tlast  = last_reg;
  assign m_axis_tvalid = valid_reg;
  assign s_axis_tready = m_axis_tready || !valid_reg;

  always_ff @(posedge clk) begin
    if (s_axis_tready) begin
      valid_reg <= 1'b0;
    end
    if (s_axis_tvalid && s_axis_tready) begin
      for (int i = 0; i < LANES; i++) begin
        if (lane_reg[i]) begin
          data_reg[i*S_DATA_BYTES*8+:S_DATA_BYTES*8] <= s_axis_tdata;
          keep_reg[i*S_DATA_BYTES+:S_DATA_BYTES]     <= s_axis_tkeep;
        end else if (lane_reg[0]) begin
          keep_reg[i*S_DATA_BYTES+:S_DATA_BYTES] <= '0;
        end
      end
      if (lane_reg[0]) begin
        user_reg <= s_axis_tuser;
      end
      last_reg  <= s_axis_tlast;
      valid_reg <= s_axis_tlast || lane_reg[LANES-1];
      lane_reg  <= s_axis_tlast || lane_reg[LANES-1] ? FIRST_LANE : lane_reg << 1;
    end
    if (rst) begin
      valid_reg <= 1'b0;
      lane_reg  <= FIRST_LANE;
    end
  end
endmodule

`resetall
