// SPDX-License-Identifier: Apache-2.0
// Watches TCP between pairs of ports and changes nothing: packets and bytes of each flow, connections that are opened
// and not answered, segments that are sent again. Where a count reaches its threshold, the CPU is told by a digest.
//
// A flow's registers are found by a longitudinal check of its addresses and ports, one direction apart from the
// other. Flows whose checks are the same share registers: the numbers are for finding suspects, not for bills.

#include <core.p4>
#include <sume_switch.p4>
#include "headers.p4"
#include "ports.p4"
#include "protocols.p4"
#include "registers.p4"

#define FLOW_BITS 10

typedef bit<FLOW_BITS> flow_id_t;

// After so many segments sent again in one flow the CPU is told, and the count begins anew.
const bit<32> RETRANSMISSIONS_TOLD = 3;

// One bit each, since one packet may do several things.
typedef bit<8> events_t;
const events_t EVENT_RETRANSMISSION = 1;  // payload that is not new
const events_t EVENT_LOSSY_FLOW = 2;      // one too many of these
const events_t EVENT_HALF_OPEN = 4;       // one too many connections opened to a server and not answered

// For which the CPU is told.
const events_t EVENTS_TOLD = EVENT_LOSSY_FLOW | EVENT_HALF_OPEN;

@Xilinx_MaxLatency(4)
@Xilinx_ControlWidth(10)
extern void packets_reg_raw(in flow_id_t index, in bit<32> newVal, in bit<32> incVal, in bit<8> opCode,
                            out bit<32> result);

// Bytes of IPv4, headers included; they stay at the top.
@Xilinx_MaxLatency(4)
@Xilinx_ControlWidth(10)
extern void bytes_reg_raw(in flow_id_t index, in bit<48> newVal, in bit<48> incVal, in bit<8> opCode,
                          out bit<48> result);

// The sequence number behind all that a flow has sent. It begins with a SYN; where it wraps, all looks sent again
// until the next one.
@Xilinx_MaxLatency(4)
@Xilinx_ControlWidth(10)
extern void sent_reg_praw(in flow_id_t index, in bit<32> newVal, in bit<32> incVal, in bit<8> opCode,
                          in bit<32> compVal, in bit<8> relOp, out bit<32> result, out bit<1> boolean);

// Segments sent again since the CPU was told last.
@Xilinx_MaxLatency(4)
@Xilinx_ControlWidth(10)
extern void repeated_reg_ifElseRaw(in flow_id_t index_2, in bit<32> newVal_2, in bit<32> incVal_2,
                                   in bit<8> opCode_2, in flow_id_t index_1, in bit<32> newVal_1,
                                   in bit<32> incVal_1, in bit<8> opCode_1, in flow_id_t index_comp,
                                   in bit<32> compVal, in bit<8> relOp, out bit<32> result);

// Connections of a server that were opened by a SYN and not answered by a SYN with ACK.
@Xilinx_MaxLatency(4)
@Xilinx_ControlWidth(10)
extern void half_open_reg_raw(in flow_id_t index, in bit<16> newVal, in bit<16> incVal, in bit<8> opCode,
                              out bit<16> result);

@Xilinx_MaxLatency(1)
@Xilinx_ControlWidth(0)
extern void flow_lrc(in bit<96> data, out flow_id_t result);

@Xilinx_MaxLatency(1)
@Xilinx_ControlWidth(0)
extern void server_lrc(in bit<48> data, out flow_id_t result);

header ipv4_options_t {
    varbit<320> options;
}

struct headers_t {
    ethernet_t ethernet;
    vlan_t[2] vlan;
    ipv4_t ipv4;
    ipv4_options_t ipv4_options;
    ports_t ports;
    tcp_rest_t tcp_rest;
}

struct user_metadata_t {
    bit<8> unused;
}

