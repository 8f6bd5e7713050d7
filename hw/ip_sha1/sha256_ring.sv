// SPDX-License-Identifier: Apache-2.0
`resetall
`default_nettype none

// SHA-256 of 8-byte keys, but for the last addition: the words that the token and the IDSN are made of.
//
// Flow control: none. A key is taken in every cycle in which `phase` is 0; `phase` counts the cycles from 0 to
// CYCLES_PER_KEY - 1 again and again.
// Latency: sha256_latency(CYCLES_PER_KEY) + DELAY_CYCLES; `words` holds the result of a key for that one cycle.
// Limits: `rst` clears nothing but what keeps delay lines fast. The first keys after a reset are right.
//
// Unit u does round t = u + units * pass, in two cycles. Words a run one round behind words e, because a of a round is
// its e less an old a, plus what depends on a alone: so either loop has two additions, one for each cycle.
// What enters a unit are words of earlier rounds, so chosen that before round 0 all of them are constants:
//   e1, e2       word e of the rounds t-1, t-2 (of which f, g, h are copies)
//   a2, a3, a4   word a of the rounds t-2, t-3, t-4 (of which b, c, d are copies)
//   e_part       e of round t, still without Sigma1(e of t-1)
//   a_part       a of round t-1, still without Maj and Sigma0
//   old_sum      e + a of round t-3, which are h and d of round t
module sha256_ring
  import token_ring_pkg::*;
  import sha256_pkg::*;
