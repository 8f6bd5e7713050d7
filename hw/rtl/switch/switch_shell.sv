// SPDX-License-Identifier: Apache-2.0
`resetall
`default_nettype none

// Everything of a switch but its program and its registers: arbiter, queues, meter, counters, joined.
//
// The program is a stream in (m_axis_program) and a stream out (s_axis_program), with TUSER as switch_pkg has it; what
// the registers drive is cfg_*, what they show is status_* and the window of the counters. A port is up while its link
// is and cfg_enable allows it.
// Flow control: that of input_arbiter and output_queues. The program's output never stalls.
// Latency: that of input_arbiter, of the program, of output_queues.
// Limits: those of input_arbiter, output_queues, tx_meter and counter_bank. The counters are those of
//   hw/regs/switch_counters.rdl, in its order.
module switch_shell
  import switch_pkg::*;
#(
    parameter int N_PORTS          = 4,     // wires, 1 to 32
    parameter int INPUT_WORDS      = 512,   // beats an input queue, as input_arbiter has it
    parameter int OUTPUT_WORDS     = 2048,  // beats an output queue, as output_queues has it
    parameter int MAX_PACKET_BYTES = 1600,  // of a packet that comes in, as input_arbiter has it
    parameter int MAX_GROWTH_BYTES = 32,    // that the program may add to a packet, 0 or more
    parameter int QUANTUM_BYTES    = 2048,  // a turn of a source, as input_arbiter has it
    parameter int CREDIT_WORDS     = 64,    // of a source in a queue that fills, as output_queues has it
    parameter int DATA_BYTES       = 32     // bytes a beat, a power of two, 2 to 256
) (
    input wire logic clk,
    input wire logic rst,

    input wire logic [N_PORTS-1:0][DATA_BYTES*8-1:0] s_axis_wire_tdata,
    input wire logic [N_PORTS-1:0][  DATA_BYTES-1:0] s_axis_wire_tkeep,
    input wire logic [N_PORTS-1:0]                   s_axis_wire_tlast,
    input wire logic [N_PORTS-1:0]                   s_axis_wire_tbad,
    input wire logic [N_PORTS-1:0]                   s_axis_wire_tvalid,

    input  wire logic [       DATA_BYTES*8-1:0] s_axis_cpu_tdata,
    input  wire logic [         DATA_BYTES-1:0] s_axis_cpu_tkeep,
    input  wire logic [index_bits(N_PORTS)-1:0] s_axis_cpu_tuser,   // the port whose CPU side sends
    input  wire logic                           s_axis_cpu_tlast,
    input  wire logic                           s_axis_cpu_tbad,
    input  wire logic                           s_axis_cpu_tvalid,
    output logic                                s_axis_cpu_tready,

    input  wire logic [DATA_BYTES*8-1:0] s_axis_probe_tdata,
    input  wire logic [  DATA_BYTES-1:0] s_axis_probe_tkeep,
    input  wire logic                    s_axis_probe_tlast,
    input  wire logic                    s_axis_probe_tvalid,
    output logic                         s_axis_probe_tready,

    output logic [      DATA_BYTES*8-1:0] m_axis_program_tdata,
    output logic [        DATA_BYTES-1:0] m_axis_program_tkeep,
    output logic [user_bits(N_PORTS)-1:0] m_axis_program_tuser,
    output logic                          m_axis_program_tlast,
    output logic                          m_axis_program_tvalid,
    input  wire logic                     m_axis_program_tready,

    input  wire logic [      DATA_BYTES*8-1:0] s_axis_program_tdata,
    input  wire logic [        DATA_BYTES-1:0] s_axis_program_tkeep,
    input  wire logic [user_bits(N_PORTS)-1:0] s_axis_program_tuser,
    input  wire logic [      DATA_BYTES*8-1:0] s_axis_program_tdigest,
    input  wire logic                          s_axis_program_tlast,
    input  wire logic                          s_axis_program_tvalid,
    output logic                               s_axis_program_tready,

    output logic [N_PORTS-1:0][DATA_BYTES*8-1:0] m_axis_wire_tdata,
    output logic [N_PORTS-1:0][  DATA_BYTES-1:0] m_axis_wire_tkeep,
    output logic [N_PORTS-1:0]                   m_axis_wire_tlast,
    output logic [N_PORTS-1:0]                   m_axis_wire_tvalid,
    input  wire logic [N_PORTS-1:0]              m_axis_wire_tready,

    output logic [        DATA_BYTES*8-1:0] m_axis_cpu_tdata,
    output logic [          DATA_BYTES-1:0] m_axis_cpu_tkeep,
    output logic [2*port_bits(N_PORTS)-1:0] m_axis_cpu_tuser,   // dst_port, src_port
    output logic                            m_axis_cpu_tlast,
    output logic                            m_axis_cpu_tvalid,
    input  wire logic                       m_axis_cpu_tready,

    // Sidebands.
    input  wire logic [N_PORTS-1:0]             link_up,   // of this clock
    output logic [N_PORTS-1:0]                  port_up,
    output logic [N_PORTS-1:0]                  tx_valid,  // as tx_meter has them
    output logic [N_PORTS-1:0][LENGTH_BITS-1:0] tx_bytes,

    // Registers.
    input  wire logic [N_PORTS-1:0]                    cfg_enable,
    input  wire logic [RATE_BITS-1:0]                  cfg_from_cpu_rate,   // as token_bucket has them
    input  wire logic [LENGTH_BITS-1:0]                cfg_from_cpu_burst,
    input  wire logic [RATE_BITS-1:0]                  cfg_to_cpu_rate,
    input  wire logic [LENGTH_BITS-1:0]                cfg_to_cpu_burst,
    output logic [N_PORTS:0][QUEUE_SIZE_BITS-1:0]      status_queue_size,   // in QUEUE_UNIT_BYTES
    input  wire logic                                  window_clear,        // as counter_bank has them
    input  wire logic                                  window_request,
    input  wire logic                                  window_write,
    input  wire logic [counter_word_bits(N_PORTS)-1:0] window_address,
    output logic                                       window_done,
    output logic [31:0]                                window_data
);
  if (MAX_GROWTH_BYTES < 0) begin : gen_check_max_growth_bytes
    $fatal(1, "MAX_GROWTH_BYTES must be 0 or more (instance %m)");
  end

  localparam int N_SOURCES        = N_PORTS + 2;
  localparam int N_QUEUES         = N_PORTS + 1;
  localparam int MAX_PACKET_WORDS = (MAX_PACKET_BYTES + MAX_GROWTH_BYTES + DATA_BYTES - 1) / DATA_BYTES;

  logic [N_SOURCES-1:0]                  rx_packets;
  logic [N_SOURCES-1:0][LENGTH_BITS-1:0] rx_bytes;
  logic [N_SOURCES-1:0]                  rx_bad;
  logic [N_SOURCES-1:0]                  rx_long;
  logic [N_SOURCES-1:0]                  rx_full;
  logic [N_QUEUES-1:0]                   queue_packets;
  logic [N_QUEUES-1:0]                   queue_full;
  logic [N_QUEUES-1:0]                   queue_share;
  logic [N_QUEUES-1:0]                   queue_down;
  logic [N_QUEUES-1:0]                   queue_discarded;
  logic [N_QUEUES-1:0]                   tx_packets;
  logic                                  queue_nowhere;
  logic                                  digest_full;

  always_ff @(posedge clk) begin
    port_up <= link_up & cfg_enable;
    if (rst) begin
      port_up <= '0;
    end
  end

  input_arbiter #(
      .N_PORTS         (N_PORTS),
      .QUEUE_WORDS     (INPUT_WORDS),
      .MAX_PACKET_BYTES(MAX_PACKET_BYTES),
      .QUANTUM_BYTES   (QUANTUM_BYTES),
      .DATA_BYTES      (DATA_BYTES)
  ) arbiter_inst (
      .clk                (clk),
      .rst                (rst),
      .s_axis_wire_tdata  (s_axis_wire_tdata),
      .s_axis_wire_tkeep  (s_axis_wire_tkeep),
      .s_axis_wire_tlast  (s_axis_wire_tlast),
      .s_axis_wire_tbad   (s_axis_wire_tbad),
      .s_axis_wire_tvalid (s_axis_wire_tvalid),
      .s_axis_cpu_tdata   (s_axis_cpu_tdata),
      .s_axis_cpu_tkeep   (s_axis_cpu_tkeep),
      .s_axis_cpu_tuser   (s_axis_cpu_tuser),
      .s_axis_cpu_tlast   (s_axis_cpu_tlast),
      .s_axis_cpu_tbad    (s_axis_cpu_tbad),
      .s_axis_cpu_tvalid  (s_axis_cpu_tvalid),
      .s_axis_cpu_tready  (s_axis_cpu_tready),
      .s_axis_probe_tdata (s_axis_probe_tdata),
      .s_axis_probe_tkeep (s_axis_probe_tkeep),
      .s_axis_probe_tlast (s_axis_probe_tlast),
      .s_axis_probe_tvalid(s_axis_probe_tvalid),
      .s_axis_probe_tready(s_axis_probe_tready),
      .m_axis_tdata       (m_axis_program_tdata),
      .m_axis_tkeep       (m_axis_program_tkeep),
      .m_axis_tuser       (m_axis_program_tuser),
      .m_axis_tlast       (m_axis_program_tlast),
      .m_axis_tvalid      (m_axis_program_tvalid),
      .m_axis_tready      (m_axis_program_tready),
      .queue_size         (status_queue_size),
      .cfg_cpu_rate       (cfg_from_cpu_rate),
      .cfg_cpu_burst      (cfg_from_cpu_burst),
      .status_taken       (rx_packets),
      .status_taken_bytes (rx_bytes),
      .status_dropped_bad (rx_bad),
      .status_dropped_long(rx_long),
      .status_dropped_full(rx_full)
  );

  output_queues #(
      .N_PORTS         (N_PORTS),
      .QUEUE_WORDS     (OUTPUT_WORDS),
      .CREDIT_WORDS    (CREDIT_WORDS),
      .MAX_PACKET_WORDS(MAX_PACKET_WORDS),
      .DATA_BYTES      (DATA_BYTES)
  ) queues_inst (
      .clk                   (clk),
      .rst                   (rst),
      .s_axis_tdata          (s_axis_program_tdata),
      .s_axis_tkeep          (s_axis_program_tkeep),
      .s_axis_tuser          (s_axis_program_tuser),
      .s_axis_tdigest        (s_axis_program_tdigest),
      .s_axis_tlast          (s_axis_program_tlast),
      .s_axis_tvalid         (s_axis_program_tvalid),
      .s_axis_tready         (s_axis_program_tready),
      .m_axis_wire_tdata     (m_axis_wire_tdata),
      .m_axis_wire_tkeep     (m_axis_wire_tkeep),
      .m_axis_wire_tlast     (m_axis_wire_tlast),
      .m_axis_wire_tvalid    (m_axis_wire_tvalid),
      .m_axis_wire_tready    (m_axis_wire_tready),
      .m_axis_cpu_tdata      (m_axis_cpu_tdata),
      .m_axis_cpu_tkeep      (m_axis_cpu_tkeep),
      .m_axis_cpu_tuser      (m_axis_cpu_tuser),
      .m_axis_cpu_tlast      (m_axis_cpu_tlast),
      .m_axis_cpu_tvalid     (m_axis_cpu_tvalid),
      .m_axis_cpu_tready     (m_axis_cpu_tready),
      .port_up               (port_up),
      .cfg_cpu_rate          (cfg_to_cpu_rate),
      .cfg_cpu_burst         (cfg_to_cpu_burst),
      .queue_size            (status_queue_size),
      .status_taken          (queue_packets),
      .status_dropped_full   (queue_full),
      .status_dropped_share  (queue_share),
      .status_dropped_down   (queue_down),
      .status_left           (tx_packets),
      .status_discarded      (queue_discarded),
      .status_dropped_nowhere(queue_nowhere),
      .status_dropped_digest (digest_full)
  );

  tx_meter #(
      .N_PORTS   (N_PORTS),
      .DATA_BYTES(DATA_BYTES)
  ) meter_inst (
      .clk        (clk),
      .rst        (rst),
      .wire_tkeep (m_axis_wire_tkeep),
      .wire_tlast (m_axis_wire_tlast),
      .wire_tvalid(m_axis_wire_tvalid),
      .wire_tready(m_axis_wire_tready),
      .tx_valid   (tx_valid),
      .tx_bytes   (tx_bytes)
  );

  // ---- the counters, in the order of their register file: the first of each line is the lowest

  logic [byte_counters(N_PORTS)-1:0][LENGTH_BITS-1:0] amount;

  always_comb begin
    for (int i = 0; i < N_SOURCES; i++) begin
      amount[i] = rx_packets[i] ? rx_bytes[i] : '0;
    end
    for (int i = 0; i < N_PORTS; i++) begin
      amount[N_SOURCES+i] = tx_valid[i] ? tx_bytes[i] : '0;
    end
  end

  counter_bank #(
      .N_AMOUNTS  (byte_counters(N_PORTS)),
      .AMOUNT_BITS(LENGTH_BITS),
      .N_PULSES   (packet_counters(N_PORTS))
  ) counters_inst (
      .clk           (clk),
      .rst           (rst),
      .amount        (amount),
      .pulse         ({
        digest_full, queue_nowhere, tx_packets, queue_discarded, queue_down, queue_share, queue_full, queue_packets,
        rx_full, rx_long, rx_bad, rx_packets
      }),
      .clear         (window_clear),
      .window_request(window_request),
      .window_write  (window_write),
      .window_address(window_address),
      .window_done   (window_done),
      .window_data   (window_data)
  );
endmodule

`resetall
