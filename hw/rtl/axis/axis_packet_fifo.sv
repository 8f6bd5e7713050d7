// SPDX-License-Identifier: Apache-2.0
`resetall
`default_nettype none

// Store-and-forward FIFO: a packet leaves once it is complete; one that is bad or does not fit is dropped whole.
//
// A packet is bad when s_axis_tbad is up on its last beat.
// Flow control: full; a beat in and a beat out every cycle. With DROP_WHEN_FULL the input never stalls, and
//   a packet that finds no room is dropped. Without, the input waits for room, and only a packet of more
//   than DEPTH_WORDS beats is dropped, since it could wait for ever.
// Latency: from a packet's last beat in to its first beat out as axis_fifo: two cycles with distributed
//   RAM, three with block RAM.
// Limits: holds exactly DEPTH_WORDS beats, those on their way out and those of the packet that is coming in
//   included. A dropped packet gives its room back with its last beat if it is bad, with the first beat
//   that does not fit otherwise. Each dropped packet raises one status output for one cycle, the one after
//   its last beat; a bad packet that does not fit counts as not fitting. Three beats or more keep the full rate
//   for packets of one beat.
module axis_packet_fifo #(
    parameter int DEPTH_WORDS    = 512,   // beats it holds, 1 or more
    parameter bit DROP_WHEN_FULL = 1'b1,  // 1: drop what does not fit; 0: let it wait
    parameter int DATA_BYTES     = 32,    // bytes a beat, 1 or more
    parameter int USER_BITS      = 128    // bits of tuser, 1 or more
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
  place_t start_reg;  // the first beat of the packet that is coming in: what lies before may leave
  place_t read_reg;   // the next beat to be asked of the memory
  place_t left_reg;   // the oldest beat that has not left
  place_t used;
  logic   dropping_reg;  // the rest of the packet that is coming in goes nowhere
  logic   dropped_bad_reg;
  logic   dropped_full_reg;
  logic   take;
  logic   lost;   // this beat's packet does not fit
  logic   bad;    // this beat makes its packet a bad one
  logic   store;
  logic   full;
  logic   read_ready;

  assign used  = write_reg - left_reg;
  assign full  = used == place_t'(DEPTH_WORDS);
  assign take  = s_axis_tvalid && s_axis_tready;
  assign lost  = dropping_reg || full;
  assign bad   = s_axis_tlast && s_axis_tbad && !lost;
  assign store = take && !lost && !bad;

  // Full of nothing but the packet that is coming in: nothing will ever leave, so this one has to go.
  assign s_axis_tready = DROP_WHEN_FULL || dropping_reg || !full || start_reg == left_reg;

  assign status_depth_words  = STATUS_BITS'(used);
  assign status_dropped_bad  = dropped_bad_reg;
  assign status_dropped_full = dropped_full_reg;

  axis_memory #(
      .DEPTH_WORDS(2 ** ADDRESS_BITS),
      .WORD_BITS  ($bits(beat_t))
  ) memory_inst (
      .s_clk          (clk),
      .m_clk          (clk),
      .m_rst          (rst),
      .s_write_address(ADDRESS_BITS'(write_reg)),
      .s_write_word   ({s_axis_tlast, s_axis_tuser, s_axis_tkeep, s_axis_tdata}),
      .s_write_valid  (store),
      .s_read_address (ADDRESS_BITS'(read_reg)),
      .s_read_valid   (read_reg != start_reg),
      .s_read_ready   (read_ready),
      .m_read_word    ({m_axis_tlast, m_axis_tuser, m_axis_tkeep, m_axis_tdata}),
      .m_read_valid   (m_axis_tvalid),
      .m_read_ready   (m_axis_tready)
  );

  always_ff @(posedge clk) begin
    if (store) begin
      write_reg <= write_reg + 1'b1;
      if (s_axis_tlast) begin
        start_reg <= write_reg + 1'b1;
      end
    end else if (take) begin
      write_reg <= start_reg;
    end
    if (take) begin
      dropping_reg <= lost && !s_axis_tlast;
    end
    if (read_reg != start_reg && read_ready) begin
      read_reg <= read_reg + 1'b1;
    end
    if (m_axis_tvalid && m_axis_tready) begin
      left_reg <= left_reg + 1'b1;
    end
    dropped_bad_reg  <= take && bad;
    dropped_full_reg <= take && lost && s_axis_tlast;
    if (rst) begin
      write_reg        <= '0;
      start_reg        <= '0;
      read_reg         <= '0;
      left_reg         <= '0;
      dropping_reg     <= 1'b0;
      dropped_bad_reg  <= 1'b0;
      dropped_full_reg <= 1'b0;
    end
  end
endmodule

`resetall
