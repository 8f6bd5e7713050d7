// SPDX-License-Identifier: Apache-2.0
`resetall
`default_nettype none

// All ways into the switch become one stream with the metadata of SimpleSumeSwitch in TUSER: the wires, the CPU and the
// probe source, each with a queue of its own, served in turn and fair by bytes (byte_scheduler).
//
// TUSER carries the packet's length, its source and the sizes of the output queues at the packet's first beat; all other
// fields are zero. A packet of the probe source has no source bit, and no other packet has none.
// Flow control: full; a beat leaves every cycle while any source has a whole packet, but for one cycle where a
//   source's next packet has only just come in. A wire never stalls: what does not fit its queue is dropped. CPU and probe
//   source wait for room. The CPU's packets also wait for the tokens of cfg_cpu_rate and cfg_cpu_burst
//   (token_bucket), which holds up nobody else.
// Latency: one cycle more than input_queue where the source is chosen already, two otherwise.
// Limits: packets as input_queue has them. Bytes that a source gets while all wait differ by what byte_scheduler says. A
//   CPU packet whose s_axis_cpu_tuser names no port on its first beat is bad; on the others it means nothing.
module input_arbiter
  import switch_pkg::*;
#(
    parameter int N_PORTS          = 4,     // wires, 1 to 32
    parameter int QUEUE_WORDS      = 512,   // beats a queue, 3 or more
    parameter int MAX_PACKET_BYTES = 1600,  // of a packet, 1 to QUEUE_WORDS beats
    parameter int QUANTUM_BYTES    = 2048,  // a turn, MAX_PACKET_BYTES and a beat, or more, and below 65536
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

    output logic [      DATA_BYTES*8-1:0] m_axis_tdata,
    output logic [        DATA_BYTES-1:0] m_axis_tkeep,
    output logic [user_bits(N_PORTS)-1:0] m_axis_tuser,
    output logic                          m_axis_tlast,
    output logic                          m_axis_tvalid,
    input  wire logic                     m_axis_tready,

    input wire logic [N_PORTS:0][QUEUE_SIZE_BITS-1:0] queue_size,     // of the wires and the CPU, in QUEUE_UNIT_BYTES
    input wire logic [RATE_BITS-1:0]                  cfg_cpu_rate,   // as token_bucket has it
    input wire logic [LENGTH_BITS-1:0]                cfg_cpu_burst,  // bytes

    // A pulse a packet for each source: the wires, the CPU, the probe source.
    output logic [N_PORTS+1:0]                  status_taken,
    output logic [N_PORTS+1:0][LENGTH_BITS-1:0] status_taken_bytes,
    output logic [N_PORTS+1:0]                  status_dropped_bad,
    output logic [N_PORTS+1:0]                  status_dropped_long,
    output logic [N_PORTS+1:0]                  status_dropped_full
);
  if (N_PORTS < 1 || N_PORTS > 32) begin : gen_check_n_ports
    $fatal(1, "N_PORTS must be 1 to 32 (instance %m)");
  end

  localparam int N_SOURCES  = N_PORTS + 2;
  localparam int CPU        = N_PORTS;
  localparam int PROBE      = N_PORTS + 1;
  localparam int INDEX_BITS = index_bits(N_PORTS);
  localparam int PORT_BITS  = port_bits(N_PORTS);

  typedef struct packed {
    logic                    last;
    logic [DATA_BYTES-1:0]   keep;
    logic [DATA_BYTES*8-1:0] data;
  } beat_t;

  beat_t [N_SOURCES-1:0] in;
  logic  [N_SOURCES-1:0] in_bad;
  logic  [N_SOURCES-1:0] in_valid;
  logic  [N_SOURCES-1:0] in_ready;

  beat_t [N_SOURCES-1:0]                  queued;
  logic  [N_SOURCES-1:0][INDEX_BITS-1:0]  queued_index;
  logic  [N_SOURCES-1:0][LENGTH_BITS-1:0] queued_length;
  logic  [N_SOURCES-1:0]                  queued_valid;
  logic  [N_SOURCES-1:0]                  queued_more;
  logic  [N_SOURCES-1:0]                  queued_ready;

  for (genvar i = 0; i < N_PORTS; i++) begin : gen_wire
    assign in[i]       = '{last: s_axis_wire_tlast[i], keep: s_axis_wire_tkeep[i], data: s_axis_wire_tdata[i]};
    assign in_bad[i]   = s_axis_wire_tbad[i];
    assign in_valid[i] = s_axis_wire_tvalid[i];
  end

  logic                  cpu_comes_reg;  // its first beat has come, its last one has not
  logic [INDEX_BITS-1:0] cpu_index;
  logic [INDEX_BITS-1:0] cpu_index_reg;

  assign cpu_index = cpu_comes_reg ? cpu_index_reg : s_axis_cpu_tuser;

  always_ff @(posedge clk) begin
    if (s_axis_cpu_tvalid && s_axis_cpu_tready) begin
      cpu_comes_reg <= !s_axis_cpu_tlast;
      cpu_index_reg <= cpu_index;
    end
    if (rst) begin
      cpu_comes_reg <= 1'b0;
    end
  end

  assign in[CPU]       = '{last: s_axis_cpu_tlast, keep: s_axis_cpu_tkeep, data: s_axis_cpu_tdata};
  assign in_bad[CPU]   = s_axis_cpu_tbad || int'(cpu_index) >= N_PORTS;
  assign in_valid[CPU] = s_axis_cpu_tvalid;

  assign in[PROBE]       = '{last: s_axis_probe_tlast, keep: s_axis_probe_tkeep, data: s_axis_probe_tdata};
  assign in_bad[PROBE]   = 1'b0;
  assign in_valid[PROBE] = s_axis_probe_tvalid;

  assign s_axis_cpu_tready   = in_ready[CPU];
  assign s_axis_probe_tready = in_ready[PROBE];

  for (genvar i = 0; i < N_SOURCES; i++) begin : gen_queue
    input_queue #(
        .DEPTH_WORDS     (QUEUE_WORDS),
        .MAX_PACKET_BYTES(MAX_PACKET_BYTES),
        .DROP_WHEN_FULL  (i < N_PORTS),
        .DATA_BYTES      (DATA_BYTES),
        .USER_BITS       (INDEX_BITS)
    ) queue_inst (
        .clk                (clk),
        .rst                (rst),
        .s_axis_tdata       (in[i].data),
        .s_axis_tkeep       (in[i].keep),
        .s_axis_tuser       (i == CPU ? cpu_index : INDEX_BITS'(i)),
        .s_axis_tlast       (in[i].last),
        .s_axis_tbad        (in_bad[i]),
        .s_axis_tvalid      (in_valid[i]),
        .s_axis_tready      (in_ready[i]),
        .m_axis_tdata       (queued[i].data),
        .m_axis_tkeep       (queued[i].keep),
        .m_axis_tuser       (queued_index[i]),
        .m_axis_tlength     (queued_length[i]),
        .m_axis_tlast       (queued[i].last),
        .m_axis_tvalid      (queued_valid[i]),
        .m_axis_tready      (queued_ready[i]),
        .status_more        (queued_more[i]),
        .status_taken       (status_taken[i]),
        .status_taken_bytes (status_taken_bytes[i]),
        .status_dropped_bad (status_dropped_bad[i]),
        .status_dropped_long(status_dropped_long[i]),
        .status_dropped_full(status_dropped_full[i])
    );
  end

  // ---- whose turn it is

  logic [index_bits(N_SOURCES)-1:0] chosen;
  logic [N_SOURCES-1:0]             request;
  logic [N_SOURCES-1:0]             more;
  logic                             first;
  logic                             pass;
  logic                             cpu_inside_reg;  // the rest of a packet that has begun needs no tokens
  logic                             cpu_begins;
  logic                             cpu_may_pass;

  always_comb begin
    request      = queued_valid;
    more         = queued_more;
    request[CPU] = queued_valid[CPU] && (cpu_inside_reg || cpu_may_pass);
    more[CPU]    = queued_more[CPU] && cpu_may_pass;
  end

  byte_scheduler #(
      .N_PORTS         (N_SOURCES),
      .DATA_BYTES      (DATA_BYTES),
      .MAX_PACKET_BYTES(MAX_PACKET_BYTES),
      .QUANTUM_BYTES   (QUANTUM_BYTES)
  ) scheduler_inst (
      .clk    (clk),
      .rst    (rst),
      .request(request),
      .more   (more),
      .length (queued_length),
      .pass   (pass),
      .last   (queued[chosen].last),
      .chosen (chosen),
      .first  (first)
  );

  assign cpu_begins = pass && first && int'(chosen) == CPU;

  token_bucket #(
      .BURST_BITS(LENGTH_BITS)
  ) bucket_inst (
      .clk         (clk),
      .rst         (rst),
      .cfg_rate    (cfg_cpu_rate),
      .cfg_burst   (cfg_cpu_burst),
      .charge      (cpu_begins),
      .charge_bytes(queued_length[CPU]),
      .may_pass    (cpu_may_pass)
  );

  // ---- one stream out

  beat_t                                 out_reg;
  logic                                  out_valid_reg;
  logic [LENGTH_BITS-1:0]                out_length_reg;
  logic [PORT_BITS-1:0]                  out_source_reg;
  logic [N_PORTS:0][QUEUE_SIZE_BITS-1:0] out_queue_size_reg;
  logic                                  out_move;
  logic [PORT_BITS-1:0]                  source;

  assign out_move = m_axis_tready || !out_valid_reg;
  assign pass     = request[chosen] && out_move;

  always_comb begin
    queued_ready         = '0;
    queued_ready[chosen] = out_move && request[chosen];
    source               = '0;
    for (int i = 0; i < N_PORTS; i++) begin
      source[2*i]   = int'(chosen) == i;
      source[2*i+1] = int'(chosen) == CPU && int'(queued_index[CPU]) == i;
    end
  end

  always_ff @(posedge clk) begin
    if (out_move) begin
      out_reg        <= queued[chosen];
      out_length_reg <= queued_length[chosen];
      out_source_reg <= source;
      out_valid_reg  <= request[chosen];
      if (first) begin
        out_queue_size_reg <= queue_size;
      end
    end
    if (pass && int'(chosen) == CPU) begin
      cpu_inside_reg <= !queued[CPU].last;
    end
    if (rst) begin
      out_valid_reg  <= 1'b0;
      cpu_inside_reg <= 1'b0;
    end
  end

  assign {m_axis_tlast, m_axis_tkeep, m_axis_tdata} = out_reg;
  assign m_axis_tvalid = out_valid_reg;

  always_comb begin
    m_axis_tuser = '0;
    m_axis_tuser[LENGTH_BITS-1:0] = out_length_reg;
    m_axis_tuser[src_port_low()+:PORT_BITS] = out_source_reg;
    m_axis_tuser[queue_sizes_low(N_PORTS)+:(N_PORTS+1)*QUEUE_SIZE_BITS] = {out_queue_size_reg};
  end
endmodule

`resetall
