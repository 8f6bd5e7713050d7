// SPDX-License-Identifier: Apache-2.0
`resetall
`default_nettype none

// SHA-1 (FIPS 180-4), as much of it as sha1_ring needs.
package sha1_pkg;
  import token_ring_pkg::*;

  localparam int SHA1_ROUNDS = 80;
  localparam int SHA1_STAGES = 1;
  localparam int SHA1_TOKEN_ROUND = 81;  // behind it, word a of round 80 is there: digest word 0
  localparam int SHA1_IDSN_ROUND = 78;  // behind it, digest words 3 and 4
  localparam word_t [4:0] SHA1_INITIAL = {
    32'hc3d2e1f0, 32'h10325476, 32'h98badcfe, 32'hefcdab89, 32'h67452301
  };

  // Rounds share a function and a constant in four quarters.
  typedef logic [1:0] quarter_t;
  localparam quarter_t LAST_QUARTER = 2'd3;

  function automatic quarter_t [MAX_PASSES-1:0] sha1_quarters(input int unit, input int units);
    quarter_t [MAX_PASSES-1:0] quarters;
    foreach (quarters[pass]) begin
      if (pass * units + unit < 20) quarters[pass] = 2'd0;
      else if (pass * units + unit < 40) quarters[pass] = 2'd1;
      else if (pass * units + unit < 60) quarters[pass] = 2'd2;
      else quarters[pass] = 2'd3;
    end
    return quarters;
  endfunction

  function automatic word_t sha1_constant(input quarter_t quarter);
    case (quarter)
      2'd0: return 32'h5a827999;
      2'd1: return 32'h6ed9eba1;
      2'd2: return 32'h8f1bbcdc;
      default: return 32'hca62c1d6;
    endcase
  endfunction

  function automatic word_t sha1_mix(input quarter_t quarter, input word_t b, input word_t c, input word_t d);
    case (quarter)
      2'd0: return choose(b, c, d);
      2'd2: return majority(b, c, d);
      default: return b ^ c ^ d;
    endcase
  endfunction

  function automatic int sha1_units(input int passes);
    return divide_up(SHA1_ROUNDS, passes);
  endfunction

  // Cycles from a key taken by the ring to its words.
  function automatic int sha1_latency(input int passes);
    return 5 + round_time(SHA1_TOKEN_ROUND, sha1_units(passes), SHA1_STAGES, passes);
  endfunction
endpackage

`resetall
