// SPDX-License-Identifier: Apache-2.0
`resetall
`default_nettype none

// Where packets wait for their turn into the switch: whole ones only, each with its length on every beat.
//
// Flow control: full; a beat in and a beat out every cycle. With DROP_WHEN_FULL the input never stalls, and a packet
//   that finds no room is dropped. Without, the input waits.
// Latency: from a packet's last beat in to its first beat out as axis_packet_fifo, and one cycle more.
// Limits: a bad packet (s_axis_tbad on its last beat) and one of more than MAX_PACKET_BYTES are dropped. Each packet
//   raises one of status_taken and the three status_dropped outputs for a cycle; of several reasons not fitting comes
//   first, then bad. MAX_PACKET_BYTES has to fit.
module input_queue
  import switch_pkg::*;
#(
    parameter int DEPTH_WORDS      = 512,   // beats it holds, 3 or more
    parameter int MAX_PACKET_BYTES = 1600,  // of a packet, 1 to DEPTH_WORDS beats and below 65536
    parameter bit DROP_WHEN_FULL   = 1'b1,  // 1: drop what does not fit; 0: let it wait
    parameter int DATA_BYTES       = 32,    // bytes a beat, a power of two, 2 to 256
    parameter int USER_BITS        = 2      // bits of tuser, 1 or more
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
    output logic [ LENGTH_BITS-1:0] m_axis_tlength,  // bytes of the packet
    output logic                    m_axis_tlast,
    output logic                    m_axis_tvalid,
    input  wire logic               m_axis_tready,

    output logic                   status_more,          // there is a packet behind the one that comes out
    output logic                   status_taken,         // pulse: a packet came in
    output logic [LENGTH_BITS-1:0] status_taken_bytes,   // its length
    output logic                   status_dropped_bad,   // pulse: a packet was bad
    output logic                   status_dropped_long,  // pulse: a packet was longer than MAX_PACKET_BYTES
    output logic                   status_dropped_full   // pulse: a packet did not fit
);
  if (DEPTH_WORDS < 3) begin : gen_check_depth_words
    $fatal(1, "DEPTH_WORDS must be 3 or more (instance %m)");
  end
  if (MAX_PACKET_BYTES < 1 || MAX_PACKET_BYTES > DEPTH_WORDS * DATA_BYTES || MAX_PACKET_BYTES >= 2 ** LENGTH_BITS)
  begin : gen_check_max_packet_bytes
    $fatal(1, "MAX_PACKET_BYTES must be 1 to DEPTH_WORDS beats and below 65536 (instance %m)");
  end

  localparam int PLACE_BITS = $clog2(DATA_BYTES);
  localparam int COUNT_BITS = LENGTH_BITS - PLACE_BITS;
  localparam int LAST_WORD  = (MAX_PACKET_BYTES - 1) / DATA_BYTES;  // the beat that a packet's last byte may be in
  localparam int LAST_BYTES = (MAX_PACKET_BYTES - 1) % DATA_BYTES + 1;  // and how many of its bytes may be there

  typedef logic [COUNT_BITS-1:0] count_t;
  typedef logic [LENGTH_BITS-1:0] length_t;
  typedef logic [$clog2(DEPTH_WORDS+1)-1:0] packets_t;

  logic    take;
  count_t  words_reg;     // beats of this packet that have come in; stops at one that is too long
  logic    at_limit_reg;  // the last beat that a packet may have is coming in
  logic    past_reg;      // the packet has too many beats
  logic    too_long;
  logic    entered_reg;   // a packet's last beat came in
  logic    entered_long_reg;
  length_t entered_bytes_reg;
  logic    dropped_bad;

  logic     beat_valid;
  logic     length_valid;
  logic     ends;
  packets_t packets_reg;
  packets_t packets_next;
  logic     more_reg;

  assign take     = s_axis_tvalid && s_axis_tready;
  assign too_long = past_reg || (at_limit_reg && s_axis_tkeep[LAST_BYTES%DATA_BYTES] && LAST_BYTES != DATA_BYTES);

  always_ff @(posedge clk) begin
    if (take) begin
      words_reg         <= past_reg ? words_reg : words_reg + 1'b1;
      at_limit_reg      <= words_reg + 1'b1 == count_t'(LAST_WORD) && !past_reg;
      past_reg          <= past_reg || at_limit_reg;
      entered_long_reg  <= too_long && !s_axis_tbad;
      entered_bytes_reg <= {words_reg, PLACE_BITS'(last_byte(MAX_DATA_BYTES'(s_axis_tkeep)))} + 1'b1;
      if (s_axis_tlast) begin
        words_reg    <= '0;
        at_limit_reg <= LAST_WORD == 0;
        past_reg     <= 1'b0;
      end
    end
    entered_reg <= take && s_axis_tlast;
    if (rst) begin
      words_reg    <= '0;
      at_limit_reg <= LAST_WORD == 0;
      past_reg     <= 1'b0;
      entered_reg  <= 1'b0;
    end
  end

  // verilator lint_off PINCONNECTEMPTY
  packet_queue #(
      .DEPTH_WORDS   (DEPTH_WORDS),
      .DROP_WHEN_FULL(DROP_WHEN_FULL),
      .DATA_BYTES    (DATA_BYTES),
      .USER_BITS     (USER_BITS)
  ) packets_inst (
      .clk                (clk),
      .rst                (rst),
      .s_axis_tdata       (s_axis_tdata),
      .s_axis_tkeep       (s_axis_tkeep),
      .s_axis_tuser       (s_axis_tuser),
      .s_axis_tlast       (s_axis_tlast),
      .s_axis_tbad        (s_axis_tbad || too_long),
      .s_axis_tvalid      (s_axis_tvalid),
      .s_axis_tready      (s_axis_tready),
      .m_axis_tdata       (m_axis_tdata),
      .m_axis_tkeep       (m_axis_tkeep),
      .m_axis_tuser       (m_axis_tuser),
      .m_axis_tlast       (m_axis_tlast),
      .m_axis_tvalid      (beat_valid),
      .m_axis_tready      (m_axis_tready && length_valid),
      .status_depth_words (),
      .status_dropped_bad (dropped_bad),
      .status_dropped_full(status_dropped_full)
  );

  assign status_dropped_bad  = dropped_bad && !entered_long_reg;
  assign status_dropped_long = dropped_bad && entered_long_reg;
  assign status_taken        = entered_reg && !dropped_bad && !status_dropped_full;
  assign status_taken_bytes  = entered_bytes_reg;

  // A length for each packet inside: there are at most as many as beats, so it is never full.
  axis_fifo #(
      .DEPTH_WORDS(DEPTH_WORDS),
      .DATA_BYTES (1),
      .USER_BITS  (LENGTH_BITS)
  ) lengths_inst (
      .clk               (clk),
      .rst               (rst),
      .s_axis_tdata      (8'b0),
      .s_axis_tkeep      (1'b1),
      .s_axis_tuser      (entered_bytes_reg),
      .s_axis_tlast      (1'b1),
      .s_axis_tvalid     (status_taken),
      .s_axis_tready     (),
      .m_axis_tdata      (),
      .m_axis_tkeep      (),
      .m_axis_tuser      (m_axis_tlength),
      .m_axis_tlast      (),
      .m_axis_tvalid     (length_valid),
      .m_axis_tready     (ends),
      .status_depth_words()
  );
  // verilator lint_on PINCONNECTEMPTY

  assign m_axis_tvalid = beat_valid && length_valid;
  assign ends          = m_axis_tvalid && m_axis_tready && m_axis_tlast;
  assign status_more   = more_reg;
  assign packets_next  = packets_reg + packets_t'(status_taken) - packets_t'(ends);

  always_ff @(posedge clk) begin
    packets_reg <= packets_next;
    more_reg    <= packets_next > packets_t'(1);
    if (rst) begin
      packets_reg <= '0;
      more_reg    <= 1'b0;
    end
  end
endmodule

`resetall
