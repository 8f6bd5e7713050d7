// SPDX-License-Identifier: Apache-2.0
`resetall
`default_nettype none

// Memory of a register extern: the packets read and write every cycle, and the control plane all the same.
//
// Block RAM has two ports, and the packets take both. So there is one copy of the memory more than packets read at a
// time: the packets write all, and the control plane has one to itself. A control write goes into that copy, which
// then changes places with the next, until every copy was the control plane's once. Distributed RAM has one port to
// write: there the control plane writes a memory of its own, and a bit for each word says who wrote it last.
//
// Flow control: none; reads, a packet's write and the control port work every cycle. A control write is
//   control_write for STEPS cycles in a row (one with distributed RAM, READS + 1 with block RAM), its index and word
//   held; packets find it anywhere from its first cycle on, everywhere after its last.
// Latency: READ_CYCLES from an index to its word, one with distributed RAM and two with block RAM
//   (extern_pkg::memory_cycles); a word that is written can be read from the next cycle on.
// Limits: a packet must not write the index of a control write in its cycle: the caller breaks off the control write,
//   since the packet's word is in all copies. A read in the cycle of a write to its index gives no particular word.
module register_memory
  import extern_pkg::*;
#(
    parameter int INDEX_BITS        = 10,  // bits of an index, from 1 to 16: there are two to their power words
    parameter int VALUE_BITS        = 32,  // bits a word, 1 or more
    parameter int READS             = 1,   // words that packets read at a time: 1 or 3
    parameter int DISTRIBUTED_WORDS = 64   // words up to which the memory is distributed RAM, 1 or more
) (
    input wire logic clk,
    input wire logic rst,

    input  wire logic [READS-1:0][INDEX_BITS-1:0] read_index,
    output logic      [READS-1:0][VALUE_BITS-1:0] read_word,

    input wire logic                  write,
    input wire logic [INDEX_BITS-1:0] write_index,
    input wire logic [VALUE_BITS-1:0] write_word,

    input  wire logic                  control_write,
    input  wire logic [INDEX_BITS-1:0] control_index,
    input  wire logic [VALUE_BITS-1:0] control_write_word,
    output logic      [VALUE_BITS-1:0] control_word
);
  if (INDEX_BITS < 1 || INDEX_BITS > 16) begin : gen_check_index_bits
    $fatal(1, "INDEX_BITS must be from 1 to 16 (instance %m)");
  end
  if (VALUE_BITS < 1) begin : gen_check_value_bits
    $fatal(1, "VALUE_BITS must be 1 or more (instance %m)");
  end
  if (READS != 1 && READS != 3) begin : gen_check_reads
    $fatal(1, "READS must be 1 or 3 (instance %m)");
  end
  if (DISTRIBUTED_WORDS < 1) begin : gen_check_distributed_words
    $fatal(1, "DISTRIBUTED_WORDS must be 1 or more (instance %m)");
  end

  localparam int WORDS = 2 ** INDEX_BITS;

  typedef logic [INDEX_BITS-1:0] index_t;
  typedef logic [VALUE_BITS-1:0] value_t;

  if (memory_cycles(INDEX_BITS, DISTRIBUTED_WORDS) == 2) begin : gen_block
    localparam int COPIES    = READS + 1;
    localparam int COPY_BITS = $clog2(COPIES);

    typedef logic [COPY_BITS-1:0] copy_t;

    copy_t  free_reg;          // the control plane's copy; the packets' follow it, in a ring
    copy_t  free_line_reg[2];  // as it was when the words that come out now were asked for
    value_t word         [COPIES];

    always_ff @(posedge clk) begin
      free_reg         <= free_reg + copy_t'(control_write);
      free_line_reg[0] <= free_reg;
      free_line_reg[1] <= free_line_reg[0];
      if (rst) begin
        free_reg <= '0;
      end
    end

    for (genvar copy = 0; copy < COPIES; copy++) begin : gen_copy
      (* ram_style = "block" *)
      value_t memory[WORDS];
      value_t read_reg;
      copy_t  role;  // none for the control plane, else one more than the number of the packets' read
      index_t index;

      assign role = copy_t'(copy) - free_reg;
      always_comb begin
        index = control_index;
        for (int i = 0; i < READS; i++) begin
          if (role == copy_t'(i + 1)) index = read_index[i];
        end
      end

      // Two ports of one memory, as every tool knows them: a process each.
      // verilator lint_off MULTIDRIVEN
      always @(posedge clk) begin
        if (control_write && role == '0) begin
          memory[index] <= control_write_word;
        end
        read_reg   <= memory[index];
        word[copy] <= read_reg;
      end

      always @(posedge clk) begin
        if (write) begin
          memory[write_index] <= write_word;
        end
      end
      // verilator lint_on MULTIDRIVEN
    end

    always_comb begin
      control_word = word[free_line_reg[1]];
      for (int i = 0; i < READS; i++) begin
        read_word[i] = word[free_line_reg[1]+copy_t'(i+1)];
      end
    end
  end else begin : gen_distributed
    (* ram_style = "distributed" *)
    value_t packet_memory [WORDS];
    (* ram_style = "distributed" *)
    value_t control_memory [WORDS];
    logic [WORDS-1:0] newer_reg;  // the word in control_memory is the newer one

    always_ff @(posedge clk) begin
      if (write) begin
        packet_memory[write_index] <= write_word;
        newer_reg[write_index]     <= 1'b0;
      end
      if (control_write) begin
        control_memory[control_index] <= control_write_word;
        newer_reg[control_index]      <= 1'b1;
      end
      for (int i = 0; i < READS; i++) begin
        read_word[i] <= newer_reg[read_index[i]] ? control_memory[read_index[i]] : packet_memory[read_index[i]];
      end
      control_word <= newer_reg[control_index] ? control_memory[control_index] : packet_memory[control_index];
    end

    // Nothing to reset: every word is written before one is used.
    logic unused;
    assign unused = rst;
  end
endmodule

`resetall
