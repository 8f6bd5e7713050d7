// SPDX-License-Identifier: Apache-2.0
`resetall
`default_nettype none

// Packet memory: beats wait here, in order, while the header of their packet is in the pipeline.
//
// A FIFO like axis_fifo without tuser, a byte of data and its keep bit making nine bits, as a block RAM has them:
// the first keep bit of a beat is always up and is not stored, tlast stands in its place.
// Flow control: full; a beat in and a beat out every cycle. When full it takes no beat, not even in the
//   cycle in which one leaves: no path runs from m_axis_tready to s_axis_tready.
// Latency: one cycle more than axis_memory: two cycles with distributed RAM, three with block RAM.
// Limits: holds exactly DEPTH_WORDS beats, those on their way out included. A beat without bytes comes out with one.
module packet_memory #(
    parameter int DEPTH_WORDS = 512,  // beats it holds, a power of two, 2 or more
    parameter int DATA_BYTES  = 32    // bytes a beat, 1 or more
) (
    input wire logic clk,
    input wire logic rst,

    input  wire logic [DATA_BYTES*8-1:0] s_axis_tdata,
    input  wire logic [  DATA_BYTES-1:0] s_axis_tkeep,
    input  wire logic                    s_axis_tlast,
    input  wire logic                    s_axis_tvalid,
    output logic                         s_axis_tready,

    output logic [DATA_BYTES*8-1:0] m_axis_tdata,
    output logic [  DATA_BYTES-1:0] m_axis_tkeep,
    output logic                    m_axis_tlast,
    output logic                    m_axis_tvalid,
    input  wire logic               m_axis_tready
);
  if (DEPTH_WORDS < 2 || 2 ** $clog2(DEPTH_WORDS) != DEPTH_WORDS) begin : gen_check_depth_words
    $fatal(1, "DEPTH_WORDS must be a power of two, 2 or more (instance %m)");
  end
  if (DATA_BYTES < 1) begin : gen_check_data_bytes
    $fatal(1, "DATA_BYTES must be 1 or more (instance %m)");
  end

  localparam int ADDRESS_BITS = $clog2(DEPTH_WORDS);

  // Addresses with one bit above them, so that empty and full differ.
  typedef logic [ADDRESS_BITS:0] place_t;

  place_t write_reg;  // where the next beat goes
  place_t read_reg;   // the next beat to be asked of the memory
  place_t left_reg;   // the oldest beat that has not left
  logic   write;
  logic   read_ready;

  logic [DATA_BYTES*9-1:0] write_word;
  logic [DATA_BYTES*9-1:0] read_word;

  assign s_axis_tready = write_reg - left_reg != place_t'(DEPTH_WORDS);
  assign write         = s_axis_tvalid && s_axis_tready;

  for (genvar lane = 0; lane < DATA_BYTES; lane++) begin : gen_lane
    assign write_word[lane*9+:9]     = {lane == 0 ? s_axis_tlast : s_axis_tkeep[lane], s_axis_tdata[lane*8+:8]};
    assign m_axis_tdata[lane*8+:8] = read_word[lane*9+:8];
    assign m_axis_tkeep[lane]      = lane == 0 ? 1'b1 : read_word[lane*9+8];
  end
  assign m_axis_tlast = read_word[8];

  wire unused = &{1'b0, s_axis_tkeep[0]};

  axis_memory #(
      .DEPTH_WORDS(DEPTH_WORDS),
      .WORD_BITS  (DATA_BYTES * 9)
  ) memory_inst (
      .s_clk          (clk),
      .m_clk          (clk),
      .m_rst          (rst),
      .s_write_address(write_reg[ADDRESS_BITS-1:0]),
      .s_write_word   (write_word),
      .s_write_valid  (write),
      .s_read_address (read_reg[ADDRESS_BITS-1:0]),
      .s_read_valid   (read_reg != write_reg),
      .s_read_ready   (read_ready),
      .m_read_word    (read_word),
      .m_read_valid   (m_axis_tvalid),
      .m_read_ready   (m_axis_tready)
  );

  always_ff @(posedge clk) begin
    if (write) begin
      write_reg <= write_reg + 1'b1;
    end
    if (read_reg != write_reg && read_ready) begin
      read_reg <= read_reg + 1'b1;
    end
    if (m_axis_tvalid && m_axis_tready) begin
      left_reg <= left_reg + 1'b1;
    end
    if (rst) begin
      write_reg <= '0;
      read_reg  <= '0;
      left_reg  <= '0;
    end
  end
endmodule

`resetall
