// SPDX-License-Identifier: Apache-2.0
`resetall
`default_nettype none

// From the pipeline to every way out: copies each packet into the queue of each port in its dst_port, one queue a wire
// and one for the CPU sides of all ports.
//
// Every queue has a memory of its own and decides for itself (output_queue): a queue that is full, or whose port is down,
// loses its own copy and nobody else's.
// Flow control: the input never stalls, also when every packet goes to every queue. Each output goes at its own pace;
//   the CPU's also waits for the tokens of cfg_cpu_rate and cfg_cpu_burst (token_bucket).
// Latency: one cycle more than output_queue; to the CPU four.
// Limits: those of output_queue. TUSER and digest count on a packet's first beat. With send_dig_to_cpu the digest, as wide
//   as a beat, stands in front of the CPU's copy (digest_insert); without such a copy it is a packet of its own, to
//   the CPU side of port 0 and without a source. A packet that goes to no port and has no digest is counted. The CPU's
//   stream tells dst_port and src_port in TUSER on every beat, dst_port without wires.
module output_queues
  import switch_pkg::*;
#(
    parameter int N_PORTS          = 4,     // wires, 1 to 32
    parameter int QUEUE_WORDS      = 2048,  // beats a queue, 3 or more, below 65536
    parameter int CREDIT_WORDS     = 64,    // of each source in a queue that fills, as fair_admission has it
    parameter int MAX_PACKET_WORDS = 51,    // of a packet that comes in, 1 or more; a longer one may find no room
    parameter int DATA_BYTES       = 32     // bytes a beat, a power of two, 2 to 256
) (
    input wire logic clk,
    input wire logic rst,

    input  wire logic [      DATA_BYTES*8-1:0] s_axis_tdata,
    input  wire logic [        DATA_BYTES-1:0] s_axis_tkeep,
    input  wire logic [user_bits(N_PORTS)-1:0] s_axis_tuser,
    input  wire logic [      DATA_BYTES*8-1:0] s_axis_tdigest,
    input  wire logic                          s_axis_tlast,
    input  wire logic                          s_axis_tvalid,
    output logic                               s_axis_tready,

    output logic [N_PORTS-1:0][DATA_BYTES*8-1:0] m_axis_wire_tdata,
    output logic [N_PORTS-1:0][  DATA_BYTES-1:0] m_axis_wire_tkeep,
    output logic [N_PORTS-1:0]                   m_axis_wire_tlast,
    output logic [N_PORTS-1:0]                   m_axis_wire_tvalid,
    input  wire logic [N_PORTS-1:0]              m_axis_wire_tready,

    output logic [          DATA_BYTES*8-1:0] m_axis_cpu_tdata,
    output logic [            DATA_BYTES-1:0] m_axis_cpu_tkeep,
    output logic [2*port_bits(N_PORTS)-1:0]   m_axis_cpu_tuser,   // dst_port, src_port
    output logic                              m_axis_cpu_tlast,
    output logic                              m_axis_cpu_tvalid,
    input  wire logic                         m_axis_cpu_tready,

    input wire logic [N_PORTS-1:0]     port_up,
    input wire logic [RATE_BITS-1:0]   cfg_cpu_rate,   // as token_bucket has it
    input wire logic [LENGTH_BITS-1:0] cfg_cpu_burst,  // bytes

    output logic [N_PORTS:0][QUEUE_SIZE_BITS-1:0] queue_size,  // of the wires and the CPU, in QUEUE_UNIT_BYTES

    // A pulse a packet for each queue: the wires, the CPU.
    output logic [N_PORTS:0] status_taken,
    output logic [N_PORTS:0] status_dropped_full,
    output logic [N_PORTS:0] status_dropped_share,
    output logic [N_PORTS:0] status_dropped_down,
    output logic [N_PORTS:0] status_left,
    output logic [N_PORTS:0] status_discarded,
    output logic             status_dropped_nowhere,  // pulse: a packet had no destination
    output logic             status_dropped_digest    // pulse: what the CPU should get, in front of its queue: too many
                                                      // digests came at once
);
  if (N_PORTS < 1 || N_PORTS > 32) begin : gen_check_n_ports
    $fatal(1, "N_PORTS must be 1 to 32 (instance %m)");
  end
  if (QUEUE_WORDS < 3 || QUEUE_WORDS >= 2 ** QUEUE_SIZE_BITS) begin : gen_check_queue_words
    $fatal(1, "QUEUE_WORDS must be 3 or more, below 65536 (instance %m)");
  end
  if (MAX_PACKET_WORDS < 1) begin : gen_check_max_packet_words
    $fatal(1, "MAX_PACKET_WORDS must be 1 or more (instance %m)");
  end

  localparam int N_SOURCES  = N_PORTS + 2;
  localparam int N_QUEUES   = N_PORTS + 1;
  localparam int CPU        = N_PORTS;
  localparam int PROBE      = N_PORTS + 1;
  localparam int PORT_BITS  = port_bits(N_PORTS);
  localparam int USER_BITS  = 2 * PORT_BITS;
  localparam int SIZE_SHIFT = $clog2(QUEUE_UNIT_BYTES);

  // What the sources can add above the level from which shares count; half of a queue that is too small for it.
  localparam int SHARED_WORDS = N_SOURCES * (CREDIT_WORDS + MAX_PACKET_WORDS);
  localparam int FREE_WORDS   = QUEUE_WORDS - (SHARED_WORDS < QUEUE_WORDS / 2 ? SHARED_WORDS : QUEUE_WORDS / 2);

  typedef logic [index_bits(N_SOURCES)-1:0] source_t;
  typedef logic [$clog2(QUEUE_WORDS+1)-1:0] depth_t;

  // ---- who gets a copy

  logic [PORT_BITS-1:0] dst_port;
  logic [PORT_BITS-1:0] src_port;
  logic [PORT_BITS-1:0] dst_cpu;
  logic [N_QUEUES-1:0]  copies;
  source_t              source;

  assign dst_port = s_axis_tuser[dst_port_low(N_PORTS)+:PORT_BITS];
  assign src_port = s_axis_tuser[src_port_low()+:PORT_BITS];

  always_comb begin
    copies  = '0;
    dst_cpu = '0;
    source  = source_t'(PROBE);
    for (int i = 0; i < N_PORTS; i++) begin
      copies[i]      = dst_port[2*i];
      copies[CPU]    = copies[CPU] || dst_port[2*i+1];
      dst_cpu[2*i+1] = dst_port[2*i+1];
      if (src_port[2*i+1]) begin
        source = source_t'(CPU);
      end
    end
    for (int i = 0; i < N_PORTS; i++) begin
      if (src_port[2*i]) begin
        source = source_t'(i);
      end
    end
  end

  logic [DATA_BYTES*8-1:0] data_reg;
  logic [  DATA_BYTES-1:0] keep_reg;
  logic [   USER_BITS-1:0] user_reg;
  logic                    last_reg;
  logic [    N_QUEUES-1:0] copies_reg;
  source_t                 source_reg;
  logic                    valid_reg;
  logic [DATA_BYTES*8-1:0] digest_reg;
  logic                    tell_reg;     // the CPU gets the digest
  logic                    inside_reg;   // a packet has begun to come in and not ended
  logic                    nowhere_reg;
  logic                    tell;

  assign s_axis_tready = 1'b1;
  assign tell          = s_axis_tuser[send_digest_low(N_PORTS)];

  always_ff @(posedge clk) begin
    data_reg <= s_axis_tdata;
    keep_reg <= s_axis_tkeep;
    last_reg <= s_axis_tlast;
    if (s_axis_tvalid && !inside_reg) begin
      user_reg   <= {dst_cpu, src_port};
      copies_reg <= copies;
      source_reg <= source;
      digest_reg <= s_axis_tdigest;
      tell_reg   <= tell;
    end
    if (s_axis_tvalid) begin
      inside_reg <= !s_axis_tlast;
    end
    valid_reg   <= s_axis_tvalid;
    nowhere_reg <= s_axis_tvalid && !inside_reg && copies == '0 && !tell;
    if (rst) begin
      inside_reg  <= 1'b0;
      valid_reg   <= 1'b0;
      nowhere_reg <= 1'b0;
    end
  end

  assign status_dropped_nowhere = nowhere_reg;

  // ---- the queues

  depth_t [N_QUEUES-1:0] depth;

  for (genvar i = 0; i < N_PORTS; i++) begin : gen_wire
    logic unused;

    output_queue #(
        .DEPTH_WORDS (QUEUE_WORDS),
        .FREE_WORDS  (FREE_WORDS),
        .CREDIT_WORDS(CREDIT_WORDS),
        .N_SOURCES   (N_SOURCES),
        .DATA_BYTES  (DATA_BYTES),
        .USER_BITS   (1)
    ) queue_inst (
        .clk                 (clk),
        .rst                 (rst),
        .s_axis_tdata        (data_reg),
        .s_axis_tkeep        (keep_reg),
        .s_axis_tuser        (1'b0),
        .s_axis_tsource      (source_reg),
        .s_axis_tlast        (last_reg),
        .s_axis_tvalid       (valid_reg && copies_reg[i]),
        .m_axis_tdata        (m_axis_wire_tdata[i]),
        .m_axis_tkeep        (m_axis_wire_tkeep[i]),
        .m_axis_tuser        (unused),
        .m_axis_tlast        (m_axis_wire_tlast[i]),
        .m_axis_tvalid       (m_axis_wire_tvalid[i]),
        .m_axis_tready       (m_axis_wire_tready[i]),
        .port_up             (port_up[i]),
        .status_depth_words  (depth[i]),
        .status_taken        (status_taken[i]),
        .status_dropped_full (status_dropped_full[i]),
        .status_dropped_share(status_dropped_share[i]),
        .status_dropped_down (status_dropped_down[i]),
        .status_left         (status_left[i]),
        .status_discarded    (status_discarded[i])
    );
  end

  logic [DATA_BYTES*8-1:0] cpu_data;
  logic [  DATA_BYTES-1:0] cpu_keep;
  logic [   USER_BITS-1:0] cpu_user;
  logic                    cpu_last;
  logic                    cpu_valid;
  logic                    cpu_ready;

  logic [DATA_BYTES*8-1:0] told_data;
  logic [  DATA_BYTES-1:0] told_keep;
  logic [   USER_BITS-1:0] told_user;
  source_t                 told_source;
  logic                    told_alone;
  logic                    told_last;
  logic                    told_valid;

  digest_insert #(
      .DATA_BYTES(DATA_BYTES),
      .USER_BITS ($bits(source_t) + USER_BITS)
  ) digest_inst (
      .clk           (clk),
      .rst           (rst),
      .s_axis_tdata  (data_reg),
      .s_axis_tkeep  (keep_reg),
      .s_axis_tuser  ({source_reg, user_reg}),
      .s_axis_tdigest(digest_reg),
      .s_axis_ttell  (tell_reg),
      .s_axis_tcopy  (copies_reg[CPU]),
      .s_axis_tlast  (last_reg),
      .s_axis_tvalid (valid_reg),
      .m_axis_tdata  (told_data),
      .m_axis_tkeep  (told_keep),
      .m_axis_tuser  ({told_source, told_user}),
      .m_axis_talone (told_alone),
      .m_axis_tlast  (told_last),
      .m_axis_tvalid (told_valid),
      .status_dropped(status_dropped_digest)
  );

  output_queue #(
      .DEPTH_WORDS (QUEUE_WORDS),
      .FREE_WORDS  (FREE_WORDS),
      .CREDIT_WORDS(CREDIT_WORDS),
      .N_SOURCES   (N_SOURCES),
      .DATA_BYTES  (DATA_BYTES),
      .USER_BITS   (USER_BITS)
  ) cpu_inst (
      .clk                 (clk),
      .rst                 (rst),
      .s_axis_tdata        (told_data),
      .s_axis_tkeep        (told_keep),
      .s_axis_tuser        (told_alone ? {PORT_BITS'(2), PORT_BITS'(0)} : told_user),
      .s_axis_tsource      (told_source),
      .s_axis_tlast        (told_last),
      .s_axis_tvalid       (told_valid),
      .m_axis_tdata        (cpu_data),
      .m_axis_tkeep        (cpu_keep),
      .m_axis_tuser        (cpu_user),
      .m_axis_tlast        (cpu_last),
      .m_axis_tvalid       (cpu_valid),
      .m_axis_tready       (cpu_ready),
      .port_up             (1'b1),
      .status_depth_words  (depth[CPU]),
      .status_taken        (status_taken[CPU]),
      .status_dropped_full (status_dropped_full[CPU]),
      .status_dropped_share(status_dropped_share[CPU]),
      .status_dropped_down (status_dropped_down[CPU]),
      .status_left         (status_left[CPU]),
      .status_discarded    (status_discarded[CPU])
  );

  rate_gate #(
      .DATA_BYTES(DATA_BYTES),
      .USER_BITS (USER_BITS)
  ) cpu_rate_inst (
      .clk          (clk),
      .rst          (rst),
      .cfg_rate     (cfg_cpu_rate),
      .cfg_burst    (cfg_cpu_burst),
      .s_axis_tdata (cpu_data),
      .s_axis_tkeep (cpu_keep),
      .s_axis_tuser (cpu_user),
      .s_axis_tlast (cpu_last),
      .s_axis_tvalid(cpu_valid),
      .s_axis_tready(cpu_ready),
      .m_axis_tdata (m_axis_cpu_tdata),
      .m_axis_tkeep (m_axis_cpu_tkeep),
      .m_axis_tuser (m_axis_cpu_tuser),
      .m_axis_tlast (m_axis_cpu_tlast),
      .m_axis_tvalid(m_axis_cpu_tvalid),
      .m_axis_tready(m_axis_cpu_tready)
  );

  // ---- their sizes, in the unit of the architecture, rounded up

  for (genvar i = 0; i < N_QUEUES; i++) begin : gen_size
    if (DATA_BYTES >= QUEUE_UNIT_BYTES) begin : gen_units_a_beat
      logic [QUEUE_SIZE_BITS+$clog2(MAX_DATA_BYTES):0] units;

      assign units = $bits(units)'(depth[i]) * ($bits(units))'(DATA_BYTES >> SIZE_SHIFT);

      always_ff @(posedge clk) begin
        queue_size[i] <= |(units >> QUEUE_SIZE_BITS) ? '1 : QUEUE_SIZE_BITS'(units);
      end
    end else begin : gen_beats_a_unit
      always_ff @(posedge clk) begin
        queue_size[i] <= QUEUE_SIZE_BITS'((int'(depth[i]) * DATA_BYTES + QUEUE_UNIT_BYTES - 1) >> SIZE_SHIFT);
      end
    end
  end
endmodule

`resetall
