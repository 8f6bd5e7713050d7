// SPDX-License-Identifier: Apache-2.0
`resetall
`default_nettype none

// What each wire sends, for the sideband tx_bytes: one report a packet, of the bytes that have left.
//
// It watches the streams that leave and is not in their way.
// Flow control: none; a report stands for one cycle.
// Latency: a packet is reported in the cycle after its last beat has left.
// Limits: bytes as they are in the stream, thus without preamble, checksum and gap; a packet of 65536 bytes or more is
//   reported with 65535.
module tx_meter
  import switch_pkg::*;
#(
    parameter int N_PORTS    = 4,  // 1 to 32
    parameter int DATA_BYTES = 32  // bytes a beat, a power of two, 2 to 256
) (
    input wire logic clk,
    input wire logic rst,

    input wire logic [N_PORTS-1:0][DATA_BYTES-1:0] wire_tkeep,
    input wire logic [N_PORTS-1:0]                 wire_tlast,
    input wire logic [N_PORTS-1:0]                 wire_tvalid,
    input wire logic [N_PORTS-1:0]                 wire_tready,

    output logic [N_PORTS-1:0]                  tx_valid,
    output logic [N_PORTS-1:0][LENGTH_BITS-1:0] tx_bytes
);
  if (N_PORTS < 1 || N_PORTS > 32) begin : gen_check_n_ports
    $fatal(1, "N_PORTS must be 1 to 32 (instance %m)");
  end
  if (DATA_BYTES < 2 || DATA_BYTES > MAX_DATA_BYTES || 2 ** $clog2(DATA_BYTES) != DATA_BYTES) begin : gen_check_data_bytes
    $fatal(1, "DATA_BYTES must be a power of two, 2 to 256 (instance %m)");
  end

  localparam int PLACE_BITS = $clog2(DATA_BYTES);

  typedef logic [LENGTH_BITS-PLACE_BITS-1:0] words_t;
  typedef logic [LENGTH_BITS-1:0] length_t;

  for (genvar i = 0; i < N_PORTS; i++) begin : gen_port
    words_t words_reg;  // full beats of this packet that have left
    logic   pass;

    assign pass = wire_tvalid[i] && wire_tready[i];

    always_ff @(posedge clk) begin
      tx_valid[i] <= pass && wire_tlast[i];
      if (pass) begin
        words_reg   <= wire_tlast[i] ? '0 : &words_reg ? words_reg : words_reg + 1'b1;
        // The highest count of full beats is kept for packets whose length does not fit.
        tx_bytes[i] <= &words_reg ? '1 : {words_reg, PLACE_BITS'(last_byte(MAX_DATA_BYTES'(wire_tkeep[i])))} + length_t'(1);
      end
      if (rst) begin
        words_reg   <= '0;
        tx_valid[i] <= 1'b0;
      end
    end
  end
endmodule

`resetall
