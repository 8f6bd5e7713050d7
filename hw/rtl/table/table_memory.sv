// SPDX-License-Identifier: Apache-2.0
`resetall
`default_nettype none

// Memory of a table: port a reads for the packets, port b reads and writes for the control plane.
//
// Flow control: none; each port takes an address every cycle.
// Latency: READ_CYCLES from an address to its word, one with distributed RAM and two with block RAM
//   (table_pkg::memory_cycles); a word that is written can be read, on either port, from the next cycle on.
// Limits: a read in the cycle of a write to the same address gives the old word, on both ports.
module table_memory
  import table_pkg::*;
#(
    parameter int DEPTH_WORDS = 1024,  // words, a power of two, 2 or more
    parameter int WORD_BITS   = 82     // bits a word, 1 or more
) (
    input wire logic clk,

    input  wire logic [$clog2(DEPTH_WORDS)-1:0] a_address,
    output logic      [          WORD_BITS-1:0] a_word,

    input  wire logic [$clog2(DEPTH_WORDS)-1:0] b_address,
    input  wire logic                           b_write,
    input  wire logic [          WORD_BITS-1:0] b_write_word,
    output logic      [          WORD_BITS-1:0] b_word
);
  if (DEPTH_WORDS < 2 || 2 ** $clog2(DEPTH_WORDS) != DEPTH_WORDS) begin : gen_check_depth_words
    $fatal(1, "DEPTH_WORDS must be a power of two, 2 or more (instance %m)");
  end
  if (WORD_BITS < 1) begin : gen_check_word_bits
    $fatal(1, "WORD_BITS must be 1 or more (instance %m)");
  end

  localparam int SLICED_WORDS   = 8192;
  localparam int BLOCK_RAM_BITS = 32768;  // without those that are for parity

  if (memory_cycles(DEPTH_WORDS) == 2) begin : gen_block
    // So deep a memory is cut into slices of one block RAM each: left alone, yosys makes some words of two RAMs that
    // are half as deep, and a multiplexer behind them that is too slow.
    localparam int SLICE_BITS = DEPTH_WORDS < SLICED_WORDS ? WORD_BITS :
        DEPTH_WORDS < BLOCK_RAM_BITS ? BLOCK_RAM_BITS / DEPTH_WORDS : 1;

    for (genvar low = 0; low < WORD_BITS; low += SLICE_BITS) begin : gen_slice
      localparam int BITS = WORD_BITS - low < SLICE_BITS ? WORD_BITS - low : SLICE_BITS;

      (* ram_style = "block" *)
      logic [BITS-1:0] memory [DEPTH_WORDS];
      logic [BITS-1:0] a_read_reg;
      logic [BITS-1:0] b_read_reg;

      always_ff @(posedge clk) begin
        a_read_reg        <= memory[a_address];
        a_word[low+:BITS] <= a_read_reg;
      end

      always_ff @(posedge clk) begin
        if (b_write) begin
          memory[b_address] <= b_write_word[low+:BITS];
        end
        b_read_reg        <= memory[b_address];
        b_word[low+:BITS] <= b_read_reg;
      end
    end
  end else begin : gen_distributed
    (* ram_style = "distributed" *)
    logic [WORD_BITS-1:0] memory [DEPTH_WORDS];

    always_ff @(posedge clk) begin
      if (b_write) begin
        memory[b_address] <= b_write_word;
      end
      a_word <= memory[a_address];
      b_word <= memory[b_address];
    end
  end
endmodule

`resetall
