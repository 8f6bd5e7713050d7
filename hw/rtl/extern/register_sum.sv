// SPDX-License-Identifier: Apache-2.0
`resetall
`default_nettype none

// What an operation makes of a register: a sum with a limit, or another value in its place.
//
// A long carry is too slow for the loop that this stands in: segments above the lowest are added twice, for both carries.
//
// Flow control: none.
// Latency: none, combinational.
// Limits: the sum is modulo its width where no limit is set.
module register_sum #(
    parameter int VALUE_BITS = 32  // 1 or more
) (
    input  wire logic [VALUE_BITS-1:0] old,
    input  wire logic [VALUE_BITS-1:0] summand,
    input  wire logic                  carry,       // one more
    input  wire logic                  limit_high,  // where the sum overflows it is all ones
    input  wire logic                  limit_low,   // where it does not it is zero: a difference below zero
    input  wire logic                  replaces,    // in the register; without it the next is zero
    input  wire logic [VALUE_BITS-1:0] replacement,
    input  wire logic                  hides,       // in the result; without it the next is zero
    input  wire logic [VALUE_BITS-1:0] disguise,
    output logic      [VALUE_BITS-1:0] stored,
    output logic      [VALUE_BITS-1:0] shown
);
  if (VALUE_BITS < 1) begin : gen_check_value_bits
    $fatal(1, "VALUE_BITS must be 1 or more (instance %m)");
  end

  localparam int SEGMENT_BITS = 14;
  localparam int SEGMENTS     = (VALUE_BITS + SEGMENT_BITS - 1) / SEGMENT_BITS;

  logic [VALUE_BITS-1:0] sum;
  logic [SEGMENTS:0]     carries;
  logic                  high;
  logic                  low;

  assign carries[0] = carry;

  for (genvar segment = 0; segment < SEGMENTS; segment++) begin : gen_segment
    localparam int LOW  = segment * SEGMENT_BITS;
    localparam int BITS = VALUE_BITS - LOW < SEGMENT_BITS ? VALUE_BITS - LOW : SEGMENT_BITS;

    logic [BITS-1:0] first;
    logic [BITS-1:0] second;
    assign first  = old[LOW+:BITS];
    assign second = summand[LOW+:BITS];

    if (segment == 0) begin : gen_lowest
      logic below;  // the place below the sum, which makes the carry
      assign {carries[1], sum[LOW+:BITS], below} = {1'b0, first, carry} + {1'b0, second, carry};
      logic unused;
      assign unused = below;
    end else begin : gen_higher
      logic [BITS:0] without;
      logic [BITS:0] with_carry;
      logic          below;
      assign without                                = {1'b0, first} + {1'b0, second};
      assign {with_carry, below}                    = {1'b0, first, 1'b1} + {1'b0, second, 1'b1};
      assign {carries[segment+1], sum[LOW+:BITS]} = carries[segment] ? with_carry : without;
      logic unused;
      assign unused = below;
    end
  end

  assign high   = limit_high && carries[SEGMENTS];
  assign low    = limit_low && !carries[SEGMENTS];
  assign stored = ((sum | {VALUE_BITS{high}}) & ~{VALUE_BITS{low || replaces}}) | replacement;
  assign shown  = ((sum | {VALUE_BITS{high}}) & ~{VALUE_BITS{low || hides}}) | disguise;
endmodule

`resetall
