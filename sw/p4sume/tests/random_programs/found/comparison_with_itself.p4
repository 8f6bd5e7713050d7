// SPDX-License-Identifier: Apache-2.0
// What a C++ compiler warns of may be a legal program.
#include <core.p4>
#include <sume_switch.p4>

header h_t { bit<8> x; bit<8> y; }
struct headers_t { h_t h; }
struct meta_t { bool m; }
struct digest_t { bit<256> unused; }

bool same(in bool a) { return a == a; }

parser TopParser(packet_in p, out headers_t hdr, out meta_t meta, out digest_t digest, inout sume_metadata_t sume) {
    state start { p.extract(hdr.h); transition accept; }
}

control TopPipe(inout headers_t hdr, inout meta_t meta, inout digest_t digest, inout sume_metadata_t sume) {
    apply {
        sume.dst_port = 1;
        meta.m = hdr.h.x == 3;
        if (same(meta.m) && meta.m == meta.m) { hdr.h.y = 1; }
    }
}

control TopDeparser(packet_out p, in headers_t hdr, in meta_t meta, inout digest_t digest, inout sume_metadata_t sume) {
    apply { p.emit(hdr); }
}

SimpleSumeSwitch(TopParser(), TopPipe(), TopDeparser()) main;
