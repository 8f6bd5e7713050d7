// SPDX-License-Identifier: Apache-2.0
// The edge and the inside of an MPLS network (RFC 3031, 3032, 3443): IPv4 and IPv6 packets get up to three labels;
// labels are swapped, pushed and popped, the last one where the next router wants none (penultimate hop popping). The
// link to the next hop may be in a VLAN: the tags that a packet came with are taken away, and one put on.
//
// Time to live follows the uniform model: it goes from the packet into its labels and back. Up to four labels are
// parsed. A router inside the network does not look at what its labels carry.

#include <core.p4>
#include <sume_switch.p4>
#include "headers.p4"
#include "ports.p4"
#include "protocols.p4"
#include "registers.p4"

#define MAX_TAGS 2
#define MAX_LABELS 4

#ifndef LABELS
#define LABELS 1024
#endif
#ifndef CLASSES
#define CLASSES 1024
#endif
#ifndef NEXT_HOPS
#define NEXT_HOPS 256
#endif

typedef bit<20> label_t;
typedef bit<3> traffic_class_t;
typedef bit<8> next_hop_t;

// RFC 3032 2.1: the values that no router gives out.
const label_t IPV4_EXPLICIT_NULL = 0;
const label_t IPV6_EXPLICIT_NULL = 2;
const label_t LAST_RESERVED = 15;

error {
    TooManyLabels
}

enum bit<4> verdict_t {
    FORWARDED = 0,
    FROM_CPU = 1,
    TO_CPU = 2,         // asked for by a label or a class, or neither labels nor IP
    TIME_EXCEEDED = 3,  // for the CPU, which answers
    NO_LABEL = 4,       // nobody gave this label out
    NO_CLASS = 5,       // no route and no tunnel for this destination: for the CPU, which answers
    NO_NEXT_HOP = 6,
    NO_ROOM = 7,        // what is to be pushed does not fit the stack
    NOT_IP = 8,         // the last label is gone, and what it carried has no EtherType
    BAD_IP_HEADER = 9   // version, header length, checksum
}

@Xilinx_MaxLatency(4)
@Xilinx_ControlWidth(4)
extern void verdict_count_reg_raw(in bit<4> index, in bit<32> newVal, in bit<32> incVal, in bit<8> opCode,
                                  out bit<32> result);

// Zero where the header's checksum is right.
@Xilinx_MaxLatency(3)
@Xilinx_ControlWidth(0)
extern void verify_ip_chksum(in bit<4> version, in bit<4> ihl, in bit<8> tos, in bit<16> totalLen,
                             in bit<16> identification, in bit<3> flags, in bit<13> fragOffset, in bit<8> ttl,
                             in bit<8> protocol, in bit<16> hdrChecksum, in bit<32> srcAddr, in bit<32> dstAddr,
                             out bit<16> result);

struct headers_t {
    ethernet_t ethernet;
    vlan_t[MAX_TAGS] vlan;
    mpls_t[MAX_LABELS] mpls;
    ipv4_t ipv4;
    ipv6_t ipv6;
}

struct user_metadata_t {
    bit<3> labels;
    bit<2> tags;
}

struct digest_data_t {
    bit<256> unused;
}

// A stack of labels to its bottom.
parser LabelParser(packet_in b, inout mpls_t[MAX_LABELS] mpls, out bit<3> labels) {
    state start {
        b.extract(mpls.next);
        labels = (bit<3>)mpls.lastIndex + 1;
        transition select(mpls.last.bottom, mpls.lastIndex) {
            (1, _): accept;
            (0, MAX_LABELS - 1): too_many;
            default: start;
        }
    }

    state too_many {
        verify(false, error.TooManyLabels);
        transition reject;
    }
}

