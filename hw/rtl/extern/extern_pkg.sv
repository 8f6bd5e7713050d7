// SPDX-License-Identifier: Apache-2.0
`resetall
`default_nettype none

// What the register externs share: the control port's commands, and the cycles that follow from parameters.
package extern_pkg;
  // What the control plane tells an extern; any other code, as 0, reads.
  typedef logic [1:0] control_op_t;
  // verilator lint_off UNUSEDPARAM
  localparam control_op_t CONTROL_WRITE = 2'd1;
  localparam control_op_t CONTROL_CLEAR = 2'd2;
  // verilator lint_on UNUSEDPARAM

  // Cycles from an index to its word: block RAM has a register behind it.
  function automatic int memory_cycles(input int index_bits, input int distributed_words);
    return 2 ** index_bits > distributed_words ? 2 : 1;
  endfunction

  // Cycles from a request to its result, at least: the memory's, then one to choose the operands, one to operate.
  function automatic int register_latency(input int index_bits, input int distributed_words);
    return memory_cycles(index_bits, distributed_words) + 2;
  endfunction
endpackage

`resetall
