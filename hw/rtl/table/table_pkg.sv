// SPDX-License-Identifier: Apache-2.0
`resetall
`default_nettype none

// What the match tables share: commands, their answers, and memories.
package table_pkg;
  // Each kind of table uses some of these.
  // verilator lint_off UNUSEDPARAM
  // What a table is told.
  typedef logic [2:0] op_t;
  localparam op_t OP_SET    = 3'd0;
  localparam op_t OP_DELETE = 3'd1;
  localparam op_t OP_READ   = 3'd2;
  localparam op_t OP_CLEAR  = 3'd3;

  // What it answers.
  typedef logic [1:0] code_t;
  localparam code_t CODE_OK          = 2'd0;
  localparam code_t CODE_FULL        = 2'd1;
  localparam code_t CODE_NOT_FOUND   = 2'd2;
  localparam code_t CODE_BAD_REQUEST = 2'd3;  // an operation or an index that this table does not have

  localparam int INDEX_BITS = 20;  // of control_index and status_index, in every table
  localparam int COUNT_BITS = 17;  // of status_entries, in every table

  typedef logic [INDEX_BITS-1:0] index_t;
  typedef logic [COUNT_BITS-1:0] count_t;

  localparam int DISTRIBUTED_WORDS = 64;  // as deep as one LUT is; deeper memories are block RAM

  // Cycles from an address to the word, the register behind a block RAM included.
  function automatic int memory_cycles(input int depth_words);
    return depth_words > DISTRIBUTED_WORDS ? 2 : 1;
  endfunction

  // Words of the memory that holds a row each, a power of two.
  function automatic int memory_words(input int rows);
    return rows > 2 ? 2 ** $clog2(rows) : 2;
  endfunction
  // verilator lint_on UNUSEDPARAM
endpackage

`resetall
