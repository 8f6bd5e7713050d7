// SPDX-License-Identifier: Apache-2.0
`resetall
`default_nettype none

// Sizes and latency of table_exact, as they follow from its parameters.
package table_exact_pkg;
  import table_pkg::*;

  // table_exact: rows of each way. Below 1024 rows a block RAM is not filled and saves nothing.
  function automatic int exact_rows(input int entries);
    int rows;
    rows = 1024;
    if (entries <= 16) return 16;
    if (entries <= 32) return 32;
    if (entries <= 128) return 64;
    while (entries * 4 > rows * 17) rows = rows * 2;
    return rows;
  endfunction

  // table_exact: as many ways as keep the load below 0.75 with three of them, below 0.85 with four or five.
  function automatic int exact_ways(input int entries);
    int rows;
    rows = exact_rows(entries);
    if (entries * 4 <= rows * 9) return 3;
    if (entries * 5 <= rows * 17) return 4;
    return 5;
  endfunction

  localparam int HASH_CYCLES        = 2;
  localparam int COMPARE_GROUP_BITS = 32;  // that are compared in one go where a key takes two cycles
  localparam int COMPARE_ONCE_BITS  = 64;  // as wide as a key may be that is compared in one cycle

  function automatic int compare_cycles(input int key_bits);
    return key_bits > COMPARE_ONCE_BITS ? 2 : 1;
  endfunction

  function automatic int exact_latency(input int key_bits, input int entries);
    return HASH_CYCLES + memory_cycles(exact_rows(entries)) + compare_cycles(key_bits) + 1;
  endfunction
endpackage

`resetall
