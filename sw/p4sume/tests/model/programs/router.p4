// SPDX-License-Identifier: Apache-2.0
// An L3 switch: up to two VLAN tags, an MPLS label that only lookahead sees the end of, IPv4 with options, IPv6.
#include <core.p4>
#include <sume_switch.p4>

typedef bit<48> mac_t;

const bit<16> ETHERTYPE_IPV4 = 0x0800;  // RFC 894
const bit<16> ETHERTYPE_IPV6 = 0x86dd;  // RFC 2464
const bit<16> ETHERTYPE_VLAN = 0x8100;  // IEEE 802.1Q
const bit<16> ETHERTYPE_MPLS = 0x8847;  // RFC 3032

error {
    BadVersion,
    BadLength
}

header ethernet_t {
    mac_t   dst;
    mac_t   src;
    bit<16> ethertype;
}

header vlan_t {
    bit<3>  priority;
    bit<1>  drop_eligible;
    bit<12> id;
    bit<16> ethertype;
}

header mpls_t {
    bit<20> label;
    bit<3>  traffic_class;
    bit<1>  bottom;
    bit<8>  ttl;
}

header ipv4_t {
    bit<4>      version;
    bit<4>      ihl;
    bit<8>      tos;
    bit<16>     total_length;
    bit<16>     identification;
    bit<3>      flags;
    bit<13>     fragment_offset;
    bit<8>      ttl;
    bit<8>      protocol;
    bit<16>     checksum;
    bit<32>     src;
    bit<32>     dst;
    varbit<320> options;
}

header ipv6_t {
    bit<4>   version;
    bit<8>   traffic_class;
    bit<20>  flow_label;
    bit<16>  payload_length;
    bit<8>   next_header;
    bit<8>   hop_limit;
    bit<128> src;
    bit<128> dst;
}

struct headers_t {
    ethernet_t ethernet;
    vlan_t[2]  vlan;
    mpls_t[3]  mpls;
    ipv4_t     ipv4;
    ipv6_t     ipv6;
}

struct user_metadata_t {
    bit<16> next_hop;
    bit<1>  skipped;
}

struct digest_data_t {
    bit<216> unused;
    bit<8>   src_port;
    bit<32>  dst;
}

struct first_byte_t {
    bit<4> version;
    bit<4> ihl;
}

parser Payload(packet_in b, inout headers_t hdr) {
    state start {
        transition select(b.lookahead<first_byte_t>().version, hdr.mpls[0].isValid()) {
            (4, _): parse_ipv4;
            (6, true): parse_ipv6;
            (6, false): parse_ipv6;
        }
    }
    state parse_ipv4 {
        bit<4> ihl = b.lookahead<first_byte_t>().ihl;
        verify(ihl >= 5, error.BadLength);
        b.extract(hdr.ipv4, (bit<32>)(ihl - 5) * 32);
        transition accept;
    }
    state parse_ipv6 {
        b.extract(hdr.ipv6);
        transition accept;
    }
}

parser TopParser(packet_in b, out headers_t hdr, out user_metadata_t meta, out digest_data_t digest,
                 inout sume_metadata_t sume) {
    Payload() payload;

    state start {
        b.extract(hdr.ethernet);
        transition select(hdr.ethernet.ethertype) {
            ETHERTYPE_VLAN: parse_vlan;
            ETHERTYPE_MPLS: parse_mpls;
            ETHERTYPE_IPV4 &&& 0xffff: parse_payload;
            ETHERTYPE_IPV6: parse_payload;
            0 .. 1500: skip_llc;
            default: accept;
        }
    }
    state parse_vlan {
        b.extract(hdr.vlan.next);
        transition select(hdr.vlan.last.ethertype) {
            ETHERTYPE_VLAN: parse_vlan;
            ETHERTYPE_IPV4: parse_payload;
            ETHERTYPE_IPV6: parse_payload;
            default: accept;
        }
    }
    state parse_mpls {
        b.extract(hdr.mpls.next);
        transition select(hdr.mpls.last.bottom) {
            0: parse_mpls;
            1: parse_payload;
        }
    }
    // IEEE 802.2: three bytes, which are not passed on.
    state skip_llc {
        b.advance(24);
        meta.skipped = 1;
        transition accept;
    }
    state parse_payload {
        payload.apply(b, hdr);
        transition accept;
    }
}

control TopPipe(inout headers_t hdr, inout user_metadata_t meta, inout digest_data_t digest,
                inout sume_metadata_t sume) {
    action drop() {
        sume.dst_port = 0;
    }
    action to_cpu() {
        sume.dst_port = sume.src_port << 1;
        sume.send_dig_to_cpu = 1;
        digest.src_port = (bit<8>)sume.src_port;
        digest.dst = hdr.ipv4.dst;
    }
    action set_next_hop(bit<16> next_hop) {
        meta.next_hop = next_hop;
    }
    action forward(port_t port, mac_t src, mac_t dst) {
        sume.dst_port = port;
        hdr.ethernet.src = src;
        hdr.ethernet.dst = dst;
    }

    // Written by the control plane; a miss goes to the CPU.
    table ipv4_routes {
        key = { hdr.ipv4.dst: lpm; }
        actions = { set_next_hop; to_cpu; drop; }
        size = 4;
        default_action = to_cpu();
    }
    table ipv6_routes {
        key = { hdr.ipv6.dst: lpm @name("dst6"); }
        actions = { set_next_hop; drop; }
        size = 16;
        default_action = drop();
    }
    table next_hops {
        key = { meta.next_hop: exact; }
        actions = { forward; drop; }
        size = 16;
        const default_action = drop();
    }

    apply {
        if (meta.skipped == 1) {
            sume.dst_port = 0x55;
            exit;
        }
        if (hdr.ipv4.isValid()) {
            if (hdr.ipv4.ttl <= 1) {
                to_cpu();
                return;
            }
            ipv4_routes.apply();
            hdr.ipv4.ttl = hdr.ipv4.ttl - 1;
            // RFC 1624: the checksum after the decrement of a field's upper byte.
            bit<17> sum = (bit<17>)hdr.ipv4.checksum + 0x100;
            hdr.ipv4.checksum = sum[15:0] + (bit<16>)sum[16:16];
        } else if (hdr.ipv6.isValid()) {
            ipv6_routes.apply();
            hdr.ipv6.hop_limit = hdr.ipv6.hop_limit |-| 1;
        } else {
            drop();
            return;
        }
        if (meta.next_hop != 0) {
            next_hops.apply();
        }
        if (hdr.mpls[0].isValid()) {
            hdr.mpls.pop_front(1);
            if (!hdr.mpls[0].isValid()) {
                hdr.ethernet.ethertype = hdr.ipv4.isValid() ? ETHERTYPE_IPV4 : ETHERTYPE_IPV6;
            }
        }
        sume.pkt_len = sume.pkt_len + 1;
    }
}

control TopDeparser(packet_out b, in headers_t hdr, in user_metadata_t meta, inout digest_data_t digest,
                    inout sume_metadata_t sume) {
    apply {
        b.emit(hdr.ethernet);
        b.emit(hdr.vlan);
        b.emit(hdr.mpls);
        b.emit(hdr.ipv4);
        b.emit(hdr.ipv6);
    }
}

SimpleSumeSwitch(TopParser(), TopPipe(), TopDeparser()) main;
