// SPDX-License-Identifier: Apache-2.0
`resetall
`default_nettype none

// Puts a packet's digest, a beat, in front of it on its way to the CPU.
//
// Of each packet the first beat says whether the packet itself is wanted (s_axis_tcopy) and whether its digest is
// (s_axis_ttell). With both the digest comes first, as the first beat of the packet; with the digest alone it is a
// packet of its own, and m_axis_talone is up. A packet of which neither is wanted is not seen.
// Flow control: neither side stalls. A digest takes a cycle that its packet did not bring, so beats wait in a FIFO.
// Latency: three cycles, and those that the beats in front take.
// Limits: a packet that begins while START_WORDS beats wait is dropped whole, and counted in status_dropped. While a
//   packet comes in, no more beats wait than when it began, and one: so the FIFO never fills.
module digest_insert #(
    parameter int START_WORDS = 12,  // beats that may wait when a packet begins, 1 to 56
    parameter int DATA_BYTES  = 32,  // bytes a beat and a digest, 1 or more
    parameter int USER_BITS   = 16   // bits of tuser, 1 or more
) (
    input wire logic clk,
    input wire logic rst,

    input wire logic [DATA_BYTES*8-1:0] s_axis_tdata,
    input wire logic [  DATA_BYTES-1:0] s_axis_tkeep,
    input wire logic [   USER_BITS-1:0] s_axis_tuser,
    input wire logic [DATA_BYTES*8-1:0] s_axis_tdigest,        // the same on every beat of a packet, as the next two
    input wire logic                    s_axis_ttell,
    input wire logic                    s_axis_tcopy,
    input wire logic                    s_axis_tlast,
    input wire logic                    s_axis_tvalid,

    output logic [DATA_BYTES*8-1:0] m_axis_tdata,
    output logic [  DATA_BYTES-1:0] m_axis_tkeep,
    output logic [   USER_BITS-1:0] m_axis_tuser,
    output logic                    m_axis_talone,
    output logic                    m_axis_tlast,
    output logic                    m_axis_tvalid,

    output logic status_dropped  // pulse: a packet, its digest or both were dropped
);
  if (START_WORDS < 1 || START_WORDS > 56) begin : gen_check_start_words
    $fatal(1, "START_WORDS must be 1 to 56 (instance %m)");
  end

  localparam int DEPTH_WORDS = START_WORDS + 8;

  typedef logic [$clog2(DEPTH_WORDS+1)-1:0] depth_t;

  typedef struct packed {
    logic                    first;
    logic                    copy;
    logic                    tell;
    logic [DATA_BYTES*8-1:0] digest;
    logic [USER_BITS-1:0]    user;
  } extra_t;

  // ---- in

  logic   inside_reg;  // a packet has begun to come in and not ended
  logic   taking_reg;
  logic   begins;
  logic   wanted;
  logic   take;
  logic   dropped_reg;
  depth_t waiting;

  assign begins = s_axis_tvalid && !inside_reg;
  assign wanted = s_axis_tcopy || s_axis_ttell;
  // Of a packet whose digest alone is wanted the first beat stands for all.
  assign take = s_axis_tvalid
      && (inside_reg ? taking_reg && s_axis_tcopy : wanted && waiting < depth_t'(START_WORDS));
  assign status_dropped = dropped_reg;

  always_ff @(posedge clk) begin
    if (s_axis_tvalid) begin
      inside_reg <= !s_axis_tlast;
    end
    if (begins) begin
      taking_reg <= take;
    end
    dropped_reg <= begins && wanted && !take;
    if (rst) begin
      inside_reg  <= 1'b0;
      dropped_reg <= 1'b0;
    end
  end

  logic [DATA_BYTES*8-1:0] data;
  logic [  DATA_BYTES-1:0] keep;
  extra_t                  extra;
  logic                    last;
  logic                    valid;
  logic                    ready;

  // verilator lint_off PINCONNECTEMPTY
  axis_fifo #(
      .DEPTH_WORDS(DEPTH_WORDS),
      .DATA_BYTES (DATA_BYTES),
      .USER_BITS  ($bits(extra_t))
  ) fifo_inst (
      .clk               (clk),
      .rst               (rst),
      .s_axis_tdata      (s_axis_tdata),
      .s_axis_tkeep      (s_axis_tkeep),
      .s_axis_tuser      ({begins, s_axis_tcopy, s_axis_ttell, s_axis_tdigest, s_axis_tuser}),
      .s_axis_tlast      (s_axis_tlast || !s_axis_tcopy),
      .s_axis_tvalid     (take),
      .s_axis_tready     (),
      .m_axis_tdata      (data),
      .m_axis_tkeep      (keep),
      .m_axis_tuser      (extra),
      .m_axis_tlast      (last),
      .m_axis_tvalid     (valid),
      .m_axis_tready     (ready),
      .status_depth_words(waiting)
  );
  // verilator lint_on PINCONNECTEMPTY

  // ---- out

  logic told_reg;  // the digest of the packet in front has left
  logic tell;

  assign tell  = extra.first && extra.tell && !told_reg;
  assign ready = !tell || !extra.copy;

  always_ff @(posedge clk) begin
    m_axis_tdata  <= tell ? extra.digest : data;
    m_axis_tkeep  <= tell ? '1 : keep;
    m_axis_tuser  <= extra.user;
    m_axis_talone <= !extra.copy;
    m_axis_tlast  <= tell ? !extra.copy : last;
    m_axis_tvalid <= valid;
    if (valid) begin
      told_reg <= tell && extra.copy;
    end
    if (rst) begin
      m_axis_tvalid <= 1'b0;
      told_reg      <= 1'b0;
    end
  end
endmodule

`resetall
