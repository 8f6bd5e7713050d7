// SPDX-License-Identifier: Apache-2.0
`resetall
`default_nettype none

// What a user of token_core can ask before it is built.
package token_core_pkg;
  // Cycles from a key taken by token_core to its result.
  function automatic int token_latency(input int cycles_per_key, input int sha1_enable, input int sha256_enable);
    int sha1, sha256;
    sha1   = 1 + sha1_pkg::sha1_latency(cycles_per_key);
    sha256 = 1 + sha256_pkg::sha256_latency(cycles_per_key);
    if (sha1_enable == 0) return sha256;
    if (sha256_enable == 0) return sha1;
    return (sha1 > sha256) ? sha1 : sha256;
  endfunction
endpackage

`resetall
