// SPDX-License-Identifier: Apache-2.0
// Corners: one sub-parser applied to several stacks, next and last of stacks that may be empty, headers swapped by
// run-time indexes, varbits copied, actions with bound parameters.
#include <core.p4>
#include <sume_switch.p4>
header byte_t { bit<8> x; }
header v_t { bit<8> n; varbit<16> data; bit<8> t; }
struct headers_t { byte_t[2] s; byte_t a; byte_t b; v_t v; v_t[2] w; byte_t[2] y; }
struct inner_t { byte_t[2] q; bit<8> k; }
struct meta_t { bit<8> m; inner_t i; bit<8> n; }
struct digest_t { bit<232> unused; bit<8> log; bit<8> log2; bit<8> log3; }
parser Sub(packet_in p, inout byte_t[2] st, out v_t v) {
    state start { p.extract(st.next); transition select(st.last.x[3:0]) { 1: again; default: vv; } }
    state again { p.extract(st.next); transition vv; }
    state vv { bit<8> n = p.lookahead<bit<8>>(); p.extract(v, (bit<32>)(n[0:0]) * 8); transition accept; }
}
parser TopParser(packet_in p, out headers_t hdr, out meta_t meta, out digest_t digest, inout sume_metadata_t sume) {
    Sub() sub;
    state start {
        p.extract(hdr.a);
        transition select(hdr.a.x[7:6]) { 0: l; 1: m; 2: n; 3: o; }
    }
    state l { if (hdr.a.x == 1) { p.extract(hdr.s.next); } meta.m = hdr.s.last.x; transition accept; }
    state m { sub.apply(p, hdr.s, hdr.v); meta.m = hdr.s.last.x; meta.n = (bit<8>)hdr.s.lastIndex; transition select(meta.m) { 5: m2; default: accept; } }
    state m2 { p.extract(hdr.s.next); transition accept; }
    state n { sub.apply(p, meta.i.q, hdr.w[0]); transition select(hdr.w[0].t) { 0 .. 0x7f: n2; default: accept; } }
    state n2 { sub.apply(p, hdr.y, hdr.w[1]); transition accept; }
    state o { byte_t look = p.lookahead<byte_t>(); if (look.x == 7) { p.extract(hdr.b); hdr.b.x = look.x + 1; } else { hdr.b.setValid(); hdr.b.x = 3; } transition select(look.x) { 9: reject; _: accept; } }
}
control Swap(inout v_t one, inout v_t two) { apply { v_t t = one; one = two; two = t; } }
control TopPipe(inout headers_t hdr, inout meta_t meta, inout digest_t digest, inout sume_metadata_t sume) {
    Swap() swap;
    action put(inout bit<8> where, bit<8> what) { where = what; }
    action many(bit<8> a, bit<48> b, bool c, int<8> d) { digest.log = a; digest.log2 = b[47:40]; if (c) { digest.log3 = (bit<8>)(d >> 1); } }
    action put2() { hdr.s[0].setInvalid(); }
    table t { key = { hdr.a.x: exact; hdr.s[1].isValid(): exact; } actions = { put(hdr.s[1].x); put2; many; NoAction; } size = 64; default_action = many(1, 0x020000000003, true, -7); }
    apply {
        sume.dst_port = 1;
        digest.log = meta.m; digest.log2 = meta.n; digest.log3 = meta.i.q[1].x;
        if (hdr.a.x[0:0] == 1) { swap.apply(hdr.w[0], hdr.w[1]); }
        if (hdr.a.x[1:1] == 1) { swap.apply(hdr.v, hdr.w[hdr.a.x[2:2]]); }
        if (hdr.a.x[3:3] == 1) { t.apply(); }
        if (hdr.v == hdr.w[0]) { digest.log3 = digest.log3 |+| 0x70; }
        bit<8> i = hdr.a.x[4:4] ++ 7w0;
        hdr.s[i >> 7] = hdr.s[(i >> 7) ^ 1];
        hdr.w[hdr.a.x >> 5] = { 1, hdr.v.data, 3 };
    }
}
control TopDeparser(packet_out p, in headers_t hdr, in meta_t meta, inout digest_t digest, inout sume_metadata_t sume) { apply { p.emit(hdr.a); p.emit(hdr.s); p.emit(hdr.v); p.emit(hdr.w); p.emit({ hdr.y, hdr.b }); } }
SimpleSumeSwitch(TopParser(), TopPipe(), TopDeparser()) main;
