// SPDX-License-Identifier: Apache-2.0
`resetall
`default_nettype none

// Narrows a stream: sends a wide beat as several narrow ones, the lowest bytes first.
//
// Every narrow beat carries the tuser of its wide beat. Only as many are sent as tkeep says.
// Flow control: full; sends a narrow beat every cycle, also across two wide ones.
// Latency: one cycle from a wide beat to its first narrow one.
// Limits: tkeep must be contiguous from bit 0; a wide beat without any byte gives one narrow beat without any.
//   m_axis_tready reaches s_axis_tready without a register.
module axis_downsizer #(
    parameter int S_DATA_BYTES = 32,  // bytes a beat at the input, a multiple of M_DATA_BYTES, twice or more
    parameter int M_DATA_BYTES = 8,   // bytes a beat at the output, 1 or more
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
  if (M_DATA_BYTES < 1) begin : gen_check_m_data_bytes
    $fatal(1, "M_DATA_BYTES must be 1 or more (instance %m)");
  end
  if (S_DATA_BYTES < 2 * M_DATA_BYTES || S_DATA_BYTES % M_DATA_BYTES != 0) begin : gen_check_s_data_bytes
    $fatal(1, "S_DATA_BYTES must be a multiple of M_DATA_BYTES, twice or more (instance %m)");
  end
  if (USER_BITS < 1) begin : gen_check_user_bits
    $fatal(1, "USER_BITS must be 1 or more (instance %m)");
  end

  logic [S_DATA_BYTES*8-1:0] data_reg;
  logic [  S_DATA_BYTES-1:0] keep_reg;
  logic [     USER_BITS-1:0] user_reg;
  logic                      last_reg;
  logic                      valid_reg;
  logic [  S_DATA_BYTES-1:0] keep_rest;
  logic                      more;  // another narrow beat follows from the same wide one

  assign keep_rest = keep_reg >> M_DATA_BYTES;
  assign more      = keep_rest[0];

  assign m_axis_tdata  = data_reg[M_DATA_BYTES*8-1:0];
  assign m_axis_tkeep  = keep_reg[M_DATA_BYTES-1:0];
  assign m_axis_tuser  = user_reg;
  assign m_axis_tlast  = last_reg && !more;
  assign m_axis_tvalid = valid_reg;
  assign s_axis_tready = !valid_reg || (m_axis_tready && !more);

  always_ff @(posedge clk) begin
    if (s_axis_tready) begin
      data_reg  <= s_axis_tdata;
      keep_reg  <= s_axis_tkeep;
      user_reg  <= s_axis_tuser;
      last_reg  <= s_axis_tlast;
      valid_reg <= s_axis_tvalid;
    end else if (m_axis_tready) begin
      data_reg <= data_reg >> (M_DATA_BYTES * 8);
      keep_reg <= keep_rest;
    end
    if (rst) begin
      valid_reg <= 1'b0;
    end
  end
endmodule

`resetall