struct digest_data_t {
    bit<(80 - 2 * N_PORTS)> unused;
    port_t port;
    events_t events;
    bit<8> tcp_flags;
    bit<16> half_open;
    bit<48> bytes;
    ipv4_addr_t src_addr;
    ipv4_addr_t dst_addr;
    bit<16> src_port;
    bit<16> dst_port;
}

// What is no TCP, or not sound, or a later fragment, ends early and is not watched; it passes all the same.
@Xilinx_MaxPacketRegion(16384)
parser TopParser(packet_in b, out headers_t hdr, out user_metadata_t user_metadata, out digest_data_t digest_data,
                 inout sume_metadata_t sume_metadata) {
    state start {
        user_metadata.unused = 0;
        digest_data = { 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 };
        b.extract(hdr.ethernet);
        transition select(hdr.ethernet.ether_type) {
            ETHERTYPE_VLAN: parse_vlan;
            ETHERTYPE_QINQ: parse_vlan;
            ETHERTYPE_IPV4: parse_ipv4;
            default: accept;
        }
    }

    // Two tags at most; what has more is not watched.
    state parse_vlan {
        b.extract(hdr.vlan.next);
        transition select(hdr.vlan.last.ether_type, hdr.vlan.lastIndex) {
            (ETHERTYPE_VLAN, 0): parse_vlan;
            (ETHERTYPE_QINQ, 0): parse_vlan;
            (ETHERTYPE_IPV4, _): parse_ipv4;
            default: accept;
        }
    }

    state parse_ipv4 {
        b.extract(hdr.ipv4);
        transition select(hdr.ipv4.version, hdr.ipv4.ihl, hdr.ipv4.fragment_offset, hdr.ipv4.protocol) {
            (4, 5, 0, IP_PROTOCOL_TCP): parse_tcp;
            (4, 6 .. 15, 0, IP_PROTOCOL_TCP): parse_options;
            default: accept;
        }
    }

    state parse_options {
        b.extract(hdr.ipv4_options, ((bit<32>)hdr.ipv4.ihl - 5) * 32);
        transition parse_tcp;
    }

    state parse_tcp {
        b.extract(hdr.ports);
        b.extract(hdr.tcp_rest);
        transition accept;
    }
}

// The port beside: nf0 and nf1, nf2 and nf3. Bits 0, 4, 8 … are the first wires of the pairs, and the last port of an
// odd number has no other.
port_t neighbor_of(in port_t port) {
    const port_t FIRST_WIRES = (port_t)64w0x1111111111111111;
    port_t first = port & FIRST_WIRES;
    port_t second = port & (FIRST_WIRES << 2);
    return (first << 2) | (second >> 2);
}

// How many sequence numbers a segment takes; nothing where its lengths do not fit together.
bit<16> length_of(in ipv4_t ipv4, in tcp_rest_t tcp) {
    bit<16> headers = ((bit<16>)ipv4.ihl + (bit<16>)tcp.data_offset) << 2;
    bit<16> payload = ipv4.total_length |-| headers;
    return payload + (bit<16>)tcp.flags[1:1] + (bit<16>)tcp.flags[0:0];
}

// Counts of one flow, and whether it sends again.
control Flow(in headers_t hdr, in flow_id_t flow, inout events_t events, out bit<48> bytes) {
    apply {
        bit<32> packets;
        packets_reg_raw(flow, 0, 1, REG_ADD, packets);
        bytes_reg_raw(flow, 0, (bit<48>)hdr.ipv4.total_length, REG_ADD_SAT, bytes);

        bit<16> length = length_of(hdr.ipv4, hdr.tcp_rest);
        if (length == 0) {
            return;
        }
        bool syn = hdr.tcp_rest.flags[1:1] == 1;
        bit<32> end = hdr.tcp_rest.sequence_number + (bit<32>)length;
        bit<32> sent;
        bit<1> is_new;
        // Of a SYN any other number is new, as the connection is; of all else only a larger one.
        sent_reg_praw(flow, end, 0, REG_WRITE, end, syn ? REL_NEQ : REL_GT, sent, is_new);
        if (is_new == 0) {
            bit<32> repeated;
            events = events | EVENT_RETRANSMISSION;
            repeated_reg_ifElseRaw(flow, 0, 1, REG_ADD,
                                   flow, 0, 0, REG_WRITE,
                                   flow, RETRANSMISSIONS_TOLD - 1, REL_EQ, repeated);
            if (repeated == 0) {
                events = events | EVENT_LOSSY_FLOW;
            }
        }
    }
}

