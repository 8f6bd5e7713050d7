// SPDX-License-Identifier: Apache-2.0
`resetall
`default_nettype none

// What of probe_gate follows from its parameters.
package probe_gate_pkg;
  import serial_rows_pkg::*;

  // Rows of memory: at least as many as there can be.
  function automatic int gate_rows(input int tors);
    return tors > 2 ? tors : 2;
  endfunction

  // Cycles from a request to its result, at least: until its row is there, and one to compare.
  function automatic int latency(input int tors);
    return row_cycles(read_cycles(gate_rows(tors))) + 1;
  endfunction
endpackage

`resetall
