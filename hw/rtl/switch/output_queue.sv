// SPDX-License-Identifier: Apache-2.0
`resetall
`default_nettype none

// The packets that wait for one way out of the switch: takes whole packets, drops whole packets, says which and why.
//
// Flow control: the input never stalls: what is not taken is dropped. A packet leaves once it is complete.
// Latency: from a packet's last beat in to its first beat out as axis_packet_fifo.
// Limits: holds exactly DEPTH_WORDS beats. A packet that begins while the queue fills up may be refused (fair_admission).
//   While port_up is low every packet that begins is dropped, and those that wait are discarded, a beat a cycle; also
//   those that waited when it was low and could not go because a packet before them was leaving. A packet that has
//   begun to leave, or was shown, leaves whole: a port that is down has to take it, or keeps it.
//   Each packet raises one of status_taken and the three status_dropped outputs, and if taken one of status_left and
//   status_discarded later, for a cycle.
module output_queue
  import switch_pkg::*;
#(
    parameter int DEPTH_WORDS  = 2048,  // beats it holds, 3 or more
    parameter int FREE_WORDS   = 1344,  // up to which every source may fill it, as fair_admission has it
    parameter int CREDIT_WORDS = 64,    // of each source above that, as fair_admission has it
    parameter int N_SOURCES    = 6,     // 1 to 64
    parameter int DATA_BYTES   = 32,    // bytes a beat, a power of two, 2 to 256
    parameter int USER_BITS    = 1      // bits of tuser, 1 or more
) (
    input wire logic clk,
    input wire logic rst,

    input wire logic [               DATA_BYTES*8-1:0] s_axis_tdata,
    input wire logic [                 DATA_BYTES-1:0] s_axis_tkeep,
    input wire logic [                  USER_BITS-1:0] s_axis_tuser,
    input wire logic [index_bits(N_SOURCES)-1:0]       s_axis_tsource,  // the same on every beat of a packet
    input wire logic                                   s_axis_tlast,
    input wire logic                                   s_axis_tvalid,

    output logic [DATA_BYTES*8-1:0] m_axis_tdata,
    output logic [  DATA_BYTES-1:0] m_axis_tkeep,
    output logic [   USER_BITS-1:0] m_axis_tuser,
    output logic                    m_axis_tlast,
    output logic                    m_axis_tvalid,
    input  wire logic               m_axis_tready,

    input  wire logic                        port_up,
    output logic [$clog2(DEPTH_WORDS+1)-1:0] status_depth_words,    // beats inside
    output logic                             status_taken,          // pulse: a packet came in
    output logic                             status_dropped_full,   // pulse: a packet did not fit
    output logic                             status_dropped_share,  // pulse: its source had its share
    output logic                             status_dropped_down,   // pulse: the port was down
    output logic                             status_left,           // pulse: a packet has left
    output logic                             status_discarded       // pulse: one that waited was thrown away
);
  if (DEPTH_WORDS < 3) begin : gen_check_depth_words
    $fatal(1, "DEPTH_WORDS must be 3 or more (instance %m)");
  end

  typedef logic [$clog2(DEPTH_WORDS+1)-1:0] count_t;

  // ---- in

  logic   s_inside_reg;   // a packet has begun to come in and not ended
  logic   taking_reg;     // it goes into the queue
  logic   charge_reg;     // its source is charged
  logic   begins;
  logic   may_take;
  logic   take;
  logic   may_charge;
  logic   admit;
  logic   ended_reg;      // the last beat of a packet went to the queue
  logic   ended_charge_reg;
  count_t words_reg;      // beats of the packet that came in so far
  logic [index_bits(N_SOURCES)-1:0] ended_source_reg;
  logic   dropped_share_reg;
  logic   dropped_down_reg;

  assign begins   = s_axis_tvalid && !s_inside_reg;
  assign may_take = s_inside_reg ? taking_reg : admit && port_up;
  assign take     = s_axis_tvalid && may_take;

  always_ff @(posedge clk) begin
    if (s_axis_tvalid) begin
      s_inside_reg <= !s_axis_tlast;
      taking_reg   <= may_take;
      words_reg    <= s_inside_reg ? words_reg + 1'b1 : count_t'(1);
    end
    if (begins) begin
      charge_reg <= may_charge;
    end
    ended_reg         <= take && s_axis_tlast;
    ended_charge_reg  <= begins ? may_charge : charge_reg;
    ended_source_reg  <= s_axis_tsource;
    dropped_share_reg <= begins && port_up && !admit;
    dropped_down_reg  <= begins && !port_up;
    if (rst) begin
      s_inside_reg      <= 1'b0;
      ended_reg         <= 1'b0;
      dropped_share_reg <= 1'b0;
      dropped_down_reg  <= 1'b0;
    end
  end

  assign status_taken         = ended_reg && !status_dropped_full;
  assign status_dropped_share = dropped_share_reg;
  assign status_dropped_down  = dropped_down_reg;

  logic queued_valid;
  logic queued_ready;

  fair_admission #(
      .N_SOURCES   (N_SOURCES),
      .DEPTH_WORDS (DEPTH_WORDS),
      .FREE_WORDS  (FREE_WORDS),
      .CREDIT_WORDS(CREDIT_WORDS)
  ) admission_inst (
      .clk           (clk),
      .rst           (rst),
      .source        (s_axis_tsource),
      .admit         (admit),
      .charge        (may_charge),
      .charged       (status_taken && ended_charge_reg),
      .charged_source(ended_source_reg),
      .charged_words (words_reg),
      .left          (queued_valid && queued_ready),
      .level         (status_depth_words)
  );

  // verilator lint_off PINCONNECTEMPTY
  packet_queue #(
      .DEPTH_WORDS   (DEPTH_WORDS),
      .DROP_WHEN_FULL(1'b1),
      .DATA_BYTES    (DATA_BYTES),
      .USER_BITS     (USER_BITS)
  ) packets_inst (
      .clk                (clk),
      .rst                (rst),
      .s_axis_tdata       (s_axis_tdata),
      .s_axis_tkeep       (s_axis_tkeep),
      .s_axis_tuser       (s_axis_tuser),
      .s_axis_tlast       (s_axis_tlast),
      .s_axis_tbad        (1'b0),
      .s_axis_tvalid      (take),
      .s_axis_tready      (),
      .m_axis_tdata       (m_axis_tdata),
      .m_axis_tkeep       (m_axis_tkeep),
      .m_axis_tuser       (m_axis_tuser),
      .m_axis_tlast       (m_axis_tlast),
      .m_axis_tvalid      (queued_valid),
      .m_axis_tready      (queued_ready),
      .status_depth_words (status_depth_words),
      .status_dropped_bad (),
      .status_dropped_full(status_dropped_full)
  );
  // verilator lint_on PINCONNECTEMPTY

  // ---- out

  typedef enum logic [1:0] {
    STATE_DECIDING,   // the next beat begins a packet
    STATE_LEAVING,    // the packet has been shown
    STATE_DISCARDING
  } state_t;

  state_t state_reg;
  count_t waiting_reg;   // packets in the queue that have not been shown
  count_t waiting_next;
  count_t doomed_reg;    // the first of them, which will be discarded
  logic   decides;
  logic   discards;
  logic   move;
  logic   left_reg;
  logic   discarded_reg;

  assign decides       = state_reg == STATE_DECIDING && queued_valid;
  assign discards      = state_reg == STATE_DISCARDING || (decides && (!port_up || doomed_reg != 0));
  assign m_axis_tvalid = queued_valid && !discards;
  assign queued_ready  = m_axis_tready || discards;
  assign move          = queued_valid && queued_ready;
  assign waiting_next  = waiting_reg + count_t'(status_taken) - count_t'(decides);

  always_ff @(posedge clk) begin
    if (move && m_axis_tlast) begin
      state_reg <= STATE_DECIDING;
    end else if (decides) begin
      state_reg <= discards ? STATE_DISCARDING : STATE_LEAVING;
    end
    waiting_reg <= waiting_next;
    if (!port_up) begin
      doomed_reg <= waiting_next;
    end else if (decides && doomed_reg != 0) begin
      doomed_reg <= doomed_reg - 1'b1;
    end
    left_reg      <= move && m_axis_tlast && !discards;
    discarded_reg <= move && m_axis_tlast && discards;
    if (rst) begin
      state_reg     <= STATE_DECIDING;
      waiting_reg   <= '0;
      doomed_reg    <= '0;
      left_reg      <= 1'b0;
      discarded_reg <= 1'b0;
    end
  end

  assign status_left      = left_reg;
  assign status_discarded = discarded_reg;
endmodule

`resetall
