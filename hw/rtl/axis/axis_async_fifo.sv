// SPDX-License-Identifier: Apache-2.0
`resetall
`default_nettype none

// FIFO between two clocks of any ratio.
//
// Flow control: full; a beat in every cycle of s_clk and a beat out every cycle of m_clk, the slower one ruling.
// Latency: from a beat in, one cycle of s_clk, then 2 to 3 of m_clk through the synchroniser, then those of
//   axis_memory and one for the output register. Room comes back after one cycle of m_clk and 2 to 3 of s_clk.
// Reset: a reset of either side empties the FIFO; the other side, which runs on, waits and sees whole packets:
//   - s_rst: a packet that has left in part is closed by a beat with tlast and m_axis_tbad, of one byte; its
//     bytes and tuser mean nothing. Until that beat is taken, the input is not ready.
//   - m_rst: the rest of a packet that has come in in part is taken and thrown away.
//   What was inside is lost and not counted. After power-up both sides need a reset of four cycles of the slower
//   clock, in any order; before that of s_rst the output may show anything.
// Limits: holds DEPTH_WORDS beats and up to three on their way out. A slow consumer must be given room by DEPTH_WORDS:
//   16 or more keep the full rate at any ratio of the clocks.
// Constraints: every `*_sync1_reg` is an asynchronous input: set_max_delay -datapath_only of one period of
//   the faster clock, and set_bus_skew of the same on `read_gray_reg` and `write_gray_reg`. Distributed RAM
//   is written by s_clk and read by m_clk: set_max_delay -datapath_only of one period of m_clk from it.
module axis_async_fifo #(
    parameter int DEPTH_WORDS = 32,  // beats it holds, a power of two, 2 or more
    parameter int DATA_BYTES  = 32,  // bytes a beat, 1 or more
    parameter int USER_BITS   = 128  // bits of tuser, 1 or more
) (
    input wire logic s_clk,
    input wire logic s_rst,
    input wire logic m_clk,
    input wire logic m_rst,

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
    output logic                    m_axis_tbad,
    output logic                    m_axis_tvalid,
    input  wire logic               m_axis_tready
);
  if (DEPTH_WORDS < 2 || 2 ** $clog2(DEPTH_WORDS) != DEPTH_WORDS) begin : gen_check_depth_words
    $fatal(1, "DEPTH_WORDS must be a power of two, 2 or more (instance %m)");
  end
  if (DATA_BYTES < 1) begin : gen_check_data_bytes
    $fatal(1, "DATA_BYTES must be 1 or more (instance %m)");
  end
  if (USER_BITS < 1) begin : gen_check_user_bits
    $fatal(1, "USER_BITS must be 1 or more (instance %m)");
  end

  localparam int ADDRESS_BITS = $clog2(DEPTH_WORDS);

  typedef struct packed {
    logic                    bad;
    logic                    last;
    logic [USER_BITS-1:0]    user;
    logic [DATA_BYTES-1:0]   keep;
    logic [DATA_BYTES*8-1:0] data;
  } beat_t;

  // Addresses with one bit above them, so that empty and full differ; as a Gray code where they cross.
  typedef logic [ADDRESS_BITS:0] place_t;

  localparam place_t FULL_DIFFERENCE = place_t'(3) << (ADDRESS_BITS - 1);  // in Gray code, of places DEPTH_WORDS apart

  function automatic place_t gray(place_t place);
    return place ^ (place >> 1);
  endfunction

  // The reset handshake. A side that was reset asks the other to stand still (request), which answers once its
  // pointer is zero; the request falls, then the answer. Each side holds its pointer at zero while any of it lasts.
  // A side that is reset again meanwhile asks anew (wanted) only after the answer to its last request has fallen: that
  // one says nothing about the new request.
  logic s_wanted_reg;
  logic m_wanted_reg;
  logic s_request_reg;
  logic s_answer_reg;
  logic m_request_reg;
  logic m_answer_reg;
  (* ASYNC_REG = "TRUE" *) logic s_request_sync1_reg;
  (* ASYNC_REG = "TRUE" *) logic s_request_sync2_reg;
  (* ASYNC_REG = "TRUE" *) logic s_answer_sync1_reg;
  (* ASYNC_REG = "TRUE" *) logic s_answer_sync2_reg;
  (* ASYNC_REG = "TRUE" *) logic m_request_sync1_reg;
  (* ASYNC_REG = "TRUE" *) logic m_request_sync2_reg;
  (* ASYNC_REG = "TRUE" *) logic m_answer_sync1_reg;
  (* ASYNC_REG = "TRUE" *) logic m_answer_sync2_reg;
  (* ASYNC_REG = "TRUE" *) place_t write_gray_sync1_reg;
  (* ASYNC_REG = "TRUE" *) place_t write_gray_sync2_reg;
  (* ASYNC_REG = "TRUE" *) place_t read_gray_sync1_reg;
  (* ASYNC_REG = "TRUE" *) place_t read_gray_sync2_reg;

  // The side of s_clk.
  place_t write_reg;
  place_t write_gray_reg;
  place_t write_next;
  logic   s_hold;
  logic   s_take;
  logic   s_store;
  logic   s_inside_reg;  // a packet has begun to come in and not ended
  logic   dropping_reg;  // its rest goes nowhere

  // The side of m_clk.
  place_t read_reg;
  place_t read_gray_reg;
  place_t read_next;
  logic   m_hold;
  logic   read_valid;
  logic   read_ready;
  beat_t  word;
  logic   word_valid;
  beat_t  out_reg;
  logic   out_valid_reg;
  logic   out_move;
  logic   m_inside_reg;  // a packet has begun to go out and its last beat is not in out_reg
  logic   close;

  assign s_hold = s_wanted_reg || s_request_reg || m_answer_sync2_reg || m_request_sync2_reg;
  assign s_axis_tready = !s_hold &&
      (dropping_reg || (write_gray_reg ^ read_gray_sync2_reg) != FULL_DIFFERENCE);
  assign s_take     = s_axis_tvalid && s_axis_tready;
  assign s_store    = s_take && !dropping_reg;
  assign write_next = write_reg + 1'b1;

  always_ff @(posedge s_clk) begin
    m_request_sync1_reg <= m_request_reg;
    m_request_sync2_reg <= m_request_sync1_reg;
    m_answer_sync1_reg  <= m_answer_reg;
    m_answer_sync2_reg  <= m_answer_sync1_reg;
    read_gray_sync1_reg <= read_gray_reg;
    read_gray_sync2_reg <= read_gray_sync1_reg;
    s_answer_reg        <= m_request_sync2_reg;
    if (s_wanted_reg && (s_request_reg || !m_answer_sync2_reg)) begin
      s_request_reg <= 1'b1;
      s_wanted_reg  <= 1'b0;
    end else if (m_answer_sync2_reg) begin
      s_request_reg <= 1'b0;
    end
    if (s_store) begin
      write_reg      <= write_next;
      write_gray_reg <= gray(write_next);
    end
    if (s_take) begin
      s_inside_reg <= !s_axis_tlast;
    end
    if (s_hold) begin
      write_reg      <= '0;
      write_gray_reg <= '0;
      dropping_reg   <= s_inside_reg;
    end else if (s_take && s_axis_tlast) begin
      dropping_reg <= 1'b0;
    end
    if (s_rst) begin
      s_wanted_reg <= 1'b1;
      s_inside_reg <= 1'b0;
      dropping_reg <= 1'b0;
    end
  end

  assign m_hold     = m_wanted_reg || m_request_reg || s_answer_sync2_reg || s_request_sync2_reg;
  assign read_valid = !m_hold && read_gray_reg != write_gray_sync2_reg;
  assign read_next  = read_reg + 1'b1;
  assign out_move   = m_axis_tready || !out_valid_reg;
  assign close      = m_hold && m_inside_reg;

  axis_memory #(
      .DEPTH_WORDS(DEPTH_WORDS),
      .WORD_BITS  ($bits(beat_t))
  ) memory_inst (
      .s_clk          (s_clk),
      .m_clk          (m_clk),
      .m_rst          (m_hold),
      .s_write_address(ADDRESS_BITS'(write_reg)),
      .s_write_word   ({s_axis_tbad, s_axis_tlast, s_axis_tuser, s_axis_tkeep, s_axis_tdata}),
      .s_write_valid  (s_store),
      .s_read_address (ADDRESS_BITS'(read_reg)),
      .s_read_valid   (read_valid),
      .s_read_ready   (read_ready),
      .m_read_word    (word),
      .m_read_valid   (word_valid),
      .m_read_ready   (out_move)
  );

  assign {m_axis_tbad, m_axis_tlast, m_axis_tuser, m_axis_tkeep, m_axis_tdata} = out_reg;
  assign m_axis_tvalid = out_valid_reg;

  always_ff @(posedge m_clk) begin
    s_request_sync1_reg  <= s_request_reg;
    s_request_sync2_reg  <= s_request_sync1_reg;
    s_answer_sync1_reg   <= s_answer_reg;
    s_answer_sync2_reg   <= s_answer_sync1_reg;
    write_gray_sync1_reg <= write_gray_reg;
    write_gray_sync2_reg <= write_gray_sync1_reg;
    m_answer_reg         <= s_request_sync2_reg && !m_inside_reg;
    if (m_wanted_reg && (m_request_reg || !s_answer_sync2_reg)) begin
      m_request_reg <= 1'b1;
      m_wanted_reg  <= 1'b0;
    end else if (s_answer_sync2_reg) begin
      m_request_reg <= 1'b0;
    end
    if (m_hold) begin
      read_reg      <= '0;
      read_gray_reg <= '0;
    end else if (read_valid && read_ready) begin
      read_reg      <= read_next;
      read_gray_reg <= gray(read_next);
    end
    if (out_move) begin
      out_valid_reg <= close || (word_valid && !m_hold);
      out_reg       <= word;
      if (close) begin
        out_reg.bad     <= 1'b1;
        out_reg.last    <= 1'b1;
        out_reg.keep    <= '0;
        out_reg.keep[0] <= 1'b1;
        m_inside_reg    <= 1'b0;
      end else if (word_valid && !m_hold) begin
        m_inside_reg <= !word.last;
      end
    end
    if (m_rst) begin
      m_wanted_reg <= 1'b1;
      m_inside_reg <= 1'b0;
      out_valid_reg <= 1'b0;
    end
  end
endmodule

`resetall
