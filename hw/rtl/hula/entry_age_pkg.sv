// SPDX-License-Identifier: Apache-2.0
`resetall
`default_nettype none

// What modules with timed entries have to keep to, so that an entry's age never wraps.
package entry_age_pkg;
  // Cycles that a sweep of all rows may take at most: a quarter of the range of the time.
  function automatic longint sweep_limit(input int time_bits, input int tick_bits);
    return longint'(1) << (time_bits - 2 + tick_bits);
  endfunction
endpackage

`resetall
