// SPDX-License-Identifier: Apache-2.0
`resetall
`default_nettype none

// Header window: the first bytes of each packet as one word.
//
// Byte 0 of the window, the first on the wire, is the most significant. Bytes behind the packet's end are zero.
// window_length says how many bytes of the packet are in the window; window_ended that there are no others, so
// that window_length is the packet's length. window_user is that of the packet's first beat.
// Flow control: full. With SPACING_CYCLES 2 a beat waits a cycle if its window would come in the cycle after another one:
//   that is the only beat of a packet, or, where a window is one beat, the first of any. So packets of two beats and more
//   never wait for one another. With 1 s_axis_tready is always up, and each cycle may have a window. s_axis_tready does
//   not depend on s_axis_tvalid. A window stands for the one cycle of window_valid.
// Latency: one cycle from the beat that fills the window or ends the packet, whichever comes first.
// Limits: relies on whole packets: every beat but the last full, the last not empty.
module header_window #(
    parameter int DATA_BYTES   = 32,   // bytes a beat, 1 or more
    parameter int USER_BITS    = 128,  // bits of tuser, 1 or more
    parameter int WINDOW_BYTES = 128,  // bytes of a packet that are collected, 1 or more
    parameter int SPACING_CYCLES = 1   // from a window to the next one at least, 1 or 2
) (
    input wire logic clk,
    input wire logic rst,

    input wire logic [DATA_BYTES*8-1:0] s_axis_tdata,
    input wire logic [  DATA_BYTES-1:0] s_axis_tkeep,
    input wire logic [   USER_BITS-1:0] s_axis_tuser,
    input wire logic                    s_axis_tlast,
    input wire logic                    s_axis_tvalid,
    output logic                        s_axis_tready,

    output logic [          WINDOW_BYTES*8-1:0] window_data,
    output logic [$clog2(WINDOW_BYTES+1)-1:0] window_length,  // bytes
    output logic                              window_ended,
    output logic [             USER_BITS-1:0] window_user,
    output logic                              window_valid
);
  if (DATA_BYTES < 1) begin : gen_check_data_bytes
    $fatal(1, "DATA_BYTES must be 1 or more (instance %m)");
  end
  if (USER_BITS < 1) begin : gen_check_user_bits
    $fatal(1, "USER_BITS must be 1 or more (instance %m)");
  end
  if (WINDOW_BYTES < 1) begin : gen_check_window_bytes
    $fatal(1, "WINDOW_BYTES must be 1 or more (instance %m)");
  end

  if (SPACING_CYCLES != 1 && SPACING_CYCLES != 2) begin : gen_check_spacing_cycles
    $fatal(1, "SPACING_CYCLES must be 1 or 2 (instance %m)");
  end

  localparam int WINDOW_BEATS = (WINDOW_BYTES + DATA_BYTES - 1) / DATA_BYTES;
  localparam int FINAL_BYTES  = WINDOW_BYTES - (WINDOW_BEATS - 1) * DATA_BYTES;  // of the beat that fills the window
  localparam int INDEX_BITS   = $clog2(WINDOW_BEATS + 1);

  typedef logic [INDEX_BITS-1:0] index_t;
  typedef logic [$clog2(WINDOW_BYTES+1)-1:0] length_t;

  index_t index_reg;  // beats of this packet that have come, up to WINDOW_BEATS
  logic   belongs;    // this beat belongs to the window
  logic   fills;      // it is the last one that can
  logic   makes;      // it is the last one that does
  logic   move;
  logic   take;
  logic   overflows;  // it has bytes that do not

  logic [WINDOW_BYTES*8-1:0] window_reg;
  length_t                   length_reg;
  length_t                   length_next;
  logic                      ended_reg;
  logic [USER_BITS-1:0]      user_reg;
  logic                      valid_reg;

  assign belongs       = index_reg != index_t'(WINDOW_BEATS);
  assign fills         = index_reg == index_t'(WINDOW_BEATS - 1);
  assign makes         = belongs && (s_axis_tlast || fills);
  assign s_axis_tready = SPACING_CYCLES == 1 || !(valid_reg && makes);
  assign move          = s_axis_tvalid && s_axis_tready;
  assign take          = move && belongs;
  assign window_data   = window_reg;
  assign window_length = length_reg;
  assign window_ended  = ended_reg;
  assign window_user   = user_reg;
  assign window_valid  = valid_reg;

  if (FINAL_BYTES < DATA_BYTES) begin : gen_part
    assign overflows = fills && s_axis_tkeep[FINAL_BYTES];
  end else begin : gen_whole
    assign overflows = 1'b0;
  end

  wire unused = &{1'b0, s_axis_tdata};  // a window shorter than a beat leaves some out

  // The lane at which the bytes end tells how many there are; the other lanes add nothing.
  always_comb begin
    length_next = '0;
    for (int lane = 0; lane < DATA_BYTES; lane++) begin
      if (s_axis_tkeep[lane] && (lane == DATA_BYTES - 1 || !s_axis_tkeep[(lane+1)%DATA_BYTES])) begin
        length_next |= length_t'(lane + 1);
      end
    end
    length_next = overflows ? length_t'(WINDOW_BYTES) : length_t'(index_reg * DATA_BYTES) + length_next;
  end

  for (genvar place = 0; place < WINDOW_BYTES; place++) begin : gen_byte
    localparam int LANE = place % DATA_BYTES;
    localparam int BEAT = place / DATA_BYTES;

    always_ff @(posedge clk) begin
      if (take && index_reg == '0 && (BEAT != 0 || !s_axis_tkeep[LANE])) begin
        window_reg[(WINDOW_BYTES-1-place)*8+:8] <= '0;
      end else if (take && index_reg == index_t'(BEAT)) begin
        window_reg[(WINDOW_BYTES-1-place)*8+:8] <= s_axis_tdata[LANE*8+:8] & {8{s_axis_tkeep[LANE]}};
      end
    end
  end

  always_ff @(posedge clk) begin
    if (take) begin
      length_reg <= length_next;
      ended_reg  <= s_axis_tlast && !overflows;
      if (index_reg == '0) begin
        user_reg <= s_axis_tuser;
      end
    end
    if (move && s_axis_tlast) begin
      index_reg <= '0;
    end else if (take) begin
      index_reg <= index_reg + 1'b1;
    end
    valid_reg <= move && makes;
    if (rst) begin
      index_reg <= '0;
      valid_reg <= 1'b0;
    end
  end
endmodule

`resetall
