// SPDX-License-Identifier: Apache-2.0
`resetall
`default_nettype none

// Credits of a pipeline that cannot stall: lets a packet enter only while there is room for its result, and keeps
// the results until packet_merge takes them.
//
// s_start asks for each packet whether it may enter. Its result comes later, in the same order, and is taken without
// question. m_plan gives of it what packet_merge wants first, m_header the whole.
// Flow control: s_start and the outputs full; result_valid cannot be refused. No path runs from an output's ready
//   to start_ready.
// Latency: from result_valid none to m_plan; to m_header one cycle more than axis_memory: two with distributed RAM,
//   three with block RAM.
// Limits: RESULT_WORDS packets between s_start and the later of m_plan and m_header. A result that nobody started
//   stops a simulation.
module pipeline_flow #(
    parameter int RESULT_WORDS     = 32,   // packets in the pipeline and behind it, a power of two, 2 or more
    parameter int USER_BITS        = 128,  // bits of tuser, 1 or more
    parameter int WINDOW_BYTES     = 128,  // most bytes stripped from a packet, 1 or more
    parameter int MAX_HEADER_BYTES = 128   // most bytes put before a packet, 1 or more
) (
    input wire logic clk,
    input wire logic rst,

    input  wire logic s_start_valid,
    output logic      s_start_ready,

    input wire logic [        MAX_HEADER_BYTES*8-1:0] result_header,         // byte 0 is the most significant
    input wire logic [$clog2(MAX_HEADER_BYTES+1)-1:0] result_header_length,  // bytes
    input wire logic [    $clog2(WINDOW_BYTES+1)-1:0] result_strip_length,   // bytes
    input wire logic                                  result_drop,
    input wire logic [                 USER_BITS-1:0] result_user,
    input wire logic                                  result_valid,

    output logic [$clog2(MAX_HEADER_BYTES+1)-1:0] m_plan_header_length,
    output logic [    $clog2(WINDOW_BYTES+1)-1:0] m_plan_strip_length,
    output logic                                  m_plan_drop,
    output logic                                  m_plan_valid,
    input  wire logic                             m_plan_ready,

    output logic [        MAX_HEADER_BYTES*8-1:0] m_header_data,
    output logic [$clog2(MAX_HEADER_BYTES+1)-1:0] m_header_length,
    output logic                                  m_header_drop,
    output logic [                 USER_BITS-1:0] m_header_user,
    output logic                                  m_header_valid,
    input  wire logic                             m_header_ready,

    output logic [$clog2(RESULT_WORDS+1)-1:0] status_packets  // that have entered and not left
);
  if (RESULT_WORDS < 2 || 2 ** $clog2(RESULT_WORDS) != RESULT_WORDS) begin : gen_check_result_words
    $fatal(1, "RESULT_WORDS must be a power of two, 2 or more (instance %m)");
  end
  if (USER_BITS < 1) begin : gen_check_user_bits
    $fatal(1, "USER_BITS must be 1 or more (instance %m)");
  end
  if (WINDOW_BYTES < 1) begin : gen_check_window_bytes
    $fatal(1, "WINDOW_BYTES must be 1 or more (instance %m)");
  end
  if (MAX_HEADER_BYTES < 1) begin : gen_check_max_header_bytes
    $fatal(1, "MAX_HEADER_BYTES must be 1 or more (instance %m)");
  end

  localparam int ADDRESS_BITS = $clog2(RESULT_WORDS);

  typedef struct packed {
    logic [$clog2(MAX_HEADER_BYTES+1)-1:0] header_length;
    logic [$clog2(WINDOW_BYTES+1)-1:0]     strip_length;
    logic                                  drop;
  } plan_t;

  typedef struct packed {
    logic [MAX_HEADER_BYTES*8-1:0]         data;
    logic [$clog2(MAX_HEADER_BYTES+1)-1:0] header_length;
    logic                                  drop;
    logic [USER_BITS-1:0]                  user;
  } header_t;

  // Addresses with one bit above them, so that empty and full differ.
  typedef logic [ADDRESS_BITS:0] place_t;

  place_t left_reg;     // the oldest header that has not left
  place_t read_reg;     // the next header to be asked of the memory
  place_t planned_reg;  // the next plan to leave
  place_t write_reg;    // where the next result goes
  place_t start_reg;    // where that of the next packet to start will go
  place_t packets;
  place_t unplanned;
  logic   read_ready;

  (* ram_style = "distributed" *)
  plan_t plan_memory[RESULT_WORDS];
  plan_t plan;
  plan_t result_plan;

  assign packets        = start_reg - left_reg;
  assign status_packets = packets;
  assign unplanned      = start_reg - planned_reg;
  assign s_start_ready  = packets != place_t'(RESULT_WORDS) && unplanned != place_t'(RESULT_WORDS);

  assign result_plan = {result_header_length, result_strip_length, result_drop};
  assign plan         = planned_reg == write_reg ? result_plan : plan_memory[planned_reg[ADDRESS_BITS-1:0]];
  assign {m_plan_header_length, m_plan_strip_length, m_plan_drop} = plan;
  assign m_plan_valid = result_valid || planned_reg != write_reg;

  axis_memory #(
      .DEPTH_WORDS(RESULT_WORDS),
      .WORD_BITS  ($bits(header_t))
  ) header_memory_inst (
      .s_clk          (clk),
      .m_clk          (clk),
      .m_rst          (rst),
      .s_write_address(write_reg[ADDRESS_BITS-1:0]),
      .s_write_word   ({result_header, result_header_length, result_drop, result_user}),
      .s_write_valid  (result_valid),
      .s_read_address (read_reg[ADDRESS_BITS-1:0]),
      .s_read_valid   (read_reg != write_reg),
      .s_read_ready   (read_ready),
      .m_read_word    ({m_header_data, m_header_length, m_header_drop, m_header_user}),
      .m_read_valid   (m_header_valid),
      .m_read_ready   (m_header_ready)
  );

  always_ff @(posedge clk) begin
    if (result_valid) begin
      plan_memory[write_reg[ADDRESS_BITS-1:0]] <= result_plan;
      write_reg <= write_reg + 1'b1;
    end
    if (s_start_valid && s_start_ready) begin
      start_reg <= start_reg + 1'b1;
    end
    if (m_plan_valid && m_plan_ready) begin
      planned_reg <= planned_reg + 1'b1;
    end
    if (read_reg != write_reg && read_ready) begin
      read_reg <= read_reg + 1'b1;
    end
    if (m_header_valid && m_header_ready) begin
      left_reg <= left_reg + 1'b1;
    end
    if (rst) begin
      start_reg   <= '0;
      write_reg   <= '0;
      planned_reg <= '0;
      read_reg    <= '0;
      left_reg    <= '0;
    end
  end

`ifndef SYNTHESIS
  always_ff @(posedge clk) begin
    if (!rst && result_valid) begin
      a_result_was_started : assert (write_reg != start_reg);
    end
  end
`endif
endmodule

`resetall