// ethernet ─► vlan (to 2) ─► mpls (to 4) ─┬─► ipv4
//                                         └─► ipv6
@Xilinx_MaxPacketRegion(16384)
parser TopParser(packet_in b, out headers_t hdr, out user_metadata_t user_metadata, out digest_data_t digest_data,
                 inout sume_metadata_t sume_metadata) {
    LabelParser() label_parser;

    state start {
        user_metadata = { 0, 0 };
        digest_data.unused = 0;
        b.extract(hdr.ethernet);
        transition select(hdr.ethernet.ether_type) {
            ETHERTYPE_VLAN: parse_vlan;
            ETHERTYPE_QINQ: parse_vlan;
            ETHERTYPE_MPLS: parse_mpls;
            ETHERTYPE_IPV4: parse_ipv4;
            ETHERTYPE_IPV6: parse_ipv6;
            default: accept;
        }
    }

    state parse_vlan {
        b.extract(hdr.vlan.next);
        user_metadata.tags = (bit<2>)hdr.vlan.lastIndex + 1;
        transition select(hdr.vlan.last.ether_type, hdr.vlan.lastIndex) {
            (ETHERTYPE_VLAN, 0): parse_vlan;
            (ETHERTYPE_QINQ, 0): parse_vlan;
            (ETHERTYPE_MPLS, _): parse_mpls;
            (ETHERTYPE_IPV4, _): parse_ipv4;
            (ETHERTYPE_IPV6, _): parse_ipv6;
            default: accept;
        }
    }

    // Labels do not say what they carry; its first half byte does, for IP.
    state parse_mpls {
        label_parser.apply(b, hdr.mpls, user_metadata.labels);
        transition select(b.lookahead<bit<4>>()) {
            4: parse_ipv4;
            6: parse_ipv6;
            default: accept;
        }
    }

    state parse_ipv4 {
        b.extract(hdr.ipv4);
        transition accept;
    }

    state parse_ipv6 {
        b.extract(hdr.ipv6);
        transition accept;
    }
}

// What is to be done with the stack: `pops` labels go, then `pushes` come, of which `outer` is the first on the wire.
struct edit_t {
    bit<3> pops;
    bit<2> pushes;
    label_t outer;
    label_t middle;
    label_t inner;
}

// RFC 1624, equation 3: a header's checksum after one of its words has changed.
bit<16> updated_checksum(in bit<16> checksum, in bit<16> before, in bit<16> after) {
    bit<18> sum = (bit<18>)(~checksum) + (bit<18>)(~before) + (bit<18>)after;
    bit<17> folded = (bit<17>)sum[15:0] + (bit<17>)sum[17:16];
    return ~(folded[15:0] + (bit<16>)folded[16:16]);
}

// Takes labels away and puts labels on.
control EditLabels(inout mpls_t[MAX_LABELS] mpls, in edit_t edit, in bit<3> left, in traffic_class_t tc,
                   in bit<8> ttl) {
    apply {
        bit<1> bottom = left == 0 ? 1w1 : 0;
        if (edit.pops == 1) {
            mpls.pop_front(1);
        } else if (edit.pops == 2) {
            mpls.pop_front(2);
        }
        switch (edit.pushes) {
            1: {
                mpls.push_front(1);
                mpls[0].setValid();
                mpls[0] = { edit.outer, tc, bottom, ttl };
            }
            2: {
                mpls.push_front(2);
                mpls[0].setValid();
                mpls[0] = { edit.outer, tc, 0, ttl };
                mpls[1].setValid();
                mpls[1] = { edit.inner, tc, bottom, ttl };
            }
            3: {
                mpls.push_front(3);
                mpls[0].setValid();
                mpls[0] = { edit.outer, tc, 0, ttl };
                mpls[1].setValid();
                mpls[1] = { edit.middle, tc, 0, ttl };
                mpls[2].setValid();
                mpls[2] = { edit.inner, tc, bottom, ttl };
            }
            default: {
                if (left != 0) {
                    mpls[0].ttl = ttl;
                }
            }
        }
    }
}

