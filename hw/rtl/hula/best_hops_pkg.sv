// SPDX-License-Identifier: Apache-2.0
`resetall
`default_nettype none

// What follows from the parameters of best_hops.
package best_hops_pkg;
  localparam int COUNT_BITS = 4;  // of count_result

  // Bits of a port's number in a row.
  function automatic int port_index_bits(input int ports);
    return ports > 2 ? $clog2(ports) : 1;
  endfunction

  // Bits of a row: entries of port, utilisation, time, valid; for each port time, valid.
  function automatic int hops_row_bits(input int k, input int ports, input int time_bits);
    return k * (port_index_bits(ports) + 8 + time_bits + 1) + ports * (time_bits + 1);
  endfunction

  // Cycles from a request to its result, at least.
  function automatic int hops_latency(input int memory_cycles);
    return memory_cycles + 6;
  endfunction

  // Ticks that begin in so many cycles, at most.
  function automatic int ticks(input int cycles, input int tick_bits);
    return (cycles + 2 ** tick_bits - 1) / 2 ** tick_bits;
  endfunction

  // The longest time-out, in ticks. Whatever is found in a row and older is a quarter of all times old or more away from
  // looking young again, and is dropped; a sweep's own time is ahead of the requests', which are lag_cycles late.
  function automatic int fail_ticks_limit(input int time_bits, input int tick_bits, input int lag_cycles);
    return 3 * 2 ** (time_bits - 2) - 1 - ticks(lag_cycles, tick_bits);
  endfunction
endpackage

`resetall
