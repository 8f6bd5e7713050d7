// SPDX-License-Identifier: Apache-2.0
`resetall
`default_nettype none

// What flowlet_table says, and how long it takes.
package flowlet_table_pkg;
  import serial_rows_pkg::*;

  localparam logic OPERATION_KEEP_OR_SET = 1'b1;  // 0 is PEEK

  typedef enum logic [2:0] {
    OUTCOME_KEPT    = 3'd0,
    OUTCOME_MOVED   = 3'd1,
    OUTCOME_RENEWED = 3'd2,
    OUTCOME_NEW     = 3'd3,
    OUTCOME_CROWDED = 3'd4,
    OUTCOME_STUCK   = 3'd5
  } outcome_t;

  // Bits of the number of a port.
  function automatic int port_bits(input int ports);
    return ports > 2 ? $clog2(ports) : 1;
  endfunction

  // Cycles from an index to its row.
  function automatic int set_cycles(input int index_bits);
    return row_cycles(read_cycles(2 ** index_bits));
  endfunction

  // Cycles that a request waits, so that its row meets what comes late and goes through a register.
  function automatic int wait_cycles(input int index_bits, input int late_cycles);
    return late_cycles < set_cycles(index_bits) ? 0 : late_cycles + 1 - set_cycles(index_bits);
  endfunction

  // Cycles from a request to its result, at least: until its row is there, one to compare, one to choose.
  function automatic int latency(input int index_bits, input int late_cycles);
    return wait_cycles(index_bits, late_cycles) + set_cycles(index_bits) + 2;
  endfunction
endpackage

`resetall
