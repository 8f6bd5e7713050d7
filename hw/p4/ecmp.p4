// SPDX-License-Identifier: Apache-2.0
// ECMP: a layer-3 switch that spreads flows over equal paths by a seeded hash of their 5-tuple.
//
// Routes lead to a next hop or to a group of them; a group is 64 buckets, each with a next hop, so that any weights
// can be given and a path that leaves moves no flow but its own. ARP requests and neighbor solicitations for the
// gateway's addresses are answered here; everything else that is not routed traffic goes to the CPU side of the port
// it came from. VLAN tags are carried unchanged.

#include <core.p4>
#include <sume_switch.p4>
#include "headers.p4"
#include "ip.p4"
#include "ports.p4"
#include "protocols.p4"
#include "registers.p4"

#ifndef ROUTES
#define ROUTES 1024
#endif
#ifndef NEXT_HOPS
#define NEXT_HOPS 1024
#endif
#ifndef GROUPS
#define GROUPS 16
#endif
// As many rows as a block RAM has anyway; few in distributed RAM take more of the chip.
#ifndef GATEWAYS
#define GATEWAYS 1024
#endif

typedef bit<10> next_hop_t;
typedef bit<8> group_t;
typedef bit<6> bucket_t;

#define BUCKETS_PER_GROUP 64

// What became of a packet: the index of its counter in verdict_count_reg_raw.
enum bit<4> verdict_t {
    FORWARDED = 0,
    TO_CPU = 1,
    FROM_CPU = 2,
    ANSWERED = 3,
    NOT_FOR_US = 4,       // unicast frame for another station
    BAD_IP_HEADER = 5,    // version, lengths
    BAD_CHECKSUM = 6,     // of an IPv4 header, of a solicitation
    TIME_EXCEEDED = 7,    // sent to the CPU, which answers
    NO_ROUTE = 8,         // sent to the CPU, which answers
    DISCARDED = 9,        // by a route that says so
    NO_NEXT_HOP = 10      // a route or bucket leads to nothing
}

@Xilinx_MaxLatency(4)
@Xilinx_ControlWidth(4)
extern void verdict_count_reg_raw(in bit<4> index, in bit<32> newVal, in bit<32> incVal, in bit<8> opCode,
                                  out bit<32> result);

// Read at every packet; the control plane writes entry 0.
@Xilinx_MaxLatency(4)
@Xilinx_ControlWidth(1)
extern void hash_seed_reg_rw(in bit<1> index, in bit<32> newVal, in bit<8> opCode, out bit<32> result);

struct headers_t {
    ethernet_t ethernet;
    vlan_t vlan;
    arp_t arp;
    ipv4_t ipv4;
    ipv6_t ipv6;
    ports_t ports;
    icmpv6_t icmpv6;
    neighbor_t neighbor;
    nd_link_address_t nd_link_address;
}

struct user_metadata_t {
    bit<8> unused;
}

struct digest_data_t {
    bit<256> unused;
}

//              ┌─► arp
// ethernet ─┬──┤─► ipv4 ─► ports                (neither fragment nor options)
//           └─► vlan ─► (as above)
//              └─► ipv6 ─┬─► ports
//                        └─► icmpv6 ─► neighbor ─► nd_link_address
@Xilinx_MaxPacketRegion(16384)
parser TopParser(packet_in b, out headers_t hdr, out user_metadata_t user_metadata, out digest_data_t digest_data,
                 inout sume_metadata_t sume_metadata) {
    state start {
        user_metadata.unused = 0;
        digest_data.unused = 0;
        b.extract(hdr.ethernet);
        transition select(hdr.ethernet.ether_type) {
            ETHERTYPE_VLAN: parse_vlan;
            ETHERTYPE_ARP: parse_arp;
            ETHERTYPE_IPV4: parse_ipv4;
            ETHERTYPE_IPV6: parse_ipv6;
            default: accept;
        }
    }

    state parse_vlan {
        b.extract(hdr.vlan);
        transition select(hdr.vlan.ether_type) {
            ETHERTYPE_ARP: parse_arp;
            ETHERTYPE_IPV4: parse_ipv4;
            ETHERTYPE_IPV6: parse_ipv6;
            default: accept;
        }
    }

    state parse_arp {
        b.extract(hdr.arp);
        transition accept;
    }

    state parse_ipv4 {
        b.extract(hdr.ipv4);
        transition select(hdr.ipv4.ihl, hdr.ipv4.more_fragments, hdr.ipv4.fragment_offset, hdr.ipv4.protocol) {
            (5, 0, 0, IP_PROTOCOL_TCP): parse_ports;
            (5, 0, 0, IP_PROTOCOL_UDP): parse_ports;
            (5, 0, 0, IP_PROTOCOL_SCTP): parse_ports;
            default: accept;
        }
    }

    state parse_ipv6 {
        b.extract(hdr.ipv6);
        transition select(hdr.ipv6.next_header) {
            IP_PROTOCOL_TCP: parse_ports;
            IP_PROTOCOL_UDP: parse_ports;
            IP_PROTOCOL_SCTP: parse_ports;
            IP_PROTOCOL_ICMPV6: parse_icmpv6;
            default: accept;
        }
    }

    state parse_ports {
        b.extract(hdr.ports);
        transition accept;
    }

    state parse_icmpv6 {
        b.extract(hdr.icmpv6);
        transition select(hdr.icmpv6.type, hdr.ipv6.payload_length) {
            (ICMPV6_NEIGHBOR_SOLICITATION, 24): parse_neighbor;
            (ICMPV6_NEIGHBOR_SOLICITATION, 32): parse_neighbor_with_address;
            default: accept;
        }
    }

    state parse_neighbor {
        b.extract(hdr.neighbor);
        transition accept;
    }

    state parse_neighbor_with_address {
        b.extract(hdr.neighbor);
        b.extract(hdr.nd_link_address);
        transition accept;
    }
}

