// SPDX-License-Identifier: Apache-2.0
`resetall
`default_nettype none

// What each wire sends, averaged over a time tau as HULA has it, in 8 bits, for all ports at once.
//
// Reports of packets, as tx_meter gives them, are gathered for each port. One engine visits the ports in turn: port p in
// the cycles p, p + VISIT_CYCLES and so on from the end of the reset. VISIT_CYCLES is the first power of two that is not
// below PORTS and LEAST_VISIT_CYCLES. The arithmetic stands in docs/hula.md.
// Flow control: none; a report of each port, a request and new settings may come every cycle.
// Latency: a report counts from the first visit after its cycle on; a visit shows in requests from SHOWN_CYCLES after it
//   on; requests take LATENCY_CYCLES. A visit takes the settings as they are in its cycle.
// Limits: an average of 128 bytes a cycle or more counts as the greatest below. cfg_tau_log2 outside its bounds counts as
//   the nearest bound. Before a port's first visit shows, and while nothing was sent, its utilisation is zero.
module link_util
  import switch_pkg::*;
#(
    parameter int PORTS          = 4,   // wires, 1 to 32
    parameter int OVERHEAD_BYTES = 24,  // of a packet on its wire that reports leave out, 0 to 63
    parameter int MAX_TAU_LOG2   = 20,  // two to its power cycles is the longest tau, 10 to 20
    parameter int LATENCY_CYCLES = 1    // 1 or more
) (
    input wire logic clk,
    input wire logic rst,

    input wire logic [PORTS-1:0]                  tx_valid,  // a packet has left
    input wire logic [PORTS-1:0][LENGTH_BITS-1:0] tx_bytes,

    input wire logic [4:0]             cfg_tau_log2,  // two to its power cycles is tau, 10 to MAX_TAU_LOG2
    input wire logic [PORTS-1:0][16:0] cfg_scale,     // 254 over the link's bytes a cycle, 8 bits of it behind the point

    input  wire logic                  input_valid,
    output logic      [PORTS*8-1:0] utilisations_result  // port 0 in the low bits
);
  if (PORTS < 1 || PORTS > 32) begin : gen_check_ports
    $fatal(1, "PORTS must be 1 to 32 (instance %m)");
  end
  if (OVERHEAD_BYTES < 0 || OVERHEAD_BYTES > 63) begin : gen_check_overhead_bytes
    $fatal(1, "OVERHEAD_BYTES must be 0 to 63 (instance %m)");
  end
  if (MAX_TAU_LOG2 < 10 || MAX_TAU_LOG2 > 20) begin : gen_check_max_tau_log2
    $fatal(1, "MAX_TAU_LOG2 must be 10 to 20 (instance %m)");
  end
  if (LATENCY_CYCLES < 1) begin : gen_check_latency
    $fatal(1, "LATENCY_CYCLES must be 1 or more (instance %m)");
  end

  localparam int LEAST_VISIT_CYCLES = 16;  // longer than a visit takes until what it leaves can be read
  localparam int VISIT_BITS         = $clog2(PORTS > LEAST_VISIT_CYCLES ? PORTS : LEAST_VISIT_CYCLES);
  localparam int VISIT_CYCLES       = 2 ** VISIT_BITS;

  localparam int MIN_TAU_LOG2  = 10;
  localparam int MAX_SHORT      = MAX_TAU_LOG2 - MIN_TAU_LOG2;
  localparam int GATHERED_BITS = LENGTH_BITS + VISIT_BITS;
  localparam int SENT_BITS     = GATHERED_BITS + 1;

  // The average: bytes a cycle. A byte in the longest tau is 2**GUARD_BITS.
  localparam int GUARD_BITS    = 8;
  localparam int FRACTION_BITS = MAX_TAU_LOG2 + GUARD_BITS;
  localparam int AVERAGE_BITS  = 7 + FRACTION_BITS;

  // Times since an event are numbers of visits; a tau is 2**SHARE_BITS of its shares, each of a visit if it is the longest.
  localparam int SHARE_BITS = MAX_TAU_LOG2 - VISIT_BITS;

  // One multiplier takes the low bits of the average, another one the rest.
  localparam int LOW_BITS  = 17;
  localparam int HIGH_BITS = AVERAGE_BITS - LOW_BITS;

  localparam int SCALED_FRACTION_BITS = 17;  // of the average when it is scaled
  localparam int SCALE_FRACTION_BITS  = 8;
  localparam int SCALED_BITS          = 7 + SCALED_FRACTION_BITS;
  localparam int POINT_BITS           = SCALED_FRACTION_BITS + SCALE_FRACTION_BITS;

  localparam logic [7:0] MOST = 8'd254;  // 255 is a path that is not there

  localparam int SHOWN_CYCLES = 10;

  typedef logic [VISIT_BITS-1:0] turn_t;
  typedef logic [GATHERED_BITS-1:0] gathered_t;
  typedef logic [VISIT_BITS:0] packets_t;
  typedef logic [SENT_BITS-1:0] sent_t;
  typedef logic [SENT_BITS+MAX_SHORT-1:0] shifted_t;
  typedef logic [SHARE_BITS:0] visits_t;
  typedef logic [SHARE_BITS+MAX_SHORT:0] gone_t;
  typedef logic [SHARE_BITS-1:0] share_t;
  typedef logic [AVERAGE_BITS-1:0] average_t;
  typedef logic [16:0] scale_t;
  typedef logic [3:0] short_t;  // how often tau has to be doubled to be the longest

  // ---- whose turn it is

  turn_t                   turn_reg;
  logic                    first_reg;  // of the first turn since the reset
  logic [SHOWN_CYCLES-1:0] live_reg;   // bit i: since the reset there were more than i cycles

  always_ff @(posedge clk) begin
    turn_reg  <= turn_reg + 1'b1;
    first_reg <= first_reg && turn_reg != '1;
    live_reg  <= {live_reg[SHOWN_CYCLES-2:0], 1'b1};
    if (rst) begin
      turn_reg  <= '0;
      first_reg <= 1'b1;
      live_reg  <= '0;
    end
  end

  // ---- what has left since the last visit

  gathered_t [PORTS-1:0] gathered_reg;
  packets_t  [PORTS-1:0] packets_reg;

  always_ff @(posedge clk) begin
    for (int i = 0; i < PORTS; i++) begin
      gathered_reg[i] <= (turn_reg == turn_t'(i) ? '0 : gathered_reg[i]) + (tx_valid[i] ? gathered_t'(tx_bytes[i]) : '0);
      packets_reg[i]  <= (turn_reg == turn_t'(i) ? '0 : packets_reg[i]) + packets_t'(tx_valid[i]);
    end
    if (rst) begin
      gathered_reg <= '0;
      packets_reg  <= '0;
    end
  end

  // ---- 0: what the visit finds; a name ends in the cycle after the visit in which it stands

  gathered_t gathered;
  packets_t  packets;
  scale_t    scale;
  gathered_t gathered_1_reg;
  packets_t  packets_1_reg;
  short_t    short_1_reg;
  logic      first_1_reg;

  always_comb begin
    gathered = '0;
    packets  = '0;
    scale    = '0;
    for (int i = 0; i < PORTS; i++) begin
      if (turn_reg == turn_t'(i)) begin
        gathered = gathered_reg[i];
        packets  = packets_reg[i];
        scale    = cfg_scale[i];
      end
    end
  end

  always_ff @(posedge clk) begin
    gathered_1_reg <= gathered;
    packets_1_reg  <= packets;
    first_1_reg    <= first_reg;
    if (cfg_tau_log2 < 5'(MIN_TAU_LOG2)) begin
      short_1_reg <= short_t'(MAX_SHORT);
    end else if (cfg_tau_log2 > 5'(MAX_TAU_LOG2)) begin
      short_1_reg <= '0;
    end else begin
      short_1_reg <= short_t'(5'(MAX_TAU_LOG2) - cfg_tau_log2);
    end
  end

  // ---- 1: bytes on the wire, and how much of tau is over since the last event

  localparam visits_t AGES = {1'b1, SHARE_BITS'(0)};  // the longest tau

  visits_t visits;  // since the last event, or AGES
  visits_t visits_next;
  gone_t   gone;
  logic    event_2_reg;
  sent_t   sent_2_reg;
  short_t  short_2_reg;
  share_t  gone_2_reg;
  logic    over_2_reg;

  assign visits_next = packets_1_reg != '0 ? visits_t'(1)
      : first_1_reg || visits[SHARE_BITS] ? AGES
      : visits + 1'b1;
  assign gone = gone_t'(visits) << short_1_reg;

  pipeline_delay #(
      .BITS  (SHARE_BITS + 1),
      .CYCLES(VISIT_CYCLES)
  ) visits_inst (
      .clk,
      .rst,
      .in (visits_next),
      .out(visits)
  );

  always_ff @(posedge clk) begin
    event_2_reg <= packets_1_reg != '0;
    sent_2_reg  <= sent_t'(gathered_1_reg) + sent_t'(packets_1_reg) * sent_t'(OVERHEAD_BYTES);
    short_2_reg <= short_1_reg;
    gone_2_reg  <= gone[SHARE_BITS-1:0];
    over_2_reg  <= first_1_reg || gone[SHARE_BITS+MAX_SHORT:SHARE_BITS] != '0;
  end

  // ---- 2 to 7: the average less what is over, and what was sent by tau

  // The highest bit of sent_t is there for the overhead and hardly used: the sum of both needs no more.
  localparam int SUM_BITS = SENT_BITS + MAX_SHORT + GUARD_BITS;

  typedef logic [SUM_BITS-1:0] sum_t;
  typedef logic [AVERAGE_BITS+SHARE_BITS-1:0] product_t;

  shifted_t                        sent_3_reg;
  logic                            event_3_reg;
  share_t                          left_3_reg;  // of tau
  average_t                        average_3;
  logic [LOW_BITS+SHARE_BITS-1:0]  low_4_reg;  // two registers behind each multiplier are part of it
  logic [HIGH_BITS+SHARE_BITS-1:0] high_4_reg;
  logic [LOW_BITS+SHARE_BITS-1:0]  low_5_reg;
  logic [HIGH_BITS+SHARE_BITS-1:0] high_5_reg;
  average_t                        decayed_6_reg;
  shifted_t                        sent_6;
  sum_t                            sum_7_reg;
  average_t                        average_7;
  average_t                        kept_7;
  logic                            event_7;

  always_ff @(posedge clk) begin
    sent_3_reg    <= shifted_t'(sent_2_reg) << short_2_reg;
    event_3_reg   <= event_2_reg;
    left_3_reg    <= over_2_reg ? '0 : -gone_2_reg;
    low_4_reg     <= average_3[LOW_BITS-1:0] * left_3_reg;
    high_4_reg    <= average_3[AVERAGE_BITS-1:LOW_BITS] * left_3_reg;
    low_5_reg     <= low_4_reg;
    high_5_reg    <= high_4_reg;
    // The half that rounds lies below the high product.
    decayed_6_reg <= average_t'(({high_5_reg, LOW_BITS'(2 ** (SHARE_BITS - 1))} + product_t'(low_5_reg)) >> SHARE_BITS);
    sum_7_reg     <= sum_t'(decayed_6_reg) + sum_t'({sent_6, GUARD_BITS'(0)});
  end

  assign average_7 = sum_7_reg[SUM_BITS-1:AVERAGE_BITS] != '0 ? '1 : sum_7_reg[AVERAGE_BITS-1:0];

  pipeline_delay #(
      .BITS  ($bits(shifted_t)),
      .CYCLES(3)
  ) sent_inst (
      .clk,
      .rst,
      .in (sent_3_reg),
      .out(sent_6)
  );

  pipeline_delay #(
      .BITS  (AVERAGE_BITS + 1),
      .CYCLES(4)
  ) kept_inst (
      .clk,
      .rst,
      .in ({event_3_reg, average_3}),
      .out({event_7, kept_7})
  );

  // What stands here since before the reset counts for nothing, since all of tau is over then.
  pipeline_delay #(
      .BITS  (AVERAGE_BITS),
      .CYCLES(VISIT_CYCLES - 4)
  ) average_inst (
      .clk,
      .rst,
      .in (event_7 ? average_7 : kept_7),
      .out(average_3)
  );

  // ---- 7 to 10: scaled, rounded, shown

  localparam int SCALED_PRODUCT_BITS = SCALED_BITS + $bits(scale_t);

  typedef logic [SCALED_PRODUCT_BITS-1:0] scaled_t;
  typedef logic [SCALED_PRODUCT_BITS-POINT_BITS:0] rounding_t;  // down to the bit that rounds
  typedef logic [SCALED_PRODUCT_BITS-POINT_BITS-1:0] shown_t;

  logic [SCALED_BITS-1:0] average_8_reg;
  scale_t                 scale_8;
  scaled_t                product_9_reg;
  scaled_t                product_10_reg;
  shown_t                 shown;
  logic [PORTS-1:0][7:0]  shown_reg;

  pipeline_delay #(
      .BITS  ($bits(scale_t)),
      .CYCLES(8)
  ) scale_inst (
      .clk,
      .rst,
      .in (scale),
      .out(scale_8)
  );

  assign shown = shown_t'((rounding_t'(product_10_reg >> (POINT_BITS - 1)) + 1'b1) >> 1);

  always_ff @(posedge clk) begin
    average_8_reg  <= average_7[AVERAGE_BITS-1-:SCALED_BITS];
    product_9_reg  <= average_8_reg * scale_8;
    product_10_reg <= product_9_reg;
    for (int i = 0; i < PORTS; i++) begin
      if (turn_reg == turn_t'(i + SHOWN_CYCLES) && live_reg[SHOWN_CYCLES-1]) begin
        shown_reg[i] <= shown > shown_t'(MOST) ? MOST : shown[7:0];
      end
    end
    if (rst) begin
      shown_reg <= '0;
    end
  end

  if (LATENCY_CYCLES > 1) begin : gen_wait
    pipeline_delay #(
        .BITS  (PORTS * 8),
        .CYCLES(LATENCY_CYCLES - 1)
    ) delay_inst (
        .clk,
        .rst,
        .in (shown_reg),
        .out(utilisations_result)
    );
  end else begin : gen_result
    assign utilisations_result = (PORTS * 8)'(shown_reg);
  end

  // What is shown passes no request.
  logic unused;
  assign unused = input_valid;
endmodule

`resetall
