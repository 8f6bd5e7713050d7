// SPDX-License-Identifier: Apache-2.0
`resetall
`default_nettype none

// Gives every key its slot, tells the rings the cycle within a slot, and carries what travels beside a key.
//
// Flow control: takes one key every CYCLES_PER_KEY cycles, in the cycle in which `phase` is 0; what leaves cannot
// be stopped. Nothing is taken in reset, and what was under way is forgotten.
// Latency: LATENCY_CYCLES from the cycle in which a key is taken.
// Limits: a slot that nobody uses passes unused; a key waits for the next one at most CYCLES_PER_KEY - 1 cycles.
module key_slots #(
    parameter int CYCLES_PER_KEY = 4,    // 1 to 128
    parameter int LATENCY_CYCLES = 100,  // 2 or more
    parameter int SIDE_BITS      = 9     // bits that travel with a key, 1 or more
) (
    input wire logic clk,
    input wire logic rst,

    input  wire logic                 s_valid,
    output logic                      s_ready,
    input  wire logic [SIDE_BITS-1:0] s_side,

    output logic [6:0] phase,

    output logic                 m_valid,
    output logic [SIDE_BITS-1:0] m_side
);
  if (CYCLES_PER_KEY < 1 || CYCLES_PER_KEY > 128) begin : gen_check_cycles_per_key
    $fatal(1, "CYCLES_PER_KEY must be from 1 to 128 (instance %m)");
  end
  if (LATENCY_CYCLES < 2) begin : gen_check_latency_cycles
    $fatal(1, "LATENCY_CYCLES must be 2 or more (instance %m)");
  end
  if (SIDE_BITS < 1) begin : gen_check_side_bits
    $fatal(1, "SIDE_BITS must be 1 or more (instance %m)");
  end

  // A line moves once a slot; its last word is good for a whole slot, and taken in the cycle in which it is due.
  // (A value that is refused must not stop the elaboration before the check can say so.)
  localparam int CYCLES = CYCLES_PER_KEY < 1 ? 1 : CYCLES_PER_KEY;
  localparam int SLOTS = (LATENCY_CYCLES - 1 + CYCLES - 1) / CYCLES;
  localparam logic [6:0] EXIT_PHASE = 7'((LATENCY_CYCLES - 1) % CYCLES);

  logic ready_reg;
  logic begins;
  assign begins  = phase == 0;
  assign s_ready = ready_reg;

  if (CYCLES == 1) begin : gen_always
    assign phase = '0;
    always_ff @(posedge clk) ready_reg <= !rst;
  end else begin : gen_count
    localparam int COUNT_BITS = $clog2(CYCLES);
    localparam logic [COUNT_BITS-1:0] LAST = COUNT_BITS'(CYCLES - 1);
    logic [COUNT_BITS-1:0] count_reg;
    assign phase = 7'(count_reg);
    always_ff @(posedge clk) begin
      count_reg <= (count_reg == LAST) ? '0 : count_reg + 1'b1;
      ready_reg <= count_reg == LAST;
      if (rst) begin
        count_reg <= LAST;
        ready_reg <= 1'b0;
      end
    end
  end

  logic [SLOTS-1:0] used_reg;
  logic valid_reg;
  assign m_valid = valid_reg;
  always_ff @(posedge clk) begin
    if (begins) used_reg <= SLOTS'({used_reg, s_valid && s_ready});
    valid_reg <= used_reg[SLOTS-1] && phase == EXIT_PHASE;
    if (rst) begin
      used_reg  <= '0;
      valid_reg <= 1'b0;
    end
  end

  logic [SIDE_BITS-1:0] side;
  logic [SIDE_BITS-1:0] side_reg;
  assign m_side = side_reg;
  delay_line #(
      .BITS  (SIDE_BITS),
      .CYCLES(SLOTS)
  ) side_inst (
      .clk,
      .rst,
      .enable(begins),
      .in    (s_side),
      .out   (side)
  );
  always_ff @(posedge clk) side_reg <= side;
endmodule

`resetall
