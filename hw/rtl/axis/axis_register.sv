// SPDX-License-Identifier: Apache-2.0
`resetall
`default_nettype none

// Register slice: cuts every combinational path of a stream, forward and back.
//
// Flow control: full; takes a beat every cycle while the output moves.
// Latency: one cycle.
// Limits: holds two beats; one is in flight when the output stalls, and the second place catches it.
module axis_register #(
    parameter int DATA_BYTES = 32,  // bytes a beat, 1 or more
    parameter int USER_BITS  = 128  // bits of tuser, 1 or more
) (
    input wire logic clk,
    input wire logic rst,

    input  wire logic [DATA_BYTES*8-1:0] s_axis_tdata,
    input  wire logic [  DATA_BYTES-1:0] s_axis_tkeep,
    input  wire logic [   USER_BITS-1:0] s_axis_tuser,
    input  wire logic                    s_axis_tlast,
    input  wire logic                    s_axis_tvalid,
    output logic                         s_axis_tready,

    output logic [DATA_BYTES*8-1:0] m_axis_tdata,
    output logic [  DATA_BYTES-1:0] m_axis_tkeep,
    output logic [   USER_BITS-1:0] m_axis_tuser,
    output logic                    m_axis_tlast,
    output logic                    m_axis_tvalid,
    input  wire logic               m_axis_tready
);
  if (DATA_BYTES < 1) begin : gen_check_data_bytes
    $fatal(1, "DATA_BYTES must be 1 or more (instance %m)");
  end
  if (USER_BITS < 1) begin : gen_check_user_bits
    $fatal(1, "USER_BITS must be 1 or more (instance %m)");
  end

  typedef struct packed {
    logic                    last;
    logic [USER_BITS-1:0]    user;
    logic [DATA_BYTES-1:0]   keep;
    logic [DATA_BYTES*8-1:0] data;
  } beat_t;

  beat_t out_reg;
  beat_t spare_reg;
  logic  out_valid_reg;
  logic  spare_valid_reg;

  assign s_axis_tready = !spare_valid_reg;
  assign m_axis_tvalid = out_valid_reg;
  assign {m_axis_tlast, m_axis_tuser, m_axis_tkeep, m_axis_tdata} = out_reg;

  beat_t in;
  assign in = {s_axis_tlast, s_axis_tuser, s_axis_tkeep, s_axis_tdata};

  always_ff @(posedge clk) begin
    if (m_axis_tready || !out_valid_reg) begin
      out_reg         <= spare_valid_reg ? spare_reg : in;
      out_valid_reg   <= spare_valid_reg || s_axis_tvalid;
      spare_valid_reg <= 1'b0;
    end else if (s_axis_tvalid && s_axis_tready) begin
      spare_valid_reg <= 1'b1;
    end
    if (!spare_valid_reg) begin
      spare_reg <= in;
    end
    if (rst) begin
      out_valid_reg   <= 1'b0;
      spare_valid_reg <= 1'b0;
    end
  end
endmodule

`resetall
