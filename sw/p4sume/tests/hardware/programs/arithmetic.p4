// SPDX-License-Identifier: Apache-2.0
// Every operator, on operands from the packet; the results go back into it.
#include <core.p4>
#include <sume_switch.p4>

header numbers_t {
    bit<8> op; bit<32> a; bit<32> b; int<16> s; int<16> t; bit<7> n; bit<1> flag; bit<64> wide; bit<64> other;
}
header results_t {
    bit<32> r1; bit<32> r2; bit<32> r3; int<16> s1; int<16> s2; bit<64> w1; bit<8> bits; bit<24> small;
}
struct headers_t { numbers_t n; results_t r; }
struct meta_t { bit<1> unused; }
struct digest_t { bit<192> unused; bit<64> w; }

parser TopParser(packet_in b, out headers_t hdr, out meta_t meta, out digest_t digest, inout sume_metadata_t sume) {
    state start { b.extract(hdr.n); transition accept; }
}

bit<32> swap16(in bit<32> x) { return x[15:0] ++ x[31:16]; }

control TopPipe(inout headers_t hdr, inout meta_t meta, inout digest_t digest, inout sume_metadata_t sume) {
    bit<32> a = hdr.n.a;
    bit<32> b = hdr.n.b;
    apply {
        sume.dst_port = 1;
        hdr.r.setValid();
        switch (hdr.n.op[3:0]) {
            0: { hdr.r.r1 = a + b; hdr.r.r2 = a - b; hdr.r.r3 = -a; hdr.r.w1 = hdr.n.wide + hdr.n.other; }
            1: { hdr.r.r1 = a & b; hdr.r.r2 = a | b; hdr.r.r3 = a ^ ~b; hdr.r.w1 = hdr.n.wide - hdr.n.other; }
            2: { hdr.r.r1 = a << hdr.n.n; hdr.r.r2 = a >> hdr.n.n; hdr.r.s1 = hdr.n.s >> hdr.n.n[3:0]; hdr.r.s2 = hdr.n.s << 3; }
            3: { hdr.r.r1 = a |+| b; hdr.r.r2 = a |-| b; hdr.r.s1 = hdr.n.s |+| hdr.n.t; hdr.r.s2 = hdr.n.s |-| hdr.n.t; }
            4: {
                hdr.r.bits = (bit<1>)(a < b) ++ (bit<1>)(a <= b) ++ (bit<1>)(a > b) ++ (bit<1>)(a >= b)
                    ++ (bit<1>)(hdr.n.s < hdr.n.t) ++ (bit<1>)(hdr.n.s <= hdr.n.t) ++ (bit<1>)(hdr.n.s > hdr.n.t)
                    ++ (bit<1>)(hdr.n.s >= hdr.n.t);
                hdr.r.small = (bit<24>)((bit<1>)(hdr.n.wide < hdr.n.other) ++ (bit<1>)(a == b) ++ (bit<1>)(a != b));
            }
            5: { hdr.r.r1 = a * 10; hdr.r.r2 = a * 255; hdr.r.r3 = (bit<32>)a[15:0] * (bit<32>)b[15:0]; }
            6: { hdr.r.r1 = a / 16; hdr.r.r2 = a % 16; hdr.r.r3 = a % 1; }
            7: { hdr.r.r1 = swap16(a); hdr.r.r2 = (bit<32>)(bit<8>)b; hdr.r.s1 = (int<16>)a[15:0]; hdr.r.w1 = a ++ b; }
            8: { hdr.r.r1[7:0] = a[31:24]; hdr.r.r1[31:16] = b[15:0]; hdr.r.r2 = hdr.n.flag == 1 ? a : b; }
            9: { hdr.r.w1 = (bit<64>)(int<64>)(int<32>)a; hdr.r.s2 = (int<16>)(int<8>)(bit<8>)hdr.n.n; hdr.r.s1 = -hdr.n.s; }
            10: { hdr.r.r1 = 7; hdr.r.r1 = hdr.r.r1 + 1; hdr.r.r2 = (a & b) == 0 || a > 5 && !(b == 7) ? 32w1 : 2; }
            11: { a = b; b = 3; hdr.r.r1 = a; hdr.r.r2 = b; hdr.r.small[0:0] = (bit<1>)(hdr.n.flag == 1); }
            12: { hdr.r.w1 = hdr.n.wide |+| hdr.n.other; hdr.r.s1 = hdr.n.s + hdr.n.t; hdr.r.s2 = hdr.n.s * 3; }
            13: { hdr.r.w1 = hdr.n.wide << hdr.n.n; digest.w = hdr.n.wide >> hdr.n.a[7:0]; }
            default: { hdr.r.w1 = hdr.n.other |-| hdr.n.wide; digest.w = hdr.n.wide; }
        }
    }
}

control TopDeparser(packet_out b, in headers_t hdr, in meta_t meta, inout digest_t digest, inout sume_metadata_t sume) {
    apply { b.emit(hdr.r); b.emit(hdr.n); }
}

SimpleSumeSwitch(TopParser(), TopPipe(), TopDeparser()) main;
