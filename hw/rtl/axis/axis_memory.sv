// SPDX-License-Identifier: Apache-2.0
`resetall
`default_nettype none

// Memory of a FIFO: written by address, read by a stream of addresses that becomes a stream of words.
//
// Flow control: a write is taken every cycle; read requests wait while the words in front of them wait.
// Latency: a word may be asked for in the cycle after it was written; it comes READ_CYCLES later, which is
//   one for distributed RAM (up to DISTRIBUTED_WORDS) and two for block RAM, whose output has a register.
// Limits: both clocks may be one. With two, a word must have been written well before it is asked for.
module axis_memory #(
    parameter int DEPTH_WORDS = 512,  // words, a power of two, 2 or more
    parameter int WORD_BITS   = 417   // bits a word, 1 or more
) (
    input wire logic s_clk,
    input wire logic m_clk,
    input wire logic m_rst,

    input wire logic [$clog2(DEPTH_WORDS)-1:0] s_write_address,
    input wire logic [          WORD_BITS-1:0] s_write_word,
    input wire logic                           s_write_valid,

    input  wire logic [$clog2(DEPTH_WORDS)-1:0] s_read_address,
    input  wire logic                           s_read_valid,
    output logic                                s_read_ready,

    output logic [WORD_BITS-1:0] m_read_word,
    output logic                 m_read_valid,
    input  wire logic            m_read_ready
);
  if (DEPTH_WORDS < 2 || 2 ** $clog2(DEPTH_WORDS) != DEPTH_WORDS) begin : gen_check_depth_words
    $fatal(1, "DEPTH_WORDS must be a power of two, 2 or more (instance %m)");
  end
  if (WORD_BITS < 1) begin : gen_check_word_bits
    $fatal(1, "WORD_BITS must be 1 or more (instance %m)");
  end

  localparam int DISTRIBUTED_WORDS = 64;  // as deep as one LUT is

  logic [WORD_BITS-1:0] out_reg;
  logic                 out_valid_reg;
  logic                 out_move;

  assign out_move     = m_read_ready || !out_valid_reg;
  assign m_read_word  = out_reg;
  assign m_read_valid = out_valid_reg;

  if (DEPTH_WORDS > DISTRIBUTED_WORDS) begin : gen_block
    (* ram_style = "block" *)
    logic [WORD_BITS-1:0] memory [DEPTH_WORDS];
    logic [WORD_BITS-1:0] read_reg;
    logic                 read_valid_reg;

    assign s_read_ready = out_move || !read_valid_reg;

    always_ff @(posedge s_clk) begin
      if (s_write_valid) begin
        memory[s_write_address] <= s_write_word;
      end
    end

    always_ff @(posedge m_clk) begin
      // Only on request: a block RAM must not read what the other clock is writing, not even to no use.
      if (s_read_valid && s_read_ready) begin
        read_reg <= memory[s_read_address];
      end
      if (s_read_ready) begin
        read_valid_reg <= s_read_valid;
      end
      if (out_move) begin
        out_reg       <= read_reg;
        out_valid_reg <= read_valid_reg;
      end
      if (m_rst) begin
        read_valid_reg <= 1'b0;
        out_valid_reg  <= 1'b0;
      end
    end
  end else begin : gen_distributed
    (* ram_style = "distributed" *)
    logic [WORD_BITS-1:0] memory [DEPTH_WORDS];

    assign s_read_ready = out_move;

    always_ff @(posedge s_clk) begin
      if (s_write_valid) begin
        memory[s_write_address] <= s_write_word;
      end
    end

    always_ff @(posedge m_clk) begin
      if (out_move) begin
        out_reg       <= memory[s_read_address];
        out_valid_reg <= s_read_valid;
      end
      if (m_rst) begin
        out_valid_reg <= 1'b0;
      end
    end
  end
endmodule

`resetall
