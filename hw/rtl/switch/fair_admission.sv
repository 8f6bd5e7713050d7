// SPDX-License-Identifier: Apache-2.0
`resetall
`default_nettype none

// Which packets a filling queue takes, so that sources that overload it get the same share of it, whatever their
// packets and the order in which they come.
//
// Below FREE_WORDS every packet is taken. Above, a source needs to be out of debt, and is charged the words of what is
// taken. What leaves the queue pays: each word that leaves is credit for one source, in turn, up to CREDIT_WORDS.
// Dropping at the tail alone would let the source win whose packets happen to come first after one has left.
// Flow control: none; the answer is about the packet that begins in this cycle.
// Latency: the level counts one cycle later, a word that leaves two, a charge one.
// Limits: a source that stays below its share of what leaves, in bursts of up to CREDIT_WORDS, loses nothing here. What
//   two sources get that never stop asking differs by at most what one of them is in debt and CREDIT_WORDS, for any time.
//   Above FREE_WORDS the sources together can add CREDIT_WORDS and a packet each: the queue should have that room.
module fair_admission
  import switch_pkg::*;
#(
    parameter int N_SOURCES    = 6,     // 1 to 64
    parameter int DEPTH_WORDS  = 2048,  // of the queue, 2 or more
    parameter int FREE_WORDS   = 1344,  // up to DEPTH_WORDS
    parameter int CREDIT_WORDS = 64     // 1 to DEPTH_WORDS
) (
    input wire logic clk,
    input wire logic rst,

    input  wire logic [index_bits(N_SOURCES)-1:0] source,  // of the packet that begins
    output logic                                  admit,
    output logic                                  charge,  // if it is taken, its words are to be charged

    input wire logic                               charged,         // pulse: such a packet was taken
    input wire logic [index_bits(N_SOURCES)-1:0]   charged_source,
    input wire logic [$clog2(DEPTH_WORDS+1)-1:0]   charged_words,
    input wire logic                               left,            // a word leaves the queue
    input wire logic [$clog2(DEPTH_WORDS+1)-1:0]   level            // words in the queue
);
  if (N_SOURCES < 1 || N_SOURCES > 64) begin : gen_check_n_sources
    $fatal(1, "N_SOURCES must be 1 to 64 (instance %m)");
  end
  if (DEPTH_WORDS < 2) begin : gen_check_depth_words
    $fatal(1, "DEPTH_WORDS must be 2 or more (instance %m)");
  end
  if (FREE_WORDS < 0 || FREE_WORDS > DEPTH_WORDS) begin : gen_check_free_words
    $fatal(1, "FREE_WORDS must be 0 to DEPTH_WORDS (instance %m)");
  end
  if (CREDIT_WORDS < 1 || CREDIT_WORDS > DEPTH_WORDS) begin : gen_check_credit_words
    $fatal(1, "CREDIT_WORDS must be 1 to DEPTH_WORDS (instance %m)");
  end

  localparam int CREDIT_BITS = $clog2(DEPTH_WORDS + 1) + 2;

  typedef logic [index_bits(N_SOURCES)-1:0] source_t;
  typedef logic signed [CREDIT_BITS-1:0] credit_t;

  credit_t [N_SOURCES-1:0] credit_reg;
  logic    [N_SOURCES-1:0] in_debt;
  logic    [N_SOURCES-1:0] wants_reg;  // has room for credit
  logic    [N_SOURCES-1:0] pay_reg;
  source_t                 turn_reg;   // who was paid last
  source_t                 next;
  logic                    above;
  logic                    filling_reg;

  assign charge = filling_reg;
  assign admit  = !filling_reg || !in_debt[source];

  // The nearest source above the one that was paid last, else the lowest.
  always_comb begin
    next  = turn_reg;
    above = 1'b0;
    for (int i = N_SOURCES - 1; i >= 0; i--) begin
      if (wants_reg[i] && (source_t'(i) > turn_reg || !above)) begin
        next  = source_t'(i);
        above = source_t'(i) > turn_reg;
      end
    end
  end

  for (genvar i = 0; i < N_SOURCES; i++) begin : gen_source
    credit_t pay;
    credit_t cost;

    assign in_debt[i] = credit_reg[i][CREDIT_BITS-1];
    assign pay        = credit_t'({1'b0, pay_reg[i]});
    assign cost       = charged && charged_source == source_t'(i) ? credit_t'({2'b0, charged_words}) : credit_t'(0);

    always_ff @(posedge clk) begin
      credit_reg[i] <= credit_reg[i] + pay - cost;
      // Two payments may be on their way.
      wants_reg[i]  <= credit_reg[i] + pay < credit_t'(CREDIT_WORDS - 1);
      pay_reg[i]    <= left && wants_reg[i] && next == source_t'(i);
      if (rst) begin
        credit_reg[i] <= '0;
        wants_reg[i]  <= 1'b0;
        pay_reg[i]    <= 1'b0;
      end
    end
  end

  always_ff @(posedge clk) begin
    filling_reg <= int'(level) >= FREE_WORDS;
    if (left) begin
      turn_reg <= next;
    end
    if (rst) begin
      filling_reg <= 1'b0;
      turn_reg    <= '0;
    end
  end
endmodule

`resetall
