// SPDX-License-Identifier: Apache-2.0
`resetall
`default_nettype none

// SHA-256 (FIPS 180-4), as much of it as sha256_ring needs.
package sha256_pkg;
  import token_ring_pkg::*;

  localparam int SHA256_ROUNDS = 64;
  localparam int SHA256_STAGES = 2;
  localparam int SHA256_TOKEN_ROUND = 65;  // behind it, word a of round 64 is there: digest word 0
  localparam int SHA256_IDSN_ROUND = 62;  // behind it, digest words 6 and 7
  localparam word_t [7:0] SHA256_INITIAL = {
    32'h5be0cd19, 32'h1f83d9ab, 32'h9b05688c, 32'h510e527f, 32'ha54ff53a, 32'h3c6ef372, 32'hbb67ae85, 32'h6a09e667
  };

  // Round 63 first, as a literal's highest word.
  localparam word_t [SHA256_ROUNDS-1:0] SHA256_CONSTANTS = {
    32'hc67178f2, 32'hbef9a3f7, 32'ha4506ceb, 32'h90befffa, 32'h8cc70208, 32'h84c87814, 32'h78a5636f, 32'h748f82ee,
    32'h682e6ff3, 32'h5b9cca4f, 32'h4ed8aa4a, 32'h391c0cb3, 32'h34b0bcb5, 32'h2748774c, 32'h1e376c08, 32'h19a4c116,
    32'h106aa070, 32'hf40e3585, 32'hd6990624, 32'hd192e819, 32'hc76c51a3, 32'hc24b8b70, 32'ha81a664b, 32'ha2bfe8a1,
    32'h92722c85, 32'h81c2c92e, 32'h766a0abb, 32'h650a7354, 32'h53380d13, 32'h4d2c6dfc, 32'h2e1b2138, 32'h27b70a85,
    32'h14292967, 32'h06ca6351, 32'hd5a79147, 32'hc6e00bf3, 32'hbf597fc7, 32'hb00327c8, 32'ha831c66d, 32'h983e5152,
    32'h76f988da, 32'h5cb0a9dc, 32'h4a7484aa, 32'h2de92c6f, 32'h240ca1cc, 32'h0fc19dc6, 32'hefbe4786, 32'he49b69c1,
    32'hc19bf174, 32'h9bdc06a7, 32'h80deb1fe, 32'h72be5d74, 32'h550c7dc3, 32'h243185be, 32'h12835b01, 32'hd807aa98,
    32'hab1c5ed5, 32'h923f82a4, 32'h59f111f1, 32'h3956c25b, 32'he9b5dba5, 32'hb5c0fbcf, 32'h71374491, 32'h428a2f98
  };

  // Beyond the last round the ring may run on; what it makes there is used by nobody.
  function automatic word_t [MAX_PASSES-1:0] sha256_constants(input int unit, input int units);
    word_t [MAX_PASSES-1:0] words;
    foreach (words[pass]) words[pass] = SHA256_CONSTANTS[(pass*units+unit)%SHA256_ROUNDS];
    return words;
  endfunction

  function automatic word_t large_sigma0(input word_t word);
    return rotate_right(word, 2) ^ rotate_right(word, 13) ^ rotate_right(word, 22);
  endfunction

  function automatic word_t large_sigma1(input word_t word);
    return rotate_right(word, 6) ^ rotate_right(word, 11) ^ rotate_right(word, 25);
  endfunction

  function automatic word_t small_sigma0(input word_t word);
    return rotate_right(word, 7) ^ rotate_right(word, 18) ^ (word >> 3);
  endfunction

  function automatic word_t small_sigma1(input word_t word);
    return rotate_right(word, 17) ^ rotate_right(word, 19) ^ (word >> 10);
  endfunction

  function automatic int sha256_units(input int passes);
    return divide_up(SHA256_ROUNDS, passes);
  endfunction

  // Cycles from a key taken by the ring to its words.
  function automatic int sha256_latency(input int passes);
    return 6 + round_time(SHA256_TOKEN_ROUND, sha256_units(passes), SHA256_STAGES, passes);
  endfunction
endpackage

`resetall
