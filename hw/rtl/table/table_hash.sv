// SPDX-License-Identifier: Apache-2.0
`resetall
`default_nettype none

// Hash of a key: one place for each way of a table.
//
// The key is folded into 64 bits, each key bit into eight of them that the seed chooses; then six rounds of the
// Feistel network of the cipher SIMON mix these, one LUT a bit and round. The fold alone, as a CRC, would be
// linear: keys that are alike (sequences, prefixes, pairs of addresses) fall on too few places, the same in all
// ways. The rounds are not linear, and no keys are known that they serve badly.
//
// Flow control: none; a key every cycle.
// Latency: table_exact_pkg::HASH_CYCLES.
// Limits: it is no cipher: who knows the seed can make keys that fall together.
module table_hash #(
    parameter int KEY_BITS   = 48,           // 1 to 512
    parameter int WAYS       = 3,            // 1 to 8
    parameter int PLACE_BITS = 10,           // bits of a place, 1 to 16
    parameter int SEED       = 1779033703  // any
) (
    input wire logic clk,

    input  wire logic [KEY_BITS-1:0]             key,
    output logic      [WAYS-1:0][PLACE_BITS-1:0] places
);
  if (KEY_BITS < 1 || KEY_BITS > 512) begin : gen_check_key_bits
    $fatal(1, "KEY_BITS must be from 1 to 512 (instance %m)");
  end
  if (WAYS < 1 || WAYS > 8) begin : gen_check_ways
    $fatal(1, "WAYS must be from 1 to 8 (instance %m)");
  end
  if (PLACE_BITS < 1 || PLACE_BITS > 16) begin : gen_check_place_bits
    $fatal(1, "PLACE_BITS must be from 1 to 16 (instance %m)");
  end

  localparam int HALF_BITS    = 32;
  localparam int STATE_BITS   = 2 * HALF_BITS;
  localparam int EARLY_ROUNDS = 2;
  localparam int LATE_ROUNDS  = 4;

  typedef logic [HALF_BITS-1:0]  half_t;
  typedef logic [STATE_BITS-1:0] state_t;
  typedef logic [7:0][KEY_BITS-1:0] octet_t;  // the key bits that each bit of an octet of the state takes

  // A number that looks random, from a number.
  function automatic half_t scrambled(input half_t number);
    half_t x;
    x = number;
    x = (x ^ (x >> 16)) * 32'h7feb352d;
    x = (x ^ (x >> 15)) * 32'h846ca68b;
    return x ^ (x >> 16);
  endfunction

  // Key bit i goes into one bit of each octet of the state: in three octets by the digits of i, so that no two key
  // bits go the same ways, in the others by the seed.
  function automatic octet_t fold_of_octet(input int octet);
    octet_t     fold;
    logic [2:0] digit;
    fold = '0;
    for (int i = 0; i < KEY_BITS; i++) begin
      if (octet < 3) digit = 3'(unsigned'(i) >> (3 * octet));
      else digit = 3'(scrambled(half_t'(SEED) ^ (half_t'(i) * 32'h9e3779b1)) >> (3 * (octet - 3)));
      fold[digit][i] = 1'b1;
    end
    return fold;
  endfunction

  function automatic state_t mixed(input state_t state, input int first_round, input int rounds);
    half_t left;
    half_t right;
    half_t next;
    {left, right} = state;
    for (int number = first_round; number < first_round + rounds; number++) begin
      next  = right ^ ({left[30:0], left[31]} & {left[23:0], left[31:24]}) ^ {left[29:0], left[31:30]};
      next  = next ^ scrambled(half_t'(SEED) + 32'h01000193 * half_t'(number + 1));
      right = left;
      left  = next;
    end
    return {left, right};
  endfunction

  state_t folded;
  for (genvar octet = 0; octet < 8; octet++) begin : gen_octet
    localparam octet_t FOLD = fold_of_octet(octet);
    for (genvar digit = 0; digit < 8; digit++) begin : gen_fold
      assign folded[octet*8+digit] = ^(key & FOLD[digit]);
    end
  end

  state_t early_reg;
  state_t late;
  always_ff @(posedge clk) early_reg <= mixed(folded, 0, EARLY_ROUNDS);
  assign late = mixed(early_reg, EARLY_ROUNDS, LATE_ROUNDS);

  // Places take the bits of the state in order; where these end, functions of several of them.
  for (genvar way = 0; way < WAYS; way++) begin : gen_way
    for (genvar place_bit = 0; place_bit < PLACE_BITS; place_bit++) begin : gen_bit
      localparam int NUMBER = way * PLACE_BITS + place_bit;
      localparam int AGAIN  = NUMBER % STATE_BITS;
      if (NUMBER < STATE_BITS) begin : gen_own
        always_ff @(posedge clk) places[way][place_bit] <= late[NUMBER];
      end else begin : gen_more
        always_ff @(posedge clk) begin
          places[way][place_bit] <= late[AGAIN] ^ late[(AGAIN+19)%STATE_BITS] ^
              (late[(AGAIN+37)%STATE_BITS] & late[(AGAIN+50)%STATE_BITS]);
        end
      end
    end
  end
endmodule

`resetall
