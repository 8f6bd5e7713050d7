// SPDX-License-Identifier: Apache-2.0
`resetall
`default_nettype none

// Makes this ToR's probes: one for each uplink in each period, one uplink after the other at equal distances.
//
// The first is due when cfg_enable rises, the one k places later k * cfg_period_cycles / (number of uplinks) cycles after
// it, rounded down: so an uplink's are due every cfg_period_cycles, exactly. The frame stands in docs/hula.md.
// Flow control: full. A probe that is due is owed until it begins to leave, and that is as soon as it can; those owed leave
//   in the order of their ports. One that is due while its uplink is owed another one is missed, and counted.
// Latency: settings are seen two cycles later, cfg_ipv4 three. The first beat is there four cycles after its probe is due,
//   if no other one is owed or leaves. Frames that are owed leave without a gap.
// Limits: settings may change at any time; a frame is made of what they are when it begins to leave. What is owed to a port
//   that is no uplink any more, or while cfg_enable is low, is forgotten and not counted. After a change the next probe is
//   no further away than a period divided by the uplinks. With a period shorter than the number of uplinks one is due every
//   cycle, with a period of 0 none ever.
module probe_source #(
    parameter int PORTS = 4  // wires, 1 to 32
) (
    input wire logic clk,
    input wire logic rst,

    input wire logic             cfg_enable,
    input wire logic [     31:0] cfg_period_cycles,
    input wire logic [PORTS-1:0] cfg_uplinks,        // a bit for each port that gets probes
    input wire logic [     23:0] cfg_tor,            // the number of this ToR
    input wire logic [     47:0] cfg_mac,            // source addresses of its probes
    input wire logic [     31:0] cfg_ipv4,

    output logic [255:0] m_axis_tdata,
    output logic [ 31:0] m_axis_tkeep,
    output logic         m_axis_tlast,
    output logic         m_axis_tvalid,
    input  wire logic    m_axis_tready,

    output logic status_sent,   // pulse: a probe has left
    output logic status_missed  // pulse: a probe was due while its uplink was owed another one
);
  if (PORTS < 1 || PORTS > 32) begin : gen_check_ports
    $fatal(1, "PORTS must be 1 to 32 (instance %m)");
  end

  // As in hw/p4/include/protocols.p4.
  localparam logic [15:0] ETHERTYPE_IPV4   = 16'h0800;
  localparam logic [ 7:0] IP_PROTOCOL_HULA = 8'd253;
  localparam int          FRAME_MIN_BYTES  = 60;

  localparam logic [39:0] NEIGHBOUR   = 40'h0200000000;  // locally administered; the last byte is the port
  localparam logic [31:0] IPV4_START  = 32'h45000018;    // version 4, header of 5 words, 24 bytes in all
  localparam logic [31:0] IPV4_WHOLE  = 32'h00004000;    // no identification, not to be fragmented
  localparam logic [15:0] IPV4_HOPS   = {8'd64, IP_PROTOCOL_HULA};
  localparam logic [31:0] IPV4_TO_ALL = 32'hffffffff;
  localparam logic [ 7:0] UTILISATION = 8'd0;
  localparam int          ZERO_BYTES  = FRAME_MIN_BYTES - 14 - 20 - 4;
  localparam int          BEAT_BYTES  = 32;

  localparam int COUNT_BITS = $clog2(PORTS + 1);
  localparam int PORT_BITS  = PORTS > 1 ? $clog2(PORTS) : 1;

  typedef logic [PORTS-1:0] ports_t;
  typedef logic [COUNT_BITS-1:0] count_t;
  typedef logic [PORT_BITS-1:0] number_t;
  typedef logic signed [33:0] wait_t;

  function automatic count_t ones(input ports_t ports);
    ones = '0;
    for (int i = 0; i < PORTS; i++) begin
      ones += count_t'(ports[i]);
    end
  endfunction

  // One of the ports: the lowest that is above the last one, or else the lowest; and those above it.
  typedef struct packed {
    ports_t above;
    ports_t port;
  } choice_t;

  function automatic choice_t lowest(input ports_t ports);
    ports_t fewer;
    fewer = ports - 1'b1;
    return '{above: ~(ports ^ fewer), port: ports & ~fewer};
  endfunction

  function automatic choice_t next_of(input ports_t ports, input ports_t above);
    return (ports & above) != '0 ? lowest(ports & above) : lowest(ports);
  endfunction

  // ---- settings

  logic        enable_1_reg;
  logic [31:0] period_1_reg;
  ports_t      uplinks_1_reg;
  count_t      count_1_reg;
  logic        on;
  logic        on_reg;
  wait_t       period_reg;
  wait_t       less_reg;   // minus the number of uplinks
  wait_t       again_reg;  // a period less than that, but not below zero
  ports_t      uplinks_reg;

  assign on = enable_1_reg && period_1_reg != '0 && uplinks_1_reg != '0;

  always_ff @(posedge clk) begin
    enable_1_reg  <= cfg_enable;
    period_1_reg  <= cfg_period_cycles;
    uplinks_1_reg <= cfg_uplinks;
    count_1_reg   <= ones(cfg_uplinks);
    on_reg        <= on;
    period_reg    <= wait_t'({2'b0, period_1_reg});
    less_reg      <= -wait_t'(34'(count_1_reg));
    again_reg     <= wait_t'({2'b0, period_1_reg < 32'(count_1_reg) ? '0 : period_1_reg - 32'(count_1_reg)});
    uplinks_reg   <= on ? uplinks_1_reg : '0;
  end

  // ---- what is due: every cycle takes the number of uplinks, every probe gives a period back

  wait_t   wait_reg;
  logic    beyond_reg;
  choice_t due_next;
  ports_t  due_above_reg;
  ports_t  due_reg;

  assign due_next = next_of(uplinks_reg, due_above_reg);

  always_ff @(posedge clk) begin
    wait_reg   <= beyond_reg ? again_reg : wait_reg + (wait_reg[33] ? again_reg : less_reg);
    beyond_reg <= wait_reg > period_reg;
    due_reg    <= wait_reg[33] ? due_next.port : '0;
    if (wait_reg[33]) begin
      due_above_reg <= due_next.above;
    end
    if (rst || !on_reg) begin
      wait_reg      <= '0;
      beyond_reg    <= 1'b0;
      due_reg       <= '0;
      due_above_reg <= '0;
    end
  end

  // ---- what is owed, and the one of it that leaves next

  ports_t  owed_reg;
  ports_t  begun;       // leaves from now on
  choice_t chosen_reg;
  ports_t  above_reg;   // the ports above the last one that has left
  logic    waits;
  logic    begins;

  assign waits  = (owed_reg & chosen_reg.port) != '0;
  assign begins = waits && (!m_axis_tvalid || (m_axis_tready && m_axis_tlast));
  assign begun  = begins ? chosen_reg.port : '0;

  always_ff @(posedge clk) begin
    owed_reg      <= ((owed_reg & ~begun) | due_reg) & uplinks_reg;
    status_missed <= (owed_reg & ~begun & due_reg & uplinks_reg) != '0;
    if (!waits) begin
      chosen_reg <= next_of(owed_reg, above_reg);
    end
    if (begins) begin
      chosen_reg.port <= '0;
      above_reg       <= chosen_reg.above;
    end
    if (rst) begin
      owed_reg      <= '0;
      above_reg     <= '0;
      status_missed <= 1'b0;
    end
  end

  // ---- the checksum of the IPv4 header (RFC 1071), with the address that it is of

  localparam logic [19:0] IPV4_SUM = 20'(IPV4_START[31:16]) + 20'(IPV4_START[15:0]) + 20'(IPV4_WHOLE[15:0])
      + 20'(IPV4_HOPS) + 20'(IPV4_TO_ALL[31:16]) + 20'(IPV4_TO_ALL[15:0]);
  localparam logic [15:0] IPV4_FOLDED = IPV4_SUM[15:0] + 16'(IPV4_SUM[19:16]);

  logic [17:0] sum_1_reg;
  logic [16:0] sum_2_reg;
  logic [31:0] ipv4_1_reg;
  logic [31:0] ipv4_2_reg;
  logic [31:0] ipv4_3_reg;
  logic [15:0] checksum_3_reg;

  always_ff @(posedge clk) begin
    sum_1_reg      <= 18'(IPV4_FOLDED) + 18'(cfg_ipv4[31:16]) + 18'(cfg_ipv4[15:0]);
    sum_2_reg      <= 17'(sum_1_reg[15:0]) + 17'(sum_1_reg[17:16]);
    checksum_3_reg <= ~(sum_2_reg[15:0] + 16'(sum_2_reg[16]));
    ipv4_1_reg     <= cfg_ipv4;
    ipv4_2_reg     <= ipv4_1_reg;
    ipv4_3_reg     <= ipv4_2_reg;
  end

  // ---- the frame that leaves

  number_t     next_number;
  number_t     number_reg;
  logic [47:0] mac_reg;
  logic [31:0] ipv4_reg;
  logic [15:0] checksum_reg;
  logic [23:0] tor_reg;

  logic [FRAME_MIN_BYTES*8-1:0] frame;
  logic [2*BEAT_BYTES*8-1:0]    beats;

  always_comb begin
    next_number = '0;
    for (int i = 0; i < PORTS; i++) begin
      if (chosen_reg.port[i]) begin
        next_number = next_number | number_t'(i);
      end
    end
  end

  // As on the wire, the first byte in the highest bits.
  assign frame = {
    NEIGHBOUR, 8'(number_reg), mac_reg, ETHERTYPE_IPV4,
    IPV4_START, IPV4_WHOLE, IPV4_HOPS, checksum_reg, ipv4_reg, IPV4_TO_ALL,
    tor_reg, UTILISATION, (ZERO_BYTES*8)'(0)
  };

  always_comb begin
    beats = '0;
    for (int i = 0; i < FRAME_MIN_BYTES; i++) begin
      beats[8*i+:8] = frame[8*(FRAME_MIN_BYTES-1-i)+:8];
    end
  end

  assign m_axis_tdata = beats[m_axis_tlast*BEAT_BYTES*8+:BEAT_BYTES*8];
  assign m_axis_tkeep = m_axis_tlast ? 32'hffffffff >> (2 * BEAT_BYTES - FRAME_MIN_BYTES) : '1;

  always_ff @(posedge clk) begin
    if (begins) begin
      number_reg   <= next_number;
      mac_reg      <= cfg_mac;
      ipv4_reg     <= ipv4_3_reg;
      checksum_reg <= checksum_3_reg;
      tor_reg      <= cfg_tor;
    end
    if (begins) begin
      m_axis_tvalid <= 1'b1;
      m_axis_tlast  <= 1'b0;
    end else if (m_axis_tready) begin
      m_axis_tvalid <= m_axis_tvalid && !m_axis_tlast;
      m_axis_tlast  <= 1'b1;
    end
    status_sent <= m_axis_tvalid && m_axis_tready && m_axis_tlast;
    if (rst) begin
      m_axis_tvalid <= 1'b0;
      status_sent   <= 1'b0;
    end
  end
endmodule

`resetall
