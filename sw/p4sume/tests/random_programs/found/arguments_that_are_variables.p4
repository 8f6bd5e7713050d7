// SPDX-License-Identifier: Apache-2.0
// An in argument is the value from before the call, also where it is a choice between variables, a cast that changes
// nothing, or a sign that does not: the model handed on the variable itself, which the callee changes by another way.
#include <core.p4>
#include <sume_switch.p4>
header h_t { bit<8> a; bit<8> b; bit<8> c; bit<8> d; bit<8> e; }
struct headers_t { h_t x; h_t y; }
struct meta_t { bit<8> unused; }
struct digest_t { bit<256> unused; }

parser TopParser(packet_in p, out headers_t hdr, out meta_t meta, out digest_t digest, inout sume_metadata_t sume) {
    state start {
        p.extract(hdr.x);
        transition accept;
    }
}
control SubControl(inout h_t q1, in h_t q2) {
    apply {
        q1 = { a = 0, b = 0, c = 0, d = 0, e = 0 };
        q1.a = q2.b;
    }
}
void add_both(inout bit<8> sum, in bit<8> other) {
    sum = 1;
    sum = sum + other;
}
control TopPipe(inout headers_t hdr, inout meta_t meta, inout digest_t digest, inout sume_metadata_t sume) {
    SubControl() sub;
    apply {
        sume.dst_port = 1;
        add_both(hdr.x.c, (bit<8>)hdr.x.c);
        add_both(hdr.x.d, +hdr.x.d);
        add_both(hdr.x.e, hdr.x.a == 7 ? hdr.x.e : hdr.x.e);
        hdr.y = hdr.x;
        sub.apply(hdr.x, (hdr.x.a == 7 ? hdr.y : hdr.x));
    }
}
control TopDeparser(packet_out p, in headers_t hdr, in meta_t meta, inout digest_t digest, inout sume_metadata_t sume) {
    apply {
        p.emit(hdr);
    }
}
SimpleSumeSwitch(TopParser(), TopPipe(), TopDeparser()) main;
