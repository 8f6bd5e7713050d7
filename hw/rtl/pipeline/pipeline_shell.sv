// SPDX-License-Identifier: Apache-2.0
`resetall
`default_nettype none

// Everything of a packet pipeline but its function: a generated core puts its stages between window and result.
//
// For each packet, in order, window_* shows its first bytes for one cycle (header_window), and result_* has to say,
// LATENCY_CYCLES cycles later, what becomes of it (packet_merge): header_length bytes of result_header, then
// the packet's own from strip_length on, with result_user on every beat; or nothing, with result_drop. In between
// stands a fixed-latency function of the window that never stalls and that rst empties.
// Flow control: full; a packet enters only when there is room for its result, so that a stalled output stops the
//   input and nothing in between. No path runs from m_axis_tready to s_axis_tready. Windows are
//   SPACING_CYCLES apart or more: packets of one beat may have to wait for that, as header_window has it.
// Latency: from a packet's first beat to the first beat of its result: the beats of its window, LATENCY_CYCLES, and
//   three cycles, in an idle shell that strips no more than it puts; packet_merge says where it is more.
// Limits: a packet of any length passes; one longer than PACKET_WORDS beats leaves while it comes in. The rates of
//   packet_merge hold when PACKET_WORDS beats and RESULT_WORDS packets cover the latency. Every packet that comes in
//   leaves or raises one status output, as packet_merge has it.
module pipeline_shell #(
    parameter int DATA_BYTES       = 32,   // bytes a beat, a power of two, 2 or more
    parameter int USER_BITS        = 128,  // bits of s_axis_tuser, 1 or more
    parameter int RESULT_USER_BITS = 128,  // bits of m_axis_tuser, 1 or more
    parameter int WINDOW_BYTES     = 128,  // bytes of a packet that the pipeline sees, 1 or more
    parameter int MAX_HEADER_BYTES = 128,  // most bytes put before a packet, 1 or more
    parameter int LATENCY_CYCLES   = 16,   // cycles from a window to its result, 1 or more
    parameter int PACKET_WORDS     = 512,  // beats in the packet memory, a power of two that holds a window
    parameter int RESULT_WORDS     = 32,   // packets between window and output, a power of two, 2 or more
    parameter int SPACING_CYCLES   = 1,    // from a window to the next one at least, 1 or 2
    parameter bit [DATA_BYTES-1:0] SHIFTS = '1  // bit k: (header_length - strip_length) mod DATA_BYTES may be k
) (
    input wire logic clk,
    input wire logic rst,

    input  wire logic [DATA_BYTES*8-1:0] s_axis_tdata,
    input  wire logic [  DATA_BYTES-1:0] s_axis_tkeep,
    input  wire logic [   USER_BITS-1:0] s_axis_tuser,
    input  wire logic                    s_axis_tlast,
    input  wire logic                    s_axis_tvalid,
    output logic                         s_axis_tready,

    output logic [        WINDOW_BYTES*8-1:0] window_data,    // byte 0 is the most significant
    output logic [$clog2(WINDOW_BYTES+1)-1:0] window_length,  // bytes of the packet that are in window_data
    output logic                              window_ended,   // there are no others
    output logic [             USER_BITS-1:0] window_user,
    output logic                              window_valid,

    input wire logic [        MAX_HEADER_BYTES*8-1:0] result_header,         // byte 0 is the most significant
    input wire logic [$clog2(MAX_HEADER_BYTES+1)-1:0] result_header_length,  // bytes
    input wire logic [    $clog2(WINDOW_BYTES+1)-1:0] result_strip_length,   // bytes
    input wire logic                                  result_drop,
    input wire logic [          RESULT_USER_BITS-1:0] result_user,
    input wire logic                                  result_valid,

    output logic [    DATA_BYTES*8-1:0] m_axis_tdata,
    output logic [      DATA_BYTES-1:0] m_axis_tkeep,
    output logic [RESULT_USER_BITS-1:0] m_axis_tuser,
    output logic                        m_axis_tlast,
    output logic                        m_axis_tvalid,
    input  wire logic                   m_axis_tready,

    output logic [$clog2(RESULT_WORDS+1)-1:0] status_packets,  // packets inside
    output logic                              status_dropped,  // pulse: result_drop took a packet
    output logic                              status_empty     // pulse: a packet had no bytes left and was dropped
);
  if (LATENCY_CYCLES < 1) begin : gen_check_latency_cycles
    $fatal(1, "LATENCY_CYCLES must be 1 or more (instance %m)");
  end
  if (PACKET_WORDS * DATA_BYTES < WINDOW_BYTES) begin : gen_check_packet_words
    $fatal(1, "PACKET_WORDS must hold a window (instance %m)");
  end

  logic inside_reg;  // a packet has begun to come in and not ended
  logic memory_ready;
  logic start_ready;
  logic window_ready;
  logic take;

  assign s_axis_tready = memory_ready && window_ready && (inside_reg || start_ready);
  assign take          = s_axis_tvalid && s_axis_tready;

  always_ff @(posedge clk) begin
    if (take) begin
      inside_reg <= !s_axis_tlast;
    end
    if (rst) begin
      inside_reg <= 1'b0;
    end
  end

  header_window #(
      .DATA_BYTES    (DATA_BYTES),
      .USER_BITS     (USER_BITS),
      .WINDOW_BYTES  (WINDOW_BYTES),
      .SPACING_CYCLES(SPACING_CYCLES)
  ) window_inst (
      .clk          (clk),
      .rst          (rst),
      .s_axis_tdata (s_axis_tdata),
      .s_axis_tkeep (s_axis_tkeep),
      .s_axis_tuser (s_axis_tuser),
      .s_axis_tlast (s_axis_tlast),
      .s_axis_tvalid(s_axis_tvalid && memory_ready && (inside_reg || start_ready)),
      .s_axis_tready(window_ready),
      .window_data  (window_data),
      .window_length(window_length),
      .window_ended (window_ended),
      .window_user  (window_user),
      .window_valid (window_valid)
  );

  logic [DATA_BYTES*8-1:0] beat_data;
  logic [  DATA_BYTES-1:0] beat_keep;
  logic                    beat_last;
  logic                    beat_valid;
  logic                    beat_ready;

  packet_memory #(
      .DEPTH_WORDS(PACKET_WORDS),
      .DATA_BYTES (DATA_BYTES)
  ) memory_inst (
      .clk          (clk),
      .rst          (rst),
      .s_axis_tdata (s_axis_tdata),
      .s_axis_tkeep (s_axis_tkeep),
      .s_axis_tlast (s_axis_tlast),
      .s_axis_tvalid(s_axis_tvalid && window_ready && (inside_reg || start_ready)),
      .s_axis_tready(memory_ready),
      .m_axis_tdata (beat_data),
      .m_axis_tkeep (beat_keep),
      .m_axis_tlast (beat_last),
      .m_axis_tvalid(beat_valid),
      .m_axis_tready(beat_ready)
  );

  logic [$clog2(MAX_HEADER_BYTES+1)-1:0] plan_header_length;
  logic [    $clog2(WINDOW_BYTES+1)-1:0] plan_strip_length;
  logic                                  plan_drop;
  logic                                  plan_valid;
  logic                                  plan_ready;
  logic [        MAX_HEADER_BYTES*8-1:0] header_data;
  logic [$clog2(MAX_HEADER_BYTES+1)-1:0] header_length;
  logic                                  header_drop;
  logic [          RESULT_USER_BITS-1:0] header_user;
  logic                                  header_valid;
  logic                                  header_ready;

  pipeline_flow #(
      .RESULT_WORDS    (RESULT_WORDS),
      .USER_BITS       (RESULT_USER_BITS),
      .WINDOW_BYTES    (WINDOW_BYTES),
      .MAX_HEADER_BYTES(MAX_HEADER_BYTES)
  ) flow_inst (
      .clk                 (clk),
      .rst                 (rst),
      .s_start_valid       (s_axis_tvalid && memory_ready && window_ready && !inside_reg),
      .s_start_ready       (start_ready),
      .result_header       (result_header),
      .result_header_length(result_header_length),
      .result_strip_length (result_strip_length),
      .result_drop         (result_drop),
      .result_user         (result_user),
      .result_valid        (result_valid),
      .m_plan_header_length(plan_header_length),
      .m_plan_strip_length (plan_strip_length),
      .m_plan_drop         (plan_drop),
      .m_plan_valid        (plan_valid),
      .m_plan_ready        (plan_ready),
      .m_header_data       (header_data),
      .m_header_length     (header_length),
      .m_header_drop       (header_drop),
      .m_header_user       (header_user),
      .m_header_valid      (header_valid),
      .m_header_ready      (header_ready),
      .status_packets      (status_packets)
  );

  packet_merge #(
      .DATA_BYTES      (DATA_BYTES),
      .USER_BITS       (RESULT_USER_BITS),
      .WINDOW_BYTES    (WINDOW_BYTES),
      .MAX_HEADER_BYTES(MAX_HEADER_BYTES),
      .SHIFTS          (SHIFTS)
  ) merge_inst (
      .clk                 (clk),
      .rst                 (rst),
      .s_plan_header_length(plan_header_length),
      .s_plan_strip_length (plan_strip_length),
      .s_plan_drop         (plan_drop),
      .s_plan_valid        (plan_valid),
      .s_plan_ready        (plan_ready),
      .s_header_data       (header_data),
      .s_header_length     (header_length),
      .s_header_drop       (header_drop),
      .s_header_user       (header_user),
      .s_header_valid      (header_valid),
      .s_header_ready      (header_ready),
      .s_axis_tdata        (beat_data),
      .s_axis_tkeep        (beat_keep),
      .s_axis_tlast        (beat_last),
      .s_axis_tvalid       (beat_valid),
      .s_axis_tready       (beat_ready),
      .m_axis_tdata        (m_axis_tdata),
      .m_axis_tkeep        (m_axis_tkeep),
      .m_axis_tuser        (m_axis_tuser),
      .m_axis_tlast        (m_axis_tlast),
      .m_axis_tvalid       (m_axis_tvalid),
      .m_axis_tready       (m_axis_tready),
      .status_dropped      (status_dropped),
      .status_empty        (status_empty)
  );

`ifndef SYNTHESIS
  logic due;

  pipeline_delay #(
      .BITS  (1),
      .CYCLES(LATENCY_CYCLES),
      .RESET (1'b1)
  ) due_inst (
      .clk(clk),
      .rst(rst),
      .in (window_valid),
      .out(due)
  );

  always_ff @(posedge clk) begin
    if (!rst) begin
      a_result_is_on_time : assert (result_valid == due);
    end
  end
`endif
endmodule

`resetall
