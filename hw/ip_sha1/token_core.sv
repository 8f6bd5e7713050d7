// SPDX-License-Identifier: Apache-2.0
`resetall
`default_nettype none

// Token and initial data sequence number (IDSN) of an MPTCP key: the first 32 and the last 64 bits of the hash of its
// 8 bytes in network order, SHA-1 for MPTCP version 0 (RFC 6824), SHA-256 for version 1 (RFC 8684).
//
// Flow control: takes one key every CYCLES_PER_KEY cycles, when s_ready is up; s_ready follows the cycle, never
// s_valid. A result cannot be stopped. Every key that is taken leaves, in order, unless a reset comes between.
// Latency: token_latency(CYCLES_PER_KEY, SHA1_ENABLE, SHA256_ENABLE) cycles, the same for both versions.
// Limits: a key whose version is not built leaves in its turn with m_refused up and its token and IDSN zero.
module token_core
  import token_ring_pkg::*;
  import token_core_pkg::*;
  import sha1_pkg::*;
  import sha256_pkg::*;
#(
    parameter int CYCLES_PER_KEY = 4,  // 1 to MAX_PASSES: more cycles, fewer round units
    parameter int SHA1_ENABLE    = 1,  // 1: version 0 is built, 0: it is refused
    parameter int SHA256_ENABLE  = 1,  // the same for version 1; one of them has to be built
    parameter int TAG_BITS       = 8   // bits of the user's that travel with a key, 1 or more
) (
    input wire logic clk,
    input wire logic rst,

    input  wire logic                s_valid,
    output logic                     s_ready,
    input  wire logic [        63:0] s_key,      // its first byte on the wire in the highest bits
    input  wire logic                s_version,
    input  wire logic [TAG_BITS-1:0] s_tag,

    output logic                m_valid,
    output logic [        31:0] m_token,
    output logic [        63:0] m_idsn,
    output logic                m_version,
    output logic [TAG_BITS-1:0] m_tag,
    output logic                m_refused
);
  if (CYCLES_PER_KEY < 1 || CYCLES_PER_KEY > MAX_PASSES) begin : gen_check_cycles_per_key
    $fatal(1, "CYCLES_PER_KEY must be from 1 to 80 (instance %m)");
  end
  if (SHA1_ENABLE < 0 || SHA1_ENABLE > 1) begin : gen_check_sha1_enable
    $fatal(1, "SHA1_ENABLE must be 0 or 1 (instance %m)");
  end
  if (SHA256_ENABLE < 0 || SHA256_ENABLE > 1) begin : gen_check_sha256_enable
    $fatal(1, "SHA256_ENABLE must be 0 or 1 (instance %m)");
  end
  if (SHA1_ENABLE == 0 && SHA256_ENABLE == 0) begin : gen_check_enable
    $fatal(1, "SHA1_ENABLE and SHA256_ENABLE must not both be 0 (instance %m)");
  end
  if (TAG_BITS < 1) begin : gen_check_tag_bits
    $fatal(1, "TAG_BITS must be 1 or more (instance %m)");
  end

  // The quicker hash starts later, so that both end in the same cycle; the last addition takes one more.
  // (A value that is refused must not stop the elaboration before the check can say so.)
  localparam int PASSES = (CYCLES_PER_KEY < 1 || CYCLES_PER_KEY > MAX_PASSES) ? 1 : CYCLES_PER_KEY;
  localparam int LATENCY_CYCLES = token_latency(PASSES, SHA1_ENABLE, SHA256_ENABLE);
  localparam int RING_CYCLES = LATENCY_CYCLES - 1;

  pass_t phase;
  logic valid;
  logic version;
  logic [TAG_BITS-1:0] tag;
  key_slots #(
      .CYCLES_PER_KEY(CYCLES_PER_KEY),
      .LATENCY_CYCLES(RING_CYCLES),
      .SIDE_BITS     (1 + TAG_BITS)
  ) slots_inst (
      .clk,
      .rst,
      .s_valid,
      .s_ready,
      .s_side ({s_version, s_tag}),
      .phase,
      .m_valid(valid),
      .m_side ({version, tag})
  );

  logic [95:0] sha1_words;
  if (SHA1_ENABLE != 0) begin : gen_sha1
    sha1_ring #(
        .CYCLES_PER_KEY(CYCLES_PER_KEY),
        .DELAY_CYCLES  (RING_CYCLES - sha1_latency(PASSES))
    ) sha1_inst (
        .clk,
        .rst,
        .phase,
        .key  (s_key),
        .words(sha1_words)
    );
  end else begin : gen_no_sha1
    assign sha1_words = '0;
  end

  logic [95:0] sha256_words;
  if (SHA256_ENABLE != 0) begin : gen_sha256
    sha256_ring #(
        .CYCLES_PER_KEY(CYCLES_PER_KEY),
        .DELAY_CYCLES  (RING_CYCLES - sha256_latency(PASSES))
    ) sha256_inst (
        .clk,
        .rst,
        .phase,
        .key  (s_key),
        .words(sha256_words)
    );
  end else begin : gen_no_sha256
    assign sha256_words = '0;
  end

  // Words of the digest, the token's first.
  logic refused;
  typedef word_t [2:0] words_t;
  words_t initial_words;
  words_t words;
  always_comb begin
    refused       = SHA1_ENABLE == 0;
    initial_words = words_t'({SHA1_INITIAL[0], SHA1_INITIAL[3], SHA1_INITIAL[4]});
    words         = words_t'(sha1_words);
    if (version) begin
      refused       = SHA256_ENABLE == 0;
      initial_words = words_t'({SHA256_INITIAL[0], SHA256_INITIAL[6], SHA256_INITIAL[7]});
      words         = words_t'(sha256_words);
    end
  end

  logic                valid_reg;
  logic [        95:0] digest_reg;
  logic                version_reg;
  logic [TAG_BITS-1:0] tag_reg;
  logic                refused_reg;
  assign m_valid           = valid_reg;
  assign {m_token, m_idsn} = digest_reg;
  assign m_version         = version_reg;
  assign m_tag             = tag_reg;
  assign m_refused         = refused_reg;
  always_ff @(posedge clk) begin
    valid_reg   <= valid;
    version_reg <= version;
    tag_reg     <= tag;
    refused_reg <= refused;
    digest_reg  <= {initial_words[2] + words[2], initial_words[1] + words[1], initial_words[0] + words[0]};
    if (refused) digest_reg <= '0;
    if (rst) valid_reg <= 1'b0;
  end
endmodule

`resetall