//  ┌ from a CPU side? ─► out of its wire
//  ├ ARP, neighbor solicitation for a gateway ─► answered
//  ├ for the router's MAC, sound, lives on ─► route ─► group ─► bucket ─┐
//  │                                             └─► next hop ◄─────────┘ ─► out
//  └ all else ─► CPU side of its port, or dropped; every packet counted by its verdict
control TopPipe(inout headers_t hdr, inout user_metadata_t user_metadata, inout digest_data_t digest_data,
                inout sume_metadata_t sume_metadata) {
    verdict_t verdict = verdict_t.TO_CPU;
    next_hop_t next_hop = 0;
    group_t group = 0;
    bucket_t bucket = 0;
    bool has_group = false;
    bool has_next_hop = false;
    mac_addr_t gateway_mac = 0;
    bit<32> seed = 0;
    bit<32> count = 0;

    action route_to_next_hop(next_hop_t id) {
        next_hop = id;
        has_next_hop = true;
    }

    action route_to_group(group_t id) {
        group = id;
        has_group = true;
    }

    action route_to_cpu() {
        verdict = verdict_t.TO_CPU;
    }

    action route_to_nowhere() {
        verdict = verdict_t.DISCARDED;
    }

    action unroutable() {
        verdict = verdict_t.NO_ROUTE;
    }

    action choose(next_hop_t id) {
        next_hop = id;
        has_next_hop = true;
    }

    action send(port_t port, mac_addr_t src_addr, mac_addr_t dst_addr) {
        sume_metadata.dst_port = port;
        hdr.ethernet.src_addr = src_addr;
        hdr.ethernet.dst_addr = dst_addr;
        verdict = verdict_t.FORWARDED;
    }

    action lead_nowhere() {
        verdict = verdict_t.NO_NEXT_HOP;
    }

    action answer(mac_addr_t mac) {
        gateway_mac = mac;
    }

    // Written by the control plane: the MACs under which this router is addressed. A miss: not ours to route.
    table router_mac {
        key = { hdr.ethernet.dst_addr: exact; }
        actions = { NoAction; }
        size = GATEWAYS;
        default_action = NoAction();
    }

    // The gateway's IPv4 addresses. A miss: the CPU sees the ARP packet.
    table gateway_ipv4 {
        key = { hdr.arp.target_ip: exact; }
        actions = { answer; NoAction; }
        size = GATEWAYS;
        default_action = NoAction();
    }

    // The gateway's IPv6 addresses. A miss: the CPU sees the solicitation.
    table gateway_ipv6 {
        key = { hdr.neighbor.target: exact; }
        actions = { answer; NoAction; }
        size = GATEWAYS;
        default_action = NoAction();
    }

    // A miss: the CPU sees the packet, and answers that there is no route.
    table ipv4_route {
        key = { hdr.ipv4.dst_addr: lpm; }
        actions = { route_to_next_hop; route_to_group; route_to_cpu; route_to_nowhere; unroutable; }
        size = ROUTES;
        default_action = unroutable();
    }

    // As ipv4_route.
    table ipv6_route {
        key = { hdr.ipv6.dst_addr: lpm; }
        actions = { route_to_next_hop; route_to_group; route_to_cpu; route_to_nowhere; unroutable; }
        size = ROUTES;
        default_action = unroutable();
    }

    // The next hop of each bucket of each group. A miss: the group has a hole, and the packet is dropped.
    table group_bucket {
        key = {
            group: exact;
            bucket: exact;
        }
        actions = { choose; lead_nowhere; }
        size = GROUPS * BUCKETS_PER_GROUP;
        default_action = lead_nowhere();
    }

    // A miss: a route leads to a next hop that is not there, and the packet is dropped.
    table next_hops {
        key = { next_hop: exact; }
        actions = { send; lead_nowhere; }
        size = NEXT_HOPS;
        default_action = lead_nowhere();
    }

    apply {
        bit<16> l3_length = sume_metadata.pkt_len - 14;
        bit<32> sum;
        bit<17> folded;
        bool routable = false;

        // The CPU sides are the odd bits: what comes from one leaves through its wire.
        port_t from_cpu = sume_metadata.src_port & CPU_SIDES;
        sume_metadata.dst_port = 0;
        if (hdr.vlan.isValid()) {
            l3_length = l3_length - 4;
        }

        // 1. The flow hash, of what all packets of a flow have in common.
        hash_seed_reg_rw(0, 0, 0, seed);
        bit<32> hash = flow_hash(seed, hdr.ipv4, hdr.ipv6, hdr.ports);
        bucket = hash[31:26];

        // 2. Who is meant, and is the packet sound?
        bool for_us = router_mac.apply().hit;
        if (from_cpu != 0) {
            sume_metadata.dst_port = from_cpu >> 1;
            verdict = verdict_t.FROM_CPU;
        } else if (hdr.arp.isValid()) {
            if (hdr.arp.operation == ARP_REQUEST && hdr.arp.hardware_type == ARP_HARDWARE_ETHERNET &&
                hdr.arp.protocol_type == ETHERTYPE_IPV4 && hdr.arp.hardware_length == 6 &&
                hdr.arp.protocol_length == 4) {
                if (gateway_ipv4.apply().hit) {
                    verdict = verdict_t.ANSWERED;
                }
            }
        } else if (hdr.neighbor.isValid() && hdr.ipv6.hop_limit == ND_HOP_LIMIT && hdr.icmpv6.code == 0 &&
                   hdr.ipv6.src_addr != 0 && hdr.ipv6.version == 6) {
            // The pseudo header and all 24 or 32 bytes of the message; an option that is not there adds nothing.
            sum = ((SUM8(hdr.ipv6.src_addr) + SUM8(hdr.ipv6.dst_addr)) + SUM8(hdr.neighbor.target)) +
                  ((SUM2(hdr.neighbor.flags) + WORD(hdr.ipv6.payload_length)) +
                   (WORD(hdr.icmpv6.checksum) + (WORD(IP_PROTOCOL_ICMPV6) + WORD(hdr.icmpv6.type ++ hdr.icmpv6.code))));
            if (hdr.nd_link_address.isValid()) {
                sum = sum + (WORD(hdr.nd_link_address.type ++ hdr.nd_link_address.length) +
                             (WORD(hdr.nd_link_address.address[47:32]) + SUM2(hdr.nd_link_address.address[31:0])));
            }
            folded = FOLD(sum);
            if (folded[15:0] + (bit<16>)folded[16:16] != 0xFFFF) {
                verdict = verdict_t.BAD_CHECKSUM;
            } else if (!hdr.nd_link_address.isValid() ||
                       (hdr.nd_link_address.type == ND_OPTION_SOURCE_ADDRESS && hdr.nd_link_address.length == 1)) {
                if (gateway_ipv6.apply().hit) {
                    verdict = verdict_t.ANSWERED;
                }
            }
        } else if (!for_us) {
            // Broadcast and multicast may be for the CPU; a unicast frame for another station is not.
            if (hdr.ethernet.dst_addr[40:40] == 0) {
                verdict = verdict_t.NOT_FOR_US;
            }
        } else if (hdr.ipv4.isValid()) {
            if (hdr.ipv4.version != 4 || hdr.ipv4.ihl < 5 || hdr.ipv4.total_length > l3_length ||
                hdr.ipv4.total_length < (bit<16>)(hdr.ipv4.ihl ++ (bit<2>)0)) {
                verdict = verdict_t.BAD_IP_HEADER;
            } else if (hdr.ipv4.ihl == 5 && ipv4_sum(hdr.ipv4) != 0xFFFF) {
                // With options the sum goes on behind what is parsed; the checksum is updated all the same.
                verdict = verdict_t.BAD_CHECKSUM;
            } else if (hdr.ipv4.time_to_live <= 1) {
                verdict = verdict_t.TIME_EXCEEDED;
            } else {
                ipv4_route.apply();
                routable = true;
            }
        } else if (hdr.ipv6.isValid()) {
            if (hdr.ipv6.version != 6 || hdr.ipv6.payload_length > l3_length - 40) {
                verdict = verdict_t.BAD_IP_HEADER;
            } else if (hdr.ipv6.hop_limit <= 1) {
                verdict = verdict_t.TIME_EXCEEDED;
            } else {
                ipv6_route.apply();
                routable = true;
            }
        }

        // 3. Where to.
        if (has_group) {
            group_bucket.apply();
        }
        if (has_next_hop) {
            next_hops.apply();
        }

        // 4. What changes on the way.
        if (verdict == verdict_t.FORWARDED && routable) {
            if (hdr.ipv4.isValid()) {
                hdr.ipv4.header_checksum = checksum_after_hop(hdr.ipv4.header_checksum);
                hdr.ipv4.time_to_live = hdr.ipv4.time_to_live - 1;
            } else {
                hdr.ipv6.hop_limit = hdr.ipv6.hop_limit - 1;
            }
        } else if (verdict == verdict_t.ANSWERED) {
            sume_metadata.dst_port = sume_metadata.src_port;
            hdr.ethernet.dst_addr = hdr.ethernet.src_addr;
            hdr.ethernet.src_addr = gateway_mac;
            if (hdr.arp.isValid()) {
                ipv4_addr_t asked = hdr.arp.target_ip;
                hdr.arp.operation = ARP_REPLY;
                hdr.arp.target_mac = hdr.arp.sender_mac;
                hdr.arp.target_ip = hdr.arp.sender_ip;
                hdr.arp.sender_mac = gateway_mac;
                hdr.arp.sender_ip = asked;
            } else {
                // RFC 4861 7.2.4: to the one who asks, from the address asked for, with our link address.
                if (!hdr.nd_link_address.isValid()) {
                    sume_metadata.pkt_len = sume_metadata.pkt_len + 8;
                }
                hdr.ipv6.dst_addr = hdr.ipv6.src_addr;
                hdr.ipv6.src_addr = hdr.neighbor.target;
                hdr.ipv6.payload_length = 32;
                hdr.icmpv6.type = ICMPV6_NEIGHBOR_ADVERTISEMENT;
                hdr.neighbor.flags = ND_ROUTER_SOLICITED_OVERRIDE;
                hdr.nd_link_address.setValid();
                hdr.nd_link_address.type = ND_OPTION_TARGET_ADDRESS;
                hdr.nd_link_address.length = 1;
                hdr.nd_link_address.address = gateway_mac;
                // Pseudo header (addresses, length 32, next header 58), type 136, flags, target, option 2 of length 1.
                sum = ((SUM8(hdr.ipv6.dst_addr) + SUM8(hdr.neighbor.target)) + SUM8(hdr.neighbor.target)) +
                      ((WORD(gateway_mac[47:32]) + SUM2(gateway_mac[31:0])) +
                       (32 + 58 + 0x8800 + 0xE000 + 0x0201));
                folded = FOLD(sum);
                hdr.icmpv6.checksum = ~(folded[15:0] + (bit<16>)folded[16:16]);
            }
        } else if (verdict == verdict_t.TO_CPU || verdict == verdict_t.TIME_EXCEEDED || verdict == verdict_t.NO_ROUTE) {
            sume_metadata.dst_port = sume_metadata.src_port << 1;
        } else if (verdict != verdict_t.FROM_CPU) {
            sume_metadata.dst_port = 0;
        }

        verdict_count_reg_raw((bit<4>)verdict, 0, 1, REG_ADD, count);
    }
}

@Xilinx_MaxPacketRegion(16384)
control TopDeparser(packet_out b, in headers_t hdr, in user_metadata_t user_metadata, inout digest_data_t digest_data,
                    inout sume_metadata_t sume_metadata) {
    apply {
        b.emit(hdr.ethernet);
        b.emit(hdr.vlan);
        b.emit(hdr.arp);
        b.emit(hdr.ipv4);
        b.emit(hdr.ipv6);
        b.emit(hdr.ports);
        b.emit(hdr.icmpv6);
        b.emit(hdr.neighbor);
        b.emit(hdr.nd_link_address);
    }
}

SimpleSumeSwitch(TopParser(), TopPipe(), TopDeparser()) main;
