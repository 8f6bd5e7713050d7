// SPDX-License-Identifier: Apache-2.0
`resetall
`default_nettype none

// Latency of table_ternary, as it follows from its parameters.
package table_ternary_pkg;
  import table_pkg::*;

  function automatic int priority_cycles(input int width);
    return width > 64 ? 3 : width > 8 ? 2 : 1;
  endfunction

  localparam int MATCH_CYCLES = 2;  // table_ternary: from a key to the rows that it matches

  function automatic int ternary_latency(input int entries);
    return MATCH_CYCLES + priority_cycles(entries) + memory_cycles(memory_words(entries));
  endfunction
endpackage

`resetall