// SYNs to a server that watches for them, less the answers it gave.
control HalfOpen(in headers_t hdr, inout events_t events, out bit<16> open) {
    bit<16> threshold = 0;

    action watch(bit<16> most) {
        threshold = most;
    }

    bool is_answer = hdr.tcp_rest.flags[4:4] == 1;
    ipv4_addr_t server = hdr.ipv4.dst_addr;
    bit<16> port = hdr.ports.dst_port;

    // Written by the control plane: how many unanswered connections are too many. A miss: not watched.
    table servers {
        key = {
            server: lpm @name("server");
        }
        actions = { watch; NoAction; }
        size = 256;
        default_action = NoAction();
    }

    apply {
        open = 0;
        if (is_answer) {
            server = hdr.ipv4.src_addr;
            port = hdr.ports.src_port;
        }
        if (hdr.tcp_rest.flags[1:1] == 1 && servers.apply().hit) {
            flow_id_t index;
            server_lrc(server ++ port, index);
            half_open_reg_raw(index, 0, 1, is_answer ? REG_SUB_SAT : REG_ADD_SAT, open);
            if (!is_answer && open == threshold) {
                events = events | EVENT_HALF_OPEN;
            }
        }
    }
}

//  ┌ from a CPU side? ─► out of its wire
//  └ all else ─► out of the port beside
//      └ TCP ─┬─► flow: packets, bytes, sent again? ─┬─► digest
//             └─► server: half open ─────────────────┘
control TopPipe(inout headers_t hdr, inout user_metadata_t user_metadata, inout digest_data_t digest_data,
                inout sume_metadata_t sume_metadata) {
    Flow() flow;
    HalfOpen() half_open;

    apply {
        port_t from_cpu = sume_metadata.src_port & CPU_SIDES;
        sume_metadata.dst_port = from_cpu != 0 ? from_cpu >> 1 : neighbor_of(sume_metadata.src_port);
        if (from_cpu != 0 || !hdr.tcp_rest.isValid()) {
            exit;
        }

        flow_id_t flow_id;
        flow_lrc(hdr.ipv4.src_addr ++ hdr.ipv4.dst_addr ++ hdr.ports.src_port ++ hdr.ports.dst_port, flow_id);
        flow.apply(hdr, flow_id, digest_data.events, digest_data.bytes);
        half_open.apply(hdr, digest_data.events, digest_data.half_open);

        if (digest_data.events & EVENTS_TOLD != 0) {
            sume_metadata.send_dig_to_cpu = 1;
        }
        digest_data.port = sume_metadata.src_port;
        digest_data.tcp_flags = hdr.tcp_rest.flags;
        digest_data.src_addr = hdr.ipv4.src_addr;
        digest_data.dst_addr = hdr.ipv4.dst_addr;
        digest_data.src_port = hdr.ports.src_port;
        digest_data.dst_port = hdr.ports.dst_port;
    }
}

@Xilinx_MaxPacketRegion(16384)
control TopDeparser(packet_out b, in headers_t hdr, in user_metadata_t user_metadata, inout digest_data_t digest_data,
                    inout sume_metadata_t sume_metadata) {
    apply {
        b.emit(hdr);
    }
}

SimpleSumeSwitch(TopParser(), TopPipe(), TopDeparser()) main;
