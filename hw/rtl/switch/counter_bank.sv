// SPDX-License-Identifier: Apache-2.0
`resetall
`default_nettype none

// Counters of 64 bits in one memory, all of which may grow in the same cycle without losing anything.
//
// What is to be added is gathered in a small sum for each counter. Round and round, a counter a cycle, the sum goes into
// the memory. Counters 0 to N_AMOUNTS-1 grow by amount, the N_PULSES behind them by one for each cycle of their pulse.
// The window has two words a counter, low word first. Reading the low word keeps the high one of the same moment, which
// the next read of this counter's high word shows. Thus low, then high is one value; two readers have to agree.
// Flow control: a request is a pulse, and the next may come in the cycle after window_done. Each one is answered, an
//   address behind the counters with zero. Writing changes nothing.
// Latency: a request is answered within a round, of as many cycles as there are counters but at least eight, and seven
//   cycles more; the answer counts all that came up to the request, and perhaps some of what came after.
// Limits: clear makes all counters zero at one instant: what comes in its cycle and later counts, and nothing before.
//   So does a reset.
module counter_bank #(
    parameter int N_AMOUNTS   = 10,  // counters that grow by an amount, 1 or more
    parameter int AMOUNT_BITS = 16,  // of an amount, 1 to 32
    parameter int N_PULSES    = 54   // counters that grow by one, 1 or more
) (
    input wire logic clk,
    input wire logic rst,

    input wire logic [N_AMOUNTS-1:0][AMOUNT_BITS-1:0] amount,
    input wire logic [N_PULSES-1:0]                   pulse,
    input wire logic                                  clear,

    input  wire logic                                         window_request,
    input  wire logic                                         window_write,
    input  wire logic [$clog2(2*(N_AMOUNTS+N_PULSES))-1:0]    window_address,  // of a word of 32 bits
    output logic                                              window_done,     // pulse: the request has been answered
    output logic [31:0]                                       window_data
);
  if (N_AMOUNTS < 1) begin : gen_check_n_amounts
    $fatal(1, "N_AMOUNTS must be 1 or more (instance %m)");
  end
  if (AMOUNT_BITS < 1 || AMOUNT_BITS > 32) begin : gen_check_amount_bits
    $fatal(1, "AMOUNT_BITS must be 1 to 32 (instance %m)");
  end
  if (N_PULSES < 1) begin : gen_check_n_pulses
    $fatal(1, "N_PULSES must be 1 or more (instance %m)");
  end

  localparam int N_COUNTERS  = N_AMOUNTS + N_PULSES;
  localparam int MIN_SLOTS   = 8;  // a round is longer than the way through the memory and back
  localparam int SLOTS       = N_COUNTERS > MIN_SLOTS ? N_COUNTERS : MIN_SLOTS;
  localparam int SLOT_BITS   = $clog2(SLOTS);
  localparam int DEPTH_WORDS = 2 ** SLOT_BITS;
  localparam int READ_CYCLES = table_pkg::memory_cycles(DEPTH_WORDS);
  localparam int SUM_BITS    = AMOUNT_BITS + SLOT_BITS;    // of the amounts of a round
  localparam int COUNT_BITS  = $clog2(SLOTS + 1);          // of the pulses of a round
  localparam int LOW_BITS    = SUM_BITS < 32 ? SUM_BITS : 32;  // of them that go into the low half
  localparam int INDEX_BITS  = $clog2(N_COUNTERS);

  typedef logic [SLOT_BITS-1:0] slot_t;
  typedef logic [SUM_BITS-1:0] sum_t;

  // ---- gathering

  slot_t                                 slot_reg;  // the counter whose sum goes into the memory
  logic [$clog2(SLOTS+1)-1:0]            old_reg;   // how many counters of the memory, from that one on, are old ones
  sum_t [SLOTS-1:0]                      gathered;

  logic restart;

  assign restart = rst || clear;

  always_ff @(posedge clk) begin
    slot_reg <= int'(slot_reg) == SLOTS - 1 ? '0 : slot_reg + 1'b1;
    if (clear) begin
      old_reg <= ($bits(old_reg))'(SLOTS);
    end else if (old_reg != 0) begin
      old_reg <= old_reg - 1'b1;
    end
    if (rst) begin
      slot_reg <= '0;
      old_reg  <= ($bits(old_reg))'(SLOTS);
    end
  end

  for (genvar i = 0; i < SLOTS; i++) begin : gen_counter
    if (i < N_AMOUNTS) begin : gen_amount
      sum_t sum_reg;

      always_ff @(posedge clk) begin
        sum_reg <= (restart || slot_reg == slot_t'(i) ? '0 : sum_reg) + (rst ? '0 : sum_t'(amount[i]));
      end
      assign gathered[i] = sum_reg;
    end else if (i < N_COUNTERS) begin : gen_pulse
      logic [COUNT_BITS-1:0] count_reg;

      always_ff @(posedge clk) begin
        count_reg <= (restart || slot_reg == slot_t'(i) ? '0 : count_reg) + COUNT_BITS'(pulse[i-N_AMOUNTS] && !rst);
      end
      assign gathered[i] = sum_t'(count_reg);
    end else begin : gen_none
      assign gathered[i] = '0;
    end
  end

  // ---- into the memory

  typedef struct packed {
    slot_t slot;
    sum_t  sum;
    logic  old;     // what the memory holds does not count
    logic  wanted;  // the window waits for it
  } step_t;

  step_t [READ_CYCLES-1:0] step_reg;
  step_t                   ready;
  slot_t                   added_slot_reg;
  logic                    added_wanted_reg;
  logic [32:0]             added_low_reg;   // with the carry into the high half
  logic [31:0]             added_high_reg;  // without it
  slot_t                   written_slot_reg;
  logic                    written_wanted_reg;
  logic [63:0]             stored;
  logic [63:0]             total_reg;
  logic                    wanted;

  assign ready = step_reg[READ_CYCLES-1];

  // verilator lint_off PINCONNECTEMPTY
  table_memory #(
      .DEPTH_WORDS(DEPTH_WORDS),
      .WORD_BITS  (64)
  ) memory_inst (
      .clk         (clk),
      .a_address   (slot_reg),
      .a_word      (stored),
      .b_address   (written_slot_reg),
      .b_write     (1'b1),
      .b_write_word(total_reg),
      .b_word      ()
  );
  // verilator lint_on PINCONNECTEMPTY

  always_ff @(posedge clk) begin
    step_reg[0] <= '{slot: slot_reg, sum: gathered[slot_reg], old: old_reg != 0, wanted: wanted};
    for (int i = 1; i < READ_CYCLES; i++) begin
      step_reg[i] <= step_reg[i-1];
    end
    added_slot_reg     <= ready.slot;
    added_wanted_reg   <= ready.wanted;
    added_low_reg      <= 33'(ready.old ? '0 : stored[31:0]) + 33'(ready.sum[LOW_BITS-1:0]);
    added_high_reg     <= (ready.old ? '0 : stored[63:32]) + 32'(64'(ready.sum) >> 32);
    written_slot_reg   <= added_slot_reg;
    written_wanted_reg <= added_wanted_reg;
    total_reg          <= {added_high_reg + 32'(added_low_reg[32]), added_low_reg[31:0]};
    if (rst) begin
      for (int i = 0; i < READ_CYCLES; i++) begin
        step_reg[i].wanted <= 1'b0;
      end
      added_wanted_reg   <= 1'b0;
      written_wanted_reg <= 1'b0;
    end
  end

  // ---- the window

  logic                  asking_reg;   // the counter asked for has still to come round
  logic [INDEX_BITS-1:0] asked_reg;
  logic                  asked_high_reg;
  logic                  kept_reg;     // high_reg is of the counter asked for last
  logic [31:0]           high_reg;
  logic [INDEX_BITS-1:0] index;
  logic                  high;
  logic                  at_once;

  assign index   = window_address[INDEX_BITS:1];
  assign high    = window_address[0];
  assign at_once = window_write || int'(index) >= N_COUNTERS || (high && kept_reg && index == asked_reg);
  assign wanted  = asking_reg && slot_reg == slot_t'(asked_reg);

  always_ff @(posedge clk) begin
    window_done <= 1'b0;
    if (window_request) begin
      window_done <= at_once;
      window_data <= window_write || int'(index) >= N_COUNTERS ? '0 : high_reg;
      if (!at_once) begin
        asking_reg     <= 1'b1;
        asked_reg      <= index;
        asked_high_reg <= high;
        kept_reg       <= 1'b0;
      end
    end
    if (wanted) begin
      asking_reg <= 1'b0;
    end
    if (written_wanted_reg) begin
      window_done <= 1'b1;
      window_data <= asked_high_reg ? total_reg[63:32] : total_reg[31:0];
      high_reg    <= total_reg[63:32];
      kept_reg    <= 1'b1;
    end
    if (rst) begin
      window_done <= 1'b0;
      asking_reg  <= 1'b0;
      kept_reg    <= 1'b0;
    end
  end
endmodule

`resetall
