// SPDX-License-Identifier: Apache-2.0
`resetall
`default_nettype none

// Joins N_PORTS streams into one, packet by packet, round robin.
//
// The next port is chosen, from those that wait, while the last beat of a packet passes, so that the choice is a
// register. Where none waits the choice stays, and moves on once another port has something and this one has not.
// Flow control: full; a beat every cycle while any chosen port has one, also with packets of one beat. A waiting
//   port sees at most N_PORTS-1 packets of others pass. m_axis_tready reaches s_axis_tready without a register.
// Latency: one cycle for the port that is chosen already, two otherwise.
// Limits: a port that pauses inside a packet holds up all others.
module axis_arbiter #(
    parameter int N_PORTS    = 4,   // streams, 1 to 16
    parameter int DATA_BYTES = 32,  // bytes a beat, 1 or more
    parameter int USER_BITS  = 128  // bits of tuser, 1 or more
) (
    input wire logic clk,
    input wire logic rst,

    input  wire logic [N_PORTS-1:0][DATA_BYTES*8-1:0] s_axis_tdata,
    input  wire logic [N_PORTS-1:0][  DATA_BYTES-1:0] s_axis_tkeep,
    input  wire logic [N_PORTS-1:0][   USER_BITS-1:0] s_axis_tuser,
    input  wire logic [N_PORTS-1:0]                   s_axis_tlast,
    input  wire logic [N_PORTS-1:0]                   s_axis_tvalid,
    output logic      [N_PORTS-1:0]                   s_axis_tready,

    output logic [              DATA_BYTES*8-1:0] m_axis_tdata,
    output logic [                DATA_BYTES-1:0] m_axis_tkeep,
    output logic [                 USER_BITS-1:0] m_axis_tuser,
    output logic [(N_PORTS > 1 ? $clog2(N_PORTS) : 1)-1:0] m_axis_tid,  // the port that the beat came from
    output logic                                  m_axis_tlast,
    output logic                                  m_axis_tvalid,
    input  wire logic                             m_axis_tready
);
  if (N_PORTS < 1 || N_PORTS > 16) begin : gen_check_n_ports
    $fatal(1, "N_PORTS must be 1 to 16 (instance %m)");
  end
  if (DATA_BYTES < 1) begin : gen_check_data_bytes
    $fatal(1, "DATA_BYTES must be 1 or more (instance %m)");
  end
  if (USER_BITS < 1) begin : gen_check_user_bits
    $fatal(1, "USER_BITS must be 1 or more (instance %m)");
  end

  typedef logic [(N_PORTS > 1 ? $clog2(N_PORTS) : 1)-1:0] port_t;

  typedef struct packed {
    port_t                   id;
    logic                    last;
    logic [USER_BITS-1:0]    user;
    logic [DATA_BYTES-1:0]   keep;
    logic [DATA_BYTES*8-1:0] data;
  } beat_t;

  port_t chosen_reg;
  port_t next;
  logic  above;       // next is above the chosen port
  logic  inside_reg;  // the chosen port has begun a packet and not ended it
  beat_t out_reg;
  logic  out_valid_reg;
  logic  out_move;
  beat_t in;
  logic  in_valid;

  assign {m_axis_tid, m_axis_tlast, m_axis_tuser, m_axis_tkeep, m_axis_tdata} = out_reg;
  assign m_axis_tvalid = out_valid_reg;
  assign out_move      = m_axis_tready || !out_valid_reg;

  assign in_valid = s_axis_tvalid[chosen_reg];
  assign in = '{
          id: chosen_reg,
          last: s_axis_tlast[chosen_reg],
          user: s_axis_tuser[chosen_reg],
          keep: s_axis_tkeep[chosen_reg],
          data: s_axis_tdata[chosen_reg]
      };

  always_comb begin
    s_axis_tready             = '0;
    s_axis_tready[chosen_reg] = out_move;
  end

  // The nearest waiting port above the chosen one, else the lowest, else the chosen one.
  always_comb begin
    next  = chosen_reg;
    above = 1'b0;
    for (int i = N_PORTS - 1; i >= 0; i--) begin
      if (s_axis_tvalid[i] && (port_t'(i) > chosen_reg || !above)) begin
        next  = port_t'(i);
        above = port_t'(i) > chosen_reg;
      end
    end
  end

  always_ff @(posedge clk) begin
    if (out_move) begin
      out_reg       <= in;
      out_valid_reg <= in_valid;
      if (in_valid) begin
        inside_reg <= !in.last;
      end
    end
    if (in_valid ? out_move && in.last : !inside_reg) begin
      chosen_reg <= next;
    end
    if (rst) begin
      chosen_reg    <= '0;
      inside_reg    <= 1'b0;
      out_valid_reg <= 1'b0;
    end
  end
endmodule

`resetall
