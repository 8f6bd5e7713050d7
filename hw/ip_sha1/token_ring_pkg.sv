// SPDX-License-Identifier: Apache-2.0
`resetall
`default_nettype none

// What the two hashes share: how a ring is laid out, the message that an MPTCP key makes, and functions of words.
//
// A ring is a line of round units that a key runs through `passes` times, a new key entering every `passes`
// cycles. Unit u does the rounds u, units + u, 2 units + u and so on, the first pass being pass 0. A unit takes
// `stages` cycles. A turn of the ring takes units * stages cycles and some more, so many that the turn and
// the number of passes have no common divisor: then no two keys ever want the same place, keys enter at even
// distances, and which pass a place serves depends on the cycle alone.
package token_ring_pkg;
  localparam int MAX_PASSES = 80;  // SHA-1 has this many rounds: more passes would leave the unit idle

  typedef logic [31:0] word_t;
  typedef logic [6:0] pass_t;  // a pass, or a cycle within a slot: what is not needed of it is constant 0
  typedef logic [MAX_PASSES-1:0] flags_t;  // one per pass

  // ---- the message: 8 key bytes, a one, zeros, and the length in bits ----

  localparam int MESSAGE_WORDS = 16;
  localparam int KEY_HIGH_WORD = 0;
  localparam int KEY_LOW_WORD = 1;

  // Words of the message that do not depend on the key; 0 for those that do.
  function automatic word_t padding_word(input int round);
    case (round)
      2:       return 32'h8000_0000;
      15:      return 32'd64;
      default: return '0;
    endcase
  endfunction

  // ---- the layout of a ring ----

  function automatic int divide_up(input int dividend, input int divisor);
    return (dividend + divisor - 1) / divisor;
  endfunction

  function automatic int common_divisor(input int left, input int right);
    int high, low, rest;
    high = left;
    low  = right;
    while (low != 0) begin
      rest = high % low;
      high = low;
      low  = rest;
    end
    return high;
  endfunction

  // Cycles that a turn takes beyond those of its units.
  function automatic int wrap_cycles(input int units, input int stages, input int passes);
    int cycles;
    cycles = 0;
    while (common_divisor(units * stages + cycles, passes) != 1) cycles = cycles + 1;
    return cycles;
  endfunction

  // Cycles from the start of round 0 to the start of a round. The rounds that find no place in the ring
  // follow its last unit.
  function automatic int round_time(input int round, input int units, input int stages, input int passes);
    int turn, in_ring;
    turn = units * stages + wrap_cycles(units, stages, passes);
    in_ring = (round < units * passes) ? round : units * passes - 1;
    return (in_ring / units) * turn + (in_ring % units) * stages + (round - in_ring) * stages;
  endfunction

  // For each cycle of a period, the pass that begins in it, when keys begin `start` cycles into a period.
  function automatic pass_t [MAX_PASSES-1:0] passes_begun(input int start, input int units, input int stages,
                                                          input int passes);
    pass_t [MAX_PASSES-1:0] begun;
    int turn;
    turn  = units * stages + wrap_cycles(units, stages, passes);
    begun = '0;
    for (int pass = 0; pass < passes; pass++) begun[(start+pass*turn)%passes] = pass_t'(pass);
    return begun;
  endfunction

  // Which of a unit's passes take a word of the message as it is.
  function automatic flags_t message_passes(input int unit, input int units);
    flags_t flags;
    foreach (flags[pass]) flags[pass] = pass * units + unit < MESSAGE_WORDS;
    return flags;
  endfunction

  function automatic word_t [MAX_PASSES-1:0] padding_words(input int unit, input int units);
    word_t [MAX_PASSES-1:0] words;
    foreach (words[pass]) words[pass] = padding_word(pass * units + unit);
    return words;
  endfunction

  // ---- functions of words (FIPS 180-4) ----

  function automatic word_t rotate_left(input word_t word, input int bits);
    return (word << bits) | (word >> (32 - bits));
  endfunction

  function automatic word_t rotate_right(input word_t word, input int bits);
    return rotate_left(word, 32 - bits);
  endfunction

  function automatic word_t choose(input word_t which, input word_t one, input word_t zero);
    return (which & one) | (~which & zero);
  endfunction

  function automatic word_t majority(input word_t x, input word_t y, input word_t z);
    return (x & y) | (x & z) | (y & z);
  endfunction
endpackage

`resetall