#(
    parameter int CYCLES_PER_KEY = 4,  // 1 to MAX_PASSES
    parameter int DELAY_CYCLES   = 0   // cycles that a key waits before it enters the ring, 0 or more
) (
    input wire logic clk,
    input wire logic rst,

    input  wire pass_t       phase,
    input  wire logic [63:0] key,
    output logic      [95:0] words   // words 0, 6 and 7 of the digest, without the initial value
);
  if (CYCLES_PER_KEY < 1 || CYCLES_PER_KEY > MAX_PASSES) begin : gen_check_cycles_per_key
    $fatal(1, "CYCLES_PER_KEY must be from 1 to 80 (instance %m)");
  end
  if (DELAY_CYCLES < 0) begin : gen_check_delay_cycles
    $fatal(1, "DELAY_CYCLES must be 0 or more (instance %m)");
  end

  // A value that is refused must not stop the elaboration before the check can say so.
  localparam int PASSES = (CYCLES_PER_KEY < 1 || CYCLES_PER_KEY > MAX_PASSES) ? 1 : CYCLES_PER_KEY;
  localparam int UNITS = sha256_units(PASSES);
  localparam int WRAP = wrap_cycles(UNITS, SHA256_STAGES, PASSES);
  localparam int IN_RING = UNITS * PASSES;  // rounds
  localparam int TAIL = IN_RING > SHA256_TOKEN_ROUND ? 0 : SHA256_TOKEN_ROUND + 1 - IN_RING;

  // Cycles from a key's arrival, phase 0, to the one in which ...
  localparam int WORD_TIME = 1 + DELAY_CYCLES;  // ... its first word is taken by unit 0,
  localparam int STATE_TIME = WORD_TIME + 3;  // ... the state before round 0 stands at unit 0.

  typedef struct packed {
    word_t e1;
    word_t e2;
    word_t a2;
    word_t a3;
    word_t a4;
    word_t e_part;
    word_t a_part;
    word_t old_sum;
  } state_t;

  typedef struct packed {  // in the middle of round t
    word_t e0;
    word_t e1;
    word_t e2;
    word_t a2;
    word_t a3;
    word_t a4;
    word_t a_part;  // a of round t-1, still without Sigma0
    word_t e_part;  // e of round t+1, still without Ch and Sigma1
  } middle_t;

  // Before round 0. The standard's initial a to d and e to h are words a and e of the rounds 0 to -3.
  function automatic state_t initial_state();
    state_t s;
    s.e1 = SHA256_INITIAL[5];
    s.e2 = SHA256_INITIAL[6];
    s.a2 = SHA256_INITIAL[2];
    s.a3 = SHA256_INITIAL[3];
    // a of round 0 is its e less a of round -4, plus Maj and Sigma0: solved for the latter.
    s.a4 = SHA256_INITIAL[4] - SHA256_INITIAL[0] + large_sigma0(SHA256_INITIAL[1])
        + majority(SHA256_INITIAL[1], SHA256_INITIAL[2], SHA256_INITIAL[3]);
    s.e_part = SHA256_INITIAL[4] - large_sigma1(SHA256_INITIAL[5]);
    s.a_part = SHA256_INITIAL[1] - large_sigma0(s.a2) - majority(s.a2, s.a3, s.a4);
    s.old_sum = SHA256_INITIAL[7] + SHA256_INITIAL[3];
    return s;
  endfunction
  localparam state_t INITIAL = initial_state();
  localparam int INITIAL_WORDS = 4;  // of a; so many rounds on, nothing is constant any more

  // The two halves of a round. Each line with a sum is one adder, its function of other words in the adder's LUTs.
  function automatic middle_t half_after(input state_t s, input word_t scheduled);
    middle_t m;
    m.e0     = s.e_part + large_sigma1(s.e1);
    m.e1     = s.e1;
    m.e2     = s.e2;
    m.a2     = s.a2;
    m.a3     = s.a3;
    m.a4     = s.a4;
    m.a_part = s.a_part + majority(s.a2, s.a3, s.a4);
    m.e_part = s.old_sum + scheduled;
    return m;
  endfunction

  function automatic state_t after(input middle_t m);
    state_t n;
    n.e1      = m.e0;
    n.e2      = m.e1;
    n.a2      = m.a_part + large_sigma0(m.a2);
    n.a3      = m.a2;
    n.a4      = m.a3;
    n.e_part  = m.e_part + choose(m.e0, m.e1, m.e2);
    n.a_part  = m.e0 - m.a4;
    n.old_sum = m.e2 + m.a2;
    return n;
  endfunction

  // ---- the key waits for its turn ----

  word_t key_high;
  word_t key_low;
  delay_line #(
      .BITS  (32),
      .CYCLES(divide_up(WORD_TIME, PASSES))
  ) key_high_inst (
      .clk,
      .rst,
      .enable(phase == 0),
      .in    (key[63:32]),
      .out   (key_high)
  );
  delay_line #(
      .BITS  (32),
      .CYCLES(divide_up(WORD_TIME + round_time(KEY_LOW_WORD, UNITS, SHA256_STAGES, PASSES), PASSES))
  ) key_low_inst (
      .clk,
      .rst,
      .enable(phase == 0),
      .in    (key[31:0]),
      .out   (key_low)
  );

  // ---- the passes: which of them a unit serves in a cycle ----

  pass_t  pass [0:2*UNITS];  // [2u]: when unit u looks up its word; [2u+1]: one cycle later
  state_t state[0:UNITS-1];  // before a unit
  state_t next [0:UNITS-1];  // behind it, not yet in a register

  if (PASSES == 1) begin : gen_line
    for (genvar i = 0; i <= 2 * UNITS; i++) begin : gen_pass
      assign pass[i] = '0;
    end
    assign state[0] = INITIAL;
  end else begin : gen_ring
    localparam pass_t [MAX_PASSES-1:0] BEGUN = passes_begun(WORD_TIME - 1, UNITS, SHA256_STAGES, PASSES);
    pass_t pass_reg[0:2*UNITS];
    for (genvar i = 0; i <= 2 * UNITS; i++) begin : gen_pass
      assign pass[i] = pass_reg[i];
    end

    state_t wrapped;
    delay_line #(
        .BITS  ($bits(state_t)),
        .CYCLES(WRAP)
    ) wrap_inst (
        .clk,
        .rst,
        .enable(1'b1),
        .in    (next[UNITS-1]),
        .out   (wrapped)
    );

    logic   first_reg;
    state_t state_reg;
    assign state[0] = state_reg;
    always_ff @(posedge clk) begin
      pass_reg[0] <= BEGUN[phase];
      for (int i = 1; i <= 2 * UNITS; i++) pass_reg[i] <= pass_reg[i-1];
      first_reg <= pass[1] == 0;
      state_reg <= first_reg ? INITIAL : wrapped;
    end
  end

  // ---- the units ----

  word_t scheduled[0:UNITS-1];  // a unit's word of the message schedule
  word_t late_2   [0:UNITS-1];  // the same, so late that the unit 2 rounds on can add it in its turn
  word_t late_7   [0:UNITS-1];
  word_t late_15  [0:UNITS-1];
  word_t late_16  [0:UNITS-1];

  for (genvar u = 0; u < UNITS; u++) begin : gen_unit
    localparam flags_t MESSAGE = message_passes(u, UNITS);
    localparam word_t [MAX_PASSES-1:0] PADDING = padding_words(u, UNITS);
    localparam word_t [MAX_PASSES-1:0] CONSTANT = sha256_constants(u, UNITS);

    word_t scheduled_2, scheduled_7, scheduled_15, scheduled_16;
    if (PASSES == 1 && u < MESSAGE_WORDS) begin : gen_first_words
      assign {scheduled_2, scheduled_7, scheduled_15, scheduled_16} = '0;
    end else begin : gen_later_words
      assign scheduled_2  = late_2[(u+16*UNITS-2)%UNITS];
      assign scheduled_7  = late_7[(u+16*UNITS-7)%UNITS];
      assign scheduled_15 = late_15[(u+16*UNITS-15)%UNITS];
      assign scheduled_16 = late_16[(u+16*UNITS-16)%UNITS];
    end

    // The word of the schedule is a sum of four, one addition a cycle, or a word of the message in place of the last
    // one, to nothing.
    logic  message_reg;
    word_t message_word_reg;
    word_t sum_of_2_reg;
    word_t sum_of_3_reg;
    word_t scheduled_reg;
    word_t constant_reg;
    word_t with_constant_reg;
    assign scheduled[u] = scheduled_reg;
    always_ff @(posedge clk) begin
      message_reg      <= MESSAGE[pass[2*u]];
      message_word_reg <= PADDING[pass[2*u]];
      if (u == KEY_HIGH_WORD % UNITS && pass[2*u] == pass_t'(KEY_HIGH_WORD / UNITS)) message_word_reg <= key_high;
      if (u == KEY_LOW_WORD % UNITS && pass[2*u] == pass_t'(KEY_LOW_WORD / UNITS)) message_word_reg <= key_low;

      sum_of_2_reg  <= scheduled_16 + small_sigma0(scheduled_15);
      sum_of_3_reg  <= MESSAGE[pass[2*u]] ? '0 : sum_of_2_reg + scheduled_7;
      scheduled_reg <= sum_of_3_reg + (message_reg ? message_word_reg : small_sigma1(scheduled_2));

      constant_reg      <= CONSTANT[pass[2*u+1]];
      with_constant_reg <= scheduled_reg + constant_reg;

      // Where constants leave nothing to add, this keeps the word out of a shift-register LUT: see delay_line.
      if (rst) scheduled_reg <= '0;
    end

    // From a word to the one some rounds on, in cycles, which is longer where the ring closes between them.
    localparam int TO_2 = 2 * SHA256_STAGES + WRAP * ((u + 2) / UNITS);
    localparam int TO_7 = 7 * SHA256_STAGES + WRAP * ((u + 7) / UNITS);
    localparam int TO_15 = 15 * SHA256_STAGES + WRAP * ((u + 15) / UNITS);
    localparam int TO_16 = 16 * SHA256_STAGES + WRAP * ((u + 16) / UNITS);
    delay_line #(.BITS(32), .CYCLES(TO_2 - 1)) late_2_inst (
        .clk, .rst, .enable(1'b1), .in(scheduled[u]), .out(late_2[u])
    );
    delay_line #(.BITS(32), .CYCLES(TO_7 - TO_2 - 1)) late_7_inst (
        .clk, .rst, .enable(1'b1), .in(late_2[u]), .out(late_7[u])
    );
    delay_line #(.BITS(32), .CYCLES(TO_15 - TO_7 - 1)) late_15_inst (
        .clk, .rst, .enable(1'b1), .in(late_7[u]), .out(late_15[u])
    );
    delay_line #(.BITS(32), .CYCLES(TO_16 - TO_15)) late_16_inst (
        .clk, .rst, .enable(1'b1), .in(late_15[u]), .out(late_16[u])
    );

    middle_t middle_reg;
    always_ff @(posedge clk) middle_reg <= half_after(state[u], with_constant_reg);
    assign next[u] = after(middle_reg);
    if (u > 0) begin : gen_from_unit_before
      state_t state_reg;
      assign state[u] = state_reg;
      always_ff @(posedge clk) begin
        state_reg <= next[u-1];
        // Next to constants a sum may be a copy: this keeps copies out of shift-register LUTs, see delay_line.
        if (rst && u <= INITIAL_WORDS) state_reg <= '0;
      end
    end
  end

  // ---- the result leaves ----

  // A tail of rounds behind the ring, for those that found no place in it. It needs no message.
  word_t last_a;
  if (TAIL == 0) begin : gen_no_tail
    assign last_a = next[SHA256_TOKEN_ROUND%UNITS].a2;
  end else begin : gen_tail
    state_t  tail_reg       [0:TAIL-1];
    middle_t tail_middle_reg[0:TAIL-1];
    state_t  tail_next      [0:TAIL-1];
    assign last_a = tail_next[TAIL-1].a2;
    always_comb for (int i = 0; i < TAIL; i++) tail_next[i] = after(tail_middle_reg[i]);
    always_ff @(posedge clk) begin
      tail_reg[0] <= next[UNITS-1];
      for (int i = 1; i < TAIL; i++) tail_reg[i] <= tail_next[i-1];
      for (int i = 0; i < TAIL; i++) tail_middle_reg[i] <= half_after(tail_reg[i], '0);
    end
  end
  word_t token_word_reg;
  always_ff @(posedge clk) token_word_reg <= last_a;

  // The IDSN is there some rounds before the token.
  localparam int IDSN_TIME = STATE_TIME + 1 + round_time(SHA256_IDSN_ROUND, UNITS, SHA256_STAGES, PASSES);
  localparam int AHEAD = STATE_TIME + 2 + round_time(SHA256_TOKEN_ROUND, UNITS, SHA256_STAGES, PASSES) - IDSN_TIME;
  localparam pass_t IDSN_PHASE = pass_t'(IDSN_TIME % PASSES);
  logic [63:0] idsn_words;
  delay_line #(
      .BITS  (64),
      .CYCLES(divide_up(AHEAD, PASSES))
  ) idsn_inst (
      .clk,
      .rst,
      .enable(phase == IDSN_PHASE),
      .in    ({next[SHA256_IDSN_ROUND%UNITS].e1, next[SHA256_IDSN_ROUND%UNITS].e2}),
      .out   (idsn_words)
  );
  assign words = {token_word_reg, idsn_words};
endmodule

`resetall
