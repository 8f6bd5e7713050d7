// SPDX-License-Identifier: Apache-2.0
`resetall
`default_nettype none

// Memory with one port to read and one to write, of any number of rows.
//
// Flow control: none; both ports take the number of a row every cycle.
// Latency: READ_CYCLES from a row's number to its word: 1 with distributed RAM, 2 with block RAM, 3 with banks of it. A
//   word that is written can be read from the next cycle on.
// Limits: a read in the cycle of a write to the same row gives the old word. A number at ROWS or above must not be
//   written; read, it gives no particular word.
module row_memory
  import serial_rows_pkg::*;
#(
    parameter int ROWS = 10240,  // rows, from 2 to 65536
    parameter int ROW_BITS = 180,  // bits of a row, 1 or more
    parameter int READ_CYCLES = read_cycles(ROWS),  // from 1 to 3; other than read_cycles only to try it with few rows
    parameter int BANK_ROWS = BLOCK_ROWS  // rows of a bank, a power of two, 2 or more, below ROWS with 3 READ_CYCLES
) (
    input wire logic clk,

    input  wire logic [row_index_bits(ROWS)-1:0] read_row,
    output logic      [            ROW_BITS-1:0] read_word,

    input wire logic                            write,
    input wire logic [row_index_bits(ROWS)-1:0] write_row,
    input wire logic [            ROW_BITS-1:0] write_word
);
  if (ROWS < 2 || ROWS > 65536) begin : gen_check_rows
    $fatal(1, "ROWS must be from 2 to 65536 (instance %m)");
  end
  if (ROW_BITS < 1) begin : gen_check_row_bits
    $fatal(1, "ROW_BITS must be 1 or more (instance %m)");
  end
  if (READ_CYCLES < 1 || READ_CYCLES > 3) begin : gen_check_read_cycles
    $fatal(1, "READ_CYCLES must be from 1 to 3 (instance %m)");
  end
  if (BANK_ROWS < 2 || 2 ** $clog2(BANK_ROWS) != BANK_ROWS) begin : gen_check_bank_rows
    $fatal(1, "BANK_ROWS must be a power of two, 2 or more (instance %m)");
  end
  if (READ_CYCLES == 3 && BANK_ROWS >= ROWS) begin : gen_check_banks
    $fatal(1, "BANK_ROWS must be less than ROWS with 3 READ_CYCLES (instance %m)");
  end

  localparam int INDEX_BITS = row_index_bits(ROWS);

  typedef logic [ROW_BITS-1:0] word_t;

  if (READ_CYCLES == 1) begin : gen_distributed
    (* ram_style = "distributed" *)
    word_t memory [ROWS];

    always_ff @(posedge clk) begin
      if (write) begin
        memory[write_row] <= write_word;
      end
      read_word <= memory[read_row];
    end
  end else if (READ_CYCLES == 2) begin : gen_block
    (* ram_style = "block" *)
    word_t memory [ROWS];
    word_t read_reg;

    always_ff @(posedge clk) begin
      if (write) begin
        memory[write_row] <= write_word;
      end
      read_reg  <= memory[read_row];
      read_word <= read_reg;
    end
  end else begin : gen_banks
    localparam int BANKS      = (ROWS + BANK_ROWS - 1) / BANK_ROWS;
    localparam int LOCAL_BITS = $clog2(BANK_ROWS);
    localparam int BANK_BITS  = INDEX_BITS - LOCAL_BITS;

    typedef logic [BANK_BITS-1:0] bank_t;

    word_t word[BANKS];
    bank_t bank_reg[2];  // which the words that come out now are of

    for (genvar bank = 0; bank < BANKS; bank++) begin : gen_bank
      localparam int BANK_DEPTH = bank < BANKS - 1 ? BANK_ROWS : ROWS - bank * BANK_ROWS;
      localparam int DEPTH_BITS = row_index_bits(BANK_DEPTH);

      (* ram_style = "block" *)
      word_t memory [BANK_DEPTH];
      word_t read_reg;

      always_ff @(posedge clk) begin
        if (write && write_row[INDEX_BITS-1:LOCAL_BITS] == bank_t'(bank)) begin
          memory[write_row[DEPTH_BITS-1:0]] <= write_word;
        end
        read_reg   <= memory[read_row[DEPTH_BITS-1:0]];
        word[bank] <= read_reg;
      end
    end

    always_ff @(posedge clk) begin
      bank_reg[0] <= read_row[INDEX_BITS-1:LOCAL_BITS];
      bank_reg[1] <= bank_reg[0];
      read_word   <= word[0];
      for (int bank = 1; bank < BANKS; bank++) begin
        if (bank_reg[1] == bank_t'(bank)) read_word <= word[bank];
      end
    end
  end
endmodule

`resetall
