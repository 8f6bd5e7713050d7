// SPDX-License-Identifier: Apache-2.0
`resetall
`default_nettype none

// Lets packets pass at a limited rate: a packet begins when a token_bucket is out of debt, then it passes whole.
//
// Flow control: full; a beat a cycle inside a packet. m_axis_tready reaches s_axis_tready without a register.
// Latency: none.
// Limits: packets are charged as they pass, beat by beat, so that a packet's length need not be known: as token_bucket
//   has it, a packet may overdraw, and one that follows before its last beat is charged. A packet that has been shown
//   passes, whatever becomes of the rate.
module rate_gate
  import switch_pkg::*;
#(
    parameter int DATA_BYTES = 32,  // bytes a beat, a power of two, 2 to 256
    parameter int USER_BITS  = 16   // bits of tuser, 1 or more
) (
    input wire logic clk,
    input wire logic rst,

    input wire logic [  RATE_BITS-1:0] cfg_rate,   // as token_bucket has it
    input wire logic [LENGTH_BITS-1:0] cfg_burst,  // bytes

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
  if (DATA_BYTES < 2 || DATA_BYTES > MAX_DATA_BYTES || 2 ** $clog2(DATA_BYTES) != DATA_BYTES) begin : gen_check_data_bytes
    $fatal(1, "DATA_BYTES must be a power of two, 2 to 256 (instance %m)");
  end

  logic shown_reg;  // a packet has been shown and has not ended
  logic open;
  logic may_pass;
  logic pass;
  logic charge_reg;
  logic [LENGTH_BITS-1:0] charge_bytes_reg;

  assign open          = shown_reg || may_pass;
  assign m_axis_tdata  = s_axis_tdata;
  assign m_axis_tkeep  = s_axis_tkeep;
  assign m_axis_tuser  = s_axis_tuser;
  assign m_axis_tlast  = s_axis_tlast;
  assign m_axis_tvalid = s_axis_tvalid && open;
  assign s_axis_tready = m_axis_tready && open;
  assign pass          = s_axis_tvalid && s_axis_tready;

  always_ff @(posedge clk) begin
    if (m_axis_tvalid) begin
      shown_reg <= !(pass && s_axis_tlast);
    end
    charge_reg       <= pass;
    charge_bytes_reg <= LENGTH_BITS'(last_byte(MAX_DATA_BYTES'(s_axis_tkeep))) + 1'b1;
    if (rst) begin
      shown_reg  <= 1'b0;
      charge_reg <= 1'b0;
    end
  end

  token_bucket #(
      .BURST_BITS(LENGTH_BITS)
  ) bucket_inst (
      .clk         (clk),
      .rst         (rst),
      .cfg_rate    (cfg_rate),
      .cfg_burst   (cfg_burst),
      .charge      (charge_reg),
      .charge_bytes(charge_bytes_reg),
      .may_pass    (may_pass)
  );
endmodule

`resetall
