// SPDX-License-Identifier: Apache-2.0
`resetall
`default_nettype none

// A register stage that breaks one rule of the stream contract: what the bench's monitor is tried on.
module faulty_stream #(
    parameter int FAULT = 0  // 0 none; else the rule that is broken, as the test file numbers them
) (
    input wire logic clk,
    input wire logic rst,

    input  wire logic [31:0] s_axis_tdata,
    input  wire logic [ 3:0] s_axis_tkeep,
    input  wire logic        s_axis_tlast,
    input  wire logic        s_axis_tvalid,
    output logic             s_axis_tready,

    output logic [31:0] m_axis_tdata,
    output logic [ 3:0] m_axis_tkeep,
    output logic        m_axis_tlast,
    output logic        m_axis_tvalid,
    input  wire logic   m_axis_tready
);
  logic [31:0] data_reg;
  logic [ 3:0] keep_reg;
  logic        last_reg;
  logic        valid_reg;
  logic        stalled_reg;
  logic [ 3:0] count_reg;

  assign s_axis_tready = m_axis_tready || !valid_reg;
  assign m_axis_tvalid = (FAULT == 1) ? valid_reg && !stalled_reg : (FAULT == 3) ? valid_reg && m_axis_tready : valid_reg;
  assign m_axis_tdata  = (FAULT == 2 && stalled_reg) ? ~data_reg : data_reg;
  assign m_axis_tkeep  = (FAULT == 4 && !last_reg) ? 4'h7 : (FAULT == 5 && last_reg) ? 4'h5 : (FAULT == 6) ? 4'hF : keep_reg;
  assign m_axis_tlast  = (FAULT == 6) ? 1'b0 : last_reg;

  always_ff @(posedge clk) begin
    stalled_reg <= m_axis_tvalid && !m_axis_tready;
    if (s_axis_tready) begin
      data_reg  <= s_axis_tdata;
      keep_reg  <= s_axis_tkeep;
      last_reg  <= s_axis_tlast;
      valid_reg <= s_axis_tvalid && !(FAULT == 7 && count_reg == 4'd9);
      count_reg <= count_reg + 4'(s_axis_tvalid);
    end
    if (rst) begin
      valid_reg <= 1'b0;
      count_reg <= 4'd0;
    end
  end
endmodule

`resetall
