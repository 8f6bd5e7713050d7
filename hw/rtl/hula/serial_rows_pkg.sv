// SPDX-License-Identifier: Apache-2.0
`resetall
`default_nettype none

// Cycles of serial_rows that follow from the number of its rows.
package serial_rows_pkg;
  localparam int DISTRIBUTED_ROWS = 64;    // up to here the memory is distributed RAM: as deep as one LUT is
  localparam int BLOCK_ROWS       = 4096;  // above, block RAM is cut into banks of so many rows

  // Bits of the number of a row.
  function automatic int row_index_bits(input int rows);
    return rows > 2 ? $clog2(rows) : 1;
  endfunction

  // Cycles from the number of a row to its word: block RAM has a register behind it, and banks another one.
  function automatic int read_cycles(input int rows);
    return rows > BLOCK_ROWS ? 3 : rows > DISTRIBUTED_ROWS ? 2 : 1;
  endfunction

  // Cycles from a request to its row, where a word takes read_cycles.
  function automatic int row_cycles(input int memory_cycles);
    return memory_cycles + 2;
  endfunction

  // When a row is shown, the change that it holds was shown at most so many cycles before: a row is visited every
  // 4 * rows cycles, or one later; a visit is left out if a request came up to memory_cycles + 4 cycles before it; what
  // it leaves is found from memory_cycles + 5 cycles after it on.
  function automatic int sweep_cycles(input int rows, input int memory_cycles);
    return 4 * rows + 1 + 2 * (memory_cycles + 4);
  endfunction
endpackage

`resetall
