// SPDX-License-Identifier: Apache-2.0
`resetall
`default_nettype none

// Finds the lowest bit that is set.
//
// Flow control: none; a word every cycle.
// Latency: table_ternary_pkg::priority_cycles, one for each digit of an index in base eight.
// Limits: `index` means nothing without `any`.
module table_priority
  import table_ternary_pkg::*;
#(
    parameter int WIDTH = 32  // bits, 1 to 512
) (
    input wire logic clk,

    input  wire logic [                         WIDTH-1:0] request,
    output logic                                           any,
    output logic      [(WIDTH > 1 ? $clog2(WIDTH) : 1)-1:0] index
);
  if (WIDTH < 1 || WIDTH > 512) begin : gen_check_width
    $fatal(1, "WIDTH must be from 1 to 512 (instance %m)");
  end

  localparam int LEVELS      = priority_cycles(WIDTH);
  localparam int SPAN        = 8 ** LEVELS;
  localparam int DIGITS_BITS = 3 * LEVELS;
  localparam int INDEX_WIDTH = WIDTH > 1 ? $clog2(WIDTH) : 1;

  // A level has an eighth of the nodes of the one below; of each is known whether a bit below it is set, and which.
  logic [LEVELS:0][SPAN-1:0]                  set;
  logic [LEVELS:0][SPAN-1:0][DIGITS_BITS-1:0] digits;

  assign set[0]    = SPAN'(request);
  assign digits[0] = '0;
  assign any       = set[LEVELS][0];
  assign index     = INDEX_WIDTH'(digits[LEVELS][0]);
  wire unused = &{1'b0, set, digits};

  for (genvar level = 1; level <= LEVELS; level++) begin : gen_level
    localparam int NODES = 8 ** (LEVELS - level);
    for (genvar node = 0; node < SPAN; node++) begin : gen_node
      if (node < NODES) begin : gen_used
        logic [2:0] first;
        always_comb begin
          first = '0;
          for (int i = 7; i >= 0; i--) begin
            if (set[level-1][node*8+i]) first = 3'(unsigned'(i));
          end
        end

        logic                   set_reg;
        logic [DIGITS_BITS-1:0] digits_reg;
        assign set[level][node]    = set_reg;
        assign digits[level][node] = digits_reg;
        always_ff @(posedge clk) begin
          set_reg    <= |set[level-1][node*8+:8];
          digits_reg <= digits[level-1][node*8+int'(first)] | (DIGITS_BITS'(first) << (3 * (level - 1)));
        end
      end else begin : gen_unused
        assign set[level][node]    = 1'b0;
        assign digits[level][node] = '0;
      end
    end
  end
endmodule

`resetall
