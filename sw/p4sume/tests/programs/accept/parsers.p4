// SPDX-License-Identifier: Apache-2.0
// States, selects, lookahead, value sets, sub-parsers and verify.
#include <core.p4>
bit<16> next_type_of(in bit<8> x) { return (bit<16>)x; }
header eth_t { bit<48> dst; bit<16> type; }
header vlan_t { bit<16> tci; bit<16> type; }
header opt_t { bit<8> len; varbit<256> data; }
enum bit<16> ether { vlan = 0x8100, ip = 0x800 }
enum color { red, green }
struct key_t { bit<16> a; bit<8> b; }
struct hdr_t { eth_t eth; vlan_t[2] vlan; opt_t opt; }
parser sub(packet_in b, out vlan_t v)(bool strict) {
    state start { b.extract(v); transition select(strict) { true: accept; false: reject; } }
}
parser direct(packet_in b) { state start { b.advance(8); transition accept; } }
error { BadVersion }
parser p(packet_in b, out hdr_t h, inout bit<8> x, in bool f, in color c, in ether e) {
    value_set<bit<16>>(4) types;
    value_set<key_t>(4) keys;
    value_set<tuple<bit<16>, bit<8>>>(4) pairs;
    sub(true) s;
    bit<8> count = 0;
    const bit<8> limit = 2;
    state start {
        b.extract(h.eth);
        bit<16> next_type = b.lookahead<bit<16>>();
        if (next_type == 0) { x = 1; } else x = 2;
        transition select(h.eth.type) {
            ether.vlan: vlan;
            0x800 &&& 0xFF00: options;
            0x900 .. 0x9FF: named;
            9 .. 8: named;
            types: accept;
            default: reject;
            1: accept;
        }
    }
    state vlan {
        b.extract(h.vlan.next);
        count = count + 1;
        verify(count < limit, error.BadVersion);
        transition select(h.vlan.last.type, h.vlan.lastIndex) {
            (0x8100, 0): vlan;
            (0x800, _): options;
            (_, 1 &&& 1): options;
            default: accept;
        }
    }
    state options { b.extract(h.opt, (bit<32>)x << 3); s.apply(b, h.vlan[0]); direct.apply(b); transition named; }
    @name("named_state") state named { b.extract<vlan_t>(_); transition next_select; }
    state next_select {
        transition select(next_type_of(x), x) { keys: accept; pairs: accept; (1, 2): accept; default: next_enum; }
    }
    state next_enum {
        transition select(e, f, c) { (ether.ip, true, color.red): accept; (0x800, _, _): accept; _: implicit; }
    }
    state implicit { { x = 3; } }
    state lonely { transition accept; }
}
