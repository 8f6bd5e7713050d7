// SPDX-License-Identifier: Apache-2.0
`resetall
`default_nettype none

// axis_packet_fifo that keeps the number of a beat's bytes instead of tkeep, which for 2048 beats of 32 bytes saves
// two of 17 block RAMs.
//
// Flow control: that of axis_packet_fifo.
// Latency: that of axis_packet_fifo.
// Limits: those of axis_packet_fifo.
module packet_queue
  import switch_pkg::*;
#(
    parameter int DEPTH_WORDS    = 512,   // beats it holds, 1 or more
    parameter bit DROP_WHEN_FULL = 1'b1,  // 1: drop what does not fit; 0: let it wait
    parameter int DATA_BYTES     = 32,    // bytes a beat, a power of two, 2 to 256
    parameter int USER_BITS      = 8      // bits of tuser, 1 or more
) (
    input wire logic clk,
    input wire logic rst,

    input  wire logic [DATA_BYTES*8-1:0] s_axis_tdata,
    input  wire logic [  DATA_BYTES-1:0] s_axis_tkeep,
    input  wire logic [   USER_BITS-1:0] s_axis_tuser,
    input  wire logic                    s_axis_tlast,
    input  wire logic                    s_axis_tbad,
    input  wire logic                    s_axis_tvalid,
    output logic                         s_axis_tready,

    output logic [DATA_BYTES*8-1:0] m_axis_tdata,
    output logic [  DATA_BYTES-1:0] m_axis_tkeep,
    output logic [   USER_BITS-1:0] m_axis_tuser,
    output logic                    m_axis_tlast,
    output logic                    m_axis_tvalid,
    input  wire logic               m_axis_tready,

    output logic [$clog2(DEPTH_WORDS+1)-1:0] status_depth_words,   // beats inside
    output logic                             status_dropped_bad,   // pulse: a packet was bad
    output logic                             status_dropped_full   // pulse: a packet did not fit
);
  if (DATA_BYTES < 2 || DATA_BYTES > MAX_DATA_BYTES || 2 ** $clog2(DATA_BYTES) != DATA_BYTES) begin : gen_check_data_bytes
    $fatal(1, "DATA_BYTES must be a power of two, 2 to 256 (instance %m)");
  end

  byte_place_t m_last_byte;

  always_comb begin
    for (int i = 0; i < DATA_BYTES; i++) begin
      m_axis_tkeep[i] = m_last_byte >= byte_place_t'(i);
    end
  end

  // verilator lint_off PINCONNECTEMPTY

  axis_packet_fifo #(
      .DEPTH_WORDS   (DEPTH_WORDS),
      .DROP_WHEN_FULL(DROP_WHEN_FULL),
      .DATA_BYTES    (1),
      .USER_BITS     (USER_BITS + DATA_BYTES * 8)
  ) fifo_inst (
      .clk                (clk),
      .rst                (rst),
      .s_axis_tdata       (last_byte(MAX_DATA_BYTES'(s_axis_tkeep))),
      .s_axis_tkeep       (1'b1),
      .s_axis_tuser       ({s_axis_tuser, s_axis_tdata}),
      .s_axis_tlast       (s_axis_tlast),
      .s_axis_tbad        (s_axis_tbad),
      .s_axis_tvalid      (s_axis_tvalid),
      .s_axis_tready      (s_axis_tready),
      .m_axis_tdata       (m_last_byte),
      .m_axis_tkeep       (),
      .m_axis_tuser       ({m_axis_tuser, m_axis_tdata}),
      .m_axis_tlast       (m_axis_tlast),
      .m_axis_tvalid      (m_axis_tvalid),
      .m_axis_tready      (m_axis_tready),
      .status_depth_words (status_depth_words),
      .status_dropped_bad (status_dropped_bad),
      .status_dropped_full(status_dropped_full)
  );
  // verilator lint_on PINCONNECTEMPTY
endmodule

`resetall
