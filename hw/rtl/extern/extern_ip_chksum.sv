// SPDX-License-Identifier: Apache-2.0
`resetall
`default_nettype none

// P4-NetFPGA's ip_chksum: the Internet checksum (RFC 1071) over the 20 bytes of an IPv4 header.
//
// Flow control: none; works every cycle, input_valid or not.
// Latency: LATENCY_CYCLES: a cycle to add words three by three, one to add these sums, one to fold.
// Limits: no field is left out: with hdrChecksum zero the result is a header's checksum, with the one that stands in
//   the header it is zero if that is right.
module extern_ip_chksum #(
    parameter int LATENCY_CYCLES = 3  // 3 or more
) (
    input wire logic clk,
    input wire logic rst,

    input  wire logic        input_valid,
    input  wire logic [ 3:0] version,
    input  wire logic [ 3:0] ihl,
    input  wire logic [ 7:0] tos,
    input  wire logic [15:0] totalLen,
    input  wire logic [15:0] identification,
    input  wire logic [ 2:0] flags,
    input  wire logic [12:0] fragOffset,
    input  wire logic [ 7:0] ttl,
    input  wire logic [ 7:0] protocol,
    input  wire logic [15:0] hdrChecksum,
    input  wire logic [31:0] srcAddr,
    input  wire logic [31:0] dstAddr,
    output logic      [15:0] result_result
);
  localparam int LEAST_CYCLES = 3;

  if (LATENCY_CYCLES < LEAST_CYCLES) begin : gen_check_latency
    $fatal(1, "LATENCY_CYCLES must be %0d or more (instance %m)", LEAST_CYCLES);
  end

  localparam int WORDS = 10;

  logic [WORDS*16-1:0]    header;
  logic [15:0]            word [WORDS];
  logic [17:0]            three_reg [3];
  logic [15:0]            rest_reg;
  logic [19:0]            sum_reg;
  logic [16:0]            folded;

  assign header = {
    {version, ihl, tos},
    totalLen,
    identification,
    {flags, fragOffset},
    {ttl, protocol},
    hdrChecksum,
    srcAddr,
    dstAddr
  };
  always_comb begin
    for (int i = 0; i < WORDS; i++) word[i] = header[16*i+:16];
  end

  // The carries are few: the second fold cannot overflow.
  assign folded = {1'b0, sum_reg[15:0]} + {13'b0, sum_reg[19:16]};

  always_ff @(posedge clk) begin
    for (int i = 0; i < 3; i++) begin
      three_reg[i] <= {2'b0, word[3*i]} + {2'b0, word[3*i+1]} + {2'b0, word[3*i+2]};
    end
    rest_reg <= word[WORDS-1];
    sum_reg  <= ({2'b0, three_reg[0]} + {2'b0, three_reg[1]}) + ({2'b0, three_reg[2]} + {4'b0, rest_reg});
  end

  pipeline_delay #(
      .BITS  (16),
      .CYCLES(LATENCY_CYCLES - LEAST_CYCLES + 1)
  ) delay_inst (
      .clk,
      .rst,
      .in (~(folded[15:0] + {15'b0, folded[16]})),
      .out(result_result)
  );

  // No state, so no request that could be none.
  logic unused;
  assign unused = input_valid;
endmodule

`resetall
