// SPDX-License-Identifier: Apache-2.0
// A packet filter between pairs of ports: rules over addresses, ports, protocol and TCP flags, each with a priority,
// the highest that matches decides. What no rule permits is denied. Packets are bridged, not routed, and leave as
// they came.
//
// IPv4 is filtered packet by packet; a rule for `established` lets the answers of permitted TCP connections pass
// without memory of them. Of a fragmented packet the first fragment has ports, the others do not, and rules see which
// is which.

#include <core.p4>
#include <sume_switch.p4>
#include "headers.p4"
#include "ports.p4"
#include "protocols.p4"
#include "registers.p4"

#ifndef RULES
#define RULES 32
#endif

typedef bit<6> rule_id_t;

error {
    BadIpVersion,
    BadHeaderLength,
    BadTotalLength,
    BadDataOffset
}

enum bit<3> verdict_t {
    PERMITTED = 0,
    DENIED = 1,         // by a rule, or by none
    TO_CPU = 2,
    FROM_CPU = 3,
    BAD_FRAGMENT = 4,   // RFC 1858, RFC 3128: made to slip past rules over TCP flags
    OTHER_DENIED = 5,   // neither IPv4 nor an EtherType that passes
    NO_PATH = 6         // its port leads nowhere
}

// Which part of a packet this is; rules can ask for it.
enum bit<2> fragment_t {
    WHOLE = 0,
    FIRST = 1,
    LATER = 2
}

@Xilinx_MaxLatency(4)
@Xilinx_ControlWidth(3)
extern void verdict_count_reg_raw(in bit<3> index, in bit<32> newVal, in bit<32> incVal, in bit<8> opCode,
                                  out bit<32> result);

// Packets of each rule, by the number that the rule gives itself; 0 counts those that no rule matched. It stays at
// the top.
@Xilinx_MaxLatency(4)
@Xilinx_ControlWidth(6)
extern void rule_count_reg_raw(in rule_id_t index, in bit<32> newVal, in bit<32> incVal, in bit<8> opCode,
                               out bit<32> result);

header ipv4_options_t {
    varbit<320> options;
}

struct headers_t {
    ethernet_t ethernet;
    vlan_t vlan;
    ipv4_t ipv4;
    ipv4_options_t ipv4_options;
    ports_t ports;
    tcp_rest_t tcp_rest;
}

// What rules are about.
struct flow_t {
    ipv4_addr_t src_addr;
    ipv4_addr_t dst_addr;
    bit<8> protocol;
    bit<16> src_port;
    bit<16> dst_port;
    bit<8> tcp_flags;
    fragment_t fragment;
}

struct user_metadata_t {
    flow_t flow;
    bit<16> ether_type;
    bit<16> l3_length;
}

struct digest_data_t {
    bit<256> unused;
}

// Everything from the IPv4 header to the ports, with all that may be wrong in it.
parser Ipv4Parser(packet_in b, inout headers_t hdr, inout flow_t flow, in bit<16> l3_length) {
    state start {
        // Before anything is taken: is it version 4, and how long does it say it is?
        bit<8> begin = b.lookahead<bit<8>>();
        verify(begin[7:4] == 4, error.BadIpVersion);
        verify(begin[3:0] >= 5, error.BadHeaderLength);
        b.extract(hdr.ipv4);
        verify(hdr.ipv4.total_length <= l3_length &&
               hdr.ipv4.total_length >= (bit<16>)(hdr.ipv4.ihl ++ 2w0), error.BadTotalLength);
        flow.src_addr = hdr.ipv4.src_addr;
        flow.dst_addr = hdr.ipv4.dst_addr;
        flow.protocol = hdr.ipv4.protocol;
        transition select(hdr.ipv4.ihl) {
            5: fragment;
            default: options;
        }
    }

    state options {
        b.extract(hdr.ipv4_options, (bit<32>)(hdr.ipv4.ihl - 5) << 5);
        transition fragment;
    }

    state fragment {
        transition select(hdr.ipv4.more_fragments, hdr.ipv4.fragment_offset) {
            (0, 0): whole;
            (1, 0): first;
            default: later;
        }
    }

    state whole {
        flow.fragment = fragment_t.WHOLE;
        transition transport;
    }

    state first {
        flow.fragment = fragment_t.FIRST;
        transition transport;
    }

    state later {
        flow.fragment = fragment_t.LATER;
        transition accept;
    }

    state transport {
        transition select(hdr.ipv4.protocol) {
            IP_PROTOCOL_TCP: parse_tcp;
            IP_PROTOCOL_UDP: parse_ports;
            IP_PROTOCOL_SCTP: parse_ports;
            default: accept;
        }
    }

    state parse_tcp {
        b.extract(hdr.ports);
        b.extract(hdr.tcp_rest);
        verify(hdr.tcp_rest.data_offset >= 5, error.BadDataOffset);
        flow.tcp_flags = hdr.tcp_rest.flags;
        transition ports_known;
    }

    state parse_ports {
        b.extract(hdr.ports);
        transition ports_known;
    }

    state ports_known {
        flow.src_port = hdr.ports.src_port;
        flow.dst_port = hdr.ports.dst_port;
        transition accept;
    }
}

