// SPDX-License-Identifier: Apache-2.0
`resetall
`default_nettype none

// For the test of the registers: the register block of hw/regs in front of a switch_shell whose program sends every
// packet of wire 0 to wire 1 and all others to the CPU side of port 0.
module switch_registers_top
  import switch_pkg::*;
#(
    parameter int N_PORTS = 4  // as of the register block
) (
    input wire logic clk,
    input wire logic rst,

    input  wire logic [22:0] s_axil_awaddr,
    input  wire logic [ 2:0] s_axil_awprot,
    input  wire logic        s_axil_awvalid,
    output logic             s_axil_awready,
    input  wire logic [31:0] s_axil_wdata,
    input  wire logic [ 3:0] s_axil_wstrb,
    input  wire logic        s_axil_wvalid,
    output logic             s_axil_wready,
    output logic      [ 1:0] s_axil_bresp,
    output logic             s_axil_bvalid,
    input  wire logic        s_axil_bready,
    input  wire logic [22:0] s_axil_araddr,
    input  wire logic [ 2:0] s_axil_arprot,
    input  wire logic        s_axil_arvalid,
    output logic             s_axil_arready,
    output logic      [31:0] s_axil_rdata,
    output logic      [ 1:0] s_axil_rresp,
    output logic             s_axil_rvalid,
    input  wire logic        s_axil_rready,

    input wire logic [N_PORTS-1:0][255:0] s_axis_wire_tdata,
    input wire logic [N_PORTS-1:0][ 31:0] s_axis_wire_tkeep,
    input wire logic [N_PORTS-1:0]        s_axis_wire_tlast,
    input wire logic [N_PORTS-1:0]        s_axis_wire_tbad,
    input wire logic [N_PORTS-1:0]        s_axis_wire_tvalid,

    output logic [N_PORTS-1:0][255:0] m_axis_wire_tdata,
    output logic [N_PORTS-1:0][ 31:0] m_axis_wire_tkeep,
    output logic [N_PORTS-1:0]        m_axis_wire_tlast,
    output logic [N_PORTS-1:0]        m_axis_wire_tvalid,
    input  wire logic [N_PORTS-1:0]   m_axis_wire_tready,

    output logic [255:0] m_axis_cpu_tdata,
    output logic [ 31:0] m_axis_cpu_tkeep,
    output logic         m_axis_cpu_tlast,
    output logic         m_axis_cpu_tvalid,
    input  wire logic    m_axis_cpu_tready,

    input  wire logic [N_PORTS-1:0] link_up,
    output logic      [N_PORTS-1:0] port_up
);
  localparam int USER_BITS = user_bits(N_PORTS);

  switch_regs_pkg::switch__in_t  hwif_in;
  switch_regs_pkg::switch__out_t hwif_out;

  switch_regs registers_inst (.*);

  logic [255:0] program_data;
  logic [31:0] program_keep;
  logic [USER_BITS-1:0] program_user, routed_user;
  logic program_last, program_valid, program_ready;
  logic [N_PORTS:0][QUEUE_SIZE_BITS-1:0] queue_size;
  logic [N_PORTS-1:0] enable;
  logic window_done, window_is_write_reg;

  always_comb begin
    routed_user = program_user;
    routed_user[dst_port_low(N_PORTS)+:port_bits(N_PORTS)] =
        port_bits(N_PORTS)'(program_user[src_port_low()] ? 4 : 2);
  end

  always_ff @(posedge clk) begin
    if (hwif_out.counters.req) begin
      window_is_write_reg <= hwif_out.counters.req_is_wr;
    end
  end

  assign hwif_in.counters.rd_ack = window_done && !window_is_write_reg;
  assign hwif_in.counters.wr_ack = window_done && window_is_write_reg;
  assign hwif_in.identity.revision.hash.next = 32'h1234abcd;

  for (genvar i = 0; i <= N_PORTS; i++) begin : gen_queue
    assign hwif_in.queues.size[i].units.next = queue_size[i];
  end

  for (genvar i = 0; i < N_PORTS; i++) begin : gen_port
    assign enable[i]                         = hwif_out.port[i].control.enable.value;
    assign hwif_in.port[i].status.link.next  = link_up[i];
    assign hwif_in.port[i].status.up.next    = port_up[i];
  end

  switch_shell #(
      .N_PORTS(N_PORTS)
  ) shell_inst (
      .clk,
      .rst,
      .s_axis_wire_tdata,
      .s_axis_wire_tkeep,
      .s_axis_wire_tlast,
      .s_axis_wire_tbad,
      .s_axis_wire_tvalid,
      .s_axis_cpu_tdata     ('0),
      .s_axis_cpu_tkeep     ('0),
      .s_axis_cpu_tuser     ('0),
      .s_axis_cpu_tlast     (1'b0),
      .s_axis_cpu_tbad      (1'b0),
      .s_axis_cpu_tvalid    (1'b0),
      .s_axis_cpu_tready    (),
      .s_axis_probe_tdata   ('0),
      .s_axis_probe_tkeep   ('0),
      .s_axis_probe_tlast   (1'b0),
      .s_axis_probe_tvalid  (1'b0),
      .s_axis_probe_tready  (),
      .m_axis_program_tdata (program_data),
      .m_axis_program_tkeep (program_keep),
      .m_axis_program_tuser (program_user),
      .m_axis_program_tlast (program_last),
      .m_axis_program_tvalid(program_valid),
      .m_axis_program_tready(program_ready),
      .s_axis_program_tdata (program_data),
      .s_axis_program_tkeep (program_keep),
      .s_axis_program_tuser (routed_user),
      .s_axis_program_tdigest('0),
      .s_axis_program_tlast (program_last),
      .s_axis_program_tvalid(program_valid),
      .s_axis_program_tready(program_ready),
      .m_axis_wire_tdata,
      .m_axis_wire_tkeep,
      .m_axis_wire_tlast,
      .m_axis_wire_tvalid,
      .m_axis_wire_tready,
      .m_axis_cpu_tdata,
      .m_axis_cpu_tkeep,
      .m_axis_cpu_tuser     (),
      .m_axis_cpu_tlast,
      .m_axis_cpu_tvalid,
      .m_axis_cpu_tready,
      .link_up,
      .port_up,
      .tx_valid             (),
      .tx_bytes             (),
      .cfg_enable           (enable),
      .cfg_from_cpu_rate    (hwif_out.arbiter.cpu.rate.bytes_a_cycle.value),
      .cfg_from_cpu_burst   (hwif_out.arbiter.cpu.burst.bytes.value),
      .cfg_to_cpu_rate      (hwif_out.queues.cpu.rate.bytes_a_cycle.value),
      .cfg_to_cpu_burst     (hwif_out.queues.cpu.burst.bytes.value),
      .status_queue_size    (queue_size),
      .window_clear         (hwif_out.counting.command.clear.value),
      .window_request       (hwif_out.counters.req),
      .window_write         (hwif_out.counters.req_is_wr),
      .window_address       (hwif_out.counters.addr[2+:counter_word_bits(N_PORTS)]),
      .window_done          (window_done),
      .window_data          (hwif_in.counters.rd_data)
  );
endmodule

`resetall