//  ┌ from a CPU side? ─► out of its wire
//  ├ labels ─► explicit null? ─► label ─► swap, push, pop ─┬─────────────────────────┐
//  └ IP ◄────────────────────────────────── no label left ─┘                         │
//     └─► sound, lives on ─► class ─► push none to three ─► next hop ◄───────────────┘ ─► out
control TopPipe(inout headers_t hdr, inout user_metadata_t user_metadata, inout digest_data_t digest_data,
                inout sume_metadata_t sume_metadata) {
    EditLabels() edit_labels;

    verdict_t verdict = verdict_t.TO_CPU;
    edit_t edit = { 0, 0, 0, 0, 0 };
    bit<3> left = 0;
    bool has_next_hop = false;
    bool by_address = false;
    next_hop_t next_hop = 0;
    bool tagged = false;
    bit<12> vlan_id = 0;

    action pop_null() {
        edit.pops = 1;
    }

    action keep_for_cpu() {
        verdict = verdict_t.TO_CPU;
    }

    action swap(label_t label, next_hop_t id) {
        edit.pops = edit.pops + 1;
        edit.pushes = 1;
        edit.outer = label;
        next_hop = id;
        has_next_hop = true;
    }

    // Around a broken link (RFC 4090): the label that the far end expects, below one that leads there.
    action swap_and_push(label_t label, label_t over, next_hop_t id) {
        edit.pops = edit.pops + 1;
        edit.pushes = 2;
        edit.outer = over;
        edit.inner = label;
        next_hop = id;
        has_next_hop = true;
    }

    // The next router wants no label of ours.
    action pop_to(next_hop_t id) {
        edit.pops = edit.pops + 1;
        next_hop = id;
        has_next_hop = true;
    }

    // The tunnel ends here.
    action pop_and_route() {
        edit.pops = edit.pops + 1;
        by_address = true;
    }

    action unknown_label() {
        verdict = verdict_t.NO_LABEL;
    }

    action route(next_hop_t id) {
        next_hop = id;
        has_next_hop = true;
    }

    action push_one(label_t label, next_hop_t id) {
        edit.pushes = 1;
        edit.outer = label;
        route(id);
    }

    action push_two(label_t outer, label_t inner, next_hop_t id) {
        edit.pushes = 2;
        edit.outer = outer;
        edit.inner = inner;
        route(id);
    }

    action push_three(label_t outer, label_t middle, label_t inner, next_hop_t id) {
        edit.pushes = 3;
        edit.outer = outer;
        edit.middle = middle;
        edit.inner = inner;
        route(id);
    }

    action no_class() {
        verdict = verdict_t.NO_CLASS;
    }

    action send(port_t port, mac_addr_t src_addr, mac_addr_t dst_addr) {
        sume_metadata.dst_port = port;
        hdr.ethernet.src_addr = src_addr;
        hdr.ethernet.dst_addr = dst_addr;
        verdict = verdict_t.FORWARDED;
    }

    action send_in_vlan(port_t port, mac_addr_t src_addr, mac_addr_t dst_addr, bit<12> id) {
        send(port, src_addr, dst_addr);
        tagged = true;
        vlan_id = id;
    }

    action lead_nowhere() {
        verdict = verdict_t.NO_NEXT_HOP;
    }

    // RFC 3032 2.1: an explicit null is popped, and what is below it decides; the other reserved values are the
    // CPU's.
    table reserved_labels {
        key = { hdr.mpls[0].label: range; }
        actions = { pop_null; keep_for_cpu; NoAction; }
        const default_action = NoAction();
        const entries = {
            IPV4_EXPLICIT_NULL .. IPV4_EXPLICIT_NULL: pop_null();
            IPV6_EXPLICIT_NULL .. IPV6_EXPLICIT_NULL: pop_null();
            0 .. LAST_RESERVED: keep_for_cpu();
        }
    }

    label_t top = 0;

    // Written by the control plane: the labels that this router gave out. A miss: dropped.
    table labels {
        key = { top: exact @name("label"); }
        actions = { swap; swap_and_push; pop_to; pop_and_route; keep_for_cpu; unknown_label; }
        size = LABELS;
        default_action = unknown_label();
    }

    // Written by the control plane: how to reach an address, through a tunnel or not. A miss: the CPU answers.
    table ipv4_class {
        key = { hdr.ipv4.dst_addr: lpm; }
        actions = { route; push_one; push_two; push_three; keep_for_cpu; no_class; }
        size = CLASSES;
        default_action = no_class();
    }

    // As ipv4_class.
    table ipv6_class {
        key = { hdr.ipv6.dst_addr: lpm; }
        actions = { route; push_one; push_two; push_three; keep_for_cpu; no_class; }
        size = CLASSES;
        default_action = no_class();
    }

    // A miss: what leads there is dropped.
    table next_hops {
        key = { next_hop: exact; }
        actions = { send; send_in_vlan; lead_nowhere; }
        size = NEXT_HOPS;
        default_action = lead_nowhere();
    }

    apply {
        port_t from_cpu = sume_metadata.src_port & CPU_SIDES;
        bool is_ip = hdr.ipv4.isValid() || hdr.ipv6.isValid();
        bool has_labels = user_metadata.labels != 0;
        bit<32> count;
        bit<16> wrong = 0;
        sume_metadata.dst_port = 0;

        // The outermost header that has them gives time to live and class.
        bit<8> ttl = hdr.ipv6.isValid() ? hdr.ipv6.hop_limit : hdr.ipv4.time_to_live;
        traffic_class_t tc = hdr.ipv6.isValid() ? hdr.ipv6.traffic_class[7:5] : hdr.ipv4.tos[7:5];
        if (has_labels) {
            ttl = hdr.mpls[0].ttl;
            tc = hdr.mpls[0].tc;
        }

        // 1. What to do, by labels first and then by address.
        if (from_cpu != 0) {
            verdict = verdict_t.FROM_CPU;
        } else if (!has_labels && !is_ip) {
            verdict = verdict_t.TO_CPU;
        } else if (ttl <= 1) {
            verdict = verdict_t.TIME_EXCEEDED;
        } else {
            bool look_up = has_labels;
            by_address = !has_labels;
            top = hdr.mpls[0].label;
            if (has_labels) {
                switch (reserved_labels.apply().action_run) {
                    pop_null: {
                        top = hdr.mpls[1].label;
                        look_up = user_metadata.labels != 1;
                        by_address = !look_up;
                    }
                    keep_for_cpu: { look_up = false; }
                }
            }
            if (look_up) {
                labels.apply();
            }
            left = user_metadata.labels - edit.pops;
            if (by_address) {
                verdict = verdict_t.NOT_IP;
                if (left != 0) {
                    // The tunnel ends here and its packet is in another one: two steps, which the CPU takes.
                    verdict = verdict_t.TO_CPU;
                } else if (hdr.ipv4.isValid()) {
                    verify_ip_chksum(hdr.ipv4.version, hdr.ipv4.ihl, hdr.ipv4.tos, hdr.ipv4.total_length,
                                     hdr.ipv4.identification,
                                     hdr.ipv4.reserved ++ hdr.ipv4.dont_fragment ++ hdr.ipv4.more_fragments,
                                     hdr.ipv4.fragment_offset, hdr.ipv4.time_to_live, hdr.ipv4.protocol,
                                     hdr.ipv4.header_checksum, hdr.ipv4.src_addr, hdr.ipv4.dst_addr, wrong);
                    // With options the sum goes on behind what is parsed.
                    if (hdr.ipv4.version != 4 || hdr.ipv4.ihl < 5 || (hdr.ipv4.ihl == 5 && wrong != 0)) {
                        verdict = verdict_t.BAD_IP_HEADER;
                    } else {
                        ipv4_class.apply();
                    }
                } else if (hdr.ipv6.isValid()) {
                    if (hdr.ipv6.version != 6) {
                        verdict = verdict_t.BAD_IP_HEADER;
                    } else {
                        ipv6_class.apply();
                    }
                }
            }
        }

        // 2. Is there a way out, and room?
        if (has_next_hop) {
            if (left + (bit<3>)edit.pushes > MAX_LABELS) {
                verdict = verdict_t.NO_ROOM;
            } else if (left == 0 && edit.pushes == 0 && !is_ip) {
                verdict = verdict_t.NOT_IP;
            } else {
                next_hops.apply();
            }
        }

        // 3. The packet as the next link wants it.
        if (verdict == verdict_t.FORWARDED) {
            ttl = ttl - 1;
            edit_labels.apply(hdr.mpls, edit, left, tc, ttl);
            if (by_address || (left == 0 && edit.pushes == 0)) {
                if (hdr.ipv4.isValid()) {
                    hdr.ipv4.header_checksum = updated_checksum(hdr.ipv4.header_checksum,
                        hdr.ipv4.time_to_live ++ hdr.ipv4.protocol, ttl ++ hdr.ipv4.protocol);
                    hdr.ipv4.time_to_live = ttl;
                } else {
                    hdr.ipv6.hop_limit = ttl;
                }
            }
            bit<16> carried = left != 0 || edit.pushes != 0 ? ETHERTYPE_MPLS :
                              hdr.ipv4.isValid() ? ETHERTYPE_IPV4 : ETHERTYPE_IPV6;
            hdr.vlan.pop_front(MAX_TAGS);
            if (tagged) {
                hdr.vlan.push_front(1);
                hdr.vlan[0].setValid();
                hdr.vlan[0] = { tc, 0, vlan_id, carried };
                hdr.ethernet.ether_type = ETHERTYPE_VLAN;
            } else {
                hdr.ethernet.ether_type = carried;
            }
            // In units of four bytes, which labels and tags have.
            int<8> growth = (int<8>)(bit<8>)edit.pushes - (int<8>)(bit<8>)edit.pops -
                            (int<8>)(bit<8>)user_metadata.tags;
            if (tagged) {
                growth = growth + 1;
            }
            sume_metadata.pkt_len = sume_metadata.pkt_len + (bit<16>)((int<16>)growth << 2);
        } else if (verdict == verdict_t.FROM_CPU) {
            sume_metadata.dst_port = from_cpu >> 1;
        } else if (verdict == verdict_t.TO_CPU || verdict == verdict_t.TIME_EXCEEDED ||
                   verdict == verdict_t.NO_CLASS) {
            sume_metadata.dst_port = sume_metadata.src_port << 1;
        }

        verdict_count_reg_raw((bit<4>)verdict, 0, 1, REG_ADD, count);
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
