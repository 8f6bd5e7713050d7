// SPDX-License-Identifier: Apache-2.0
#include <core.p4>
#include <sume_switch.p4>

typedef bit<48> mac_t;

header ethernet_t { mac_t dst; mac_t src; bit<16> type; }
header vlan_t { bit<3> pcp; bit<1> dei; bit<12> id; bit<16> type; }
header ipv4_t {
    bit<4> version; bit<4> ihl; bit<8> tos; bit<16> total_length;
    bit<16> identification; bit<3> flags; bit<13> fragment;
    bit<8> ttl; bit<8> protocol; bit<16> checksum;
    bit<32> src; bit<32> dst;
    varbit<320> options;
}
header ipv6_t {
    bit<4> version; bit<8> class_; bit<20> label; bit<16> length; bit<8> next; bit<8> hops;
    bit<128> src; bit<128> dst;
}
header tcp_t { bit<16> src; bit<16> dst; bit<32> seq; bit<32> ack; bit<16> flags; bit<16> window; bit<16> sum; bit<16> urgent; }
header udp_t { bit<16> src; bit<16> dst; bit<16> length; bit<16> sum; }

struct headers_t { ethernet_t ethernet; vlan_t vlan; ipv4_t ipv4; ipv6_t ipv6; tcp_t tcp; udp_t udp; }
struct meta_t { bit<16> hash; bit<1> to_cpu; }
struct digest_t { bit<256> unused; }

@Xilinx_MaxLatency(1) @Xilinx_ControlWidth(0)
extern void flow_lrc(in bit<104> data, out bit<16> result);

parser TopParser(packet_in b, out headers_t hdr, out meta_t meta, out digest_t digest, inout sume_metadata_t sume) {
    state start {
        b.extract(hdr.ethernet);
        transition select(hdr.ethernet.type) {
            0x8100: parse_vlan;
            0x0800: parse_ipv4;
            0x86dd: parse_ipv6;
            default: accept;
        }
    }
    state parse_vlan {
        b.extract(hdr.vlan);
        transition select(hdr.vlan.type) {
            0x0800: parse_ipv4;
            0x86dd: parse_ipv6;
            default: accept;
        }
    }
    state parse_ipv4 {
        bit<8> first = b.lookahead<bit<8>>();
        verify(first[3:0] >= 5, error.HeaderTooShort);
        b.extract(hdr.ipv4, (bit<32>)(first[3:0] - 5) * 32);
        transition select(hdr.ipv4.fragment, hdr.ipv4.protocol) {
            (0, 6): parse_tcp;
            (0, 17): parse_udp;
            default: accept;
        }
    }
    state parse_ipv6 {
        b.extract(hdr.ipv6);
        transition select(hdr.ipv6.next) {
            6: parse_tcp;
            17: parse_udp;
            default: accept;
        }
    }
    state parse_tcp { b.extract(hdr.tcp); transition accept; }
    state parse_udp { b.extract(hdr.udp); transition accept; }
}

control TopPipe(inout headers_t hdr, inout meta_t meta, inout digest_t digest, inout sume_metadata_t sume) {
    action drop() { sume.dst_port = 0; }
    action forward(port_t port, mac_t src, mac_t dst) {
        sume.dst_port = port;
        hdr.ethernet.src = src;
        hdr.ethernet.dst = dst;
        hdr.ipv4.ttl = hdr.ipv4.ttl - 1;
        hdr.ipv6.hops = hdr.ipv6.hops - 1;
    }
    action to_cpu() { sume.dst_port = 2; }
    table routes {
        key = { hdr.ipv4.dst: lpm; }
        actions = { forward; to_cpu; drop; NoAction; }
        size = 64;
        default_action = to_cpu();
    }
    table routes6 {
        key = { hdr.ipv6.dst: lpm; }
        actions = { forward; to_cpu; drop; NoAction; }
        size = 64;
        default_action = drop();
    }
    table untag {
        key = { hdr.vlan.isValid(): exact; hdr.vlan.id: ternary; }
        actions = { drop; NoAction; }
        const default_action = NoAction;
        const entries = {
            (true, 0x100 &&& 0xf00): drop();
            (true, 7): NoAction();
            (true, _): drop();
        }
    }
    apply {
        if (hdr.ipv4.isValid()) {
            flow_lrc(hdr.ipv4.src ++ hdr.ipv4.dst ++ hdr.ipv4.protocol ++ hdr.tcp.src ++ hdr.tcp.dst, meta.hash);
            if (routes.apply().hit) {
                hdr.ipv4.checksum = hdr.ipv4.checksum |+| 0x100;
            }
        } else if (hdr.ipv6.isValid()) {
            routes6.apply();
        } else {
            to_cpu();
        }
        untag.apply();
        if (hdr.vlan.isValid() && hdr.vlan.id == 7) {
            hdr.ethernet.type = hdr.vlan.type;
            hdr.vlan.setInvalid();
        }
    }
}

control TopDeparser(packet_out b, in headers_t hdr, in meta_t meta, inout digest_t digest, inout sume_metadata_t sume) {
    apply { b.emit(hdr); }
}

SimpleSumeSwitch(TopParser(), TopPipe(), TopDeparser()) main;
