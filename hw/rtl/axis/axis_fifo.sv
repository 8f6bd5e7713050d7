// SPDX-License-Identifier: Apache-2.0
`resetall
`default_nettype none

// Cut-through FIFO: every beat leaves as soon as it can, in order.
//
// Flow control: full; a beat in and a beat out every cycle. When full it takes no beat, not even in the
//   cycle in which one leaves: no path runs from m_axis_tready to s_axis_tready.
// Latency: one cycle more than axis_memory: two cycles with distributed RAM, three with block RAM.
// Limits: holds exactly DEPTH_WORDS beats, those on their way out included. DEPTH_WORDS of 3 or more
//   keeps the full rate. The memory is rounded up to a power of two.
module axis_fifo #(
    parameter int DEPTH_WORDS = 512,  // beats it holds, 1 or more
    parameter int DATA_BYTES  = 32,   // bytes a beat, 1 or more
    parameter int USER_BITS   = 128   // bits of tuser, 1 or more
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
    input  wire logic               m_axis_tready,

    output logic [$clog2(DEPTH_WORDS+1)-1:0] status_depth_words  // beats inside
);
  if (DEPTH_WORDS < 1) begin : gen_check_depth_words
    $fatal(1, "DEPTH_WORDS must be 1 or more (instance %m)");
  end
  if (DATA_BYTES < 1) begin : gen_check_data_bytes
    $fatal(1, "DATA_BYTES must be 1 or more (instance %m)");
  end
  if (USER_BITS < 1) begin : gen_check_user_bits
    $fatal(1, "USER_BITS must be 1 or more (instance %m)");
  end

  localparam int ADDRESS_BITS = DEPTH_WORDS > 1 ? $clog2(DEPTH_WORDS) : 1;
  localparam int STATUS_BITS  = $clog2(DEPTH_WORDS + 1);

  typedef struct packed {
    logic                    last;
    logic [USER_BITS-1:0]    user;
    logic [DATA_BYTES-1:0]   keep;
    logic [DATA_BYTES*8-1:0] data;
  } beat_t;

  // Addresses with one bit above them, so that empty and full differ.
  typedef logic [ADDRESS_BITS:0] place_t;

  place_t write_reg;  // where the next beat goes
  place_t read_reg;   // the next beat to be asked of the memory
  place_t left_reg;   // the oldest beat that has not left
  place_t used;
  logic   write;
  logic   read_ready;

  assign used               = write_reg - left_reg;
  assign status_depth_words = STATUS_BITS'(used);
  assign s_axis_tready      = used != place_t'(DEPTH_WORDS);
  assign write              = s_axis_tvalid && s_axis_tready;

  axis_memory #(
      .DEPTH_WORDS(2 ** ADDRESS_BITS),
      .WORD_BITS  ($bits(beat_t))
  ) memory_inst (
      .s_clk          (clk),
      .m_clk          (clk),
      .m_rst          (rst),
      .s_write_address(ADDRESS_BITS'(write_reg)),
      .s_write_word   ({s_axis_tlast, s_axis_tuser, s_axis_tkeep, s_axis_tdata}),
      .s_write_valid  (write),
      .s_read_address (ADDRESS_BITS'(read_reg)),
      .s_read_valid   (read_reg != write_reg),
      .s_read_ready   (read_ready),
      .m_read_word    ({m_axis_tlast, m_axis_tuser, m_axis_tkeep, m_axis_tdata}),
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
