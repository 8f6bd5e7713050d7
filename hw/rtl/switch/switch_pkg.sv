// SPDX-License-Identifier: Apache-2.0
`resetall
`default_nettype none

// The metadata of a packet in TUSER, as SimpleSumeSwitch orders it, for any number of ports: where each field lies.
//
// A port is a bit of src_port and dst_port: bit 2i is wire i, bit 2i+1 its CPU side. Sources are numbered: the wires,
// then the CPU, then the probe source. Queues are numbered: the wires, then the CPU.
package switch_pkg;
  // verilator lint_off UNUSEDPARAM
  localparam int LENGTH_BITS      = 16;  // of a packet's length in bytes
  localparam int QUEUE_SIZE_BITS  = 16;  // of a queue's size
  localparam int QUEUE_UNIT_BYTES = 32;  // in which a queue's size is told
  localparam int RATE_BITS        = 16;  // of a rate limit, in bytes a cycle, as many of them behind the point:
  localparam int RATE_FRACTION_BITS = 8;
  localparam int MAX_DATA_BYTES   = 256;  // of a beat
  // verilator lint_on UNUSEDPARAM

  typedef logic [$clog2(MAX_DATA_BYTES)-1:0] byte_place_t;

  function automatic int port_bits(input int n_ports);
    return 2 * n_ports;
  endfunction

  function automatic int src_port_low();
    return LENGTH_BITS;
  endfunction

  function automatic int dst_port_low(input int n_ports);
    return src_port_low() + port_bits(n_ports);
  endfunction

  // Of the fields drop (8 bits) and send_dig_to_cpu (8 bits) bit 0 counts.
  function automatic int drop_low(input int n_ports);
    return dst_port_low(n_ports) + port_bits(n_ports);
  endfunction

  function automatic int send_digest_low(input int n_ports);
    return drop_low(n_ports) + 8;
  endfunction

  // Size of wire 0's queue; those of the other wires and of the CPU follow upwards.
  function automatic int queue_sizes_low(input int n_ports);
    return send_digest_low(n_ports) + 8;
  endfunction

  function automatic int user_bits(input int n_ports);
    return queue_sizes_low(n_ports) + (n_ports + 1) * QUEUE_SIZE_BITS;
  endfunction

  // Counters of the switch, as hw/regs/switch_counters.rdl has them: of bytes, then of packets.
  function automatic int byte_counters(input int n_ports);
    return (n_ports + 2) + n_ports;
  endfunction

  function automatic int packet_counters(input int n_ports);
    return 4 * (n_ports + 2) + 6 * (n_ports + 1) + 2;
  endfunction

  // Bits of the address of a 32-bit word of them.
  function automatic int counter_word_bits(input int n_ports);
    return $clog2(2 * (byte_counters(n_ports) + packet_counters(n_ports)));
  endfunction

  // The last of the bytes that count: they are contiguous from the first.
  function automatic byte_place_t last_byte(input logic [MAX_DATA_BYTES-1:0] keep);
    byte_place_t place;
    place = '0;
    // Fast in simulation only when unrolled, since most of the bits are then known to be zero.
    /* verilator unroll_full */
    for (int i = 0; i < MAX_DATA_BYTES; i++) begin
      if (keep[i] && (i == MAX_DATA_BYTES - 1 || !keep[(i+1)%MAX_DATA_BYTES])) begin
        place |= byte_place_t'(i);
      end
    end
    return place;
  endfunction

  // Bits of a number of that many things.
  function automatic int index_bits(input int count);
    return count > 1 ? $clog2(count) : 1;
  endfunction
endpackage

`resetall