@Xilinx_MaxPacketRegion(16384)
parser TopParser(packet_in b, out headers_t hdr, out user_metadata_t user_metadata, out digest_data_t digest_data,
                 inout sume_metadata_t sume_metadata) {
    Ipv4Parser() ipv4_parser;

    state start {
        user_metadata = { { 0, 0, 0, 0, 0, 0, fragment_t.WHOLE }, 0, 0 };
        digest_data.unused = 0;
        b.extract(hdr.ethernet);
        user_metadata.ether_type = hdr.ethernet.ether_type;
        user_metadata.l3_length = sume_metadata.pkt_len - 14;
        transition select(hdr.ethernet.ether_type) {
            ETHERTYPE_VLAN: parse_vlan;
            ETHERTYPE_IPV4: parse_ipv4;
            default: accept;
        }
    }

    state parse_vlan {
        b.extract(hdr.vlan);
        user_metadata.ether_type = hdr.vlan.ether_type;
        user_metadata.l3_length = sume_metadata.pkt_len - 18;
        transition select(hdr.vlan.ether_type) {
            ETHERTYPE_IPV4: parse_ipv4;
            default: accept;
        }
    }

    state parse_ipv4 {
        ipv4_parser.apply(b, hdr, user_metadata.flow, user_metadata.l3_length);
        transition accept;
    }
}

// A fragment that begins inside the TCP header hides the flags or overwrites them (RFC 1858), and so does a packet or
// first fragment that ends inside it (RFC 3128).
bool is_evasion(in flow_t flow, in bit<13> offset, in bit<16> payload) {
    if (flow.protocol != IP_PROTOCOL_TCP) {
        return false;
    }
    return offset == 1 || (flow.fragment != fragment_t.LATER && payload < 20);
}

// The rules. A miss: denied.
control Rules(in flow_t flow, in port_t src_port, inout verdict_t verdict, out rule_id_t rule) {
    // Neither the first segment of a connection nor one that nobody asked for: ACK or RST.
    bit<1> established = 0;

    action permit(rule_id_t id) {
        verdict = verdict_t.PERMITTED;
        rule = id;
    }

    action deny(rule_id_t id) {
        verdict = verdict_t.DENIED;
        rule = id;
    }

    action to_cpu(rule_id_t id) {
        verdict = verdict_t.TO_CPU;
        rule = id;
    }

    table rules {
        key = {
            src_port: ternary @name("ingress");
            flow.src_addr: ternary @name("src_addr");
            flow.dst_addr: ternary @name("dst_addr");
            flow.protocol: optional @name("protocol");
            flow.src_port: range @name("src_port");
            flow.dst_port: range @name("dst_port");
            flow.tcp_flags: ternary @name("tcp_flags");
            established: ternary @name("established");
            flow.fragment: ternary @name("fragment");
        }
        actions = { permit; deny; to_cpu; }
        size = RULES;
        default_action = deny(0);
    }

    apply {
        rule = 0;
        if (flow.protocol == IP_PROTOCOL_TCP && flow.fragment != fragment_t.LATER) {
            established = flow.tcp_flags[4:4] | flow.tcp_flags[2:2];
        }
        rules.apply();
    }
}

//  ┌ from a CPU side? ─► out of its wire
//  ├ IPv4 ─► rules ─┬─► permitted ─► path ─► out
//  │                └─► denied, for the CPU
//  └ other ─► EtherTypes that pass ─► path ─► out
control TopPipe(inout headers_t hdr, inout user_metadata_t user_metadata, inout digest_data_t digest_data,
                inout sume_metadata_t sume_metadata) {
    Rules() filter;
    verdict_t verdict = verdict_t.OTHER_DENIED;
    rule_id_t rule = 0;
    port_t path = 0;

    action pass() {
        verdict = verdict_t.PERMITTED;
    }

    action lead_to(port_t port) {
        path = port;
    }

    action lead_nowhere() {
        path = 0;
    }

    // EtherTypes that are not filtered. A miss: denied; IPv6 is among them.
    table other_types {
        key = { user_metadata.ether_type: exact; }
        actions = { pass; NoAction; }
        const default_action = NoAction();
        const entries = {
            ETHERTYPE_ARP: pass();
        }
    }

    // Written by the control plane: the wire on the other side. A miss: the port is not in use.
    table paths {
        key = { sume_metadata.src_port: exact; }
        actions = { lead_to; lead_nowhere; }
        size = 64;
        default_action = lead_nowhere();
    }

    apply {
        port_t from_cpu = sume_metadata.src_port & CPU_SIDES;
        bit<32> count;
        sume_metadata.dst_port = 0;
        paths.apply();

        if (from_cpu != 0) {
            verdict = verdict_t.FROM_CPU;
        } else if (!hdr.ipv4.isValid()) {
            other_types.apply();
        } else if (is_evasion(user_metadata.flow, hdr.ipv4.fragment_offset,
                              hdr.ipv4.total_length - (bit<16>)(hdr.ipv4.ihl ++ 2w0))) {
            verdict = verdict_t.BAD_FRAGMENT;
        } else {
            filter.apply(user_metadata.flow, sume_metadata.src_port, verdict, rule);
            rule_count_reg_raw(rule, 0, 1, REG_ADD_SAT, count);
        }

        if (verdict == verdict_t.PERMITTED && path == 0) {
            verdict = verdict_t.NO_PATH;
        }
        sume_metadata.dst_port = verdict == verdict_t.PERMITTED ? path :
                                 verdict == verdict_t.TO_CPU ? sume_metadata.src_port << 1 :
                                 verdict == verdict_t.FROM_CPU ? from_cpu >> 1 : 0;
        verdict_count_reg_raw((bit<3>)verdict, 0, 1, REG_ADD, count);
    }
}

@Xilinx_MaxPacketRegion(16384)
control TopDeparser(packet_out b, in headers_t hdr, in user_metadata_t user_metadata, inout digest_data_t digest_data,
                    inout sume_metadata_t sume_metadata) {
    apply {
        b.emit(hdr.ethernet);
        b.emit(hdr.vlan);
        b.emit(hdr.ipv4);
        b.emit(hdr.ipv4_options);
        b.emit(hdr.ports);
        b.emit(hdr.tcp_rest);
    }
}

SimpleSumeSwitch(TopParser(), TopPipe(), TopDeparser()) main;
