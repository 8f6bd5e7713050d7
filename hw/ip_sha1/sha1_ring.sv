// SPDX-License-Identifier: Apache-2.0
`resetall
`default_nettype none

// SHA-1 of 8-byte keys, but for the last addition: the words that the token and the IDSN are made of.
//
// Flow control: none. A key is taken in every cycle in which `phase` is 0; `phase` counts the cycles from 0 to
// CYCLES_PER_KEY - 1 again and again.
// Latency: sha1_latency(CYCLES_PER_KEY) + DELAY_CYCLES; `words` holds the result of a key for that one cycle.
// Limits: `rst` clears nothing but what keeps delay lines fast. The first keys after a reset are right.
//
// Unit u does round t = u + units * pass. What enters it are words of earlier rounds, so chosen that before round 0
// all of them are constants:
//   a2, a3, a4   word a of the rounds t-2, t-3, t-4 (of which b, c, d, e are copies, rotated)
//   sum          a of round t-1, still without rotl5(a of t-2)
//   part         a of round t, still without the mix of round t-1 and rotl5(a of t-1)
module sha1_ring
  import token_ring_pkg::*;
  import sha1_pkg::*;
#(
    parameter int CYCLES_PER_KEY = 4,  // 1 to MAX_PASSES
    parameter int DELAY_CYCLES   = 0   // cycles that a key waits before it enters the ring, 0 or more
) (
    input wire logic clk,
    input wire logic rst,

    input  wire pass_t       phase,
    input  wire logic [63:0] key,
    output logic      [95:0] words   // words 0, 3 and 4 of the digest, without the initial value
);
  if (CYCLES_PER_KEY < 1 || CYCLES_PER_KEY > MAX_PASSES) begin : gen_check_cycles_per_key
    $fatal(1, "CYCLES_PER_KEY must be from 1 to 80 (instance %m)");
  end
  if (DELAY_CYCLES < 0) begin : gen_check_delay_cycles
    $fatal(1, "DELAY_CYCLES must be 0 or more (instance %m)");
  end

  // A value that is refused must not stop the elaboration before the check can say so.
  localparam int PASSES = (CYCLES_PER_KEY < 1 || CYCLES_PER_KEY > MAX_PASSES) ? 1 : CYCLES_PER_KEY;
  localparam int UNITS = sha1_units(PASSES);
  localparam int WRAP = wrap_cycles(UNITS, SHA1_STAGES, PASSES);
  localparam int IN_RING = UNITS * PASSES;  // rounds
  localparam int TAIL = IN_RING > SHA1_TOKEN_ROUND ? 0 : SHA1_TOKEN_ROUND + 1 - IN_RING;

  // Cycles from a key's arrival, phase 0, to the one in which ...
  localparam int WORD_TIME = 1 + DELAY_CYCLES;  // ... its first word is taken by unit 0,
  localparam int STATE_TIME = WORD_TIME + 3;  // ... the state before round 0 stands at unit 0.

  typedef struct packed {
    word_t a2;
    word_t a3;
    word_t a4;
    word_t sum;
    word_t part;
  } state_t;

  // Before round 0; b, c, d, e of the standard's initial value are a of rounds -1 to -4.
  function automatic state_t initial_state();
    state_t s;
    s.a2 = rotate_right(SHA1_INITIAL[2], 30);
    s.a3 = rotate_right(SHA1_INITIAL[3], 30);
    s.a4 = rotate_right(SHA1_INITIAL[4], 30);
    s.sum = SHA1_INITIAL[1] - rotate_left(s.a2, 5);
    s.part = SHA1_INITIAL[0] - rotate_left(SHA1_INITIAL[1], 5)
        - sha1_mix(2'd0, s.a2, SHA1_INITIAL[3], SHA1_INITIAL[4]);
    return s;
  endfunction
  localparam state_t INITIAL = initial_state();
  localparam int INITIAL_WORDS = 4;  // of a; so many rounds on, nothing is constant any more

  // One round. Each line with a sum is one adder, its function of other words in the adder's LUTs.
  function automatic state_t after(input state_t s, input quarter_t quarter, input word_t scheduled);
    state_t n;
    n.a2   = s.sum + rotate_left(s.a2, 5);
    n.a3   = s.a2;
    n.a4   = s.a3;
    n.sum  = s.part + sha1_mix(quarter, s.a2, rotate_left(s.a3, 30), rotate_left(s.a4, 30));
    n.part = scheduled + rotate_left(s.a4, 30);
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
      .CYCLES(divide_up(WORD_TIME + round_time(KEY_LOW_WORD, UNITS, SHA1_STAGES, PASSES), PASSES))
  ) key_low_inst (
      .clk,
      .rst,
      .enable(phase == 0),
      .in    (key[31:0]),
      .out   (key_low)
  );

  // ---- the passes: which of them a unit serves in a cycle ----

  pass_t  pass [0:UNITS+1];  // [u]: when unit u looks up its word; [u+1], [u+2]: one and two cycles later
  state_t state[0:UNITS-1];  // before a unit
  state_t next [0:UNITS-1];  // behind it, not yet in a register

  if (PASSES == 1) begin : gen_line
    for (genvar u = 0; u < UNITS + 2; u++) begin : gen_pass
      assign pass[u] = '0;
    end
    assign state[0] = INITIAL;
  end else begin : gen_ring
    localparam pass_t [MAX_PASSES-1:0] BEGUN = passes_begun(WORD_TIME - 1, UNITS, SHA1_STAGES, PASSES);
    pass_t pass_reg[0:UNITS+1];
    for (genvar u = 0; u < UNITS + 2; u++) begin : gen_pass
      assign pass[u] = pass_reg[u];
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
      for (int u = 1; u < UNITS + 2; u++) pass_reg[u] <= pass_reg[u-1];
      first_reg <= pass[1] == 0;
      state_reg <= first_reg ? INITIAL : wrapped;
    end
  end

  // ---- the units ----

  word_t scheduled [0:UNITS-1];  // a unit's word of the message schedule
  word_t late_3    [0:UNITS-1];  // the same, so late that the unit 3 rounds on takes it with the next edge
  word_t late_8    [0:UNITS-1];
  word_t late_14   [0:UNITS-1];
  word_t late_16   [0:UNITS-1];

  for (genvar u = 0; u < UNITS; u++) begin : gen_unit
    localparam flags_t MESSAGE = message_passes(u, UNITS);
    localparam word_t [MAX_PASSES-1:0] PADDING = padding_words(u, UNITS);
    localparam quarter_t [MAX_PASSES-1:0] QUARTER = sha1_quarters(u, UNITS);
    localparam quarter_t [MAX_PASSES-1:0] QUARTER_BEFORE = sha1_quarters(u - 1, UNITS);

    word_t scheduled_3, scheduled_8, scheduled_14, scheduled_16;
    if (PASSES == 1 && u < MESSAGE_WORDS) begin : gen_first_words
      assign {scheduled_3, scheduled_8, scheduled_14, scheduled_16} = '0;
    end else begin : gen_later_words
      assign scheduled_3  = late_3[(u+16*UNITS-3)%UNITS];
      assign scheduled_8  = late_8[(u+16*UNITS-8)%UNITS];
      assign scheduled_14 = late_14[(u+16*UNITS-14)%UNITS];
      assign scheduled_16 = late_16[(u+16*UNITS-16)%UNITS];
    end

    logic     message_reg;
    word_t    message_word_reg;
    word_t    scheduled_reg;
    word_t    with_constant_reg;
    quarter_t quarter_reg;
    quarter_t quarter_before_reg;
    assign scheduled[u] = scheduled_reg;
    always_ff @(posedge clk) begin
      message_reg      <= MESSAGE[pass[u]];
      message_word_reg <= PADDING[pass[u]];
      if (u == KEY_HIGH_WORD % UNITS && pass[u] == pass_t'(KEY_HIGH_WORD / UNITS)) message_word_reg <= key_high;
      if (u == KEY_LOW_WORD % UNITS && pass[u] == pass_t'(KEY_LOW_WORD / UNITS)) message_word_reg <= key_low;

      scheduled_reg <= message_reg ? message_word_reg
          : rotate_left(scheduled_3 ^ scheduled_8 ^ scheduled_14 ^ scheduled_16, 1);

      quarter_reg        <= QUARTER[pass[u+1]];
      quarter_before_reg <= QUARTER_BEFORE[pass[u+2]];
      with_constant_reg  <= scheduled_reg + sha1_constant(quarter_reg);
    end

    // From a word to the one some rounds on, in cycles, which is longer where the ring closes between them.
    localparam int TO_3 = 3 + WRAP * ((u + 3) / UNITS);
    localparam int TO_8 = 8 + WRAP * ((u + 8) / UNITS);
    localparam int TO_14 = 14 + WRAP * ((u + 14) / UNITS);
    localparam int TO_16 = 16 + WRAP * ((u + 16) / UNITS);
    delay_line #(.BITS(32), .CYCLES(TO_3 - 1)) late_3_inst (
        .clk, .rst, .enable(1'b1), .in(scheduled[u]), .out(late_3[u])
    );
    delay_line #(.BITS(32), .CYCLES(TO_8 - TO_3)) late_8_inst (
        .clk, .rst, .enable(1'b1), .in(late_3[u]), .out(late_8[u])
    );
    delay_line #(.BITS(32), .CYCLES(TO_14 - TO_8)) late_14_inst (
        .clk, .rst, .enable(1'b1), .in(late_8[u]), .out(late_14[u])
    );
    delay_line #(.BITS(32), .CYCLES(TO_16 - TO_14)) late_16_inst (
        .clk, .rst, .enable(1'b1), .in(late_14[u]), .out(late_16[u])
    );

    assign next[u] = after(state[u], quarter_before_reg, with_constant_reg);
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
    assign last_a = next[SHA1_TOKEN_ROUND%UNITS].a2;
  end else begin : gen_tail
    state_t tail_reg [0:TAIL-1];
    state_t tail_next[0:TAIL-1];
    assign last_a = tail_next[TAIL-1].a2;
    always_comb for (int i = 0; i < TAIL; i++) tail_next[i] = after(tail_reg[i], LAST_QUARTER, '0);
    always_ff @(posedge clk) begin
      tail_reg[0] <= next[UNITS-1];
      for (int i = 1; i < TAIL; i++) tail_reg[i] <= tail_next[i-1];
    end
  end
  word_t token_word_reg;
  always_ff @(posedge clk) token_word_reg <= last_a;

  // The IDSN is there some rounds before the token.
  localparam int IDSN_TIME = STATE_TIME + round_time(SHA1_IDSN_ROUND, UNITS, SHA1_STAGES, PASSES);
  localparam int AHEAD = STATE_TIME + 1 + round_time(SHA1_TOKEN_ROUND, UNITS, SHA1_STAGES, PASSES) - IDSN_TIME;
  localparam pass_t IDSN_PHASE = pass_t'(IDSN_TIME % PASSES);
  logic [63:0] idsn_words;
  delay_line #(
      .BITS  (64),
      .CYCLES(divide_up(AHEAD, PASSES))
  ) idsn_inst (
      .clk,
      .rst,
      .enable(phase == IDSN_PHASE),
      .in    ({rotate_left(next[SHA1_IDSN_ROUND%UNITS].a2, 30), rotate_left(next[SHA1_IDSN_ROUND%UNITS].a3, 30)}),
      .out   (idsn_words)
  );
  assign words = {token_word_reg, idsn_words};
endmodule

`resetall
